#![no_main]

use turnlog_fuzz::bodies::events::body;

libfuzzer_sys::fuzz_target!(|text: &[u8]| body(text));
