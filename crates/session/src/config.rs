//! What a session is started with. Every bound on memory is here.

use std::sync::Arc;
use std::time::Duration;

use coop_terminal::{Options, pty};

use crate::agent::AgentConfig;
use crate::launch::Launcher;
use crate::survive::Survival;

#[derive(Clone, Debug)]
pub struct Config {
    pub command: pty::Command,
    pub screen: Options,
    /// Bytes of raw output kept for those who come back.
    pub log_size: usize,
    /// Events kept for those who come back.
    pub event_limit: usize,
    /// Bytes of input that may wait for the child to read them.
    pub input_limit: usize,
    /// How long the child may leave its input unread before those who wait are told.
    pub input_timeout: Duration,
    pub lease_ttl: Duration,
    /// How long the child may take to end after SIGHUP.
    pub shutdown_grace: Duration,
    /// End the session after this long without output or input.
    pub idle_timeout: Option<Duration>,
    /// What is known about the agent inside; nothing for any other program.
    pub agent: Option<AgentConfig>,
    /// Fits the command for a restart. Without one, `command` is started again as it is.
    pub launcher: Option<Arc<dyn Launcher>>,
    /// Where it is written down what another process needs to go on with the program.
    pub survival: Option<Survival>,
}

impl Config {
    #[must_use]
    pub fn new(command: pty::Command) -> Self {
        Self {
            command,
            screen: Options::default(),
            log_size: 1 << 20,
            event_limit: 1024,
            // Four of the largest pastes a request may carry.
            input_limit: 4 << 20,
            input_timeout: Duration::from_secs(10),
            lease_ttl: coop_core::lease::DEFAULT_TTL,
            shutdown_grace: Duration::from_secs(10),
            idle_timeout: None,
            agent: None,
            launcher: None,
            survival: None,
        }
    }
}
