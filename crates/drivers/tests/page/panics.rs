//! Whatever is written, and whatever is shown, nothing panics.

use coop_drivers::{Page, ScreenLine, ScreenView};
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_text_is_a_page_or_is_refused(text in "(\\[\\[(region|state|dialog)\\]\\]|name|rule|state|last|=|\"|x|1|\\[|\\]|\n| |é){0,40}") {
        drop(Page::read(&text));
    }

    #[test]
    fn any_screen_is_read(text in "(┃|╹▀▀▀|▣|△ Permission required|# Shell command|Reject|\\$ |enter submit|esc dismiss|1\\.|2\\.| |\n|é|漢|esc interrupt){0,80}") {
        let page = crate::page(include_str!("../../../../agents/opencode.toml"));
        let lines: Vec<ScreenLine> = text.lines().map(ScreenLine::plain).collect();
        drop(page.explain(&ScreenView { lines: &lines, cursor: None, title: Some("é") }));
    }
}
