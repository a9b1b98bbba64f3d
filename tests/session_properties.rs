//! Several sessions over one stored table, as tabs over one database: whatever the interleaving, what is
//! acknowledged is stored once, in one order, and each tab's memory is what is stored.

#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;
use turnlog::history::{
    Bounds, Document, Hooks, Item, Retention, Rules, TextDocument, same_content,
};
use turnlog::protocol::Error;
use turnlog::store::chunk::{Owner, span};
use turnlog::store::head::Head;
use turnlog::store::plan::Plan;
use turnlog::store::{Group, Session};

/// The two object stores of one session.
#[derive(Default)]
struct Table {
    chunks: BTreeMap<(u64, u32), Vec<u8>>,
    /// The values of the heads that are still stored, the newest one last.
    heads: Vec<Vec<u8>>,
}

impl Table {
    fn apply(&mut self, plan: &Plan) {
        for &(from, to) in &plan.deletes {
            self.chunks.retain(|&(last, _), _| last < from || last > to);
        }
        for put in &plan.puts {
            self.chunks
                .insert((put.last_seq, put.part), put.bytes.clone());
        }
        if plan.sweeps || plan.head.entries() == 0 {
            self.heads.clear();
        }
        if plan.head.entries() > 0 {
            self.heads.push(plan.head_value(Owner::default()));
        }
    }

    fn head(&self) -> Option<&[u8]> {
        self.heads.last().map(Vec::as_slice)
    }

    /// What the database's driver does to make a session's records those that are stored.
    fn refresh(&self, tab: &Session<TextDocument>) {
        while let Some(missing) = tab.catch_up(&self.heads).unwrap() {
            let values = self
                .chunks
                .range((missing, 0)..)
                .map(|(_, value)| value.clone());
            assert!(
                tab.load(values.take(3), 0).unwrap() > missing,
                "reading makes progress"
            );
        }
    }
}

struct NoHooks;

impl Hooks<TextDocument> for NoHooks {
    fn transform(&self, _entry: &TextDocument) -> Option<Result<TextDocument, Error>> {
        None
    }

    fn derive(&self, entry: &TextDocument) -> Result<TextDocument, Error> {
        Ok(entry.clone())
    }

