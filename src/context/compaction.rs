//! Which part of a session a summary should replace (spec 2-session.md, section 13).

use super::budget::Limits;
use super::error::ContextError;
use super::model::read_message;
use super::options::read_count;
use super::units::{Cost, Unit};
use crate::session::{Event, SessionError, ToolPairing, derive_event_message};

/// How much of a surface is to be left beside the summary. Without a target all that may go goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionTarget {
    /// UTF-16 code units of what is said, called and answered.
    pub chars: Option<u64>,
    /// Tokens of the same.
    pub tokens: Option<u64>,
}

impl CompactionTarget {
    /// Reads `targetChars` and `targetTokens` of an object of checked JSON text.
    ///
    /// # Errors
    /// [`Invalid`](super::ContextCode::Invalid) with the name of the member that is refused.
    pub fn read(options: &[u8]) -> Result<Self, ContextError> {
        Ok(Self {
            chars: read_count(options, "targetChars")?,
            tokens: read_count(options, "targetTokens")?,
        })
    }
}

/// A plan as JSON text: an object of its members, with the numbers that `seqs` has for its events.
pub fn write_plan(plan: &CompactionPlan, seqs: &[u32]) -> Vec<u8> {
    let seq = |place: u64| {
        let seq = usize::try_from(place).ok().and_then(|at| seqs.get(at));
        seq.map_or(place, |&seq| u64::from(seq)).to_string()
    };
    let shadowed: Vec<String> = plan.shadowed.iter().map(|&place| seq(place)).collect();
    let tokens = plan.tokens.map(|tokens| format!(",\"tokens\":{tokens}"));
    format!(
        "{{\"start\":{},\"end\":{},\"shadowed\":[{}],\"chars\":{}{},\"reachesTarget\":{}}}",
        seq(plan.start),
        seq(plan.end),
        shadowed.join(","),
        plan.chars,
        tokens.unwrap_or_default(),
        plan.reaches_target,
    )
    .into_bytes()
}

/// A range of the surface to replace by a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The first event of the range, which is where the surface begins.
    pub start: u64,
    /// The last one, in surface order; it may have a smaller number than `start`.
    pub end: u64,
    /// All events of the range, in surface order: what the summary shadows and names among its sources.
    pub shadowed: Vec<u64>,
    /// UTF-16 code units of the range.
    pub chars: u64,
    /// Its tokens, if the target is one of tokens.
    pub tokens: Option<u64>,
    /// Whether what is left has no more than the target. It has more where the newest word of the user and what follows it,
    /// or a call without its result, leave no more to replace.
    pub reaches_target: bool,
}

/// Names the shortest range from the beginning of the surface whose replacement leaves no more than the target; `None` if
/// there is no more than that already, or nothing that may go.
///
/// `nodes` is the surface in its order, each the index of an event of checked JSON text in `events`. The range ends where
/// calls and results are in balance, and before the newest message of the user that is not a result. The summary itself is not
/// counted. `count_tokens` is called once for each event that says something, if the target is one of tokens.
///
/// # Errors
/// Those of [`ToolPairing::new`]: results without calls, and nodes that are no events.
pub fn plan_compaction(
    nodes: &[u64],
    events: &[&[u8]],
    target: CompactionTarget,
    count_tokens: &dyn Fn(&str) -> u64,
) -> Result<Option<CompactionPlan>, SessionError> {
    let pairing = ToolPairing::new(nodes, events)?;
    let event = |seq: u64| events.get(usize::try_from(seq).ok()?).copied();
    let costs: Vec<Cost> = nodes
        .iter()
        .map(|&seq| event(seq).map_or(Cost::default(), |it| cost_of(it, target, count_tokens)))
        .collect();
    let is_word = |seq: u64| {
        let event = event(seq).and_then(Event::read).unwrap_or_default();
        event.is("user/message") || event.is("steering/message")
    };
    let newest_word = nodes.iter().rposition(|&seq| is_word(seq));
    let last_cut = newest_word.unwrap_or(nodes.len());
    let limits = Limits {
        max_chars: target.chars,
        max_tokens: target.tokens,
        ..Limits::default()
    };
    let all = costs
        .iter()
        .fold(Cost::default(), |sum, cost| sum.plus(*cost));
    let has_target = target != CompactionTarget::default();
    if has_target && !limits.is_exceeded(all) {
        return Ok(None);
    }
    let (mut replaced, mut next) = (Cost::default(), 0);
    let mut best = None;
    for cut in pairing.balanced_cuts() {
        if cut > last_cut {
            break;
        }
        replaced = costs[next..cut]
            .iter()
            .fold(replaced, |sum, cost| sum.plus(*cost));
        next = cut;
        let reaches_target = has_target && !limits.is_exceeded(all.minus(replaced));
        if cut > 0 {
            best = Some((cut, replaced, reaches_target));
        }
        if reaches_target {
            break;
        }
    }
    Ok(best.map(|(cut, cost, reaches_target)| CompactionPlan {
        start: nodes[0],
        end: nodes[cut - 1],
        shadowed: nodes[..cut].to_vec(),
        chars: cost.chars,
        tokens: target.tokens.map(|_| cost.tokens),
        reaches_target: reaches_target || !has_target,
    }))
}

