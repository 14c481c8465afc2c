//! Reads plain data from the tree of a TOML text, and says where it cannot be read.
//!
//! The deserializer of the TOML library, within one that keeps paths, would take a third of the time of the
//! whole build: it is compiled anew for every type of a scenario.

use std::{
    fmt::{self, Display},
    ops::Range,
};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor,
        value::{MapAccessDeserializer, StrDeserializer},
    },
};
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
    map,
};
use weir_types::UnitError;

use crate::overrides::Value;

/// Reads the value that `tree` describes.
pub(crate) fn read<'de, T: Deserialize<'de>>(tree: &'de DeTable<'de>) -> Result<T, ReadError> {
    T::deserialize(MapAccessDeserializer::new(Entries::of(tree)))
}

/// A choice where a table holds none, or several.
pub(crate) const NOT_ONE: &str = "not one choice";
/// A choice that is neither a name nor a table.
pub(crate) const NO_CHOICE: &str = "this is no choice";
/// A name by itself, where parameters belong to the choice.
pub(crate) const WITHOUT_PARAMETERS: &str = "a name without its parameters";

/// Why reading failed, and where.
#[derive(Debug)]
pub(crate) struct ReadError(Box<Place>);

/// A box keeps the results small that every reader of a value returns.
#[derive(Debug, Default)]
struct Place {
    message: String,
    path: String,
    span: Option<Range<usize>>,
}

impl ReadError {
    /// Description of the error.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The dotted path of the innermost value that was being read; empty at the root.
    pub(crate) fn path(&self) -> &str {
        &self.0.path
    }

    /// Where that value, or the key that is not known, was written.
    pub(crate) fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// Returns the error as one in the entry `name` of a table or of an array, which was written at `span`.
    fn within(mut self, name: impl Display, span: Range<usize>) -> Self {
        let dot = if self.0.path.is_empty() || self.0.path.starts_with('[') { "" } else { "." };
        self.0.path = format!("{name}{dot}{}", self.0.path);
        self.0.span.get_or_insert(span);
        self
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self(Box::new(Place { message: message.to_string(), ..Place::default() }))
    }
}

/// A value that is being read.
struct Reader<'de>(&'de Value<'de>);

impl<'de> Reader<'de> {
    fn scalar<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.0.get_ref(), number(self.0.get_ref())) {
            (_, Some(Number::Signed(value))) => visitor.visit_i64(value),
            (_, Some(Number::Unsigned(value))) => visitor.visit_u64(value),
            (_, Some(Number::Float(value))) => visitor.visit_f64(value),
            (DeValue::String(text), _) => visitor.visit_str(text),
            (DeValue::Boolean(value), _) => visitor.visit_bool(*value),
            (other, _) => Err(unexpected(other, &visitor)),
        }
    }
}

