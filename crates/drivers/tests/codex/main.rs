//! Codex, over what was captured from it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

mod heard;
mod keys;
mod launch;
mod panics;
mod screen;
mod server;

use std::fs;
use std::path::{Path, PathBuf};

use coop_drivers::{Driver, Reading, ScreenLine, ScreenView};

pub(crate) fn codex() -> Box<dyn Driver> {
    coop_drivers::driver("codex").unwrap()
}

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/codex")
}

pub(crate) fn file(name: &str) -> String {
    let path = testdata().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn read_text(text: &str, title: Option<&str>) -> Reading {
    let lines: Vec<ScreenLine> = text.lines().map(ScreenLine::plain).collect();
    codex().screen(&ScreenView { lines: &lines, cursor: None, title })
}

pub(crate) fn read_screen(name: &str) -> Reading {
    read_text(&file(&format!("{name}.screen.txt")), None)
}
