//! What is on the screen, and what was read from it.

use std::ops::Range;

use coop_core::agent::prompt::{Meaning, PromptContext};
use coop_core::agent::{Choice, Look};

/// The screen as the terminal has it, the title included.
#[derive(Clone, Copy, Debug)]
pub struct ScreenView<'a> {
    pub lines: &'a [ScreenLine],
    /// Row and column, from 0; none if it is hidden.
    pub cursor: Option<(u16, u16)>,
    pub title: Option<&'a str>,
}

/// Who has the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Foreground<'a> {
    /// The process group in the foreground, if there is one.
    pub group: Option<u32>,
    /// That of the program itself.
    pub own: u32,
    pub alt_screen: bool,
    /// What stands before the cursor in its line.
    pub line: &'a str,
}

/// A mark of a shell (OSC 133): `A` a prompt begins, `B` it is there, `C` a command begins, `D` it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptMark {
    pub mark: char,
    pub exit_code: Option<i32>,
    /// The process group that was in the foreground then.
    pub group: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenLine {
    pub text: String,
    /// Columns painted faint, counted in characters: that is how a placeholder differs from what was typed.
    pub faint: Vec<Range<usize>>,
}

impl ScreenLine {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), faint: Vec::new() }
    }
}

/// What was read from the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    pub look: Option<Look>,
    pub dialog: Option<Dialog>,
    /// What is typed in the input box: nothing if there is no box, the empty text if only a placeholder is in it.
    pub draft: Option<String>,
    /// The agent says that the turn was interrupted, and nothing came after it.
    pub interrupted: bool,
    /// The mode it says it is in, where that is not its usual one.
    pub mode: Option<String>,
}

/// A dialog, as it is painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    /// Name of the rule in the agent's table that knew it.
    pub rule: String,
    pub context: PromptContext,
    pub options: Vec<ShownOption>,
    /// Whether a digit chooses; arrows and Enter otherwise.
    pub numbered: bool,
    /// Which option the pointer is on, from 0.
    pub selected: Option<usize>,
    /// The tabs of a dialog with several questions.
    pub tabs: Vec<Tab>,
    /// The question on the screen and the number of them, where that can be told: (current from 0, of).
    pub question_tab: Option<(usize, usize)>,
    /// The answers are given, and only the confirmation is left.
    pub review: bool,
    /// Whether the pointer is on what ends a question with several answers, if there is such a thing.
    pub submit: Option<bool>,
    /// Everything between the top of the dialog and its first option.
    pub body: String,
    /// What stands below the options, or all of it where nothing can be chosen.
    pub foot: String,
}

/// One question of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    pub label: String,
    pub answered: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownOption {
    /// The digit that stands before it.
    pub number: Option<u32>,
    pub label: String,
    pub description: Option<String>,
    pub selected: bool,
    /// Whether its box is checked, if it has one.
    pub checked: Option<bool>,
    pub meaning: Meaning,
    /// Keys that choose it, where they are always the same.
    pub keys: Vec<String>,
}

impl ShownOption {
    #[must_use]
    pub fn choice(&self) -> Choice {
        Choice { label: self.label.clone(), description: self.description.clone(), meaning: self.meaning }
    }
}
