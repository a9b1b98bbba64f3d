//! The session's rules against the results of the reference (`fixtures/session.json`): every case that holds plain JSON,
//! run on a session made of nothing but the rules. What needs a JavaScript host is left to the tests of the package.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use turnlog::json::{RawStr, Reader, stringify, write_string};
use turnlog::session::{
    Event, Invariants, SessionCode, SessionError, Surface, ToolPairing, canonical_header,
    derive_event_message, fold_request_header, fold_surface, fork, interrupted_turn_closers, lines,
    rules, seed, session_header,
};

const VECTORS: &[u8] = include_bytes!("fixtures/session.json");
const NOW: u64 = 1_700_000_000_000;

/// Operations that nothing here runs. None of them changes a session.
const NOT_RUN: [&str; 6] = [
    // Results with undefined members.
    "assemble",
    "deriveDigest",
    // Files.
    "encodeSegment",
    "persist.file",
    "persist.list",
    "persist.load",
];

/// Operations on JavaScript objects and listeners. None of them changes a session.
const NEEDS_HOST: [&str; 7] = [
    "getterReads",
    "isJsonValue",
    "snapshotJsonValue",
    "surfaceIdentity",
    "store.observe",
    "store.observed",
    "store.flush",
];

/// Likewise, but later results depend on them: the case is left out.
const HOST_CHANGES: [&str; 3] = ["mutateAfterAppend", "eventsIdentity", "store.vetoOnce"];

/// What an operation gives: JSON text.
type Outcome = Result<Vec<u8>, SessionError>;

fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut reader = Reader::new(object);
    let mut found = None;
    if reader.begin_object() {
        while let Some(key) = reader.next_key() {
            let range = reader.skip()?;
            found = if key.eq_str(name) {
                Some(&object[range])
            } else {
                found
            };
        }
    }
    found
}

fn items(array: &[u8]) -> Vec<&[u8]> {
    let mut reader = Reader::new(array);
    let mut found = Vec::new();
    if reader.begin_array() {
        while reader.next_item() {
            found.push(&array[reader.skip().expect("an item")]);
        }
    }
    found
}

fn raw(string: &[u8]) -> RawStr<'_> {
    Reader::new(string).string().expect("a string")
}

fn decoded(string: &[u8]) -> String {
    raw(string)
        .decode()
        .expect("a well-formed string")
        .into_owned()
}

fn text(json: &[u8]) -> &str {
    std::str::from_utf8(json).expect("UTF-8")
}

fn array<T: AsRef<[u8]>>(items: impl IntoIterator<Item = T>) -> Vec<u8> {
    let items: Vec<String> = items
        .into_iter()
        .map(|item| text(item.as_ref()).to_owned())
        .collect();
    format!("[{}]", items.join(",")).into_bytes()
}

/// A session made of the rules alone.
struct Session {
    /// JSON text, as the header's.
    id: Vec<u8>,
    header: Vec<u8>,
    events: Vec<Vec<u8>>,
    surface: Surface,
    invariants: Option<Invariants>,
}

