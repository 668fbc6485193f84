//! Going on with what another process has left, and leaving it for the next one.

use coop_core::event::EventLog;
use coop_terminal::log::OutputLog;
use coop_terminal::{Screen, Signal};

use super::Owner;
use crate::survive::{Left, NOTE_EVERY, Noted};

impl Owner {
    /// The program runs already: the log, the screen and the numbers go on where they were.
    pub(super) fn go_on(&mut self, left: Left) {
        let Left { survival, noted, picture, end, .. } = left;
        let (tape, generation) = (&survival.tape, noted.generation);
        let handled = tape.handled().max(noted.offset).min(end);
        self.events = EventLog::restored(self.config.event_limit, generation, tape.events(), []);
        if let Some(agent) = &mut self.agent {
            // There were not more changes than events.
            (agent.status.seq, agent.status.since_seq) = (tape.events(), tape.events());
        }
        self.change = noted.change();
        let kept = handled.saturating_sub(self.config.log_size as u64).max(tape.start());
        self.log = OutputLog::restored(self.config.log_size, generation, handled, &tape.bytes(kept, handled));
        self.screen = Screen::new(noted.size(), self.config.screen);
        self.screen_base = noted.offset.wrapping_sub(picture.len() as u64);
        let painted = self.screen.feed(&picture).and_then(|()| self.screen.feed(&tape.bytes(noted.offset, handled)));
        if painted.is_err() {
            self.rebuild_screen();
        }
        // Questions were answered when they were new. What the program said last about itself still holds.
        drop(self.screen.take_replies());
        let signals = self.screen.take_signals();
        let last = |fits: fn(&&Signal) -> bool| signals.iter().rfind(fits);
        let said = [
            last(|signal| matches!(signal, Signal::Title(_))),
            last(|signal| matches!(signal, Signal::PromptMark { .. })),
            last(|signal| matches!(signal, Signal::ProgramStatus(_))),
        ];
        self.noted = Some(noted);
        for signal in said.into_iter().flatten() {
            self.said(signal);
        }
        // What was read and nobody had looked at is new.
        let rest = tape.bytes(handled, end);
        if !rest.is_empty() {
            self.output(&rest);
        }
    }

    /// How much of the output is on the screen.
    pub(super) fn painted(&self) -> u64 {
        // A screen that began with a picture counts that too, and its base may be before the first byte.
        self.screen_base.wrapping_add(self.screen.applied())
    }

    /// Leaves what another process would need. Cheap when there is nothing new.
    pub(super) fn write_down(&mut self) {
        let Some(survival) = self.config.survival.clone() else { return };
        survival.tape.set_events(self.events.newest());
        survival.tape.set_handled(self.log.end());
        if let (Some(exit), Some(link), true) = (self.told_exit(), &survival.link, self.noted.is_some()) {
            self.noted = None;
            if let Err(error) = link.ended(exit.shell_code()) {
                tracing::debug!(%error, "the holder is gone");
            }
        }
        if self.over || !self.is_note_due() {
            return;
        }
        let (size, change) = (self.screen.size(), &self.change);
        let text = |text: &std::ffi::OsString| text.to_string_lossy().into_owned();
        let noted = Noted {
            pid: self.pid(),
            generation: self.log.generation(),
            cols: size.cols(),
            rows: size.rows(),
            offset: self.painted().max(self.log.start()),
            conversation: self.agent.as_ref().and_then(|agent| agent.status.session_id.clone()),
            env: change.env.iter().map(|(name, value)| (text(name), value.as_ref().map(text))).collect(),
            args: change.args.as_ref().map(|args| args.iter().map(text).collect()),
        };
        let picture = if noted.offset == 0 { Vec::new() } else { self.screen.repaint(self.config.screen.scrollback) };
        if let Err(error) = survival.notes.write(&noted.written(&picture)) {
            tracing::warn!(%error, "the session would not survive");
        }
        self.noted = Some(noted);
    }

    fn is_note_due(&self) -> bool {
        let Some(noted) = &self.noted else { return true };
        let size = self.screen.size();
        let conversation = self.agent.as_ref().and_then(|agent| agent.status.session_id.as_ref());
        noted.generation != self.log.generation()
            || (noted.cols, noted.rows) != (size.cols(), size.rows())
            || self.log.end().saturating_sub(noted.offset) > NOTE_EVERY
            || noted.conversation.as_ref() != conversation
    }
}
