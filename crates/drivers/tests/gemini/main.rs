//! The Gemini CLI, over what was captured from it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

mod heard;
mod keys;
mod launch;
mod log;
mod panics;
mod screen;

use std::fs;
use std::path::{Path, PathBuf};

use coop_drivers::{Driver, Reading, ScreenLine, ScreenView};
use serde_json::Value;

pub(crate) fn gemini() -> Box<dyn Driver> {
    coop_drivers::driver("gemini").unwrap()
}

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/gemini")
}

pub(crate) fn file(name: &str) -> String {
    let path = testdata().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn jsonl(name: &str) -> Vec<Value> {
    file(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn read_text(text: &str) -> Reading {
    let lines: Vec<ScreenLine> = text.lines().map(ScreenLine::plain).collect();
    gemini().screen(&ScreenView { lines: &lines, cursor: None, title: None })
}

pub(crate) fn read_screen(name: &str) -> Reading {
    read_text(&file(&format!("{name}.screen.txt")))
}
