//! What its title says: it is made for that, and changes with the state of the program itself.

use coop_core::agent::{Fact, Look};

use crate::heard::Heard;
use crate::table::Phrases;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// It has said more than that it is ready, which it also says while a dialog of its start is up.
    worked: bool,
}

impl Memory {
    pub(super) fn hear(&mut self, phrases: &Phrases, title: &str) -> Heard {
        let Some(look) = said(phrases, title) else {
            return Heard::nothing();
        };
        self.worked |= look != Look::Idle;
        let facts = if self.worked { vec![Fact::Looks(look)] } else { Vec::new() };
        Heard { facts, ..Heard::nothing() }
    }
}

fn said(phrases: &Phrases, title: &str) -> Option<Look> {
    if phrases.title_asks.iter().any(|sign| title.starts_with(sign.as_str())) {
        return Some(Look::Dialog { context: None });
    }
    let first = title.chars().next()?;
    if phrases.title_working.contains(first) {
        Some(Look::Working)
    } else if phrases.title_idle.contains(first) {
        Some(Look::Idle)
    } else {
        None
    }
}
