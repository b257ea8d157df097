//! Values on their way between Puppet and Ruby.
//!
//! Text is shared; a list or hash is copied to the other side, once for each: Ruby code sees the same object whenever it is given the
//! same one, with the changes it has made to it. A value without a counterpart in Ruby (types,
//! secrets, points in time, versions) is an object that holds the Puppet value; a Ruby object that has no counterpart in Puppet becomes a
//! value of the host, by which Ruby finds it again.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use kukla_ruby::class::ClassId;
use kukla_ruby::text::Encoding;
use kukla_ruby::value::{HashObject, Object, RegexpObject};
use kukla_ruby::{Result, Ruby, Value, data};
use kukla_syntax::deep;
use kukla_values::binary::Binary;
use kukla_values::value::HostObject;
use kukla_values::{Str, Type, Value as PuppetValue};
use rustc_hash::FxHashMap;

use crate::objects::{HeldObjects, SharedCollections};
use crate::puppet::WithPuppet;

/// A Puppet value in a Ruby object.
pub struct Wrapped(pub PuppetValue);

/// The receiver of the values: functions of the old generation see some of them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Functions made with `create_function`, and templates.
    Modern,
    /// Functions made with `newfunction`: `undef` is an empty string unless it is inside something.
    Old,
}

/// The Ruby class that represents a kind of Puppet value.
fn class_for(value: &PuppetValue) -> &'static str {
    match value {
        PuppetValue::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        PuppetValue::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        PuppetValue::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        PuppetValue::Timespan(_) => "Puppet::Pops::Time::Timespan",
        PuppetValue::SemVer(_) => "SemanticPuppet::Version",
        PuppetValue::SemVerRange(_) => "SemanticPuppet::VersionRange",
        PuppetValue::Uri(_) => "URI::Generic",
        PuppetValue::Type(ty) => match ty.unaliased() {
            Type::Enum(_) => "Puppet::Pops::Types::PEnumType",
            Type::Integer(_) => "Puppet::Pops::Types::PIntegerType",
            Type::Resource(_) => "Puppet::Pops::Types::PResourceType",
            Type::Class(_) => "Puppet::Pops::Types::PClassType",
            _ => "Puppet::Pops::Types::PAnyType",
        },
        PuppetValue::Iterator(_) => "Puppet::Pops::Types::Iterator",
        PuppetValue::Host(object) if object.class_name() == "Puppet::Pops::Lookup::Context" => {
            "Puppet::Pops::Lookup::Context"
        }
        _ => "Puppet::Pops::Types::PuppetObject",
    }
}

/// A Puppet value as Ruby sees it.
pub fn to_ruby(ruby: &mut Ruby<'_>, value: &PuppetValue) -> Result {
    Ok(match value {
        PuppetValue::Undef => Value::Nil,
        PuppetValue::Default => ruby.symbol("default"),
        PuppetValue::Boolean(truth) => Value::Bool(*truth),
        PuppetValue::Integer(number) => Value::Int(*number),
        PuppetValue::Float(number) => Value::Float(*number),
        PuppetValue::String(text) => Value::str(text.clone()),
        PuppetValue::Regexp(pattern) => Value::Regexp(Rc::new(RegexpObject {
            head: kukla_ruby::value::Head::new(ClassId::REGEXP),
            pattern: pattern.clone(),
            encoding_bits: 0,
        })),
        PuppetValue::Array(values) => {
            if let Some(known) = ruby.part::<SharedCollections>().get(value) {
                return Ok(known);
            }
            let own: Result<Vec<Value>> = values.iter().map(|value| deep(|| to_ruby(ruby, value))).collect();
            let own = Value::array(own?);
            ruby.part::<SharedCollections>().hold(value, &own);
            own
        }
        PuppetValue::Hash(entries) => {
            if let Some(known) = ruby.part::<SharedCollections>().get(value) {
                return Ok(known);
            }
            let hash = HashObject::new(ClassId::HASH, kukla_ruby::hash::Table::new());
            for (key, value) in entries {
                let (key, value) = (to_ruby(ruby, key)?, deep(|| to_ruby(ruby, value))?);
                ruby.hash_set(&hash, key, value)?;
            }
            let own = Value::Hash(hash);
            ruby.part::<SharedCollections>().hold(value, &own);
            own
        }
        PuppetValue::Host(object) => match object.as_any().downcast_ref::<RubyObject>() {
            Some(own) => ruby.part::<HeldObjects>().get(own.number),
            None => wrap(ruby, value.clone())?,
        },
        other => wrap(ruby, other.clone())?,
    })
}

