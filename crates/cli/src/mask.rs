//! Secrets taken out of text that leaves the machine: tokens, keys, long random words, and the folder of the person. The same
//! secret gets the same name everywhere, so that what belongs together can still be seen.

use std::collections::HashMap;

use serde_json::Value;

/// How keys begin that are known.
const KEYS: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "npm_",
    "eyJ",
    "ya29",
];
/// What follows one of these and a colon or an equals sign is a secret, whatever it looks like.
const NAMES: &[&str] = &["token", "password", "passwd", "secret", "key", "authorization", "bearer"];
/// No word of a language is as long and as mixed.
const LONG: usize = 20;
/// A value that is shorter says nothing.
const SHORT: usize = 6;

#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// The person's folder, as paths and agents write it.
    homes: Vec<String>,
    names: HashMap<String, usize>,
}

impl Mask {
    pub(crate) fn new(home: Option<&str>) -> Self {
        let home = home.map(|home| home.trim_end_matches('/')).filter(|home| home.len() > 1);
        // The second is how agents make a file name of it.
        let homes = home.into_iter().flat_map(|home| [home.to_owned(), home.replace('/', "-")]);
        Self { homes: homes.collect(), names: HashMap::new() }
    }

    /// How many different ones were taken out.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn text(&mut self, text: &str) -> String {
        let text = self.homes.iter().fold(text.to_owned(), |text, home| text.replace(home.as_str(), "~"));
        let mut masked = String::with_capacity(text.len());
        let (mut before, mut between) = (String::new(), String::new());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let gap = after.find(is_part).unwrap_or(after.len());
            let (separator, next) = after.split_at(gap);
            if !word.is_empty() {
                let is_scheme = word.eq_ignore_ascii_case("bearer");
                let named = word.len() >= SHORT && !is_scheme && is_named(&before, &between);
                let word = if named || is_secret(word) { self.name(word) } else { word.to_owned() };
                masked.push_str(&word);
                before = word.to_lowercase();
            }
            masked.push_str(separator);
            between = separator.to_owned();
            rest = next;
        }
        masked
    }

    /// Every string in it. Names of fields stay, and say of their values whether they are secrets.
    pub(crate) fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(text) if text.len() >= SHORT && is_named(&name.to_lowercase(), ":") => {
                            *text = self.name(text);
                        }
                        value => self.value(value),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn name(&mut self, secret: &str) -> String {
        let next = self.names.len() + 1;
        let number = *self.names.entry(secret.to_owned()).or_insert(next);
        format!("masked-{number}")
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_+=-".contains(c)
}

fn is_named(before: &str, between: &str) -> bool {
    let assigned = between.contains(':') || before.ends_with('=');
    let before = before.trim_end_matches('=');
    let named = NAMES.iter().any(|name| before.ends_with(name));
    named && (assigned || (before.ends_with("bearer") && between == " "))
}

fn is_secret(word: &str) -> bool {
    // `NAME=value` is one word: the value counts.
    if let Some((name, value)) = word.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty()) {
        return (value.len() >= SHORT && is_named(&name.to_lowercase(), ":")) || is_secret(value);
    }
    let known = KEYS.iter().any(|key| word.starts_with(key)) && word.len() >= 12;
    known || (word.len() >= LONG && (is_hex(word) || is_mixed(word)))
}

/// Digests and ids of conversations: by chance their digits may stand together.
fn is_hex(word: &str) -> bool {
    let own = || word.chars().filter(|c| *c != '-');
    own().all(|c| c.is_ascii_hexdigit()) && own().any(|c| c.is_ascii_digit()) && own().any(|c| c.is_ascii_alphabetic())
}

/// Whether letters and digits follow each other as nobody writes them.
fn is_mixed(word: &str) -> bool {
    let class = |c: char| match c {
        '0'..='9' => Some(0),
        'a'..='z' => Some(1),
        'A'..='Z' => Some(2),
        _ => None,
    };
    let classes: Vec<i32> = word.chars().filter_map(class).collect();
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    classes.contains(&0) && classes.iter().any(|class| *class > 0) && changes * 10 >= classes.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_words_stay() {
        let mut mask = Mask::new(Some("/srv/ann/"));
        for (text, expected) in [
            ("see /srv/ann/src and -srv-ann-src", "see ~/src and ~-src"),
            ("sk-ant-0123456789abcdef", "masked-1"),
            ("twice sk-ant-0123456789abcdef.", "twice masked-1."),
            ("Authorization: Bearer abcdef123", "Authorization: Bearer masked-2"),
            ("password: hunter22 ok", "password: masked-3 ok"),
            ("export API_KEY=hunter22", "export masked-4"),
            ("9bfe54d2-077b-446d-b5e1-6b060ce91b55", "masked-5"),
            ("dGhpc0lzQVNlY3JldDEyMzQ1Njc4OTA", "masked-6"),
            ("e3024dac-66fd-42c1-8172-589239fe6582", "masked-7"),
            ("20261115235429905000000", "20261115235429905000000"),
            ("crates/terminal/src/screen.rs:120", "crates/terminal/src/screen.rs:120"),
            ("the_same_states_and_answers_as_under_coop2", "the_same_states_and_answers_as_under_coop2"),
            ("2026-11-15T23:54:29.905Z", "2026-11-15T23:54:29.905Z"),
            ("keys: Enter, Escape", "keys: Enter, Escape"),
            ("────────────────────────────", "────────────────────────────"),
            ("", ""),
        ] {
            assert_eq!(mask.text(text), expected, "{text}");
        }
        assert_eq!(mask.count(), 7);
    }

    #[test]
    fn values_of_fields_with_telling_names_are_taken_out() {
        let mut mask = Mask::new(None);
        let mut value = serde_json::json!({ "token": "hunter22", "looks": "idle", "turn": "9bfe54d2-077b-446d-b5e1-6b060ce91b55",
            "list": [{ "text": "the key is sk-0123456789abc" }] });
        mask.value(&mut value);
        let expected = serde_json::json!({ "token": "masked-2", "looks": "idle", "turn": "masked-3",
            "list": [{ "text": "the key is masked-1" }] });
        assert_eq!(value, expected);
    }
}
