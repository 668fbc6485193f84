//! The child's raw output: the last bytes of it, each with an offset that never changes.
//!
//! Readers pull from here with a cursor, so a slow reader costs nothing. One that fell behind the oldest byte kept is
//! told how much it missed. The log knows nothing of escape sequences: a reader that missed some resumes from a screen.

use std::collections::VecDeque;

/// A place in the output of one child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// Which child of the session. A restarted child begins a new generation at offset 0.
    pub generation: u64,
    /// Bytes the child had written before this place.
    pub offset: u64,
}

/// Output that was read, and where it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub offset: u64,
    pub bytes: Vec<u8>,
}

impl Chunk {
    /// The offset to read from next.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// Why there is no output at a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The reader fell behind: `lost` bytes from its cursor on are gone.
    #[error("{lost} bytes are no longer kept: the output from {start} to {end} is")]
    Gap { start: u64, end: u64, lost: u64 },
    /// The cursor is beyond what the child has written so far.
    #[error("the output ends at {end}")]
    Ahead { end: u64 },
    /// The cursor belongs to another child.
    #[error("the output is now that of generation {generation}, from offset 0 on")]
    Restarted { generation: u64 },
}

/// The last `capacity` bytes a child has written.
#[derive(Debug)]
pub struct OutputLog {
    generation: u64,
    capacity: usize,
    /// Bytes ever written in this generation; `ring` holds the last of them.
    end: u64,
    ring: VecDeque<u8>,
}

impl OutputLog {
    #[must_use]
    pub fn new(capacity: usize, generation: u64) -> Self {
        Self { generation, capacity, end: 0, ring: VecDeque::new() }
    }

