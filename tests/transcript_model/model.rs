//! The transcript's rules over again, as plainly as spec 3-transcript.md says them: lists of JSON values, copied and scanned.
//! The memory limits are left out: nothing here comes near them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub type Lookup = BTreeMap<String, u64>;

#[derive(Clone, Default)]
pub struct Model {
    pub records: Vec<Value>,
    pub next_id: u64,
    pub exec: Lookup,
    pub tool: Lookup,
    pub stream: Lookup,
}

/// A refusal, by its code.
pub type Refusal = &'static str;

fn id(record: &Value) -> u64 {
    record["id"].as_u64().unwrap()
}

pub fn is(record: &Value, kind: &str) -> bool {
    record["type"] == kind
}

fn strings(values: &[&Value]) -> Vec<String> {
    let strings = values.iter().filter_map(|value| value.as_str());
    strings.map(str::to_owned).collect()
}

fn given(value: &Value) -> Option<Value> {
    (!value.is_null()).then(|| value.clone())
}

impl Model {
    pub fn new() -> Self {
        Self {
            next_id: 1,
            ..Self::default()
        }
    }

    fn keys(&mut self, record: &Value) -> (Option<&mut Lookup>, Vec<String>) {
        let payload = &record["payload"];
        match record["type"].as_str().unwrap() {
            "exec" => (Some(&mut self.exec), strings(&[&payload["call_id"]])),
            "merged_exec" => {
                let segments = payload["segments"].as_array().unwrap();
                let ids: Vec<&Value> = segments.iter().map(|part| &part["call_id"]).collect();
                (Some(&mut self.exec), strings(&ids))
            }
            "running_tool" | "tool_call" => (Some(&mut self.tool), strings(&[&payload["call_id"]])),
            "assistant_stream" => (Some(&mut self.stream), strings(&[&payload["stream_id"]])),
            _ => (None, Vec::new()),
        }
    }

    fn register(&mut self, record: &Value) {
        if let (Some(lookup), keys) = self.keys(record) {
            lookup.extend(keys.into_iter().map(|key| (key, id(record))));
        }
    }

    fn unregister(&mut self, record: &Value) {
        if let (Some(lookup), keys) = self.keys(record) {
            for key in keys {
                if lookup.get(&key) == Some(&id(record)) {
                    lookup.remove(&key);
                }
            }
        }
    }

    pub fn index_of(&self, wanted: u64) -> Option<usize> {
        let last = self.records.iter().rposition(|record| id(record) == wanted);
        last.filter(|_| wanted != 0)
    }

    pub fn insert(&mut self, index: usize, mut record: Value) -> Result<u64, Refusal> {
        if index > self.records.len() {
            return Err("index");
        }
        let new = self.next_id;
        self.next_id = new.saturating_add(1);
        record["id"] = json!(new);
        self.register(&record);
        self.records.insert(index, record);
        Ok(new)
    }

    pub fn remove(&mut self, index: usize) -> Option<Value> {
        if index >= self.records.len() {
            return None;
        }
        let record = self.records.remove(index);
        self.unregister(&record);
        Some(record)
    }

    pub fn overwrite(&mut self, index: usize, mut record: Value) {
        if let Some(old) = self.records.get_mut(index) {
            record["id"] = old["id"].clone();
            *old = record;
        }
    }

    pub fn truncate_after(&mut self, wanted: u64) -> Vec<Value> {
        let from = match self.index_of(wanted) {
            _ if wanted == 0 => 0,
            Some(index) if index + 1 < self.records.len() => index + 1,
            _ => return Vec::new(),
        };
        let removed = self.records.split_off(from);
        for record in &removed {
            self.unregister(record);
        }
        if wanted == 0 {
            (self.exec, self.tool, self.stream) = Default::default();
        }
        let highest = self.records.iter().map(id).max().unwrap_or_default();
        self.next_id = highest.saturating_add(1);
        removed
    }

    pub fn apply(&mut self, event: &Value, now: &str) -> Result<Value, Refusal> {
        let index = event["index"].as_u64().unwrap_or_default() as usize;
        let record = event["record"].clone();
        match event["type"].as_str().unwrap() {
            "insert" => Ok(self.insert_clamped(index, record)),
            "replace" => Ok(self.edit(index, |old| {
                let id = old["id"].clone();
                *old = record;
                old["id"] = id;
            })),
            "remove" => Ok(match self.remove(index) {
                None => json!({"type": "noop"}),
                Some(record) => {
                    json!({"type": "removed", "index": index, "id": id(&record), "record": record})
                }
            }),
            "start_exec" => Ok(self.start_exec(event)),
            "update_exec_stream" => self.update_exec_stream(index, event),
            "update_exec_wait" => Ok(self.edit_exec(Some(index), |payload| {
                set_wait(payload, &event["total_wait_ms"], event, "notes");
            })),
            "finish_exec" => Ok(self.finish_exec(event)),
            "upsert_assistant_stream" => Ok(self.upsert(event, now)),
            other => panic!("{other}"),
        }
    }

