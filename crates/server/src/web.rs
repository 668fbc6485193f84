//! The web app, as files that were built into this program, and how a browser keeps its token.
//!
//! The files hold nothing of anybody, so they need no token. What they show is fetched by requests that do.

pub(crate) mod cookie;

use axum::Router;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// One file of the app.
#[derive(Debug)]
struct Asset {
    path: &'static str,
    tag: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const INDEX: &str = "/index.html";
/// Paths at which the app itself is opened. What is shown there it decides by itself.
const PAGES: [&str; 2] = ["/", "/pair"];
/// What a browser does about its token, before it has one.
pub(crate) const LOGIN: &str = "/login";
pub(crate) const LOGOUT: &str = "/logout";
/// What the app asks first: who serves it, and as whom.
pub(crate) const ABOUT: &str = "/app.json";

/// Nothing but what comes from here, and no script that stands in a page. The terminal writes styles of its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>coop</title><body>\
    <h1>coop was built without its web app</h1><p>Run <code>make web</code>, then build coop again. Everything else works: \
    <a href=\"/docs\">the API</a> is all there.</p></body></html>";

/// Whether this is a part of the app, which anybody may have.
pub(crate) fn is_open(method: &Method, path: &str) -> bool {
    match *method {
        Method::GET | Method::HEAD => {
            path == ABOUT || PAGES.contains(&path) || ASSETS.iter().any(|asset| asset.path == path)
        }
        Method::POST => path == LOGIN || path == LOGOUT,
        _ => false,
    }
}

/// The router with the files of the app beside what it has.
pub(crate) fn beside<S: Clone + Send + Sync + 'static>(mut router: Router<S>) -> Router<S> {
    for path in PAGES {
        router = router.route(path, get(|headers: HeaderMap| async move { page(&headers) }));
    }
    for asset in ASSETS {
        router = router.route(asset.path, get(move |headers: HeaderMap| async move { serve(asset, &headers) }));
    }
    router
}

fn page(headers: &HeaderMap) -> Response {
    match ASSETS.iter().find(|asset| asset.path == INDEX) {
        Some(index) => serve(index, headers),
        None => (StatusCode::OK, common(NOT_BUILT.as_bytes(), INDEX)).into_response(),
    }
}

fn serve(asset: &'static Asset, headers: &HeaderMap) -> Response {
    let has = |name: HeaderName, what: &str| {
        headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            value.split(',').any(|part| part.trim().split(';').next().is_some_and(|part| part.trim() == what))
        })
    };
    let mut response = match asset.gzip {
        _ if has(IF_NONE_MATCH, asset.tag) => StatusCode::NOT_MODIFIED.into_response(),
        Some(gzip) if has(ACCEPT_ENCODING, "gzip") => {
            let mut response = common(gzip, asset.path);
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        }
        _ => common(asset.plain, asset.path),
    };
    // Names of files in this folder change with what is in them.
    let cache = if asset.path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_static(asset.tag));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

fn common(bytes: &'static [u8], path: &str) -> Response {
    let headers = [
        (CONTENT_TYPE, kind(path)),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    (headers, bytes).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FILE: Asset = Asset { path: "/assets/a-1.js", tag: "\"1\"", plain: b"let a = 1", gzip: Some(b"not really") };

    #[test]
    fn a_file_is_sent_as_the_browser_takes_it_and_once() {
        let ask = |name: HeaderName, value: &'static str| {
            let response = serve(&FILE, &HeaderMap::from_iter([(name, HeaderValue::from_static(value))]));
            let encoding = response.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
            (response.status(), encoding)
        };
        for (name, value, expected) in [
            (ACCEPT_ENCODING, "gzip, br", (StatusCode::OK, Some("gzip".to_owned()))),
            (ACCEPT_ENCODING, "br;q=1.0, gzip;q=0.8", (StatusCode::OK, Some("gzip".to_owned()))),
            (ACCEPT_ENCODING, "identity", (StatusCode::OK, None)),
            (IF_NONE_MATCH, "\"1\"", (StatusCode::NOT_MODIFIED, None)),
            (IF_NONE_MATCH, "\"2\"", (StatusCode::OK, None)),
        ] {
            assert_eq!(ask(name.clone(), value), expected, "{name}: {value}");
        }
        let headers = serve(&FILE, &HeaderMap::new()).headers().clone();
        assert!(headers[CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("script-src 'self';"), "no script may stand in a page: {policy}");
    }

    #[test]
    fn what_is_open() {
        for (method, path, open) in [
            (Method::GET, "/", true),
            (Method::HEAD, "/pair", true),
            (Method::GET, ABOUT, true),
            (Method::POST, LOGIN, true),
            (Method::GET, LOGIN, false),
            (Method::POST, "/", false),
            (Method::GET, "/docs", false),
            (Method::GET, "/assets/../api/v1/sessions", false),
            (Method::GET, "/api/v1/sessions", false),
        ] {
            assert_eq!(is_open(&method, path), open, "{method} {path}");
        }
    }
}
