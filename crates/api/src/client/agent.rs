//! The requests about an agent.

use std::time::Duration;

use hyper::Method;
use serde_json::Value;

use super::http::REQUEST_LIMIT;
use super::{Client, Result};
use crate::{hook, v1};

/// As long as the server waits at the most: an agent may work for an hour.
const TURN_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl Client {
    pub async fn agent_state(&self) -> Result<v1::GetAgentStateResponse> {
        self.request(Method::GET, "/api/v1/agent/state", &v1::GetAgentStateRequest {}).await
    }

    pub async fn explain(&self) -> Result<v1::ExplainResponse> {
        self.request(Method::GET, "/api/v1/agent/explain", &v1::ExplainRequest::default()).await
    }

    /// The same with the evidence itself.
    pub async fn explain_with_evidence(&self) -> Result<v1::ExplainResponse> {
        self.request(Method::GET, "/api/v1/agent/explain", &v1::ExplainRequest { evidence: true }).await
    }

    /// How long this takes is for the server to say: it may wait for the end of a turn.
    pub async fn nudge(&self, request: &v1::NudgeRequest) -> Result<v1::NudgeResponse> {
        self.request_within(TURN_LIMIT, Method::POST, "/api/v1/agent/nudge", request).await
    }

    pub async fn respond(&self, request: &v1::RespondRequest) -> Result<v1::RespondResponse> {
        self.request(Method::POST, "/api/v1/agent/respond", request).await
    }

    pub async fn interrupt(&self) -> Result<v1::InterruptResponse> {
        self.request(Method::POST, "/api/v1/agent/interrupt", &v1::InterruptRequest {}).await
    }

    pub async fn wait(&self, request: &v1::WaitRequest) -> Result<v1::WaitResponse> {
        let limit = REQUEST_LIMIT + Duration::from_secs(request.timeout.unwrap_or_default().into());
        self.request_within(limit, Method::GET, "/api/v1/agent/wait", request).await
    }

    pub async fn conversation(&self, request: &v1::GetConversationRequest) -> Result<v1::GetConversationResponse> {
        self.request(Method::GET, "/api/v1/conversation", request).await
    }

    pub async fn lifted_config(&self) -> Result<v1::LiftedConfig> {
        self.request(Method::GET, "/api/v1/config/lifted", &v1::GetLiftedConfigRequest {}).await
    }

    pub async fn put_lifted_config(&self, config: &v1::LiftedConfig) -> Result<v1::LiftedConfig> {
        self.request(Method::PUT, "/api/v1/config/lifted", config).await
    }

    pub async fn recording_config(&self) -> Result<v1::Recording> {
        self.request(Method::GET, "/api/v1/config/recording", &v1::GetRecordingConfigRequest {}).await
    }

    pub async fn put_recording_config(&self, config: &v1::RecordingConfig) -> Result<v1::Recording> {
        self.request(Method::PUT, "/api/v1/config/recording", config).await
    }

    pub async fn transcripts(&self) -> Result<v1::ListTranscriptsResponse> {
        self.request(Method::GET, "/api/v1/transcripts", &v1::ListTranscriptsRequest {}).await
    }

    pub async fn transcript(&self, number: u64) -> Result<v1::GetTranscriptResponse> {
        self.request(Method::GET, &format!("/api/v1/transcripts/{number}"), &()).await
    }

    pub async fn resolve_stop(&self, body: &Value) -> Result<v1::ResolveStopResponse> {
        self.request(Method::POST, "/api/v1/stop/resolve", body).await
    }

    /// What a hook is to print, if anything.
    pub async fn hook(&self, event: &str, payload: &Value) -> Result<Option<Value>> {
        let path = format!("{}{event}", hook::PATH);
        let body = self.exchange(REQUEST_LIMIT, Method::POST, &path, payload).await?;
        Ok(serde_json::from_slice(&body).ok())
    }
}
