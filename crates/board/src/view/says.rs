//! What a session says now, on one line.

use std::borrow::Cow;

use coop_api::hub::{Prompt, Session};
use serde_json::Value;

use super::paint::Painter;
use crate::model::Stage;
use crate::text::{clean, one_line};

pub(super) fn line(painter: &mut Painter<'_>, session: &Session) -> String {
    let model = painter.model;
    if let Some(prompt) = model.prompt_of(session.id) {
        if let Some(sending) = model.sending_of(prompt.id) {
            return match sending.stage {
                Stage::Held { until_ms } => format!("{} in {}; u takes it back", sending.says, painter.until(until_ms)),
                Stage::Sent => format!("{}: on its way", sending.says),
            };
        }
        return asked(prompt);
    }
    let own = |text: &Option<String>| text.as_deref().map(one_line).filter(|text| !text.is_empty());
    match (&session.prompt, &session.error) {
        (Some(prompt), _) => {
            let what = prompt.question.as_deref().or(prompt.message.as_deref()).or(prompt.input.as_deref());
            let tool = prompt.tool.as_deref().map(|tool| format!("{tool}: ")).unwrap_or_default();
            one_line(&clean(&format!("{tool}{}", what.unwrap_or(&prompt.r#type))))
        }
        (_, Some(error)) if error.detail.is_empty() => one_line(&error.kind),
        (_, Some(error)) => one_line(&plain(&error.detail)),
        _ if session.attention == "works" => {
            own(&session.title).or_else(|| own(&session.last_message)).unwrap_or_default()
        }
        _ => own(&session.last_message).or_else(|| own(&session.title)).unwrap_or_default(),
    }
}

/// What went wrong, in words: some agents pass on what the server said, which is JSON.
pub(super) fn plain(detail: &str) -> Cow<'_, str> {
    let said = detail.trim();
    let read: Option<Value> = said.starts_with('{').then(|| serde_json::from_str(said).ok()).flatten();
    let text = |value: &Value| value.get("message").and_then(Value::as_str).map(clean);
    let message = read.and_then(|value| value.get("error").and_then(text).or_else(|| text(&value)));
    message.filter(|message| !message.trim().is_empty()).map_or(Cow::Borrowed(detail), Cow::Owned)
}

/// What is asked, in short.
pub(super) fn asked(prompt: &Prompt) -> String {
    let text = one_line(&clean(&prompt.text));
    match prompt.kind.as_str() {
        "permission" => {
            let target = prompt.input.get("file_path").and_then(Value::as_str).map(clean);
            // Within its folder the path begins there.
            let within =
                |path: String| path.strip_prefix(&format!("{}/", prompt.cwd)).map(str::to_owned).unwrap_or(path);
            format!("{}: {}", prompt.tool, target.map(within).unwrap_or(text))
        }
        "plan" => format!("plan: {text}"),
        "question" if prompt.questions.len() > 1 => format!("{} questions: {text}", prompt.questions.len()),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong() {
        for (detail, expected) in [
            (r#"{"error":{"code":"invalid_request","message":"scripted bad request"}}"#, "scripted bad request"),
            (r#" {"message":"too\u001b[2J much"}"#, "too␛[2J much"),
            (r#"{"error":"x"}"#, r#"{"error":"x"}"#),
            ("{ torn", "{ torn"),
            ("in words", "in words"),
        ] {
            assert_eq!(plain(detail), expected);
        }
    }
}
