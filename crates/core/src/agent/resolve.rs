//! Is a piece of evidence believed? One function, one reason for each verdict.
//!
//! Facts are ordered by when they happened, not by when they were heard: a hook is a process that may start late, a log
//! line is written late, a report on the terminal is not.

use std::time::{Duration, Instant};

use super::evidence::{Evidence, Fact, Look, Source};
use super::prompt::PromptContext;
use super::state::State;

/// How long each kind of doubt lasts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long an idle state that is only guessed must last.
    pub idle_grace: Duration,
    /// A level this close after an edge may still speak of the time before it.
    pub level_delay: Duration,
    /// What a dialog must last on the screen before it counts without a hook.
    pub dialog_delay: Duration,
    /// What an agent that starts must look ready before it counts as that.
    pub start_delay: Duration,
    /// How long structured sources may be silent while the screen says otherwise.
    pub recovery: Duration,
    /// How long the agent's own word that it works, rests or has failed must stand: some say so in passing too.
    pub report_delay: Duration,
    /// It asks about its plan when the turn is over, and says that it rests: only the screen shows that it asks.
    pub plan_at_rest: bool,
    /// It asks several things one after the other, and says only once that it asks.
    pub asks_in_turn: bool,
    /// It asks amid its work only: a turn that ends by itself went on after its dialog was answered.
    pub asks_amid_work: bool,
    /// A session that is cleared or resumed says so when it rests, not with its next message.
    pub starts_at_rest: bool,
    /// While it starts it looks as if it worked.
    pub starts_busy: bool,
    /// Tools whose dialog is not about a permission.
    pub own_dialogs: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            idle_grace: Duration::from_secs(60),
            // Two turns of an agent's event loop, and the way of a report through the terminal.
            level_delay: Duration::from_millis(60),
            dialog_delay: Duration::from_millis(250),
            start_delay: Duration::from_millis(500),
            recovery: Duration::from_secs(2),
            report_delay: Duration::ZERO,
            plan_at_rest: false,
            asks_in_turn: false,
            asks_amid_work: false,
            starts_at_rest: true,
            starts_busy: false,
            own_dialogs: Vec::new(),
        }
    }
}

/// What the judgement depends on besides the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    pub state: &'a State,
    /// When the newest fact happened that the state rests on, and who told it.
    pub basis: Option<(Source, Instant)>,
    /// When the work began that is under way, or was the last.
    pub worked: Option<Instant>,
    /// When that work ended, if nobody has said which turn it was.
    pub rested: Option<Instant>,
    /// When the evidence's turn ended, if it has.
    pub turn_ended: Option<Instant>,
    /// The evidence is of the turn that is under way.
    pub current: bool,
    /// It is of the turn before, by whose name the one that is under way was called.
    pub is_misnamed: bool,
    /// The work that is under way was taken while the turn before ended: it was called by the name of that one, or the
    /// terminal, which now speaks, has not told of it yet.
    pub overlaps: bool,
    /// The evidence's turn was told of only after something younger was known, and so may its end be.
    pub late: bool,
    /// When a tool was stopped, if its turn has not been heard of since.
    pub stopped: Option<Instant>,
    /// When a structured source was last heard, if ever.
    pub structured: Option<Instant>,
    /// Whether a source that knows of prompts has been heard.
    pub prompts_known: bool,
    /// The evidence is of a dialog that shows another call than all that are asked about.
    pub another: bool,
    /// What the evidence says is asked is known to be answered.
    pub answered: bool,
    /// The work that is under way has been on the screen.
    pub seen_at_work: bool,
    pub settings: &'a Settings,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accept(Rule, String),
    Reject(Rule, String),
    /// Judged again then, unless the same source says something else before.
    Defer(Rule, String, Instant),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The end of the process is final.
    Exited,
    /// The process is being replaced, or has been.
    Restart,
    /// Says nothing about the state.
    Noted,
    /// A turn that is over stays over.
    TurnOver,
    /// Something newer is known already.
    Older,
    /// Something happened, and it is the newest.
    NewerEdge,
    /// A structured source says how it is now.
    Level,
    /// A guess from how it looks.
    Heuristic,
    /// Everybody who knows better has been silent for too long.
    Recovery,
}

impl Rule {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::Restart => "restart",
            Self::Noted => "noted",
            Self::TurnOver => "turn over",
            Self::Older => "older",
            Self::NewerEdge => "newer edge",
            Self::Level => "level",
            Self::Heuristic => "heuristic",
            Self::Recovery => "recovery",
        }
    }
}

/// An edge of a turn this much after its end means that it went on: somebody kept the agent from stopping.
pub(super) const WENT_ON: Duration = Duration::from_millis(150);

