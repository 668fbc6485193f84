//! What the model did, and when: the truth that an agent's own signals are held against.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use super::wire::{Called, Stop, Vendor};
use crate::bell::Bell;

#[derive(Clone, Debug)]
pub struct Event {
    pub at: Instant,
    /// The same moment by the clock that hooks and logs use.
    pub clock: SystemTime,
    /// Which request this is about, counted from 1.
    pub request: u64,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A turn of the conversation.
    Request {
        vendor: Vendor,
        model: String,
        key: String,
        user: String,
        results: Vec<String>,
    },
    /// A call beside the conversation, such as for a title. It gets a short answer and is no part of the script.
    Side {
        vendor: Vendor,
        model: String,
        about: String,
    },
    /// No rule answers this. The agent was told so in plain text.
    Unexpected {
        user: String,
        results: Vec<String>,
        expected: String,
    },
    FirstByte,
    Called(Called),
    /// At a `wait` of the scenario.
    Waiting(String),
    Finished(Stop),
    Failed(u16),
    Cut,
    Hanging,
    /// The agent closed the connection before the reply was whole.
    Disconnected,
}

#[derive(Debug)]
pub(super) struct Truth {
    events: Mutex<Vec<Event>>,
    bell: Bell,
}

impl Truth {
    pub(super) fn new(bell: Bell) -> Self {
        Self { events: Mutex::default(), bell }
    }

    pub(super) fn publish(&self, request: u64, what: What) {
        let event = Event { at: Instant::now(), clock: SystemTime::now(), request, what };
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        self.bell.ring();
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {:?}", self.request, self.what)
    }
}
