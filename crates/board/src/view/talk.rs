//! What was said and done, and what was found in it.

use coop_api::hub::SearchHit;
use coop_api::v1::ConversationEntry;

use super::Lines;
use super::paint::{Painter, Text};
use super::style::Look;
use crate::model::Talk;
use crate::text::{clean, clip, one_line};

/// Lines of what a tool answered; all of it is in the agent.
const RESULT: usize = 6;

pub(super) fn text(painter: &mut Painter<'_>, talk: &Talk, width: u16) -> Lines {
    let mut text = Text::default();
    let name = painter.model.sessions.get(&talk.session).map_or("agent", |session| session.agent.as_str());
    match &talk.entries {
        None => text.push("Reading…", Look::Dim),
        Some(Err(why)) => text.prose(why, Look::Bad, width),
        Some(Ok(entries)) if entries.is_empty() => text.push("Nothing was said yet.", Look::Dim),
        Some(Ok(entries)) => entries.iter().for_each(|entry| said(&mut text, entry, name, width)),
    }
    text
}

fn said(text: &mut Lines, entry: &ConversationEntry, agent: &str, width: u16) {
    let words = clean(entry.text.as_deref().unwrap_or_default());
    match entry.kind.as_str() {
        "user" => {
            text.push("you", Look::Key);
            text.prose(&words, Look::Strong, width);
            text.blank();
        }
        "assistant" => {
            text.push(agent, Look::Group);
            text.prose(&words, Look::Plain, width);
            text.blank();
        }
        "thinking" => text.push(clip(&format!("  thinks: {}", one_line(&words)), usize::from(width)), Look::Dim),
        "tool_call" => {
            let tool = clean(entry.tool.as_deref().unwrap_or("tool"));
            let input = one_line(&clean(entry.input.as_deref().unwrap_or_default()));
            text.pieces(vec![(format!("  ▸ {tool} "), Look::Strong), (input, Look::Plain)]);
        }
        "tool_result" => {
            let look = if entry.is_error { Look::Bad } else { Look::Dim };
            let lines: Vec<&str> = words.lines().collect();
            for line in lines.iter().take(RESULT) {
                text.push(format!("    {line}"), look);
            }
            if lines.len() > RESULT {
                text.push(format!("    … {} more lines", lines.len() - RESULT), Look::Dim);
            }
        }
        "error" => text.prose(&words, Look::Bad, width),
        "interrupted" => text.push("  interrupted", Look::Bad),
        "compaction" => text.push("  ── what came before was summed up ──", Look::Dim),
        _ => {}
    }
}

pub(super) fn found(hits: &[SearchHit], at: usize, width: u16) -> Lines {
    let mut text = Text::default();
    for (index, hit) in hits.iter().enumerate() {
        let project = hit.project.as_deref().unwrap_or("-");
        let line = format!("{} {project} {}: {}", hit.session, hit.kind, one_line(&clean(&hit.text)));
        let look = if index == at { Look::Chosen } else { Look::Plain };
        text.push(clip(&clean(&line), usize::from(width)), look);
    }
    text
}
