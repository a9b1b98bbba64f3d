//! Where an event stands, and what it has to do with others (spec 2-session.md, section 13).
//!
//! An index is built once, linear in the log and its replacements; each question then costs what its answer is long.
//! It is about one moment: events appended later are not in it.

use super::error::{SessionCode, SessionError};
use super::event::{Event, items, safe_integer};
use super::fold::Replacement;
use super::object::object;

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On the surface.
    Current,
    /// Was on the surface until it was replaced.
    Shadowed,
    /// Never was on the surface.
    LogOnly,
}

impl Placement {
    /// The name JavaScript sees.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Shadowed => "shadowed",
            Self::LogOnly => "log-only",
        }
    }
}

/// What one event has to do with others. All are sequence numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    /// Where the event stands.
    pub placement: Placement,
    /// What replaced it, what replaced that, and so on to the last; empty unless it is shadowed.
    pub replacers: Vec<u64>,
    /// The events it replaced itself, in surface order.
    pub replaced: &'a [u64],
    /// Its sources as it names them; `None` if they were not recorded.
    pub sources: Option<&'a [u64]>,
    /// Later events that name it among their sources, oldest first.
    pub cited_by: &'a [u64],
}

impl Trace<'_> {
    /// The JSON text `{placement, replacers, replaced, sources?, citedBy}`.
    pub fn to_json(&self) -> Vec<u8> {
        let list = |seqs: &[u64]| {
            let seqs: Vec<String> = seqs.iter().map(u64::to_string).collect();
            format!("[{}]", seqs.join(",")).into_bytes()
        };
        let placement = format!("\"{}\"", self.placement.as_str());
        object(&[
            ("placement", Some(placement.as_bytes())),
            ("replacers", Some(&list(&self.replacers))),
            ("replaced", Some(&list(self.replaced))),
            ("sources", self.sources.map(list).as_deref()),
            ("citedBy", Some(&list(self.cited_by))),
        ])
    }

    /// What replaced the event immediately.
    pub fn replacer(&self) -> Option<u64> {
        self.replacers.first().copied()
    }
}

/// The index that answers where each event stands.
#[derive(Clone, Debug)]
pub struct PlacementIndex {
    placements: Vec<Placement>,
    /// The immediate replacer of each event. Always later than the event, so following them ends.
    replacers: Vec<Option<u64>>,
    replaced: Lists,
    has_sources: Vec<bool>,
    sources: Lists,
    cited_by: Lists,
}

impl PlacementIndex {
    /// Reads a log of checked JSON texts whose surface has these nodes after these replacements. What is not of the log, or
    /// not later than what it replaces or names, is passed over.
    pub fn new(events: &[&[u8]], nodes: &[u64], replacements: &[Replacement]) -> Self {
        let len = events.len();
        let replaced = replaced_pairs(len, replacements);
        let (has_sources, sources) = source_pairs(events);
        let mut replacers = vec![None; len];
        let mut placements = vec![Placement::LogOnly; len];
        for &(replacer, shadowed) in &replaced {
            replacers[shadowed as usize] = Some(replacer);
            placements[shadowed as usize] = Placement::Shadowed;
        }
        for &node in nodes.iter().filter(|node| **node < len as u64) {
            placements[node as usize] = Placement::Current;
        }
        let citations: Vec<_> = sources
            .iter()
            .filter(|(seq, source)| source < seq)
            .map(|&(seq, source)| (source, seq))
            .collect();
        Self {
            placements,
            replacers,
            replaced: Lists::new(len, &replaced),
            has_sources,
            sources: Lists::new(len, &sources),
            cited_by: Lists::new(len, &citations),
        }
    }

    /// Where an event stands.
    ///
    /// # Errors
    /// [`SessionCode::NotOnSurface`] for a number that is not in the log.
    pub fn placement(&self, seq: u64) -> Result<Placement, SessionError> {
        let index = usize::try_from(seq).ok();
        index
            .and_then(|index| self.placements.get(index).copied())
            .ok_or_else(|| {
                SessionError::new(
                    SessionCode::NotOnSurface,
                    format!("event {seq} is not in the log"),
                )
                .with("seq", seq as f64)
            })
    }

    /// What an event has to do with others.
    ///
    /// # Errors
    /// As [`Self::placement`].
    pub fn trace(&self, seq: u64) -> Result<Trace<'_>, SessionError> {
        let placement = self.placement(seq)?;
        let index = seq as usize;
        let replacers = match placement {
            Placement::Shadowed => self.chain(index),
            Placement::Current | Placement::LogOnly => Vec::new(),
        };
        Ok(Trace {
            placement,
            replacers,
            replaced: self.replaced.of(index),
            sources: (self.has_sources.get(index) == Some(&true)).then(|| self.sources.of(index)),
            cited_by: self.cited_by.of(index),
        })
    }

    fn chain(&self, index: usize) -> Vec<u64> {
        let replacer = |seq: u64| self.replacers.get(seq as usize).copied().flatten();
        core::iter::successors(replacer(index as u64), |&seq| replacer(seq)).collect()
    }
}

/// Pairs of a replacing event and one it replaced.
fn replaced_pairs(len: usize, replacements: &[Replacement]) -> Vec<(u64, u64)> {
    let in_log = replacements.iter().filter(|it| it.seq < len as u64);
    in_log
        .flat_map(|it| it.shadowed.iter().map(|&shadowed| (it.seq, shadowed)))
        .filter(|(replacer, shadowed)| shadowed < replacer)
        .collect()
}

