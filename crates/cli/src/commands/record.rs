//! `coop record`: a session as an asciicast.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use coop_api::client::{Client, ClientError, Follow, Incoming, Place, Socket};
use coop_api::v1::event::Body;
use coop_api::v1::{Event, Recording, RecordingConfig, ResumeRequest};
use coop_api::ws::{Request, ServerMessage, Tagged, Topic};
use coop_terminal::Size;
use coop_terminal::cast::{Head, Reel, Version};
use tokio::time::Instant;

use crate::sessions::NamedTarget;
use crate::{CommandError, out, reconnect};

const EXAMPLES: &str = "\
Examples:
  coop record -s claude                        until Ctrl-C or the end of the program
  coop record -s claude --from-start -o a.cast with what it has printed before, as far as that is kept
  coop record -s claude --so-far -o a.cast     what is kept, with its times, and no more
  coop record -s claude --max-size 50          ends when the file has 50 MiB
  coop record -s claude --max-size 50 --prune  keeps the newest 50 MiB; the recording says what is gone
  coop record -s claude --detach               the session records itself; prints the file, and --stop ends it
  coop play a.cast --speed 2                   asciinema play a.cast does it too";

/// Record a session, for `coop play` and for asciinema. Ctrl-C ends the recording, and the session goes on
///
/// Every change of the agent's state and every question is a marker to jump to. What is typed is not recorded unless --input
/// asks for it, but what the program shows of it is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Record {
    #[command(flatten)]
    target: NamedTarget,
    /// The file to write; one that exists is left alone [default: <SESSION>-<SECONDS>.cast]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Begin with the oldest output that is kept, which is then played at once
    #[arg(long)]
    from_start: bool,
    /// Write what is kept of the output, with its times and markers, and end
    #[arg(long, conflicts_with_all = ["from_start", "max_size"])]
    so_far: bool,
    /// Version of the format: 2, which every player reads, or 3, which needs asciinema 3 or `coop play`
    #[arg(long, value_name = "N", default_value = "2", value_parser = ["2", "3"])]
    format: String,
    /// End the recording when the file has so many MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_size: Option<u64>,
    /// Go on then, and drop what is oldest
    #[arg(long, requires = "max_size")]
    prune: bool,
    /// Let the session record itself, to a file in coop's folder, until --stop or its end; the oldest goes when it has 100
    /// MiB, or --max-size
    #[arg(long, conflicts_with_all = ["output", "so_far"])]
    detach: bool,
    /// End the recording that the session makes of itself
    #[arg(long, conflicts_with_all = ["output", "so_far", "detach", "from_start", "max_size", "input"])]
    stop: bool,
    /// Record what is typed, too, but where a program reads lines that the terminal does not show: a password may be asked for.
    /// Agents read key by key: all that is typed into them is recorded
    #[arg(long, requires = "detach")]
    input: bool,
}

impl Record {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        if self.detach || self.stop {
            return self.detached(&client).await;
        }
        let (health, status) = (client.health().await?, client.status().await?);
        let name = health.name;
        let path = self.output.unwrap_or_else(|| format!("{name}-{}.cast", seconds()).into());
        let unwritten = |error: io::Error| {
            CommandError::failed(format!("{} cannot be written: {error}", path.display()))
                .with_hint("Say with --output where the recording is to go.")
        };
        if self.so_far {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(unwritten)?;
            let text = client.recording(self.format.parse().unwrap_or(2)).await?;
            (&file).write_all(text.as_bytes())?;
            out::complain(&format!("Play it with: coop play {}\n", path.display()));
            return Ok(());
        }
        let version = if self.format == "2" { Version::V2 } else { Version::V3 };
        let size = health.terminal.and_then(|size| Size::new(size.cols, size.rows).ok()).unwrap_or_default();
        let head = Head {
            version,
            size,
            timestamp: Some(seconds()),
            title: Some(name.clone()),
            command: None,
            term: Some("xterm-256color".into()),
        };
        let limit = self.max_size.map(|mib| mib << 20);
        let mut recorder = Recorder {
            reel: Reel::create(&path, head, limit.filter(|_| self.prune)).map_err(unwritten)?,
            start: Instant::now(),
            size,
            place: self.from_start.then_some(Place { generation: status.generation, offset: status.output_start }),
            asked: false,
            limit: limit.filter(|_| !self.prune),
        };
        out::complain(&format!("Recording `{name}` to {}. Ctrl-C ends it.\n", path.display()));
        let end = tokio::select! {
            end = recorder.run(&client) => end?,
            stopped = tokio::signal::ctrl_c() => stopped.map(|()| "You ended it")?,
        };
        recorder.reel.finish()?;
        out::complain(&format!("{end}. Play it with: coop play {}\n", path.display()));
        Ok(())
    }
}

