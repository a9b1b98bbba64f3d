//! What can still be read of a session whose stored records are damaged.
//!
//! A chunk tells its own place and carries a check value, so those that are sound can be put back in order
//! without the others, and without the head. What is not sound is named, so that it can be kept aside: nothing
//! is repaired by guessing (spec 5, promise 5).

use super::chunk::{Frame, MAX_PART, Owner, Unreadable, decode};
use super::head::Head;
use super::log::{Log, Record};

/// A stored value with its key's last sequence number.
pub type Stored = (u64, Vec<u8>);

/// See the module's head.
#[derive(Debug, Default)]
pub struct Salvaged {
    /// The records of the sound chunks, in order.
    pub log: Log,
    /// Positions of the values that are not sound, among those given.
    pub damaged: Vec<usize>,
    /// Whether the head was missing or not sound.
    pub head: bool,
    /// How many records are lost, as far as that can be told.
    pub lost: u64,
}

impl Salvaged {
    /// Whether anything was wrong.
    pub fn is_damage(&self) -> bool {
        self.head || self.lost > 0 || !self.damaged.is_empty()
    }
}

/// How far the records were taken.
struct Taken {
    next: u64,
    oldest: Option<u64>,
    found: u64,
}

impl Taken {
    /// Takes the records of a sound chunk that are not there yet.
    fn take(&mut self, log: &mut Log, chunk: &[u8], last: u64, frames: Vec<Frame>) {
        let from = last + 1 - frames.len() as u64;
        self.oldest = self.oldest.or(Some(from));
        for (seq, (id, text)) in (from..).zip(frames) {
            let slice = |range: [u32; 2]| &chunk[range[0] as usize..range[1] as usize];
            // What was cut away stays so, and no id comes twice whatever the chunks say.
            if seq >= self.next && log.find(slice(id)).is_none() {
                log.push(Record {
                    id: slice(id),
                    text: slice(text),
                });
                self.found += 1;
            }
        }
        self.next = self.next.max(last + 1);
    }

    /// There was a record of this number, whatever was before it.
    fn miss(&mut self, last: u64) {
        self.oldest = self.oldest.or(Some(last));
    }
}

