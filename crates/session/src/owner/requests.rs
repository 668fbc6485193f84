//! One arm for each request.

use std::time::{Duration, Instant};

use coop_core::event::Event;
use coop_core::lease::LeaseId;
use coop_terminal::Size;
use coop_terminal::log::Cursor;
use coop_terminal::pty::{Signal, Target};
use tokio::sync::mpsc;

use super::{Owner, REQUEST_QUEUE};
use crate::SessionError;
use crate::backend::Terminal;
use crate::handle::{EventPage, Joined, Reply, Request};

impl Owner {
    /// Handles `first` and what came with it. Of several sizes only the last is applied: each costs a reflow.
    pub(super) fn requests(
        &mut self,
        first: Request,
        inbox: &mut mpsc::Receiver<Request>,
        terminal: Option<&dyn Terminal>,
    ) {
        let mut resizes: Vec<(Size, Reply<Result<(), SessionError>>)> = Vec::new();
        let mut next = Some(first);
        for _ in 0..REQUEST_QUEUE {
            match next {
                Some(Request::Resize { size, reply }) => resizes.push((size, reply)),
                Some(request) => self.request(request, terminal),
                None => break,
            }
            next = inbox.try_recv().ok();
        }
        if let Some(request) = next {
            self.request(request, terminal);
        }
        if let Some((size, _)) = resizes.last() {
            let result = self.resize(*size, terminal);
            for (_, reply) in resizes {
                self.answers.push(reply, result.clone());
            }
        }
    }

    pub(super) fn request(&mut self, request: Request, terminal: Option<&dyn Terminal>) {
        let now = Instant::now();
        match request {
            Request::View { format, scrollback, reply } => {
                let value = self.screen.view(format, scrollback);
                self.answers.push(reply, value);
            }
            Request::Svg { reply } => {
                let value = self.screen.svg();
                self.answers.push(reply, value);
            }
            Request::Output { from, limit, reply } => {
                let value = self.log.read(from, limit);
                self.answers.push(reply, value);
            }
            Request::Join { from, scrollback, reply } => {
                let value = self.join(from, scrollback);
                self.answers.push(reply, value);
            }
            Request::Events { since, limit, reply } => {
                let (events, gap) = self.events.since(since, limit);
                self.answers.push(reply, EventPage { generation: self.log.generation(), events, gap });
            }
            Request::Input { input, reply } => self.type_in(&input, reply, terminal),
            Request::Resize { size, reply } => {
                let value = self.resize(size, terminal);
                self.answers.push(reply, value);
            }
            Request::Signal { signal, target, reply } => {
                let value = self.signal(signal, target);
                self.answers.push(reply, value);
            }
            Request::Acquire { id, holder, take_over, reply } => {
                let value = self.acquire(now, &id, holder, take_over);
                self.answers.push(reply, value);
            }
            Request::Release { id, reply } => {
                let released = self.lease.release(now, &id);
                // Nothing is told after the exit.
                if released && !self.over {
                    self.events.push(Event::Lease { holder: None });
                }
                self.answers.push(reply, released);
            }
            Request::Typed { reply } => {
                let typed = self.listeners.add();
                self.answers.push(reply, typed);
            }
            Request::Recording { reply } => {
                let value = self.recording();
                self.answers.push(reply, value);
            }
            Request::Calm { reply } => {
                let busy = self.agent.as_ref().is_some_and(|agent| {
                    agent.delivering.is_some() || agent.answering.is_some() || !agent.held.is_empty()
                });
                let calm = self.input.is_empty() && !busy && self.restart.is_none();
                self.answers.push(reply, calm);
            }
            Request::Agent(request) => self.agent_request(request),
            Request::Restart { change, reply } => self.restart(change, reply),
            Request::Shutdown { reason, reply } => {
                self.begin_shutdown(&reason, now);
                self.answers.push(reply, ());
            }
        }
    }

    pub(super) fn acquire(
        &mut self,
        now: Instant,
        id: &LeaseId,
        holder: String,
        take_over: bool,
    ) -> Result<Duration, SessionError> {
        if self.child_gone {
            return Err(self.gone());
        }
        self.lease.acquire(now, id, &holder, take_over)?;
        self.events.push(Event::Lease { holder: Some(holder) });
        Ok(self.lease.ttl())
    }

    pub(super) fn join(&mut self, from: Option<Cursor>, scrollback: usize) -> Joined {
        let size = self.screen.size();
        let kept = from.map(|cursor| (cursor, self.log.read(cursor, 0)));
        if let Some((at, Ok(_))) = kept {
            return Joined { at, size, repaint: None, lost: 0 };
        }
        // Older than the log only while one endless sequence is being skipped, and the repaint knows about those.
        let offset = self.painted().max(self.log.start());
        let at = Cursor { generation: self.log.generation(), offset };
        let lost = match kept {
            Some((cursor, Err(_))) if cursor.generation == at.generation => at.offset.saturating_sub(cursor.offset),
            // What the child before this one printed last, and the client did not take in time.
            Some((cursor, Err(_))) => self.missed(cursor),
            _ => 0,
        };
        Joined { at, size, repaint: Some(self.screen.repaint(scrollback)), lost }
    }

    fn missed(&self, cursor: Cursor) -> u64 {
        let ended = self.ended.filter(|ended| ended.generation == cursor.generation);
        ended.map_or(0, |ended| ended.offset.saturating_sub(cursor.offset))
    }

    pub(super) fn resize(&mut self, size: Size, terminal: Option<&dyn Terminal>) -> Result<(), SessionError> {
        let Some(terminal) = terminal.filter(|_| !self.child_gone) else {
            return Err(self.gone());
        };
        if size == self.screen.size() {
            return Ok(());
        }
        terminal.resize(size)?;
        self.resized(size);
        Ok(())
    }

    pub(super) fn resized(&mut self, size: Size) {
        if self.screen.resize(size).is_err() {
            self.rebuild_screen();
        }
        if let Some(agent) = &mut self.agent {
            agent.damaged = true;
        }
        self.events.push(Event::Resize { cols: size.cols(), rows: size.rows() });
    }

    pub(super) fn signal(&mut self, signal: Signal, target: Target) -> Result<(), SessionError> {
        if self.child_gone {
            return Err(self.gone());
        }
        self.child.signal(signal, target)
    }
}
