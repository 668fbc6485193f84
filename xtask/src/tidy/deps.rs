//! Who may use whom. The table below is the architecture.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::tree::{self, File};
use super::{Finding, Rule, purity};

const RULE: Rule = Rule { name: "who-uses-whom", why: "the table in xtask/src/tidy/deps.rs is the architecture" };

enum May {
    Use(&'static [&'static str]),
    UseAnything,
}
use May::{Use, UseAnything};

/// Each room (a folder of `crates/`, and `xtask`) with the rooms it may depend on outside its tests.
const ROOMS: &[(&str, May)] = &[
    ("core", Use(&[])),
    ("terminal", Use(&[])),
    ("drivers", Use(&["core"])),
    ("machine", Use(&["core", "drivers"])),
    ("session", Use(&["core", "drivers", "machine", "terminal"])),
    ("api", Use(&["core", "terminal"])),
    ("hub", Use(&["api", "core", "drivers", "machine"])),
    ("server", Use(&["api", "core", "hub", "machine", "session", "terminal"])),
    ("board", Use(&["api", "core"])),
    ("cli", Use(&["api", "board", "core", "drivers", "hub", "machine", "server", "session", "terminal"])),
    ("testkit", UseAnything),
    ("e2e", UseAnything),
    ("xtask", Use(&[])),
];

/// A package as `cargo metadata` describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    /// The folder of a local package; registry packages have none.
    path: Option<PathBuf>,
}

pub(super) fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let mut packages = serde_json::from_slice::<Metadata>(&output.stdout)?.packages;
    for package in &mut packages {
        package.manifest_path = tree::relative(root, &package.manifest_path)?.into();
    }
    Ok(packages)
}

pub(super) fn check(packages: &[Package], files: &[File]) -> Vec<Finding> {
    packages.iter().flat_map(|package| check_package(package, files)).collect()
}

fn check_package(package: &Package, files: &[File]) -> Vec<Finding> {
    let path = package.manifest_path.to_string_lossy();
    let unread = File::new(&path, "");
    let manifest = files.iter().find(|file| file.path == path).unwrap_or(&unread);
    let room = package.manifest_path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();

    let Some((_, may)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        let what = format!("`{room}` is not in the table of rooms: add it, with what it may use");
        return vec![Finding::new(manifest, 1, RULE, what)];
    };
    let mut findings = Vec::new();
    if package.name != package_name(&room) {
        let what = format!("package `{}` in folder `{room}` should be called `{}`", package.name, package_name(&room));
        findings.push(Finding::new(manifest, 1, RULE, what));
    }
    for dependency in package.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev")) {
        let line = line_of(manifest, &dependency.name);
        match used_room(dependency) {
            Some(used) => {
                findings.extend(may.refusal(&room, used).map(|what| Finding::new(manifest, line, RULE, what)));
            }
            None if room == "core" => findings.extend(purity::dependency(manifest, line, &dependency.name)),
            None => {}
        }
    }
    findings
}

impl May {
    fn refusal(&self, room: &str, used: &str) -> Option<String> {
        match self {
            UseAnything => None,
            Use(_) if matches!(used, "testkit" | "e2e") => {
                Some(format!("{room} uses {used} outside its tests: make it a dev-dependency"))
            }
            Use(rooms) if rooms.contains(&used) => None,
            Use([]) => Some(format!("{room} uses {used}; it may use no other room")),
            Use(rooms) => Some(format!("{room} uses {used}; it may use {} only", rooms.join(", "))),
        }
    }
}

fn package_name(room: &str) -> String {
    match room {
        "cli" => "coop".to_owned(),
        "xtask" => "xtask".to_owned(),
        _ => format!("coop-{room}"),
    }
}

fn used_room(dependency: &Dependency) -> Option<&str> {
    dependency.path.as_deref()?.file_name()?.to_str()
}

