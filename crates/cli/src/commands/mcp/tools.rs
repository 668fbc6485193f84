//! The tools: what each is for, what it takes, and which request it is.

use std::time::Duration;

use coop_core::access::Reach;
use coop_core::text::shown_json;
use serde_json::{Value, json};

/// Anything but waiting.
const SOON: Duration = Duration::from_secs(60);
/// As long as an agent may work at what it is told.
const TURN: Duration = Duration::from_secs(3600);

pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) needs: Reach,
    pub(super) about: &'static str,
    pub(super) schema: fn() -> Value,
    pub(super) plan: fn(&Value) -> Result<Plan, String>,
    /// The reply as the agent reads it.
    pub(super) show: fn(&Value) -> String,
}

/// A request to the hub.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) post: bool,
    pub(super) path: String,
    pub(super) message: Value,
    pub(super) limit: Duration,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        name: "list_sessions",
        needs: Reach::View,
        about: "List the agents that run (with all: also those that have ended), who needs a person first: id, agent, state, control, project, branch, title, and what each asks.",
        schema: || {
            object(
                &json!({
                    "state": { "type": "string", "description": "Only these states, for example prompt,error" },
                    "agent": { "type": "string", "description": "Only this kind, for example claude" },
                    "project": { "type": "string", "description": "Only in this folder" },
                    "all": { "type": "boolean" },
                }),
                &[],
            )
        },
        plan: |given| get("/api/v1/sessions".into(), only(given, &["state", "agent", "project", "all"])),
        show: json_text,
    },
    Spec {
        name: "session_state",
        needs: Reach::View,
        about: "What one agent does now, why that is believed, what it asks, and what it said last.",
        schema: || object(&session(), &["session"]),
        plan: |given| get(of_session(given, "")?, json!({})),
        show: json_text,
    },
    Spec {
        name: "read_screen",
        needs: Reach::View,
        about: "The terminal of one agent as text. Only for sessions whose control is `owned`.",
        schema: || object(&session(), &["session"]),
        plan: |given| get(of_session(given, "/screen")?, json!({ "cursor": false })),
        show: screen,
    },
    Spec {
        name: "read_conversation",
        needs: Reach::View,
        about: "What was said and done in one session: user, assistant, thinking, tool calls with results. Go on with `after` set to the `next` of the last reply. Only for sessions whose control is `owned`; `search` reads the others too.",
        schema: || {
            let mut fields = session();
            fields["after"] = json!({ "type": "integer", "minimum": 0 });
            fields["limit"] = json!({ "type": "integer", "minimum": 1, "maximum": 1000 });
            object(&fields, &["session"])
        },
        plan: |given| get(of_session(given, "/conversation")?, only(given, &["after", "limit"])),
        show: json_text,
    },
    Spec {
        name: "search",
        needs: Reach::View,
        about: "Where something was said or done, in all sessions that run or have ended. All words have to be there.",
        schema: || {
            object(
                &json!({ "words": { "type": "string" }, "limit": { "type": "integer", "minimum": 1, "maximum": 500 } }),
                &["words"],
            )
        },
        plan: |given| {
            let mut query = only(given, &["limit"]);
            query["q"] = text(given, "words")?.into();
            get("/api/v1/search".into(), query)
        },
        show: json_text,
    },
    Spec {
        name: "list_prompts",
        needs: Reach::View,
        about: "Everything agents wait for an answer to, oldest first: permissions, plans and questions, with their options.",
        schema: || object(&json!({}), &[]),
        plan: |_| get("/api/v1/prompts".into(), json!({})),
        show: json_text,
    },
    Spec {
        name: "wait_for_state",
        needs: Reach::View,
        about: "Wait until an agent is in one of these states, for example `idle,prompt,error`, or until the time is over (default 30 s). Only for sessions whose control is `owned`.",
        schema: || {
            let mut fields = session();
            fields["state"] = json!({ "type": "string" });
            fields["timeout"] = json!({ "type": "integer", "minimum": 0, "maximum": 3600, "description": "Seconds" });
            object(&fields, &["session", "state"])
        },
        plan: |given| {
            text(given, "state")?;
            Ok(Plan {
                limit: TURN + SOON,
                ..get(of_session(given, "/agent/wait")?, only(given, &["state", "timeout"]))?
            })
        },
        show: json_text,
    },
    Spec {
        name: "answer",
        needs: Reach::Answer,
        about: "Answer a prompt of `list_prompts` by its id: accept true or false for a permission or a plan, or the number of an option, or words. The first answer wins. Only do so when your user has told you what to answer.",
        schema: || {
            object(
                &json!({
                    "prompt": { "type": "integer", "minimum": 1 },
                    "accept": { "type": "boolean" },
                    "option": { "type": "integer", "minimum": 1 },
                    "text": { "type": "string", "description": "An answer in own words, or why not" },
                    "scope": { "type": "string", "enum": ["once", "session", "path"] },
                    "answers": { "type": "array", "items": { "type": "object", "properties": { "options": { "type": "array", "items": { "type": "integer" } }, "text": { "type": "string" } } }, "description": "One for each question, where there are several" },
                    "digest": { "type": "string", "description": "The digest of the prompt as `list_prompts` gave it: the answer is rejected if the prompt has changed since" },
                }),
                &["prompt"],
            )
        },
        plan: |given| {
            let id = given["prompt"].as_u64().ok_or("`prompt` is the number of a prompt.")?;
            post(
                format!("/api/v1/prompts/{id}/answer"),
                only(given, &["accept", "option", "text", "scope", "answers", "digest"]),
            )
        },
        show: json_text,
    },
    Spec {
        name: "nudge",
        needs: Reach::Drive,
        about: "Send a message to an agent. `when`: idle-only (default, refused if it works), idle (when it comes to rest) or now. `wait`: delivered (default) or turn_end, which replies with what it said when it has finished. Only for sessions whose control is `owned`.",
        schema: || {
            let mut fields = session();
            fields["message"] = json!({ "type": "string" });
            fields["when"] = json!({ "type": "string", "enum": ["idle-only", "idle", "now"] });
            fields["wait"] = json!({ "type": "string", "enum": ["delivered", "turn_end"] });
            fields["timeout_secs"] = json!({ "type": "integer", "minimum": 1, "maximum": 3600 });
            object(&fields, &["session", "message"])
        },
        plan: |given| {
            text(given, "message")?;
            let message = only(given, &["message", "when", "wait", "timeout_secs"]);
            Ok(Plan { limit: TURN + SOON, ..post(of_session(given, "/agent/nudge")?, message)? })
        },
        show: json_text,
    },
];

