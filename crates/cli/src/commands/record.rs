//! `coop record`: a session as an asciicast.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use coop_api::client::{Client, ClientError, Follow, Incoming, Place, Socket};
use coop_api::v1::Event;
use coop_api::v1::event::Body;
use coop_api::ws::{ServerMessage, Tagged, Topic};
use coop_terminal::Size;
use coop_terminal::cast::{Head, Version, Writer};
use tokio::time::Instant;

use crate::sessions::NamedTarget;
use crate::{CommandError, out, reconnect};

const EXAMPLES: &str = "\
Examples:
  coop record -s claude                        until Ctrl-C or the end of the program
  coop record -s claude --from-start -o a.cast with what it has printed before, as far as that is kept
  coop record -s claude --max-size 50          ends when the file has 50 MiB
  coop play a.cast --speed 2                   asciinema play a.cast does it too";

/// Record a session, for `coop play` and for asciinema. Ctrl-C ends the recording, and the session goes on
///
/// Every change of the agent's state and every question is a marker to jump to. What is typed is not recorded, but what the
/// program shows of it.
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
    /// Version of the format: 2, which every player reads, or 3, which needs asciinema 3 or `coop play`
    #[arg(long, value_name = "N", default_value = "2", value_parser = ["2", "3"])]
    format: String,
    /// End the recording when the file has so many MiB
    #[arg(long, value_name = "MIB")]
    max_size: Option<u64>,
}

impl Record {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let (health, status) = (client.health().await?, client.status().await?);
        let name = health.name;
        let path = self.output.unwrap_or_else(|| format!("{name}-{}.cast", seconds()).into());
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = file.map_err(|error| {
            CommandError::failed(format!("{} cannot be written: {error}", path.display()))
                .with_hint("Say with --output where the recording is to go.")
        })?;
        let version = if self.format == "2" { Version::V2 } else { Version::V3 };
        let mut recorder = Recorder {
            file,
            writer: Writer::new(version),
            start: Instant::now(),
            size: health.terminal.and_then(|size| Size::new(size.cols, size.rows).ok()).unwrap_or_default(),
            place: self.from_start.then_some(Place { generation: status.generation, offset: status.output_start }),
            written: 0,
            limit: self.max_size.map(|mib| mib << 20),
        };
        let head = Head {
            version,
            size: recorder.size,
            timestamp: Some(seconds()),
            title: Some(name.clone()),
            command: None,
            term: Some("xterm-256color".into()),
        };
        let line = recorder.writer.head(&head);
        recorder.write(&line)?;
        out::complain(&format!("Recording `{name}` to {}. Ctrl-C ends it.\n", path.display()));
        let end = tokio::select! {
            end = recorder.run(&client) => end?,
            stopped = tokio::signal::ctrl_c() => stopped.map(|()| "You ended it")?,
        };
        recorder.file.sync_all()?;
        out::complain(&format!("{end}. Play it with: coop play {}\n", path.display()));
        Ok(())
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

struct Recorder {
    file: File,
    writer: Writer,
    start: Instant,
    size: Size,
    /// Where we are in the output. None before the first picture.
    place: Option<Place>,
    written: u64,
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
        while self.limit.is_none_or(|limit| self.written < limit) {
            match socket.next().await.map_err(Interruption::Connection)? {
                None => return Ok("The session was closed"),
                Some(Incoming::Output { offset, bytes }) => {
                    let at = self.start.elapsed();
                    let line = self.writer.output(at, &bytes).unwrap_or_default();
                    self.write(&line).map_err(Interruption::File)?;
                    if let Some(place) = &mut self.place {
                        place.offset = offset + bytes.len() as u64;
                    }
                }
                Some(Incoming::Message(message)) => {
                    if self.message(*message).map_err(Interruption::File)? {
                        return Ok("The program has exited");
                    }
                }
            }
        }
        Ok("The file has the size that was asked for")
    }

    /// Whether it is over.
    fn message(&mut self, message: ServerMessage) -> Result<bool, CommandError> {
        let at = self.start.elapsed();
        match message {
            ServerMessage::Tagged(Tagged::Resume { resume, .. }) => {
                self.place = Some(Place { generation: resume.generation, offset: resume.offset });
                let size = Size::new(resume.cols, resume.rows).unwrap_or(self.size);
                self.resize(size)?;
                let line = self.writer.output(at, &resume.data).unwrap_or_default();
                self.write(&line)?;
            }
            ServerMessage::Event(Event { body: Some(body), .. }) => match body {
                Body::Resize(size) => self.resize(Size::new(size.cols, size.rows).unwrap_or(self.size))?,
                Body::StateChange(change) => {
                    let kind = change.prompt.map(|prompt| format!(": {}", prompt.r#type)).unwrap_or_default();
                    let line = self.writer.marker(at, &format!("{}{kind}", change.next));
                    self.write(&line)?;
                }
                Body::Exit(exit) => {
                    let code = exit.code.or_else(|| exit.signal.map(|signal| 128 + signal)).unwrap_or_default();
                    let line = self.writer.exit(at, code).unwrap_or_default();
                    self.write(&line)?;
                    return Ok(true);
                }
                _ => {}
            },
            _ => {}
        }
        Ok(false)
    }

    fn resize(&mut self, size: Size) -> Result<(), CommandError> {
        if size == self.size {
            return Ok(());
        }
        self.size = size;
        let line = self.writer.resize(self.start.elapsed(), size);
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), CommandError> {
        self.file.write_all(line.as_bytes())?;
        self.written += line.len() as u64;
        Ok(())
    }
}

enum Interruption {
    Connection(ClientError),
    File(CommandError),
}
