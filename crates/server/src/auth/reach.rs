//! How far a token reaches: to everything, to looking and answering, or to looking alone.

use axum::http::Method;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Look: everything that changes nothing.
    View,
    /// The same, and answer what is asked.
    Answer,
    Everything,
}

impl Reach {
    /// Whether a request of the hub is within it. What is not known to be harmless is not.
    pub(crate) fn allows(self, method: &Method, path: &str) -> bool {
        let looks = matches!(*method, Method::GET | Method::HEAD);
        match self {
            Self::Everything => true,
            Self::View => looks,
            Self::Answer => looks || (*method == Method::POST && answers(path)),
        }
    }
}

/// Routes by which a person answers, or says that they have looked.
fn answers(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["", "rpc"] | ["", "api", "v1", "prompts", _, "answer"] | ["", "api", "v1", "sessions", _, "seen"]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_opens() {
        for (method, path, view, answer) in [
            (Method::GET, "/api/v1/sessions", true, true),
            (Method::HEAD, "/api/v1/sessions", true, true),
            (Method::GET, "/api/v1/sessions/1/screen/text", true, true),
            (Method::GET, "/api/v1/history", true, true),
            (Method::POST, "/api/v1/prompts/1/answer", false, true),
            (Method::POST, "/api/v1/sessions/1/seen", false, true),
            (Method::POST, "/rpc", false, true),
            (Method::POST, "/api/v1/prompts/1/answer/more", false, false),
            (Method::POST, "//rpc", false, false),
            (Method::POST, "/api/v1/sessions/1/agent/nudge", false, false),
            (Method::POST, "/api/v1/sessions/1/input", false, false),
            (Method::DELETE, "/api/v1/sessions/1/permissions", false, false),
            (Method::PUT, "/api/v1/rules", false, false),
            (Method::DELETE, "/api/v1/rules/1", false, false),
            (Method::POST, "/api/v1/rules/test", false, false),
            (Method::POST, "/api/v1/hooks/Stop", false, false),
            (Method::POST, "/events", false, false),
            (Method::POST, "/api/v1/shutdown", false, false),
            (Method::OPTIONS, "/api/v1/sessions", false, false),
        ] {
            assert_eq!(Reach::View.allows(&method, path), view, "view {method} {path}");
            assert_eq!(Reach::Answer.allows(&method, path), answer, "answer {method} {path}");
            assert!(Reach::Everything.allows(&method, path));
        }
    }
}
