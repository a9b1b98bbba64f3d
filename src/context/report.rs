//! What was done to a list, as JSON text for the caller.

use super::build::Context;
use super::escaped::escape_str;
use super::write::pairs;

/// Appends an object: `dropped` and `clipped` (the places that the dropped messages and the clipped results came from),
/// `chars`, `tokens` where there is a budget of them, `overBudget`, and `repairs` with `rule`, `message` (the place it came
/// from) and `callId` where one call is concerned.
pub fn write_report(context: &Context<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"dropped\":");
    write_places(&context.dropped, out);
    out.extend_from_slice(b",\"clipped\":");
    write_places(&context.clipped, out);
    out.extend_from_slice(format!(",\"chars\":{}", context.chars).as_bytes());
    if let Some(tokens) = context.tokens {
        out.extend_from_slice(format!(",\"tokens\":{tokens}").as_bytes());
    }
    out.extend_from_slice(format!(",\"overBudget\":{}", context.over_budget).as_bytes());
    out.extend_from_slice(b",\"repairs\":[");
    for (index, repair) in context.repairs.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let rule = repair.rule.as_str().as_bytes();
        match &repair.call_id {
            Some(id) => pairs(out, &[("rule", rule), ("callId", &escape_str(id))]),
            None => pairs(out, &[("rule", rule)]),
        }
        out.extend_from_slice(format!(",\"message\":{}}}", repair.message).as_bytes());
    }
    out.extend_from_slice(b"]}");
}

fn write_places(places: &[usize], out: &mut Vec<u8>) {
    let places: Vec<String> = places.iter().map(usize::to_string).collect();
    out.extend_from_slice(format!("[{}]", places.join(",")).as_bytes());
}
