//! Requests to others: push services, and what the settings name.

use std::time::Duration;

use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use axum::http::{Method, Request, StatusCode, Uri};
use bytes::Bytes;
use coop_machine::clock::now_ms;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::push::Push;
use super::subscriptions::Subscription;

/// A service that takes longer is not there.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a service keeps what it cannot deliver: as long as a question waits.
const TTL_SECS: &str = "600";

#[derive(Clone)]
pub(super) struct Client(Option<Http<HttpsConnector<HttpConnector>, Full<Bytes>>>);

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

pub(super) enum Failed {
    /// Nobody is there any more.
    Gone,
    Other(String),
}

impl Client {
    pub(super) fn new() -> Self {
        // Without certificates of the system there is nobody that could be trusted.
        let tls = HttpsConnectorBuilder::new().with_native_roots().inspect_err(|error| {
            tracing::warn!(%error, "notifications cannot be sent");
        });
        let client =
            tls.ok().map(|tls| Http::builder(TokioExecutor::new()).build(tls.https_or_http().enable_http1().build()));
        Self(client)
    }

    pub(super) async fn push(&self, push: &Push, to: &Subscription, what: &Value) -> Result<(), Failed> {
        let unfit = |why: &str| Failed::Other(format!("{}: {why}", origin_of(&to.endpoint)));
        let sealed = push.seal(&to.p256dh, &to.auth, what.to_string().as_bytes()).ok_or_else(|| unfit("unfit keys"))?;
        let by = push.authorization(&origin_of(&to.endpoint), now_ms() / 1000).ok_or_else(|| unfit("no signature"))?;
        let topic = format!("prompt-{}", what["prompt"]);
        let headers = [
            (AUTHORIZATION, by),
            (CONTENT_ENCODING, "aes128gcm".to_owned()),
            (CONTENT_TYPE, "application/octet-stream".to_owned()),
            (HeaderName::from_static("ttl"), TTL_SECS.to_owned()),
            (HeaderName::from_static("urgency"), "high".to_owned()),
            // What was not delivered yet is replaced by what is newer.
            (HeaderName::from_static("topic"), topic),
        ];
        match self.post(&to.endpoint, &headers, sealed).await.map_err(Failed::Other)? {
            status if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failed::Gone),
            status => Err(unfit(status.as_str())),
        }
    }

    pub(super) async fn post(
        &self,
        to: &str,
        headers: &[(HeaderName, String)],
        body: Vec<u8>,
    ) -> Result<StatusCode, String> {
        let place = origin_of(to);
        let client = self.0.as_ref().ok_or_else(|| format!("{place}: there are no certificates"))?;
        let mut request = Request::builder().method(Method::POST).uri(to);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| format!("{place}: {error}"))?;
        let reply = tokio::time::timeout(PATIENCE, client.request(request)).await;
        let reply = reply.map_err(|_| format!("{place}: it does not answer"))?;
        reply.map(|reply| reply.status()).map_err(|error| format!("{place}: {error}"))
    }
}

/// The rest of the address of a subscription is a secret.
pub(super) fn origin_of(address: &str) -> String {
    let uri: Uri = address.parse().unwrap_or_default();
    let scheme = uri.scheme_str().unwrap_or("https");
    format!("{scheme}://{}", uri.authority().map_or("", |authority| authority.as_str()))
}
