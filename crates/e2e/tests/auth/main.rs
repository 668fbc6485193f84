//! Who may connect: nobody without the token where there is one, and no page of somebody else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod browsers;
mod hooks;
mod tokens;