    fn insert_clamped(&mut self, index: usize, record: Value) -> Value {
        let index = index.min(self.records.len());
        let id = self.insert(index, record).unwrap();
        json!({"type": "inserted", "index": index, "id": id, "record": self.records[index]})
    }

    fn edit(&mut self, index: usize, change: impl FnOnce(&mut Value)) -> Value {
        let Some(old) = self.records.get(index).cloned() else {
            return json!({"type": "noop"});
        };
        self.unregister(&old);
        change(&mut self.records[index]);
        let record = self.records[index].clone();
        self.register(&record);
        json!({"type": "replaced", "index": index, "id": id(&record), "record": record})
    }

    fn edit_exec(&mut self, index: Option<usize>, change: impl FnOnce(&mut Value)) -> Value {
        match index {
            Some(at)
                if self
                    .records
                    .get(at)
                    .is_some_and(|record| is(record, "exec")) =>
            {
                self.edit(at, |record| change(&mut record["payload"]))
            }
            _ => json!({"type": "noop"}),
        }
    }

    fn start_exec(&mut self, event: &Value) -> Value {
        let mut payload = json!({
            "call_id": event["call_id"], "command": event["command"], "parsed": event["parsed"],
            "action": event["action"], "status": "running", "stdout_chunks": [], "stderr_chunks": [],
            "exit_code": null, "wait_total_ms": null, "wait_active": false, "wait_notes": [],
            "started_at": event["started_at"], "completed_at": null,
        });
        for name in ["working_dir", "env", "tags"] {
            let value = &event[name];
            if !value.is_null() && *value != json!([]) {
                payload[name] = value.clone();
            }
        }
        let index = event["index"].as_u64().unwrap() as usize;
        self.insert_clamped(index, json!({"type": "exec", "payload": payload}))
    }

    fn update_exec_stream(&mut self, index: usize, event: &Value) -> Result<Value, Refusal> {
        let mut trial = self.records.get(index).cloned();
        let chunks = [
            ("stdout_chunks", "stdout_chunk"),
            ("stderr_chunks", "stderr_chunk"),
        ];
        if let Some(record) = trial.as_mut().filter(|record| is(record, "exec")) {
            for (list, chunk) in chunks {
                let chunk = given(&event[chunk]);
                let list = &mut record["payload"][list];
                if chunk.is_some_and(|chunk| !add_chunk(list, chunk)) {
                    return Err("offset");
                }
            }
        }
        Ok(self.edit_exec(Some(index), |payload| {
            *payload = trial.unwrap_or_default()["payload"].take();
        }))
    }

    fn finish_exec(&mut self, event: &Value) -> Value {
        let by_id = event["id"].as_u64().and_then(|id| self.index_of(id));
        let index = by_id.or_else(|| {
            let id = self.exec.get(event["call_id"].as_str()?)?;
            self.index_of(*id)
        });
        self.edit_exec(index, |payload| {
            for name in ["status", "exit_code", "completed_at"] {
                payload[name] = event[name].clone();
            }
            set_wait(payload, &event["wait_total_ms"], event, "wait_notes");
            for (list, tail) in [
                ("stdout_chunks", "stdout_tail"),
                ("stderr_chunks", "stderr_tail"),
            ] {
                let tail = event[tail].as_str().unwrap_or_default();
                if !tail.is_empty() {
                    let ends = payload[list].as_array().unwrap().iter().map(end);
                    let offset = ends.max().unwrap_or_default();
                    add_chunk(
                        &mut payload[list],
                        json!({"offset": offset, "content": tail}),
                    );
                }
            }
        })
    }

    pub fn upsert(&mut self, event: &Value, now: &str) -> Value {
        let wanted = &event["stream_id"];
        let index = self.records.iter().position(|record| {
            is(record, "assistant_stream") && record["payload"]["stream_id"] == *wanted
        });
        if let Some(index) = index {
            return self.edit(index, |record| {
                let payload = &mut record["payload"];
                add_delta(&mut payload["deltas"], &event["delta"]);
                payload["preview_markdown"] = event["preview_markdown"].clone();
                if let Some(metadata) = given(&event["metadata"]) {
                    payload["citations"] = metadata["citations"].clone();
                    payload["metadata"] = metadata;
                }
                payload["in_progress"] = json!(true);
                payload["last_updated_at"] = json!(now);
            });
        }
        let mut payload = json!({
            "stream_id": wanted, "preview_markdown": event["preview_markdown"], "deltas": [],
            "citations": [], "metadata": event["metadata"], "in_progress": true, "last_updated_at": now,
        });
        if let Some(metadata) = given(&event["metadata"]) {
            payload["citations"] = metadata["citations"].clone();
        }
        add_delta(&mut payload["deltas"], &event["delta"]);
        let record = json!({"type": "assistant_stream", "payload": payload});
        self.insert_clamped(self.records.len(), record)
    }

