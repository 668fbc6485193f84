//! What a command that failed says and returns. The one place where an error becomes text for a person.

use std::io;
use std::process::ExitCode;

use coop_api::client::ClientError;
use coop_api::{Code, Problem};

/// A sentence about what happened and, where there is one, a sentence about what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Usage,
    /// The program to run cannot be executed.
    CannotExecute,
    Failed,
    /// Whoever read our output, `head` for one, has enough. Nothing went wrong.
    ReaderGone,
}

impl CommandError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn cannot_execute(message: impl Into<String>) -> Self {
        Self::new(Kind::CannotExecute, message)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What happened, for those who say it themselves.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says it on stderr, and what to exit with.
    pub(crate) fn report(&self) -> ExitCode {
        if self.kind != Kind::ReaderGone {
            let hint = self.hint.as_ref().map(|hint| format!("{}\n", sentence(hint))).unwrap_or_default();
            crate::out::complain(&format!("coop: {}\n{hint}", sentence(&self.message)));
        }
        ExitCode::from(match self.kind {
            Kind::Usage => 2,
            // What a shell returns for it.
            Kind::CannotExecute => 127,
            Kind::Failed => 1,
            Kind::ReaderGone => 0,
        })
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }
}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        let hint = match &error {
            ClientError::Api(problem) => api_hint(problem),
            ClientError::Unreachable { .. } => Some("`coop ls` shows the sessions that run.".into()),
            ClientError::Protocol(_) => None,
        };
        Self { kind: Kind::Failed, message: error.to_string(), hint }
    }
}

impl From<io::Error> for CommandError {
    /// For our own input and output; other errors of this type say first what was tried.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Kind::ReaderGone, ""),
            _ => Self::failed(error.to_string()),
        }
    }
}

/// What the API says to do is for those who write requests. Here there are flags.
fn api_hint(problem: &Problem) -> Option<String> {
    match problem.code {
        Code::Unauthorized => Some("Give its token with --token, or in the variable COOP_AUTH_TOKEN.".into()),
        Code::WriterBusy => Some("Wait until they are done, or take over with `coop attach --take-over`.".into()),
        _ => problem.hint.clone(),
    }
}

/// Begins with a capital and ends with a stop.
fn sentence(text: &str) -> String {
    let mut chars = text.trim_end().chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if text.trim_end().ends_with(['.', '?', '!']) || text.contains('\n') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        for (text, expected) in [
            ("port 80 is in use", "Port 80 is in use."),
            ("`x` was not found", "`x` was not found."),
            ("Done.", "Done."),
            ("Several:\n  a", "Several:\n  a"),
            ("", "."),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }
}
