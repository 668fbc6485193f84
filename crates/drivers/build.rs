//! Writes the list of the pages in `agents/`, so that a new one needs no line of Rust.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Tables of drivers, and what is no agent: the rest are pages.
const NOT_PAGES: [&str; 4] = ["claude", "codex", "gemini", "prices"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../agents").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == "toml") && !NOT_PAGES.contains(&name.as_str()) {
            pages.push((name, path));
        }
    }
    pages.sort();
    let mut list = String::from("&[\n");
    for (name, path) in pages {
        writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("pages.rs"), list)?;
    Ok(())
}
