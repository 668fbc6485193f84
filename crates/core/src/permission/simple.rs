//! Whether a script is so simple that the parser may see it.
//!
//! The parser takes a shell's whole language, and for some of it all the memory, all the stack, or for ever. Commands come
//! from whoever has the ear of an agent. So what cannot be plain is left out here, in one pass: whatever nests, texts that
//! follow a command, and quotes that do not end. Leaving out too much costs a question.

use std::iter::Peekable;
use std::str::Chars;

/// What commands nest with, where it is not a word of a command.
const NESTING: [&str; 15] = [
    "!", "[[", "{", "case", "coproc", "do", "elif", "else", "for", "function", "if", "select", "then", "until", "while",
];
/// So many of them may be words of a command.
const MAX_NESTING: usize = 8;
/// The same for signs: braces and brackets are also for lists of names.
const MAX_SIGNS: usize = 16;
/// Of the number of an open file.
const MAX_DIGITS: usize = 4;
/// In a remark they make it hard to tell where it ends.
const NOT_IN_REMARKS: [char; 8] = ['\'', '"', '`', '\\', '(', ')', '{', '}'];
/// In place of what is quoted.
const QUOTED: char = 'x';

#[must_use]
pub(super) fn is_simple(script: &str) -> bool {
    let Some(bare) = bare(script) else { return false };
    let words = bare.split(|c: char| c.is_whitespace() || is_operator(c));
    !bare.contains(['(', ')', '`'])
        && !bare.contains("<<")
        && !has_huge_number(&bare)
        && bare.matches(['{', '[', '!']).count() <= MAX_SIGNS
        && words.filter(|word| NESTING.contains(word)).count() <= MAX_NESTING
}

/// Whether a file is named by a number that no file has.
fn has_huge_number(bare: &str) -> bool {
    let mut digits = 0;
    bare.chars().any(|c| {
        let huge = matches!(c, '<' | '>') && digits > MAX_DIGITS;
        digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        huge
    })
}

fn is_operator(c: char) -> bool {
    matches!(c, ';' | '&' | '|' | '<' | '>')
}

/// The script without what is quoted, and without remarks. Nothing if it cannot be told what that is.
fn bare(script: &str) -> Option<String> {
    let mut bare = String::new();
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\n' => {}
                _ => bare.push(QUOTED),
            },
            '\'' => {
                chars.find(|c| *c == '\'')?;
                bare.push(QUOTED);
            }
            '"' => {
                double(&mut chars)?;
                bare.push(QUOTED);
            }
            '$' if chars.next_if_eq(&'\'').is_some() => {
                escaped(&mut chars)?;
                bare.push(QUOTED);
            }
            '$' => {
                parameter(&mut chars)?;
                bare.push(QUOTED);
            }
            '#' if bare.chars().next_back().is_none_or(|c| c.is_whitespace() || is_operator(c)) => {
                remark(&mut chars)?;
            }
            c => bare.push(c),
        }
    }
    Some(bare)
}

/// To the end of double quotes.
fn double(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '`' => return None,
            '$' => parameter(chars)?,
            '\\' => drop(chars.next()?),
            _ => {}
        }
    }
}

/// To the end of quotes in which a backslash counts.
fn escaped(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match chars.next()? {
            '\'' => return Some(()),
            '\\' => drop(chars.next()?),
            _ => {}
        }
    }
}

/// What follows a `$`: a name, also in braces. More than that runs something, or may.
fn parameter(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    match chars.peek() {
        Some('(' | '[') => None,
        Some('{') => {
            chars.next();
            while chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some() {}
            chars.next_if_eq(&'}').map(drop)
        }
        _ => Some(()),
    }
}

/// To the end of the line.
fn remark(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        if NOT_IN_REMARKS.contains(&c) {
            return None;
        }
    }
    Some(())
}
