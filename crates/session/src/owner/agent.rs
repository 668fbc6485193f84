//! The agent inside: what it does, and what it is told.

use super::Owner;
use crate::SessionError;
use crate::handle::agent::AgentRequest;

impl Owner {
    pub(super) fn agent_request(&mut self, request: AgentRequest) {
        let none = SessionError::NoDriver;
        match request {
            AgentRequest::Explain { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Nudge { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Respond { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Interrupt { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Hook { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::ResolveStop { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::StopConfig { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::StartConfig { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Groom { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Conversation { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Transcripts { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Catchup { reply, .. } => self.answers.push(reply, Err(none)),
        }
    }
}
