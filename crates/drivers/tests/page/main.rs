//! Pages: what they make of screens, and which keys they press.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

mod answers;
mod opencode;
mod panics;
mod rules;

use coop_core::agent::prompt::{Prompt, PromptContext, PromptId};
use coop_drivers::{Page, Reading, ScreenLine, ScreenView};
use std::sync::Arc;

pub(crate) fn page(text: &str) -> Arc<Page> {
    Arc::new(Page::read(text).unwrap_or_else(|fault| panic!("{fault}")))
}

pub(crate) fn read(page: &Arc<Page>, screen: &str, title: Option<&str>) -> Reading {
    let lines: Vec<ScreenLine> = screen.lines().map(ScreenLine::plain).collect();
    page.driver().screen(&ScreenView { lines: &lines, cursor: None, title })
}

pub(crate) fn prompt(reading: &Reading) -> Prompt {
    let context: PromptContext = reading.dialog.as_ref().unwrap().context.clone();
    Prompt { id: PromptId("p1".to_owned()), context, ready: true, by_hook: false }
}
