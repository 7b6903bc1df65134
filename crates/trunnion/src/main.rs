//! The `trunnion` command.

fn main() {}
