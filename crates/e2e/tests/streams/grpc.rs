//! The streams of gRPC.

use coop_api::v1::event::Body;
use coop_api::v1::{self, OutputChunk, StreamEventsRequest, StreamOutputRequest, StreamScreenRequest};
use coop_e2e::{Painter, TestServer, grpc, in_time};
use coop_terminal::Size;
use tonic::Streaming;

use crate::enter;

async fn next<T>(stream: &mut Streaming<T>) -> T {
    in_time("the next message", stream.message()).await.unwrap().expect("the stream goes on")
}

fn paint(painter: &mut Painter, chunk: &OutputChunk) {
    match &chunk.resume {
        Some(at) => painter.resume(&at.status, Size::new(at.cols, at.rows).unwrap(), at.offset, &at.data),
        None => painter.output(chunk.offset, &chunk.data),
    }
}

#[tokio::test]
async fn output_from_an_offset_with_the_screen_or_from_now() {
    let from = |offset| StreamOutputRequest { from_offset: Some(offset), ..Default::default() };
    let screen = StreamOutputRequest { snapshot: true, ..Default::default() };
    let of_another = StreamOutputRequest { generation: Some(9), ..from(2) };
    let now = StreamOutputRequest::default();
    let rows: [(StreamOutputRequest, Option<&str>, u64, &str); 6] = [
        (from(0), Some("ok"), 0, "0123456789more"),
        (from(4), Some("ok"), 4, "456789more"),
        (screen, Some("snapshot"), 10, "more"),
        (of_another, Some("snapshot"), 10, "more"),
        (from(99), Some("snapshot"), 10, "more"),
        (now, None, 10, "more"),
    ];
    let server = TestServer::start("stty -echo; printf 0123456789; read go; printf more; read end");
    server.shows("0123456789").await;
    let mut streams = Vec::new();
    for (request, ..) in &rows {
        streams.push(grpc::client(&server.grpc).stream_output(*request).await.unwrap().into_inner());
    }
    enter(&server).await;
    for ((request, status, offset, text), stream) in rows.iter().zip(&mut streams) {
        if let Some(status) = status {
            let first = next(stream).await;
            let resume = first.resume.unwrap();
            assert_eq!((resume.status.as_str(), resume.offset, first.data.len()), (*status, *offset, 0), "{request:?}");
        }
        let mut output = Vec::new();
        while output.len() < text.len() {
            let chunk = next(stream).await;
            assert_eq!((chunk.offset, chunk.generation), (offset + output.len() as u64, 1), "{request:?}");
            output.extend(chunk.data);
        }
        assert_eq!(String::from_utf8(output).unwrap(), *text, "{request:?}");
    }
}

#[tokio::test]
async fn a_reader_that_fell_behind_gets_a_repaint() {
    let server = TestServer::start("stty -echo; printf ready; read go; seq 1 700000; printf '\\033[44mEND'");
    server.shows("ready").await;
    let mut stream =
        grpc::client(&server.grpc).stream_output(StreamOutputRequest::default()).await.unwrap().into_inner();
    enter(&server).await;
    server.exited().await;
    let mut painter = Painter::default();
    let end = server.session.status().output_end;
    while painter.at != Some(end) {
        paint(&mut painter, &next(&mut stream).await);
    }
    assert!(painter.gaps > 0, "it was told");
    painter.assert_same(&server.tcp, "gRPC").await;
}

#[tokio::test]
async fn screens_as_they_change() {
    let server = TestServer::start("stty -echo; printf ready; while read line; do printf \" $line\"; done");
    server.shows("ready").await;
    let mut screens = grpc::client(&server.grpc).stream_screen(StreamScreenRequest {}).await.unwrap().into_inner();
    let first = next(&mut screens).await;
    assert_eq!((first.lines[0].as_str(), first.cols, first.rows, first.alt_screen), ("ready", 80, 24, false));
    let mut sequence = first.sequence;
    for text in ["ready one", "ready one two"] {
        crate::type_line(&server, text.rsplit(' ').next().unwrap()).await;
        loop {
            let screen = next(&mut screens).await;
            assert!(screen.sequence > sequence, "only changes are sent");
            sequence = screen.sequence;
            if screen.lines[0] == text {
                break;
            }
        }
    }
}

fn kind(event: &v1::Event) -> &'static str {
    coop_api::convert::event_name(event.body.as_ref().unwrap())
}

#[tokio::test]
async fn events_since_one_that_was_seen() {
    const SCRIPT: &str = "for i in 1 2 3 4 5; do printf '\\033]0;%d\\007' $i; done; exit 3";
    for (since, limit, expected) in [
        (Some(0), 100, "start 1, title 2, title 3, title 4, title 5, title 6, exit 7"),
        (Some(4), 100, "title 5, title 6, exit 7"),
        (Some(6), 100, "exit 7"),
        (Some(0), 3, "gap 4, title 5, title 6, exit 7"),
        // Of a session that is gone: nothing of this one was seen.
        (Some(99), 100, "start 1, title 2, title 3, title 4, title 5, title 6, exit 7"),
        (Some(u64::MAX), 100, "start 1, title 2, title 3, title 4, title 5, title 6, exit 7"),
        (None, 100, "exit 7"),
    ] {
        let server = TestServer::with(SCRIPT, |setup| setup.session.event_limit = limit);
        server.exited().await;
        let mut client = grpc::client(&server.grpc);
        let mut events = client.stream_events(StreamEventsRequest { since }).await.unwrap().into_inner();
        let mut seen = Vec::new();
        while seen.last().is_none_or(|event| kind(event) != "exit") {
            seen.push(next(&mut events).await);
        }
        let told: Vec<_> = seen.iter().map(|event| format!("{} {}", kind(event), event.seq)).collect();
        assert_eq!(told.join(", "), expected, "since {since:?}, {limit} kept");
        if limit == 3 {
            assert_eq!(seen[0].body, Some(Body::Gap(v1::GapEvent { lost: 4 })));
        }
    }
}
