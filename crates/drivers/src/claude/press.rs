//! Answers by keys, one at a time, each judged by what the screen shows.

use coop_core::agent::prompt::Prompt;
use coop_core::agent::respond::Respond;

use crate::answer::{AnswerError, Press, Progress};
use crate::table::{Keys, Table};
use crate::view::Reading;

pub(super) fn press(
    _keys: &Keys,
    _prompt: &Prompt,
    _respond: &Respond,
    _reading: &Reading,
    _done: &mut Progress,
) -> Result<Press, AnswerError> {
    Ok(Press::Wait)
}

pub(super) fn groom(_table: &Table, _reading: &Reading, _trusted_cwd: bool) -> Option<Vec<String>> {
    None
}
