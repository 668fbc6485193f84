//! The live screen of one session: fetched in colour through the hub whenever it has changed.

use std::time::Duration;

use coop_api::client::{Client, ClientError, Follow};
use coop_api::v1::GetScreenResponse;
use coop_api::ws::Topic;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use crate::event::{Event, Reply};

const LIMIT: Duration = Duration::from_secs(10);
/// Where nobody says that the screen has changed.
const LOOK: Duration = Duration::from_secs(1);

/// Until it is dropped, or the session is gone.
pub(super) async fn watch(hub: Client, session: u64, tell: UnboundedSender<Event>) {
    // The session tells when its screen changes, a few times a second at the most.
    let follow = Follow { topics: vec![Topic::Screen], ..Follow::default() };
    let mut changes = hub.hub_follow(session, &follow).await.ok();
    loop {
        let reply = match fetch(&hub, session).await {
            Ok(screen) => Reply::Screen { session, rows: screen.cells },
            Err(error) => Reply::ScreenFailed { session, why: error.to_string() },
        };
        let failed = matches!(reply, Reply::ScreenFailed { .. });
        if tell.send(Event::Reply(reply)).is_err() || failed {
            return;
        }
        match &mut changes {
            Some(socket) => match socket.next().await {
                Ok(Some(_)) => {}
                // It has ended; what there is to see is looked at once more, and that says so.
                Ok(None) | Err(_) => changes = None,
            },
            None => tokio::time::sleep(LOOK).await,
        }
    }
}

async fn fetch(hub: &Client, session: u64) -> Result<GetScreenResponse, ClientError> {
    let path = format!("/api/v1/sessions/{session}/screen");
    let screen = hub.hub_request(LIMIT, false, &path, &json!({ "format": "cells" })).await?;
    serde_json::from_value(screen).map_err(|error| ClientError::Protocol(error.to_string()))
}
