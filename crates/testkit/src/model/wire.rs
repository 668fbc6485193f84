//! What a vendor's module must be able to say, and what it finds in a request.

use std::path::Path;

use serde_json::Value;

use super::{anthropic, gemini, openai};
use crate::scenario::{Failure, Tool};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    Anthropic,
    OpenAi,
    Gemini,
}

/// A tool call as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    pub name: String,
    pub input: Value,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Done,
    Tools,
    Refused,
}

/// What a request asks.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub model: String,
    /// The last message of the person.
    pub user: String,
    /// What tools returned since then.
    pub results: Vec<String>,
    pub streamed: bool,
    /// The answer to a call that is no part of the conversation.
    pub side: Option<String>,
}

/// An HTTP error in a vendor's words.
#[derive(Debug)]
pub(super) struct Refusal {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
}

/// A reply in a vendor's words. Streamed, the bytes are sent as they come; else they are dropped and `whole` is sent.
pub(super) trait Wire: Send {
    /// How many tokens the conversation has, as the reply will say. Before `open`.
    fn tokens(&mut self, tokens: u64);
    fn open(&mut self) -> String;
    fn think(&mut self, text: &str) -> String;
    /// A piece of text; the first begins a block that `end_text` ends.
    fn text(&mut self, piece: &str) -> String;
    fn end_text(&mut self) -> String;
    fn call(&mut self, tool: &Tool) -> (Vec<Called>, String);
    fn close(&mut self, stop: Stop) -> String;
    /// An error after output.
    fn fail(&mut self, failure: &Failure) -> String;
    fn whole(&mut self, stop: Stop) -> Value;
}

impl Vendor {
    pub(super) fn asked(self, path: &str, body: &Value) -> Asked {
        match self {
            Self::Anthropic => anthropic::asked(body),
            Self::OpenAi => openai::asked(body),
            Self::Gemini => gemini::asked(path, body),
        }
    }

    pub(super) fn wire(self, number: u64, body: &Value, project: &Path) -> Box<dyn Wire> {
        match self {
            Self::Anthropic => Box::new(anthropic::Reply::new(number, body, project)),
            Self::OpenAi => Box::new(openai::Reply::new(number, project)),
            Self::Gemini => Box::new(gemini::Reply::new(number, body, project)),
        }
    }

    pub(super) fn refusal(self, failure: &Failure) -> Refusal {
        match self {
            Self::Anthropic => anthropic::refusal(failure),
            Self::OpenAi => openai::refusal(failure),
            Self::Gemini => gemini::refusal(failure),
        }
    }

    /// The answer to `count these tokens`.
    pub(super) fn counted(self) -> Value {
        match self {
            Self::Gemini => serde_json::json!({"totalTokens": 100}),
            _ => serde_json::json!({"input_tokens": 100}),
        }
    }

    /// Where the vendor's clients put their key.
    pub(super) fn key_header(self) -> &'static str {
        match self {
            Self::Anthropic => "x-api-key",
            Self::OpenAi => "authorization",
            Self::Gemini => "x-goog-api-key",
        }
    }
}

/// An absolute path of the project for one of a scenario.
pub(super) fn absolute(project: &Path, path: &str) -> String {
    project.join(path).to_string_lossy().into_owned()
}

/// The input of a tool by name, with `$PROJECT` filled in.
pub(super) fn filled(input: &Value, project: &Path) -> Value {
    match input {
        Value::String(text) => text.replace("$PROJECT", &project.to_string_lossy()).into(),
        Value::Array(items) => items.iter().map(|item| filled(item, project)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), filled(value, project))).collect(),
        other => other.clone(),
    }
}

/// The text of a value that is a string or a list of parts with texts, as vendors write contents.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").unwrap_or(part).as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A frame of a server-sent event stream.
pub(super) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
