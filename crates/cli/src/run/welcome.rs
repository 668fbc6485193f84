//! What `--welcome` prints: where the session is, and commands to try, each of which works as it stands.

use std::path::PathBuf;

use super::listen::Bound;
use crate::{CommandError, out};

pub(super) fn print(bound: &Bound, token: &str) -> Result<(), CommandError> {
    let url = bound.addresses.url.as_deref().unwrap_or_default();
    let (coop, name) = (this_command(), &bound.name);
    out::print(&format!(
        "\
The session `{name}` is running.

  address  {url}
  token    {token}

Try these in another terminal:

  curl -H 'Authorization: Bearer {token}' {url}/api/v1/screen/text
  COOP_AUTH_TOKEN={token} {coop} input -s {url} --enter 'echo hello'
  COOP_AUTH_TOKEN={token} {coop} attach {url}

Ctrl-C here ends it.
"
    ))
}

/// `coop` where that starts this very program, else its path.
fn this_command() -> String {
    let Ok(path) = std::env::current_exe() else { return "coop".into() };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let same = |file: PathBuf| file.canonicalize().is_ok_and(|file| file == path);
    match std::env::split_paths(&folders).map(|folder| folder.join("coop")).find(|file| file.is_file()) {
        Some(found) if same(found.clone()) => "coop".into(),
        _ => quoted(&path.to_string_lossy()),
    }
}

/// For a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        assert_eq!(quoted("/usr/bin/coop"), "/usr/bin/coop");
        assert_eq!(quoted("/my dir/it's"), r"'/my dir/it'\''s'");
    }
}
