//! `RawStore` with a database played by the test: it keeps what a plan says, and hands it back.

use super::{field, refusal, text, turn, value};
use js_sys::{Array, Float64Array, JSON, Object, Uint8Array};
use std::collections::BTreeMap;
use turnlog::bindings::RawStore;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

/// Stored chunks by key, and the head, of one session.
#[derive(Default)]
struct Table {
    chunks: BTreeMap<(u64, u64), Vec<u8>>,
    /// The values of the heads that are still stored, the newest one last.
    heads: Vec<Vec<u8>>,
}

impl Table {
    /// Carries a plan out: `[deletes, keys, values, head, sweeps]`.
    fn apply(&mut self, plan: &JsValue) {
        let plan: &Array = plan.unchecked_ref();
        let deletes = plan.get(0).unchecked_into::<Float64Array>().to_vec();
        for range in deletes.chunks(2) {
            self.chunks
                .retain(|&(last, _), _| (last as f64) < range[0] || last as f64 > range[1]);
        }
        let keys = plan.get(1).unchecked_into::<Float64Array>().to_vec();
        let values: Array = plan.get(2).unchecked_into();
        for (key, bytes) in keys.chunks(2).zip(values.iter()) {
            let bytes = bytes.unchecked_into::<Uint8Array>().to_vec();
            assert!(bytes.len() <= 60_000, "a record of {} bytes", bytes.len());
            self.chunks.insert((key[0] as u64, key[1] as u64), bytes);
        }
        if plan.get(4).is_truthy() {
            self.heads.clear();
        }
        self.heads
            .push(plan.get(3).unchecked_into::<Uint8Array>().to_vec());
    }

    fn head(&self) -> Option<Vec<u8>> {
        self.heads.last().cloned()
    }

    fn heads(&self) -> Array {
        self.heads
            .iter()
            .map(|bytes| Uint8Array::from(&**bytes))
            .collect()
    }

    /// The values from record `from` on, as a database gives them.
    fn from(&self, from: f64) -> Array {
        let found = self
            .chunks
            .iter()
            .filter(|((last, _), _)| *last as f64 >= from);
        found.map(|(_, bytes)| Uint8Array::from(&**bytes)).collect()
    }

    /// A store that has read everything.
    fn read(&self, session: &JsValue) -> Result<RawStore, JsValue> {
        let store = RawStore::new();
        if let Some(from) = store.catch_up(session, &self.heads())? {
            store.load(session, &self.from(from))?;
        }
        Ok(store)
    }
}

/// An entry as the package hands it over.
fn entry(id: &str, reply: &str) -> JsValue {
    Object::freeze(value(&turn("s", id, reply)).unchecked_ref::<Object>()).into()
}

fn ids(store: &RawStore, session: &JsValue) -> Vec<String> {
    let list = store.newest(session, usize::MAX).unwrap();
    list.iter()
        .map(|entry| field(&field(&entry, "input"), "id").as_string().unwrap())
        .collect()
}

/// Appends one entry as the driver does; whether it was new.
fn append(store: &RawStore, table: &mut Table, session: &JsValue, entry: JsValue) -> bool {
    let ticket = store.enqueue(entry).unwrap();
    if !store.is_known(session).unwrap() {
        assert_eq!(store.catch_up(session, &table.heads()).unwrap(), None);
    }
    let plan = store.begin(session, vec![ticket]).unwrap();
    if !plan.is_undefined() {
        assert!(store.is_current(session, table.head()).unwrap());
        table.apply(&plan);
    }
    store.commit(session).unwrap();
    field(&store.settle(ticket).unwrap(), "inserted").as_f64() == Some(1.0)
}

