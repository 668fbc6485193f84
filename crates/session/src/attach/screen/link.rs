//! From a window to the session and back, on a thread of its own. What the program prints is logged by Screen to a file,
//! which is read as it grows.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_core::status::Exit;
use coop_machine::{disk, process};
use coop_terminal::Size;
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::{mpsc, oneshot};

use super::super::{AHEAD, Typed};
use super::{Found, picture, typing};
use crate::backend::{Farewell, Output, Piece};

/// The end of the program and another size are looked for, as Screen tells of neither; and the log, should its news be lost.
const GLANCE: Duration = Duration::from_secs(1);
/// What Screen may take to do something that can be seen.
const LIMIT: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);
/// An agent has seen by then that its terminal has another size.
const REPAINT: Duration = Duration::from_millis(150);
const PIECE: usize = 64 << 10;
/// A program that prints all the time is copied this often at the most.
const COPIES: usize = 5;
/// What has been read is taken off the disk after so much.
const PRUNE: u64 = 1 << 20;
/// With more than this unread, the oldest is let go of.
const MOST_UNREAD: u64 = 16 << 20;
/// After so much at once the program is waited for: Screen has no room for much that is not read.
const LONG: usize = 1024;

struct Link {
    found: Found,
    /// For us alone; with the log.
    folder: PathBuf,
    log: Option<File>,
    read: u64,
    pruned: u64,
    history: usize,
    agent: bool,
    pieces: mpsc::Sender<Piece>,
    typed: mpsc::UnboundedReceiver<Typed>,
}

pub(super) fn start(
    found: Found,
    typed: mpsc::UnboundedReceiver<Typed>,
    history: usize,
    agent: bool,
) -> io::Result<(Output, oneshot::Receiver<Exit>)> {
    let (pieces, output) = mpsc::channel(AHEAD);
    let (tell, exit) = oneshot::channel();
    let folder = folder(&found)?;
    let mut link = Link { found, folder, log: None, read: 0, pruned: 0, history, agent, pieces, typed };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let (left, farewell) = std::sync::mpsc::channel();
    std::thread::Builder::new().name("coop-screen".into()).spawn(move || {
        let _left: std::sync::mpsc::Sender<()> = left;
        let over = runtime.block_on(link.run());
        link.leave();
        match over {
            Ok(Some(exit)) => {
                tell.send(exit).ok();
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "Screen cannot be followed");
                tell.send(Exit::Unknown).ok();
            }
        }
    })?;
    Ok((Output::new(output, None, None).with_farewell(Farewell(farewell)), exit))
}

