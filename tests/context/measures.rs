//! What a list costs, and whose word is the newest in it, counted without the code that is tested.

use crate::checker::{is_blank, items, text};
use serde_json::Value;

/// UTF-16 code units of all that is said, called and answered in a list, and its messages, without system ones.
pub fn cost(list: &Value) -> (u64, u64) {
    let units = |text: &str| text.encode_utf16().count() as u64;
    let mut sum = (0, 0);
    for message in items(list).iter().filter(|it| text(it, "role") != "system") {
        sum.1 += 1;
        sum.0 += units(message["content"].as_str().unwrap_or_default());
        for block in items(&message["content"]) {
            for name in ["text", "name", "arguments"] {
                sum.0 += units(text(block, name));
            }
            match &block["content"] {
                Value::Null if block.get("content").is_none() => {}
                Value::String(said) => sum.0 += units(said),
                Value::Array(parts) => {
                    sum.0 += parts.iter().map(|it| units(text(it, "text"))).sum::<u64>()
                }
                other => sum.0 += units(&other.to_string()),
            }
        }
    }
    sum
}

/// The texts of the newest user message that has one with characters.
pub fn newest_word(list: &Value) -> Vec<String> {
    let said = |message: &Value| -> Vec<String> {
        let texts = match &message["content"] {
            Value::String(said) => vec![said.clone()],
            blocks => items(blocks)
                .iter()
                .filter(|it| text(it, "type") == "text")
                .map(|it| text(it, "text").to_owned())
                .collect(),
        };
        texts.into_iter().filter(|text| !is_blank(text)).collect()
    };
    let users = items(list)
        .iter()
        .rev()
        .filter(|it| text(it, "role") == "user");
    users
        .map(said)
        .find(|texts| !texts.is_empty())
        .unwrap_or_default()
}
