//! The reader of events: a line is one operation, its first byte says which.
//!
//! ```text
//! {"type":"insert",…}      an event
//! +{"type":"loading",…}    a record at the end
//! *{"type":"loading",…}    a record in the place of the first, the lookups not told
//! >{"stream_id":"s",…}     an upsert of a stream
//! .{"stream_id":"s",…}     the end of a stream
//! -3                       everything behind the record with this id goes
//! ={"records":[…],…}       another state
//! ```

use turnlog::json::{check_grammar, same_value};
use turnlog::session::member;
use turnlog::transcript::time::UnixTime;
use turnlog::transcript::{HistoryState, Mutation, TranscriptError};

use super::document::reads_again_to_the_same;
use super::memory::within;
use super::{contains, shown};

const NOW: UnixTime = UnixTime {
    secs: 1_767_323_045,
    nanos: 120_000_000,
};
/// A record is opened and held beside its text.
const FACTOR: usize = 8;

pub fn body(text: &[u8]) {
    let mut state = HistoryState::default();
    for line in text.split(|&byte| byte == b'\n') {
        let before = Before::of(&state);
        // What is already there may be opened for an event that is shorter.
        let size = [line, &before.snapshot[..]].concat();
        match within(FACTOR, &size, || operate(&mut state, line)) {
            Err(_) => assert_eq!(shown(&state.snapshot()), shown(&before.snapshot)),
            Ok(None) => {}
            Ok(Some(mutation)) => before.differs_by(&mutation, &state),
        }
    }
    let snapshot = state.snapshot();
    check_grammar(&snapshot).expect("a snapshot is JSON");
    let mut again = HistoryState::default();
    again.restore(&snapshot).expect("a snapshot is taken");
    let restored = again.snapshot();
    // Unless it drops second messages of a stream, or makes lookups that are all empty.
    let has_lookups = !contains(
        &snapshot,
        br#""exec_call_lookup":{},"tool_call_lookup":{},"stream_lookup":{}"#,
    );
    if has_lookups && again.len() == state.len() {
        assert_eq!(shown(&restored), shown(&snapshot));
    }
    reads_again_to_the_same(&restored);
}

fn operate(state: &mut HistoryState, line: &[u8]) -> Result<Option<Mutation>, TranscriptError> {
    let (kind, rest) = line.split_first().unwrap_or((&b' ', b""));
    match kind {
        b'+' => {
            let id = state.next_id();
            assert_eq!(state.push(rest)?, id);
            assert_eq!(state.index_of(id), (id > 0).then(|| state.len() - 1));
        }
        b'*' => assert_eq!(state.overwrite(0, rest)?, !state.is_empty()),
        b'>' => {
            let id = state.upsert_assistant_stream(rest, NOW)?;
            assert!(id == 0 || state.index_of(id).is_some());
        }
        b'.' => drop(state.finalize_assistant_stream(rest, NOW)?),
        b'-' => {
            let id = std::str::from_utf8(rest).unwrap_or_default().parse();
            let before = state.len();
            let removed = state.truncate_after(id.unwrap_or(u64::MAX));
            assert_eq!(state.len() + removed.len(), before);
        }
        b'=' => state.restore(rest)?,
        _ => return state.apply(line, NOW).map(Some),
    }
    Ok(None)
}

/// What was there before an event.
struct Before {
    snapshot: Vec<u8>,
    records: Vec<(u64, Vec<u8>)>,
}

impl Before {
    fn of(state: &HistoryState) -> Self {
        Self {
            snapshot: state.snapshot(),
            records: records(state),
        }
    }

    /// The mutation is the one difference: every other record is there as it was, byte for byte and under its id.
    fn differs_by(mut self, mutation: &Mutation, state: &HistoryState) {
        let text = mutation.text(state);
        check_grammar(&text).expect("a mutation is JSON");
        let mut now = records(state);
        let record = match mutation {
            Mutation::Noop => {
                return assert_eq!(shown(&state.snapshot()), shown(&self.snapshot));
            }
            Mutation::Inserted { index, id } => {
                let (given, record) = now.remove(*index);
                assert_eq!(given, *id);
                record
            }
            Mutation::Replaced { index, id } => {
                let (old, _) = self.records.remove(*index);
                let (given, record) = now.remove(*index);
                assert_eq!((given, old), (*id, *id));
                record
            }
            Mutation::Removed { index, record } => {
                let (id, old) = self.records.remove(*index);
                assert_eq!((record.id(), &*record.text()), (id, &*old));
                old
            }
        };
        assert_eq!(member(&text, "record"), Some(&record[..]));
        assert!(now == self.records, "{}", shown(&text));
        let id = member(&record, "id").expect("a record has an id");
        assert!(same_value(
            id,
            member(&text, "id").expect("a mutation as well")
        ));
    }
}

fn records(state: &HistoryState) -> Vec<(u64, Vec<u8>)> {
    let records = (0..state.len()).filter_map(|index| state.get(index));
    let records = records.map(|record| (record.id(), record.text().into_owned()));
    records.collect()
}
