//! A prompt with something to choose from, as a form: one question or several, one choice or more, or words of one's own.

use std::collections::BTreeSet;

use coop_api::hub::Prompt;
use coop_api::v1::{Answer, RespondRequest};

use crate::editor::Editor;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    pub parts: Vec<Part>,
    /// The part that is being answered.
    pub at: usize,
}

/// One question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub several: bool,
    /// How many there are to choose from.
    pub options: usize,
    /// Whether an answer in own words is possible; it is the last row then.
    pub own_words: bool,
    /// The row the person is at.
    pub cursor: usize,
    /// Counted from 1.
    pub picked: BTreeSet<u32>,
    pub other: Editor,
}

impl Form {
    #[must_use]
    pub fn of(prompt: &Prompt) -> Self {
        let parts = match prompt.kind.as_str() {
            "question" => prompt.questions.iter().map(|question| Part {
                several: question.several,
                options: question.options.len(),
                own_words: true,
                ..Part::default()
            }),
            _ => return Self { parts: vec![Part { options: prompt.options.len(), ..Part::default() }], at: 0 },
        };
        let parts: Vec<Part> = parts.collect();
        // A dialog that is not understood has at least its options.
        let bare = || vec![Part { options: prompt.options.len(), own_words: true, ..Part::default() }];
        Self { parts: if parts.is_empty() { bare() } else { parts }, at: 0 }
    }

    #[must_use]
    pub fn part(&self) -> Option<&Part> {
        self.parts.get(self.at)
    }

    pub fn part_mut(&mut self) -> Option<&mut Part> {
        self.parts.get_mut(self.at)
    }

    pub fn turn(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.parts.len().saturating_sub(1));
    }

    /// The first part that has no answer yet, if there is one.
    #[must_use]
    pub fn missing(&self) -> Option<usize> {
        self.parts.iter().position(|part| !part.is_answered())
    }

    /// What is sent, when nothing is missing.
    #[must_use]
    pub fn answer(&self, prompt: &Prompt) -> Option<RespondRequest> {
        if self.missing().is_some() {
            return None;
        }
        let mut request = RespondRequest::default();
        match self.parts.as_slice() {
            [part] if prompt.questions.is_empty() => {
                request.option = part.picked.first().copied();
                request.text = part.words();
            }
            parts => request.answers = parts.iter().map(Part::answer).collect(),
        }
        Some(request)
    }
}

impl Part {
    /// Options, and the place for own words.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.options + usize::from(self.own_words)
    }

    #[must_use]
    pub fn is_answered(&self) -> bool {
        !self.picked.is_empty() || !self.other.is_empty()
    }

    /// Whether the person is where own words go.
    #[must_use]
    pub fn at_own_words(&self) -> bool {
        self.own_words && self.cursor == self.options
    }

    pub fn step(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.rows().saturating_sub(1));
    }

    /// Chooses a row, or takes it back where several can be chosen.
    pub fn pick(&mut self, row: usize) {
        let Ok(number) = u32::try_from(row + 1) else { return };
        if row >= self.options {
            return;
        }
        self.cursor = row;
        if !self.several {
            self.picked.clear();
            self.other.clear();
            self.picked.insert(number);
        } else if !self.picked.remove(&number) {
            self.picked.insert(number);
        }
    }

    /// Own words are the answer then, where only one is possible.
    pub fn say(&mut self, words: Editor) {
        if !self.several && !words.is_empty() {
            self.picked.clear();
        }
        self.other = words;
    }

    fn words(&self) -> Option<String> {
        (!self.other.is_empty()).then(|| self.other.text().trim().to_owned())
    }

    fn answer(&self) -> Answer {
        Answer { options: self.picked.iter().copied().collect(), text: self.words() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_api::hub::{PromptChoice, PromptQuestion};

    fn prompt(questions: &[(bool, usize)]) -> Prompt {
        let question = |(several, options): &(bool, usize)| PromptQuestion {
            question: "?".into(),
            several: *several,
            options: vec![PromptChoice::default(); *options],
        };
        Prompt { kind: "question".into(), questions: questions.iter().map(question).collect(), ..Prompt::default() }
    }

    #[test]
    fn several_questions_are_one_answer() {
        let asked = prompt(&[(false, 2), (true, 3), (false, 2)]);
        let mut form = Form::of(&asked);
        form.parts[0].pick(0);
        form.parts[0].pick(1);
        assert_eq!((form.missing(), form.answer(&asked)), (Some(1), None));
        form.parts[1].pick(2);
        form.parts[1].pick(0);
        form.parts[1].pick(2);
        form.parts[1].pick(1);
        form.parts[2].pick(1);
        form.parts[2].say(Editor::from(" neither "));
        let answers = form.answer(&asked).unwrap().answers;
        let plain: Vec<_> = answers.iter().map(|answer| (answer.options.clone(), answer.text.as_deref())).collect();
        assert_eq!(plain, [(vec![2], None), (vec![1, 2], None), (vec![], Some("neither"))]);
    }

    #[test]
    fn a_dialog_is_answered_by_number() {
        let asked = Prompt { kind: "setup".into(), options: vec![PromptChoice::default(); 2], ..Prompt::default() };
        let mut form = Form::of(&asked);
        form.parts[0].pick(5);
        assert!(form.answer(&asked).is_none(), "there is no such option");
        form.parts[0].pick(1);
        assert_eq!(form.answer(&asked).unwrap().option, Some(2));
        assert!(!form.parts[0].at_own_words());
    }
}
