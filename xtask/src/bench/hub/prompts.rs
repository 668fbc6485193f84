//! Many hooks that wait at once, answered in an order that has nothing to do with theirs: each must get its own answer.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::http::Http;
use super::super::process::wait_for;
use super::super::random::Random;
use super::super::stats::Delays;
use super::{Hub, load};

#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) count: usize,
    pub(super) delay_ms: Delays,
}

/// A hook that waits, and what it will be told.
struct Waiting {
    session: usize,
    hook: Http,
    allow: bool,
}

pub(super) fn run(hub: &Hub, count: usize) -> anyhow::Result<Found> {
    let mut random = Random::new(7);
    let mut waiting: HashMap<String, Waiting> = HashMap::new();
    for session in 0..count {
        let command = format!("touch {session}");
        let mut hook = hub.http()?;
        hook.ask("POST", "/api/v1/hooks/PermissionRequest", &tool(session, &command))?;
        waiting.insert(command, Waiting { session, hook, allow: random.chance(50) });
    }
    let mut http = hub.http()?;
    let mut asked = wait_for("all prompts", || {
        let prompts = http.json("GET", "/api/v1/prompts", &Value::Null).ok()?["prompts"].take();
        prompts.as_array().filter(|prompts| prompts.len() == count).cloned()
    })?;
    let mut delays = Vec::new();
    let mut answering = hub.http()?;
    while !asked.is_empty() {
        let prompt = asked.swap_remove(random.between(0, asked.len() - 1));
        let text = prompt["text"].as_str().unwrap_or_default();
        let Waiting { session, mut hook, allow } =
            waiting.remove(text).with_context(|| format!("who asks {prompt}?"))?;
        let begin = Instant::now();
        answering.ask("POST", &format!("/api/v1/prompts/{}/answer", prompt["id"]), &json!({ "accept": allow }))?;
        let told = hook.told()?;
        delays.push(begin.elapsed().as_secs_f64() * 1000.0);
        let (said, wanted) =
            (&told["hookSpecificOutput"]["decision"]["behavior"], if allow { "allow" } else { "deny" });
        ensure!(said == wanted, "`{text}` was answered with {wanted}, and its hook told {told}");
        // The agent goes on, so that the answer is known to have arrived.
        for after in ["PostToolUse", "Stop"].iter().skip(usize::from(!allow)) {
            http.json("POST", &format!("/api/v1/hooks/{after}"), &tool(session, text))?;
        }
        let answered = answering.told()?;
        ensure!(answered["delivered"] == true, "the answer to `{text}` did not arrive: {answered}");
    }
    let left = http.json("GET", "/api/v1/prompts", &Value::Null)?;
    ensure!(left["prompts"].as_array().is_some_and(Vec::is_empty), "some wait still: {left}");
    Ok(Found { count, delay_ms: Delays::of(delays) })
}

fn tool(session: usize, command: &str) -> Value {
    let mut payload = load::payload(session);
    payload["tool_name"] = "Bash".into();
    payload["tool_use_id"] = format!("toolu_{session}").into();
    payload["tool_input"] = json!({ "command": command });
    payload
}
