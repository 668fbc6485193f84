//! What an agent is doing, what it asks, and how it is told something: the words for all of it.

pub mod conversation;
pub mod cost;
pub mod deliver;
pub mod evidence;
pub mod explain;
pub mod gate;
pub mod lifted;
pub mod machine;
pub mod pending;
pub mod prompt;
pub mod record;
pub mod resolve;
pub mod respond;
pub mod shown;
pub mod spent;
pub mod state;
pub mod tools;

pub use evidence::{Evidence, Fact, Look, Source};
pub use prompt::{Choice, Meaning, Prompt, PromptContext, PromptId};
pub use state::State;
