//! Places of connections: how many there may be at the same time, and who has to give way.
//!
//! A connection over the network begins as a stranger's. Strangers have few places and little time, and the oldest gives
//! way to the newest, so that no number of them keeps a caller out. A request that brings a right token moves its
//! connection to the places of known callers. Sockets have places of their own: strangers cannot reach them.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Maximum number of connections of strangers.
const MAX_STRANGERS: usize = 256;
/// Time for which a stranger keeps its place however many others there are: a caller that has a token needs less, also
/// when many connect at once.
const GRACE: Duration = Duration::from_millis(250);
/// Maximum time until a connection has brought a right token. It is enough to load the web app over a slow line and to
/// type a code into it; a page that takes longer connects again.
const STRANGER_LIFE: Duration = Duration::from_secs(60);

/// Places of the connections to one kind of listener.
#[derive(Debug)]
pub(crate) struct Places {
    known: Arc<Semaphore>,
    /// Oldest first. Held for a walk through the list, never across an await.
    strangers: Mutex<VecDeque<Stranger>>,
    /// A stranger has gone, or is known now.
    freed: Notify,
    next: AtomicU64,
}

#[derive(Debug)]
struct Stranger {
    id: u64,
    address: String,
    since: Instant,
    evicted: CancellationToken,
}

impl Places {
    pub(crate) fn new(known: usize) -> Arc<Self> {
        Arc::new(Self {
            known: Arc::new(Semaphore::new(known)),
            strangers: Mutex::default(),
            freed: Notify::new(),
            next: AtomicU64::new(0),
        })
    }

    /// Returns the place of a stranger. If there are too many, the oldest stranger of the address that has the most loses
    /// its place.
    pub(crate) async fn stranger(self: &Arc<Self>, address: &str) -> Arc<Place> {
        loop {
            let freed = self.freed.notified();
            match self.try_stranger(address) {
                Ok(place) => return place,
                Err(until) => {
                    tokio::select! {
                        () = freed => {}
                        () = tokio::time::sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// Returns the place of a stranger, or when one has to give way.
    fn try_stranger(self: &Arc<Self>, address: &str) -> Result<Arc<Place>, Instant> {
        let now = Instant::now();
        let mut strangers = self.strangers();
        if strangers.len() >= MAX_STRANGERS
            && let Some(place) = oldest_of_the_most(&strangers)
        {
            let until = strangers[place].since + GRACE;
            if until > now {
                return Err(until);
            }
            if let Some(stranger) = strangers.remove(place) {
                stranger.evicted.cancel();
            }
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let evicted = CancellationToken::new();
        let (address, since) = (address.to_owned(), now);
        strangers.push_back(Stranger { id, address, since, evicted: evicted.clone() });
        Ok(Arc::new(Place { places: Arc::clone(self), id, evicted, known: OnceCell::new() }))
    }

    /// Returns the place of a known caller, as soon as one is free.
    pub(crate) async fn known(self: &Arc<Self>) -> Arc<Place> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let place = Place { places: Arc::clone(self), id, evicted: CancellationToken::new(), known: OnceCell::new() };
        place.admit().await;
        Arc::new(place)
    }

    /// Returns the place of a known caller if one is free.
    pub(crate) fn try_known(self: &Arc<Self>) -> Option<Arc<Place>> {
        let permit = Arc::clone(&self.known).try_acquire_owned().ok()?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let known = OnceCell::new_with(Some(permit));
        Some(Arc::new(Place { places: Arc::clone(self), id, evicted: CancellationToken::new(), known }))
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<Stranger>> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, id: u64) {
        let mut strangers = self.strangers();
        let before = strangers.len();
        strangers.retain(|stranger| stranger.id != id);
        if strangers.len() < before {
            self.freed.notify_one();
        }
    }
}

/// Returns the place of the oldest stranger of the address that has the most.
fn oldest_of_the_most(strangers: &VecDeque<Stranger>) -> Option<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for stranger in strangers {
        *counts.entry(&stranger.address).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    strangers.iter().position(|stranger| counts.get(stranger.address.as_str()) == Some(&most))
}

/// The place of one connection. A WebSocket keeps it after its HTTP connection is over.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    id: u64,
    /// Cancelled when a stranger has to give way.
    evicted: CancellationToken,
    known: OnceCell<OwnedSemaphorePermit>,
}

impl Place {
    /// Moves the connection to the places of known callers, as soon as one is free.
    pub(crate) async fn admit(&self) {
        let admitted = self.known.get_or_try_init(|| Arc::clone(&self.places.known).acquire_owned()).await;
        // The semaphore is never closed.
        if admitted.is_ok() {
            self.places.forget(self.id);
        }
    }

    /// Returns when the connection has to end: another one needs the place of a stranger, or its time is over.
    pub(crate) async fn over(&self) {
        let late = async {
            tokio::time::sleep(STRANGER_LIFE).await;
            if self.known.initialized() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = self.evicted.cancelled() => {}
            () = late => {}
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.forget(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn is_over(place: &Place) -> bool {
        place.over().now_or_never().is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn oldest_stranger_of_the_most_frequent_address_gives_way() {
        let places = Places::new(1);
        let other = places.stranger("other").await;
        let mut crowd = Vec::new();
        for _ in 1..MAX_STRANGERS {
            crowd.push(places.stranger("crowd").await);
        }
        assert!(!is_over(&other) && !crowd.iter().any(|place| is_over(place)), "there is room for {MAX_STRANGERS}");
        let newest = places.stranger("crowd").await;
        assert!(!is_over(&other) && is_over(&crowd[0]) && !is_over(&crowd[1]) && !is_over(&newest));
        drop(crowd);
        assert_eq!(places.strangers().len(), 2, "a connection that ends frees its place");
    }

    #[tokio::test(start_paused = true)]
    async fn burst_of_callers_waits_instead_of_losing_its_places() {
        let places = Places::new(MAX_STRANGERS);
        let mut burst = Vec::new();
        for _ in 0..MAX_STRANGERS {
            burst.push(places.stranger("a").await);
        }
        let mut more = Box::pin(places.stranger("a"));
        assert!(more.as_mut().now_or_never().is_none(), "all are young");
        burst[7].admit().await;
        more.await;
        assert!(!burst.iter().any(|place| is_over(place)));
    }

    #[tokio::test(start_paused = true)]
    async fn known_caller_is_not_evicted_and_waits_for_a_place() {
        let places = Places::new(1);
        let known = places.stranger("a").await;
        known.admit().await;
        known.admit().await;
        let mut crowd = Vec::new();
        for _ in 0..MAX_STRANGERS + 10 {
            crowd.push(places.stranger("a").await);
        }
        let second = places.stranger("a").await;
        assert!(second.admit().now_or_never().is_none(), "there is one place");
        assert!(places.try_known().is_none());
        assert!(tokio::time::timeout(STRANGER_LIFE * 2, known.over()).await.is_err(), "it stays");
        drop(known);
        second.admit().await;
        assert!(!is_over(&second));
    }

    #[tokio::test(start_paused = true)]
    async fn time_of_a_stranger_is_bounded() {
        let place = Places::new(1).stranger("a").await;
        assert!(tokio::time::timeout(STRANGER_LIFE * 2, place.over()).await.is_ok());
    }
}
