//! Sidecars of other machines: they call, and each is a socket here for as long as its connection lasts.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use coop_api::host::{AUTHORITY, PROTOCOL, Registration};
use coop_api::{ApiError, Code, Problem};
use coop_hub::Remote;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::upgrade::Upgraded;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{UnixListener, UnixStream};

use super::Hub;
use crate::app::Peer;
use crate::guard::Visitor;
use crate::http::extract::{bytes_up_to, json};
use crate::http::problem::HttpError;
use crate::listen::Listener;

/// A sidecar that is gone without a word is noticed within the two together.
const PING: Duration = Duration::from_secs(15);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
/// What a sidecar may say of itself.
const MAX_REGISTRATION: usize = 64 << 10;
/// A name is shown on the board.
const MAX_NAME: usize = 200;

/// Numbers the sockets.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Be on the board, from another machine
///
/// For sidecars (`COOP_HUB_URL`). From then on the hub is the client of this connection, in HTTP/2: each `CONNECT` is a
/// stream of bytes as a connection to the sidecar's own socket would be. The session is on the board for as long as it
/// lasts.
#[utoipa::path(post, path = "/api/v1/hosts/register", tag = "ingest", request_body = Registration, responses((status = 101, description = "The protocol is `coop-sidecar` from here on"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn register(State(hub): State<Hub>, mut request: Request) -> Result<Response, HttpError> {
    if request.headers().get(UPGRADE).is_none_or(|protocol| protocol != PROTOCOL) {
        let error = ApiError::bad_request("This request must ask to change the protocol to `coop-sidecar`.");
        return Err(error.with_hint("A sidecar does when COOP_HUB_URL is set.").into());
    }
    let Some(folder) = &hub.hosts else {
        return Err(ApiError::new(Code::NotReady, "This hub takes no sidecars of other machines.").into());
    };
    // Its place among the connections there may be, for as long as it lasts.
    let place = request.extensions().get::<Peer>().cloned();
    let upgrade = hyper::upgrade::on(&mut request);
    let said = read(&bytes_up_to(MAX_REGISTRATION, request).await?)?;
    let socket = folder.join(format!("{}.sock", NEXT.fetch_add(1, Ordering::Relaxed)));
    let listener = Listener::unix(&socket).map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    tokio::spawn(async move {
        let served = match upgrade.await {
            Ok(stream) => serve(&hub, stream, said, &socket, listener).await,
            Err(error) => Err(io::Error::other(error)),
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a sidecar of another machine is gone");
        }
        drop(place);
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static(PROTOCOL));
    Ok(response)
}

fn read(bytes: &[u8]) -> Result<Registration, ApiError> {
    let said: Registration = json(bytes)?;
    if [&said.host, &said.name].into_iter().any(|name| name.is_empty() || name.len() > MAX_NAME) {
        return Err(ApiError::bad_request(format!("`host` and `name` have 1 to {MAX_NAME} bytes.")));
    }
    Ok(said)
}

/// Until the connection ends, or the hub.
async fn serve(hub: &Hub, stream: Upgraded, said: Registration, socket: &Path, listener: Listener) -> io::Result<()> {
    // The file of the socket goes when this is over.
    let (file, listener) = listener.into_unix()?;
    let listener = UnixListener::from_std(listener)?;
    let _file = file;
    let mut builder = Builder::new(TokioExecutor::new());
    builder.timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PING_TIMEOUT);
    builder.keep_alive_while_idle(true);
    let (sender, connection) = builder.handshake(stream).await.map_err(io::Error::other)?;
    let remote = Remote {
        socket: socket.to_owned(),
        host: said.host,
        instance: said.instance,
        cwd: said.cwd,
        branch: said.branch,
    };
    hub.handle.connected(remote).await.map_err(io::Error::other)?;
    tokio::select! {
        ended = connection => ended.map_err(io::Error::other),
        failed = accept(hub, &listener, &sender) => failed,
        () = hub.stop.cancelled() => Ok(()),
    }
}

async fn accept(hub: &Hub, listener: &UnixListener, sender: &SendRequest<Body>) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        // What comes from here is the hub to the sidecar. An agent of this machine is not.
        if hub.is_outside(&Visitor::of(&stream)) {
            tokio::spawn(carry(stream, sender.clone()));
        }
    }
}

/// One connection to the socket, through to the sidecar.
async fn carry(mut here: UnixStream, mut sender: SendRequest<Body>) -> io::Result<()> {
    let request = Request::builder().method(Method::CONNECT).uri(AUTHORITY).body(Body::empty());
    let response = sender.send_request(request.map_err(io::Error::other)?).await.map_err(io::Error::other)?;
    if response.status() != StatusCode::OK {
        return Err(io::Error::other(format!("the sidecar answers {}", response.status())));
    }
    let mut there = TokioIo::new(hyper::upgrade::on(response).await.map_err(io::Error::other)?);
    tokio::io::copy_bidirectional(&mut here, &mut there).await?;
    Ok(())
}
