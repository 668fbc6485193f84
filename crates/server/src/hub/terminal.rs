//! The WebSocket of a session, by way of the hub: the same bytes in both directions.
//!
//! Whoever may look but not type is passed what the session says, and what they say is passed to nobody.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use coop_core::access::Reach;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, copy, copy_bidirectional, sink, split};

use super::access::Granted;
use super::{Hub, proxy};
use crate::http::problem::HttpError;

pub(super) async fn forward(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    mut request: Request,
) -> Result<Response, HttpError> {
    let sidecar = proxy::Sidecar::of(&hub, &id)?;
    let browser = hyper::upgrade::on(&mut request);
    let mut request = sidecar.addressed("/ws", request)?;
    let headers = request.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    let mut reply = sidecar.send(request).await?;
    if reply.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Ok(reply.map(Body::new).into_response());
    }
    let session = hyper::upgrade::on(&mut reply);
    let revoked = hub.revoked(&granted);
    let types = granted.reach.opens(Reach::Drive);
    let stop = hub.stop.clone();
    tokio::spawn(async move {
        let (Ok(browser), Ok(session)) = (browser.await, session.await) else { return };
        tokio::select! {
            () = join(TokioIo::new(browser), TokioIo::new(session), types) => {}
            () = revoked => {}
            () = stop.cancelled() => {}
        }
    });
    Ok(reply.map(|_| Body::empty()).into_response())
}

/// Until one of them is gone. What went wrong with a connection is the business of the two at its ends.
async fn join<B, S>(mut browser: B, mut session: S, types: bool)
where
    B: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    if types {
        drop(copy_bidirectional(&mut browser, &mut session).await);
        return;
    }
    let (mut said, mut hears) = split(browser);
    let mut nobody = sink();
    tokio::select! {
        _ = copy(&mut session, &mut hears) => {}
        _ = copy(&mut said, &mut nobody) => {}
    }
}
