//! Bytes on their way to the child, in order, with those who wait for them to arrive.
//!
//! The terminal takes what it has room for; the rest stays here. A request counts as done when the terminal has taken
//! its last byte.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use crate::SessionError;
use crate::answers::Answers;

/// Answers to queries of a child that does not read them are dropped beyond this.
const REPLY_LIMIT: usize = 64 << 10;

type Done = oneshot::Sender<Result<usize, SessionError>>;

#[derive(Debug)]
pub(crate) struct InputQueue {
    items: VecDeque<Item>,
    /// Answers to the child's queries. They go before any item that has not been started.
    replies: VecDeque<u8>,
    waiting: usize,
    limit: usize,
}

#[derive(Debug)]
struct Item {
    bytes: Vec<u8>,
    written: usize,
    done: Done,
}

impl InputQueue {
    pub(crate) fn new(limit: usize) -> Self {
        Self { items: VecDeque::new(), replies: VecDeque::new(), waiting: 0, limit }
    }

    pub(crate) fn push(&mut self, bytes: Vec<u8>, done: Done, answers: &mut Answers) {
        if self.waiting > 0 && self.waiting + bytes.len() > self.limit {
            answers.push(done, Err(SessionError::InputFull { waiting: self.waiting }));
        } else if bytes.is_empty() {
            answers.push(done, Ok(0));
        } else {
            self.waiting += bytes.len();
            self.items.push_back(Item { bytes, written: 0, done });
        }
    }

    pub(crate) fn push_replies(&mut self, bytes: &[u8]) {
        if self.replies.len() + bytes.len() <= REPLY_LIMIT {
            self.replies.extend(bytes);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.replies.is_empty()
    }

    /// What to write next. Empty when there is nothing.
    pub(crate) fn next(&self) -> &[u8] {
        match self.items.front() {
            Some(item) if item.written > 0 || self.replies.is_empty() => &item.bytes[item.written..],
            _ => self.replies.as_slices().0,
        }
    }

    /// The same, if somebody typed it. Answers to queries were not typed.
    pub(crate) fn typed(&self) -> Option<&[u8]> {
        let item = self.items.front().filter(|item| item.written > 0 || self.replies.is_empty())?;
        Some(&item.bytes[item.written..])
    }

    /// The terminal took `count` bytes of [`Self::next`].
    pub(crate) fn advance(&mut self, count: usize, answers: &mut Answers) {
        match self.items.front_mut() {
            Some(item) if item.written > 0 || self.replies.is_empty() => {
                item.written += count;
                self.waiting -= count;
                if item.written == item.bytes.len() {
                    self.finish_front(answers);
                }
            }
            _ => drop(self.replies.drain(..count)),
        }
    }

    /// Gives up on everything that waits.
    pub(crate) fn fail(&mut self, answers: &mut Answers, error: impl Fn(usize, usize) -> SessionError) {
        for item in self.items.drain(..) {
            answers.push(item.done, Err(error(item.written, item.bytes.len())));
        }
        self.replies.clear();
        self.waiting = 0;
    }

    fn finish_front(&mut self, answers: &mut Answers) {
        if let Some(item) = self.items.pop_front() {
            answers.push(item.done, Ok(item.bytes.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets the terminal take `room` bytes at a time until nothing is left, and returns what arrived.
    fn drain(queue: &mut InputQueue, room: usize, answers: &mut Answers) -> String {
        let mut arrived = Vec::new();
        while !queue.is_empty() {
            let taken = queue.next().len().min(room);
            arrived.extend_from_slice(&queue.next()[..taken]);
            queue.advance(taken, answers);
        }
        String::from_utf8(arrived).unwrap()
    }

    #[test]
    fn items_stay_whole_and_replies_go_between_them() {
        let (mut queue, mut answers) = (InputQueue::new(100), Answers::default());
        let (first, mut first_done) = oneshot::channel();
        let (second, mut second_done) = oneshot::channel();
        queue.push(b"hello".to_vec(), first, &mut answers);
        queue.advance(2, &mut answers);
        queue.push(b"world".to_vec(), second, &mut answers);
        queue.push_replies(b"<r>");
        assert!(first_done.try_recv().is_err(), "not all written");
        assert_eq!(drain(&mut queue, 2, &mut answers), "llo<r>world");
        assert!(first_done.try_recv().is_err(), "not told yet");
        answers.send();
        assert_eq!(first_done.try_recv().unwrap(), Ok(5));
        assert_eq!(second_done.try_recv().unwrap(), Ok(5));
    }

    #[test]
    fn the_bound_holds_but_one_large_item_may_pass() {
        let (mut queue, mut answers) = (InputQueue::new(4), Answers::default());
        let (large, mut large_done) = oneshot::channel();
        let (more, mut more_done) = oneshot::channel();
        queue.push(b"larger".to_vec(), large, &mut answers);
        queue.push(b"x".to_vec(), more, &mut answers);
        answers.send();
        assert_eq!(more_done.try_recv().unwrap(), Err(SessionError::InputFull { waiting: 6 }));
        queue.advance(3, &mut answers);
        queue.fail(&mut answers, |written, total| SessionError::InputStalled { written, total });
        answers.send();
        assert_eq!(large_done.try_recv().unwrap(), Err(SessionError::InputStalled { written: 3, total: 6 }));
        assert!(queue.is_empty());
    }
}
