//! The token of a browser, in a cookie: no script can read it, and no other site can make the browser send it.
//!
//! Cookies do not know ports, so the name says which one it is for: two hubs on one machine do not take each other's.

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method};

use crate::auth::percent_decode;

/// A year. A device that is not to come back is taken its token.
const AGE: u32 = 365 * 24 * 60 * 60;

/// The token a browser sends by itself. One that would change something also says from which page; which one that may be
/// has been looked at.
pub(crate) fn token(method: &Method, headers: &HeaderMap) -> Option<String> {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    if !reads && !headers.contains_key(ORIGIN) {
        return None;
    }
    let name = name(headers);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, value)| *own == name && !value.is_empty()).map(|(_, value)| percent_decode(value))
}

/// To be sent as `Set-Cookie`.
pub(crate) fn keep(headers: &HeaderMap, token: &str) -> Option<HeaderValue> {
    set(headers, &encoded(token), AGE)
}

pub(crate) fn forget(headers: &HeaderMap) -> Option<HeaderValue> {
    set(headers, "", 0)
}

fn set(headers: &HeaderMap, value: &str, age: u32) -> Option<HeaderValue> {
    // Behind a proxy that speaks TLS, and where we do: then it is never sent without.
    let origin = headers.get(ORIGIN).map_or(&b""[..], HeaderValue::as_bytes);
    let secure = if origin.starts_with(b"https://") { "; Secure" } else { "" };
    let name = name(headers);
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
    let mut cookie = HeaderValue::from_str(&text).ok()?;
    cookie.set_sensitive(true);
    Some(cookie)
}

fn name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    match host.rsplit_once(':') {
        Some((_, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => format!("coop-{port}"),
        _ => "coop".to_owned(),
    }
}

fn encoded(token: &str) -> String {
    let byte = |byte: u8| match byte {
        b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    token.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (axum::http::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn what_is_kept_comes_back() {
        let at = headers(&[("host", "box.lan:8123"), ("origin", "https://box.lan:8123")]);
        let kept = keep(&at, "a b;c=d").unwrap();
        let text = kept.to_str().unwrap();
        for part in ["coop-8123=a%20b%3Bc%3Dd;", "HttpOnly", "SameSite=Strict", "Secure"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let pair = text.split(';').next().unwrap();
        let sent = format!("other=1; {pair}");
        let get = |rows: &[(&'static str, &str)]| token(&Method::GET, &headers(rows));
        assert_eq!(get(&[("host", "box.lan:8123"), ("cookie", &sent)]).as_deref(), Some("a b;c=d"));
        assert_eq!(get(&[("host", "box.lan:8124"), ("cookie", &sent)]), None, "of another port");
        assert_eq!(get(&[("host", "box.lan:8123")]), None);
    }

    /// A page elsewhere can make a browser send a form. It cannot keep it from saying so.
    #[test]
    fn nothing_is_changed_without_saying_from_where() {
        let rows = [("host", "box.lan"), ("cookie", "coop=secret")];
        assert_eq!(token(&Method::POST, &headers(&rows)), None);
        let said = [rows[0], rows[1], ("origin", "http://box.lan")];
        assert_eq!(token(&Method::POST, &headers(&said)).as_deref(), Some("secret"));
        assert!(!keep(&headers(&rows), "x").unwrap().to_str().unwrap().contains("Secure"));
    }
}
