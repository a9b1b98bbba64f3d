//! What the session's rules refuse, with the codes of spec 2-session.md, section 16.

use std::fmt;

/// What a rule of the session refuses. The texts are ours and may change; the codes do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionCode {
    /// The data of an event is not losslessly JSON.
    DataJson,
    /// `surfaceOp` or `sourceEventSeqs` of an event are not losslessly JSON.
    MetaJson,
    /// An event of the unsupported type `request/header-delta`.
    Delta,
    /// A `request/header` with the unsupported reason `fallback`.
    Fallback,
    /// An append from inside a listener of an append.
    Reenter,
    /// An event does not stand where its `seq` says.
    Seq,
    /// A `surfaceOp` on an event that has no place on the surface.
    NotEligibleOp,
    /// `sourceEventSeqs` on such an event.
    NotEligibleSrc,
    /// An event that has a place on the surface, without `surfaceOp`.
    Marker,
    /// A `surfaceOp` that is neither `"append"` nor an object.
    Op,
    /// A `surfaceOp` object that is not exactly `{op: "replace", start, end}`.
    ReplaceOp,
    /// `start` of a replacement is not on the surface.
    Start,
    /// `end` of a replacement is not on the surface.
    End,
    /// `start` of a replacement stands behind its `end`.
    Order,
    /// `sourceEventSeqs` is no array.
    SrcArray,
    /// `sourceEventSeqs` is empty, on another type than `assistant/message`.
    SrcEmpty,
    /// A source is no non-negative safe integer.
    SrcInt,
    /// A source is named twice.
    SrcDup,
    /// A source is not earlier than its event.
    SrcEarlier,
    /// A replacement does not name all it replaces among its sources.
    Cover,
    /// A seed element is not losslessly JSON.
    SeedJson,
    /// As [`Self::Delta`], in a seed.
    SeedDelta,
    /// As [`Self::Fallback`], in a seed.
    SeedFallback,
    /// A seed element is no event.
    SeedEnvelope,
    /// A seed element is not at the index its `seq` says.
    SeedSeq,
    /// A `request/header` of a seed lacks provider or model.
    SeedHeader,
    /// An `assistant/message` of a seed lacks provider or model.
    SeedProv,
    /// A session header is not losslessly JSON.
    HdrJson,
    /// A session header is no object.
    HdrRecord,
    /// A session header of another version than 0.
    HdrVersion,
    /// A session header of another session.
    HdrId,
    /// `createdAt` is no finite number.
    HdrCreated,
    /// `cwd` is no string.
    HdrCwdType,
    /// `cwd` is no absolute path.
    HdrCwdAbs,
    /// `parentSession` is no string.
    HdrParent,
    /// `seedLength` is no non-negative safe integer.
    HdrSeedLength,
    /// A session of this id is live already.
    Exists,
    /// The child's id of a fork is live already.
    SessionAlreadyExists,
    /// The source of a fork is unknown.
    SessionNotFound,
    /// The source of a fork is not the live session of its id.
    SessionNotLive,
    /// The boundary of a fork is no event of the source.
    InvalidBoundary,
    /// The boundary of a fork is no `turn/end`.
    OpenTurn,
    /// An event breaks the turn structure.
    Invariant,
    /// A `request/header` from which no header can be made.
    MalformedHeader,
    /// A chunk or an open block that cannot be assembled.
    Chunk,
    /// The surface holds a tool result without its call.
    Unpaired,
    /// A sequence number that is not on the surface, or not in the log.
    NotOnSurface,
    /// A stored or written log that cannot be read.
    CorruptLog,
    /// A log of another version than 0.
    UnsupportedVersion,
    /// Somebody else has written to the stored session.
    Conflict,
    /// The store keeps no sessions.
    NoStorage,
}

impl SessionCode {
    /// The code as JavaScript sees it: the catalogue's name in lower case, without `E-`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DataJson => "data_json",
            Self::MetaJson => "meta_json",
            Self::Delta => "delta",
            Self::Fallback => "fallback",
            Self::Reenter => "reenter",
            Self::Seq => "seq",
            Self::NotEligibleOp => "not_eligible_op",
            Self::NotEligibleSrc => "not_eligible_src",
            Self::Marker => "marker",
            Self::Op => "op",
            Self::ReplaceOp => "replace_op",
            Self::Start => "start",
            Self::End => "end",
            Self::Order => "order",
            Self::SrcArray => "src_array",
            Self::SrcEmpty => "src_empty",
            Self::SrcInt => "src_int",
            Self::SrcDup => "src_dup",
            Self::SrcEarlier => "src_earlier",
            Self::Cover => "cover",
            Self::SeedJson => "seed_json",
            Self::SeedDelta => "seed_delta",
            Self::SeedFallback => "seed_fallback",
            Self::SeedEnvelope => "seed_envelope",
            Self::SeedSeq => "seed_seq",
            Self::SeedHeader => "seed_header",
            Self::SeedProv => "seed_prov",
            Self::HdrJson => "hdr_json",
            Self::HdrRecord => "hdr_record",
            Self::HdrVersion => "hdr_version",
            Self::HdrId => "hdr_id",
            Self::HdrCreated => "hdr_created",
            Self::HdrCwdType => "hdr_cwd_type",
            Self::HdrCwdAbs => "hdr_cwd_abs",
            Self::HdrParent => "hdr_parent",
            Self::HdrSeedLength => "hdr_seedlength",
            Self::Exists => "exists",
            Self::SessionAlreadyExists => "session_already_exists",
            Self::SessionNotFound => "session_not_found",
            Self::SessionNotLive => "session_not_live",
            Self::InvalidBoundary => "invalid_boundary",
            Self::OpenTurn => "open_turn",
            Self::Invariant => "invariant",
            Self::MalformedHeader => "malformed_header",
            Self::Chunk => "chunk",
            Self::Unpaired => "unpaired",
            Self::NotOnSurface => "not_on_surface",
            Self::CorruptLog => "corrupt",
            Self::UnsupportedVersion => "unsupported_version",
            Self::Conflict => "conflict",
            Self::NoStorage => "no_storage",
        }
    }
}

/// A refusal of the session's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionError {
    /// The stable code.
    pub code: SessionCode,
    /// A sentence for a person.
    pub message: String,
    /// Numbers that a program may want, by name: `index` (of a seed element), `seq`, `expected`, `start`, `end`…
    pub details: Vec<(&'static str, f64)>,
    /// For [`SessionCode::Cover`]: what is missing, in surface order.
    pub missing: Vec<u64>,
}

impl SessionError {
    /// A refusal without details.
    pub fn new(code: SessionCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// The same with one more detail.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.details.push((name, value));
        self
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SessionError {}
