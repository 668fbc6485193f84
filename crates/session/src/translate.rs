//! Between the terminal's words and the core's.

use coop_core::event::{Event, ProgressState};
use coop_core::status::Exit;
use coop_terminal::pty::ExitStatus;
use coop_terminal::{Progress, Signal};

pub(crate) fn exit(status: ExitStatus) -> Exit {
    match status {
        ExitStatus::Code(code) => Exit::Code(code),
        ExitStatus::Signal(signal) => Exit::Signal(signal),
    }
}

/// Prompt marks are for detection, not for subscribers.
pub(crate) fn event(signal: Signal) -> Option<Event> {
    Some(match signal {
        Signal::Title(title) => Event::Title { title },
        Signal::Bell => Event::Bell,
        Signal::Cwd(url) => Event::Cwd { url },
        Signal::Notification { title, body } => Event::Notification { title, body },
        Signal::Progress(progress) => {
            let (state, percent) = match progress {
                Progress::None => (ProgressState::None, 0),
                Progress::Value(percent) => (ProgressState::Running, percent),
                Progress::Error(percent) => (ProgressState::Error, percent),
                Progress::Indeterminate => (ProgressState::Indeterminate, 0),
                Progress::Paused(percent) => (ProgressState::Paused, percent),
            };
            Event::Progress { state, percent }
        }
        Signal::ProgramStatus(s) => {
            Event::ProgramStatus { state: s.state, app: s.app, kind: s.kind, message: s.message }
        }
        Signal::PromptMark { .. } => return None,
    })
}
