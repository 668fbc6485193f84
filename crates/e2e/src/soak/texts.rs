//! What is said: short and long, in one line and in many, with all that input boxes have trouble with.

/// The longest message.
const LONGEST: usize = 30_000;

/// Ends and middles that an agent, a terminal or a comparison may take for something else.
const HARD: &[&str] = &[
    "\ttab\tbetween",
    "🦀 👩‍👩‍👧 🇫🇷 e\u{301}",
    "line\n\n  indented\n",
    "ends with a backslash \\",
    "@README.md and #1",
    "docs/shot.png",
    "windows\r\nline",
    "{\"json\": [\"a\\nb\", 'c']} $HOME `ls`",
    "日本語のテキスト",
    "❯ 1. Yes",
    "esc to interrupt",
    "? ",
];

/// Always the same for the same number. Some are equal to others, as short ones are among people.
#[must_use]
pub(super) fn text(number: usize) -> String {
    let hard = HARD[number / 3 % HARD.len()];
    match number % 6 {
        // One character.
        0 => char::from(b'a' + u8::try_from(number / 6 % 3).unwrap_or(0)).to_string(),
        // The same words from many callers.
        1 => "go on".to_owned(),
        2 => format!("{number} {hard}"),
        3 => filled(number, length(number), "\n", hard),
        _ => filled(number, length(number), " ", hard),
    }
}

/// As many short ones as long ones, on a scale by factors.
fn length(number: usize) -> usize {
    let step = number * 7 % 24;
    let length = (0..step).fold(12.0, |length, _| length * 1.405);
    (length as usize).min(LONGEST)
}

/// Numbered words up to that many characters, and the hard end.
fn filled(number: usize, length: usize, between: &str, end: &str) -> String {
    let mut text = number.to_string();
    let mut word = 0;
    while text.chars().count() + end.chars().count() < length {
        text.push_str(if word % 9 == 8 { between } else { " " });
        text.push_str(&format!("word{word}"));
        word += 1;
    }
    let keep = length.saturating_sub(end.chars().count()).max(number.to_string().len());
    let kept: String = text.chars().take(keep).collect();
    format!("{kept} {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_from_one_to_the_longest() {
        let lengths: Vec<usize> = (0..200).map(|number| text(number).chars().count()).collect();
        assert_eq!(lengths.iter().min(), Some(&1));
        let longest = *lengths.iter().max().unwrap();
        assert!((LONGEST - 1000..=LONGEST + 1).contains(&longest), "{longest}");
    }
}
