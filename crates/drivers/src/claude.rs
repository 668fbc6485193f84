//! Claude Code.

mod conversation;
mod decide;
mod hook;
mod json;
mod launch;
mod limit;
mod log;
mod press;
mod registry;
mod report;
mod screen;
mod stdout;
mod wish;

use std::collections::VecDeque;
use std::sync::LazyLock;

use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::gate::StopVerdict;
use coop_core::agent::prompt::{Choice, Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::state::Capabilities;
use serde_json::{Value, json};

use crate::Driver;
use crate::answer::{AnswerError, Press, Progress};
use crate::heard::{Heard, RegistryEntry};
use crate::launch::{InstalledHook, Launch, LaunchError, LaunchRequest};
use crate::table::{Kind, Paths, Table, Timings};
use crate::view::{Reading, ScreenView};

pub use hook::stop_hook_active;
pub use launch::settings_argument;

/// The table is part of the program; a test reads it.
#[allow(clippy::expect_used)]
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../../../agents/claude.toml")).expect("agents/claude.toml"));

/// What has to be remembered to understand the next thing that is heard.
#[derive(Debug, Default)]
pub(crate) struct Claude {
    /// Tools that began last: hooks that ask for a permission do not say for which call.
    started: VecDeque<StartedTool>,
    log: log::Memory,
    /// A report said that something is asked.
    asked: bool,
    stdout: log::Memory,
    counted: conversation::Counted,
}

#[derive(Debug)]
struct StartedTool {
    id: String,
    name: String,
    input: Value,
}

impl Driver for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            nudge: true,
            respond_by_keys: true,
            respond_by_hook: true,
            nudge_while_working: true,
            interrupt: true,
            conversation: true,
            stop_gate: true,
        }
    }

    fn timings(&self) -> Timings {
        TABLE.timings
    }

    fn paths(&self) -> Paths {
        TABLE.paths.clone()
    }

    fn hook(&mut self, event: &str, payload: &Value) -> Heard {
        hook::hear(self, event, payload)
    }

    fn report(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard {
        report::hear(self, state, kind, message)
    }

    fn registry(&mut self, text: &str) -> Option<RegistryEntry> {
        registry::read(text)
    }

    fn log_line(&mut self, line: &str) -> Heard {
        self.log.hear(line)
    }

    fn stdout_line(&mut self, line: &str) -> Heard {
        stdout::hear(&mut self.stdout, line)
    }

    fn screen(&self, view: &ScreenView<'_>) -> Reading {
        screen::read(&TABLE, view)
    }

    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError> {
        launch::launch(&TABLE, request)
    }

    fn hooks(&self, command: &str, wait_secs: u64, version: Option<&str>) -> Vec<InstalledHook> {
        launch::hooks(&TABLE, command, wait_secs, version)
    }

    fn decide(&self, prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
        decide::decide(prompt, respond)
    }

    fn press(
        &self,
        prompt: &Prompt,
        respond: &Respond,
        reading: &Reading,
        done: &mut Progress,
    ) -> Result<Press, AnswerError> {
        press::press(&TABLE.keys, prompt, respond, reading, done)
    }

    fn own_dialog(&self, tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext> {
        hook::own_dialog(tool, input, id)
    }

    fn plan_file<'a>(&self, input: &'a Value) -> Option<&'a str> {
        json::text(input, "planFilePath")
    }

    fn fallback_options(&self, context: &PromptContext) -> Vec<Choice> {
        let (kind, labels) = match context {
            PromptContext::Permission(permission) if permission.subtype.as_deref() == Some("trust") => {
                (Kind::Permission, &TABLE.fallback.trust)
            }
            PromptContext::Permission(_) => (Kind::Permission, &TABLE.fallback.permission),
            PromptContext::Plan(_) => (Kind::Plan, &TABLE.fallback.plan),
            PromptContext::Question(_) | PromptContext::Setup(_) => return context.options().to_vec(),
        };
        labels.iter().map(|label| choice(kind, label)).collect()
    }

    fn stop_reply(&self, verdict: &StopVerdict) -> Value {
        match verdict {
            StopVerdict::Allow => json!({}),
            StopVerdict::Block { reason } => json!({ "decision": "block", "reason": reason }),
        }
    }

    fn start_reply(&self, context: &str) -> Value {
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": context } })
    }

    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage) {
        conversation::read(&mut self.counted, number, line)
    }

    fn interrupt_keys(&self) -> &[String] {
        &TABLE.keys.interrupt
    }

    fn is_command(&self, message: &str) -> bool {
        launch::is_command(message)
    }

    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
        press::groom(&TABLE, reading, trusted_cwd)
    }

    fn resume_args(&self, session_id: &str) -> Vec<String> {
        vec!["--resume".to_owned(), session_id.to_owned()]
    }

    fn project_dir(&self, cwd: &str) -> String {
        launch::project_dir(cwd)
    }
}

fn choice(kind: Kind, label: &str) -> Choice {
    Choice { label: label.to_owned(), description: None, meaning: TABLE.meaning(kind, label) }
}