/// Asked for one type only, a reader is compiled for no other.
impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::Table(_) => self.deserialize_map(visitor),
            DeValue::Array(_) => self.deserialize_seq(visitor),
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::Table(table) => visitor.visit_map(Entries::of(table)),
            other => Err(unexpected(other, &visitor)),
        }
    }

    /// An array is no struct, though serde would take its values one after another.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::Array(_) => Err(ReadError::custom(UnitError::new(
                "a table belongs here, not an array",
                "write the parameters by name: { NAME = VALUE }, or {} for the defaults",
            ))),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::Array(values) => visitor.visit_seq(Items { values, read: 0 }),
            other => Err(unexpected(other, &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(Choice::of(self.0)?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            other => Err(unexpected(other, &visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            other => Err(unexpected(other, &visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

enum Number {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// The number; `None` if it is too large for any type, or `value` is none.
fn number(value: &DeValue<'_>) -> Option<Number> {
    match value {
        DeValue::Integer(integer) => {
            let (text, radix) = (integer.as_str(), integer.radix());
            let signed = i64::from_str_radix(text, radix).map(Number::Signed);
            signed.or_else(|_| u64::from_str_radix(text, radix).map(Number::Unsigned)).ok()
        }
        DeValue::Float(float) => {
            let read = |value: &f64| value.is_finite() || float.as_str().contains(['i', 'n']);
            float.as_str().parse().ok().filter(read).map(Number::Float)
        }
        _ => None,
    }
}

/// Says that `value` is not what was `expected`.
fn unexpected(value: &DeValue<'_>, expected: &dyn Expected) -> ReadError {
    let found = match (value, number(value)) {
        (_, Some(Number::Signed(value))) => Unexpected::Signed(value),
        (_, Some(Number::Unsigned(value))) => Unexpected::Unsigned(value),
        (_, Some(Number::Float(value))) => Unexpected::Float(value),
        (DeValue::Integer(number), None) => Unexpected::Other(number.as_str()),
        (DeValue::Float(number), None) => Unexpected::Other(number.as_str()),
        (DeValue::String(text), _) => Unexpected::Str(text),
        (DeValue::Boolean(value), _) => Unexpected::Bool(*value),
        (DeValue::Datetime(_), _) => Unexpected::Other("a date"),
        (DeValue::Array(_), _) => Unexpected::Seq,
        (DeValue::Table(_), _) => Unexpected::Map,
    };
    ReadError::invalid_type(found, expected)
}

/// The entries of a table.
struct Entries<'de> {
    rest: map::Iter<'de, Spanned<DeString<'de>>, Value<'de>>,
    /// The entry whose key has been read.
    current: Option<(&'de str, &'de Value<'de>)>,
}

impl<'de> Entries<'de> {
    fn of(table: &'de DeTable<'de>) -> Self {
        Self { rest: table.iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        let name = &**key.get_ref();
        self.current = Some((name, value));
        seed.deserialize(word(name)).map(Some).map_err(|error| error.within(name, key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (name, value) = self.current.expect("a key has been read");
        seed.deserialize(Reader(value)).map_err(|error| error.within(name, value.span()))
    }
}

/// The values of an array.
struct Items<'de> {
    values: &'de [Value<'de>],
    read: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(value) = self.values.get(self.read) else { return Ok(None) };
        let place = format_args!("[{}]", self.read);
        let read = seed.deserialize(Reader(value)).map_err(|error| error.within(place, value.span()));
        self.read += 1;
        read.map(Some)
    }
}

/// One choice among several: a name, or a table with the name and what belongs to it.
struct Choice<'de> {
    name: &'de str,
    name_span: Range<usize>,
    content: Option<&'de Value<'de>>,
}

impl<'de> Choice<'de> {
    fn of(value: &'de Value<'de>) -> Result<Self, ReadError> {
        let error = match value.get_ref() {
            DeValue::String(name) => return Ok(Self { name, name_span: value.span(), content: None }),
            DeValue::Table(table) if table.len() == 1 => {
                let (name, content) = table.iter().next().expect("one entry");
                return Ok(Self { name: name.get_ref(), name_span: name.span(), content: Some(content) });
            }
            DeValue::Table(_) => ReadError::custom(NOT_ONE),
            _ => ReadError::custom(NO_CHOICE),
        };
        Err(error)
    }

    fn within(&self, error: ReadError) -> ReadError {
        error.within(self.name, self.content.map_or(self.name_span.clone(), Value::span))
    }
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        match seed.deserialize(word(self.name)) {
            Ok(variant) => Ok((variant, self)),
            Err(mut error) => {
                error.0.span.get_or_insert(self.name_span);
                Err(error)
            }
        }
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content.map(Value::get_ref) {
            None => Ok(()),
            Some(DeValue::Table(table)) if table.is_empty() => Ok(()),
            Some(_) => Err(self.within(ReadError::custom("expected empty table"))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        match self.content {
            Some(content) => seed.deserialize(Reader(content)),
            None => Err(ReadError::custom(WITHOUT_PARAMETERS)),
        }
        .map_err(|error| self.within(error))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        Err(ReadError::invalid_type(Unexpected::TupleVariant, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        Err(ReadError::invalid_type(Unexpected::StructVariant, &visitor))
    }
}

fn word(name: &str) -> StrDeserializer<'_, ReadError> {
    name.into_deserializer()
}
