//! A person at a terminal: a PTY, and a screen that shows what theirs would.

use std::io::ErrorKind;
use std::time::Instant;

use coop_terminal::pty::{self, Child, ExitStatus, Pty};
use coop_terminal::{Options, Screen, Size};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{COOP, LIMIT, World};

pub(crate) struct Person {
    pty: Pty,
    pub(crate) child: Child,
    pub(crate) screen: Screen,
}

impl Person {
    pub(crate) fn new(world: &World, cols: u32, rows: u32, args: &[&str]) -> Self {
        Self::with(world, cols, rows, COOP, &[&["attach"], args].concat())
    }

    /// At a terminal in which another program runs.
    pub(crate) fn with(world: &World, cols: u32, rows: u32, program: &str, args: &[&str]) -> Self {
        let size = Size::new(cols, rows).unwrap();
        let env = world.env().into_iter().chain([("TERM".into(), "xterm-256color".into())]);
        let (pty, child) = pty::spawn(&pty::Command {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            cwd: None,
            env: env.map(|(name, value)| (name.into(), value.into())).collect(),
            size,
            runner: Vec::new(),
        })
        .unwrap();
        let mut screen = Screen::new(size, Options { scrollback: 0, kitty_keyboard: true });
        // What a shell leaves on the screen, and must find again.
        screen.feed(b"\x1b]2;my shell\x07$ coop attach\r\n").unwrap();
        Self { pty, child, screen }
    }

    pub(crate) fn text(&self) -> String {
        self.screen.text(0).join("\n")
    }

    pub(crate) fn types(&self, bytes: &[u8]) {
        assert_eq!(self.pty.write(bytes).unwrap(), bytes.len());
    }

    pub(crate) fn resizes(&mut self, cols: u32, rows: u32) {
        let size = Size::new(cols, rows).unwrap();
        self.screen.resize(size).unwrap();
        self.pty.resize(size).unwrap();
    }

    /// Reads until the screen shows `text`.
    pub(crate) fn sees(&mut self, text: &str) {
        self.until(text, |screen| screen.text(0).join("\n").contains(text));
    }

    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Screen) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !is_so(&self.screen) {
            assert!(self.reads(deadline), "ended, and never so: {what}\n{}", self.text());
        }
    }

    /// Reads to the end; what is left on the screen, and how it ended.
    pub(crate) fn leaves(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LIMIT;
        while self.reads(deadline) {}
        assert!(!self.screen.alt_screen(), "left the alternate screen");
        let modes = self.screen.modes();
        assert!(!modes.mouse && !modes.bracketed_paste && !modes.app_cursor && !modes.focus, "{modes:?}");
        assert_eq!(modes.kitty_keyboard, 0);
        assert!(self.screen.cursor().visible);
        assert!(self.text().starts_with("$ coop attach\n"), "the shell's own screen is back: {}", self.text());
        self.child.wait().unwrap()
    }

    /// Feeds the next output to the screen. False at the end.
    pub(crate) fn reads(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let ready = poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&left)).unwrap();
        assert!(ready > 0, "nothing more comes:\n{}", self.text());
        let mut buffer = [0; 65_536];
        match self.pty.read(&mut buffer) {
            Ok(0) => return false,
            Ok(count) => self.screen.feed(&buffer[..count]).unwrap(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error}"),
        }
        true
    }
}
