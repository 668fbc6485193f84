//! Anthropic's Messages API, as Claude Code speaks it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::wire::{Asked, Called, Refusal, Stop, Wire, absolute, event, filled, text_of};
use crate::scenario::{Failure, Question, Tool};

pub(super) fn asked(body: &Value) -> Asked {
    let (user, results) = last_turn(&body["messages"]);
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    Asked {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        user,
        results,
        streamed: body["stream"].as_bool().unwrap_or(false),
        side: (!has_tools).then(|| side_answer(body)),
    }
}

/// A title is asked for as JSON of a schema, or as text.
fn side_answer(body: &Value) -> String {
    let schema = &body["output_config"]["format"]["schema"];
    match schema["properties"].as_object() {
        Some(fields) => {
            Value::Object(fields.keys().map(|name| (name.clone(), "Scripted title".into())).collect()).to_string()
        }
        None => "Scripted title".to_owned(),
    }
}

/// The last words of the person, and the tool results after them: blocks from the end on, until there are such words.
fn last_turn(messages: &Value) -> (String, Vec<String>) {
    let mut results = Vec::new();
    let of_user = messages.as_array().into_iter().flatten().rev().filter(|message| message["role"] == "user");
    for message in of_user {
        let text = json!([{"type": "text", "text": message["content"]}]);
        let blocks = if message["content"].is_string() { &text } else { &message["content"] };
        for block in blocks.as_array().into_iter().flatten().rev() {
            if block["type"] == "tool_result" {
                results.insert(0, text_of(&block["content"]));
            } else if let Some(text) = block["text"].as_str().filter(|text| is_of_person(text)) {
                return (text.to_owned(), results);
            }
        }
    }
    (String::new(), results)
}

/// The agent also puts words into the person's mouth.
fn is_of_person(text: &str) -> bool {
    let by_agent = ["<system-reminder>", "<local-command", "<command-", "[Request interrupted"];
    !by_agent.iter().any(|start| text.trim_start().starts_with(start))
}

pub(super) struct Reply {
    number: u64,
    model: Value,
    project: PathBuf,
    /// Where the agent wants a plan to be written, as it told the model.
    plan_file: Option<String>,
    blocks: Vec<Value>,
    /// The last block is text that is not ended.
    in_text: bool,
    tokens: u64,
}

impl Reply {
    pub(super) fn new(number: u64, body: &Value, project: &Path) -> Self {
        let (model, plan_file) = (body["model"].clone(), plan_file(body));
        Self { number, model, project: project.to_owned(), plan_file, blocks: Vec::new(), in_text: false, tokens: 1200 }
    }

