//! Puts the web app into the program: every file of `web/dist/app`, as `make web` leaves it there. Without it coop is
//! built all the same, and says so to whoever opens its page.

use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    // The folder is always there, so that cargo sees when something comes into it.
    println!("cargo:rerun-if-changed={}", dist.display());
    let app = dist.join("app");
    let mut files = Vec::new();
    if app.is_dir() {
        list(&app, &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in files.iter().filter(|file| file.extension().is_none_or(|extension| extension != "gz")) {
        entry(&app, file, &mut table)?;
    }
    table.push(']');
    fs::write(Path::new(&std::env::var("OUT_DIR")?).join("assets.rs"), table)?;
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// One row: where it is served, what it is in both forms, and a tag that changes with it.
fn entry(app: &Path, file: &Path, table: &mut String) -> Result<(), Box<dyn Error>> {
    let path = file.strip_prefix(app)?.to_str().ok_or("a file whose name is not text")?;
    let mut hasher = DefaultHasher::new();
    fs::read(file)?.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let compressed = PathBuf::from(format!("{}.gz", file.display()));
    let gzip = match compressed.exists() {
        true => format!("Some(include_bytes!({compressed:?}))"),
        false => "None".to_owned(),
    };
    let path = format!("/{path}");
    writeln!(table, "Asset {{ path: {path:?}, tag: {tag:?}, plain: include_bytes!({file:?}), gzip: {gzip} }},")?;
    Ok(())
}
