//! A client that joins at any moment shows what the server shows, and goes on showing it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use common::{assert_same, fed, recorded_size, recordings, screen};
use coop_terminal::{Screen, Size};
use proptest::prelude::*;

/// Joins `client` to `server` the way the API does: the repaint, then the bytes that are not on the screen yet.
fn join(client: &mut Screen, server: &mut Screen, log: &[u8], scrollback: usize) {
    client.resize(server.size()).unwrap();
    client.feed(&server.repaint(scrollback)).unwrap();
    client.feed(&log[server.applied() as usize..]).unwrap();
}

/// Output that a recording of an agent does not have: modes, margins, tabs, charsets, wide halves, links, stacks.
fn tricky() -> Vec<&'static str> {
    vec![
        "\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[5;10rhello\x1b[?6h\x1b[2;3Hx",
        "\x1b[3g\x1b[1;5H\x1bH\x1b[1;11H\x1bH\r\t-\t-\t-",
        "\x1b(0lqqqk\x1b(B\x1b)0\x0ex\x0fy\x1b7\x1b[5;5H\x1b8z",
        "漢字\x1b[1;2H\x1b[1X\x1b[1;4H*\x1b[2;1H漢字\x1b[1P\x1b[3;1Habc漢\x1b[3;4H\x1b[2@",
        "\x1b]8;id=a;https://example.com\x1b\\link\x1b]8;;\x1b\\ \x1b[4:3;58:2::1:2:3mcurl\x1b[m\x1b[1;3;7;9;38;5;200;48;2;9;8;7mall",
        "\x1b[>1u\x1b[>5u\x1b[?1049h\x1b[>3u\x1b]0;one\x07\x1b[22t\x1b]0;two\x07\x1b[23t",
        "x\x1b[9b\x1b[1;198H漢x漢\x1b[2;200Hy",
        "\x1b[4h\x1b[20habc\ndef\x1b[1;1H--\x1b[?7l\x1b[3;195H0123456789",
        "👩‍👩‍👧‍👦|👍🏽|❤️|1️⃣|🇫🇷|e\u{301}|\u{301}",
        "\x1b]4;1;#ff0000\x07\x1b]11;#102030\x07\x1b[5 q\x1b[?25l\x1b[31mred",
        "\x1b[2;4r\x1b[4;1H\n\n\n\x1b[2;1H\x1bM\x1b[1;1H\x1b[9A\x1b[99Bq",
        "\x1b[41m\x1b[2J\x1b[3;3H\x1b[K\x1b[1J\x1b[m\x1b[10;10H\x1b[1K",
    ]
}

#[test]
fn every_cut_of_the_tricky_ones() {
    for text in tricky() {
        let bytes = text.as_bytes();
        let whole = fed(recorded_size(), bytes);
        for cut in 0..=bytes.len() {
            let mut server = fed(recorded_size(), &bytes[..cut]);
            let mut client = screen(recorded_size());
            // A terminal that was used before.
            client.feed(b"\x1b[?1049h\x1b[31mold\x1b[5;9r\x1b[?6h\x1b[4h\x1b(0\x1b[?25l\x1b]0;old").unwrap();
            join(&mut client, &mut server, &bytes[..cut], 0);
            let what = format!("{text:?} cut at {cut}");
            assert_same(&server, &client, &what);
            client.feed(&bytes[cut..]).unwrap();
            assert_same(&whole, &client, &format!("{what}, and then the rest"));
        }
    }
}

#[test]
fn the_screen_behind_the_alternate_one_comes_along() {
    let before = "\x1b[1;1Hprimary \x1b[32mscreen\x1b[m\x1b[7;7H";
    let output = format!("{before}\x1b[?1049h\x1b[Halternate");
    let mut server = fed(recorded_size(), output.as_bytes());
    let mut client = screen(recorded_size());
    join(&mut client, &mut server, output.as_bytes(), 0);
    for s in [&mut server, &mut client] {
        s.feed(b"\x1b[?1049l").unwrap();
    }
    assert_same(&server, &client, "after leaving");
    assert_same(&fed(recorded_size(), before.as_bytes()), &client, "as before entering");
}

#[test]
fn scrollback_comes_along_when_asked_for() {
    let text: String = (0..300).map(|i| format!("line {i} \x1b[3{}mcolour\x1b[m\r\n", i % 8)).collect();
    let mut server = fed(recorded_size(), text.as_bytes());
    let mut client = screen(recorded_size());
    join(&mut client, &mut server, text.as_bytes(), 100);
    assert_same(&server, &client, "screen");
    assert_eq!(server.ansi(100), client.ansi(100));
}

#[test]
fn reading_a_snapshot_changes_nothing() {
    for recording in recordings() {
        let mut read = screen(recorded_size());
        let half = recording.bytes.len() / 2;
        read.feed(&recording.bytes[..half]).unwrap();
        let _ = (read.repaint(10), read.repaint(0), read.svg(), read.text(5));
        read.feed(&recording.bytes[half..]).unwrap();
        assert_same(&fed(recorded_size(), &recording.bytes), &read, &recording.name);
    }
}

#[test]
fn an_endless_string_is_skipped_and_a_client_in_its_middle_skips_it_too() {
    for (open, close) in [("\x1b]52;c;", "\x07"), ("\x1bPq", "\x1b\\"), ("\x1b_G", "\x1b\\")] {
        let mut server = fed(recorded_size(), b"before ");
        let body = vec![b'A'; 3 << 20];
        server.feed(open.as_bytes()).unwrap();
        for chunk in body.chunks(4096) {
            server.feed(chunk).unwrap();
        }
        let mut client = screen(recorded_size());
        client.feed(&server.repaint(0)).unwrap();
        for s in [&mut server, &mut client] {
            s.feed(b"AAAA").unwrap();
            s.feed(close.as_bytes()).unwrap();
            s.feed(b"after").unwrap();
            assert_eq!(s.text(0)[0], "before after", "{open:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Any recording, cut into pieces with resizes between them; after each piece a new client joins, and one that
    /// joined at the start follows along and resumes after each resize.
    #[test]
    fn recordings_with_random_cuts_and_resizes(
        which in 0_usize..9,
        steps in prop::collection::vec((1_usize..40_000, prop::option::of((2_u32..260, 1_u32..80))), 1..8),
        start in 0.0_f64..1.0,
    ) {
        let recording = &recordings()[which];
        let bytes = &recording.bytes;
        let mut at = (bytes.len() as f64 * start) as usize;
        let mut server = fed(recorded_size(), &bytes[..at]);
        let mut follower = screen(recorded_size());
        join(&mut follower, &mut server, &bytes[..at], 0);
        for (len, size) in steps {
            let end = (at + len).min(bytes.len());
            server.feed(&bytes[at..end]).unwrap();
            follower.feed(&bytes[at..end]).unwrap();
            at = end;
            if let Some((cols, rows)) = size {
                server.resize(Size::new(cols, rows).unwrap()).unwrap();
                join(&mut follower, &mut server, &bytes[..at], 0);
            }
            let mut joiner = screen(recorded_size());
            join(&mut joiner, &mut server, &bytes[..at], 0);
            assert_same(&server, &joiner, &format!("{} joined at {at}", recording.name));
            assert_same(&server, &follower, &format!("{} followed to {at}", recording.name));
        }
    }
}
