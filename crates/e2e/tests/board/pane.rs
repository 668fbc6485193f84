//! A window of a tmux that nobody else has, with a shell in it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use coop_terminal::{Options, Screen, Size};
use coop_testkit::{TestHub, coop};
use tempfile::TempDir;

/// A machine under load is slow, not hung.
const LIMIT: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(20);
/// What the shell says when it waits.
const PROMPT: &str = "ready>";

pub(crate) struct Pane {
    folder: TempDir,
    env: Vec<(OsString, OsString)>,
}

impl Pane {
    /// A shell in the home of the hub, with `extra` in its environment.
    pub(crate) fn new(hub: &TestHub, cols: u16, rows: u16, extra: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("coop-board-").tempdir().unwrap();
        let command = hub.command();
        let own = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let mut env: Vec<(OsString, OsString)> = own.collect();
        env.push(("LANG".into(), "C.UTF-8".into()));
        env.extend(extra.iter().map(|(name, value)| (name.into(), value.into())));
        let pane = Self { folder, env };
        pane.tmux(&["new-session", "-d", "-x", &cols.to_string(), "-y", &rows.to_string(), "sh"]);
        // Typed: a shell of root has a prompt of its own, whatever the environment says.
        pane.line(&format!("PS1='{PROMPT} '; clear"));
        pane.until("the shell", |screen| (screen.trim() == PROMPT).then_some(()));
        pane
    }

    /// The same, with the board in it.
    pub(crate) fn board(hub: &TestHub, cols: u16, rows: u16) -> Self {
        let pane = Self::new(hub, cols, rows, &[]);
        pane.run("board");
        pane.shows("keys");
        pane
    }

    /// `coop ARGUMENTS`, as a person would type it.
    pub(crate) fn run(&self, arguments: &str) {
        self.line(&format!("{} {arguments}", coop::binary().display()));
    }

    pub(crate) fn line(&self, text: &str) {
        self.types(text);
        self.press("Enter");
    }

    /// Keys by the names that tmux has for them.
    pub(crate) fn press(&self, keys: &str) {
        let keys: Vec<&str> = keys.split_whitespace().collect();
        self.tmux(&[&["send-keys"][..], &keys].concat());
    }

    pub(crate) fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    pub(crate) fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with its colours.
    pub(crate) fn painted(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Returns when the program inside can know of it: tmux may take its time.
    #[track_caller]
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &cols.to_string(), "-y", &rows.to_string()]);
        let terminal = self.says("#{pane_tty}");
        self.until(&format!("{cols} columns and {rows} rows"), |_| {
            let asked = Command::new("stty").args(["-F", &terminal, "size"]).output().ok()?;
            (String::from_utf8_lossy(&asked.stdout).trim() == format!("{rows} {cols}")).then_some(())
        });
    }

    /// What tmux says about the window.
    pub(crate) fn says(&self, format: &str) -> String {
        self.tmux(&["display-message", "-p", format]).trim().to_owned()
    }

    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, look: impl Fn(&str) -> Option<T>) -> T {
        let last = RefCell::new(String::new());
        let end = Instant::now() + LIMIT;
        loop {
            last.replace(self.text());
            if let Some(found) = look(&last.borrow()) {
                return found;
            }
            assert!(Instant::now() < end, "waited in vain for {what}:\n{}", last.borrow());
            thread::sleep(GLANCE); // tidy: what a terminal shows is looked at
        }
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contains(text).then_some(()));
    }

    #[track_caller]
    pub(crate) fn hides(&self, text: &str) {
        self.until(&format!("the end of {text}"), |screen| (!screen.contains(text)).then_some(()));
    }

    /// Waits for the shell, and that the terminal is as it was: its own screen, cursor, mouse and line editing.
    #[track_caller]
    pub(crate) fn is_given_back(&self) {
        self.until("the shell", |screen| screen.trim_end().ends_with(PROMPT).then_some(()));
        assert_eq!(self.says("#{alternate_on}#{cursor_flag}#{mouse_any_flag}"), "010", "{}", self.text());
        self.line("clear; stty -a");
        self.until("settings", |screen| screen.contains(" icanon").then_some(()));
        let settings = self.text();
        assert!(settings.contains(" echo ") && !settings.contains("-icanon"), "{settings}");
        // A report of the mouse or the focus would be typed here.
        self.line("clear; echo nothing is left");
        self.until("an empty screen", |screen| {
            (screen.trim_end().ends_with(PROMPT) && screen.contains("nothing is left")).then_some(())
        });
    }

    /// The process that runs in the shell.
    pub(crate) fn pid(&self) -> u32 {
        let shell = self.says("#{pane_pid}");
        let found = Command::new("pgrep").args(["-P", &shell]).output().unwrap();
        String::from_utf8_lossy(&found.stdout).trim().parse().expect("one process")
    }

    /// All that is written to it from now on.
    pub(crate) fn listen(&self) -> impl Fn() -> Vec<u8> + use<> {
        let file = self.folder.path().join("bytes");
        self.tmux(&["pipe-pane", "-O", &format!("cat > {}", file.display())]);
        move || std::fs::read(&file).unwrap_or_default()
    }

    /// A picture of it.
    pub(crate) fn svg(&self, cols: u16, rows: u16) -> String {
        let painted = self.tmux(&["capture-pane", "-p", "-e", "-N"]);
        let mut screen = Screen::new(Size::new(cols.into(), rows.into()).unwrap(), Options::default());
        let painted = painted.trim_end_matches('\n').replace('\n', "\r\n");
        screen.feed(format!("\x1b[?25l\x1b[?7l{painted}").as_bytes()).unwrap();
        screen.svg()
    }

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-u", "-S"]).arg(self.socket()).args(args);
        command.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("tmux, which tests need");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("tmux.sock")
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        // It may have ended with what ran in it.
        drop(command.args(["-f", "/dev/null", "-S"]).arg(self.socket()).arg("kill-server").output());
    }
}
