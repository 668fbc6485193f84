//! The board in a real terminal: coop in a tmux of its own, pressed and looked at as a person would.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod agents;
mod fleet;
mod jump;
mod keys;
mod pane;
mod rough;
mod told;
