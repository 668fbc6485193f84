//! Codex.

mod context;
mod conversation;
mod decide;
mod failure;
mod hook;
mod launch;
mod log;
mod press;
mod reply;
mod report;
mod screen;
mod server;
mod stdout;
mod tool;

use std::sync::LazyLock;

use coop_core::agent::Look;
use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::cost::Priced;
use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::spent::Context;
use coop_core::agent::state::Capabilities;
use serde_json::Value;

use crate::Driver;
use crate::answer::{AnswerError, Press, Progress};
use crate::choose;
use crate::heard::{Heard, LogHead};
use crate::launch::{InstalledHook, Launch, LaunchError, LaunchRequest, Printing, named_hooks};
use crate::server::ServerProtocol;
use crate::table::Table;
use crate::view::{Reading, ScreenView};

/// The table is part of the program; a test reads it.
#[allow(clippy::expect_used)]
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../../../agents/codex.toml")).expect("agents/codex.toml"));

/// What has to be remembered to understand the next thing that is heard.
#[derive(Debug, Default)]
pub(crate) struct Codex {
    hooks: hook::Memory,
    reports: report::Memory,
    server: server::Memory,
    log: log::Memory,
    stdout: stdout::Memory,
    /// The model of the turn whose tokens are counted.
    model: Option<String>,
}

impl Driver for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    /// A hook that waits keeps the dialog from the person at the terminal, so that none is made to wait for an answer.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            nudge: true,
            respond_by_keys: true,
            respond_by_hook: false,
            nudge_while_working: true,
            interrupt: true,
            conversation: true,
            stop_gate: true,
        }
    }

    fn table(&self) -> &Table {
        &TABLE
    }

    fn hook(&mut self, event: &str, payload: &Value) -> Heard {
        self.hooks.hear(event, payload)
    }

    fn server(&self) -> Option<Box<dyn ServerProtocol>> {
        Some(Box::new(server::Protocol::default()))
    }

    fn server_event(&mut self, event: &str, payload: &Value) -> Heard {
        self.server.hear(event, payload)
    }

    fn answer_server(&self, prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
        reply::reply(prompt, respond)
    }

    fn report(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard {
        // The terminal says that it asks when its dialog is up, which may be after the server has been answered.
        if self.server.is_heard && state == report::BLOCKED {
            return Heard::nothing();
        }
        self.reports.hear(state, kind, message)
    }

    fn log_id(&self, name: &str) -> Option<String> {
        log::id(name)
    }

    fn log_head(&self, line: &str) -> Option<LogHead> {
        log::head(line)
    }

    fn log_line(&mut self, line: &str) -> Heard {
        self.log.hear(line)
    }

    fn stdout_line(&mut self, line: &str) -> Heard {
        self.stdout.hear(line)
    }

    fn prints(&self, args: &[String]) -> Printing {
        launch::prints(args)
    }

    fn screen(&self, view: &ScreenView<'_>) -> Reading {
        screen::read(&TABLE, view)
    }

    /// Whoever says no to a plan stays in plan mode; whoever says yes leaves it.
    fn is_dismissed(&self, context: &PromptContext, reading: &Reading) -> bool {
        matches!(context, PromptContext::Plan(_)) && reading.mode.is_some() && reading.look == Some(Look::Idle)
    }

    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError> {
        launch::launch(&TABLE, request)
    }

    fn hooks(&self, command: &str, wait_secs: u64, _version: Option<&str>) -> Vec<InstalledHook> {
        named_hooks(&TABLE, self.name(), command, wait_secs)
    }

    fn hooks_are_reviewed(&self) -> bool {
        true
    }

    /// Only the hub makes one wait: whoever runs it under coop can answer the dialog from elsewhere.
    fn decides_by_hook(&self) -> bool {
        true
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
        press::press(&TABLE, prompt, respond, reading, done)
    }

    fn own_dialog(&self, tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext> {
        tool::own_dialog(tool, input, id)
    }

    fn follow_up(&self, prompt: &Prompt, respond: &Respond) -> Option<String> {
        choose::follow_up(prompt, respond)
    }

    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage) {
        conversation::read(number, line)
    }

    fn priced(&mut self, line: &str) -> Priced {
        self.model = conversation::model(line).or_else(|| self.model.take());
        Priced { model: self.model.clone(), said: None }
    }

    fn context(&self, line: &str, known: Option<Context>) -> Option<Context> {
        context::after(line, known)
    }

    fn is_command(&self, message: &str) -> bool {
        launch::is_command(message)
    }

    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
        choose::groom(press::AGENT, &TABLE, reading, trusted_cwd)
    }

    fn resume_args(&self, args: Vec<String>, session_id: &str) -> Vec<String> {
        launch::resume(args, session_id)
    }
}
