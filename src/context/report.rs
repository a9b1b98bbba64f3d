//! What was done to a list to make it what a model is sent.

use super::escaped::escape_str;
use super::repair::Repair;
use super::write::pairs;

/// See the module's head. Messages are named by the places they came from: their index in the list that was read, or what else
/// it says there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The messages that the budget dropped, wholly or in part, in order.
    pub dropped: Vec<usize>,
    /// The messages whose results it clipped.
    pub clipped: Vec<usize>,
    /// UTF-16 code units of what is said, called and answered, without system texts.
    pub chars: u64,
    /// Tokens of the same, if there is a budget of them.
    pub tokens: Option<u64>,
    /// Whether what is always kept exceeds the budget.
    pub over_budget: bool,
    /// What was changed to make it legal, by the messages concerned.
    pub repairs: Vec<Repair>,
}

impl Report {
    /// Adds changes. They are in one order, whatever was made first: that of the messages, of the rules, of the calls.
    pub(super) fn add_repairs(&mut self, mut repairs: Vec<Repair>) {
        if !repairs.is_empty() {
            self.repairs.append(&mut repairs);
            self.repairs.sort_unstable();
        }
    }
}

/// Appends an object: `dropped` and `clipped` (the places that the dropped messages and the clipped results came from),
/// `chars`, `tokens` where there is a budget of them, `overBudget`, and `repairs` with `rule`, `message` (the place it came
/// from) and `callId` where one call is concerned.
pub fn write_report(report: &Report, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"dropped\":");
    write_places(&report.dropped, out);
    out.extend_from_slice(b",\"clipped\":");
    write_places(&report.clipped, out);
    out.extend_from_slice(format!(",\"chars\":{}", report.chars).as_bytes());
    if let Some(tokens) = report.tokens {
        out.extend_from_slice(format!(",\"tokens\":{tokens}").as_bytes());
    }
    out.extend_from_slice(format!(",\"overBudget\":{}", report.over_budget).as_bytes());
    out.extend_from_slice(b",\"repairs\":[");
    for (index, repair) in report.repairs.iter().enumerate() {
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
    out.push(b'[');
    for (index, &place) in places.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_digits(place, out);
    }
    out.push(b']');
}

/// A number in decimal digits, without the detour over a string: there may be one for each message.
fn write_digits(number: usize, out: &mut Vec<u8>) {
    let from = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[from..].reverse();
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_json() {
        let report = Report {
            dropped: vec![0, 9, 10, 1234567890],
            tokens: Some(5),
            repairs: vec![Repair {
                message: 7,
                rule: super::super::repair::Rule::CallId,
                call_id: Some("a\"\u{fffd}".to_owned()),
            }],
            ..Report::default()
        };
        let mut out = Vec::new();
        write_report(&report, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"dropped\":[0,9,10,1234567890],\"clipped\":[],\"chars\":0,\"tokens\":5,\"overBudget\":false,\
             \"repairs\":[{\"rule\":\"call_id\",\"callId\":\"a\\\"\u{fffd}\",\"message\":7}]}"
        );
    }
}
