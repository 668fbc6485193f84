//! Plays a scene by the keyboard and over the API, and waits for the states that must follow.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use coop_api::client::ClientError;
use coop_api::{Code, v1};
use coop_testkit::TestSession;
use coop_testkit::model::What;

use super::Tells;
use super::compare::differences;
use super::scenes::Scene;

/// A key that has not worked by then was lost. Long, because a second one may answer the next dialog.
const LOST: Duration = Duration::from_secs(5);

/// One thing that is done, or waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Submit(&'static str),
    /// A key that closes a dialog.
    Answer(&'static str, &'static str),
    /// A key that lets a tool make a file.
    Makes(&'static str, &'static str),
    Press(&'static str),
    /// Esc, until the agent hangs up on its model.
    Interrupt,
    Type(&'static str),
    Shows(&'static str),
    Hides(&'static str),
    /// The next call of a hook.
    Hook(&'static str),
    /// Lets the model go on.
    Signal(&'static str),
    Resize(u32, u32),
    /// The kind of prompt that is up.
    Asks(&'static str),
    /// An answer to the prompt that was the last, which is over.
    AnswerLate,
    /// A message while the agent works; its sender waits in the background.
    NudgeNow(&'static str),
    /// The message of before has arrived.
    Delivered,
    /// A message that may not go, because somebody has typed half of another.
    NudgeRefused(&'static str),
    /// Nothing is left in the input box.
    EmptyBox,
    Kill,
    /// What is published by now, after what was before; with a question mark, that it may be.
    States(&'static str),
}

/// What one sitting has come to.
#[derive(Debug, Default)]
pub(super) struct Stage {
    /// The states that must have been published, by scene.
    pub(super) expected: Vec<(&'static str, Vec<Expected>)>,
    /// When a turn was stopped by the person.
    pub(super) interrupts: Vec<SystemTime>,
    /// When each scene began.
    begun: Vec<(SystemTime, &'static str)>,
    tells: Tells,
    prompt: Option<String>,
    nudging: Option<JoinHandle<Result<v1::NudgeResponse, ClientError>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) state: &'static str,
    /// It is right, and right to be without.
    pub(super) optional: bool,
}

impl Stage {
    /// Begins when the agent is idle.
    pub(super) fn new(session: &TestSession, tells: Tells) -> Self {
        let mut stage = Self { tells, ..Self::default() };
        stage.expected.push(("start", Vec::new()));
        stage.states(session, "idle");
        stage
    }

    pub(super) fn play(&mut self, session: &mut TestSession, scene: &Scene) {
        self.expected.push((scene.name, Vec::new()));
        self.begun.push((SystemTime::now(), scene.name));
        for act in scene.acts {
            self.act(session, *act);
        }
    }

    /// What was played then.
    pub(super) fn scene_at(&self, at: SystemTime) -> &'static str {
        self.begun.iter().rfind(|(begun, _)| *begun <= at).map_or("start", |(_, name)| name)
    }

    fn act(&mut self, session: &mut TestSession, act: Act) {
        match act {
            Act::Submit(text) => session.submit(text),
            Act::Answer(key, dialog) => session.answer(key, dialog),
            Act::Makes(key, file) => makes(session, key, file),
            Act::Press(key) => session.press(key),
            Act::Interrupt => self.interrupt(session),
            Act::Type(text) => session.types(text),
            Act::Shows(text) => session.shows(text),
            Act::Hides(text) => session.hides(text),
            Act::Hook(event) => drop(session.hook(event)),
            Act::Signal(name) => session.agent.model.signal(name),
            Act::Resize(cols, rows) => drop(session.ask(session.client.resize(&v1::ResizeRequest { cols, rows }))),
            Act::Asks(kind) => self.asks(session, kind),
            Act::AnswerLate => self.answer_late(session),
            Act::NudgeNow(text) => self.nudge(session, text),
            Act::Delivered => self.delivered(session),
            Act::NudgeRefused(text) => nudge_refused(session, text),
            Act::EmptyBox => empty_box(session),
            Act::Kill => kill(session),
            Act::States(states) => self.states(session, states),
        }
    }

    fn interrupt(&mut self, session: &TestSession) {
        // Before that there is nothing that would be hung up.
        session.until("the model to be asked", |session| {
            let events = session.agent.model.events();
            let asked = events.iter().rev().find(|event| matches!(event.what, What::Request { .. }))?;
            let over = |what: &What| matches!(what, What::Finished(_) | What::Disconnected);
            (!events.iter().any(|event| event.request == asked.request && over(&event.what))).then_some(())
        });
        let hung_up = || session.agent.model.events().iter().filter(|event| event.what == What::Disconnected).count();
        let before = hung_up();
        self.interrupts.push(SystemTime::now());
        insist(session, "the interrupt", "Escape", || hung_up() > before);
    }

    fn asks(&mut self, session: &TestSession, kind: &str) {
        let state = session.wait_json("/api/v1/agent/state", &format!("a {kind} prompt"), |state| {
            state["state"] == "prompt" && state["prompt"]["type"] == kind && state["prompt"]["ready"] == true
        });
        self.prompt = state["prompt"]["prompt_id"].as_str().map(str::to_owned);
    }

    fn answer_late(&self, session: &TestSession) {
        let request = v1::RespondRequest { accept: Some(true), prompt_id: self.prompt.clone(), ..Default::default() };
        let refused = runtime().block_on(session.client.respond(&request));
        assert_eq!(code(&refused), Some(Code::NoPrompt), "{refused:?}\n{session}");
    }

    fn nudge(&mut self, session: &TestSession, text: &str) {
        let (client, request) = (session.client.clone(), nudge(text, "now"));
        self.nudging = Some(thread::spawn(move || runtime().block_on(client.nudge(&request))));
    }

    fn delivered(&mut self, session: &TestSession) {
        let told = self.nudging.take().map(JoinHandle::join);
        assert!(matches!(&told, Some(Ok(Ok(reply))) if reply.delivered), "{told:?}\n{session}");
    }

    /// Waits until what was published is what is expected so far, and nothing else.
    fn states(&mut self, session: &TestSession, states: &'static str) {
        let tells = self.tells;
        let new = states
            .split(' ')
            .map(|state| Expected { state: tells.known(state.trim_end_matches('?')), optional: state.ends_with('?') });
        if let Some((_, expected)) = self.expected.last_mut() {
            expected.extend(new);
        }
        let scene = self.expected.last().map_or("", |(scene, _)| scene);
        session.until(&format!("{states:?} in the scene {scene:?}"), |session| {
            differences(&self.expected, &published(session)).is_none().then_some(())
        });
    }
}

/// Every state that was published, with the time it was heard.
pub(super) fn published(session: &TestSession) -> Vec<(SystemTime, String)> {
    let changes = session.timed_events().into_iter().filter(|(_, event)| event["type"] == "state_change");
    changes.map(|(at, event)| (at, event["next"].as_str().unwrap_or_default().to_owned())).collect()
}

fn makes(session: &TestSession, key: &str, file: &str) {
    session.wait_json("/api/v1/agent/state", "a prompt", |state| state["prompt"]["ready"] == true);
    let path = session.agent.project.join(file);
    insist(session, file, key, || path.exists());
}

/// Presses a key, and again when it was lost.
fn insist(session: &TestSession, what: &str, key: &str, worked: impl Fn() -> bool) {
    session.press(key);
    let mut again = Instant::now() + LOST;
    session.until(what, |session| {
        if Instant::now() > again {
            session.press(key);
            again = Instant::now() + LOST;
        }
        worked().then_some(())
    });
}

fn nudge(text: &str, when: &str) -> v1::NudgeRequest {
    v1::NudgeRequest { message: text.to_owned(), when: Some(when.to_owned()), ..Default::default() }
}

fn nudge_refused(session: &TestSession, text: &str) {
    let refused = runtime().block_on(session.client.nudge(&nudge(text, "idle-only")));
    assert_eq!(code(&refused), Some(Code::DraftPresent), "{refused:?}\n{session}");
}

fn empty_box(session: &TestSession) {
    session.until("an empty input box", |session| {
        let screen = session.screen();
        let mut boxes = screen.lines().rev().filter_map(|line| line.strip_prefix('❯'));
        boxes.next().is_some_and(|draft| draft.trim().is_empty()).then_some(())
    });
}

fn code<T>(reply: &Result<T, ClientError>) -> Option<Code> {
    match reply {
        Err(ClientError::Api(problem)) => Some(problem.code),
        _ => None,
    }
}

/// As the kernel does when memory is short.
fn kill(session: &TestSession) {
    let kill = v1::SendSignalRequest { signal: "KILL".into(), target: Some("group".into()) };
    session.ask(session.client.signal(&kill));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
