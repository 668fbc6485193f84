//! The tape: what a child has printed last, in memory that outlives the process that reads its terminal.
//!
//! The terminal is read straight onto it, and what was read counts when `end` says so. A process that is killed between
//! the two is found out: the room that is read into was filled before, with a byte that no text has. Only output that is
//! no text, and ends with that byte just then, would lose it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::io::retry_on_intr;

/// Never in UTF-8.
const FILL: u8 = 0xff;
/// So much is filled ahead at once.
const AHEAD: u64 = 64 << 10;
/// With less room than this to read into, more is filled: the kernel hands out at most so much at once.
const READ_UNIT: u64 = 4096;
/// Numbers before the output, on a page of their own.
const HEAD: usize = 4096;
/// "cooptape", and the version of this.
const MAGIC: u64 = u64::from_be_bytes(*b"cooptap1");

/// Numbers by their place.
#[derive(Clone, Copy)]
enum Number {
    Magic,
    Capacity,
    Generation,
    /// Bytes that the child has printed.
    End,
    /// Up to here the room after the end is filled.
    Filled,
    /// Bytes that have been made something of.
    Handled,
    /// Events that were told.
    Events,
}

#[derive(Debug)]
pub struct Tape {
    memory: NonNull<u8>,
    capacity: u64,
    file: OwnedFd,
    /// Held while it is written. A reader that was given up may still be there beside its successor.
    turn: Mutex<()>,
}

// SAFETY: the numbers are atomic, and the output is touched by whoever has the turn only.
#[allow(unsafe_code)]
unsafe impl Send for Tape {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Tape {}

impl Tape {
    /// For at least the last `kept` bytes.
    pub fn new(kept: usize) -> io::Result<Self> {
        let file = super::memory("coop-tape")?;
        let capacity = (kept as u64 + AHEAD).next_multiple_of(AHEAD);
        rustix::fs::ftruncate(&file, HEAD as u64 + capacity)?;
        let tape = Self::map(file, capacity)?;
        tape.set(Number::Capacity, capacity);
        tape.set(Number::Generation, 1);
        tape.set(Number::Magic, MAGIC);
        Ok(tape)
    }

    /// One that somebody has left, with all that was read.
    pub fn of(file: OwnedFd) -> io::Result<Self> {
        let length = rustix::fs::fstat(&file)?.st_size as u64;
        let capacity = length.checked_sub(HEAD as u64).filter(|capacity| *capacity >= AHEAD);
        let tape = Self::map(file, capacity.ok_or(io::ErrorKind::InvalidData)?)?;
        if tape.get(Number::Magic) != MAGIC || tape.get(Number::Capacity) != tape.capacity {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (end, filled) = (tape.end(), tape.get(Number::Filled).max(tape.end()));
        let room = tape.bytes(end, filled);
        let read = room.iter().rposition(|byte| *byte != FILL).map_or(0, |last| last as u64 + 1);
        tape.set(Number::End, end + read);
        Ok(tape)
    }

    #[allow(unsafe_code)]
    fn map(file: OwnedFd, capacity: u64) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;
        let length = HEAD + usize::try_from(capacity).map_err(|_| io::ErrorKind::InvalidData)?;
        // SAFETY: a new mapping of a file that is as long and is never shortened. It stays until the end of the process
        // or of this value, which nothing that points into it outlives.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { memory, capacity, file, turn: Mutex::new(()) })
    }

    #[must_use]
    pub fn generation(&self) -> u64 {
        self.get(Number::Generation)
    }

    /// The offset of the oldest byte there is.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.get(Number::Filled).max(self.end()).saturating_sub(self.capacity)
    }

    #[must_use]
    pub fn end(&self) -> u64 {
        self.get(Number::End)
    }

