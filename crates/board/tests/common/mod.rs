//! A board on a screen that is only cells.
#![allow(dead_code, reason = "each test uses a part of it")]

use coop_api::hub::{Prompt, PromptChoice, PromptQuestion, Session, SessionError};
use coop_api::v1::{Context, Cost};
use coop_board::event::{Effect, Event, FromHub};
use coop_board::model::{Model, Remembered, Settings};
use coop_board::update::update;
use coop_board::view::{Drawn, draw};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

/// Everything happens now.
pub(crate) const NOW: u64 = 1_800_000_000_000;

pub(crate) struct Board {
    pub(crate) model: Model,
    pub(crate) now: u64,
    /// What was to be done since it was looked at.
    pub(crate) effects: Vec<Effect>,
    pub(crate) drawn: Drawn,
}

impl Board {
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        let settings = Settings { cwd: "/srv/here".into(), ..Settings::default() };
        let model = Model::new((cols, rows), settings, Remembered::default());
        Self { model, now: NOW, effects: Vec::new(), drawn: Drawn::default() }
    }

    /// With the fleet of the pictures.
    pub(crate) fn full(cols: u16, rows: u16) -> Self {
        let mut board = Self::new(cols, rows);
        board.tell(FromHub::All { sessions: fleet(), prompts: vec![permission(), questions(), plan()] });
        board
    }

    pub(crate) fn tell(&mut self, told: FromHub) {
        self.happens(Event::Hub(told));
        self.model.arrange();
    }

    pub(crate) fn happens(&mut self, event: Event) {
        let effects = update(&mut self.model, event, self.now);
        self.effects.extend(effects);
    }

    /// Names as in the help, with blanks between them; what is none is typed letter by letter.
    pub(crate) fn press(&mut self, names: &str) {
        for name in names.split_whitespace() {
            for key in keys(name) {
                self.happens(Event::Key(key));
            }
        }
    }

    pub(crate) fn took(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The picture as text, a line for each row.
    pub(crate) fn screen(&mut self) -> String {
        let (cols, rows) = self.model.size;
        let mut terminal = Terminal::new(TestBackend::new(cols, rows)).unwrap();
        let mut drawn = Drawn::default();
        terminal.draw(|frame| drawn = draw(&self.model, self.now, frame.buffer_mut())).unwrap();
        self.drawn = drawn;
        let buffer = terminal.backend().buffer().clone();
        let mut text = String::new();
        for y in 0..rows {
            let mut line = String::new();
            let mut skip = 0;
            for x in 0..cols {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                let symbol = buffer[(x, y)].symbol();
                skip = coop_board::text::width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

fn keys(name: &str) -> Vec<KeyEvent> {
    let plain = |code| vec![KeyEvent::new(code, KeyModifiers::NONE)];
    match name {
        "Enter" => plain(KeyCode::Enter),
        "Esc" => plain(KeyCode::Esc),
        "Tab" => plain(KeyCode::Tab),
        "BackTab" => plain(KeyCode::BackTab),
        "Up" => plain(KeyCode::Up),
        "Down" => plain(KeyCode::Down),
        "Left" => plain(KeyCode::Left),
        "Right" => plain(KeyCode::Right),
        "PgDn" => plain(KeyCode::PageDown),
        "PgUp" => plain(KeyCode::PageUp),
        "Home" => plain(KeyCode::Home),
        "End" => plain(KeyCode::End),
        "Space" => plain(KeyCode::Char(' ')),
        "Backspace" => plain(KeyCode::Backspace),
        "Alt-Enter" => vec![KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)],
        _ => match name.strip_prefix("Ctrl-") {
            Some(letter) => {
                let letter = letter.chars().next().unwrap().to_ascii_lowercase();
                vec![KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)]
            }
            None => name.chars().flat_map(|letter| plain(KeyCode::Char(letter))).collect(),
        },
    }
}

pub(crate) fn session(id: u64, state: &str, attention: &str, project: &str, ago_secs: u64) -> Session {
    Session {
        id,
        agent: ["claude", "codex", "gemini"][id as usize % 3].into(),
        state: state.into(),
        attention: attention.into(),
        since_ms: NOW - ago_secs * 1000,
        control: "owned".into(),
        answerable: true,
        project: Some(project.into()),
        cwd: Some(format!("/srv/{project}")),
        branch: Some("main".into()),
        model: Some("claude-opus-4-5".into()),
        socket: Some(format!("/run/coop/{id}.sock")),
        pid: Some(1000 + id as u32),
        reason: "a hook said so".into(),
        ..Session::default()
    }
}

pub(crate) fn fleet() -> Vec<Session> {
    let says = |session: Session, words: &str| Session { last_message: Some(words.into()), ..session };
    vec![
        Session {
            unseen: true,
            context: Some(Context { tokens: 120_400, window: None }),
            cost: Some(Cost { usd: 0.42, estimate: true }),
            ..session(1, "prompt", "asks", "shop", 125)
        },
        session(2, "prompt", "asks", "site", 40),
        session(3, "prompt", "asks", "lab", 15),
        Session {
            error: Some(SessionError {
                kind: "overloaded".into(),
                detail: "The API is overloaded".into(),
                resume_at_ms: None,
            }),
            context: Some(Context { tokens: 240_000, window: Some(258_400) }),
            ..session(4, "error", "failed", "shop", 600)
        },
        Session {
            unseen: true,
            ..says(session(5, "idle", "done", "docs", 300), "All pages are written.\nShall I go on?")
        },
        Session {
            title: Some("Make the login faster".into()),
            ..session(6, "working", "works", "日本語のプロジェクト", 3)
        },
        says(session(7, "idle", "rests", "שלום", 7200), "مرحبا بالعالم 👩‍🚀 done"),
        Session { control: "cold".into(), socket: None, ..says(session(8, "exited", "over", "old", 90_000), "Bye.") },
    ]
}

pub(crate) fn prompt(id: u64, session: u64, kind: &str, tool: &str, text: &str) -> Prompt {
    Prompt {
        id,
        session,
        kind: kind.into(),
        tool: tool.into(),
        text: text.into(),
        asked_ms: NOW,
        expires_ms: NOW + 585_000,
        via: "hook".into(),
        ..Prompt::default()
    }
}

pub(crate) fn permission() -> Prompt {
    let input = json!({ "command": "rm -rf build", "description": "Remove the build folder" });
    Prompt {
        input,
        suggestion: Some("Bash(rm:*)".into()),
        editable: true,
        ..prompt(11, 1, "permission", "Bash", "rm -rf build")
    }
}

pub(crate) fn questions() -> Prompt {
    let choice = |number: u32, label: &str| PromptChoice {
        number,
        key: "option".into(),
        label: label.into(),
        description: Some(format!("what {label} means")),
    };
    let question = |question: &str, several, labels: &[&str]| PromptQuestion {
        question: question.into(),
        several,
        options: (1..).zip(labels).map(|(number, label)| choice(number, label)).collect(),
    };
    let questions = vec![
        question("Which colour?", false, &["Red", "Blue"]),
        question("Which parts?", true, &["Top", "Middle", "End"]),
    ];
    Prompt { questions, ..prompt(12, 2, "question", "AskUserQuestion", "Which colour?\nWhich parts?") }
}

pub(crate) fn plan() -> Prompt {
    prompt(13, 3, "plan", "ExitPlanMode", "# Plan\n1. Read it\n2. Write it")
}
