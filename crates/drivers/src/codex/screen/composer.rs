//! The composer: what is typed in it, and what the lines around it say.

use crate::table::Phrases;
use crate::view::ScreenLine;

#[derive(Debug)]
pub(super) struct Composer {
    pub(super) draft: String,
    /// The line with the model is there: a message would be taken.
    pub(super) ready: bool,
    pub(super) works: bool,
    pub(super) interrupted: bool,
    pub(super) mode: Option<String>,
}

pub(super) fn find(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Composer> {
    let top = lines.iter().rposition(|line| opens(phrases, &line.text))?;
    let status = (top + 1..lines.len()).rev().find(|at| is_status(lines, *at));
    let above = &lines[..top];
    Some(Composer {
        draft: draft(phrases, &lines[top..status.unwrap_or(top + 1)]),
        ready: status.is_some(),
        works: works(phrases, above),
        interrupted: interrupted(phrases, above),
        mode: status.and_then(|at| mode(phrases, &lines[at].text)),
    })
}

fn opens(phrases: &Phrases, text: &str) -> bool {
    let rest = text.strip_prefix(|c| phrases.input.contains(c));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `  GPT-5.5 default · /srv/project`, after a blank line and before at most one more.
fn is_status(lines: &[ScreenLine], at: usize) -> bool {
    let text = &lines[at].text;
    let model = text.split_once(" · ").is_some_and(|(model, _)| !model.trim().is_empty() && !model.contains('⚠'));
    let blank = at > 0 && lines[at - 1].text.trim().is_empty();
    text.starts_with("  ") && model && blank && lines.len() - at <= 2
}

fn draft(phrases: &Phrases, lines: &[ScreenLine]) -> String {
    let typed = lines.iter().enumerate().map(|(row, line)| {
        let plain = |at: usize| !line.faint.iter().any(|range| range.contains(&at));
        // The sign and the blank after it, or the indent of every other line.
        let kept = line.text.chars().enumerate().skip(2).filter(|(at, _)| plain(*at)).map(|(_, c)| c);
        let text = kept.collect::<String>().trim_end().to_owned();
        let held = row == 0 && phrases.placeholder.contains(&text);
        if held { String::new() } else { text }
    });
    typed.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// `• Working (2s • esc to interrupt)` stands right above, with tips below it that belong to it.
fn works(phrases: &Phrases, above: &[ScreenLine]) -> bool {
    let last = above.iter().rev().find(|line| line.text.starts_with(|c: char| !c.is_whitespace()));
    last.is_some_and(|line| {
        let begins = line.text.starts_with(|c| phrases.spinner.contains(c));
        begins && phrases.spinner_phrases.iter().any(|phrase| line.text.contains(phrase.as_str()))
    })
}

fn interrupted(phrases: &Phrases, above: &[ScreenLine]) -> bool {
    let last = above.iter().rev().find(|line| !line.text.trim().is_empty());
    last.is_some_and(|line| phrases.interrupted.iter().any(|phrase| line.text.starts_with(phrase.as_str())))
}

fn mode(phrases: &Phrases, status: &str) -> Option<String> {
    phrases.modes.iter().find(|mode| status.contains(mode.as_str())).cloned()
}
