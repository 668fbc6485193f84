//! One HTTP request and its whole reply.

use bytes::Bytes;
use coop_api::Problem;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;

use crate::{Address, in_time};

#[derive(Clone, Debug)]
pub struct Call {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Call {
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: Bytes::new() }
    }

    pub fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path)
    }

    pub fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new("POST", path).body(body.to_string())
    }

    pub fn put(path: impl Into<String>, body: &Value) -> Self {
        Self::new("PUT", path).body(body.to_string())
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// A `Host` given here replaces the usual one.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_lowercase(), value.into()));
        self
    }

    #[must_use]
    pub fn token(self, token: Option<&str>) -> Self {
        match token {
            Some(token) => self.header(AUTHORIZATION.as_str(), format!("Bearer {token}")),
            None => self,
        }
    }

    pub async fn send(self, to: &Address) -> Reply {
        let what = format!("{} {}", self.method, self.path);
        in_time(&what, async {
            let response = self.begin(to).await;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            Reply { status: parts.status.as_u16(), headers: parts.headers, body }
        })
        .await
    }

    /// For replies that do not end.
    pub async fn begin(self, to: &Address) -> Response<Incoming> {
        let stream = to.connect().await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = Request::builder().method(self.method).uri(self.path);
        if !self.headers.iter().any(|(name, _)| name == HOST.as_str()) {
            request = request.header(HOST, to.host());
        }
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        sender.send_request(request.body(Full::new(self.body)).unwrap()).await.unwrap()
    }
}

impl Reply {
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    /// The body of a request that went well.
    #[must_use]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Why it failed. The status, the content type and the body must agree.
    #[must_use]
    pub fn problem(&self) -> Problem {
        assert_eq!(self.header(CONTENT_TYPE.as_str()), "application/problem+json", "{}", self.text());
        let problem: Problem = serde_json::from_slice(&self.body).unwrap();
        assert_eq!((self.status, problem.status), (problem.code.http(), problem.code.http()), "{problem:?}");
        problem
    }
}

/// The fields of a flat message as a query, without those that have no value.
#[must_use]
pub fn query(message: &Value) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = message.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let pairs: Vec<String> = fields.map(|(name, value)| format!("{name}={}", plain(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}
