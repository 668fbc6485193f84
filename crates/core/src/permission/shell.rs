//! What a shell script runs, as far as that can be told without running it.
//!
//! Whoever allows `git status` has not allowed what else a script does. So a script is *plain* only when all that it runs
//! is a list of simple commands that can be named. Whatever cannot be told, or is not understood, is not plain: then
//! somebody is asked. It is never guessed.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundList, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, Pipeline, SimpleCommand, Word,
};
use brush_parser::word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};

use super::programs::{self, Kind};
use super::simple::is_simple;

/// Longer scripts are for a person to read.
const MAX_LEN: usize = 16 << 10;
/// What runs something else, or may. Also where it stands in quotes: that costs a question, no more.
const RUNS: [&str; 7] = ["`", "$(", "<(", ">(", "=(", "$[", "${("];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands that stand at the top, each word as the program gets it. A word is missing where it depends
    /// on what is known only when it runs.
    pub commands: Vec<Vec<Option<String>>>,
    /// There is nothing else in it.
    pub plain: bool,
    /// A builtin in it evaluates text in which more commands may be, or changes what later commands run.
    pub evaluates: bool,
}

/// Builtins that change what the commands after them run.
const CHANGES: [&str; 17] = [
    "alias",
    "declare",
    "enable",
    "exec",
    "export",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "typeset",
];

#[must_use]
pub fn read(script: &str) -> Script {
    if script.len() > MAX_LEN || script.contains('\0') || !is_simple(script) {
        return Script::default();
    }
    // What it does not expect the parser may panic about. It has nothing that could be left half done.
    std::panic::catch_unwind(|| parse(script)).unwrap_or_default()
}

fn parse(script: &str) -> Script {
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    let Ok(program) = Parser::new(script.as_bytes(), &options).parse_program() else { return Script::default() };
    let mut reader = Reader { options, script: Script { plain: true, ..Script::default() } };
    for list in &program.complete_commands {
        reader.list(list);
    }
    let mut found = reader.script;
    found.plain &= !found.commands.is_empty() && !RUNS.iter().any(|part| script.contains(part));
    found.plain &= !has_subscript(script);
    found.evaluates = found.commands.iter().any(|words| evaluates(words));
    let changed =
        found.commands.iter().position(|words| changes(words)).is_some_and(|first| first + 1 < found.commands.len());
    found.evaluates |= changed;
    found
}

/// Whether a builtin changes what the commands after it run.
fn changes(words: &[Option<String>]) -> bool {
    let sets = || words.get(1).is_none_or(|word| word.as_deref().is_none_or(|word| word.starts_with("-v")));
    words.first().and_then(Option::as_deref).is_some_and(|name| CHANGES.contains(&name) && (name != "printf" || sets()))
}

/// Whether a variable is followed by a bracket, which some shells evaluate: `$x[…]`.
fn has_subscript(script: &str) -> bool {
    script.match_indices('$').any(|(at, _)| {
        let rest = script[at + 1..].trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
        rest.starts_with('[') && rest.len() + at + 1 < script.len()
    })
}

/// Whether a builtin evaluates its arguments, and they have anything in them that could be evaluated.
fn evaluates(words: &[Option<String>]) -> bool {
    let Some(Some(name)) = words.first() else { return false };
    if programs::kind(name) != Some(Kind::Calculates) {
        return false;
    }
    let closed = name == "[" && words.last().is_some_and(|word| word.as_deref() == Some("]"));
    let arguments = &words[1..words.len() - usize::from(closed)];
    let odd = |word: &str| word.contains(['[', '$', '`', '\\']);
    arguments.iter().any(|word| word.as_deref().is_none_or(odd)) && !is_text_only(name, arguments)
}

/// `printf` with a format and values, and `test` with one operator that looks at text or at a file, evaluate nothing.
fn is_text_only(name: &str, arguments: &[Option<String>]) -> bool {
    let first = arguments.first().and_then(Option::as_deref);
    match name {
        "printf" => first.is_some_and(|word| !word.starts_with('-')),
        _ => false,
    }
}

