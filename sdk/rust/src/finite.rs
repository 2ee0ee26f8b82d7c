//! JSON that has every number: `serde_json` writes one that is not finite as null.

use serde::{
    Serialize, Serializer,
    ser::{self, Error as _},
};
use serde_json::Error;

/// The value as JSON; an error where a number in it is none of JSON's.
pub(crate) fn to_string(value: &(impl Serialize + ?Sized)) -> Result<String, Error> {
    let text = serde_json::to_string(value)?;
    if text.contains("null") {
        value.serialize(Finite)?; // nothing else can have been a number
    }
    Ok(text)
}

/// Writes nothing, and fails at a number that is not finite.
#[derive(Clone, Copy)]
struct Finite;

type Checked = Result<(), Error>;

macro_rules! fine {
    ($($method:ident($($kind:ty),*))*) => {
        $(fn $method(self, $(_: $kind),*) -> Checked {
            Ok(())
        })*
    };
}

macro_rules! begin {
    ($($within:ident $method:ident($($kind:ty),*))*) => {
        $(
            type $within = Self;

            fn $method(self, $(_: $kind),*) -> Result<Self, Error> {
                Ok(self)
            }
        )*
    };
}

impl Serializer for Finite {
    type Ok = ();
    type Error = Error;

    fine! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_none() serialize_unit() serialize_unit_struct(&'static str)
        serialize_unit_variant(&'static str, u32, &'static str)
    }

    begin! {
        SerializeSeq serialize_seq(Option<usize>)
        SerializeTuple serialize_tuple(usize)
        SerializeTupleStruct serialize_tuple_struct(&'static str, usize)
        SerializeTupleVariant serialize_tuple_variant(&'static str, u32, &'static str, usize)
        SerializeMap serialize_map(Option<usize>)
        SerializeStruct serialize_struct(&'static str, usize)
        SerializeStructVariant serialize_struct_variant(&'static str, u32, &'static str, usize)
    }

    fn serialize_f32(self, number: f32) -> Checked {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Checked {
        if number.is_finite() {
            Ok(())
        } else {
            Err(Error::custom(format_args!("JSON has no number {number}")))
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Checked {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Checked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Checked {
        value.serialize(self)
    }
}

macro_rules! within {
    ($($kind:ident $($method:ident($($key:ty)?))+;)*) => {
        $(impl ser::$kind for Finite {
            type Ok = ();
            type Error = Error;

            $(fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? part: &T) -> Checked {
                part.serialize(*self)
            })+

            fn end(self) -> Checked {
                Ok(())
            }
        })*
    };
}

within! {
    SerializeSeq serialize_element();
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeMap serialize_key() serialize_value();
    SerializeStruct serialize_field(&'static str);
    SerializeStructVariant serialize_field(&'static str);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Wide {
        all: (u128, i128, &'static str, char, bool),
    }

    #[derive(Serialize)]
    struct Pair(f64, f64);

    #[derive(Serialize)]
    enum One {
        Unit,
        Newtype(f32),
        Tuple(f64, f32),
        Named { x: f64 },
    }

    #[derive(Serialize)]
    struct Flat {
        #[serde(flatten)]
        within: std::collections::BTreeMap<u8, Option<f64>>,
    }

    fn both<T: Serialize>(value: impl Fn(f64) -> T) {
        let kept = (value(0.5), None::<u8>, "null");
        assert_eq!(to_string(&kept).unwrap(), serde_json::to_string(&kept).unwrap());
        for lost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = to_string(&((), value(lost))).unwrap_err();
            assert_eq!(error.to_string(), format!("JSON has no number {lost}"));
        }
    }

    #[test]
    #[expect(clippy::cast_possible_truncation)]
    fn a_number_that_is_not_finite_is_found_wherever_it_stands() {
        both(|x| x);
        both(|x| x as f32);
        both(|x| vec![Some(x)]);
        both(|x| (1, x));
        both(|x| Pair(1.0, x));
        both(|x| One::Newtype(x as f32));
        both(|x| One::Tuple(1.0, x as f32));
        both(|x| One::Named { x });
        both(|x| Flat { within: [(1, None), (2, Some(x))].into() });
    }

    #[test]
    fn whatever_else_json_has_is_kept() {
        let wide = Wide { all: (u128::MAX, i128::MIN, "null", '0', true) };
        let raw = serde_json::value::RawValue::from_string("[1.10, null]".into()).unwrap();
        let kept = (wide, One::Unit, raw, f64::MIN_POSITIVE, serde_json::json!({"a": [null, -0.5]}));
        assert_eq!(to_string(&kept).unwrap(), serde_json::to_string(&kept).unwrap());
    }
}
