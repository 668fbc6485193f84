//! A client may join at any moment, read as slowly as it likes, and ends with the screen the server has.

use coop_e2e::{Painter, TestServer, Ws};

use crate::enter;

/// For each line it reads: colours, jumps, margins, wide characters, titles, and every third time the alternate screen.
const SCRIPT: &str = r#"
stty -echo
step=0
while read go; do
    step=$((step+1))
    case $((step%6)) in
        2) printf '\033[?1049h\033[2J' ;;
        4) printf '\033[?1049l' ;;
        5) printf '\033[5;15r\033[?1h\033=' ;;
        0) printf '\033[r\033[?25l\033[?2004h\033[>5u' ;;
    esac
    i=0
    while [ $i -lt 300 ]; do
        i=$((i+1))
        printf '\033[%d;%dH\033[3%d;4%d;%dmstep %d, line %d 漢字 é\033[m\033[K\r\n' \
            $((i*7%24+1)) $((i*13%80+1)) $((i%8)) $((step%8)) $((i%2)) $step $i
    done
    printf '\033]0;step %d\007\033[?25h' $step
done
"#;
/// Not a multiple of six: the last to come must learn what was set before.
const STEPS: usize = 25;

/// What kinds of clients there are. Those who begin without a repaint have seen everything from the start.
const QUERIES: [&str; 5] = [
    "?mode=raw&snapshot=true",
    "?mode=raw&snapshot=true&encoding=binary",
    "?subscribe=output,state&snapshot=true&scrollback=100",
    "?snapshot=true",
    "?mode=raw&encoding=binary&offset=0",
];

async fn follow(mut ws: Ws, slow: Option<&TestServer>) -> Painter {
    if let Some(server) = slow {
        server.exited().await;
    }
    let mut painter = Painter::default();
    loop {
        let message = ws.next().await;
        painter.take(&message);
        if message.kind() == "exit" {
            return painter;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_joins_ends_with_the_same_screen() {
    // A small log, so that slow clients lose some of it.
    let server = TestServer::with(SCRIPT, |setup| setup.session.log_size = 64 << 10);
    let server = std::sync::Arc::new(server);
    let mut clients = Vec::new();
    for step in 0..STEPS {
        enter(&server).await;
        // Two come while this step is being printed, at a moment that is different each time.
        for n in [2 * step, 2 * step + 1] {
            let (query, slow) = (QUERIES[n % QUERIES.len()], n % 3 == 0);
            let address = if n % 2 == 0 { &server.tcp } else { &server.unix };
            let ws = Ws::connect(address, query).await;
            let server = server.clone();
            clients.push((n, query, tokio::spawn(async move { follow(ws, slow.then_some(&server)).await })));
        }
    }
    // The end of its input ends it.
    server.shows(&format!("step {STEPS}, line 300")).await;
    let kind = coop_session::InputKind::Raw(vec![4]);
    server.session.input(coop_session::Input { kind, lease: None }).await.unwrap();
    server.exited().await;
    let mut gaps = 0;
    for (n, query, client) in clients {
        let painter = client.await.unwrap();
        gaps += painter.gaps;
        assert_eq!(painter.at, Some(server.session.status().output_end), "client {n} {query}");
        painter.assert_same(&server.tcp, &format!("client {n} {query}")).await;
    }
    assert!(gaps > 0, "some fell behind, or this shows little");
}

/// Clients come while the program is in the middle of something, and then it goes on.
#[tokio::test]
async fn whoever_joins_in_the_middle_of_a_sequence_sees_it_whole() {
    for (before, after) in [
        (r"\033[3", r"1mred\033[m"),
        (r"\033", r"[7mreverse\033[m"),
        (r"\033[1;44m\346\274", r"\242\033[m wide"),
        (r"\033]0;a ti", r"tle\007text"),
        (r"\033]8;;https://example.com/a", r"bc\033\\link\033]8;;\033\\"),
        (r"\033P1;2", r"|skipped\033\\text"),
        (r"primary\033[?1049", r"halternate"),
        (r"primary\033[?1049halternate\033[?10", r"49l"),
        (r"\033[?2026hheld ba", r"ck\033[?2026l"),
        (r"e", r"\314\201 with an accent"),
    ] {
        let server = TestServer::start(&format!("stty -echo; printf 'ready {before}'; read go; printf '{after}'"));
        // Its end cannot be seen, only counted.
        let length = TestServer::start(&format!("printf 'ready {before}'"));
        length.exited().await;
        server.printed(length.session.status().output_end).await;
        let mut clients = Vec::new();
        for query in ["?mode=raw&snapshot=true", "?snapshot=true&encoding=binary", "?mode=raw&offset=0"] {
            clients.push((query, Ws::painted(&server.tcp, query).await));
        }
        enter(&server).await;
        for (query, (mut ws, mut painter)) in clients {
            ws.until(|message| message.kind() == "exit").await.iter().for_each(|message| painter.take(message));
            painter.assert_same(&server.tcp, &format!("{before} and {after}, {query}")).await;
        }
    }
}

/// Those who want no repaint go on from the greeting.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn output_begins_where_the_greeting_says() {
    let server = TestServer::start("while :; do printf 0123456789; done");
    for _ in 0..300 {
        let (mut ws, mut painter) = Ws::painted(&server.tcp, "?subscribe=output&encoding=binary").await;
        painter.take(&ws.next().await);
    }
}
