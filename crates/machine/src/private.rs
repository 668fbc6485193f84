//! Folders and files for their owner's eyes only: made so, narrowed where they are wider, and trusted only where no other
//! account could have put them there. This writes.
//!
//! An account is trusted if it is ours or root. A folder of ours has to belong to us: what is in it was made by us.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// Bits of everyone but the owner.
const OTHERS: u32 = 0o077;
const ROOT: u32 = 0;
/// How a user namespace shows accounts that it has no number for.
const OVERFLOW: u32 = 65534;

/// Makes a folder of coop's own, and the folders above it, for this account alone. One that is there is narrowed; one that
/// another account owns, or can replace, is refused.
pub fn folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(FOLDER).create(path)?;
    let opened = open_folder(path)?;
    let meta = opened.metadata()?;
    if meta.mode() & OTHERS != 0 {
        opened.set_permissions(fs::Permissions::from_mode(FOLDER))?;
    }
    Ok(())
}

/// Checks a folder of coop's own without changing it: it belongs to this account, no other account can use it, and none
/// owns a folder on the way to it.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let meta = open_folder(path)?.metadata()?;
    match meta.mode() & OTHERS {
        0 => Ok(()),
        _ => Err(refused(path, "other accounts can use it")),
    }
}

/// Whether all that is in a folder was put there by this account: it belongs to it, and no other account can write it.
#[must_use]
pub fn is_filled_by_us(path: &Path) -> bool {
    let meta = open_folder(path).and_then(|opened| opened.metadata());
    meta.is_ok_and(|meta| !is_writable_by_others(&meta))
}

/// A folder that belongs to this account, and no link of another account leads to it.
fn open_folder(path: &Path) -> io::Result<File> {
    check_way(path)?;
    let opened = OpenOptions::new().read(true).custom_flags(flags(OFlags::DIRECTORY)).open(path)?;
    let owner = opened.metadata()?.uid();
    if owner == own_id() { Ok(opened) } else { Err(foreign(path, owner)) }
}

/// Every folder and link on the way to it belongs to this account or to root.
fn check_way(path: &Path) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    let real = fs::canonicalize(&path)?;
    for part in path.ancestors().chain(real.ancestors()) {
        let owner = fs::symlink_metadata(part)?.uid();
        if !is_trusted(owner) && !is_unmapped_root(owner) {
            return Err(foreign(part, owner));
        }
    }
    Ok(())
}

/// Writes all of it or nothing, and makes the folder if there is none: a reader never has half of it, and no other account
/// can read it at any moment.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(bytes))
}

/// Copies a file for this account alone, whatever the mode of the other is.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let source = crate::regular::open(from)?;
    // Not more than it has now, should it grow for ever.
    let mut source = source.metadata().map(|meta| source.take(meta.len()))?;
    replace(to, |file| io::copy(&mut source, file).map(drop))
}

fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    make_parent(path)?;
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}", std::process::id()));
    let aside = path.with_file_name(name);
    // A file that was left by that name may have other permissions.
    drop(fs::remove_file(&aside));
    let file = OpenOptions::new().write(true).create_new(true).mode(FILE).open(&aside);
    let written = file.and_then(|mut file| fill(&mut file)).and_then(|()| fs::rename(&aside, path));
    written.inspect_err(|_| drop(fs::remove_file(&aside)))
}

/// Opens an empty file for this account alone; what was in it is gone.
pub fn create(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true).create(true).truncate(true))
}

/// Opens a file for this account alone, to write at its end.
pub fn append(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().append(true).create(true))
}

/// Makes a file for this account alone that was not there before.
pub fn create_new(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true).create_new(true))
}

fn open(path: &Path, how: &mut OpenOptions) -> io::Result<File> {
    make_parent(path)?;
    let file = how.mode(FILE).open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && !is_trusted(meta.uid()) {
        return Err(foreign(path, meta.uid()));
    }
    narrow(&file)?;
    Ok(file)
}

/// Takes a file of ours from other accounts. A terminal or a pipe that was named stays as it is.
fn narrow(file: &File) -> io::Result<()> {
    let meta = file.metadata()?;
    if meta.is_file() && meta.uid() == own_id() && meta.mode() & OTHERS != 0 {
        file.set_permissions(fs::Permissions::from_mode(FILE))?;
    }
    Ok(())
}

