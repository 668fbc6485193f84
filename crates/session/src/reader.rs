//! The thread that reads the terminal, ahead of the owner.
//!
//! A program writes into a kernel buffer of a few KiB and sleeps when it is full. With somebody always there to empty
//! it, the program and the engine run side by side instead of in turns. It goes ahead by a bounded number of pieces.

use std::io;

use coop_terminal::pty::{Pty, Reader, ReaderStop};
use tokio::sync::mpsc;

/// The most that is read into one piece.
const PIECE: usize = 64 << 10;
/// Pieces that may wait for the owner.
const AHEAD: usize = 8;

/// The output as the owner gets it.
#[derive(Debug)]
pub(crate) struct Output {
    pieces: mpsc::Receiver<Vec<u8>>,
    used: mpsc::Sender<Vec<u8>>,
    _stop: ReaderStop,
}

impl Output {
    /// The next piece. None is the end.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        self.pieces.recv().await
    }

    /// The buffer of a piece that is done with, for another one.
    pub(crate) fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        // With enough of them on the way back, this one is too many.
        drop(self.used.try_send(buffer));
    }
}

pub(crate) fn start(pty: &Pty) -> io::Result<Output> {
    let (reader, stop) = pty.reader()?;
    let (sender, pieces) = mpsc::channel(AHEAD);
    let (used, free) = mpsc::channel(AHEAD);
    std::thread::Builder::new().name("coop-read".into()).spawn(move || read(&reader, &sender, free))?;
    Ok(Output { pieces, used, _stop: stop })
}

fn read(reader: &Reader, pieces: &mpsc::Sender<Vec<u8>>, mut free: mpsc::Receiver<Vec<u8>>) {
    loop {
        let mut buffer = free.try_recv().unwrap_or_else(|_| Vec::with_capacity(PIECE));
        match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "reading the terminal failed");
                return;
            }
        }
        if pieces.blocking_send(buffer).is_err() {
            return;
        }
    }
}
