//! One arm for each request.

use std::time::Instant;

use coop_core::event::Event;
use coop_terminal::Size;
use coop_terminal::log::Cursor;
use coop_terminal::pty::{Pty, Signal, Target};
use tokio::sync::mpsc;

use super::{Owner, REQUEST_QUEUE, answer};
use crate::SessionError;
use crate::handle::{EventPage, Joined, Reply, Request};

impl Owner {
    /// Handles `first` and what came with it. Of several sizes only the last is applied: each costs a reflow.
    pub(super) fn requests(&mut self, first: Request, inbox: &mut mpsc::Receiver<Request>, pty: Option<&Pty>) {
        let mut resizes: Vec<(Size, Reply<Result<(), SessionError>>)> = Vec::new();
        let mut next = Some(first);
        for _ in 0..REQUEST_QUEUE {
            match next {
                Some(Request::Resize { size, reply }) => resizes.push((size, reply)),
                Some(request) => self.request(request, pty),
                None => break,
            }
            next = inbox.try_recv().ok();
        }
        if let Some(request) = next {
            self.request(request, pty);
        }
        if let Some((size, _)) = resizes.last() {
            let result = self.resize(*size, pty);
            for (_, reply) in resizes {
                answer(reply, result.clone());
            }
        }
    }

    pub(super) fn request(&mut self, request: Request, pty: Option<&Pty>) {
        let now = Instant::now();
        match request {
            Request::View { format, scrollback, reply } => answer(reply, self.screen.view(format, scrollback)),
            Request::Svg { reply } => answer(reply, self.screen.svg()),
            Request::Output { from, limit, reply } => answer(reply, self.log.read(from, limit)),
            Request::Join { from, scrollback, reply } => answer(reply, self.join(from, scrollback)),
            Request::Events { since, limit, reply } => {
                let (events, gap) = self.events.since(since, limit);
                answer(reply, EventPage { generation: self.log.generation(), events, gap });
            }
            Request::Input { input, reply } => self.type_in(&input, reply, pty),
            Request::Resize { size, reply } => answer(reply, self.resize(size, pty)),
            Request::Signal { signal, target, reply } => answer(reply, self.signal(signal, target)),
            Request::Acquire { id, holder, take_over, reply } => {
                let granted = self.lease.acquire(now, &id, &holder, take_over).map(|()| self.lease.ttl());
                if granted.is_ok() {
                    self.events.push(Event::Lease { holder: Some(holder) });
                }
                answer(reply, granted.map_err(SessionError::from));
            }
            Request::Release { id, reply } => {
                let released = self.lease.release(now, &id);
                if released {
                    self.events.push(Event::Lease { holder: None });
                }
                answer(reply, released);
            }
            Request::Shutdown { reason, reply } => {
                self.begin_shutdown(&reason, now);
                answer(reply, ());
            }
        }
    }

    pub(super) fn join(&mut self, from: Option<Cursor>, scrollback: usize) -> Joined {
        let size = self.screen.size();
        let kept = from.map(|cursor| (cursor, self.log.read(cursor, 0)));
        if let Some((at, Ok(_))) = kept {
            return Joined { at, size, repaint: None, lost: 0 };
        }
        // Older than the log only while one endless sequence is being skipped, and the repaint knows about those.
        let offset = (self.screen_base + self.screen.applied()).max(self.log.start());
        let at = Cursor { generation: self.log.generation(), offset };
        let lost = match kept {
            Some((cursor, Err(_))) if cursor.generation == at.generation => at.offset.saturating_sub(cursor.offset),
            _ => 0,
        };
        Joined { at, size, repaint: Some(self.screen.repaint(scrollback)), lost }
    }

    pub(super) fn resize(&mut self, size: Size, pty: Option<&Pty>) -> Result<(), SessionError> {
        let Some(pty) = pty.filter(|_| !self.child_gone) else {
            return Err(SessionError::Exited { exit: self.exit });
        };
        if size == self.screen.size() {
            return Ok(());
        }
        pty.resize(size).map_err(|error| SessionError::Terminal(error.to_string()))?;
        if self.screen.resize(size).is_err() {
            self.rebuild_screen();
        }
        self.events.push(Event::Resize { cols: size.cols(), rows: size.rows() });
        Ok(())
    }

    pub(super) fn signal(&mut self, signal: Signal, target: Target) -> Result<(), SessionError> {
        if self.child_gone {
            return Err(SessionError::Exited { exit: self.exit });
        }
        self.child.signal(signal, target).map_err(|error| SessionError::Terminal(error.to_string()))
    }
}
