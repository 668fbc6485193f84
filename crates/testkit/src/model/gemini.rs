//! Google's Gemini API, as the Gemini CLI speaks it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::wire::{Asked, Called, Refusal, Stop, Wire, absolute, filled};
use crate::scenario::{Failure, Question, Tool};

pub(super) fn asked(path: &str, body: &Value) -> Asked {
    let (user, results) = last_turn(&body["contents"]);
    let (model, method) = path.rsplit('/').next().unwrap_or_default().split_once(':').unwrap_or_default();
    let streamed = method == "streamGenerateContent";
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let side = (!streamed || !has_tools).then(|| side_answer(&body["generationConfig"]));
    Asked { model: model.to_owned(), user, results, streamed, side }
}

/// The last part with words of the person, and the tool results after it.
fn last_turn(contents: &Value) -> (String, Vec<String>) {
    let mut results = Vec::new();
    for content in contents.as_array().into_iter().flatten().rev().filter(|content| content["role"] == "user") {
        for part in content["parts"].as_array().into_iter().flatten().rev() {
            if part["functionResponse"].is_object() {
                results.insert(0, part["functionResponse"]["response"].to_string());
            } else if let Some(text) = part["text"].as_str().filter(|text| !text.starts_with('<')) {
                return (text.to_owned(), results);
            }
        }
    }
    (String::new(), results)
}

/// Something that fits the schema that was asked for, or a sentence.
fn side_answer(config: &Value) -> String {
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema"));
    let Some(fields) = schema.and_then(|schema| schema["properties"].as_object()) else {
        return "A scripted summary.".to_owned();
    };
    let answer: Map<String, Value> = fields.iter().map(|(name, kind)| (name.clone(), any_of(kind))).collect();
    Value::Object(answer).to_string()
}

fn any_of(kind: &Value) -> Value {
    if let Some(first) = kind["enum"].as_array().and_then(|values| values.last()) {
        return first.clone();
    }
    match kind["type"].as_str().unwrap_or_default().to_lowercase().as_str() {
        "boolean" => false.into(),
        "number" | "integer" => 1.into(),
        "array" => json!([]),
        "object" => json!({}),
        _ => "scripted".into(),
    }
}

pub(super) struct Reply {
    number: u64,
    project: PathBuf,
    /// Where the agent wants plans to be written, as it told the model.
    plans: Option<String>,
    parts: Vec<Value>,
    tokens: u64,
}

impl Reply {
    pub(super) fn new(number: u64, body: &Value, project: &Path) -> Self {
        Self { number, project: project.to_owned(), plans: plans_folder(body), parts: Vec::new(), tokens: 100 }
    }

    fn response(&self, parts: &[Value], finish: Option<Stop>) -> Value {
        let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
        if let Some(stop) = finish {
            candidate["finishReason"] = if stop == Stop::Refused { "SAFETY" } else { "STOP" }.into();
        }
        json!({
            "candidates": [candidate], "modelVersion": "scripted", "responseId": format!("r{}", self.number),
            "usageMetadata": {"promptTokenCount": self.tokens, "candidatesTokenCount": 20, "totalTokenCount": self.tokens + 20},
        })
    }

    fn part(&mut self, part: Value) -> String {
        let bytes = data(&self.response(std::slice::from_ref(&part), None));
        self.parts.push(part);
        bytes
    }

    fn function(&mut self, name: &str, input: &Value) -> (Called, String) {
        let id = format!("fc_{}_{}", self.number, self.parts.len());
        let bytes = self.part(json!({"functionCall": {"id": id, "name": name, "args": input}}));
        (Called { name: name.to_owned(), input: input.clone() }, bytes)
    }

    fn calls(&self, tool: &Tool) -> Vec<(&'static str, Value)> {
        let path = |path: &str| absolute(&self.project, path);
        match tool {
            Tool::Bash { command } => {
                vec![("run_shell_command", json!({"command": command, "description": "Run a command"}))]
            }
            Tool::Read { path: file } => vec![("read_file", json!({"file_path": path(file)}))],
            Tool::Write { path: file, content } => {
                vec![("write_file", json!({"file_path": path(file), "content": content}))]
            }
            Tool::Edit { path: file, old, new } => vec![(
                "replace",
                json!({"file_path": path(file), "instruction": "Change it", "old_string": old, "new_string": new}),
            )],
            Tool::Ask(questions) => {
                let questions: Vec<Value> = questions.iter().map(question).collect();
                vec![("ask_user", json!({"questions": questions}))]
            }
            Tool::EnterPlan => vec![("enter_plan_mode", json!({"reason": "A plan comes first"}))],
            Tool::Plan(plan) => {
                let folder = self.plans.as_deref().unwrap_or_default();
                let file = format!("{}/plan.md", folder.trim_end_matches('/'));
                vec![
                    ("write_file", json!({"file_path": file, "content": plan})),
                    ("exit_plan_mode", json!({"plan_filename": "plan.md", "plan_path": file})),
                ]
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
        String::new()
    }

    fn think(&mut self, text: &str) -> String {
        self.part(json!({"text": text, "thought": true}))
    }

    fn text(&mut self, piece: &str) -> String {
        self.part(json!({"text": piece}))
    }

    fn end_text(&mut self) -> String {
        String::new()
    }

    fn call(&mut self, tool: &Tool) -> (Vec<Called>, String) {
        let calls = match tool {
            Tool::Named { name, input } => vec![self.function(name, &filled(input, &self.project))],
            _ => self.calls(tool).iter().map(|(name, input)| self.function(name, input)).collect(),
        };
        calls.into_iter().unzip()
    }

    fn close(&mut self, stop: Stop) -> String {
        data(&self.response(&[json!({"text": ""})], Some(stop)))
    }

    fn fail(&mut self, failure: &Failure) -> String {
        data(&refusal(failure).body)
    }

    fn whole(&mut self, stop: Stop) -> Value {
        self.response(&self.parts, Some(stop))
    }
}

fn data(value: &Value) -> String {
    format!("data: {value}\r\n\r\n")
}

fn question(question: &Question) -> Value {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|option| json!({"label": option.label, "description": option.description}))
        .collect();
    let Question { header, text, several, .. } = question;
    json!({"question": text, "header": header, "type": "choice", "multiSelect": several, "options": options})
}

/// The folder of plans in what the agent told the model about plan mode.
fn plans_folder(body: &Value) -> Option<String> {
    let told = body["systemInstruction"].to_string();
    let end = told.rfind("/plans")? + "/plans".len();
    let start = told[..end].rfind(|c: char| c.is_whitespace() || "\"'`\\(".contains(c))? + 1;
    Some(told[start..end].to_owned())
}

pub(super) fn refusal(failure: &Failure) -> Refusal {
    let status = match failure.status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    let retry = failure.retry_after.map(|time| {
        json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{}s", time.as_secs())})
    });
    // A limit that is lifted later is one per day.
    let quota = failure.resets_in.map(|_| {
        let violation = json!({
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50",
        });
        json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]})
    });
    let details: Vec<Value> = retry.into_iter().chain(quota).collect();
    let error = json!({"code": failure.status, "message": failure.message, "status": status, "details": details});
    Refusal { status: failure.status, headers: Vec::new(), body: json!({"error": error}) }
}
