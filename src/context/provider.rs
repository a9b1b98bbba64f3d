//! The APIs a body can be made for, and the form of the table that says what each of them wants.

use super::bodies::{Body, ai_sdk, anthropic, gemini, openai_chat, openai_responses};
use super::ids::IdLaw;
use super::legality::Rules;
use super::model::{Block, Message};

/// An API, by the form of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's `chat/completions`, and servers compatible with it.
    OpenAiChat,
    /// OpenAI's `responses`.
    OpenAiResponses,
    /// Anthropic's `messages`.
    AnthropicMessages,
    /// Google's `generateContent`.
    Gemini,
    /// `ModelMessage[]` of the AI SDK: the list alone, to be given to its functions.
    AiSdk,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::Gemini,
        Self::AiSdk,
    ];

    /// The name as JavaScript says it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::Gemini => "gemini",
            Self::AiSdk => "ai-sdk",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.as_str() == name)
    }

    /// The rules, with where this API lets a list begin and end.
    pub fn rules<'o>(self, rules: Rules<'o>) -> Rules<'o> {
        let law = self.law();
        Rules {
            starts_on_user: law.starts_on_user,
            ends_on_user: law.ends_on_user,
            ..rules
        }
    }

    pub(super) const fn law(self) -> &'static Law {
        match self {
            Self::OpenAiChat => &openai_chat::LAW,
            Self::OpenAiResponses => &openai_responses::LAW,
            Self::AnthropicMessages => &anthropic::LAW,
            Self::Gemini => &gemini::LAW,
            Self::AiSdk => &ai_sdk::LAW,
        }
    }
}

/// What one API wants. Each provider's file is such a table, and the few functions it names.
pub(super) struct Law {
    /// What `provenance.provider` may say for blocks that this API produced, alone or before a dot, where the request names no
    /// provider of its own.
    pub origins: &'static [&'static str],
    /// The ids of calls; none where the API pairs results with calls by their order.
    pub ids: Option<IdLaw>,
    /// Whether the first message has to be the user's.
    pub starts_on_user: bool,
    /// Whether the last message has to be the user's.
    pub ends_on_user: bool,
    /// Whether a last message of the assistant may not end in white space.
    pub trims_end: bool,
    /// Whether the body is the bare list of messages, with no members beside it.
    pub is_bare: bool,
    /// Whether the model is named in the body, and has to be.
    pub names_model: bool,
    /// The member that holds the messages.
    pub messages: &'static str,
    /// The member that holds the scalars below; none where they stand in the body itself.
    pub scalars_in: Option<&'static str>,
    /// The options that are copied, and what they are called here.
    pub scalars: &'static [(&'static str, &'static str)],
    /// Members that the API wants even where no option says so, with the name of their option.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The system texts' place in the body; none where they are the first message.
    pub system: Option<&'static str>,
    /// What stands between the list of tools and its first and last one.
    pub tools_around: (&'static str, &'static str),
    /// Members of a block's opaque state that are given back beside what is written of a text or a call.
    pub state: &'static [&'static str],
    /// Whether reasoning of the model addressed can be given back.
    pub takes_reasoning: fn(&Block<'_>) -> bool,
    /// Writes the system texts: the value of the member, or the message.
    pub write_system: fn(&mut Vec<u8>, &[&[u8]]),
    /// Writes a tool, of which the members name, description and parameters are given, and the whole.
    pub write_tool: fn(&mut Vec<u8>, Tool<'_>),
    /// Writes a message of the user or the assistant as one item or several.
    pub write_message: fn(&mut Body<'_>, &Message<'_>),
}

/// A `ToolSchema` of spec 2-session.md, 2.1; the members are JSON text.
#[derive(Clone, Copy)]
pub(super) struct Tool<'a> {
    pub whole: &'a [u8],
    pub name: Option<&'a [u8]>,
    pub description: Option<&'a [u8]>,
    pub parameters: Option<&'a [u8]>,
}
