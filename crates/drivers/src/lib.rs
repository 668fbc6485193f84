//! Vendors. What an agent's hooks, files, output and screen say, how it is started, and how it is answered.
//!
//! Bytes come in, values go out: nothing here reads a clock, a file, the environment or a socket, and nothing is
//! written. What is a table about an agent is a row in `agents/<name>.toml`; what is a condition is code here.

mod answer;
mod claude;
mod heard;
mod launch;
pub mod lines;
mod table;
mod time;
mod view;

use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::gate::StopVerdict;
use coop_core::agent::prompt::{Choice, Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::state::Capabilities;
use serde_json::Value;

pub use answer::{AnswerError, Press, Progress};
pub use claude::{settings_argument, stop_hook_active};
pub use heard::{Heard, RegistryEntry, RegistryStatus};
pub use launch::{InstalledHook, Launch, LaunchError, LaunchRequest};
pub use table::{Paths, Timings};
pub use view::{Dialog, Reading, ScreenLine, ScreenView, ShownOption, Tab};

/// One kind of agent. It remembers only what is needed to understand the next thing it hears: the ids of the turn and
/// of the tools that were started last, and the messages whose tokens are counted.
pub trait Driver: Send + std::fmt::Debug {
    fn name(&self) -> &'static str;

    fn capabilities(&self) -> Capabilities;

    /// How long to wait for what, from the agent's table.
    fn timings(&self) -> Timings;

    /// Where the agent keeps its files, from the agent's table.
    fn paths(&self) -> Paths;

    /// A hook was called: what it says.
    fn hook(&mut self, event: &str, payload: &Value) -> Heard;

    /// The agent's own word on its terminal (OSC 7501), its message decoded.
    fn report(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard;

    /// The content of the file in which the agent keeps the status of a running session. Nothing if it is not one.
    fn registry(&mut self, text: &str) -> Option<RegistryEntry>;

    /// One line of the session log. A line that is torn or not understood says nothing.
    fn log_line(&mut self, line: &str) -> Heard;

    /// One line of the agent's structured standard output.
    fn stdout_line(&mut self, line: &str) -> Heard;

    /// What the screen shows.
    fn screen(&self, view: &ScreenView<'_>) -> Reading;

    /// What to add to the agent's command line and environment, and which files it then needs.
    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError>;

    /// The hooks to install, each with its command, which is `command` and the name of the event, and the seconds the agent
    /// gives it: `wait_secs` where somebody may have to answer. Nothing for an agent without hooks.
    fn hooks(&self, _command: &str, _wait_secs: u64, _version: Option<&str>) -> Vec<InstalledHook> {
        Vec::new()
    }

    /// What the hook that waits for the answer is to print.
    fn decide(&self, prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError>;

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
    fn plan_file<'a>(&self, input: &'a Value) -> Option<&'a str>;

    /// What such a dialog usually offers, for when its options cannot be read.
    fn fallback_options(&self, context: &PromptContext) -> Vec<Choice>;

    /// What the hook prints when the agent wants to stop.
    fn stop_reply(&self, verdict: &StopVerdict) -> Value;

    /// What the hook prints to tell the agent something at the start of a session.
    fn start_reply(&self, context: &str) -> Value;

    /// What one line of the session log adds to the conversation, and the tokens it adds to what was used.
    fn conversation(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage);

    /// Names of the keys that stop a turn.
    fn interrupt_keys(&self) -> &[String];

    /// Whether the agent would run this message as a command instead of reading it.
    fn is_command(&self, message: &str) -> bool;

    /// Keys that dismiss the dialog of the agent's start that is on the screen, where that is safe. `trusted_cwd` when
    /// the user named the folder the agent works in. Never a tool permission.
    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>>;

    /// Arguments that continue a conversation.
    fn resume_args(&self, session_id: &str) -> Vec<String>;

    /// Name of the folder in which the agent keeps the logs of sessions that work in `cwd`.
    fn project_dir(&self, cwd: &str) -> String;
}

/// The driver of an agent, by the agent's name.
#[must_use]
pub fn driver(name: &str) -> Option<Box<dyn Driver>> {
    match name {
        "claude" => Some(Box::new(claude::Claude::default())),
        _ => None,
    }
}