impl Record {
    /// By the session itself.
    async fn detached(&self, client: &Client) -> Result<(), CommandError> {
        let config = RecordingConfig {
            enabled: self.detach,
            from_start: self.from_start,
            input: self.input,
            max_bytes: self.max_size.map(|mib| mib << 20),
            version: self.format.parse().ok(),
        };
        let recording = client.put_recording_config(&config).await?;
        let Recording { path: Some(path), bytes, pruned_bytes, .. } = &recording else {
            return Err(CommandError::failed("The session was not recording itself")
                .with_hint("`coop record --detach` lets it, and without that `coop record` ends with Ctrl-C."));
        };
        if self.stop {
            let pruned = if *pruned_bytes > 0 { format!(", {pruned_bytes} older ones pruned") } else { String::new() };
            out::complain(&format!("It has {bytes} bytes{pruned}. Play it with: coop play {path}\n"));
        } else {
            out::complain("The session records itself until `coop record --stop`, or its end.\n");
        }
        if let Some(error) = &recording.error {
            return Err(CommandError::failed(format!("It ended early: {error}")));
        }
        out::print(&format!("{path}\n"))
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

struct Recorder {
    reel: Reel,
    start: Instant,
    size: Size,
    /// Where we are in the output. None before the first picture.
    place: Option<Place>,
    /// A picture of the screen is on its way.
    asked: bool,
    /// When to end.
    limit: Option<u64>,
}

impl Recorder {
    /// Why it ended.
    async fn run(&mut self, client: &Client) -> Result<&'static str, CommandError> {
        let mut socket = client.connect(&self.wanted()).await?;
        loop {
            match self.follow(&mut socket).await {
                Ok(end) => return Ok(end),
                Err(Interruption::Connection(ClientError::Unreachable { .. })) => {
                    socket = reconnect::connect(client, &self.wanted()).await?;
                }
                Err(Interruption::Connection(error)) => return Err(error.into()),
                Err(Interruption::File(error)) => return Err(error),
            }
        }
    }

    fn wanted(&self) -> Follow {
        Follow { topics: vec![Topic::Output, Topic::State], from: self.place, snapshot: self.place.is_none() }
    }

    async fn follow(&mut self, socket: &mut Socket) -> Result<&'static str, Interruption> {
        self.asked = false;
        while self.limit.is_none_or(|limit| self.reel.len().0 < limit) {
            if self.reel.wants_cut() && !std::mem::replace(&mut self.asked, true) {
                let picture = Request::Resume(ResumeRequest::default());
                socket.request(1, &picture).await.map_err(Interruption::Connection)?;
            }
            match socket.next().await.map_err(Interruption::Connection)? {
                None => return Ok("The session was closed"),
                Some(Incoming::Output { offset, bytes }) => {
                    self.reel.output(self.start.elapsed(), &bytes).map_err(Interruption::file)?;
                    if let Some(place) = &mut self.place {
                        place.offset = offset + bytes.len() as u64;
                    }
                }
                Some(Incoming::Message(message)) => {
                    if self.message(*message).map_err(Interruption::file)? {
                        return Ok("The program has exited");
                    }
                }
            }
        }
        Ok("The file has the size that was asked for")
    }

    /// Whether it is over.
    fn message(&mut self, message: ServerMessage) -> io::Result<bool> {
        let at = self.start.elapsed();
        match message {
            ServerMessage::Tagged(Tagged::Resume { resume, .. }) => {
                self.place = Some(Place { generation: resume.generation, offset: resume.offset });
                let size = Size::new(resume.cols, resume.rows).unwrap_or(self.size);
                if std::mem::take(&mut self.asked) && !resume.data.is_empty() {
                    self.reel.cut(at, size)?;
                }
                self.resize(size)?;
                self.reel.output(at, &resume.data)?;
            }
            ServerMessage::Event(Event { body: Some(body), .. }) => match body {
                Body::Resize(size) => self.resize(Size::new(size.cols, size.rows).unwrap_or(self.size))?,
                Body::StateChange(change) => {
                    let kind = change.prompt.map(|prompt| format!(": {}", prompt.r#type)).unwrap_or_default();
                    self.reel.marker(at, &format!("{}{kind}", change.next))?;
                }
                Body::Exit(exit) => {
                    let code = exit.code.or_else(|| exit.signal.map(|signal| 128 + signal)).unwrap_or_default();
                    self.reel.exit(at, code)?;
                    return Ok(true);
                }
                _ => {}
            },
            _ => {}
        }
        Ok(false)
    }

    fn resize(&mut self, size: Size) -> io::Result<()> {
        if size == self.size {
            return Ok(());
        }
        self.size = size;
        self.reel.resize(self.start.elapsed(), size)
    }
}

enum Interruption {
    Connection(ClientError),
    File(CommandError),
}

impl Interruption {
    fn file(error: io::Error) -> Self {
        Self::File(error.into())
    }
}
