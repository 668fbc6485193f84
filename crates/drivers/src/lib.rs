//! Vendors. What an agent's hooks, files, output and screen say, how it is started, and how it is answered.
//!
//! Bytes come in, values go out: nothing here reads a clock, a file, the environment or a socket, and nothing is
//! written. What is a table about an agent is a row in `agents/<name>.toml`; what is a condition is code here.

mod answer;
mod choose;
mod claude;
mod codex;
mod config;
mod fault;
mod gemini;
mod heard;
mod json;
mod launch;
pub mod lines;
mod meter;
mod options;
pub mod page;
pub mod prices;
mod recipe;
mod server;
mod step;
mod table;
pub mod time;
mod view;
mod wish;

use coop_core::agent::Look;
use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::cost::Priced;
use coop_core::agent::gate::StopVerdict;
use coop_core::agent::prompt::{Choice, Prompt, PromptContext};
use coop_core::agent::resolve::Settings;
use coop_core::agent::respond::Respond;
use coop_core::agent::spent::Context;
use coop_core::agent::state::Capabilities;
use serde_json::{Value, json};
use std::time::Duration;

pub use answer::{AnswerError, Press, Progress};
pub use fault::{Fault, read_toml};
pub use heard::{Heard, LogHead, RegistryEntry, RegistryStatus};
pub use launch::{InstalledHook, Launch, LaunchError, LaunchRequest, OwnFolder, Printing};
pub use meter::Meter;
pub use page::Page;
pub use recipe::{Own, Recipe};
pub use server::{Companion, ServerAct, ServerProtocol};
pub use table::{Paths, Table, Timings};
pub use view::{Dialog, Foreground, PromptMark, Reading, ScreenLine, ScreenView, ShownOption, Tab};

/// One kind of agent. It remembers only what is needed to understand the next thing it hears: the ids of the turn and
/// of the tools that were started last, and the messages whose tokens are counted.
pub trait Driver: Send + std::fmt::Debug {
    fn name(&self) -> &str;

    fn capabilities(&self) -> Capabilities;

    /// What is a table about it: `agents/<name>.toml`.
    fn table(&self) -> &Table;

    /// How long to wait for what.
    fn timings(&self) -> Timings {
        self.table().timings
    }

    /// How long its screen must look idle to be called idle, where nothing but the screen tells. Nothing for the usual.
    fn idle_grace(&self) -> Option<Duration> {
        None
    }

    /// Whether it takes what is pasted, if its terminal does.
    fn pastes(&self) -> bool {
        true
    }

    /// Name of the key that gives it what was typed.
    fn submit_key(&self) -> &str {
        "Enter"
    }

    /// Whether it can be seen what is in its input box.
    fn shows_draft(&self) -> bool {
        true
    }

    /// Where the agent keeps its files.
    fn paths(&self) -> Paths {
        self.table().paths.clone()
    }

    /// How far what the agent says can be relied on.
    fn judge(&self) -> Settings {
        self.table().judge.settings()
    }

    /// A hook was called: what it says.
    fn hook(&mut self, event: &str, payload: &Value) -> Heard;

