//! The person's settings of the board: `[board]`.

use std::fmt::Write as _;

use coop_board::event::Moment;
use coop_board::{Notify, Ways};
use serde::Deserialize;

use super::{list, within};

/// Who needs longer than this to change their mind can deny first.
const LONGEST_UNDO: u64 = 60;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Board {
    undo: Undo,
    notify: Moments,
    sound: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Moments {
    asks: Vec<Way>,
    failed: Vec<Way>,
    done: Vec<Way>,
    ended: Vec<Way>,
}

impl Default for Moments {
    fn default() -> Self {
        let both = vec![Way::Bell, Way::Desktop];
        Self { asks: both.clone(), failed: both, done: vec![Way::Bell], ended: Vec::new() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Way {
    Bell,
    Desktop,
    Sound,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
struct Undo(u64);

impl Default for Undo {
    fn default() -> Self {
        Self(3)
    }
}

impl TryFrom<u64> for Undo {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Self, String> {
        within(seconds, 0, LONGEST_UNDO, "seconds").map(Self)
    }
}

impl Board {
    pub(crate) fn undo_ms(&self) -> u64 {
        self.undo.0 * 1000
    }

    pub(crate) fn notify(&self) -> Notify {
        let Moments { asks, failed, done, ended } = &self.notify;
        let moments = [(Moment::Asks, asks), (Moment::Failed, failed), (Moment::Done, done), (Moment::Ended, ended)];
        let ways = |chosen: &Vec<Way>| Ways {
            bell: chosen.contains(&Way::Bell),
            desktop: chosen.contains(&Way::Desktop),
            sound: chosen.contains(&Way::Sound),
        };
        let ways = moments.into_iter().map(|(moment, chosen)| (moment, ways(chosen))).collect();
        Notify { ways, sound: self.sound.clone() }
    }

    pub(super) fn describe(&self, text: &mut String) {
        let mut line = |key: &str, value: String, why: &str| {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{:<38} # {why}", format!("{key} = {value}"));
        };
        let Moments { asks, failed, done, ended } = &self.notify;
        line("undo", self.undo.0.to_string(), "seconds in which an answer that allows something can be taken back");
        line("notify.asks", ways(asks), "an agent asks something; any of \"bell\", \"desktop\", \"sound\"");
        line("notify.failed", ways(failed), "its turn has failed, or it waits for a limit");
        line("notify.done", ways(done), "it is done");
        line("notify.ended", ways(ended), "its program has ended");
        line("sound", list(&self.sound), "what makes the sound: a program and its arguments, such as paplay");
    }
}

fn ways(chosen: &[Way]) -> String {
    let name = |way: &Way| {
        match way {
            Way::Bell => "bell",
            Way::Desktop => "desktop",
            Way::Sound => "sound",
        }
        .to_owned()
    };
    list(&chosen.iter().map(name).collect::<Vec<_>>())
}
