//! How a browser keeps its credential: in two halves, so that no port of the host but ours ever has both.
//!
//! A browser sends a cookie to every port of a host. So the cookie holds the first half only, which no script can read. The
//! second half, the key, is in the storage of the page, which belongs to the page's origin; the page sends it as a header,
//! and as a protocol where it opens a WebSocket. The two halves together are a token of this browser alone.

use axum::http::header::{COOKIE, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

/// Maximum age of the cookie: a year. A device that is not to come back is revoked.
const AGE: u32 = 365 * 24 * 60 * 60;
/// Brings the second half of the credential.
const KEY_HEADER: HeaderName = HeaderName::from_static("coop-key");
/// The protocol that the app asks for when it opens a WebSocket. The key follows as another one.
pub(crate) const PROTOCOL: &str = "coop";
const KEY_PROTOCOL: &str = "coop.key.";

/// Returns the token of a browser from its two halves. A request that would change something also says which page it is
/// from; the guard has checked which one that may be.
pub(crate) fn token(method: &Method, headers: &HeaderMap) -> Option<String> {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    if !reads && !headers.contains_key(ORIGIN) {
        return None;
    }
    let name = name(headers);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, id) = pairs.find(|(own, value)| *own == name && !value.is_empty())?;
    key(headers).map(|key| format!("{id}{key}"))
}

fn key(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(KEY_HEADER).and_then(|key| key.to_str().ok());
    sent.or_else(|| protocols(headers).find_map(|protocol| protocol.strip_prefix(KEY_PROTOCOL)))
        .filter(|key| !key.is_empty())
}

fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// Whether the client asks for the protocol of the app. A browser ends a WebSocket whose server did not choose one.
pub(crate) fn asks_for_protocol(headers: &HeaderMap) -> bool {
    protocols(headers).any(|protocol| protocol == PROTOCOL)
}

/// Splits a token of coop's own making into the half for the cookie, as `Set-Cookie`, and the key for the page.
pub(crate) fn keep<'a>(headers: &HeaderMap, token: &'a str) -> Option<(HeaderValue, &'a str)> {
    let (id, key) = token.split_at_checked(token.len() / 2)?;
    Some((set(headers, id, AGE)?, key))
}

pub(crate) fn forget(headers: &HeaderMap) -> Option<HeaderValue> {
    set(headers, "", 0)
}

fn set(headers: &HeaderMap, value: &str, age: u32) -> Option<HeaderValue> {
    // Over TLS, ours or that of a proxy, the cookie is never sent without.
    let origin = headers.get(ORIGIN).map_or(&b""[..], HeaderValue::as_bytes);
    let secure = if origin.starts_with(b"https://") { "; Secure" } else { "" };
    let name = name(headers);
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
    let mut cookie = HeaderValue::from_str(&text).ok()?;
    cookie.set_sensitive(true);
    Some(cookie)
}

/// The name has the port, so that two hubs on one machine do not overwrite each other's.
fn name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    match host.rsplit_once(':') {
        Some((_, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => format!("coop-{port}"),
        _ => "coop".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn both_halves_are_needed() {
        let at = headers(&[("host", "box.lan:8123"), ("origin", "https://box.lan:8123")]);
        let (cookie, key) = keep(&at, "0123456789abcdef").unwrap();
        let text = cookie.to_str().unwrap();
        for part in ["coop-8123=01234567;", "HttpOnly", "SameSite=Strict", "Secure"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(key, "89abcdef");
        let sent = format!("other=1; {}", text.split(';').next().unwrap());
        let get = |rows: &[(&'static str, &str)]| token(&Method::GET, &headers(rows));
        let (host, other, cookie) = (("host", "box.lan:8123"), ("host", "box.lan:8124"), ("cookie", sent.as_str()));
        for (rows, expected) in [
            (&[host, cookie, ("coop-key", key)][..], Some("0123456789abcdef")),
            (&[host, cookie, ("sec-websocket-protocol", "coop, coop.key.89abcdef")], Some("0123456789abcdef")),
            (&[host, cookie], None),
            (&[host, cookie, ("coop-key", "")], None),
            (&[host, cookie, ("sec-websocket-protocol", "coop")], None),
            (&[host, ("coop-key", key)], None),
            (&[other, cookie, ("coop-key", key)], None),
        ] {
            assert_eq!(get(rows).as_deref(), expected, "{rows:?}");
        }
    }

    /// A page elsewhere can make a browser send a form. It cannot keep the browser from naming the page.
    #[test]
    fn request_that_changes_something_names_its_page() {
        let rows = [("host", "box.lan"), ("cookie", "coop=ab"), ("coop-key", "cd")];
        assert_eq!(token(&Method::POST, &headers(&rows)), None);
        let said = [rows[0], rows[1], rows[2], ("origin", "http://box.lan")];
        assert_eq!(token(&Method::POST, &headers(&said)).as_deref(), Some("abcd"));
        let (cookie, _) = keep(&headers(&rows), "abcd").unwrap();
        assert!(!cookie.to_str().unwrap().contains("Secure"));
    }
}
