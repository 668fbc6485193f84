//! Why a request failed: one code for all transports, a sentence, and what to do next.

use coop_core::status::Exit;
use serde::{Deserialize, Serialize};
use tonic::Code as Grpc;

/// The codes of the API. They never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The program has not been started yet, or coop is going away.
    NotReady,
    /// The program has exited.
    Exited,
    /// Somebody else holds the right to type.
    WriterBusy,
    Unauthorized,
    /// The page or host the request came from may not talk to coop.
    Forbidden,
    BadRequest,
    NotFound,
    /// The request is too large.
    TooLarge,
    /// The client sends input too fast.
    RateLimited,
    /// The program does not read its input.
    InputStalled,
    /// The output asked for is not kept any more, or not there yet.
    OutOfRange,
    /// Nothing is known about the program inside, so it cannot be asked this.
    NoDriver,
    /// The agent does not take a message now.
    AgentBusy,
    /// The agent asks nothing, or not this.
    NoPrompt,
    /// Somebody has half typed a message.
    DraftPresent,
    /// The program is being restarted.
    Restarting,
    /// The program could not be started again.
    StartFailed,
    /// Not with this session: coop did not start its program.
    Unsupported,
    Internal,
}

impl Code {
    pub const ALL: [Code; 19] = [
        Code::NotReady,
        Code::Exited,
        Code::WriterBusy,
        Code::Unauthorized,
        Code::Forbidden,
        Code::BadRequest,
        Code::NotFound,
        Code::TooLarge,
        Code::RateLimited,
        Code::InputStalled,
        Code::OutOfRange,
        Code::NoDriver,
        Code::AgentBusy,
        Code::NoPrompt,
        Code::DraftPresent,
        Code::Restarting,
        Code::StartFailed,
        Code::Unsupported,
        Code::Internal,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Code::NotReady => "NOT_READY",
            Code::Exited => "EXITED",
            Code::WriterBusy => "WRITER_BUSY",
            Code::Unauthorized => "UNAUTHORIZED",
            Code::Forbidden => "FORBIDDEN",
            Code::BadRequest => "BAD_REQUEST",
            Code::NotFound => "NOT_FOUND",
            Code::TooLarge => "TOO_LARGE",
            Code::RateLimited => "RATE_LIMITED",
            Code::InputStalled => "INPUT_STALLED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::NoDriver => "NO_DRIVER",
            Code::AgentBusy => "AGENT_BUSY",
            Code::NoPrompt => "NO_PROMPT",
            Code::DraftPresent => "DRAFT_PRESENT",
            Code::Restarting => "RESTARTING",
            Code::StartFailed => "START_FAILED",
            Code::Unsupported => "UNSUPPORTED",
            Code::Internal => "INTERNAL",
        }
    }

    /// A few words for people, the same for every error of this code.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Code::NotReady => "Not ready",
            Code::Exited => "The program has exited",
            Code::WriterBusy => "Somebody else is typing",
            Code::Unauthorized => "Not authorized",
            Code::Forbidden => "Not allowed from there",
            Code::BadRequest => "Bad request",
            Code::NotFound => "Not found",
            Code::TooLarge => "Too large",
            Code::RateLimited => "Too many requests",
            Code::InputStalled => "The program does not read its input",
            Code::OutOfRange => "Output out of range",
            Code::NoDriver => "No driver for this program",
            Code::AgentBusy => "The agent is busy",
            Code::NoPrompt => "Nothing to answer",
            Code::DraftPresent => "Somebody is writing",
            Code::Restarting => "The program is being restarted",
            Code::StartFailed => "The program could not be started",
            Code::Unsupported => "Not possible with this session",
            Code::Internal => "Internal error",
        }
    }

    #[must_use]
    pub fn http(self) -> u16 {
        match self {
            Code::NotReady => 503,
            Code::Exited => 410,
            Code::WriterBusy | Code::AgentBusy | Code::NoPrompt | Code::DraftPresent | Code::Restarting => 409,
            Code::Unauthorized => 401,
            Code::Forbidden => 403,
            Code::BadRequest => 400,
            Code::NotFound | Code::NoDriver => 404,
            Code::TooLarge => 413,
            Code::RateLimited => 429,
            Code::InputStalled => 504,
            Code::OutOfRange => 416,
            Code::Internal | Code::StartFailed => 500,
            Code::Unsupported => 501,
        }
    }

    #[must_use]
    pub fn grpc(self) -> Grpc {
        match self {
            Code::NotReady => Grpc::Unavailable,
            Code::Exited | Code::NotFound => Grpc::NotFound,
            Code::WriterBusy | Code::TooLarge | Code::RateLimited => Grpc::ResourceExhausted,
            Code::Unauthorized => Grpc::Unauthenticated,
            Code::Forbidden => Grpc::PermissionDenied,
            Code::BadRequest => Grpc::InvalidArgument,
            Code::InputStalled => Grpc::DeadlineExceeded,
            Code::OutOfRange => Grpc::OutOfRange,
            Code::NoDriver | Code::Unsupported => Grpc::Unimplemented,
            Code::AgentBusy | Code::NoPrompt | Code::DraftPresent | Code::Restarting => Grpc::FailedPrecondition,
            Code::StartFailed => Grpc::Aborted,
            Code::Internal => Grpc::Internal,
        }
    }
}

/// An error on its way to a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ApiError {
    pub code: Code,
    /// What happened, for this request.
    pub detail: String,
    /// What to do next, where there is something.
    pub hint: Option<String>,
    /// Seconds after which to try again.
    pub retry_after: Option<u64>,
}

impl ApiError {
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), hint: None, retry_after: None }
    }

    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, detail)
    }

    #[must_use]
    pub fn exited(exit: Option<Exit>) -> Self {
        let how = match exit {
            Some(Exit::Code(code)) => format!("The program has exited with code {code}."),
            Some(Exit::Signal(signal)) => format!("The program was ended by signal {signal}."),
            Some(Exit::Detached) => "coop has let go of the program, which goes on without it.".into(),
            Some(Exit::Unknown) | None => "The program has exited.".into(),
        };
        Self::new(Code::Exited, how).with_hint("Its last screen and output can still be read.")
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem {
            r#type: format!("urn:coop:error:{}", self.code.name()),
            title: self.code.title().into(),
            status: self.code.http(),
            code: self.code,
            detail: self.detail.clone(),
            hint: self.hint.clone(),
        }
    }

    /// The gRPC status, with the problem as JSON in its details.
    #[must_use]
    pub fn status(&self) -> tonic::Status {
        // A struct of strings and numbers always becomes JSON.
        let details = serde_json::to_vec(&self.problem()).unwrap_or_default();
        tonic::Status::with_details(self.code.grpc(), self.detail.clone(), details.into())
    }
}

/// The body of a failed HTTP request (RFC 9457), and the details of a gRPC status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    pub r#type: String,
    pub title: String,
    pub status: u16,
    pub code: Code,
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_json_says() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            let status = ApiError::new(code, "x").with_hint("y").status();
            let problem: Problem = serde_json::from_slice(status.details()).unwrap();
            assert_eq!((problem.code, problem.hint.as_deref()), (code, Some("y")));
        }
    }
}
