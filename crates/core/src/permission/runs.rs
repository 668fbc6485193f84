//! What a script may run in the end: the commands behind runners, shells and builtins that evaluate text.

use std::collections::BTreeSet;

use super::programs::{self, Kind, Next};
use super::script::{self, MAX_CHARS, Script, Simple};
use super::word::{self, Part, Word};

/// Maximum nesting of texts that are scripts themselves.
const MAX_SCRIPTS: usize = 6;
/// Maximum number of words of a command.
const MAX_WORDS: usize = 4096;
/// Maximum nesting of programs that run others.
const MAX_RUNNERS: usize = 24;
/// Options of `find` and its kin that a command follows.
const FIND_MARKS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
/// Options of runners whose value is a command.
const COMMAND_OPTIONS: [&str; 3] = ["--command", "--session-command", "--split-string"];
/// Maximum length of the part of a command that is named as a reason.
const MAX_PART: usize = 80;

/// Commands that a script may run.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    commands: Vec<Started>,
    /// Texts that a program may take a command from, and the part of the script they are in.
    texts: Vec<(String, String)>,
    /// The part of the script that may run anything.
    anything: Option<String>,
}

/// Words of which each tail in `from` may be a command.
#[derive(Clone, Debug)]
struct Started {
    words: Vec<Word>,
    from: BTreeSet<usize>,
    part: String,
}

/// Finds what a script may run.
pub(super) fn of_text(text: &str) -> Runs {
    let mut finder = Finder { runs: Runs::default(), left: MAX_CHARS, scripts: 0, depth: 0, spent: false };
    if text.len() > MAX_CHARS {
        finder.anything("it is too long");
    } else {
        finder.text(text, None);
    }
    finder.runs
}

/// Finds what a command may run whose words are given one by one.
pub(super) fn of_words(words: &[String]) -> Runs {
    let mut finder = Finder { runs: Runs::default(), left: MAX_CHARS, scripts: 0, depth: 0, spent: false };
    let part = shortened(&words.join(" "));
    finder.command(words.iter().map(|text| Word::text(text)).collect(), None, &part);
    finder.runs
}

impl Runs {
    /// The part of the script that is, or may be, a command that begins with these words. `more` says whether it may have
    /// more of them.
    pub(super) fn may_be(&self, wanted: &[String], more: bool) -> Option<String> {
        let program = word::program(wanted.first()?);
        let named = self.commands.iter().find(|started| {
            let mut tails = started.from.iter().filter_map(|from| started.words.get(*from..));
            tails.any(|words| begins(&program, wanted, more, words))
        });
        let named = named.map(|started| started.part.clone());
        let carried = || self.texts.iter().find(|(text, _)| mentions(&text.to_lowercase(), &program));
        named.or_else(|| carried().map(|(_, part)| part.clone())).or_else(|| self.anything.clone())
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.commands.extend(other.commands);
        self.texts.extend(other.texts);
        self.anything = self.anything.take().or(other.anything);
    }

    /// Adds that the command cannot be read.
    pub(super) fn unread(part: &str) -> Self {
        Self { anything: Some(part.to_owned()), ..Self::default() }
    }
}

/// Whether words may be the wanted command. Options before a subcommand are skipped, each with a value or without.
fn begins(program: &str, wanted: &[String], more: bool, words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let is_program = first.is_many() || first.program().is_none_or(|name| name == program);
    if !is_program {
        return false;
    }
    // Places in the words by how many wanted words are matched, and whether the word before is an option.
    let mut open: BTreeSet<(usize, bool)> = BTreeSet::from([(1, false)]);
    for word in &words[1..] {
        let mut next = BTreeSet::new();
        for (matched, option) in open {
            let Some(text) = wanted.get(matched) else {
                if more {
                    return true;
                }
                if word.is_many() {
                    next.insert((matched, false));
                }
                continue;
            };
            if word.is_many() {
                return true;
            }
            if word.may_be(text) {
                next.insert((matched + 1, false));
            }
            if word.may_be_option() {
                next.insert((matched, true));
            } else if option || text.starts_with('-') {
                next.insert((matched, false));
            }
        }
        if next.is_empty() {
            return false;
        }
        open = next;
    }
    open.iter().any(|(matched, _)| *matched >= wanted.len())
}

