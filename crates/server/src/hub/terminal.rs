//! The WebSocket of a session, by way of the hub.
//!
//! The hub opens a WebSocket of its own to the sidecar and joins the two byte streams. A caller that may not type gets
//! the sidecar's half only: nothing that the caller sends is written to the sidecar.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, copy, copy_bidirectional, sink, split};

use super::access::Granted;
use super::{Hub, proxy};
use crate::http::problem::HttpError;
use crate::web::cookie::{PROTOCOL, asks_for_protocol};

pub(super) async fn forward(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    mut request: Request,
) -> Result<Response, HttpError> {
    check(request.method(), request.headers())?;
    let sidecar = proxy::Sidecar::of(&hub, &id)?;
    let mut forwarded = sidecar.addressed("/ws", granted.reach, &request)?;
    let headers = forwarded.headers_mut();
    for name in [SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION] {
        if let Some(value) = request.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    let client = hyper::upgrade::on(&mut request);
    let mut reply = sidecar.send(forwarded).await?;
    if reply.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Ok(sidecar.reply(reply)?);
    }
    let accept = reply.headers().get(SEC_WEBSOCKET_ACCEPT).cloned();
    let accept = accept.ok_or_else(|| ApiError::new(Code::Internal, "The sidecar did not accept the WebSocket."))?;
    let session = hyper::upgrade::on(&mut reply);
    let revoked = hub.revoked(&granted);
    let types = granted.reach.opens(Reach::Drive);
    let stop = hub.stop.clone();
    tokio::spawn(async move {
        let (Ok(client), Ok(session)) = (client.await, session.await) else { return };
        tokio::select! {
            () = join(TokioIo::new(client), TokioIo::new(session), types) => {}
            () = revoked => {}
            () = stop.cancelled() => {}
        }
    });
    let mut response = Body::empty().into_response();
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    if asks_for_protocol(request.headers()) {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
    }
    Ok(response)
}

/// Rejects a request that is no upgrade to a WebSocket, or that announces a body: the bytes of a body would be taken for
/// messages by the sidecar.
fn check(method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    let websocket = headers.get(UPGRADE).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"));
    if *method != Method::GET || !websocket {
        return Err(ApiError::bad_request("This is a WebSocket: send a GET that asks to upgrade to `websocket`."));
    }
    let announced = |name| headers.contains_key(name);
    let body = headers.get_all(CONTENT_LENGTH).iter().any(|length| length.as_bytes() != b"0");
    if body || [TRANSFER_ENCODING, EXPECT, TE, TRAILER].into_iter().any(announced) {
        return Err(ApiError::bad_request("A request that opens a WebSocket has no body."));
    }
    Ok(())
}

/// Runs until one of the two connections ends.
async fn join<B, S>(mut client: B, mut session: S, types: bool)
where
    B: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    if types {
        drop(copy_bidirectional(&mut client, &mut session).await);
        return;
    }
    let (mut from_client, mut to_client) = split(client);
    let mut dropped = sink();
    tokio::select! {
        _ = copy(&mut session, &mut to_client) => {}
        // Reading is how the end of the client's connection is noticed.
        _ = copy(&mut from_client, &mut dropped) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[test]
    fn upgrade_that_announces_a_body_is_rejected() {
        let upgrade = ("upgrade", "websocket");
        for (method, headers, fine) in [
            ("GET", &[upgrade][..], true),
            ("GET", &[("upgrade", "WebSocket")], true),
            ("GET", &[upgrade, ("content-length", "0")], true),
            ("GET", &[], false),
            ("GET", &[("upgrade", "h2c")], false),
            ("POST", &[upgrade], false),
            ("GET", &[upgrade, ("content-length", "12")], false),
            ("GET", &[upgrade, ("content-length", "00")], false),
            ("GET", &[upgrade, ("content-length", "0"), ("content-length", "12")], false),
            ("GET", &[upgrade, ("transfer-encoding", "chunked")], false),
            ("GET", &[upgrade, ("transfer-encoding", "identity")], false),
            ("GET", &[upgrade, ("expect", "100-continue")], false),
            ("GET", &[upgrade, ("te", "trailers")], false),
            ("GET", &[upgrade, ("trailer", "x")], false),
        ] {
            let map: HeaderMap = HeaderMap::from_iter(
                headers
                    .iter()
                    .map(|(name, value)| (axum::http::HeaderName::from_static(name), HeaderValue::from_static(value))),
            );
            let map = headers.iter().filter(|(name, _)| *name == "content-length").fold(map, |mut map, (_, value)| {
                map.append(CONTENT_LENGTH, HeaderValue::from_static(value));
                map
            });
            assert_eq!(check(&method.parse().unwrap(), &map).is_ok(), fine, "{method} {headers:?}");
        }
    }

    #[tokio::test]
    async fn viewer_hears_the_session_and_writes_nothing_to_it() {
        for (types, written) in [(false, ""), (true, "typed")] {
            let (client, mut person) = tokio::io::duplex(64);
            let (session, mut sidecar) = tokio::io::duplex(64);
            let joined = tokio::spawn(join(client, session, types));
            person.write_all(b"typed").await.unwrap();
            sidecar.write_all(b"shown").await.unwrap();
            let mut shown = [0; 5];
            person.read_exact(&mut shown).await.unwrap();
            assert_eq!(&shown, b"shown");
            drop(person);
            let mut rest = String::new();
            sidecar.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, written);
            drop(sidecar);
            joined.await.unwrap();
        }
    }
}
