//! The bounds of the contract, in bytes and items. The gateway cuts what is larger; a tool does not
//! send it.

use std::time::Duration;

use serde::Serialize;

use crate::finite;

pub(super) const CODE: usize = 64;
pub(super) const MESSAGE: usize = 512;
pub(super) const PROBLEM: usize = 160;
pub(super) const FORMAT: usize = 96;
pub(super) const TOOL: usize = 128;
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

/// An object as JSON. What does not fit, is none, or is empty, is left out: cut, it would be something
/// else.
pub(super) fn object(value: &(impl Serialize + ?Sized)) -> Option<String> {
    let members =
        |text: &String| text.strip_prefix('{').is_some_and(|rest| !rest.trim_start().starts_with('}'));
    written(value).filter(members)
}

/// The arguments of a call as JSON: an object, or no text where they are null.
pub(super) fn arguments(value: &(impl Serialize + ?Sized)) -> Option<String> {
    let text = written(value)?;
    if text == "null" { Some(String::new()) } else { Some(text).filter(|text| text.starts_with('{')) }
}

fn written(value: &(impl Serialize + ?Sized)) -> Option<String> {
    finite::to_string(value).ok().filter(|text| text.len() <= OBJECT)
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
    fn only_an_object_of_its_size_is_one() {
        let of = |length| json!({"a": "x".repeat(length)});
        assert_eq!(object(&of(504)).map(|text| text.len()), Some(512));
        assert_eq!(arguments(&of(504)).map(|text| text.len()), Some(512));
        let raw: &serde_json::value::RawValue = serde_json::from_str("{ }").unwrap();
        assert_eq!((object(raw), arguments(raw).as_deref()), (None, Some("{ }")));
        assert_eq!((object(&()), arguments(&()).as_deref()), (None, Some("")));
        for none in [json!([1]), json!(1), json!("{}"), of(505)] {
            assert_eq!((object(&none), arguments(&none)), (None, None), "{none}");
        }
    }

    #[test]
    fn a_wait_is_rounded_up() {
        let nanos = |nanos| rounded(Duration::from_nanos(nanos)).as_millis();
        assert_eq!((nanos(1), nanos(10_000_000_001)), (1, 11_000));
        assert_eq!(rounded(Duration::MAX), Duration::from_secs(u64::MAX));
        assert_eq!(seconds(Duration::from_millis(3913)).to_string(), "3.913");
    }
}
