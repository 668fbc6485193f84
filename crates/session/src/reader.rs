//! The thread that reads the terminal, ahead of the owner.
//!
//! A program writes into a kernel buffer of a few KiB and sleeps when it is full. With somebody always there to empty
//! it, the program and the engine run side by side instead of in turns. It goes ahead by a bounded number of pieces.

use std::io;
use std::sync::Arc;

use coop_terminal::pty::{Pty, Reader};
use coop_terminal::survive::Tape;
use tokio::sync::mpsc;

use crate::backend::{Output, Piece};

/// The most that is read into one piece.
const PIECE: usize = 64 << 10;
/// Pieces that may wait for the owner.
const AHEAD: usize = 8;

pub(crate) fn start(pty: &Pty, tape: Option<(Arc<Tape>, u64)>) -> io::Result<Output> {
    let (reader, stop) = pty.reader(tape)?;
    let (sender, pieces) = mpsc::channel(AHEAD);
    let (used, free) = mpsc::channel(AHEAD);
    std::thread::Builder::new().name("coop-read".into()).spawn(move || read(&reader, &sender, free))?;
    Ok(Output::new(pieces, Some(used), Some(stop)))
}

fn read(reader: &Reader, pieces: &mpsc::Sender<Piece>, mut free: mpsc::Receiver<Vec<u8>>) {
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
        if pieces.blocking_send(Piece::Bytes(buffer)).is_err() {
            return;
        }
    }
}
