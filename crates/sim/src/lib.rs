//! Solvers, events, sampled tasks and the run loop.
