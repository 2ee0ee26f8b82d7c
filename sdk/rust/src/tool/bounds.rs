//! The bounds of the contract, in bytes and items. The gateway cuts what is larger; a tool does not
//! send it.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

pub(super) const CODE: usize = 64;
pub(super) const MESSAGE: usize = 512;
pub(super) const TEXT: usize = 160;
pub(super) const LABEL: usize = 80;
pub(super) const PROBLEMS: usize = 8;
pub(super) const PROPOSALS: usize = 3;
pub(super) const STATUS_MESSAGE: usize = 128; // of a gRPC status, beside its detail
pub(super) const DETAIL: usize = 4096; // what every gRPC client's trailers hold
const OBJECT: usize = 512;
const ACCEPTED: usize = 20;
const ACCEPTED_BYTES: usize = 256;

/// Ends a text at a character.
pub(super) fn cut(text: &str, limit: usize) -> String {
    let fits = text.char_indices().map(|(start, c)| start + c.len_utf8()).take_while(|end| *end <= limit);
    text[..fits.last().unwrap_or(0)].to_owned()
}

/// The accepted values that fit, the nearest.
pub(super) fn some(accepted: &[String]) -> Vec<String> {
    let mut left = ACCEPTED_BYTES;
    let fits = accepted.iter().take(ACCEPTED).map_while(|value| {
        left = left.checked_sub(value.len())?;
        Some(value.clone())
    });
    fits.collect()
}

/// An object as JSON. What does not fit, or is none, is left out: cut, it would be something else.
pub(super) fn object(value: &(impl Serialize + ?Sized)) -> Option<Box<RawValue>> {
    let text = to_raw_value(value).ok()?;
    (text.get().starts_with('{') && text.get().len() <= OBJECT).then_some(text)
}

/// Rounds up: to a millisecond, from ten seconds on to a second.
pub(super) fn rounded(wait: Duration) -> Duration {
    const FINE: Duration = Duration::from_secs(10);
    if wait > FINE {
        return Duration::from_secs(whole_seconds(wait));
    }
    let fine = wait.as_nanos().div_ceil(1_000_000);
    u64::try_from(fine).map_or(FINE, Duration::from_millis)
}

/// A rounded wait, without the digits that a sum of seconds and nanoseconds would have.
pub(super) fn seconds(rounded: Duration) -> f64 {
    u32::try_from(rounded.as_millis()).map_or_else(|_| rounded.as_secs_f64(), |ms| f64::from(ms) / 1000.0)
}

/// As `Retry-After` says it.
pub(super) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_ends_at_a_character() {
        assert_eq!(cut("żółw", 3), "ż");
        assert_eq!(cut("żółw", 4), "żó");
        assert_eq!(cut("a", 64), "a");
        assert_eq!(cut("🐢", 3), "");
    }

    #[test]
    fn the_nearest_values_that_fit_are_kept() {
        let long = "x".repeat(250);
        assert_eq!(some(&["a".into(), long.clone(), long, "b".into()]).len(), 2);
        assert_eq!(some(&vec!["a".into(); 30]).len(), 20);
    }

    #[test]
    fn only_an_object_of_its_size_is_one() {
        let text = |value| object(&value).map(|raw| raw.get().to_owned());
        assert_eq!(text(json!({"a": 1})).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(text(json!([1])), None);
        assert_eq!(text(json!({"a": "x".repeat(512)})), None);
        assert!(object(&u128::MAX).is_none());
    }

    #[test]
    fn a_wait_is_rounded_up() {
        for (nanos, millis) in [
            (0, 0),
            (1, 1),
            (1_500_000_000, 1500),
            (9_999_000_001, 10_000),
            (10_000_000_000, 10_000),
            (10_000_000_001, 11_000),
        ] {
            assert_eq!(rounded(Duration::from_nanos(nanos)), Duration::from_millis(millis));
        }
        assert_eq!(rounded(Duration::MAX), Duration::from_secs(u64::MAX));
        assert_eq!(seconds(Duration::from_millis(3913)).to_string(), "3.913");
    }
}