struct Reader {
    options: ParserOptions,
    script: Script,
}

impl Reader {
    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.pipeline(&item.0.first);
            for next in &item.0.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.seq {
            match command {
                Command::Simple(simple) => self.simple(simple),
                _ => self.script.plain = false,
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand) {
        let mut words = Vec::new();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            // A variable before a command may change what it runs.
            self.script.plain &= matches!(item, Item::IoRedirect(redirect) if self.harmless(redirect));
        }
        words.extend(command.word_or_name.as_ref().map(|word| self.word(word)));
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => words.push(self.word(word)),
                Item::IoRedirect(redirect) => self.script.plain &= self.harmless(redirect),
                Item::ProcessSubstitution(..) => self.script.plain = false,
            }
        }
        if words.is_empty() {
            self.script.plain = false;
        } else {
            self.script.commands.push(words);
        }
    }

    /// Neither reads nor writes a file.
    fn harmless(&self, redirect: &IoRedirect) -> bool {
        let IoRedirect::File(_, kind, target) = redirect else { return false };
        match target {
            IoFileRedirectTarget::Fd(_) => true,
            IoFileRedirectTarget::Duplicate(word) => {
                self.literal(&word.value).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
            }
            IoFileRedirectTarget::Filename(word) => {
                matches!(kind, IoFileRedirectKind::Write | IoFileRedirectKind::Append | IoFileRedirectKind::Read)
                    && self.literal(&word.value).as_deref() == Some("/dev/null")
            }
            IoFileRedirectTarget::ProcessSubstitution(..) => false,
        }
    }

    fn word(&mut self, word: &Word) -> Option<String> {
        match brush_parser::word::parse(&word.value, &self.options) {
            Ok(pieces) => {
                self.script.plain &= pieces.iter().all(|piece| inert(&piece.piece));
                literal(&pieces)
            }
            Err(_) => {
                self.script.plain = false;
                None
            }
        }
    }

    fn literal(&self, word: &str) -> Option<String> {
        literal(&brush_parser::word::parse(word, &self.options).ok()?)
    }
}

/// Whether nothing runs when the shell makes a word of this.
fn inert(piece: &WordPiece) -> bool {
    match piece {
        WordPiece::Text(_)
        | WordPiece::SingleQuotedText(_)
        | WordPiece::AnsiCQuotedText(_)
        | WordPiece::TildeExpansion(_)
        | WordPiece::EscapeSequence(_) => true,
        WordPiece::DoubleQuotedSequence(pieces) => pieces.iter().all(|piece| inert(&piece.piece)),
        WordPiece::ParameterExpansion(ParameterExpr::Parameter { parameter, indirect: false }) => {
            matches!(parameter, Parameter::Named(_) | Parameter::Positional(_) | Parameter::Special(_))
        }
        _ => false,
    }
}

/// What the program gets, if that is always the same.
fn literal(pieces: &[WordPieceWithSource]) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(part) => text.push_str(&plain_text(part)?),
            WordPiece::SingleQuotedText(part) => text.push_str(part),
            WordPiece::DoubleQuotedSequence(inner) => text.push_str(&quoted(inner)?),
            WordPiece::EscapeSequence(escape) => text.push_str(escaped(escape)),
            _ => return None,
        }
    }
    Some(text)
}

/// Text without quotes: what could become other words is not always the same.
fn plain_text(text: &str) -> Option<String> {
    (!text.contains(['*', '?', '[', '{', '\\'])).then(|| text.to_owned())
}

fn quoted(pieces: &[WordPieceWithSource]) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(part) => text.push_str(&part.replace("\\\n", "")),
            WordPiece::EscapeSequence(escape) => text.push_str(escaped(escape)),
            _ => return None,
        }
    }
    Some(text)
}

/// A backslash and a character are that character; with a line break they are nothing.
fn escaped(escape: &str) -> &str {
    match escape.strip_prefix('\\') {
        Some("\n") => "",
        Some(character) => character,
        None => escape,
    }
}
