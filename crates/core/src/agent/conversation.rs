//! What was said and done, in one form for all agents.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Line of the agent's log it was made from, counted from 0, and place within it.
    pub line: u64,
    pub index: u32,
    /// The agent's own id, if it gives one.
    pub id: Option<String>,
    /// As the agent wrote it.
    pub timestamp: Option<String>,
    /// Set when a subagent did it.
    pub agent: Option<String>,
    pub kind: EntryKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EntryKind {
    User {
        text: String,
    },
    Assistant {
        text: String,
    },
    Thinking {
        text: String,
    },
    ToolCall {
        tool_id: Option<String>,
        tool: String,
        input: Value,
    },
    ToolResult {
        tool_id: Option<String>,
        text: String,
        is_error: bool,
    },
    /// A picture that somebody gave, or that a tool has read.
    Image {
        /// Whose result it is part of.
        tool_id: Option<String>,
        media_type: String,
        /// In base64; nothing for one that is too large, or of a kind that is not shown.
        data: Option<String>,
    },
    Interrupted,
    Error {
        text: String,
    },
    /// The conversation was shortened.
    Compaction {
        text: Option<String>,
    },
    /// A line whose meaning is not known, as it is.
    Unknown {
        value: Value,
    },
}

/// So much of pictures is in one part of a conversation, and at least one; what comes after is in the next part.
pub const IMAGES_AT_ONCE: usize = 4 << 20;

impl Entry {
    /// Bytes of pictures in it.
    #[must_use]
    pub fn image_size(&self) -> usize {
        match &self.kind {
            EntryKind::Image { data: Some(data), .. } => data.len(),
            _ => 0,
        }
    }
}

/// Tokens, counted once for each message of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let sum = |a: &mut u64, b: u64| *a = a.saturating_add(b);
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.cache_read_tokens, other.cache_read_tokens);
        sum(&mut self.cache_write_tokens, other.cache_write_tokens);
    }
}
