//! What sequences do to the screen, and what is said in reply, as rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use coop_terminal::keys::{Key, encode};
use coop_terminal::{CursorShape, Options, ProgramStatus, Screen, Signal, Size};

fn fed(output: &str) -> Screen {
    let mut screen = Screen::new(Size::new(10, 4).unwrap(), Options::default());
    screen.feed(output.as_bytes()).unwrap();
    screen
}

/// Rows joined by `|`, without blank rows at the end, and the cursor.
fn check(what: &str, output: &str, rows: &str, cursor: (u16, u16)) {
    let screen = fed(output);
    let text = screen.text(0).join("|");
    let at = screen.cursor();
    assert_eq!((text.trim_end_matches('|'), (at.row, at.col)), (rows, cursor), "{what}: {output:?}");
}

#[test]
fn movement_and_margins() {
    check("text", "ab\r\ncd", "ab|cd", (1, 2));
    check("wrap", "0123456789ab", "0123456789|ab", (1, 2));
    check("wait to wrap", "0123456789", "0123456789", (0, 9));
    check("tab stays in the last column", "0123456789\t!", "0123456789|!", (1, 1));
    check("up stops at the margin", "\x1b[2;4r\x1b[3;1H\x1b[9Ax", "|x", (1, 1));
    check("down stops at the margin", "\x1b[1;2r\x1b[1;1H\x1b[9Bx", "|x", (1, 1));
    check("outside the margins the screen is the limit", "\x1b[3;4r\x1b[1;1H\x1b[9Ax", "x", (0, 1));
    check("origin mode", "\x1b[2;3r\x1b[?6h\x1b[1;1Hx\x1b[5Gy", "|x   y", (1, 5));
    check("leaving it goes home", "\x1b[2;3r\x1b[?6h\x1b[?6lx", "x", (0, 1));
    check("a region below the screen is refused", "\x1b[9;20rx\n\n\n\n\r", "", (3, 0));
    check("new line mode", "\x1b[20hab\ncd", "ab|cd", (1, 2));
    check("insert lines go to the first column", "ab\r\ncd\x1b[1A\x1b[Lx", "x|ab|cd", (0, 1));
    check("delete lines too", "ab\r\ncd\x1b[1A\x1b[Mx", "xd", (0, 1));
    check("repeat", "a\x1b[3bb", "aaaab", (0, 5));
    check("repeat is bounded", "a\x1b[65535b", "aaaaaaaaaa|aaaaaaaaaa|aaaaaaaaaa|aaaaaa", (3, 6));
}

#[test]
fn erasing() {
    check("above from the second line", "ab\r\ncd\x1b[2;1H\x1b[1J", "| d", (1, 0));
    check("half of a wide character takes the other", "漢字\x1b[1;2H\x1b[X", "  字", (0, 1));
    check("erasing from the middle of one", "漢字\x1b[1;2H\x1b[K", "", (0, 1));
    check("erasing up to the middle of one", "漢字\x1b[1;3H\x1b[1K", "", (0, 2));
    check("deleting half of one", "漢字x\x1b[1;2H\x1b[P", " 字x", (0, 1));
    check("writing over half of one", "漢字\x1b[1;2Hx", " x字", (0, 2));
}

#[test]
fn widths() {
    check("wide", "漢x", "漢x", (0, 3));
    check("a family is one cluster", "👩‍👩‍👧‍👦x", "👩‍👩‍👧‍👦x", (0, 3));
    check("a skin tone joins", "👍🏽x", "👍🏽x", (0, 3));
    check("and not a letter", "a🏽x", "a🏽x", (0, 4));
    check("emoji presentation widens", "❤️x", "❤️x", (0, 3));
    check("a keycap", "1️⃣x", "1️⃣x", (0, 3));
    check("a flag", "🇫🇷x", "🇫🇷x", (0, 3));
    check("combining", "e\u{301}x", "e\u{301}x", (0, 2));
    check("combining with nothing", "\u{301}x", "x", (0, 1));
    check("a wide one that does not fit wraps", "012345678漢", "012345678|漢", (1, 2));
}

#[test]
fn zero_width_characters_are_bounded() {
    let many = format!("a{}", "\u{301}".repeat(10_000));
    assert!(fed(&many).text(0)[0].chars().count() < 40);
}

