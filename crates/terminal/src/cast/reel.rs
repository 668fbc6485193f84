//! A recording in a file that stays below a size: what is oldest goes, and the file says so.
//!
//! Now and then the whole screen is painted into the recording. That is where it can be cut: what is left begins with a
//! picture, and plays by itself.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Event, Head, Reader, Writer};
use crate::Size;

#[derive(Debug)]
pub struct Reel {
    path: PathBuf,
    file: File,
    head: Head,
    writer: Writer,
    /// Bytes in the file.
    len: u64,
    /// Keep it below this.
    limit: Option<u64>,
    /// Where it can be cut.
    cut: Option<Cut>,
    /// What was cut off: so many bytes, and so much of the time.
    pruned: (u64, Duration),
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    offset: u64,
    at: Duration,
    size: Size,
}

/// Where a recording stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    pub at: Duration,
    pub size: Size,
}

impl Reel {
    /// A new file, for nobody else to read; one that exists is left alone.
    pub fn create(path: &Path, head: Head, limit: Option<u64>) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        let writer = Writer::new(head.version);
        let first = writer.head(&head);
        let (path, pruned) = (path.to_owned(), (0, Duration::ZERO));
        let mut reel = Self { path, file, head, writer, len: 0, limit, cut: None, pruned };
        reel.put(&first)?;
        Ok(reel)
    }

    /// One that somebody else has begun and could not finish, and where it stands. A line that was not written whole goes.
    pub fn go_on(path: &Path, limit: Option<u64>) -> io::Result<(Self, Stand)> {
        let wrong = |error: super::CastError| io::Error::new(io::ErrorKind::InvalidData, error);
        let mut lines = BufReader::new(File::open(path)?);
        let mut first = String::new();
        lines.read_line(&mut first)?;
        let mut reader = Reader::new(&first).map_err(wrong)?;
        let (mut len, mut line) = (first.len() as u64, Vec::new());
        let mut stand = Stand { at: Duration::ZERO, size: reader.head.size };
        let mut pruned = None;
        while lines.read_until(b'\n', &mut line)? > 0 {
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            match reader.line(&String::from_utf8_lossy(whole)).map_err(wrong)? {
                Some((at, Event::Resize(size))) => stand = Stand { at, size },
                Some((at, event)) => {
                    stand.at = at;
                    pruned = pruned.or_else(|| is_said(&event));
                }
                None => {}
            }
            len += line.len() as u64;
            line.clear();
        }
        let pruned = pruned.unwrap_or_default();
        let file = OpenOptions::new().append(true).open(path)?;
        narrow(&file)?;
        file.set_len(len)?;
        let mut writer = Writer::new(reader.head.version);
        writer.last = u64::try_from(stand.at.as_micros()).unwrap_or(u64::MAX);
        let reel = Self { path: path.to_owned(), file, head: reader.head, writer, len, limit, cut: None, pruned };
        // As it counted from the very beginning.
        stand.at += pruned.1;
        Ok((reel, stand))
    }

    /// When it began, in seconds since 1970, as far as that is known.
    #[must_use]
    pub fn began(&self) -> Option<Duration> {
        self.head.timestamp.map(|began| Duration::from_secs(began).saturating_sub(self.pruned.1))
    }

    /// Bytes in the file, and bytes that were in it and are not any more.
    #[must_use]
    pub fn len(&self) -> (u64, u64) {
        (self.len, self.pruned.0)
    }

    /// Whether the screen should be painted, and [`Self::cut`] called before.
    #[must_use]
    pub fn wants_cut(&self) -> bool {
        let since = self.cut.map_or(0, |cut| cut.offset);
        self.limit.is_some_and(|limit| self.len - since > limit / 2)
    }

    pub fn output(&mut self, at: Duration, bytes: &[u8]) -> io::Result<()> {
        let at = self.since_cut(at);
        let line = self.writer.output(at, bytes).unwrap_or_default();
        self.put(&line)
    }

    pub fn input(&mut self, at: Duration, bytes: &[u8]) -> io::Result<()> {
        let at = self.since_cut(at);
        let line = self.writer.input(at, bytes);
        self.put(&line)
    }

    pub fn resize(&mut self, at: Duration, size: Size) -> io::Result<()> {
        let at = self.since_cut(at);
        let line = self.writer.resize(at, size);
        self.put(&line)
    }

    pub fn marker(&mut self, at: Duration, name: &str) -> io::Result<()> {
        let at = self.since_cut(at);
        let line = self.writer.marker(at, name);
        self.put(&line)
    }

    pub fn exit(&mut self, at: Duration, code: i32) -> io::Result<()> {
        let at = self.since_cut(at);
        let line = self.writer.exit(at, code).unwrap_or_default();
        self.put(&line)
    }

    /// What comes next paints the whole screen, of this size: from here on the recording plays by itself. What is before the
    /// place where that was last so goes.
    pub fn cut(&mut self, at: Duration, size: Size) -> io::Result<()> {
        if let Some(cut) = self.cut.take() {
            self.prune(cut)?;
        }
        self.cut = Some(Cut { offset: self.len, at: self.since_cut(at), size });
        Ok(())
    }

    /// All of it is on the disk.
    pub fn finish(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn since_cut(&self, at: Duration) -> Duration {
        at.saturating_sub(self.pruned.1)
    }

    fn put(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.len += line.len() as u64;
        Ok(())
    }

    fn prune(&mut self, cut: Cut) -> io::Result<()> {
        let first = self.writer.head(&self.head);
        let gone = cut.offset - (self.len.min(first.len() as u64));
        let pruned = (self.pruned.0 + gone, self.pruned.1 + cut.at);
        let head = Head {
            size: cut.size,
            timestamp: self.head.timestamp.map(|began| began + pruned.1.as_secs() - self.pruned.1.as_secs()),
            ..self.head.clone()
        };
        let new = self.path.with_extension("new");
        let copied = self.copied(&new, &head, cut, pruned).and_then(|copied| {
            fs::rename(&new, &self.path)?;
            Ok(copied)
        });
        // A full disk leaves the recording as it was.
        let (file, writer, len) = copied.inspect_err(|_| drop(fs::remove_file(&new)))?;
        (self.file, self.writer, self.len, self.head, self.pruned) = (file, writer, len, head, pruned);
        Ok(())
    }

    /// What is behind the cut, in another file.
    fn copied(&self, path: &Path, head: &Head, cut: Cut, pruned: (u64, Duration)) -> io::Result<(File, Writer, u64)> {
        let wrong = |error: super::CastError| io::Error::new(io::ErrorKind::InvalidData, error);
        let mut old = File::open(&self.path)?;
        old.seek(SeekFrom::Start(cut.offset))?;
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        narrow(&file)?;
        file.set_len(0)?;
        let mut new = BufWriter::new(file);
        let mut writer = Writer::new(head.version);
        let mut len = 0;
        let mut put = |line: &str| -> io::Result<()> {
            len += line.len() as u64;
            new.write_all(line.as_bytes())
        };
        put(&writer.head(head))?;
        put(&writer.marker(Duration::ZERO, &said(pruned)))?;
        let mut reader = Reader::new(&self.writer.head(&self.head)).map_err(wrong)?;
        // Times of version 3 count from the event before, and that was the one before the cut.
        let mut base = None;
        for line in BufReader::new(old).lines() {
            let Some((at, event)) = reader.line(&line?).map_err(wrong)? else { continue };
            let base = *base.get_or_insert(at);
            put(&writer.event(at.saturating_sub(base), &event))?;
        }
        writer.rest.clone_from(&self.writer.rest);
        let file = new.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((file, writer, len))
    }
}

