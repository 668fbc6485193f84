//! An answer on its way to a dialog: why it may not fit, and how far it has come.

/// Why an answer cannot be given to this prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The answer does not fit what is asked; the sentence says what would.
    #[error("{0}")]
    Unfit(String),
    /// It fits, but only keys can give it.
    #[error("{0}")]
    OnlyByKeys(String),
    /// It fits, but only a hook can give it.
    #[error("{0}")]
    OnlyByHook(String),
    /// The dialog on the screen is not the one that was answered.
    #[error("The terminal shows another dialog than the one that was answered. Read the prompt again, then answer it.")]
    Changed,
}

/// What to do next at a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Press {
    /// Press these keys, by name.
    Keys(Vec<String>),
    /// Type this text.
    Type(String),
    /// The screen does not show the outcome of the last key yet, or shows something else.
    Wait,
    /// The answer is given.
    Done,
}

/// How far an answer by keys has come. One for each answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What was pressed last, and what the dialog looked like then.
    pub(crate) last: Option<(String, Press)>,
    pub(crate) again: bool,
    /// Something was pressed that ends the dialog.
    pub(crate) finished: bool,
    /// What the dialog showed when the first key was pressed.
    pub(crate) bound: Option<String>,
}

impl Progress {
    /// The screen has not changed for long enough: the last key was lost, and may be pressed again.
    pub fn retry(&mut self) {
        self.again = true;
    }

    /// Whether the key that ends the dialog was pressed.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Whether anything was pressed.
    #[must_use]
    pub fn started(&self) -> bool {
        self.last.is_some()
    }
}
