//! Reads what a shell script may run, for rules that deny or ask.
//!
//! The reader is the counterpart of [`super::shell`]: that one accepts only what it understands completely, and this one
//! must not miss a command. Structure is flattened: the commands of loops, functions, subshells and substitutions are all
//! in one list. A script that cannot be read is [`Script::unread`], and then it may run anything.

use super::word::Word;

mod words;

/// Maximum nesting of substitutions, subshells and clauses.
const MAX_DEPTH: usize = 24;
/// Maximum number of characters that are read, texts of nested shells included.
pub(super) const MAX_CHARS: usize = 1 << 19;

/// One simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    id: usize,
    pub(super) words: Vec<Word>,
    /// Assignments before the command, as `NAME=VALUE`.
    pub(super) assigned: Vec<Word>,
    /// Here-document or here-string on its standard input.
    pub(super) input: Option<Word>,
    /// Its text in the script.
    pub(super) text: String,
}

/// What a script may run.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) commands: Vec<Simple>,
    /// Why the script cannot be read.
    pub(super) unread: Option<String>,
    /// Values of variables are evaluated, for example as numbers: `$((x))` runs what is in `x='a[$(…)]'`.
    pub(super) evaluates: bool,
    inputs: Vec<(usize, Word)>,
}

/// Reads a script. `left` is the number of characters that may still be read, for all nested scripts together.
pub(super) fn read(text: &str, left: &mut usize) -> Script {
    let mut reader = Reader::new(text, 0, left);
    let ended = match () {
        () if reader.chars.contains(&'\0') => unread("a NUL character"),
        () if joins_operators(&reader.chars) => unread("an operator across two lines"),
        () => reader.list(End::Text),
    };
    let mut script = reader.script;
    script.unread = ended.err().map(|Unread(why)| why);
    for (id, input) in std::mem::take(&mut script.inputs) {
        if let Some(command) = script.commands.iter_mut().find(|command| command.id == id) {
            command.input = Some(input);
        }
    }
    script
}

/// Reads the substitutions in a text that the shell expands as if it were in double quotes.
pub(super) fn substitutions(text: &str, left: &mut usize) -> Script {
    let mut reader = Reader::new(text, 0, left);
    let ended = reader.expanded();
    let mut script = reader.script;
    script.unread = ended.err().map(|Unread(why)| why);
    script
}

/// Why reading stopped.
struct Unread(String);

type Read<T = ()> = Result<T, Unread>;