/// Whether a text has this as a word of its own.
pub(super) fn mentions(text: &str, word: &str) -> bool {
    let part_of_a_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(part_of_a_word)
                && !text[at + word.len()..].chars().next().is_some_and(part_of_a_word)
        })
}

pub(super) fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_PART) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

struct Finder {
    runs: Runs,
    /// Characters and words that may still be read.
    left: usize,
    scripts: usize,
    depth: usize,
    /// A limit was reached: then the script may run anything, and reading on would be in vain.
    spent: bool,
}

/// The words of a command, while the commands in them are looked for.
struct Walk<'a> {
    words: &'a [Word],
    input: Option<&'a Word>,
    part: &'a str,
    from: BTreeSet<usize>,
    seen: BTreeSet<usize>,
}

impl Walk<'_> {
    /// Each known word from `at` on may be the name of a command.
    fn name(&mut self, at: usize) {
        let words = self.words;
        self.from.extend((at..words.len()).filter(|place| words[*place].program().is_some()));
    }
}

impl Finder {
    /// Ends the search at a limit.
    fn spend(&mut self, part: &str) {
        self.spent = true;
        self.anything(part);
    }

    fn anything(&mut self, part: &str) {
        self.runs.anything.get_or_insert_with(|| part.to_owned());
    }

    /// A text that is a script. `part` is what it is a part of.
    fn text(&mut self, text: &str, part: Option<&str>) {
        if self.spent {
            return;
        }
        if self.scripts >= MAX_SCRIPTS || self.left < text.len() {
            return self.spend(part.unwrap_or("it is nested too deeply"));
        }
        self.scripts += 1;
        self.left -= text.len();
        let script = script::read(text, &mut self.left);
        self.script(script, part, text);
        self.scripts -= 1;
    }

    fn script(&mut self, script: Script, part: Option<&str>, text: &str) {
        let evaluates = script.evaluates || script.commands.iter().any(calculates);
        let unread = script.unread.as_ref().map(|why| format!("{} ({why})", shortened(text)));
        if evaluates && has_element(&script) {
            self.anything(part.unwrap_or(&shortened(text)));
        }
        if evaluates {
            for literal in script.commands.iter().flat_map(texts) {
                if literal.contains("$(") || literal.contains('`') {
                    let found = script::substitutions(&literal, &mut self.left);
                    let unread = found.unread.is_some();
                    self.commands(found, part);
                    if unread {
                        self.anything(part.unwrap_or(&shortened(&literal)));
                    }
                }
            }
        }
        if let Some(why) = unread {
            self.anything(part.unwrap_or(&why));
        }
        self.commands(script, part);
    }

    fn commands(&mut self, script: Script, part: Option<&str>) {
        for Simple { words, assigned, input, text, .. } in script.commands {
            let own = shortened(&text);
            let part = part.unwrap_or(&own);
            for word in &assigned {
                self.assigned(word, part);
            }
            self.command(words, input.as_ref(), part);
        }
    }

    /// A variable that holds a command for the programs that follow.
    fn assigned(&mut self, word: &Word, part: &str) {
        let known = word.known();
        let name = known.split(['=', '+', '[']).next().unwrap_or_default();
        if !programs::holds_command(name) {
            return;
        }
        match word.literal() {
            // Where programs are is not which programs run.
            _ if name == "PATH" => {}
            _ if matches!(name, "BASH_ENV" | "ZDOTDIR") => self.anything(part),
            Some(text) => self.runs.texts.push((text, part.to_owned())),
            None => self.anything(part),
        }
    }

    fn command(&mut self, words: Vec<Word>, input: Option<&Word>, part: &str) {
        if self.spent {
            return;
        }
        if self.depth >= MAX_RUNNERS || words.len() > MAX_WORDS || self.left < words.len() {
            return self.spend(part);
        }
        self.left -= words.len();
        self.depth += 1;
        let mut walk = Walk { words: &words, input, part, from: BTreeSet::new(), seen: BTreeSet::new() };
        self.at(&mut walk, 0);
        let from = walk.from;
        self.depth -= 1;
        if !words.is_empty() {
            self.runs.commands.push(Started { words, from, part: part.to_owned() });
        }
    }

