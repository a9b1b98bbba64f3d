//! What one of the forms does not know: kept, left out or refused.

use super::*;

#[test]
fn unknown_fields_stay_where_they_are() {
    assert_pair(
        r#"{"Loading":{"id":1,"message":"m","future":[1.10,1e400,{"a":"\u0041"}],"é":null}}"#,
        r#"{"id":1,"type":"loading","payload":{"message":"m","future":[1.10,1e400,{"a":"\u0041"}],"é":null}}"#,
    );
    assert_pair(
        &notice(
            r#"{"kind":{"Bullet":{"indent":1,"marker":"Dash","inner":1}},"spans":[],"outer":2},{"kind":"Quote","spans":[],"outer":3}"#,
        ),
        &notice_document(
            r#"{"kind":"bullet","indent":1,"marker":"-","kind_ext":{"inner":1},"spans":[],"outer":2},{"kind":"quote","spans":[],"outer":3}"#,
        ),
    );
    assert_pair(
        r#"{"RateLimits":{"id":1,"snapshot":{"primary_used_percent":10.0,"secondary_used_percent":-0.0,"primary_to_secondary_ratio_percent":1e21,"primary_window_minutes":1,"secondary_window_minutes":2,"inner":1},"legend":[],"outer":2}}"#,
        r#"{"id":1,"type":"rate_limits","payload":{"primary_used_percent":10.0,"secondary_used_percent":-0.0,"primary_to_secondary_ratio_percent":1e21,"primary_window_minutes":1,"secondary_window_minutes":2,"snapshot_ext":{"inner":1},"outer":2}}"#,
    );
}

