//! Following a session: what one connection has seen, and what it gets next.
//!
//! Nothing is queued for a client. When it can take more, it pulls from its own place; if that place is gone, it gets
//! the screen instead. All state is changed after the last await, so a follower may be dropped at any of them.

use std::time::Duration;

use coop_api::v1::{self, OutputChunk, ResumeRequest, ResumeResponse, ScreenSnapshot};
use coop_api::ws::Topic;
use coop_api::{ApiError, convert};
use coop_core::status::Status;
use coop_session::SessionError;
use coop_terminal::Format;
use coop_terminal::log::Cursor;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::{App, session_error};
use crate::handler;

/// The most one frame carries: large enough to be efficient, small enough that a slow line is not held by one frame.
const CHUNK: usize = 128 << 10;
/// Two frames of output at most in this time. The first after a pause is never held back, nor is the second: programs
/// often write a line and its end apart.
const OUTPUT_INTERVAL: Duration = Duration::from_millis(4);
/// A screen is looked at by people: 20 a second are enough.
const SCREEN_INTERVAL: Duration = Duration::from_millis(50);
const EVENT_PAGE: usize = 100;

/// One thing to tell a client.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and for a moment")]
pub(crate) enum Frame {
    Output(OutputChunk),
    Resume(ResumeResponse),
    Screen(ScreenSnapshot),
    Event(v1::Event),
}

#[derive(Debug)]
pub(crate) struct Follower {
    app: App,
    status: watch::Receiver<Status>,
    output: Option<Output>,
    screen: Option<Screen>,
    events: Option<Events>,
    /// Which of the events are wanted.
    topics: Vec<Topic>,
}

#[derive(Debug)]
struct Output {
    at: Cursor,
    /// When the last frame went out, if it was not full.
    sent: Option<Instant>,
    not_before: Instant,
}

#[derive(Debug)]
struct Screen {
    seen: Option<u64>,
    not_before: Instant,
}

#[derive(Debug)]
struct Events {
    seen: u64,
    ready: std::collections::VecDeque<v1::Event>,
}

