//! Recordings of real agents, and what two screens must agree on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]
#![allow(unreachable_pub, dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

use coop_terminal::{Cursor, Modes, Options, Screen, Size, Span};

pub struct Recording {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// All recordings were made at this size.
pub fn recorded_size() -> Size {
    Size::new(200, 50).unwrap()
}

pub fn recordings() -> Vec<Recording> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/recordings");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            Recording {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                bytes: std::fs::read(&path).unwrap(),
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() >= 9, "the recordings are missing");
    all
}

pub fn screen(size: Size) -> Screen {
    Screen::new(size, Options::default())
}

pub fn fed(size: Size, bytes: &[u8]) -> Screen {
    let mut screen = screen(size);
    screen.feed(bytes).unwrap();
    screen
}

/// Everything a person or a program can notice about a screen.
#[derive(Debug, PartialEq)]
pub struct Look {
    pub lines: Vec<Vec<Span>>,
    pub cursor: Cursor,
    pub modes: Modes,
    pub title: String,
    pub keys: coop_terminal::keys::KeyModes,
}

pub fn look(screen: &Screen) -> Look {
    Look {
        lines: screen.spans(0).into_iter().map(without_link_ids).collect(),
        cursor: screen.cursor(),
        modes: Modes { synchronized: false, ..screen.modes() },
        title: screen.title().unwrap_or_default().to_owned(),
        keys: screen.key_modes(),
    }
}

/// The engine invents ids for links without one.
fn without_link_ids(mut spans: Vec<Span>) -> Vec<Span> {
    for span in &mut spans {
        if let Some(link) = &mut span.style.link {
            link.id.clear();
        }
    }
    spans
}

pub fn assert_same(left: &Screen, right: &Screen, what: &str) {
    let (a, b) = (look(left), look(right));
    if a == b {
        return;
    }
    for (row, (x, y)) in a.lines.iter().zip(&b.lines).enumerate() {
        assert_eq!(x, y, "{what}: row {row}\n left: {}\nright: {}", left.text(0)[row], right.text(0)[row]);
    }
    assert_eq!((a.cursor, a.modes, a.title, a.keys), (b.cursor, b.modes, b.title, b.keys), "{what}");
}
