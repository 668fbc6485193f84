//! Text of an agent as a person is to see it: what is approved is what is shown.

use std::borrow::Cow;

/// Makes visible what would hide, reorder or paint over other text. Line breaks and tabs stay.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // The pictures of the control characters, in their order.
            '\0'..='\u{1f}' if hides(character) => {
                shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'));
            }
            '\u{7f}' => shown.push('\u{2421}'),
            _ if hides(character) => shown.push_str(&format!("<U+{:04X}>", u32::from(character))),
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

fn hides(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        _ if character.is_control() => true,
        // Soft hyphen, joiners and spaces of no width, marks and overrides of direction, fillers, annotation, tags,
        // variation selectors beyond those of emoji.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{fe00}'..='\u{fe0e}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}
