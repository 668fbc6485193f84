//! A client that never reads costs nobody else anything.

use coop_e2e::http::Call;
use coop_e2e::{Sse, TestServer, Ws, grpc};
use serde_json::json;

use crate::{enter, type_line};

#[tokio::test]
async fn a_client_that_never_reads_holds_up_nobody() {
    let server = TestServer::start(
        "stty -echo; printf ready; read go; seq 1 700000; printf 'enough\\n'; read name; printf \"hello $name\"; read end",
    );
    server.shows("ready").await;
    let mut deaf = Vec::new();
    for query in ["", "?mode=raw&encoding=binary", "?mode=screen", "?snapshot=true&offset=0"] {
        deaf.push(Ws::connect(&server.tcp, query).await);
        deaf.push(Ws::connect(&server.unix, query).await);
    }
    let deaf_events = Sse::open(&server.tcp, "?since=0", &[]).await;
    let request = coop_api::v1::StreamOutputRequest { from_offset: Some(0), ..Default::default() };
    let deaf_stream = grpc::client(&server.grpc).stream_output(request).await.unwrap();

    let (mut ws, mut painter) = Ws::painted(&server.tcp, "?mode=raw").await;
    enter(&server).await;
    server.shows("enough").await;
    let end = server.session.status().output_end;
    while painter.at != Some(end) {
        painter.take(&ws.next().await);
    }
    painter.assert_same(&server.tcp, "a reader among them").await;
    type_line(&server, "Ada").await;
    server.shows("hello Ada").await;

    let reply = Call::post("/api/v1/shutdown", &json!({})).send(&server.tcp).await;
    assert_eq!(reply.status, 200);
    server.exited().await;
    server.stop().await;
    drop((deaf, deaf_events, deaf_stream));
}

/// As when the machine goes down: the server is told to stop while the program runs and clients are connected.
#[tokio::test]
async fn the_server_stops_while_everybody_listens() {
    let server = TestServer::start("stty -echo; printf ready; while read line; do printf \"<$line>\"; done");
    server.shows("ready").await;
    let mut ws = Ws::greeted(&server.tcp, "").await;
    let events = Sse::open(&server.tcp, "", &[]).await;
    let mut client = grpc::client(&server.grpc);
    let mut screens = client.stream_screen(coop_api::v1::StreamScreenRequest {}).await.unwrap().into_inner();
    type_line(&server, "last").await;
    server.shows("<last>").await;
    // The product ends the program first.
    server.session.shutdown("going down").await.unwrap();
    server.exited().await;
    let read = async {
        assert_eq!(ws.next_of_type("shutdown").await["reason"], "going down");
        ws.next_of_type("exit").await;
        assert_eq!(ws.until_closed().await.0, 1001);
        let names: Vec<_> = events.rest().await.into_iter().map(|message| message.event).collect();
        assert_eq!(names, ["shutdown", "exit"]);
        let mut last = None;
        while let Some(screen) = screens.message().await.unwrap() {
            last = Some(screen);
        }
        assert!(last.is_some_and(|screen| screen.lines[0].contains("<last>")), "the last screen came");
    };
    tokio::join!(server.stop(), read);
}
