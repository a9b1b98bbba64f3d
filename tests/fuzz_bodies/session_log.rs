//! The reader of a session's file, and of the rows and the transcript that are made of its events.

use turnlog::session::lines::{scan_log, write_log};
use turnlog::session::packing::{MOST_GROWTH, pack, unpack};
use turnlog::session::{check_invariants, fold_surface, interrupted_turn_closers};
use turnlog::transcript::HistoryState;
use turnlog::transcript::of_session::SessionView;

use super::memory::within;
use super::shown;

pub fn body(text: &[u8]) {
    for row in text.split(|&byte| byte == b'\n') {
        // A packed row is a promise of events, and may be a lie. A vector of them grows beside them.
        if let Ok(events) = within(MOST_GROWTH * 2, row, || unpack(row)) {
            assert!(events.iter().map(Vec::len).sum::<usize>() <= MOST_GROWTH * row.len());
        }
    }
    // A line of two bytes costs a place in a vector that grows.
    let Ok(log) = within(4, text, || scan_log(text)) else {
        return;
    };
    assert!(log.committed_bytes <= text.len());
    assert_eq!(text.get(log.committed_bytes.wrapping_sub(1)), Some(&b'\n'));
    let committed = scan_log(&text[..log.committed_bytes]).expect("what is committed is whole");
    assert_eq!(
        (&committed.header, &committed.events),
        (&log.header, &log.events)
    );

    let file = write_log(&log.header, &log.events);
    let again = scan_log(&file).expect("a file that was written is read");
    assert_eq!((&again.header, &again.events), (&log.header, &log.events));
    assert_eq!(again.committed_bytes, file.len());

    let rows = pack(&log.events);
    let unpacked = rows.iter().flat_map(|row| {
        let events = unpack(&row.text).expect("a row that was packed");
        assert_eq!(events.len(), row.count);
        events
    });
    assert!(unpacked.eq(log.events.iter().copied()), "{}", shown(text));

    let _ = fold_surface(log.events.iter().copied());
    let _ = check_invariants(log.events.iter().copied());
    let _ = interrupted_turn_closers(&log.events);
    is_drawn_in_one_go_or_two(&log.events);
}

/// A transcript that was saved in the midst and goes on is the one that was drawn without a stop.
fn is_drawn_in_one_go_or_two(events: &[&[u8]]) {
    let (mut state, mut view) = (HistoryState::default(), SessionView::default());
    let middle = events.len() / 2;
    for event in &events[..middle] {
        view.take(&mut state, event);
    }
    let saved = view.save(state.snapshot());
    let mut other = HistoryState::default();
    other.restore(&saved).expect("what was saved is taken");
    let mut other_view = SessionView::of_snapshot(&saved).expect("and how far it was drawn");
    for event in &events[middle..] {
        view.take(&mut state, event);
        other_view.take(&mut other, event);
    }
    assert_eq!(
        shown(&other_view.save(other.snapshot())),
        shown(&view.save(state.snapshot()))
    );
}
