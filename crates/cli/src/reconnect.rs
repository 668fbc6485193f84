//! Getting a broken connection back.

use std::io::ErrorKind;
use std::time::Duration;

use coop_api::client::{Client, ClientError, Endpoint, Follow, Socket};
use tokio::time::Instant;

const FIRST_DELAY: Duration = Duration::from_millis(100);
/// A person who waits for a network looks again about this often.
const LONGEST_DELAY: Duration = Duration::from_secs(5);
/// A proxy or a tunnel that restarts is back by then.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

/// Connects again, with growing pauses, until it works or cannot any more. May be dropped while it waits.
pub(crate) async fn connect(client: &Client, follow: &Follow) -> Result<Socket, ClientError> {
    let since = Instant::now();
    let mut delay = FIRST_DELAY;
    loop {
        match client.connect(follow).await {
            Err(error) if !is_final(&error) && since.elapsed() < GIVE_UP_AFTER => {
                tokio::time::sleep(delay).await;
                delay = (delay * 2).min(LONGEST_DELAY);
            }
            result => return result,
        }
    }
}

/// Whether trying again is pointless: a refusal stays one, and behind a socket file without a listener there was a coop
/// that took its program with it.
fn is_final(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { endpoint: Endpoint::Unix(_), error } => {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
        }
        ClientError::Unreachable { .. } => false,
        ClientError::Api(_) | ClientError::Protocol(_) => true,
    }
}
