//! What holds the terminal and talks to the hub. It decides nothing: events go to `update`, pictures come from `view`.

mod ask;
mod frames;
mod link;
mod memory;
mod notify;
mod peek;
mod terminal;
mod tmux;
mod write;

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use coop_api::client::Client;
use crossterm::event::{Event as Input, EventStream};
use futures_util::StreamExt as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::event::{Effect, Event, FromHub, Reply};
use crate::model::{Model, Settings};
use crate::update::update;
use crate::view::Drawn;
use frames::Frames;
pub use notify::{Notify, Ways};
use terminal::Terminal;

/// What happens by itself is painted at most this often; what a person does at once.
const FRAME: Duration = Duration::from_millis(50);

/// What a board needs to know.
#[derive(Debug)]
pub struct Options {
    pub client: Client,
    /// The coop to attach with.
    pub coop: PathBuf,
    /// Where the filter and the messages are kept.
    pub memory: PathBuf,
    pub settings: Settings,
    pub notify: Notify,
    /// Where to write how long each picture took, for the benchmark.
    pub frames: Option<PathBuf>,
    /// Panics with the first picture, for the test that the terminal is given back.
    pub panics: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}

/// Shows the board until the person leaves it.
pub async fn run(options: Options) -> Result<(), BoardError> {
    let (remembered, trouble) = memory::read(&options.memory);
    let mut terminal = Terminal::enter()?;
    let model = Model::new(terminal.size()?, options.settings.clone(), remembered);
    let (tell, inbox) = unbounded_channel();
    if let Some(trouble) = trouble {
        // Nobody else has the other end.
        let _ = tell.send(Event::Reply(Reply::Done(Err(trouble))));
    }
    let link = tokio::spawn(link::follow(options.client.clone(), tell.clone()));
    let signals = Signals::new()?;
    let frames = Frames::new(options.frames.clone());
    let mut board = Board { options, model, tell, inbox, signals, frames, peek: None, drawn: Drawn::default() };
    let done = board.turn(&mut terminal).await;
    link.abort();
    board.stop_peek();
    drop(terminal);
    board.frames.write();
    done
}

struct Board {
    options: Options,
    model: Model,
    tell: UnboundedSender<Event>,
    inbox: UnboundedReceiver<Event>,
    signals: Signals,
    frames: Frames,
    peek: Option<JoinHandle<()>>,
    drawn: Drawn,
}

impl Board {
    async fn turn(&mut self, terminal: &mut Terminal) -> Result<(), BoardError> {
        let mut keys = EventStream::new();
        let mut last = Instant::now();
        // Something is not on the screen yet; and a person waits for it.
        let (mut due, mut at_once) = (true, true);
        loop {
            if due && (at_once || last.elapsed() >= FRAME) {
                self.measure(terminal)?;
                self.model.arrange();
                self.drawn = self.frames.time(|| terminal.draw(&self.model, now_ms()))?;
                assert!(!self.options.panics, "as was asked for");
                (last, due, at_once) = (Instant::now(), false, false);
            }
            let wake = self.wake(due.then_some(last + FRAME));
            let mut effects = Vec::new();
            tokio::select! {
                biased;
                () = self.signals.end() => return Ok(()),
                key = keys.next() => match key {
                    Some(key) => {
                        self.measure(terminal)?;
                        effects = self.input(key?);
                        (due, at_once) = (true, true);
                    }
                    // The terminal is gone.
                    None => return Ok(()),
                },
                Some(event) = self.inbox.recv() => {
                    let mut next = Some(event);
                    while let Some(event) = next {
                        let told = matches!(event, Event::Hub(FromHub::Session(_)));
                        effects.extend(update(&mut self.model, event, now_ms()));
                        due |= !told || self.model.is_stale();
                        next = self.inbox.try_recv().ok();
                    }
                }
                () = sleep_until(wake) => {
                    if !due {
                        effects = update(&mut self.model, Event::Time, now_ms());
                        due = true;
                    }
                }
            }
            if effects.contains(&Effect::Quit) {
                return Ok(());
            }
            if effects.contains(&Effect::Redraw) {
                terminal.clear()?;
            }
            if let Some(guest) = Guest::among(&effects) {
                // Whoever has the terminal reads the keys.
                drop(keys);
                let reply = self.lend(terminal, guest).await?;
                keys = EventStream::new();
                effects.extend(update(
                    &mut self.model,
                    Event::Resize(terminal.size()?.0, terminal.size()?.1),
                    now_ms(),
                ));
                effects.extend(update(&mut self.model, Event::Reply(reply), now_ms()));
                (due, at_once) = (true, true);
            }
            self.perform(effects);
        }
    }

