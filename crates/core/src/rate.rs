//! How often a client may do something: a bucket that fills steadily and is emptied by requests.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub per_second: u32,
    pub burst: u32,
}

/// One bucket per client. Full buckets are forgotten, so memory is bounded by the clients active lately.
#[derive(Debug)]
pub struct Limiter<K> {
    rate: Rate,
    buckets: HashMap<K, Bucket>,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// Above this many clients, those who have been quiet long enough to be full again are dropped.
const SWEEP_AT: usize = 1024;

impl<K: Eq + Hash> Limiter<K> {
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, buckets: HashMap::new() }
    }

    /// Takes one token for `key`, or says how long to wait for it.
    pub fn take(&mut self, now: Instant, key: K) -> Result<(), Duration> {
        let Rate { per_second, burst } = self.rate;
        if self.buckets.len() >= SWEEP_AT {
            self.buckets.retain(|_, bucket| bucket.filled(now, per_second) < f64::from(burst));
        }
        let bucket = self.buckets.entry(key).or_insert(Bucket { tokens: f64::from(burst), at: now });
        bucket.tokens = bucket.filled(now, per_second).min(f64::from(burst));
        bucket.at = now;
        if bucket.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.tokens) / f64::from(per_second.max(1))));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

impl Bucket {
    fn filled(&self, now: Instant, per_second: u32) -> f64 {
        self.tokens + now.saturating_duration_since(self.at).as_secs_f64() * f64::from(per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_then_a_steady_rate() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut limiter = Limiter::new(Rate { per_second: 10, burst: 3 });
        for _ in 0..3 {
            assert_eq!(limiter.take(at(0), "a"), Ok(()));
        }
        assert_eq!(limiter.take(at(0), "a"), Err(Duration::from_millis(100)));
        assert_eq!(limiter.take(at(0), "b"), Ok(()), "others are not held up");
        assert_eq!(limiter.take(at(100), "a"), Ok(()));
        assert!(limiter.take(at(150), "a").is_err());
        assert_eq!(limiter.take(at(10_000), "a"), Ok(()));
    }

    #[test]
    fn quiet_clients_are_forgotten() {
        let start = Instant::now();
        let mut limiter = Limiter::new(Rate { per_second: 10, burst: 3 });
        for client in 0..5_000_u32 {
            let now = start + Duration::from_millis(u64::from(client));
            assert_eq!(limiter.take(now, client), Ok(()));
        }
        assert!(limiter.buckets.len() <= SWEEP_AT, "{} kept", limiter.buckets.len());
    }
}
