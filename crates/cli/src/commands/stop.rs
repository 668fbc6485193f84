//! `coop stop`: ends a session and waits for it.

use std::time::Duration;

use clap::Args;
use coop_api::client::{Client, ClientError, Follow, Incoming, Socket};
use coop_api::v1::ShutdownRequest;
use coop_api::v1::event::Body;
use coop_api::ws::{ServerMessage, Topic};

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// A coop that ends because it was asked to does so within its time to drain, 2 s.
const LINGER_LIMIT: Duration = Duration::from_secs(4);

/// End the program of a session, and wait until it has ended
#[derive(Debug, Args)]
pub(crate) struct Stop {
    #[command(flatten)]
    target: NamedTarget,
    /// Kill it, without the time to end by itself
    #[arg(long)]
    now: bool,
    /// Do not wait
    #[arg(long)]
    no_wait: bool,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Stop {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        // Open before it is asked to end, so that the end is not missed.
        let follow = Follow { topics: vec![Topic::State], ..Follow::default() };
        let mut socket = client.connect(&follow).await?;
        let running = client.status().await?.state != "exited";
        let reply = shutdown(&client).await?;
        if self.now && running {
            // Asked a second time, it does not wait any longer. It may be gone by then.
            drop(shutdown(&client).await);
        }
        if self.json {
            out::json(&reply)?;
        }
        if self.no_wait {
            return Ok(());
        }
        if running {
            return until_exit(&mut socket).await;
        }
        match tokio::time::timeout(LINGER_LIMIT, until_exit(&mut socket)).await {
            Ok(done) => done,
            Err(_) => Err(CommandError::failed("The program has exited already, and coop keeps its last screen")
                .with_hint("That is what --linger is for. Send the coop process SIGTERM to end it.")),
        }
    }
}

/// Until the exit is told, or the connection ends because coop does.
async fn until_exit(socket: &mut Socket) -> Result<(), CommandError> {
    loop {
        match socket.next().await {
            Ok(Some(message)) if !is_exit(&message) => {}
            Ok(_) | Err(ClientError::Unreachable { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

async fn shutdown(client: &Client) -> Result<coop_api::v1::ShutdownResponse, CommandError> {
    let reason = Some("coop stop".into());
    Ok(client.shutdown(&ShutdownRequest { reason }).await?)
}

fn is_exit(message: &Incoming) -> bool {
    let Incoming::Message(message) = message else { return false };
    matches!(&**message, ServerMessage::Event(event) if matches!(event.body, Some(Body::Exit(_))))
}
