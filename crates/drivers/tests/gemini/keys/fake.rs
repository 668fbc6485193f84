//! The question dialog as 0.61.0 paints it and takes keys.

use std::fmt::Write as _;

use coop_core::agent::prompt::PromptContext;
use serde_json::json;

use crate::gemini;

#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    Answered(Vec<String>),
    Cancelled,
    Open,
}

#[derive(Debug)]
struct Tab {
    header: &'static str,
    question: &'static str,
    labels: &'static [&'static str],
    many: bool,
    checked: Vec<bool>,
    typed: String,
    chosen: Option<String>,
}

#[derive(Debug)]
pub(super) struct Fake {
    tabs: Vec<Tab>,
    at: usize,
    pointer: usize,
    /// So many rows of a list are shown at once.
    visible: usize,
    window: usize,
    /// Numbers of the keys that are lost.
    lost: Vec<usize>,
    pressed: usize,
    end: Option<Outcome>,
}

impl Tab {
    /// The labels, all of them where several can be chosen, the line for words, and what ends it.
    fn rows(&self) -> usize {
        self.words() + 1 + usize::from(self.many)
    }

    fn words(&self) -> usize {
        self.labels.len() + usize::from(self.many)
    }

    fn answer(&self) -> String {
        if let Some(chosen) = &self.chosen {
            return chosen.clone();
        }
        let boxes = self.labels.iter().zip(&self.checked).filter(|(_, checked)| **checked).map(|(label, _)| *label);
        boxes.chain(Some(self.typed.as_str()).filter(|typed| !typed.is_empty())).collect::<Vec<_>>().join(", ")
    }
}

