//! The Dockerfile agrees with itself and copies what is there. Whether it builds is for an engine to say.

use std::path::Path;

const DOCKERFILE: &str = include_str!("../../../deploy/Dockerfile");

fn complaints(dockerfile: &str) -> Vec<String> {
    let instructions = instructions(dockerfile);
    let last = |name: &str| instructions.iter().rev().find(|(n, _)| n == name).map_or("", |(_, rest)| rest.as_str());
    let entrypoint: Vec<String> = serde_json::from_str(last("ENTRYPOINT")).unwrap_or_default();
    let flag = |name: &str| {
        let at = entrypoint.iter().position(|arg| arg == name)?;
        entrypoint.get(at + 1).cloned()
    };
    let ports = ["--port", "--grpc-port", "--health-port"].map(|name| flag(name).unwrap_or_default());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let exists = |path: &str| root.join(path).exists();
    let mut rules = vec![
        (last("FROM") == "debian:bookworm-slim", "the image is not the slim one".to_owned()),
        (dockerfile.contains("cargo build --locked"), "the build does not use the lock file".to_owned()),
        (last("USER").starts_with("1000"), "the image runs as root".to_owned()),
        (last("EXPOSE") == ports.join(" "), format!("EXPOSE is not {ports:?}")),
        (
            last("HEALTHCHECK").contains(&format!("http://127.0.0.1:{}/livez", ports[2])),
            "HEALTHCHECK does not ask the health port".to_owned(),
        ),
        (flag("--host").as_deref() == Some("0.0.0.0"), "coop is not reachable from outside".to_owned()),
    ];
    for (_, sources) in instructions.iter().filter(|(name, rest)| name == "COPY" && !rest.starts_with("--from")) {
        let (sources, _) = sources.rsplit_once(' ').unwrap();
        rules.extend(sources.split(' ').map(|source| (exists(source), format!("COPY: there is no {source}"))));
    }
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, complaint)| complaint).collect()
}

/// `(NAME, rest)` of each instruction, with continued lines joined and comments left out.
fn instructions(dockerfile: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = dockerfile.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let instructions = joined.lines().filter_map(|line| line.trim().split_once(' '));
    instructions.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}

#[test]
fn the_dockerfile_is_right() {
    assert_eq!(complaints(DOCKERFILE), [""; 0]);
}

#[test]
fn a_wrong_dockerfile_is_found_out() {
    let rows = [
        ("debian:bookworm-slim", "debian:bookworm", "slim"),
        ("--locked", "", "lock file"),
        ("USER 1000:1000", "USER 0:0", "root"),
        ("EXPOSE 8080", "EXPOSE 80", "EXPOSE"),
        ("127.0.0.1:9091", "127.0.0.1:8080", "HEALTHCHECK"),
        ("\"0.0.0.0\"", "\"127.0.0.1\"", "outside"),
        ("LICENSE-MIT", "LICENSE-GONE", "LICENSE-GONE"),
    ];
    for (right, wrong, complaint) in rows {
        assert!(DOCKERFILE.contains(right), "the Dockerfile does not contain {right:?}");
        let found = complaints(&DOCKERFILE.replacen(right, wrong, 1));
        assert!(found.iter().any(|c| c.contains(complaint)), "{right:?} -> {wrong:?}: {found:#?}");
    }
}
