//! What the screen shows, by the rules of a page.

mod dialog;
mod region;

use coop_core::agent::Look;

use super::{Page, Region, Shows, StateRule};
use crate::view::{Dialog, Reading, ScreenLine, ScreenView};

/// The lines of a rule's region, and the title.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) lines: Vec<ScreenLine>,
    title: &'a str,
}

impl Part<'_> {
    fn has(&self, phrase: &str) -> bool {
        self.lines.iter().any(|line| line.text.contains(phrase))
    }

    /// Every list that is not empty has to agree.
    fn agrees(&self, all: &[String], any: &[String], none: &[String], title: &[String]) -> bool {
        all.iter().all(|phrase| self.has(phrase))
            && (any.is_empty() || any.iter().any(|phrase| self.has(phrase)))
            && !none.iter().any(|phrase| self.has(phrase))
            && (title.is_empty() || title.iter().any(|phrase| self.title.contains(phrase.as_str())))
    }
}

impl Page {
    pub(super) fn reading(&self, view: &ScreenView<'_>) -> Reading {
        let dialog = self.spec.dialogs.iter().find_map(|rule| self.dialog(rule, view));
        if let Some(dialog) = dialog {
            let look = Some(Look::Dialog { context: Some(Box::new(dialog.context.clone())) });
            return Reading { look, dialog: Some(dialog), ..Reading::default() };
        }
        let Some(rule) = self.state(view) else { return Reading::default() };
        let look = match rule.state {
            Shows::Working => Some(Look::Working),
            Shows::Idle => Some(Look::Idle),
            Shows::Error => Some(Look::Failed { detail: self.failure(rule, view) }),
            Shows::Starting => None,
        };
        let interrupted = rule.interrupted && rule.state == Shows::Idle;
        Reading { look, draft: self.draft(view), interrupted, ..Reading::default() }
    }

    /// The rule that knows the state, where nothing is asked.
    pub(super) fn state(&self, view: &ScreenView<'_>) -> Option<&StateRule> {
        self.spec.states.iter().find(|rule| {
            let part = self.part(rule.region.as_deref(), view);
            let spins = |line: &ScreenLine| line.text.trim_start().starts_with(|c| rule.spinner.contains(c));
            let fits = |line: &ScreenLine| rule.pattern.iter().any(|pattern| pattern.0.is_match(&line.text));
            part.agrees(&rule.all, &rule.any, &rule.none, &rule.title)
                && (rule.spinner.is_empty() || part.lines.iter().any(spins))
                && (rule.pattern.is_empty() || part.lines.iter().any(fits))
        })
    }

    /// The line that says that it failed.
    fn failure(&self, rule: &StateRule, view: &ScreenView<'_>) -> String {
        let part = self.part(rule.region.as_deref(), view);
        let says = |line: &&ScreenLine| {
            let phrases = || rule.all.iter().chain(&rule.any);
            phrases().any(|phrase| line.text.contains(phrase.as_str()))
                || rule.pattern.iter().any(|pattern| pattern.0.is_match(&line.text))
        };
        let line = part.lines.iter().rev().find(says).or_else(|| part.lines.iter().find(|line| !is_empty(line)));
        line.map(|line| line.text.trim().to_owned()).unwrap_or_default()
    }

    /// What is typed into the box. Where the page names none it is taken to be empty.
    fn draft(&self, view: &ScreenView<'_>) -> Option<String> {
        let input = &self.spec.input;
        let Some(place) = &input.place else { return Some(String::new()) };
        let part = self.part(Some(place), view);
        if part.lines.is_empty() {
            return None;
        }
        let typed = part.lines.iter().map(|line| {
            let solid =
                line.text.chars().enumerate().filter(|(at, _)| !line.faint.iter().any(|faint| faint.contains(at)));
            // Some mark the cursor's place with a character that has no width.
            let text: String = solid.map(|(_, c)| c).filter(|c| *c != '\u{200b}').collect();
            text.trim().trim_start_matches(|c| input.sign.contains(c)).trim().to_owned()
        });
        let text = typed.collect::<Vec<_>>().join("\n").trim().to_owned();
        let placeholder = input.placeholder.iter().any(|placeholder| text.starts_with(placeholder.as_str()));
        Some(if placeholder { String::new() } else { text })
    }

    pub(super) fn dialog(&self, rule: &super::DialogPage, view: &ScreenView<'_>) -> Option<Dialog> {
        let part = self.part(rule.region.as_deref(), view);
        part.agrees(&rule.all, &rule.any, &rule.none, &rule.title).then(|| dialog::read(&self.table, rule, &part))?
    }

    pub(super) fn part<'a>(&self, region: Option<&str>, view: &ScreenView<'a>) -> Part<'a> {
        let end = view.lines.iter().rposition(|line| !is_empty(line)).map_or(0, |last| last + 1);
        let region = region.and_then(|name| self.spec.regions.iter().find(|region| region.name == name));
        let lines =
            region.map_or_else(|| view.lines[..end].to_vec(), |region: &Region| region.take(&view.lines[..end]));
        Part { lines, title: view.title.unwrap_or_default() }
    }
}

fn is_empty(line: &ScreenLine) -> bool {
    line.text.trim().is_empty()
}
