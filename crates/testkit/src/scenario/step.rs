//! One step of a reply: `name details: text`.

use std::time::Duration;

use super::{Choice, Failure, Pace, Question, Step, Tool};

/// Why a line is no step, and what would be one.
#[derive(Debug)]
pub(super) struct NotAStep(pub String);

const STEPS: &str = "say, count, think, bash, read, write, edit, ask, enter plan, plan, tool, pause, wait, refuse, \
                     tokens, error, cut or hang";

pub(super) fn step(line: &str) -> Result<Step, NotAStep> {
    let (head, text) = line.split_once(':').map_or((line, None), |(head, text)| (head.trim(), Some(text.trim())));
    let (name, details) = head.split_once(' ').map_or((head, ""), |(name, details)| (name, details.trim()));
    let said = || text.filter(|text| !text.is_empty()).ok_or_else(|| wrong(line, &format!("`{head}: …`")));
    let called = |tool| Ok(Step::Call(tool));
    match (name, details) {
        ("say", _) => Ok(Step::Say { text: said()?.to_owned(), pace: pace(line, details)? }),
        ("count", _) => {
            let last: u32 = said()?.parse().map_err(|_| wrong(line, "`count 40 words/s: 300`"))?;
            Ok(Step::Say { text: numbers(last), pace: pace(line, details)? })
        }
        ("think", "") => Ok(Step::Think(said()?.to_owned())),
        ("bash", "") => called(Tool::Bash { command: said()?.to_owned() }),
        ("read", "") => called(Tool::Read { path: said()?.to_owned() }),
        ("write", path) if !path.is_empty() => {
            called(Tool::Write { path: path.to_owned(), content: format!("{}\n", said()?) })
        }
        ("edit", path) if !path.is_empty() => {
            let (old, new) = said()?.split_once("=>").ok_or_else(|| wrong(line, "`edit FILE: OLD => NEW`"))?;
            called(Tool::Edit { path: path.to_owned(), old: old.trim().to_owned(), new: new.trim().to_owned() })
        }
        ("ask", _) => called(Tool::Ask(vec![question(line, details, said()?)?])),
        ("enter", "plan") => called(Tool::EnterPlan),
        ("plan", "") => called(Tool::Plan(said()?.to_owned())),
        ("tool", name) if !name.is_empty() => {
            let input = serde_json::from_str(said()?).map_err(|error| wrong(line, &format!("JSON ({error})")))?;
            called(Tool::Named { name: name.to_owned(), input })
        }
        ("pause", "") => Ok(Step::Pause(duration(line, said()?)?)),
        ("wait", "") => Ok(Step::Wait(said()?.to_owned())),
        ("refuse", "") => Ok(Step::Refuse(said()?.to_owned())),
        ("tokens", "") => {
            let tokens = said()?.parse().map_err(|_| wrong(line, "`tokens: 190000`"))?;
            Ok(Step::Tokens(tokens))
        }
        ("error", "") => Ok(Step::Fail(failure(line, said()?)?)),
        ("cut", "") if text.is_none() => Ok(Step::Cut),
        ("hang", "") if text.is_none() => Ok(Step::Hang),
        _ => Err(wrong(line, STEPS)),
    }
}

/// `LABEL: DESCRIPTION`, or the label alone.
pub(super) fn choice(text: &str) -> Choice {
    let (label, description) = text.split_once(':').unwrap_or((text, ""));
    let described = if description.trim().is_empty() { label } else { description };
    Choice { label: label.trim().to_owned(), description: described.trim().to_owned() }
}

fn question(line: &str, details: &str, text: &str) -> Result<Question, NotAStep> {
    let (header, several) = match details.split_once(',') {
        None => (details, false),
        Some((header, kind)) if kind.trim() == "several" => (header.trim(), true),
        Some(_) => return Err(wrong(line, "`ask HEADER: …` or `ask HEADER, several: …`")),
    };
    if header.is_empty() {
        return Err(wrong(line, "a header, as in `ask Database: Which one?`"));
    }
    Ok(Question { header: header.to_owned(), text: text.to_owned(), several, options: Vec::new() })
}

fn pace(line: &str, details: &str) -> Result<Option<Pace>, NotAStep> {
    if details.is_empty() {
        return Ok(None);
    }
    let rate = details.strip_suffix("words/s").and_then(|rate| rate.trim().parse::<f64>().ok());
    match rate {
        Some(rate) if rate > 0.0 => Ok(Some(Pace(Duration::from_secs_f64(1.0 / rate)))),
        _ => Err(wrong(line, "a pace such as `5 words/s`")),
    }
}

/// `STATUS [MESSAGE] [, retry after TIME] [, resets in TIME]`.
fn failure(line: &str, text: &str) -> Result<Failure, NotAStep> {
    let mut parts = text.split(',').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let (status, message) = first.split_once(' ').unwrap_or((first, "the script says so"));
    let status = status.parse().ok().filter(|status| (400..600).contains(status));
    let status = status.ok_or_else(|| wrong(line, "a status from 400 to 599, such as `error: 429`"))?;
    let mut failure = Failure { status, message: message.to_owned(), retry_after: None, resets_in: None };
    for part in parts {
        if let Some(time) = part.strip_prefix("retry after ") {
            failure.retry_after = Some(duration(line, time)?);
        } else if let Some(time) = part.strip_prefix("resets in ") {
            failure.resets_in = Some(duration(line, time)?);
        } else {
            return Err(wrong(line, "`retry after TIME` or `resets in TIME` after the comma"));
        }
    }
    Ok(failure)
}

fn duration(line: &str, text: &str) -> Result<Duration, NotAStep> {
    let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
    let millis = units.iter().find_map(|(unit, millis)| {
        let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * millis)
    });
    millis.map(Duration::from_millis).ok_or_else(|| wrong(line, "a time such as `300ms`, `2s` or `1h`"))
}

fn numbers(last: u32) -> String {
    (1..=last).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

fn wrong(line: &str, expected: &str) -> NotAStep {
    let first = line.lines().next().unwrap_or_default();
    NotAStep(format!("cannot read `{first}`; expected {expected}"))
}
