//! A session that records itself: to a file in coop's own folder, begun and ended on request.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use coop_api::v1::{Recording, RecordingConfig};
use coop_api::{ApiError, Code};
use coop_terminal::Size;
use coop_terminal::cast::{Reel, Version};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Live, Piece, head, kept};
use crate::app::{App, session_error};

/// Where nothing else was said. A recording that nobody remembers must not fill the disk.
const MAX_BYTES: u64 = 100 << 20;
/// Pictures of a large screen have to fit in, and what comes before the next one is made.
const LEAST_BYTES: u64 = 1 << 20;
/// What waits to be written: little, so that the file does not grow past its size before it is known. A disk that is slow
/// holds up nobody but the recording.
const QUEUE: usize = 1;

/// What is printed last is read within this.
const LAST: Duration = Duration::from_secs(1);

/// The recording of a session, if there is or was one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<tokio::sync::Mutex<Option<Running>>>);

/// What the process that comes after this one needs to go on with a recording.
#[derive(Debug, Serialize, Deserialize)]
struct Left {
    path: PathBuf,
    config: RecordingConfig,
}

#[derive(Debug)]
struct Running {
    path: PathBuf,
    config: RecordingConfig,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
    done: Arc<Mutex<Done>>,
}

/// How far it is.
#[derive(Clone, Debug, Default)]
struct Done {
    bytes: u64,
    pruned: u64,
    wants_cut: bool,
    over: bool,
    error: Option<String>,
}

/// To be written.
enum Order {
    Piece(Duration, Piece),
    /// What comes next paints the screen.
    Cut(Duration, Size),
}

/// Begins or ends it as `set` says; how it is then.
pub(crate) async fn config(app: &App, set: Option<RecordingConfig>) -> Result<Recording, ApiError> {
    let mut recorder = app.recorder.0.lock().await;
    match set {
        Some(set) if set.enabled => {
            if recorder.as_ref().is_some_and(|running| !running.done().over) {
                let detail = "The session is being recorded already.";
                return Err(ApiError::new(Code::BadRequest, detail).with_hint("End that recording first."));
            }
            *recorder = Some(Running::start(app, set).await?);
        }
        Some(_) => {
            if let Some(running) = recorder.as_mut() {
                running.stop.cancel();
                if let Some(task) = running.task.take() {
                    // What it wrote is told by itself.
                    drop(task.await);
                }
            }
        }
        None => {}
    }
    Ok(recorder.as_ref().map(Running::describe).unwrap_or_default())
}

/// Goes on with what the process before this one has left, beside what else there is to do: who asks about it waits.
pub(crate) async fn go_on(app: &App) {
    let left = app.options.recording.as_ref().and_then(|note| note.read());
    let Some(left) = left.and_then(|left| serde_json::from_slice::<Left>(&left).ok()) else { return };
    let (mut recorder, app) = (app.recorder.0.clone().lock_owned().await, app.clone());
    tokio::spawn(async move {
        match Running::go_on(&app, left).await {
            Ok(running) => *recorder = Some(running),
            Err(error) => tracing::warn!(error = %error.detail, "the recording does not go on"),
        }
    });
}

impl Running {
    async fn start(app: &App, config: RecordingConfig) -> Result<Self, ApiError> {
        let version = match config.version {
            None | Some(2) => Version::V2,
            Some(3) => Version::V3,
            Some(_) => return Err(ApiError::bad_request("There are versions 2 and 3 of the format.")),
        };
        let limit = config.max_bytes.unwrap_or(MAX_BYTES);
        if limit < LEAST_BYTES {
            return Err(ApiError::bad_request(format!("`max_bytes` is {LEAST_BYTES} at least.")));
        }
        let folder = app.options.recordings.clone().ok_or_else(|| {
            ApiError::new(Code::NotFound, "This session has no folder for recordings.")
                .with_hint("GET /api/v1/recording is the same as a download.")
        })?;
        let before = match config.from_start {
            true => Some(app.session.recording().await.map_err(session_error)?),
            false => None,
        };
        let live = Live::start(app, config.input, before.as_ref()).await?;
        let (size, ago) =
            before.as_ref().map_or((live.size, Duration::ZERO), |kept| (kept.size, kept.began.unwrap_or_default()));
        let head = head(&app.options.name, version, size, ago);
        let made = tokio::task::spawn_blocking({
            let name = app.options.name.clone();
            move || create(&folder, &name, |path| Reel::create(path, head.clone(), Some(limit)))
        });
        let made = made.await.map_err(|error| io::Error::other(error.to_string())).flatten();
        let (path, reel) = made.map_err(|error| not_written(&error))?;
        let pieces = before.iter().flat_map(kept).filter(|(_, piece)| !matches!(piece, Piece::Exit(_)));
        let first = pieces.map(|(at, piece)| Order::Piece(at, piece)).collect();
        let config = RecordingConfig { max_bytes: Some(limit), ..config };
        Ok(Self::run(app, Left { path, config }, (live, first), reel))
    }

