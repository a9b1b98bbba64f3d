//! The surface of a list of events, and what each replacement took from it (spec 2-session.md, 5.10).

use super::error::SessionError;
use super::event::Event;
use super::rules::{Effect, apply, check_event};
use super::surface::Surface;

/// What a fold gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceFold {
    /// The events on the surface, in its order.
    pub nodes: Vec<u64>,
    /// The replacements, in the order of the log.
    pub replacements: Vec<Replacement>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The event that replaced.
    pub seq: u64,
    /// The first node replaced.
    pub start: u64,
    /// The last one.
    pub end: u64,
    /// All of them, in surface order.
    pub shadowed: Vec<u64>,
}

/// Folds events, given as checked JSON texts, by the surface rules alone: neither the envelope nor the data is looked
/// at. Linear in the texts and in what is replaced.
///
/// # Errors
/// As [`check`](super::rules::check), for the first event that breaks a rule; `seq` for one that is no object.
pub fn fold_surface<'a>(
    events: impl IntoIterator<Item = &'a [u8]>,
) -> Result<SurfaceFold, SessionError> {
    let mut surface = Surface::default();
    let mut replacements = Vec::new();
    for (seq, text) in (0..).zip(events) {
        let effect = check_event(&surface, seq, &Event::read(text).unwrap_or_default())?;
        apply(&mut surface, seq, &effect);
        if let Effect::Replace {
            start,
            end,
            shadowed,
        } = effect
        {
            replacements.push(Replacement {
                seq,
                start,
                end,
                shadowed,
            });
        }
    }
    Ok(SurfaceFold {
        nodes: surface.nodes().collect(),
        replacements,
    })
}

impl SurfaceFold {
    /// The JSON text `{nodes, replacements: {seq, start, end, shadowedSeqs}[]}` (2.5).
    pub fn to_json(&self) -> Vec<u8> {
        let replacements: Vec<String> = self
            .replacements
            .iter()
            .map(|replacement| {
                let Replacement {
                    seq,
                    start,
                    end,
                    shadowed,
                } = replacement;
                let shadowed = list(shadowed);
                format!(r#"{{"seq":{seq},"start":{start},"end":{end},"shadowedSeqs":{shadowed}}}"#)
            })
            .collect();
        let (nodes, replacements) = (list(&self.nodes), replacements.join(","));
        format!(r#"{{"nodes":{nodes},"replacements":[{replacements}]}}"#).into_bytes()
    }
}

fn list(seqs: &[u64]) -> String {
    let seqs: Vec<String> = seqs.iter().map(u64::to_string).collect();
    format!("[{}]", seqs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionCode;

    fn fold(texts: &[&str]) -> Result<String, SessionCode> {
        fold_surface(texts.iter().map(|text| text.as_bytes()))
            .map(|fold| String::from_utf8(fold.to_json()).unwrap())
            .map_err(|error| error.code)
    }

    #[test]
    fn a_fold_keeps_what_was_replaced() {
        let texts = [
            r#"{"type":"user/message","seq":0,"surfaceOp":"append"}"#,
            r#"{"type":"turn/start","seq":1}"#,
            r#"{"type":"tool/result","seq":2,"surfaceOp":"append"}"#,
            r#"{"type":"user/message","seq":3,"surfaceOp":{"op":"replace","start":0,"end":2},"sourceEventSeqs":[2,0,1]}"#,
            r#"{"type":"user/message","seq":4,"surfaceOp":"append"}"#,
        ];
        assert_eq!(
            fold(&texts).as_deref(),
            Ok(
                r#"{"nodes":[3,4],"replacements":[{"seq":3,"start":0,"end":2,"shadowedSeqs":[0,2]}]}"#
            )
        );
        assert_eq!(
            fold(&[]).as_deref(),
            Ok(r#"{"nodes":[],"replacements":[]}"#)
        );
    }

    #[test]
    fn what_is_no_event_is_refused_by_its_missing_position() {
        for text in ["null", "[]", "1", "\"x\"", "{}", r#"{"seq":"0"}"#, "", "{"] {
            assert_eq!(fold(&[text]), Err(SessionCode::Seq), "{text}");
        }
        assert!(fold(&[r#"{"type":null,"seq":0}"#]).is_ok());
    }
}
