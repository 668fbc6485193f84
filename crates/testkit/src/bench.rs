//! An agent in a terminal, for a test: act, wait for what must follow, and on failure see everything.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coop_terminal::keys::{self, Key};
use coop_terminal::pty::ExitStatus;
use coop_terminal::{Options as Screen, ProgramStatus};
use serde_json::Value;

use crate::agent::{Kind, Options};
use crate::model::What;
use crate::sending::{Next, Seen, Sending};
use crate::terminal::Terminal;
use crate::{Agent, Scenario, Sight};

/// Nothing an agent does here takes longer, unless it will never do it. Machines under load are slow, not hung.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// Hooks and logs are files, which do not ring: they are looked at this often.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);
/// A key that has not worked by then will not: a dialog that has just been painted takes none.
pub(crate) const SWALLOWED: Duration = Duration::from_secs(3);
/// An agent that repaints without telling the terminal shows nothing for less than this.
pub(crate) const REPAINT: Duration = Duration::from_millis(100);
/// More agents at once only slow each other down: each keeps a core busy at its start.
const AT_ONCE: u32 = 2;

#[derive(Debug)]
pub struct Bench {
    pub terminal: Terminal,
    pub agent: Agent,
    /// How many of each hook were waited for.
    hooks: HashMap<String, usize>,
    /// How many reports of OSC 7501 were waited for.
    statuses: usize,
    _turn: Turn,
}

impl Bench {
    /// Starts an agent that plays `scenario`. What is wrong is in the panic, with what to do about it.
    #[must_use]
    #[track_caller]
    pub fn launch(kind: Kind, version: &str, scenario: &str, options: &Options) -> Self {
        Self::launch_beside(kind, version, scenario, options, |_| ()).0
    }

    /// The same, with something that is there before the agent is started.
    #[must_use]
    #[track_caller]
    pub fn launch_beside<T>(
        kind: Kind,
        version: &str,
        scenario: &str,
        options: &Options,
        first: impl FnOnce(&Agent) -> T,
    ) -> (Self, T) {
        let turn = Turn::take();
        let scenario = Scenario::parse("scenario", scenario).unwrap_or_else(|error| panic!("{error}"));
        let agent = Agent::launch(kind, version, scenario, options).unwrap_or_else(|error| panic!("{error}"));
        let first = first(&agent);
        let terminal = start(&agent);
        (Self { terminal, agent, hooks: HashMap::new(), statuses: 0, _turn: turn }, first)
    }

    /// Ends the program and starts the agent again in the same home.
    #[track_caller]
    pub fn relaunch(&mut self, options: &Options) {
        self.agent.relaunch(options).unwrap_or_else(|error| panic!("{error}"));
        self.terminal = start(&self.agent);
        self.statuses = 0;
    }

    #[must_use]
    pub fn sight(&self) -> Sight {
        Sight::of(&self.terminal, &self.agent)
    }

    /// Waits until `look` finds what it looks for.
    #[track_caller]
    pub fn until<T>(&self, what: &str, mut look: impl FnMut(&Sight) -> Option<T>) -> T {
        let end = Instant::now() + LIMIT;
        loop {
            let rings = self.agent.bell.rings();
            let sight = self.sight();
            if let Some(found) = look(&sight) {
                return found;
            }
            if let Some(event) = sight.unexpected() {
                panic!("waiting for {what}, the script has no reply: {event}\n{sight}");
            }
            assert!(Instant::now() < end, "waited {LIMIT:?} in vain for {what}\n{sight}");
            self.agent.bell.wait(rings, GLANCE);
        }
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        self.until(&format!("{text:?} on the screen"), |sight| sight.screen.contains(text).then_some(()));
    }

    /// Waits until the screen does not show `text`.
    #[track_caller]
    pub fn hides(&self, text: &str) {
        self.until(&format!("no {text:?} on the screen"), |sight| (!sight.screen.contains(text)).then_some(()));
    }

    /// Waits until the title is as `fits` says.
    #[track_caller]
    pub fn title(&self, what: &str, fits: impl Fn(&str) -> bool) {
        self.until(&format!("a title that {what}"), |sight| fits(sight.title()).then_some(()));
    }

    /// Waits for the next call of a hook by name, after those of that name that were waited for before.
    #[track_caller]
    pub fn hook(&mut self, event: &str) -> Value {
        let seen = self.hooks.get(event).copied().unwrap_or(0);
        let payload = self.until(&format!("hook {event} number {}", seen + 1), |sight| {
            sight.hooks.iter().filter(|line| line.event == event).nth(seen).map(|line| line.payload.clone())
        });
        self.hooks.insert(event.to_owned(), seen + 1);
        payload
    }

    /// Waits for the next report of OSC 7501 with this state, and passes over those before it.
    #[track_caller]
    pub fn status(&mut self, state: &str) -> ProgramStatus {
        let seen = self.statuses;
        let (at, status) = self.until(&format!("program status {state}"), |sight| {
            let mut new = sight.statuses.iter().enumerate().skip(seen);
            new.find(|(_, status)| status.state == state).map(|(at, status)| (at, status.clone()))
        });
        self.statuses = at + 1;
        status
    }

