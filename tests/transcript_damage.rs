//! Damaged texts given to a transcript: taken or refused, never a panic; a refusal leaves every byte as it was, and what is
//! there comes back from its snapshot.

#![cfg(not(target_arch = "wasm32"))]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use turnlog::transcript::time::UnixTime;
use turnlog::transcript::{HistoryState, has_unsafe_integer};

/// Offsets at the end of 64 bits, halves of surrogate pairs, chunks in any order.
const TEXTS: [&str; 6] = [
    r#"{"type":"insert","index":0,"record":{ "type":"exec","payload":{"call_id":"c","command":[],"parsed":[],"action":"run","status":"running","stdout_chunks":[{"offset":18446744073709551615,"content":"abc"},{ "offset":5,"content":"éé"}],"stderr_chunks":[],"wait_active":false,"wait_notes":[],"started_at":"2026-01-02T03:04:05Z"}}}"#,
    r#"{"type":"update_exec_stream","index":0,"stdout_chunk":{"offset":6,"content":"a\ud83d\n"},"stderr_chunk":{"offset":18446744073709551614,"content":"\ude00é🚀"}}"#,
    r#"{"type":"finish_exec","id":1,"call_id":"c","status":"x","stdout_tail":"éé","stderr_tail":"\ud83d","wait_total":"PT1.5S","wait_active":true,"wait_notes":[]}"#,
    r#"{"type":"upsert_assistant_stream","stream_id":"s","preview_markdown":"x","delta":{"delta":"\ude00","sequence":7,"received_at":"2026-01-02T03:04:05Z"},"metadata":{"citations":[]}}"#,
    r#"{"stream_id":"s","markdown":"m","metadata":{"citations":[]}}"#,
    r#"{"records":[{"id":3,"type":"merged_exec","payload":{"action":"read","segments":[]}},{"id":0,"type":"assistant_message","payload":{"stream_id":"s","markdown":"","citations":[],"created_at":"2026-01-02T03:04:05Z"}}],"next_id":18446744073709551615,"exec_call_lookup":{"c":9}}"#,
];

/// One of the texts, and how it is damaged.
type Damaged = (Index, Vec<(Index, Option<u8>)>, u8);

fn damaged() -> impl Strategy<Value = Damaged> {
    let damage = (any::<Index>(), any::<Option<u8>>());
    (any::<Index>(), vec(damage, 0..2), any::<u8>())
}

proptest! {
    #[test]
    fn damaged_texts_are_taken_or_refused(steps in vec(damaged(), 40), secs in any::<i64>()) {
        let mut state = HistoryState::default();
        let now = UnixTime { secs, nanos: 1 };
        for (text, damage, operation) in steps {
            let mut text = text.get(&TEXTS).as_bytes().to_vec();
            for (at, byte) in damage {
                let at = at.index(text.len());
                text.splice(at..=at, byte);
            }
            has_unsafe_integer(&text);
            let before = state.snapshot();
            let outcome = match operation % 16 {
                0 => state.restore(&text),
                1..4 => state.finalize_assistant_stream(&text, now).map(drop),
                4..6 => state.upsert_assistant_stream(&text, now).map(drop),
                6 => state.push(&text).map(drop),
                7 => {
                    state.truncate_after(u64::from(operation / 16));
                    Ok(())
                }
                _ => state.apply(&text, now).map(drop),
            };
            if outcome.is_err() {
                prop_assert!(state.snapshot() == before);
            }
        }
        let mut again = HistoryState::default();
        prop_assert_eq!(again.restore(&state.snapshot()), Ok(()));
    }
}
