//! The order of the list: who needs a person first, in groups if that is wished.

use std::collections::BTreeMap;

use coop_api::hub::{Prompt, Session};

use super::filter::fits;
use super::{Group, Lens};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A name, and how many are in it.
    Group(String, usize),
    Session(u64),
}

impl Row {
    #[must_use]
    pub fn session(&self) -> Option<u64> {
        match self {
            Self::Session(id) => Some(*id),
            Self::Group(..) => None,
        }
    }
}

/// The first need a person the most; of those the one that waits the longest, and of those that are over the newest.
pub type Urgency = (usize, u64, u64);

/// In the order of the board.
const RANKS: [&str; 7] = ["asks", "failed", "done", "parked", "rests", "works", "over"];
const OVER: usize = 6;

/// What can be answered from here counts as asking, whatever else is known of its session.
#[must_use]
pub fn urgency(session: &Session, asks: bool) -> Urgency {
    let rank = RANKS.iter().position(|rank| *rank == session.attention).unwrap_or(4);
    let rank = if asks { 0 } else { rank };
    let since = if rank == OVER { u64::MAX - session.since_ms } else { session.since_ms };
    (rank, since, session.id)
}

pub(super) fn rows<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    prompts: &BTreeMap<u64, Prompt>,
    lens: &Lens,
) -> Vec<Row> {
    let asking: std::collections::BTreeSet<u64> = prompts.values().map(|prompt| prompt.session).collect();
    let shown = |session: &&Session| (lens.ended || session.attention != "over") && fits(session, &lens.filter);
    let mut all: Vec<(Urgency, &Session)> =
        sessions.filter(shown).map(|session| (urgency(session, asking.contains(&session.id)), session)).collect();
    all.sort_unstable_by_key(|(urgency, _)| *urgency);
    if lens.group == Group::None {
        return all.into_iter().map(|(_, session)| Row::Session(session.id)).collect();
    }
    // Groups come in the order of their first.
    let mut groups: Vec<(String, Vec<u64>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (_, session) in all {
        let name = name(session, lens.group);
        let at = *places.entry(name.clone()).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(session.id);
    }
    let group = |(name, ids): (String, Vec<u64>)| {
        std::iter::once(Row::Group(name, ids.len())).chain(ids.into_iter().map(Row::Session)).collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(group).collect()
}

fn name(session: &Session, group: Group) -> String {
    let (name, none) = match group {
        Group::Host => (session.host.as_deref(), "this machine"),
        _ => (session.project.as_deref(), "no project"),
    };
    name.filter(|name| !name.is_empty()).unwrap_or(none).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: u64, attention: &str, since_ms: u64, project: &str) -> Session {
        let (attention, project) = (attention.into(), Some(project.into()));
        Session { id, attention, since_ms, project, ..Session::default() }
    }

    fn check(lens: &Lens, expected: &[&str]) {
        let all = [
            session(1, "works", 5, "shop"),
            session(2, "asks", 9, "site"),
            session(3, "asks", 4, "shop"),
            session(4, "over", 1, "site"),
            session(5, "over", 2, "shop"),
            session(6, "failed", 1, "lab"),
            session(7, "rests", 1, "lab"),
        ];
        let prompt = Prompt { id: 1, session: 7, ..Prompt::default() };
        let rows = rows(all.iter(), &BTreeMap::from([(1, prompt)]), lens);
        let plain = |row: &Row| match row {
            Row::Group(name, count) => format!("{name} {count}"),
            Row::Session(id) => id.to_string(),
        };
        assert_eq!(rows.iter().map(plain).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn attention_first() {
        check(&Lens::default(), &["7", "3", "2", "6", "1", "5", "4"]);
        check(&Lens { ended: false, ..Lens::default() }, &["7", "3", "2", "6", "1"]);
        check(&Lens { filter: "project:shop".into(), ..Lens::default() }, &["3", "1", "5"]);
        let by = |group| Lens { group, ended: false, ..Lens::default() };
        check(&by(Group::Project), &["lab 2", "7", "6", "shop 2", "3", "1", "site 1", "2"]);
        check(&by(Group::Host), &["this machine 5", "7", "3", "2", "6", "1"]);
    }
}
