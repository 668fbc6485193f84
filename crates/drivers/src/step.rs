//! One key at a time, and none twice for what is asked once.

use coop_core::agent::prompt::PromptContext;

use crate::answer::{Press, Progress};
use crate::table::Keys;
use crate::view::Dialog;

/// The next thing to do, and whether it is the last.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    Then(Press),
    Last(Press),
    Wait,
}

impl Progress {
    /// What of `step` is to be pressed now.
    pub(crate) fn take(&mut self, keys: &Keys, dialog: &Dialog, step: Step) -> Press {
        let (press, last) = match step {
            Step::Wait => return Press::Wait,
            Step::Then(press) => (press, false),
            Step::Last(press) => (press, true),
        };
        let arrow = matches!(&press, Press::Keys(pressed) if *pressed == [keys.up.as_str()] || *pressed == [keys.down.as_str()]);
        let shown = if arrow { painted(dialog) } else { identity(dialog) };
        let same = self.last.as_ref().is_some_and(|(before, pressed)| *before == shown && *pressed == press);
        if same && !std::mem::take(&mut self.again) {
            return Press::Wait;
        }
        self.again = false;
        self.finished = last;
        self.last = Some((shown, press.clone()));
        press
    }
}

/// An arrow may be needed again as soon as the pointer has moved.
fn painted(dialog: &Dialog) -> String {
    let Dialog { options, submit, .. } = dialog;
    format!("{}\n{options:?}\n{submit:?}", identity(dialog))
}

/// Any other key is pressed once for what is asked, however that is repainted: it may be on its way, and what comes
/// after the dialog would get it.
fn identity(dialog: &Dialog) -> String {
    let asked = match &dialog.context {
        PromptContext::Question(asked) => asked.questions.get(asked.current).map(|question| question.question.clone()),
        PromptContext::Permission(permission) => permission.message.clone(),
        PromptContext::Plan(_) | PromptContext::Setup(_) => None,
    };
    format!("{}\n{}", dialog.rule, asked.unwrap_or_default())
}

/// Without white space and the bar beside a broken line, because the screen breaks lines where it likes.
pub(crate) fn compact(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control() && *c != '│').collect()
}
