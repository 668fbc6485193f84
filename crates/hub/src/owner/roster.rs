//! The agents as they are published, always in the order of the board.
//!
//! One that changes is moved to its place; nothing is sorted anew. With thousands of agents that tell of themselves
//! thousands of times a second, sorting would be most of the work.

use std::collections::HashMap;
use std::sync::Arc;

use coop_core::fleet::{Entry, EntryId};

#[derive(Debug, Default)]
pub(super) struct Roster {
    by_id: HashMap<EntryId, Arc<Entry>>,
    /// Shared with the boards that were published; whoever changes it first makes a copy of the pointers.
    by_urgency: Arc<Vec<Arc<Entry>>>,
}

impl Roster {
    /// What is now known of an agent.
    pub(super) fn put(&mut self, entry: Arc<Entry>) {
        self.remove(entry.id);
        let place = self.by_urgency.partition_point(|other| other.urgency() < entry.urgency());
        Arc::make_mut(&mut self.by_urgency).insert(place, Arc::clone(&entry));
        self.by_id.insert(entry.id, entry);
    }

    pub(super) fn remove(&mut self, id: EntryId) {
        let Some(old) = self.by_id.remove(&id) else { return };
        if let Ok(place) = self.by_urgency.binary_search_by_key(&old.urgency(), |entry| entry.urgency()) {
            Arc::make_mut(&mut self.by_urgency).remove(place);
        }
    }

    /// Who needs a person first.
    pub(super) fn published(&self) -> Arc<Vec<Arc<Entry>>> {
        Arc::clone(&self.by_urgency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::state::State;

    #[test]
    fn whoever_changes_finds_its_place() {
        let mut roster = Roster::default();
        let entry = |id, since_ms, state: State| Arc::new(Entry { since_ms, state, ..Entry::new(id, "claude", 0) });
        let order = |roster: &Roster| roster.published().iter().map(|entry| entry.id).collect::<Vec<_>>();
        for id in 1..=4 {
            roster.put(entry(id, 10 - id, State::Working));
        }
        assert_eq!(order(&roster), [4, 3, 2, 1], "the longest first");
        let before = roster.published();
        roster.put(entry(2, 99, State::Idle));
        assert_eq!(order(&roster), [2, 4, 3, 1]);
        roster.put(entry(2, 100, State::Exited));
        assert_eq!(order(&roster), [4, 3, 1, 2]);
        roster.remove(3);
        roster.remove(3);
        assert_eq!(order(&roster), [4, 1, 2]);
        let before: Vec<EntryId> = before.iter().map(|entry| entry.id).collect();
        assert_eq!(before, [4, 3, 2, 1], "what was published stays as it was");
    }
}