    /// One of which the last bytes are known, those up to offset `end`.
    #[must_use]
    pub fn restored(capacity: usize, generation: u64, end: u64, last: &[u8]) -> Self {
        let mut log = Self { end: end.saturating_sub(last.len() as u64), ..Self::new(capacity, generation) };
        log.push(last);
        log
    }

    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The offset of the oldest byte kept.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.end - self.ring.len() as u64
    }

    /// The offset the next byte will get.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Where the output is now: what a reader that has just seen the screen goes on from.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        Cursor { generation: self.generation, offset: self.end }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(self.capacity)..];
        let excess = (self.ring.len() + kept.len()).saturating_sub(self.capacity);
        self.ring.drain(..excess);
        self.grow_for(kept.len());
        self.ring.extend(kept);
    }

    /// The next child's output follows: a new generation, from offset 0 on.
    pub fn restart(&mut self) {
        *self = Self::new(self.capacity, self.generation + 1);
    }

    /// Up to `limit` bytes from `from` on; none when `from` is the end.
    pub fn read(&self, from: Cursor, limit: usize) -> Result<Chunk, ReadError> {
        if from.generation != self.generation {
            return Err(ReadError::Restarted { generation: self.generation });
        }
        if from.offset > self.end {
            return Err(ReadError::Ahead { end: self.end });
        }
        let Some(skip) = from.offset.checked_sub(self.start()) else {
            return Err(ReadError::Gap { start: self.start(), end: self.end, lost: self.start() - from.offset });
        };
        // `skip` is at most the length of the ring, which is a usize.
        let skip = skip as usize;
        let upto = skip.saturating_add(limit).min(self.ring.len());
        let (older, newer) = self.ring.as_slices();
        let mut bytes = Vec::with_capacity(upto - skip);
        for (slice, before) in [(older, 0), (newer, older.len())] {
            let cut = |at: usize| at.saturating_sub(before).min(slice.len());
            bytes.extend_from_slice(&slice[cut(skip)..cut(upto)]);
        }
        Ok(Chunk { offset: from.offset, bytes })
    }

    /// Everything kept, oldest first, in two parts.
    #[must_use]
    pub fn contents(&self) -> (&[u8], &[u8]) {
        self.ring.as_slices()
    }

    /// Doubles like any buffer, so that a quiet session stays small, but never beyond the capacity.
    fn grow_for(&mut self, more: usize) {
        let needed = self.ring.len() + more;
        if needed > self.ring.capacity() {
            let doubled = self.ring.capacity().saturating_mul(2).min(self.capacity);
            self.ring.reserve_exact(needed.max(doubled) - self.ring.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(offset: u64) -> Cursor {
        Cursor { generation: 7, offset }
    }

    #[test]
    fn reads_are_typed() {
        let mut log = OutputLog::new(4, 7);
        log.push(b"abc");
        log.push(b"def");
        let chunk = |offset, bytes: &[u8]| Ok(Chunk { offset, bytes: bytes.to_vec() });
        for (from, limit, expected) in [
            (at(2), 100, chunk(2, b"cdef")),
            (at(3), 2, chunk(3, b"de")),
            (at(2), 0, chunk(2, b"")),
            (at(6), 100, chunk(6, b"")),
            (at(5), usize::MAX, chunk(5, b"f")),
            (at(0), 100, Err(ReadError::Gap { start: 2, end: 6, lost: 2 })),
            (at(7), 100, Err(ReadError::Ahead { end: 6 })),
            (Cursor { generation: 6, offset: 2 }, 100, Err(ReadError::Restarted { generation: 7 })),
        ] {
            assert_eq!(log.read(from, limit), expected, "{from:?} up to {limit}");
        }
    }

    #[test]
    fn what_is_restored_goes_on_as_it_was() {
        let mut log = OutputLog::new(4, 7);
        log.push(b"abcdef");
        let (first, second) = log.contents();
        let mut restored = OutputLog::restored(4, 7, log.end(), &[first, second].concat());
        for log in [&mut log, &mut restored] {
            log.push(b"g");
            assert_eq!((log.start(), log.end(), log.generation()), (3, 7, 7));
            assert_eq!(log.read(at(3), 100), Ok(Chunk { offset: 3, bytes: b"defg".to_vec() }));
        }
    }

    #[test]
    fn a_restart_begins_anew() {
        let mut log = OutputLog::new(4, 7);
        log.push(b"abcdef");
        log.restart();
        assert_eq!(log.cursor(), Cursor { generation: 8, offset: 0 });
        assert_eq!(log.contents(), (&b""[..], &b""[..]));
        assert_eq!(log.ring.capacity(), 0, "the old child's memory is given back");
    }

    #[test]
    fn memory_follows_use() {
        let mut log = OutputLog::new(1 << 20, 0);
        assert_eq!(log.ring.capacity(), 0);
        log.push(b"a quiet session");
        assert!(log.ring.capacity() < 64, "{}", log.ring.capacity());
        for _ in 0..5_000 {
            log.push(&[b'x'; 1000]);
            assert!(log.ring.capacity() <= 1 << 20, "{}", log.ring.capacity());
        }
        assert_eq!(log.ring.len(), 1 << 20);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Push(Vec<u8>),
        Read(u64, usize),
        Restart,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => prop::collection::vec(any::<u8>(), 0..100).prop_map(Step::Push),
            8 => (0..600u64, 0..100usize).prop_map(|(from, limit)| Step::Read(from, limit)),
            1 => Just(Step::Restart),
        ]
    }

    proptest! {
        /// The log is a vector of all bytes of which only the last `capacity` can be read.
        #[test]
        fn matches_a_plain_vector(capacity in 0..64usize, steps in prop::collection::vec(step(), 0..60)) {
            let mut log = OutputLog::new(capacity, 0);
            let mut all = Vec::new();
            for step in steps {
                match step {
                    Step::Push(bytes) => {
                        log.push(&bytes);
                        all.extend(bytes);
                    }
                    Step::Restart => {
                        log.restart();
                        all.clear();
                    }
                    Step::Read(from, limit) => {
                        let cursor = Cursor { generation: log.generation(), offset: from };
                        prop_assert_eq!(log.read(cursor, limit), expected(&all, capacity, from, limit));
                    }
                }
                prop_assert_eq!(log.end(), all.len() as u64);
                let kept = &all[all.len().saturating_sub(capacity)..];
                let (first, second) = log.contents();
                prop_assert_eq!([first, second].concat(), kept);
                prop_assert!(log.ring.capacity() <= capacity);
            }
        }
    }

    fn expected(all: &[u8], capacity: usize, from: u64, limit: usize) -> Result<Chunk, ReadError> {
        let (start, end) = (all.len().saturating_sub(capacity) as u64, all.len() as u64);
        match from {
            _ if from > end => Err(ReadError::Ahead { end }),
            _ if from < start => Err(ReadError::Gap { start, end, lost: start - from }),
            _ => {
                let bytes = all[from as usize..].iter().copied().take(limit).collect();
                Ok(Chunk { offset: from, bytes })
            }
        }
    }
}
