//! One client, for as long as it lasts.

use std::collections::HashSet;
use std::time::Duration;

use coop_terminal::tmux::{self, Capture, Line, Pane, Titles, unescape};

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::super::answers::{Answer, Answers, Asked};
use super::super::client::Client;
use super::super::input_off;
use super::super::pace::Pace;
use super::{Link, Over};
use crate::attach::{AHEAD, Typed};
use crate::backend::Piece;

/// What a capture makes of pieces, at the most.
const ROOM: usize = 3;
/// With less output on its way than this, one that fell behind goes on.
const ENOUGH_ROOM: usize = AHEAD / 2;
/// Lines above the screen that are fetched where output was let go of: tmux would be busy with more of them.
const AFTER_A_GAP: usize = 100;
/// Of a program that ends in a pane that stays tmux tells nobody.
const GLANCE: Duration = Duration::from_secs(1);
/// How often it is asked how a program ended, until that is known.
const LISTEN: Duration = Duration::from_millis(50);
/// What is watched besides what tmux tells of at once.
const WATCHED: &str = "#{pane_input_off} #{pane_pid} #{session_id}";

struct Following<'a> {
    link: &'a mut Link,
    client: Client,
    answers: Answers,
    /// Output is passed on. Before a capture has come it is of a screen that is not known.
    streaming: bool,
    /// The owner does not keep up, or too much comes: tmux sends nothing for now.
    behind: bool,
    pace: Pace,
    rest_until: Instant,
    /// It is asked how the pane is; and it is to be asked again.
    asking: bool,
    again: bool,
    input_off: bool,
    attached: bool,
    output: Vec<u8>,
    titles: Titles,
    /// Other panes, whose output is not wanted.
    quiet: HashSet<String>,
}

/// One that is closed is noticed elsewhere.
async fn has_room(pieces: &mpsc::Sender<Piece>, rest_until: Instant) {
    tokio::time::sleep_until(rest_until).await;
    drop(pieces.reserve_many(ENOUGH_ROOM).await);
}

impl Link {
    pub(super) async fn follow(&mut self) -> Over {
        let client = match Client::start(&self.target, &self.session) {
            Ok(client) => client,
            Err(error) => return Over::Lost { why: error.to_string(), at_once: true },
        };
        let mut following = Following {
            link: self,
            client,
            answers: Answers::default(),
            streaming: false,
            behind: false,
            pace: Pace::new(Instant::now()),
            rest_until: Instant::now(),
            asking: false,
            again: false,
            input_off: false,
            attached: false,
            output: Vec::new(),
            titles: Titles::default(),
            quiet: HashSet::new(),
        };
        following.answers.expect([Asked::Attach]);
        following.run().await
    }
}

