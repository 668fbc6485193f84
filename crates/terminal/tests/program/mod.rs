//! What a fuzzer's bytes mean: a sequence of feeds, resizes and reads.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, reason = "a failure here is the point")]

use coop_terminal::{Format, Options, Screen, Size};

/// Small, so that wrapping, scrolling and reflow happen all the time.
const SCROLLBACK: usize = 30;

/// Panics when the screen does, or when a repaint shows something else.
pub fn run(data: &[u8]) {
    let options = Options { scrollback: SCROLLBACK, ..Options::default() };
    let mut screen = Screen::new(Size::new(40, 10).unwrap(), options);
    let mut rest = data;
    while let [op, argument, tail @ ..] = rest {
        let taken = match op % 8 {
            0 => {
                let size = Size::new(2 + u32::from(*argument) % 100, 1 + u32::from(op / 8)).unwrap();
                screen.resize(size).expect("resize");
                0
            }
            1 => {
                screen.end_sync().expect("end of an update");
                0
            }
            2 => {
                check_repaint(&mut screen, options);
                0
            }
            _ => {
                let len = usize::from(*argument).min(tail.len());
                screen.feed(&tail[..len]).expect("feed");
                len
            }
        };
        rest = &tail[taken..];
    }
    check_repaint(&mut screen, options);
    let _ = (screen.svg(), screen.view(Format::Cells, SCROLLBACK), screen.take_replies(), screen.take_signals());
}

fn check_repaint(screen: &mut Screen, options: Options) {
    let mut copy = Screen::new(screen.size(), options);
    copy.feed(&screen.repaint(0)).expect("repaint");
    assert_eq!(copy.text(0), screen.text(0), "a repaint shows something else");
    assert_eq!((copy.cursor(), copy.alt_screen()), (screen.cursor(), screen.alt_screen()));
}
