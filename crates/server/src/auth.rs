//! Who may connect: the token, and for browsers the host they called and the page they came from.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use coop_api::{ApiError, Code, hook};
use coop_core::access::{Digest, Reach};
use coop_core::rate::Limiter;
use subtle::ConstantTimeEq;

use crate::app::{Options, Peer};
use crate::http::{SCOPE_HEADER, problem};
use crate::web::{self, cookie};

#[derive(Clone, Debug)]
pub(crate) struct Access {
    token: Option<Token>,
    hook_token: Option<Token>,
    /// Tokens that open less than everything.
    limited: Vec<(Token, Reach)>,
    allowed_hosts: Vec<String>,
    allowed_origins: Vec<String>,
    /// Digests of the credentials of browsers in which a person typed the token, the newest last.
    browsers: Arc<Mutex<VecDeque<Digest>>>,
    /// Wrong tokens and codes, by address. Held for a look-up, never across an await.
    failures: Arc<Mutex<Limiter<String>>>,
}

/// Maximum number of browsers that are logged in to one session.
const MAX_BROWSERS: usize = 32;
/// Delay of the answer to a wrong token of an address that has sent many. Connections of strangers are few, so this bounds the number of guesses
/// of all addresses together. A right token is never delayed.
pub(crate) const FAILURE_DELAY: Duration = Duration::from_secs(1);

/// Never printed.
#[derive(Clone)]
struct Token(String);

impl Token {
    fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Access {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            token: options.token.clone().map(Token),
            hook_token: options.hook_token.clone().map(Token),
            limited: options.limited_tokens.iter().map(|(token, reach)| (Token(token.clone()), *reach)).collect(),
            allowed_hosts: options.allowed_hosts.clone(),
            allowed_origins: options.allowed_origins.clone(),
            browsers: Arc::default(),
            failures: Arc::new(Mutex::new(Limiter::new(options.wrong_tokens))),
        }
    }

    /// Returns the answer to a wrong token, late if the address has sent many.
    pub(crate) async fn wrong_token(&self, peer: &Peer) -> ApiError {
        let failure = {
            let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
            failures.take(Instant::now(), peer.key.clone())
        };
        let Err(wait) = failure else { return unauthorized() };
        tokio::time::sleep(FAILURE_DELAY).await;
        ApiError {
            retry_after: Some(wait.as_secs() + 1),
            ..ApiError::new(Code::RateLimited, "This address has sent too many wrong tokens.")
                .with_hint("Send the right one: it is accepted at once.")
        }
    }

    pub(crate) fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether a token is right, compared in a time that does not depend on how much of it is.
    pub(crate) fn accepts(&self, given: Option<&str>) -> bool {
        match (&self.token, given) {
            (None, _) => true,
            (Some(token), Some(given)) => token.is(given) || self.is_browser(given),
            (Some(_), None) => false,
        }
    }

    fn browsers(&self) -> MutexGuard<'_, VecDeque<Digest>> {
        self.browsers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_browser(&self, given: &str) -> bool {
        let digest = coop_hub::digest(given);
        self.browsers().contains(&digest)
    }

    /// Returns a new credential for a browser. The oldest one ends if there are too many.
    pub(crate) fn add_browser(&self) -> Result<String, ApiError> {
        let own = crate::handler::random_hex::<32>()?;
        let mut browsers = self.browsers();
        if browsers.len() >= MAX_BROWSERS {
            browsers.pop_front();
        }
        browsers.push_back(coop_hub::digest(&own));
        Ok(own)
    }

    pub(crate) fn remove_browser(&self, own: &str) {
        let digest = coop_hub::digest(own);
        self.browsers().retain(|known| *known != digest);
    }

    /// How far a token reaches; nothing for one that is wrong or missing.
    pub(crate) fn reach(&self, given: Option<&str>) -> Option<Reach> {
        if self.accepts(given) {
            return Some(Reach::Admin);
        }
        self.limited.iter().find(|(token, _)| given.is_some_and(|given| token.is(given))).map(|(_, reach)| *reach)
    }

    /// Whether this is the token of the hooks, which opens nothing else.
    pub(crate) fn is_hook_token(&self, given: Option<&str>) -> bool {
        matches!((&self.hook_token, given), (Some(token), Some(given)) if token.is(given)) && !self.is_main(given)
    }

    /// Whether a hook may call: with either token, or with none where there is none.
    fn accepts_hook(&self, given: Option<&str>) -> bool {
        match &self.hook_token {
            Some(_) => self.is_hook_token(given) || self.is_main(given),
            None => self.accepts(given),
        }
    }

    fn is_main(&self, given: Option<&str>) -> bool {
        matches!((&self.token, given), (Some(token), Some(given)) if token.is(given))
    }

    /// A page in a browser may lie about neither header.
    pub(crate) fn check_browser(&self, headers: &HeaderMap, uri: &Uri, peer: &Peer) -> Result<(), ApiError> {
        let host = headers
            .get(HOST)
            .and_then(|h| h.to_str().ok())
            .or(uri.authority().map(hyper::http::uri::Authority::as_str));
        // A name that somebody else's DNS points at us. With a token such a page has nothing to send.
        if peer.tcp && !self.needs_token() && !host.is_some_and(|host| self.is_our_name(host)) {
            return Err(ApiError::new(Code::Forbidden, "This host name is not one of ours.")
                .with_hint("Use localhost or the address, or start coop with --allow-host."));
        }
        let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        let scheme = if peer.tls || is_behind_tls(headers) { "https" } else { "http" };
        let same = host.is_some_and(|host| origin.split_once("://") == Some((scheme, host)));
        if same || self.allowed_origins.iter().any(|allowed| allowed == origin) {
            return Ok(());
        }
        Err(ApiError::new(Code::Forbidden, "A page of another origin may not connect.")
            .with_hint("Start coop with --allow-origin and the origin of that page."))
    }

    fn is_our_name(&self, host: &str) -> bool {
        let name = without_port(host);
        let loopback = name.eq_ignore_ascii_case("localhost")
            || name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        loopback || self.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }
}

