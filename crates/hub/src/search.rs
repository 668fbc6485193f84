//! Words looked for in everything that is known: sessions that run or have ended, what they asked, and what was said and
//! done in them, which their agents keep.
//!
//! Nothing is indexed: the agents' own files are read, the newest sessions first, until there is enough or it has taken
//! too long. Files are read on a thread where nobody waits for anything else.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use coop_core::agent::conversation::EntryKind;
use coop_core::fleet::{Entry, EntryId};
use coop_core::permission::broker::RequestId;
use coop_machine::regular;

use crate::AgentFiles;
use crate::board::{Board, Card, Settled};
use crate::feeds::is_log_of;
use crate::handle::{HubError, HubHandle};

/// Whoever looks for something waits this long, at the most.
const PATIENCE: Duration = Duration::from_secs(5);
/// Of one conversation; the rest of it is found by looking there.
const OF_ONE: usize = 5;
/// Around the word that was looked for, in characters.
const AROUND: usize = 80;
/// Requests that are over, at once and in all.
const PAGE: usize = 500;
const PAGES: usize = 40;
/// A line beyond this is a picture, or nothing that a person has written.
const LONGEST_LINE: usize = 1 << 20;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub session: EntryId,
    /// `session`, `prompt`, or what it is in the conversation: `user`, `assistant`, `tool_call`…
    pub kind: &'static str,
    /// The words, with what stands around them.
    pub text: String,
    /// Line of the agent's log, counted from 0.
    pub line: Option<u64>,
    pub prompt: Option<RequestId>,
    /// As the agent wrote it.
    pub at: Option<String>,
}

/// What was found, and whether everything was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    pub hits: Vec<Hit>,
    pub complete: bool,
}

/// All of them, in any order, wherever they stand; capitals count as small letters.
#[derive(Clone, Debug)]
struct Words(Vec<String>);

impl Words {
    fn new(query: &str) -> Self {
        Self(query.split_whitespace().map(str::to_lowercase).collect())
    }

    /// What stands around the first of them, if all are there.
    fn find(&self, text: &str) -> Option<String> {
        let small = text.to_lowercase();
        let first = small.find(self.0.first()?.as_str())?;
        self.0.iter().all(|word| small.contains(word.as_str())).then(|| excerpt(text, small[..first].chars().count()))
    }

    /// Whether a line of JSON can have them. One that is written with escapes is read to be sure.
    fn may_be_in(&self, line: &str) -> bool {
        let plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let small = line.to_ascii_lowercase();
        self.0.iter().filter(|word| plain(word)).all(|word| small.contains(word.as_str()))
    }
}

fn excerpt(text: &str, place: usize) -> String {
    let begin = place.saturating_sub(AROUND);
    let mut around: String = text.chars().skip(begin).take(place - begin + AROUND).collect();
    if begin > 0 {
        around.insert(0, '…');
    }
    if text.chars().nth(place + AROUND).is_some() {
        around.push('…');
    }
    around
}

impl HubHandle {
    /// What has all words of `query` in it. Nothing for a query without any.
    pub async fn search(&self, query: &str, limit: usize) -> Result<Hits, HubError> {
        let words = Words::new(query);
        if words.0.is_empty() || limit == 0 {
            return Ok(Hits { hits: Vec::new(), complete: true });
        }
        let until = Instant::now() + PATIENCE;
        let board = self.board();
        let mut hits: Vec<Hit> = of_board(&board, &words);
        self.of_history(&words, limit, &mut hits).await?;
        let agents = Arc::clone(&self.agents);
        let found = tokio::task::spawn_blocking(move || of_logs(&board, &agents, &words, limit, until)).await;
        let Hits { hits: said, complete } = found.map_err(|_| HubError::Closed)?;
        hits.extend(said);
        let complete = complete && hits.len() <= limit;
        hits.truncate(limit);
        Ok(Hits { hits, complete })
    }

    async fn of_history(&self, words: &Words, limit: usize, hits: &mut Vec<Hit>) -> Result<(), HubError> {
        let mut before = None;
        for _ in 0..PAGES {
            let page = self.history(before, PAGE).await?;
            hits.extend(page.iter().filter_map(|settled| of_settled(settled, words)));
            before = page.last().map(|settled| settled.id);
            if before.is_none() || hits.len() >= limit {
                break;
            }
        }
        Ok(())
    }
}

fn of_board(board: &Board, words: &Words) -> Vec<Hit> {
    let sessions = board.sessions.iter().filter_map(|entry| of_session(entry, words));
    sessions.chain(board.prompts.iter().filter_map(|card| of_card(card, words))).collect()
}

