//! Which rule of the scenario is next. No I/O.

use crate::scenario::{Rule, Scenario, Step};

#[derive(Debug)]
pub(super) struct Script {
    rules: Vec<Rule>,
    /// All before it were used.
    next: usize,
}

impl Script {
    pub(super) fn new(scenario: Scenario) -> Self {
        Self { rules: scenario.rules, next: 0 }
    }

    /// The reply to what the agent sent: of the rule that is next, or else of the latest that answers again.
    pub(super) fn reply(&mut self, user: &str, results: &[String]) -> Option<Vec<Step>> {
        if let Some(rule) = self.rules.get(self.next).filter(|rule| rule.on.fits(user, results)) {
            self.next += 1;
            return Some(rule.steps.clone());
        }
        let mut past = self.rules[..self.next].iter().rev();
        past.find(|rule| rule.again && rule.on.fits(user, results)).map(|rule| rule.steps.clone())
    }

    pub(super) fn unplayed(&self) -> Vec<String> {
        let left = self.rules[self.next..].iter().filter(|rule| !rule.again);
        left.map(|rule| format!("{}: {}", rule.line, rule.on)).collect()
    }

    /// What would have been answered, for the message when nothing fits.
    pub(super) fn expected(&self) -> String {
        match self.rules.get(self.next) {
            Some(rule) => format!("line {}, `{}`", rule.line, rule.on),
            None => "no more requests".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_in_order_and_again() {
        let text = "user: a\n say: 1\nuser again: b\n say: 2\nresult\n say: 3\nuser: a\n say: 4\n";
        let mut script = Script::new(Scenario::parse("test", text).unwrap());
        let mut said = |user: &str, results: &[&str]| {
            let results: Vec<String> = results.iter().map(ToString::to_string).collect();
            match script.reply(user, &results).as_deref() {
                Some([Step::Say { text, .. }]) => text.clone(),
                _ => format!("expected {}", script.expected()),
            }
        };
        assert_eq!(said("b", &[]), "expected line 1, `user: a`");
        assert_eq!(said("a", &[]), "1");
        assert_eq!(said("b", &[]), "2");
        assert_eq!(said("b", &[]), "2");
        assert_eq!(said("b", &["x"]), "3");
        assert_eq!(said("b", &[]), "2");
        assert_eq!(said("a", &[]), "4");
        assert_eq!(said("a", &[]), "expected no more requests");
        assert!(script.unplayed().is_empty());
    }
}