fn said((bytes, time): (u64, Duration)) -> String {
    let secs = time.as_secs();
    format!("pruned: {bytes} bytes, the first {}:{:02}:{:02}", secs / 3600, secs / 60 % 60, secs % 60)
}

/// What [`said`] says, which stands first.
fn is_said(event: &Event) -> Option<(u64, Duration)> {
    let Event::Marker(said) = event else { return None };
    let (bytes, time) = said.strip_prefix("pruned: ")?.split_once(" bytes, the first ")?;
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some((bytes.parse().ok()?, Duration::from_secs(hours * 3600 + minutes * 60 + seconds)))
}

/// A recording is for its owner alone, also one that was there with another mode.
fn narrow(file: &File) -> io::Result<()> {
    let permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 == 0 { Ok(()) } else { file.set_permissions(fs::Permissions::from_mode(0o600)) }
}

#[cfg(test)]
mod tests {
    use super::super::Version;
    use super::*;

    const SIZE: (u16, u16) = (80, 24);
    const LIMIT: u64 = 4000;

    /// Everything in a recording, with its times in milliseconds.
    fn read(path: &Path) -> (Head, Vec<(u128, Event)>) {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let mut reader = Reader::new(lines.next().unwrap()).unwrap();
        let events = lines.filter_map(|line| reader.line(line).unwrap()).map(|(at, event)| (at.as_millis(), event));
        let events = events.collect();
        (reader.head, events)
    }