    /// The words from `at` on may be a command.
    fn at(&mut self, walk: &mut Walk<'_>, at: usize) {
        let Some(first) = walk.words.get(at) else { return };
        if self.spent || !walk.seen.insert(at) {
            return;
        }
        let (part, rest) = (walk.part, &walk.words[at + 1..]);
        if self.depth >= MAX_RUNNERS {
            return self.spend(part);
        }
        walk.from.insert(at);
        let Some(program) = first.program() else { return self.anything(part) };
        let Some(kind) = programs::kind(&program) else {
            // A program that no table knows may be one that runs its arguments.
            if !programs::is_inert(&program) {
                walk.name(at + 1);
            }
            return;
        };
        self.depth += 1;
        match kind {
            Kind::Shell => self.shell(rest, walk.input, part),
            Kind::Opaque => self.anything(part),
            Kind::Evaluates => self.evaluate(rest, part),
            Kind::Calculates => {}
            Kind::Lines => self.interpret_lines(&program, rest, part),
            Kind::Interprets => self.interpret(&program, rest, walk.input, part),
            Kind::Carries => {
                if let Some(place) = programs::carries(&program, rest.iter().map(Word::known)) {
                    walk.name(at + 1 + place);
                    self.runs.texts.extend(rest[place..].iter().map(|word| (word.known(), part.to_owned())));
                }
            }
            Kind::Finds => {
                walk.name(at + 1);
                for (place, word) in rest.iter().enumerate() {
                    if self.spent {
                        break;
                    }
                    if word.is_many() {
                        self.anything(part);
                    } else if FIND_MARKS.iter().any(|mark| word.may_be(mark)) {
                        self.wrapped(walk, &program, at + 1 + place, 0);
                    }
                }
            }
            Kind::Runs(others) => self.wrapped(walk, &program, at, others),
            Kind::RunsText(others) => {
                self.wrapped(walk, &program, at, others);
                for word in rest {
                    self.script_word(word, part);
                }
            }
        }
        self.depth -= 1;
    }

    /// An argument that may be a script of its own.
    fn script_word(&mut self, word: &Word, part: &str) {
        let is_script = |text: &str| text.contains(|c: char| c.is_whitespace() || ";&|<>()`$'\"\\".contains(c));
        match word.literal() {
            Some(text) if is_script(&text) => self.text(&text, Some(part)),
            Some(_) => {}
            // Unknown text in a script is a command like any other.
            None if is_script(&word.known()) && word.parts.iter().any(|part| matches!(part, Part::Text(_))) => {
                self.anything(part);
            }
            None => {}
        }
    }

    /// The command of a runner: after its options, their values and `others` more arguments.
    fn wrapped(&mut self, walk: &mut Walk<'_>, program: &str, at: usize, others: usize) {
        let words = walk.words;
        let literal = |place: usize| words.get(place).and_then(Word::literal);
        if program == "command" && matches!(literal(at + 1).as_deref(), Some("-v" | "-V")) {
            return;
        }
        // Whichever of them it is, it is named.
        walk.name(at + 1);
        let finds = programs::kind(program) == Some(Kind::Finds);
        let appends = finds || matches!(program, "xargs" | "parallel");
        let mark = (at + 1..words.len()).find_map(|place| replacement(literal(place)?.as_str(), literal(place + 1)));
        let mark = mark.or_else(|| (finds || program == "parallel").then(|| "{}".to_owned()));
        let (mut passed, mut next) = (0, Next::Argument);
        for place in at + 1..words.len() {
            if self.spent {
                return;
            }
            let text = literal(place);
            let before = std::mem::replace(&mut next, Next::Argument);
            match text.as_deref() {
                Some(text) if text.starts_with('-') && text.len() > 1 => {
                    next = programs::after_option(program, text);
                    if program == "env" && text.contains('S') {
                        return self.split_text(&words[place..], walk.part);
                    }
                    if let Some((name, value)) = text.split_once('=')
                        && (name.ends_with("command")
                            || name.ends_with("prog")
                            || COMMAND_OPTIONS.iter().any(|option| programs::is_long_option(name, option)))
                    {
                        self.text(value, Some(walk.part));
                    }
                }
                _ if before == Next::Value => {}
                Some(text) if text.split_once('=').is_some_and(|(name, _)| is_name(name)) => {
                    self.assigned(&words[place], walk.part);
                }
                _ => {
                    if appends {
                        let more = words[place..].iter().map(|word| replaced(word, mark.as_deref()));
                        let end = (!finds).then(Word::many);
                        self.command(more.chain(end).collect(), None, walk.part);
                    } else {
                        self.at(walk, place);
                    }
                    passed += usize::from(before == Next::Argument);
                    if passed > others {
                        break;
                    }
                }
            }
        }
    }

