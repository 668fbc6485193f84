//! Why a state is believed, in a form that can be shown.

use super::evidence::Source;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub state: String,
    /// The rule that decided, and why in words.
    pub rule: String,
    pub reason: String,
    /// How long it has been the state.
    pub for_ms: u64,
    /// The last each source said.
    pub sources: Vec<Judged>,
    /// The last of all evidence, oldest first, also what was not believed.
    pub recent: Vec<Judged>,
}

/// One piece of evidence and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub source: Source,
    /// How long ago it happened.
    pub ago_ms: u64,
    pub fact: String,
    pub turn: Option<String>,
    pub accepted: bool,
    pub rule: String,
    pub reason: String,
}
