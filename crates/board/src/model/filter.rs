//! Which sessions a few typed words are about.

use coop_api::hub::Session;

/// Whether a session has all words, in any order; capitals count as small letters. `agent:claude`, `state:prompt`,
/// `project:shop`, `branch:main` and `model:opus` look there only; `!word` is one it must not have.
#[must_use]
pub fn fits(session: &Session, words: &str) -> bool {
    let words = words.to_lowercase();
    words.split_whitespace().all(|word| match word.strip_prefix('!') {
        Some("") => true,
        Some(word) => !has(session, word),
        None => has(session, word),
    })
}

fn has(session: &Session, word: &str) -> bool {
    let within = |text: Option<&str>, word: &str| text.is_some_and(|text| text.to_lowercase().contains(word));
    let of = |text: &Option<String>, word: &str| within(text.as_deref(), word);
    match word.split_once(':') {
        Some(("agent", word)) => within(Some(&session.agent), word),
        Some(("state", word)) => within(Some(&session.state), word) || within(Some(&session.attention), word),
        Some(("project", word)) => of(&session.project, word),
        Some(("branch", word)) => of(&session.branch, word),
        Some(("model", word)) => of(&session.model, word),
        _ => {
            let texts = [&session.project, &session.branch, &session.title, &session.model, &session.cwd];
            texts.into_iter().any(|text| of(text, word))
                || of(&session.last_message, word)
                || [&session.agent, &session.state].into_iter().any(|text| within(Some(text), word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let session = Session {
            agent: "claude".into(),
            state: "prompt".into(),
            attention: "asks".into(),
            project: Some("Shop".into()),
            branch: Some("main".into()),
            last_message: Some("The login works.".into()),
            ..Session::default()
        };
        for (words, expected) in [
            ("", true),
            ("shop", true),
            ("SHOP login", true),
            ("shop nowhere", false),
            ("agent:claude state:asks", true),
            ("agent:codex", false),
            ("project:main", false),
            ("!codex", true),
            ("!shop", false),
            ("!", true),
            ("http://x", false),
        ] {
            assert_eq!(fits(&session, words), expected, "{words}");
        }
    }
}
