//! The guard stands before every method the parser can call. A method that is new upstream does nothing by default, and
//! nobody would notice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::process::Command;

#[test]
fn every_method_of_the_parser_is_handled() {
    let source = std::fs::read_to_string(vte_folder() + "/src/ansi.rs").unwrap();
    let handler = &source[source.find("pub trait Handler").unwrap()..];
    let handler = &handler[..handler.find("\n}").unwrap()];
    let guard = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guard.rs")).unwrap();
    let implementation = &guard[guard.find("impl Handler for Guard").unwrap()..];
    let methods: Vec<&str> =
        handler.lines().filter_map(|line| line.trim().strip_prefix("fn ")?.split('(').next()).collect();
    assert!(methods.len() > 60, "the trait was not understood: {methods:?}");
    let missing: Vec<_> = methods
        .iter()
        .filter(|name| {
            !implementation.contains(&format!("fn {name}(")) && !implementation.contains(&format!(" {name}("))
        })
        .collect();
    assert!(missing.is_empty(), "not handled: {missing:?}");
}

/// Where cargo keeps the source of the version we build with.
fn vte_folder() -> String {
    let output = Command::new(env!("CARGO")).args(["metadata", "--format-version", "1", "--offline"]).output().unwrap();
    let metadata = String::from_utf8(output.stdout).unwrap();
    let mut manifest = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let vte = manifest.find(|path| path.contains("/vte-0.15")).expect("vte is a dependency");
    vte.trim_end_matches("/Cargo.toml").to_owned()
}
