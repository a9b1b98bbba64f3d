//! The memory limit on the output of all execs together (spec 3-transcript.md, 3.7).

use super::chunks;
use super::open::Open;
use super::record::{Body, Record, RecordKind};
use super::state::HistoryState;

impl HistoryState {
    /// Cuts both streams of the earliest execs to `floor` bytes each while all execs together hold more than `limit`.
    ///
    /// Only text counts; the reference counts gaps between chunks too.
    pub(super) fn limit_execs(&mut self, limit: u64, floor: u64) {
        if self.exec_bytes <= limit {
            return;
        }
        let mut held = 0;
        for index in 0..self.len() {
            held += self.records.get_mut(index).map_or(0, exec_bytes);
        }
        for index in 0..self.len() {
            if held <= limit {
                break;
            }
            let bytes = self.records.get_mut(index).map_or(0, exec_bytes);
            // One that has no more than stays of a stream is left as it is written.
            if bytes > floor
                && let Some(open) = self.exec_at(index)
            {
                for stream in &mut open.streams {
                    chunks::keep_newest(stream, floor);
                }
                held -= bytes - open.bytes();
            }
        }
        self.exec_bytes = held;
    }

    /// Counts a record that comes in towards the bound of what execs hold: its text is no shorter than its streams.
    pub(super) fn count_exec(&mut self, record: &Record) {
        if let (RecordKind::Exec, Body::Text(text)) = (record.kind, &record.body) {
            self.exec_bytes += text.len() as u64;
        }
    }
}

/// Bytes of text in all streams of an exec; 0 for other records. Text is taken apart for that, and stays as it is.
fn exec_bytes(record: &mut Record) -> u64 {
    match &record.body {
        _ if record.kind != RecordKind::Exec => 0,
        Body::Open(open) => open.bytes(),
        Body::Text(text) => {
            let count = || Open::read(text, record.kind).bytes();
            *record.counted.get_or_insert_with(count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_exec_gives_way_when_all_together_hold_too_much() {
        let mut state = HistoryState::default();
        let exec = br#"{"type":"exec","payload":{"command":[],"parsed":[],"action":"run","status":"running","stdout_chunks":[{"offset":0,"content":"0123456789"}],"stderr_chunks":[{"offset":7,"content":"e"}],"wait_active":false,"wait_notes":[],"started_at":"2026-01-02T03:04:05Z"}}"#;
        for _ in 0..3 {
            state.push(exec).unwrap();
            state.push(br#"{"type":"later","payload":0}"#).unwrap();
        }
        state.limit_execs(27, 4);
        let held: Vec<(u64, u64)> = (0..6)
            .filter_map(|index| {
                let open = state.exec_at(index)?;
                Some((open.streams[0].first()?.start(), open.bytes()))
            })
            .collect();
        assert_eq!(held, [(6, 5), (0, 11), (0, 11)]);
        assert_eq!(state.exec_bytes, 27);
    }
}
