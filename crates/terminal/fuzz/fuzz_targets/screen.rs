//! Any bytes, in any pieces, at any size: no panic, and a repaint that shows the same.
//!
//! `cargo +nightly fuzz run screen` in `crates/terminal`. The same program runs for a short while in `tests/fuzz.rs`.
#![no_main]

#[path = "../../tests/program/mod.rs"]
mod program;

libfuzzer_sys::fuzz_target!(|data: &[u8]| program::run(data));
