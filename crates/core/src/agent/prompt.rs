//! What an agent asks: one variant for each kind, with what is needed to show it and to answer it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::shown::Shown;

/// Identifies one prompt for as long as the session lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PromptId(pub String);

impl fmt::Display for PromptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub id: PromptId,
    pub context: PromptContext,
    /// Whether the options are known.
    pub ready: bool,
    /// Whether a hook waits for the answer, so that it needs no key.
    pub by_hook: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum PromptContext {
    Permission(PermissionPrompt),
    Plan(PlanPrompt),
    Question(QuestionPrompt),
    Setup(SetupPrompt),
}

/// May it run this tool, or work in this folder?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PermissionPrompt {
    /// `trust` for the question whether to trust a folder.
    pub subtype: Option<String>,
    pub tool: Option<String>,
    /// The whole input of the tool.
    pub input: Option<Value>,
    /// The input is what the dialog shows, with lines broken as painted: no rule may allow it.
    pub input_seen: bool,
    /// What the dialog shows of the call. Tells dialogs apart; the input comes from the agent's own record of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Box<Shown>>,
    /// The agent's id of the tool call.
    pub tool_id: Option<String>,
    /// Set when a subagent asks.
    pub agent_id: Option<String>,
    /// Rules the agent would add, as it wrote them.
    pub suggestions: Vec<Value>,
    pub options: Vec<Choice>,
    /// The options are what such a dialog usually has, not what was read from this one.
    pub options_fallback: bool,
    /// In the agent's own words, if nothing else is known.
    pub message: Option<String>,
}

/// Is this plan all right?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanPrompt {
    /// The tool that asks, where it is one.
    pub tool: Option<String>,
    pub plan: Option<String>,
    pub input: Option<Value>,
    pub tool_id: Option<String>,
    pub options: Vec<Choice>,
    pub options_fallback: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionPrompt {
    /// The tool that asks.
    pub tool: Option<String>,
    pub questions: Vec<Question>,
    /// The one on the screen; as many as there are when only the confirmation is left.
    pub current: usize,
    pub input: Option<Value>,
    pub tool_id: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    pub question: String,
    pub header: Option<String>,
    pub multi_select: bool,
    pub options: Vec<Choice>,
}

/// A dialog of the agent's own start, for example of the theme or the login.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetupPrompt {
    pub subtype: String,
    pub options: Vec<Choice>,
    /// Where to log in.
    pub url: Option<String>,
    pub message: Option<String>,
}

/// One of the things that can be chosen, in the order of the dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    pub label: String,
    pub description: Option<String>,
    pub meaning: Meaning,
}

/// What choosing it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// Yes, this once.
    Allow,
    /// Yes, and do not ask again in this session.
    AllowSession,
    /// Yes, and do not ask again in this project.
    AllowProject,
    Deny,
    /// No, and here is why or what instead.
    DenyWithText,
    /// One answer of several.
    #[default]
    Answer,
    /// An answer in own words.
    Text,
    /// Leave the dialog to talk about it.
    Chat,
}

/// Length of a digest, enough that no agent finds two inputs with the same.
const DIGEST_BYTES: usize = 16;

/// Subtype of a dialog of the agent itself of which only that it is open is known.
pub const OPEN_DIALOG: &str = "dialog";

impl PermissionPrompt {
    /// The input as it was told or, where it was not, as the dialog shows it; the latter is not certain enough for a rule.
    #[must_use]
    pub fn known_input(&self) -> Option<(Value, bool)> {
        let told = self.input.clone().map(|input| (input, self.input_seen));
        told.or_else(|| self.shown.as_deref().and_then(Shown::input).map(|input| (input, true)))
    }
}

impl PromptContext {
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Permission(_) => "permission",
            Self::Plan(_) => "plan",
            Self::Question(_) => "question",
            Self::Setup(_) => "setup",
        }
    }

    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Permission(PermissionPrompt { tool, .. })
            | Self::Plan(PlanPrompt { tool, .. })
            | Self::Question(QuestionPrompt { tool, .. }) => tool.as_deref(),
            Self::Setup(_) => None,
        }
    }

    #[must_use]
    pub fn subtype(&self) -> Option<&str> {
        match self {
            Self::Permission(permission) => permission.subtype.as_deref(),
            Self::Setup(setup) => Some(&setup.subtype),
            Self::Plan(_) | Self::Question(_) => None,
        }
    }

    #[must_use]
    pub fn input(&self) -> Option<&Value> {
        match self {
            Self::Permission(PermissionPrompt { input, .. })
            | Self::Plan(PlanPrompt { input, .. })
            | Self::Question(QuestionPrompt { input, .. }) => input.as_ref(),
            Self::Setup(_) => None,
        }
    }

    #[must_use]
    pub fn tool_id(&self) -> Option<&str> {
        match self {
            Self::Permission(PermissionPrompt { tool_id, .. })
            | Self::Plan(PlanPrompt { tool_id, .. })
            | Self::Question(QuestionPrompt { tool_id, .. }) => tool_id.as_deref(),
            Self::Setup(_) => None,
        }
    }

    /// The subagent that asks; none for the main agent.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        match self {
            Self::Permission(permission) => permission.agent_id.as_deref(),
            Self::Plan(_) | Self::Question(_) | Self::Setup(_) => None,
        }
    }

    /// The options of the dialog, or of its current question.
    #[must_use]
    pub fn options(&self) -> &[Choice] {
        match self {
            Self::Permission(permission) => &permission.options,
            Self::Plan(plan) => &plan.options,
            Self::Question(asked) => asked.questions.get(asked.current).map_or(&[], |question| &question.options),
            Self::Setup(setup) => &setup.options,
        }
    }

    /// What the dialog shows of the call, where it was read.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        match self {
            Self::Permission(permission) => permission.shown.as_deref(),
            _ => None,
        }
    }

    /// Digest of what is asked: the tool and its input, the plan, or the questions. A client that returns it with an answer
    /// answers what it has shown, and nothing else. Options are left out: they may be read after the rest.
    #[must_use]
    pub fn digest(&self) -> String {
        let asked = match self {
            Self::Permission(asked) => {
                let input = asked.known_input().map(|(input, _)| input);
                json!([asked.subtype, asked.tool, input, asked.agent_id])
            }
            Self::Plan(asked) => json!([asked.tool, asked.plan, asked.input]),
            Self::Question(asked) => json!([asked.tool, asked.questions]),
            Self::Setup(asked) => json!([asked.subtype, asked.url]),
        };
        let digest = Sha256::digest(json!([self.kind(), asked]).to_string());
        digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A prompt that says no more than that something is asked.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        matches!(self, Self::Permission(PermissionPrompt { subtype: None, tool: None, .. }))
    }

    /// A source that tells no more than that a dialog is open: it may be any, one that coop does not recognise too.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Permission(asked) => self.is_generic() && asked.input.is_none() && asked.shown.is_none(),
            Self::Setup(setup) => setup.subtype == OPEN_DIALOG,
            Self::Plan(_) | Self::Question(_) => false,
        }
    }

    /// A permission of which neither a source nor the dialog tells what would run.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Permission(asked) => asked.subtype.is_none() && asked.known_input().is_none(),
            Self::Plan(_) | Self::Question(_) | Self::Setup(_) => false,
        }
    }
}
