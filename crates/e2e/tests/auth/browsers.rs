//! Pages in a browser: they may come from anywhere, and reach what listens on this machine.

use coop_api::Code;
use coop_e2e::http::Call;
use coop_e2e::{Address, TestServer, Ws};

const BOARD: &str = "https://board.example";

fn server(token: Option<&str>) -> TestServer {
    TestServer::with("cat", |setup| {
        setup.server.token = token.map(Into::into);
        setup.server.allowed_hosts = vec!["box.lan".into()];
        setup.server.allowed_origins = vec![BOARD.into()];
    })
}

/// Whether a page that was loaded from `origin` and calls us `host` can connect, over HTTP and WebSocket alike.
async fn check(to: &Address, token: Option<&str>, host: &str, origin: Option<&str>, allowed: bool) {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("host", host)];
    headers.extend(origin.map(|origin| ("origin", origin)));
    headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
    let call = headers.iter().fold(Call::get("/api/v1/health"), |call, (name, value)| call.header(name, *value));
    let reply = call.send(to).await;
    let ws = Ws::try_connect(to, "", &headers).await;
    let row = format!("{to:?} {host} {origin:?}");
    if allowed {
        assert_eq!(reply.status, 200, "{row}");
        assert!(ws.is_ok(), "{row}");
    } else {
        assert_eq!(reply.problem().code, Code::Forbidden, "{row}");
        assert_eq!(ws.err().map(|reply| reply.problem().code), Some(Code::Forbidden), "{row}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_connect() {
    for token in [None, Some("t")] {
        let server = server(token);
        for address in server.addresses() {
            let host = address.host();
            let own = format!("http://{host}");
            for (origin, allowed) in [
                (None, true),
                (Some(own.as_str()), true),
                (Some(BOARD), true),
                (Some("https://board.example.evil.example"), false),
                (Some("http://board.example"), false),
                (Some("https://evil.example"), false),
                (Some("http://localhost:1"), false),
                (Some("null"), false),
                (Some(""), false),
            ] {
                check(address, token, &host, origin, allowed).await;
            }
        }
    }
}

/// Somebody else's name may point at this machine; a page there has the same origin as its host, and no token.
#[tokio::test]
async fn a_name_that_is_not_ours_is_refused() {
    let open = server(None);
    let port = open.tcp.host().rsplit_once(':').unwrap().1.to_owned();
    for (host, allowed) in [
        ("localhost", true),
        ("LOCALHOST", true),
        ("127.0.0.1", true),
        ("[::1]", true),
        ("box.lan", true),
        ("evil.example", false),
        ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false),
        ("10.0.0.1", false),
        ("0.0.0.0", false),
    ] {
        check(&open.tcp, None, host, None, allowed).await;
        let (host, origin) = (format!("{host}:{port}"), format!("http://{host}:{port}"));
        check(&open.tcp, None, &host, Some(&origin), allowed).await;
    }
    // A page cannot open a socket file, and where a token is needed it has none to send.
    check(&open.unix, None, "anything", None, true).await;
    check(&server(Some("t")).tcp, Some("t"), "pod-7.cluster", None, true).await;
}

#[tokio::test]
async fn an_allowed_page_may_read_replies_and_others_may_not() {
    let server = server(Some("t"));
    let ask = |origin: &str, token| Call::get("/api/v1/health").header("origin", origin).token(token).send(&server.tcp);
    assert_eq!(ask(BOARD, Some("t")).await.header("access-control-allow-origin"), BOARD);
    let refused = ask(BOARD, None).await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, BOARD), "it learns why");
    assert_eq!(ask("https://evil.example", Some("t")).await.header("access-control-allow-origin"), "");

    let may = |origin: &str, method: &str, header: &str| {
        Call::new("OPTIONS", "/api/v1/input")
            .header("origin", origin)
            .header("access-control-request-method", method)
            .header("access-control-request-headers", header)
            .send(&server.tcp)
    };
    let reply = may(BOARD, "POST", "authorization").await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, BOARD));
    let list = |name: &str| reply.header(name).to_lowercase();
    assert!(list("access-control-allow-methods").contains("post"));
    for header in ["authorization", "content-type", "coop-lease"] {
        assert!(list("access-control-allow-headers").contains(header), "{header}");
    }
    assert_eq!(may("https://evil.example", "POST", "authorization").await.header("access-control-allow-origin"), "");
}
