//! What outlives the hub: sessions, what they asked and who answered, and rules. One SQLite file.
//!
//! A write is in the file when its function returns, so that nothing that was acknowledged is lost by `kill -9`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_core::access::{Digest, Reach};
use coop_core::agent::state::State;
use coop_core::fleet::Entry;
use coop_core::permission::rules::{Effect, Hosts, Rule};
use coop_machine::clock::now_ms;
use coop_machine::private;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::board::{Card, Settled};
use crate::devices::{self, Device};

/// Each step once, in order; `user_version` counts those that were made. A step that was given out never changes.
const MIGRATIONS: [&str; 6] = [
    "
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY, agent TEXT NOT NULL, conversation TEXT, cwd TEXT, branch TEXT, title TEXT, model TEXT,
        version TEXT, log TEXT, last_message TEXT, added_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_changed ON sessions (changed_ms);
    CREATE TABLE prompts (
        id INTEGER PRIMARY KEY, session INTEGER NOT NULL, conversation TEXT NOT NULL, cwd TEXT NOT NULL,
        kind TEXT NOT NULL, tool TEXT NOT NULL, input TEXT NOT NULL, tool_use_id TEXT, asked_ms INTEGER NOT NULL,
        ended_ms INTEGER, outcome TEXT, by TEXT, place TEXT, text TEXT, remembered TEXT
    ) STRICT;
    CREATE TABLE rules (
        id INTEGER PRIMARY KEY AUTOINCREMENT, pattern TEXT NOT NULL, effect TEXT NOT NULL, project TEXT
    ) STRICT;
",
    "
    CREATE TABLE devices (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, reach TEXT NOT NULL, digest BLOB NOT NULL,
        added_ms INTEGER NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE sessions ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE events (seq INTEGER PRIMARY KEY, name TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
",
    "
    ALTER TABLE sessions ADD COLUMN spent TEXT;
",
    "
    ALTER TABLE prompts ADD COLUMN updated_input TEXT;
",
    // Rules of earlier versions are for all machines, which NULL stands for; an empty text is the machine of the hub.
    "
    ALTER TABLE rules ADD COLUMN host TEXT;
",
];

/// A hub that ends just now gets this long.
const BUSY: Duration = Duration::from_secs(5);
/// Sessions that are known again after a restart.
const RESTORED: u32 = 1000;
/// Requests that are kept; older ones go.
const KEPT: u32 = 100_000;

#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("the ledger {} cannot be opened: {error}", path.display())]
    Open { path: PathBuf, error: String },
    #[error("the ledger {} was written by a newer version of coop", path.display())]
    Newer { path: PathBuf },
    #[error("another hub has the ledger {}", path.display())]
    InUse { path: PathBuf },
}

#[derive(Debug)]
pub(crate) struct Ledger(Connection);

/// What an earlier hub knew.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) sessions: Vec<Entry>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) devices: Vec<Device>,
    pub(crate) last_session: u64,
    pub(crate) last_request: u64,
    /// Sessions that had not ended when the hub did.
    pub(crate) live: Vec<u64>,
    /// What was asked and not answered then.
    pub(crate) open: Vec<Settled>,
    pub(crate) told: Earlier,
}

/// What an earlier hub told.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The last events, by name and as JSON, oldest first.
    pub(crate) events: Vec<(String, String)>,
    /// The number of the newest.
    pub(crate) newest: u64,
    /// What they count within.
    pub(crate) generation: u64,
}

/// An event to be kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) seq: u64,
    pub(crate) name: Cow<'static, str>,
    pub(crate) data: String,
}

type Result<T> = std::result::Result<T, rusqlite::Error>;

/// A file that the database keeps beside its own.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

impl Ledger {
    /// In memory without a path.
    pub(crate) fn open(path: Option<&Path>) -> std::result::Result<Self, LedgerError> {
        Self::open_within(path, BUSY)
    }