    /// The agent's own word on its terminal (OSC 7501), its message decoded.
    fn report(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard;

    /// The title it gave its terminal. Most say nothing in it that is not better known from elsewhere.
    fn title(&mut self, _title: &str) -> Heard {
        Heard::nothing()
    }

    /// A mark of its prompt on its terminal (OSC 133).
    fn mark(&mut self, _mark: PromptMark) -> Heard {
        Heard::nothing()
    }

    /// Whether it is known by who is in the foreground of its terminal, which nobody tells: it is to be looked at.
    fn watches_foreground(&self) -> bool {
        false
    }

    /// What the foreground of its terminal says.
    fn foreground(&self, _foreground: &Foreground<'_>) -> Option<Look> {
        None
    }

    /// Whether what is typed stands before the cursor until it is given.
    fn echoes(&self) -> bool {
        false
    }

    /// Whether it shows that it has begun with what it was told, however soon it is done with it.
    fn shows_start(&self) -> bool {
        true
    }

    /// The content of the file in which the agent keeps the status of a running session. Nothing if it is not one.
    fn registry(&mut self, _text: &str) -> Option<RegistryEntry> {
        None
    }

    /// The conversation whose log has this file name. Nothing if it is no log.
    fn log_id(&self, name: &str) -> Option<String>;

    /// What the first line of a log says. Nothing for an agent whose logs do not begin like that.
    fn log_head(&self, _line: &str) -> Option<LogHead> {
        None
    }

    /// The folder with the logs of sessions that work in `cwd`, below all logs, where each has one of its own.
    fn log_folder(&self, _cwd: &str) -> Option<String> {
        None
    }

    /// One line of the session log. A line that is torn or not understood says nothing.
    fn log_line(&mut self, line: &str) -> Heard;

    /// Whether its log has the last words of a turn, or why it failed, before its end is told by those who know neither.
    fn log_has_last_words(&self) -> bool {
        false
    }

    /// One line of the agent's structured standard output.
    fn stdout_line(&mut self, line: &str) -> Heard;

    /// What the command line says about standard output.
    fn prints(&self, args: &[String]) -> Printing;

    /// What the screen shows.
    fn screen(&self, view: &ScreenView<'_>) -> Reading;

    /// Whether the screen, on which its dialog was and is no more, shows that this prompt was put away and the agent
    /// rests. For prompts of whose end nobody else tells.
    fn is_dismissed(&self, _context: &PromptContext, _reading: &Reading) -> bool {
        false
    }

    /// The settings that the user's own arguments give, if the agent's have to replace them: a path or JSON.
    fn settings_argument<'a>(&self, _args: &'a [String]) -> Option<&'a str> {
        None
    }

    /// What to add to the agent's command line and environment, and which files it then needs.
    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError>;

    /// The hooks to install, each with its command, which is `command` and the name of the event, and the seconds the agent
    /// gives it: `wait_secs` where somebody may have to answer. Nothing for an agent without hooks.
    fn hooks(&self, _command: &str, _wait_secs: u64, _version: Option<&str>) -> Vec<InstalledHook> {
        Vec::new()
    }

    /// The file that has the user's own hooks, below the agent's folder. Nothing for an agent that takes none.
    fn hooks_file(&self) -> Option<&str> {
        self.table().hooks.file.as_deref()
    }

    /// Whether a hook that asks can be given the answer.
    fn decides_by_hook(&self) -> bool {
        false
    }

    /// How long such a hook may wait, for an agent that does not show its dialog at the terminal meanwhile.
    fn withholds_dialog(&self) -> Option<Duration> {
        self.table().hooks.wait_secs.map(Duration::from_secs)
    }

    /// The same for the hook that asks this.
    fn withholds_dialog_of(&self, context: &PromptContext) -> Option<Duration> {
        let of_subagent = context.agent_id().and(self.table().hooks.subagent_wait_secs);
        of_subagent.map(Duration::from_secs).or_else(|| self.withholds_dialog())
    }

    /// Whether the agent runs hooks only after the user has looked at them.
    fn hooks_are_reviewed(&self) -> bool {
        false
    }

    /// How to speak with the agent's own server, if it has one.
    fn server(&self) -> Option<Box<dyn ServerProtocol>> {
        None
    }

    /// What its server told.
    fn server_event(&mut self, _event: &str, _payload: &Value) -> Heard {
        Heard::nothing()
    }

    /// What the server that waits for the answer gets.
    fn answer_server(&self, _prompt: &Prompt, _respond: &Respond) -> Result<Value, AnswerError> {
        Err(AnswerError::OnlyByKeys("The agent takes answers at its terminal only.".to_owned()))
    }