fn object(fields: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
}

fn session() -> Value {
    json!({ "session": { "type": ["integer", "string"], "description": "Its id in list_sessions, or the agent's own id of the conversation" } })
}

fn get(path: String, message: Value) -> Result<Plan, String> {
    Ok(Plan { post: false, path, message, limit: SOON })
}

fn post(path: String, message: Value) -> Result<Plan, String> {
    Ok(Plan { post: true, path, message, limit: SOON })
}

fn text<'a>(given: &'a Value, key: &str) -> Result<&'a str, String> {
    given[key].as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| format!("`{key}` is missing."))
}

/// These and nothing else.
fn only(given: &Value, keys: &[&str]) -> Value {
    let fields = keys.iter().filter_map(|key| Some(((*key).to_owned(), given.get(key)?.clone())));
    Value::Object(fields.filter(|(_, value)| !value.is_null()).collect())
}

/// The path of something of a session. What an agent gives for one is never taken for more of a path.
fn of_session(given: &Value, rest: &str) -> Result<String, String> {
    let id = match &given["session"] {
        Value::Number(number) => number.to_string(),
        Value::String(id) => id.clone(),
        _ => return Err("`session` is missing: its id in list_sessions.".into()),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if id.is_empty() || id.starts_with('.') || !id.bytes().all(plain) {
        return Err(format!("There is no session `{id}`."));
    }
    Ok(format!("/api/v1/sessions/{id}{rest}"))
}

fn json_text(said: &Value) -> String {
    shown_json(&format!("{said:#}")).into_owned()
}

fn screen(said: &Value) -> String {
    let lines = said["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(name: &str, given: &Value) -> Result<Plan, String> {
        let spec = SPECS.iter().find(|spec| spec.name == name).unwrap();
        (spec.plan)(given)
    }

    #[test]
    fn tools_are_requests() {
        for (name, given, path, message) in [
            ("list_sessions", json!({ "state": "prompt", "x": 1 }), "/api/v1/sessions", json!({ "state": "prompt" })),
            ("session_state", json!({ "session": 3 }), "/api/v1/sessions/3", json!({})),
            ("read_screen", json!({ "session": "ab-1" }), "/api/v1/sessions/ab-1/screen", json!({ "cursor": false })),
            (
                "read_conversation",
                json!({ "session": 3, "after": 7 }),
                "/api/v1/sessions/3/conversation",
                json!({ "after": 7 }),
            ),
            ("search", json!({ "words": "a b" }), "/api/v1/search", json!({ "q": "a b" })),
            ("answer", json!({ "prompt": 2, "accept": false }), "/api/v1/prompts/2/answer", json!({ "accept": false })),
            (
                "nudge",
                json!({ "session": 3, "message": "go" }),
                "/api/v1/sessions/3/agent/nudge",
                json!({ "message": "go" }),
            ),
        ] {
            let plan = plan(name, &given).unwrap();
            assert_eq!((plan.path.as_str(), &plan.message), (path, &message), "{name}");
            assert_eq!(plan.post, ["answer", "nudge"].contains(&name), "{name}");
        }
    }

    #[test]
    fn what_is_no_session_goes_nowhere() {
        for id in [json!("../rules"), json!("1/input"), json!(""), json!(".."), json!("a%2fb"), json!(null), json!({})]
        {
            assert!(plan("read_screen", &json!({ "session": id })).is_err(), "{id}");
        }
        for (name, given) in
            [("nudge", json!({ "session": 1 })), ("answer", json!({})), ("search", json!({ "words": " " }))]
        {
            assert!(plan(name, &given).is_err(), "{name}");
        }
    }

    #[test]
    fn every_tool_says_what_it_takes() {
        for spec in SPECS {
            let schema = (spec.schema)();
            let known = |key: &Value| schema["properties"].get(key.as_str().unwrap()).is_some();
            assert!(schema["required"].as_array().unwrap().iter().all(known), "{}", spec.name);
            assert!(!spec.about.is_empty() && spec.needs != Reach::Admin);
        }
    }
}
