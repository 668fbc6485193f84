//! What has been typed and not yet taken, and the right to type.

use std::collections::VecDeque;
use std::time::Duration;

use coop_api::v1::{LeaseRequest, SendInputRawRequest};
use coop_api::ws::Request;
use tokio::time::Instant;

/// Messages on the way at the same time. More would not be faster; what is typed meanwhile goes together in the next.
const MAX_UNDER_WAY: usize = 8;
/// Nobody types this much ahead of a program that does not read.
const MAX_WAITING: usize = 1 << 20;

/// A request whose reply has not come yet. Replies come in the order of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Lease,
    Input,
    Resize,
}

#[derive(Debug)]
pub(super) struct Typing {
    /// Who we are, for those who have to wait.
    holder: String,
    /// The right to type is ours until then, unless somebody takes it.
    held_until: Option<Instant>,
    ttl: Duration,
    waiting: Vec<u8>,
    pub(super) asked: VecDeque<Asked>,
}

impl Typing {
    pub(super) fn new(holder: String) -> Self {
        Self { holder, held_until: None, ttl: Duration::ZERO, waiting: Vec::new(), asked: VecDeque::new() }
    }

    pub(super) fn is_us(&self, holder: &str) -> bool {
        self.holder == holder
    }

    /// Takes what was typed. False if there is no room for it.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let fits = self.waiting.len() + bytes.len() <= MAX_WAITING;
        if fits {
            self.waiting.extend_from_slice(bytes);
        }
        fits
    }

    /// What to send next: what waits, and before it the question for the right to type if that has run out.
    pub(super) fn next(&mut self, now: Instant) -> Vec<(Asked, Request)> {
        if self.waiting.is_empty() || self.asked.len() >= MAX_UNDER_WAY {
            return Vec::new();
        }
        let input = SendInputRawRequest { data: std::mem::take(&mut self.waiting), lease: None };
        let mut requests = vec![(Asked::Input, Request::InputRaw(input))];
        if self.held_until.is_none_or(|until| until <= now) {
            requests.insert(0, (Asked::Lease, self.lease(false)));
            // Until the answer says how long. A second question before that would only be noise.
            self.granted(now, self.ttl);
        }
        requests
    }

    pub(super) fn lease(&self, take_over: bool) -> Request {
        Request::Lock(LeaseRequest {
            action: "acquire".into(),
            lease: None,
            holder: Some(self.holder.clone()),
            take_over,
        })
    }

    pub(super) fn granted(&mut self, now: Instant, ttl: Duration) {
        self.ttl = ttl;
        // A little earlier than the other end, whose clock started first.
        self.held_until = Some(now + ttl.mul_f32(0.9));
    }

    /// Input was taken, which prolongs the right to it.
    pub(super) fn taken(&mut self, now: Instant) {
        if self.held_until.is_some() {
            self.granted(now, self.ttl);
        }
    }

    /// Somebody else has the right to type.
    pub(super) fn lost(&mut self) {
        self.held_until = None;
    }

    /// The connection broke, and with it all that was on the way. It is not sent again: it may have arrived.
    pub(super) fn disconnected(&mut self) {
        *self = Self::new(std::mem::take(&mut self.holder));
    }
}

/// How we are called by others: user and machine.
pub(super) fn holder() -> String {
    let name = |variable| std::env::var(variable).ok().filter(|name| !name.is_empty());
    let user = name("USER").or_else(|| name("LOGNAME")).unwrap_or_else(|| "somebody".into());
    let system = rustix::system::uname();
    format!("{user}@{}", system.nodename().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(requests: &[(Asked, Request)]) -> Vec<Asked> {
        requests.iter().map(|(asked, _)| *asked).collect()
    }

    #[test]
    fn the_right_to_type_is_asked_for_when_it_is_needed() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let mut typing = Typing::new("me@here".into());
        assert!(typing.next(at(0)).is_empty(), "nothing was typed");
        assert!(typing.push(b"a"));
        assert_eq!(kinds(&typing.next(at(0))), [Asked::Lease, Asked::Input]);
        typing.granted(at(0), Duration::from_secs(30));
        typing.push(b"b");
        assert_eq!(kinds(&typing.next(at(20))), [Asked::Input]);
        typing.taken(at(20));
        typing.push(b"c");
        assert_eq!(kinds(&typing.next(at(40))), [Asked::Input], "prolonged");
        typing.push(b"d");
        assert_eq!(kinds(&typing.next(at(90))), [Asked::Lease, Asked::Input], "run out");
        typing.lost();
        typing.push(b"e");
        assert_eq!(kinds(&typing.next(at(91))), [Asked::Lease, Asked::Input], "taken by another");
    }

    #[test]
    fn what_is_typed_while_others_are_on_the_way_goes_together() {
        let now = Instant::now();
        let mut typing = Typing::new("me@here".into());
        typing.granted(now, Duration::from_secs(30));
        typing.asked.extend([Asked::Input; MAX_UNDER_WAY]);
        typing.push(b"ab");
        assert!(typing.next(now).is_empty());
        typing.push(b"c");
        typing.asked.pop_front();
        let [(_, Request::InputRaw(input))] = &typing.next(now)[..] else { panic!("one input") };
        assert_eq!(input.data, b"abc");
        assert!(!typing.push(&[0; MAX_WAITING + 1]));
    }
}
