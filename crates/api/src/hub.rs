//! The words of the hub: what it says of agents and of what they ask, over HTTP.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::v1;

/// The file name of the hub's socket, in the folder where sessions have theirs.
pub const SOCKET: &str = "hub.sock";

/// One agent on the board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Session {
    /// Counts up from 1; never used again.
    pub id: u64,
    /// The kind of program, for example `claude`.
    pub agent: String,
    /// `starting`, `working`, `idle`, `prompt`, `error`, `parked`, `restarting`, `exited` or `unknown`.
    pub state: String,
    /// Milliseconds since 1970.
    pub since_ms: u64,
    /// What can be done with it: `owned` (a sidecar holds its terminal), `hooked` (its hooks report, and can be
    /// answered), `observed` (its files are read: look, no touch) or `cold` (it has ended).
    pub control: String,
    /// Whether what it asks can be answered from here. Not everything that is `hooked` can: some agents take answers at
    /// their terminal only.
    pub answerable: bool,
    /// How soon a person should look: `asks`, `failed`, `done`, `parked`, `rests`, `works` or `over`.
    pub attention: String,
    /// It came to want something, and nobody has looked since.
    pub unseen: bool,
    /// Set when the state is `prompt`. It can be answered where it is among the prompts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt: Option<v1::PromptContext>,
    /// Set when the state is `error` or `parked`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<SessionError>,
    /// The machine it is on; missing for that of the hub.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub host: Option<String>,
    /// The name of the folder it works in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// The agent's own id of the conversation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session_id: Option<String>,
    /// Conversations it had before.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub earlier: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pid: Option<u32>,
    /// What the agent said last when its turn ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_message: Option<String>,
    /// Of the conversation that goes on now. Missing where it is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<v1::Usage>,
    /// The same in money.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<v1::Cost>,
    /// How much of what the model can hold is filled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<v1::Context>,
    /// What the state rests on, and why it is believed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
    pub reason: String,
    /// Where its sidecar listens.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub socket: Option<String>,
}

/// What a hub tells those who follow its board, and the number of the event to go on after.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Told {
    #[serde(default)]
    pub id: Option<String>,
    #[serde(flatten)]
    pub change: Change,
}

/// One thing that has happened at a hub.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Change {
    /// The first message.
    Hello {
        generation: u64,
        seq: u64,
    },
    /// Whether the stream goes on where the client was: `ok` or `gap`.
    Resume {
        resume: String,
    },
    /// The client was too slow.
    Gap {
        lost: u64,
    },
    /// It is new, or something about it has changed.
    Session {
        session: Box<Session>,
    },
    StateChange {
        session: Box<Session>,
    },
    SessionForgotten {
        number: u64,
    },
    #[serde(rename = "pty_permission")]
    Asked {
        prompt: Box<Prompt>,
    },
    #[serde(rename = "pty_permission_resolved")]
    Settled {
        prompt: Box<Settled>,
    },
    /// Of no interest to a board.
    #[serde(other)]
    Other,
}

/// A session to be started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewSession {
    /// `claude`, `codex` or `gemini`.
    pub agent: String,
    /// The folder it is to work in, from the root.
    pub cwd: String,
    /// For the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// In addition to what the hub has.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub env: std::collections::BTreeMap<String, String>,
    /// What it is called, for example by `coop attach`. Without it, it gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// How a session that has ended is to be started again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResumeSession {
    /// For the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// In addition to what the hub has.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub env: std::collections::BTreeMap<String, String>,
}

/// What a session did, since the hub was started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Timeline {
    /// The oldest first.
    pub moments: Vec<Moment>,
    /// Whether there was more before that is no longer kept.
    pub cut: bool,
}

/// From here on it was in this state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Moment {
    pub state: String,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// Why it was believed, and what it rests on.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
}

