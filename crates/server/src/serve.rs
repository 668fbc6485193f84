//! Accepting connections, and ending them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::HOST;
use axum::http::{HeaderValue, Request};
use coop_session::SessionHandle;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::app::{App, Options, Peer};
use crate::guard::Visitor;
use crate::http;
use crate::listen::{Kind, Listener, SocketFile};
use crate::places::Places;
use crate::recording;
use crate::tls::Tls;

/// A client that connects and does not say what it wants.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Clients get this long to take what is left for them.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// A client whose machine is gone is noticed by the kernel, without a timer of ours.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// An HTTP/2 client that is gone without a word is noticed within the two together.
const PING: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(20);
/// Requests of one HTTP/2 connection at the same time.
const MAX_STREAMS: u32 = 64;
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;
/// After a failure to accept: for lack of file descriptors trying again at once would burn the CPU.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
pub struct Listeners {
    /// HTTP, WebSocket and gRPC.
    pub http: Vec<Listener>,
    /// gRPC only.
    pub grpc: Vec<Listener>,
    /// Hooks of the agent only.
    pub hooks: Vec<Listener>,
    /// Probes only, without a token.
    pub health: Vec<Listener>,
}

/// Serves until `stop`, then lets clients take what is left for them, for a short while.
pub async fn serve(session: SessionHandle, listeners: Listeners, options: Options, stop: CancellationToken) {
    let app = App::new(session, options, stop);
    recording::go_on(&app).await;
    let pools = || Pools::new(app.options.max_connections);
    // Probes have their own: that there are many clients must not look like an illness.
    let (for_all, for_probes) = (pools(), pools());
    let routers = [
        (listeners.http, http::router(&app), &for_all),
        (listeners.grpc, http::grpc_router(&app), &for_all),
        (listeners.hooks, http::hooks_router(&app), &for_all),
        (listeners.health, http::health_router(&app), &for_probes),
    ];
    let acceptors = routers.into_iter().flat_map(|(listeners, router, places)| {
        let acceptor = Acceptor { stop: app.stop.clone(), router, places: places.clone() };
        listeners.into_iter().map(move |listener| (acceptor.clone(), listener))
    });
    // It carries the streams of the hub, and has to last longer than they do.
    let over = CancellationToken::new();
    let called = app.options.dial.clone().map(|dial| {
        let acceptor = Acceptor { stop: over.clone(), router: http::router(&app), places: for_all.clone() };
        tokio::spawn(acceptor.dial(dial))
    });
    accept_all(acceptors).await;
    // Streams end by themselves when the session is over.
    app.streams.close();
    if tokio::time::timeout(DRAIN_TIMEOUT, app.streams.wait()).await.is_err() {
        tracing::debug!("some clients did not take everything");
    }
    over.cancel();
    if let Some(called) = called {
        drop(called.await);
    }
}

/// Until all of them have been stopped, and their requests have ended.
pub(crate) async fn accept_all(all: impl Iterator<Item = (Acceptor, Listener)>) {
    let mut acceptors = tokio::task::JoinSet::new();
    for (acceptor, listener) in all {
        acceptors.spawn(acceptor.run(listener));
    }
    while let Some(ended) = acceptors.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a listener ended");
        }
    }
}

/// Accepts connections for a router.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) stop: CancellationToken,
    pub(crate) router: Router,
    /// Connections there may be at the same time.
    pub(crate) places: Pools,
}

/// Places of connections over the network and through sockets. Neither can use up the other's.
#[derive(Clone, Debug)]
pub(crate) struct Pools {
    network: Arc<Places>,
    pub(crate) socket: Arc<Places>,
}

impl Pools {
    pub(crate) fn new(each: usize) -> Self {
        Self { network: Places::new(each), socket: Places::new(each) }
    }
}

impl Acceptor {
    async fn run(self, listener: Listener) {
        let address = listener.address();
        let result = match listener.0 {
            Kind::Tcp(listener, _, tls) => self.tcp(listener, tls).await,
            Kind::Unix(file, listener) => self.unix(file, listener).await,
        };
        if let Err(error) = result {
            tracing::error!(%error, address, "cannot listen");
        }
    }

