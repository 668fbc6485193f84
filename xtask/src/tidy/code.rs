//! What a Rust file says in code, as paths with line numbers. Comments and strings are not code.
//!
//! Reads tokens, not syntax: the arguments of macros count too, and `use a::{b, c}` is `a::b` and `a::c`.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use super::tree::File;
use super::{Finding, Rule};

const RULE: Rule = Rule { name: "readable", why: "the other checks read the tokens of each Rust file" };

#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) spots: Vec<Spot>,
    pub(super) error: Option<(usize, String)>,
}

/// One path in the code: `std::fs::read`, a keyword such as `unsafe`, or a method as `.elapsed`.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) in_attribute: bool,
}

impl Spot {
    /// Whether the segments of `part` stand next to each other in this path.
    pub(super) fn mentions(&self, part: &str) -> bool {
        format!("::{}::", self.path).contains(&format!("::{part}::"))
    }
}

pub(super) fn read(text: &str) -> Code {
    let mut code = Code::default();
    match text.parse::<TokenStream>() {
        Ok(tokens) => walk(tokens, Context { prefix: "", in_attribute: false }, &mut code.spots),
        Err(error) => code.error = Some((error.span().start().line.max(1), error.to_string())),
    }
    code
}

pub(super) fn check(file: &File) -> Vec<Finding> {
    let error = file.code.error.as_ref();
    error.map(|(line, message)| Finding::new(file, *line, RULE, format!("not Rust: {message}"))).into_iter().collect()
}

#[derive(Clone, Copy)]
struct Context<'a> {
    /// The path before the braces of a `use`, with its `::`.
    prefix: &'a str,
    in_attribute: bool,
}

fn walk(tokens: TokenStream, context: Context<'_>, spots: &mut Vec<Spot>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += match token {
            TokenTree::Ident(_) => path(&tokens, at, context, spots),
            TokenTree::Group(group) => {
                let in_attribute = context.in_attribute || opens_attribute(&tokens[..at], group.delimiter());
                walk(group.stream(), Context { prefix: "", in_attribute }, spots);
                1
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
        };
    }
}

/// Notes the path that starts at `start` and says how many tokens it took.
fn path(tokens: &[TokenTree], start: usize, context: Context<'_>, spots: &mut Vec<Spot>) -> usize {
    let dot = if is_method(&tokens[..start]) { "." } else { "" };
    let mut path = format!("{}{dot}{}", context.prefix, tokens[start]);
    let mut at = start + 1;
    while let [TokenTree::Punct(a), TokenTree::Punct(b), next, ..] = &tokens[at..]
        && (a.as_char(), a.spacing(), b.as_char()) == (':', Spacing::Joint, ':')
    {
        match next {
            TokenTree::Ident(name) => path = format!("{path}::{name}"),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                walk(group.stream(), Context { prefix: &format!("{path}::"), ..context }, spots);
                return at + 3 - start;
            }
            _ => break,
        }
        at += 3;
    }
    spots.push(Spot { path, line: tokens[start].span().start().line, in_attribute: context.in_attribute });
    at - start
}

fn opens_attribute(before: &[TokenTree], delimiter: Delimiter) -> bool {
    let is = |token: &TokenTree, c| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    delimiter == Delimiter::Bracket
        && match before {
            [.., hash, bang] if is(bang, '!') => is(hash, '#'),
            [.., hash] => is(hash, '#'),
            [] => false,
        }
}

fn is_method(before: &[TokenTree]) -> bool {
    let dot = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == '.');
    match before {
        [.., range, last] => dot(last) && !dot(range),
        [last] => dot(last),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_code_and_nothing_else() {
        let rows: &[(&str, &[&str])] = &[
            ("use std::{fs, time::{self, Instant}};", &["use", "std::fs", "std::time::self", "std::time::Instant"]),
            ("// std::fs\n/* tokio */ \"unsafe\" r#\"tokio\"#", &[]),
            ("//! std::fs\n", &["doc"]),
            ("vec![std::env::var(\"A\")]", &["vec", "std::env::var"]),
            ("start.elapsed() .. end", &["start", ".elapsed", "end"]),
            ("0..end", &["end"]),
            ("unsafe { f::<u8>() }", &["unsafe", "f", "u8"]),
            ("a: b", &["a", "b"]),
        ];
        for (text, expected) in rows {
            let code = read(text);
            let paths: Vec<&str> = code.spots.iter().map(|spot| spot.path.as_str()).collect();
            assert_eq!(&paths, expected, "{text}");
        }
    }

    #[test]
    fn lines_and_attributes() {
        let code = read("#[test]\n#[cfg_attr(x, ignore)]\nfn f() { [ignore] }");
        let spots: Vec<_> = code.spots.iter().map(|s| (s.path.as_str(), s.line, s.in_attribute)).collect();
        let expected = [
            ("test", 1, true),
            ("cfg_attr", 2, true),
            ("x", 2, true),
            ("ignore", 2, true),
            ("fn", 3, false),
            ("f", 3, false),
            ("ignore", 3, false),
        ];
        assert_eq!(spots, expected);
    }

    #[test]
    fn a_mention_is_whole_segments() {
        let spot = |path: &str| Spot { path: path.to_owned(), line: 1, in_attribute: false };
        assert!(spot("std::time::Instant::now").mentions("Instant::now"));
        assert!(spot("tokio").mentions("tokio"));
        assert!(!spot("tokio_util::sync").mentions("tokio"));
        assert!(!spot("std::fs_extra").mentions("std::fs"));
    }

    #[test]
    fn unreadable_rust_is_a_finding() {
        crate::tidy::assert_rows(
            check,
            &[("a.rs", "fn f() {\n", &[1]), ("a.rs", "fn f() {}\n", &[]), ("a.md", "{", &[])],
        );
    }
}
