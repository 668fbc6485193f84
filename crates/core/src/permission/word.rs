//! Words of a shell script as far as they are known before it runs.

/// Piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// Unknown text within this word: a quoted variable, a pattern for file names, a home folder.
    Any,
    /// Unknown text that may become any number of words: an unquoted variable, a list in braces.
    Many,
}

/// A word, which the shell may expand to other text or to several words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

impl Word {
    pub(super) fn text(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())] }
    }

    /// Returns words that are not known at all, for example what `xargs` appends.
    pub(super) fn many() -> Self {
        Self { parts: vec![Part::Many] }
    }

    pub(super) fn push(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => self.parts.push(Part::Text(c.into())),
        }
    }

    pub(super) fn push_str(&mut self, more: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push_str(more),
            _ => self.parts.push(Part::Text(more.to_owned())),
        }
    }

    pub(super) fn unknown(&mut self, quoted: bool) {
        self.parts.push(if quoted { Part::Any } else { Part::Many });
    }

    /// Returns the text of the word where it is always the same.
    pub(super) fn literal(&self) -> Option<String> {
        let mut whole = String::new();
        for part in &self.parts {
            let Part::Text(text) = part else { return None };
            whole.push_str(text);
        }
        Some(whole)
    }

    /// Returns the known pieces of text, joined by a blank where something unknown is between them.
    pub(super) fn known(&self) -> String {
        let known = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Any | Part::Many => " ",
        });
        known.collect()
    }

    /// Whether the word may become any number of words.
    pub(super) fn is_many(&self) -> bool {
        self.parts.contains(&Part::Many)
    }

    /// Whether the word may be, or contain, the word `wanted`.
    pub(super) fn may_be(&self, wanted: &str) -> bool {
        self.is_many() || fits(&self.parts, wanted)
    }

    /// Whether the word may be an option.
    pub(super) fn may_be_option(&self) -> bool {
        match self.parts.first() {
            Some(Part::Text(text)) => text.starts_with('-') || (text.is_empty() && self.parts.len() > 1),
            Some(Part::Any | Part::Many) => true,
            None => false,
        }
    }

    /// Returns the name of the program that this word runs, without its folder. Nothing where the name depends on the run.
    pub(super) fn program(&self) -> Option<String> {
        if self.is_many() {
            return None;
        }
        let Some(Part::Text(last)) = self.parts.last() else { return self.parts.is_empty().then(String::new) };
        match last.rsplit_once('/') {
            Some((_, name)) => Some(program(name)),
            None => self.literal().map(|text| program(&text)),
        }
    }
}

/// Returns the name of a program by its path: without the folder, as a file system that ignores case finds it.
pub(super) fn program(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// Whether parts can make up a text. Unknown parts stand for any text.
fn fits(parts: &[Part], wanted: &str) -> bool {
    let mut rest = wanted;
    let mut open = false;
    for (place, part) in parts.iter().enumerate() {
        let Part::Text(text) = part else {
            open = true;
            continue;
        };
        let last = place + 1 == parts.len();
        rest = match (open, last) {
            (false, _) => match rest.strip_prefix(text.as_str()) {
                Some(rest) => rest,
                None => return false,
            },
            (true, true) => return rest.ends_with(text.as_str()),
            // The first place is as good as any other: what follows has the more room.
            (true, false) => match rest.find(text.as_str()) {
                Some(at) => &rest[at + text.len()..],
                None => return false,
            },
        };
        open = false;
    }
    open || rest.is_empty()
}
