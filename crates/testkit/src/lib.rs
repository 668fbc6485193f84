//! The bench for real agents: a model API that plays a script, the agents' CLIs started against it, and a terminal that
//! a test watches them in.
//!
//! Nothing here reads the caller's environment but to find the installed agents and `node`, and nothing reaches beyond
//! the loopback interface. What the model did and when is the truth that a test holds an agent's signals against.
#![allow(clippy::expect_used, clippy::panic, reason = "a bench ends a test by panicking, with what it saw")]

pub mod agent;
mod bell;
mod bench;
pub mod coop;
mod hooks;
mod hub;
pub mod model;
pub mod scenario;
pub mod screen;
mod sending;
pub mod session;
mod sight;
pub mod terminal;
pub mod tmux;

pub use agent::{Agent, Dialog, Kind, Options};
pub use bench::Bench;
pub use coop::Coop;
pub use coop_terminal::ProgramStatus;
pub use hooks::HookLine;
pub use hub::{Meeting, TestHub};
pub use model::Model;
pub use scenario::Scenario;
pub use session::TestSession;
pub use sight::Sight;
