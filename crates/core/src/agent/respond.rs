//! An answer to a prompt.

use serde_json::Value;

use super::prompt::PromptId;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Respond {
    /// The prompt that is meant; the pending one if missing.
    pub prompt: Option<PromptId>,
    pub accept: Option<bool>,
    /// Counted from 1, as the dialog does.
    pub option: Option<u32>,
    pub text: Option<String>,
    /// One for each question.
    pub answers: Vec<Answer>,
    pub scope: Scope,
    /// What exactly is allowed for longer than once, in the words of a rule. Without it, what the agent suggests.
    pub pattern: Option<String>,
    /// Run the tool with this input instead.
    pub updated_input: Option<Value>,
    /// Allow a call although coop does not know its input.
    pub unseen: bool,
    /// Digest of the prompt as the client has shown it. The answer is rejected if the prompt has another by now.
    pub digest: Option<String>,
    /// Who answers, to be told to whoever comes second.
    pub by: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Counted from 1.
    pub options: Vec<u32>,
    pub text: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    #[default]
    Once,
    Session,
    /// For this project.
    Path,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Responded {
    pub delivered: bool,
    pub prompt: PromptId,
    /// `permission`, `plan`, `question` or `setup`.
    pub kind: &'static str,
    pub via: Via,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    Hook,
    Keys,
}

impl Via {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Keys => "keys",
        }
    }
}