impl Fake {
    pub(super) fn new(several: bool, visible: usize, lost: &[usize]) -> Self {
        let tab = |header, question, labels: &'static [&'static str], many| Tab {
            header,
            question,
            labels,
            many,
            checked: vec![false; labels.len()],
            typed: String::new(),
            chosen: None,
        };
        let mut tabs = vec![tab("Database", "Which database?", &["SQLite", "Postgres"], false)];
        if several {
            tabs.push(tab("Features", "Which features?", &["Auth", "Search", "Export"], true));
        }
        Self::of(tabs, visible, lost)
    }

    /// One question with boxes.
    pub(super) fn boxes(visible: usize) -> Self {
        let mut fake = Self::new(true, visible, &[]);
        fake.tabs.remove(0);
        fake
    }

    fn of(tabs: Vec<Tab>, visible: usize, lost: &[usize]) -> Self {
        Self { tabs, at: 0, pointer: 0, visible, window: 0, lost: lost.to_vec(), pressed: 0, end: None }
    }

    /// As its hook tells it.
    pub(super) fn context(&self) -> PromptContext {
        let question = |tab: &Tab| {
            let options: Vec<_> = tab.labels.iter().map(|label| json!({ "label": label })).collect();
            json!({ "question": tab.question, "header": tab.header, "multiSelect": tab.many, "options": options })
        };
        let questions: Vec<_> = self.tabs.iter().map(question).collect();
        gemini().own_dialog("ask_user", &json!({ "questions": questions }), None).unwrap()
    }

    /// As if somebody had moved the pointer.
    pub(super) fn moved(mut self, keys: usize) -> Self {
        (0..keys).for_each(|_| self.key("Down"));
        self.pressed = 0;
        self
    }

    pub(super) fn outcome(self) -> Outcome {
        self.end.unwrap_or(Outcome::Open)
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(tab) = self.tabs.get_mut(self.at).filter(|tab| tab.words() == self.pointer) {
            tab.typed.push_str(text);
        }
    }

    pub(super) fn key(&mut self, key: &str) {
        self.pressed += 1;
        if self.end.is_some() || self.lost.contains(&(self.pressed - 1)) {
            return;
        }
        let Some(tab) = self.tabs.get_mut(self.at) else {
            return match key {
                "Enter" => self.submit(),
                "Escape" => self.end = Some(Outcome::Cancelled),
                _ => {}
            };
        };
        let (rows, words) = (tab.rows(), tab.words());
        match key {
            "Escape" => self.end = Some(Outcome::Cancelled),
            "Up" => self.pointer = (self.pointer + rows - 1) % rows,
            "Down" => self.pointer = (self.pointer + 1) % rows,
            "Enter" if self.pointer == words && tab.typed.is_empty() => {}
            "Enter" if self.pointer == words => {
                tab.chosen = (!tab.many).then(|| tab.typed.clone());
                self.turn();
            }
            "Enter" => self.choose(self.pointer),
            digit if self.pointer == words => tab.typed.push_str(digit),
            digit => {
                if let Some(row) = digit.parse::<usize>().ok().and_then(|digit| digit.checked_sub(1)) {
                    self.pointer = row;
                    self.choose(row);
                }
            }
        }
        if self.pointer < self.window {
            self.window = self.pointer;
        } else if self.pointer >= self.window + self.visible {
            self.window = self.pointer + 1 - self.visible;
        }
    }

    fn choose(&mut self, row: usize) {
        let tab = &mut self.tabs[self.at];
        let all = tab.many && row == tab.labels.len();
        if all {
            let every = tab.checked.iter().all(|checked| *checked);
            tab.checked.fill(!every);
        } else if row < tab.labels.len() && tab.many {
            tab.checked[row] = !tab.checked[row];
        } else if row < tab.labels.len() {
            tab.chosen = Some(tab.labels[row].to_owned());
            self.turn();
        } else if row == tab.words() + 1 {
            self.turn();
        }
    }

    fn turn(&mut self) {
        self.at += 1;
        self.pointer = 0;
        self.window = 0;
        if self.tabs.len() == 1 {
            self.submit();
        }
    }

    fn submit(&mut self) {
        self.end = Some(Outcome::Answered(self.tabs.iter().map(Tab::answer).collect()));
    }

    pub(super) fn paint(&self) -> String {
        if self.end.is_some() {
            let rule = "─".repeat(60);
            return format!(
                " ⠋ Thinking... (esc to cancel, 1s)\n{rule}\n mode\n\n >   Type your message or @path/to/file\n"
            );
        }
        let mut rows = vec!["Answer Questions".to_owned(), String::new()];
        if self.tabs.len() > 1 {
            let mark = |tab: &Tab| if tab.answer().is_empty() { '□' } else { '✓' };
            let heads: Vec<String> = self.tabs.iter().map(|tab| format!("{} {}", mark(tab), tab.header)).collect();
            rows.push(format!("← {} │ ≡ Review →", heads.join(" │ ")));
            rows.push(String::new());
        }
        match self.tabs.get(self.at) {
            Some(tab) => self.paint_tab(&mut rows, tab),
            None => {
                rows.push("Review your answers:".to_owned());
                rows.push(String::new());
                rows.extend(self.tabs.iter().map(|tab| format!("{} → {}", tab.header, tab.answer())));
                rows.push(String::new());
                rows.push("Enter to submit · Tab/Shift+Tab to edit answers · Esc to cancel".to_owned());
            }
        }
        let mut out = format!("╭{}╮\n", "─".repeat(78));
        for row in rows {
            let _ = writeln!(out, "│ {row:<76} │");
        }
        let _ = writeln!(out, "╰{}╯", "─".repeat(78));
        out
    }

    fn paint_tab(&self, rows: &mut Vec<String>, tab: &Tab) {
        rows.push(tab.question.to_owned());
        if tab.many {
            rows.push("(Select all that apply)".to_owned());
        }
        rows.push(String::new());
        let cut = self.visible < tab.rows();
        if cut {
            rows.push("▲".to_owned());
        }
        for row in self.window..tab.rows().min(self.window + self.visible) {
            rows.push(self.paint_row(tab, row));
            if row < tab.labels.len() {
                rows.push("         as it says".to_owned());
            }
        }
        if cut {
            rows.push("▼".to_owned());
        }
        rows.push(String::new());
        let does = if self.pointer == tab.words() { "submit" } else { "select" };
        rows.push(format!("Enter to {does} · ←/→ to switch questions · Esc to cancel"));
    }

    fn paint_row(&self, tab: &Tab, row: usize) -> String {
        let sign = if row == self.pointer { '●' } else { ' ' };
        let tick = |checked: bool| match (tab.many, checked) {
            (false, _) => " ",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        let number = row + 1;
        if let Some(label) = tab.labels.get(row) {
            return format!("{sign} {number}. {}{label}", tick(tab.checked[row]));
        }
        if tab.many && row == tab.labels.len() {
            return format!("{sign} {number}. {}All of the above", tick(tab.checked.iter().all(|checked| *checked)));
        }
        if row == tab.words() {
            let typed = if tab.typed.is_empty() { "Enter a custom value" } else { &tab.typed };
            return format!("{sign} {number}. {}{typed}", tick(!tab.typed.is_empty()));
        }
        format!("{sign}  Done")
    }
}
