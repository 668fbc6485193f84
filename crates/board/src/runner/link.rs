//! The way to the hub: all there is, then what happens; and again, when the hub has been away.

use std::time::Duration;

use coop_api::client::{Client, ClientError};
use coop_api::hub::{Change, SessionFilter, Told};
use tokio::sync::mpsc::UnboundedSender;

use crate::event::{Event, FromHub};

const FIRST_DELAY: Duration = Duration::from_millis(100);
/// A hub that is started again is seen this soon.
const LONGEST_DELAY: Duration = Duration::from_secs(2);

/// For as long as somebody listens.
pub(super) async fn follow(client: Client, tell: UnboundedSender<Event>) {
    let mut delay = FIRST_DELAY;
    while !tell.is_closed() {
        let why = match listen(&client, &tell, &mut delay).await {
            Ok(()) => "it has ended".to_owned(),
            Err(error) => error.to_string(),
        };
        say(&tell, FromHub::Away(why));
        tokio::time::sleep(delay).await;
        delay = (delay * 2).min(LONGEST_DELAY);
    }
}

fn say(tell: &UnboundedSender<Event>, what: FromHub) {
    // Whoever listened may be gone, which is seen before the next turn.
    let _ = tell.send(Event::Hub(what));
}

/// Until the connection ends.
async fn listen(client: &Client, tell: &UnboundedSender<Event>, delay: &mut Duration) -> Result<(), ClientError> {
    // From now on, and not from where it was: all there is is asked for in any case, since a hub that was killed leaves
    // prompts behind that nobody ever said were over.
    let mut changes = client.hub_changes(None).await?;
    all(client, tell).await?;
    *delay = FIRST_DELAY;
    while let Some(Told { change, .. }) = changes.next().await? {
        match change {
            Change::Session { session } | Change::StateChange { session } => say(tell, FromHub::Session(session)),
            Change::SessionForgotten { number } => say(tell, FromHub::Forgotten(number)),
            Change::Asked { prompt } => say(tell, FromHub::Asked(prompt)),
            Change::Settled { prompt } => say(tell, FromHub::Settled(prompt)),
            // What was missed is on the board.
            Change::Gap { .. } => all(client, tell).await?,
            Change::Hello { .. } | Change::Resume { .. } | Change::Other => {}
        }
    }
    Ok(())
}

/// What happens meanwhile is told afterwards, and is the same or newer.
async fn all(client: &Client, tell: &UnboundedSender<Event>) -> Result<(), ClientError> {
    let sessions = client.hub_sessions(&SessionFilter { all: true, ..SessionFilter::default() }).await?.sessions;
    let prompts = client.hub_prompts().await?.prompts;
    say(tell, FromHub::All { sessions, prompts });
    Ok(())
}