    pub fn finalize(&mut self, message: &Value, now: &str) -> usize {
        let wanted = given(&message["stream_id"]);
        let has = |record: &Value, kind| {
            wanted.is_some()
                && is(record, kind)
                && wanted.as_ref() == Some(&record["payload"]["stream_id"])
        };
        let stream = self
            .records
            .iter()
            .position(|record| has(record, "assistant_stream"));
        let carried = stream.and_then(|index| self.remove(index));
        let carried = carried.map_or(Value::Null, |record| record["payload"].clone());
        let own = &message["metadata"];
        let citations = given(&own["citations"]).or_else(|| given(&carried["citations"]));
        let metadata = given(own)
            .or_else(|| given(&carried["metadata"]))
            .unwrap_or(Value::Null);
        let usage = given(&message["token_usage"]).unwrap_or(metadata["token_usage"].clone());
        let existing = self
            .records
            .iter()
            .rposition(|record| has(record, "assistant_message"));
        let index = existing.unwrap_or(self.records.len());
        if existing.is_none() {
            let payload = json!({"stream_id": message["stream_id"]});
            let record = json!({"type": "assistant_message", "payload": payload});
            self.insert(index, record).unwrap();
        }
        let payload = &mut self.records[index]["payload"];
        payload["markdown"] = message["markdown"].clone();
        payload["citations"] = citations.unwrap_or(json!([]));
        payload["metadata"] = metadata;
        payload["token_usage"] = usage;
        payload["created_at"] = json!(now);
        index
    }

    pub fn snapshot(&self) -> Value {
        json!({
            "records": self.records, "next_id": self.next_id, "exec_call_lookup": self.exec,
            "tool_call_lookup": self.tool, "stream_lookup": self.stream,
        })
    }

    pub fn restore(&mut self, snapshot: &Value) {
        let mut seen = Vec::new();
        self.records = snapshot["records"].as_array().unwrap().clone();
        self.records.retain(|record| {
            let stream = given(&record["payload"]["stream_id"]);
            let counts = is(record, "assistant_message") && stream.is_some();
            let repeats = counts && seen.contains(&stream);
            seen.extend(counts.then_some(stream));
            !repeats
        });
        self.next_id = snapshot["next_id"].as_u64().unwrap();
        let lookup = |name: &str| -> Lookup {
            let entries = snapshot[name].as_object().cloned().unwrap_or(Map::new());
            let ids = entries.into_iter();
            ids.map(|(key, id)| (key, id.as_u64().unwrap())).collect()
        };
        self.exec = lookup("exec_call_lookup");
        self.tool = lookup("tool_call_lookup");
        self.stream = lookup("stream_lookup");
        if self.exec.is_empty() && self.tool.is_empty() && self.stream.is_empty() {
            for record in self.records.clone() {
                self.register(&record);
            }
        }
    }
}

fn set_wait(payload: &mut Value, total: &Value, event: &Value, notes: &str) {
    payload["wait_total_ms"] = total.clone();
    payload.as_object_mut().unwrap().remove("wait_total");
    payload["wait_active"] = event["wait_active"].clone();
    payload["wait_notes"] = event[notes].clone();
}

fn offset(chunk: &Value) -> u64 {
    chunk["offset"].as_u64().unwrap()
}

fn end(chunk: &Value) -> u64 {
    offset(chunk) + chunk["content"].as_str().unwrap().len() as u64
}

/// False if the chunk's offset lies inside a character.
fn add_chunk(list: &mut Value, chunk: Value) -> bool {
    let list = list.as_array_mut().unwrap();
    let from = offset(&chunk);
    while let Some(last) = list.last_mut() {
        if end(last) <= from {
            break;
        }
        if offset(last) < from {
            let keep = (from - offset(last)) as usize;
            let Some(kept) = last["content"].as_str().unwrap().get(..keep) else {
                return false;
            };
            last["content"] = json!(kept.to_owned());
            break;
        }
        list.pop();
    }
    match list.last_mut() {
        Some(last) if end(last) == from => join(last, &chunk, "content"),
        _ => list.push(chunk),
    }
    true
}

fn add_delta(list: &mut Value, delta: &Value) {
    if delta.is_null() {
        return;
    }
    let list = list.as_array_mut().unwrap();
    match list.last_mut() {
        Some(last) if last["sequence"] == delta["sequence"] => join(last, delta, "delta"),
        _ => list.push(delta.clone()),
    }
}

fn join(last: &mut Value, more: &Value, name: &str) {
    let text = [last[name].as_str().unwrap(), more[name].as_str().unwrap()].concat();
    last[name] = json!(text);
}
