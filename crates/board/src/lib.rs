//! The board in the terminal: every agent of a person, who needs them first, and a way to answer.
//!
//! [`model`] is what is known and where the person is, [`update`] takes one event and says what is to be done, [`view`]
//! paints the model into cells. None of them has a clock, a file or a socket: time comes in, effects go out. [`run`] is
//! what holds the terminal and talks to the hub.

pub mod body;
pub mod editor;
pub mod event;
pub mod form;
pub mod keys;
pub mod layout;
pub mod model;
mod runner;
pub mod text;
pub mod update;
pub mod view;

pub use runner::{BoardError, Notify, Options, Ways, run};
