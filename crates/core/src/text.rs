//! Untrusted text as a person is to see it: what is approved is what is shown.
//!
//! Agents, hooks, session names, folders, branches and API errors are untrusted. [`shown`] makes such text safe for a
//! terminal and for an approval: every character that hides, reorders or paints over other text becomes visible.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Makes visible what would hide, reorder or paint over other text. Line breaks and tabs stay.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    replaced(text, |character| matches!(character, '\n' | '\t'))
}

/// Does the same for text that has to stay on one line: line breaks and tabs become visible too.
#[must_use]
pub fn shown_line(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// Returns whether [`shown`] changes the text: a person who sees it raw may see something else.
#[must_use]
pub fn is_deceptive(text: &str) -> bool {
    matches!(shown(text), Cow::Owned(_))
}

/// Returns the first line that has something on it, and how many lines are not shown: `make … (+3 lines)`.
#[must_use]
pub fn first_line(text: &str) -> String {
    let text = text.trim_end();
    let Some(line) = text.lines().find(|line| !line.trim().is_empty()) else { return String::new() };
    let shown = shown_line(line);
    match text.lines().count() {
        0 | 1 => shown.into_owned(),
        2 => format!("{shown} … (+1 line)"),
        lines => format!("{shown} … (+{} lines)", lines - 1),
    }
}

/// Returns at most `most` characters, and how many are not shown. The text is [`shown`] first, so that a cut never
/// leaves half of an escape.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let shown = shown(text);
    let left_out = shown.chars().count().saturating_sub(most);
    match shown.char_indices().nth(most) {
        Some((end, _)) => format!("{}… (+{left_out} characters)", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// Returns all of a tool's input: a command as it would be run, anything else with every field there is.
#[must_use]
pub fn whole_input(input: &Value) -> String {
    let fields = input.as_object();
    let only_command = fields.is_some_and(|all| all.keys().all(|key| key == "command" || key == "description"));
    match input.get("command").and_then(Value::as_str).filter(|_| only_command) {
        Some(command) => command.to_owned(),
        None => format!("{input:#}"),
    }
}

/// Returns all of what approving a plan approves: the plan, and every other field of the input that has a meaning.
#[must_use]
pub fn whole_plan(plan: &str, input: &Value) -> String {
    // The file is a copy of the plan.
    let known = ["plan", "planFilePath"];
    let fields = input.as_object().into_iter().flatten();
    let rest: Map<String, Value> = fields
        .filter(|(key, _)| !known.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if rest.is_empty() { plan.to_owned() } else { format!("{plan}\n\n{:#}", Value::Object(rest)) }
}

/// Escapes what would hide in JSON that a terminal shows. It is the same JSON when it is parsed.
#[must_use]
pub fn shown_json(json: &str) -> Cow<'_, str> {
    if !json.contains(hides) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        // Line breaks and tabs are white space between the values: inside a string they are escaped already.
        if hides(character) && !matches!(character, '\n' | '\t' | '\r') {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

fn replaced(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_replaced = |character: char| hides(character) && !stays(character);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let (mut before, mut rest) = (None, text.chars());
    while let Some(character) = rest.next() {
        match character {
            EMOJI_STYLE if styles_emoji(before, rest.as_str()) => shown.push(character),
            _ if !is_replaced(character) => shown.push(character),
            // The pictures of the control characters, in their order.
            '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}')),
            '\u{7f}' => shown.push('\u{2421}'),
            _ => shown.push_str(&format!("<U+{:04X}>", u32::from(character))),
        }
        before = Some(character);
    }
    // Where all that hides belongs to emoji, nothing was replaced.
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// Asks for the coloured picture of the character before it.
const EMOJI_STYLE: char = '\u{fe0f}';

/// Whether the selector belongs to an emoji: after a symbol, or in a keycap. After a letter it only hides.
fn styles_emoji(before: Option<char>, after: &str) -> bool {
    let keycap = after.starts_with('\u{20e3}') && before.is_some_and(|c| c.is_ascii_digit() || c == '#' || c == '*');
    let symbol = before.is_some_and(|c| {
        matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}')
            || matches!(c, '\u{2190}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}')
            || matches!(c, '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
    });
    keycap || symbol
}

/// Returns whether a character has no width and no part in the spelling of a word, or changes the direction of others.
/// Agents drop some of these from what they are given. Joiners and variation selectors spell words and emoji, and stay.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    let kept = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    let blank = character.is_whitespace() || matches!(character, '\u{2800}' | '\u{3164}' | '\u{ffa0}');
    hides(character) && !character.is_control() && !kept && !blank
}

/// Whether a character has no picture of its own, or changes where other characters are seen.
pub(crate) fn hides(character: char) -> bool {
    match character {
        _ if character.is_control() => true,
        ' '..='~' => false,
        // Soft hyphen, joiners and spaces of no width, marks and overrides of direction, fillers, annotation.
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' => {
            true
        }
        '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{205f}'..='\u{206f}' => true,
        // Blank patterns and fillers that look like a space and are none.
        '\u{1680}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => true,
        // Format characters of other scripts and of notation.
        '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Variation selectors, and tags: a whole text can hide in them.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Code points that are no characters.
        '\u{fdd0}'..='\u{fdef}' => true,
        _ => u32::from(character) & 0xfffe == 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_characters_are_visible() {
        for (text, lines, line) in [
            ("plain ü 日本 👍", "plain ü 日本 👍", "plain ü 日本 👍"),
            ("a\n\tb", "a\n\tb", "a␊␉b"),
            ("👩\u{200d}👩", "👩<U+200D>👩", "👩<U+200D>👩"),
            ("rm \u{202e}txt.exe", "rm <U+202E>txt.exe", "rm <U+202E>txt.exe"),
            ("a\u{1b}[2Jb\r\u{7f}", "a␛[2Jb␍␡", "a␛[2Jb␍␡"),
            (
                "\u{9b}31m\u{90}q\u{9d}0;x\u{9c}",
                "<U+009B>31m<U+0090>q<U+009D>0;x<U+009C>",
                "<U+009B>31m<U+0090>q<U+009D>0;x<U+009C>",
            ),
            ("git\u{200b}status\u{feff}", "git<U+200B>status<U+FEFF>", "git<U+200B>status<U+FEFF>"),
            (
                "\u{2066}x\u{2069}\u{200e}\u{200f}\u{61c}",
                "<U+2066>x<U+2069><U+200E><U+200F><U+061C>",
                "<U+2066>x<U+2069><U+200E><U+200F><U+061C>",
            ),
            (
                "\u{85}\u{2028}\u{2029}\u{e0041}",
                "<U+0085><U+2028><U+2029><U+E0041>",
                "<U+0085><U+2028><U+2029><U+E0041>",
            ),
            (
                "a\u{ad}b\u{2060}c\u{fe01}d\u{e0101}",
                "a<U+00AD>b<U+2060>c<U+FE01>d<U+E0101>",
                "a<U+00AD>b<U+2060>c<U+FE01>d<U+E0101>",
            ),
            ("ls\u{2800}\u{3164}\u{2003}x", "ls<U+2800><U+3164><U+2003>x", "ls<U+2800><U+3164><U+2003>x"),
            (
                "⚠\u{fe0f} 1\u{fe0f}\u{20e3} ❤\u{fe0f}",
                "⚠\u{fe0f} 1\u{fe0f}\u{20e3} ❤\u{fe0f}",
                "⚠\u{fe0f} 1\u{fe0f}\u{20e3} ❤\u{fe0f}",
            ),
            ("rm\u{fe0f} 1\u{fe0f}", "rm<U+FE0F> 1<U+FE0F>", "rm<U+FE0F> 1<U+FE0F>"),
        ] {
            assert_eq!((&*shown(text), &*shown_line(text)), (lines, line), "{text:?}");
            assert_eq!(is_deceptive(text), lines != text, "{text:?}");
            assert_eq!(shown(lines), lines, "what is shown stays as it is");
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        for (text, line) in [
            ("", ""),
            (" \n ", ""),
            ("make", "make"),
            ("make\n", "make"),
            ("make\nrm -rf ~", "make … (+1 line)"),
            ("\n\nmake\n\nrm", "make … (+4 lines)"),
            ("a\u{1b}b\r\nc", "a␛b … (+1 line)"),
            ("a\rb", "a␍b"),
        ] {
            assert_eq!(first_line(text), line, "{text:?}");
        }
        for (text, most, short) in
            [("make", 4, "make"), ("make it", 4, "make… (+3 characters)"), ("ü\u{202e}x", 2, "ü<… (+8 characters)")]
        {
            assert_eq!(shortened(text, most), short, "{text:?}");
        }
    }

    #[test]
    fn inputs_are_whole() {
        for (input, text) in [
            (json!({ "command": "a\nb", "description": "x" }), "a\nb"),
            (json!({ "command": "a", "cwd": "/" }), "{\n  \"command\": \"a\",\n  \"cwd\": \"/\"\n}"),
            (json!({ "command": ["a"] }), "{\n  \"command\": [\n    \"a\"\n  ]\n}"),
            (json!("x"), "\"x\""),
        ] {
            assert_eq!(whole_input(&input), text);
        }
        for (input, text) in [
            (Value::Null, "do it"),
            (json!({ "plan": "do it", "planFilePath": "/p" }), "do it"),
            (json!({ "plan": "do it", "allowed": ["Bash"] }), "do it\n\n{\n  \"allowed\": [\n    \"Bash\"\n  ]\n}"),
        ] {
            assert_eq!(whole_plan("do it", &input), text);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let value =
            json!({ "a\u{202e}": ["\u{9b}1m\u{1b}\u{e0041}\u{feff}", "ü 日本 👍", "\n\t\r\u{7f}\u{85}\u{2028}"] });
        for json in [value.to_string(), format!("{value:#}")] {
            let shown = shown_json(&json);
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
            assert_eq!(super::shown(&shown), shown, "nothing hides");
            assert!(shown.contains("\\u202e") && shown.contains("\\udb40\\udc41") && shown.contains("日本"));
        }
    }
}
