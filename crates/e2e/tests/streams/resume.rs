//! Going on where one was, or with a repaint where that is gone.

use coop_e2e::{Incoming, TestServer, Ws};
use serde_json::{Value, json};

use crate::enter;

/// All messages until the exit, and the output in them as one.
async fn until_exit(ws: &mut Ws) -> (Vec<Incoming>, Vec<u8>) {
    let messages = ws.until(|message| message.kind() == "exit").await;
    let output = messages.iter().filter_map(Incoming::output).flat_map(|(_, bytes)| bytes).collect();
    (messages, output)
}

#[tokio::test]
async fn both_encodings_carry_the_same_bytes_at_the_same_offsets() {
    let server = TestServer::start("stty -echo; printf ready; read go; seq 1 3000; printf '\\377\\000\\033[1mbytes'");
    server.shows("ready").await;
    let mut seen = Vec::new();
    let connections = [
        Ws::painted(&server.tcp, "?mode=raw").await,
        Ws::painted(&server.tcp, "?mode=raw&encoding=binary").await,
        Ws::painted(&server.unix, "?mode=raw&encoding=binary").await,
        Ws::painted(&server.tcp, "?mode=raw&encoding=binary&offset=5").await,
    ];
    enter(&server).await;
    for (mut ws, mut painter) in connections {
        let (messages, output) = until_exit(&mut ws).await;
        messages.iter().for_each(|message| painter.take(message));
        seen.push((painter.at, output));
    }
    assert_eq!(seen[0].0, Some(server.session.status().output_end));
    assert!(seen[0].1.starts_with(b"1\r\n2\r\n") && seen[0].1.ends_with(b"\xff\0\x1b[1mbytes"));
    assert!(
        seen.iter().all(|one| *one == seen[0]),
        "{:?}",
        seen.iter().map(|(at, all)| (at, all.len())).collect::<Vec<_>>()
    );
}

/// `0123456789` is all there is; a client says where it is, in the query or in a message.
#[tokio::test]
async fn a_client_says_where_it_is() {
    let rows: [(Value, &str, u64, &str); 7] = [
        (json!({ "offset": 0 }), "ok", 0, "0123456789"),
        (json!({ "offset": 4 }), "ok", 4, "456789"),
        (json!({ "offset": 4, "generation": 1 }), "ok", 4, "456789"),
        (json!({ "offset": 10 }), "ok", 10, ""),
        // Beyond the end, or of another program: the screen as it is.
        (json!({ "offset": 11 }), "snapshot", 10, ""),
        (json!({ "offset": 4, "generation": 2 }), "snapshot", 10, ""),
        (json!({}), "snapshot", 10, ""),
    ];
    let server = TestServer::start("stty -echo; printf 0123456789; read go; exit");
    server.shows("0123456789").await;
    let check = async |ws: &mut Ws, (place, status, offset, rest): &(Value, &str, u64, &str)| {
        let resume = ws.next_of_type("resume").await;
        assert_eq!((&resume["status"], &resume["offset"]), (&json!(status), &json!(offset)), "{place}");
        assert_eq!((&resume["generation"], &resume["cols"], &resume["rows"]), (&json!(1), &json!(80), &json!(24)));
        assert_eq!(resume["data"] == "", *status == "ok", "{place}");
        if !rest.is_empty() {
            assert_eq!(ws.next().await.output().unwrap(), (*offset, rest.as_bytes().to_vec()), "{place}");
        }
        ws.send(&json!({ "type": "ping" })).await;
        assert_eq!(ws.next().await.kind(), "pong", "{place}: nothing else");
    };
    let mut ws = Ws::greeted(&server.tcp, "?subscribe=output").await;
    for row in &rows {
        let mut message = row.0.clone();
        message["type"] = json!("resume");
        ws.send(&message).await;
        check(&mut ws, row).await;
        let query = coop_e2e::http::query(&row.0).replacen('?', "&", 1);
        let query = if query.is_empty() { "&snapshot=true".to_owned() } else { query };
        let mut joined = Ws::greeted(&server.tcp, &format!("?subscribe=output{query}")).await;
        check(&mut joined, row).await;
    }
    for row in &rows[..2] {
        ws.send(&json!({ "type": "replay", "offset": row.2 })).await;
        check(&mut ws, row).await;
    }
}

/// The log keeps 1 MiB; a client that does not read while 5 MB are printed cannot get all of it.
#[tokio::test]
async fn a_client_that_fell_behind_gets_a_repaint_and_a_whole_stream() {
    for query in ["?mode=raw", "?mode=raw&encoding=binary", "?mode=raw&offset=0"] {
        let server = TestServer::start(
            "stty -echo; printf ready; read go; i=0; while [ $i -lt 20 ]; do i=$((i+1)); \
             printf '\\033[3%dm\\033[%d;5H' $((i%8)) $i; seq $((i*40000)) $((i*40000+36000)); done; \
             printf '\\033[?1049h\\033[5;5Hin the alternate screen \\346\\274\\242\\033[?25l'",
        );
        server.shows("ready").await;
        let (mut ws, mut painter) = Ws::painted(&server.tcp, query).await;
        enter(&server).await;
        server.exited().await;
        assert!(server.session.status().output_end > 4_000_000);
        let (messages, _) = until_exit(&mut ws).await;
        messages.iter().for_each(|message| painter.take(message));
        assert!(painter.gaps > 0, "{query}: it was told");
        assert_eq!(painter.at, Some(server.session.status().output_end), "{query}");
        painter.assert_same(&server.tcp, query).await;
        // It comes back with where it was, long ago.
        let mut back = Ws::connect(&server.tcp, "?subscribe=output&offset=5").await;
        let resume = back.next_of_type("resume").await;
        assert_eq!(resume["status"], "gap");
        assert_eq!(resume["lost"].as_u64().unwrap(), resume["offset"].as_u64().unwrap() - 5);
    }
}

#[tokio::test]
async fn a_resize_is_told_and_a_repaint_fits() {
    let server = TestServer::start("stty -echo; printf '\\033[44mready\\033[K'; read go; printf done");
    server.shows("ready").await;
    let (mut ws, mut painter) = Ws::painted(&server.tcp, "?mode=raw&snapshot=true").await;
    for message in ws.until(|message| message.kind() == "resume").await {
        painter.take(&message);
    }
    painter.assert_same(&server.tcp, "before").await;
    ws.send(&json!({ "type": "resize", "cols": 100, "rows": 30 })).await;
    let resize = ws.next_of_type("resize").await;
    assert_eq!((&resize["cols"], &resize["rows"]), (&json!(100), &json!(30)));
    ws.send(&json!({ "type": "resume" })).await;
    enter(&server).await;
    for message in ws.until(|message| message.kind() == "exit").await {
        painter.take(&message);
    }
    painter.assert_same(&server.tcp, "after").await;
}
