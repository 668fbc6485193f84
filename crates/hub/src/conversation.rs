//! What was said and done in a session that no sidecar holds, out of the log that its agent keeps.
//!
//! Lines before those that are asked for are passed over and not understood, so that asking again for what is new is cheap.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use coop_core::agent::conversation::{Entry as Said, IMAGES_AT_ONCE, Usage};
use coop_core::fleet::Entry;
use coop_drivers::lines::MAX_LINE;
use coop_machine::regular;

use crate::AgentFiles;
use crate::feeds::is_log_of;
use crate::handle::{HubError, HubHandle};

/// A part of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub entries: Vec<Said>,
    /// Where to go on.
    pub next: u64,
    pub more: bool,
    /// Of the whole conversation, where all of it was read.
    pub usage: Option<Usage>,
}

impl HubHandle {
    /// Nothing where there is no log, or it is not one of the agent's own.
    pub async fn conversation(&self, entry: &Arc<Entry>, after: u64, limit: usize) -> Result<Option<Page>, HubError> {
        let (entry, agents) = (Arc::clone(entry), Arc::clone(&self.agents));
        // Files are read where nobody waits for anything else.
        let read = tokio::task::spawn_blocking(move || page(&entry, &agents, after, limit)).await;
        read.map_err(|_| HubError::Closed)
    }
}

fn page(entry: &Entry, agents: &[AgentFiles], after: u64, limit: usize) -> Option<Page> {
    let mut driver = coop_drivers::driver(&entry.agent)?;
    let path = Path::new(entry.log.as_deref()?);
    let own = agents.iter().find(|files| files.agent == entry.agent)?;
    if !is_log_of(own, driver.as_ref(), path) {
        return None;
    }
    let mut log = BufReader::new(regular::open(path).ok()?);
    let mut page = Page { next: after, ..Page::default() };
    let (mut used, mut images) = (Usage::default(), 0);
    let mut line = Vec::new();
    for number in 0.. {
        // A line that is being written is for the next time.
        if !regular::read_line(&mut log, &mut line, MAX_LINE).ok()? {
            break;
        }
        if number < after {
            continue;
        }
        if page.entries.len() >= limit || images >= IMAGES_AT_ONCE {
            page.more = true;
            break;
        }
        if let Ok(text) = std::str::from_utf8(&line) {
            let (said, usage) = driver.conversation(number, text);
            images += said.iter().map(Said::image_size).sum::<usize>();
            page.entries.extend(said);
            used += usage;
        }
        page.next = number + 1;
    }
    page.usage = (after == 0 && !page.more).then_some(used);
    Some(page)
}