/// Which events record sources, and pairs of an event and one source of it.
fn source_pairs(events: &[&[u8]]) -> (Vec<bool>, Vec<(u64, u64)>) {
    let mut has_sources = Vec::with_capacity(events.len());
    let mut pairs = Vec::new();
    for (seq, event) in (0..).zip(events) {
        let sources = Event::read(event).and_then(|event| event.sources);
        has_sources.push(sources.is_some());
        let sources = items(sources.unwrap_or_default()).filter_map(safe_integer);
        pairs.extend(sources.map(|source| (seq, source)));
    }
    (has_sources, pairs)
}

/// A list of numbers for each event, all in one vector.
#[derive(Clone, Debug)]
struct Lists {
    /// Where each event's list ends; it begins where the one before ends.
    ends: Vec<usize>,
    values: Vec<u64>,
}

impl Lists {
    /// Groups pairs of an event below `len` and a value by event, keeping their order (a counting sort).
    fn new(len: usize, pairs: &[(u64, u64)]) -> Self {
        let mut starts = vec![0; len + 1];
        for &(event, _) in pairs {
            starts[event as usize + 1] += 1;
        }
        for index in 1..=len {
            starts[index] += starts[index - 1];
        }
        // Each start moves to its list's end while the list is filled.
        let mut ends = starts;
        let mut values = vec![0; pairs.len()];
        for &(event, value) in pairs {
            let end = &mut ends[event as usize];
            values[*end] = value;
            *end += 1;
        }
        Self { ends, values }
    }

    fn of(&self, index: usize) -> &[u64] {
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default(),
            None => 0,
        };
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.values.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacement(seq: u64, shadowed: &[u64]) -> Replacement {
        Replacement {
            seq,
            start: shadowed[0],
            end: shadowed[shadowed.len() - 1],
            shadowed: shadowed.to_vec(),
        }
    }

    /// 0 to 2 are replaced by 4, which with 5 is replaced by 6; 3 is log-only and a source of 4.
    fn index() -> PlacementIndex {
        let events: [&[u8]; 7] = [
            br#"{"type":"user/message"}"#,
            br#"{"type":"assistant/message","sourceEventSeqs":[]}"#,
            br#"{"type":"user/message"}"#,
            br#"{"type":"compact/summary"}"#,
            br#"{"type":"user/message","sourceEventSeqs":[3,2,1,0]}"#,
            br#"{"type":"user/message"}"#,
            br#"{"type":"user/message","sourceEventSeqs":[3.0, 4,5]}"#,
        ];
        let replacements = [replacement(4, &[0, 1, 2]), replacement(6, &[4, 5])];
        PlacementIndex::new(&events, &[6], &replacements)
    }

    #[test]
    fn each_event_has_its_place() {
        use Placement::*;
        let places: Vec<_> = (0..7).map(|seq| index().placement(seq).unwrap()).collect();
        let expected = [
            Shadowed, Shadowed, Shadowed, LogOnly, Shadowed, Shadowed, Current,
        ];
        assert_eq!(places, expected);
        for seq in [7, u64::MAX] {
            let error = index().trace(seq).unwrap_err();
            assert_eq!(error.code, SessionCode::NotOnSurface);
        }
    }

    #[test]
    fn a_trace_goes_to_the_last_replacer_and_back_to_the_sources() {
        let index = index();
        let trace = index.trace(1).unwrap();
        assert_eq!(trace.replacers, [4, 6]);
        assert_eq!(trace.replacer(), Some(4));
        assert_eq!(trace.sources, Some(&[][..]));
        assert_eq!(trace.cited_by, [4]);
        let trace = index.trace(4).unwrap();
        assert_eq!(trace.replacers, [6]);
        assert_eq!(trace.replaced, [0, 1, 2]);
        assert_eq!(trace.sources, Some(&[3, 2, 1, 0][..]));
        assert_eq!(trace.cited_by, [6]);
        let trace = index.trace(3).unwrap();
        assert_eq!(trace.placement.as_str(), "log-only");
        assert_eq!(trace.cited_by, [4, 6]);
        assert!(trace.sources.is_none() && trace.replaced.is_empty());
        let trace = index.trace(6).unwrap();
        assert!(trace.replacers.is_empty() && trace.cited_by.is_empty());
    }

    #[test]
    fn what_cannot_be_is_passed_over() {
        let events: [&[u8]; 2] = [
            br#"{"sourceEventSeqs":[1,9,-1,"x"]}"#,
            br#"{"sourceEventSeqs":5}"#,
        ];
        let replacements = [
            replacement(0, &[0, 1, 8]),
            replacement(9, &[0]),
            replacement(1, &[1]),
        ];
        let index = PlacementIndex::new(&events, &[5], &replacements);
        let trace = index.trace(0).unwrap();
        assert_eq!(trace.placement, Placement::LogOnly);
        assert_eq!(trace.sources, Some(&[1, 9][..]));
        assert!(index.trace(1).unwrap().cited_by.is_empty());
        assert!(PlacementIndex::new(&[], &[], &[]).placement(0).is_err());
    }
}