    /// Waits until the model has done `what` as often as `times`.
    #[track_caller]
    pub fn model(&self, what: &What, times: usize) {
        self.until(&format!("the model's {what:?} number {times}"), |sight| {
            (sight.model.iter().filter(|event| event.what == *what).count() >= times).then_some(())
        });
    }

    /// Waits until the model has begun to answer this message.
    #[track_caller]
    pub fn answering(&self, message: &str) {
        self.until(&format!("an answer to {message:?}"), |sight| {
            let asks = |what: &What| matches!(what, What::Request { user, .. } if user.contains(message));
            let request = sight.model.iter().rfind(|event| asks(&event.what))?.request;
            sight.model.iter().any(|event| event.request == request && event.what == What::FirstByte).then_some(())
        });
    }

    #[track_caller]
    pub fn exit(&self) -> ExitStatus {
        self.until("the end of the program", |sight| sight.exit)
    }

    /// Presses keys by name, such as `Escape` or `Down Enter`.
    #[track_caller]
    pub fn press(&self, names: &str) {
        let modes = self.terminal.key_modes();
        for name in names.split_whitespace() {
            let key: Key = name.parse().unwrap_or_else(|error| panic!("{error}"));
            self.terminal.send(&key.encode(modes));
        }
    }

    /// Sends text as if typed.
    pub fn types(&self, text: &str) {
        self.terminal.send(text.as_bytes());
    }

    /// Sends text as if pasted.
    pub fn paste(&self, text: &str) {
        self.terminal.send(&keys::paste(text, self.terminal.modes().bracketed_paste));
    }

    /// Gives the agent a message, and returns when it has taken it.
    #[track_caller]
    pub fn submit(&self, text: &str) {
        // Without the marks of a paste, text and Enter in one read are taken for a paste that has an end of line.
        self.until("bracketed paste", |_| self.terminal.modes().bracketed_paste.then_some(()));
        let mut sending = Sending::new(self.agent.kind, text, self.sight().prompts(text));
        self.until(&format!("{text:?} sent"), |sight| {
            let seen = Seen { screen: &sight.screen, taken: sight.prompts(text), has_ended: sight.exit.is_some() };
            match sending.next(Instant::now(), &seen) {
                Next::Clear => self.press("Ctrl-U"),
                Next::Paste => self.paste(text),
                Next::Enter => self.press("Enter"),
                Next::Wait => {}
                Next::Done => return Some(()),
            }
            None
        });
    }

    /// Presses a key in answer to a dialog, and again while `dialog` stays on the screen: one that has just opened takes
    /// no keys.
    #[track_caller]
    pub fn answer(&self, key: &str, dialog: &str) {
        self.shows(dialog);
        self.press(key);
        let gone = Cell::new(None);
        self.insist(&format!("{key} to close {dialog:?}"), key, |sight| {
            if sight.screen.contains(dialog) {
                gone.set(None);
                return false;
            }
            let since = gone.get().unwrap_or_else(Instant::now);
            gone.set(Some(since));
            since.elapsed() >= REPAINT
        });
    }

    /// Presses a key now and then until it has worked.
    #[track_caller]
    pub fn insist(&self, what: &str, key: &str, worked: impl Fn(&Sight) -> bool) {
        let mut again = Instant::now() + SWALLOWED;
        self.until(what, |sight| {
            if worked(sight) {
                return Some(());
            }
            if Instant::now() > again {
                self.press(key);
                again = Instant::now() + SWALLOWED;
            }
            None
        });
    }

    /// Checks that the whole script was played and nothing else was asked.
    #[track_caller]
    pub fn finish(self) {
        let sight = self.sight();
        let (unplayed, unexpected) = (self.agent.model.unplayed(), sight.unexpected());
        assert!(unexpected.is_none(), "the script has no reply: {unexpected:?}\n{sight}");
        assert!(unplayed.is_empty(), "not played: {unplayed:?}\n{sight}");
    }
}

#[track_caller]
fn start(agent: &Agent) -> Terminal {
    // Gemini changes its keyboard protocol for a terminal that answers the query for it.
    let screen = Screen { kitty_keyboard: agent.kind != Kind::Gemini, ..Screen::default() };
    Terminal::start_with(&agent.command, screen, agent.bell.clone()).unwrap_or_else(|error| panic!("{error}"))
}

/// The right to run an agent, given back on drop.
#[derive(Debug)]
pub(crate) struct Turn;

static RUNNING: (Mutex<u32>, Condvar) = (Mutex::new(0), Condvar::new());

impl Turn {
    pub(crate) fn take() -> Self {
        let running = RUNNING.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = RUNNING.1.wait_while(running, |running| *running >= AT_ONCE);
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *RUNNING.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        RUNNING.1.notify_one();
    }
}