    fn open_within(path: Option<&Path>, wait: Duration) -> std::result::Result<Self, LedgerError> {
        let shown = path.unwrap_or(Path::new("in memory")).to_owned();
        let failed = |error: String| LedgerError::Open { path: shown.clone(), error };
        if let Some(path) = path {
            // What agents were asked is for this account alone; files beside it get the mode of this one.
            for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
                if file == path || file.exists() {
                    private::append(&file).map_err(|error| failed(error.to_string()))?;
                }
            }
        }
        let opened = match path {
            Some(path) => Connection::open(path),
            None => Connection::open_in_memory(),
        };
        let opened = opened.and_then(|opened| opened.busy_timeout(wait).map(|()| opened));
        let mut ledger = Self(opened.map_err(|error| failed(error.to_string()))?);
        match ledger.migrate() {
            Ok(true) => Ok(ledger),
            Ok(false) => Err(LedgerError::Newer { path: shown }),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                Err(LedgerError::InUse { path: shown })
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// False if the file is newer than this program.
    fn migrate(&mut self) -> Result<bool> {
        // Two hubs would give the same numbers to different requests.
        self.0.pragma_update(None, "locking_mode", "exclusive")?;
        self.0.pragma_update(None, "journal_mode", "wal")?;
        // Enough against the end of the process; only a crash of the machine may take the last moments.
        self.0.pragma_update(None, "synchronous", "normal")?;
        let done: usize = self.0.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))? as usize;
        let Some(left) = MIGRATIONS.get(done..) else { return Ok(false) };
        for (step, number) in left.iter().zip(done + 1..) {
            let change = self.0.transaction()?;
            change.execute_batch(step)?;
            change.pragma_update(None, "user_version", u32::try_from(number).unwrap_or(u32::MAX))?;
            change.commit()?;
        }
        Ok(true)
    }

    /// What was asked and not answered when an earlier hub ended is over: its hooks ask again.
    pub(crate) fn load(&self) -> Result<Loaded> {
        let mut open = self.0.prepare(
            "UPDATE prompts SET ended_ms = ?1, outcome = 'hub ended', by = 'hub' WHERE ended_ms IS NULL RETURNING *",
        )?;
        let open = open.query_map([ms(now_ms())], settled)?.collect::<Result<_>>()?;
        self.0.execute("DELETE FROM prompts WHERE id <= (SELECT coalesce(max(id), 0) FROM prompts) - ?1", [KEPT])?;
        let last = |table: &str| -> Result<u64> {
            self.0.query_row(&format!("SELECT coalesce(max(id), 0) FROM {table}"), [], |row| unsigned(row, 0))
        };
        let mut sessions = self
            .0
            .prepare("SELECT * FROM sessions WHERE conversation IS NOT NULL ORDER BY changed_ms DESC LIMIT ?1")?;
        let sessions = sessions.query_map([RESTORED], entry)?.collect::<Result<_>>()?;
        let mut rules = self.0.prepare("SELECT id, pattern, effect, project, host FROM rules ORDER BY id")?;
        let rules = rules.query_map([], rule)?.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        let mut devices = self.0.prepare("SELECT id, name, reach, digest, added_ms FROM devices ORDER BY id")?;
        let devices = devices.query_map([], device)?.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        let (last_session, last_request) = (last("sessions")?, last("prompts")?);
        let mut live = self.0.prepare("SELECT id FROM sessions WHERE live")?;
        let live = live.query_map([], |row| unsigned(row, 0))?.collect::<Result<_>>()?;
        let told = self.told()?;
        Ok(Loaded { sessions, rules, devices, last_session, last_request, live, open, told })
    }

    fn told(&self) -> Result<Earlier> {
        self.0.execute("INSERT OR IGNORE INTO numbers VALUES ('generation', ?1)", [ms(now_ms())])?;
        let number = |query: &str| self.0.query_row(query, [], |row| unsigned(row, 0));
        let mut events = self.0.prepare("SELECT name, data FROM events ORDER BY seq")?;
        let events = events.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
        Ok(Earlier {
            events,
            newest: number("SELECT coalesce(max(seq), 0) FROM events")?,
            generation: number("SELECT value FROM numbers WHERE name = 'generation'")?,
        })
    }

    /// Keeps events, all or none, and of all no more than `limit`.
    pub(crate) fn tell(&self, events: &[Kept], limit: usize) -> Result<()> {
        let Some(newest) = events.last().map(|event| event.seq) else { return Ok(()) };
        let change = self.0.unchecked_transaction()?;
        let mut add = change.prepare_cached("INSERT OR REPLACE INTO events VALUES (?1, ?2, ?3)")?;
        for Kept { seq, name, data } in events {
            add.execute(params![ms(*seq), name, data])?;
        }
        let mut forget = change.prepare_cached("DELETE FROM events WHERE seq <= ?1")?;
        forget.execute([ms(newest.saturating_sub(limit as u64))])?;
        drop((add, forget));
        change.commit()
    }

    pub(crate) fn session(&self, entry: &Entry) -> Result<()> {
        let mut add = self.0.prepare_cached(
            "INSERT OR REPLACE INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?;
        let Entry { id, agent, conversation, cwd, branch, title, model, version, log, last_message, .. } = entry;
        let (added, changed) = (ms(entry.added_ms), ms(now_ms()));
        add.execute(params![
            ms(*id),
            agent,
            conversation,
            cwd,
            branch,
            title,
            model,
            version,
            log,
            last_message,
            added,
            changed,
            entry.state != State::Exited,
            serde_json::to_string(&entry.spent).ok(),
        ])?;
        Ok(())
    }

    pub(crate) fn forget_session(&self, id: u64) -> Result<()> {
        self.0.execute("DELETE FROM sessions WHERE id = ?1", [ms(id)]).map(drop)
    }

    /// A request that a rule has decided in vain is asked again under its number.
    pub(crate) fn asked(&self, card: &Card) -> Result<()> {
        let mut add = self.0.prepare_cached(
            "INSERT OR IGNORE INTO prompts (id, session, conversation, cwd, kind, tool, input, tool_use_id, asked_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        let (kind, input) = (card.context.kind(), card.input.to_string());
        let Card { id, session, conversation, cwd, tool, tool_use_id, asked_ms, .. } = card;
        add.execute(params![ms(*id), ms(*session), conversation, cwd, kind, tool, input, tool_use_id, ms(*asked_ms)])?;
        Ok(())
    }

    /// Also for what was never asked because a rule spoke.
    pub(crate) fn settled(&self, settled: &Settled) -> Result<()> {
        let mut add = self.0.prepare_cached(
            "INSERT OR REPLACE INTO prompts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?;
        let Settled { id, session, conversation, cwd, kind, tool, input, tool_use_id, .. } = settled;
        let Settled { asked_ms, ended_ms, outcome, by, from, text, remembered, .. } = settled;
        add.execute(params![
            ms(*id),
            ms(*session),
            conversation,
            cwd,
            kind,
            tool,
            input.to_string(),
            tool_use_id,
            ms(*asked_ms),
            ms(*ended_ms),
            outcome,
            by,
            from,
            text,
            remembered,
            settled.updated_input.as_ref().map(Value::to_string),
        ])?;
        Ok(())
    }

    /// The newest first.
    pub(crate) fn history(&self, before: Option<u64>, limit: usize) -> Result<Vec<Settled>> {
        let mut find = self
            .0
            .prepare_cached("SELECT * FROM prompts WHERE ended_ms IS NOT NULL AND id < ?1 ORDER BY id DESC LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = find.query_map(params![before.map_or(i64::MAX, ms), limit], settled)?;
        rows.collect()
    }

    /// Its number.
    pub(crate) fn add_rule(&self, pattern: &str, effect: Effect, project: Option<&str>, hosts: &Hosts) -> Result<u64> {
        let host = match hosts {
            Hosts::Here => Some(""),
            Hosts::Named(name) => Some(name.as_str()),
            Hosts::All => None,
        };
        let known = self.0.query_row(
            "SELECT id FROM rules WHERE pattern = ?1 AND effect = ?2 AND project IS ?3 AND host IS ?4",
            params![pattern, effect.name(), project, host],
            |row| unsigned(row, 0),
        );
        if let Some(id) = known.optional()? {
            return Ok(id);
        }
        let add = "INSERT INTO rules (pattern, effect, project, host) VALUES (?1, ?2, ?3, ?4)";
        self.0.execute(add, params![pattern, effect.name(), project, host])?;
        Ok(u64::try_from(self.0.last_insert_rowid()).unwrap_or_default())
    }

    /// It has a name, if only its number.
    pub(crate) fn add_device(
        &self,
        name: Option<&str>,
        reach: Reach,
        digest: &Digest,
        added_ms: u64,
    ) -> Result<Device> {
        let change = self.0.unchecked_transaction()?;
        let add = "INSERT INTO devices (name, reach, digest, added_ms) VALUES ('', ?1, ?2, ?3)";
        change.execute(add, params![reach.name(), digest, ms(added_ms)])?;
        let id = u64::try_from(change.last_insert_rowid()).unwrap_or_default();
        let name = devices::name_of(name, id);
        change.execute("UPDATE devices SET name = ?1 WHERE id = ?2", params![name, ms(id)])?;
        change.commit()?;
        Ok(Device { id, name, reach, added_ms, digest: *digest })
    }

    pub(crate) fn remove_device(&self, id: u64) -> Result<()> {
        self.0.execute("DELETE FROM devices WHERE id = ?1", [ms(id)]).map(drop)
    }

    pub(crate) fn remove_rule(&self, id: u64) -> Result<bool> {
        Ok(self.0.execute("DELETE FROM rules WHERE id = ?1", [ms(id)])? > 0)
    }
}

/// SQLite counts with a sign.
fn ms(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(row: &Row<'_>, column: usize) -> Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

fn entry(row: &Row<'_>) -> Result<Entry> {
    let mut entry = Entry::new(unsigned(row, 0)?, &row.get::<_, String>(1)?, unsigned(row, 10)?);
    entry.conversation = row.get(2)?;
    entry.cwd = row.get(3)?;
    entry.branch = row.get(4)?;
    entry.title = row.get(5)?;
    entry.model = row.get(6)?;
    entry.version = row.get(7)?;
    entry.log = row.get(8)?;
    entry.last_message = row.get(9)?;
    // What this version does not understand is not known.
    let spent: Option<String> = row.get(13)?;
    entry.spent = spent.and_then(|spent| serde_json::from_str(&spent).ok()).unwrap_or_default();
    entry.since_ms = unsigned(row, 11)?;
    entry.state = State::Exited;
    entry.reason = "it was known to an earlier hub".into();
    Ok(entry)
}

/// Nothing for a pattern that this version does not understand: it matches nothing then, and is left alone.
fn rule(row: &Row<'_>) -> Result<Option<Rule>> {
    let effect = match row.get::<_, String>(2)?.as_str() {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        _ => Effect::Ask,
    };
    let (id, project) = (unsigned(row, 0)?, row.get(3)?);
    let hosts = match row.get::<_, Option<String>>(4)? {
        None => Hosts::All,
        Some(name) if name.is_empty() => Hosts::Here,
        Some(name) => Hosts::Named(name),
    };
    Ok(row.get::<_, String>(1)?.parse().ok().map(|pattern| Rule { id, pattern, effect, project, hosts }))
}

/// Nothing for one whose reach this version does not know: it opens nothing then.
fn device(row: &Row<'_>) -> Result<Option<Device>> {
    let (id, name, digest, added_ms) = (unsigned(row, 0)?, row.get(1)?, row.get(3)?, unsigned(row, 4)?);
    let reach = row.get::<_, String>(2)?.parse().ok();
    Ok(reach.map(|reach| Device { id, name, reach, added_ms, digest }))
}

fn settled(row: &Row<'_>) -> Result<Settled> {
    Ok(Settled {
        id: unsigned(row, 0)?,
        session: unsigned(row, 1)?,
        conversation: row.get(2)?,
        cwd: row.get(3)?,
        kind: row.get(4)?,
        tool: row.get(5)?,
        input: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
        tool_use_id: row.get(7)?,
        asked_ms: unsigned(row, 8)?,
        ended_ms: unsigned(row, 9)?,
        outcome: row.get::<_, Option<String>>(10)?.unwrap_or_default(),
        by: row.get::<_, Option<String>>(11)?.unwrap_or_default(),
        from: row.get(12)?,
        text: row.get(13)?,
        remembered: row.get(14)?,
        updated_input: row.get::<_, Option<String>>(15)?.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn ended(id: u64) -> Settled {
        Settled {
            id,
            session: 7,
            conversation: "c".into(),
            cwd: "/shop".into(),
            kind: "permission".into(),
            tool: "Bash".into(),
            input: json!({ "command": "rm 'a\u{202e}b'" }),
            updated_input: Some(json!({ "command": "ls" })),
            tool_use_id: None,
            asked_ms: 1,
            ended_ms: 2,
            outcome: "deny".into(),
            by: "rule".into(),
            from: None,
            text: Some("no".into()),
            remembered: Some("Bash(rm:*)".into()),
        }
    }

    #[test]
    fn what_was_acknowledged_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/hub.db");
        let ledger = Ledger::open(Some(&path)).unwrap();
        let mut entry = Entry::new(7, "claude", 5);
        entry.conversation = Some("c".into());
        entry.title = Some("A title".into());
        ledger.session(&entry).unwrap();
        let far = Hosts::Named("far".into());
        let first = ledger.add_rule("Bash(git status:*)", Effect::Allow, None, &Hosts::Here).unwrap();
        let second = ledger.add_rule("Bash(rm:*)", Effect::Deny, Some("/shop"), &far).unwrap();
        let same = ledger.add_rule("Bash(git status:*)", Effect::Allow, None, &Hosts::Here).unwrap();
        assert_eq!(same, first, "the same rule");
        let everywhere = ledger.add_rule("Bash(git status:*)", Effect::Allow, None, &Hosts::All).unwrap();
        assert_ne!(everywhere, first, "for other machines it is another rule");
        assert_ne!(first, second);
        let phone = ledger.add_device(Some("phone"), Reach::Answer, &[7; 32], 9).unwrap();
        let gone = ledger.add_device(None, Reach::View, &[8; 32], 9).unwrap();
        assert_eq!((gone.id, gone.name.as_str()), (2, "device 2"));
        ledger.remove_device(gone.id).unwrap();
        ledger.settled(&ended(1)).unwrap();
        ledger.settled(&ended(2)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700), "for nobody else");
        assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
        drop(ledger);

        let again = Ledger::open(Some(&path)).unwrap();
        let loaded = again.load().unwrap();
        assert_eq!((loaded.last_session, loaded.last_request), (7, 2));
        assert_eq!(loaded.sessions[0].title.as_deref(), Some("A title"));
        assert_eq!((loaded.sessions[0].id, loaded.sessions[0].state.name()), (7, "exited"));
        let rules: Vec<_> = loaded
            .rules
            .iter()
            .map(|rule| (rule.pattern.to_string(), rule.effect, rule.project.as_deref(), rule.hosts.clone()))
            .collect();
        assert_eq!(
            rules,
            [
                ("Bash(git status:*)".into(), Effect::Allow, None, Hosts::Here),
                ("Bash(rm:*)".into(), Effect::Deny, Some("/shop"), far),
                ("Bash(git status:*)".into(), Effect::Allow, None, Hosts::All),
            ]
        );
        assert_eq!(loaded.devices, [phone]);
        let next = again.add_device(None, Reach::View, &[8; 32], 9).unwrap();
        assert_eq!(next.id, 3, "a number is never used again");
        assert_eq!(again.history(None, 10).unwrap(), [ended(2), ended(1)]);
        assert_eq!(again.history(Some(2), 10).unwrap(), [ended(1)]);
        assert!(again.remove_rule(first).unwrap() && !again.remove_rule(first).unwrap());
    }

    /// Rules of a ledger from before rules had hosts are for all machines, as they were.
    #[test]
    fn rules_of_an_earlier_ledger_are_for_all_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub.db");
        let before = Connection::open(&path).unwrap();
        for (step, number) in MIGRATIONS.iter().zip(1..).take(5) {
            before.execute_batch(step).unwrap();
            before.pragma_update(None, "user_version", number).unwrap();
        }
        before
            .execute("INSERT INTO rules (pattern, effect, project) VALUES ('Bash(ls:*)', 'allow', '/shop')", [])
            .unwrap();
        drop(before);
        let loaded = Ledger::open(Some(&path)).unwrap().load().unwrap();
        let [rule] = &loaded.rules[..] else { panic!("{:?}", loaded.rules) };
        assert_eq!((&rule.hosts, rule.project.as_deref()), (&Hosts::All, Some("/shop")));
    }

    #[test]
    fn a_ledger_has_one_hub() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub.db");
        let first = Ledger::open(Some(&path)).unwrap();
        assert!(matches!(Ledger::open_within(Some(&path), Duration::ZERO), Err(LedgerError::InUse { .. })));
        drop(first);
        Ledger::open(Some(&path)).unwrap();
    }

    #[test]
    fn a_file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 999).unwrap();
        assert!(matches!(Ledger::open(Some(&path)), Err(LedgerError::Newer { .. })));
        std::fs::write(&path, "no database at all, and long enough to be read as one").unwrap();
        assert!(matches!(Ledger::open(Some(&path)), Err(LedgerError::Open { .. })));
    }
}
