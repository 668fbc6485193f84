//! The file in which the agent keeps the status of a running session.

use coop_core::agent::Look;
use coop_core::agent::prompt::{OPEN_DIALOG, PromptContext, QuestionPrompt, SetupPrompt};
use serde_json::Value;

use super::hook::ASKS;
use crate::heard::{RegistryEntry, RegistryStatus};
use crate::json::{owned, text};

pub(super) fn read(text: &str) -> Option<RegistryEntry> {
    let value: Value = serde_json::from_str(text).ok()?;
    let session_id = owned(&value, "sessionId");
    let pid = value.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
    if session_id.is_none() && pid.is_none() {
        return None;
    }
    let status = status(&value);
    let waiting_for = owned(&value, "waitingFor");
    Some(RegistryEntry {
        pid,
        session_id,
        cwd: owned(&value, "cwd"),
        proc_start: proc_start(&value),
        look: look(status, waiting_for.as_deref()),
        status,
        waiting_for,
        status_at_ms: ["statusUpdatedAt", "updatedAt"].iter().find_map(|key| value.get(key)?.as_u64()),
        version: owned(&value, "version"),
        name: owned(&value, "name"),
    })
}

fn status(value: &Value) -> Option<RegistryStatus> {
    match text(value, "status")? {
        "busy" => Some(RegistryStatus::Busy),
        "idle" => Some(RegistryStatus::Idle),
        "waiting" => Some(RegistryStatus::Waiting),
        "shell" => Some(RegistryStatus::Shell),
        _ => None,
    }
}

/// A number in some versions, a text in others.
fn proc_start(value: &Value) -> Option<String> {
    match value.get("procStart")? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn look(status: Option<RegistryStatus>, waiting_for: Option<&str>) -> Option<Look> {
    match status? {
        RegistryStatus::Busy => Some(Look::Working),
        // The turn is over and a shell of it still runs in the background: a message would begin a turn now.
        RegistryStatus::Idle | RegistryStatus::Shell => Some(Look::Idle),
        RegistryStatus::Waiting => Some(Look::Dialog { context: context(waiting_for).map(Box::new) }),
    }
}

/// 2.1.325 waits for "input needed" at a question; a permission, a plan and, in 2.1.197, a question too are a
/// "permission prompt", so that this only says that something is asked. A dialog that the person has opened, such as to
/// choose a conversation, is one of the agent itself.
fn context(waiting_for: Option<&str>) -> Option<PromptContext> {
    match waiting_for? {
        "input needed" => {
            Some(PromptContext::Question(QuestionPrompt { tool: Some(ASKS.to_owned()), ..QuestionPrompt::default() }))
        }
        "dialog open" => {
            Some(PromptContext::Setup(SetupPrompt { subtype: OPEN_DIALOG.into(), ..SetupPrompt::default() }))
        }
        _ => None,
    }
}
