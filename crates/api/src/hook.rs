//! How a hook reaches coop over HTTP, for both ends of it.

/// Where a hook calls, before the name of the event.
pub const PATH: &str = "/api/v1/hooks/";
/// Microseconds since the hook was started.
pub const AGE_HEADER: &str = "x-coop-age-us";
/// The agent whose hook it is, where its installation says so.
pub const AGENT_HEADER: &str = "x-coop-agent";
/// In a reply: commands whose output the hook adds to what it prints, as a JSON list.
pub const SHELL_HEADER: &str = "coop-shell";
/// A tool may have written a large file; its hook is told all of it.
pub const MAX_BODY: usize = 16 << 20;

/// An event by the name the agent has for it: `permission_request` and `permission-request` are `PermissionRequest`.
#[must_use]
pub fn event_name(given: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    let name: String = given.split(['_', '-']).map(word).collect();
    // By its short name, as the path is called.
    if name == "Start" { "SessionStart".into() } else { name }
}

/// A list of commands as the value of a header, which has only visible ASCII.
#[must_use]
pub fn shell_header(commands: &[String]) -> String {
    let json = serde_json::Value::from(commands).to_string();
    let escape = |c: char| -> String {
        match c {
            ' '..='~' => c.to_string(),
            other => other.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        }
    };
    json.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (given, expected) in [
            ("PermissionRequest", "PermissionRequest"),
            ("permission_request", "PermissionRequest"),
            ("permission-request", "PermissionRequest"),
            ("stop", "Stop"),
            ("start", "SessionStart"),
            ("session_start", "SessionStart"),
            ("__", ""),
        ] {
            assert_eq!(event_name(given), expected, "{given}");
        }
    }

    #[test]
    fn commands_survive_a_header() {
        let commands = vec!["echo 'ä €' \"🐤\"\nls \x7f".to_owned(), String::new()];
        let header = shell_header(&commands);
        assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{header}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), commands);
    }
}
