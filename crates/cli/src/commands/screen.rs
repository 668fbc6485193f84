//! `coop screen`: what the program shows.

use clap::{Args, ValueEnum};
use coop_api::v1::get_screen_request::Format as WireFormat;
use coop_api::v1::{GetScreenRequest, GetScreenTextRequest};

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// Print the screen of a session
#[derive(Debug, Args)]
pub(crate) struct Screen {
    #[command(flatten)]
    target: NamedTarget,
    /// text, ansi (with colours), cells (styled runs, as JSON) or svg (a picture)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Lines of history to print above it
    #[arg(long, value_name = "LINES", default_value = "0")]
    scrollback: u32,
    /// Print the API's reply, with the cursor, the title and more
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Ansi,
    Cells,
    Svg,
}

impl Screen {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let format = match self.format {
            Format::Svg => return self.svg().await,
            Format::Text => WireFormat::Text,
            Format::Ansi => WireFormat::Ansi,
            Format::Cells => WireFormat::Cells,
        };
        let client = self.target.client()?;
        let scrollback = self.scrollback;
        if self.format == Format::Text && !self.json {
            return out::document(without_blank_end(&client.screen_text(&GetScreenTextRequest { scrollback }).await?));
        }
        let screen = client.screen(&GetScreenRequest { format: format.into(), cursor: None, scrollback }).await?;
        match self.format {
            // Escape sequences are what was asked for: coop writes them, from the cells of its own screen.
            Format::Ansi if !self.json => {
                out::write(format!("{}\n", without_blank_end(&screen.lines.join("\n"))).as_bytes())
            }
            _ => out::json(&screen),
        }
    }

    async fn svg(&self) -> Result<(), CommandError> {
        if self.json || self.scrollback > 0 {
            return Err(CommandError::usage("A picture is of the screen alone: without --json and --scrollback"));
        }
        out::document(&self.target.client()?.screen_svg().await?)
    }
}

/// A person wants to see the text, and not have it pushed out of their window by the empty rows below it.
fn without_blank_end(text: &str) -> &str {
    text.trim_end_matches('\n')
}
