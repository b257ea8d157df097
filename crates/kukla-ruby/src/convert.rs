//! Conversions that Ruby makes implicitly, with Ruby's own complaints.

use std::rc::Rc;

use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::text::Text;
use crate::value::{ArrayObject, HashObject, StringObject, Value};

impl Ruby<'_> {
    /// The word for a value in complaints: `nil`, `true`, or its class.
    pub fn word_for(&mut self, value: &Value) -> String {
        match value {
            Value::Nil => "nil".into(),
            Value::Bool(truth) => truth.to_string(),
            value => self.class_name_of(value),
        }
    }

    /// `TypeError`: no implicit conversion of X into Y
    #[cold]
    pub fn no_conversion(&mut self, value: &Value, into: &str) -> Box<Unwind> {
        let word = self.word_for(value);
        self.type_error(format!("no implicit conversion of {word} into {into}"))
    }

    /// The result of a conversion method, which must be of the right class: `can't convert X to Y (X#to_y gives Z)`.
    fn converted(
        &mut self,
        value: &Value,
        method: Symbol,
        class: ClassId,
        into: &str,
    ) -> Result<Option<Value>> {
        let Some(answer) = self.try_send(value, method, &[])? else { return Ok(None) };
        if answer.is_nil() || self.is_a(&answer, class) {
            return Ok(if answer.is_nil() { None } else { Some(answer) });
        }
        let (own, other, name) =
            (self.class_name_of(value), self.class_name_of(&answer), self.name(method).to_owned());
        Err(self.type_error(format!("can't convert {own} to {into} ({own}#{name} gives {other})")))
    }

    /// The integer that is meant, as `Int` or `Big` (`to_int`).
    pub fn to_integer(&mut self, value: &Value) -> Result {
        match value {
            Value::Int(_) | Value::Big(_) => Ok(value.clone()),
            Value::Float(number) => self.float_to_integer(*number),
            _ => match self.converted(value, sym::TO_INT, ClassId::INTEGER, "Integer")? {
                Some(number) => Ok(number),
                None => Err(self.no_conversion(value, "Integer")),
            },
        }
    }

    /// The integer part of a float; `FloatDomainError` if it has none.
    pub fn float_to_integer(&mut self, number: f64) -> Result {
        use num_bigint::BigInt;
        use num_traits::FromPrimitive;
        if number.abs() < 9.0e18 {
            return Ok(Value::Int(number as i64));
        }
        match BigInt::from_f64(number.trunc()) {
            Some(big) => Ok(Value::integer(big)),
            None => {
                let shown = if number.is_nan() {
                    "NaN"
                } else if number > 0.0 {
                    "Infinity"
                } else {
                    "-Infinity"
                };
                Err(self.error(ClassId::FLOAT_DOMAIN_ERROR, shown))
            }
        }
    }

    /// The integer of 64 bit that is meant, as positions and counts are.
    pub fn to_int(&mut self, value: &Value) -> Result<i64> {
        if let Value::Float(number) = value {
            if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(number) {
                return Ok(*number as i64);
            }
            let shown = match *number {
                nan if nan.is_nan() => "NaN".to_owned(),
                f64::INFINITY => "Inf".to_owned(),
                f64::NEG_INFINITY => "-Inf".to_owned(),
                large => crate::core::float::text::to_text(large).replace(".0e", "e"),
            };
            return Err(self.range_error(format!("float {shown} out of range of integer")));
        }
        if value.is_nil() {
            return Err(self.type_error("no implicit conversion from nil to integer"));
        }
        match self.to_integer(value)? {
            Value::Int(number) => Ok(number),
            _ => Err(self.range_error("bignum too big to convert into `long'")),
        }
    }

    /// The float that is meant (`to_f` of numbers only).
    pub fn to_float(&mut self, value: &Value) -> Result<f64> {
        use num_traits::ToPrimitive;
        match value {
            Value::Float(number) => Ok(*number),
            Value::Int(number) => Ok(*number as f64),
            Value::Big(big) => Ok(big.number.to_f64().unwrap_or(f64::INFINITY)),
            Value::Nil => Err(self.type_error("can't convert nil into Float")),
            Value::Bool(truth) => Err(self.type_error(format!("can't convert {truth} into Float"))),
            _ if self.is_a(value, ClassId::NUMERIC) => match self.send(value, sym::TO_F, &[])? {
                Value::Float(number) => Ok(number),
                _ => Err(self.no_float(value)),
            },
            _ => Err(self.no_float(value)),
        }
    }

    #[cold]
    fn no_float(&mut self, value: &Value) -> Box<Unwind> {
        let word = self.word_for(value);
        self.type_error(format!("can't convert {word} into Float"))
    }

    /// The string that is meant (`to_str`).
    pub fn to_string(&mut self, value: &Value) -> Result<Rc<StringObject>> {
        match self.maybe_string(value)? {
            Some(string) => Ok(string),
            None => Err(self.no_conversion(value, "String")),
        }
    }

    /// The string that is meant (`to_str`), if the value can be one.
    pub fn maybe_string(&mut self, value: &Value) -> Result<Option<Rc<StringObject>>> {
        match value {
            Value::String(string) => Ok(Some(string.clone())),
            _ if is_immediate(value) => Ok(None),
            _ => match self.converted(value, sym::TO_STR, ClassId::STRING, "String")? {
                Some(Value::String(string)) => Ok(Some(string)),
                _ => Ok(None),
            },
        }
    }

    /// The text of the string that is meant (`to_str`).
    pub fn to_text(&mut self, value: &Value) -> Result<Text> {
        Ok(self.to_string(value)?.text().clone())
    }

    /// The array that is meant (`to_ary`).
    pub fn to_array(&mut self, value: &Value) -> Result<Rc<ArrayObject>> {
        match self.maybe_array(value)? {
            Some(array) => Ok(array),
            None => Err(self.no_conversion(value, "Array")),
        }
    }

    /// The array that is meant (`to_ary`), if the value can be one.
    pub fn maybe_array(&mut self, value: &Value) -> Result<Option<Rc<ArrayObject>>> {
        match value {
            Value::Array(array) => Ok(Some(array.clone())),
            _ if is_immediate(value) => Ok(None),
            Value::String(string) if string.head.class() == ClassId::STRING => Ok(None),
            _ => match self.converted(value, sym::TO_ARY, ClassId::ARRAY, "Array")? {
                Some(Value::Array(array)) => Ok(Some(array)),
                _ => Ok(None),
            },
        }
    }

    /// The hash that is meant (`to_hash`).
    pub fn to_hash(&mut self, value: &Value) -> Result<Rc<HashObject>> {
        match self.maybe_hash(value)? {
            Some(hash) => Ok(hash),
            None => Err(self.no_conversion(value, "Hash")),
        }
    }

    /// The hash that is meant (`to_hash`), if the value can be one.
    pub fn maybe_hash(&mut self, value: &Value) -> Result<Option<Rc<HashObject>>> {
        match value {
            Value::Hash(hash) => Ok(Some(hash.clone())),
            _ if is_immediate(value) => Ok(None),
            _ => match self.converted(value, sym::TO_HASH, ClassId::HASH, "Hash")? {
                Some(Value::Hash(hash)) => Ok(Some(hash)),
                _ => Ok(None),
            },
        }
    }

    /// The symbol that a method or variable name means: a symbol or a string.
    pub fn to_symbol(&mut self, value: &Value) -> Result<Symbol> {
        if let Value::Symbol(symbol) = value {
            return Ok(*symbol);
        }
        match self.maybe_string(value)? {
            Some(string) => {
                let name = string.text().to_str_lossy().into_owned();
                Ok(self.symbols.intern(&name))
            }
            None => {
                let shown = self.inspect(value)?;
                Err(self.type_error(format!("{} is not a symbol nor a string", shown.to_str_lossy())))
            }
        }
    }
}

/// Whether a value is of a core class without implicit conversions to strings, arrays and hashes.
fn is_immediate(value: &Value) -> bool {
    matches!(
        value,
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Big(_) | Value::Symbol(_)
    )
}
