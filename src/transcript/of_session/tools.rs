//! Tool calls and their results.

use super::records::{Writer, arguments, preview, text_of, timestamp};
use super::{SessionView, is_replacement, name, number, push, set, word};
use crate::session::{Event, member};
use crate::transcript::HistoryState;

#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its id as JSON text.
    pub(super) call_id: Vec<u8>,
    pub(super) record: u64,
    pub(super) title: Vec<u8>,
    pub(super) arguments: Vec<u8>,
    pub(super) started: f64,
}

impl SessionView {
    /// A call that begins, or is logged again when it is made. `block` has `name` and `arguments`.
    pub(super) fn call(
        &mut self,
        state: &mut HistoryState,
        time: Option<&[u8]>,
        call_id: &[u8],
        block: &[u8],
    ) {
        let title = word(block, "name");
        let args = arguments(member(block, "arguments"));
        let record = Writer::new("running_tool")
            .text("title", &title)
            .field("started_at", &timestamp(time))
            .field("arguments", &args)
            .field("wait_has_target", b"false")
            .field("wait_has_call_id", b"false")
            .field("call_id", call_id)
            .end();
        let started = number(time);
        if let Some(known) = self.calls.iter_mut().find(|call| call.call_id == call_id) {
            (known.title, known.arguments, known.started) = (title, args, started);
            set(state, known.record, &record);
        } else {
            let id = push(state, &record);
            self.calls.push(Call {
                call_id: call_id.to_vec(),
                record: id,
                title,
                arguments: args,
                started,
            });
        }
    }

    pub(super) fn result(&mut self, state: &mut HistoryState, event: &Event<'_>, data: &[u8]) {
        if is_replacement(event) {
            return;
        }
        let call_id = name(data, "callId");
        let known = self.calls.iter().position(|call| call.call_id == call_id);
        let call = known.map(|at| self.calls.remove(at));
        let is_error = member(data, "isError") == Some(b"true");
        let text = text_of(member(data, "content"), &[]);
        let mut record = Writer::new("tool_call")
            .field(
                "status",
                if is_error {
                    b"\"failed\""
                } else {
                    b"\"success\""
                },
            )
            .text("title", call.as_ref().map_or(b"", |call| &call.title))
            .field(
                "arguments",
                call.as_ref().map_or(b"[]", |call| &call.arguments),
            );
        if let Some(call) = &call {
            let took = (number(event.time) - call.started).max(0.0) as u64;
            record = record.field("duration_ms", took.to_string().as_bytes());
        }
        if !text.is_empty() {
            record = record.field("result_preview", &preview(&text));
        }
        if is_error {
            let error = member(data, "error").unwrap_or_default();
            let code = word(error, "code");
            let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
            record = record.text("error_message", if code.is_empty() { first } else { &code });
        }
        let record = record.field("call_id", &call_id).end();
        match call {
            Some(call) => set(state, call.record, &record),
            None => {
                push(state, &record);
            }
        }
    }
}