impl Following<'_> {
    async fn run(&mut self) -> Over {
        let mut glance = tokio::time::interval(GLANCE);
        loop {
            tokio::select! {
                more = self.client.turn() => match more {
                    Ok(true) => {
                        if let Some(over) = self.read() {
                            return over;
                        }
                    }
                    Ok(false) => return self.lost("the client has ended"),
                    Err(error) => return self.lost(&error.to_string()),
                },
                // What is sent before tmux has attached the client is answered before that, and out of order.
                typed = self.link.typed.recv(), if self.attached => match typed {
                    Some(typed) => self.type_in(typed),
                    None => return Over::Unwanted,
                },
                () = self.link.pieces.closed() => return Over::Unwanted,
                _ = glance.tick() => {
                    if self.attached && coop_machine::process::started(self.link.pid).is_none() {
                        self.ask();
                    }
                }
                () = tokio::time::sleep(LISTEN), if self.link.dead_since.is_some() => self.ask(),
                () = has_room(&self.link.pieces, self.rest_until), if self.behind => {
                    self.behind = false;
                    self.go_on();
                }
            }
        }
    }

    fn lost(&self, why: &str) -> Over {
        Over::Lost { why: why.to_owned(), at_once: !self.attached }
    }

    fn send(&mut self, command: &str, asked: impl IntoIterator<Item = Asked>) {
        self.client.send(command);
        self.answers.expect(asked);
    }

    fn read(&mut self) -> Option<Over> {
        let lines = self.client.take_lines();
        let mut over = None;
        for line in lines.split(|byte| *byte == b'\n') {
            over = self.line(line);
            if over.is_some() {
                break;
            }
        }
        self.pass_on();
        over
    }

    fn line(&mut self, line: &[u8]) -> Option<Over> {
        let mut answered = Vec::new();
        if self.answers.take(line, &mut answered) {
            return answered.into_iter().find_map(|answer| self.answered(answer));
        }
        match Line::parse(line) {
            Line::Output { pane, data } if pane == self.link.pane && self.streaming => unescape(data, &mut self.output),
            Line::Paused { pane } if pane == self.link.pane => {
                self.streaming = false;
                if !self.behind {
                    self.go_on();
                }
            }
            Line::Changed | Line::Subscription { .. } if self.attached => self.ask(),
            Line::Exit { why } => return Some(self.lost(why)),
            _ => {}
        }
        None
    }

    fn answered(&mut self, answer: Answer) -> Option<Over> {
        match answer {
            Answer::Attached => self.begin(),
            Answer::NotAttached { why } => return Some(self.lost(&why)),
            Answer::Panes(ids) => self.silence(ids),
            Answer::Pane(pane) => {
                self.asking = false;
                if std::mem::take(&mut self.again) {
                    self.ask();
                }
                if let Some(over) = self.heed(pane.as_deref()) {
                    return Some(over);
                }
                if pane.is_some_and(|pane| pane.size != self.link.size || pane.pid != self.link.pid) {
                    self.capture(self.link.history);
                }
            }
            Answer::Captured(capture) => {
                let over = self.heed(capture.as_deref().map(|capture| &capture.pane));
                if over.is_some() {
                    return over;
                }
                if let Some(capture) = capture {
                    self.paint(&capture);
                }
            }
        }
        None
    }

    fn begin(&mut self) {
        self.attached = true;
        let watch = format!("refresh-client -B \"coop:{}:{WATCHED}\"", self.link.pane);
        self.send(&watch, [Asked::Nothing]);
        self.ask_for_panes();
        self.capture(self.link.history);
    }

    /// How the pane is: cheap, and often the same.
    fn ask(&mut self) {
        if std::mem::replace(&mut self.asking, true) {
            self.again = true;
            return;
        }
        let ask = format!("display-message -p -t {} \"{}\"", self.link.pane, tmux::FORMAT);
        self.send(&ask, [Asked::Pane]);
        self.ask_for_panes();
    }

    fn ask_for_panes(&mut self) {
        self.send("list-panes -s -F \"#{pane_id}\"", [Asked::Panes]);
    }

    fn capture(&mut self, history: usize) {
        let command = tmux::capture_command(&self.link.pane, history);
        self.send(&command, [Asked::CapturedPane, Asked::CapturedLines, Asked::CapturedBehind, Asked::CapturedPending]);
    }

    /// Paused and not off: of a pane that is off for all its clients tmux does not read.
    fn silence(&mut self, ids: Vec<String>) {
        let others: Vec<String> = ids.into_iter().filter(|id| *id != self.link.pane).collect();
        for id in others {
            if id.starts_with('%') && self.quiet.insert(id.clone()) {
                self.send(&format!("refresh-client -A '{id}:pause'"), [Asked::Nothing]);
            }
        }
    }

    /// What is true of the pane whatever it shows.
    fn heed(&mut self, pane: Option<&Pane>) -> Option<Over> {
        let over = self.link.gone(pane);
        let Some(pane) = pane.filter(|_| over.is_none()) else { return over };
        self.input_off = pane.input_off;
        if pane.session != self.link.session {
            self.link.session.clone_from(&pane.session);
            self.send(&format!("switch-client -t '{}'", pane.session), [Asked::Nothing]);
        }
        None
    }

    fn paint(&mut self, capture: &Capture) {
        // What came before is part of it.
        self.pass_on();
        if self.link.pieces.capacity() < ROOM {
            return self.fall_behind();
        }
        for piece in self.link.picture(&capture.pane, capture.paint()) {
            self.give(piece);
        }
        self.titles = Titles::default();
        self.streaming = true;
    }

    /// Of what was read.
    fn pass_on(&mut self) {
        if self.output.is_empty() {
            return;
        }
        let bytes = self.titles.strip(std::mem::take(&mut self.output));
        let rest = self.pace.took(Instant::now(), bytes.len());
        if !bytes.is_empty() && self.streaming {
            self.give(Piece::Bytes(bytes));
        }
        if let Some(until) = rest {
            self.rest_until = until;
            self.fall_behind();
        }
    }

    fn give(&mut self, piece: Piece) {
        // One that is gone is noticed elsewhere.
        if self.link.pieces.try_send(piece).is_err() {
            self.fall_behind();
        }
    }

    /// tmux is told to send no more: it would be slowed down by us.
    fn fall_behind(&mut self) {
        self.streaming = false;
        if !std::mem::replace(&mut self.behind, true) {
            let pause = format!("refresh-client -A '{}:pause'", self.link.pane);
            self.send(&pause, [Asked::Nothing]);
        }
    }

    fn go_on(&mut self) {
        let go_on = format!("refresh-client -A '{}:continue'", self.link.pane);
        self.send(&go_on, [Asked::Nothing]);
        self.capture(self.link.history.min(AFTER_A_GAP));
    }

    fn type_in(&mut self, typed: Typed) {
        let Typed { bytes, done } = typed;
        let pane = &self.link.pane;
        if self.input_off {
            // Whoever typed may be gone.
            return drop(done.send(Err(input_off())));
        }
        let buffer = format!("coop-{}", std::process::id());
        let (command, answers) = tmux::type_command(pane, &buffer, &bytes);
        let before = std::iter::repeat_with(|| Asked::Nothing).take(answers.saturating_sub(1));
        self.send(&command, before.chain([Asked::Typed(done)]).collect::<Vec<_>>());
    }
}
