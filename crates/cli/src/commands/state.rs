//! `coop state`: what the agent is doing, and what it asks.

use clap::Args;
use coop_api::client::{ClientError, Follow, Incoming, Socket};
use coop_api::v1::event::Body;
use coop_api::v1::{Context, Cost, GetAgentStateResponse, Parked, PromptContext, StateChangeEvent};
use coop_api::ws::{ServerMessage, Topic};
use coop_core::text;
use serde_json::Value;

use crate::sessions::NamedTarget;
use crate::{CommandError, out, reconnect};

const EXAMPLES: &str = "\
Examples:
  coop state                what it does, and what it asks
  coop state --watch        every change, until it exits
  coop wait idle prompt     return when it needs somebody
  coop explain              why coop believes it";

/// Show what the agent of a session is doing, and what it asks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct State {
    #[command(flatten)]
    target: NamedTarget,
    /// Go on printing changes until the program exits
    #[arg(long, short)]
    watch: bool,
    /// Print the API's reply; with --watch, changes as the API sends them, one JSON object on a line
    #[arg(long)]
    json: bool,
}

enum Break {
    Over,
    Lost,
}

impl State {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        if !self.watch {
            let state = client.agent_state().await?;
            return if self.json { out::json(&state) } else { out::print(&describe(&state)) };
        }
        let follow = Follow { topics: vec![Topic::State], ..Follow::default() };
        let mut socket = client.connect(&follow).await?;
        loop {
            // After the connection is there, so that no change is missed in between.
            let state = client.agent_state().await?;
            if self.json {
                out::json_line(&state)?;
            } else {
                out::print(&describe(&state))?;
            }
            match self.follow(&mut socket).await? {
                Break::Over => return Ok(()),
                Break::Lost => socket = reconnect::connect(&client, &follow).await?,
            }
        }
    }

    async fn follow(&self, socket: &mut Socket) -> Result<Break, CommandError> {
        loop {
            match socket.next().await {
                Ok(Some(Incoming::Message(message))) => {
                    if self.changed(&message)? {
                        return Ok(Break::Over);
                    }
                }
                Ok(Some(Incoming::Output { .. })) => {}
                Ok(None) => return Ok(Break::Over),
                Err(ClientError::Unreachable { .. }) => return Ok(Break::Lost),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Prints a change. True when it was the last.
    fn changed(&self, message: &ServerMessage) -> Result<bool, CommandError> {
        let ServerMessage::Event(event) = message else { return Ok(false) };
        match &event.body {
            Some(Body::Exit(_)) => return Ok(true),
            Some(Body::StateChange(_) | Body::Prompt(_) | Body::PromptResolved(_)) if self.json => {
                out::json_line(event)?;
            }
            Some(Body::StateChange(change)) => out::print(&describe_change(change))?,
            Some(Body::Prompt(prompt)) => out::print(&prompt.prompt.as_ref().map(describe_prompt).unwrap_or_default())?,
            _ => {}
        }
        Ok(false)
    }
}

fn describe(state: &GetAgentStateResponse) -> String {
    let waits = state.idle_grace_remaining_secs;
    let rows = [
        ("agent", Some(state.agent.clone())),
        ("state", Some(named(&state.state, state.prompt.as_ref()))),
        ("because", Some(state.reason.clone())),
        ("source", state.source.clone()),
        ("idle in", waits.map(|secs| format!("{secs:.0} s, if nothing moves"))),
        ("model", state.model.clone()),
        ("queued", (state.queued > 0).then(|| state.queued.to_string())),
        ("error", state.error.as_ref().map(|error| format!("{}: {}", error.kind, error.detail))),
        ("parked", state.parked.as_ref().map(|parked| parked.reason.clone())),
        ("goes on", state.parked.as_ref().and_then(goes_on)),
        ("context", state.context.as_ref().map(filled)),
        ("cost", state.cost.as_ref().map(dollars)),
        ("said", state.last_message.as_deref().map(text::first_line)),
    ];
    let row = |(name, value): (&str, Option<String>)| {
        value.filter(|value| !value.is_empty()).map(|value| format!("{name:<8} {}\n", out::harmless(&value)))
    };
    let rows: String = rows.into_iter().filter_map(row).collect();
    rows + &state.prompt.as_ref().map(describe_prompt).unwrap_or_default()
}

fn dollars(cost: &Cost) -> String {
    let about = if cost.estimate { "about " } else { "" };
    format!("{about}${:.4}", cost.usd)
}

/// How full the context is; how much of it, where the most is known.
pub(crate) fn filled(context: &Context) -> String {
    let Context { tokens, window } = context;
    match window.filter(|window| *window > 0) {
        Some(window) => format!("{tokens} of {window} tokens ({} %)", tokens.saturating_mul(100) / window),
        None => format!("{tokens} tokens"),
    }
}

/// When coop will tell it to, if nobody does anything before.
fn goes_on(parked: &Parked) -> Option<String> {
    let at = parked.continues_at_epoch_ms?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let left = at.saturating_sub(u64::try_from(now.as_millis()).unwrap_or(u64::MAX)) / 1000;
    Some(format!("by itself, in {left} s"))
}

fn describe_change(change: &StateChangeEvent) -> String {
    let next = named(&change.next, change.prompt.as_ref());
    let line = format!("{} → {next}  ({})\n", out::harmless(&change.prev), out::harmless(&change.reason));
    line + &change.prompt.as_ref().map(describe_prompt).unwrap_or_default()
}

fn named(state: &str, prompt: Option<&PromptContext>) -> String {
    let kind = prompt.map(|prompt| format!(" ({})", prompt.r#type)).unwrap_or_default();
    out::harmless(&format!("{state}{kind}"))
}

/// Returns all of what is asked, with what can be chosen, as `coop respond --option` counts it.
fn describe_prompt(prompt: &PromptContext) -> String {
    let input = whole_input(prompt);
    let about = [&prompt.tool, &prompt.subtype, &prompt.question, &input, &prompt.message];
    let about: Vec<&str> = about.into_iter().flatten().map(String::as_str).collect();
    let about = about.join(": ").replace('\t', "    ");
    let mut lines = about.trim_end().lines().map(out::harmless);
    let mut text = format!("asks     {}\n", lines.next().unwrap_or_default());
    // The bar keeps a line of the agent from being taken for one of ours.
    lines.for_each(|line| text += &format!("       | {line}\n"));
    for (number, option) in (1..).zip(&prompt.option_details) {
        let more = option.description.as_deref().map(|more| format!("  ({})", out::harmless(more))).unwrap_or_default();
        text += &format!("  {number}      {}{more}\n", out::harmless(&option.label));
    }
    text
}

/// Returns the input that would run, where it is known: `input` is only its beginning.
fn whole_input(prompt: &PromptContext) -> Option<String> {
    let full: Option<Value> = prompt.input_full.as_deref().and_then(|full| serde_json::from_str(full).ok());
    match &prompt.summary {
        Some(plan) => Some(text::whole_plan(plan, &full.unwrap_or_default())),
        None => full.map(|full| text::whole_input(&full)).or_else(|| prompt.input.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_api::v1::PromptOption;
    use serde_json::json;

    #[test]
    fn for_people() {
        let option = |label: &str| PromptOption { label: label.into(), ..PromptOption::default() };
        let state = GetAgentStateResponse {
            agent: "claude".into(),
            state: "prompt".into(),
            reason: "a hook asks".into(),
            source: Some("hook".into()),
            prompt: Some(PromptContext {
                r#type: "permission".into(),
                tool: Some("Bash".into()),
                input: Some("rm -r…".into()),
                input_full: Some(json!({ "command": "rm -r \u{1b}[31mx\n\t\u{202e}y\n  1      Yes" }).to_string()),
                option_details: vec![option("Yes"), option("No")],
                ..PromptContext::default()
            }),
            cost: Some(Cost { usd: 0.012_345, estimate: true }),
            ..GetAgentStateResponse::default()
        };
        let expected = "\
agent    claude
state    prompt (permission)
because  a hook asks
source   hook
cost     about $0.0123
asks     Bash: rm -r ␛[31mx
       |     <U+202E>y
       |   1      Yes
  1      Yes
  2      No
";
        assert_eq!(describe(&state), expected);
    }
}
