//! What a conversation has used, what that cost, and how much of what the model can hold it fills.

use serde::{Deserialize, Serialize};

use super::conversation::Usage;
use super::cost::Cost;

/// Of the conversation that goes on now. What is not known is missing, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens of all requests together.
    pub usage: Usage,
    pub cost: Option<Cost>,
    pub context: Option<Context>,
}

/// What the model had before it with the last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    pub tokens: u64,
    /// The most that it can hold, where the vendor says so.
    pub window: Option<u64>,
}

impl Spent {
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// What somebody else knows. Who has not read everything has not counted everything: then the sums stay.
    pub fn learn(&mut self, told: Self) {
        let sums = if told.usage == Usage::default() { *self } else { told };
        *self = Self { usage: sums.usage, cost: sums.cost, context: told.context };
    }
}

impl Context {
    /// How full it is, in hundredths.
    #[must_use]
    pub fn percent(&self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.tokens.saturating_mul(100) / window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_not_counted_leaves_the_sums() {
        let context = |tokens| Some(Context { tokens, window: None });
        let usage = Usage { input_tokens: 5, ..Usage::default() };
        let mut spent = Spent { usage, cost: Some(Cost::said(7)), context: context(10) };
        spent.learn(Spent { context: context(20), ..Spent::default() });
        assert_eq!(spent, Spent { usage, cost: Some(Cost::said(7)), context: context(20) });
        let more = Usage { input_tokens: 9, ..usage };
        spent.learn(Spent { usage: more, cost: None, context: None });
        assert_eq!(spent, Spent { usage: more, cost: None, context: None });
    }

    #[test]
    fn how_full() {
        let full = |tokens, window| Context { tokens, window }.percent();
        assert_eq!(full(129_200, Some(258_400)), Some(50));
        assert_eq!(full(300_000, Some(258_400)), Some(116));
        assert_eq!((full(1, None), full(1, Some(0))), (None, None));
        assert_eq!(full(u64::MAX, Some(1)), Some(u64::MAX));
    }
}
