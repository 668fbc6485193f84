//! The question dialog as 2.1.325 paints it and takes keys.

use std::fmt::Write as _;

#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    Answered(Vec<String>),
    Cancelled,
    Chat,
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
    /// Numbers of the keys that are lost.
    lost: Vec<usize>,
    pressed: usize,
    end: Option<Outcome>,
}

impl Tab {
    /// Labels, the line for words, then, with boxes, Submit, then the chat.
    fn rows(&self) -> usize {
        self.labels.len() + 2 + usize::from(self.many)
    }

    fn words(&self) -> usize {
        self.labels.len()
    }

    fn answer(&self) -> String {
        if let Some(chosen) = &self.chosen {
            return chosen.clone();
        }
        let boxes = self.labels.iter().zip(&self.checked).filter(|(_, checked)| **checked).map(|(label, _)| *label);
        let typed = Some(self.typed.as_str()).filter(|typed| !typed.is_empty());
        boxes.chain(typed).collect::<Vec<_>>().join(", ")
    }
}

impl Fake {
    pub(super) fn new(several: bool, lost: &[usize]) -> Self {
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
        Self { tabs, at: 0, pointer: 0, lost: lost.to_vec(), pressed: 0, end: None }
    }

    pub(super) fn outcome(self) -> Outcome {
        self.end.unwrap_or(Outcome::Open)
    }

    pub(super) fn key(&mut self, key: &str) {
        // What is typed arrives as one; only keys get lost.
        let typing = self.tabs.get(self.at).is_some_and(|tab| self.pointer == tab.words()) && key.chars().count() == 1;
        self.pressed += usize::from(!typing);
        if self.end.is_some() || (!typing && self.lost.contains(&(self.pressed - 1))) {
            return;
        }
        let Some(tab) = self.tabs.get_mut(self.at) else {
            return self.review(key);
        };
        let rows = tab.rows();
        match key {
            "Escape" => self.end = Some(Outcome::Cancelled),
            "Up" => self.pointer = (self.pointer + rows - 1) % rows,
            "Down" => self.pointer = (self.pointer + 1) % rows,
            "Right" if !typing_at(tab, self.pointer) => self.turn(),
            "Right" => {}
            "Enter" => self.choose(self.pointer),
            text if typing_at(tab, self.pointer) => tab.typed.push_str(text),
            digit => {
                if let Some(row) = digit.parse::<usize>().ok().and_then(|digit| digit.checked_sub(1)) {
                    self.digit(row);
                }
            }
        }
    }

    fn digit(&mut self, number: usize) {
        let tab = &mut self.tabs[self.at];
        if number == tab.words() && !tab.many {
            self.pointer = number;
        } else if number > tab.words() {
            self.end = Some(Outcome::Chat);
        } else {
            self.choose(number);
        }
    }

    fn choose(&mut self, row: usize) {
        let tab = &mut self.tabs[self.at];
        if tab.many && row < tab.labels.len() {
            tab.checked[row] = !tab.checked[row];
        } else if tab.many && row == tab.words() + 1 {
            self.turn();
        } else if row < tab.labels.len() {
            tab.chosen = Some(tab.labels[row].to_owned());
            self.turn();
        } else if row == tab.words() && !tab.many && !tab.typed.is_empty() {
            tab.chosen = Some(tab.typed.clone());
            self.turn();
        } else if row > tab.words() {
            self.end = Some(Outcome::Chat);
        }
    }

    fn turn(&mut self) {
        self.at += 1;
        self.pointer = 0;
        if self.tabs.len() == 1 {
            self.submit();
        }
    }

    fn submit(&mut self) {
        self.end = Some(Outcome::Answered(self.tabs.iter().map(Tab::answer).collect()));
    }

    fn review(&mut self, key: &str) {
        match key {
            "1" => self.submit(),
            "Enter" if self.pointer == 0 => self.submit(),
            "2" | "Escape" => self.end = Some(Outcome::Cancelled),
            _ => {}
        }
    }

    pub(super) fn paint(&self) -> String {
        let rule = "─".repeat(100);
        if self.end.is_some() {
            return format!("❯ ask me\n\n{rule}\n❯\n{rule}\n  esc to interrupt\n");
        }
        let mut out = format!("❯ ask me\n{rule}\n");
        let mark = |tab: &Tab| if tab.answer().is_empty() { '☐' } else { '☒' };
        let heads: Vec<String> = self.tabs.iter().map(|tab| format!("{} {}", mark(tab), tab.header)).collect();
        if self.tabs.len() > 1 {
            let _ = writeln!(out, "←  {}  ✔ Submit  →\n", heads.join("  "));
        } else {
            let _ = writeln!(out, " {}\n", heads[0]);
        }
        match self.tabs.get(self.at) {
            Some(tab) => self.paint_tab(&mut out, tab, &rule),
            None => self.paint_review(&mut out),
        }
        out
    }

    fn paint_tab(&self, out: &mut String, tab: &Tab, rule: &str) {
        let sign = |row: usize| if row == self.pointer { '❯' } else { ' ' };
        let tick = |checked: bool| match (tab.many, checked) {
            (false, _) => "",
            (true, true) => "[✔] ",
            (true, false) => "[ ] ",
        };
        let _ = writeln!(out, "{}\n", tab.question);
        for (row, label) in tab.labels.iter().enumerate() {
            let _ = writeln!(out, "{} {}. {}{label}\n     …", sign(row), row + 1, tick(tab.checked[row]));
        }
        let words = tab.words();
        let typed = if tab.typed.is_empty() { "Type something" } else { &tab.typed };
        let _ = writeln!(out, "{} {}. {}{typed}", sign(words), words + 1, tick(!tab.typed.is_empty()));
        if tab.many {
            let _ = writeln!(out, "{}    Submit", sign(words + 1));
        }
        let chat = tab.rows() - 1;
        let _ = writeln!(out, "{rule}\n{} {}. Chat about this\n", sign(chat), words + 2);
        let _ = writeln!(out, "Enter to select · Tab/Arrow keys to navigate · Esc to cancel");
    }

    fn paint_review(&self, out: &mut String) {
        let _ = writeln!(out, "Review your answers\n");
        for tab in &self.tabs {
            let _ = writeln!(out, " ● {}\n   → {}", tab.question, tab.answer());
        }
        let _ = writeln!(out, "\nReady to submit your answers?\n\n❯ 1. Submit answers\n  2. Cancel");
    }
}

fn typing_at(tab: &Tab, pointer: usize) -> bool {
    pointer == tab.words()
}
