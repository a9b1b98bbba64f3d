//! Lossless JSON text: checking it, reading it in place, comparing it.
//!
//! A record is kept as the UTF-8 JSON text it arrived in. [`check`] looks at every byte once, when the
//! text comes in; after that a [`Reader`] walks the same bytes and decodes only what a rule asks
//! about, so unknown fields, the spelling of numbers and lone halves of surrogate pairs survive by
//! construction.
//!
//! Invariants of the module:
//!
//! - Nothing here panics, recurses over its input, or runs without end, whatever bytes it is given.
//!   Nesting lives in explicit stacks: 100,000 levels cost a bit each in [`check`] and nothing in
//!   [`Reader::skip`].
//! - Text that [`check`] accepts means the same value to `JSON.parse`, and `JSON.stringify` can
//!   give that value back (`-0` and `1e400` are refused because it cannot).
//! - The wasm build scans with `simd128`, every other build with 64-bit words; both give the
//!   same results.

mod bigint;
mod bytes;
mod check;
mod compare;
mod container;
mod error;
mod number;
mod reader;
mod string;
mod stringify;
mod utf8;

pub use bytes::find_byte;
pub use check::{check, check_grammar};
pub use compare::same_value;
pub use error::{JsonError, JsonErrorKind};
pub use number::parse_number;
pub use reader::{Kind, Reader};
pub use string::{RawStr, write_string};
pub use string::{append_wtf8, write_wtf8};
pub use stringify::stringify;
