//! Text sent as if it was pasted.

const START: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

/// The bytes a terminal sends for a paste: lines end as the Enter key ends them, between marks if the application asked.
///
/// Controls are left out, as xterm does: in pasted text they are never meant, an embedded end mark would make the rest
/// of the text keys, and without marks a Ctrl-C is the key.
#[must_use]
pub fn paste(text: &str, bracketed: bool) -> Vec<u8> {
    let lines = text.replace(START, "").replace(END, "").replace("\r\n", "\r").replace('\n', "\r");
    let clean: String = lines.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\r')).collect();
    if bracketed { format!("{START}{clean}{END}").into_bytes() } else { clean.into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pastes() {
        for (text, plain) in [
            ("hello wörld", "hello wörld"),
            ("", ""),
            ("a\tb\nc\r\nd\re", "a\tb\rc\rd\re"),
            ("\n\n", "\r\r"),
            ("safe\x1b[201~rm -rf", "saferm -rf"),
            ("\x1b[20\x1b[201~1~x", "[201~x"),
            ("\x1b[200~x\x1b[2J", "x[2J"),
            ("^C\x03 DEL\x7f NUL\0 CSI\u{9b}201~", "^C DEL NUL CSI201~"),
        ] {
            assert_eq!(String::from_utf8(paste(text, false)).unwrap(), plain, "{text:?}");
            assert_eq!(String::from_utf8(paste(text, true)).unwrap(), format!("{START}{plain}{END}"), "{text:?}");
        }
    }
}
