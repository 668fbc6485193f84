//! Claude Code, over what was captured from it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

mod answers;
mod heard;
mod keys;
mod launch;
mod panics;
mod screen;

use std::fs;
use std::path::{Path, PathBuf};

use coop_drivers::{Driver, Reading, ScreenLine, ScreenView};

pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];

pub(crate) fn claude() -> Box<dyn Driver> {
    coop_drivers::driver("claude").unwrap()
}

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/claude")
}

pub(crate) fn file(name: &str) -> String {
    let path = testdata().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn lines(text: &str) -> Vec<ScreenLine> {
    text.lines().map(ScreenLine::plain).collect()
}

pub(crate) fn read_text(text: &str) -> Reading {
    claude().screen(&ScreenView { lines: &lines(text), cursor: None, title: None })
}

pub(crate) fn read_screen(name: &str) -> Reading {
    read_text(&file(&format!("{name}.screen.txt")))
}