    fn derives(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A tab appends these ids, with at most so many entries kept.
    Append(usize, Vec<u8>, Option<u64>),
    /// Another tab's write comes first, or the transaction fails.
    Fail(usize, Vec<u8>),
    Replace(usize, Vec<u8>),
    Refresh(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let ids = || prop::collection::vec(0u8..60, 1..6);
    prop_oneof![
        6 => (0usize..3, ids(), prop::option::weighted(0.3, 1u64..20)).prop_map(|(tab, ids, keep)| Step::Append(tab, ids, keep)),
        2 => (0usize..3, ids()).prop_map(|(tab, ids)| Step::Fail(tab, ids)),
        1 => (0usize..3, prop::collection::btree_set(0u8..60, 0..6)).prop_map(|(tab, ids)| Step::Replace(tab, ids.into_iter().collect())),
        2 => (0usize..3).prop_map(Step::Refresh),
    ]
}

fn item(id: u8) -> Item<TextDocument> {
    // Now and then a record of several parts.
    let content = "x".repeat(if id == 7 {
        70_000
    } else {
        usize::from(id) * 40
    });
    let text = format!(
        r#"{{"kind":"injection","input":{{"type":"assistant_message","id":"{id}","sessionId":"s","timestamp":{id},"content":"{content}"}}}}"#
    );
    Item::of(TextDocument::from(text.as_str())).unwrap()
}

fn group(ids: &[u8], keep: Option<u64>) -> Rc<Group<TextDocument>> {
    let rules = keep.map(|max| Rules {
        bounds: Bounds {
            max_entries: Some(max),
            max_chars: None,
        },
        retention: Retention::Truncate,
        hooks: Rc::new(NoHooks) as Rc<dyn Hooks<TextDocument>>,
    });
    Rc::new(Group::new(
        ids.iter().map(|&id| item(id)).collect(),
        same_content,
        rules,
    ))
}

fn ids_of(tab: &Session<TextDocument>) -> Vec<u8> {
    let id = |index| {
        String::from_utf8(tab.resident.with_log(|log| log.id(index).to_vec()))
            .unwrap()
            .parse()
            .unwrap()
    };
    (0..tab.resident.len()).map(id).collect()
}

/// A head without the records in its value.
const HEAD_BYTES: usize = 100;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tabs_agree_on_one_order_whatever_the_interleaving(steps in prop::collection::vec(step(), 1..50)) {
        let mut table = Table::default();
        let tabs: [Session<TextDocument>; 3] = Default::default();
        let mut model: Vec<u8> = Vec::new();
        let mut epoch = 0;
        for step in steps {
            epoch += 1;
            match step {
                Step::Append(tab, ids, keep) => {
                    let tab = &tabs[tab];
                    let group = group(&ids, keep);
                    // First on what the tab knows, then on what is stored.
                    let mut plan = tab.begin(vec![Rc::clone(&group)], epoch).unwrap();
                    if !tab.is_current(table.head()).unwrap() {
                        tab.rollback();
                        table.refresh(tab);
                        plan = tab.begin(vec![Rc::clone(&group)], epoch).unwrap();
                    }
                    if let Some(plan) = &plan {
                        table.apply(plan);
                    }
                    tab.commit();
                    let mut inserted = Vec::new();
                    for id in ids {
                        inserted.push(!model.contains(&id));
                        if !model.contains(&id) {
                            model.push(id);
                        }
                    }
                    if let Some(keep) = keep.filter(|_| plan.is_some()) {
                        model.drain(..model.len().saturating_sub(keep as usize));
                    }
                    let outcomes: Vec<bool> = group.outcome.borrow().iter().map(|outcome| outcome.inserted).collect();
                    prop_assert_eq!(outcomes, inserted);
                    prop_assert_eq!(ids_of(tab), model.clone());
                }
                Step::Fail(tab, ids) => {
                    let before = ids_of(&tabs[tab]);
                    tabs[tab].begin(vec![group(&ids, None)], epoch).unwrap();
                    tabs[tab].rollback();
                    prop_assert_eq!(ids_of(&tabs[tab]), before, "memory is what is durable after a failed write");
                }
                Step::Replace(tab, ids) => {
                    let items: Vec<_> = ids.iter().map(|&id| item(id)).collect();
                    let plan = tabs[tab].begin_replace(&items, epoch).unwrap();
                    table.apply(&plan);
                    tabs[tab].commit();
                    model = ids;
                    prop_assert_eq!(ids_of(&tabs[tab]), model.clone());
                }
                Step::Refresh(tab) => {
                    table.refresh(&tabs[tab]);
                    prop_assert_eq!(ids_of(&tabs[tab]), model.clone());
                }
            }
        }
        for tab in &tabs {
            table.refresh(tab);
            prop_assert_eq!(ids_of(tab), model.clone());
        }
        let fresh = Session::default();
        table.refresh(&fresh);
        let texts: Vec<_> = fresh.resident.newest(usize::MAX).iter().map(Document::text).collect();
        let expected: Vec<_> = model.iter().map(|&id| item(id).entry.text()).collect();
        prop_assert_eq!(texts, expected);
    }

    #[test]
    fn damaged_bytes_are_refused_and_never_a_panic(
        ids in prop::collection::btree_set(0u8..60, 1..20),
        at in any::<prop::sample::Index>(),
        flip in 1u8..,
        cut in any::<bool>(),
    ) {
        let mut table = Table::default();
        let writer = Session::default();
        let ids: Vec<u8> = ids.into_iter().collect();
        table.apply(&writer.begin(vec![group(&ids, None)], 1).unwrap().unwrap());
        // A chunk, or the head with the records in its value.
        let value = match table.chunks.keys().copied().nth(at.index(table.chunks.len() + 1)) {
            Some(key) => table.chunks.get_mut(&key).unwrap(),
            None => table.heads.last_mut().unwrap(),
        };
        let byte = at.index(value.len());
        if cut {
            value.truncate(byte);
        } else {
            value[byte] ^= flip;
        }
        let reader = Session::<TextDocument>::default();
        let read = match reader.catch_up(&table.heads) {
            Ok(Some(missing)) => reader.load(table.chunks.range((missing, 0)..).map(|(_, value)| value.clone()), 0),
            Ok(None) => Ok(reader.resident.len() as u64),
            Err(error) => Err(error),
        };
        // Damage shows as an error, or as records that do not come; a write on top is refused then.
        let complete = read.as_ref().is_ok_and(|&next| next == ids.len() as u64);
        prop_assert!(!complete);
        prop_assert!(!reader.is_known() || reader.begin(vec![group(&[1], None)], 2).is_err());
    }

    #[test]
    fn a_salvage_keeps_every_sound_chunk_in_order_and_says_what_is_lost(
        writes in prop::collection::vec((1u8..6, prop::option::weighted(0.2, 1u64..20)), 1..30),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u8..3), 1..4),
        head_damage in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut table = Table::default();
        let writer = Session::default();
        let mut next_id = 0;
        for (count, keep) in writes {
            let ids: Vec<u8> = (next_id..next_id + count).collect();
            next_id += count;
            table.apply(&writer.begin(vec![group(&ids, keep)], 1).unwrap().unwrap());
            writer.commit();
        }
        let before = ids_of(&writer);
        let (sound, sound_heads) = (table.chunks.clone(), table.heads.clone());
        let newest = Head::decode(sound_heads.last().unwrap(), Owner::default()).unwrap().head;
        for (which, at, kind) in damages {
            let Some(&key) = table.chunks.keys().nth(which.index(table.chunks.len().max(1))) else { continue };
            let value = table.chunks.get_mut(&key).unwrap();
            match kind {
                // The version byte is left alone: a later version is no damage.
                0 if !value.is_empty() => {
                    let byte = at.index(value.len());
                    value[if byte == 3 { 2 } else { byte }] ^= 0x10;
                }
                1 => value.truncate(at.index(value.len().max(1))),
                _ => drop(table.chunks.remove(&key)),
            }
        }
        if let Some(at) = head_damage {
            let head = table.heads.last_mut().unwrap();
            let byte = at.index(head.len());
            // Nor are the version bytes of the head and of the chunk in its value.
            head[if byte == 3 || byte == HEAD_BYTES + 3 { 4 } else { byte }] ^= 1;
        }
        // A chunk is sound when all its parts are as they were.
        let is_sound = |last: u64| sound.range((last, 0)..=(last, u32::MAX)).eq(table.chunks.range((last, 0)..=(last, u32::MAX)));
        // Only the newest head is damaged; its own records are behind all others.
        let own_is_sound = sound_heads.last().unwrap()[HEAD_BYTES..] == table.head().unwrap()[HEAD_BYTES..];
        let own = span(&sound_heads.last().unwrap()[HEAD_BYTES..]).map_or(newest.next, |(from, _)| from);
        // Every record was appended, so its id is its number.
        let kept: Vec<u8> = before.iter().copied().filter(|&seq| {
            match sound.keys().map(|key| key.0).find(|&last| last >= u64::from(seq)) {
                Some(last) => is_sound(last),
                None => own_is_sound || u64::from(seq) < own,
            }
        }).collect();

        let values: Vec<_> = table.chunks.iter().map(|(key, value)| (key.0, value.clone())).collect();
        let reader = Session::<TextDocument>::default();
        let repair = reader.begin_salvage(&table.heads, &values, 9).unwrap();
        let Some(repair) = repair else {
            prop_assert_eq!(kept, before, "nothing was damaged after all");
            return Ok(());
        };
        if head_damage.is_none() {
            prop_assert_eq!(repair.lost as usize, before.len() - kept.len());
        }
        prop_assert_eq!(repair.head, head_damage.is_some());
        table.apply(&repair.plan);
        reader.commit();
        // Without its head, what had been cut from sound chunks may come back, before all else.
        let found = ids_of(&reader);
        prop_assert!(found.ends_with(&kept), "{:?} {:?}", found, kept);
        prop_assert!(head_damage.is_some() || found == kept);
        let fresh = Session::default();
        table.refresh(&fresh);
        prop_assert_eq!(ids_of(&fresh), found);
    }
}
