//! A note that outlives its writer: replaced whole, so that whoever comes after a writer that was killed finds the last one
//! that was finished.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use rustix::io::{pread, pwrite};

/// Two places by turns, in memory that is there where it was written to.
const APART: u64 = 64 << 20;
/// Number and length.
const HEAD: u64 = 16;

#[derive(Debug)]
pub struct Notes {
    file: OwnedFd,
    /// The number of the last one.
    last: Mutex<u64>,
}

impl Notes {
    pub fn new() -> io::Result<Self> {
        super::memory("coop-notes").map(Self::of)
    }

    /// Those that somebody has left.
    #[must_use]
    pub fn of(file: OwnedFd) -> Self {
        let notes = Self { file, last: Mutex::new(0) };
        let last = notes.newest().map_or(0, |(number, _)| number);
        *notes.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
        notes
    }

    pub fn write(&self, note: &[u8]) -> io::Result<()> {
        if note.len() as u64 > APART - HEAD {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let number = *last + 1;
        let place = place(number);
        // While it is written there is only the other one.
        self.put(&[0; HEAD as usize], place)?;
        self.put(note, place + HEAD)?;
        let head = [number.to_ne_bytes(), (note.len() as u64).to_ne_bytes()].concat();
        self.put(&head, place)?;
        *last = number;
        Ok(())
    }

    /// The last one that was finished.
    #[must_use]
    pub fn read(&self) -> Option<Vec<u8>> {
        let (number, length) = self.newest()?;
        let mut note = vec![0; usize::try_from(length).ok()?];
        self.get(&mut note, place(number) + HEAD).ok()?;
        Some(note)
    }

    fn newest(&self) -> Option<(u64, u64)> {
        let heads = [0, 1].map(|slot| {
            let mut head = [0; HEAD as usize];
            self.get(&mut head, place(slot)).ok()?;
            let number = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).unwrap_or(0);
            Some((number(&head[..8]), number(&head[8..]))).filter(|(number, _)| *number > 0)
        });
        heads.into_iter().flatten().max()
    }

    fn put(&self, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = pwrite(&self.file, bytes, at)?;
            bytes = &bytes[count..];
            at += count as u64;
        }
        Ok(())
    }

    fn get(&self, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match pread(&self.file, &mut *bytes, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => {
                    bytes = &mut bytes[count..];
                    at += count as u64;
                }
            }
        }
        Ok(())
    }
}

impl AsFd for Notes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn place(number: u64) -> u64 {
    number % 2 * APART
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_was_finished_is_found() {
        let notes = Notes::new().unwrap();
        assert_eq!(notes.read(), None);
        for note in [&b"one"[..], b"a longer one", b"", b"short"] {
            notes.write(note).unwrap();
            let left = Notes::of(notes.file.try_clone().unwrap());
            assert_eq!(left.read().as_deref(), Some(note));
        }
        // Killed in the middle of the fifth.
        notes.put(&[0; HEAD as usize], place(5)).unwrap();
        notes.put(b"half", place(5) + HEAD).unwrap();
        let left = Notes::of(notes.file.try_clone().unwrap());
        assert_eq!(left.read().as_deref(), Some(&b"short"[..]));
        left.write(b"and on").unwrap();
        assert_eq!(Notes::of(notes.file).read().as_deref(), Some(&b"and on"[..]));
    }
}
