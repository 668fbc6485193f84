//! Where an agent's logs are: by the id of a conversation, by the folder it works in, or by the process that writes them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use coop_drivers::{Driver, LogHead};
use coop_machine::{process, regular};

/// The first line of a log, which holds the agent's instructions, is not longer than this.
const LONGEST_HEAD: u64 = 1 << 20;

/// The conversations of agents that work in `cwd`, the latest first, whose id begins with `prefix`.
#[must_use]
pub fn of_folder(driver: &dyn Driver, config_dir: &Path, cwd: &Path, prefix: &str) -> Vec<String> {
    let named = |path: &PathBuf| whole_id(driver, path).is_some_and(|id| id.starts_with(prefix));
    let mut found: Vec<PathBuf> = match driver.log_folder(&cwd.to_string_lossy()) {
        Some(folder) => entries(&root(driver, config_dir).join(folder)).filter(named).collect(),
        None => all(driver, config_dir).into_iter().filter(named).collect(),
    };
    found.sort_by_key(|path| std::cmp::Reverse(modified(path)));
    let of_cwd = |path: &PathBuf| {
        let head = head(driver, path);
        let works = |head: LogHead| head.of_person && (works_in(&head, cwd) || is_marked(driver, path, cwd));
        driver.log_folder("").is_some() || head.is_some_and(works)
    };
    found.iter().filter(|path| of_cwd(path)).filter_map(|path| whole_id(driver, path)).collect()
}

/// The folder below which logs are.
#[must_use]
pub fn root(driver: &dyn Driver, config_dir: &Path) -> PathBuf {
    config_dir.join(driver.paths().logs)
}

/// The log of a conversation.
#[must_use]
pub fn by_id(driver: &dyn Driver, config_dir: &Path, wanted: &str) -> Option<PathBuf> {
    let plain = format!("{wanted}.{}", driver.paths().log_extension);
    if driver.log_id(&plain).as_deref() == Some(wanted) {
        let folders = folders(&root(driver, config_dir), driver.paths().log_depth);
        return folders.into_iter().map(|folder| folder.join(&plain)).find(|path| path.is_file());
    }
    let named = |path: &PathBuf| id(driver, path).is_some_and(|id| wanted.starts_with(&id));
    let is_it = |path: &PathBuf| named(path) && whole_id(driver, path).as_deref() == Some(wanted);
    all(driver, config_dir).into_iter().filter(is_it).max_by_key(|path| modified(path))
}

/// The conversation of a log. Its name may have only the beginning of the id, and its first line all of it.
#[must_use]
pub fn whole_id(driver: &dyn Driver, path: &Path) -> Option<String> {
    let named = id(driver, path)?;
    Some(head(driver, path).map_or(named, |head| head.session_id))
}

/// The folders for logs of agents that work in `cwd`, where a file in them says that.
pub(crate) fn marked_folders(driver: &dyn Driver, config_dir: &Path, cwd: &Path) -> Vec<PathBuf> {
    let paths = driver.paths();
    if paths.folder_marker.is_none() {
        return Vec::new();
    }
    let marked = entries(&root(driver, config_dir)).filter(|folder| says(driver, folder, cwd));
    marked.flat_map(|folder| [folders(&folder, paths.log_depth.saturating_sub(1)), vec![folder]].concat()).collect()
}

/// Whether the folder that a log is in is the one for `cwd`.
fn is_marked(driver: &dyn Driver, log: &Path, cwd: &Path) -> bool {
    log.ancestors().nth(driver.paths().log_depth).is_some_and(|folder| says(driver, folder, cwd))
}

fn says(driver: &dyn Driver, folder: &Path, cwd: &Path) -> bool {
    let marker =
        driver.paths().folder_marker.and_then(|name| regular::read_to_string(&folder.join(name), regular::SMALL).ok());
    marker.is_some_and(|path| is_same(Path::new(path.trim()), cwd))
}

/// The log that the processes of this session have open, the one written to last if there are several. Where open
/// files cannot be told: the only new one of an agent in this folder.
pub(crate) fn of_process(
    driver: &dyn Driver,
    config_dir: &Path,
    child: u32,
    cwd: &Path,
    started_ms: u64,
) -> Option<PathBuf> {
    let root = root(driver, config_dir);
    let is_log = |path: &PathBuf| path.starts_with(&root) && id(driver, path).is_some();
    let by_person = |path: &PathBuf| head(driver, path).is_some_and(|head| head.of_person);
    if process::can_tell_files() {
        let open = process::open_files(child).into_iter().filter(is_log).filter(by_person);
        return open.max_by_key(|path| modified(path));
    }
    let mut new = newest_folder(&root, driver.paths().log_depth).into_iter().flat_map(|folder| {
        let recent = |path: &PathBuf| is_log(path) && modified_ms(path) >= started_ms;
        entries(&folder).filter(recent).collect::<Vec<_>>()
    });
    let ours = |path: &PathBuf| {
        let began = |head: &LogHead| head.started_ms.is_some_and(|at| at >= started_ms);
        head(driver, path).is_some_and(|head| head.of_person && works_in(&head, cwd) && began(&head))
    };
    let mut ours = new.by_ref().filter(ours);
    ours.next().filter(|_| ours.next().is_none())
}

/// The folders in which a new log or a new folder for one would be made.
pub(crate) fn newest_folders(root: &Path, depth: usize) -> Vec<PathBuf> {
    let mut chain = vec![root.to_owned()];
    for _ in 0..depth {
        let last = chain.last().map(|folder| entries(folder).filter(|path| path.is_dir()).max());
        match last.flatten() {
            Some(folder) => chain.push(folder),
            None => break,
        }
    }
    chain
}

