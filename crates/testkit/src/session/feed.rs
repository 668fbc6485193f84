//! What coop sends while a test waits, kept: the screen as it is, all events, all lines of the log.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use coop_api::client::{Client, ClientError, Follow, Incoming, Socket};
use coop_api::v1;
use coop_api::ws::{ServerMessage, Tagged, Topic};
use serde_json::{Value, json};

use crate::bell::Bell;

#[derive(Debug)]
pub(super) struct Feed {
    kept: Mutex<Kept>,
    bell: Bell,
}

#[derive(Debug, Default)]
struct Kept {
    screen: String,
    /// By their number, so that one that came twice is kept once.
    events: BTreeMap<u64, (SystemTime, Value)>,
    log: Vec<String>,
    /// The connection is over.
    has_ended: bool,
}

impl Feed {
    pub(super) fn new(bell: Bell) -> Self {
        Self { kept: Mutex::default(), bell }
    }

    pub(super) fn screen(&self) -> String {
        self.kept().screen.clone()
    }

    pub(super) fn events(&self) -> Vec<(u64, Value)> {
        self.kept().events.iter().map(|(number, (_, event))| (*number, event.clone())).collect()
    }

    /// The same with the time each was first heard.
    pub(super) fn timed_events(&self) -> Vec<(SystemTime, Value)> {
        self.kept().events.values().cloned().collect()
    }

    /// Adds what coop says has happened: it may answer a request before its news of the same moment is here.
    pub(super) fn add(&self, events: Vec<v1::Event>) {
        let mut kept = self.kept();
        let before = kept.events.len();
        events.into_iter().for_each(|event| kept.add(event));
        let is_new = kept.events.len() > before;
        drop(kept);
        if is_new {
            self.bell.ring();
        }
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.kept().log.clone()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.kept().has_ended
    }

    /// Keeps what was read of a log, and what comes.
    pub(super) fn read_log(self: &Arc<Self>, so_far: &str, rest: Option<BufReader<ChildStderr>>) {
        self.kept().log.extend(so_far.lines().map(str::to_owned));
        let feed = Arc::clone(self);
        thread::spawn(move || {
            for line in rest.into_iter().flat_map(|rest| rest.lines().map_while(Result::ok)) {
                feed.keep(|kept| kept.log.push(line));
            }
        });
    }

    /// Follows a session until it is over.
    pub(super) async fn follow(self: Arc<Self>, client: Client) {
        let end = match self.listen(&client).await {
            Ok(()) => "the connection was closed".to_owned(),
            Err(error) => format!("the connection is over: {error}"),
        };
        self.keep(|kept| {
            kept.log.push(end);
            kept.has_ended = true;
        });
    }

    async fn listen(&self, client: &Client) -> Result<(), ClientError> {
        let follow =
            Follow { topics: vec![Topic::Screen, Topic::State, Topic::Hooks, Topic::Transcripts], ..Follow::default() };
        let mut socket = client.connect(&follow).await?;
        // What happened before somebody listened.
        let screen = client.screen_text(&v1::GetScreenTextRequest::default()).await?;
        let past = client.events(&v1::GetEventsRequest::default()).await?;
        self.keep(|kept| {
            kept.screen = screen;
            past.events.into_iter().for_each(|event| kept.add(event));
        });
        while let Some(message) = next(&mut socket).await? {
            self.keep(|kept| match message {
                ServerMessage::Tagged(Tagged::Screen { screen, .. }) => kept.screen = screen.lines.join("\n"),
                ServerMessage::Event(event) => kept.add(event),
                ServerMessage::Tagged(_) => {}
            });
        }
        Ok(())
    }

    fn keep(&self, change: impl FnOnce(&mut Kept)) {
        change(&mut self.kept());
        self.bell.ring();
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, event: v1::Event) {
        let number = event.seq;
        let value = serde_json::to_value(event).unwrap_or_else(|error| json!(error.to_string()));
        self.events.entry(number).or_insert_with(|| (SystemTime::now(), value));
    }
}

/// The next message that is not output, which was not asked for.
async fn next(socket: &mut Socket) -> Result<Option<ServerMessage>, ClientError> {
    loop {
        match socket.next().await? {
            Some(Incoming::Message(message)) => return Ok(Some(*message)),
            Some(Incoming::Output { .. }) => {}
            None => return Ok(None),
        }
    }
}
