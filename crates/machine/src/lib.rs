//! What this machine tells of agents: the time, their processes, their files. Looks, and changes nothing but where it says so.

pub mod clock;
pub mod disk;
pub mod git;
pub mod lineage;
pub mod loopback;
pub mod plan;
pub mod private;
pub mod process;
pub mod regular;
