//! Browsers that want to hear, in a file beside the ledger for its owner's eyes only.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use coop_machine::private;
use serde::{Deserialize, Serialize};

const FILE: &str = "push.json";
/// More than a person has; the oldest goes first.
const MOST: usize = 100;
/// A device has one browser, or a few. More of its own push out its own.
const MOST_OF_ONE: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Subscription {
    pub(super) endpoint: String,
    pub(super) p256dh: String,
    pub(super) auth: String,
    /// Whose it is; it ends with the device.
    pub(super) device: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Subscriptions {
    file: Option<PathBuf>,
    /// Held for a look or a change, never across an await.
    all: Mutex<Vec<Subscription>>,
}

impl Subscriptions {
    pub(super) fn read(folder: Option<&Path>) -> Self {
        let file = folder.map(|folder| folder.join(FILE));
        let text = file.as_ref().and_then(|file| private::read(file).ok()).unwrap_or_default();
        // Without it, browsers subscribe again when they are opened.
        Self { file, all: Mutex::new(serde_json::from_slice(&text).unwrap_or_default()) }
    }

    pub(super) fn all(&self) -> Vec<Subscription> {
        self.lock().clone()
    }

    pub(super) fn add(&self, one: Subscription) {
        let mut all = self.lock();
        all.retain(|old| old.endpoint != one.endpoint);
        let same = all.iter().filter(|old| old.device == one.device).count();
        if one.device.is_some()
            && same >= MOST_OF_ONE
            && let Some(oldest) = all.iter().position(|old| old.device == one.device)
        {
            all.remove(oldest);
        }
        all.push(one);
        let extra = all.len().saturating_sub(MOST);
        all.drain(..extra);
        self.keep(&all);
    }

    pub(super) fn remove(&self, endpoint: &str) {
        let mut all = self.lock();
        all.retain(|old| old.endpoint != endpoint);
        self.keep(&all);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Subscription>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, all: &[Subscription]) {
        let Some(file) = &self.file else { return };
        let text = serde_json::to_vec_pretty(all).unwrap_or_default();
        if let Err(error) = private::write(file, &text) {
            tracing::warn!(%error, "who wants to hear cannot be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_outlive_the_hub_and_each_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let one = |endpoint: &str, auth: &str| Subscription {
            endpoint: endpoint.into(),
            p256dh: "p".into(),
            auth: auth.into(),
            device: Some(1),
        };
        let first = Subscriptions::read(Some(folder.path()));
        first.add(one("https://a", "1"));
        first.add(one("https://b", "1"));
        first.add(one("https://a", "2"));
        let second = Subscriptions::read(Some(folder.path()));
        assert_eq!(second.all(), [one("https://b", "1"), one("https://a", "2")]);
        second.remove("https://b");
        assert_eq!(Subscriptions::read(Some(folder.path())).all(), [one("https://a", "2")]);

        // One that subscribes again and again does not push out others.
        second.add(Subscription { device: Some(2), ..one("https://other", "1") });
        (0..200).for_each(|n| second.add(one(&format!("https://{n}"), "1")));
        let all = second.all();
        assert_eq!((all.len(), all[0].endpoint.as_str()), (1 + MOST_OF_ONE, "https://other"));
    }
}
