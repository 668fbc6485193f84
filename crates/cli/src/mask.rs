//! Secrets taken out of text that leaves the machine: what the table of patterns knows, what has a telling name, long random
//! words, and the folder of the person. The same secret gets the same name everywhere, so that what belongs together can
//! still be seen; a secret that was found once is taken out wherever else it stands.

mod patterns;

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// The table, ready to be used.
static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns::all().iter().filter_map(|pattern| Regex::new(pattern).ok()).collect());
/// Runs of characters that keys are made of.
static RUNS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/_=-]{16,}").ok());

/// Names of fields whose value is a secret, in lower case and without what joins words.
const NAMES: &[&str] = &[
    "token",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "credential",
    "apikey",
    "privatekey",
    "authorization",
    "cookie",
    "authkey",
    "bearer",
];
/// The same where the name has to end so.
const ENDS: &[&str] = &["key", "auth", "pass", "pin", "otp", "dsn", "jwt", "sid", "signature", "connectionstring"];
/// Values that say nothing.
const PLAIN: &[&str] = &["true", "false", "null", "none", "nil", "undefined", "yes", "no", "enter", "escape", "esc"];
/// A secret that is shorter is masked only where it was found: elsewhere it may be a word.
const TELLING: usize = 6;

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

    /// How many different secrets were taken out.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// Masks all values, twice: what the last one calls a secret may stand in the first.
    pub(crate) fn values(&mut self, values: &mut [Value]) {
        for _ in 0..2 {
            values.iter_mut().for_each(|value| self.value(value));
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut text = self.homes.iter().fold(text.to_owned(), |text, home| text.replace(home.as_str(), "~"));
        for pattern in PATTERNS.iter() {
            // A secret may stand right behind another, where the first match has taken the text between them.
            for _ in 0..2 {
                let masked = pattern.replace_all(&text, |found: &Captures<'_>| self.replaced(found)).into_owned();
                let same = masked == text;
                text = masked;
                if same {
                    break;
                }
            }
        }
        text = self.known(text);
        match RUNS.as_ref() {
            Some(runs) => runs.replace_all(&text, |found: &Captures<'_>| self.run(&found[0])).into_owned(),
            None => text,
        }
    }

    /// Every string in it. Names of fields stay, and tell of their values whether they are secrets.
    pub(crate) fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => {
                let mut is_secret = false;
                for value in values {
                    let is_flag = matches!(value, Value::String(text) if names_secret(text));
                    if is_secret {
                        self.hide(value);
                    } else {
                        self.value(value);
                    }
                    is_secret = is_flag;
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let counts = is_count(name) && value.is_number();
                    if is_named(name) && !counts { self.hide(value) } else { self.value(value) }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Masks all of a value that was named as a secret.
    fn hide(&mut self, value: &mut Value) {
        match value {
            Value::String(text) if is_plain(text) => {}
            Value::String(text) => *text = self.name(text),
            Value::Number(number) => *value = Value::String(self.name(&number.to_string())),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.hide(value)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The text that was found, with its secret masked.
    fn replaced(&mut self, found: &Captures<'_>) -> String {
        let whole = &found[0];
        let secret = ["s", "a", "b", "c"].iter().find_map(|group| found.name(group));
        let Some(secret) = secret.filter(|secret| !is_plain(secret.as_str())) else { return whole.to_owned() };
        let at = found.get(0).map_or(0, |whole| whole.start());
        let (before, after) = (&whole[..secret.start() - at], &whole[secret.end() - at..]);
        // `tokens: 12000` counts, and is no secret.
        if is_count(before) && secret.as_str().chars().all(|c| c.is_ascii_digit() || ".,kKmM%/".contains(c)) {
            return whole.to_owned();
        }
        format!("{before}{}{after}", self.name(secret.as_str()))
    }

    /// Masks every secret that was found before, wherever it stands.
    fn known(&self, text: String) -> String {
        let telling = self.names.iter().filter(|(secret, _)| secret.chars().count() >= TELLING);
        let mut found: Vec<(&String, &usize)> = telling.filter(|(secret, _)| text.contains(secret.as_str())).collect();
        // A longer one may have a shorter one in it.
        found.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        found
            .into_iter()
            .fold(text, |text, (secret, number)| text.replace(secret.as_str(), &format!("masked-{number}")))
    }

    fn run(&mut self, run: &str) -> String {
        // The text before an equals sign is a name.
        if let Some((name, value)) = run.split_once('=').filter(|(_, value)| value.trim_end_matches('=').len() > 1) {
            return format!("{name}={}", self.run(value));
        }
        if is_hex(run) {
            return self.name(run);
        }
        // A path or a name of several words is judged by its parts.
        if !run.split(['/', '-', '_']).any(is_random) && !is_random_whole(run) {
            return run.to_owned();
        }
        self.name(run)
    }

    fn name(&mut self, secret: &str) -> String {
        let next = self.names.len() + 1;
        let number = *self.names.entry(secret.to_owned()).or_insert(next);
        format!("masked-{number}")
    }
}

/// Whether a word of a command line says that the next one is a secret.
fn names_secret(word: &str) -> bool {
    word.starts_with('-') && !word.contains('=') && is_named(word.trim_start_matches('-'))
}

fn is_named(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|c| !"_-. ".contains(*c)).collect();
    NAMES.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether the name is of a number of tokens: agents count them.
fn is_count(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    name.ends_with("tokens") || name.ends_with("token_count") || name.ends_with("tokencount")
}

/// Whether a value stands where a secret could, and is none.
fn is_plain(value: &str) -> bool {
    let value = value.trim_end_matches(|c: char| ",.;:)]}\\".contains(c));
    let masked = value.strip_prefix("masked-").is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()));
    let nothing = value.chars().all(|c| !c.is_alphanumeric());
    masked || nothing || PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain))
}

/// Digests and ids of conversations: by chance their digits may stand together.
fn is_hex(word: &str) -> bool {
    let own = || word.chars().filter(|c| *c != '-');
    own().all(|c| c.is_ascii_hexdigit()) && own().any(|c| c.is_ascii_digit()) && own().any(|c| c.is_ascii_alphabetic())
}

/// Runs of lower case letters with or without a capital before them, of capitals, and of digits.
fn pieces(word: &str) -> Vec<(usize, bool)> {
    let mut pieces: Vec<(usize, bool)> = Vec::new();
    let mut last = None;
    for c in word.chars() {
        let class = match c {
            '0'..='9' => 0,
            'a'..='z' => 1,
            'A'..='Z' => 2,
            _ => 3,
        };
        let goes_on = last == Some(class) || (last == Some(2) && class == 1 && pieces.last().is_some_and(|p| p.0 == 1));
        match pieces.last_mut() {
            Some(piece) if goes_on => piece.0 += 1,
            _ => pieces.push((1, class == 0)),
        }
        last = Some(class);
    }
    pieces
}

/// Whether letters and digits follow each other as no name has them.
fn is_random(word: &str) -> bool {
    let pieces = pieces(word);
    let digits = pieces.iter().filter(|piece| piece.1).count();
    let letters: Vec<usize> = pieces.iter().filter(|piece| !piece.1).map(|piece| piece.0).collect();
    let between = pieces.windows(3).filter(|three| !three[0].1 && three[1].1 && !three[2].1).count();
    // Words of two letters are rare among those that names are joined from.
    let short = letters.iter().filter(|length| **length < 3).count();
    let is_choppy = letters.iter().sum::<usize>() < 3 * letters.len() || short * 5 >= letters.len() * 2;
    (word.len() >= 16 && digits > 0 && between >= 2)
        || (word.len() >= 16 && digits > 0 && is_choppy && letters.len() > 2)
        || (word.len() >= 20 && is_choppy && letters.len() > 5)
}

/// The same for one that has the signs of base64 in it.
fn is_random_whole(run: &str) -> bool {
    let plain: String = run.chars().filter(char::is_ascii_alphanumeric).collect();
    let joined = run.chars().filter(|c| "/-_+".contains(*c)).count();
    let padded = run.ends_with('=') && run.len() >= 20;
    let words =
        run.split(['/', '-', '_', '+']).filter(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_lowercase()));
    let in_words: usize = words.map(str::len).sum();
    is_random(&plain) && (joined <= 1 || in_words * 2 < plain.len()) || (padded && in_words * 2 < plain.len())
}

#[cfg(test)]
mod tests;