fn make_parent(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => fs::DirBuilder::new().recursive(true).mode(FOLDER).create(folder),
        None => Ok(()),
    }
}

/// Reads a file that no other account could have written: it belongs to this account or to root.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = trusted(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads such a file as text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut file = trusted(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// Reads a secret of ours: narrowed first, where other accounts could read it.
pub fn read_secret(path: &Path) -> io::Result<String> {
    let mut file = trusted(path)?;
    narrow(&file)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

fn trusted(path: &Path) -> io::Result<File> {
    // A pipe that another account put there must not stall us.
    let file = OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK)).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(refused(path, "it is no regular file"));
    }
    if !is_trusted(meta.uid()) {
        return Err(foreign(path, meta.uid()));
    }
    if is_writable_by_others(&meta) {
        return Err(refused(path, "other accounts can write it"));
    }
    Ok(file)
}

fn is_writable_by_others(meta: &Metadata) -> bool {
    let group = meta.mode() & 0o020 != 0 && !is_own_group(meta.gid());
    group || meta.mode() & 0o002 != 0
}

/// Whether the group is this account's alone, as many systems give each account one.
fn is_own_group(group: u32) -> bool {
    let tables = fs::read_to_string("/etc/passwd").and_then(|users| Ok((users, fs::read_to_string("/etc/group")?)));
    let Ok((users, groups)) = tables else { return false };
    group == rustix::process::getegid().as_raw() && holds_only(own_id(), group, &users, &groups)
}

/// Whether no other account of the two tables is in the group.
fn holds_only(user: u32, group: u32, users: &str, groups: &str) -> bool {
    let field = |line: &str, at: usize| line.split(':').nth(at).unwrap_or_default().to_owned();
    let number = |line: &str, at: usize| field(line, at).parse::<u32>().ok();
    let name = users.lines().find(|line| number(line, 2) == Some(user)).map(|line| field(line, 0));
    let Some(name) = name else { return false };
    let first = users.lines().filter(|line| number(line, 3) == Some(group)).all(|line| number(line, 2) == Some(user));
    let mut rows = groups.lines().filter(|line| number(line, 2) == Some(group)).peekable();
    let listed = rows.peek().is_some();
    let alone = rows.all(|line| field(line, 3).split(',').all(|member| member.is_empty() || member == name));
    first && listed && alone
}

/// Whether the process at the other end of a socket runs as this account or as root. Where the system does not say, the
/// owner of the socket's folder decides, which is checked before.
#[must_use]
#[cfg(target_os = "linux")]
pub fn is_trusted_peer(socket: &impl AsFd) -> bool {
    rustix::net::sockopt::socket_peercred(socket).is_ok_and(|peer| is_trusted(peer.uid.as_raw()))
}

/// See above.
#[must_use]
#[cfg(not(target_os = "linux"))]
pub fn is_trusted_peer(_: &impl AsFd) -> bool {
    true
}

/// Checks the path of a socket before anything is sent there: it is in a folder of ours, and belongs to us or to root.
pub fn check_socket(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), check_folder)?;
    let owner = fs::symlink_metadata(path)?.uid();
    if is_trusted(owner) { Ok(()) } else { Err(foreign(path, owner)) }
}

/// Returns the folder of this account: what HOME says, else what the system's list of accounts says. Never a folder that
/// others share.
#[must_use]
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

fn own_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether what belongs to this account number may be used: it is ours, or root's.
#[must_use]
pub fn is_trusted(owner: u32) -> bool {
    owner == own_id() || owner == ROOT
}

/// Whether we are in a user namespace that has no number for root, and this is how it shows it.
fn is_unmapped_root(owner: u32) -> bool {
    let partial = || fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| !map.contains("4294967295"));
    owner == OVERFLOW && partial()
}

