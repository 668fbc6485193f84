//! Bytes in any order and any pieces: the same screen, and never a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use common::{assert_same, fed, recorded_size, recordings, screen};
use coop_terminal::{Options, Screen, Size};
use proptest::prelude::*;

/// UTF-8 and escape sequences of every length, text around them.
const SAMPLE: &str = "né漢😀👩‍👩‍👧‍👦❤️\x1b[1;38;2;10;20;30mbold\x1b[m\x1b]0;títle\x07\x1b]8;;http://x\x1b\\l\x1b]8;;\x1b\\\
    \x1b[?2026h\x1b[5;5Hsync\x1b[?2026l\x1bP+q544e\x1b\\\x1b(0qqq\x1b(B\x1b[2;10r\x1b[10;1H\n\x1b[r\r\n\ttab\x1b[3b";

#[test]
fn split_at_every_byte() {
    let bytes = SAMPLE.as_bytes();
    let whole = fed(recorded_size(), bytes);
    for cut in 0..=bytes.len() {
        let mut split = fed(recorded_size(), &bytes[..cut]);
        split.feed(&bytes[cut..]).unwrap();
        assert_same(&whole, &split, &format!("cut at {cut}"));
        assert_eq!(split.applied(), bytes.len() as u64);
    }
    let mut single = screen(recorded_size());
    for byte in bytes {
        single.feed(&[*byte]).unwrap();
    }
    assert_same(&whole, &single, "byte by byte");
}

#[test]
fn recordings_byte_by_byte() {
    for recording in recordings().iter().filter(|r| r.bytes.len() < 150_000) {
        let whole = fed(recorded_size(), &recording.bytes);
        let mut single = screen(recorded_size());
        for byte in &recording.bytes {
            single.feed(&[*byte]).unwrap();
        }
        assert_same(&whole, &single, &recording.name);
    }
}

#[test]
fn an_update_that_never_ends_is_shown_when_the_timer_says_so() {
    let mut screen = fed(recorded_size(), b"old\x1b[?2026h\rnew");
    assert!(screen.sync_pending());
    assert_eq!(screen.text(0)[0], "old");
    assert_eq!(screen.applied(), 3);
    screen.end_sync().unwrap();
    assert_eq!((screen.text(0)[0].as_str(), screen.sync_pending()), ("new", false));
    screen.feed(b"er\x1b[?2026l").unwrap();
    assert_eq!((screen.text(0)[0].as_str(), screen.applied()), ("newer", 25));
}

#[test]
fn an_update_without_end_is_bounded() {
    let mut screen = fed(recorded_size(), b"\x1b[?2026h");
    for _ in 0..600 {
        screen.feed(&[b'x'; 4096]).unwrap();
    }
    assert!(screen.applied() > 2 << 20, "held back {}", screen.applied());
}

/// Random bytes, but with a liking for what terminals react to.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        4 => "[ -~é漢😀\u{200d}\u{fe0f}\u{301}\u{1f3fd}\r\n\t\x08]{0,30}".prop_map(String::into_bytes),
        8 => ("\x1b\\[[?>=<!]?[0-9;:]{0,12}[ $\"]?[@-~]").prop_map(String::into_bytes),
        2 => ("\x1b[()#*+]?[ -~]").prop_map(String::into_bytes),
        2 => ("\x1b[]P_^X][ -~]{0,30}(\x07|\x1b\\\\|)").prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn noise_never_panics_and_pieces_do_not_matter(
        parts in prop::collection::vec((noise(), prop::option::of((2_u32..120, 1_u32..60))), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let options = Options { scrollback: 50, ..Options::default() };
        let mut whole = Screen::new(Size::new(40, 10).unwrap(), options);
        let mut pieces = Screen::new(Size::new(40, 10).unwrap(), options);
        for (bytes, size) in &parts {
            whole.feed(bytes).unwrap();
            let cut = cut.index(bytes.len() + 1);
            pieces.feed(&bytes[..cut]).unwrap();
            pieces.feed(&bytes[cut..]).unwrap();
            assert_same(&whole, &pieces, "in pieces");
            if let Some((cols, rows)) = size {
                whole.resize(Size::new(*cols, *rows).unwrap()).unwrap();
                pieces.resize(Size::new(*cols, *rows).unwrap()).unwrap();
            }
            let mut joiner = Screen::new(Size::new(40, 10).unwrap(), options);
            joiner.resize(whole.size()).unwrap();
            joiner.feed(&whole.repaint(0)).unwrap();
            prop_assert_eq!(joiner.text(0), whole.text(0), "repainted");
            let _ = (whole.svg(), whole.ansi(20), whole.take_replies(), whole.take_signals());
        }
    }
}
