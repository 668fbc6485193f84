//! `coop events`: what happened in a session.

use clap::Args;
use coop_api::client::{Client, ClientError, Follow, Incoming, Socket};
use coop_api::convert::event_name;
use coop_api::v1::event::Body;
use coop_api::v1::{Event, GetEventsRequest};
use coop_api::ws::{ServerMessage, Topic};

use super::state::filled;
use crate::sessions::NamedTarget;
use crate::{CommandError, out, reconnect};

/// Print what happened in a session: what the agent does and asks, resizes, titles, who types, the exit
#[derive(Debug, Args)]
pub(crate) struct Events {
    #[command(flatten)]
    target: NamedTarget,
    /// Go on printing until the program exits
    #[arg(long, short)]
    follow: bool,
    /// Print each as the API sends it, one JSON object on a line
    #[arg(long)]
    json: bool,
}

impl Events {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let mut reader = Reader { last: 0, json: self.json, over: false };
        if !self.follow {
            return reader.catch_up(&client).await;
        }
        let follow = Follow { topics: Topic::EVENTS.to_vec(), ..Follow::default() };
        let mut socket = client.connect(&follow).await?;
        loop {
            // After the connection is there: what happens in between comes twice, and is told once.
            reader.catch_up(&client).await?;
            match reader.follow(&mut socket).await? {
                Break::Over => return Ok(()),
                Break::Lost => socket = reconnect::connect(&client, &follow).await?,
            }
        }
    }
}

struct Reader {
    /// Number of the last event printed.
    last: u64,
    json: bool,
    /// The exit has been printed.
    over: bool,
}

enum Break {
    Over,
    Lost,
}

impl Reader {
    async fn catch_up(&mut self, client: &Client) -> Result<(), CommandError> {
        loop {
            let page = client.events(&GetEventsRequest { since: self.last, limit: None }).await?;
            if page.events.is_empty() {
                return Ok(());
            }
            for event in &page.events {
                self.print(event)?;
            }
        }
    }

    async fn follow(&mut self, socket: &mut Socket) -> Result<Break, CommandError> {
        while !self.over {
            let message = match socket.next().await {
                Ok(Some(Incoming::Message(message))) => message,
                Ok(Some(Incoming::Output { .. })) => continue,
                Ok(None) => break,
                Err(ClientError::Unreachable { .. }) => return Ok(Break::Lost),
                Err(error) => return Err(error.into()),
            };
            if let ServerMessage::Event(event) = *message {
                self.print(&event)?;
            }
        }
        Ok(Break::Over)
    }

    fn print(&mut self, event: &Event) -> Result<(), CommandError> {
        if event.seq <= self.last {
            return Ok(());
        }
        self.last = event.seq;
        self.over |= matches!(event.body, Some(Body::Exit(_)));
        if self.json { out::json_line(event) } else { out::print(&describe(event)) }
    }
}

fn describe(event: &Event) -> String {
    let Some(body) = &event.body else { return format!("{:>5}  something this version does not know", event.seq) };
    format!("{:>5}  {:<16}  {}", event.seq, event_name(body), details(body)).trim_end().to_owned()
}

fn details(body: &Body) -> String {
    let text = match body {
        Body::Start(start) => format!("process {}", start.pid),
        Body::Resize(size) => format!("{}x{}", size.cols, size.rows),
        Body::Title(title) => title.title.clone(),
        Body::Bell(_) => String::new(),
        Body::Cwd(cwd) => cwd.url.clone(),
        Body::Notification(note) => {
            note.title.iter().chain([&note.body]).map(String::as_str).collect::<Vec<_>>().join(": ")
        }
        Body::Progress(progress) => format!("{} {}%", progress.state, progress.percent),
        Body::ProgramStatus(status) => {
            let parts = [Some(&status.state), status.app.as_ref(), status.kind.as_ref(), status.message.as_ref()];
            parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Body::StateChange(change) => format!("{} → {}: {}", change.prev, change.next, change.reason),
        Body::Prompt(event) => event.prompt.iter().map(|prompt| prompt.r#type.as_str()).collect(),
        Body::PromptResolved(over) => format!("{} was answered by {}", over.prompt_id, over.by),
        Body::Hook(hook) => [Some(&hook.event), hook.tool.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" "),
        Body::Usage(used) => used.context.as_ref().map(filled).unwrap_or_default(),
        Body::TranscriptSaved(saved) => format!("number {} with {} lines", saved.number, saved.lines),
        Body::Stop(stop) => match &stop.reason {
            Some(reason) if stop.blocked => format!("not yet: {reason}"),
            _ if stop.blocked => "not yet".into(),
            _ => "allowed".into(),
        },
        Body::Lifted(lifted) => match &lifted.reason {
            Some(reason) => format!("not said: {reason}"),
            None => format!("said: {}", lifted.message),
        },
        Body::Lease(lease) => lease.holder.clone().map_or("nobody types".into(), |holder| format!("{holder} types")),
        Body::Shutdown(shutdown) => shutdown.reason.clone(),
        Body::Exit(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => String::new(),
        },
        Body::Gap(gap) => format!("{} events are no longer kept", gap.lost),
    };
    out::harmless(&text)
}
