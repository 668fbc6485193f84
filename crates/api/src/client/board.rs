//! The hub's board as it changes: its events over a WebSocket.

use futures_util::StreamExt as _;
use hyper::header::{AUTHORIZATION, HeaderValue};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::endpoint::Io;
use super::http::query;
use super::socket::{closed, explain};
use super::{Client, ClientError, Endpoint, Result};
use crate::hub::Told;

/// What happens at a hub, as it happens.
pub struct Changes {
    stream: WebSocketStream<Box<dyn Io>>,
    endpoint: Endpoint,
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Client {
    /// Follows the board from now on, or from after the event with the id `last`: then it is told whether that can be.
    pub async fn hub_changes(&self, last: Option<&str>) -> Result<Changes> {
        let stream = self.endpoint.connect().await?;
        let query = query(&serde_json::json!({ "last_event_id": last }));
        let url = format!("ws://{}/ws{query}", self.endpoint.authority());
        let mut request = url.into_client_request().map_err(|error| ClientError::Protocol(error.to_string()))?;
        if let Some(token) = &self.token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let value = value.map_err(|_| ClientError::Protocol("the token has a character none may have".into()))?;
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let (stream, _) = client_async(request, stream).await.map_err(|error| explain(&self.endpoint, error))?;
        Ok(Changes { stream, endpoint: self.endpoint.clone() })
    }
}

impl Changes {
    /// The next one; none when the hub has closed the connection in order. Can be dropped while it waits.
    pub async fn next(&mut self) -> Result<Option<Told>> {
        loop {
            match self.stream.next().await {
                None => return Ok(None),
                Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                    Ok(told) => return Ok(Some(told)),
                    Err(error) => {
                        return Err(ClientError::Protocol(format!("a message was unreadable: {error}")));
                    }
                },
                Some(Ok(Message::Close(frame))) => return closed(frame).map(|()| None),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(explain(&self.endpoint, error)),
            }
        }
    }
}
