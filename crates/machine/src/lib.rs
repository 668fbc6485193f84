//! What this machine tells of agents: the time, their processes, their files. Looks and changes nothing.

pub mod clock;
pub mod plan;
pub mod process;