    fn message(&self, content: &[Value], stop: Option<Stop>) -> Value {
        json!({
            "id": format!("msg_{:04}", self.number), "type": "message", "role": "assistant", "model": self.model,
            "content": content, "stop_reason": stop.map(stop_reason), "stop_sequence": null,
            "usage": {"input_tokens": self.tokens, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    }

    /// A whole block: its start without content, its content as deltas, its end.
    fn block(&mut self, start: &Value, deltas: &[Value], whole: Value) -> String {
        let index = self.blocks.len();
        self.blocks.push(whole);
        let mut bytes = started(index, start);
        for delta in deltas {
            bytes += &changed(index, delta);
        }
        bytes + &stopped(index)
    }

    fn call_named(&mut self, name: &str, input: &Value) -> (Called, String) {
        let id = format!("toolu_{:04}_{}", self.number, self.blocks.len());
        let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        let whole = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        let bytes = self.block(&start, &[delta], whole);
        (Called { name: name.to_owned(), input: input.clone() }, bytes)
    }

    /// The vendor's tools for one of ours.
    fn calls(&self, tool: &Tool) -> Vec<(&'static str, Value)> {
        let path = |path: &str| absolute(&self.project, path);
        match tool {
            Tool::Bash { command } => vec![("Bash", json!({"command": command, "description": "Run a command"}))],
            Tool::Read { path: file } => vec![("Read", json!({"file_path": path(file)}))],
            Tool::Write { path: file, content } => {
                vec![("Write", json!({"file_path": path(file), "content": content}))]
            }
            Tool::Edit { path: file, old, new } => {
                vec![("Edit", json!({"file_path": path(file), "old_string": old, "new_string": new}))]
            }
            Tool::Ask(questions) => {
                let questions: Vec<Value> = questions.iter().map(question).collect();
                vec![("AskUserQuestion", json!({"questions": questions}))]
            }
            Tool::EnterPlan => vec![("EnterPlanMode", json!({}))],
            Tool::Plan(plan) => {
                let write = self.plan_file.iter().map(|file| ("Write", json!({"file_path": file, "content": plan})));
                write.chain([("ExitPlanMode", json!({"plan": plan}))]).collect()
            }
            Tool::Named { .. } => Vec::new(),
        }
    }
}

impl Wire for Reply {
    fn tokens(&mut self, tokens: u64) {
        self.tokens = tokens;
    }

    fn open(&mut self) -> String {
        event("message_start", &json!({"type": "message_start", "message": self.message(&[], None)}))
    }

    fn think(&mut self, text: &str) -> String {
        let start = json!({"type": "thinking", "thinking": "", "signature": ""});
        let deltas = [
            json!({"type": "thinking_delta", "thinking": text}),
            json!({"type": "signature_delta", "signature": "scripted"}),
        ];
        self.block(&start, &deltas, json!({"type": "thinking", "thinking": text, "signature": "scripted"}))
    }

    fn text(&mut self, piece: &str) -> String {
        let mut bytes = String::new();
        if !std::mem::replace(&mut self.in_text, true) {
            bytes = started(self.blocks.len(), &json!({"type": "text", "text": ""}));
            self.blocks.push(json!({"type": "text", "text": ""}));
        }
        let index = self.blocks.len() - 1;
        let so_far = self.blocks[index]["text"].as_str().unwrap_or_default().to_owned();
        self.blocks[index]["text"] = (so_far + piece).into();
        bytes + &changed(index, &json!({"type": "text_delta", "text": piece}))
    }

    fn end_text(&mut self) -> String {
        if std::mem::replace(&mut self.in_text, false) { stopped(self.blocks.len() - 1) } else { String::new() }
    }

    fn call(&mut self, tool: &Tool) -> (Vec<Called>, String) {
        let calls = match tool {
            Tool::Named { name, input } => vec![self.call_named(name, &filled(input, &self.project))],
            _ => self.calls(tool).iter().map(|(name, input)| self.call_named(name, input)).collect(),
        };
        calls.into_iter().unzip()
    }

    fn close(&mut self, stop: Stop) -> String {
        let delta = json!({"stop_reason": stop_reason(stop), "stop_sequence": null});
        let end = json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}});
        event("message_delta", &end) + &event("message_stop", &json!({"type": "message_stop"}))
    }

    fn fail(&mut self, failure: &Failure) -> String {
        event("error", &refusal(failure).body)
    }

    fn whole(&mut self, stop: Stop) -> Value {
        self.message(&self.blocks, Some(stop))
    }
}

fn started(index: usize, block: &Value) -> String {
    event("content_block_start", &json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn changed(index: usize, delta: &Value) -> String {
    event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stopped(index: usize) -> String {
    event("content_block_stop", &json!({"type": "content_block_stop", "index": index}))
}

fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Done => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Refused => "refusal",
    }
}

fn question(question: &Question) -> Value {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|option| json!({"label": option.label, "description": option.description}))
        .collect();
    let Question { header, text, several, .. } = question;
    json!({"question": text, "header": header, "multiSelect": several, "options": options})
}

/// The latest path of a plan in what the agent told the model about plan mode.
fn plan_file(body: &Value) -> Option<String> {
    let told = body["messages"].to_string();
    told.rmatch_indices(".md").find_map(|(end, _)| {
        let start = told[..end].rfind(|c: char| c.is_whitespace() || "\"'`\\(".contains(c))? + 1;
        let path = &told[start..end];
        (path.starts_with('/') && path.contains("/plans/")).then(|| format!("{path}.md"))
    })
}

pub(super) fn refusal(failure: &Failure) -> Refusal {
    let kind = match failure.status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let mut headers = vec![("request-id", "req_scripted".to_owned())];
    headers.extend(failure.retry_after.map(|time| ("retry-after", time.as_secs().to_string())));
    if let Some(time) = failure.resets_in {
        let at = SystemTime::now() + time;
        let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        headers.push(("anthropic-ratelimit-unified-status", "rejected".to_owned()));
        headers.push(("anthropic-ratelimit-unified-reset", seconds.to_string()));
    }
    let body =
        json!({"type": "error", "error": {"type": kind, "message": failure.message}, "request_id": "req_scripted"});
    Refusal { status: failure.status, headers, body }
}