/// Why the last turn failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionError {
    pub kind: String,
    pub detail: String,
    /// When a limit lifts, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub resume_at_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionFilter {
    /// One state or several, for example `prompt,error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// For example `claude`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The name of the folder it works in, or its path, which then counts for folders below too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Also those that have ended.
    pub all: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Sessions {
    /// Who needs a person first.
    pub sessions: Vec<Session>,
}

/// Something that waits for an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Prompt {
    pub id: u64,
    /// The `id` of the session.
    pub session: u64,
    /// The agent's own id of the conversation.
    pub session_id: String,
    /// `permission`, `plan`, `question` or `setup`.
    pub kind: String,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_use_id: Option<String>,
    /// The whole input of the tool, as the agent wrote it.
    pub input: Value,
    /// All of what is asked, for people: what would hide is made visible.
    pub text: String,
    pub cwd: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project: Option<String>,
    /// What can be answered by number, counted from 1.
    pub options: Vec<PromptChoice>,
    /// Each needs an answer, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub questions: Vec<PromptQuestion>,
    /// What would be remembered if it were answered for longer than once. Nothing: it can only be answered once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
    /// Milliseconds since 1970.
    pub asked_ms: u64,
    /// When it is left to the terminal.
    pub expires_ms: u64,
    /// How it is answered: `hook` or `sidecar`.
    pub via: String,
    /// Whether the agent takes another input with the answer (`updated_input`).
    #[serde(default)]
    pub editable: bool,
    #[serde(default)]
    pub digest: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PromptChoice {
    pub number: u32,
    /// For example `allow_once` or `deny`; `option` for one of the dialog's own; of a question also `text` for own words,
    /// and `chat` to leave the dialog and talk.
    pub key: String,
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PromptQuestion {
    pub question: String,
    pub several: bool,
    pub options: Vec<PromptChoice>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Prompts {
    /// Oldest first.
    pub prompts: Vec<Prompt>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Answered {
    pub id: u64,
    /// Whether it is certain that the agent has it.
    pub delivered: bool,
    /// `permission`, `plan`, `question` or `setup`.
    pub prompt_type: String,
    /// `hook` or `keys`.
    pub via: String,
    /// Why it is not certain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// For how long it counts: `once`, `session` or `path`, which is the project.
    pub scope: String,
    /// What is remembered of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remembered: Option<String>,
}

/// A standing rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Rule {
    pub id: u64,
    /// For example `Bash(git status:*)`, `Write(*.py)`, `WebFetch(domain:example.org)` or `Read`.
    pub pattern: String,
    /// `allow`, `deny` or `ask`.
    pub effect: String,
    /// Only in this folder and below.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project: Option<String>,
    /// Only for sessions of this machine; missing for the machine of the hub, `*` for all machines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub host: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewRule {
    pub pattern: String,
    /// `allow`, `deny` or `ask`.
    pub effect: String,
    /// Only in this folder and below: a path from the root, and not the root itself.
    pub project: Option<String>,
    /// Only for sessions of this machine. Without it for the machine of the hub, with `*` for all machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// What a session remembers of a person's answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Remembered {
    /// The agent's own id of the conversation.
    pub session_id: String,
    pub pattern: String,
    pub effect: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Rules {
    pub rules: Vec<Rule>,
    pub memory: Vec<Remembered>,
}

/// Would this be allowed?
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleTest {
    pub tool: String,
    /// The input of the tool; a text stands for the command of a shell.
    pub input: Value,
    /// Where it would be done.
    pub cwd: String,
    /// With what this session remembers: its `id`, or the agent's own.
    pub session: Option<String>,
    /// The machine on which it would be done. Without it that of the session, or that of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RuleVerdict {
    /// `allow`, `deny` or `ask`.
    pub effect: String,
    /// Rules that say so.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rules: Vec<u64>,
    /// Patterns the session remembers that say so.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub memory: Vec<String>,
    /// `certain` if the input was read completely and is all covered; `possible` if a part of it is or may be. Rules that
    /// deny or ask count where they possibly match, rules that allow only where they certainly do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certainty: Option<String>,
    /// The part of the input that decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Cleared {
    /// How many patterns were forgotten, or rules removed.
    pub cleared: u64,
}

/// What browsers subscribe with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PushKey {
    /// The public key of the hub (VAPID), in base64 for addresses.
    pub key: String,
}

/// As a browser says it (`PushSubscription.toJSON()`).
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PushSubscription {
    /// Where its push service takes messages for it.
    pub endpoint: String,
    pub keys: PushKeys,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PushKeys {
    pub p256dh: String,
    pub auth: String,
}

// Whoever knows it could tell the browser things.
impl std::fmt::Debug for PushSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushSubscription").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PushKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushKeys").finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Tested {
    /// How many took it: browsers, and sinks of the settings.
    pub told: u64,
}

/// A code for a new device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewCode {
    /// What the device may do: `view`, `answer` [default], `drive`, `admin`, or `hooks` for an agent elsewhere.
    pub scope: Option<String>,
    /// What it is called here. Without it, the device says.
    pub name: Option<String>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PairCode {
    /// Good once.
    pub code: String,
    /// Milliseconds since 1970.
    pub expires_ms: u64,
    pub scope: String,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PairRequest {
    /// However it is typed: small letters, with or without the dash.
    pub code: String,
    /// What the device is to be called, unless that was said with the code.
    pub name: Option<String>,
    /// Give the token in two halves: a cookie that no script can read, and the `key` of the reply.
    pub browser: bool,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Paired {
    /// To be sent as `Authorization: Bearer TOKEN`. It is in no other reply. Empty for a browser.
    pub token: String,
    /// The half of the token of a browser that its page keeps and sends as `Coop-Key`; the other half is its cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub device: Device,
}

// What they hold is not for logs.
impl std::fmt::Debug for PairCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairCode").field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PairRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairRequest").field("name", &self.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Paired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paired").field("device", &self.device).finish_non_exhaustive()
    }
}

/// Somebody with a token of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Device {
    /// Counts up from 1; never used again.
    pub id: u64,
    pub name: String,
    /// `hooks`, `view`, `answer`, `drive` or `admin`.
    pub scope: String,
    /// Milliseconds since 1970.
    pub added_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Devices {
    pub devices: Vec<Device>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Default: 100, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only those with a smaller id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct History {
    /// The newest first.
    pub history: Vec<Settled>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Words that all have to be there, in any order; capitals count as small letters.
    pub q: String,
    /// Default: 50, at most 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SearchResults {
    /// Sessions first, then what they asked, then what was said and done, the newest first.
    pub hits: Vec<SearchHit>,
    /// Whether there is nothing more. Looking takes five seconds at the most.
    pub complete: bool,
}

/// Where the words stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SearchHit {
    /// The `id` of the session.
    pub session: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// `session`, `prompt`, or what it is in the conversation: `user`, `assistant`, `thinking`, `tool_call`,
    /// `tool_result`, `error` or `compaction`.
    pub kind: String,
    /// With what stands around it, for people.
    pub text: String,
    /// Line of the agent's log, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// The `id` of the prompt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt: Option<u64>,
    /// When it was said, as the agent wrote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<String>,
}

/// A request that is over: who answered what, when, and from where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Settled {
    pub id: u64,
    pub session: u64,
    pub session_id: String,
    pub cwd: String,
    pub kind: String,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_use_id: Option<String>,
    pub input: Value,
    /// What the tool was run with instead, where whoever allowed it changed its input.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub updated_input: Option<Value>,
    /// What was asked, for people.
    pub text: String,
    pub asked_ms: u64,
    pub ended_ms: u64,
    /// `allow`, `deny`, `answer`, `terminal`, `expired`, `gone` or `hub ended`.
    pub outcome: String,
    /// Who decided: a client, `rule`, `session memory` or `terminal`.
    pub by: String,
    /// Where: `socket`, `tcp` or `rpc`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// In their own words, or the rule that spoke.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<String>,
    /// What the session remembers of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remembered: Option<String>,
}
