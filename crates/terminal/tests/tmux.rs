//! Recordings of real agents, cut anywhere, show what tmux shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use common::{Recording, fed, recorded_size, recordings};
use coop_terminal::Screen;

/// Cuts per recording, besides its end.
const CUTS: usize = 12;

/// A private tmux server with one pane of the recorded size that shows one output; ends with the value.
struct Tmux {
    folder: tempfile::TempDir,
}

impl Tmux {
    fn showing(output: &[u8]) -> Vec<String> {
        let tmux = Self { folder: tempfile::tempdir().unwrap() };
        let file = |name: &str| tmux.folder.path().join(name).display().to_string();
        std::fs::write(file("output"), [output, b"\x1b]2;all-read\x07"].concat()).unwrap();
        std::fs::write(file("config"), "set -g status off\n").unwrap();
        let play = format!("stty raw -echo; cat {}; exec sleep 1000", file("output"));
        let (cols, rows) = (recorded_size().cols().to_string(), recorded_size().rows().to_string());
        tmux.run(&["-f", &file("config"), "new-session", "-d", "-x", &cols, "-y", &rows, &play]);
        // tmux reads the title after everything before it, so its change tells that the output is on the screen.
        let deadline = Instant::now() + Duration::from_secs(20);
        while tmux.run(&["display", "-p", "#{pane_title}"]).stdout != b"all-read\n" {
            assert!(Instant::now() < deadline, "tmux did not read the output");
        }
        let screen = tmux.run(&["capture-pane", "-p"]).stdout;
        String::from_utf8(screen).unwrap().lines().map(|line| line.trim_end().to_owned()).collect()
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = self.command(self.folder.path()).args(args).output().expect("tmux and timeout are installed");
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args(["20", "tmux", "-u", "-S"]).arg(folder.join("socket"));
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LANG", "C.UTF-8").env("TERM", "xterm");
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // The server may be gone already; there is nothing more to end then.
        self.command(self.folder.path()).arg("kill-server").output().ok();
    }
}

fn padded(screen: &Screen, rows: usize) -> Vec<String> {
    let mut lines = screen.text(0);
    lines.resize(rows, String::new());
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Spread over the recording, and never the same place in two recordings.
fn cuts(recording: &Recording) -> impl Iterator<Item = usize> {
    let len = recording.bytes.len();
    (1..CUTS).map(move |i| len * i / CUTS + (i * 7919) % 97).filter(move |cut| *cut < len).chain([len])
}

#[test]
fn recordings_cut_anywhere_show_the_same() {
    for recording in recordings() {
        for cut in cuts(&recording) {
            let screen = fed(recorded_size(), &recording.bytes[..cut]);
            let whole_tokens = &recording.bytes[..screen.applied() as usize];
            let mut expected = Tmux::showing(whole_tokens);
            expected.resize(usize::from(recorded_size().rows()), String::new());
            let ours = padded(&screen, expected.len());
            for (row, (ours, theirs)) in ours.iter().zip(&expected).enumerate() {
                assert_eq!(ours, theirs, "{} cut at {cut}, row {row}", recording.name);
            }
        }
    }
}
