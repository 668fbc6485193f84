//! What models cost: `agents/prices.toml`, and a user's own table on top of it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use coop_core::agent::cost::{Price, Prices, picodollars};
use serde::Deserialize;

use crate::fault::Fault;

/// The table is part of the program; a test reads it.
#[allow(clippy::expect_used)]
static TABLE: LazyLock<Prices> =
    LazyLock::new(|| read(include_str!("../../../agents/prices.toml")).expect("agents/prices.toml"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    input: Rate,
    output: Rate,
    /// Where nothing is said about them, tokens of a cache are tokens.
    cache_write: Option<Rate>,
    cache_read: Option<Rate>,
}

/// Picodollars for a token, from dollars for a million of them.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
struct Rate(u64);

impl TryFrom<f64> for Rate {
    type Error = &'static str;

    fn try_from(usd: f64) -> Result<Self, Self::Error> {
        let price = picodollars(usd).map(|all| Self(all / 1_000_000));
        price.ok_or("a price is a number of dollars for a million tokens, from 0 on")
    }
}

/// The prices that coop knows.
#[must_use]
pub fn known() -> Prices {
    TABLE.clone()
}

/// Those with `text` on top of them.
pub fn with(text: &str) -> Result<Prices, Fault> {
    let own = read(text)?;
    let mut prices = known();
    prices.0.extend(own.0);
    Ok(prices)
}

fn read(text: &str) -> Result<Prices, Fault> {
    let rows: BTreeMap<String, Row> = toml::from_str(text).map_err(|error| Fault::of(text, &error))?;
    let price = |row: Row| Price {
        input: row.input.0,
        output: row.output.0,
        cache_write: row.cache_write.unwrap_or(row.input).0,
        cache_read: row.cache_read.unwrap_or(row.input).0,
    };
    Ok(Prices(rows.into_iter().map(|(name, row)| (name, price(row))).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_families() {
        for (model, input, output) in [
            ("claude-opus-4-5-20251101", 5_000_000, 25_000_000),
            ("claude-sonnet-4-5-20250929", 3_000_000, 15_000_000),
            ("claude-haiku-4-5-20251001", 1_000_000, 5_000_000),
            ("gpt-5-codex", 1_250_000, 10_000_000),
            ("gpt-5-mini", 250_000, 2_000_000),
            ("gemini-2.5-pro", 1_250_000, 10_000_000),
            ("gemini-2.5-flash-lite", 100_000, 400_000),
        ] {
            let price = known().find(model).unwrap_or_else(|| panic!("{model}"));
            assert_eq!((price.input, price.output), (input, output), "{model}");
        }
        assert_eq!(known().find("<synthetic>"), None);
    }

    #[test]
    fn ones_own_come_on_top() {
        let prices = with("[gpt-5]\ninput = 2\noutput = 3.5\n[mine]\ninput = 0\noutput = 0\ncache_read = 0\n").unwrap();
        let gpt = prices.find("gpt-5").unwrap();
        assert_eq!(
            (gpt.input, gpt.output, gpt.cache_write, gpt.cache_read),
            (2_000_000, 3_500_000, 2_000_000, 2_000_000)
        );
        assert_eq!(prices.find("mine-1"), Some(Price::default()));
        assert!(prices.find("gpt-5-mini").is_some(), "the others stay");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, line, key, what) in [
            ("[a]\ninput = 1\noutput = \"x\"\n", 3, "output", "string"),
            ("[a]\ninput = -1\noutput = 1\n", 2, "input", "from 0 on"),
            ("[a]\ninput = 1\noutput = 1\ninptu = 1\n", 4, "inptu", "unknown field"),
            ("\n[a]\ninput = 1\n", 2, "[a]", "missing field `output`"),
            ("[a]\ninput = 1\noutput\n", 3, "output", ""),
        ] {
            let error = with(text).unwrap_err();
            assert_eq!((error.line, error.key.as_str()), (line, key), "{error}");
            assert!(error.what.contains(what), "{error}");
        }
    }
}