impl Follower {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            status: app.session.watch(),
            output: None,
            screen: None,
            events: None,
            topics: Vec::new(),
        }
    }

    /// Replaces what is followed. Topics that go on keep their place; new ones begin now, or with the exit if that was
    /// before: it is the last event, and nobody should wait for it in vain.
    pub(crate) fn subscribe(&mut self, topics: &[Topic]) {
        let status = self.app.session.status();
        self.subscribe_at(topics, &status);
    }

    /// The same, where now is the moment of `status`.
    pub(crate) fn subscribe_at(&mut self, topics: &[Topic], status: &Status) {
        let now = Instant::now();
        let wants = |topic| topics.contains(&topic);
        let end = Cursor { generation: status.generation, offset: status.output_end };
        let seen = status.event_seq - u64::from(status.exit().is_some());
        self.output =
            wants(Topic::Output).then(|| self.output.take().unwrap_or(Output { at: end, sent: None, not_before: now }));
        self.screen =
            wants(Topic::Screen).then(|| self.screen.take().unwrap_or(Screen { seen: None, not_before: now }));
        self.events = Topic::EVENTS
            .into_iter()
            .any(wants)
            .then(|| self.events.take().unwrap_or(Events { seen, ready: Default::default() }));
        self.topics = topics.to_vec();
    }

    /// Goes on with events after `seen`. A number that was never given is of another session: all of this are new.
    pub(crate) fn events_since(&mut self, seen: u64) {
        let seen = if seen > self.app.session.status().event_seq { 0 } else { seen };
        self.events = Some(Events { seen, ready: Default::default() });
    }

    /// Moves the place in the output to where a client is, or to now with a repaint.
    pub(crate) async fn resume(&mut self, request: &ResumeRequest) -> Result<ResumeResponse, ApiError> {
        let (at, reply) = handler::join(&self.app, request).await?;
        if let Some(output) = &mut self.output {
            output.at = at;
        }
        Ok(reply)
    }

    /// The next frame. Nothing when the session is over, everything has been told and the server is stopping.
    pub(crate) async fn next(&mut self) -> Result<Option<Frame>, ApiError> {
        loop {
            let status = *self.status.borrow_and_update();
            let behind = self.output.as_ref().is_some_and(|output| output.is_behind(&status));
            // The exit comes after the last output.
            if let Some(frame) = self.event(&status, behind).await? {
                return Ok(Some(frame));
            }
            if behind && self.output.as_ref().is_some_and(|output| output.not_before <= Instant::now()) {
                return self.output(&status).await.map(Some);
            }
            if let Some(screen) = &self.screen
                && screen.seen != Some(status.screen_seq)
                && screen.not_before <= Instant::now()
            {
                return self.screen().await.map(Some);
            }
            let wake_at = self.wake_at(&status, behind);
            if wake_at.is_none() && status.exit().is_some() && self.app.stop.is_cancelled() {
                return Ok(None);
            }
            self.wait(wake_at).await;
        }
    }

    /// When something that is being held back may go.
    fn wake_at(&self, status: &Status, behind: bool) -> Option<Instant> {
        let output = self.output.as_ref().filter(|_| behind).map(|output| output.not_before);
        let screen = self.screen.as_ref().filter(|s| s.seen != Some(status.screen_seq)).map(|s| s.not_before);
        output.into_iter().chain(screen).min()
    }

    async fn wait(&mut self, wake_at: Option<Instant>) {
        // While something is held back, every read of the program would wake us for nothing.
        if let Some(at) = wake_at {
            return tokio::time::sleep_until(at.min(Instant::now() + OUTPUT_INTERVAL)).await;
        }
        let stopping = self.app.stop.is_cancelled();
        tokio::select! {
            changed = self.status.changed() => if changed.is_err() {
                // The session's thread is gone; only the server's end is left to wait for.
                self.app.stop.cancelled().await;
            },
            () = self.app.stop.cancelled(), if !stopping => {}
        }
    }

    async fn output(&mut self, status: &Status) -> Result<Frame, ApiError> {
        let Some((at, before)) = self.output.as_ref().map(|output| (output.at, output.sent)) else {
            return Err(session_error(SessionError::Closed));
        };
        let (at, frame, full) = match self.app.session.output(at, CHUNK).await {
            Ok(chunk) => {
                let next = Cursor { generation: at.generation, offset: chunk.end() };
                let full = chunk.bytes.len() == CHUNK;
                let frame =
                    OutputChunk { offset: chunk.offset, generation: at.generation, data: chunk.bytes, resume: None };
                (next, Frame::Output(frame), full)
            }
            Err(SessionError::Output(_)) => {
                let place = ResumeRequest { offset: Some(at.offset), generation: Some(at.generation), scrollback: 0 };
                let (at, reply) = handler::join(&self.app, &place).await?;
                (at, Frame::Resume(reply), false)
            }
            Err(error) => return Err(session_error(error)),
        };
        let now = Instant::now();
        let sent = (!full && status.exit().is_none()).then_some(now);
        let not_before = sent.and(before).map_or(now, |before| before + OUTPUT_INTERVAL);
        self.output = Some(Output { at, sent, not_before });
        Ok(frame)
    }

    async fn screen(&mut self) -> Result<Frame, ApiError> {
        let view = self.app.session.view(Format::Text, 0).await.map_err(session_error)?;
        let seen = Some(view.seq);
        self.screen = Some(Screen { seen, not_before: Instant::now() + SCREEN_INTERVAL });
        Ok(Frame::Screen(convert::snapshot(convert::screen(view, true))))
    }

    async fn event(&mut self, status: &Status, behind: bool) -> Result<Option<Frame>, ApiError> {
        let Some(events) = &self.events else { return Ok(None) };
        if events.ready.is_empty() && events.seen < status.event_seq {
            let page = self.app.session.events(events.seen, EVENT_PAGE).await.map_err(session_error)?;
            let generation = page.generation;
            let last = page.events.last().map_or(status.event_seq, |event| event.seq);
            let gap = page.gap.map(|gap| v1::Event {
                seq: gap.oldest - 1,
                generation,
                body: Some(v1::event::Body::Gap(v1::GapEvent { lost: gap.lost })),
            });
            let ready = gap.into_iter().chain(page.events.into_iter().map(convert::event)).collect();
            self.events = Some(Events { seen: last, ready });
        }
        let Some(events) = &mut self.events else { return Ok(None) };
        while events.ready.front().is_some_and(|event| !self.topics.iter().any(|topic| topic.carries(event))) {
            events.ready.pop_front();
        }
        if behind && events.ready.front().is_some_and(is_exit) {
            return Ok(None);
        }
        Ok(events.ready.pop_front().map(Frame::Event))
    }
}

impl Output {
    fn is_behind(&self, status: &Status) -> bool {
        self.at.generation != status.generation || self.at.offset < status.output_end
    }
}

fn is_exit(event: &v1::Event) -> bool {
    matches!(event.body, Some(v1::event::Body::Exit(_)))
}
