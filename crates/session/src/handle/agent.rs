//! The handle's other half: what is asked about an agent, and said to it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::conversation::Entry;
use coop_core::agent::deliver::{Nudge, Nudged};
use coop_core::agent::explain::Explanation;
use coop_core::agent::gate::{Groom, StartConfig, StopConfig};
use coop_core::agent::lifted::LiftedConfig;
use coop_core::agent::respond::{Respond, Responded};
use coop_core::agent::spent::Spent;
use coop_core::agent::state::AgentStatus;
use serde_json::Value;
use tokio::sync::watch;

use super::{Reply, Request, SessionHandle};
use crate::SessionError;

/// A hook of the agent calls, or its server does.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// As the agent names it, for example `PermissionRequest`.
    pub event: String,
    pub payload: Value,
    /// How long ago the hook was started.
    pub age: Duration,
    /// Whether the hook waits for what it is told. One that was spooled or came through the pipe does not.
    pub answerable: bool,
}

/// What the hook prints; nothing if there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookReply {
    pub body: Option<Value>,
    /// Commands whose output the hook appends to what it tells the agent (SessionStart only).
    pub shell: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationPage {
    pub session_id: Option<String>,
    pub entries: Vec<Entry>,
    /// Where to go on: the line after the last entry.
    pub next_line: u64,
    pub more: bool,
    /// Of the whole conversation so far.
    pub spent: Spent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptInfo {
    pub number: u64,
    pub lines: u64,
    pub bytes: u64,
    pub at_ms: u64,
    pub path: PathBuf,
}

/// What a client missed: transcripts since one, and lines of the conversation since one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catchup {
    pub transcripts: Vec<TranscriptInfo>,
    pub lines: Vec<String>,
    pub next_line: u64,
}

#[derive(Debug)]
pub(crate) enum AgentRequest {
    Heard { reply: Reply<Result<(Vec<String>, u64), SessionError>> },
    Explain { reply: Reply<Result<Explanation, SessionError>> },
    Nudge { nudge: Nudge, reply: Reply<Result<Nudged, SessionError>> },
    Respond { respond: Respond, reply: Reply<Result<Responded, SessionError>> },
    Interrupt { reply: Reply<Result<(), SessionError>> },
    Hook { call: HookCall, reply: Reply<Result<HookReply, SessionError>> },
    Server { call: HookCall, reply: Reply<Result<HookReply, SessionError>> },
    ResolveStop { body: Value, reply: Reply<Result<(), SessionError>> },
    StopConfig { set: Option<StopConfig>, reply: Reply<Result<StopConfig, SessionError>> },
    StartConfig { set: Option<StartConfig>, reply: Reply<Result<StartConfig, SessionError>> },
    Lifted { set: Option<LiftedConfig>, reply: Reply<Result<LiftedConfig, SessionError>> },
    Groom { set: Option<Groom>, reply: Reply<Result<Groom, SessionError>> },
    Conversation { after_line: u64, limit: usize, reply: Reply<Result<ConversationPage, SessionError>> },
    Transcripts { reply: Reply<Result<Vec<TranscriptInfo>, SessionError>> },
    Catchup { since_transcript: u64, since_line: u64, reply: Reply<Result<Catchup, SessionError>> },
}

impl SessionHandle {
    /// What the agent is doing now. For a program without a driver: `unknown`, and `exited` in the end.
    #[must_use]
    pub fn agent(&self) -> Arc<AgentStatus> {
        self.agent.borrow().clone()
    }

    /// Wakes whenever that changes.
    #[must_use]
    pub fn watch_agent(&self) -> watch::Receiver<Arc<AgentStatus>> {
        self.agent.clone()
    }

    /// What was heard of the agent last, each as JSON and oldest first, and how much before that is forgotten.
    pub async fn heard(&self) -> Result<(Vec<String>, u64), SessionError> {
        self.ask(|reply| Request::Agent(AgentRequest::Heard { reply })).await?
    }

    pub async fn explain(&self) -> Result<Explanation, SessionError> {
        self.ask_agent(|reply| AgentRequest::Explain { reply }).await
    }

    /// Says something. Returns when it is known what became of it.
    pub async fn nudge(&self, nudge: Nudge) -> Result<Nudged, SessionError> {
        self.ask_agent(|reply| AgentRequest::Nudge { nudge, reply }).await
    }

    /// Answers the pending prompt. Returns when it is known whether the answer arrived.
    pub async fn respond(&self, respond: Respond) -> Result<Responded, SessionError> {
        self.ask_agent(|reply| AgentRequest::Respond { respond, reply }).await
    }

    pub async fn interrupt(&self) -> Result<(), SessionError> {
        self.ask_agent(|reply| AgentRequest::Interrupt { reply }).await
    }

    /// Returns when there is an answer for the hook, which may take as long as a person does.
    pub async fn hook(&self, call: HookCall) -> Result<HookReply, SessionError> {
        self.ask_agent(|reply| AgentRequest::Hook { call, reply }).await
    }

    /// The same for what the agent's server says, which may wait for an answer too.
    pub async fn server_says(&self, call: HookCall) -> Result<HookReply, SessionError> {
        self.ask_agent(|reply| AgentRequest::Server { call, reply }).await
    }

    /// The work is done: the agent may stop.
    pub async fn resolve_stop(&self, body: Value) -> Result<(), SessionError> {
        self.ask_agent(|reply| AgentRequest::ResolveStop { body, reply }).await
    }

    /// Reads, or sets and reads, whether the agent may stop.
    pub async fn stop_config(&self, set: Option<StopConfig>) -> Result<StopConfig, SessionError> {
        self.ask_agent(|reply| AgentRequest::StopConfig { set, reply }).await
    }

    pub async fn start_config(&self, set: Option<StartConfig>) -> Result<StartConfig, SessionError> {
        self.ask_agent(|reply| AgentRequest::StartConfig { set, reply }).await
    }

    pub async fn groom(&self, set: Option<Groom>) -> Result<Groom, SessionError> {
        self.ask_agent(|reply| AgentRequest::Groom { set, reply }).await
    }

    /// Reads, or sets and reads, whether the agent is told something when a limit lifts.
    pub async fn lifted(&self, set: Option<LiftedConfig>) -> Result<LiftedConfig, SessionError> {
        self.ask_agent(|reply| AgentRequest::Lifted { set, reply }).await
    }

    /// Entries made from the log's lines from `after_line` on.
    pub async fn conversation(&self, after_line: u64, limit: usize) -> Result<ConversationPage, SessionError> {
        self.ask_agent(|reply| AgentRequest::Conversation { after_line, limit, reply }).await
    }

    pub async fn transcripts(&self) -> Result<Vec<TranscriptInfo>, SessionError> {
        self.ask_agent(|reply| AgentRequest::Transcripts { reply }).await
    }

    pub async fn catchup(&self, since_transcript: u64, since_line: u64) -> Result<Catchup, SessionError> {
        self.ask_agent(|reply| AgentRequest::Catchup { since_transcript, since_line, reply }).await
    }

    async fn ask_agent<T>(
        &self,
        request: impl FnOnce(Reply<Result<T, SessionError>>) -> AgentRequest,
    ) -> Result<T, SessionError> {
        self.ask(|reply| Request::Agent(request(reply))).await?
    }
}