/// Whether a proxy in front of us says that the browser called it over TLS. A page of another origin cannot add this header
/// without a preflight, which is refused.
fn is_behind_tls(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|proto| proto.as_bytes().eq_ignore_ascii_case(b"https"))
}

fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        // The colons of an IPv6 address stand in brackets.
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

/// The token in the `Authorization` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The token that came with a request: in the header, or in the cookie of a browser.
pub(crate) fn given(method: &Method, headers: &HeaderMap) -> Option<String> {
    bearer(headers).map(str::to_owned).or_else(|| cookie::token(method, headers))
}

/// The token in the query. Works where a browser cannot set a header; the query is never logged.
pub(crate) fn query_token(uri: &Uri) -> Option<String> {
    let query = uri.query()?;
    query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(percent_decode)
}

pub(crate) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|h| u8::from_str_radix(h, 16).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Paths a browser opens by itself, without a header.
pub(crate) const QUERY_TOKEN_PATHS: [&str; 3] = ["/docs", "/openapi.json", "/api/v1/events"];

/// Lets a request pass, or answers in the words of its transport.
pub(crate) async fn guard(State(access): State<Access>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().cloned();
    let refused = match (check(&access, &request), peer) {
        (Ok(standing), Some(peer)) => {
            if standing == Standing::Known {
                peer.admit().await;
            }
            let reach = limit(request.headers());
            request.extensions_mut().insert(reach);
            return next.run(request).await;
        }
        (Ok(_), None) => unknown_connection(),
        (Err(error), Some(peer)) if error.code == Code::Unauthorized && brings_token(&request) => {
            access.wrong_token(&peer).await
        }
        (Err(error), _) => error,
    };
    if is_grpc(request.headers()) { refused.status().into_http() } else { problem::response(&refused) }
}

