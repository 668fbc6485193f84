//! Telling a person of what is asked where they are: browsers that subscribed (Web Push), and the sinks of the settings.
//!
//! One task follows the board and decides with `core::notify`; another one sends, one thing after the other, so that what is
//! taken back is never told after that. Nobody waits for either.

mod keys;
mod push;
pub(super) mod routes;
mod send;
mod services;
mod sinks;
mod subscriptions;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use coop_core::notify::{Act, Asked, Notifier as Decides, Offer, offer};
use coop_hub::{Board, Card};
use coop_machine::clock::now_ms;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Hub, convert};
use subscriptions::Subscriptions;

/// What a hub is to tell, and where it keeps who wants to hear.
#[derive(Clone, Debug, Default)]
pub struct Notify {
    /// The folder of the keys and the subscriptions; without one there is no Web Push.
    pub folder: Option<PathBuf>,
    /// Hosts of push services, besides those of the browsers.
    pub push_services: Vec<String>,
    /// The address of a topic, such as `https://ntfy.sh/my-agents`.
    pub ntfy: Option<String>,
    /// Gets each notification as JSON.
    pub webhook: Option<String>,
    /// On the desktop of this machine, with `notify-send`.
    pub desktop: bool,
    /// Run with each notification as JSON on its standard input.
    pub command: Vec<String>,
}

/// Things to tell that wait to be sent; more are dropped, for they are old by then.
const QUEUE: usize = 256;
/// Of what is asked, as much is told. A push holds 4 KiB in all.
const LONGEST: usize = 1500;

/// Who tells; shared by all requests.
#[derive(Debug)]
pub(crate) struct Notifier {
    settings: Notify,
    push: Option<push::Push>,
    subscriptions: Subscriptions,
    client: send::Client,
}

impl Notifier {
    pub(crate) fn new(settings: Notify) -> Self {
        let client = send::Client::new();
        let push = settings.folder.as_deref().and_then(|folder| match keys::own(folder) {
            Ok(key) => Some(push::Push::new(key)),
            Err(error) => {
                tracing::warn!(error, "there is no Web Push");
                None
            }
        });
        let subscriptions = Subscriptions::read(settings.folder.as_deref());
        Self { settings, push, subscriptions, client }
    }

    /// Says it everywhere, and how many have taken it.
    async fn say(&self, what: &Value, alive: &(dyn Fn(Option<u64>) -> bool + Sync)) -> usize {
        let pushed = self.push_all(what, alive);
        let (pushed, told) = tokio::join!(pushed, sinks::tell(&self.settings, &self.client, what));
        pushed + told
    }

    async fn push_all(&self, what: &Value, alive: &(dyn Fn(Option<u64>) -> bool + Sync)) -> usize {
        let Some(push) = &self.push else { return 0 };
        let all = self.subscriptions.all();
        let sent = join_all(all.iter().map(|one| async move {
            if !alive(one.device) || !services::takes(&one.endpoint, &self.settings.push_services) {
                self.subscriptions.remove(&one.endpoint);
                return false;
            }
            match self.client.push(push, one, what).await {
                Ok(()) => true,
                Err(send::Failed::Gone) => {
                    self.subscriptions.remove(&one.endpoint);
                    false
                }
                Err(send::Failed::Other(error)) => {
                    tracing::warn!(error, "a notification could not be sent");
                    false
                }
            }
        }));
        sent.await.into_iter().filter(|sent| *sent).count()
    }
}

/// Whether the device that subscribed may still look. A token of the hub itself is no device.
fn alive(hub: &Hub) -> impl Fn(Option<u64>) -> bool + Sync + use<> {
    let devices = hub.handle.devices();
    move |device| device.is_none_or(|device| devices.iter().any(|one| one.id == device))
}

/// Until the hub ends.
pub(super) fn start(hub: &Hub) {
    let (things, mut queue) = mpsc::channel::<Value>(QUEUE);
    let (sends, decides) = (hub.clone(), hub.clone());
    tokio::spawn(async move {
        while let Some(thing) = queue.recv().await {
            let alive = alive(&sends);
            sends.notifier.say(&thing, &alive).await;
        }
    });
    tokio::spawn(async move { follow(&decides, &things, &decides.stop).await });
}

async fn follow(hub: &Hub, things: &mpsc::Sender<Value>, stop: &CancellationToken) {
    let mut watch = hub.handle.watch();
    let mut decides = Decides::default();
    loop {
        let board = watch.borrow_and_update().clone();
        let now = now_ms();
        let (acts, next) = decides.decide(&asked(&board), now);
        for act in acts {
            let thing = match act {
                Act::Tell(id) => board.prompts.iter().find(|card| card.id == id).map(|card| told(card)),
                Act::TakeBack(id) => Some(json!({ "type": "settled", "prompt": id })),
            };
            if let Some(thing) = thing
                && things.try_send(thing).is_err()
            {
                tracing::warn!("notifications are not sent as fast as they come");
            }
        }
        let later = async {
            match next {
                Some(next) => tokio::time::sleep(Duration::from_millis(next.saturating_sub(now).max(1))).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = watch.changed() => if changed.is_err() { return },
            () = later => {}
            () = stop.cancelled() => return,
        }
    }
}

fn asked(board: &Board) -> Vec<Asked> {
    let one = |card: &Arc<Card>| Asked { id: card.id, session: card.session, asked_ms: card.asked_ms };
    board.prompts.iter().map(one).collect()
}

/// What is told of a card: the question, and whether a yes or a no answers it.
fn told(card: &Card) -> Value {
    let prompt = convert::prompt(card);
    let who = prompt.project.as_deref().unwrap_or("An agent");
    let title = match prompt.kind.as_str() {
        "permission" => format!("{who} wants to use {}", prompt.tool),
        kind => format!("{who} has a {kind}"),
    };
    let (body, whole) = body(&prompt.text);
    let offer = offer(&prompt.kind, &prompt.text, whole, convert::is_deceptive(card));
    // `yes_or_no` stands for both buttons: an older service worker offers neither where one is missing.
    json!({
        "type": "asked", "prompt": prompt.id, "session": prompt.session, "digest": prompt.digest, "kind": prompt.kind,
        "title": title, "body": body, "yes_or_no": offer == Offer::AllowOrDeny, "deny": offer != Offer::Nothing,
    })
}

/// The text, or as much as a push holds and how much is missing; and whether it is whole.
fn body(text: &str) -> (String, bool) {
    if text.len() <= LONGEST {
        return (text.to_owned(), true);
    }
    let kept: String = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= LONGEST).map(|(_, c)| c).collect();
    let missing = text.chars().count() - kept.chars().count();
    (format!("{kept}… (+{missing} characters)"), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_body_says_how_much_is_missing() {
        for (text, kept, missing) in [
            ("make".to_owned(), 4, 0),
            ("x".repeat(LONGEST), LONGEST, 0),
            ("x".repeat(LONGEST + 2), LONGEST, 2),
            ("ü".repeat(LONGEST), LONGEST / 2, LONGEST / 2),
        ] {
            let (body, whole) = body(&text);
            assert_eq!(whole, missing == 0);
            let expected: String = text.chars().take(kept).collect();
            let more = if whole { String::new() } else { format!("… (+{missing} characters)") };
            assert_eq!(body, format!("{expected}{more}"));
        }
    }
}
