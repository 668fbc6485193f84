//! OpenAI's Responses API, as Codex speaks it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::wire::{Asked, Called, Refusal, Stop, Wire, event, filled, text_of};
use crate::scenario::{Failure, Question, Tool};

pub(super) fn asked(body: &Value) -> Asked {
    let (user, results) = last_turn(&body["input"]);
    Asked {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        user,
        results,
        streamed: body["stream"].as_bool().unwrap_or(true),
        side: (body["text"]["format"]["type"] == "json_schema").then(|| json!({"title": "Scripted title"}).to_string()),
    }
}

/// Codex may add messages of its own after a tool's output, so the outputs are those after the person's last message.
fn last_turn(input: &Value) -> (String, Vec<String>) {
    let mut results = Vec::new();
    for item in input.as_array().into_iter().flatten().rev() {
        if item["type"].as_str().is_some_and(|kind| kind.ends_with("_output")) {
            results.insert(0, text_of(&item["output"]));
        } else if item["role"] == "user" {
            let text = text_of(&item["content"]);
            if !text.trim_start().starts_with(['<', '#']) {
                return (text, results);
            }
        }
    }
    (String::new(), results)
}

pub(super) struct Reply {
    id: String,
    project: PathBuf,
    items: u32,
    /// The message that is being said.
    message: Option<(String, String)>,
    tokens: u64,
}

impl Reply {
    pub(super) fn new(number: u64, project: &Path) -> Self {
        Self { id: format!("resp_{number:04}"), project: project.to_owned(), items: 0, message: None, tokens: 100 }
    }

    fn item_id(&mut self, kind: &str) -> String {
        self.items += 1;
        format!("{kind}_{}_{}", self.id, self.items)
    }

    fn function(&mut self, name: &str, input: &Value) -> (Called, String) {
        let (id, call_id) = (self.item_id("fc"), self.item_id("call"));
        let item = json!({"type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": input.to_string()});
        (Called { name: name.to_owned(), input: input.clone() }, done(&item))
    }

    fn patch(&mut self, patch: &str) -> (Called, String) {
        let (id, call_id) = (self.item_id("ctc"), self.item_id("call"));
        let item =
            json!({"type": "custom_tool_call", "id": id, "call_id": call_id, "name": "apply_patch", "input": patch});
        (Called { name: "apply_patch".to_owned(), input: patch.into() }, done(&item))
    }

    /// A plan is no tool call: it is text between marks, in plan mode.
    fn plan(&mut self, plan: &str) -> (Called, String) {
        let mut bytes = self.text(&format!("<proposed_plan>\n{plan}\n</proposed_plan>\n"));
        bytes += &self.end_text();
        (Called { name: "proposed_plan".to_owned(), input: plan.into() }, bytes)
    }

    fn message_item(id: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> =
            text.iter().map(|text| json!({"type": "output_text", "text": text, "annotations": []})).collect();
        json!({"type": "message", "role": "assistant", "id": id, "content": content})
    }
}

impl Wire for Reply {
    fn tokens(&mut self, tokens: u64) {
        self.tokens = tokens;
    }

    fn open(&mut self) -> String {
        event("response.created", &json!({"type": "response.created", "response": {"id": self.id}}))
    }

    fn think(&mut self, text: &str) -> String {
        let id = self.item_id("rs");
        let item = json!({"type": "reasoning", "id": id, "summary": []});
        let part = json!({"type": "response.reasoning_summary_part.added", "item_id": id, "summary_index": 0, "output_index": 0});
        let delta = json!({
            "type": "response.reasoning_summary_text.delta", "item_id": id, "summary_index": 0, "output_index": 0,
            "delta": text,
        });
        let whole = json!({
            "type": "reasoning", "id": id, "summary": [{"type": "summary_text", "text": text}],
            "encrypted_content": "AAAA",
        });
        added(&item)
            + &event("response.reasoning_summary_part.added", &part)
            + &event("response.reasoning_summary_text.delta", &delta)
            + &done(&whole)
    }

