//! What `--welcome` prints: where the session or the board is, and commands to try, each of which works as it stands.

use std::path::PathBuf;

use coop_api::hub::NewCode;

use super::listen::Bound;
use crate::commands::hub::note::Note;
use crate::sessions::{self, Name};
use crate::{CommandError, out};

pub(super) fn print(bound: &Bound, token: &str) -> Result<(), CommandError> {
    let url = bound.addresses.url.as_deref().unwrap_or_default();
    let (coop, name) = (this_command(), &bound.name);
    // A certificate of our own is known to coop by its digest, and to curl not at all; the socket needs none.
    let pin = bound.listeners.http.iter().find_map(coop_server::Listener::pin);
    let (curl, place) = match (&pin, &bound.addresses.socket) {
        (Some(pin), Some(socket)) => {
            let socket = quoted(&socket.to_string_lossy());
            (format!("--unix-socket {socket} http://localhost"), format!("'{url}#sha256={pin}'"))
        }
        _ => (url.to_owned(), url.to_owned()),
    };
    out::print(&format!(
        "\
The session `{name}` is running.

  address  {url}
  token    {token}

Try these in another terminal:

  curl -H 'Authorization: Bearer {token}' {curl}/api/v1/screen/text
  COOP_AUTH_TOKEN={token} {coop} input -s {place} --enter 'echo hello'
  COOP_AUTH_TOKEN={token} {coop} attach {place}

Ctrl-C here ends it.
"
    ))
}

/// What `coop run --welcome` prints: the board, how to look at it, and how to add to it.
pub(super) async fn print_board(name: &Name) -> Result<(), CommandError> {
    let coop = this_command();
    let note = Note::read().unwrap_or_default();
    let browser = match note.addresses.iter().find(|address| address.starts_with("http")) {
        Some(address) => way_in(address).await,
        None => format!("{coop} hub --stop, then {coop} hub --daemon --port 8123: the hub that runs has no port"),
    };
    let address = |scheme: &str| note.addresses.iter().find(|address| address.starts_with(scheme)).cloned();
    let socket = address("unix:").unwrap_or_else(|| format!("unix:{}", sessions::hub_socket().display()));
    let by_socket = format!("curl --unix-socket {} http://localhost", quoted(socket.trim_start_matches("unix:")));
    let (place, token, call) = match (address("http:"), &note.token_file) {
        // curl does not know a certificate of our own.
        _ if address("https:").is_some() => {
            let url = address("https:").unwrap_or_default();
            (format!("{url}, and {socket}"), "the socket needs none".into(), by_socket)
        }
        (Some(url), Some(file)) => {
            let file = quoted(&file.to_string_lossy());
            let call = format!("curl -H \"Authorization: Bearer $(cat {file})\" {url}");
            (format!("{url}, and {socket}"), format!("in {file}; the socket needs none"), call)
        }
        (Some(url), None) => (format!("{url}, and {socket}"), "yours; the socket needs none".into(), by_socket),
        (None, _) => (socket, "none: only you can open the socket".into(), by_socket),
    };
    out::print(&format!(
        "\
The session `{name}` is running, and the hub has it on its board.

  browser  {browser}
  board    {coop} board
  address  {place}
  token    {token}

Try these in another terminal:

  {coop} board                    every agent on this machine, who needs you first; answer from there
  {coop} attach {name}
  {coop} run -- claude            another session; it is on the board too
  {call}/api/v1/sessions

`{coop} pair` lets a phone in. All requests are described at /docs of the address.
Ctrl-C here ends the session. The hub stays: `{coop} hub --stop` ends it.
"
    ))
}

/// An address that lets a browser of this machine in, once.
async fn way_in(address: &str) -> String {
    let Ok(client) = sessions::hub_client() else { return address.to_owned() };
    let wanted = NewCode { scope: Some("admin".into()), name: Some("this machine".into()) };
    match client.hub_pair_code(&wanted).await {
        Ok(code) => format!("{address}/pair#{}   good once, for five minutes", code.code),
        // It needs a code from elsewhere then.
        Err(_) => address.to_owned(),
    }
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