#[test]
fn screens_and_modes() {
    for (on, off) in [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?47h", "\x1b[?47l"), ("\x1b[?1047h", "\x1b[?1047l")] {
        let inside = fed(&format!("main{on}\x1b[Halt"));
        assert!(inside.alt_screen() && inside.text(0)[0] == "alt", "{on:?}");
        let after = fed(&format!("main{on}\x1b[Halt{off}"));
        assert!(!after.alt_screen() && after.text(0)[0] == "main", "{on:?}");
    }
    let modes = fed("\x1b[?2004h\x1b[?1003h\x1b[?1004h\x1b[?1h\x1b=\x1b[>5u").modes();
    assert!(modes.bracketed_paste && modes.mouse && modes.focus && modes.app_cursor && modes.app_keypad);
    assert_eq!(modes.kitty_keyboard, 5);
    let reset = fed("\x1b[?1h\x1b=\x1b[?25l\x1b[4h\x1b[2;3r\x1b[31m\x1b(0\x1b[3;3H\x1b[!pq");
    assert_eq!((reset.text(0)[2].as_str(), reset.cursor().row, reset.cursor().visible), ("  q", 2, true));
    assert_eq!(reset.modes(), fed("").modes());
    let cursor = fed("\x1b[5 q").cursor();
    assert_eq!((cursor.shape, cursor.blinking), (CursorShape::Bar, true));
}

#[test]
fn keys_follow_the_modes() {
    let keys = |output: &str, key: &str| {
        let key: Key = key.parse().unwrap();
        String::from_utf8(encode(&[key], fed(output).key_modes())).unwrap()
    };
    assert_eq!(keys("", "Up"), "\x1b[A");
    assert_eq!(keys("\x1b[?1h", "Up"), "\x1bOA");
    assert_eq!(keys("", "Escape"), "\x1b");
    assert_eq!(keys("\x1b[>1u", "Escape"), "\x1b[27u");
    assert_eq!(keys("\x1b[>1u\x1b[<u", "Escape"), "\x1b");
    assert_eq!(keys("\x1b[20h", "Enter"), "\r\n");
}

#[test]
fn stacks_are_bounded() {
    let pushed = "\x1b[>1u\x1b[22t".repeat(5000);
    let screen = fed(&pushed);
    assert_eq!(screen.modes().kitty_keyboard, 1);
}

#[test]
fn questions_and_answers() {
    let check = |question: &str, answer: &str| {
        let replies = fed(question).take_replies();
        assert_eq!(String::from_utf8(replies).unwrap(), answer, "{question:?}");
    };
    check("\x1b[c", "\x1b[?62;22c");
    check("\x1b[>c", "\x1b[>1;100;0c");
    check("\x1b[5n", "\x1b[0n");
    check("ab\x1b[6n", "\x1b[1;3R");
    check("\x1b[2;3r\x1b[?6h\x1b[6n", "\x1b[1;1R");
    check("\x1b[?u", "\x1b[?0u");
    check("\x1b[>7u\x1b[?u", "\x1b[?7u");
    check("\x1b[?2026$p", "\x1b[?2026;2$y");
    check("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y");
    check("\x1b[?4242$p", "\x1b[?4242;0$y");
    check("\x1b[4$p", "\x1b[4;2$y");
    check("\x1b[18t", "\x1b[8;4;10t");
    check("\x1b[14t", "\x1b[4;64;80t");
    check("\x1b[?996n", "\x1b[?997;1n");
    check("\x1b]10;?\x07", "\x1b]10;rgb:d8d8/d8d8/d8d8\x07");
    check("\x1b]11;?\x1b\\", "\x1b]11;rgb:1818/1818/1818\x1b\\");
    check("\x1b]11;#102030\x07\x1b]11;?\x07", "\x1b]11;rgb:1010/2020/3030\x07");
    check("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/3131/3131\x07");
    check("\x1b[>q", &format!("\x1bP>|coop({})\x1b\\", env!("CARGO_PKG_VERSION")));
    check("\x1b[>0q", &format!("\x1bP>|coop({})\x1b\\", env!("CARGO_PKG_VERSION")));
    check("\x1bP$qr\x1b\\", "\x1bP1$r1;4r\x1b\\");
    check("\x1bP$q q\x1b\\", "\x1bP1$r2 q\x1b\\");
    check("\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\");
    check("\x1bP+q544e;5858\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\\x1bP0+r5858\x1b\\");
    check("\x1b]7501;?\x07", "\x1b]7501;?\x07");
    // A person's clipboard is not read out.
    check("\x1b]52;c;?\x07", "");
    // In the order of the questions: programs take the answer to DA1 for the end of the others.
    check(
        "\x1b[>q\x1b]7501;?\x07\x1b[c",
        &format!("\x1bP>|coop({})\x1b\\\x1b]7501;?\x07\x1b[?62;22c", env!("CARGO_PKG_VERSION")),
    );
}

#[test]
fn signals() {
    let signals =
        fed("\x1b]0;one\x07\x1b]0;one\x07\x07\x07\x1b]7501;state=idle:app=codex\x1b\\\x1b]2;\x07").take_signals();
    let status = ProgramStatus { state: "idle".into(), app: Some("codex".into()), ..ProgramStatus::default() };
    let expected =
        [Signal::Title("one".into()), Signal::Bell, Signal::ProgramStatus(status), Signal::Title(String::new())];
    assert_eq!(signals, expected);
}

#[test]
fn history_is_bounded_also_when_it_is_folded() {
    let options = Options { scrollback: 500, ..Options::default() };
    let mut screen = Screen::new(Size::new(200, 50).unwrap(), options);
    screen.feed(format!("{}\r\n", "x".repeat(199)).repeat(2000).as_bytes()).unwrap();
    assert_eq!(screen.scrollback_len(), 500);
    for (cols, rows) in [(2, 1), (1000, 1000), (3, 2), (200, 50)] {
        screen.resize(Size::new(cols, rows).unwrap()).unwrap();
        assert!(screen.scrollback_len() <= 500, "{cols}x{rows}");
    }
}
