//! From the PTY to the log and the screen.

use std::time::{Duration, Instant};

use coop_core::timer::Timer;
use coop_terminal::Signal;

use super::Owner;
use crate::translate;

/// As terminals do: an application that dies within an update must not freeze the screen.
const SYNC_TIMEOUT: Duration = Duration::from_millis(150);

impl Owner {
    pub(super) fn output(&mut self, bytes: &[u8]) {
        self.last_activity = Instant::now();
        self.log.push(bytes);
        if self.screen.feed(bytes).is_err() {
            self.rebuild_screen();
        }
        self.printed(bytes);
        self.after_screen_change();
        self.look_again_soon();
        if self.child_gone {
            self.arm_drain();
        }
    }

    pub(super) fn after_screen_change(&mut self) {
        let replies = self.screen.take_replies();
        // Of a terminal that is not ours somebody else answers.
        if self.child.is_own() {
            self.input.push_replies(&replies);
        }
        for signal in self.screen.take_signals() {
            self.said(&signal);
            if let Some(event) = translate::event(signal) {
                self.events.push(event);
            }
        }
        self.arm_agent();
        match (self.screen.sync_pending(), self.timers.is_set(Timer::Sync)) {
            (true, false) => self.timers.set(Timer::Sync, Instant::now() + SYNC_TIMEOUT),
            (false, true) => self.timers.stop(Timer::Sync),
            _ => {}
        }
    }

    /// What the program tells of itself is evidence.
    pub(super) fn said(&mut self, signal: &Signal) {
        match signal {
            Signal::PromptMark { mark, exit_code } => self.marked(*mark, *exit_code),
            // A subagent that works says nothing of the dialog that its master has on the screen.
            Signal::ProgramStatus(status) if status.id.is_some() => {}
            Signal::ProgramStatus(status) => {
                self.reported(&status.state, status.kind.as_deref(), status.message.as_deref());
            }
            Signal::Title(title) => self.titled(title),
            _ => {}
        }
    }

    /// The engine failed and is empty: paint what the log still has.
    pub(super) fn rebuild_screen(&mut self) {
        tracing::error!(offset = self.log.end(), "the terminal engine failed; painting its screen again from the log");
        self.screen_base = self.log.start();
        let (older, newer) = self.log.contents();
        let replayed = self.screen.feed(older).and_then(|()| self.screen.feed(newer));
        // Questions in the log were answered when they were new.
        drop(self.screen.take_replies());
        drop(self.screen.take_signals());
        if replayed.is_err() {
            self.screen_base = self.log.end();
        }
    }

    pub(super) fn output_ended(&mut self) {
        self.output_over = true;
        self.timers.stop(Timer::Drain);
        let gone = self.gone();
        self.input.fail(&mut self.answers, |_, _| gone.clone());
        self.finish();
    }
}