/// Two words about the end of one turn are not further apart than this.
const SAME_END: Duration = Duration::from_secs(1);

/// `settled` when the evidence was deferred and its time has come.
#[must_use]
pub fn resolve(now: Instant, situation: &Situation<'_>, evidence: &Evidence, settled: bool) -> Verdict {
    if let Some(verdict) = process(situation.state, &evidence.fact) {
        return verdict;
    }
    if matches!(
        evidence.fact,
        Fact::Noted { .. } | Fact::SubagentEnded | Fact::Compacted | Fact::ToolStopped | Fact::Said { .. }
    ) {
        return Verdict::Reject(Rule::Noted, "says nothing about the state".into());
    }
    if says_why(situation, evidence) {
        return Verdict::Accept(Rule::NewerEdge, "it says how the turn ended".into());
    }
    // A turn that goes on does so with something new, not with a tool that comes back.
    let is_late = |ended: Instant| evidence.at <= ended + WENT_ON || matches!(evidence.fact, Fact::ToolFinished { .. });
    if situation.is_misnamed || situation.turn_ended.is_some_and(is_late) {
        return Verdict::Reject(Rule::TurnOver, "its turn has ended".into());
    }
    let starts = situation.settings.starts_busy && matches!(situation.state, State::Starting);
    if starts && evidence.fact == WORKING {
        return Verdict::Reject(Rule::Noted, "it looks so while it starts".into());
    }
    if at_plan(situation, evidence) {
        return Verdict::Reject(Rule::Noted, "it says so while it asks about its plan".into());
    }
    if situation.overlaps && !settled && rests_namelessly(evidence) {
        let due = evidence.at + situation.settings.recovery;
        return Verdict::Defer(Rule::Level, "it may be the end of the turn before".into(), due);
    }
    if in_passing(situation.settings, evidence) && !settled {
        let due = evidence.at + situation.settings.report_delay;
        return Verdict::Defer(Rule::Level, "it may say so in passing".into(), due);
    }
    if let Some(due) = situation.stopped.map(|at| at + situation.settings.recovery)
        && evidence.fact == WORKING
        && now < due
    {
        return Verdict::Defer(Rule::Level, "its turn is being stopped".into(), due);
    }
    match (&evidence.fact, evidence.source.is_structured()) {
        (Fact::Looks(look), false) => guess(now, situation, evidence, look, settled),
        (Fact::Looks(_), true) => level(situation, evidence, settled),
        (_, true) => edge(situation, evidence),
        // A guess that is not a look cannot be made; the end of the process came first.
        (_, false) => Verdict::Reject(Rule::Noted, "a guess states no facts".into()),
    }
}

/// What the process itself decides: where there is none, there is nothing else to say.
fn process(state: &State, fact: &Fact) -> Option<Verdict> {
    Some(match (fact, state) {
        (Fact::ProcessExited, _) => Verdict::Accept(Rule::Exited, "the process is gone".into()),
        (Fact::ProcessFailed { why }, _) => Verdict::Accept(Rule::Exited, why.clone()),
        (Fact::ProcessReplacing, _) => Verdict::Accept(Rule::Restart, "a restart was asked for".into()),
        (Fact::ProcessStarted, _) => Verdict::Accept(Rule::Restart, "the program was started again".into()),
        (_, State::Exited) => Verdict::Reject(Rule::Exited, "the process is gone".into()),
        (_, State::Restarting) => Verdict::Reject(Rule::Restart, "the process is being replaced".into()),
        _ => return None,
    })
}

/// The agent's word that it rests, while the plan of its turn waits for an answer.
fn at_plan(situation: &Situation<'_>, evidence: &Evidence) -> bool {
    let rests = matches!(evidence.fact, Fact::Looks(Look::Idle) | Fact::TurnEnded { .. });
    let asks = matches!(situation.state.prompt().map(|prompt| &prompt.context), Some(PromptContext::Plan(_)));
    situation.settings.plan_at_rest && asks && rests && evidence.source == Source::Report
}

/// It rests, by those who do not say which turn it was.
fn rests_namelessly(evidence: &Evidence) -> bool {
    let rests = matches!(evidence.fact, Fact::Looks(Look::Idle) | Fact::TurnEnded { .. });
    rests && evidence.turn.is_none() && matches!(evidence.source, Source::Registry | Source::Report)
}

/// What a report says and may take back at once. That something is asked stays.
fn in_passing(settings: &Settings, evidence: &Evidence) -> bool {
    let passes = matches!(
        evidence.fact,
        Fact::Looks(Look::Idle | Look::Working) | Fact::TurnEnded { .. } | Fact::TurnFailed { .. }
    );
    passes && evidence.source == Source::Report && !settings.report_delay.is_zero()
}

