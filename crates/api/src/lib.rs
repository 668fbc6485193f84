//! The words on the wire: requests, replies, events, errors, and a client
