//! May the agent stop, and what is it told when it starts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether the agent may end its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopConfig {
    pub mode: StopMode,
    /// What the agent is told when it may not stop yet.
    pub prompt: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopMode {
    #[default]
    Allow,
    /// Blocked until told otherwise, with instructions how to tell.
    Auto,
    /// Blocked until told otherwise, with the prompt as it is.
    Gate,
}

/// What the agent is told at the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StartConfig {
    pub text: Option<String>,
    /// Commands whose output is told too, run by the hook in the agent's folder.
    pub shell: Vec<String>,
    /// Instead of these, by what began the session: startup, resume, clear, compact.
    pub event: BTreeMap<String, StartPart>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StartPart {
    pub text: Option<String>,
    pub shell: Vec<String>,
}

/// How much is done about dialogs at the agent's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Groom {
    /// Dismissed where that is safe.
    #[default]
    Auto,
    /// Reported.
    Manual,
    /// Reported, and no hooks are installed.
    Pristine,
}

/// The gate itself: what was set, and whether the agent has been let through.
#[derive(Clone, Debug, Default)]
pub struct StopGate {
    pub config: StopConfig,
    /// Given by whoever may say that the work is done.
    resolved: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    Allow,
    Block { reason: String },
}

impl StopGate {
    #[must_use]
    pub fn new(config: StopConfig) -> Self {
        Self { config, resolved: None }
    }

    /// The agent wants to stop. `again` when it was blocked just before and only stops because of that: blocking it
    /// for ever would be a loop.
    pub fn on_stop(&mut self, again: bool) -> StopVerdict {
        let blocks = self.config.mode != StopMode::Allow;
        if !blocks || again || self.resolved.take().is_some() {
            return StopVerdict::Allow;
        }
        let prompt = self.config.prompt.clone();
        let reason = match self.config.mode {
            StopMode::Allow => return StopVerdict::Allow,
            StopMode::Gate => prompt.unwrap_or_else(|| "You may not stop yet.".into()),
            StopMode::Auto => format!(
                "{}When you are done, run `coop send` with a JSON object that says how it went, for example: \
                 coop send '{{\"status\":\"done\",\"message\":\"what was done\"}}'. Then stop.",
                prompt.map(|prompt| format!("{prompt}\n")).unwrap_or_default()
            ),
        };
        StopVerdict::Block { reason }
    }

    /// The work is done: the next stop is let through.
    pub fn resolve(&mut self, body: Value) {
        self.resolved = Some(body);
    }
}

impl StartConfig {
    /// What applies to a session that began like this. Nothing when there is nothing to say.
    #[must_use]
    pub fn part(&self, cause: &str) -> Option<StartPart> {
        let own = StartPart { text: self.text.clone(), shell: self.shell.clone() };
        let part = self.event.get(cause).cloned().unwrap_or(own);
        (part != StartPart::default()).then_some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_gate_opens_when_told_and_never_loops() {
        let blocked = |gate: &mut StopGate, again| matches!(gate.on_stop(again), StopVerdict::Block { .. });
        let gate = |mode| StopGate { config: StopConfig { mode, prompt: Some("not yet".into()) }, resolved: None };
        assert!(!blocked(&mut gate(StopMode::Allow), false));
        for mode in [StopMode::Auto, StopMode::Gate] {
            let mut gate = gate(mode);
            assert!(blocked(&mut gate, false));
            assert!(!blocked(&mut gate, true), "it was blocked just before");
            assert!(blocked(&mut gate, false));
            gate.resolve(json!({ "status": "done" }));
            assert!(!blocked(&mut gate, false));
            assert!(blocked(&mut gate, false), "for one stop only");
        }
    }

    #[test]
    fn the_start_of_a_kind_wins_over_the_general_one() {
        let config: StartConfig = serde_json::from_value(json!({
            "text": "always", "event": { "clear": { "text": "cleared" }, "resume": {} },
        }))
        .unwrap();
        let text = |cause| config.part(cause).and_then(|part| part.text);
        assert_eq!(text("startup").as_deref(), Some("always"));
        assert_eq!(text("clear").as_deref(), Some("cleared"));
        assert_eq!(config.part("resume"), None);
        assert_eq!(StartConfig::default().part("startup"), None);
    }
}