#[wasm_bindgen_test]
fn what_was_appended_reads_back_elsewhere_and_few_chunks_hold_it() {
    let (session, store, mut table) = (JsValue::from("s"), RawStore::new(), Table::default());
    for number in 0..200 {
        assert!(append(
            &store,
            &mut table,
            &session,
            entry(&number.to_string(), "reply")
        ));
        assert!(!append(
            &store,
            &mut table,
            &session,
            entry(&number.to_string(), "reply")
        ));
    }
    assert!(append(
        &store,
        &mut table,
        &session,
        entry("large", &"😀".repeat(40_000))
    ));
    assert!(table.chunks.len() < 70, "{} chunks", table.chunks.len());
    let other = table.read(&session).unwrap();
    assert_eq!(ids(&other, &session), ids(&store, &session));
    let [a, b] = [&store, &other].map(|store| store.export_lines(&session).unwrap().to_vec());
    assert_eq!(a, b);
    let response = other.response(&session, &"7".into()).unwrap();
    assert_eq!(text(&response), r#"{"userMessage":"reply"}"#);
    assert!(other.has(&session, &"large".into()).unwrap());
    assert!(!other.has(&session, &"larger".into()).unwrap());
    let info = other.head_info(&session, &table.head().unwrap()).unwrap();
    assert_eq!(field(&info, "entries").as_f64(), Some(201.0));
}

#[wasm_bindgen_test]
fn a_write_that_does_not_happen_leaves_no_trace() {
    let (session, store, mut table) = (JsValue::from("s"), RawStore::new(), Table::default());
    append(&store, &mut table, &session, entry("a", "reply"));
    let ticket = store.enqueue(entry("b", "reply")).unwrap();
    assert!(!store.begin(&session, vec![ticket]).unwrap().is_undefined());
    store.rollback(&session).unwrap();
    assert_eq!(ids(&store, &session), ["a"]);
    assert!(!store.has(&session, &"b".into()).unwrap());
    assert_eq!(
        field(&store.settle(ticket).unwrap(), "inserted").as_f64(),
        Some(0.0)
    );
    assert!(append(&store, &mut table, &session, entry("b", "another")));
    assert_eq!(ids(&table.read(&session).unwrap(), &session), ["a", "b"]);
}

#[wasm_bindgen_test]
fn the_head_of_another_writer_is_noticed_and_what_it_wrote_is_read() {
    let (session, mut table) = (JsValue::from("s"), Table::default());
    let [one, two] = [RawStore::new(), RawStore::new()];
    append(&one, &mut table, &session, entry("a", "reply"));
    assert!(!two.is_current(&session, table.head()).unwrap());
    let from = two.catch_up(&session, &table.heads()).unwrap();
    assert_eq!(from, None, "the newest records come with the head");
    append(&two, &mut table, &session, entry("b", "reply"));
    assert!(!one.is_current(&session, table.head()).unwrap());
    assert_eq!(one.catch_up(&session, &table.heads()).unwrap(), None);
    assert_eq!(ids(&one, &session), ["a", "b"]);
    // Too many for the head's value.
    let more: Vec<String> = (0..9).map(|number| number.to_string()).collect();
    for id in &more {
        append(&two, &mut table, &session, entry(id, "reply"));
    }
    let from = one.catch_up(&session, &table.heads()).unwrap();
    assert_eq!(from, Some(2.0), "only what is new is read");
    assert_eq!(one.load(&session, &table.from(2.0)).unwrap(), 11.0);
    assert_eq!(ids(&one, &session)[2..], more);
    let all: Array = [entry("c", "reply"), entry("d", "reply")]
        .into_iter()
        .collect();
    table.apply(&one.begin_replace(&session, &all).unwrap());
    one.commit(&session).unwrap();
    assert_eq!(
        two.catch_up(&session, &table.heads()).unwrap(),
        Some(0.0),
        "nothing old is kept"
    );
    two.load(&session, &table.from(0.0)).unwrap();
    assert_eq!(ids(&two, &session), ["c", "d"]);
}

#[wasm_bindgen_test]
fn bytes_that_are_not_what_was_written_are_corrupt() {
    let (session, store, mut table) = (JsValue::from("s"), RawStore::new(), Table::default());
    for number in 0..12 {
        append(
            &store,
            &mut table,
            &session,
            entry(&number.to_string(), "reply"),
        );
    }
    let sound = table.heads.clone();
    *table.heads.last_mut().unwrap().last_mut().unwrap() ^= 1;
    assert_eq!(
        refusal(table.read(&session)).0,
        "corrupt",
        "records in the head's value"
    );
    table.heads = sound;
    let last = table.chunks.keys().last().copied().unwrap();
    table.chunks.get_mut(&last).unwrap()[40] ^= 1;
    assert_eq!(refusal(table.read(&session)).0, "corrupt");
    let text = RawStore::new();
    text.catch_up(&session, &table.heads()).unwrap();
    assert_eq!(
        refusal(text.load(&session, &Array::of1(&"text".into()))).0,
        "corrupt"
    );
    table.heads.last_mut().unwrap()[50] ^= 1;
    assert_eq!(refusal(table.read(&session)).0, "corrupt");
    assert_eq!(
        refusal(RawStore::new().head_info(&session, b"TLH\x03 of a later version")).0,
        "version_too_new"
    );
}

#[wasm_bindgen_test]
fn entries_in_memory_keep_their_object_and_lone_surrogates() {
    let (session, store) = (JsValue::from("s"), RawStore::new());
    let one = entry("a", r"half \ud83d");
    assert!(
        store
            .append_live(&session, &"a".into(), one.clone())
            .unwrap()
    );
    assert!(
        !store
            .append_live(&session, &"a".into(), one.clone())
            .unwrap()
    );
    assert!(js_sys::Object::is(
        &store.newest(&session, 1).unwrap().get(0),
        &one
    ));
    let lines = store.export_lines(&session).unwrap().to_vec();
    let copy = RawStore::new();
    let ticketed = copy.enqueue_lines(&lines).unwrap();
    assert_eq!(ticketed.get(0), session);
    let ticket = ticketed.get(1).as_f64().unwrap() as u32;
    copy.write_now(&session, ticket).unwrap();
    assert_eq!(
        field(&copy.settle(ticket).unwrap(), "inserted").as_f64(),
        Some(1.0)
    );
    let copied = copy.newest(&session, 1).unwrap().get(0);
    assert_eq!(
        JSON::stringify(&copied).unwrap(),
        JSON::stringify(&one).unwrap()
    );
    assert_eq!(copy.export_lines(&session).unwrap().to_vec(), lines);
    copy.forget(&session).unwrap();
    assert_eq!(copy.summaries().unwrap().length(), 0);
}

#[wasm_bindgen_test]
fn what_is_no_entry_or_no_export_is_refused_and_nothing_is_kept() {
    let (session, store) = (JsValue::from("s"), RawStore::new());
    for bad in ["null", "7", "[]", "{}", r#"{"kind":"turn"}"#] {
        assert_eq!(refusal(store.enqueue(value(bad))).0, "invalid", "{bad}");
    }
    for bad in ["", "{}", "not JSON", "{\"format\":\"turnlog/session\"}"] {
        let (code, path) = refusal(store.enqueue_lines(bad.as_bytes()));
        assert!(code == "invalid" || code == "not_json", "{bad}: {code}");
        assert!(path.is_some_and(|path| path.starts_with("[0]")), "{bad}");
    }
    let twice: Array = [entry("a", "x"), entry("a", "x")].into_iter().collect();
    assert_eq!(
        refusal(store.begin_replace(&session, &twice)),
        ("invalid".into(), Some("[1].input.id".into()))
    );
    assert_eq!(ids(&store, &session), Vec::<String>::new());
}
