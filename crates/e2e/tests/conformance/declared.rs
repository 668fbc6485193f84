//! What the catalogue, the OpenAPI document, the proto file and the WebSocket messages say, without a server.

use std::collections::BTreeSet;

use coop_api::catalog::{HTTP_ONLY, REQUESTS, STREAMS, WS_ONLY};
use coop_api::ws::{ClientBody, ClientMessage};
use coop_api::{Code, v1};
use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto};
use serde_json::{Value, json};

type Names = BTreeSet<String>;

fn names<T: ToString>(all: impl IntoIterator<Item = T>) -> Names {
    all.into_iter().map(|name| name.to_string()).collect()
}

/// Both sides must name the same things.
fn check(what: &str, (left, mine): (&str, Names), (right, theirs): (&str, Names)) {
    let missing = |from: &str, other: &str, names: Vec<&String>| match names.is_empty() {
        true => String::new(),
        false => format!("\n  {from} does not have {names:?}, which {other} has"),
    };
    let lacks_left = missing(left, right, theirs.difference(&mine).collect());
    let lacks_right = missing(right, left, mine.difference(&theirs).collect());
    assert!(mine == theirs, "{what}:{lacks_left}{lacks_right}");
}

fn openapi() -> Value {
    serde_json::to_value(coop_server::openapi()).unwrap()
}

/// The files of the package as one.
fn proto() -> FileDescriptorProto {
    let set = FileDescriptorSet::decode(v1::DESCRIPTORS).unwrap();
    let files = set.file.into_iter().filter(|file| file.package() == "coop.v1");
    files
        .reduce(|mut all, file| {
            all.message_type.extend(file.message_type);
            all.service.extend(file.service);
            all
        })
        .unwrap()
}

fn methods() -> Vec<MethodDescriptorProto> {
    proto().service.into_iter().flat_map(|service| service.method).collect()
}

fn rpc(name: &str) -> MethodDescriptorProto {
    methods().into_iter().find(|method| method.name() == name).unwrap_or_else(|| panic!("the proto file lacks {name}"))
}

/// `.coop.v1.Name` without what is before the name.
fn last(path: &str) -> &str {
    path.rsplit(['.', '/']).next().unwrap_or_default()
}

/// The `type` constants of a tagged union in the document.
fn tags(document: &Value, schema: &str) -> Names {
    let variants = document["components"]["schemas"][schema]["oneOf"].as_array().unwrap().clone();
    let of_variant = |variant: &Value| {
        let parts = variant["allOf"].as_array().cloned().unwrap_or_else(|| vec![variant.clone()]);
        parts.iter().find_map(|part| part["properties"]["type"]["enum"][0].as_str().map(str::to_owned)).unwrap()
    };
    variants.iter().map(of_variant).collect()
}

#[test]
fn the_document_has_the_paths_of_the_catalogue() {
    let document = openapi();
    let paths = document["paths"].as_object().unwrap();
    let declared = paths.iter().flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys().filter(|key| *key != "parameters");
        methods.map(move |method| format!("{method} {path}"))
    });
    let requests = REQUESTS.iter().map(|entry| format!("{} {}", entry.method, entry.path));
    let streams = STREAMS.iter().filter_map(|stream| stream.sse).map(|path| format!("get {path}"));
    let others = HTTP_ONLY.iter().map(|path| format!("get {path}"));
    let catalogue = names(requests.chain(streams).chain(others));
    check("HTTP", ("the OpenAPI document", names(declared)), ("the catalogue", catalogue));
}

#[test]
fn the_proto_file_has_the_calls_of_the_catalogue() {
    let streaming = |wanted: bool| methods().into_iter().filter(move |method| method.server_streaming() == wanted);
    let of = |wanted| names(streaming(wanted).map(|method| method.name().to_owned()));
    let requests = names(REQUESTS.iter().map(|entry| entry.rpc));
    check("calls", ("the proto file", of(false)), ("the catalogue", requests));
    let streams = names(STREAMS.iter().map(|stream| stream.rpc));
    check("streams", ("the proto file", of(true)), ("the catalogue", streams));
}

#[test]
fn the_websocket_has_the_messages_of_the_catalogue() {
    let document = openapi();
    let requests = || names(REQUESTS.iter().map(|entry| entry.ws));
    check("requests", ("the schema `Request`", tags(&document, "Request")), ("the catalogue", requests()));
    let control = tags(&document, "Control");
    check("control messages", ("the schema `Control`", control), ("the catalogue", names(WS_ONLY)));
    let topics = document["components"]["schemas"]["Topic"]["enum"].as_array().unwrap().clone();
    let topics = names(topics.iter().map(|topic| topic.as_str().unwrap()));
    let streams = names(STREAMS.iter().map(|stream| stream.ws));
    check("streams", ("the schema `Topic`", topics), ("the catalogue", streams));
}

