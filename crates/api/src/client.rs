//! A client.
