//! What a waiting test sleeps on: rung by whoever has something new, be it the terminal or the model.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub(crate) struct Bell(Arc<(Mutex<u64>, Condvar)>);

impl Bell {
    pub(crate) fn ring(&self) {
        let (rings, heard) = &*self.0;
        *rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        heard.notify_all();
    }

    /// How often it has rung. Ask before looking, so that nothing is missed between the look and the wait.
    pub(crate) fn rings(&self) -> u64 {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns at the first ring after the `seen`th, or when the time is up.
    pub(crate) fn wait(&self, seen: u64, limit: Duration) {
        let (rings, heard) = &*self.0;
        let rings = rings.lock().unwrap_or_else(PoisonError::into_inner);
        // A test whose thread panicked poisons nothing: the lock holds a number.
        drop(heard.wait_timeout_while(rings, limit, |rings| *rings == seen));
    }
}
