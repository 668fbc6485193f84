//! What happens in a session from now on, as a recording has it: for a download, and for a file of the session's own.

mod file;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use coop_api::ApiError;
use coop_api::v1::event::Body;
use coop_api::v1::{Event, ResumeRequest, ResumeResponse};
use coop_api::ws::Topic;
use coop_session::{Happening, Kept};
use coop_terminal::Size;
use coop_terminal::cast::{Head, Version};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::app::{App, session_error};
use crate::follow::{Follower, Frame};
pub(crate) use file::{Recorder, config, go_on};

/// One thing in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Output(Vec<u8>),
    /// Somebody typed it, and it was not hidden.
    Input(Vec<u8>),
    Resize(Size),
    Marker(String),
    Exit(i32),
}

/// What comes, until it ends.
pub(crate) struct Live {
    follower: Follower,
    /// What is typed, where that was asked for.
    typed: Option<mpsc::Receiver<Vec<u8>>>,
    start: Instant,
    /// What was recorded before it began.
    before: Duration,
    pub(crate) size: Size,
    /// To be told first.
    first: Option<Vec<u8>>,
    over: bool,
}

impl Live {
    /// From the screen as it is, or after what was kept.
    pub(crate) async fn start(app: &App, input: bool, after: Option<&Kept>) -> Result<Self, ApiError> {
        let mut follower = Follower::new(app);
        follower.subscribe(&[Topic::Output, Topic::State]);
        let place = after.map(|kept| kept.end);
        let place = ResumeRequest {
            offset: place.map(|place| place.offset),
            generation: place.map(|place| place.generation),
            ..ResumeRequest::default()
        };
        let joined = follower.resume(&place).await?;
        let typed = if input { Some(app.session.typed().await.map_err(session_error)?) } else { None };
        Ok(Self {
            follower,
            typed,
            start: Instant::now(),
            before: after.and_then(|kept| kept.began).unwrap_or_default(),
            size: size(&joined).unwrap_or_default(),
            first: Some(joined.data).filter(|data| !data.is_empty()),
            over: false,
        })
    }

    /// So much was recorded before.
    fn after(&mut self, before: Duration) {
        self.before = before;
    }

    fn now(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// The next, and when it was; none at the end. Can be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Option<(Duration, Vec<Piece>)> {
        if let Some(first) = self.first.take() {
            return Some((self.before, vec![Piece::Output(first)]));
        }
        while !self.over {
            let frame = tokio::select! {
                biased;
                Some(typed) = heard(&mut self.typed) => return Some((self.now(), vec![Piece::Input(typed)])),
                // An error means that the session is gone.
                frame = self.follower.next() => frame.ok().flatten()?,
            };
            let pieces = self.pieces(frame);
            if !pieces.is_empty() {
                return Some((self.now(), pieces));
            }
        }
        None
    }

    /// The whole screen, from which what comes next goes on.
    pub(crate) async fn paint(&mut self) -> Option<(Duration, Size, Vec<u8>)> {
        let joined = self.follower.resume(&ResumeRequest::default()).await.ok()?;
        self.size = size(&joined).unwrap_or(self.size);
        Some((self.now(), self.size, joined.data))
    }

    fn pieces(&mut self, frame: Frame) -> Vec<Piece> {
        match frame {
            Frame::Output(chunk) => vec![Piece::Output(chunk.data)],
            Frame::Resume(joined) => {
                let resized = size(&joined).and_then(|size| self.resized(size));
                resized.into_iter().chain([Piece::Output(joined.data)]).collect()
            }
            Frame::Event(Event { body: Some(body), .. }) => match body {
                Body::Resize(size) => {
                    Size::new(size.cols, size.rows).ok().and_then(|size| self.resized(size)).into_iter().collect()
                }
                Body::StateChange(change) => {
                    let kind = change.prompt.map(|prompt| format!(": {}", prompt.r#type)).unwrap_or_default();
                    vec![Piece::Marker(format!("{}{kind}", change.next))]
                }
                Body::Exit(exit) => {
                    self.over = true;
                    vec![Piece::Exit(exit.code.or_else(|| exit.signal.map(|signal| 128 + signal)).unwrap_or_default())]
                }
                _ => Vec::new(),
            },
            Frame::Event(_) | Frame::Screen(_) => Vec::new(),
        }
    }

    fn resized(&mut self, size: Size) -> Option<Piece> {
        (size != self.size).then(|| {
            self.size = size;
            Piece::Resize(size)
        })
    }
}

async fn heard(typed: &mut Option<mpsc::Receiver<Vec<u8>>>) -> Option<Vec<u8>> {
    match typed {
        Some(typed) => typed.recv().await,
        None => None,
    }
}

fn size(joined: &ResumeResponse) -> Option<Size> {
    Size::new(joined.cols, joined.rows).ok()
}

pub(crate) fn head(name: &str, version: Version, size: Size, ago: Duration) -> Head {
    let began = SystemTime::now().checked_sub(ago).and_then(|began| began.duration_since(UNIX_EPOCH).ok());
    Head {
        version,
        size,
        timestamp: began.map(|began| began.as_secs()),
        title: Some(name.to_owned()),
        command: None,
        term: Some("xterm-256color".into()),
    }
}

/// What is kept of the output, with its times.
pub(crate) fn kept(kept: &Kept) -> Vec<(Duration, Piece)> {
    let mut pieces = Vec::new();
    let (mut done, mut last) = (0, Duration::ZERO);
    for (offset, at, what) in &kept.marks {
        let upto = usize::try_from(*offset).unwrap_or(usize::MAX).min(kept.bytes.len());
        if upto > done {
            pieces.push((*at, Piece::Output(kept.bytes[done..upto].to_vec())));
            done = upto;
        }
        match what {
            Happening::Output => {}
            Happening::Marker(name) => pieces.push((*at, Piece::Marker(name.clone()))),
            Happening::Resize(size) => pieces.push((*at, Piece::Resize(*size))),
        }
        last = *at;
    }
    if done < kept.bytes.len() {
        // What nobody knows the time of: a process before this one has read it.
        pieces.push((last, Piece::Output(kept.bytes[done..].to_vec())));
    }
    pieces.extend(kept.exit.map(|exit| (last, Piece::Exit(exit.shell_code()))));
    pieces
}
