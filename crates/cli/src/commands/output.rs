//! `coop output`: what the program printed, byte by byte.

use clap::Args;
use coop_api::client::{Client, ClientError, Follow, Incoming, Place, Socket};
use coop_api::v1::GetOutputRequest;
use coop_api::v1::event::Body;
use coop_api::ws::{ServerMessage, Tagged, Topic};

use crate::sessions::NamedTarget;
use crate::{CommandError, out, reconnect};

/// Print the raw output of a session
#[derive(Debug, Args)]
pub(crate) struct Output {
    #[command(flatten)]
    target: NamedTarget,
    /// Go on printing until the program exits
    #[arg(long, short)]
    follow: bool,
    /// Where to begin [default: the oldest output that is kept]
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
}

impl Output {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        if self.follow { follow(&client, self.offset).await } else { kept(&client, self.offset).await }
    }
}

/// All there is now.
async fn kept(client: &Client, offset: Option<u64>) -> Result<(), CommandError> {
    let mut request = GetOutputRequest { offset, limit: Some(1 << 20), generation: None };
    // Of a program that prints faster than we read, only what it had printed when we came.
    let mut end = None;
    loop {
        let page = client.output(&request).await?;
        report_loss(page.lost);
        out::write(&page.data)?;
        let end = *end.get_or_insert(page.total_written);
        if page.next_offset >= end || page.data.is_empty() {
            return Ok(());
        }
        request.offset = Some(page.next_offset);
        request.generation = Some(page.generation);
    }
}

async fn follow(client: &Client, offset: Option<u64>) -> Result<(), CommandError> {
    let status = client.status().await?;
    let mut reader = Reader {
        place: Place { generation: status.generation, offset: offset.unwrap_or(status.output_start) },
        end: None,
    };
    let mut socket = client.connect(&reader.wanted()).await?;
    // Had it exited before we followed, nobody would tell us.
    let status = client.status().await?;
    reader.end = (status.state == "exited").then_some(status.bytes_read);
    while !reader.is_done() {
        match reader.next(&mut socket).await {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Interruption::Connection(ClientError::Unreachable { .. })) => {
                socket = reconnect::connect(client, &reader.wanted()).await?;
            }
            Err(Interruption::Connection(error)) => return Err(error.into()),
            Err(Interruption::Output(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Where we are in the output.
struct Reader {
    place: Place,
    /// Where it ends, once that is known.
    end: Option<u64>,
}

enum Interruption {
    Connection(ClientError),
    Output(CommandError),
}

impl Reader {
    fn wanted(&self) -> Follow {
        Follow { topics: vec![Topic::Output, Topic::State], from: Some(self.place), snapshot: false }
    }

    fn is_done(&self) -> bool {
        self.end.is_some_and(|end| self.place.offset >= end)
    }

    /// Prints the next piece. False when there will be no more.
    async fn next(&mut self, socket: &mut Socket) -> Result<bool, Interruption> {
        let message = match socket.next().await.map_err(Interruption::Connection)? {
            None => return Ok(false),
            Some(Incoming::Output { offset, bytes }) => {
                out::write(&bytes).map_err(Interruption::Output)?;
                self.place.offset = offset + bytes.len() as u64;
                return Ok(true);
            }
            Some(Incoming::Message(message)) => message,
        };
        match *message {
            // The screen it carries is for those who paint.
            ServerMessage::Tagged(Tagged::Resume { resume, .. }) => {
                report_loss(resume.lost);
                self.place = Place { generation: resume.generation, offset: resume.offset };
            }
            ServerMessage::Event(event) if matches!(event.body, Some(Body::Exit(_))) => return Ok(false),
            _ => {}
        }
        Ok(true)
    }
}

fn report_loss(bytes: u64) {
    if bytes > 0 {
        out::complain(&format!("coop: {bytes} bytes of output are no longer kept and were left out.\n"));
    }
}
