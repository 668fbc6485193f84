//! Where things are on a screen of any size. The view paints by it, and a click is looked up in it.

use ratatui::layout::Rect;

use crate::keys::Place;

/// From here on there is room for the board and one session side by side.
const WIDE: u16 = 120;
/// From here on there is room for one below the other.
const HIGH: u16 = 18;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The first row: how many need what. Empty where there is no room.
    pub head: Rect,
    /// The sessions. Empty where something else takes the room.
    pub list: Rect,
    /// One session, or what takes the whole screen.
    pub detail: Rect,
    /// The line between them, if there is one.
    pub rule: Rect,
    /// The last row: keys, or what has just happened.
    pub foot: Rect,
}

#[must_use]
pub fn areas((cols, rows): (u16, u16), place: Place) -> Areas {
    let all = Rect::new(0, 0, cols, rows);
    let head = if rows >= 4 { Rect { height: 1, ..all } } else { Rect { height: 0, ..all } };
    let foot_rows = u16::from(rows >= 3);
    let foot = Rect::new(0, rows - foot_rows, cols, foot_rows);
    let body = Rect::new(0, head.height, cols, rows - head.height - foot_rows);
    let areas = Areas { head, foot, ..Areas::default() };
    match place {
        // They want all the room there is.
        Place::Peek | Place::Talk | Place::Help | Place::Found => Areas { detail: body, ..areas },
        _ if cols >= WIDE => {
            let left = cols * 11 / 20;
            Areas {
                list: Rect { width: left, ..body },
                rule: Rect { x: left, width: 1, ..body },
                detail: Rect { x: left + 2, width: cols - left - 2, ..body },
                ..areas
            }
        }
        _ if body.height >= HIGH => {
            // Whoever is answering reads more than they choose.
            let top = if is_over_the_list(place) { body.height * 2 / 5 } else { body.height / 3 };
            Areas {
                list: Rect { height: top, ..body },
                rule: Rect { y: body.y + top, height: 1, ..body },
                detail: Rect { y: body.y + top + 1, height: body.height - top - 1, ..body },
                ..areas
            }
        }
        _ if is_over_the_list(place) => Areas { list: body, ..areas },
        _ => Areas { detail: body, ..areas },
    }
}

/// Where the list is what the person is at.
fn is_over_the_list(place: Place) -> bool {
    matches!(place, Place::List | Place::Filter | Place::Search | Place::Find)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_is_on_the_screen_and_nothing_twice(cols in 0_u16..300, rows in 0_u16..120, at in 0..Place::ALL.len()) {
            let found = areas((cols, rows), Place::ALL[at]);
            let parts = [found.head, found.list, found.detail, found.rule, found.foot];
            for part in parts {
                prop_assert!(part.right() <= cols && part.bottom() <= rows, "{found:?}");
            }
            for (at, one) in parts.iter().enumerate() {
                for other in &parts[at + 1..] {
                    prop_assert!(one.intersection(*other).area() == 0, "{found:?}");
                }
            }
        }
    }
}