/// An argument for a function, as its generation sees it.
pub fn argument(ruby: &mut Ruby<'_>, value: &PuppetValue, audience: Audience) -> Result {
    if audience == Audience::Modern {
        return to_ruby(ruby, value);
    }
    match value {
        PuppetValue::Undef => Ok(Value::str("")),
        _ => old_argument(ruby, value),
    }
}

fn old_argument(ruby: &mut Ruby<'_>, value: &PuppetValue) -> Result {
    Ok(match value {
        PuppetValue::Regexp(_) => Value::str(kukla_values::format::inspect(value)),
        PuppetValue::SemVer(_)
        | PuppetValue::SemVerRange(_)
        | PuppetValue::Timespan(_)
        | PuppetValue::Timestamp(_)
        | PuppetValue::Binary(_) => Value::str(kukla_values::format::to_s(value)),
        PuppetValue::Type(ty) if matches!(&**ty, Type::Resource(_) | Type::Class(_)) => {
            let ty = to_ruby(ruby, value)?;
            let class = ruby.class_named("Puppet::Resource")?;
            let referred = ruby.symbols.intern("referred");
            ruby.send(&Value::Class(class), referred, &[ty])?
        }
        PuppetValue::Iterator(_) => {
            return Err(ruby.runtime_error("Use of an Iterator is not supported here"));
        }
        PuppetValue::Array(values) => {
            let values: Result<Vec<Value>> =
                values.iter().map(|value| deep(|| old_argument(ruby, value))).collect();
            Value::array(values?)
        }
        PuppetValue::Hash(entries) => {
            let hash = HashObject::new(ClassId::HASH, kukla_ruby::hash::Table::new());
            for (key, value) in entries {
                let (key, value) = (old_argument(ruby, key)?, deep(|| old_argument(ruby, value))?);
                ruby.hash_set(&hash, key, value)?;
            }
            Value::Hash(hash)
        }
        other => to_ruby(ruby, other)?,
    })
}

/// The classes of such objects that were looked for.
#[derive(Default)]
struct KnownClasses(FxHashMap<&'static str, ClassId>);

/// An object that holds a Puppet value.
pub fn wrap(ruby: &mut Ruby<'_>, value: PuppetValue) -> Result {
    let name = class_for(&value);
    let class = match ruby.part::<KnownClasses>().0.get(name) {
        Some(known) => *known,
        None => {
            let class = ruby.class_named(name)?;
            ruby.part::<KnownClasses>().0.insert(name, class);
            class
        }
    };
    Ok(Value::Object(Object::with(class, Wrapped(value))))
}

/// A Ruby value as Puppet sees it.
pub fn to_puppet(ruby: &mut Ruby<'_>, value: &Value) -> Result<PuppetValue> {
    data::to_data(ruby, value, beyond_data)
}

fn beyond_data(ruby: &mut Ruby<'_>, value: &Value) -> Result<PuppetValue> {
    Ok(match value {
        Value::Symbol(symbol) => match ruby.name(*symbol) {
            "undef" => PuppetValue::Undef,
            "default" => PuppetValue::Default,
            _ => keep(ruby, value)?,
        },
        Value::String(string) => match string.text().to_shared() {
            Some(text) if string.text().encoding() == Encoding::Binary => {
                PuppetValue::String(ruby.with_puppet(move |puppet| puppet.byte_string(&text))??)
            }
            Some(text) => PuppetValue::String(text),
            None => PuppetValue::Binary(Binary::new(string.text().as_bytes().to_vec())),
        },
        Value::Regexp(regexp) => PuppetValue::Regexp(regexp.pattern.clone()),
        Value::Object(object) => {
            let wrapped = object.payload::<Wrapped>().map(|wrapped| wrapped.0.clone());
            let reference = ruby.symbols.intern("@reference");
            match (wrapped, object.head.variable(reference)) {
                (Some(value), _) => value,
                (None, Some(reference)) => to_puppet(ruby, &reference)?,
                (None, None) => keep(ruby, value)?,
            }
        }
        _ => keep(ruby, value)?,
    })
}

/// A Ruby object in the hands of Puppet.
#[derive(Debug)]
pub struct RubyObject {
    class: String,
    text: Str,
    /// Where the interpreter keeps it.
    number: usize,
}

impl HostObject for RubyObject {
    fn class_name(&self) -> Cow<'static, str> {
        Cow::Owned(self.class.clone())
    }

    fn text(&self) -> Str {
        self.text.clone()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn keep(ruby: &mut Ruby<'_>, value: &Value) -> Result<PuppetValue> {
    let text = ruby.display(value)?;
    let class = ruby.class_name_of(value);
    let number = ruby.part::<HeldObjects>().hold(value.clone());
    let text = text.to_shared().unwrap_or_else(|| text.to_str_lossy().as_ref().into());
    Ok(PuppetValue::Host(Arc::new(RubyObject { class, text, number })))
}