    /// How much of it has been made something of.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.get(Number::Handled).min(self.end())
    }

    pub fn set_handled(&self, offset: u64) {
        self.set(Number::Handled, offset);
    }

    #[must_use]
    pub fn events(&self) -> u64 {
        self.get(Number::Events)
    }

    pub fn set_events(&self, number: u64) {
        self.set(Number::Events, number);
    }

    /// Another child's output follows.
    pub fn begin(&self, generation: u64) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // In this order: at no moment may there be room that looks as if it had been read into.
        for number in [Number::Filled, Number::Handled, Number::End] {
            self.set(number, 0);
        }
        self.set(Number::Generation, generation);
    }

    /// Puts at the end what was read elsewhere.
    pub fn push(&self, bytes: &[u8]) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = bytes;
        while !rest.is_empty() {
            let (end, room) = self.room();
            let (piece, after) = rest.split_at(room.min(rest.len()));
            self.write(end, piece);
            self.set(Number::End, end + piece.len() as u64);
            rest = after;
        }
    }

    /// Reads what there is of the output of child `generation`, and appends it to `buffer`. 0 is the end, also that of
    /// the child's turn.
    #[allow(unsafe_code)]
    pub(crate) fn read_from(
        &self,
        terminal: BorrowedFd<'_>,
        generation: u64,
        most: usize,
        buffer: &mut Vec<u8>,
    ) -> rustix::io::Result<usize> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.generation() != generation {
            return Ok(0);
        }
        let (end, room) = self.room();
        // SAFETY: `room` bytes from the place of `end` on are within the mapping, and we have the turn.
        let place = unsafe { std::slice::from_raw_parts_mut(self.place(end).as_ptr(), room.min(most)) };
        let count = retry_on_intr(|| rustix::io::read(terminal, &mut *place))?;
        buffer.extend_from_slice(&place[..count]);
        self.set(Number::End, end + count as u64);
        Ok(count)
    }

    /// What was printed from `from` to `to`, as far as it is there.
    #[must_use]
    pub fn bytes(&self, from: u64, to: u64) -> Vec<u8> {
        let from = from.max(to.saturating_sub(self.capacity));
        let mut bytes = Vec::with_capacity((to.saturating_sub(from)) as usize);
        let mut at = from;
        while at < to {
            let count = (self.capacity - at % self.capacity).min(to - at);
            bytes.extend_from_slice(self.piece(at, count as usize));
            at += count;
        }
        bytes
    }

    /// The end, and how much can be read there in one go. It is filled.
    fn room(&self) -> (u64, usize) {
        let (end, filled) = (self.end(), self.get(Number::Filled));
        if filled < end + READ_UNIT {
            let upto = end + AHEAD;
            let mut at = filled.max(end);
            while at < upto {
                let count = (self.capacity - at % self.capacity).min(upto - at) as usize;
                self.fill(at, count);
                at += count as u64;
            }
            self.set(Number::Filled, upto);
        }
        let filled = self.get(Number::Filled);
        (end, (self.capacity - end % self.capacity).min(filled - end) as usize)
    }

    #[allow(unsafe_code)]
    fn fill(&self, at: u64, count: usize) {
        // SAFETY: the callers keep it within the mapping, and have the turn.
        unsafe { self.place(at).write_bytes(FILL, count) };
    }

    #[allow(unsafe_code)]
    fn write(&self, at: u64, bytes: &[u8]) {
        // SAFETY: as above, and nobody else has a reference to the mapping.
        unsafe { self.place(at).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    #[allow(unsafe_code)]
    fn piece(&self, at: u64, count: usize) -> &[u8] {
        // SAFETY: within the mapping. It is called for what was written before, which is written again only when the
        // tape has gone round, and by whoever restores a session before it is read on.
        unsafe { std::slice::from_raw_parts(self.place(at).as_ptr(), count) }
    }

    #[allow(unsafe_code)]
    fn place(&self, offset: u64) -> NonNull<u8> {
        // SAFETY: the remainder is below the capacity, which is what is mapped after the head.
        unsafe { self.memory.add(HEAD + (offset % self.capacity) as usize) }
    }

    fn get(&self, number: Number) -> u64 {
        self.number(number).load(Ordering::Acquire)
    }

    fn set(&self, number: Number, value: u64) {
        self.number(number).store(value, Ordering::Release);
    }

    #[allow(unsafe_code)]
    fn number(&self, number: Number) -> &AtomicU64 {
        // SAFETY: the head is a page, aligned, and used for nothing but these.
        unsafe { self.memory.cast::<AtomicU64>().add(number as usize).as_ref() }
    }
}

impl AsFd for Tape {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Tape {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and nobody has it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), HEAD + self.capacity as usize) };
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustix::pipe::pipe;

    /// As somebody else would find it.
    fn left(tape: &Tape) -> Tape {
        Tape::of(tape.file.try_clone().unwrap()).unwrap()
    }

    fn all(tape: &Tape) -> Vec<u8> {
        tape.bytes(tape.start(), tape.end())
    }

    #[test]
    fn what_was_read_and_not_counted_is_found() {
        let tape = Tape::new(1 << 16).unwrap();
        let (reader, writer) = pipe().unwrap();
        let mut buffer = Vec::new();
        for round in 0..200_u32 {
            let text = format!("line {round} with some words and an ä\r\n").repeat(50);
            rustix::io::write(&writer, text.as_bytes()).unwrap();
            let before = tape.end();
            buffer.clear();
            let count = tape.read_from(reader.as_fd(), 1, 4096, &mut buffer).unwrap();
            assert_eq!(count, buffer.len());
            // Killed before it was counted.
            tape.set(Number::End, before);
            let found = left(&tape);
            assert_eq!(found.end(), before + count as u64, "round {round}");
            assert_eq!(found.bytes(before, found.end()), buffer);
            // Killed before more was filled.
            assert_eq!(left(&tape).end(), found.end());
        }
        assert_eq!(tape.read_from(reader.as_fd(), 2, 4096, &mut buffer), Ok(0), "not its turn");
    }

    #[test]
    fn another_generation_begins_anew() {
        let tape = Tape::new(100).unwrap();
        tape.push(b"first");
        tape.set_events(7);
        tape.begin(2);
        tape.push(b"second");
        tape.set_handled(3);
        let found = left(&tape);
        assert_eq!((found.generation(), all(&found), found.handled(), found.events()), (2, b"second".to_vec(), 3, 7));
        assert!(Tape::of(super::super::memory("other").unwrap()).is_err(), "not one of ours");
    }

    proptest! {
        #[test]
        fn holds_the_end_of_what_was_pushed(pieces in prop::collection::vec(prop::collection::vec(0..0xfe_u8, 0..9000), 0..60)) {
            let tape = Tape::new(1 << 16).unwrap();
            let mut expected = Vec::new();
            for piece in pieces {
                tape.push(&piece);
                expected.extend(piece);
                let found = left(&tape);
                prop_assert_eq!(found.end(), expected.len() as u64);
                prop_assert!(found.end() - found.start() >= (1 << 16).min(expected.len() as u64));
                prop_assert_eq!(all(&found), &expected[found.start() as usize..]);
            }
        }
    }
}