fn folder(found: &Found) -> io::Result<PathBuf> {
    let base = std::env::var_os("XDG_RUNTIME_DIR").filter(|path| !path.is_empty()).map(PathBuf::from);
    let base = base.filter(|path| path.is_dir()).unwrap_or_else(std::env::temp_dir);
    let folder = base.join(format!("coop-screen.{}.{}", std::process::id(), found.pid));
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

impl Link {
    /// How the program ended; nothing if nobody wants to know.
    async fn run(&mut self) -> io::Result<Option<Exit>> {
        let (news, mut changed) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |_: notify::Result<notify::Event>| {
            // One that waits is as good as two.
            news.try_send(()).ok();
        })
        .map_err(io::Error::other)?;
        watcher.watch(&self.folder, RecursiveMode::NonRecursive).map_err(io::Error::other)?;
        self.begin().await?;
        let mut glance = tokio::time::interval(GLANCE);
        let mut size = self.found.size;
        loop {
            tokio::select! {
                _ = changed.recv() => {}
                _ = glance.tick() => {
                    if process::started(self.found.pid).is_none() {
                        // What it printed last may be on its way through Screen.
                        tokio::time::sleep(REPAINT).await;
                        self.read_on().await?;
                        return Ok(Some(Exit::Unknown));
                    }
                    let now = process::size_of(&self.found.tty).map(|(cols, rows)| Size::clamped(cols, rows));
                    if let Some(now) = now.filter(|now| *now != size) {
                        size = now;
                        if self.pieces.send(Piece::Resized(now)).await.is_err() {
                            return Ok(None);
                        }
                    }
                }
                typed = self.typed.recv() => match typed {
                    Some(Typed { bytes, done }) => {
                        let taken = self.type_in(&bytes).await;
                        // Whoever typed may be gone.
                        drop(done.send(taken));
                    }
                    None => return Ok(None),
                },
                () = self.pieces.closed() => return Ok(None),
            }
            self.read_on().await?;
        }
    }

    /// A picture first, and then what is printed. Logged from before the picture is taken, so that nothing is missed.
    async fn begin(&mut self) -> io::Result<()> {
        let path_of_log = self.folder.join("log");
        // Made by us, so that it is for us alone.
        File::options().create_new(true).write(true).mode(0o600).open(&path_of_log)?;
        self.found.tell(&["logfile", path(&path_of_log)?])?;
        self.found.tell(&["logfile", "flush", "0"])?;
        self.found.tell(&["log", "on"])?;
        let log = File::open(&path_of_log)?;
        // Answers come when Screen has got to the question, and to all that it was told before.
        drop(self.found.info());
        let (copied, info) = self.copy(&log)?;
        let copied = last_lines(&copied, self.history + usize::from(self.found.size.rows()));
        let painted = picture::paint(copied, info.as_deref(), self.found.size, self.agent);
        drop(self.pieces.send(Piece::Bytes(painted)).await);
        self.log = Some(log);
        if self.agent {
            self.have_it_painted().await;
        }
        Ok(())
    }

    /// The screen and where its cursor is, at a moment at which nothing was printed; if there is none, some of it comes
    /// twice. What is in the log by then is not read.
    fn copy(&mut self, log: &File) -> io::Result<(Vec<u8>, Option<String>)> {
        let file = self.folder.join("copy");
        for last in (0..COPIES).rev() {
            self.read = log.metadata()?.len();
            self.found.tell(&["hardcopy", "-h", path(&file)?])?;
            let info = self.found.info();
            if last == 0 || log.metadata()?.len() == self.read {
                let copied = fs::read(&file).unwrap_or_default();
                drop(fs::remove_file(&file));
                return Ok((copied, info));
            }
        }
        Ok((Vec::new(), None))
    }

    /// The picture had no letters but Latin ones. An agent paints itself anew when its terminal has another size, so it is
    /// told for a moment that it has. Screen is not, and neither is the person at it.
    async fn have_it_painted(&self) {
        let (size, tty) = (self.found.size, &self.found.tty);
        for rows in [size.rows().saturating_sub(1).max(1), size.rows()] {
            if let Err(error) = process::set_size(tty, size.cols(), rows) {
                tracing::debug!(%error, "the agent is not asked to paint itself anew");
            }
            tokio::time::sleep(REPAINT).await;
        }
    }

    /// Passes on what is new in the log.
    async fn read_on(&mut self) -> io::Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let length = log.metadata()?.len();
        if length.saturating_sub(self.read) > MOST_UNREAD {
            tracing::warn!("more is printed than can be followed: some of it is let go of");
            self.read = length - PRUNE;
        }
        log.seek(SeekFrom::Start(self.read))?;
        loop {
            let mut piece = vec![0; PIECE];
            let count = log.read(&mut piece)?;
            if count == 0 {
                break;
            }
            piece.truncate(count);
            self.read += count as u64;
            // Noticed elsewhere.
            drop(self.pieces.send(Piece::Bytes(piece)).await);
        }
        if self.read - self.pruned > PRUNE {
            self.prune();
        }
        Ok(())
    }

    /// Takes what was read off the disk. The file stays as long as it is, so that Screen finds its end.
    fn prune(&mut self) {
        let file = File::options().write(true).open(self.folder.join("log"));
        if let Err(error) = file.and_then(|file| disk::free(&file, self.read)) {
            tracing::debug!(%error, "the log of Screen grows");
        }
        self.pruned = self.read;
    }

    async fn type_in(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in typing::pieces(bytes) {
            self.found.tell(&["stuff", &typing::quoted(piece)])?;
        }
        if bytes.len() >= LONG {
            // The answer comes when Screen has got to it.
            drop(self.found.info());
            let until = tokio::time::Instant::now() + LIMIT;
            while process::unread(&self.found.tty).is_some_and(|unread| unread > 0)
                && tokio::time::Instant::now() < until
            {
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok(())
    }

    /// Screen logs no more, and nothing of ours stays.
    fn leave(&mut self) {
        for words in [&["log", "off"][..], &["logfile", "screenlog.%n"]] {
            if let Err(error) = self.found.tell(words) {
                tracing::debug!(%error, "Screen is gone");
            }
        }
        // It is in a folder that is emptied at the next boot.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn path(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

fn last_lines(text: &[u8], count: usize) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let from = memchr::memrchr_iter(b'\n', text).nth(count.saturating_sub(1)).map_or(0, |at| at + 1);
    &text[from..]
}
