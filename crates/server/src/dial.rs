//! A sidecar that calls a hub, and is called back over the same connection. So a hub never has to reach into the machine
//! or the pod that an agent runs in.

use std::convert::Infallible;
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode};
use coop_api::client::{Client, ClientError};
use coop_api::host::Registration;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::app::Peer;
use crate::serve::{Acceptor, DRAIN_TIMEOUT, connection};

/// After a connection that broke, or was refused.
const AGAIN: Duration = Duration::from_millis(250);
const AGAIN_AT_MOST: Duration = Duration::from_secs(10);
/// One that lasted this long was good: what ended it is no reason to wait.
const GOOD: Duration = Duration::from_secs(30);
/// A hub that is gone without a word is noticed, and proxies on the way see that the connection is in use.
const PING: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Where a hub is, and what it is told.
#[derive(Clone, Debug)]
pub struct Dial {
    pub client: Client,
    pub registration: Registration,
}

impl Acceptor {
    /// Calls until stopped. The program inside does not depend on it.
    pub(crate) async fn dial(self, dial: Dial) {
        let mut wait = AGAIN;
        let mut told = String::new();
        loop {
            let begin = tokio::time::Instant::now();
            let hub = dial.client.endpoint();
            let result = tokio::select! {
                () = self.stop.cancelled() => return,
                result = self.call(&dial) => result,
            };
            let why = match result {
                Ok(()) => "the connection has ended".to_owned(),
                Err(error) => match error.hint() {
                    Some(hint) => format!("{error} {hint}"),
                    None => error.to_string(),
                },
            };
            if begin.elapsed() > GOOD {
                (wait, told) = (AGAIN, String::new());
            }
            // The same is said once, not every ten seconds.
            if why != told {
                tracing::warn!(%hub, "not on the board of the hub, trying again: {why}");
                told = why;
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
            wait = (wait * 2).min(AGAIN_AT_MOST);
        }
    }

    /// Until the connection ends.
    async fn call(&self, dial: &Dial) -> Result<(), ClientError> {
        let stream = dial.client.register(&dial.registration).await?;
        tracing::info!(hub = %dial.client.endpoint(), "on the board of the hub");
        self.answer(stream).await;
        Ok(())
    }

    async fn answer(&self, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        // Taken away when no more streams are.
        let graceful = Mutex::new(Some(GracefulShutdown::new()));
        let watcher = || graceful.lock().ok()?.as_ref().map(GracefulShutdown::watcher);
        let service = service_fn(|request| std::future::ready(Ok::<_, Infallible>(self.stream(request, watcher()))));
        let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        builder.timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PING_TIMEOUT);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        tokio::select! {
            // How it broke does not matter: it is made again.
            _ = connection.as_mut() => return,
            () = self.stop.cancelled() => {}
        }
        // What was asked is answered, over a connection that is still served.
        let Some(last) = graceful.lock().ok().and_then(|mut graceful| graceful.take()) else { return };
        let drained = async {
            tokio::select! {
                () = last.shutdown() => {}
                _ = connection => {}
            }
        };
        if tokio::time::timeout(DRAIN_TIMEOUT, drained).await.is_err() {
            tracing::debug!("some requests of the hub did not end in time");
        }
    }

    /// One stream of bytes, served like a connection to our own socket.
    fn stream(&self, request: Request<Incoming>, watcher: Option<Watcher>) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        if request.method() != Method::CONNECT {
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            return response;
        }
        let (Some(watcher), Some(place)) = (watcher, self.places.socket.try_known()) else {
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return response;
        };
        let peer = Peer {
            key: "the hub".into(),
            tcp: false,
            tls: false,
            pid: None,
            authorized: true,
            visitor: None,
            place: Some(place),
        };
        let router = self.router.clone();
        tokio::spawn(async move {
            match hyper::upgrade::on(request).await {
                Ok(stream) => connection(router, TokioIo::new(stream), peer, watcher).await,
                Err(error) => tracing::debug!(%error, "a stream of the hub came to nothing"),
            }
        });
        response
    }
}
