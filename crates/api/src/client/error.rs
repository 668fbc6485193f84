//! Why a request got no good answer, for the person who is stuck.

use std::io;

use super::Endpoint;
use crate::Problem;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody is there, or the connection broke.
    #[error("No coop answers at {endpoint}: {}.", reason(error))]
    Unreachable { endpoint: Endpoint, error: io::Error },
    /// coop refused, and says why.
    #[error("{}", .0.detail)]
    Api(Box<Problem>),
    /// Somebody answers, and not as coop would.
    #[error("What answers is not a coop this version can talk to: {0}.")]
    Protocol(String),
}

impl ClientError {
    /// What to do next, where the other end said so.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Api(problem) => problem.hint.as_deref(),
            Self::Unreachable { .. } | Self::Protocol(_) => None,
        }
    }
}

impl From<Problem> for ClientError {
    fn from(problem: Problem) -> Self {
        Self::Api(Box::new(problem))
    }
}

/// The kinds a person meets, in words; without the number of the operating system.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is nothing there".into(),
        io::ErrorKind::ConnectionRefused => "nobody is listening".into(),
        io::ErrorKind::PermissionDenied => "it belongs to somebody else".into(),
        io::ErrorKind::TimedOut => "it takes too long".into(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
            "the connection was closed".into()
        }
        _ => error.to_string(),
    }
}