fn newest_folder(root: &Path, depth: usize) -> Option<PathBuf> {
    Some(newest_folders(root, depth)).filter(|chain| chain.len() == depth + 1)?.pop()
}

pub(crate) fn id(driver: &dyn Driver, path: &Path) -> Option<String> {
    driver.log_id(path.file_name()?.to_str()?)
}

fn all(driver: &dyn Driver, config_dir: &Path) -> Vec<PathBuf> {
    let folders = folders(&root(driver, config_dir), driver.paths().log_depth);
    folders.iter().flat_map(|folder| entries(folder)).filter(|path| id(driver, path).is_some()).collect()
}

fn folders(root: &Path, depth: usize) -> Vec<PathBuf> {
    let mut level = vec![root.to_owned()];
    for _ in 0..depth {
        level = level.iter().flat_map(|folder| entries(folder)).filter(|path| path.is_dir()).collect();
    }
    level
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

pub(crate) fn head(driver: &dyn Driver, path: &Path) -> Option<LogHead> {
    let mut line = String::new();
    BufReader::new(regular::open(path).ok()?.take(LONGEST_HEAD)).read_line(&mut line).ok()?;
    driver.log_head(&line)
}

fn works_in(head: &LogHead, cwd: &Path) -> bool {
    head.cwd.as_ref().is_some_and(|theirs| is_same(Path::new(theirs), cwd))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn modified_ms(path: &Path) -> u64 {
    let since = modified(path).and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a1deac-887c-7042-a077-4ef7231b9b0";

    fn rollout(home: &Path, day: &str, number: u32, cwd: &str, source: &str) -> PathBuf {
        let id = format!("{ID}{number}");
        let folder = home.join("sessions").join(day);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("rollout-2026-11-15T10-06-51-{id}.jsonl"));
        let meta = serde_json::json!({ "type": "session_meta", "payload": {
            "id": id, "cwd": cwd, "thread_source": source, "timestamp": "2026-11-15T10:06:51.000Z" } });
        fs::write(&path, format!("{meta}\n")).unwrap();
        path
    }

    #[test]
    fn conversations_of_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let driver = coop_drivers::driver("codex").unwrap();
        rollout(home.path(), "2026/10/31", 1, "/srv/a", "user");
        rollout(home.path(), "2026/11/02", 2, "/srv/b", "user");
        rollout(home.path(), "2026/11/02", 3, "/srv/a", "subagent");
        let newest = rollout(home.path(), "2026/11/02", 4, "/srv/a", "user");
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(&newest).unwrap().set_modified(later).unwrap();
        let of = |cwd: &str, prefix: &str| of_folder(driver.as_ref(), home.path(), Path::new(cwd), prefix);
        assert_eq!(of("/srv/a", ""), [format!("{ID}4"), format!("{ID}1")]);
        assert_eq!(of("/srv/b", "01a1"), [format!("{ID}2")]);
        assert!(of("/srv/c", "").is_empty() && of("/srv/a", "ffff").is_empty());
        assert_eq!(by_id(driver.as_ref(), home.path(), &format!("{ID}4")), Some(newest));
        let days = newest_folders(&home.path().join("sessions"), 3);
        assert!(days.len() == 4 && days[3].ends_with("2026/11/02"), "{days:?}");
    }

    #[test]
    fn the_log_of_this_process_is_the_one_it_has_open() {
        let home = tempfile::tempdir().unwrap();
        let driver = coop_drivers::driver("codex").unwrap();
        let ours = rollout(home.path(), "2026/11/15", 1, "/srv/a", "user");
        rollout(home.path(), "2026/11/15", 2, "/srv/a", "user");
        let open = fs::File::options().append(true).open(&ours).unwrap();
        let me = std::process::id();
        let found = || of_process(driver.as_ref(), home.path(), me, Path::new("/srv/a"), 0);
        if process::can_tell_files() {
            assert_eq!(found(), Some(ours));
            drop(open);
        }
        assert_eq!(found(), None, "one of two");
    }

    /// Named by a part of their id, in a folder that says which one it is for.
    #[test]
    fn logs_that_say_what_they_are_inside() {
        let home = tempfile::tempdir().unwrap();
        let driver = coop_drivers::driver("gemini").unwrap();
        let log = |slug: &str, cwd: &str, id: &str| {
            let folder = home.path().join("tmp").join(slug);
            fs::create_dir_all(folder.join("chats")).unwrap();
            fs::write(folder.join(".project_root"), cwd).unwrap();
            let path = folder.join(format!("chats/session-2026-11-15T10-06-{}.jsonl", &id[..8]));
            let head = serde_json::json!({ "sessionId": id, "kind": "main", "startTime": "2026-11-15T10:06:51.000Z" });
            fs::write(&path, format!("{head}\n")).unwrap();
            path
        };
        let (one, two) = ("11111111-aaaa", "22222222-bbbb");
        let mine = log("a", "/srv/a", one);
        log("b", "/srv/b", two);
        let of = |cwd: &str, prefix: &str| of_folder(driver.as_ref(), home.path(), Path::new(cwd), prefix);
        assert_eq!((of("/srv/a", ""), of("/srv/b", "2222")), (vec![one.to_owned()], vec![two.to_owned()]));
        assert!(of("/srv/a", "2222").is_empty() && of("/srv/c", "").is_empty());
        assert_eq!(by_id(driver.as_ref(), home.path(), one), Some(mine.clone()));
        assert_eq!(by_id(driver.as_ref(), home.path(), "11111111-cccc"), None, "another with the same beginning");
        let folders = marked_folders(driver.as_ref(), home.path(), Path::new("/srv/a"));
        assert_eq!(folders, [mine.parent().unwrap(), mine.parent().unwrap().parent().unwrap()]);
    }
}
