//! An agent that is known by a page: what is painted, its title and its process are all there is.

use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::conversation::{Entry, Usage};
use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use coop_core::agent::state::Capabilities;
use coop_core::agent::{Look, Source};
use serde_json::Value;

use super::{Page, Paste, Spec, is_latest, prompt};
use crate::Driver;
use crate::answer::{AnswerError, Press, Progress};
use crate::choose;
use crate::heard::Heard;
use crate::launch::{Launch, LaunchError, LaunchRequest, Printing};
use crate::table::{Arguments, DialogRule, Fallback, HookForms, Judge, Keys, Paths, Phrases, Table, Timings};
use crate::view::{Foreground, PromptMark, Reading, ScreenView};

#[derive(Debug)]
pub(super) struct Paged {
    page: Arc<Page>,
    prompt: prompt::Memory,
}

impl Paged {
    pub(super) fn new(page: Arc<Page>) -> Self {
        Self { page, prompt: prompt::Memory::default() }
    }
}

impl Driver for Paged {
    fn name(&self) -> &str {
        self.page.name()
    }

    fn asks_in_words(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        let Spec { input, dialogs, .. } = &self.page.spec;
        Capabilities {
            nudge: true,
            respond_by_keys: !dialogs.is_empty(),
            respond_by_hook: false,
            nudge_while_working: input.while_working,
            interrupt: !input.interrupt.is_empty(),
            conversation: false,
            stop_gate: false,
        }
    }

    fn table(&self) -> &Table {
        &self.page.table
    }

    fn idle_grace(&self) -> Option<Duration> {
        self.page.idle_grace()
    }

    fn pastes(&self) -> bool {
        self.page.spec.input.paste == Paste::Bracketed
    }

    fn submit_key(&self) -> &str {
        &self.page.spec.input.submit
    }

    fn shows_draft(&self) -> bool {
        self.page.spec.input.place.is_some()
    }

    fn hook(&mut self, _event: &str, _payload: &Value) -> Heard {
        Heard::nothing()
    }

    fn report(&mut self, _state: &str, _kind: Option<&str>, _message: Option<&str>) -> Heard {
        Heard::nothing()
    }

    fn log_id(&self, _name: &str) -> Option<String> {
        None
    }

    fn log_line(&mut self, _line: &str) -> Heard {
        Heard::nothing()
    }

    fn stdout_line(&mut self, _line: &str) -> Heard {
        Heard::nothing()
    }

    fn mark(&mut self, mark: PromptMark) -> Heard {
        if self.page.spec.evidence.marks { self.prompt.hear(mark) } else { Heard::nothing() }
    }

    fn watches_foreground(&self) -> bool {
        self.page.spec.evidence.foreground
    }

    fn foreground(&self, foreground: &Foreground<'_>) -> Option<Look> {
        self.page.spec.evidence.foreground.then(|| self.prompt.look(foreground)).flatten()
    }

    fn echoes(&self) -> bool {
        self.page.spec.input.echo
    }

    fn shows_start(&self) -> bool {
        !self.page.spec.input.echo || self.prompt.is_marked()
    }

    /// It has no hooks, no files and no structured output that would be known.
    fn prints(&self, _args: &[String]) -> Printing {
        let mut without = vec![Source::Hook, Source::Registry, Source::Log, Source::Stdout];
        without.extend((!self.page.spec.evidence.marks).then_some(Source::Report));
        Printing { json: false, without }
    }

    fn screen(&self, view: &ScreenView<'_>) -> Reading {
        self.page.reading(view)
    }

    fn launch(&self, request: &LaunchRequest) -> Result<Launch, LaunchError> {
        let config = request.agent_config.as_ref();
        let unknown =
            ["settings", "mcp", "hooks"].into_iter().find(|part| config.is_some_and(|c| c.get(part).is_some()));
        match unknown {
            Some(part) => Err(LaunchError::NotTaken { part: part.to_owned(), agent: self.page.name().to_owned() }),
            None => Ok(Launch { args: request.args.clone(), ..Launch::default() }),
        }
    }

    fn press(
        &self,
        prompt: &Prompt,
        respond: &Respond,
        reading: &Reading,
        done: &mut Progress,
    ) -> Result<Press, AnswerError> {
        self.page.next_press(prompt, respond, reading, done)
    }

    fn own_dialog(&self, _tool: &str, _input: &Value, _id: Option<&str>) -> Option<PromptContext> {
        None
    }

    fn follow_up(&self, prompt: &Prompt, respond: &Respond) -> Option<String> {
        choose::follow_up(prompt, respond)
    }

    fn conversation(&mut self, _number: u64, _line: &str) -> (Vec<Entry>, Usage) {
        (Vec::new(), Usage::default())
    }

    fn is_command(&self, message: &str) -> bool {
        message.trim_start().starts_with(|c| self.page.spec.input.commands.contains(c))
    }

    fn groom(&self, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
        choose::groom(self.page.title(), &self.page.table, reading, trusted_cwd)
    }

    fn resume_args(&self, args: Vec<String>, session_id: &str) -> Vec<String> {
        let resume = &self.page.spec.resume;
        let own = if is_latest(session_id) { &resume.latest } else { &resume.id };
        args.into_iter().chain(own.iter().map(|arg| arg.replace("{id}", session_id))).collect()
    }
}

impl Spec {
    /// What of it drivers have in common.
    pub(super) fn table(&self) -> Table {
        let timing = &self.timing;
        let key = str::to_owned;
        Table {
            paths: Paths::default(),
            timings: Timings::seen_only(timing.key_retry_ms, timing.dialog_settle_ms, self.input.submit_delay_ms),
            judge: Judge { asks_in_turn: true, ..Judge::default() },
            names: Default::default(),
            keys: Keys {
                interrupt: self.input.interrupt.clone(),
                confirm: key("Enter"),
                cancel: key("Escape"),
                up: key("Up"),
                down: key("Down"),
                next_tab: key("Tab"),
                amend: key("Tab"),
            },
            arguments: Arguments::default(),
            screen: Phrases { pointer: self.pointer.clone(), ..Phrases::default() },
            hooks: HookForms::default(),
            events: Vec::new(),
            dialogs: self.dialogs.iter().map(DialogRule::from).collect(),
            options: self.options.clone(),
            windows: Default::default(),
            fallback: Fallback::default(),
        }
    }
}

impl From<&super::DialogPage> for DialogRule {
    /// As much of it as tells what dismisses the dialog.
    fn from(page: &super::DialogPage) -> Self {
        Self {
            rule: page.rule.clone(),
            kind: page.kind,
            subtype: page.subtype.clone(),
            tool: page.tool.clone(),
            title: Vec::new(),
            ask: Vec::new(),
            foot: Vec::new(),
            all: page.all.clone(),
            any: page.any.clone(),
            none: page.none.clone(),
            inner_rules: 0,
            bare: false,
            review: false,
            text: page.text,
            notice: false,
            by_enter: page.arrows,
            groom: page.groom.clone(),
            captures: page.captures.clone(),
        }
    }
}
