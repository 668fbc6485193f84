//! Decisions. Time and requests come in, effects and answers go out.
//!
//! Nothing here reads a clock, a file, the environment or a socket, and nothing spawns. So everything can be tested in
//! virtual time, and a recorded run replays to the same end.

pub mod access;
pub mod agent;
pub mod event;
pub mod fleet;
pub mod inside;
pub mod lease;
pub mod notify;
pub mod permission;
pub mod rate;
pub mod shutdown;
pub mod status;
pub mod text;
pub mod timer;
