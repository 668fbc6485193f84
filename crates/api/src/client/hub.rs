//! The requests about a fleet, for a client of the hub.

use std::time::Duration;

use hyper::Method;

use super::{Client, Result};
use crate::{hub, v1};

/// An answer waits until it is seen that the agent took it.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

impl Client {
    /// Which version of coop the hub is.
    pub async fn hub_version(&self) -> Result<String> {
        let health: serde_json::Value = self.request(Method::GET, "/api/v1/health", &()).await?;
        Ok(health["version"].as_str().unwrap_or_default().to_owned())
    }

    pub async fn hub_shutdown(&self) -> Result<()> {
        self.request::<_, serde_json::Value>(Method::POST, "/api/v1/shutdown", &()).await.map(drop)
    }

    pub async fn hub_sessions(&self, filter: &hub::SessionFilter) -> Result<hub::Sessions> {
        self.request(Method::GET, "/api/v1/sessions", filter).await
    }

    /// Returns when it is on the board.
    pub async fn hub_start(&self, new: &hub::NewSession) -> Result<hub::Session> {
        self.request_within(ANSWER_LIMIT, Method::POST, "/api/v1/sessions", new).await
    }

    pub async fn hub_resume(&self, session: u64, how: &hub::ResumeSession) -> Result<hub::Session> {
        self.request_within(ANSWER_LIMIT, Method::POST, &format!("/api/v1/sessions/{session}/resume"), how).await
    }

    pub async fn hub_end(&self, session: u64) -> Result<()> {
        let path = format!("/api/v1/sessions/{session}");
        self.request_within::<_, serde_json::Value>(ANSWER_LIMIT, Method::DELETE, &path, &()).await.map(drop)
    }

    /// A person has looked at it.
    pub async fn hub_seen(&self, session: u64) -> Result<()> {
        let path = format!("/api/v1/sessions/{session}/seen");
        self.request::<_, serde_json::Value>(Method::POST, &path, &()).await.map(drop)
    }

    pub async fn hub_prompts(&self) -> Result<hub::Prompts> {
        self.request(Method::GET, "/api/v1/prompts", &()).await
    }

    pub async fn hub_answer(&self, id: u64, answer: &v1::RespondRequest) -> Result<hub::Answered> {
        self.request_within(ANSWER_LIMIT, Method::POST, &format!("/api/v1/prompts/{id}/answer"), answer).await
    }

    pub async fn hub_rules(&self) -> Result<hub::Rules> {
        self.request(Method::GET, "/api/v1/rules", &()).await
    }

    pub async fn hub_add_rule(&self, rule: &hub::NewRule) -> Result<hub::Rule> {
        self.request(Method::PUT, "/api/v1/rules", rule).await
    }

    pub async fn hub_remove_rule(&self, id: u64) -> Result<hub::Cleared> {
        self.request(Method::DELETE, &format!("/api/v1/rules/{id}"), &()).await
    }

    pub async fn hub_test_rules(&self, test: &hub::RuleTest) -> Result<hub::RuleVerdict> {
        self.request(Method::POST, "/api/v1/rules/test", test).await
    }

    /// Forgets what a session remembers.
    pub async fn hub_clear_permissions(&self, session: u64) -> Result<hub::Cleared> {
        self.request(Method::DELETE, &format!("/api/v1/sessions/{session}/permissions"), &()).await
    }

    /// Any request of the hub, or of one of its sessions, with its reply as it is.
    pub async fn hub_request(
        &self,
        limit: Duration,
        post: bool,
        path: &str,
        message: &serde_json::Value,
    ) -> Result<serde_json::Value> {
        self.request_within(limit, if post { Method::POST } else { Method::GET }, path, message).await
    }

    pub async fn hub_pair_code(&self, wanted: &hub::NewCode) -> Result<hub::PairCode> {
        self.request(Method::POST, "/api/v1/pair/codes", wanted).await
    }

    /// Tells everybody something, which may take as long as the slowest of them.
    pub async fn hub_notify_test(&self) -> Result<hub::Tested> {
        self.request_within(ANSWER_LIMIT, Method::POST, "/api/v1/notify/test", &()).await
    }

    pub async fn hub_devices(&self) -> Result<hub::Devices> {
        self.request(Method::GET, "/api/v1/devices", &()).await
    }

    pub async fn hub_revoke(&self, device: u64) -> Result<hub::Device> {
        self.request(Method::DELETE, &format!("/api/v1/devices/{device}"), &()).await
    }

    pub async fn hub_search(&self, query: &hub::SearchQuery) -> Result<hub::SearchResults> {
        self.request(Method::GET, "/api/v1/search", query).await
    }

    pub async fn hub_history(&self, query: &hub::HistoryQuery) -> Result<hub::History> {
        self.request(Method::GET, "/api/v1/history", query).await
    }
}
