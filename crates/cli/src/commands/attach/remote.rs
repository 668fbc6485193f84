//! The session's side of an attachment: the connection, and a copy of the screen that is kept up with it.

use std::time::Duration;

use coop_api::Code;
use coop_api::client::{Client, ClientError, Follow, Incoming, Place};
use coop_api::v1::event::Body;
use coop_api::v1::{Event, ExitEvent, LeaseResponse, ResizeRequest, ResumeRequest, ResumeResponse};
use coop_api::ws::{Request, ServerMessage, Tagged, Topic};
use coop_terminal::{Options, Screen, Size};
use tokio::time::Instant;

use super::link::{Link, Received};
use super::typing::{Asked, Typing};
use crate::CommandError;

/// Ids of requests. Replies come in the order of the requests, so that one does for all; a picture is no reply.
const REQUEST: u64 = 1;
const PICTURE: u64 = 2;

/// The history is the session's business; this copy is what a window shows.
const OPTIONS: Options = Options { scrollback: 0, kitty_keyboard: true };

pub(super) struct Remote {
    link: Link,
    pub(super) screen: Screen,
    /// Where the screen is in the output. None until it has been painted for the first time.
    place: Option<Place>,
    /// A picture has been asked for, and what comes before it would be painted for nothing.
    awaits_picture: bool,
    pub(super) typing: Typing,
    /// The size the session is to have, if that is for us to say.
    pub(super) wanted_size: Option<Size>,
    pub(super) state: String,
    pub(super) typist: Option<String>,
    pub(super) note: Option<String>,
    pub(super) rings: bool,
    heard: Instant,
}

/// How an attachment ends from the other side.
#[derive(Debug)]
pub(super) enum End {
    Exited(ExitEvent),
    /// coop closed the connection in order.
    Closed,
    Lost(ClientError),
}

impl Remote {
    pub(super) async fn connect(client: Client, holder: String, state: String) -> Result<Self, CommandError> {
        let socket = client.connect(&follow(None)).await?;
        Ok(Self {
            link: Link::new(client, socket),
            screen: Screen::new(Size::default(), OPTIONS),
            place: None,
            awaits_picture: false,
            typing: Typing::new(holder),
            wanted_size: None,
            state,
            typist: None,
            note: None,
            rings: false,
            heard: Instant::now(),
        })
    }

    /// Takes the right to type. Refused while somebody else is typing, unless it is taken over.
    pub(super) async fn take_lease(&mut self, take_over: bool) -> Result<(), CommandError> {
        self.ask(Asked::Lease, self.typing.lease(take_over)).await;
        self.settle().await?;
        match self.note.take() {
            None => Ok(()),
            Some(refusal) => Err(CommandError::failed(refusal)
                .with_hint("Attach with --take-over to type instead of them, or with --read-only to watch.")),
        }
    }

    /// Brings the session to the size that is wanted, and gets the first picture of it.
    pub(super) async fn first_picture(&mut self) -> Result<(), CommandError> {
        self.resize().await;
        self.settle().await?;
        self.ask_for_picture().await;
        while self.place.is_none() {
            self.step().await?;
        }
        Ok(())
    }

    /// The next thing to handle. May be dropped while it waits.
    pub(super) async fn receive(&mut self) -> Received {
        self.link.receive().await
    }

    pub(super) async fn handle(&mut self, received: Received) -> Option<End> {
        self.heard = Instant::now();
        match received {
            Received::Message(Incoming::Output { offset, bytes }) => self.output(offset, &bytes).await,
            Received::Message(Incoming::Message(message)) => match *message {
                ServerMessage::Tagged(message) => self.message(message).await,
                ServerMessage::Event(event) => return self.event(event).await,
            },
            Received::Closed => return Some(End::Closed),
            Received::Lost(ClientError::Unreachable { .. }) => self.go_down(),
            Received::Lost(error) | Received::Gone(error) => return Some(End::Lost(error)),
            Received::Back => {
                self.note = None;
                self.resize().await;
            }
        }
        None
    }

    /// Types, as soon as the connection takes it. False if it is lost.
    pub(super) async fn type_in(&mut self, bytes: &[u8]) -> bool {
        let taken = self.link.is_up() && self.typing.push(bytes);
        self.send_typed().await;
        taken
    }

    /// Tells the session the size it should have.
    pub(super) async fn resize(&mut self) {
        if let Some(size) = self.wanted_size {
            let request = ResizeRequest { cols: size.cols().into(), rows: size.rows().into() };
            self.ask(Asked::Resize, Request::Resize(request)).await;
        }
    }

    /// Finds out whether the other end is still there: a network that is gone says nothing.
    pub(super) async fn keep_alive(&mut self, every: Duration) {
        let silent = self.heard.elapsed() > every * 2;
        if self.link.is_up() && (silent || !self.link.ping().await) {
            self.go_down();
        }
    }

    pub(super) async fn leave(self) {
        self.link.close().await;
    }

    async fn step(&mut self) -> Result<(), CommandError> {
        let received = self.receive().await;
        match self.handle(received).await {
            None => Ok(()),
            Some(End::Lost(error)) => Err(error.into()),
            Some(End::Exited(_) | End::Closed) => Err(CommandError::failed("The session has just ended")),
        }
    }

