//! The engine on both kinds of history: a store that cuts while it appends, and one with five methods.

#![cfg(not(target_arch = "wasm32"))]

use futures::executor::block_on;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use turnlog::history::{
    Bounds, Document, Engine, FiveMethods, Handled, History, HistoryStore, Hooks, Planner,
    PlannerContext, Retention, Rules, Task, TextDocument, check_entry, messages_units,
};
use turnlog::protocol::{Error, SessionId};
use turnlog::store::MemoryStore;

/// Answers with as many letters as the user's text asks for, and notes the context it was given.
#[derive(Default)]
struct Letters(RefCell<Vec<String>>);

impl Planner<TextDocument> for Letters {
    fn plan<'a>(
        &'a self,
        request: &'a TextDocument,
        context: PlannerContext<TextDocument>,
    ) -> Task<'a, TextDocument> {
        self.0.borrow_mut().push(text(&context.prior.messages));
        let request: serde_json::Value = serde_json::from_slice(&request.text()).unwrap();
        let letters = "x".repeat(request["letters"].as_u64().unwrap() as usize);
        Box::pin(async move {
            Ok(TextDocument::from(
                format!("{{\"userMessage\":\"{letters}\"}}").as_str(),
            ))
        })
    }
}

/// A hook that tries to rewrite the identity and leaves its mark.
struct Rewriting(Option<String>);

impl Hooks<TextDocument> for Rewriting {
    fn transform(&self, _entry: &TextDocument) -> Option<Result<TextDocument, Error>> {
        self.0.as_deref().map(|text| Ok(TextDocument::from(text)))
    }

    fn derive(&self, _entry: &TextDocument) -> Result<TextDocument, Error> {
        Ok(TextDocument::from("[]"))
    }

    fn derives(&self) -> bool {
        false
    }
}

fn rules(bounds: Bounds, hook: Option<String>) -> Rules<TextDocument> {
    Rules {
        bounds,
        retention: Retention::Truncate,
        hooks: Rc::new(Rewriting(hook)),
    }
}

fn text(document: &TextDocument) -> String {
    String::from_utf8(document.text().to_vec()).unwrap()
}

fn request(id: usize, intent: &str, letters: usize) -> TextDocument {
    let text = format!(
        r#"{{"type":"chart_request","id":"m{id}","sessionId":"s","timestamp":{id},"reasons":[{{"kind":"user_intent","text":"{intent}"}}],"letters":{letters}}}"#
    );
    TextDocument::from(text.as_str())
}

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

fn entries(store: &MemoryStore<TextDocument>) -> Vec<TextDocument> {
    block_on(HistoryStore::get(store, &session())).unwrap()
}

fn units_of(letters: &[(usize, usize)]) -> Vec<u64> {
    letters
        .iter()
        .map(|(intent, answer)| (intent + answer) as u64)
        .collect()
}

/// The rule in the words of seed 001, on sizes.
fn expected_suffix(sizes: &[u64], bounds: Bounds) -> usize {
    let mut kept = 0;
    let mut chars = 0;
    for size in sizes.iter().rev() {
        if bounds.max_entries.is_some_and(|max| kept as u64 >= max) {
            break;
        }
        chars += size;
        if kept > 0 && bounds.max_chars.is_some_and(|max| chars > max) {
            break;
        }
        kept += 1;
    }
    kept
}

fn bound() -> impl Strategy<Value = Bounds> {
    let limit = |most: u64| prop::option::of(1..most);
    (limit(6), limit(60)).prop_map(|(max_entries, max_chars)| Bounds {
        max_entries,
        max_chars,
    })
}

