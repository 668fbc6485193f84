//! The connection to a session, which may break and come back.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use coop_api::client::{Client, ClientError, Follow, Incoming, Socket};
use coop_api::ws::{Control, Request};

use crate::reconnect;

const GOODBYE_LIMIT: Duration = Duration::from_millis(500);

pub(super) struct Link {
    client: Client,
    state: State,
}

enum State {
    Up(Box<Socket>),
    Down(Pin<Box<dyn Future<Output = Result<Socket, ClientError>>>>),
}

/// What came over the connection, or became of it.
pub(super) enum Received {
    Message(Incoming),
    /// The other end closed it in order.
    Closed,
    Lost(ClientError),
    /// It was lost, and works again.
    Back,
    /// It was lost, and will not come back.
    Gone(ClientError),
}

impl Link {
    pub(super) fn new(client: Client, socket: Socket) -> Self {
        Self { client, state: State::Up(Box::new(socket)) }
    }

    pub(super) fn is_up(&self) -> bool {
        matches!(self.state, State::Up(_))
    }

    /// May be dropped while it waits.
    pub(super) async fn receive(&mut self) -> Received {
        match &mut self.state {
            State::Up(socket) => match socket.next().await {
                Ok(Some(message)) => Received::Message(message),
                Ok(None) => Received::Closed,
                Err(error) => Received::Lost(error),
            },
            State::Down(back) => match back.as_mut().await {
                Ok(socket) => {
                    self.state = State::Up(Box::new(socket));
                    Received::Back
                }
                Err(error) => Received::Gone(error),
            },
        }
    }

    /// Gives the connection up and begins to get another, which goes on as `follow` says.
    pub(super) fn get_back(&mut self, follow: Follow) {
        let client = self.client.clone();
        self.state = State::Down(Box::pin(async move { reconnect::connect(&client, &follow).await }));
    }

    /// Whether it could be sent.
    pub(super) async fn request(&mut self, id: u64, request: &Request) -> bool {
        match &mut self.state {
            State::Up(socket) => socket.request(id, request).await.is_ok(),
            State::Down(_) => false,
        }
    }

    pub(super) async fn ping(&mut self) -> bool {
        match &mut self.state {
            State::Up(socket) => socket.control(&Control::Ping).await.is_ok(),
            State::Down(_) => false,
        }
    }

    /// Says goodbye, which a network that is gone will not hear.
    pub(super) async fn close(self) {
        if let State::Up(socket) = self.state {
            drop(tokio::time::timeout(GOODBYE_LIMIT, socket.close()).await);
        }
    }
}