    async fn tcp(self, listener: std::net::TcpListener, tls: Option<Tls>) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let accept = || async {
            let (stream, address) = listener.accept().await?;
            // Keystrokes are small and should not wait for company.
            stream.set_nodelay(true)?;
            sockopt::set_socket_keepalive(&stream, true)?;
            sockopt::set_tcp_keepidle(&stream, KEEPALIVE)?;
            let key = address.ip().to_string();
            let visitor = Visitor::of_port(&stream).map(Arc::new);
            let place = Some(self.places.network.stranger(&key).await);
            Ok((stream, Peer { key, tcp: true, tls: false, pid: None, authorized: false, visitor, place }))
        };
        match tls {
            None => self.accept(accept, connection).await,
            Some(tls) => {
                let shaken = |router, stream, peer, watcher| secure(tls.clone(), router, stream, peer, watcher);
                self.accept(accept, shaken).await;
            }
        }
        Ok(())
    }

    async fn unix(self, file: SocketFile, listener: std::os::unix::net::UnixListener) -> io::Result<()> {
        let listener = tokio::net::UnixListener::from_std(listener)?;
        // Removed when this is over, before nobody listens any more.
        let _file = file;
        let accept = || async {
            let (stream, _) = listener.accept().await?;
            let process = stream.peer_cred().ok().and_then(|cred| cred.pid());
            let key = process.map_or_else(|| "a local process".into(), |pid| format!("process {pid}"));
            let pid = process.and_then(|pid| u32::try_from(pid).ok());
            let visitor = Some(Arc::new(Visitor::of(&stream)));
            // One that is too many waits here, not before: a listener without a client takes no place.
            let place = Some(self.places.socket.known().await);
            Ok((stream, Peer { key, tcp: false, tls: false, pid, authorized: false, visitor, place }))
        };
        self.accept(accept, connection).await;
        Ok(())
    }

    async fn accept<S, F, C>(&self, next: impl Fn() -> F, serve: impl Fn(Router, S, Peer, Watcher) -> C)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = io::Result<(S, Peer)>>,
        C: Future<Output = ()> + Send + 'static,
    {
        let graceful = GracefulShutdown::new();
        loop {
            let accepted: io::Result<_> = tokio::select! {
                () = self.stop.cancelled() => break,
                accepted = next() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    tokio::spawn(serve(self.router.clone(), stream, peer, graceful.watcher()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        if tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
            tracing::debug!("some requests did not end in time");
        }
    }
}

/// One that shakes hands first.
async fn secure(tls: Tls, router: Router, stream: TcpStream, peer: Peer, watcher: Watcher) {
    if let Ok(Some(stream)) = tokio::time::timeout(HEADER_TIMEOUT, tls.accept(stream)).await {
        connection(router, stream, Peer { tls: true, ..peer }, watcher).await;
    }
}

/// HTTP/2 says in another place whom it calls. Who asks looks in one.
fn name_host<B>(request: &mut Request<B>) {
    if request.headers().contains_key(HOST) {
        return;
    }
    let host = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(HOST, host);
    }
}

pub(crate) async fn connection<S>(router: Router, stream: S, peer: Peer, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let over = peer.clone();
    let asked = CancellationToken::new();
    let first_request = asked.clone();
    let service = tower::service_fn(move |request: Request<Incoming>| {
        first_request.cancel();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer.clone());
        name_host(&mut request);
        router.clone().oneshot(request)
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    // What a client may send before it is read: it is not known yet whether the client has a token.
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    let service = TowerToHyperService::new(service);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
    let connection = watcher.watch(connection);
    // While the version of HTTP is not known, no other timer runs.
    let silent = async {
        if tokio::time::timeout(HEADER_TIMEOUT, asked.cancelled()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // Broken connections are the client's business.
        _ = connection => {}
        () = silent => {}
        () = over.over() => {}
    }
}