#[test]
fn unknown_fields_whose_names_mean_something_else_in_the_document_stay_apart() {
    assert_pair(
        r#"{"Image":{"id":1,"source_path":"p","alt_text":null,"width":1,"height":2,"sha256":null,"other":1,"path":"q","metadata":3,"native_ext":4}}"#,
        r#"{"id":1,"type":"image","payload":{"path":"p","caption":null,"metadata":{"width":1,"height":2},"other":1,"native_ext":{"path":"q","metadata":3,"native_ext":4}}}"#,
    );
    assert_pair(
        r#"{"Reasoning":{"id":1,"sections":[{"heading":null,"summary":null,"blocks":[{"Code":{"language":null,"content":"","type":"x"}}]}],"effort":null,"in_progress":true,"hide_when_collapsed":1}}"#,
        r#"{"id":1,"type":"reasoning","payload":{"sections":[{"heading":null,"summary":[],"no_summary":true,"blocks":[{"type":"code","language":null,"content":"","native_ext":{"type":"x"}}]}],"in_progress":true,"hide_when_collapsed":false,"native_ext":{"hide_when_collapsed":1}}}"#,
    );
    // A native name that a document hides is not made a second one.
    let native = to_native(
        r#"{"id":1,"type":"loading","payload":{"message":"m","native_ext":{"message":"n","id":9,"x":1}}}"#,
    );
    assert_eq!(native, r#"{"Loading":{"id":1,"message":"m","x":1}}"#);
}

#[test]
fn unknown_variants_are_kept_by_their_capitals() {
    assert_pair(
        r#"{"Hologram":{"a":[1],"id":7}}"#,
        r#"{"id":7,"type":"Hologram","payload":{"a":[1],"id":7}}"#,
    );
    assert_pair(
        r#"{"Hologram":[1]}"#,
        r#"{"id":0,"type":"Hologram","payload":[1]}"#,
    );
    assert_pair(
        &notice(
            r#"{"kind":"Table","spans":[]},{"kind":{"Table":{"columns":2}},"spans":[{"text":"","tone":"Neon","emphasis":{},"entity":{"Mention":"x"}}]},{"kind":{"Bullet":{"indent":0,"marker":{"Roman":3}}},"spans":[]}"#,
        )
        .replace("{}", EMPHASIS),
        &notice_document(
            r#"{"kind":"Table","spans":[]},{"kind":{"Table":{"columns":2}},"spans":[{"text":"","tone":"Neon","emphasis":{},"entity":{"Mention":"x"}}]},{"kind":"bullet","indent":0,"marker":{"Roman":3},"spans":[]}"#,
        )
        .replace("{}", EMPHASIS),
    );
    // A bare word is no text of a marker.
    let native = notice(r#"{"kind":{"Bullet":{"indent":0,"marker":"Roman"}},"spans":[]}"#);
    assert_eq!(
        to_native(&to_document(&native)),
        native.replace(r#""Roman""#, r#"{"Roman":null}"#)
    );
    // A record that was inserted since has another id.
    let native = to_native(r#"{"id":9,"type":"Hologram","payload":{"a":{"id":1}, "id" : 7 }}"#);
    assert_eq!(native, r#"{"Hologram":{"a":{"id":1}, "id" : 9 }}"#);
}

#[test]
fn names_of_one_form_are_none_of_the_other() {
    for text in [
        r#"{"loading":{"id":1,"message":"m"}}"#,
        r#"{"Loading":{"id":1,"message":"m"},"Notice":{"id":2,"body":[]}}"#,
        r#""Loading""#,
        r#"[]"#,
        r#"{}"#,
    ] {
        assert_eq!(native_error(text).0, Code::Invalid, "{text}");
    }
    let line = |kind: &str| notice(&format!(r#"{{"kind":{kind},"spans":[]}}"#));
    assert_eq!(
        native_error(&line(r#""quote""#)),
        (Code::Invalid, "Notice.body[0].kind".to_owned())
    );
    assert_eq!(native_error(&line(r#"{"Quote":1}"#)).0, Code::Invalid);
    assert_eq!(native_error(&line(r#""Bullet""#)).0, Code::Invalid);
    // A document may have the type; natively it could not be told from that, and would not come back.
    assert_eq!(
        native_error(&patch(r#""a":{"type":"chmod"}"#)),
        (Code::Invalid, "Patch.changes.a".to_owned())
    );
    // A native name in a document is a word nobody knows, and no other word may stand for it natively.
    let line = |line: &str| notice_document(line).replace("{}", EMPHASIS);
    for (document, path) in [
        (
            r#"{"id":1,"type":"Loading","payload":{"message":"m"}}"#.into(),
            "",
        ),
        (
            line(r#"{"kind":"Bullet","spans":[]}"#),
            "payload.body[0].kind",
        ),
        (
            line(r#"{"kind":{"Code":{}},"spans":[]}"#),
            "payload.body[0].kind",
        ),
        (
            line(r#"{"kind":"bullet","marker":{"Numbered":"x"},"spans":[]}"#),
            "payload.body[0].marker",
        ),
        (
            line(r#"{"kind":"quote","spans":[{"text":"","tone":"Dim","emphasis":{}}]}"#),
            "payload.body[0].spans[0].tone",
        ),
        (
            tool("").replace("[]", r#"[{"name":"","value":{"Text":1}}]"#),
            "payload.arguments[0].value",
        ),
    ] {
        let expected = (Code::Unsupported, path.to_owned());
        assert_eq!(document_error(&document), expected, "{document}");
    }
}

#[test]
fn a_transcript_takes_what_was_kept() {
    let span = r#"{"text":"","tone":{"Rgb":[1]},"emphasis":{},"entity":{"Mention":"x"}}"#;
    let line = format!(r#"{{"kind":{{"Table":{{"columns":2}}}},"spans":[{span}]}}"#);
    let marked = r#"{"kind":{"Bullet":{"indent":0,"marker":{"Roman":3}}},"spans":[]}"#;
    let native = notice(&format!("{line},{marked}")).replace("{}", EMPHASIS);
    let argument = r#"{"name":"","value":{"Later":1}},{"name":"","value":"Later"}"#;
    let call = format!(
        r#"{{"ToolCall":{{"id":1,"call_id":null,"status":{{"Later":1}},"title":"","duration":{{"secs":18446744073709551615,"nanos":0}},"arguments":[{argument}],"result_preview":null,"error_message":null}}}}"#
    );
    for native in [native, call] {
        let mut state = HistoryState::default();
        let document = to_document(&native);
        assert_eq!(state.push(document.as_bytes()), Ok(1), "{document}");
        let kept = state.get(0).unwrap().text();
        assert_eq!(to_native(core::str::from_utf8(&kept).unwrap()), native);
    }
    for value in [
        "{}",
        r#""text""#,
        r#"{"text":1}"#,
        r#"{"Later":1,"More":2}"#,
    ] {
        let call = tool("").replace("[]", &format!(r#"[{{"name":"","value":{value}}}]"#));
        let error = HistoryState::default().push(call.as_bytes()).unwrap_err();
        assert!(
            error.path.starts_with("payload.arguments[0].value"),
            "{value}"
        );
    }
}

#[test]
fn what_only_a_document_can_say_is_left_out_where_nothing_may_stand() {
    let lines = notice_document(
        r#"{"kind":"paragraph","indent":4,"spans":[{"text":"","tone":"dim","emphasis":{},"entity":{"type":"mention"}}]}"#,
    )
    .replace("{}", EMPHASIS);
    assert_eq!(
        to_native(&lines),
        notice(
            r#"{"kind":"Paragraph","spans":[{"text":"","tone":"Dim","emphasis":{},"entity":null}]}"#
        )
        .replace("{}", EMPHASIS)
    );
    assert_eq!(
        to_native(
            r#"{"id":1,"type":"patch","payload":{"event":"apply_failure","auto_approved":true,"changes":{"a":{"type":"chmod"},"b":{"type":"delete"}}}}"#
        ),
        patch(r#""b":"delete""#)
    );
    assert_eq!(
        to_native(
            r#"{"id":1,"type":"reasoning","payload":{"in_progress":true,"hide_when_collapsed":true,"sections":[{"summary":[],"blocks":[{"type":"table"},{"type":"separator"}]}]}}"#
        ),
        r#"{"Reasoning":{"id":1,"sections":[{"heading":null,"summary":[],"blocks":["Separator"]}],"effort":null,"in_progress":true}}"#
    );
    let steps = |word: &str| {
        format!(
            r#"{{"id":1,"type":"plan_update","payload":{{"name":"","icon":"rocket","progress":{{"completed":0,"total":0}},"steps":[{{"description":"","status":"{word}"}}]}}}}"#
        )
    };
    for word in ["skipped", "complete", "completed"] {
        assert!(to_native(&steps(word)).contains(r#""status":"completed""#));
    }
    assert!(to_native(&steps("blocked")).contains(r#""status":"blocked""#));
}

#[test]
fn what_only_a_document_can_say_is_refused_where_something_must_stand() {
    let tone = r#"{"kind":"quote","spans":[{"text":"","tone":"neon","emphasis":{}}]}"#;
    assert_eq!(
        document_error(&notice_document(tone).replace("{}", EMPHASIS)),
        (
            Code::Unsupported,
            "payload.body[0].spans[0].tone".to_owned()
        )
    );
    assert_eq!(
        document_error(&notice_document(r#"{"kind":"table","spans":[]}"#)),
        (Code::Unsupported, "payload.body[0].kind".to_owned())
    );
    assert_eq!(
        document_error(r#"{"id":1,"type":"hologram","payload":{}}"#).0,
        Code::Unsupported
    );
}

#[test]
fn records_that_are_left_out_take_their_places_in_the_order_along() {
    let document = br#"{"records":[{"id":1,"type":"loading","payload":{"message":"a"}},{"id":2,"type":"hologram","payload":{}},{"id":3,"type":"loading","payload":{"message":"b"}}],"next_id":4,"order_debug":["a","b"],"order":[{"req":1,"out":-1,"seq":1},{"req":2,"out":-1,"seq":2},{"req":3,"out":-1,"seq":3},{"req":4,"out":-1,"seq":4}]}"#;
    let native = String::from_utf8(document_to_native(document).unwrap()).unwrap();
    assert_eq!(
        native,
        r#"{"records":[{"Loading":{"id":1,"message":"a"}},{"Loading":{"id":3,"message":"b"}}],"next_id":4,"exec_call_lookup":{},"tool_call_lookup":{},"stream_lookup":{},"order":[{"req":1,"out":-1,"seq":1},{"req":3,"out":-1,"seq":3},{"req":4,"out":-1,"seq":4}],"order_debug":["a"]}"#
    );
}

#[test]
fn a_secret_carries_nothing() {
    let arguments = |value: &str| {
        format!(
            r#"{{"RunningTool":{{"id":1,"call_id":null,"title":"","started_at":{{"secs_since_epoch":0,"nanos_since_epoch":0}},"wait_cap_ms":null,"wait_has_target":false,"wait_has_call_id":false,"arguments":[{{"name":"n","value":{value}}}]}}}}"#
        )
    };
    let native = arguments(r#""Secret""#);
    let document = to_document(&native);
    assert!(document.contains(r#""value":{"type":"secret"}"#));
    let leaking = document.replace(
        r#""secret""#,
        r#""secret","text":"leak","native_ext":{"x":"leak"}"#,
    );
    assert_eq!(to_native(&leaking), native);
    assert_eq!(to_document(&arguments(r#"{"Secret":null}"#)), document);
    for leaking in [r#"{"Secret":"leak"}"#, r#"{"Secret":{"x":"leak"}}"#] {
        assert_eq!(
            native_error(&arguments(leaking)),
            (
                Code::Invalid,
                "RunningTool.arguments[0].value.Secret".to_owned()
            )
        );
    }
}