/// The line of the manifest that starts with the dependency's name; `cargo metadata` does not tell.
fn line_of(manifest: &File, name: &str) -> usize {
    let names = |line: &str| line.split(['.', '=', ' ']).next() == Some(name);
    manifest.lines().find(|(_, line)| names(line)).map_or(1, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of a dependency and its kind.
    type Uses<'a> = &'a [(&'a str, Option<&'a str>)];

    fn package(folder: &str, name: &str, dependencies: Uses<'_>) -> Package {
        let local = |name: &str| name.strip_prefix("coop-").map(|room| PathBuf::from(format!("crates/{room}")));
        Package {
            name: name.to_owned(),
            manifest_path: format!("{folder}/Cargo.toml").into(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: kind.map(str::to_owned),
                    path: local(name),
                })
                .collect(),
        }
    }

    #[test]
    fn rows() {
        let (normal, build, dev) = (None, Some("build"), Some("dev"));
        #[rustfmt::skip]
        let rows: &[(&str, &str, Uses<'_>, usize)] = &[
            ("crates/core", "coop-core", &[("serde", normal)], 0),
            ("crates/core", "coop-core", &[("tokio", normal)], 1),
            ("crates/core", "coop-core", &[("tokio", build)], 1),
            ("crates/core", "coop-core", &[("proptest", dev)], 0),
            ("crates/core", "coop-core", &[("coop-terminal", normal)], 1),
            ("crates/terminal", "coop-terminal", &[("coop-core", normal)], 1),
            ("crates/drivers", "coop-drivers", &[("coop-core", normal)], 0),
            ("crates/drivers", "coop-drivers", &[("coop-session", normal)], 1),
            ("crates/server", "coop-server", &[("coop-api", normal), ("coop-session", normal), ("axum", normal)], 0),
            ("crates/session", "coop-session", &[("coop-server", normal)], 1),
            ("crates/session", "coop-session", &[("coop-api", build)], 1),
            ("crates/session", "coop-session", &[("coop-testkit", normal)], 1),
            ("crates/session", "coop-session", &[("coop-testkit", dev)], 0),
            ("crates/cli", "coop", &[("coop-hub", normal), ("coop-server", normal)], 0),
            ("crates/cli", "coop", &[("coop-testkit", normal)], 1),
            ("crates/cli", "coop-cli", &[], 1),
            ("crates/e2e", "coop-e2e", &[("coop-testkit", normal), ("coop-server", normal)], 0),
            ("crates/nursery", "coop-nursery", &[], 1),
            ("xtask", "xtask", &[("serde", normal)], 0),
            ("xtask", "xtask", &[("coop-core", normal)], 1),
        ];
        for (folder, name, dependencies, findings) in rows {
            let found = check(&[package(folder, name, dependencies)], &[]);
            assert_eq!(found.len(), *findings, "{folder} {dependencies:?}: {found:?}");
        }
    }

    #[test]
    fn a_finding_names_the_line() {
        let manifest = File::new(
            "crates/core/Cargo.toml",
            "[dependencies]\ntokio-util.workspace = true\ntokio.workspace = true\n",
        );
        let found = check(&[package("crates/core", "coop-core", &[("tokio", None)])], &[manifest]);
        assert_eq!(found[0].line, 3, "{found:?}");
    }

    #[test]
    fn rooms_name_rooms() {
        for (room, may) in ROOMS {
            if let Use(used) = may {
                assert!(used.iter().all(|name| ROOMS.iter().any(|(room, _)| room == name)), "{room}");
            }
        }
    }

    #[test]
    fn cargo_tells_about_this_workspace() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let packages = packages(root).unwrap();
        let xtask = packages.iter().find(|package| package.name == "xtask").unwrap();
        assert_eq!(xtask.manifest_path, Path::new("xtask/Cargo.toml"));
        assert!(xtask.dependencies.iter().any(|d| d.name == "jsonschema" && d.kind.as_deref() == Some("dev")));
    }
}
