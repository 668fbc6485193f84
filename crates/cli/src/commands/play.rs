//! `coop play`: an asciicast in the person's terminal.

use std::fs::File;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Read, stdin};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use coop_terminal::cast::{CastError, Event, Reader};
use tokio::time::Instant;

use crate::{CommandError, out};

/// Leaves the other screen, stops reports of mouse and paste, ends colours, shows the cursor.
const RESET: &[u8] =
    b"\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b[0m\x1b[?25h\r\n";

/// Play a recording in your terminal: one of `coop record`, or any asciicast of version 2 or 3. Ctrl-C ends it
#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The recording; - reads it from standard input
    file: PathBuf,
    /// So many times as fast
    #[arg(long, short, value_name = "N", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Never wait longer than this many seconds for the next thing to happen; 0 waits for as long as it took
    #[arg(long, short, value_name = "SECS", default_value_t = 2.0, value_parser = limit)]
    idle_limit: f64,
    /// List the markers and when they come, and play nothing
    #[arg(long)]
    markers: bool,
    /// Begin at this marker, counted from 1
    #[arg(long, value_name = "N", conflicts_with = "markers")]
    from: Option<usize>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "it is a number, such as 2 or 0.5".to_owned())?;
    if (0.01..=1000.0).contains(&speed) { Ok(speed) } else { Err("it is between 0.01 and 1000".into()) }
}

fn limit(text: &str) -> Result<f64, String> {
    let secs: f64 = text.parse().map_err(|_| "it is a number of seconds".to_owned())?;
    if (0.0..=86_400.0).contains(&secs) { Ok(secs) } else { Err("it is between 0 and 86400".into()) }
}

impl Play {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let source: Box<dyn Read> =
            if self.file.as_os_str() == "-" {
                Box::new(stdin())
            } else {
                Box::new(File::open(&self.file).map_err(|error| {
                    CommandError::failed(format!("{} cannot be read: {error}", self.file.display()))
                })?)
            };
        let mut source = BufReader::new(source);
        let mut first = String::new();
        source.read_line(&mut first)?;
        let wrong = |error: CastError| CommandError::failed(format!("{}: {error}", self.file.display()));
        let mut reader = Reader::new(&first).map_err(wrong)?;
        let mut stage =
            Stage { play: &self, at: Duration::ZERO, due: Instant::now(), marker: 0, live: self.from.is_none() };
        let playing = async {
            let mut line = Vec::new();
            while source.read_until(b'\n', &mut line)? > 0 {
                match reader.line(&String::from_utf8_lossy(&line)) {
                    Ok(Some((at, event))) => stage.event(at, event).await?,
                    Ok(None) => {}
                    // Whoever wrote it is not through with it, or was killed.
                    Err(_) if !line.ends_with(b"\n") => break,
                    Err(error) => return Err(wrong(error)),
                }
                line.clear();
            }
            Ok::<(), CommandError>(())
        };
        let played = tokio::select! {
            played = playing => played,
            stopped = tokio::signal::ctrl_c() => Ok(stopped?),
        };
        if !self.markers && std::io::stdout().is_terminal() {
            out::write(RESET)?;
        }
        played
    }
}

struct Stage<'a> {
    play: &'a Play,
    /// How far the recording is.
    at: Duration,
    /// When that was due.
    due: Instant,
    marker: usize,
    /// What is shown is waited for; before, it is only caught up with.
    live: bool,
}

impl Stage<'_> {
    async fn event(&mut self, at: Duration, event: Event) -> Result<(), CommandError> {
        if let Event::Marker(name) = &event {
            self.marker += 1;
            self.live |= self.play.from.is_some_and(|from| self.marker >= from);
            if self.play.markers {
                let name = out::harmless(name);
                out::print(&format!("{:>4}  {:>9.1} s  {name}", self.marker, at.as_secs_f64()))?;
            }
        }
        if self.play.markers {
            return Ok(());
        }
        self.wait(at).await;
        match event {
            Event::Output(text) => out::write(text.as_bytes()),
            // Terminals that let programs resize them do; the others cut or wrap.
            Event::Resize(size) => out::write(format!("\x1b[8;{};{}t", size.rows(), size.cols()).as_bytes()),
            Event::Input(_) | Event::Marker(_) | Event::Exit(_) | Event::Other => Ok(()),
        }
    }

    async fn wait(&mut self, at: Duration) {
        let pause = at.saturating_sub(self.at);
        self.at = at;
        if !self.live {
            self.due = Instant::now();
            return;
        }
        let longest = self.play.idle_limit;
        let pause = if longest > 0.0 { pause.min(Duration::from_secs_f64(longest)) } else { pause };
        self.due += pause.div_f64(self.play.speed);
        tokio::time::sleep_until(self.due).await;
    }
}
