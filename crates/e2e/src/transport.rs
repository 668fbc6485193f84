//! The same request over every transport, with replies and errors in one form.

use coop_api::v1::coop_client::CoopClient;
use coop_api::{ApiError, Code, Problem, catalog};
use serde_json::{Value, json};
use tonic::transport::Channel;

use crate::http::{Call, query};
use crate::{Address, TestServer, Ws, grpc};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Http,
    Ws,
    Grpc,
}

impl Transport {
    pub const ALL: [Self; 3] = [Self::Http, Self::Ws, Self::Grpc];
}

/// A request out of its fields: some are part of the path, and one may be the whole body.
fn call(entry: &catalog::Entry, mut fields: Value) -> Call {
    let mut path = entry.path.to_owned();
    if let Some((before, rest)) = entry.path.split_once('{') {
        let name = rest.trim_end_matches('}');
        let value = fields.as_object_mut().unwrap().remove(name).unwrap_or_default();
        path = format!("{before}{}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let age = fields["age_us"].as_u64();
    let body = entry.raw.map_or(&fields, |field| &fields[field]);
    let call = match entry.method {
        "get" => Call::get(format!("{path}{}", query(&fields))),
        "put" => Call::put(path, body),
        _ => Call::post(path, body),
    };
    age.into_iter().fold(call, |call, age| call.header(coop_api::hook::AGE_HEADER, age.to_string()))
}

fn shell(reply: &crate::http::Reply) -> Value {
    match reply.header(coop_api::hook::SHELL_HEADER) {
        "" => json!([]),
        list => serde_json::from_str(list).unwrap(),
    }
}

/// One client of each kind.
#[derive(Debug)]
pub struct Everywhere {
    http: Address,
    ws: Ws,
    grpc: CoopClient<Channel>,
}

impl Everywhere {
    /// HTTP and WebSocket over TCP, gRPC on its own port.
    pub async fn new(server: &TestServer) -> Self {
        Self {
            http: server.tcp.clone(),
            // Without streams: only replies come.
            ws: Ws::greeted(&server.tcp, "?mode=state").await,
            grpc: grpc::client(&server.grpc),
        }
    }

    /// All three over one listener.
    pub async fn at(address: &Address) -> Self {
        let ws = Ws::greeted(address, "?mode=state").await;
        Self { http: address.clone(), ws, grpc: grpc::client(address) }
    }

    /// Makes a request that is written as its WebSocket message. Whatever fails must fail in the transport's own way
    /// and with the same words in it.
    pub async fn ask(&mut self, transport: Transport, request: &Value) -> Result<Value, Problem> {
        match transport {
            Transport::Http => self.over_http(request).await,
            Transport::Ws => self.over_ws(request).await,
            Transport::Grpc => self.over_grpc(request).await,
        }
    }

    async fn over_http(&self, request: &Value) -> Result<Value, Problem> {
        let kind = request["type"].as_str().unwrap();
        let entry = catalog::REQUESTS.iter().find(|entry| entry.ws == kind).unwrap();
        let mut fields = request.clone();
        fields.as_object_mut().unwrap().remove("type");
        let reply = call(entry, fields).send(&self.http).await;
        match (reply.status, kind) {
            (204, "hook") => Ok(json!({ "body": null, "shell": shell(&reply) })),
            (200, "hook") => Ok(json!({ "body": reply.json(), "shell": shell(&reply) })),
            (200, "screen_text_request") => Ok(json!({ "text": reply.text() })),
            (200, "screen_svg_request") => Ok(json!({ "svg": reply.text() })),
            (200, _) => Ok(reply.json()),
            _ => Err(reply.problem()),
        }
    }

    async fn over_ws(&mut self, request: &Value) -> Result<Value, Problem> {
        let mut reply = self.ws.ask(request).await;
        match reply["type"].as_str().unwrap() {
            "reply" => {
                assert_eq!(reply["request"], request["type"]);
                Ok(reply["result"].take())
            }
            // Its answer moves the connection's place in the output too, so it has a type of its own.
            "resume" => {
                let fields = reply.as_object_mut().unwrap();
                fields.retain(|name, _| name != "type" && name != "id");
                Ok(reply)
            }
            "error" => {
                let code: Code = serde_json::from_value(reply["code"].take()).unwrap();
                let hint = reply["hint"].as_str().map(str::to_owned);
                let detail = reply["message"].as_str().unwrap();
                Err(ApiError { hint, ..ApiError::new(code, detail) }.problem())
            }
            other => panic!("a request was answered with {other}: {reply}"),
        }
    }

    async fn over_grpc(&mut self, request: &Value) -> Result<Value, Problem> {
        let request = serde_json::from_value(request.clone()).unwrap();
        grpc::ask(&mut self.grpc, request).await.map_err(|status| {
            let problem: Problem = serde_json::from_slice(status.details()).unwrap_or_else(|_| panic!("{status:?}"));
            assert_eq!((status.code(), status.message()), (problem.code.grpc(), problem.detail.as_str()));
            problem
        })
    }
}
