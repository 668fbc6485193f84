//! May the agent do this: what rules and a person's earlier answers say, and what waits for an answer.

pub mod broker;
pub mod matching;
pub mod memory;
pub mod pattern;
mod places;
mod powershell;
mod programs;
pub mod rules;
mod runs;
mod script;
pub mod shell;
mod simple;
mod suggest;
mod word;
