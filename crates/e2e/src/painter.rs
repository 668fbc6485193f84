//! A client that paints what it is sent onto a screen of its own.

use coop_api::convert;
use coop_terminal::{Format, Options, Screen, Size};
use serde_json::Value;

use crate::http::Call;
use crate::ws::bytes_of;
use crate::{Address, Incoming};

#[derive(Debug)]
pub struct Painter {
    screen: Screen,
    /// The offset of the next byte, once it is known.
    pub at: Option<u64>,
    /// How often it was told that output is lost.
    pub gaps: usize,
}

impl Default for Painter {
    /// Of another size than any server's: it has to learn.
    fn default() -> Self {
        let size = Size::new(10, 3).unwrap();
        Self { screen: Screen::new(size, Options::default()), at: None, gaps: 0 }
    }
}

impl Painter {
    /// Output must go on where the greeting said, and then where it was; only a `resume` moves it.
    pub fn take(&mut self, message: &Incoming) {
        if let Some((offset, bytes)) = message.output() {
            return self.output(offset, &bytes);
        }
        let Incoming::Json(message) = message else { return };
        let number = |name: &str| message[name].as_u64().unwrap();
        let size = || Size::new(number("cols") as u32, number("rows") as u32).unwrap();
        match message["type"].as_str() {
            Some("hello") => self.resume("ok", size(), number("offset"), &[]),
            Some("resume") => {
                self.resume(message["status"].as_str().unwrap(), size(), number("offset"), &bytes_of(message));
            }
            _ => {}
        }
    }

    pub fn output(&mut self, offset: u64, bytes: &[u8]) {
        let at = *self.at.get_or_insert(offset);
        assert_eq!(offset, at, "output goes on where it was");
        self.screen.feed(bytes).unwrap();
        self.at = Some(at + bytes.len() as u64);
    }

    pub fn resume(&mut self, status: &str, size: Size, offset: u64, repaint: &[u8]) {
        self.gaps += usize::from(status == "gap");
        assert_eq!(status == "ok", repaint.is_empty(), "a repaint comes where it is needed, and only there");
        self.screen.resize(size).unwrap();
        self.screen.feed(repaint).unwrap();
        self.at = Some(offset);
    }

    /// Everything a person can see, in the words of the API.
    #[must_use]
    pub fn look(&self) -> Value {
        look(serde_json::to_value(convert::screen(self.screen.view(Format::Cells, 0), true)).unwrap())
    }

    /// Whether it shows what the server shows.
    pub async fn assert_same(&self, server: &Address, what: &str) {
        let theirs = look(Call::get("/api/v1/screen?format=cells").send(server).await.json());
        let ours = self.look();
        for (row, (our, their)) in rows(&ours).zip(rows(&theirs)).enumerate() {
            assert_eq!(our, their, "{what}: row {row}");
        }
        assert_eq!(ours, theirs, "{what}");
    }
}

fn rows(look: &Value) -> impl Iterator<Item = &Value> {
    look["cells"].as_array().unwrap().iter()
}

/// How often a screen has changed is not to be seen, and neither is whether its title is empty or missing.
fn look(mut screen: Value) -> Value {
    screen["sequence"] = Value::Null;
    if screen["title"] == "" {
        screen["title"] = Value::Null;
    }
    screen
}
