//! Where domain types become wire types, and the other way round. The only such place.

pub mod agent;

use coop_core::event::{Event, Numbered, ProgressState};
use coop_core::status::{Lifecycle, Status};
use coop_terminal::log::Chunk;
use coop_terminal::{Color, CursorShape, Format, Lines, Span, Underline, View};

use crate::v1;
use crate::v1::event::Body;
use crate::v1::get_screen_request::Format as WireFormat;

#[must_use]
pub fn state(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Running => "running",
        Lifecycle::Stopping => "stopping",
        Lifecycle::Restarting => "restarting",
        Lifecycle::Exited(_) => "exited",
    }
}

/// The pid, while there is a process.
#[must_use]
pub fn pid(status: &Status) -> Option<i32> {
    status.exit().is_none().then(|| status.pid.cast_signed())
}

#[must_use]
pub fn format(format: WireFormat) -> Format {
    match format {
        WireFormat::Text => Format::Text,
        WireFormat::Ansi => Format::Ansi,
        WireFormat::Cells => Format::Cells,
    }
}

#[must_use]
pub fn screen(view: View, with_cursor: bool) -> v1::GetScreenResponse {
    let cursor = with_cursor.then(|| cursor(&view));
    let (lines, cells) = match view.lines {
        Lines::Text(lines) => (lines, Vec::new()),
        Lines::Cells(rows) => (Vec::new(), rows.into_iter().map(cell_line).collect()),
    };
    let total = lines.len().max(cells.len());
    v1::GetScreenResponse {
        scrollback: total.saturating_sub(usize::from(view.size.rows())) as u32,
        lines,
        cells,
        cols: view.size.cols().into(),
        rows: view.size.rows().into(),
        alt_screen: view.modes.alt_screen,
        cursor,
        sequence: view.seq,
        title: view.title,
        modes: Some(v1::TerminalModes {
            bracketed_paste: view.modes.bracketed_paste,
            mouse: view.modes.mouse,
            focus: view.modes.focus,
            app_cursor: view.modes.app_cursor,
            app_keypad: view.modes.app_keypad,
            kitty_keyboard: view.modes.kitty_keyboard.into(),
            synchronized: view.modes.synchronized,
        }),
    }
}

/// The part of a screen that streams carry.
#[must_use]
pub fn snapshot(screen: v1::GetScreenResponse) -> v1::ScreenSnapshot {
    v1::ScreenSnapshot {
        lines: screen.lines,
        cols: screen.cols,
        rows: screen.rows,
        alt_screen: screen.alt_screen,
        cursor: screen.cursor,
        sequence: screen.sequence,
        title: screen.title,
    }
}

#[must_use]
pub fn output(chunk: Chunk, generation: u64, total: u64, lost: u64) -> v1::GetOutputResponse {
    v1::GetOutputResponse {
        offset: chunk.offset,
        next_offset: chunk.end(),
        data: chunk.bytes,
        total_written: total,
        generation,
        lost,
    }
}

#[must_use]
pub fn event(numbered: Numbered) -> v1::Event {
    let body = match numbered.event {
        Event::Start { pid } => Body::Start(v1::StartEvent { pid: pid.cast_signed() }),
        Event::Resize { cols, rows } => Body::Resize(v1::ResizeEvent { cols: cols.into(), rows: rows.into() }),
        Event::Title { title } => Body::Title(v1::TitleEvent { title }),
        Event::Bell => Body::Bell(v1::BellEvent {}),
        Event::Cwd { url } => Body::Cwd(v1::CwdEvent { url }),
        Event::Notification { title, body } => Body::Notification(v1::NotificationEvent { title, body }),
        Event::Progress { state, percent } => {
            Body::Progress(v1::ProgressEvent { state: progress(state).into(), percent: percent.into() })
        }
        Event::ProgramStatus { state, app, kind, message } => {
            Body::ProgramStatus(v1::ProgramStatusEvent { state, app, kind, message })
        }
        Event::State { prev, next, seq, source, reason } => {
            Body::StateChange(agent::state_change(prev, &next, seq, source, reason))
        }
        Event::Prompt { prompt } => Body::Prompt(v1::PromptEvent { prompt: Some(agent::prompt(&prompt)) }),
        Event::PromptResolved { id, by, via } => {
            let via = via.map(|via| via.name().to_owned());
            Body::PromptResolved(v1::PromptResolvedEvent { prompt_id: id.0, by, via })
        }
        Event::Usage(spent) => Body::Usage(agent::usage_event(spent)),
        Event::Hook { event, tool } => Body::Hook(v1::HookEvent { event, tool }),
        Event::Transcript { number, lines, at_ms } => {
            Body::TranscriptSaved(v1::TranscriptSavedEvent { number, lines, at_ms })
        }
        Event::Stop { blocked, reason } => Body::Stop(v1::StopEvent { blocked, reason }),
        Event::Lifted { message, receipt, reason } => Body::Lifted(v1::LiftedEvent {
            message,
            delivered: receipt.is_some(),
            receipt: receipt.map(agent::receipt),
            reason,
        }),
        Event::Lease { holder } => Body::Lease(v1::LeaseEvent { holder }),
        Event::Shutdown { reason } => Body::Shutdown(v1::ShutdownEvent { reason }),
        Event::Exit(exit) => Body::Exit(v1::ExitEvent { code: exit.code(), signal: exit.signal() }),
    };
    v1::Event { seq: numbered.seq, generation: numbered.generation, body: Some(body) }
}

