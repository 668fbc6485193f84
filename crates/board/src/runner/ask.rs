//! Requests to the hub, and what comes of them.

use std::time::Duration;

use coop_api::client::{Client, ClientError};
use coop_api::hub::{ResumeSession, SearchQuery};
use coop_api::v1::{GetConversationResponse, InterruptResponse, NudgeResponse};
use serde_json::{Value, json};

use crate::event::{Effect, Reply, Said};
use crate::model::MOST_ENTRIES;

const LIMIT: Duration = Duration::from_secs(30);
/// A message waits until the agent has taken it.
const NUDGE: Duration = Duration::from_secs(120);

/// Nothing where there is nothing to say.
pub(super) async fn ask(client: &Client, effect: Effect) -> Option<Reply> {
    Some(match effect {
        // It is unseen again with the next thing it wants; that it could not be told is no loss.
        Effect::Seen(id) => {
            drop(client.hub_seen(id).await);
            return None;
        }
        Effect::Answer { prompt, answer } => {
            Reply::Answered { prompt, result: client.hub_answer(prompt, &answer).await.map_err(told) }
        }
        Effect::Nudge { session, message } => Reply::Done(nudge(client, session, &message).await),
        Effect::Interrupt(id) => Reply::Done(interrupt(client, id).await),
        Effect::End(id) => Reply::Done(client.hub_end(id).await.map(|()| format!("Session {id} ends.")).map_err(told)),
        Effect::Resume(id) => {
            Reply::Started(client.hub_resume(id, &ResumeSession::default()).await.map(Box::new).map_err(told))
        }
        Effect::Start(new) => Reply::Started(client.hub_start(&new).await.map(Box::new).map_err(told)),
        Effect::Conversation { session, after } => {
            Reply::Conversation { session, after, result: conversation(client, session, after).await.map_err(told) }
        }
        Effect::Find(q) => {
            let found = client.hub_search(&SearchQuery { q, limit: None }).await;
            Reply::Found(found.map(|found| found.hits).map_err(told))
        }
        _ => return None,
    })
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err")]
fn told(error: ClientError) -> String {
    error.to_string()
}

fn path(session: u64, rest: &str) -> String {
    format!("/api/v1/sessions/{session}/{rest}")
}

async fn get<T: serde::de::DeserializeOwned>(client: &Client, path: &str, query: &Value) -> Result<T, ClientError> {
    read(client.hub_request(LIMIT, false, path, query).await?)
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ClientError> {
    serde_json::from_value(value).map_err(|error| ClientError::Protocol(error.to_string()))
}

/// An agent that works gets it when it rests.
async fn nudge(client: &Client, session: u64, message: &str) -> Result<String, String> {
    let body = json!({ "message": message, "when": "idle" });
    let reply = client.hub_request(NUDGE, true, &path(session, "agent/nudge"), &body).await.map_err(told)?;
    let reply: NudgeResponse = read(reply).map_err(told)?;
    match (reply.delivered, reply.queued) {
        (true, _) => Ok("The agent has the message.".into()),
        (_, Some(_)) => Ok("The agent gets the message when it rests.".into()),
        _ => Err(reply.reason.unwrap_or_else(|| "It is not certain that the message arrived.".into())),
    }
}

async fn interrupt(client: &Client, session: u64) -> Result<String, String> {
    let reply = client.hub_request(LIMIT, true, &path(session, "agent/interrupt"), &json!({})).await.map_err(told)?;
    let _: InterruptResponse = read(reply).map_err(told)?;
    Ok("Interrupted.".into())
}

async fn conversation(client: &Client, session: u64, mut after: u64) -> Result<Said, ClientError> {
    let mut entries = Vec::new();
    loop {
        let query = json!({ "after": after, "limit": MOST_ENTRIES });
        let page: GetConversationResponse = get(client, &path(session, "conversation"), &query).await?;
        entries.extend(page.entries);
        let skip = entries.len().saturating_sub(MOST_ENTRIES);
        entries.drain(..skip);
        if !page.more || page.next <= after {
            return Ok(Said { entries, next: page.next });
        }
        after = page.next;
    }
}
