//! What a tool is run with, changed before it is allowed. It is JSON, as the agent wrote it; what is none changes nothing.

use coop_api::v1::RespondRequest;
use serde_json::Value;

use super::{answer, complain};
use crate::editor::Editor;
use crate::event::Effect;
use crate::model::{Focus, Model, Typing, TypingOf};
use crate::text::clean;

/// Shows the input to be changed.
pub(super) fn open(model: &mut Model, now_ms: u64) {
    let Focus::Card(card) = &mut model.focus else { return };
    let Some(asked) = model.prompts.get(&card.prompt) else { return };
    if !asked.editable {
        complain(model, now_ms, "This agent runs it as it is, or not at all.");
        return;
    }
    let mut editor = Editor::from(written(&asked.input).as_str());
    editor.to_begin();
    card.typing = Some(Typing { editor, of: TypingOf::Input });
}

/// Allows it with what was typed. What is wrong with it is said, and it stays to be mended.
pub(super) fn give(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let Focus::Card(card) = &model.focus else { return Vec::new() };
    let (Some(typing), Some(asked)) = (&card.typing, model.prompts.get(&card.prompt)) else { return Vec::new() };
    let prompt = card.prompt;
    match read(typing.editor.text()) {
        Err(why) => {
            complain(model, now_ms, why);
            Vec::new()
        }
        Ok(input) if input == asked.input => {
            complain(model, now_ms, "Nothing is changed. Esc and y allow it as it is.");
            Vec::new()
        }
        Ok(input) => {
            let updated_input = Some(input.to_string());
            let answer = RespondRequest { accept: Some(true), updated_input, ..RespondRequest::default() };
            answer::give(model, prompt, "allow with the changed input", answer, true, now_ms)
        }
    }
}

/// Hands the text to the person's own editor.
pub(super) fn outside(model: &mut Model) -> Vec<Effect> {
    match &model.focus {
        Focus::Card(card) => {
            let text = card.typing.as_ref().map(|typing| typing.editor.text().to_owned());
            text.map(|text| Effect::Write { prompt: card.prompt, text }).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// It has ended. What it wrote is looked at once more before it is sent.
pub(super) fn written_outside(model: &mut Model, prompt: u64, result: Result<String, String>, now_ms: u64) {
    let typing = match &mut model.focus {
        Focus::Card(card) if card.prompt == prompt => card.typing.as_mut(),
        _ => None,
    };
    match (typing, result) {
        (Some(typing), Ok(text)) => {
            typing.editor = Editor::from(text.trim_end());
            typing.editor.to_begin();
        }
        (_, Err(why)) => complain(model, now_ms, clean(&why)),
        (None, Ok(_)) => complain(model, now_ms, "Meanwhile it is no longer asked."),
    }
}

fn read(text: &str) -> Result<Value, String> {
    let input: Value = serde_json::from_str(text).map_err(|error| format!("That is no JSON: {error}"))?;
    if input.is_object() { Ok(input) } else { Err("The input of a tool is a JSON object: { … }".to_owned()) }
}

/// As JSON in which nothing hides: what is not seen is written as its number.
fn written(input: &Value) -> String {
    let text = serde_json::to_string_pretty(input).unwrap_or_default();
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        let mut one = [0; 4];
        let shown = &*letter.encode_utf8(&mut one);
        if letter == '\n' || clean(shown) == shown {
            plain.push(letter);
        } else {
            let mut units = [0; 2];
            plain.extend(letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_hides_is_written_as_its_number() {
        let input = json!({ "command": "echo \u{202e}x\u{e0041}\u{1b}" });
        let text = written(&input);
        assert_eq!(text, "{\n  \"command\": \"echo \\u202ex\\udb40\\udc41\\u001b\"\n}");
        assert_eq!(read(&text), Ok(input));
    }

    #[test]
    fn what_is_no_input() {
        for text in ["", "{", "[]", "\"ls\"", "{\"a\": 1} x", "{'a': 1}"] {
            assert!(read(text).is_err(), "{text}");
        }
        // A parser that goes down with every bracket would not come back.
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_what_it_is(command in any::<String>()) {
            let input = json!({ "command": command });
            prop_assert_eq!(read(&written(&input)), Ok(input));
        }
    }
}
