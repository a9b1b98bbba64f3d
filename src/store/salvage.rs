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
    /// Positions of the heads that are not sound, among those given.
    pub heads: Vec<usize>,
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

/// Reads all values of a session, given in the order of their keys, and its `heads`, the newest one last.
///
/// # Errors
/// [`Unreadable::TooNew`] when any of it was written by a newer version: that is no damage, and stays as it is.
pub fn salvage(heads: &[Vec<u8>], values: &[Stored], owner: Owner) -> Result<Salvaged, Unreadable> {
    let (head, older) = match heads.split_last() {
        Some((newest, older)) => (Some(newest.as_slice()), older),
        None => (None, heads),
    };
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
    for inline in in_heads(heads, known.as_ref(), owner)? {
        match inline {
            Ok((chunk, told, frames)) => taken.take(&mut out.log, chunk, told, frames),
            Err(at) => out.heads.push(at),
        }
    }
    if known.is_none() && !heads.is_empty() {
        out.heads.push(heads.len() - 1);
    }
    out.heads.dedup();
    out.head |= !out.heads.is_empty();
    let told = values.last().map_or(0, |(last, _)| last.saturating_add(1));
    // Each head has at least one record more than the one before.
    let implied = former.map_or(told, |head| told.max(head.next + 1));
    let end = known.map_or(implied, |head| head.next).max(taken.next);
    // Sound records behind its end: the head is an old one.
    out.head |= known.is_some_and(|head| head.next < taken.next);
    out.lost = (end - taken.oldest.unwrap_or(end).min(end)).saturating_sub(taken.found);
    Ok(out)
}

/// A chunk in a head's value, or the head's position if that is not what was written.
type Inline<'a> = Result<(&'a [u8], u64, Vec<Frame>), usize>;

/// The chunks in the heads' values, in the order of their records. They tell their own place, whatever became of the words
/// before them. Of two that claim one place the later head's is true, the other one's write did not count; those before all
/// that the newest head looks for are no damage whatever they are.
fn in_heads<'a>(
    heads: &'a [Vec<u8>],
    known: Option<&Head>,
    owner: Owner,
) -> Result<Vec<Inline<'a>>, Unreadable> {
    let wanted = known.map_or(0, |head| head.inline);
    let mut reached = known.map_or(u64::MAX, |head| head.next);
    let mut found = Vec::new();
    for (at, value) in heads.iter().enumerate().rev() {
        let chunk = Head::inline_of(value).unwrap_or_default();
        if reached <= wanted {
            break;
        }
        if chunk.is_empty() {
            continue;
        }
        match decode(chunk, owner) {
            Err(Unreadable::TooNew) => return Err(Unreadable::TooNew),
            Err(Unreadable::Damaged) => found.push(Err(at)),
            Ok((told, frames)) if told < reached => {
                reached = (told + 1).saturating_sub(frames.len() as u64);
                found.push(Ok((chunk, told, frames)));
            }
            Ok(_) => {}
        }
    }
    found.reverse();
    Ok(found)
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
        let found = salvage(std::slice::from_ref(&head), &values, owner()).unwrap();
        assert!(!found.is_damage());
        assert_eq!(ids(&found.log), Vec::from_iter(1..22));
        assert!(!salvage(&[], &[], owner()).unwrap().is_damage());
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
                let found = salvage(std::slice::from_ref(&head), &values, owner()).unwrap();
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
            let found = salvage(std::slice::from_ref(&head), &values, owner()).unwrap();
            assert!(ids(&found.log).iter().all(|seq| seq / 2 != last / 2));
            assert_eq!(found.lost as usize, 21 - found.log.len());
        }
        let found = salvage(std::slice::from_ref(&head), &[], owner()).unwrap();
        assert_eq!((found.lost, found.log.len()), (19, 2));
    }

    #[test]
    fn without_a_head_everything_that_is_sound_is_there() {
        let (head, mut values) = session();
        let found = salvage(&[], &values, owner()).unwrap();
        assert!(found.head && found.lost == 0);
        assert_eq!(ids(&found.log), Vec::from_iter(0..20));
        values[4].1[40] ^= 1;
        let found = salvage(&[head[..9].to_vec()], &values, owner()).unwrap();
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
        let found = salvage(&[old.encode(owner(), b"")], &values, owner()).unwrap();
        assert!(found.head && found.lost == 0);
        assert_eq!(found.log.len(), 20);
    }

    /// The heads of writes that added these records to those of [`session`], one each.
    fn heads(seqs: std::ops::Range<u64>) -> Vec<Vec<u8>> {
        seqs.map(|seq| {
            let id = seq.to_string();
            let record = Record {
                id: id.as_bytes(),
                text: b"1",
            };
            let head = Head {
                next: seq + 1,
                first: 1,
                inline: 20,
                ..Head::empty(7)
            };
            head.encode(owner(), &encode([record], seq, owner()))
        })
        .collect()
    }

    #[test]
    fn a_damaged_head_costs_the_records_in_its_value_and_no_others() {
        let (_, values) = session();
        assert!(
            !salvage(&heads(20..24), &values, owner())
                .unwrap()
                .is_damage()
        );
        for at in 0..4 {
            let mut heads = heads(20..24);
            *heads[at].last_mut().unwrap() ^= 1;
            let found = salvage(&heads, &values, owner()).unwrap();
            let kept = (1..24).filter(|&seq| seq != 20 + at as u64);
            assert_eq!(ids(&found.log), Vec::from_iter(kept));
            assert_eq!((found.head, found.lost), (true, 1), "{at}");
        }
        // Its words alone, or all of it: those before it still say what had been cut.
        let mut newest = heads(20..24);
        newest[3][9] ^= 1;
        let found = salvage(&newest, &values, owner()).unwrap();
        assert_eq!(ids(&found.log), Vec::from_iter(1..24));
        newest[3].truncate(5);
        let found = salvage(&newest, &values, owner()).unwrap();
        assert_eq!(ids(&found.log), Vec::from_iter(1..23));
        assert_eq!((found.head, found.lost), (true, 1));
        let mut missing = heads(20..24);
        missing.remove(1);
        let found = salvage(&missing, &values, owner()).unwrap();
        assert_eq!((found.log.len(), found.lost), (22, 1));
    }

    #[test]
    fn a_write_that_did_not_count_takes_nobodys_place() {
        let (_, values) = session();
        let stray = heads(20..21).remove(0);
        let mut stored = heads(20..23);
        // Another record under the number of one that counts.
        let other = Record {
            id: b"999",
            text: b"1",
        };
        stored.insert(
            0,
            [&stray[..100], &encode([other], 21, owner())[..]].concat(),
        );
        let found = salvage(&stored, &values, owner()).unwrap();
        assert!(!found.is_damage());
        assert_eq!(ids(&found.log), Vec::from_iter(1..23));
    }

    #[test]
    fn a_value_of_another_place_is_damage() {
        let (head, mut values) = session();
        values[1].1 = values[0].1.clone();
        let found = salvage(std::slice::from_ref(&head), &values, owner()).unwrap();
        assert_eq!((found.damaged.as_slice(), found.lost), (&[1][..], 2));
    }

    #[test]
    fn what_is_newer_is_left_alone() {
        let (mut head, mut values) = session();
        values[2].1[3] = 9;
        assert_eq!(
            salvage(std::slice::from_ref(&head), &values, owner()).err(),
            Some(Unreadable::TooNew)
        );
        head[3] = 9;
        assert_eq!(
            salvage(std::slice::from_ref(&head), &[], owner()).err(),
            Some(Unreadable::TooNew)
        );
    }
}
