//! Numbers about the session in the text format of Prometheus.

use std::sync::atomic::Ordering;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::app::App;

/// Made for each scrape from what is known anyway, so that nothing is counted twice.
pub(crate) fn text(app: &App) -> String {
    let status = app.session.status();
    let mut registry = Registry::with_prefix("coop");
    let mut counter = |name, help, value: u64| registry.register(name, help, ConstCounter::new(value));
    counter("output_bytes", "Bytes the program has printed", status.output_end);
    counter("input_bytes", "Bytes typed into the program", status.bytes_written);
    counter("screen_changes", "Changes of the screen", status.screen_seq);
    counter("events", "Events that happened", status.event_seq);
    counter("requests", "Requests handled", app.requests.load(Ordering::Relaxed) as u64);
    let mut gauge = |name, help, value: i64| registry.register(name, help, ConstGauge::new(value));
    gauge("running", "1 while the program runs", i64::from(status.exit().is_none()));
    gauge("ws_clients", "WebSocket clients", app.ws_clients().into());
    gauge("uptime_seconds", "Seconds since the session was started", app.uptime_secs());
    let mut out = String::new();
    // Writing to a string cannot fail.
    if encode(&mut out, &registry).is_err() {
        out.clear();
    }
    out
}
