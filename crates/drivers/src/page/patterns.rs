//! A page made of three regular expressions, for a program that nobody has written a page for (`--agent-config`).

use serde::Deserialize;

use super::{Input, Page, Pattern, Region, Shows, Spec, StateRule};

/// Lines that are looked at: the last that are not empty.
const LINES: usize = 12;
/// The prompt is at the end.
const PROMPT_LINES: usize = 3;

/// What the screen of a program shows while it waits for input, while it works, and after it has failed. Each is one
/// regular expression or several, for a line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenPatterns {
    #[serde(alias = "prompt_pattern")]
    prompt: Several,
    #[serde(alias = "working_patterns")]
    working: Several,
    #[serde(alias = "error_patterns")]
    error: Several,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Several {
    One(Pattern),
    Many(Vec<Pattern>),
}

impl Default for Several {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Several {
    fn list(self) -> Vec<Pattern> {
        match self {
            Self::One(pattern) => vec![pattern],
            Self::Many(patterns) => patterns,
        }
    }
}

impl ScreenPatterns {
    /// The page of a program with this name. Nothing if there are no patterns.
    #[must_use]
    pub fn page(self, name: &str) -> Option<Page> {
        let row = |shows: Shows, region: &str, pattern: Vec<Pattern>| {
            (!pattern.is_empty()).then(|| StateRule {
                rule: format!("{shows:?}").to_lowercase(),
                state: shows,
                region: Some(region.to_owned()),
                all: Vec::new(),
                any: Vec::new(),
                none: Vec::new(),
                spinner: String::new(),
                pattern,
                title: Vec::new(),
                interrupted: false,
                captures: Vec::new(),
            })
        };
        let states: Vec<StateRule> = [
            row(Shows::Working, "end", self.working.list()),
            row(Shows::Error, "end", self.error.list()),
            row(Shows::Idle, "prompt", self.prompt.list()),
        ]
        .into_iter()
        .flatten()
        .collect();
        let region = |name: &str, last| Region { name: name.to_owned(), last: Some(last), ..Region::default() };
        let spec = Spec {
            name: name.to_owned(),
            title: name.to_owned(),
            regions: vec![region("end", LINES), region("prompt", PROMPT_LINES)],
            input: Input { interrupt: vec!["Ctrl-C".to_owned()], ..Input::default() },
            states,
            ..Spec::default()
        };
        (!spec.states.is_empty()).then(|| Page::of(spec))
    }
}