/// That the turn is over was heard already, but not that it failed; or the terminal told of its work only then.
fn says_why(situation: &Situation<'_>, evidence: &Evidence) -> bool {
    let just_now = |at: Instant| evidence.at + SAME_END >= at && evidence.at <= at + SAME_END;
    let late = situation.settings.level_delay * LATE;
    let is_late = |source, at| source == Source::Report && evidence.at < at && at <= evidence.at + late;
    matches!(evidence.fact, Fact::TurnFailed { .. })
        && match (situation.state, situation.basis) {
            (State::Idle, Some((_, at))) => just_now(at),
            (State::Working, Some((source, at))) => situation.current && is_late(source, at),
            _ => false,
        }
}

fn edge(situation: &Situation<'_>, evidence: &Evidence) -> Verdict {
    if evidence.fact.agent().is_some() && !matches!(evidence.fact, Fact::PromptShown { .. }) {
        // A subagent may go on in the background when the turn is over.
        if !matches!(situation.state, State::Working | State::Starting) {
            return Verdict::Reject(Rule::Noted, "a subagent's tool does not change what its master does".into());
        }
    }
    if answers(situation.state, &evidence.fact) {
        return Verdict::Accept(Rule::NewerEdge, "the tool that was asked about has come back".into());
    }
    let ends = matches!(evidence.fact, Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::Interrupted);
    if situation.late && ends {
        return Verdict::Accept(Rule::NewerEdge, format!("{}: {}", evidence.source.name(), evidence.fact.name()));
    }
    if completes(situation, &evidence.fact) {
        return Verdict::Accept(Rule::NewerEdge, "it says what is asked".into());
    }
    match situation.basis {
        Some((source, at)) if evidence.at < at && !begins(situation, evidence) && !waits(situation, evidence) => {
            Verdict::Reject(Rule::Older, format!("{} is newer", source.name()))
        }
        _ => Verdict::Accept(Rule::NewerEdge, format!("{}: {}", evidence.source.name(), evidence.fact.name())),
    }
}

/// The tool that the prompt is about has come back, so it was answered, however long its dialog is still seen.
fn answers(state: &State, fact: &Fact) -> bool {
    let asked = state.prompt().and_then(|prompt| prompt.context.tool_id());
    matches!(fact, Fact::ToolFinished { id: Some(id), .. } if asked == Some(id.as_str()))
}

/// The dialog was seen before it was told what it is about.
fn completes(situation: &Situation<'_>, fact: &Fact) -> bool {
    let (Some(prompt), Fact::PromptShown { context }) = (situation.state.prompt(), fact) else { return false };
    let unknown = prompt.context.kind() == context.kind() && prompt.context.input().is_none();
    (prompt.context.is_generic() || unknown) && context.input().is_some() && !situation.another
}

/// Somebody waits for an answer, though something has happened since: another tool has come back, for example. One who
/// asks when a younger dialog is up has been answered, unless both are up, as those of subagents are.
fn waits(situation: &Situation<'_>, evidence: &Evidence) -> bool {
    let Fact::PromptShown { context } = &evidence.fact else { return false };
    let beside = matches!(context, PromptContext::Permission(permission) if permission.agent_id.is_some());
    let waits = matches!(evidence.source, Source::Hook | Source::Server);
    waits && !situation.answered && (beside || !matches!(situation.state, State::Prompt(_)))
}

/// A turn that nobody has heard of begins whenever that is heard: if it were over, its end would be known. One that is
/// under way has begun already, and so has one from before the last work, whoever told of that and of its end.
fn begins(situation: &Situation<'_>, evidence: &Evidence) -> bool {
    let starts = matches!(evidence.fact, Fact::TurnStarted { .. }) && evidence.turn.is_some();
    let early = situation.worked.is_some_and(|from| evidence.at <= from + situation.settings.level_delay);
    let seen = early || situation.rested.is_some_and(|end| evidence.at < end);
    starts && !seen && !matches!(situation.state, State::Working | State::Prompt(_))
}

/// How many times later a report of work may be that is heard after the end of its turn.
const LATE: u32 = 5;
const WORKING: Fact = Fact::Looks(Look::Working);

fn level(situation: &Situation<'_>, evidence: &Evidence, settled: bool) -> Verdict {
    let Some((source, at)) = situation.basis else {
        return Verdict::Accept(Rule::Level, format!("{} says so", evidence.source.name()));
    };
    // What the same source said before is older by definition: it speaks of now.
    let same = source == evidence.source;
    if evidence.at < at || (evidence.at == at && !same) {
        return Verdict::Reject(Rule::Older, format!("{} is newer", source.name()));
    }
    let delay = situation.settings.level_delay;
    // A short turn is over before the terminal has told that it began; a new one would be told by its hook.
    let late = match situation.state {
        State::Idle => source == Source::Hook && evidence.fact == WORKING,
        State::Error(_) | State::Parked(_) => evidence.source == Source::Report && evidence.fact == WORKING,
        _ => false,
    };
    let due = at + if late { delay * LATE } else { delay };
    if evidence.at < due && !settled && !same {
        return Verdict::Defer(Rule::Level, format!("too close after what {} said", source.name()), due);
    }
    Verdict::Accept(Rule::Level, format!("{}: {}", evidence.source.name(), evidence.fact.name()))
}

