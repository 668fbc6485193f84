//! Random numbers that are the same for ever: a corpus must not change with a version of somebody's crate.

/// SplitMix64.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.between(1, 100) <= percent
    }

    pub(super) fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.between(0, words.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_the_same_and_in_bounds() {
        let mut random = Random::new(42);
        assert_eq!(random.next(), 0xbdd7_3226_2feb_6e95);
        assert!((0..1000).map(|_| random.between(3, 5)).all(|n| (3..=5).contains(&n)));
        let hits = (0..1000).filter(|_| random.chance(25)).count();
        assert!((200..300).contains(&hits), "{hits}");
    }
}
