//! The agent's own server: started before the agent, in the same terminal session, so that it ends with it; and coop as one
//! of its clients.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use coop_drivers::{Companion, Recipe, ServerAct, ServerProtocol};
use coop_session::{HookCall, HookReply, SessionHandle};
use coop_terminal::pty;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::task::{AbortHandle, JoinSet};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::quoted;

/// Between two attempts to reach the server.
const AGAIN: Duration = Duration::from_millis(100);
/// A clock that is further off than that is not believed.
const OLDEST: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<UnixStream>;

/// Makes `command` start the server first, and then itself as soon as the server listens. A server that does not start says
/// why at the agent's terminal.
pub(super) fn start_before(command: &mut pty::Command, companion: &Companion, folder: &Path) {
    let word = |word: &OsStr| quoted(&word.to_string_lossy());
    let program = word(&command.program);
    let line = |words: Vec<String>| [vec![program.clone()], words].concat().join(" ");
    let server = line(companion.args.iter().map(|arg| quoted(arg)).collect());
    let agent = line(command.args.iter().map(|arg| word(arg)).collect());
    let (socket, log) = (word(companion.socket.as_os_str()), word(folder.join("server.log").as_os_str()));
    let script = format!(
        "rm -f {socket}; {server} </dev/null >{log} 2>&1 & tries=0; \
         until [ -e {socket} ]; do \
         if [ $tries -ge 600 ] || ! kill -0 $! 2>/dev/null; then cat {log}; exit 1; fi; \
         tries=$((tries + 1)); sleep 0.05; done; exec {agent}"
    );
    command.program = "/bin/sh".into();
    command.args = vec!["-c".into(), script.into()];
}

/// Listens for as long as the session lasts, to one server after the other where the agent is started again.
pub(super) async fn follow(path: PathBuf, recipe: Recipe, session: SessionHandle) {
    let over = session.clone();
    let listening = async {
        loop {
            if let (Ok(socket), Some(protocol)) = (connect(&path).await, recipe.driver().server()) {
                let mut client = Client::new(socket, protocol, session.clone());
                if let Err(error) = client.run().await {
                    tracing::debug!(%error, "the agent's server is gone");
                }
                client.leave().await;
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = listening => {}
        _ = over.exited() => {}
    }
}

async fn connect(path: &Path) -> io::Result<Socket> {
    let stream = UnixStream::connect(path).await?;
    let (socket, _) = tokio_tungstenite::client_async("ws://localhost/", stream).await.map_err(io::Error::other)?;
    Ok(socket)
}

struct Client {
    socket: Socket,
    protocol: Box<dyn ServerProtocol>,
    session: SessionHandle,
    /// Questions that wait for somebody's answer.
    asked: JoinSet<(Value, Option<HookReply>)>,
    waiting: HashMap<String, AbortHandle>,
}

impl Client {
    fn new(socket: Socket, protocol: Box<dyn ServerProtocol>, session: SessionHandle) -> Self {
        Self { socket, protocol, session, asked: JoinSet::new(), waiting: HashMap::new() }
    }

    /// Until the connection ends.
    async fn run(&mut self) -> io::Result<()> {
        let greeting = self.protocol.greet();
        self.act(greeting, Duration::ZERO).await?;
        loop {
            tokio::select! {
                message = self.socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        let Ok(message) = serde_json::from_str::<Value>(&text) else { continue };
                        let acts = self.protocol.hear(&message);
                        self.act(acts, age(&message)).await?;
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(io::Error::other(error)),
                    None => return Ok(()),
                },
                Some(done) = self.asked.join_next() => {
                    let Ok((id, reply)) = done else { continue };
                    self.waiting.remove(&id.to_string());
                    if let Some(body) = reply.and_then(|reply| reply.body) {
                        let answer = self.protocol.answer(id, body);
                        self.send(&answer).await?;
                    }
                }
            }
        }
    }

    async fn leave(&mut self) {
        let gone = self.protocol.gone();
        // Nothing is sent any more that could fail.
        drop(self.act(gone.into_iter().collect(), Duration::ZERO).await);
    }

    async fn act(&mut self, acts: Vec<ServerAct>, age: Duration) -> io::Result<()> {
        for act in acts {
            match act {
                ServerAct::Send(message) => self.send(&message).await?,
                ServerAct::Tell { event, payload } => {
                    let call = HookCall { event, payload, age, answerable: false };
                    // One after the other: the order is what they say.
                    drop(self.session.server_says(call).await);
                }
                ServerAct::Ask { id, event, payload } => {
                    self.ask(id, HookCall { event, payload, age, answerable: true });
                }
                ServerAct::LetGo { id } => {
                    if let Some(waiting) = self.waiting.remove(&id.to_string()) {
                        waiting.abort();
                    }
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self, id: Value, call: HookCall) {
        let (session, key) = (self.session.clone(), id.to_string());
        let waiting = self.asked.spawn(async move { (id, session.server_says(call).await.ok()) });
        self.waiting.insert(key, waiting);
    }

    async fn send(&mut self, message: &Value) -> io::Result<()> {
        self.socket.send(Message::text(message.to_string())).await.map_err(io::Error::other)
    }
}

/// How long ago it was said.
fn age(message: &Value) -> Duration {
    let said = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64);
    let started = message.get("params").and_then(|params| said(params, "startedAtMs"));
    let at = said(message, "emittedAtMs").or(started).map(Duration::from_millis);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    at.and_then(|at| now.checked_sub(at)).filter(|age| *age < OLDEST).unwrap_or_default()
}
