//! The model that a request is addressed to. Reasoning and opaque state are given back to the model that produced them, and
//! to no other.

use super::error::ContextError;
use super::escaped::units;
use super::legality::Rules;
use super::model::{Block, Origin};
use super::provider::{Law, Provider};
use super::request::Asked;
use crate::json::RawStr;

/// An API, and the model behind it.
#[derive(Clone, Copy)]
pub(super) struct Addressed<'o> {
    pub provider: Provider,
    pub law: &'static Law,
    /// The provider's name as `provenance` spells it; none for one of the API's own.
    pub by: Option<RawStr<'o>>,
    pub model: Option<RawStr<'o>>,
}

impl<'o> Addressed<'o> {
    /// # Errors
    /// [`Invalid`](super::ContextCode::Invalid) with the path `model` where the API wants a model named and none is.
    pub(super) fn new(provider: Provider, asked: &Asked<'o>) -> Result<Self, ContextError> {
        let law = provider.law();
        let model = asked.text("model");
        if law.names_model && model.is_none() {
            return Err(ContextError::invalid(
                "model".to_owned(),
                "must be a string: this API wants the model named",
            ));
        }
        Ok(Self {
            provider,
            law,
            by: asked.text("provider"),
            model,
        })
    }

    /// Whether a block comes from the model that is addressed.
    pub(super) fn is_own(&self, origin: &Origin<'_>) -> bool {
        let is_provider = match self.by {
            Some(by) => by.same_units(&origin.provider),
            None => is_of(self.law, &origin.provider),
        };
        is_provider && self.model.is_some_and(|it| it.same_units(&origin.model))
    }

    /// Calls `work` with the rules of this API.
    pub(super) fn with_rules<T>(&self, rules: &Rules<'_>, work: impl FnOnce(&Rules<'_>) -> T) -> T {
        let takes_reasoning = |block: &Block<'_>| {
            let is_own = block.origin.is_some_and(|origin| self.is_own(&origin));
            is_own && (self.law.takes_reasoning)(block)
        };
        work(&Rules {
            takes_reasoning: Some(&takes_reasoning),
            ..self.provider.rules(*rules)
        })
    }
}

/// Whether a provider's name is one of the API's own, alone or with something behind a dot.
fn is_of(law: &Law, provider: &RawStr<'_>) -> bool {
    let name = units(provider.escaped());
    let name = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    // A list of the AI SDK goes to any provider.
    law.origins.is_empty() || law.origins.iter().any(|own| own.as_bytes() == name)
}
