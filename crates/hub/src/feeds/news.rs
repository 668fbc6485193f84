//! What the lines of a session log say that were written since the last time.

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_drivers::Driver;
use coop_machine::clock::instant_of;

use super::tail::Tail;

/// A line on the board.
const LONGEST_TITLE: usize = 80;

#[derive(Debug, Default)]
pub(super) struct News {
    /// Whether there was a line at all.
    pub(super) any: bool,
    pub(super) title: Option<String>,
    pub(super) model: Option<String>,
    pub(super) last_message: Option<String>,
    pub(super) evidence: Vec<Evidence>,
}

/// `titled` once the conversation has a name, if only its first message; what was written before `seen_ms` is the past.
pub(super) fn read(log: &mut Tail, driver: &mut dyn Driver, titled: &mut bool, seen_ms: u64) -> News {
    let mut news = News::default();
    log.read(|line| {
        news.any = true;
        let heard = driver.log_line(line);
        *titled |= heard.title.is_some();
        news.title = heard.title.or_else(|| news.title.take());
        news.model = heard.model.or_else(|| news.model.take());
        let now = heard.at_ms.filter(|at| *at >= seen_ms);
        for fact in heard.facts {
            match &fact {
                Fact::TurnEnded { last_message: Some(said) } => news.last_message = Some(said.clone()),
                // Until the agent has a name for it.
                Fact::TurnStarted { text: Some(said) } if !std::mem::replace(titled, true) => {
                    news.title = Some(first_line(said));
                }
                _ => {}
            }
            if let Some(at_ms) = now {
                let turn = heard.turn.clone();
                news.evidence.push(Evidence { source: Source::Log, at: instant_of(at_ms), turn, fact });
            }
        }
    });
    news
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(LONGEST_TITLE).collect()
}
