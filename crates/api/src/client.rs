//! A client for one coop, over TCP, with TLS or without, or a Unix socket.
//!
//! Each request has a method here that does nothing but name its path. One connection per request keeps it simple: the
//! other end is usually on this machine, and whoever wants a stream opens a [`Socket`].

mod agent;
mod board;
mod call;
mod endpoint;
mod error;
mod http;
mod hub;
mod socket;
mod tls;

use hyper::Method;

pub use board::Changes;
pub use endpoint::{Endpoint, EndpointError};
pub use error::ClientError;
pub use socket::{Follow, Incoming, Place, Socket};
pub use tls::Pin;

use crate::v1;

/// Cheap to clone. Connects anew for each request.
#[derive(Clone)]
pub struct Client {
    endpoint: Endpoint,
    token: Option<String>,
}

impl std::fmt::Debug for Client {
    /// The token stays secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

type Result<T> = std::result::Result<T, ClientError>;

impl Client {
    #[must_use]
    pub fn new(endpoint: Endpoint, token: Option<String>) -> Self {
        Self { endpoint, token }
    }

    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub async fn health(&self) -> Result<v1::GetHealthResponse> {
        self.request(Method::GET, "/api/v1/health", &v1::GetHealthRequest {}).await
    }

    pub async fn status(&self) -> Result<v1::GetStatusResponse> {
        self.request(Method::GET, "/api/v1/status", &v1::GetStatusRequest {}).await
    }

    pub async fn screen(&self, request: &v1::GetScreenRequest) -> Result<v1::GetScreenResponse> {
        self.request(Method::GET, "/api/v1/screen", request).await
    }

    /// The screen as plain text.
    pub async fn screen_text(&self, request: &v1::GetScreenTextRequest) -> Result<String> {
        self.text("/api/v1/screen/text", request).await
    }

    /// A picture of the screen.
    pub async fn screen_svg(&self) -> Result<String> {
        self.text("/api/v1/screen/svg", &v1::GetScreenSvgRequest {}).await
    }

    /// What is kept of the output with its times, as asciicast of this version.
    pub async fn recording(&self, version: u8) -> Result<String> {
        self.text("/api/v1/recording", &serde_json::json!({ "from": "start", "version": version })).await
    }

    pub async fn output(&self, request: &v1::GetOutputRequest) -> Result<v1::GetOutputResponse> {
        self.request(Method::GET, "/api/v1/output", request).await
    }

    pub async fn resume(&self, request: &v1::ResumeRequest) -> Result<v1::ResumeResponse> {
        self.request(Method::GET, "/api/v1/resume", request).await
    }

    pub async fn input(&self, request: &v1::SendInputRequest) -> Result<v1::SendInputResponse> {
        self.request(Method::POST, "/api/v1/input", request).await
    }

    pub async fn input_raw(&self, request: &v1::SendInputRawRequest) -> Result<v1::SendInputRawResponse> {
        self.request(Method::POST, "/api/v1/input/raw", request).await
    }

    pub async fn keys(&self, request: &v1::SendKeysRequest) -> Result<v1::SendKeysResponse> {
        self.request(Method::POST, "/api/v1/input/keys", request).await
    }

    pub async fn resize(&self, request: &v1::ResizeRequest) -> Result<v1::ResizeResponse> {
        self.request(Method::POST, "/api/v1/resize", request).await
    }

    pub async fn signal(&self, request: &v1::SendSignalRequest) -> Result<v1::SendSignalResponse> {
        self.request(Method::POST, "/api/v1/signal", request).await
    }

    pub async fn lease(&self, request: &v1::LeaseRequest) -> Result<v1::LeaseResponse> {
        self.request(Method::POST, "/api/v1/lease", request).await
    }

    /// How long this takes is for the program to say, and for `--shutdown-timeout`.
    pub async fn restart(&self, request: &v1::RestartRequest) -> Result<v1::RestartResponse> {
        self.request_within(http::RESTART_LIMIT, Method::POST, "/api/v1/session/restart", request).await
    }

    pub async fn shutdown(&self, request: &v1::ShutdownRequest) -> Result<v1::ShutdownResponse> {
        self.request(Method::POST, "/api/v1/shutdown", request).await
    }

    pub async fn events(&self, request: &v1::GetEventsRequest) -> Result<v1::GetEventsResponse> {
        self.request(Method::GET, "/api/v1/events/catchup", request).await
    }

    /// Opens a WebSocket that carries what `follow` asks for.
    pub async fn connect(&self, follow: &Follow) -> Result<Socket> {
        Socket::open(&self.endpoint, "/ws", self.token.as_deref(), follow).await
    }

    /// The same of a session, by way of its hub.
    pub async fn hub_follow(&self, session: u64, follow: &Follow) -> Result<Socket> {
        let path = format!("/api/v1/sessions/{session}/ws");
        Socket::open(&self.endpoint, &path, self.token.as_deref(), follow).await
    }
}
