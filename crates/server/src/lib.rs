//! HTTP, WebSocket and gRPC: translate, and nothing else
