//! Pictures of the board, compared with those that were looked at: `BOARD_SNAPSHOTS=write` writes them anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may")]

mod common;

use std::fs;
use std::path::Path;

use common::{Board, NOW, session};
use coop_api::v1::{CellLine, CellSpan, ConversationEntry};
use coop_board::event::{Event, FromHub, Reply, Said};
use coop_board::view::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

#[track_caller]
fn check(name: &str, board: &mut Board) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.txt"));
    let screen = board.screen();
    if std::env::var_os("BOARD_SNAPSHOTS").is_some_and(|value| value == "write") {
        fs::write(&path, &screen).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(screen, expected, "{name} is not as it was:\n{screen}");
}

#[test]
fn every_size() {
    for (cols, rows) in [(200, 50), (120, 30), (80, 24), (60, 20), (40, 15), (20, 8), (10, 3), (1, 1)] {
        let mut board = Board::full(cols, rows);
        check(&format!("list-{cols}x{rows}"), &mut board);
    }
}

/// The places, at the sizes that people have.
#[test]
fn every_place() {
    for (name, keys) in [
        ("permission", "Enter"),
        ("deny", "Enter N b e c a u s e"),
        ("input", "Enter e"),
        ("question", "j Enter Down"),
        ("answered-part", "j Enter 2 Enter Space"),
        ("own-words", "j Enter o t e a l"),
        ("plan", "j j Enter"),
        ("look", "Tab Tab Tab Tab Enter"),
        ("held", "Enter y"),
        ("help", "?"),
        ("help-permission", "Enter ?"),
        ("nudge", "m o n e Alt-Enter t w o"),
        ("start", "+"),
        ("confirm", "x"),
        ("filter", "f s h o p"),
        ("by-project", "o"),
    ] {
        for (cols, rows) in [(80, 24), (40, 15)] {
            let mut board = Board::full(cols, rows);
            board.press(keys);
            check(&format!("{name}-{cols}x{rows}"), &mut board);
        }
    }
}

#[test]
fn nobody_is_here() {
    let mut board = Board::new(80, 24);
    check("connecting-80x24", &mut board);
    board.tell(FromHub::All { sessions: vec![], prompts: vec![] });
    check("empty-80x24", &mut board);
}

#[test]
fn a_long_command_is_there_whole() {
    let mut board = Board::new(80, 24);
    let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
    let asked = common::prompt(11, 1, "permission", "Bash", &words.join(" "));
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![asked] });
    board.press("Enter");
    let mut seen = String::new();
    for _ in 0..60 {
        seen += &board.screen().replace('\n', "");
        board.press("j");
    }
    for n in 0..200 {
        assert!(seen.contains(&format!("word{n}")), "word{n} is nowhere");
    }
    assert!(!board.screen().contains("more"), "that was the end:\n{}", board.screen());
    board.press("g");
    assert!(board.screen().contains("↓"), "more follows:\n{}", board.screen());
}

#[test]
fn a_diff() {
    let mut board = Board::new(80, 24);
    let mut asked = common::prompt(11, 1, "permission", "Edit", "{…}");
    asked.input = serde_json::json!({
        "file_path": "/srv/shop/main.rs", "old_string": "fn one() {}\nfn two() {}\n", "new_string": "fn one() {}\nfn three() {}\n",
    });
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![asked] });
    board.press("Enter");
    check("diff-80x24", &mut board);
}

#[test]
fn a_live_screen_has_its_colours() {
    let mut board = Board::full(60, 20);
    board.press("p");
    check("peek-waits-60x20", &mut board);
    let span = |col, text: &str, fg: Option<&str>| CellSpan {
        col,
        width: text.len() as u32,
        text: text.into(),
        fg: fg.map(str::to_owned),
        bold: true,
        ..CellSpan::default()
    };
    let rows = vec![
        CellLine { spans: vec![span(0, "plain", None), span(6, "red", Some("1")), span(10, "own", Some("#102030"))] },
        CellLine { spans: vec![span(55, "cut off here", Some("208"))] },
    ];
    board.happens(Event::Reply(Reply::Screen { session: 1, rows }));
    check("peek-60x20", &mut board);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
    draw(&board.model, NOW, &mut buffer);
    assert_eq!((buffer[(6, 1)].fg, buffer[(10, 1)].fg), (Color::Indexed(1), Color::Rgb(0x10, 0x20, 0x30)));
    board.model.settings.colour = false;
    draw(&board.model, NOW, &mut buffer);
}

#[test]
fn a_conversation() {
    let mut board = Board::full(60, 20);
    board.press("c");
    let entry =
        |kind: &str, text: &str| ConversationEntry { kind: kind.into(), text: Some(text.into()), ..Default::default() };
    let call = ConversationEntry {
        kind: "tool_call".into(),
        tool: Some("Bash".into()),
        input: Some("{\"command\":\"ls\"}".into()),
        ..Default::default()
    };
    let entries = vec![
        entry("user", "Look around"),
        entry("thinking", "hm"),
        call,
        entry("tool_result", "a\nb"),
        entry("assistant", "Two files."),
    ];
    board.happens(Event::Reply(Reply::Conversation { session: 1, after: 0, result: Ok(Said { entries, next: 5 }) }));
    check("conversation-60x20", &mut board);
}

/// Nothing is told by colour alone, and nothing is coloured where that is not wanted.
#[test]
fn without_colour() {
    let mut board = Board::full(80, 24);
    board.model.settings.colour = false;
    let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
    for keys in ["Enter", "Esc ?", "q p", "q Enter y"] {
        draw(&board.model, NOW, &mut buffer);
        let coloured = buffer.content().iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert!(!coloured);
        board.press(keys);
    }
    assert!(buffer.content().iter().any(|cell| cell.modifier.contains(Modifier::REVERSED)), "the selection is seen");
}

/// Only the terminal's own sixteen, so that a person's theme fits.
#[test]
fn with_colour() {
    let board = Board::full(200, 50);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 50));
    draw(&board.model, NOW, &mut buffer);
    let own = |color: Color| !matches!(color, Color::Rgb(..) | Color::Indexed(_));
    assert!(buffer.content().iter().all(|cell| own(cell.fg) && own(cell.bg)));
}

#[test]
fn two_thousand_sessions() {
    let mut board = Board::new(80, 24);
    let kinds = [("working", "works"), ("idle", "rests"), ("exited", "over"), ("prompt", "asks")];
    let all = (1..=2000).map(|id| {
        let (state, attention) = kinds[id as usize % 4];
        session(id, state, attention, &format!("project-{}", id % 50), id)
    });
    board.tell(FromHub::All { sessions: all.collect(), prompts: vec![] });
    board.press("G");
    assert_eq!(board.model.rows.len(), 2000);
    assert!(board.screen().contains("↑ 19"), "{}", board.screen());
    board.press("g");
    assert!(board.screen().contains("500 ask"), "{}", board.screen());
    board.press("o G");
    assert!(board.screen().contains("project-"), "{}", board.screen());
}
