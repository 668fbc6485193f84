//! Codex's app-server (`codex app-server`), with the stock terminal as its first client and coop as its second. It tells of
//! turns, asks every client for a permission, and takes the first answer.
//!
//! A conversation can be subscribed to when its rollout is there, which is with its first turn. Besides that of the person
//! there is a short one that makes up the title.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext};
use coop_core::agent::state::Failure;
use coop_core::agent::{Choice, Fact};
use serde_json::{Value, json};

use super::tool::{self, SHELL};
use super::{TABLE, failure, reply};
use crate::heard::Heard;
use crate::json::{list, owned, text};
use crate::server::{Companion, ServerAct, ServerProtocol};
use crate::table::Kind;

const COMMAND: &str = "item/commandExecution/requestApproval";
const PATCH: &str = "item/fileChange/requestApproval";
const QUESTION: &str = "item/tool/requestUserInput";
const ANSWERED: &str = "serverRequest/resolved";
/// Not the server's word, but that it has none any more.
const GONE: &str = "gone";
/// Notifications that say something about the state.
const TOLD: [&str; 3] = ["turn/started", "item/completed", "turn/completed"];

pub(super) fn companion(session_dir: &Path, settings: &[String]) -> Companion {
    let socket = session_dir.join("codex.sock");
    let mut args = vec!["app-server".to_owned(), "--listen".to_owned(), address(&socket)];
    args.extend(settings.iter().cloned());
    Companion { args, socket }
}

pub(super) fn address(socket: &Path) -> String {
    format!("unix://{}", socket.display())
}

/// Those that wait for an answer, with the questions they ask.
fn is_question(event: &str) -> bool {
    [COMMAND, PATCH, QUESTION].contains(&event)
}

#[derive(Debug, Default)]
pub(super) struct Protocol {
    last_id: u64,
    /// Conversations that coop has asked for, or that are none of the person's.
    known: HashSet<String>,
    /// What it asks, the first of which coop is asked about. It asks for all tools of a reply at once, and the terminal shows
    /// one after the other.
    asked: VecDeque<(Value, String, Value)>,
    /// Those that were answered through coop with a yes.
    allowed: Vec<Value>,
}

impl Protocol {
    fn call(&mut self, method: &str, params: &Value) -> ServerAct {
        self.last_id += 1;
        ServerAct::Send(json!({ "id": self.last_id, "method": method, "params": params }))
    }

    /// Asks for what happens in a conversation. Before its first turn the server refuses, and it is asked again then.
    fn subscribe(&mut self, thread: &str) -> Vec<ServerAct> {
        if !self.known.insert(thread.to_owned()) {
            return Vec::new();
        }
        vec![self.call("thread/resume", &json!({ "threadId": thread, "excludeTurns": true }))]
    }

    fn notified(&mut self, method: &str, params: &Value) -> Vec<ServerAct> {
        match method {
            "thread/started" => {
                let thread = params.get("thread").unwrap_or(&Value::Null);
                if thread.get("ephemeral") == Some(&Value::Bool(true)) {
                    self.known.extend(owned(thread, "id"));
                }
                Vec::new()
            }
            "thread/status/changed" => {
                let active = params.get("status").and_then(|status| text(status, "type")) == Some("active");
                text(params, "threadId").filter(|_| active).map(|id| self.subscribe(id)).unwrap_or_default()
            }
            ANSWERED => self.answered(params),
            _ if TOLD.contains(&method) => {
                vec![ServerAct::Tell { event: method.to_owned(), payload: params.clone() }]
            }
            _ => Vec::new(),
        }
    }

    fn ask(&mut self, id: &Value, method: &str, params: &Value) -> Vec<ServerAct> {
        self.asked.push_back((id.clone(), method.to_owned(), params.clone()));
        if self.asked.len() == 1 { self.ask_first() } else { Vec::new() }
    }

    fn ask_first(&self) -> Vec<ServerAct> {
        let first = self.asked.front().cloned();
        first.map(|(id, event, payload)| ServerAct::Ask { id, event, payload }).into_iter().collect()
    }

    /// Only after a yes through coop is it known that the turn goes on, unless something else is asked already. After any
    /// other answer others tell: a no ends it.
    fn answered(&mut self, params: &Value) -> Vec<ServerAct> {
        let id = params.get("requestId").cloned().unwrap_or_default();
        let was_first = self.asked.front().is_some_and(|(first, ..)| *first == id);
        self.asked.retain(|(asked, ..)| *asked != id);
        let mut acts = vec![ServerAct::LetGo { id: id.clone() }];
        let was_allowed = self.allowed.contains(&id);
        self.allowed.retain(|allowed| *allowed != id);
        if was_allowed && self.asked.is_empty() {
            acts.push(ServerAct::Tell { event: ANSWERED.to_owned(), payload: params.clone() });
        }
        if was_first {
            acts.extend(self.ask_first());
        }
        acts
    }
}

