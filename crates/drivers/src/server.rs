//! A server of the agent's own, which coop is a second client of, beside the agent's terminal: what is said to it, and what
//! it says, as values.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

/// A server that is started with the agent, and ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// The agent's program with these arguments is the server.
    pub args: Vec<String>,
    /// Where it listens: a WebSocket on a Unix socket.
    pub socket: PathBuf,
}

/// What follows from something the server said.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerAct {
    Send(Value),
    /// Coop is told, as if by a hook.
    Tell {
        event: String,
        payload: Value,
    },
    /// The same, and the server waits for the answer, which may come from somebody else.
    Ask {
        id: Value,
        event: String,
        payload: Value,
    },
    /// Nobody waits for this answer any more.
    LetGo {
        id: Value,
    },
}

/// One connection. It begins with [`ServerProtocol::greet`].
pub trait ServerProtocol: fmt::Debug + Send {
    fn greet(&mut self) -> Vec<ServerAct>;

    fn hear(&mut self, message: &Value) -> Vec<ServerAct>;

    /// The connection has ended.
    fn gone(&self) -> Option<ServerAct>;

    /// What the server gets for an answer to an [`ServerAct::Ask`].
    fn answer(&mut self, id: Value, body: Value) -> Value;
}
