//! Connections and requests: which vendor is meant, and the request's number.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Stage;
use super::line::{self, Body, Line};
use super::play::{self, Turn};
use super::wire::Vendor;

pub(super) async fn serve(listener: TcpListener, stage: Arc<Stage>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let numbers = Arc::new(AtomicU64::new(1));
    loop {
        // An error is that of one connection, such as one reset before it was accepted.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (stage, numbers) = (Arc::clone(&stage), Arc::clone(&numbers));
        let service = service_fn(move |request| {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            answer(request, number, Arc::clone(&stage))
        });
        tokio::spawn(async move {
            // That a connection ends is for its request to tell.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(request: Request<Incoming>, number: u64, stage: Arc<Stage>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let Some(vendor) = vendor(&path).filter(|_| head.method == Method::POST) else {
        return Ok(line::json(200, &[], &json!({"data": []})));
    };
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
        return Ok(line::json(200, &[], &vendor.counted()));
    }
    stage.requests().push(body.clone());
    let key = head.headers.get(vendor.key_header()).and_then(|key| key.to_str().ok()).unwrap_or_default();
    let key = key.strip_prefix("Bearer ").unwrap_or(key).to_owned();
    let (reply, response) = oneshot::channel();
    let turn = Turn { number, vendor, key, path, body, line: Line::Silent(reply) };
    // A task of its own, which outlives the connection and so can tell that it ended.
    tokio::spawn(play::play(turn, stage));
    Ok(response.await.unwrap_or_else(|_| line::json(500, &[], &json!({"error": "the script ended without a reply"}))))
}

fn vendor(path: &str) -> Option<Vendor> {
    match path {
        "/v1/messages" | "/v1/messages/count_tokens" => Some(Vendor::Anthropic),
        "/v1/responses" => Some(Vendor::OpenAi),
        _ if path.starts_with("/v1beta/models/") => Some(Vendor::Gemini),
        _ => None,
    }
}
