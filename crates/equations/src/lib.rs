//! Expressions, derivatives, sorting and code generation.
