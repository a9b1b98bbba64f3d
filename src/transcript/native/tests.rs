//! Rules by example; random texts of every type are in `properties`.

use super::*;
use crate::json::same_value;
use crate::transcript::error::TranscriptCode as Code;

fn to_document(native: &str) -> String {
    let document = native_record_to_document(native.as_bytes());
    String::from_utf8(document.unwrap_or_else(|error| panic!("{native}: {error}"))).unwrap()
}

fn to_native(document: &str) -> String {
    let native = document_record_to_native(document.as_bytes());
    String::from_utf8(native.unwrap_or_else(|error| panic!("{document}: {error}"))).unwrap()
}

/// Native text in one spelling becomes this document, and comes back as it was.
fn assert_pair(native: &str, document: &str) {
    let converted = to_document(native);
    assert!(
        same_value(converted.as_bytes(), document.as_bytes()),
        "{converted}"
    );
    assert_eq!(to_native(document), native);
    assert_eq!(to_native(&converted), native);
}

fn native_error(text: &str) -> (Code, String) {
    let error = native_record_to_document(text.as_bytes()).expect_err(text);
    (error.code, error.path)
}

fn document_error(text: &str) -> (Code, String) {
    let error = document_record_to_native(text.as_bytes()).expect_err(text);
    (error.code, error.path)
}

const EMPHASIS: &str =
    r#"{"bold":false,"italic":false,"dim":false,"strike":false,"underline":false}"#;