fn unread<T>(why: &str) -> Read<T> {
    Err(Unread(why.to_owned()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Paren,
    /// A clause of `case`.
    Clause,
}

/// A here-document whose text begins after the line.
struct Document {
    command: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

struct Reader<'a> {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    left: &'a mut usize,
    script: Script,
    documents: Vec<Document>,
    ids: usize,
    /// Within `[[ … ]]`, where parentheses are not words.
    conditional: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &str, depth: usize, left: &'a mut usize) -> Self {
        let chars = text.chars().collect();
        Self { chars, at: 0, depth, left, script: Script::default(), documents: Vec::new(), ids: 0, conditional: false }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn after(&self, places: usize) -> Option<char> {
        self.chars.get(self.at + places).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let is = self.peek() == Some(c);
        self.at += usize::from(is);
        is
    }

    fn slice(&self, from: usize) -> String {
        self.chars[from.min(self.at)..self.at].iter().collect()
    }

    fn blanks(&mut self) {
        loop {
            match (self.peek(), self.after(1)) {
                (Some(' ' | '\t'), _) => self.at += 1,
                (Some('\\'), Some('\n')) => self.at += 2,
                _ => return,
            }
        }
    }

    fn remark(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Blanks, ends of lines and remarks.
    fn space(&mut self) {
        loop {
            self.blanks();
            match self.peek() {
                Some('\n') => self.at += 1,
                Some('#') => self.remark(),
                _ => return,
            }
        }
    }

    fn begin(&mut self) -> Simple {
        self.ids += 1;
        Simple { id: self.ids, ..Simple::default() }
    }

    fn finish(&mut self, command: &mut Simple, from: &mut usize) {
        let mut done = self.begin();
        std::mem::swap(command, &mut done);
        if !done.words.is_empty() || !done.assigned.is_empty() {
            done.text = self.slice(*from).trim().to_owned();
            self.script.commands.push(done);
        }
        *from = self.at;
    }

    /// Reads commands up to their end. Returns whether a clause ended with `esac`.
    fn list(&mut self, end: End) -> Read<bool> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unread("it is nested too deeply");
        }
        if !self.documents.is_empty() {
            return unread("a here-document and a list of commands on one line");
        }
        let conditional = std::mem::take(&mut self.conditional);
        let mut command = self.begin();
        let mut from = self.at;
        let esac = loop {
            self.blanks();
            if command.words.is_empty() && command.assigned.is_empty() {
                from = self.at;
            }
            let Some(c) = self.peek() else {
                self.finish(&mut command, &mut from);
                if end != End::Text || !self.documents.is_empty() {
                    return unread("it has no end");
                }
                break false;
            };
            match c {
                '\n' => {
                    self.finish(&mut command, &mut from);
                    self.at += 1;
                    self.bodies()?;
                }
                '#' => self.remark(),
                '&' if self.after(1) == Some('>') => {
                    self.at += 1;
                    self.redirect(command.id)?;
                }
                ';' | '&' | '|' => {
                    self.finish(&mut command, &mut from);
                    self.at += 1;
                    if c == ';' && matches!(self.peek(), Some(';' | '&')) {
                        while matches!(self.peek(), Some(';' | '&')) {
                            self.at += 1;
                        }
                        if end == End::Clause {
                            break false;
                        }
                    }
                }
                ')' if end == End::Paren => {
                    self.finish(&mut command, &mut from);
                    self.at += 1;
                    if !self.documents.is_empty() {
                        return unread("a here-document begins where a substitution ends");
                    }
                    break false;
                }
                ')' => return unread("`)` without `(`"),
                '(' => self.paren(&mut command)?,
                '<' | '>' if self.after(1) != Some('(') => self.redirect(command.id)?,
                _ => {
                    if self.next_word(&mut command, &mut from, end)? {
                        break true;
                    }
                }
            }
        };
        self.depth -= 1;
        self.conditional = conditional;
        Ok(esac)
    }

    /// Reads a word of a command, or a reserved word. Returns whether that was the `esac` of this clause.
    fn next_word(&mut self, command: &mut Simple, from: &mut usize, end: End) -> Read<bool> {
        let start = self.at;
        let word = self.word()?;
        let raw = self.slice(start).replace("\\\n", "");
        if self.at == start {
            return unread("an unknown character");
        }
        let number = raw.bytes().all(|byte| byte.is_ascii_digit()) || (raw.starts_with('{') && raw.ends_with('}'));
        if number && matches!(self.peek(), Some('<' | '>')) {
            return Ok(false);
        }
        if !command.words.is_empty() {
            let of_loop = matches!(command.words[0].literal().as_deref(), Some("for" | "select"));
            if of_loop && command.words.len() == 2 && matches!(raw.as_str(), "do" | "{") {
                self.finish(command, from);
                return Ok(false);
            }
            command.words.push(word);
            return Ok(false);
        }
        if let Some(subscript) = assignment(&raw) {
            self.script.evaluates |= subscript;
            command.assigned.push(word);
            return Ok(false);
        }
        if command.assigned.is_empty() {
            match raw.as_str() {
                "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "{" | "fi" | "done" | "}" => {
                    return Ok(false);
                }
                "time" => {
                    self.blanks();
                    while self.chars[self.at..].starts_with(&['-', 'p'])
                        || self.chars[self.at..].starts_with(&['-', '-'])
                    {
                        self.word()?;
                        self.blanks();
                    }
                    return Ok(false);
                }
                "esac" => return Ok(end == End::Clause),
                "case" => return self.case().map(|()| false),
                "[[" => return self.condition().map(|()| false),
                "coproc" => return unread("`coproc`"),
                "function" => {
                    self.blanks();
                    self.word()?;
                    self.blanks();
                    if self.eat('(') {
                        self.blanks();
                        if !self.eat(')') {
                            return unread("`(` in a word");
                        }
                    }
                    return Ok(false);
                }
                _ => {}
            }
        }
        command.words.push(word);
        Ok(false)
    }

    /// A subshell, a calculation, or the definition of a function.
    fn paren(&mut self, command: &mut Simple) -> Read {
        let first = command.words.first().and_then(Word::literal);
        let calculates = command.words.is_empty() || first.as_deref() == Some("for");
        if calculates
            && self.after(1) == Some('(')
            && let Some(end) = self.calculation_end(self.at + 2)
        {
            self.at += 2;
            self.calculation(end)?;
            self.at = end + 2;
            command.words.clear();
            return Ok(());
        }
        self.at += 1;
        if command.words.is_empty() {
            return self.list(End::Paren).map(drop);
        }
        self.blanks();
        if command.words.len() == 1 && self.eat(')') {
            command.words.clear();
            return Ok(());
        }
        unread("`(` in a word")
    }

    fn redirect(&mut self, command: usize) -> Read {
        let start = self.at;
        while matches!(self.peek(), Some('<' | '>')) && self.after(1) != Some('(') && self.at - start < 3 {
            self.at += 1;
        }
        let operator = self.slice(start);
        let tabs = operator == "<<" && self.eat('-');
        if matches!(operator.as_str(), "<" | ">") && matches!(self.peek(), Some('&' | '|')) {
            self.at += 1;
        }
        self.blanks();
        let from = self.at;
        let word = self.word()?;
        let raw = self.slice(from);
        match operator.as_str() {
            "<<" => {
                let Some(delimiter) = word.literal() else { return unread("a here-document") };
                let quoted = raw.contains(['\'', '"', '\\']);
                self.documents.push(Document { command, delimiter, quoted, tabs });
            }
            "<<<" => self.script.inputs.push((command, word)),
            _ => {}
        }
        Ok(())
    }

    /// Here-documents, after the line that announces them.
    fn bodies(&mut self) -> Read {
        for Document { command, delimiter, quoted, tabs } in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    return unread("a here-document has no end");
                }
                let start = self.at;
                self.remark();
                let line = self.slice(start);
                self.at += 1;
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            self.at = self.at.min(self.chars.len());
            let word = if quoted { Word::text(&body) } else { self.nested(&body, expanded)? };
            self.script.inputs.push((command, word));
        }
        Ok(())
    }

    /// Text that is expanded as in double quotes, to its end.
    fn expanded(&mut self) -> Read<Word> {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\\' => {
                    if let Some(next) = self.peek() {
                        self.at += 1;
                        word.push(next);
                    }
                }
                '$' => self.dollar(&mut word, true)?,
                '`' => self.backticks(&mut word, true)?,
                c => word.push(c),
            }
        }
        Ok(word)
    }

    /// Reads another text with the same limits, and adds what it runs to the script.
    fn nested<T>(&mut self, text: &str, read: impl Fn(&mut Reader<'_>) -> Read<T>) -> Read<T> {
        let count = text.chars().count();
        if self.depth >= MAX_DEPTH || *self.left < count {
            return unread("it is nested too deeply");
        }
        *self.left -= count;
        let mut inner = Reader::new(text, self.depth + 1, self.left);
        inner.ids = self.ids;
        let done = read(&mut inner);
        let (ids, script) = (inner.ids, inner.script);
        self.ids = ids;
        self.script.commands.extend(script.commands);
        self.script.inputs.extend(script.inputs);
        self.script.evaluates |= script.evaluates;
        done
    }

    fn case(&mut self) -> Read {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unread("it is nested too deeply");
        }
        self.blanks();
        self.word()?;
        self.space();
        let start = self.at;
        self.word()?;
        if self.slice(start) != "in" {
            return unread("`case` without `in`");
        }
        loop {
            self.space();
            let paren = self.eat('(');
            self.blanks();
            let start = self.at;
            self.word()?;
            if !paren && self.slice(start) == "esac" {
                break;
            }
            self.blanks();
            while self.eat('|') {
                self.blanks();
                self.word()?;
                self.blanks();
            }
            if !self.eat(')') {
                return unread("a pattern of `case`");
            }
            if self.list(End::Clause)? {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// `[[ … ]]`: nothing in it is a command, but numbers and names of variables are evaluated.
    fn condition(&mut self) -> Read {
        self.conditional = true;
        let from = self.at;
        let mut command = self.begin();
        command.words.push(Word::text("[["));
        loop {
            self.space();
            match self.peek() {
                None => return unread("`[[` without `]]`"),
                Some('<' | '>') if self.after(1) == Some('(') => drop(self.word()?),
                Some('(' | ')' | '<' | '>' | '|' | '&' | ';') => self.at += 1,
                Some(_) => {
                    let start = self.at;
                    let word = self.word()?;
                    if self.slice(start) == "]]" {
                        self.conditional = false;
                        command.text = format!("[[{}", self.slice(from));
                        self.script.commands.push(command);
                        return Ok(());
                    }
                    let evaluating = ["-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
                    self.script.evaluates |= word.literal().is_some_and(|word| evaluating.contains(&word.as_str()));
                    command.words.push(word);
                }
            }
        }
    }
}

/// Text that is expanded as in double quotes, to its end.
fn expanded(reader: &mut Reader<'_>) -> Read<Word> {
    reader.expanded()
}

fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Whether a word is an assignment, and if so whether it is one to an element of an array.
fn assignment(raw: &str) -> Option<bool> {
    let name = raw.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
    if name.len() == raw.len() || raw.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if name.starts_with('=') || name.starts_with("+=") {
        return Some(false);
    }
    (name.starts_with('[') && (name.contains("]=") || name.contains("]+="))).then_some(true)
}

/// Whether a line break that the shell removes joins what this reader would read as two operators or expansions.
fn joins_operators(chars: &[char]) -> bool {
    let special = |c: &char| "$<>&|;(){}!#`'\"\\".contains(*c);
    let joined = |at: usize| {
        let (before, after) = (at.checked_sub(1).and_then(|at| chars.get(at)), chars.get(at + 2));
        match (before, after) {
            (Some(before), Some(after)) if !before.is_whitespace() && !after.is_whitespace() => {
                special(before) || special(after)
            }
            _ => false,
        }
    };
    chars.windows(2).enumerate().any(|(at, pair)| pair == ['\\', '\n'] && joined(at))
}
