//! How the few things JSON has no word for are written.

/// Bytes as base64.
pub mod base64 {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text.as_bytes()).map_err(|error| de::Error::custom(format!("not base64: {error}")))
    }
}

/// The screen format by its name.
pub mod format {
    use crate::v1::get_screen_request::Format;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub const NAMES: [(Format, &str); 3] = [(Format::Text, "text"), (Format::Ansi, "ansi"), (Format::Cells, "cells")];

    pub fn serialize<S: Serializer>(format: &i32, to: S) -> Result<S::Ok, S::Error> {
        let name = NAMES.iter().find(|(known, _)| *known as i32 == *format).map_or("text", |(_, name)| *name);
        to.serialize_str(name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i32, D::Error> {
        let text = String::deserialize(from)?;
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(format, _)| *format as i32);
        known.ok_or_else(|| de::Error::custom(format!("there is no format `{text}`: it is text, ansi or cells")))
    }
}

/// JSON that is text elsewhere, as it is. Text that is no JSON stays a string.
pub mod embedded {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(text: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
        let value = text.as_ref().map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())));
        value.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
        Ok(Option::<Value>::deserialize(from)?.map(|value| value.to_string()))
    }
}
