//! JSON values as the core passes them around: a frozen object, its text, or both.

use super::errors::as_thrown;
use super::glue;
use crate::history::{Document, Text};
use crate::protocol::{Error, MessageId, SessionId};
use std::cell::OnceCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};

/// See the module's head. The other form is made when it is first asked for.
#[derive(Clone)]
pub struct JsDocument(Rc<Forms>);

#[derive(Default)]
struct Forms {
    live: OnceCell<JsValue>,
    text: OnceCell<Text>,
}

impl JsDocument {
    /// A value that a snapshot made.
    pub fn of_frozen(live: JsValue) -> Self {
        Self(Rc::new(Forms {
            live: live.into(),
            text: OnceCell::new(),
        }))
    }

    /// A caller's value: checked, copied, frozen. `undefined` properties count as absent.
    ///
    /// # Errors
    /// `not_json` with the path of the first offender, or what a getter threw.
    pub fn of_value(value: &JsValue) -> Result<Self, Error> {
        glue::snapshot(value, true)
            .map(Self::of_frozen)
            .map_err(as_thrown)
    }

    /// The frozen object.
    pub fn live(&self) -> &JsValue {
        self.0.live.get_or_init(|| glue::frozen_of(&self.text()))
    }

    /// A fresh, unfrozen object of the text, for lists the caller owns.
    pub fn to_value(&self) -> JsValue {
        glue::value_of(&self.text())
    }
}

impl Document for JsDocument {
    fn text(&self) -> Text {
        Rc::clone(self.0.text.get_or_init(|| {
            // Every document has at least one of the two forms.
            self.0
                .live
                .get()
                .map_or_else(String::new, glue::text_of)
                .into_bytes()
                .into()
        }))
    }

    fn from_text(text: Vec<u8>) -> Self {
        Self(Rc::new(Forms {
            live: OnceCell::new(),
            text: Rc::new(text).into(),
        }))
    }

    fn turn(input: &Self, output: &Self) -> Self {
        Self::of_frozen(glue::turn_of(input.live(), output.live()))
    }

    fn injection(input: &Self) -> Self {
        Self::of_frozen(glue::injection_of(input.live()))
    }
}

/// A session id given by JavaScript.
///
/// # Errors
/// `invalid` with path `sessionId`.
pub fn session_id(value: &JsValue) -> Result<SessionId, Error> {
    id_text(value)
        .and_then(|text| SessionId::new(&text))
        .map_err(|e| e.below("sessionId"))
}

/// A message id given by JavaScript.
///
/// # Errors
/// `invalid` with path `id`.
pub fn message_id(value: &JsValue) -> Result<MessageId, Error> {
    id_text(value)
        .and_then(|text| MessageId::new(&text))
        .map_err(|e| e.below("id"))
}

/// A string that survives UTF-8.
fn id_text(value: &JsValue) -> Result<String, Error> {
    let Some(text) = value.dyn_ref::<js_sys::JsString>() else {
        return Err(Error::invalid("", "must be a string"));
    };
    let plain = String::from(text);
    // Lone surrogates become U+FFFD on the way in; a real U+FFFD is no reason to refuse.
    if plain.contains('\u{fffd}') && !glue::is_well_formed(text) {
        return Err(Error::invalid("", "must not hold a lone surrogate"));
    }
    Ok(plain)
}