impl ServerProtocol for Protocol {
    fn greet(&mut self) -> Vec<ServerAct> {
        let client = json!({ "name": "coop", "title": "coop", "version": env!("CARGO_PKG_VERSION") });
        let hello =
            self.call("initialize", &json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } }));
        vec![hello, ServerAct::Send(json!({ "method": "initialized" }))]
    }

    fn hear(&mut self, message: &Value) -> Vec<ServerAct> {
        let params = message.get("params").unwrap_or(&Value::Null);
        match (text(message, "method"), message.get("id")) {
            (Some(method), Some(id)) if is_question(method) => self.ask(id, method, params),
            // What coop does not know is left to the terminal.
            (Some(_), Some(_)) | (None, _) => Vec::new(),
            (Some(method), None) => self.notified(method, params),
        }
    }

    fn gone(&self) -> Option<ServerAct> {
        Some(ServerAct::Tell { event: GONE.to_owned(), payload: Value::Null })
    }

    fn answer(&mut self, id: Value, body: Value) -> Value {
        if body.get("decision") != Some(&json!(reply::NO)) {
            self.allowed.push(id.clone());
        }
        json!({ "id": id, "result": body })
    }
}

/// What its words say about the state.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// It is there, and tells of every question before the terminal does.
    pub(super) is_heard: bool,
    /// The plan that this turn has proposed: its id and text.
    plan: Option<(Option<String>, String)>,
}

impl Memory {
    pub(super) fn hear(&mut self, event: &str, params: &Value) -> Heard {
        self.is_heard = event != GONE;
        let turn = params.get("turn");
        Heard {
            turn: owned(params, "turnId").or_else(|| turn.and_then(|turn| owned(turn, "id"))),
            at_ms: None,
            facts: self.fact(event, params).into_iter().collect(),
            session_id: owned(params, "threadId"),
            transcript: None,
            title: None,
            model: None,
        }
    }

    fn fact(&mut self, event: &str, params: &Value) -> Option<Fact> {
        match event {
            "turn/started" => {
                self.plan = None;
                Some(Fact::TurnStarted { text: None })
            }
            "item/completed" => {
                let item = params.get("item").filter(|item| text(item, "type") == Some("plan"))?;
                self.plan = Some((owned(item, "id"), owned(item, "text").unwrap_or_default()));
                None
            }
            "turn/completed" => Some(self.end(params.get("turn")?)),
            COMMAND => Some(Fact::PromptShown { context: command(params) }),
            PATCH => Some(Fact::PromptShown { context: permission(params, "apply_patch", None) }),
            QUESTION => {
                let context = tool::own_dialog(tool::ASKS, params, text(params, "itemId"))?;
                Some(Fact::PromptShown { context })
            }
            ANSWERED => Some(Fact::PromptGone),
            _ => None,
        }
    }

    fn end(&mut self, turn: &Value) -> Fact {
        match (text(turn, "status"), self.plan.take()) {
            (Some("interrupted"), _) => Fact::Interrupted,
            (Some("failed"), _) => Fact::TurnFailed { failure: failed(turn.get("error").unwrap_or(&Value::Null)) },
            (_, Some((tool_id, plan))) => {
                let input = Some(json!({ "plan": plan }));
                let context = PlanPrompt { input, plan: Some(plan), tool_id, ..PlanPrompt::default() };
                Fact::PromptShown { context: PromptContext::Plan(context) }
            }
            _ => {
                let last = list(turn, "items").iter().rfind(|item| text(item, "type") == Some("agentMessage"));
                Fact::TurnEnded { last_message: last.and_then(|item| owned(item, "text")) }
            }
        }
    }
}

/// In the words of the rollout.
fn failed(error: &Value) -> Failure {
    let info = match error.get("codexErrorInfo") {
        Some(Value::String(name)) => json!(snake(name)),
        Some(Value::Object(fields)) => match fields.iter().next() {
            Some((name, more)) => json!({ snake(name): { "http_status_code": more.get("httpStatusCode") } }),
            None => Value::Null,
        },
        _ => Value::Null,
    };
    failure::failure(&json!({ "message": text(error, "message"), "codex_error_info": info }), None)
}

fn snake(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.to_string() };
    name.chars().map(letter).collect()
}

/// The command without the shell that it is given to.
fn command(params: &Value) -> PromptContext {
    let actions = list(params, "commandActions");
    let whole = match actions {
        [only] => owned(only, "command"),
        _ => None,
    };
    let mut input = json!({ "command": whole.or_else(|| owned(params, "command")) });
    if let Some(reason) = text(params, "reason") {
        input["description"] = json!(reason);
    }
    permission(params, SHELL, Some(input))
}

fn permission(params: &Value, tool: &str, input: Option<Value>) -> PromptContext {
    let decisions = list(params, "availableDecisions");
    // The one that allows more than this call, as the server wants it back.
    let suggestions = decisions.iter().filter(|decision| decision.is_object()).cloned().collect();
    PromptContext::Permission(PermissionPrompt {
        tool: Some(tool.to_owned()),
        input,
        tool_id: owned(params, "itemId"),
        suggestions,
        options: decisions.iter().filter_map(option).collect(),
        options_fallback: true,
        message: owned(params, "reason"),
        ..PermissionPrompt::default()
    })
}

/// What the dialog calls a decision.
fn option(decision: &Value) -> Option<Choice> {
    let place = match decision {
        Value::String(name) if name == reply::YES => 0,
        Value::Object(_) => 1,
        Value::String(name) if name == reply::NO => 2,
        _ => return None,
    };
    TABLE.fallback.permission.get(place).map(|label| TABLE.choice(Kind::Permission, label))
}
