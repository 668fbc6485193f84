//! Every rule of every agent's table, held against the screens it was taken from.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

use std::fs;
use std::path::{Path, PathBuf};

use coop_drivers::{Dialog, Page, Reading, ScreenLine, ScreenView, page};

const OWN: [&str; 3] = ["claude", "codex", "gemini"];

/// Those with a driver, and those whose page says that its rules were taken from a version. A shell has none.
fn agents() -> Vec<&'static str> {
    let verified = |text: &str| Page::read(text).unwrap().verified().is_some();
    let ruled = |name: &str| !rules(name, "state").is_empty();
    let pages = page::embedded().iter().filter(|(name, text)| verified(text) && ruled(name)).map(|(name, _)| *name);
    OWN.into_iter().chain(pages).collect()
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn table(agent: &str) -> toml::Table {
    fs::read_to_string(here("../../agents").join(format!("{agent}.toml"))).unwrap().parse().unwrap()
}

/// Its rules of a kind, if it has any.
fn rules(agent: &str, kind: &str) -> Vec<toml::Value> {
    table(agent).get(kind).and_then(toml::Value::as_array).cloned().unwrap_or_default()
}

fn lines(screen: &Path) -> Vec<ScreenLine> {
    let text = fs::read_to_string(screen).unwrap_or_else(|error| panic!("{}: {error}", screen.display()));
    text.lines().map(ScreenLine::plain).collect()
}

fn read(agent: &str, screen: &Path) -> Reading {
    let lines = lines(screen);
    coop_drivers::driver(agent).unwrap().screen(&ScreenView { lines: &lines, cursor: None, title: None })
}

/// All screens that were captured from an agent.
fn screens(agent: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.to_string_lossy().ends_with(".screen.txt") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&here("testdata").join(agent), &mut found);
    assert!(!found.is_empty(), "{agent}");
    found
}

#[test]
fn every_rule_knows_the_screens_it_was_taken_from() {
    for agent in agents() {
        for rule in rules(agent, "dialog") {
            let name = rule["rule"].as_str().unwrap();
            let captures = rule["captures"].as_array().unwrap();
            assert!(!captures.is_empty(), "{agent}: {name}");
            for capture in captures.iter().map(|capture| capture.as_str().unwrap()) {
                let reading = read(agent, &here("testdata").join(agent).join(format!("{capture}.screen.txt")));
                assert_eq!(reading.dialog.map(|dialog| dialog.rule).as_deref(), Some(name), "{agent}: {capture}");
                assert_eq!(reading.draft, None, "{agent}: {capture}");
            }
        }
    }
}

#[test]
fn every_option_rule_fits_an_option_of_a_screen_or_says_that_it_does_not() {
    for agent in agents() {
        let dialogs: Vec<Dialog> = screens(agent).iter().filter_map(|screen| read(agent, screen).dialog).collect();
        let labels: Vec<&str> =
            dialogs.iter().flat_map(|dialog| &dialog.options).map(|option| option.label.as_str()).collect();
        for rule in rules(agent, "option") {
            let text = |key: &str| rule.get(key).and_then(toml::Value::as_str);
            let has = rule.get("has").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let seen = labels.iter().any(|label| {
                text("is").is_none_or(|is| *label == is)
                    && text("starts").is_none_or(|starts| label.starts_with(starts))
                    && has.iter().all(|part| label.contains(part.as_str().unwrap()))
            });
            let unverified = rule.get("unverified").and_then(toml::Value::as_bool).unwrap_or_default();
            assert_eq!(seen, !unverified, "{agent}: {rule:?}");
        }
    }
}

/// A dialog or a box to type into, and never both. What is neither says so by its name.
#[test]
fn every_screen_has_a_dialog_or_an_input_box() {
    for agent in agents() {
        for screen in screens(agent) {
            let reading = read(agent, &screen);
            assert!(reading.dialog.is_some() != reading.draft.is_some(), "{}: {reading:?}", screen.display());
        }
    }
}

/// Dialogs of the start that the table names, where the user has named the folder if that matters. Never a tool.
#[test]
fn groom_answers_what_the_table_says_and_nothing_else() {
    for agent in agents() {
        let rules = rules(agent, "dialog");
        let driver = coop_drivers::driver(agent).unwrap();
        for screen in screens(agent) {
            let reading = read(agent, &screen);
            let known = reading.dialog.as_ref().map(|dialog| dialog.rule.as_str());
            let rule = rules.iter().find(|rule| rule["rule"].as_str() == known);
            let groom = rule.and_then(|rule| rule.get("groom"));
            let trusted = groom.and_then(|groom| groom.get("trusted_cwd")).and_then(toml::Value::as_bool);
            let here = |cwd| driver.groom(&reading, cwd).is_some();
            assert_eq!(here(true), groom.is_some(), "{}", screen.display());
            assert_eq!(here(false), groom.is_some() && trusted != Some(true), "{}", screen.display());
            let tool =
                rule.is_some_and(|rule| rule["kind"].as_str() == Some("permission") && rule.get("subtype").is_none());
            assert!(!(tool && here(true)), "{}", screen.display());
        }
    }
}

/// Also those that are not verified: they are part of coop.
#[test]
fn every_page_is_sound_and_has_the_name_of_its_file() {
    for (name, text) in page::embedded() {
        let page = Page::read(text).unwrap_or_else(|fault| panic!("agents/{name}.toml, {fault}"));
        assert_eq!(page.name(), *name);
        assert!(!page.title().is_empty() && !page.commands().is_empty(), "{name}");
    }
}

#[test]
fn every_state_rule_of_a_verified_page_knows_the_screens_it_was_taken_from() {
    let mut known = 0;
    for (agent, text) in page::embedded() {
        let page = Page::read(text).unwrap();
        for rule in rules(agent, "state").into_iter().filter(|_| page.verified().is_some()) {
            let name = rule["rule"].as_str().unwrap();
            for capture in rule["captures"].as_array().unwrap().iter().map(|capture| capture.as_str().unwrap()) {
                let lines = lines(&here("testdata").join(agent).join(format!("{capture}.screen.txt")));
                let explained = page.explain(&ScreenView { lines: &lines, cursor: None, title: None });
                let fits = explained.tried.iter().find(|tried| tried.fits).map(|tried| tried.rule.as_str());
                assert_eq!(fits, Some(name), "{agent}: {capture}");
                known += 1;
            }
        }
    }
    assert!(known > 0);
}
