//! Reads one word: its quotes, and the substitutions and calculations in it.

use super::{End, MAX_DEPTH, Read, Reader, assignment, expanded, is_meta, unread};
use crate::permission::word::{Part, Word};

impl Reader<'_> {
    pub(super) fn word(&mut self) -> Read<Word> {
        let mut word = Word::default();
        let start = self.at;
        let mut in_brackets = false;
        if self.peek() == Some('~') {
            while self.peek().is_some_and(|c| !is_meta(c) && c != '/' && !matches!(c, '\'' | '"' | '\\' | '$' | '`')) {
                self.at += 1;
            }
            word.parts.push(Part::Any);
        }
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.after(1) == Some('(') => {
                    self.at += 2;
                    self.list(End::Paren)?;
                    word.parts.push(Part::Any);
                    continue;
                }
                '(' if assignment(&self.slice(start)).is_some() && self.chars[self.at - 1] == '=' => {
                    self.at += 1;
                    self.elements(&mut word)?;
                    continue;
                }
                '(' if self.at > start && !self.conditional => {
                    // A function is defined, or a pattern has a list in it.
                    let ends = self.chars[self.at + 1..].iter().find(|c| !matches!(c, ' ' | '\t'));
                    return if ends == Some(&')') { Ok(word) } else { unread("`(` in a word") };
                }
                c if is_meta(c) => break,
                _ => {}
            }
            self.at += 1;
            match c {
                '\\' => match self.peek() {
                    None => return unread("`\\` at the end"),
                    Some(next) => {
                        self.at += 1;
                        if next != '\n' {
                            word.push(next);
                        }
                    }
                },
                '\'' => {
                    let from = self.at;
                    while self.peek().is_some_and(|c| c != '\'') {
                        self.at += 1;
                    }
                    let text = self.slice(from);
                    if !self.eat('\'') {
                        return unread("a quote without an end");
                    }
                    word.push_str(&text);
                }
                '"' => self.double(&mut word)?,
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backticks(&mut word, false)?,
                '*' | '?' => word.parts.push(Part::Any),
                '[' => {
                    let alone = self.chars[start..self.at].iter().all(|c| *c == '[')
                        && self.at - start <= 2
                        && self.peek().is_none_or(|c| is_meta(c) || c == '[');
                    if alone {
                        word.push('[');
                    } else {
                        in_brackets = true;
                        word.parts.push(Part::Any);
                    }
                }
                ']' if in_brackets => in_brackets = false,
                '{' if self.peek().is_some_and(|c| !is_meta(c) && c != '}') => word.parts.push(Part::Many),
                _ if in_brackets => {}
                c => word.push(c),
            }
        }
        if word.parts.is_empty() && self.at > start {
            word.parts.push(Part::Text(String::new()));
        }
        Ok(word)
    }

    /// The elements of an array.
    fn elements(&mut self, word: &mut Word) -> Read {
        word.parts.push(Part::Many);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unread("it is nested too deeply");
        }
        loop {
            self.space();
            if self.eat(')') {
                self.depth -= 1;
                return Ok(());
            }
            let start = self.at;
            let element = self.word()?;
            if self.at == start {
                return unread("an array");
            }
            self.script.evaluates |= self.slice(start).starts_with('[');
            word.push_str(&element.known());
            word.parts.push(Part::Many);
        }
    }

    fn double(&mut self, word: &mut Word) -> Read {
        word.push_str("");
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '"' => return Ok(()),
                '\\' => {
                    let Some(next) = self.peek() else { break };
                    self.at += 1;
                    match next {
                        '\n' => {}
                        '$' | '`' | '"' | '\\' => word.push(next),
                        next => {
                            word.push('\\');
                            word.push(next);
                        }
                    }
                }
                '$' => self.dollar(word, true)?,
                '`' => self.backticks(word, true)?,
                c => word.push(c),
            }
        }
        unread("a quote without an end")
    }

    /// What follows a `$`.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Read {
        let Some(c) = self.peek() else {
            word.push('$');
            return Ok(());
        };
        match c {
            '\'' if !quoted => {
                self.at += 1;
                let Some(text) = escaped(&self.chars, &mut self.at) else { return unread("a quote without an end") };
                word.push_str(&text);
            }
            '"' if !quoted => {
                self.at += 1;
                self.double(word)?;
            }
            '(' => {
                let end = if self.after(1) == Some('(') { self.calculation_end(self.at + 2) } else { None };
                if let Some(end) = end {
                    self.at += 2;
                    self.calculation(end)?;
                    self.at = end + 2;
                } else {
                    self.at += 1;
                    self.list(End::Paren)?;
                }
                word.unknown(quoted);
            }
            '{' => {
                self.at += 1;
                let many = self.braced(quoted)?;
                word.unknown(quoted && !many);
            }
            '[' => {
                let end = (self.at..self.chars.len()).find(|at| self.chars[*at] == ']');
                let Some(end) = end else { return unread("`$[` without an end") };
                self.at += 1;
                self.calculation(end)?;
                self.at = self.at.max(end + 1);
                word.unknown(quoted);
            }
            '@' => {
                self.at += 1;
                word.unknown(false);
            }
            '#' | '?' | '$' | '!' | '-' => {
                self.at += 1;
                word.unknown(true);
            }
            '*' | '0'..='9' => {
                self.at += 1;
                word.unknown(quoted);
            }
            c if c == '_' || c.is_ascii_alphabetic() => {
                while self.peek().is_some_and(|c| c == '_' || c.is_ascii_alphanumeric()) {
                    self.at += 1;
                }
                word.unknown(quoted);
            }
            _ => word.push('$'),
        }
        Ok(())
    }

    /// `${…}`. Returns whether it may become several words although it is quoted.
    fn braced(&mut self, quoted: bool) -> Read<bool> {
        let start = self.at;
        if matches!(self.peek(), None | Some(' ' | '\t' | '\n' | '|')) {
            return unread("a command in `${`");
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unread("it is nested too deeply");
        }
        let mut inner = Word::default();
        loop {
            let Some(c) = self.peek() else { return unread("`${` without `}`") };
            self.at += 1;
            match c {
                '}' => break,
                '\\' if self.at < self.chars.len() => self.at += 1,
                '\'' if quoted => return unread("a quote in `${`"),
                '\'' => {
                    while self.peek().is_some_and(|c| c != '\'') {
                        self.at += 1;
                    }
                    if !self.eat('\'') {
                        return unread("a quote without an end");
                    }
                }
                '"' => self.double(&mut inner)?,
                '$' => self.dollar(&mut inner, quoted)?,
                '`' => self.backticks(&mut inner, quoted)?,
                '<' | '>' if self.eat('(') => self.list(End::Paren).map(drop)?,
                _ => {}
            }
        }
        self.depth -= 1;
        let text = self.slice(start);
        let name =
            text.trim_start_matches(['#', '!']).trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
        let whole = name.starts_with("[@]") || name.starts_with("[*]");
        if text.contains("@P") {
            return unread("`@P`, which runs what is in a variable");
        }
        let offset = name.strip_prefix(':').is_some_and(|rest| !rest.starts_with(['-', '=', '?', '+']));
        let subscript = name.starts_with('[') && !whole;
        self.script.evaluates |= text.starts_with('!') || subscript || offset;
        Ok(text.contains('@'))
    }

    pub(super) fn backticks(&mut self, word: &mut Word, quoted: bool) -> Read {
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else { return unread("a quote without an end") };
            self.at += 1;
            match c {
                '`' => break,
                '\\' => match self.peek() {
                    Some(next @ ('`' | '\\' | '$')) => {
                        self.at += 1;
                        text.push(next);
                    }
                    Some('"') if quoted => {
                        self.at += 1;
                        text.push('"');
                    }
                    _ => text.push('\\'),
                },
                c => text.push(c),
            }
        }
        self.nested(&text, |inner| inner.list(End::Text))?;
        word.unknown(quoted);
        Ok(())
    }

    /// Place of the `))` that ends a calculation. Nothing if these are two subshells.
    pub(super) fn calculation_end(&self, from: usize) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = from;
        while let Some(c) = self.chars.get(at) {
            match c {
                '\\' => at += 1,
                '\'' => at += 1 + self.chars[at + 1..].iter().position(|c| *c == '\'')?,
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => return (self.chars.get(at + 1) == Some(&')')).then_some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// A calculation up to its end. Shells without calculations read it as commands, and so do we, beside it.
    pub(super) fn calculation(&mut self, end: usize) -> Read {
        let text: String = self.chars[self.at.min(end)..end].iter().collect();
        self.script.evaluates |= text.contains(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '`'));
        self.nested(&text, expanded)?;
        if text.contains(|c: char| c.is_ascii_alphabetic()) {
            // What is no command either is no command.
            drop(self.nested(&text, |inner| inner.list(End::Text)));
        }
        Ok(())
    }
}