    /// `env -S 'a b c'`: the words are a script.
    fn split_text(&mut self, words: &[Word], part: &str) {
        for word in words {
            let Some(text) = word.literal() else { return self.anything(part) };
            let attached = text.starts_with('-').then(|| text.split_once(['S', '='])).flatten();
            self.text(attached.map_or(text.as_str(), |(_, value)| value), Some(part));
        }
    }

    fn shell(&mut self, rest: &[Word], input: Option<&Word>, part: &str) {
        let mut words = rest.iter();
        let mut by_text = false;
        while let Some(word) = words.next() {
            let Some(text) = word.literal() else { return self.anything(part) };
            match text.as_str() {
                "--version" | "--help" if rest.len() == 1 => return,
                "--rcfile" | "--init-file" => return self.anything(part),
                "-o" | "+o" | "-O" | "+O" => {
                    words.next();
                }
                "--" | "-" => {}
                text if text.starts_with("--") => {}
                text if text.starts_with(['-', '+']) => by_text |= text.starts_with('-') && text.contains('c'),
                text if by_text => return self.text(text, Some(part)),
                // A file.
                _ => return self.anything(part),
            }
        }
        match input.and_then(Word::literal) {
            Some(text) if !by_text => self.text(&text, Some(part)),
            // Its standard input, which is not known.
            _ => self.anything(part),
        }
    }

    fn evaluate(&mut self, rest: &[Word], part: &str) {
        let texts: Option<Vec<String>> = rest.iter().map(Word::literal).collect();
        let Some(texts) = texts else { return self.anything(part) };
        self.text(&texts.join(" "), Some(part));
        for text in &texts {
            self.text(text, Some(part));
            if let Some((_, value)) = text.split_once('=') {
                self.text(value, Some(part));
            }
        }
    }

    /// An interpreter of another language: code in its options, or on its standard input without a file.
    fn interpret(&mut self, program: &str, rest: &[Word], input: Option<&Word>, part: &str) {
        let mut next = Next::Argument;
        let (mut has_code, mut has_file) = (false, false);
        for word in rest {
            let text = word.literal();
            let before = std::mem::replace(&mut next, Next::Argument);
            match text.as_deref() {
                Some("-" | "--") => {}
                Some(text) if text.starts_with('-') => {
                    next = programs::after_option(program, text);
                    has_code |= next != Next::Argument;
                    self.code(program, text.trim_start_matches('-').get(1..), part);
                }
                text if before != Next::Argument => self.code(program, text, part),
                _ => {
                    has_file = true;
                    break;
                }
            }
        }
        match input {
            Some(word) => self.code(program, word.literal().as_deref(), part),
            None if !has_file && !has_code => self.anything(part),
            None => {}
        }
    }

    /// `sed` and `awk`: the first argument is code, unless an option has it.
    fn interpret_lines(&mut self, program: &str, rest: &[Word], part: &str) {
        let mut words = rest.iter();
        let mut has_code = false;
        while let Some(word) = words.next() {
            let text = word.literal();
            match text.as_deref() {
                Some("-e" | "--expression" | "--source") => {
                    has_code = true;
                    self.code(program, words.next().and_then(Word::literal).as_deref(), part);
                }
                Some("-f" | "--file") => {
                    has_code = true;
                    words.next();
                }
                Some("-v" | "-F" | "-l" | "--assign" | "--field-separator") => {
                    words.next();
                }
                Some(text) if text.starts_with('-') && text.len() > 1 => {
                    has_code |= text.starts_with("-e") || text.starts_with("--expression");
                    self.code(program, Some(text), part);
                }
                text if !has_code => {
                    has_code = true;
                    self.code(program, text, part);
                }
                _ => {}
            }
        }
    }

