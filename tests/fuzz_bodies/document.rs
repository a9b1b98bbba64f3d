//! The reader of snapshots in the document form.

use std::collections::HashSet;

use turnlog::json::{Reader, check_grammar};
use turnlog::session::{items, member, string};
use turnlog::transcript::{
    HistoryState, TranscriptCode, TranscriptError, document_to_native, native_to_document,
};

use super::memory::within;
use super::{contains, shown};

/// Records and entries of lookups are kept in vectors that grow, which takes nine times their text where they are smallest.
const FACTOR: usize = 16;

pub fn body(text: &[u8]) {
    let mut state = HistoryState::default();
    let before = state.snapshot();
    if let Err(error) = within(FACTOR, text, || state.restore(text)) {
        assert_eq!(state.snapshot(), before);
        let is_json = check_grammar(text).is_ok();
        assert_eq!(error.code == TranscriptCode::NotJson, !is_json);
        assert!(is_refusal_of_a_reader(error.code), "{error}");
        return;
    }
    let snapshot = within(4, text, || state.snapshot());
    check_grammar(&snapshot).expect("a snapshot is JSON");
    records_are_as_they_were(text, &state);
    assert_eq!(unknown_members(text), unknown_members(&snapshot));
    reads_again_to_the_same(&snapshot);
    if !state.is_empty() {
        native_to_document(text).expect_err("a document is no native snapshot");
    }
    if let Ok(native) = within(FACTOR, &snapshot, || document_to_native(&snapshot))
        .map_err(|error| assert!(is_refusal_of_a_writer(&error), "{error}"))
    {
        comes_back_from(&native);
    }
}

/// A snapshot that the state wrote is what a state that restores it writes.
pub fn reads_again_to_the_same(snapshot: &[u8]) {
    let mut again = HistoryState::default();
    again.restore(snapshot).expect("a snapshot is taken");
    assert_eq!(shown(&again.snapshot()), shown(snapshot));
}

/// What a converter wrote natively becomes a document that a transcript takes, and from there the same bytes.
fn comes_back_from(native: &[u8]) {
    let document = native_to_document(native).expect("the native form is read");
    let again = document_to_native(&document).expect("and written");
    assert_eq!(shown(&again), shown(native));
    HistoryState::default()
        .restore(&document)
        .expect("the document is taken");
}

fn is_refusal_of_a_reader(code: TranscriptCode) -> bool {
    use TranscriptCode::{Invalid, NativeForm, NotJson};
    matches!(code, NotJson | Invalid | NativeForm)
}

/// A transcript keeps what the native form cannot say; but that is all there is to refuse.
fn is_refusal_of_a_writer(error: &TranscriptError) -> bool {
    use TranscriptCode::{Invalid, LoneSurrogate, NotFinite, Time, Unsupported};
    matches!(
        error.code,
        Invalid | LoneSurrogate | NotFinite | Time | Unsupported
    )
}

/// Each record is the text that it was, byte for byte, but for second messages of a stream, which go, and for secrets.
fn records_are_as_they_were(text: &[u8], state: &HistoryState) {
    let mut streams = HashSet::new();
    let mut index = 0;
    for given in items(member(text, "records").unwrap_or_default()) {
        if let Some(stream) = stream_of_message(given)
            && !streams.insert(stream)
        {
            continue;
        }
        let record = state.get(index).expect("a record for each given");
        let kept = record.text();
        let is_emptied = || kept.len() < given.len() && contains(&kept, br#"{"type":"secret"}"#);
        assert!(*kept == *given || is_emptied(), "{}", shown(given));
        index += 1;
    }
    assert_eq!(index, state.len());
}

fn stream_of_message(record: &[u8]) -> Option<Vec<u8>> {
    let is_message = string(member(record, "type")?)?.eq_str("assistant_message");
    let stream = string(member(member(record, "payload")?, "stream_id")?)?;
    is_message.then(|| stream.to_wtf8().into_owned())
}

/// Names and values of what no rule names at the top of a snapshot, as they are written.
fn unknown_members(snapshot: &[u8]) -> Vec<(&[u8], &[u8])> {
    const KNOWN: [&str; 8] = [
        "records",
        "next_id",
        "exec_call_lookup",
        "tool_call_lookup",
        "stream_lookup",
        "order",
        "order_debug",
        "session_view",
    ];
    let mut members = Vec::new();
    let mut reader = Reader::new(snapshot);
    reader.begin_object();
    while let Some(name) = reader.next_key() {
        let value = &snapshot[reader.skip().expect("a value")];
        if !KNOWN.iter().any(|known| name.eq_str(known)) {
            members.push((name.escaped(), value));
        }
    }
    members
}
