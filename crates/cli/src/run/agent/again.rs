//! The agent started again in its session, with the conversation it had.

use std::io::BufReader;
use std::path::Path;

use coop_core::agent::conversation::EntryKind;
use coop_drivers::Driver;
use coop_drivers::lines::MAX_LINE;
use coop_machine::regular;
use coop_session::{Again, Launch, Launcher, logs};
use coop_terminal::pty;

use super::{Fitted, Fitting, config_dir, is_shell, strings};

#[derive(Debug)]
pub(super) struct Relaunch {
    pub(super) fitting: Fitting,
    /// The command as the user gave it.
    pub(super) base: pty::Command,
}

impl Launcher for Relaunch {
    fn check(&self, again: &Again<'_>) -> Result<(), String> {
        self.fitted(again).map(drop)
    }

    fn launch(&self, again: &Again<'_>) -> Result<Launch, String> {
        let (fitted, resumed) = self.fitted(again)?;
        fitted.write().map_err(|error| error.message().to_owned())?;
        Ok(Launch { command: fitted.command, agent: Some(fitted.config), resumed })
    }
}

impl Relaunch {
    /// The command, and whether it goes on with the conversation. Where the agent is started by a shell, that is for the
    /// shell to say.
    fn fitted(&self, again: &Again<'_>) -> Result<(Fitted, bool), String> {
        let mut command = self.base.clone();
        again.change.apply(&mut command.env);
        let mut args = strings(again.change.args.as_ref().unwrap_or(&command.args));
        let driver = self.fitting.recipe.driver();
        let chosen = is_shell(&command.program, &args) || (again.new_args && driver.chooses_conversation(&args));
        let dir = config_dir(driver.as_ref(), &command.env);
        let known = |id: &&str| dir.as_deref().is_some_and(|dir| was_written(self.fitting.recipe.driver(), dir, id));
        let conversation = again.conversation.filter(|_| !chosen).filter(known);
        if conversation.is_some() && !again.new_args {
            args = driver.args_again(&args);
        }
        let resumed = conversation.is_some();
        let fitted = self.fitting.fit(command, args, conversation.map(str::to_owned));
        Ok((fitted.map_err(|error| error.message().to_owned())?, resumed))
    }
}

/// Whether anything was said in the conversation: an agent cannot go on with one in which nothing was.
fn was_written(mut driver: Box<dyn Driver>, config_dir: &Path, id: &str) -> bool {
    let Some(log) = logs::by_id(driver.as_ref(), config_dir, id) else { return false };
    let Ok(file) = regular::open(&log) else { return false };
    let said = |kind: &EntryKind| matches!(kind, EntryKind::User { .. } | EntryKind::Compaction { .. });
    let (mut reader, mut line, mut number) = (BufReader::new(file), Vec::new(), 0);
    while regular::read_line(&mut reader, &mut line, MAX_LINE).unwrap_or(false) {
        let (entries, _) = driver.conversation(number, &String::from_utf8_lossy(&line));
        if entries.iter().any(|entry| said(&entry.kind)) {
            return true;
        }
        number += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_conversation_in_which_nothing_was_said_is_none() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("projects/-srv-x");
        fs::create_dir_all(&folder).unwrap();
        let said = r#"{"type":"user","message":{"role":"user","content":"hello"}}"#;
        fs::write(folder.join("a.jsonl"), format!("{{\"type\":\"mode\"}}\n{said}\n")).unwrap();
        fs::write(folder.join("b.jsonl"), "{\"type\":\"mode\"}\n").unwrap();
        let written = |id: &str| was_written(coop_drivers::driver("claude").unwrap(), home.path(), id);
        assert_eq!((written("a"), written("b"), written("c")), (true, false, false));
    }
}