/// What the message costs that an event stands for; nothing where it has none, or one that is no message.
fn cost_of(event: &[u8], target: CompactionTarget, count_tokens: &dyn Fn(&str) -> u64) -> Cost {
    let Some(text) = derive_event_message(event) else {
        return Cost::default();
    };
    let Ok(message) = read_message(&text, 0) else {
        return Cost::default();
    };
    Unit::cost_of_message(&message, target.tokens.map(|_| count_tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionCode;

    fn word(text: &str) -> String {
        said("user/message", text)
    }

    fn said(kind: &str, text: &str) -> String {
        format!(r#"{{"type":"{kind}","data":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#)
    }

    fn call() -> String {
        r#"{"type":"assistant/message","data":{"content":[{"type":"tool-call","id":"1","name":"fun","arguments":"{}"}]}}"#.to_owned()
    }

    fn result() -> String {
        r#"{"type":"tool/result","data":{"callId":"1","content":[{"type":"text","text":"12345"}]}}"#
            .to_owned()
    }

    fn plan(events: &[String], chars: u64) -> Option<CompactionPlan> {
        let nodes: Vec<u64> = (0..events.len() as u64).collect();
        let events: Vec<&[u8]> = events.iter().map(|event| event.as_bytes()).collect();
        let target = CompactionTarget {
            chars: Some(chars),
            tokens: None,
        };
        plan_compaction(&nodes, &events, target, &|_| 0).unwrap()
    }

    #[test]
    fn the_shortest_balanced_range_that_leaves_the_target_is_named() {
        let log = [
            word("aaaaa"),
            call(),
            result(),
            said("assistant/message", "bbbbb"),
            word("ccccc"),
            said("assistant/message", "ddddd"),
        ];
        assert_eq!(plan(&log, 30), None);
        let ends: Vec<u64> = [29, 24, 20, 14]
            .map(|chars| plan(&log, chars).unwrap().end)
            .into();
        assert_eq!(ends, [0, 2, 2, 3]);
        let named = plan(&log, 20).unwrap();
        assert_eq!(
            (named.start, named.chars, named.reaches_target),
            (0, 15, true)
        );
        assert_eq!(named.shadowed, [0, 1, 2]);
    }

    #[test]
    fn the_newest_word_and_what_follows_it_stay() {
        let log = [
            word("a"),
            said("assistant/message", "b"),
            word("c"),
            call(),
            result(),
        ];
        let named = plan(&log, 0).unwrap();
        assert_eq!((named.end, named.reaches_target), (1, false));
        assert_eq!(plan(&[word("a")], 0), None);
        assert_eq!(plan(&[], 0), None);
    }

    #[test]
    fn the_order_is_that_of_the_surface() {
        let log = [word("aaaaa"), word("bbbbb"), word("ccccc")];
        let events: Vec<&[u8]> = log.iter().map(|event| event.as_bytes()).collect();
        let target = CompactionTarget {
            chars: None,
            tokens: Some(5),
        };
        let count = |text: &str| text.len() as u64;
        let named = plan_compaction(&[2, 0, 1], &events, target, &count)
            .unwrap()
            .unwrap();
        assert_eq!((named.start, named.end, named.tokens), (2, 0, Some(10)));
        let all = plan_compaction(&[2, 0, 1], &events, CompactionTarget::default(), &count);
        assert_eq!(all.unwrap().unwrap().shadowed, [2, 0]);
    }

    #[test]
    fn a_surface_that_cannot_be_is_refused() {
        let log = [result()];
        let events: Vec<&[u8]> = log.iter().map(|event| event.as_bytes()).collect();
        let error = plan_compaction(&[0], &events, CompactionTarget::default(), &|_| 0);
        assert_eq!(error.unwrap_err().code, SessionCode::Unpaired);
    }
}