fn guess(now: Instant, situation: &Situation<'_>, evidence: &Evidence, look: &Look, settled: bool) -> Verdict {
    let settings = situation.settings;
    let heard = situation.structured;
    match look {
        Look::Dialog { context } => {
            // Dialogs of the start are told by nobody else.
            let plan = settings.plan_at_rest && matches!(context.as_deref(), Some(PromptContext::Plan(_)));
            let own = plan || context.as_ref().is_some_and(|context| context.subtype().is_some());
            // The screen may still show the dialog before.
            let told = matches!(situation.state, State::Prompt(_)) && !situation.another;
            let wait = if own || told {
                Duration::ZERO
            } else if situation.prompts_known {
                settings.recovery
            } else {
                settings.dialog_delay
            };
            after(evidence, wait, settled, "a dialog is on the screen")
        }
        Look::Unclear => Verdict::Reject(Rule::Noted, "it says nothing".into()),
        // Judged where it is known who told of the prompt.
        Look::NoDialog { .. } => Verdict::Reject(Rule::Heuristic, "others tell of this prompt".into()),
        Look::Working if matches!(situation.state, State::Prompt(_)) && !settings.report_delay.is_zero() => {
            Verdict::Reject(Rule::Heuristic, "it may look so in passing".into())
        }
        Look::Working if heard.is_none() => {
            Verdict::Accept(Rule::Heuristic, format!("{} looks like work", evidence.source.name()))
        }
        Look::Working => match situation.state {
            State::Idle | State::Starting | State::Error(_) | State::Parked(_) => {
                let quiet = heard.map_or(evidence.at, |heard| heard.max(evidence.at));
                recovered(now, quiet + settings.recovery, settled, "it looks like work, and nobody says otherwise")
            }
            _ => Verdict::Reject(Rule::Heuristic, "a structured source speaks for this".into()),
        },
        // It says so itself, which no work between two pictures does.
        Look::Failed { .. } if heard.is_none() => {
            after(evidence, settings.dialog_delay, settled, "it says that it failed")
        }
        Look::Failed { .. } => Verdict::Reject(Rule::Heuristic, "a structured source speaks for this".into()),
        // Words of the turn before stay on the screen until the work of the next is there.
        Look::Interrupted if heard.is_none() || situation.seen_at_work => {
            after(evidence, settings.dialog_delay, settled, "it says that it was interrupted")
        }
        // Nothing is lowered by it.
        Look::Idle | Look::Interrupted if matches!(situation.state, State::Starting) => {
            after(evidence, settings.start_delay, settled, "it looks ready")
        }
        Look::Idle | Look::Interrupted => {
            let from = heard.map_or(evidence.at, |heard| heard.max(evidence.at));
            recovered(now, from + settings.idle_grace, settled, "it has looked idle for long enough")
        }
    }
}

fn after(evidence: &Evidence, wait: Duration, settled: bool, why: &str) -> Verdict {
    if wait.is_zero() || settled {
        Verdict::Accept(Rule::Heuristic, why.into())
    } else {
        Verdict::Defer(Rule::Heuristic, format!("{why}, but not for long"), evidence.at + wait)
    }
}

fn recovered(now: Instant, due: Instant, settled: bool, why: &str) -> Verdict {
    if settled && now >= due {
        Verdict::Accept(Rule::Recovery, why.into())
    } else {
        Verdict::Defer(Rule::Recovery, "it may only look so".into(), due)
    }
}

/// The older rule for two sources that cannot be ordered in time: the more certain one, or the one that raises.
#[must_use]
pub fn composite(current: (&State, u8), new: (&State, u8)) -> bool {
    let ((state, tier), (next, next_tier)) = (current, new);
    match (state, next) {
        (_, State::Exited) => true,
        (State::Prompt(have), State::Prompt(get)) if next_tier >= tier => {
            have.context.is_generic() && !get.context.is_generic()
        }
        _ if state.name() == next.name() => false,
        _ if next_tier <= tier => true,
        _ => next.priority() > state.priority(),
    }
}

impl Fact {
    /// The subagent that did it.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        match self {
            Self::ToolStarted { agent, .. } | Self::ToolFinished { agent, .. } => agent.as_deref(),
            _ => None,
        }
    }
}