    /// Where another one stopped. What was printed since is in the picture of the screen with which it goes on.
    async fn go_on(app: &App, left: Left) -> Result<Self, ApiError> {
        let (path, limit) = (left.path.clone(), left.config.max_bytes);
        let opened = tokio::task::spawn_blocking(move || Reel::go_on(&path, limit)).await;
        let opened = opened.map_err(|error| io::Error::other(error.to_string())).flatten();
        let (reel, stand) = opened.map_err(|error| not_written(&error))?;
        let mut live = Live::start(app, left.config.input, None).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = reel.began().map_or(stand.at, |began| now.saturating_sub(began)).max(stand.at);
        live.after(at);
        let mut first = vec![Order::Cut(at, live.size)];
        if stand.size != live.size {
            first.push(Order::Piece(at, Piece::Resize(live.size)));
        }
        first.push(Order::Piece(at, Piece::Marker("another process serves it".into())));
        Ok(Self::run(app, left, (live, first), reel))
    }

    fn run(app: &App, left: Left, (live, first): (Live, Vec<Order>), reel: Reel) -> Self {
        let note = app.options.recording.clone();
        let noted = note
            .as_ref()
            .map(|note| serde_json::to_vec(&left).map_err(io::Error::from).and_then(|left| note.write(&left)));
        if let Some(Err(error)) = noted {
            tracing::warn!(%error, "the recording would not go on in another process");
        }
        let (stop, server) = (CancellationToken::new(), app.stop.clone());
        let done = Arc::new(Mutex::new(Done::default()));
        let (orders, inbox) = mpsc::channel(QUEUE);
        let written = tokio::task::spawn_blocking({
            let done = Arc::clone(&done);
            move || write(reel, inbox, &done)
        });
        let (token, stopped, progress) = (app.streams.token(), stop.clone(), Arc::clone(&done));
        let task = tokio::spawn(async move {
            // The session does not end before what it printed last is written.
            let _token = token;
            follow(live, first, &orders, (&stopped, &server), &progress).await;
            drop(orders);
            drop(written.await);
            if let Some(Err(error)) = note.map(|note| note.write(b"")) {
                tracing::warn!(%error, "another process would go on with a recording that has ended");
            }
        });
        let Left { path, config } = left;
        Self { path, config, stop, task: Some(task), done }
    }

    fn done(&self) -> Done {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn describe(&self) -> Recording {
        let Done { bytes, pruned, over, error, .. } = self.done();
        Recording {
            enabled: !over,
            path: Some(self.path.to_string_lossy().into_owned()),
            bytes,
            pruned_bytes: pruned,
            input: self.config.input,
            max_bytes: self.config.max_bytes,
            error,
        }
    }
}

fn not_written(error: &io::Error) -> ApiError {
    ApiError::new(Code::Internal, format!("The recording cannot be written: {error}."))
}

/// A file with a name that nothing has yet.
fn create<T>(folder: &Path, name: &str, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    coop_machine::private::folder(folder)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..100 {
        let more = if number == 0 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{name}-{seconds}{more}.cast"));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Until it is to end, or the program does.
async fn follow(
    mut live: Live,
    first: Vec<Order>,
    orders: &mpsc::Sender<Order>,
    (stop, server): (&CancellationToken, &CancellationToken),
    done: &Mutex<Done>,
) {
    for order in first {
        if orders.send(order).await.is_err() {
            return;
        }
    }
    loop {
        let next = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            next = live.next() => next,
            () = left(server) => return,
        };
        let Some((at, pieces)) = next else { return };
        for piece in pieces {
            if orders.send(Order::Piece(at, piece)).await.is_err() {
                return;
            }
        }
        let wanted = std::mem::take(&mut done.lock().unwrap_or_else(PoisonError::into_inner).wants_cut);
        if wanted && let Some((at, size, picture)) = live.paint().await {
            let cut = orders.send(Order::Cut(at, size)).await;
            if cut.is_err() || orders.send(Order::Piece(at, Piece::Output(picture))).await.is_err() {
                return;
            }
        }
    }
}

/// The server ends. What the program printed last, and its end, still come.
async fn left(server: &CancellationToken) {
    server.cancelled().await;
    tokio::time::sleep(LAST).await;
}

/// On a thread that may wait for the disk.
fn write(mut reel: Reel, mut inbox: mpsc::Receiver<Order>, done: &Mutex<Done>) {
    let note = |change: &dyn Fn(&mut Done)| change(&mut done.lock().unwrap_or_else(PoisonError::into_inner));
    let mut asked = false;
    while let Some(order) = inbox.blocking_recv() {
        let written = match order {
            Order::Cut(at, size) => {
                asked = false;
                reel.cut(at, size)
            }
            Order::Piece(at, Piece::Output(bytes)) => reel.output(at, &bytes),
            Order::Piece(at, Piece::Input(bytes)) => reel.input(at, &bytes),
            Order::Piece(at, Piece::Resize(size)) => reel.resize(at, size),
            Order::Piece(at, Piece::Marker(name)) => reel.marker(at, &name),
            Order::Piece(at, Piece::Exit(code)) => reel.exit(at, code),
        };
        let (bytes, pruned) = reel.len();
        let wants = !asked && reel.wants_cut();
        asked |= wants;
        note(&|done| {
            (done.bytes, done.pruned) = (bytes, pruned);
            done.wants_cut |= wants;
        });
        if let Err(error) = written {
            tracing::warn!(%error, "the recording cannot be written, and has ended");
            note(&|done| done.error = Some(error.to_string()));
            break;
        }
    }
    let error = reel.finish().err();
    note(&|done| {
        done.over = true;
        done.error = done.error.take().or_else(|| error.as_ref().map(ToString::to_string));
    });
}