fn of_session(entry: &Entry, words: &Words) -> Option<Hit> {
    let Entry { title, cwd, branch, last_message, conversation, .. } = entry;
    let known = [title, cwd, branch, conversation, last_message].into_iter().flatten();
    let text = known.map(String::as_str).collect::<Vec<_>>().join(" · ");
    let text = words.find(&text)?;
    Some(Hit { session: entry.id, kind: "session", text, line: None, prompt: None, at: None })
}

fn of_card(card: &Card, words: &Words) -> Option<Hit> {
    let text = words.find(&format!("{} {}", card.tool, card.input))?;
    Some(Hit { session: card.session, kind: "prompt", text, line: None, prompt: Some(card.id), at: None })
}

fn of_settled(settled: &Settled, words: &Words) -> Option<Hit> {
    let Settled { tool, input, outcome, by, text, .. } = settled;
    let said = format!("{tool} {input} {outcome} by {by} {}", text.as_deref().unwrap_or_default());
    let text = words.find(&said)?;
    Some(Hit { session: settled.session, kind: "prompt", text, line: None, prompt: Some(settled.id), at: None })
}

/// What was said and done, in the sessions that changed last first.
fn of_logs(board: &Board, agents: &[AgentFiles], words: &Words, limit: usize, until: Instant) -> Hits {
    let mut entries: Vec<&Arc<Entry>> = board.sessions.iter().filter(|entry| entry.log.is_some()).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.since_ms));
    let mut found = Hits { hits: Vec::new(), complete: true };
    for entry in entries {
        if found.hits.len() >= limit || Instant::now() > until {
            found.complete = false;
            break;
        }
        found.hits.extend(of_log(entry, agents, words, until).unwrap_or_default());
    }
    found
}

/// The last places in one conversation, the newest first. Nothing for a file that is not one of the agent's own.
fn of_log(entry: &Entry, agents: &[AgentFiles], words: &Words, until: Instant) -> Option<Vec<Hit>> {
    let driver = coop_drivers::driver(&entry.agent)?;
    let path = Path::new(entry.log.as_deref()?);
    let own = agents.iter().find(|files| files.agent == entry.agent)?;
    if !is_log_of(own, driver.as_ref(), path) {
        return None;
    }
    let mut driver = driver;
    let mut hits = Vec::new();
    let mut log = BufReader::new(regular::open(path).ok()?);
    let mut line = Vec::new();
    for number in 0.. {
        if !regular::read_line(&mut log, &mut line, LONGEST_LINE).ok()? || Instant::now() > until {
            break;
        }
        let Ok(text) = std::str::from_utf8(&line) else { continue };
        if !words.may_be_in(text) {
            continue;
        }
        for said in driver.conversation(number, text).0 {
            let (kind, text) = spoken(&said.kind);
            if let Some(text) = words.find(&text) {
                let (line, at) = (Some(said.line), said.timestamp);
                hits.push(Hit { session: entry.id, kind, text, line, prompt: None, at });
            }
        }
    }
    hits.reverse();
    hits.truncate(OF_ONE);
    Some(hits)
}

/// What it is, and its words.
fn spoken(kind: &EntryKind) -> (&'static str, String) {
    match kind {
        EntryKind::User { text } => ("user", text.clone()),
        EntryKind::Assistant { text } => ("assistant", text.clone()),
        EntryKind::Thinking { text } => ("thinking", text.clone()),
        EntryKind::ToolCall { tool, input, .. } => ("tool_call", format!("{tool} {input}")),
        EntryKind::ToolResult { text, .. } => ("tool_result", text.clone()),
        EntryKind::Interrupted => ("interrupted", String::new()),
        EntryKind::Error { text } => ("error", text.clone()),
        EntryKind::Compaction { text } => ("compaction", text.clone().unwrap_or_default()),
        // Nobody has said it.
        EntryKind::Image { .. } => ("image", String::new()),
        EntryKind::Unknown { .. } => ("unknown", String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (query, text, found) in [
            ("fix", "Fix the login", true),
            ("login FIX", "Fix the login", true),
            ("fix logout", "Fix the login", false),
            ("ÄPFEL", "drei äpfel", true),
            ("a\"b", "say a\"b", true),
        ] {
            assert_eq!(Words::new(query).find(text).is_some(), found, "{query} in {text}");
        }
        assert!(Words::new(" ").find("x").is_none());
        let long = format!("{}needle{}", "x".repeat(500), "y".repeat(500));
        let around = Words::new("needle").find(&long).unwrap();
        assert!(around.contains("needle") && around.starts_with('…') && around.ends_with('…'));
        assert!(around.chars().count() < 2 * AROUND + 10, "{around}");
    }

    #[test]
    fn lines_that_need_not_be_read() {
        let line = r#"{"text":"Fix \u00e4pfel and \"quotes\""}"#;
        for (query, may) in [("fix", true), ("äpfel", true), ("\"quotes", true), ("login", false), ("fix login", false)]
        {
            assert_eq!(Words::new(query).may_be_in(line), may, "{query}");
        }
    }
}
