//! What a dialog shows of the call that it asks about, compared with the input of a call.
//!
//! Dialogs queue: the one of a background subagent may take the place of the one that was answered, with the same tool
//! and the same options. Only what a dialog shows tells which call it is about.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Lines of an edit that are compared; a dialog shows the first ones.
const COMPARED: usize = 200;

/// A line of an edit that is shorter may be a part of another by chance.
const LONG_LINE: usize = 12;

/// The part of a dialog that shows the call, as painted: long lines are broken, the end of lines is padded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub lines: Vec<String>,
    pub form: Form,
    /// The beginning is above the top of the screen.
    #[serde(default)]
    pub cut: bool,
}

/// What the lines hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The command that would run, and nothing else.
    Command,
    /// The command, and its description from the next line on.
    Described,
    /// The name of a file and the change of it, an address, or the arguments of a tool.
    Other,
}

/// Whether a dialog is about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Same,
    Another,
    /// The input has nothing that a dialog must show.
    Unclear,
}

impl Shown {
    /// A command as one text, such as in a report on the terminal.
    #[must_use]
    pub fn command(text: &str) -> Self {
        Self { lines: vec![text.to_owned()], form: Form::Command, cut: false }
    }

    /// Compares the dialog with the input of a call. White space and what terminals draw in their own way does not count.
    #[must_use]
    pub fn about(&self, input: &Value) -> About {
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        if let Some(command) = text("command") {
            return self.about_command(command, text("description").unwrap_or_default());
        }
        let seen = plain(&self.lines.concat());
        if let Some(path) = text("file_path").or_else(|| text("notebook_path")) {
            return self.about_file(&seen, path, input);
        }
        let has = |value: &str| !plain(value).is_empty() && seen.contains(&plain(value));
        match text("url") {
            Some(url) => verdict(has(url)),
            None if strings(input).any(has) => About::Same,
            None => About::Unclear,
        }
    }

    fn about_command(&self, command: &str, description: &str) -> About {
        let (command, description) = (plain(command), plain(description));
        if command.is_empty() {
            return About::Unclear;
        }
        let seen = |lines: &[String]| plain(&lines.concat());
        if self.cut {
            let seen = seen(&self.lines);
            let whole = if self.form == Form::Described { format!("{command}{description}") } else { command };
            return verdict(!seen.is_empty() && whole.ends_with(&seen));
        }
        match self.form {
            // The description begins in a line of its own: `a` described as `; b` is not `a; b`.
            Form::Described => {
                let splits = |at: usize| seen(&self.lines[..at]) == command && seen(&self.lines[at..]) == description;
                verdict((1..=self.lines.len()).any(splits))
            }
            Form::Command | Form::Other => verdict(seen(&self.lines) == command),
        }
    }

    /// The name is always shown. Of a change, a line that it adds or removes is; a report shows the path alone.
    fn about_file(&self, seen: &str, path: &str, input: &Value) -> About {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !self.cut && !seen.contains(&plain(name)) {
            return About::Another;
        }
        let lines = |key: &str| {
            let text = input.get(key).and_then(Value::as_str).unwrap_or_default();
            text.lines().take(COMPARED).map(plain).filter(|line| !line.is_empty()).collect::<Vec<_>>()
        };
        let (old, new) = (lines("old_string"), [lines("content"), lines("new_string"), lines("new_source")].concat());
        let changed =
            new.iter().filter(|line| !old.contains(line)).chain(old.iter().filter(|line| !new.contains(line)));
        let mut changed = changed.peekable();
        if self.is_unpainted() {
            return About::Unclear;
        }
        let path_alone = self.lines.len() <= 1 && !self.cut;
        // A short line is compared with each painted one, which has its number before it; a long one may be broken.
        let painted: Vec<String> = self.lines.iter().map(|line| plain(line)).collect();
        let is_shown = |line: &String| match line.len() {
            ..LONG_LINE => painted.iter().skip(1).any(|painted| painted.ends_with(line.as_str())),
            _ => seen.contains(line.as_str()),
        };
        verdict(path_alone || changed.peek().is_none() || changed.any(is_shown))
    }

    /// Whether the change of a file is not painted yet: its place has an ellipsis.
    #[must_use]
    pub fn is_unpainted(&self) -> bool {
        let mut rest = self.lines.iter().skip(1).peekable();
        self.form == Form::Other && rest.peek().is_some() && rest.all(|line| plain(line).is_empty())
    }

    /// Whether the other is the same dialog with more of it painted.
    #[must_use]
    pub fn grows_to(&self, other: &Self) -> bool {
        let other_form = self.form == Form::Other && other.form == Form::Other;
        other_form && !other.cut && plain(&other.lines.concat()).len() > plain(&self.lines.concat()).len()
    }

