//! Whether a shell is at its prompt: by the marks it sends, where it sends any, else by who has the terminal.
//!
//! Marks count more: they tell of what the shell does itself too, a loop or a `read`, for which its own process group stays in the
//! foreground. Without marks that looks like the prompt as soon as something stands before the cursor, and so does
//! everything that a shell without job control runs.

use coop_core::agent::{Fact, Look};

use crate::heard::Heard;
use crate::view::{Foreground, PromptMark};

/// What the marks have said.
#[derive(Debug, Default)]
pub(super) struct Memory {
    last: Option<Marked>,
    /// The process group that sent the last mark of a prompt: that of the shell, or of another one inside it.
    group: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    AtPrompt,
    Runs,
}

impl Memory {
    pub(super) fn is_marked(&self) -> bool {
        self.last.is_some()
    }

    pub(super) fn hear(&mut self, mark: PromptMark) -> Heard {
        let facts = match mark.mark {
            'A' | 'B' => {
                self.last = Some(Marked::AtPrompt);
                self.group = mark.group;
                vec![Fact::Looks(Look::Idle)]
            }
            'C' => {
                self.last = Some(Marked::Runs);
                vec![Fact::TurnStarted { text: None }]
            }
            // It is sent again whenever a prompt is painted again, so that it does not say that a command has ended.
            'D' => mark.exit_code.map(|code| Fact::Said { text: format!("exit code {code}") }).into_iter().collect(),
            _ => Vec::new(),
        };
        Heard { facts, ..Heard::nothing() }
    }

    /// Nothing where the terminal is nobody's.
    pub(super) fn look(&self, seen: &Foreground<'_>) -> Option<Look> {
        let group = seen.group?;
        let own = group == seen.own;
        match self.last {
            Some(Marked::AtPrompt) if self.group == Some(group) => Some(Look::Idle),
            // Back at the program itself, whoever else sent marks is gone.
            Some(Marked::Runs) if !own || self.group == Some(group) => Some(Look::Working),
            _ if own && !seen.alt_screen && !seen.line.is_empty() => Some(Look::Idle),
            _ => Some(Look::Working),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 10;
    const CHILD: u32 = 20;

    /// What is made of the foreground `group` with `line` before the cursor, after `marks` with the group of each.
    fn look(marks: &[(char, u32)], group: u32, line: &str) -> Option<Look> {
        let mut memory = Memory::default();
        for (mark, group) in marks {
            memory.hear(PromptMark { mark: *mark, exit_code: None, group: Some(*group) });
        }
        memory.look(&Foreground { group: Some(group), own: OWN, alt_screen: false, line })
    }

    #[test]
    fn marks_count_more_than_the_foreground() {
        let (idle, working) = (Some(Look::Idle), Some(Look::Working));
        for (marks, group, line, expected) in [
            (&[][..], OWN, "$", &idle),
            (&[], OWN, "", &working),
            (&[], CHILD, "$", &working),
            (&[('A', OWN)], OWN, "", &idle),
            (&[('A', OWN), ('B', OWN)], OWN, "$", &idle),
            (&[('A', OWN), ('C', OWN)], OWN, "what `read` asks", &working),
            (&[('A', OWN), ('C', OWN)], CHILD, "$", &working),
            (&[('A', OWN), ('C', OWN), ('D', OWN)], OWN, "$", &working),
            (&[('A', OWN), ('C', OWN), ('D', OWN), ('A', OWN)], OWN, "$", &idle),
            // A shell in the shell.
            (&[('A', OWN), ('C', OWN), ('A', CHILD)], CHILD, "$", &idle),
            (&[('A', OWN), ('C', OWN), ('A', CHILD), ('C', CHILD)], CHILD, "$", &working),
            // It was the only one that sends marks, and is gone.
            (&[('A', CHILD), ('C', CHILD)], OWN, "$", &idle),
            (&[('A', CHILD)], OWN, "", &working),
            // A job was put into the foreground behind our back.
            (&[('A', OWN)], CHILD, "$", &working),
            (&[('X', OWN)], CHILD, "$", &working),
        ] {
            assert_eq!(look(marks, group, line), *expected, "{marks:?} {group} {line:?}");
        }
    }

    #[test]
    fn a_full_screen_is_no_prompt_and_a_terminal_of_nobody_says_nothing() {
        let seen = Foreground { group: Some(OWN), own: OWN, alt_screen: true, line: "$" };
        assert_eq!(Memory::default().look(&seen), Some(Look::Working));
        assert_eq!(Memory::default().look(&Foreground { group: None, ..seen }), None);
    }

    #[test]
    fn what_marks_say() {
        let mut memory = Memory::default();
        let mut hear = |mark, exit_code| memory.hear(PromptMark { mark, exit_code, group: Some(OWN) }).facts;
        let started = || Fact::TurnStarted { text: None };
        let said = |text: &str| Fact::Said { text: text.to_owned() };
        assert_eq!(hear('D', None), [], "nothing has begun before the first prompt");
        assert_eq!(hear('A', None), [Fact::Looks(Look::Idle)]);
        assert_eq!(hear('C', None), [started()]);
        assert_eq!(hear('D', Some(3)), [said("exit code 3")]);
        assert_eq!(hear('B', None), [Fact::Looks(Look::Idle)]);
        assert_eq!(hear('D', Some(3)), [said("exit code 3")], "the prompt is painted again");
        assert_eq!(hear('P', None), []);
    }
}
