//! What tokens cost. Whole numbers all the way: a picodollar is what one token costs at a dollar for a million, by a
//! million. Dollars with a point are made where people read them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::conversation::Usage;

/// A dollar has this many picodollars.
pub const DOLLAR: u64 = 1_000_000_000_000;

/// Picodollars for one token of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    pub input: u64,
    pub output: u64,
    pub cache_write: u64,
    pub cache_read: u64,
}

impl Price {
    #[must_use]
    pub fn of(&self, usage: Usage) -> u64 {
        let parts = [
            (self.input, usage.input_tokens),
            (self.output, usage.output_tokens),
            (self.cache_write, usage.cache_write_tokens),
            (self.cache_read, usage.cache_read_tokens),
        ];
        parts.into_iter().fold(0, |sum: u64, (price, tokens)| sum.saturating_add(price.saturating_mul(tokens)))
    }
}

/// Prices by the beginnings of the models' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    #[must_use]
    pub fn find(&self, model: &str) -> Option<Price> {
        of_model(&self.0, model).copied()
    }
}

/// Of the longest name that this model's begins with, as far as a part of it goes: `gpt-5` is also `gpt-5-2025-08-07`,
/// and neither `gpt-5.1` nor `gpt-50`.
#[must_use]
pub fn of_model<'a, T>(table: &'a BTreeMap<String, T>, model: &str) -> Option<&'a T> {
    let fits = |name: &str| {
        let rest = model.strip_prefix(name)?;
        (!rest.starts_with(|next: char| next.is_alphanumeric() || next == '.')).then_some(name.len())
    };
    let known = table.iter().filter_map(|(name, row)| Some((fits(name)?, row)));
    known.max_by_key(|(len, _)| *len).map(|(_, row)| row)
}

/// What was used, and what it cost as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub usage: Usage,
    /// Picodollars the agent named itself.
    said: u64,
    /// Picodollars by the table of prices.
    estimated: u64,
    estimates: bool,
    /// Some of it has no price.
    unknown: bool,
}

/// What is known about the price of a piece of usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priced {
    pub model: Option<String>,
    /// Picodollars, where the agent says so.
    pub said: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    pub picodollars: u64,
    /// At least a part of it is by the table of prices.
    pub estimate: bool,
}

impl Tally {
    pub fn add(&mut self, usage: Usage, priced: &Priced, prices: &Prices) {
        // Lines of a message repeat what was counted with the first.
        if usage == Usage::default() {
            return;
        }
        self.usage += usage;
        match (priced.said, priced.model.as_deref().and_then(|model| prices.find(model))) {
            (Some(said), _) => self.said = self.said.saturating_add(said),
            (None, Some(price)) => self.estimated = self.estimated.saturating_add(price.of(usage)),
            (None, None) => self.unknown = true,
        }
        self.estimates |= priced.said.is_none();
    }

    /// Nothing as long as nothing was used, or where some of it has no price: a part is not the cost.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        let picodollars = self.said.saturating_add(self.estimated);
        let known = self.usage != Usage::default() && !self.unknown;
        known.then_some(Cost { picodollars, estimate: self.estimates })
    }
}

impl Cost {
    /// What the agent says it was in all.
    #[must_use]
    pub fn said(picodollars: u64) -> Self {
        Self { picodollars, estimate: false }
    }
}

/// Picodollars of an amount that was written with a point. Nothing for what is no amount.
#[must_use]
pub fn picodollars(usd: f64) -> Option<u64> {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    let whole = |usd: f64| (usd * DOLLAR as f64).round() as u64;
    // Above this an agent is not the largest problem.
    (0.0..=1_000_000.0).contains(&usd).then(|| whole(usd))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tokens(input: u64, output: u64, write: u64, read: u64) -> Usage {
        Usage { input_tokens: input, output_tokens: output, cache_write_tokens: write, cache_read_tokens: read }
    }

    fn prices() -> Prices {
        let price = |usd: [f64; 4]| {
            let [input, output, cache_write, cache_read] = usd.map(|usd| picodollars(usd).unwrap() / 1_000_000);
            Price { input, output, cache_write, cache_read }
        };
        let all = [
            ("gpt-5", price([1.25, 10.0, 1.25, 0.125])),
            ("gpt-5-nano", price([0.05, 0.4, 0.05, 0.005])),
            ("claude-sonnet-4", price([3.0, 15.0, 3.75, 0.3])),
        ];
        Prices(all.into_iter().map(|(name, price)| (name.to_owned(), price)).collect())
    }

    #[test]
    fn models_are_found_by_their_beginnings() {
        for (model, input) in [
            ("gpt-5", Some(1_250_000)),
            ("gpt-5-2025-08-07", Some(1_250_000)),
            ("gpt-5-nano", Some(50_000)),
            ("gpt-5-nano-2025-08-07", Some(50_000)),
            ("gpt-5.1", None),
            ("gpt-50", None),
            ("claude-sonnet-4-5-20250929", Some(3_000_000)),
            ("claude-opus-4-5", None),
            ("", None),
        ] {
            assert_eq!(prices().find(model).map(|price| price.input), input, "{model}");
        }
    }

    #[test]
    fn what_it_costs() {
        let model = |name: &str| Priced { model: Some(name.into()), said: None };
        let said = |usd: f64| Priced { model: Some("claude-sonnet-4".into()), said: picodollars(usd) };
        let check = |name: &str, rows: &[(Usage, Priced)], expected: Option<(u64, bool)>| {
            let mut tally = Tally::default();
            rows.iter().for_each(|(usage, priced)| tally.add(*usage, priced, &prices()));
            assert_eq!(tally.cost().map(|cost| (cost.picodollars, cost.estimate)), expected, "{name}");
        };
        let none = Priced::default();
        check("nothing", &[], None);
        check("lines without tokens", &[(Usage::default(), none.clone())], None);
        // 100 · 3 + 10 · 15 + 1000 · 3.75 + 10000 · 0.3 millionths of a dollar.
        let sonnet = (tokens(100, 10, 1000, 10_000), model("claude-sonnet-4-5"));
        check("each kind of token", std::slice::from_ref(&sonnet), Some((7_200_000_000, true)));
        check("half a cent for a thousand", &[(tokens(0, 0, 0, 1), model("gpt-5-nano"))], Some((5_000, true)));
        check("two models", &[sonnet.clone(), (tokens(1, 0, 0, 0), model("gpt-5"))], Some((7_201_250_000, true)));
        check("the agent's word", &[(tokens(100, 10, 0, 0), said(0.25))], Some((DOLLAR / 4, false)));
        check(
            "its word is said on each line",
            &[(tokens(1, 1, 0, 0), said(0.25)), (Usage::default(), said(0.25))],
            Some((DOLLAR / 4, false)),
        );
        check("both", &[sonnet.clone(), (tokens(1, 1, 0, 0), said(0.25))], Some((257_200_000_000, true)));
        check("a model nobody knows", &[sonnet.clone(), (tokens(1, 0, 0, 0), model("new"))], None);
        check("no model at all", &[(tokens(1, 0, 0, 0), none)], None);
        check("more than there is", &[(tokens(u64::MAX, 1, 0, 0), model("gpt-5"))], Some((u64::MAX, true)));
    }

    #[test]
    fn amounts() {
        assert_eq!(picodollars(0.0123), Some(12_300_000_000));
        assert_eq!(picodollars(0.0), Some(0));
        for bad in [-0.1, f64::NAN, f64::INFINITY, 1e12] {
            assert_eq!(picodollars(bad), None, "{bad}");
        }
    }
}
