//! What agents wait for: each request is judged, or kept until the first answer, which is the only one.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::memory::{Limits, Memories};
use super::pattern::{Pattern, Use};
use super::rules::{self, Because, Effect as Say, Rule, Verdict};
use crate::agent::prompt::PromptContext;
use crate::agent::respond::{Respond, Scope};

/// Counted from 1; never used again.
pub type RequestId = u64;

/// How many answers are remembered, so that whoever comes second is told who was first.
const REMEMBERED: usize = 1000;
/// More requests than people can answer are left to the terminals they come from.
const MAX_PENDING: usize = 4096;
/// Maximum size of the inputs of all requests of other machines that wait: any holder of a `hooks` token can send them.
const MAX_REMOTE_BYTES: usize = 64 << 20;

/// An agent asks, and its hook waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub session: String,
    /// Machine of the session; nothing for that of the hub.
    pub host: Option<String>,
    pub cwd: String,
    pub tool: String,
    pub input: Value,
    pub tool_use_id: Option<String>,
    pub context: PromptContext,
    /// How long the hook waits.
    pub wait: Duration,
}

impl Request {
    fn wanted(&self) -> Use<'_> {
        Use { tool: &self.tool, input: &self.input, cwd: &self.cwd, host: self.host.as_deref() }
    }

    /// What would be remembered of an answer for longer than once.
    fn suggestion(&self) -> Option<Pattern> {
        (self.can_be_judged() && self.is_certain()).then(|| Pattern::suggest(&self.wanted())).flatten()
    }

    /// Only a permission can be given by a rule: a plan and a question are for a person.
    fn can_be_judged(&self) -> bool {
        matches!(self.context, PromptContext::Permission(_))
    }

    /// Whether the input is the one of the call: an unknown input, or one that was read off the screen, may be another.
    fn is_certain(&self) -> bool {
        match &self.context {
            PromptContext::Permission(asked) => asked.subtype.is_some() || !self.input.is_null() && !asked.input_seen,
            PromptContext::Plan(_) | PromptContext::Question(_) | PromptContext::Setup(_) => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub id: RequestId,
    /// Size of the input.
    bytes: usize,
    pub request: Request,
    pub asked: Instant,
    pub expires: Instant,
    /// What would be remembered if it were answered for the whole session.
    pub suggestion: Option<Pattern>,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Answered(Box<Respond>),
    /// By a rule or by what the session remembers.
    Judged {
        say: Say,
        because: Option<Because>,
    },
    /// Nobody answered here: the dialog at the terminal decides. Never an implicit no.
    Abstained(Why),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Expired,
    /// Answered at the terminal, or interrupted there.
    AtTerminal,
    /// The hook was killed, or the agent is gone.
    Gone,
    TooMany,
}

impl Why {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::AtTerminal => "terminal",
            Self::Gone => "gone",
            Self::TooMany => "too many requests",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Asked(Box<Pending>),
    Ended { id: RequestId, request: Box<Request>, outcome: Outcome, by: String, remembered: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("there is no such request")]
    Unknown,
    #[error("it has been answered already, by {by}")]
    Answered { by: String },
}

/// Size of the input of a request in JSON.
fn bytes_of(request: &Request) -> usize {
    request.input.to_string().len()
}

#[derive(Debug, Default)]
pub struct Broker {
    pub rules: Vec<Rule>,
    pub memories: Memories,
    pending: BTreeMap<RequestId, Pending>,
    ended: HashMap<RequestId, String>,
    order: VecDeque<RequestId>,
    last: RequestId,
}

impl Broker {
    /// `last` is the highest id that was ever given.
    #[must_use]
    pub fn new(limits: Limits, last: RequestId) -> Self {
        Self { memories: Memories::new(limits), last, ..Self::default() }
    }

    /// An agent asks. The effects say whether it waits.
    pub fn ask(&mut self, now: Instant, request: Request) -> (RequestId, Vec<Effect>) {
        self.last += 1;
        let id = self.last;
        if let Some((outcome, by)) = self.judged(now, &request) {
            return (id, vec![self.end(id, request, outcome, by.into(), None)]);
        }
        let remote = self.pending.values().filter(|pending| pending.request.host.is_some());
        let is_full = request.host.is_some()
            && remote.map(|pending| pending.bytes).sum::<usize>() + bytes_of(&request) > MAX_REMOTE_BYTES;
        if self.pending.len() >= MAX_PENDING || is_full {
            let outcome = Outcome::Abstained(Why::TooMany);
            return (id, vec![self.end(id, request, outcome, Why::TooMany.name().into(), None)]);
        }
        (id, self.park(now, id, request))
    }

    /// Asks a person, whatever rules say: a rule has decided this request, and its answer did not take effect.
    pub fn ask_person(&mut self, now: Instant, id: RequestId, request: Request) -> Vec<Effect> {
        self.ended.remove(&id);
        self.order.retain(|ended| *ended != id);
        self.park(now, id, request)
    }

    fn park(&mut self, now: Instant, id: RequestId, request: Request) -> Vec<Effect> {
        let suggestion = request.suggestion();
        let bytes = bytes_of(&request);
        let pending = Pending { id, expires: now + request.wait, asked: now, suggestion, bytes, request };
        self.pending.insert(id, pending.clone());
        vec![Effect::Asked(Box::new(pending))]
    }

    /// What rules and memory make of a request, and which of them. Nothing where a person has to be asked.
    fn judged(&mut self, now: Instant, request: &Request) -> Option<(Outcome, &'static str)> {
        if !request.can_be_judged() {
            return None;
        }
        let Verdict { effect, because, .. } = self.judge(now, &request.session, &request.wanted());
        let by = if matches!(because, Some(Because::Session(_))) { "session memory" } else { "rule" };
        let judges = effect == Say::Deny || effect == Say::Allow && request.is_certain();
        judges.then_some((Outcome::Judged { say: effect, because }, by))
    }

    /// What rules and memory say of a use.
    pub fn judge(&mut self, now: Instant, session: &str, wanted: &Use<'_>) -> Verdict {
        rules::judge(&self.rules, self.memories.recall(now, wanted.host, session), wanted)
    }

    /// The first answer wins. One for the session is remembered, and settles what else of that session it covers. One for
    /// the project is a standing rule, which is not made here.
    pub fn answer(&mut self, now: Instant, id: RequestId, respond: Respond) -> Result<Vec<Effect>, AnswerError> {
        let pending = self.pending.remove(&id).ok_or_else(|| match self.ended.get(&id) {
            Some(by) => AnswerError::Answered { by: by.clone() },
            None => AnswerError::Unknown,
        })?;
        let (by, accept, scope) = (respond.by.clone(), respond.accept, respond.scope);
        let session = pending.request.session.clone();
        let mut remembered = None;
        if let (Some(pattern), Some(accept), Scope::Session) = (pending.suggestion, accept, scope) {
            let say = if accept { Say::Allow } else { Say::Deny };
            let text = pattern.to_string();
            let of = (pending.request.host.as_deref(), session.as_str());
            if self.memories.remember(now, of, &pending.request.cwd, pattern, say) {
                remembered = Some(text);
            }
        }
        let learned = remembered.is_some();
        let mut effects = vec![self.end(id, pending.request, Outcome::Answered(Box::new(respond)), by, remembered)];
        if learned {
            effects.extend(self.settle(now));
        }
        Ok(effects)
    }

    /// What waits and is covered by a rule or a memory since need not be asked any more.
    pub fn settle(&mut self, now: Instant) -> Vec<Effect> {
        let open: Vec<RequestId> = self.pending.keys().copied().collect();
        let mut effects = Vec::new();
        for id in open {
            let Some(pending) = self.pending.remove(&id) else { continue };
            match self.judged(now, &pending.request) {
                Some((outcome, by)) => effects.push(self.end(id, pending.request, outcome, by.into(), None)),
                None => drop(self.pending.insert(id, pending)),
            }
        }
        effects
    }

    /// It need not be answered any more.
    pub fn withdraw(&mut self, id: RequestId, why: Why) -> Vec<Effect> {
        self.withdraw_for(id, why, why.name())
    }

    /// The same where it is known who saw to it.
    pub fn withdraw_for(&mut self, id: RequestId, why: Why, by: &str) -> Vec<Effect> {
        let Some(pending) = self.pending.remove(&id) else { return Vec::new() };
        vec![self.end(id, pending.request, Outcome::Abstained(why), by.into(), None)]
    }

    /// More is known about what is asked: it is judged again, and shown again.
    pub fn refresh(&mut self, now: Instant, id: RequestId, request: Request) -> Vec<Effect> {
        let Some(mut pending) = self.pending.remove(&id) else { return Vec::new() };
        if pending.request == request {
            self.pending.insert(id, pending);
            return Vec::new();
        }
        if let Some((outcome, by)) = self.judged(now, &request) {
            return vec![self.end(id, request, outcome, by.into(), None)];
        }
        pending.suggestion = request.suggestion();
        pending.bytes = bytes_of(&request);
        pending.request = request;
        self.pending.insert(id, pending.clone());
        vec![Effect::Asked(Box::new(pending))]
    }

    /// A session has ended: nothing of it waits, and nothing is remembered.
    pub fn session_ended(&mut self, session: &str) -> Vec<Effect> {
        self.memories.clear(session);
        let open: Vec<RequestId> =
            self.pending.values().filter(|p| p.request.session == session).map(|p| p.id).collect();
        open.into_iter().flat_map(|id| self.withdraw(id, Why::Gone)).collect()
    }

    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.pending.values().map(|pending| pending.expires).min()
    }

    pub fn on_deadline(&mut self, now: Instant) -> Vec<Effect> {
        self.memories.expire(now);
        let late: Vec<RequestId> = self.pending.values().filter(|p| p.expires <= now).map(|p| p.id).collect();
        late.into_iter().flat_map(|id| self.withdraw(id, Why::Expired)).collect()
    }

    /// Oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.pending.values()
    }

    #[must_use]
    pub fn get(&self, id: RequestId) -> Option<&Pending> {
        self.pending.get(&id)
    }

    fn end(
        &mut self,
        id: RequestId,
        request: Request,
        outcome: Outcome,
        by: String,
        remembered: Option<String>,
    ) -> Effect {
        self.ended.insert(id, by.clone());
        self.order.push_back(id);
        if self.order.len() > REMEMBERED
            && let Some(old) = self.order.pop_front()
        {
            self.ended.remove(&old);
        }
        Effect::Ended { id, request: Box::new(request), outcome, by, remembered }
    }
}
