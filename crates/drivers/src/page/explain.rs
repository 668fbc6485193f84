//! What a page makes of a screen, and why: for people who write one.

use super::Page;
use crate::view::{Reading, ScreenLine, ScreenView};

/// What came of a screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub reading: Reading,
    /// All rules in the order in which they are tried, up to the one that fits.
    pub tried: Vec<Tried>,
    /// The lines of each region, by its name.
    pub regions: Vec<(String, Vec<String>)>,
}

/// A rule, and whether it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub rule: String,
    /// What it would say.
    pub says: String,
    pub region: String,
    pub fits: bool,
}

impl Page {
    #[must_use]
    pub fn explain(&self, view: &ScreenView<'_>) -> Explained {
        let text = |line: ScreenLine| line.text;
        let lines = |name: &str| self.part(Some(name), view).lines.into_iter().map(text).collect();
        let regions = self.spec.regions.iter().map(|region| (region.name.clone(), lines(&region.name))).collect();
        Explained { reading: self.reading(view), tried: self.tried(view), regions }
    }

    fn tried(&self, view: &ScreenView<'_>) -> Vec<Tried> {
        let mut tried = Vec::new();
        let place = |region: &Option<String>| region.clone().unwrap_or_else(|| "the whole screen".to_owned());
        for rule in &self.spec.dialogs {
            let fits = self.dialog(rule, view).is_some();
            let says = format!("{:?} dialog", rule.kind).to_lowercase();
            tried.push(Tried { rule: rule.rule.clone(), says, region: place(&rule.region), fits });
            if fits {
                return tried;
            }
        }
        let state = self.state(view).map(|rule| rule.rule.as_str());
        for rule in &self.spec.states {
            let fits = state == Some(rule.rule.as_str());
            let says = format!("{:?}", rule.state).to_lowercase();
            tried.push(Tried { rule: rule.rule.clone(), says, region: place(&rule.region), fits });
            if fits {
                break;
            }
        }
        tried
    }
}
