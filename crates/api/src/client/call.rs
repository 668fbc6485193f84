//! Calling a hub, to be called back by it.

use hyper::header::{CONNECTION, HeaderValue, UPGRADE};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::http::{REQUEST_LIMIT, broken_connection, refusal};
use super::{Client, ClientError, Result};
use crate::host::{PATH, PROTOCOL, Registration};

impl Client {
    /// Registers with a hub. What comes back is the connection, on which the hub is the client now.
    pub async fn register(
        &self,
        registration: &Registration,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>> {
        self.in_time(REQUEST_LIMIT, async {
            let mut request = self.build(Method::POST, PATH, registration)?;
            request.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
            request.headers_mut().insert(UPGRADE, HeaderValue::from_static(PROTOCOL));
            let stream = self.endpoint.connect().await?;
            let broken = |error: hyper::Error| self.endpoint.unreachable(broken_connection(&error));
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
            // Ends when the connection is handed on. What goes wrong in it is seen by the request.
            tokio::spawn(connection.with_upgrades());
            let response = sender.send_request(request).await.map_err(broken)?;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                return Ok(TokioIo::new(hyper::upgrade::on(response).await.map_err(broken)?));
            }
            let (status, body) = super::http::read(response).await?;
            if status.is_success() {
                return Err(ClientError::Protocol(format!("{PATH} answered {status}")));
            }
            Err(refusal(PATH, status, &body))
        })
        .await
    }
}