/// The name of an event: its `type` in JSON, and the event's name over SSE.
#[must_use]
pub fn event_name(body: &Body) -> &'static str {
    match body {
        Body::Start(_) => "start",
        Body::Resize(_) => "resize",
        Body::Title(_) => "title",
        Body::Bell(_) => "bell",
        Body::Cwd(_) => "cwd",
        Body::Notification(_) => "notification",
        Body::Progress(_) => "progress",
        Body::ProgramStatus(_) => "program_status",
        Body::Lease(_) => "lease",
        Body::Shutdown(_) => "shutdown",
        Body::Exit(_) => "exit",
        Body::Gap(_) => "gap",
        Body::StateChange(_) => "state_change",
        Body::Prompt(_) => "prompt",
        Body::PromptResolved(_) => "prompt_resolved",
        Body::Usage(_) => "usage",
        Body::Hook(_) => "hook",
        Body::TranscriptSaved(_) => "transcript:saved",
        Body::Stop(_) => "stop",
        Body::Lifted(_) => "lifted",
    }
}

fn progress(state: ProgressState) -> &'static str {
    match state {
        ProgressState::None => "none",
        ProgressState::Running => "running",
        ProgressState::Error => "error",
        ProgressState::Indeterminate => "indeterminate",
        ProgressState::Paused => "paused",
    }
}

fn cursor(view: &View) -> v1::CursorPosition {
    v1::CursorPosition {
        row: view.cursor.row.into(),
        col: view.cursor.col.into(),
        visible: view.cursor.visible,
        shape: match view.cursor.shape {
            CursorShape::Block => "block",
            CursorShape::Underline => "underline",
            CursorShape::Bar => "bar",
        }
        .into(),
    }
}

fn cell_line(spans: Vec<Span>) -> v1::CellLine {
    v1::CellLine { spans: spans.into_iter().map(cell_span).collect() }
}

fn cell_span(span: Span) -> v1::CellSpan {
    let style = span.style;
    v1::CellSpan {
        col: span.col.into(),
        width: span.width.into(),
        text: span.text,
        fg: color(style.fg),
        bg: color(style.bg),
        bold: style.bold,
        dim: style.dim,
        italic: style.italic,
        underline: underline(style.underline).map(str::to_owned),
        inverse: style.inverse,
        hidden: style.hidden,
        strikeout: style.strikeout,
        link: style.link.map(|link| link.uri),
    }
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Indexed(index) => Some(index.to_string()),
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
    }
}

fn underline(underline: Underline) -> Option<&'static str> {
    match underline {
        Underline::None => None,
        Underline::Single => Some("single"),
        Underline::Double => Some("double"),
        Underline::Curly => Some("curly"),
        Underline::Dotted => Some("dotted"),
        Underline::Dashed => Some("dashed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::{PromptId, Source, State};
    use coop_core::status::Exit;

    #[test]
    fn events_as_json() {
        let check = |event: Event, expected: serde_json::Value| {
            let wire = self::event(Numbered { seq: 3, generation: 1, event });
            let name = event_name(wire.body.as_ref().unwrap());
            let json = serde_json::to_value(&wire).unwrap();
            assert_eq!(json, expected);
            assert_eq!(json["type"], name);
            assert_eq!(serde_json::from_value::<v1::Event>(json).unwrap(), wire, "and back");
        };
        check(
            Event::Exit(Exit::Code(0)),
            serde_json::json!({"type": "exit", "code": 0, "signal": null, "seq": 3, "generation": 1}),
        );
        check(
            Event::Resize { cols: 80, rows: 24 },
            serde_json::json!({"type": "resize", "cols": 80, "rows": 24, "seq": 3, "generation": 1}),
        );
        check(Event::Bell, serde_json::json!({"type": "bell", "seq": 3, "generation": 1}));
        check(
            Event::PromptResolved { id: PromptId("p1".into()), by: "terminal".into(), via: None },
            serde_json::json!({
                "type": "prompt_resolved", "prompt_id": "p1", "by": "terminal", "via": null, "seq": 3, "generation": 1
            }),
        );
        check(
            Event::Hook { event: "Stop".into(), tool: None },
            serde_json::json!({"type": "hook", "event": "Stop", "tool": null, "seq": 3, "generation": 1}),
        );
        check(
            Event::Stop { blocked: true, reason: Some("not yet".into()) },
            serde_json::json!({"type": "stop", "blocked": true, "reason": "not yet", "seq": 3, "generation": 1}),
        );
        check(
            Event::Transcript { number: 2, lines: 40, at_ms: 7 },
            serde_json::json!({
                "type": "transcript:saved", "number": 2, "lines": 40, "at_ms": 7, "seq": 3, "generation": 1
            }),
        );
        check(
            Event::State {
                prev: "working",
                next: Box::new(State::Idle),
                seq: 9,
                source: Some(Source::Hook),
                reason: "the turn ended".into(),
            },
            serde_json::json!({
                "type": "state_change", "prev": "working", "next": "idle", "prompt": null, "source": "hook",
                "reason": "the turn ended", "state_seq": 9, "error": null, "parked": null, "seq": 3, "generation": 1
            }),
        );
    }
}
