//! Where the surface can be cut without parting tool calls from their results (spec 2-session.md, section 13).
//!
//! The balance counts calls that are not answered yet: each `tool-call` block of an assistant message adds one, each
//! tool result takes one away. There is a cut before each node and one behind the last; those of balance 0 are where a
//! replacement may begin or end.

use super::error::{SessionCode, SessionError};
use super::event::{Event, tool_calls};

/// The balances along one surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPairing {
    /// The balance before each node, and behind the last one.
    balances: Vec<u64>,
    /// The place of each event on the surface, by number; none for one that is not there.
    places: Vec<Option<usize>>,
}

impl ToolPairing {
    /// Walks the surface: `nodes` in surface order, each the index of an event of checked JSON text in `events`.
    ///
    /// Linear in the log, of which only what is on the surface is read.
    ///
    /// # Errors
    /// [`SessionCode::Unpaired`] with the result's `seq`, if there are more results than calls up to it, wherever that is;
    /// [`SessionCode::NotOnSurface`] with the `seq` of a node that is no event.
    pub fn new(nodes: &[u64], events: &[&[u8]]) -> Result<Self, SessionError> {
        let mut places = vec![None; events.len()];
        let mut balances = vec![0];
        let mut balance = 0_u64;
        for (place, &seq) in nodes.iter().enumerate() {
            let index = usize::try_from(seq).unwrap_or(usize::MAX);
            let event = events.get(index).ok_or_else(|| not_on_surface(seq))?;
            places[index] = Some(place);
            balance = balance_after(balance, event).ok_or_else(|| {
                SessionError::new(SessionCode::Unpaired, "a tool result without its call")
                    .with("seq", seq as f64)
            })?;
            balances.push(balance);
        }
        Ok(Self { balances, places })
    }

    /// The balance at each cut: before each node in surface order, then behind the last.
    pub fn balances(&self) -> &[u64] {
        &self.balances
    }

    /// The cuts of balance 0, as the number of nodes before each. Cut 0 always is one.
    pub fn balanced_cuts(&self) -> Vec<usize> {
        let cuts = self.balances.iter().enumerate();
        cuts.filter(|(_, balance)| **balance == 0)
            .map(|(cut, _)| cut)
            .collect()
    }

    /// Whether the cut just before this node is balanced.
    ///
    /// # Errors
    /// [`SessionCode::NotOnSurface`].
    pub fn is_balanced_before(&self, seq: u64) -> Result<bool, SessionError> {
        self.is_balanced(seq, 0)
    }

    /// Whether the cut just behind this node is balanced.
    ///
    /// # Errors
    /// [`SessionCode::NotOnSurface`].
    pub fn is_balanced_after(&self, seq: u64) -> Result<bool, SessionError> {
        self.is_balanced(seq, 1)
    }

    fn is_balanced(&self, seq: u64, offset: usize) -> Result<bool, SessionError> {
        let index = usize::try_from(seq).unwrap_or(usize::MAX);
        let place = self.places.get(index).copied().flatten();
        let place = place.ok_or_else(|| not_on_surface(seq))?;
        Ok(self.balances.get(place + offset) == Some(&0))
    }
}

/// `None` below zero.
fn balance_after(balance: u64, event: &[u8]) -> Option<u64> {
    let event = Event::read(event).unwrap_or_default();
    if event.is("assistant/message") {
        let calls = tool_calls(event.data.unwrap_or_default()).count();
        Some(balance + calls as u64)
    } else if event.is("tool/result") {
        balance.checked_sub(1)
    } else {
        Some(balance)
    }
}

fn not_on_surface(seq: u64) -> SessionError {
    SessionError::new(
        SessionCode::NotOnSurface,
        format!("event {seq} is not on the surface"),
    )
    .with("seq", seq as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &[u8] = br#"{"type":"user/message","data":{}}"#;
    const CALLS: &[u8] = br#"{"type":"assistant/message","data":{"content":[{"type":"tool-call"},{"type":"text"},{"type":"tool-call"}]}}"#;
    const RESULT: &[u8] = br#"{"type":"tool/result","data":{}}"#;

    #[test]
    fn cuts_between_calls_and_results_are_not_balanced() {
        let pairing = ToolPairing::new(&[0, 1, 2, 3], &[USER, CALLS, RESULT, RESULT]).unwrap();
        assert_eq!(pairing.balances(), [0, 0, 2, 1, 0]);
        assert_eq!(pairing.balanced_cuts(), [0, 1, 4]);
        let before = [0, 1, 2, 3].map(|seq| pairing.is_balanced_before(seq).unwrap());
        assert_eq!(before, [true, true, false, false]);
        let after = [0, 1, 2, 3].map(|seq| pairing.is_balanced_after(seq).unwrap());
        assert_eq!(after, [true, false, false, true]);
    }

    #[test]
    fn the_order_is_that_of_the_surface() {
        let events = [RESULT, CALLS, USER, RESULT];
        let pairing = ToolPairing::new(&[1, 3, 0], &events).unwrap();
        assert_eq!(pairing.balances(), [0, 2, 1, 0]);
        assert_eq!(pairing.is_balanced_after(0), Ok(true));
        assert_eq!(
            pairing.is_balanced_before(2).unwrap_err().code,
            SessionCode::NotOnSurface
        );
    }

    #[test]
    fn a_surface_that_cannot_be_is_refused() {
        let error = ToolPairing::new(&[0, 1], &[USER, RESULT]).unwrap_err();
        assert_eq!(error.code, SessionCode::Unpaired);
        assert_eq!(error.details, [("seq", 1.0)]);
        let error = ToolPairing::new(&[7], &[USER]).unwrap_err();
        assert_eq!(error.code, SessionCode::NotOnSurface);
        assert_eq!(ToolPairing::new(&[], &[]).unwrap().balanced_cuts(), [0]);
    }
}