    fn code(&mut self, program: &str, code: Option<&str>, part: &str) {
        match code {
            Some(code) if runs_code(program, code) => self.anything(part),
            // Lines can be changed without a way to run anything.
            Some(_) if programs::kind(program) == Some(Kind::Lines) => {}
            Some(code) => self.runs.texts.push((code.to_owned(), part.to_owned())),
            None => self.anything(part),
        }
    }
}

/// A word in which something else is put in place of a mark.
fn replaced(word: &Word, mark: Option<&str>) -> Word {
    match (word.literal(), mark) {
        (Some(text), Some(mark)) if text.contains(mark) => Word { parts: vec![Part::Any] },
        _ => word.clone(),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// The text that `xargs -I` and the like put something else in place of.
fn replacement(option: &str, next: Option<String>) -> Option<String> {
    match option {
        "-I" | "-J" | "--replace" | "-i" => Some(next.filter(|_| matches!(option, "-I" | "-J")).unwrap_or("{}".into())),
        _ => match option.strip_prefix("-I").or_else(|| option.strip_prefix("--replace=")) {
            Some(text) if !text.is_empty() => Some(text.to_owned()),
            _ => None,
        },
    }
}

/// Whether code of a language may start programs.
fn runs_code(program: &str, code: &str) -> bool {
    match program {
        "sed" | "gsed" => sed_runs(code),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let lower = code.to_lowercase();
            lower.contains("system") || lower.contains("getline") || lower.contains('|') || lower.contains('@')
        }
        "bc" | "dc" => program == "dc" && code.contains('!'),
        _ => programs::code_runs(code),
    }
}

/// Whether a script of `sed` has the command or the flag `e`.
fn sed_runs(code: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', ';', '\n', '}', '\t']);
    code.char_indices().filter(|(_, c)| *c == 'e').any(|(at, _)| {
        let before = code[..at]
            .trim_end_matches(['g', 'p', 'i', 'I', 'm', 'M', 'w'])
            .trim_end_matches(|c: char| c.is_ascii_digit());
        let before = before.trim_end_matches(' ').chars().next_back();
        let after = code[at + 1..]
            .trim_start_matches(['g', 'p', 'i', 'I', 'm', 'M'])
            .trim_start_matches(|c: char| c.is_ascii_digit());
        before.is_none_or(|c| !c.is_alphanumeric()) && (ends(after) || before.is_none_or(|c| ";{}\n$!".contains(c)))
    })
}

/// Whether a command evaluates names or numbers that are only known when it runs.
fn calculates(command: &Simple) -> bool {
    let is_one = |word: &Word| word.program().is_some_and(|name| programs::kind(&name) == Some(Kind::Calculates));
    let Some(place) = command.words.iter().take(4).position(is_one) else { return false };
    let name = command.words[place].program().unwrap_or_default();
    let arguments = &command.words[place + 1..];
    match name.as_str() {
        "let" => true,
        "printf" => arguments.first().is_some_and(|word| word.may_be("-v") || word.known().starts_with("-v")),
        "test" | "[" => arguments.iter().any(|word| word.may_be("-v") || word.may_be("-R")),
        _ => arguments.iter().any(|word| {
            let known = word.known();
            let (name, assigns) = known.split_once('=').map_or((known.as_str(), false), |(name, _)| (name, true));
            let plain = is_name(name.trim_end_matches('+')) && (assigns || word.literal().is_some());
            let option = known.starts_with('-') && !known.contains(['i', 'n']);
            !plain && !option
        }),
    }
}

/// Known texts of a command.
fn texts(command: &Simple) -> impl Iterator<Item = String> {
    command.words.iter().chain(&command.assigned).chain(&command.input).map(Word::known)
}

/// Whether a script that evaluates variables has text that can become an element of an array, whose index may be a
/// command: `x='a[$(…)]'; echo $((x))`.
fn has_element(script: &Script) -> bool {
    let mut words = script.commands.iter().flat_map(|command| {
        let test = command.words.first().and_then(Word::literal).is_some_and(|word| word == "[" || word == "[[");
        command.words.iter().skip(usize::from(test)).chain(&command.assigned).chain(&command.input)
    });
    words.any(|word| {
        let known = word.known();
        known.contains('[') || ["\\x", "\\0", "\\1", "\\u"].iter().any(|escape| known.contains(escape))
    })
}