#[test]
fn what_is_in_the_catalogue_is_understood_and_nothing_else() {
    let parse = |message: Value| ClientMessage::parse(&message.to_string()).map(|message| message.body);
    for entry in REQUESTS {
        let Ok(ClientBody::Request(request)) = parse(json!({ "type": entry.ws })) else {
            panic!("`{}` is not understood as a request", entry.ws);
        };
        assert_eq!(serde_json::to_value(request).unwrap()["type"], entry.ws);
    }
    for kind in WS_ONLY {
        let fields = json!({ "auth": { "token": "t" }, "subscribe": { "streams": [] }, "replay": { "offset": 0 } });
        let mut message = fields.get(kind).cloned().unwrap_or_else(|| json!({}));
        message["type"] = json!(kind);
        assert!(matches!(parse(message), Ok(ClientBody::Control(_))), "`{kind}` is not understood");
    }
    // The refusal of a message of no known type lists what there is.
    let (_, error) = ClientMessage::parse(r#"{"type":"?"}"#).unwrap_err();
    let understood = names(error.detail.split('`').skip(1).step_by(2).filter(|name| *name != "?"));
    let requests = names(REQUESTS.iter().map(|entry| entry.ws));
    check("requests", ("the parser", understood), ("the catalogue", requests));
}

/// Where a message of the proto file has a schema in the document, both have the same fields.
#[test]
fn messages_have_the_same_fields_everywhere() {
    let document = openapi();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let fields = |message: &DescriptorProto| names(message.field.iter().map(|field| field.name().to_owned()));
    for message in proto().message_type {
        // An event is one of many; its kinds are compared below.
        let Some(schema) = schemas.get(message.name()).filter(|_| message.oneof_decl.iter().all(is_optional)) else {
            continue;
        };
        let properties = schema["properties"].as_object();
        let properties = names(properties.into_iter().flat_map(serde_json::Map::keys));
        check(message.name(), ("the schema", properties), ("the proto file", fields(&message)));
    }
}

/// The compiler writes `optional` as a choice of one.
fn is_optional(choice: &prost_types::OneofDescriptorProto) -> bool {
    choice.name().starts_with('_')
}

#[test]
fn events_have_the_same_kinds_everywhere() {
    let event = proto().message_type.into_iter().find(|message| message.name() == "Event").unwrap();
    let kinds = event.field.iter().filter(|field| field.oneof_index.is_some()).map(|field| field.name().to_owned());
    // No field of a proto file has a colon in its name.
    let tags = tags(&openapi(), "Body").iter().map(|tag| tag.replace(':', "_")).collect();
    check("events", ("the schema `Body`", tags), ("the proto file", names(kinds)));
}

/// The document describes each request with the messages that gRPC uses for it.
#[test]
fn paths_take_and_give_the_messages_of_their_calls() {
    let document = openapi();
    for entry in REQUESTS {
        let operation = &document["paths"][entry.path][entry.method];
        let method = rpc(entry.rpc);
        let given = &operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
        // Text and pictures have no JSON.
        if let Some(schema) = given.as_str() {
            assert_eq!(last(schema), last(method.output_type()), "{}", entry.path);
        }
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let mut parameters = names(parameters.iter().map(|parameter| parameter["name"].as_str().unwrap().to_owned()));
        if entry.method != "get" && entry.raw.is_none() {
            let taken = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            assert_eq!(last(taken.as_str().unwrap_or_default()), last(method.input_type()), "{}", entry.path);
            continue;
        }
        if let Some(body) = entry.raw {
            assert!(operation["requestBody"]["content"]["application/json"].is_object(), "{}", entry.path);
            let field = |name: &String| name.to_lowercase().trim_start_matches("x-coop-").replace('-', "_");
            parameters = parameters.iter().map(field).chain([body.to_owned()]).collect();
        }
        let message = last(method.input_type()).to_owned();
        let message = proto().message_type.into_iter().find(|known| known.name() == message).unwrap();
        let fields = names(message.field.iter().map(|field| field.name().to_owned()));
        check(entry.path, ("the OpenAPI document", parameters), ("the proto file", fields));
    }
}

#[test]
fn failures_are_described_as_they_are_sent() {
    let document = openapi();
    for entry in REQUESTS {
        let described = &document["paths"][entry.path][entry.method]["responses"]["default"]["content"];
        let kinds = names(described.as_object().unwrap().keys());
        check(entry.path, ("the OpenAPI document", kinds), ("RFC 9457", names(["application/problem+json"])));
    }
    let codes = document["components"]["schemas"]["Code"]["enum"].as_array().unwrap().clone();
    let codes = names(codes.iter().map(|code| code.as_str().unwrap()));
    check("codes", ("the schema `Code`", codes), ("the code", names(Code::ALL.map(Code::name))));
}

/// A token is asked for where one is needed, so that a generated client sends it.
#[test]
fn the_document_says_that_a_token_may_be_needed() {
    let document = openapi();
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert!(document["security"].as_array().is_some_and(|ways| ways.contains(&json!({ "token": [] }))));
}

/// The page for people: the table of codes, and the names of the messages.
#[test]
fn the_protocol_page_keeps_up() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = |code: Code| format!("`{}` {} {}", code.name(), code.http(), screaming(&format!("{:?}", code.grpc())));
    let cells = |line: &str| line.split('|').skip(1).take(3).map(str::trim).collect::<Vec<_>>().join(" ");
    let rows = page.lines().filter(|line| line.starts_with("| `")).map(cells);
    check("codes", ("docs/protocol.md", names(rows)), ("the code", names(Code::ALL.map(row))));
    let listed = page.split("The names:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let listed = names(listed.split('`').skip(1).step_by(2));
    let known = names(REQUESTS.iter().map(|entry| entry.ws).chain(WS_ONLY.iter().copied()));
    check("messages", ("docs/protocol.md", listed), ("the catalogue", known));
}

/// `NotFound` as `NOT_FOUND`.
fn screaming(name: &str) -> String {
    let word_starts = |(at, c): (usize, char)| if at > 0 && c.is_uppercase() { vec!['_', c] } else { vec![c] };
    name.chars().enumerate().flat_map(word_starts).collect::<String>().to_uppercase()
}