fn notice(lines: &str) -> String {
    format!(r#"{{"Notice":{{"id":1,"title":null,"body":[{lines}]}}}}"#)
}

fn notice_document(lines: &str) -> String {
    format!(r#"{{"id":1,"type":"notice","payload":{{"title":null,"body":[{lines}]}}}}"#)
}

fn tool(rest: &str) -> String {
    format!(
        r#"{{"id":1,"type":"tool_call","payload":{{"status":"success","title":"","arguments":[]{rest}}}}}"#
    )
}

fn message(created_at: &str) -> String {
    format!(
        r#"{{"id":1,"type":"assistant_message","payload":{{"markdown":"","citations":[],"created_at":{created_at}}}}}"#
    )
}

fn patch(changes: &str) -> String {
    format!(
        r#"{{"Patch":{{"id":1,"patch_type":"ApplyFailure","changes":{{{changes}}},"failure":null}}}}"#
    )
}

#[test]
fn an_envelope_takes_the_id_out_of_the_record() {
    assert_pair(
        r#"{"Loading":{"id":18446744073709551615,"message":"\u00e9\/"}}"#,
        r#"{"id":18446744073709551615,"type":"loading","payload":{"message":"\u00e9\/"}}"#,
    );
    // What stands beside the three members is lost.
    let native = to_native(r#"{"x":1,"payload":{"message":"m"},"type":"loading","id":1}"#);
    assert_eq!(native, r#"{"Loading":{"id":1,"message":"m"}}"#);
}

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

#[test]
fn durations_are_whole_milliseconds_and_the_rest_beside_them() {
    for (secs, nanos, millis, exact) in [
        (0, 0, "0", ""),
        (0, 750_000, "0", "PT0.00075S"),
        (1, 500_000_000, "1500", ""),
        (1, 5_000_000, "1005", ""),
        (61, 1, "61000", "PT61.000000001S"),
        (u64::MAX, 999_000_000, "18446744073709551615999", ""),
    ] {
        let exact = if exact.is_empty() {
            String::new()
        } else {
            format!(r#","duration":"{exact}""#)
        };
        assert_pair(
            &format!(
                r#"{{"ToolCall":{{"id":1,"call_id":null,"status":"Success","title":"","duration":{{"secs":{secs},"nanos":{nanos}}},"arguments":[],"result_preview":null,"error_message":null}}}}"#
            ),
            &tool(&format!(
                r#","duration_ms":{millis}{exact},"result_preview":null,"error_message":null"#
            )),
        );
    }
    // The text wins.
    let native = to_native(&tool(r#","duration_ms":7,"duration":"PT1H0,5S""#));
    assert!(native.contains(r#""duration":{"secs":3600,"nanos":500000000}"#));
    for (rest, code, path) in [
        (r#","duration_ms":-1"#, Code::Invalid, "payload.duration_ms"),
        (
            r#","duration_ms":1.0"#,
            Code::Invalid,
            "payload.duration_ms",
        ),
        (
            r#","duration_ms":18446744073709551616000"#,
            Code::Invalid,
            "payload.duration_ms",
        ),
        (r#","duration":"P1Y""#, Code::Time, "payload.duration"),
        (r#","duration":1"#, Code::Invalid, "payload.duration"),
    ] {
        assert_eq!(document_error(&tool(rest)), (code, path.to_owned()));
    }
}

#[test]
fn times_before_1970_have_no_native_form() {
    let native = |secs: &str, nanos: u32| {
        format!(r#""created_at":{{"secs_since_epoch":{secs},"nanos_since_epoch":{nanos}}}"#)
    };
    for (document, secs, nanos) in [
        (r#""1970-01-01t01:00:00+01:00""#, "0", 0),
        (
            r#""\u0032026-01-02T03:04:05.25Z""#,
            "1767323045",
            250_000_000,
        ),
        (
            r#"{"unix_secs":9223372036854775807,"nanos":999999999,"x":1}"#,
            "9223372036854775807",
            999_999_999,
        ),
    ] {
        assert!(
            to_native(&message(document)).contains(&native(secs, nanos)),
            "{document}"
        );
    }
    let path = "payload.created_at".to_owned();
    for (document, code) in [
        (r#""1969-12-31T23:59:59.999Z""#, Code::Time),
        (r#""1970-01-01T00:00:00+00:01""#, Code::Time),
        (r#""yesterday""#, Code::Time),
        (r#"{"unix_secs":9223372036854775808,"nanos":0}"#, Code::Time),
        ("5", Code::Invalid),
        ("null", Code::Invalid),
    ] {
        assert_eq!(
            document_error(&message(document)),
            (code, path.clone()),
            "{document}"
        );
    }
}

#[test]
fn markers_are_told_apart() {
    for (native, document) in [
        (r#""Dash""#, r#""-""#),
        (r#"{"Numbered":0}"#, r#""0.""#),
        (r#"{"Numbered":4294967295}"#, r#""4294967295.""#),
        (r#"{"Custom":"4294967296."}"#, r#""4294967296.""#),
        (r#"{"Custom":"01."}"#, r#""01.""#),
        (r#"{"Custom":"3)"}"#, r#""3)""#),
        (r#"{"Custom":"."}"#, r#"".""#),
        (r#"{"Custom":"\u002d"}"#, r#""\u002d","marker_custom":true"#),
        (r#"{"Custom":"7."}"#, r#""7.","marker_custom":true"#),
    ] {
        assert_pair(
            &notice(&format!(
                r#"{{"kind":{{"Bullet":{{"indent":0,"marker":{native}}}}},"spans":[]}}"#
            )),
            &notice_document(&format!(
                r#"{{"kind":"bullet","indent":0,"marker":{document},"spans":[]}}"#
            )),
        );
    }
    // A bullet of the page alone.
    assert_eq!(
        to_native(&notice_document(r#"{"kind":"bullet","spans":[]}"#)),
        notice(r#"{"kind":{"Bullet":{"indent":0,"marker":"Dash"}},"spans":[]}"#)
    );
}

#[test]
fn every_spelling_of_a_change_and_of_a_parsed_command_is_read() {
    let change = |text: &str| to_document(&patch(&format!(r#""a":{text}"#)));
    assert!(
        change(r#"{"type":"delete","content":"c"}"#).contains(r#"{"type":"delete","content":"c"}"#)
    );
    assert!(change(r#"{"delete":{"content":"c"}}"#).contains(r#"{"type":"delete","content":"c"}"#));
    assert!(change(r#"{"type":"add","content":"c"}"#).contains(r#"{"type":"add","content":"c"}"#));
    let update = change(r#"{"update":{"unified_diff":"d"}}"#);
    assert!(update.contains(r#""a":{"type":"update","unified_diff":"d","move_path":null}"#));
    assert!(to_native(&update).contains(
        r#""a":{"update":{"unified_diff":"d","move_path":null,"original_content":"","new_content":""}}"#
    ));
    assert!(to_native(&change(r#"{"delete":{"content":"c"}}"#)).contains(r#""a":"delete""#));

    let exec = |parsed: &str| {
        format!(
            r#"{{"Exec":{{"id":1,"call_id":null,"command":[],"parsed":[{parsed}],"action":"Run","status":"Running","stdout_chunks":[],"stderr_chunks":[],"exit_code":null,"wait_total":null,"wait_active":false,"wait_notes":[],"started_at":{{"secs_since_epoch":0,"nanos_since_epoch":0}},"completed_at":null,"env":[],"tags":[]}}}}"#
        )
    };
    for (spelling, document, native) in [
        (
            r#"{"Read":{"cmd":"c","name":"n"}}"#,
            r#"{"type":"read","cmd":"c","name":"n"}"#,
            r#"{"Read":{"cmd":"c","name":"n"}}"#,
        ),
        (
            r#"{"type":"read","path":"p","cmd":"c","name":"n"}"#,
            r#"{"type":"read","cmd":"c","name":"n","path":"p"}"#,
            r#"{"Read":{"cmd":"c","name":"n","path":"p"}}"#,
        ),
        (
            r#"{"list_files":{"cmd":"c"}}"#,
            r#"{"type":"list_files","cmd":"c","path":null}"#,
            r#"{"ListFiles":{"cmd":"c","path":null}}"#,
        ),
        (
            r#"{"Search":{"query":"q","cmd":"c"}}"#,
            r#"{"type":"search","cmd":"c","query":"q","path":null}"#,
            r#"{"Search":{"cmd":"c","query":"q","path":null}}"#,
        ),
        (
            r#"{"type":"ReadCommand","cmd":"c"}"#,
            r#"{"type":"read_command","cmd":"c"}"#,
            r#"{"ReadCommand":{"cmd":"c"}}"#,
        ),
    ] {
        let read = to_document(&exec(spelling));
        assert!(
            read.contains(&format!(r#""parsed":[{document}]"#)),
            "{read}"
        );
        assert_eq!(to_native(&read), exec(native));
        // The same spelling in a document.
        let read = read.replace(document, spelling);
        assert_eq!(to_native(&read), exec(native));
    }
}

#[test]
fn events_of_a_patch_and_entries_of_an_exploration_are_mapped() {
    for (native, document) in [
        (
            r#"{"ApplyBegin":{"auto_approved":true}}"#,
            r#""event":"apply_begin","auto_approved":true"#,
        ),
        (
            r#""ApplySuccess""#,
            r#""event":"apply_success","auto_approved":null"#,
        ),
        (
            r#""ApprovalRequest""#,
            r#""event":"proposed","auto_approved":null"#,
        ),
    ] {
        assert_pair(
            &patch("").replace(r#""ApplyFailure""#, native),
            &format!(
                r#"{{"id":1,"type":"patch","payload":{{{document},"changes":{{}},"failure":null}}}}"#
            ),
        );
    }
    for (summary, document) in [
        (
            r#"{"Search":{"query":null,"path":"p"}}"#,
            r#"{"type":"search","query":null,"path":"p"}"#,
        ),
        (
            r#"{"Read":{"display_path":"d","annotation":null,"range":[1,4294967295]}}"#,
            r#"{"type":"read","display_path":"d","annotation":null,"range":[1,4294967295]}"#,
        ),
        (
            r#"{"Count":{"target":"t","annotation":null}}"#,
            r#"{"type":"count","target":"t","annotation":null}"#,
        ),
        (
            r#"{"Fallback":{"text":""}}"#,
            r#"{"type":"fallback","text":""}"#,
        ),
    ] {
        for (status, word) in [
            (r#""NotFound""#, r#""not_found""#),
            (
                r#"{"Error":{"exit_code":-1}}"#,
                r#"{"error":{"exit_code":-1}}"#,
            ),
        ] {
            assert_pair(
                &format!(
                    r#"{{"Explore":{{"id":1,"entries":[{{"action":"Read","summary":{summary},"status":{status}}}]}}}}"#
                ),
                &format!(
                    r#"{{"id":1,"type":"explore","payload":{{"entries":[{{"command":[],"cwd":null,"action":"read","summary":{document},"status":{word}}}],"trailing":false}}}}"#
                ),
            );
        }
    }
    // An entry of the page alone.
    assert_eq!(
        to_native(
            r#"{"id":1,"type":"explore","payload":{"entries":[{"command":["ls"],"cwd":"/","status":"success"}],"trailing":true}}"#
        ),
        r#"{"Explore":{"id":1,"entries":[{"action":"Run","summary":{"Fallback":{"text":""}},"status":"Success"}]}}"#
    );
}

#[test]
fn doubles_keep_their_text_and_integers_become_doubles_natively() {
    let limits = |percent: &str| {
        format!(
            r#"{{"id":1,"type":"rate_limits","payload":{{"primary_used_percent":{percent},"secondary_used_percent":0.5,"primary_to_secondary_ratio_percent":1e-7,"primary_window_minutes":1,"secondary_window_minutes":2}}}}"#
        )
    };
    for (document, native) in [
        ("10", "10.0"),
        ("-0", "-0.0"),
        ("1.50", "1.50"),
        ("1e21", "1e21"),
    ] {
        assert!(
            to_native(&limits(document)).contains(&format!(r#""primary_used_percent":{native},"#))
        );
    }
    let path = "payload.primary_used_percent".to_owned();
    assert_eq!(
        document_error(&limits("1e400")),
        (Code::NotFinite, path.clone())
    );
    assert_eq!(
        document_error(&limits(r#""NaN""#)),
        (Code::Invalid, path.clone())
    );
    // To a document, null is the same as missing.
    assert_eq!(document_error(&limits("null")), (Code::NotFinite, path));
}

#[test]
fn halves_of_pairs_are_refused_wherever_they_would_be_written() {
    for (text, path) in [
        (
            r#"{"Loading":{"id":1,"message":"\ud800"}}"#,
            "Loading.message",
        ),
        (
            r#"{"Loading":{"id":1,"message":"","x":["\udc00"]}}"#,
            "Loading.x",
        ),
        (r#"{"Later":["\ud800","\udc00"]}"#, "Later"),
    ] {
        assert_eq!(native_error(text), (Code::LoneSurrogate, path.to_owned()));
    }
    assert_eq!(
        document_error(r#"{"id":1,"type":"loading","payload":{"message":"\ud800"}}"#),
        (Code::LoneSurrogate, "payload.message".to_owned())
    );
    assert_pair(
        r#"{"Loading":{"id":1,"message":"\ud83d\ude80"}}"#,
        r#"{"id":1,"type":"loading","payload":{"message":"\ud83d\ude80"}}"#,
    );
}

#[test]
fn operations_and_their_results_have_a_document_form() {
    for (kind, native, document) in [
        (
            NativeEvent::Domain,
            r#"{"UpdateExecWait":{"index":0,"total_wait":{"secs":1,"nanos":5},"wait_active":true,"notes":[]}}"#,
            r#"{"type":"update_exec_wait","index":0,"total_wait_ms":1000,"total_wait":"PT1.000000005S","wait_active":true,"notes":[]}"#,
        ),
        (
            NativeEvent::Domain,
            r#"{"Insert":{"index":1,"record":{"Plain":{"id":0,"role":"User","kind":"User","header":null,"lines":[],"metadata":null}}}}"#,
            r#"{"type":"insert","index":1,"record":{"id":0,"type":"plain_message","payload":{"role":"user","kind":"user","header":null,"lines":[],"metadata":null}}}"#,
        ),
        (
            NativeEvent::Basic,
            r#"{"Remove":{"index":1}}"#,
            r#"{"type":"remove","index":1}"#,
        ),
        (NativeEvent::Mutation, r#""Noop""#, r#"{"type":"noop"}"#),
        (
            NativeEvent::Mutation,
            r#"{"Removed":{"index":0,"id":1,"record":{"Loading":{"id":1,"message":""}}}}"#,
            r#"{"type":"removed","index":0,"id":1,"record":{"id":1,"type":"loading","payload":{"message":""}}}"#,
        ),
    ] {
        let converted = native_event_to_document(kind, native.as_bytes()).unwrap();
        assert_eq!(core::str::from_utf8(&converted), Ok(document));
    }
}
