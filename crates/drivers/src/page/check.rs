//! What a page has to have beyond its form.

use std::collections::HashSet;

use super::{Shows, Spec, Told};
use crate::fault::Fault;

pub(super) fn check(spec: &Spec, text: &str) -> Result<(), Fault> {
    let missing = |key: &str, what: &str| Err(Fault::about(text, key, None, what));
    if spec.name.is_empty() || !spec.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return missing("name", "a page needs a name, of letters, digits, - and _");
    }
    if spec.states.is_empty() && spec.dialogs.is_empty() && spec.evidence == Told::default() {
        let what = "there is no [[state]], no [[dialog]] and no [evidence]: nothing could be known of the agent";
        return missing("state", what);
    }
    regions(spec, text)?;
    rules(spec, text)?;
    signs(spec, text)
}

fn regions(spec: &Spec, text: &str) -> Result<(), Fault> {
    let known: HashSet<&str> = spec.regions.iter().map(|region| region.name.as_str()).collect();
    let states = spec.states.iter().filter_map(|rule| rule.region.as_deref()).map(|name| ("region", name));
    let dialogs = spec.dialogs.iter().filter_map(|rule| rule.region.as_deref()).map(|name| ("region", name));
    let place = spec.input.place.as_deref().map(|name| ("box", name));
    match states.chain(dialogs).chain(place).find(|(_, name)| !known.contains(name)) {
        Some((key, name)) => Err(Fault::about(text, key, Some(name), format!("there is no [[region]] named {name:?}"))),
        None => Ok(()),
    }
}

/// Rules are known by their names, and a page that says it is verified names a capture for each.
fn rules(spec: &Spec, text: &str) -> Result<(), Fault> {
    let states = spec.states.iter().map(|rule| (rule.rule.as_str(), &rule.captures));
    let dialogs = spec.dialogs.iter().map(|rule| (rule.rule.as_str(), &rule.captures));
    let mut seen = HashSet::new();
    for (name, captures) in states.chain(dialogs) {
        if !seen.insert(name) {
            return Err(Fault::about(text, "rule", Some(name), format!("there are two rules named {name:?}")));
        }
        if spec.verified.0.is_some() && captures.is_empty() {
            let what = format!("{name:?} names no captures: without them the page is `verified = false`");
            return Err(Fault::about(text, "rule", Some(name), what));
        }
    }
    Ok(())
}

/// A rule without a sign would fit any screen. That is right for the last one, and only where it changes nothing.
fn signs(spec: &Spec, text: &str) -> Result<(), Fault> {
    let bare = spec.states.iter().find(|rule| {
        let signs = [&rule.all, &rule.any, &rule.none, &rule.title].iter().any(|list| !list.is_empty());
        !signs && rule.spinner.is_empty() && rule.pattern.is_empty() && rule.state != Shows::Working
    });
    if let Some(rule) = bare {
        let what = "it fits every screen: say what it is known by, with all, any, none, spinner, pattern or title";
        return Err(Fault::about(text, "rule", Some(&rule.rule), what));
    }
    let signs = |rule: &&super::DialogPage| rule.all.is_empty() && rule.any.is_empty() && rule.title.is_empty();
    if let Some(rule) = spec.dialogs.iter().find(signs) {
        let what = "it fits every screen: say what it is known by, with all, any or title";
        return Err(Fault::about(text, "rule", Some(&rule.rule), what));
    }
    Ok(())
}
