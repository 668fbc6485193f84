//! Which earlier conversation is meant.

use std::path::Path;

use coop_drivers::Driver;
use coop_session::logs;

use crate::CommandError;

/// The id of the conversation: `hint` is `latest`, an id or the beginning of one, or the path of a log.
pub(super) fn find(
    driver: &dyn Driver,
    config_dir: Option<&Path>,
    cwd: &Path,
    hint: &str,
) -> Result<String, CommandError> {
    let path = Path::new(hint);
    if path.is_file() {
        let id = logs::whole_id(driver, path);
        return id.ok_or_else(|| CommandError::usage(format!("{hint} is not a log of {}", driver.name())));
    }
    let any = matches!(hint, "latest" | "last" | "auto");
    let config_dir = config_dir.unwrap_or(Path::new(""));
    let found = logs::of_folder(driver, config_dir, cwd, if any { "" } else { hint });
    let place = logs::root(driver, config_dir).join(driver.log_folder(&cwd.to_string_lossy()).unwrap_or_default());
    match found.into_iter().next() {
        Some(id) => Ok(id),
        None if any => {
            let message = match driver.log_folder("") {
                Some(_) => format!("There is no earlier conversation in {}", place.display()),
                None => format!("There is no earlier conversation of {} in {}", cwd.display(), place.display()),
            };
            Err(CommandError::failed(message).with_hint("Start a new one: leave --resume out."))
        }
        None => Err(CommandError::failed(format!("No conversation of {} begins with `{hint}`", cwd.display()))
            .with_hint(format!("Give its id, the path of its log, or `latest`. The logs are in {}.", place.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::SystemTime;

    #[test]
    fn conversations_are_found_by_what_people_say() {
        let driver = coop_drivers::driver("claude").unwrap();
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(driver.paths().logs).join(driver.log_folder("/srv/x").unwrap());
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
