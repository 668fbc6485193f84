//! One set of requests on every transport: the same names everywhere, the same replies, the same errors.
//!
//! A new request begins in `crates/api`. This test then says where it is missing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod declared;
mod errors;
mod replies;
