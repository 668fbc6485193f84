//! What a person has allowed or denied for the rest of a session. Kept in memory only, for a while, and not too much.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::pattern::Pattern;
use super::rules::Effect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub enabled: bool,
    /// A session that asks nothing for so long is forgotten.
    pub ttl: Duration,
    /// Patterns of one session; the oldest goes first.
    pub max_patterns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { enabled: true, ttl: Duration::from_secs(3600), max_patterns: 100 }
    }
}

/// What one session remembers.
#[derive(Clone, Debug)]
pub struct Memory {
    patterns: Vec<(Pattern, Effect)>,
    used: Instant,
    cwd: String,
}

impl Memory {
    pub fn patterns(&self, effect: Effect) -> impl Iterator<Item = &Pattern> + Clone {
        self.patterns.iter().filter(move |(_, said)| *said == effect).map(|(pattern, _)| pattern)
    }

    pub fn all(&self) -> impl Iterator<Item = (&Pattern, Effect)> {
        self.patterns.iter().map(|(pattern, effect)| (pattern, *effect))
    }
}

/// What all sessions remember, by their host and their id: a machine cannot use what a session of another one remembers.
#[derive(Debug, Default)]
pub struct Memories {
    pub limits: Limits,
    sessions: HashMap<(Option<String>, String), Memory>,
}

impl Memories {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, sessions: HashMap::new() }
    }

    /// What a session that asks now remembers. Being asked keeps it.
    pub fn recall(&mut self, now: Instant, host: Option<&str>, session: &str) -> Option<&Memory> {
        self.expire(now);
        let memory = self.sessions.get_mut(&(host.map(str::to_owned), session.to_owned()))?;
        memory.used = now;
        Some(memory)
    }

    /// The last word on a pattern counts. Says whether it is kept.
    pub fn remember(
        &mut self,
        now: Instant,
        (host, session): (Option<&str>, &str),
        cwd: &str,
        pattern: Pattern,
        effect: Effect,
    ) -> bool {
        // Sessions whose conversation is not known would share what they remember.
        if !self.limits.enabled || self.limits.max_patterns == 0 || session.is_empty() {
            return false;
        }
        let fresh = || Memory { patterns: Vec::new(), used: now, cwd: cwd.to_owned() };
        let memory = self.sessions.entry((host.map(str::to_owned), session.to_owned())).or_insert_with(fresh);
        memory.used = now;
        memory.patterns.retain(|(known, _)| *known != pattern);
        memory.patterns.push((pattern, effect));
        let too_many = memory.patterns.len().saturating_sub(self.limits.max_patterns);
        memory.patterns.drain(..too_many);
        true
    }

    /// The session has ended, or a person wants it forgotten. Says how many patterns that were.
    pub fn clear(&mut self, session: &str) -> usize {
        let gone = self.sessions.extract_if(|(_, id), _| id == session);
        gone.map(|(_, memory)| memory.patterns.len()).sum()
    }

    /// The project was closed.
    pub fn clear_below(&mut self, folder: &str) {
        let folder = folder.trim_end_matches('/');
        let below = |cwd: &str| cwd.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.sessions.retain(|_, memory| !below(&memory.cwd));
    }

    pub fn expire(&mut self, now: Instant) {
        let ttl = self.limits.ttl;
        self.sessions.retain(|_, memory| now.saturating_duration_since(memory.used) < ttl);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Memory)> {
        self.sessions.iter().map(|((_, session), memory)| (session.as_str(), memory))
    }
}
