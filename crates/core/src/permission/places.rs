//! Files and hosts in the input of a tool, however they are written and under whatever key.

use globset::GlobMatcher;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

/// Keys of tools for files whose values are text to be written or explained, not paths.
pub(super) const CONTENT_KEYS: [&str; 10] = [
    "content",
    "new_string",
    "old_string",
    "new_source",
    "instruction",
    "description",
    "prompt",
    "cell_type",
    "edit_mode",
    "cell_id",
];
/// Longer texts are no paths.
const MAX_PATH: usize = 4096;
/// Maximum nesting of an input.
const MAX_DEPTH: usize = 16;

/// Links below `/proc` that lead to other files.
const DETOURS: [&str; 4] = ["root", "cwd", "fd", "map_files"];

/// Collects the texts in a value, but for those under some keys.
pub(super) fn texts<'a>(value: &'a Value, without: &[&str], into: &mut Vec<&'a str>) {
    collect(value, without, into, 0);
}

fn collect<'a>(value: &'a Value, without: &[&str], into: &mut Vec<&'a str>, depth: usize) {
    match value {
        Value::String(text) => into.push(text),
        _ if depth > MAX_DEPTH => {}
        Value::Array(items) => items.iter().for_each(|item| collect(item, without, into, depth + 1)),
        Value::Object(fields) => {
            for (key, value) in fields.iter().filter(|(key, _)| !without.contains(&key.as_str())) {
                if key.contains(['/', ':']) {
                    into.push(key);
                }
                collect(value, without, into, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether the input has the key of the tools, and it is not a text.
pub(super) fn is_unreadable(input: &Value, tools: &[(&str, &str)]) -> bool {
    match input {
        Value::Object(fields) => {
            let of_tools = |key: &str| tools.iter().any(|(_, known)| *known == key);
            fields.iter().any(|(key, value)| of_tools(key) && (value.is_number() || value.is_boolean()))
        }
        Value::Null => false,
        _ => true,
    }
}

pub(super) fn looks_like_path(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) && !text.contains(char::is_whitespace)
}

/// A file, as far as its path is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// From the root and without detours. Nothing where the path leaves the root, or has none.
    strict: Option<String>,
    /// What the system may make of it.
    maybe: Vec<String>,
    /// The end of it, where it begins in a folder that is not known.
    below: Option<String>,
    /// It may be any file.
    any: bool,
}

impl Path {
    pub(super) fn read(text: &str, cwd: &str) -> Self {
        // Agents trim paths as JavaScript does.
        let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if trimmed.is_empty() || trimmed.contains('\n') || text.len() > MAX_PATH {
            return Self::default();
        }
        let strict = Some(text).filter(|text| *text == trimmed).and_then(|text| strict(text, cwd));
        let mut path = Self { strict, ..Self::default() };
        let text = trimmed;
        let decoded = text.strip_prefix("file://").map(|rest| decoded(rest.trim_start_matches("localhost")));
        for spelling in [text.to_owned(), text.replace('\\', "/"), decoded.unwrap_or_default()] {
            if !spelling.is_empty() {
                path.add(&spelling, cwd);
            }
        }
        path
    }

    fn add(&mut self, text: &str, cwd: &str) {
        let text = text.split('\0').next().unwrap_or_default();
        let home = text.starts_with('~').then(|| text.split_once('/').map_or("", |(_, rest)| rest));
        let relative = !text.starts_with('/') && home.is_none();
        if let Some(rest) = home.or((relative && !cwd.starts_with('/')).then_some(text)) {
            self.below = Some(clean(rest.trim_start_matches("./")));
        }
        let whole = if text.starts_with('/') { text.to_owned() } else { format!("{cwd}/{text}") };
        match resolved(&whole, cwd) {
            Some(path) => {
                let plain = path.strip_prefix("/private").filter(|rest| rest.starts_with('/')).map(str::to_owned);
                self.maybe.extend([Some(clean(&path)), plain].into_iter().flatten());
            }
            None => self.any = true,
        }
    }

    pub(super) fn strict(&self) -> Option<&str> {
        self.strict.as_deref()
    }

    pub(super) fn name(&self) -> &str {
        self.strict.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or_default()
    }

    pub(super) fn is(&self, glob: &GlobMatcher) -> bool {
        self.strict.as_deref().is_some_and(|path| glob.is_match(path))
    }

    pub(super) fn may_be_named(&self, glob: &GlobMatcher) -> bool {
        let name =
            |path: &String| path.trim_end_matches('/').rsplit('/').next().is_some_and(|name| glob.is_match(name));
        self.any || self.maybe.iter().chain(&self.below).any(name)
    }

    /// Whether it may be one of the files of a pattern, or a folder of them.
    pub(super) fn may_be(&self, glob: &GlobMatcher, text: &str) -> bool {
        let fits = |path: &str| glob.is_match(path) || glob.is_match(format!("{}/x", path.trim_end_matches('/')));
        // Each folder of the pattern may be the one that is not known.
        let folders = || text.match_indices('/').map(|(at, _)| &text[..at]).chain(["", "/x"]);
        self.any
            || self.maybe.iter().any(|path| fits(path))
            || self.below.as_ref().is_some_and(|rest| folders().any(|folder| fits(&format!("{folder}/{rest}"))))
    }
}

/// The path from the root. Nothing for one that would leave the root, nor for one that the agent expands: `~/x`, `file:///x`.
fn strict(text: &str, cwd: &str) -> Option<String> {
    if text.starts_with('~') || text.contains(":/") {
        return None;
    }
    let whole = if text.starts_with('/') { text.to_owned() } else { format!("{cwd}/{text}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let detours = parts.first() == Some(&"proc") && parts.iter().any(|part| DETOURS.contains(part));
    (whole.starts_with('/') && !whole.contains('\0') && !detours).then(|| format!("/{}", parts.join("/")))
}

/// The path as the system resolves it, as far as that is known without looking. Nothing for one that may be any file.
fn resolved(whole: &str, cwd: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            // The root is its own parent.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
        let lower: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
        match lower.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["proc", _, "root"] | ["proc", _, "task", _, "root"] => parts.clear(),
            ["proc", _, "cwd"] | ["proc", _, "task", _, "cwd"] => {
                parts = cwd.split('/').filter(|part| !part.is_empty()).collect();
            }
            ["proc", _, "fd" | "map_files"] | ["dev", "fd"] => return None,
            _ => {}
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// One spelling of characters that can be written in several ways.
fn clean(path: &str) -> String {
    path.nfc().collect()
}

/// Text with `%XX` as the characters they stand for.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *byte == b'%');
        plain.push(hex.unwrap_or(*byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// The host of an address. Nothing for one that tries to look like another.
pub(super) fn host(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // What stands before `@` is a user, and a backslash is a slash to some clients.
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    if port.len() > 5 || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    (!host.is_empty() && host.bytes().all(fine)).then(|| host.to_ascii_lowercase())
}

/// Whether a host is a domain, or below it.
pub(super) fn is_below(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// Whether a text has an address in it whose host may be a domain, or below it.
pub(super) fn may_be_below(text: &str, domain: &str) -> bool {
    // Clients leave out line breaks, and take a backslash for a slash.
    let plain: String =
        text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect::<String>().replace('\\', "/");
    let mut starts: Vec<&str> = plain.match_indices("//").map(|(at, _)| &plain[at + 2..]).collect();
    if !plain.contains("//") && !plain.contains(' ') {
        starts.push(
            plain.split_once(':').filter(|(scheme, _)| scheme.starts_with("http")).map_or(&plain, |(_, rest)| rest),
        );
    }
    starts.iter().any(|rest| {
        let rest = rest.trim_start_matches('/');
        let authority = rest.split(['/', '?', '#', ' ', '"', '\'', '>', '<']).next().unwrap_or_default();
        // The name of a user may be a host for some clients.
        authority.split('@').any(|host| may_be_host(host, domain))
    })
}

fn may_be_host(written: &str, domain: &str) -> bool {
    let decoded: String =
        decoded(written).nfkc().collect::<String>().to_lowercase().replace(['\u{3002}', '\u{ff61}'], ".");
    let without_port = match decoded.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => decoded.split(':').next().unwrap_or_default(),
    };
    let host = without_port.trim_end_matches('.');
    // An IP address has more spellings than one.
    let is_number = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or_default();
        text.contains(':') || last.starts_with(|c: char| c.is_ascii_digit())
    };
    is_below(host, domain) || (is_number(domain) && is_number(host))
}