    /// Whether two sources show different calls. What is cut or described is not told apart from what is not.
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        let comparable = self.form == other.form && !self.cut && !other.cut && self.form != Form::Other;
        comparable && plain(&self.lines.concat()) != plain(&other.lines.concat())
    }

    /// The input as far as the dialog shows it whole.
    #[must_use]
    pub fn input(&self) -> Option<Value> {
        let whole = self.form == Form::Command && !self.cut;
        let command = self.lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
        (whole && !command.is_empty()).then(|| json!({ "command": command }))
    }
}

fn verdict(same: bool) -> About {
    if same { About::Same } else { About::Another }
}

/// What is the same wherever lines are broken, and however a terminal draws what is not a letter.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic() || !c.is_ascii() && c.is_alphanumeric()).collect()
}

/// Every text in an input.
fn strings(input: &Value) -> impl Iterator<Item = &str> {
    let values = input.as_object().into_iter().flat_map(|fields| fields.values());
    values.filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, form: Form, cut: bool) -> Shown {
        Shown { lines: text.lines().map(str::to_owned).collect(), form, cut }
    }

    #[test]
    fn dialog_is_about_the_call_it_shows() {
        let bash = |command: &str, description: &str| json!({ "command": command, "description": description });
        let write = |content: &str| json!({ "file_path": "/srv/a.txt", "content": content });
        let edit = |old: &str, new: &str| json!({ "file_path": "/srv/a.txt", "old_string": old, "new_string": new });
        let rows: Vec<(&str, Form, bool, Value, About)> = vec![
            ("touch a", Form::Command, false, bash("touch a", "Touch"), About::Same),
            ("touch\n  a", Form::Command, false, bash("touch a", ""), About::Same),
            ("touch a", Form::Command, false, bash("touch ab", ""), About::Another),
            ("touch a; rm -rf b", Form::Command, false, bash("touch a", ""), About::Another),
            // The description is the agent's to choose.
            ("touch a; rm -rf b", Form::Command, false, bash("touch a", "; rm -rf b"), About::Another),
            ("touch a\nTouch", Form::Described, false, bash("touch a", "Touch"), About::Same),
            ("touch a", Form::Described, false, bash("touch a", ""), About::Same),
            ("touch a; rm -rf b", Form::Described, false, bash("touch a", "; rm -rf b"), About::Another),
            ("touch a\nTouch", Form::Described, false, bash("touch b", "Touch"), About::Another),
            ("b c\nd", Form::Command, true, bash("touch a b c d", ""), About::Same),
            ("b c\nd", Form::Command, true, bash("touch a b d", ""), About::Another),
            ("", Form::Command, true, bash("touch a", ""), About::Another),
            ("caf\u{e9} \u{202e}x", Form::Command, false, bash("café x\u{200b}", ""), About::Same),
            ("a.txt\n1 one\n2 two", Form::Other, false, write("one\ntwo\n"), About::Same),
            ("a.txt\n1 one\n2 two", Form::Other, false, write("three\n"), About::Another),
            ("b.txt\n1 one", Form::Other, false, write("one\n"), About::Another),
            ("/srv/a.txt", Form::Other, false, write("anything\n"), About::Same),
            ("a.txt\n…", Form::Other, false, edit("old", "new"), About::Unclear),
            ("b.txt\n…", Form::Other, false, edit("old", "new"), About::Another),
            ("a.txt\n1 same\n2 -old\n2 +new", Form::Other, false, edit("same\nold", "same\nnew"), About::Same),
            ("a.txt\n1 same\n2 -old\n2 +new", Form::Other, false, edit("same\nolder", "same\nnewer"), About::Another),
            ("https://a.example/x", Form::Other, false, json!({ "url": "https://a.example/x" }), About::Same),
            ("https://a.example/x", Form::Other, false, json!({ "url": "https://b.example/x" }), About::Another),
            ("search for: rust", Form::Other, false, json!({ "query": "rust" }), About::Same),
            ("search for: rust", Form::Other, false, json!({ "query": "go" }), About::Unclear),
        ];
        for (text, form, cut, input, expected) in rows {
            assert_eq!(shown(text, form, cut).about(&input), expected, "{text:?} {form:?} {cut} {input}");
        }
    }

    #[test]
    fn only_a_whole_command_is_an_input() {
        let input = |text: &str, form, cut| shown(text, form, cut).input();
        assert_eq!(input("touch a  \ntouch b", Form::Command, false), Some(json!({ "command": "touch a\ntouch b" })));
        assert_eq!(input("touch a", Form::Command, true), None);
        assert_eq!(input("touch a\nTouch", Form::Described, false), None);
        assert_eq!(input("a.txt", Form::Other, false), None);
    }
}