fn conversation(
    history: Rc<dyn History<TextDocument>>,
    bounds: Bounds,
    turns: &[(usize, usize)],
) -> Vec<String> {
    let engine = Engine::remembering(history, rules(bounds, None));
    let planner = Letters::default();
    for (id, (intent, answer)) in turns.iter().enumerate() {
        let handled =
            block_on(engine.handle(&request(id, &"u".repeat(*intent), *answer), &planner)).unwrap();
        assert!(matches!(
            handled,
            Handled::Response {
                replayed: false,
                conflict: false,
                ..
            }
        ));
    }
    planner.0.take()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_kept_is_the_suffix_of_the_rule_on_both_kinds_of_history(
        turns in prop::collection::vec((0usize..20, 0usize..40), 1..25),
        bounds in bound(),
    ) {
        let (cutting, plain) = (MemoryStore::new(), MemoryStore::new());
        let seen = conversation(Rc::new(cutting.clone()), bounds, &turns);
        let seen_plain = conversation(Rc::new(FiveMethods::new(plain.clone())), bounds, &turns);
        prop_assert_eq!(&seen, &seen_plain, "both give the planner the same context");
        let kept = entries(&cutting);
        prop_assert_eq!(&kept, &entries(&plain));

        // Cut after every write, a session keeps what cutting once at the end would keep.
        let sizes = units_of(&turns);
        let suffix = expected_suffix(&sizes, bounds);
        let ids: Vec<String> = kept.iter().map(|entry| check_entry(&entry.text()).unwrap().id.decode().unwrap().into_owned()).collect();
        let expected: Vec<String> = (turns.len() - suffix..turns.len()).map(|id| format!("m{id}")).collect();
        prop_assert_eq!(ids, expected, "a contiguous suffix with the newest entry");

        // What the planner sees is within the budget, but for a single newest entry.
        for context in &seen {
            let (units, messages) = (messages_units(context.as_bytes()).unwrap(), context.matches("\"role\"").count());
            prop_assert!(messages <= 2 || bounds.max_chars.is_none_or(|max| units <= max));
        }
    }

    #[test]
    fn cutting_again_changes_nothing(
        turns in prop::collection::vec((0usize..20, 0usize..40), 1..25),
        bounds in bound(),
    ) {
        let store = MemoryStore::new();
        conversation(Rc::new(store.clone()), bounds, &turns);
        let before = entries(&store);
        // A duplicate writes nothing and cuts nothing; a cut by the same bounds finds nothing to cut.
        let engine = Engine::remembering(Rc::new(store.clone()), rules(bounds, None));
        let last = turns.len() - 1;
        let again = request(last, &"u".repeat(turns[last].0), turns[last].1);
        let handled = block_on(engine.handle(&again, &Letters::default())).unwrap();
        let replayed = matches!(handled, Handled::Response { replayed: true, conflict: false, .. });
        prop_assert!(replayed);
        prop_assert_eq!(store.session(&session()).resident.with_log(|log| log.len()), before.len());
        prop_assert_eq!(entries(&store), before);
    }

    #[test]
    fn no_hook_can_change_who_an_entry_is(
        id in prop::option::of("[a-z]{1,3}|m0"),
        session_id in prop::option::of("[a-z]{1,3}|s"),
        timestamp in prop::option::of(any::<i32>()),
        kind in prop::sample::select(vec!["turn", "injection", "other"]),
        order in Just(()).prop_perturb(|_, mut rng| rng.random_bool(0.5)),
    ) {
        let mut input = vec![r#""type":"chart_request","reasons":[]"#.to_owned()];
        input.extend(id.map(|id| format!("\"id\":\"{id}\"")));
        input.extend(session_id.map(|id| format!("\"sessionId\":\"{id}\"")));
        input.extend(timestamp.map(|at| format!("\"timestamp\":{at}")));
        if order {
            input.reverse();
        }
        let returned = format!(
            r#"{{"metadata":{{"mark":1}},"kind":"{kind}","input":{{{}}},"output":{{"userMessage":"new"}}}}"#,
            input.join(",")
        );
        let store = MemoryStore::new();
        let engine = Engine::remembering(Rc::new(store.clone()), rules(Bounds::default(), Some(returned)));
        block_on(engine.handle(&request(0, "u", 1), &Letters::default())).unwrap();
        let stored = entries(&store);
        prop_assert_eq!(stored.len(), 1);
        let entry: serde_json::Value = serde_json::from_slice(&stored[0].text()).unwrap();
        prop_assert_eq!(&entry["kind"], "turn");
        prop_assert_eq!(&entry["input"]["id"], "m0");
        prop_assert_eq!(&entry["input"]["sessionId"], "s");
        prop_assert_eq!(&entry["input"]["timestamp"], 0);
        prop_assert_eq!(&entry["metadata"]["mark"], 1);
        prop_assert_eq!(&entry["output"]["userMessage"], "new");
    }
}

#[test]
fn an_engine_without_history_answers_alone_and_refuses_injections() {
    let engine = Engine::stateless();
    let planner = Letters::default();
    for id in 0..2 {
        block_on(engine.handle(&request(id, "u", 3), &planner)).unwrap();
    }
    assert_eq!(planner.0.take(), ["[]", "[]"]);
    let injection = TextDocument::from(
        r#"{"type":"assistant_message","id":"a","sessionId":"s","timestamp":1,"content":"c"}"#,
    );
    let refused = block_on(engine.handle(&injection, &planner)).unwrap_err();
    assert_eq!(refused.path.as_deref(), Some("history"));
}
