//! The Gemini CLI.

mod context;
mod conversation;
mod failure;
mod hook;
mod launch;
mod log;
mod press;
mod replay;
mod screen;
mod stdout;
mod title;
mod tool;

use std::sync::LazyLock;

use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::cost::Priced;
use coop_core::agent::gate::StopVerdict;
use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::spent::Context;
use coop_core::agent::state::Capabilities;
use serde_json::{Value, json};

use crate::Driver;
use crate::answer::{AnswerError, Press, Progress};
use crate::heard::{Heard, LogHead};
use crate::json::text;
use crate::launch::{InstalledHook, Launch, LaunchError, LaunchRequest, Printing, named_hooks};
use crate::table::Table;
use crate::view::{Reading, ScreenView};

/// The table is part of the program; a test reads it.
#[allow(clippy::expect_used)]
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../../../agents/gemini.toml")).expect("agents/gemini.toml"));

/// What has to be remembered to understand the next thing that is heard.
#[derive(Debug, Default)]
pub(crate) struct Gemini {
    hooks: hook::Memory,
    titles: title::Memory,
    log: log::Memory,
    stdout: stdout::Memory,
    told: conversation::Told,
}

impl Driver for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    /// No hook can approve, and the message of one that works is not told until its turn is over.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            nudge: true,
            respond_by_keys: true,
            respond_by_hook: false,
            nudge_while_working: false,
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

    /// It makes none.
    fn report(&mut self, _state: &str, _kind: Option<&str>, _message: Option<&str>) -> Heard {
        Heard::nothing()
    }

    fn title(&mut self, title: &str) -> Heard {
        self.titles.hear(&TABLE.screen, title)
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

    fn log_has_last_words(&self) -> bool {
        true
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

    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError> {
        launch::launch(&TABLE, request)
    }

    fn hooks(&self, command: &str, wait_secs: u64, _version: Option<&str>) -> Vec<InstalledHook> {
        named_hooks(&TABLE, self.name(), command, wait_secs)
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
        tool::own_dialog(tool, input, id)
    }

    fn plan_file<'a>(&self, input: &'a Value) -> Option<&'a str> {
        text(input, "plan_path")
    }

    fn follow_up(&self, prompt: &Prompt, respond: &Respond) -> Option<String> {
        press::follow_up(prompt, respond)
    }

    fn stop_reply(&self, verdict: &StopVerdict) -> Value {
        match verdict {
            StopVerdict::Allow => json!({}),
            StopVerdict::Block { reason } => json!({ "decision": "deny", "reason": reason }),
        }
    }

    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage) {
        self.told.read(number, line)
    }

    fn priced(&mut self, line: &str) -> Priced {
        context::priced(line)
    }

    fn context(&self, line: &str, known: Option<Context>) -> Option<Context> {
        context::after(self.table(), line, known)
    }

    fn is_command(&self, message: &str) -> bool {
        launch::is_command(message)
    }

    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
        press::groom(&TABLE, reading, trusted_cwd)
    }

    fn resume_args(&self, args: Vec<String>, session_id: &str) -> Vec<String> {
        let resume = ["--resume".to_owned(), session_id.to_owned()];
        args.into_iter().chain(resume).collect()
    }
}