    fn text(&mut self, piece: &str) -> String {
        let mut bytes = String::new();
        if self.message.is_none() {
            let id = self.item_id("msg");
            bytes = added(&Self::message_item(&id, None));
            self.message = Some((id, String::new()));
        }
        let Some((id, text)) = &mut self.message else { return bytes };
        text.push_str(piece);
        let delta = json!({
            "type": "response.output_text.delta", "item_id": id, "output_index": 0, "content_index": 0, "delta": piece,
        });
        bytes + &event("response.output_text.delta", &delta)
    }

    fn end_text(&mut self) -> String {
        self.message.take().map(|(id, text)| done(&Self::message_item(&id, Some(&text)))).unwrap_or_default()
    }

    fn call(&mut self, tool: &Tool) -> (Vec<Called>, String) {
        let (called, bytes) = match tool {
            Tool::Bash { command } => self.function("exec_command", &escalated(command)),
            Tool::Read { path } => self.function("exec_command", &json!({"cmd": format!("cat {path}")})),
            Tool::Write { path, content } => {
                let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
                self.patch(&format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"))
            }
            Tool::Edit { path, old, new } => {
                let change = format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n");
                self.patch(&format!("*** Begin Patch\n{change}*** End Patch\n"))
            }
            Tool::Ask(questions) => {
                let questions: Vec<Value> = questions.iter().map(question).collect();
                self.function("request_user_input", &json!({"questions": questions}))
            }
            // There is no tool for it: the person enters plan mode. The nearest is the list of steps.
            Tool::EnterPlan => {
                let plan = json!([{"step": "Make a plan", "status": "in_progress"}]);
                self.function("update_plan", &json!({"plan": plan}))
            }
            Tool::Plan(plan) => self.plan(plan),
            Tool::Named { name, input } => self.function(name, &filled(input, &self.project)),
        };
        (vec![called], bytes)
    }

    fn close(&mut self, _: Stop) -> String {
        let usage = json!({
            "input_tokens": self.tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": self.tokens + 20,
        });
        let response = json!({"id": self.id, "usage": usage});
        event("response.completed", &json!({"type": "response.completed", "response": response}))
    }

    fn fail(&mut self, failure: &Failure) -> String {
        let error = json!({"code": code(failure), "message": failure.message});
        let response = json!({"id": self.id, "error": error});
        event("response.failed", &json!({"type": "response.failed", "response": response}))
    }

    fn whole(&mut self, _: Stop) -> Value {
        json!({"id": self.id, "output": []})
    }
}

fn added(item: &Value) -> String {
    event("response.output_item.added", &json!({"type": "response.output_item.added", "output_index": 0, "item": item}))
}

fn done(item: &Value) -> String {
    event("response.output_item.done", &json!({"type": "response.output_item.done", "output_index": 0, "item": item}))
}

/// A command that leaves the sandbox: that is what needs approval.
fn escalated(command: &str) -> Value {
    json!({
        "cmd": command, "yield_time_ms": 10_000, "sandbox_permissions": "require_escalated",
        "justification": "May I run this outside the sandbox?",
    })
}

fn question(question: &Question) -> Value {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|option| json!({"label": option.label, "description": option.description}))
        .collect();
    json!({"id": question.header.to_lowercase(), "header": question.header, "question": question.text, "options": options})
}

fn code(failure: &Failure) -> &'static str {
    match failure.status {
        400 => "invalid_request",
        401 => "invalid_api_key",
        429 if failure.resets_in.is_some() => "usage_limit_reached",
        429 => "rate_limit_exceeded",
        503 | 529 => "server_is_overloaded",
        _ => "server_error",
    }
}

pub(super) fn refusal(failure: &Failure) -> Refusal {
    let mut error = json!({"message": failure.message, "type": code(failure), "code": code(failure)});
    if let Some(time) = failure.resets_in {
        let at = SystemTime::now() + time;
        error["resets_at"] = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().into();
        error["plan_type"] = "plus".into();
    }
    let retry = failure.retry_after.map(|time| ("retry-after", time.as_secs().to_string()));
    Refusal { status: failure.status, headers: retry.into_iter().collect(), body: json!({"error": error}) }
}
