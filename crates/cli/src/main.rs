//! The coop command.
fn main() {}
