//! Answers by keys, as the page says.

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;

use super::Page;
use crate::answer::{AnswerError, Press, Progress};
use crate::choose::{At, fits};
use crate::step::Step;
use crate::view::{Dialog, Reading};
use crate::wish::{Wish, unfit, wish};

impl Page {
    pub(super) fn next_press(
        &self,
        prompt: &Prompt,
        respond: &Respond,
        reading: &Reading,
        done: &mut Progress,
    ) -> Result<Press, AnswerError> {
        let wish = wish(&prompt.context, respond)?;
        let Some(dialog) = reading.dialog.as_ref().filter(|dialog| fits(&prompt.context, dialog)) else {
            return Ok(if done.finished { Press::Done } else { Press::Wait });
        };
        let at = At { agent: self.title(), table: &self.table, dialog };
        let step = match &wish {
            _ if done.started() && self.confirms(dialog) => at.choose(0),
            wish if dialog.options.is_empty() => words(&at, wish, done)?,
            Wish::Answers(wanted) => match wanted.as_slice() {
                [only] if only.text.is_none() => at.choose(only.options.first().copied().unwrap_or_default()),
                _ => return unfit("This question is answered with one of its options."),
            },
            wish => at.step(wish)?,
        };
        Ok(done.take(&self.table.keys, dialog, step))
    }

    /// It asks once more about what was chosen.
    fn confirms(&self, dialog: &Dialog) -> bool {
        self.spec.dialogs.iter().any(|rule| rule.confirms && rule.rule == dialog.rule)
    }
}

/// Where nothing is chosen, words are typed and given with Enter.
fn words(at: &At<'_>, wish: &Wish, done: &Progress) -> Result<Step, AnswerError> {
    let keys = &at.table.keys;
    match (wish, done.last.as_ref().map(|(_, press)| press)) {
        (Wish::Type(_), Some(Press::Type(_))) => Ok(Step::Last(at.key(&keys.confirm))),
        (Wish::Type(text), _) => Ok(Step::Then(Press::Type(folded(text)))),
        (Wish::Deny { .. }, _) if !matches!(at.dialog.context, PromptContext::Setup(_)) => {
            Ok(Step::Last(at.key(&keys.cancel)))
        }
        _ => unfit("This dialog is answered with a text."),
    }
}
