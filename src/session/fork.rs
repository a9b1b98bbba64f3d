//! Where a fork may cut its source (spec 2-session.md, 9.5).
//!
//! The whole order of a fork's refusals is `session_already_exists` (of the child), `session_not_found`,
//! `session_not_live` (of the source), `invalid_boundary`, `open_turn`, and then what the child's seed breaks. The first
//! three are the store's, the last are those of [`check_element`](super::seed::check_element).

use super::error::{SessionCode, SessionError};
use super::event::whole;

/// How many events a child takes over: all up to the boundary, which is the last of them and the last of the source
/// if it is absent. None of a source without events.
///
/// `boundary` is NaN for what is no number. `is_turn_end` is asked about one position of the source's `len`, at most.
///
/// # Errors
/// `invalid_boundary` for what is no position in the source; `open_turn` for an event that is no `turn/end`.
pub fn copied_events(
    len: u64,
    boundary: Option<f64>,
    is_turn_end: impl FnOnce(u64) -> bool,
) -> Result<u64, SessionError> {
    let boundary = match boundary {
        None if len == 0 => return Ok(0),
        None => len - 1,
        Some(boundary) => whole(boundary)
            .filter(|&seq| seq < len)
            .ok_or_else(|| not_in_source(boundary, len))?,
    };
    if is_turn_end(boundary) {
        return Ok(boundary + 1);
    }
    let message = format!("event {boundary} is no turn/end: a fork cannot cut through a turn");
    Err(SessionError::new(SessionCode::OpenTurn, message).with("boundary", boundary as f64))
}

fn not_in_source(boundary: f64, len: u64) -> SessionError {
    let message = format!("the boundary must be the seq of one of the source's {len} events");
    let error = SessionError::new(SessionCode::InvalidBoundary, message);
    if boundary.is_nan() {
        return error;
    }
    error.with("boundary", boundary)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source of these types, `e` a turn's end.
    fn copied(types: &str, boundary: Option<f64>) -> Result<u64, SessionCode> {
        let is_turn_end = |seq| types.as_bytes()[seq as usize] == b'e';
        copied_events(types.len() as u64, boundary, is_turn_end).map_err(|error| error.code)
    }

    #[test]
    fn a_turn_end_is_a_boundary() {
        assert_eq!(copied("sue", None), Ok(3));
        assert_eq!(copied("sues", Some(2.0)), Ok(3));
        assert_eq!(copied("", None), Ok(0));
    }

    #[test]
    fn anything_else_is_inside_a_turn() {
        for (types, boundary) in [("sues", None), ("suet", None), ("sue", Some(0.0))] {
            assert_eq!(copied(types, boundary), Err(SessionCode::OpenTurn));
        }
    }

    #[test]
    fn a_boundary_is_a_position_in_the_source() {
        for boundary in [3.0, -1.0, 0.5, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(
                copied("sue", Some(boundary)),
                Err(SessionCode::InvalidBoundary)
            );
        }
        assert_eq!(copied("", Some(0.0)), Err(SessionCode::InvalidBoundary));
    }
}
