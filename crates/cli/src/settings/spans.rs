//! Where the parts of a JSON text are. Only for text that has been read as JSON before: nothing is checked here.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct Node {
    span: Range<usize>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Each with where its key begins.
    Object(Vec<(String, usize, Node)>),
    List(Vec<Node>),
    Other,
}

/// Where something is added, and how it is set there.
#[derive(Debug)]
pub(super) struct Place {
    at: usize,
    /// In front of it, a comma or the beginning of a line.
    before: String,
    /// Behind it, where there was nothing in the brackets.
    after: String,
    /// Of the line it stands on; empty where all is on one line.
    pub(super) indent: String,
}

impl Place {
    pub(super) fn insert(&self, text: &str, what: &str) -> String {
        let (head, tail) = text.split_at(self.at);
        format!("{head}{}{what}{}{tail}", self.before, self.after)
    }

    /// One level in.
    pub(super) fn deeper(&self, unit: &str) -> Self {
        let indent = if self.indent.is_empty() { String::new() } else { format!("{}{unit}", self.indent) };
        Self { at: self.at, before: String::new(), after: String::new(), indent }
    }

    pub(super) fn object(&self, unit: &str, member: &str) -> String {
        self.around("{", member, "}", unit)
    }

    pub(super) fn list(&self, unit: &str, item: &str) -> String {
        self.around("[", item, "]", unit)
    }

    fn around(&self, open: &str, inside: &str, close: &str, unit: &str) -> String {
        if self.indent.is_empty() {
            return format!("{open}{inside}{close}");
        }
        format!("{open}\n{}{unit}{inside}\n{}{close}", self.indent, self.indent)
    }
}

impl Node {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.span.clone()]
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        // Of two with the same name the last counts.
        self.members().filter(|(known, _)| *known == key).last().map(|(_, node)| node)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let members = match &self.kind {
            Kind::Object(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(|(key, _, node)| (key.as_str(), node))
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Self> {
        match &self.kind {
            Kind::List(items) => items.iter(),
            _ => [].iter(),
        }
    }

    /// Each part with where it begins and ends.
    fn parts(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|(_, start, node)| *start..node.span.end).collect(),
            Kind::List(items) => items.iter().map(|node| node.span.clone()).collect(),
            Kind::Other => Vec::new(),
        }
    }

    /// By how much each level is set in; two blanks where the file does not show it.
    pub(super) fn unit(&self, text: &str) -> String {
        let first = self.parts().first().and_then(|part| indent(text, part.start));
        first.filter(|indent| !indent.is_empty()).unwrap_or_else(|| "  ".into())
    }

    pub(super) fn end_of_members(&self, text: &str, unit: &str) -> Place {
        self.end(text, unit)
    }

    pub(super) fn end_of_items(&self, text: &str, unit: &str) -> Place {
        self.end(text, unit)
    }

    /// After the last part, set as that is; in empty brackets, on a line of its own.
    fn end(&self, text: &str, unit: &str) -> Place {
        match self.parts().last() {
            Some(last) => match indent(text, last.start) {
                Some(indent) => Place { at: last.end, before: format!(",\n{indent}"), after: String::new(), indent },
                None => Place { at: last.end, before: ", ".into(), after: String::new(), indent: String::new() },
            },
            None => {
                let own = line_indent(text, self.span.start);
                let inner = format!("{own}{unit}");
                let after = format!("\n{own}");
                Place { at: self.span.start + 1, before: format!("\n{inner}"), after, indent: inner }
            }
        }
    }

    pub(super) fn cut_member(&self, index: usize) -> Range<usize> {
        self.cut(index)
    }

    pub(super) fn cut_item(&self, index: usize) -> Range<usize> {
        self.cut(index)
    }

    /// With the comma that is too many then; the only one with all that is in the brackets.
    fn cut(&self, index: usize) -> Range<usize> {
        let parts = self.parts();
        let (Some(part), before) = (parts.get(index), index.checked_sub(1).and_then(|index| parts.get(index))) else {
            return self.span.end..self.span.end;
        };
        match (before, parts.get(index + 1)) {
            (Some(before), _) => before.end..part.end,
            (None, Some(next)) => part.start..next.start,
            (None, None) => self.span.start + 1..self.span.end - 1,
        }
    }
}

/// The blanks before something that begins a line.
fn indent(text: &str, at: usize) -> Option<String> {
    let line = text[..at].rsplit('\n').next()?;
    (text[..at].contains('\n') && line.trim().is_empty()).then(|| line.to_owned())
}

/// The blanks that the line begins with.
fn line_indent(text: &str, at: usize) -> String {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line[..line.len() - line.trim_start().len()].to_owned()
}

pub(super) fn read(text: &str) -> Node {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    reader.value(text)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or_default()
    }

    fn blanks(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    fn value(&mut self, text: &str) -> Node {
        self.blanks();
        let start = self.at;
        let kind = match self.peek() {
            b'{' => Kind::Object(self.parts(|reader| {
                let key = reader.at;
                reader.string();
                let name = serde_json::from_str(&text[key..reader.at]).unwrap_or_default();
                reader.blanks();
                reader.at += 1;
                (name, key, reader.value(text))
            })),
            b'[' => Kind::List(self.parts(|reader| reader.value(text))),
            b'"' => {
                self.string();
                Kind::Other
            }
            _ => {
                while !matches!(self.peek(), b',' | b'}' | b']' | 0) && !self.peek().is_ascii_whitespace() {
                    self.at += 1;
                }
                Kind::Other
            }
        };
        Node { span: start..self.at, kind }
    }

    /// Parts with commas between them, up to the closing bracket.
    fn parts<T>(&mut self, mut part: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut parts = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                b'}' | b']' | 0 => break,
                b',' => self.at += 1,
                _ => parts.push(part(self)),
            }
        }
        self.at += 1;
        parts
    }

    fn string(&mut self) {
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}
