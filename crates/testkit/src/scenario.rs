//! A scenario: the conversation a model plays, as a text that reads like it.
//!
//! ```text
//! # A line that starts with a hash is for the reader.
//! user: make the file
//!   say: I will create it.
//!   bash: touch made.txt
//! result: ok
//!   say 20 words/s: Done, and slowly said.
//! ```
//!
//! A line at the margin says what to answer: `user` a message of the person, `result` what tools came back with; with a
//! colon, only if it contains that text. The indented lines are the reply, in order. Rules are used in order, each once;
//! one with `again` (`user again: hi`) also answers later, whenever the rule that is next does not fit.
//!
//! | step | reply |
//! |---|---|
//! | `say: TEXT`, `say 5 words/s: TEXT` | text, in one go or slowly |
//! | `count 40 words/s: 300` | the numbers from 1 on: a long answer whose end is known |
//! | `think: TEXT` | thinking |
//! | `bash: COMMAND` | the shell tool, so that it needs approval |
//! | `read: FILE`, `write FILE: TEXT`, `edit FILE: OLD => NEW` | the file tools |
//! | `ask HEADER: QUESTION`, `ask HEADER, several: QUESTION` | a question, its options below it as `- LABEL: DESCRIPTION`; `ask` lines that follow each other are one tool call |
//! | `enter plan`, `plan: TEXT` | plan mode, and the plan to be approved |
//! | `tool NAME: {JSON}` | any other tool; `$PROJECT` in it is the project's folder |
//! | `pause: 300ms`, `wait: NAME` | nothing, for that time or until the test gives the signal |
//! | `refuse: TEXT` | a refusal |
//! | `tokens: 190000` | says that the conversation has so many tokens by now; the first step of a reply |
//! | `error: 429 TEXT`, `error: 429, retry after 2s`, `error: 429, resets in 1h` | an HTTP error; after output, an error in the stream |
//! | `cut`, `hang` | the connection closes in mid-reply; nothing more comes |
//!
//! Several tools in one reply are tools at once. A line that starts with `|` goes on with the text of the line above.

mod parse;
mod step;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

pub use parse::ParseError;

/// What the model says to what, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    pub rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Where it stands in its file.
    pub line: usize,
    pub on: On,
    /// Also answers after its turn.
    pub again: bool,
    pub steps: Vec<Step>,
}

/// What a rule answers. An empty text is in every text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    User(String),
    Result(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Say {
        text: String,
        pace: Option<Pace>,
    },
    Think(String),
    Call(Tool),
    Pause(Duration),
    /// Until the test gives the signal of this name.
    Wait(String),
    Refuse(String),
    /// How long the conversation is by now, as the reply claims.
    Tokens(u64),
    Fail(Failure),
    /// Closes the connection, whatever was promised on it.
    Cut,
    /// Says nothing more until the agent goes away.
    Hang,
}

/// How long one word takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace(pub Duration);

/// What the model wants done, before a vendor's words for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Tool {
    Bash { command: String },
    Read { path: String },
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    Ask(Vec<Question>),
    EnterPlan,
    Plan(String),
    Named { name: String, input: Value },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub header: String,
    pub text: String,
    /// More than one option may be chosen.
    pub several: bool,
    pub options: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    pub description: String,
}

/// An error of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub status: u16,
    pub message: String,
    /// When to try again; the vendor's header for it.
    pub retry_after: Option<Duration>,
    /// When the limit that was hit is lifted.
    pub resets_in: Option<Duration>,
}

impl Scenario {
    /// Reads a scenario. `name` is what errors call it, such as its path.
    pub fn parse(name: &str, text: &str) -> Result<Self, ParseError> {
        parse::parse(name, text)
    }

    pub fn load(path: &Path) -> Result<Self, ParseError> {
        let text = std::fs::read_to_string(path).map_err(|error| ParseError {
            file: path.display().to_string(),
            line: 0,
            problem: error.to_string(),
        })?;
        Self::parse(&path.display().to_string(), &text)
    }
}

impl On {
    /// Whether this is what the agent sent: the last message of the person, and what tools returned since.
    #[must_use]
    pub fn fits(&self, user: &str, results: &[String]) -> bool {
        match self {
            Self::User(text) => results.is_empty() && user.contains(text.as_str()),
            Self::Result(text) => !results.is_empty() && results.join("\n").contains(text.as_str()),
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, text) = match self {
            Self::User(text) => ("user", text),
            Self::Result(text) => ("result", text),
        };
        if text.is_empty() { f.write_str(name) } else { write!(f, "{name}: {text}") }
    }
}
