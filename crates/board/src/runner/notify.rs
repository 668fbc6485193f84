//! Telling a person who does not look: the terminal's bell, a note of the desktop, a sound.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use coop_core::text::{shortened, shown_line};

use crate::event::Moment;

/// How each moment is told. What is missing is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notify {
    pub ways: BTreeMap<Moment, Ways>,
    /// A program and its arguments that make a sound.
    pub sound: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    pub bell: bool,
    pub desktop: bool,
    pub sound: bool,
}

impl Notify {
    pub(super) fn tell(&self, moment: Moment, title: &str, text: &str) {
        let ways = self.ways.get(&moment).copied().unwrap_or_default();
        if ways.bell {
            write(b"\x07");
        }
        if ways.desktop {
            desktop(title, text);
        }
        if ways.sound
            && let Some((program, args)) = self.sound.split_first()
        {
            start(Command::new(program).args(args));
        }
    }
}

/// By the desktop of this machine, and where there is none by the terminal, which may be on another one.
fn desktop(title: &str, text: &str) {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let here = (has("DISPLAY") || has("WAYLAND_DISPLAY")) && !has("SSH_CONNECTION");
    match notify_send().filter(|_| here) {
        Some(program) => {
            start(Command::new(program).args(["--app-name=coop", "--", title, text]));
        }
        None => write(osc9(title, text, has("TMUX")).as_bytes()),
    }
}

fn notify_send() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("notify-send")).find(|file| file.is_file())
}

/// The sequence of iTerm2, which many terminals know. tmux passes it on only in an envelope.
fn osc9(title: &str, text: &str, in_tmux: bool) -> String {
    // Nothing in what is shown ends the sequence.
    let plain = shown_line(&shortened(&format!("{title}: {text}"), 200)).into_owned();
    if in_tmux { format!("\x1bPtmux;\x1b\x1b]9;{plain}\x07\x1b\\") } else { format!("\x1b]9;{plain}\x07") }
}

/// It moves no cursor, so it does no harm between two pictures.
fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // A terminal that is gone is noticed elsewhere.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Beside us, and nobody waits for it.
fn start(command: &mut Command) {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut child) = child {
        std::thread::spawn(move || child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences() {
        assert_eq!(osc9("shop asks", "rm x\u{7}\u{1b}]", false), "\x1b]9;shop asks: rm x␇␛]\x07");
        assert_eq!(osc9("a", "b", true), "\x1bPtmux;\x1b\x1b]9;a: b\x07\x1b\\");
    }
}