    /// What the hook that waits for the answer is to print. Hooks of some agents cannot answer.
    fn decide(&self, _prompt: &Prompt, _respond: &Respond) -> Result<Value, AnswerError> {
        Err(AnswerError::OnlyByKeys("The agent takes answers at its terminal only.".to_owned()))
    }

    /// Whether the agent can be told, with an answer, to allow exactly this by itself from then on.
    fn keeps(&self, _pattern: &str) -> bool {
        false
    }

    /// What to press next, given what is on the screen now. To be asked again whenever the screen has changed, and
    /// after [`Progress::retry`] when it has not.
    fn press(
        &self,
        prompt: &Prompt,
        respond: &Respond,
        reading: &Reading,
        done: &mut Progress,
    ) -> Result<Press, AnswerError>;

    /// What a tool that is nothing but a dialog asks, from its call. Nothing for every other tool.
    fn own_dialog(&self, tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext>;

    /// The file that has the plan of this input. What the input itself says may be older.
    fn plan_file<'a>(&self, _input: &'a Value) -> Option<&'a str> {
        None
    }

    /// What is to be said to the agent once the dialog is gone: words that the dialog itself has no place for.
    fn follow_up(&self, _prompt: &Prompt, _respond: &Respond) -> Option<String> {
        None
    }

    /// Whether the agent's dialogs are shown to the person in their own words, because no source tells inputs.
    fn asks_in_words(&self) -> bool {
        false
    }

    /// What such a dialog usually offers, for when its options cannot be read.
    fn fallback_options(&self, context: &PromptContext) -> Vec<Choice> {
        self.table().usual_options(context)
    }

    /// The agent stops only because a stop was refused just before. Refusing again would be a loop.
    fn stops_again(&self, payload: &Value) -> bool {
        json::flag(payload, "stop_hook_active")
    }

    /// What the hook prints when the agent wants to stop.
    fn stop_reply(&self, verdict: &StopVerdict) -> Value {
        match verdict {
            StopVerdict::Allow => json!({}),
            StopVerdict::Block { reason } => json!({ "decision": "block", "reason": reason }),
        }
    }

    /// What the hook prints to tell the agent something at the start of a session.
    fn start_reply(&self, context: &str) -> Value {
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": context } })
    }

    /// What one line of the session log adds to the conversation, and the tokens it adds to what was used.
    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage);

    /// Whose tokens a line of the session log counts, and what they cost if the agent says so.
    fn priced(&mut self, _line: &str) -> Priced {
        Priced::default()
    }

    /// How much the model had before it, as far as that is known after this line of the session log; `known` is what was
    /// known before it.
    fn context(&self, _line: &str, known: Option<Context>) -> Option<Context> {
        known
    }

    /// What the conversation has cost in picodollars, if a line of the agent's structured standard output says so.
    fn stdout_cost(&self, _line: &str) -> Option<u64> {
        None
    }

    /// Names of the keys that stop a turn.
    fn interrupt_keys(&self) -> &[String] {
        &self.table().keys.interrupt
    }

    /// Whether the agent would run this message as a command instead of reading it.
    fn is_command(&self, message: &str) -> bool;

    /// Keys that dismiss the dialog of the agent's start that is on the screen, where that is safe. `trusted_cwd` when
    /// the user named the folder the agent works in. Never a tool permission.
    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>>;

    /// The user's arguments, so that they continue a conversation.
    fn resume_args(&self, args: Vec<String>, session_id: &str) -> Vec<String>;

    /// The user's arguments for another start that goes on with a conversation: without what chooses one, and without a
    /// message, which has been said.
    fn args_again(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    /// Whether the arguments say which conversation it is.
    fn chooses_conversation(&self, _args: &[String]) -> bool {
        false
    }
}

/// The driver of an agent that coop knows by itself, by the agent's name.
#[must_use]
pub fn driver(name: &str) -> Option<Box<dyn Driver>> {
    Recipe::known(name).map(|recipe| recipe.driver())
}
