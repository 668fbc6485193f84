//! A session around a shell script, served in this process on every kind of listener.

use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use coop_server::{Listener, Listeners, Options, serve};
use coop_session::{Config, SessionHandle};
use coop_terminal::pty::Command;
use coop_terminal::{Format, Lines, Size};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::in_time;

/// Ends when it is dropped, with the program inside.
#[derive(Debug)]
pub struct TestServer {
    pub session: SessionHandle,
    pub tcp: Address,
    pub unix: Address,
    pub grpc: Address,
    pub health: Address,
    stop: CancellationToken,
    signs: Signs,
    _folder: tempfile::TempDir,
}

/// What the server's thread and the test tell each other.
#[derive(Clone, Debug, Default)]
struct Signs {
    ended: CancellationToken,
    dropped: CancellationToken,
    skip_time: CancellationToken,
}

/// What a test may change before the start.
#[derive(Debug)]
pub struct Setup {
    pub session: Config,
    pub server: Options,
    pub clock: Clock,
}

/// The server's clock. The session always has a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    Real,
    /// The same until [`TestServer::skip_time`].
    Skippable,
}

#[derive(Clone, Debug)]
pub enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// Either kind of stream.
pub trait Io: AsyncRead + AsyncWrite + Debug + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> Io for T {}

impl Address {
    pub async fn connect(&self) -> std::io::Result<Box<dyn Io>> {
        Ok(match self {
            Self::Tcp(address) => Box::new(TcpStream::connect(address).await?),
            Self::Unix(path) => Box::new(UnixStream::connect(path).await?),
        })
    }

    /// What a client calls it in the `Host` header.
    #[must_use]
    pub fn host(&self) -> String {
        match self {
            Self::Tcp(address) => address.to_string(),
            Self::Unix(_) => "localhost".into(),
        }
    }
}

impl TestServer {
    /// Serves `script`, run by `/bin/sh`, without a token.
    #[must_use]
    pub fn start(script: &str) -> Self {
        Self::with(script, |_| {})
    }

    #[must_use]
    pub fn with(script: &str, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup { session: Config::new(shell(script)), server: Options::new("test"), clock: Clock::Real };
        change(&mut setup);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("coop.sock");
        let local = || Listener::tcp(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).unwrap();
        let (tcp, unix, grpc, health) = (local(), Listener::unix(&path).unwrap(), local(), local());
        let at = |listener: &Listener| Address::Tcp(SocketAddr::from(([127, 0, 0, 1], listener.port().unwrap())));
        let server = Self {
            session: coop_session::start(setup.session).unwrap(),
            tcp: at(&tcp),
            unix: Address::Unix(path),
            grpc: at(&grpc),
            health: at(&health),
            stop: CancellationToken::new(),
            signs: Signs::default(),
            _folder: folder,
        };
        let listeners =
            Listeners { http: vec![tcp, unix], grpc: vec![grpc], health: vec![health], ..Listeners::default() };
        let serving = serve(server.session.clone(), listeners, setup.server, server.stop.clone());
        run(setup.clock, serving, server.signs.clone());
        server
    }

    /// The two listeners that serve everything.
    #[must_use]
    pub fn addresses(&self) -> [&Address; 2] {
        [&self.tcp, &self.unix]
    }

    /// Waits until the screen shows `what`.
    pub async fn shows(&self, what: &str) {
        let mut status = self.session.watch();
        in_time(&format!("the screen never showed {what:?}"), async {
            while !self.text().await.contains(what) {
                status.changed().await.unwrap();
            }
        })
        .await;
    }

    pub async fn text(&self) -> String {
        match self.session.view(Format::Text, 0).await.unwrap().lines {
            Lines::Text(lines) => lines.join("\n"),
            Lines::Cells(_) => unreachable!("text was asked for"),
        }
    }

    /// Waits until the program is gone and all its output has been read.
    pub async fn exited(&self) {
        in_time("the program does not exit", self.session.exited()).await.unwrap();
    }

    /// Waits until the program has printed at least this many bytes.
    pub async fn printed(&self, bytes: u64) {
        let mut status = self.session.watch();
        in_time("the program prints too little", status.wait_for(|now| now.output_end >= bytes)).await.unwrap();
    }

    /// From now on the server's clock jumps to the next timer whenever there is nothing to do: what takes 15 s happens
    /// at once. Only for [`Clock::Skippable`].
    pub fn skip_time(&self) {
        self.signs.skip_time.cancel();
    }

    /// Ends the server in order, as the product does, and waits until it has ended.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.ended().await;
    }

    /// Waits until the server has ended.
    pub async fn ended(&self) {
        in_time("the server does not end", self.signs.ended.cancelled()).await;
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.signs.dropped.cancel();
    }
}

fn shell(script: &str) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: None,
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TERM".into(), "xterm-256color".into())],
        size: Size::new(80, 24).unwrap(),
        runner: Vec::new(),
    }
}

/// On threads of its own, so that a test that blocks does not hold up the server.
fn run(clock: Clock, serving: impl Future<Output = ()> + Send + 'static, signs: Signs) {
    let mut builder = match clock {
        Clock::Real => tokio::runtime::Builder::new_multi_thread(),
        // Time can be paused on one thread only.
        Clock::Skippable => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().worker_threads(2).build().unwrap();
    std::thread::spawn(move || {
        runtime.block_on(async {
            let skipping = async {
                signs.skip_time.cancelled().await;
                tokio::time::pause();
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = serving => signs.ended.cancel(),
                () = signs.dropped.cancelled() => {}
                () = skipping => {}
            }
        });
        runtime.shutdown_background();
    });
}
