//! JSON as people write it: with comments.

/// The same with blanks in the place of comments. What is in a text stays.
pub(super) fn without(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match rest.as_bytes() {
            [b'"', ..] => string_len(rest),
            [b'/', b'/', ..] => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            [b'/', b'*', ..] => {
                kept.push(' ');
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            _ => first.len_utf8(),
        };
        kept.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    kept
}

/// How long the text in quotes is that this begins with.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        for (text, expected) in [
            ("{\"a\": 1} // end", "{\"a\": 1} "),
            ("{ // one\n\"a\": /* two */ 1}", "{ \n\"a\":   1}"),
            ("{\"url\": \"https://x/*y*/\"}", "{\"url\": \"https://x/*y*/\"}"),
            ("\"a \\\" // b\" // c", "\"a \\\" // b\" "),
            ("\"\\\\\" // c", "\"\\\\\" "),
            ("/* open", " "),
            ("\"open", "\"open"),
        ] {
            assert_eq!(without(text), expected, "{text}");
        }
    }
}
