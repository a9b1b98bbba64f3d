//! What stands in the fields: spellings, numbers, times, variants.

use super::*;

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