    #[test]
    fn what_is_oldest_goes_and_the_rest_plays_by_itself() {
        for version in [Version::V2, Version::V3] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.cast");
            let size = Size::clamped(SIZE.0, SIZE.1);
            let head = Head { version, size, timestamp: Some(1000), title: None, command: None, term: None };
            let mut reel = Reel::create(&path, head, Some(LIMIT)).unwrap();
            let (mut cuts, mut most) = (0, 0);
            for number in 0_u32..1000 {
                let at = Duration::from_secs(u64::from(number));
                if reel.wants_cut() {
                    reel.cut(at, Size::clamped(90, 30)).unwrap();
                    reel.output(at, format!("picture before {number}").as_bytes()).unwrap();
                    cuts += 1;
                }
                reel.output(at, format!("line {number}\r\n").as_bytes()).unwrap();
                most = most.max(fs::metadata(&path).unwrap().len());
                assert_eq!(fs::metadata(&path).unwrap().len(), reel.len().0);
            }
            reel.exit(Duration::from_secs(1000), 7).unwrap();
            reel.finish().unwrap();
            assert!(cuts > 3 && most < LIMIT + 200, "{cuts} cuts, {most} bytes");
            let (head, events) = read(&path);
            let Event::Marker(pruned) = &events[0].1 else { panic!("{events:?}") };
            let gone = reel.len().1;
            assert!(gone > 10_000 && pruned.starts_with(&format!("pruned: {gone} bytes, the first 0:")), "{pruned}");
            let Event::Output(picture) = &events[1].1 else { panic!("{events:?}") };
            let first: u32 = picture.strip_prefix("picture before ").unwrap().parse().unwrap();
            // Nothing is missing from there on, and times count from there.
            let lines: Vec<(u128, String)> = events
                .iter()
                .filter_map(|(at, event)| match event {
                    Event::Output(text) if text.starts_with("line") => Some((*at, text.trim().to_owned())),
                    _ => None,
                })
                .collect();
            let expected: Vec<(u128, String)> =
                (first..1000).map(|number| (u128::from(number - first) * 1000, format!("line {number}"))).collect();
            assert_eq!(lines, expected, "{version:?}");
            assert_eq!((head.size, head.timestamp), (Size::clamped(90, 30), Some(1000 + u64::from(first))));
            assert_eq!(events.last().unwrap().1 == Event::Exit(7), version == Version::V3);
        }
    }

    #[test]
    fn another_goes_on_with_it() {
        for (version, limit) in
            [(Version::V2, None), (Version::V3, None), (Version::V2, Some(LIMIT)), (Version::V3, Some(LIMIT))]
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.cast");
            let size = Size::clamped(SIZE.0, SIZE.1);
            let head = Head { version, size, timestamp: Some(1000), title: None, command: None, term: None };
            let mut reel = Reel::create(&path, head, limit).unwrap();
            let secs = Duration::from_secs;
            for number in 0..500 {
                if reel.wants_cut() {
                    reel.cut(secs(number), size).unwrap();
                }
                reel.output(secs(number), b"line\r\n").unwrap();
            }
            reel.resize(secs(500), Size::clamped(70, 20)).unwrap();
            let gone = reel.len().1;
            assert_eq!(gone > 0, limit.is_some());
            // It was killed while it wrote.
            drop(reel);
            let whole = fs::metadata(&path).unwrap().len();
            OpenOptions::new().append(true).open(&path).unwrap().write_all(b"[501.0, \"o\", \"ha").unwrap();
            let (mut reel, stand) = Reel::go_on(&path, limit).unwrap();
            assert_eq!(stand, Stand { at: secs(500), size: Size::clamped(70, 20) }, "{version:?} {limit:?}");
            assert_eq!((reel.len(), reel.began()), ((whole, gone), Some(secs(1000))));
            reel.cut(secs(510), stand.size).unwrap();
            reel.output(secs(510), b"picture").unwrap();
            reel.output(secs(511), b"more").unwrap();
            let events = read(&path).1;
            let last: Vec<&Event> = events.iter().rev().take(3).map(|(_, event)| event).rev().collect();
            let output = |text: &str| Event::Output(text.into());
            assert_eq!(last, [&Event::Resize(Size::clamped(70, 20)), &output("picture"), &output("more")]);
            let at = |back: usize| events[events.len() - back].0;
            assert_eq!((at(2) - at(3), at(1) - at(2)), (10_000, 1000), "{version:?} {limit:?}");
            // What was before the picture can go.
            reel.cut(secs(600), size).unwrap();
            let (head, events) = read(&path);
            assert!(matches!(&events[0].1, Event::Marker(said) if said.starts_with("pruned")), "{events:?}");
            assert_eq!((&events[1].1, head.size, head.timestamp), (&output("picture"), stand.size, Some(1510)));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.cast");
        assert!(Reel::go_on(&path, None).is_err() && !path.exists());
        fs::write(&path, "hello\n").unwrap();
        assert!(Reel::go_on(&path, None).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "hello\n", "what is none is left alone");
        let spoiled = "{\"version\":2,\"width\":80,\"height\":24}\n[1.0, \"o\", \"a\"]\nhello\n[2.0, \"o\", \"b\"]\n";
        fs::write(&path, spoiled).unwrap();
        assert!(Reel::go_on(&path, None).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), spoiled, "only what was torn at the end goes");
    }

    #[test]
    fn without_a_limit_nothing_goes_and_a_torn_character_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let size = Size::clamped(SIZE.0, SIZE.1);
        let head = Head { version: Version::V2, size, timestamp: None, title: None, command: None, term: None };
        let mut reel = Reel::create(&path, head.clone(), None).unwrap();
        assert!(Reel::create(&path, head, None).is_err(), "what is there is left alone");
        reel.output(Duration::ZERO, "é".as_bytes()[..1].as_ref()).unwrap();
        reel.output(Duration::ZERO, "é".as_bytes()[1..].as_ref()).unwrap();
        assert!(!reel.wants_cut());
        assert_eq!(read(&path).1, [(0, Event::Output("é".into()))]);
    }
}