fn foreign(path: &Path, owner: u32) -> io::Error {
    refused(path, &format!("it belongs to another account (uid {owner})"))
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} is not trusted: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Gives it to another account, which only root can.
    fn give_away(path: &Path) -> bool {
        let given = chown(path, Some(12345), Some(12345)).is_ok();
        if !given {
            eprintln!("not root: files of another account are not tried");
        }
        given
    }

    #[test]
    fn only_its_owner_reads_it_whatever_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/key");
        write(&path, b"one").unwrap();
        set_mode(&path, 0o644);
        write(&path, b"two").unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), mode(&path)), (&b"two"[..], 0o600));
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left aside");
        fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(write(&folder.path().join("taken"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
    }

    #[test]
    fn wider_files_and_folders_are_narrowed() {
        let folder = tempfile::tempdir().unwrap();
        for (name, make) in [
            ("create", create as fn(&Path) -> io::Result<File>),
            ("append", append),
            ("copy", |path| {
                let from = path.with_file_name("from");
                fs::write(&from, "x").and_then(|()| copy(&from, path)).and_then(|()| File::open(path))
            }),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, "old").unwrap();
            set_mode(&path, 0o666);
            make(&path).unwrap();
            assert_eq!(mode(&path), 0o600, "{name}");
            assert!(create_new(&path).is_err(), "{name}");
        }
        create_new(&folder.path().join("deep/new")).unwrap();
        assert_eq!((mode(&folder.path().join("deep")), mode(&folder.path().join("deep/new"))), (0o700, 0o600));
        let wide = folder.path().join("wide");
        fs::create_dir(&wide).unwrap();
        set_mode(&wide, 0o777);
        assert!(check_folder(&wide).is_err() && !is_filled_by_us(&wide));
        set_mode(&wide, 0o755);
        assert!(check_folder(&wide).is_err() && is_filled_by_us(&wide));
        super::folder(&wide).unwrap();
        assert_eq!(mode(&wide), 0o700);
        check_folder(&wide).unwrap();
        // A link of our own leads where we want it to.
        symlink(&wide, folder.path().join("link")).unwrap();
        check_folder(&folder.path().join("link")).unwrap();
    }

    #[test]
    fn files_that_others_can_write_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "planted").unwrap();
        for (bits, readable) in [(0o600, true), (0o644, true), (0o602, false), (0o666, false)] {
            set_mode(&path, bits);
            assert_eq!(read_to_string(&path).is_ok(), readable, "{bits:o}");
        }
        set_mode(&path, 0o644);
        assert_eq!((read_secret(&path).unwrap().as_str(), mode(&path)), ("planted", 0o600));
        assert!(read(folder.path()).is_err(), "a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(read(&pipe).is_err(), "a pipe");
        assert_eq!(read(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_another_account_owns_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let (file, folder) = (top.path().join("hub.token"), top.path().join("coop"));
        fs::write(&file, "planted").unwrap();
        super::folder(&folder.join("inner")).unwrap();
        let socket = folder.join("hub.sock");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        check_socket(&socket).unwrap();
        if !give_away(&file) || !give_away(&socket) {
            return;
        }
        let refused = |result: io::Result<()>| {
            let error = result.unwrap_err();
            assert!(error.to_string().contains("another account (uid 12345)"), "{error}");
        };
        refused(read(&file).map(drop));
        refused(read_secret(&file).map(drop));
        refused(append(&file).map(drop));
        refused(check_socket(&socket));
        give_away(&folder);
        refused(check_folder(&folder));
        assert!(!is_filled_by_us(&folder));
        refused(super::folder(&folder));
        refused(check_folder(&folder.join("inner")));
        // A link that another account has put there is as bad as a folder.
        let own = top.path().join("own");
        super::folder(&own).unwrap();
        symlink(&own, top.path().join("link")).unwrap();
        std::os::unix::fs::lchown(top.path().join("link"), Some(12345), Some(12345)).unwrap();
        refused(check_folder(&top.path().join("link")));
    }

    #[test]
    fn groups_of_one_account() {
        let users =
            "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let groups = "root:x:0:\nann:x:1000:\nusers:x:100:\nstaff:x:50:ann\nmixed:x:60:ann,bob\n";
        for (user, group, alone) in [
            (1000, 1000, true),
            (1000, 50, true),
            (1000, 60, false),
            (1000, 100, false),
            (1000, 7, false),
            (7, 7, false),
        ] {
            assert_eq!(holds_only(user, group, users, groups), alone, "{user} {group}");
        }
    }

    #[test]
    fn a_peer_of_this_account_is_trusted() {
        let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(is_trusted_peer(&one));
    }
}