    /// The reader of keys may lose that the size has changed, when a key comes at the same moment.
    fn measure(&mut self, terminal: &Terminal) -> Result<(), BoardError> {
        let (cols, rows) = terminal.size()?;
        if self.model.size != (cols, rows) {
            let effects = update(&mut self.model, Event::Resize(cols, rows), now_ms());
            self.perform(effects);
        }
        Ok(())
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        let event = match input {
            Input::Key(key) => Event::Key(key),
            Input::Mouse(mouse) => Event::Mouse(mouse),
            Input::Paste(text) => Event::Paste(text),
            Input::Resize(cols, rows) => Event::Resize(cols, rows),
            Input::FocusGained => Event::Focus(true),
            Input::FocusLost => Event::Focus(false),
        };
        update(&mut self.model, event, now_ms())
    }

    /// When something is to be painted or done, if ever.
    fn wake(&self, frame: Option<Instant>) -> Option<Instant> {
        let now = now_ms();
        let deadline = self.model.deadline();
        // Ages may be late: many that change within a second are one picture. What is counted down may not.
        let ages = self.drawn.wake_ms.map(|at| if deadline.is_some() { at } else { at.next_multiple_of(1000) });
        let at = deadline.into_iter().chain(ages).min();
        let at = at.map(|at| Instant::now() + Duration::from_millis(at.saturating_sub(now)));
        frame.into_iter().chain(at).min()
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Quit | Effect::Redraw | Effect::Attach { .. } | Effect::Write { .. } => {}
                Effect::Remember(remembered) => {
                    if let Err(error) = memory::write(&self.options.memory, &remembered) {
                        self.say(Err(format!("The filter cannot be remembered: {error}")));
                    }
                }
                Effect::Peek(session) => {
                    self.stop_peek();
                    let (hub, tell) = (self.options.client.clone(), self.tell.clone());
                    self.peek = Some(tokio::spawn(peek::watch(hub, session, tell)));
                }
                Effect::Unpeek => self.stop_peek(),
                Effect::Jump { pid } => {
                    let tell = self.tell.clone();
                    tokio::spawn(async move {
                        let _ = tell.send(Event::Reply(Reply::Done(tmux::jump(pid).await)));
                    });
                }
                Effect::Notify { moment, title, text } => self.options.notify.tell(moment, &title, &text),
                request => {
                    let (client, tell) = (self.options.client.clone(), self.tell.clone());
                    tokio::spawn(async move {
                        if let Some(reply) = ask::ask(&client, request).await {
                            // The board may have been left.
                            let _ = tell.send(Event::Reply(reply));
                        }
                    });
                }
            }
        }
    }

    async fn lend(&mut self, terminal: &mut Terminal, guest: Guest) -> io::Result<Reply> {
        match guest {
            Guest::Session(socket) => {
                let mut attach = Command::new(&self.options.coop);
                attach.args(["attach", "--session", &socket]);
                let said = terminal.lend("coop attach", attach, &mut self.signals).await?;
                Ok(Reply::Done(said.map(|()| String::new())))
            }
            Guest::Editor { prompt, text } => {
                let file = self.options.memory.with_file_name(format!("input-{}.json", std::process::id()));
                let result = match write::begin(&file, &text) {
                    Ok(editor) => match terminal.lend("The editor", editor, &mut self.signals).await? {
                        Ok(()) => write::end(&file),
                        Err(why) => Err(why),
                    },
                    Err(why) => Err(why),
                };
                write::forget(&file);
                Ok(Reply::Written { prompt, result })
            }
        }
    }

    fn say(&self, said: Result<String, String>) {
        let _ = self.tell.send(Event::Reply(Reply::Done(said)));
    }

    fn stop_peek(&mut self) {
        if let Some(peek) = self.peek.take() {
            peek.abort();
        }
    }
}

/// Who is to have the terminal.
enum Guest {
    Session(String),
    Editor { prompt: u64, text: String },
}

impl Guest {
    fn among(effects: &[Effect]) -> Option<Self> {
        effects.iter().find_map(|effect| match effect {
            Effect::Attach { socket } => Some(Self::Session(socket.clone())),
            Effect::Write { prompt, text } => Some(Self::Editor { prompt: *prompt, text: text.clone() }),
            _ => None,
        })
    }
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What asks a program to end.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> io::Result<Self> {
        let kinds = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()];
        let [a, b, c] = kinds.map(signal);
        Ok(Self([a?, b?, c?]))
    }

    async fn end(&mut self) {
        let [a, b, c] = &mut self.0;
        tokio::select! {
            _ = a.recv() => {}
            _ = b.recv() => {}
            _ = c.recv() => {}
        }
    }
}