impl Session {
    /// `header` comes after the seed, as in the reference.
    fn new(
        id: &[u8],
        seed: &[&[u8]],
        header: impl FnOnce(RawStr<'_>) -> Outcome,
    ) -> Result<Self, SessionError> {
        let mut surface = Surface::default();
        for (index, element) in (0..).zip(seed) {
            let effect = seed::check_element(element, index, &surface)?;
            rules::apply(&mut surface, index, &effect);
        }
        Ok(Self {
            id: id.to_vec(),
            header: header(raw(id))?,
            events: seed.iter().map(|element| element.to_vec()).collect(),
            surface,
            invariants: None,
        })
    }

    fn bare(id: &[u8], seed: &[&[u8]], header: Option<&[u8]>) -> Result<Self, SessionError> {
        Self::new(id, seed, |id| match header {
            None => Ok(session_header::synthesised(id, NOW)),
            Some(header) => session_header::check(header, id).map(|()| header.to_vec()),
        })
    }

    fn guard(&mut self) -> Result<(), SessionError> {
        let mut invariants = Invariants::default();
        for text in &self.events {
            let next = invariants.check(&Event::read(text).expect("an event"))?;
            invariants.advance(next);
        }
        self.invariants = Some(invariants);
        Ok(())
    }

    /// Commits an event and gives its position.
    fn append(
        &mut self,
        kind: &[u8],
        data: &[u8],
        intent: Option<&[u8]>,
    ) -> Result<u64, SessionError> {
        seed::check_legacy(&decoded(kind), data)?;
        let seq = self.events.len() as u64;
        let mut event = format!(
            r#"{{"type":{},"seq":{seq},"time":{NOW},"data":{}"#,
            text(kind),
            text(data)
        );
        for name in ["sourceEventSeqs", "surfaceOp"] {
            if let Some(value) = intent.and_then(|intent| member(intent, name)) {
                event += &format!(r#","{name}":{}"#, text(value));
            }
        }
        event.push('}');
        let read = Event::read(event.as_bytes()).expect("an event");
        let effect = rules::check_event(&self.surface, seq, &read)?;
        if let Some(invariants) = &mut self.invariants {
            let next = invariants.check(&read)?;
            invariants.advance(next);
        }
        rules::apply(&mut self.surface, seq, &effect);
        self.events.push(event.into_bytes());
        Ok(seq)
    }

    fn texts(&self) -> Vec<&[u8]> {
        self.events.iter().map(Vec::as_slice).collect()
    }

    fn types(&self) -> Vec<u8> {
        array(
            self.events
                .iter()
                .map(|event| member(event, "type").expect("a type")),
        )
    }

    fn nodes(&self) -> Vec<u8> {
        array(self.surface.nodes().map(|seq| seq.to_string()))
    }

    /// What making a session gives, without the closing brace.
    fn made(&self) -> String {
        let (id, header, seq) = (text(&self.id), text(&self.header), self.events.len());
        format!(r#"{{"id":{id},"header":{header},"seq":{seq}"#)
    }
}

/// The sessions of one case, by the names that its operations use.
struct World {
    sessions: BTreeMap<String, Session>,
    /// The names of those in the store, in the order of their creation.
    live: Vec<String>,
    invariants: bool,
}

impl World {
    fn session(&mut self, op: &[u8]) -> &mut Session {
        let on = member(op, "on").map_or("main".to_owned(), decoded);
        self.sessions.get_mut(&on).expect("a session of that name")
    }

    fn live_id(&self, id: &[u8]) -> Option<&Session> {
        let mut live = self.live.iter().map(|name| &self.sessions[name]);
        live.find(|session| raw(&session.id).same_units(&raw(id)))
    }

    fn mint(&self) -> Vec<u8> {
        let ids = (1..).map(|n| format!(r#""session-{n}""#).into_bytes());
        let mut free = ids.filter(|id| self.live_id(id).is_none());
        free.next().expect("a free id")
    }

    /// The id an operation gives a new session of the store.
    fn new_id(&self, op: &[u8], key: &str, taken: SessionCode) -> Result<Vec<u8>, SessionError> {
        let id = member(op, key).map_or_else(|| self.mint(), <[u8]>::to_vec);
        match self.live_id(&id) {
            None => Ok(id),
            Some(_) => Err(SessionError::new(taken, "taken")),
        }
    }

    fn enter(&mut self, op: &[u8], mut session: Session) -> Result<&Session, SessionError> {
        if self.invariants {
            session.guard()?;
        }
        let name = decoded(member(op, "as").expect("a name"));
        self.live.push(name.clone());
        Ok(self.sessions.entry(name).or_insert(session))
    }

    fn create(&mut self, op: &[u8]) -> Outcome {
        let id = self.new_id(op, "id", SessionCode::Exists)?;
        let options = member(op, "options").expect("options");
        let seed = member(options, "seed").map_or(Vec::new(), items);
        let session = Session::new(&id, &seed, |id| {
            session_header::of_created(id, member(options, "meta"), NOW)
        })?;
        let made = self.enter(op, session)?.made();
        Ok(format!("{made}}}").into_bytes())
    }

    fn fork(&mut self, op: &[u8]) -> Outcome {
        let id = self.new_id(op, "childId", SessionCode::SessionAlreadyExists)?;
        let source = member(op, "source").expect("a source");
        let found = match (member(source, "ref"), member(source, "id")) {
            (Some(name), _) => self.sessions.get(&decoded(name)),
            (None, Some(id)) => self.live_id(id),
            (None, None) => None,
        };
        let source =
            found.ok_or_else(|| SessionError::new(SessionCode::SessionNotFound, "unknown"))?;
        let boundary =
            member(op, "boundary").map(|value| Reader::new(value).number().unwrap_or(f64::NAN));
        let len = source.events.len() as u64;
        let copied = fork::copied_events(len, boundary, |seq| {
            Event::read(&source.events[seq as usize]).is_some_and(|event| event.is("turn/end"))
        })?;
        let child = Session::new(&id, &source.texts()[..copied as usize], |id| {
            let source_id = raw(&source.id);
            Ok(session_header::of_fork(
                id,
                source_id,
                &source.header,
                copied,
                NOW,
            ))
        })?;
        let child = self.enter(op, child)?;
        let (made, types) = (child.made(), child.types());
        let types = text(&types);
        Ok(format!(r#"{made},"types":{types},"distinctObjects":true}}"#).into_bytes())
    }

    fn append_many(&mut self, op: &[u8]) -> Outcome {
        let mut last = 0;
        for event in items(member(op, "list").expect("a list")) {
            let parts = items(event);
            last = self
                .session(op)
                .append(parts[0], parts[1], parts.get(2).copied())?;
        }
        Ok(last.to_string().into_bytes())
    }

    fn append(&mut self, op: &[u8]) -> Outcome {
        let field = |name| member(op, name);
        let (kind, data) = (field("type").expect("a type"), field("data").expect("data"));
        let session = self.session(op);
        let seq = session.append(kind, data, field("opts"))?;
        Ok(match field("quiet") {
            Some(b"true") => seq.to_string().into_bytes(),
            _ => session.events[seq as usize].clone(),
        })
    }

    /// A second session from the events of a first.
    fn seeded(&mut self, op: &[u8]) -> Outcome {
        let field = |name| member(op, name).expect("a field");
        let source = &self.sessions[&decoded(field("seedFrom"))];
        let session = Session::bare(field("id"), &source.texts(), None)?;
        self.sessions.insert(decoded(field("as")), session);
        Ok(br#""constructed""#.to_vec())
    }

    fn run(&mut self, name: &str, op: &[u8]) -> Outcome {
        match name {
            "append" => return self.append(op),
            "appendMany" => return self.append_many(op),
            "new" => return self.seeded(op),
            "store.create" => return self.create(op),
            "store.fork" => return self.fork(op),
            "store.list" => {
                return Ok(array(self.live.iter().map(|name| &self.sessions[name].id)));
            }
            "store.get" => {
                let found = self.live_id(member(op, "id").expect("an id"));
                return Ok(found.is_some().to_string().into_bytes());
            }
            "foldSurface" => {
                let given = member(op, "events").map(items);
                let events = given.unwrap_or_else(|| self.session(op).texts());
                return fold_surface(events).map(|fold| fold.to_json());
            }
            "scanLog" => return scan(&decoded(member(op, "text").expect("a text"))),
            "headerLine" => {
                let line = lines::header_line(member(op, "header").expect("a header"));
                return Ok(quoted(&line));
            }
            "canonicalHeader" => return canonical_header(member(op, "header").expect("a header")),
            "foldRequestHeader" => {
                let events = items(member(op, "events").expect("events"));
                let folded = fold_request_header(&events, member(op, "from"))?;
                return Ok(folded.unwrap_or_default());
            }
            "closers" => {
                let given = member(op, "events").map(items);
                let events = given.unwrap_or_else(|| self.session(op).texts());
                return Ok(array(interrupted_turn_closers(&events)));
            }
            _ => {}
        }
        let session = self.session(op);
        if name == "requestHeader" {
            let folded = fold_request_header(&session.texts(), None)?;
            return Ok(folded.unwrap_or_default());
        }
        Ok(match name {
            "deriveMessages" => {
                let nodes = session.surface.nodes();
                let derive = |seq: u64| derive_event_message(&session.events[seq as usize]);
                array(nodes.filter_map(derive))
            }
            "deriveEventMessage" => {
                let seq = member(op, "seq").and_then(|seq| Reader::new(seq).number());
                let event = match member(op, "event") {
                    Some(event) => event,
                    None => &session.events[seq.expect("a seq") as usize],
                };
                derive_event_message(event).unwrap_or_else(|| b"null".to_vec())
            }
            "eventLines" => {
                let lines: Vec<_> = session
                    .events
                    .iter()
                    .map(|event| quoted(&stringify(event)))
                    .collect();
                array(&lines)
            }
            "pairing" => pairing(op, session),
            "events" => array(&session.events),
            "eventTypes" => session.types(),
            "seq" => session.events.len().to_string().into_bytes(),
            "id" => session.id.clone(),
            "header" => session.header.clone(),
            "surface" => {
                let (nodes, generation) = (session.nodes(), session.surface.replace_generation());
                let nodes = text(&nodes);
                format!(r#"{{"nodes":{nodes},"replaceGeneration":{generation}}}"#).into_bytes()
            }
            _ => panic!("{name}: unknown operation"),
        })
    }

    /// What each session's surface is without its past.
    fn check_folds(&self) {
        for session in self.sessions.values() {
            let fold = fold_surface(session.texts()).expect("a log that was accepted");
            assert!(fold.nodes.into_iter().eq(session.surface.nodes()));
        }
    }
}

fn quoted(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, text(line));
    out
}

fn scan(log: &str) -> Outcome {
    let found = lines::scan_log(log.as_bytes())?;
    let (meta, events) = (text(&found.header), array(&found.events));
    let (events, bytes) = (text(&events), found.committed_bytes);
    Ok(format!(r#"{{"meta":{meta},"events":{events},"committedBytes":{bytes}}}"#).into_bytes())
}

/// Whether each cut is balanced; errors among them as the vectors write them.
fn pairing(op: &[u8], session: &Session) -> Vec<u8> {
    let nodes: Vec<u64> = session.surface.nodes().collect();
    let pairing = ToolPairing::new(&nodes, &session.texts());
    let is_before = decoded(member(op, "side").expect("a side")) == "before";
    let cuts = items(member(op, "seqs").expect("seqs"))
        .into_iter()
        .map(|seq| {
            let seq = Reader::new(seq).number().expect("a number") as u64;
            let balanced = pairing.as_ref().map_err(Clone::clone).and_then(|pairing| {
                if is_before {
                    pairing.is_balanced_before(seq)
                } else {
                    pairing.is_balanced_after(seq)
                }
            });
            match balanced {
                Ok(balanced) => balanced.to_string().into_bytes(),
                Err(_) => br#"{"throw":"E-OTHER"}"#.to_vec(),
            }
        });
    array(cuts)
}

/// Whether a result is the expected one, which is `{"ok": …}`, `{"throw": code}` or `{"skip": why}`.
fn agrees(found: &Outcome, expected: &[u8]) -> bool {
    if let Some(code) = member(expected, "throw").map(decoded) {
        let Err(error) = found else { return false };
        let rule = code.strip_prefix("seed:");
        let is_indexed = error.details.iter().any(|(name, _)| *name == "index");
        return (rule.is_none() || is_indexed)
            && (code == "E-OTHER" || error.code.as_str() == ours(rule.unwrap_or(&code)));
    }
    match (found, member(expected, "ok")) {
        // The file spells characters as escapes.
        (Ok(found), Some(expected)) => stringify(found) == stringify(expected),
        (Err(_), Some(_)) => false,
        (_, None) => member(expected, "skip").is_some(),
    }
}

/// Our code for one of the reference.
fn ours(code: &str) -> String {
    let name = code.strip_prefix("E-").unwrap_or(code);
    name.to_lowercase().replace('-', "_")
}

/// The world of a case and what its constructor gave; no world if that threw.
fn construct(input: &[u8]) -> (Option<World>, Option<Outcome>) {
    let given = member(input, "session");
    let field = |name| given.and_then(|given| member(given, name));
    let seed = field("seed").map_or(Vec::new(), items);
    let main = Session::bare(field("id").unwrap_or(br#""s""#), &seed, field("header"));
    let (main, outcome) = match main {
        Ok(main) => (Some(main), Ok(br#""constructed""#.to_vec())),
        Err(error) => (None, Err(error)),
    };
    let world = main.map(|main| World {
        sessions: BTreeMap::from([("main".to_owned(), main)]),
        live: Vec::new(),
        invariants: member(input, "invariants") == Some(b"true"),
    });
    (world, given.map(|_| outcome))
}

/// Runs a case and gives how many results were compared.
fn run_case(case: &[u8]) -> usize {
    let name = text(member(case, "name").expect("a name"));
    let input = member(case, "input").expect("an input");
    let mut expected = items(member(case, "expected").expect("results")).into_iter();
    let mut compared = 0;
    let mut compare = |what: &str, found: &Outcome, expected: &[u8]| {
        let shown = found.as_ref().map(|json| text(json));
        assert!(
            agrees(found, expected),
            "{name}: {what} gave {shown:?}, not {}",
            text(expected)
        );
        compared += 1;
    };
    let (world, constructed) = construct(input);
    if let Some(constructed) = &constructed {
        let expected = expected.next().expect("a result of the constructor");
        compare("the constructor", constructed, expected);
    }
    let Some(mut world) = world else {
        return compared;
    };
    for op in member(input, "ops").map_or(Vec::new(), items) {
        let kind = decoded(member(op, "op").expect("an operation"));
        let expected = expected.next().expect("a result for each operation");
        if !NOT_RUN.contains(&kind.as_str()) && !NEEDS_HOST.contains(&kind.as_str()) {
            compare(&kind, &world.run(&kind, op), expected);
        }
    }
    world.check_folds();
    compared
}

fn is_native(case: &[u8]) -> bool {
    let needs = |op: &str| text(case).contains(&format!(r#""op":"{op}""#));
    !text(case).contains(r#""$js""#) && !HOST_CHANGES.into_iter().any(needs)
}

#[test]
fn the_rules_give_what_the_reference_gave() {
    let cases: Vec<&[u8]> = items(VECTORS)
        .into_iter()
        .filter(|case| is_native(case))
        .collect();
    let compared: usize = cases.iter().map(|case| run_case(case)).sum();
    assert!(cases.len() > 250, "{} cases", cases.len());
    assert!(compared > 780, "{compared} results");
}