/// The text of `$'…'`, from after its first quote to after its last.
fn escaped(chars: &[char], at: &mut usize) -> Option<String> {
    let mut text = String::new();
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            // A NUL ends the text.
            '\'' => return Some(text.split('\0').next().unwrap_or_default().to_owned()),
            '\\' => text.push_str(&escape(chars, at)?),
            c => text.push(c),
        }
    }
}

/// One escape sequence of `$'…'`, from after its backslash.
fn escape(chars: &[char], at: &mut usize) -> Option<String> {
    let c = *chars.get(*at)?;
    *at += 1;
    Some(match c {
        'a' => "\u{7}".into(),
        'b' => "\u{8}".into(),
        'e' | 'E' => "\u{1b}".into(),
        'f' => "\u{c}".into(),
        'n' => "\n".into(),
        'r' => "\r".into(),
        't' => "\t".into(),
        'v' => "\u{b}".into(),
        'x' if chars.get(*at) == Some(&'{') => {
            *at += 1;
            let text = number(chars, at, 16, 8);
            *at += usize::from(chars.get(*at) == Some(&'}'));
            text
        }
        'x' => number(chars, at, 16, 2),
        'u' => number(chars, at, 16, 4),
        'U' => number(chars, at, 16, 8),
        '0'..='7' => {
            *at -= 1;
            number(chars, at, 8, 3)
        }
        'c' => {
            *at += 1;
            "\u{fffd}".into()
        }
        '\\' | '\'' | '"' | '?' => c.into(),
        other => format!("\\{other}"),
    })
}

/// A character by its number, of at most so many digits.
fn number(chars: &[char], at: &mut usize, radix: u32, most: usize) -> String {
    let mut value = 0_u32;
    for _ in 0..most {
        let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        *at += 1;
    }
    // An octal number counts modulo 256.
    let value = if radix == 8 { value & 0xff } else { value };
    char::from_u32(value).unwrap_or('\u{fffd}').to_string()
}
