//! As much of HTTP as it takes to ask coop over its socket, and so little that its own time does not count.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::process::PATIENCE;

/// One connection that is kept open.
#[derive(Debug)]
pub(super) struct Http(BufReader<UnixStream>);

impl Http {
    pub(super) fn connect(socket: &Path) -> anyhow::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::new(stream)))
    }

    pub(super) fn get(&mut self, path: &str) -> anyhow::Result<Vec<u8>> {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())
    }

    /// Sends bytes as they are.
    pub(super) fn post(&mut self, path: &str, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        let len = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len}\r\n");
        let head = head + "Content-Type: application/octet-stream\r\n\r\n";
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Sends JSON, and does not wait for what is said to it.
    pub(super) fn ask(&mut self, method: &str, path: &str, body: &Value) -> anyhow::Result<()> {
        let body = body.to_string();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
        Ok(self.0.get_mut().write_all((head + &body).as_bytes())?)
    }

    /// The same, and what is said to it; nothing where there is nothing to say.
    pub(super) fn json(&mut self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(method, path, body)?;
        self.told()
    }

    /// What is said to what was asked.
    pub(super) fn told(&mut self) -> anyhow::Result<Value> {
        let body = self.receive()?;
        Ok(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? })
    }

    fn send(&mut self, request: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.0.get_mut().write_all(request)?;
        self.receive()
    }

    fn receive(&mut self) -> anyhow::Result<Vec<u8>> {
        let status = self.line()?;
        let mut length = 0;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().context("content-length")?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        ensure!(
            [" 200 ", " 204 "].iter().any(|fine| status.contains(fine)),
            "{status}: {}",
            String::from_utf8_lossy(&body)
        );
        Ok(body)
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        ensure!(line.ends_with('\n'), "the connection ended within a reply");
        Ok(line.trim_end().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::net::UnixListener;

    #[test]
    fn replies_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let replies = [
                "200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nok",
                "404 No\r\ncontent-length: 4\r\n\r\ngone",
                "204 None\r\n\r\n",
            ];
            for reply in replies {
                let mut request = [0; 1000];
                assert!(stream.read(&mut request).unwrap() > 0);
                stream.write_all(format!("HTTP/1.1 {reply}").as_bytes()).unwrap();
            }
        });
        let mut http = Http::connect(&socket).unwrap();
        assert_eq!(http.get("/livez").unwrap(), b"ok");
        let error = http.post("/input", b"x").unwrap_err().to_string();
        assert_eq!(error, "HTTP/1.1 404 No: gone");
        assert_eq!(http.json("PUT", "/x", &json!({ "a": 1 })).unwrap(), Value::Null);
        server.join().unwrap();
        assert!(http.get("/livez").is_err());
    }
}