/// What a request that passes the guard has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// A right token, where one is needed.
    Known,
    /// Nothing yet: the request is open to all.
    Stranger,
}

pub(crate) fn unknown_connection() -> ApiError {
    ApiError::new(Code::Internal, "The connection is unknown.")
}

/// Whether a request brings a token, right or wrong.
pub(crate) fn brings_token(request: &Request) -> bool {
    given(request.method(), request.headers()).is_some() || query_token(request.uri()).is_some()
}

/// Returns the scope that a client limits its request to. A scope that coop does not know permits the least.
fn limit(headers: &HeaderMap) -> Reach {
    let Some(scope) = headers.get(SCOPE_HEADER) else { return Reach::Admin };
    scope.to_str().ok().and_then(|scope| scope.parse().ok()).unwrap_or(Reach::Hooks)
}

/// Lets hooks pass, and nothing else.
pub(crate) async fn only_hooks(request: Request, next: Next) -> Response {
    if is_hook(&request) {
        return next.run(request).await;
    }
    let error =
        ApiError::new(Code::Forbidden, "This socket is for the hooks of the agent inside, and opens nothing else.")
            .with_hint("Run the command in a terminal outside of the session.");
    problem::response(&error)
}

fn check(access: &Access, request: &Request) -> Result<Standing, ApiError> {
    let (headers, uri) = (request.headers(), request.uri());
    let peer = request.extensions().get::<Peer>().ok_or_else(unknown_connection)?;
    access.check_browser(headers, uri, peer)?;
    if peer.authorized {
        return Ok(Standing::Known);
    }
    if is_hook(request) {
        return if access.accepts_hook(bearer(headers)) { Ok(Standing::Known) } else { Err(unauthorized()) };
    }
    if access.is_hook_token(bearer(headers)) || access.is_hook_token(query_token(uri).as_deref()) {
        return Err(hooks_only());
    }
    let by_query = || query_token(uri).filter(|_| QUERY_TOKEN_PATHS.contains(&uri.path()));
    let given = given(request.method(), headers);
    if access.accepts(given.as_deref()) || access.accepts(by_query().as_deref()) {
        return Ok(Standing::Known);
    }
    // A WebSocket may bring its token in the first message, and the app asks for it.
    match uri.path() == "/ws" || web::is_open(request.method(), uri.path()) {
        true => Ok(Standing::Stranger),
        false => Err(unauthorized()),
    }
}

pub(crate) fn unauthorized() -> ApiError {
    ApiError::new(Code::Unauthorized, "The token is missing or wrong.")
        .with_hint("Send the header `Authorization: Bearer TOKEN`.")
}

pub(crate) fn hooks_only() -> ApiError {
    ApiError::new(Code::Forbidden, "This token is for the hooks of the agent inside, and opens nothing else.")
        .with_hint("Send the token that coop was started with.")
}

/// What the agent inside may call with a token of its own.
fn is_hook(request: &Request) -> bool {
    let event = request.uri().path().strip_prefix(hook::PATH);
    request.method() == Method::POST && event.is_some_and(|event| !event.is_empty() && !event.contains('/'))
}

fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(token: Option<&str>) -> Access {
        Access::new(&Options {
            token: token.map(Into::into),
            allowed_hosts: vec!["box.lan".into()],
            allowed_origins: vec!["https://board.example".into()],
            ..Options::new("test")
        })
    }

    #[test]
    fn tokens() {
        let open = access(None);
        assert!(open.accepts(None) && open.accepts(Some("x")));
        let closed = access(Some("secret"));
        for (given, ok) in
            [(None, false), (Some(""), false), (Some("secre"), false), (Some("secrets"), false), (Some("secret"), true)]
        {
            assert_eq!(closed.accepts(given), ok, "{given:?}");
        }
        assert!(!format!("{closed:?}").contains("secret"));
    }

    #[test]
    fn tokens_of_hooks() {
        let access = |token: Option<&str>, hook_token: Option<&str>| {
            let own = |token: Option<&str>| token.map(str::to_owned);
            Access::new(&Options { token: own(token), hook_token: own(hook_token), ..Options::new("test") })
        };
        for (token, hook_token, given, opens_hooks, is_hooks_only) in [
            (None, None, None, true, false),
            (None, None, Some("x"), true, false),
            (Some("m"), None, None, false, false),
            (Some("m"), None, Some("m"), true, false),
            (Some("m"), Some("h"), None, false, false),
            (Some("m"), Some("h"), Some("x"), false, false),
            (Some("m"), Some("h"), Some("m"), true, false),
            (Some("m"), Some("h"), Some("h"), true, true),
            (None, Some("h"), None, false, false),
            (None, Some("h"), Some("h"), true, true),
            (Some("same"), Some("same"), Some("same"), true, false),
        ] {
            let access = access(token, hook_token);
            let row = format!("{token:?} {hook_token:?} {given:?}");
            assert_eq!(access.accepts_hook(given), opens_hooks, "{row}");
            assert_eq!(access.is_hook_token(given), is_hooks_only, "{row}");
        }
    }

    #[test]
    fn hosts_and_origins() {
        let check_at = |(tls, proto): (bool, &str), token, tcp, host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            if !proto.is_empty() {
                headers.insert("x-forwarded-proto", proto.parse().unwrap());
            }
            headers.insert(HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().unwrap());
            }
            let peer = Peer { key: String::new(), tcp, tls, pid: None, authorized: false, visitor: None, place: None };
            access(token).check_browser(&headers, &Uri::from_static("/"), &peer).is_ok()
        };
        let check = |token, tcp, host: &str, origin| check_at((false, ""), token, tcp, host, origin);
        for (tls, proto, origin, ok) in [
            (false, "", "http://box.lan", true),
            (false, "", "https://box.lan", false),
            (true, "", "https://box.lan", true),
            (true, "", "http://box.lan", false),
            (false, "https", "https://box.lan", true),
            (false, "https", "http://box.lan", false),
            (false, "http", "http://box.lan", true),
        ] {
            assert_eq!(check_at((tls, proto), None, true, "box.lan", Some(origin)), ok, "{tls} {proto} {origin}");
        }
        for (token, tcp, host, origin, ok) in [
            (None, true, "localhost:8080", None, true),
            (None, true, "127.0.0.1:8080", None, true),
            (None, true, "[::1]:8080", None, true),
            (None, true, "[::1]", None, true),
            (None, true, "box.lan:1", None, true),
            (None, true, "evil.example:8080", None, false),
            (None, true, "localhost.evil.example", None, false),
            (None, true, "127.0.0.1.evil.example", None, false),
            (None, false, "anything", None, true),
            (Some("t"), true, "pod-7.cluster", None, true),
            (None, true, "localhost:8080", Some("http://localhost:8080"), true),
            (None, true, "localhost:8080", Some("http://localhost:9999"), false),
            (None, true, "localhost:8080", Some("https://evil.example"), false),
            (None, true, "localhost:8080", Some("null"), false),
            (None, true, "evil.example", Some("http://evil.example"), false),
            (Some("t"), true, "localhost", Some("https://evil.example"), false),
            (Some("t"), true, "localhost", Some("https://board.example"), true),
            (None, false, "x", Some("https://evil.example"), false),
        ] {
            assert_eq!(check(token, tcp, host, origin), ok, "{token:?} {host} {origin:?}");
        }
    }

    #[test]
    fn where_tokens_come_from() {
        let query = |uri: &str| query_token(&uri.parse().unwrap());
        assert_eq!(query("/ws?mode=raw&token=a%2Bb%20c"), Some("a+b c".into()));
        assert_eq!(query("/ws?xtoken=a"), None);
        assert_eq!(query("/ws"), None);
        let header = |value: &str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())]);
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(header("Bearer abc"), Some("abc".into()));
        assert_eq!(header("bearer abc"), Some("abc".into()));
        assert_eq!(header("Basic abc"), None);
    }
}
