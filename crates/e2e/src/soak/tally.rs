//! What became of all messages, and what is wrong about it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use coop_testkit::Agent;
use coop_testkit::model::What;
use unicode_normalization::UnicodeNormalization as _;

use super::Said;

#[derive(Clone, Debug)]
pub struct Tally {
    pub version: String,
    pub delivered: usize,
    /// By the reason.
    pub refused: BTreeMap<String, usize>,
    pub took: Duration,
    pub slowest: Duration,
    /// In words; nothing if every message was taken once or refused.
    pub wrong: Vec<String>,
}

/// How often a text was said to be delivered, and how often it was taken.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    told: usize,
    refused: usize,
    hooks: usize,
    asked: usize,
}

impl Tally {
    pub(super) fn new(version: &str, said: Vec<Said>, took: Duration, agent: &Agent) -> Self {
        let mut tally = Self {
            version: version.to_owned(),
            delivered: 0,
            refused: BTreeMap::new(),
            took,
            slowest: said.iter().map(|said| said.took).max().unwrap_or_default(),
            wrong: Vec::new(),
        };
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        for said in said {
            let count = counts.entry(as_taken(&said.text)).or_default();
            match tally.verdict(&said) {
                true => count.told += 1,
                false => count.refused += 1,
            }
        }
        for prompt in prompts(agent) {
            counts.entry(as_taken(&prompt)).or_default().hooks += 1;
        }
        for user in asked(agent) {
            counts.entry(as_taken(&user)).or_default().asked += 1;
        }
        for (text, count) in counts {
            if count.told != count.hooks || count.told != count.asked {
                tally.wrong.push(format!("{count:?}: {}", short(&text)));
            }
        }
        tally
    }

    /// Whether the caller was told that its message was delivered.
    fn verdict(&mut self, said: &Said) -> bool {
        let reason = match &said.reply {
            Ok(reply) if reply["delivered"] == true => {
                self.delivered += 1;
                return true;
            }
            Ok(reply) => reply["reason"].as_str().unwrap_or_default().to_owned(),
            Err(problem) => format!("{:?}", problem.code),
        };
        if reason.is_empty() {
            self.wrong.push(format!("refused without a reason: {said:?}"));
        }
        *self.refused.entry(format!("{} {reason}", said.when)).or_default() += 1;
        false
    }
}

/// What the agent says it took.
fn prompts(agent: &Agent) -> Vec<String> {
    let hooks = agent.hook_lines().into_iter().filter(|line| line.event == "UserPromptSubmit");
    hooks.map(|line| line.payload["prompt"].as_str().unwrap_or_default().to_owned()).collect()
}

/// What the model was asked.
fn asked(agent: &Agent) -> Vec<String> {
    let events = agent.model.events().into_iter();
    let requests = events.filter_map(|event| match event.what {
        What::Request { user, .. } => Some(user),
        _ => None,
    });
    requests.collect()
}

/// The text without what a terminal cannot carry or the agent does not keep: a tab is four blanks, blanks around it are
/// nothing, and accents are composed.
fn as_taken(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\t', "    ").trim().nfc().collect()
}

fn short(text: &str) -> String {
    let (count, end) = (text.chars().count(), text.chars().rev().take(40).collect::<Vec<_>>());
    let start: String = text.chars().take(40).collect();
    format!("{count} characters, {start:?} … {:?}", end.into_iter().rev().collect::<String>())
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, delivered, took, slowest, .. } = self;
        let refused: usize = self.refused.values().sum();
        write!(f, "{version:<9} {delivered:>5} delivered  {refused:>5} refused  {:>5} wrong", self.wrong.len())?;
        write!(f, "  in {:.0} s, the slowest {:.1} s", took.as_secs_f64(), slowest.as_secs_f64())?;
        for (reason, count) in &self.refused {
            write!(f, "\n     {count:>5} {reason}")?;
        }
        self.wrong.iter().try_for_each(|wrong| write!(f, "\n     wrong: {wrong}"))
    }
}
