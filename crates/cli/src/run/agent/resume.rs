//! Which earlier conversation is meant.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use coop_drivers::Driver;

use crate::CommandError;

/// The id of the conversation: `hint` is `latest`, an id or the beginning of one, or the path of a log.
pub(super) fn find(
    driver: &dyn Driver,
    config_dir: Option<&Path>,
    cwd: &Path,
    hint: &str,
) -> Result<String, CommandError> {
    let extension = driver.paths().log_extension;
    if Path::new(hint).is_file() {
        return stem(Path::new(hint), &extension)
            .ok_or_else(|| CommandError::usage(format!("{hint} is not a log of {}", driver.name())));
    }
    let logs = config_dir.map(|dir| dir.join(driver.paths().logs).join(driver.project_dir(&cwd.to_string_lossy())));
    let logs = logs.unwrap_or_default();
    let mut found: Vec<(SystemTime, String)> = entries(&logs)
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, stem(&path, &extension)?)))
        .filter(|(_, id)| matches!(hint, "latest" | "last" | "auto") || id.starts_with(hint))
        .collect();
    found.sort();
    match (found.pop(), hint) {
        (Some((_, id)), _) => Ok(id),
        (None, "latest" | "last" | "auto") => {
            Err(CommandError::failed(format!("There is no earlier conversation in {}", logs.display()))
                .with_hint("Start a new one: leave --resume out."))
        }
        (None, hint) => Err(CommandError::failed(format!("No conversation of {} begins with `{hint}`", cwd.display()))
            .with_hint(format!("Give its id, the path of its log, or `latest`. The logs are in {}.", logs.display()))),
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn stem(path: &Path, extension: &str) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let id = name.strip_suffix(extension)?.trim_end_matches('.');
    (!id.is_empty()).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_found_by_what_people_say() {
        let driver = coop_drivers::driver("claude").unwrap();
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(driver.paths().logs).join(driver.project_dir("/srv/x"));
        fs::create_dir_all(&folder).unwrap();
        for (id, age) in [("aaaa-1", 30), ("bbbb-2", 10), ("aabb-3", 20)] {
            let path = folder.join(format!("{id}.jsonl"));
            fs::write(&path, "{}\n").unwrap();
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
        let find = |hint: &str| find(driver.as_ref(), Some(home.path()), Path::new("/srv/x"), hint).ok();
        assert_eq!(find("latest").as_deref(), Some("bbbb-2"));
        assert_eq!(find("aaaa").as_deref(), Some("aaaa-1"));
        assert_eq!(find("aa").as_deref(), Some("aabb-3"), "the newest of several");
        assert_eq!(find("cccc"), None);
        assert_eq!(find(&folder.join("aaaa-1.jsonl").to_string_lossy()).as_deref(), Some("aaaa-1"));
    }
}