/// Reads all values of a session, given in the order of their keys, its head, and the `older` heads that are still
/// stored, in their order: where the newest one is damaged, most of what stood in it stands in the one before.
///
/// # Errors
/// [`Unreadable::TooNew`] when any of it was written by a newer version: that is no damage, and stays as it is.
pub fn salvage(
    head: Option<&[u8]>,
    older: &[Vec<u8>],
    values: &[Stored],
    owner: Owner,
) -> Result<Salvaged, Unreadable> {
    let known = match head.map(|bytes| Head::decode(bytes, owner)) {
        Some(Err(Unreadable::TooNew)) => return Err(Unreadable::TooNew),
        Some(Ok(stored)) => Some(stored.head),
        Some(Err(Unreadable::Damaged)) | None => None,
    };
    let former = older
        .iter()
        .rev()
        .find_map(|bytes| Head::decode(bytes, owner).ok())
        .map(|stored| stored.head);
    // The chunk in the head's value tells its own place too, whatever became of the words before it.
    let inline = head
        .and_then(Head::inline_of)
        .filter(|chunk| !chunk.is_empty());
    let mut out = Salvaged {
        head: known.is_none() && (head.is_some() || !values.is_empty()),
        ..Salvaged::default()
    };
    let first = known.or(former).map(|head| head.first);
    let mut taken = Taken {
        next: first.unwrap_or_default(),
        oldest: first,
        found: 0,
    };
    let mut at = 0;
    for parts in values.chunk_by(|(a, _), (b, _)| a == b) {
        let positions = at..at + parts.len();
        at = positions.end;
        let last = parts[0].0;
        // All parts but the last are full, or bytes of one would be read in the place of another's.
        let whole = parts[..parts.len() - 1]
            .iter()
            .all(|(_, bytes)| bytes.len() == MAX_PART);
        if !whole {
            out.damaged.extend(positions);
            taken.miss(last);
            continue;
        }
        let chunk: Vec<u8> = parts.iter().flat_map(|(_, bytes)| bytes).copied().collect();
        let (told, frames) = match decode(&chunk, owner) {
            Err(Unreadable::TooNew) => return Err(Unreadable::TooNew),
            Ok(sound) if sound.0 == last => sound,
            _ => {
                out.damaged.extend(positions);
                taken.miss(last);
                continue;
            }
        };
        taken.take(&mut out.log, &chunk, told, frames);
    }
    for chunk in older.iter().filter_map(|bytes| Head::inline_of(bytes)) {
        if let Ok((told, frames)) = decode(chunk, owner) {
            taken.take(&mut out.log, chunk, told, frames);
        }
    }
    if let Some(chunk) = inline {
        match decode(chunk, owner) {
            Err(Unreadable::TooNew) => return Err(Unreadable::TooNew),
            Ok((told, frames)) => taken.take(&mut out.log, chunk, told, frames),
            Err(Unreadable::Damaged) => out.head = true,
        }
    }
    let told = values.last().map_or(0, |(last, _)| last.saturating_add(1));
    // Each head has at least one record more than the one before.
    let implied = former.map_or(told, |head| told.max(head.next + 1));
    let end = known.map_or(implied, |head| head.next).max(taken.next);
    // Sound records behind its end: the head is an old one.
    out.head |= known.is_some_and(|head| head.next < taken.next);
    out.lost = (end - taken.oldest.unwrap_or(end).min(end)).saturating_sub(taken.found);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::chunk::{encode, parts};
    use super::*;
    use crate::protocol::SessionId;

    fn owner() -> Owner {
        Owner::of(&SessionId::new("s").unwrap())
    }

    /// Ten chunks of two records each, the fourth of them in parts; and their head, with two more.
    fn session() -> (Vec<u8>, Vec<Stored>) {
        let mut values = Vec::new();
        for chunk in 0..10u64 {
            let ids = [chunk * 2, chunk * 2 + 1].map(|n| n.to_string());
            let text = vec![b'1'; if chunk == 3 { MAX_PART } else { 9 }];
            let records = ids.iter().map(|id| Record {
                id: id.as_bytes(),
                text: &text,
            });
            let last = chunk * 2 + 1;
            values.extend(parts(&encode(records, last, owner())).map(|part| (last, part.to_vec())));
        }
        let head = Head {
            next: 22,
            first: 1,
            inline: 20,
            ..Head::empty(7)
        };
        let newest = ["20", "21"].map(|id| Record {
            id: id.as_bytes(),
            text: b"1",
        });
        (head.encode(owner(), &encode(newest, 21, owner())), values)
    }

    fn ids(log: &Log) -> Vec<u64> {
        (0..log.len())
            .map(|at| {
                String::from_utf8(log.id(at).to_vec())
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect()
    }

    #[test]
    fn sound_values_are_no_damage() {
        let (head, values) = session();
        let found = salvage(Some(&head), &[], &values, owner()).unwrap();
        assert!(!found.is_damage());
        assert_eq!(ids(&found.log), Vec::from_iter(1..22));
        assert!(!salvage(None, &[], &[], owner()).unwrap().is_damage());
    }

    #[test]
    fn a_damaged_value_costs_its_chunk_and_no_other() {
        let (head, values) = session();
        for at in 0..values.len() {
            for damage in [0, 1, 2] {
                let mut values = values.clone();
                let last = values[at].0;
                match damage {
                    0 => values[at].1[5] ^= 1,
                    1 => values[at].1.truncate(3),
                    _ => values[at].1.clear(),
                }
                let found = salvage(Some(&head), &[], &values, owner()).unwrap();
                let kept = (1..22).filter(|seq| seq / 2 != last / 2);
                assert_eq!(ids(&found.log), Vec::from_iter(kept));
                assert!(found.damaged.contains(&at) && !found.head);
                assert_eq!(found.lost, if last == 1 { 1 } else { 2 });
            }
        }
    }

    #[test]
    fn a_missing_value_is_counted() {
        let (head, values) = session();
        for at in 0..values.len() {
            let mut values = values.clone();
            let last = values.remove(at).0;
            let found = salvage(Some(&head), &[], &values, owner()).unwrap();
            assert!(ids(&found.log).iter().all(|seq| seq / 2 != last / 2));
            assert_eq!(found.lost as usize, 21 - found.log.len());
        }
        let found = salvage(Some(&head), &[], &[], owner()).unwrap();
        assert_eq!((found.lost, found.log.len()), (19, 2));
    }

    #[test]
    fn without_a_head_everything_that_is_sound_is_there() {
        let (head, mut values) = session();
        let found = salvage(None, &[], &values, owner()).unwrap();
        assert!(found.head && found.lost == 0);
        assert_eq!(ids(&found.log), Vec::from_iter(0..20));
        values[4].1[40] ^= 1;
        let found = salvage(Some(&head[..9]), &[], &values, owner()).unwrap();
        assert!(found.head);
        assert_eq!((found.log.len(), found.lost), (18, 2));
    }

    #[test]
    fn an_old_head_hides_nothing() {
        let (_, values) = session();
        let old = Head {
            next: 8,
            inline: 8,
            ..Head::empty(7)
        };
        let found = salvage(Some(&old.encode(owner(), b"")), &[], &values, owner()).unwrap();
        assert!(found.head && found.lost == 0);
        assert_eq!(found.log.len(), 20);
    }

    #[test]
    fn what_a_damaged_head_held_is_taken_from_those_before_it() {
        let (mut newest, values) = session();
        let stored = |next: u64| {
            let ids = (20..next).map(|n| n.to_string()).collect::<Vec<_>>();
            let records = ids.iter().map(|id| Record {
                id: id.as_bytes(),
                text: b"1",
            });
            let head = Head {
                next,
                first: 1,
                inline: 20,
                ..Head::empty(7)
            };
            head.encode(owner(), &encode(records, next - 1, owner()))
        };
        // Both the words and the records: the newest record is lost, and the cut is not.
        newest[9] ^= 1;
        *newest.last_mut().unwrap() ^= 1;
        let older = [stored(21)];
        let found = salvage(Some(&newest), &older, &values, owner()).unwrap();
        assert_eq!(ids(&found.log), Vec::from_iter(1..21));
        assert!(found.head);
        assert_eq!(found.lost, 1);
        // A sound head is not doubted for what stands before it.
        let sound = salvage(Some(&stored(22)), &older, &values, owner()).unwrap();
        assert!(!sound.is_damage());
        assert_eq!(sound.log.len(), 21);
    }

    #[test]
    fn a_value_of_another_place_is_damage() {
        let (head, mut values) = session();
        values[1].1 = values[0].1.clone();
        let found = salvage(Some(&head), &[], &values, owner()).unwrap();
        assert_eq!((found.damaged.as_slice(), found.lost), (&[1][..], 2));
    }

    #[test]
    fn what_is_newer_is_left_alone() {
        let (mut head, mut values) = session();
        values[2].1[3] = 9;
        assert_eq!(
            salvage(Some(&head), &[], &values, owner()).err(),
            Some(Unreadable::TooNew)
        );
        head[3] = 9;
        assert_eq!(
            salvage(Some(&head), &[], &[], owner()).err(),
            Some(Unreadable::TooNew)
        );
    }
}
