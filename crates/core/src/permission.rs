//! May the agent do this: what rules and a person's earlier answers say, and what waits for an answer.

pub mod broker;
pub mod memory;
pub mod pattern;
pub mod rules;
pub mod shell;
mod simple;