    /// Waits for all replies.
    async fn settle(&mut self) -> Result<(), CommandError> {
        while !self.typing.asked.is_empty() {
            self.step().await?;
        }
        Ok(())
    }

    async fn output(&mut self, offset: u64, bytes: &[u8]) {
        let Some(place) = self.place.as_mut().filter(|_| !self.awaits_picture) else { return };
        let Some(known) = place.offset.checked_sub(offset) else {
            // Something is missing in between.
            return self.ask_for_picture().await;
        };
        let new = bytes.get(usize::try_from(known).unwrap_or(usize::MAX)..).unwrap_or_default();
        place.offset += new.len() as u64;
        if self.screen.feed(new).is_err() {
            return self.ask_for_picture().await;
        }
        // The session has answered these already.
        drop(self.screen.take_replies());
        drop(self.screen.take_signals());
    }

    async fn message(&mut self, message: Tagged) {
        match message {
            Tagged::Resume { resume, .. } => self.resumed(resume).await,
            Tagged::Reply { id: Some(_), result, .. } => self.reply(result).await,
            Tagged::Error { id: Some(id), code, message, .. } if id == REQUEST => self.refused(code, message).await,
            Tagged::Error { message, .. } => {
                self.awaits_picture = false;
                self.note = Some(message);
            }
            // What is not asked for here, and replies to nobody.
            Tagged::Hello { .. }
            | Tagged::Output(_)
            | Tagged::Screen { .. }
            | Tagged::Pong { .. }
            | Tagged::Reply { id: None, .. } => {}
        }
    }

    async fn resumed(&mut self, resume: ResumeResponse) {
        self.awaits_picture = false;
        let place = Place { generation: resume.generation, offset: resume.offset };
        let size = Size::new(resume.cols, resume.rows).unwrap_or_default();
        if !resume.data.is_empty() {
            self.screen = Screen::new(size, OPTIONS);
            self.place = Some(place);
            // A picture the engine cannot take now it will not take later; what comes next repairs it.
            let _ = self.screen.feed(&resume.data);
        } else if size == self.screen.size() {
            self.place = Some(place);
        } else {
            // The output goes on, for a screen of another size than ours.
            self.ask_for_picture().await;
        }
    }

    async fn reply(&mut self, result: serde_json::Value) {
        match self.typing.asked.pop_front() {
            Some(Asked::Lease) => {
                // A reply without a time is one that is over.
                let lease: LeaseResponse = serde_json::from_value(result).unwrap_or_default();
                self.typing.granted(Instant::now(), Duration::from_secs(lease.expires_in_secs.into()));
                self.typist = None;
            }
            Some(Asked::Input) => {
                self.typing.taken(Instant::now());
                self.note = None;
            }
            Some(Asked::Resize) | None => {}
        }
        self.send_typed().await;
    }

    async fn refused(&mut self, code: Code, message: String) {
        self.typing.asked.pop_front();
        if code == Code::WriterBusy {
            self.typing.lost();
        }
        self.note = Some(message);
        self.rings = true;
        self.send_typed().await;
    }

    async fn event(&mut self, event: Event) -> Option<End> {
        match event.body? {
            Body::Exit(exit) => return Some(End::Exited(exit)),
            Body::Resize(_) => self.ask_for_picture().await,
            Body::Bell(_) => self.rings = true,
            Body::Shutdown(_) => self.state = "stopping".into(),
            Body::ProgramStatus(status) => self.state = status.state,
            // Nothing is known of it but that it runs.
            Body::StateChange(change) if change.next == "unknown" => self.state = "running".into(),
            Body::StateChange(change) => self.state = change.next,
            Body::Lease(lease) => {
                self.typist = lease.holder.filter(|holder| !self.typing.is_us(holder));
                if self.typist.is_some() {
                    self.typing.lost();
                }
            }
            Body::Start(_)
            | Body::Title(_)
            | Body::Cwd(_)
            | Body::Notification(_)
            | Body::Progress(_)
            | Body::Prompt(_)
            | Body::PromptResolved(_)
            | Body::Usage(_)
            | Body::Hook(_)
            | Body::TranscriptSaved(_)
            | Body::Stop(_)
            | Body::Lifted(_)
            | Body::Gap(_) => {}
        }
        None
    }

    async fn send_typed(&mut self) {
        for (asked, request) in self.typing.next(Instant::now()) {
            self.ask(asked, request).await;
        }
    }

    async fn ask(&mut self, asked: Asked, request: Request) {
        if self.send(REQUEST, &request).await {
            self.typing.asked.push_back(asked);
        }
    }

    async fn ask_for_picture(&mut self) {
        self.awaits_picture = self.send(PICTURE, &Request::Resume(ResumeRequest::default())).await;
    }

    async fn send(&mut self, id: u64, request: &Request) -> bool {
        let sent = self.link.request(id, request).await;
        if self.link.is_up() && !sent {
            self.go_down();
        }
        sent
    }

    fn go_down(&mut self) {
        self.typing.disconnected();
        self.awaits_picture = false;
        self.note = Some("the connection is lost, trying to get it back".into());
        self.link.get_back(follow(self.place));
    }
}

/// From the place the screen is at; before there is one, output says nothing yet.
fn follow(place: Option<Place>) -> Follow {
    Follow { topics: vec![Topic::Output, Topic::State], from: place, snapshot: false }
}
