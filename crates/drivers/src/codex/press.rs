//! Answers by keys, one at a time, each judged by what the screen shows. A key that a dialog does not take would go to the
//! next one, so that nothing is pressed that the dialog on the screen was not made for, and no Enter follows a digit.

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Prompt, PromptContext, QuestionPrompt};
use coop_core::agent::respond::Respond;

use crate::answer::{AnswerError, Press, Progress};
use crate::choose::{At, current, fits};
use crate::step::{Step, compact};
use crate::table::Table;
use crate::view::Reading;
use crate::wish::{Wanted, Wish, wish};

pub(super) const AGENT: &str = "Codex";

/// In the last line of a question: the option has no notes yet, or their line is open.
const NO_NOTES: &str = "tab to add notes";
const NOTES: &str = "to clear notes";

pub(super) fn press(
    table: &Table,
    prompt: &Prompt,
    respond: &Respond,
    reading: &Reading,
    done: &mut Progress,
) -> Result<Press, AnswerError> {
    let wish = wish(&prompt.context, respond)?;
    let Some(dialog) = reading.dialog.as_ref().filter(|dialog| fits(&prompt.context, dialog)) else {
        return Ok(if done.finished { Press::Done } else { Press::Wait });
    };
    let at = At { agent: AGENT, table, dialog };
    let step = match (&prompt.context, &wish) {
        (PromptContext::Question(asked), Wish::Answers(wanted)) => answer(&at, asked, wanted),
        (_, wish) => at.step(wish)?,
    };
    Ok(done.take(&table.keys, dialog, step))
}

/// One question after the other; the answer to the last gives them all.
fn answer(at: &At<'_>, asked: &QuestionPrompt, wanted: &[Wanted]) -> Step {
    let Some((index, _)) = current(asked, at.dialog) else {
        return Step::Wait;
    };
    let Some(wanted) = wanted.get(index) else {
        return Step::Wait;
    };
    let step = match (&wanted.text, wanted.options.first()) {
        (Some(text), _) => words(at, text),
        (None, Some(option)) => at.choose(*option),
        (None, None) => Step::Wait,
    };
    match step {
        Step::Last(press) if index + 1 < asked.questions.len() => Step::Then(press),
        step => step,
    }
}

/// Own words are notes to the last option, which is none of those that were offered.
fn words(at: &At<'_>, text: &str) -> Step {
    let Some(last) = at.dialog.options.len().checked_sub(1) else {
        return Step::Wait;
    };
    let (keys, foot) = (&at.table.keys, &at.dialog.foot);
    let typed = folded(text);
    if foot.contains(NOTES) {
        let notes = foot.lines().map(|line| line.trim_start_matches(|c| at.table.screen.pointer.contains(c)));
        let notes = compact(&notes.take_while(|line| !line.contains(NOTES)).collect::<String>());
        return if notes == compact(&typed) {
            Step::Last(at.key(&keys.confirm))
        } else {
            Step::Then(Press::Type(typed))
        };
    }
    if at.dialog.selected != Some(last) {
        return Step::Then(at.toward(last));
    }
    if foot.contains(NO_NOTES) { Step::Then(at.key(&keys.amend)) } else { Step::Wait }
}
