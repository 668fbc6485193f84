//! Claude Code.

mod again;
mod context;
mod conversation;
mod decide;
mod hook;
mod launch;
mod limit;
mod log;
mod press;
mod registry;
mod report;
mod screen;
mod stdout;

use std::collections::VecDeque;
use std::sync::LazyLock;

use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::cost::Priced;
use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::spent::Context;
use coop_core::agent::state::Capabilities;
use serde_json::Value;

use crate::Driver;
use crate::answer::{AnswerError, Press, Progress};
use crate::heard::{Heard, RegistryEntry};
use crate::launch::{InstalledHook, Launch, LaunchError, LaunchRequest, Printing};
use crate::table::Table;
use crate::view::{Reading, ScreenView};

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

    fn table(&self) -> &Table {
        &TABLE
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

    fn log_id(&self, name: &str) -> Option<String> {
        let id = name.strip_suffix(TABLE.paths.log_extension.as_str())?.trim_end_matches('.');
        (!id.is_empty()).then(|| id.to_owned())
    }

    fn log_folder(&self, cwd: &str) -> Option<String> {
        Some(launch::project_dir(cwd))
    }

    fn log_line(&mut self, line: &str) -> Heard {
        self.log.hear(line)
    }

    fn stdout_line(&mut self, line: &str) -> Heard {
        stdout::hear(&mut self.stdout, line)
    }

    fn prints(&self, args: &[String]) -> Printing {
        launch::prints(args)
    }

    fn settings_argument<'a>(&self, args: &'a [String]) -> Option<&'a str> {
        launch::settings_argument(args)
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

    fn decides_by_hook(&self) -> bool {
        true
    }

    fn decide(&self, prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
        decide::decide(prompt, respond)
    }

    fn keeps(&self, pattern: &str) -> bool {
        decide::native(pattern).is_some()
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
        crate::json::text(input, "planFilePath")
    }

    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage) {
        conversation::read(&mut self.counted, number, line)
    }

    fn priced(&mut self, line: &str) -> Priced {
        conversation::priced(line)
    }

    fn context(&self, line: &str, known: Option<Context>) -> Option<Context> {
        context::after(line, known)
    }

    fn stdout_cost(&self, line: &str) -> Option<u64> {
        stdout::cost(line)
    }

    fn is_command(&self, message: &str) -> bool {
        launch::is_command(message)
    }

    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
        press::groom(&TABLE, reading, trusted_cwd)
    }

    fn resume_args(&self, mut args: Vec<String>, session_id: &str) -> Vec<String> {
        args.extend(["--resume".to_owned(), session_id.to_owned()]);
        args
    }

    fn args_again(&self, args: &[String]) -> Vec<String> {
        again::args(&TABLE.arguments, args)
    }

    fn chooses_conversation(&self, args: &[String]) -> bool {
        again::chooses(args)
    }
}
