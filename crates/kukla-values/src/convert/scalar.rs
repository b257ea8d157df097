//! Strings, times, versions, binaries, URIs, regular expressions and sensitive values.

use std::sync::Arc;

use kukla_syntax::diagnostic;

use super::ConversionContext;
use crate::binary::Binary;
use crate::codes::STRING_NOT_CONVERTIBLE;
use crate::format::format_value;
use crate::regexp::{self, Regexp};
use crate::semver::{Identifier, Number, Version, VersionRange};
use crate::time::{Timespan, Timestamp};
use crate::uri::Uri;
use crate::{Error, Hash, Result, Str, Value};

pub(super) fn string(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    format_value(&args[0], args.get(1).unwrap_or(&Value::Default)).map(Value::String)
}

fn field<'a>(hash: &'a Value, key: &str) -> Option<&'a Value> {
    hash.as_hash().and_then(|hash| hash.get(key))
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

pub(super) fn timespan(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let span = match (at, &args[0]) {
        (0, Value::Integer(seconds)) => Timespan::from_seconds(*seconds),
        (0, Value::Float(seconds)) => Timespan::from_f64(*seconds)?,
        (1, Value::String(string)) => Timespan::from_text(string, args.get(1))?,
        (_, Value::Hash(hash)) => Timespan::from_hash(hash)?,
        _ => Timespan::from_list(args),
    };
    Ok(Value::Timespan(span))
}

pub(super) fn timestamp(at: usize, args: &[Value], around: &dyn ConversionContext) -> Result<Value> {
    let stamp = match (at, args.first()) {
        (0, _) | (_, None) => around.now(),
        (_, Some(Value::Integer(seconds))) => Timestamp::from_seconds(*seconds),
        (_, Some(Value::Float(seconds))) => Timestamp::from_f64(*seconds)?,
        (_, Some(Value::Hash(hash))) => Timestamp::from_hash(hash)?,
        (_, string) => {
            Timestamp::from_text(text(string).unwrap_or_default(), args.get(1), text(args.get(2)))?
        }
    };
    Ok(Value::Timestamp(stamp))
}

pub(super) fn sem_ver(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let part = |place: usize, name: &str| match at {
        1 => args.get(place),
        _ => field(&args[0], name),
    };
    let version = if at == 0 {
        Version::parse(args[0].as_str().unwrap_or_default())?
    } else {
        let number = |place, name| match part(place, name) {
            Some(Value::Integer(number)) => Number::Small(u64::try_from(*number).unwrap_or(0)),
            _ => Number::ZERO,
        };
        Version {
            major: number(0, "major"),
            minor: number(1, "minor"),
            patch: number(2, "patch"),
            // Taken as one piece, dots and all, as Puppet does.
            prerelease: text(part(3, "prerelease")).map(|text| vec![Identifier::Text(text.into())]),
            build: text(part(4, "build")).map(|text| vec![Str::from(text)]),
        }
    };
    Ok(Value::SemVer(Arc::new(version)))
}

pub(super) fn refuse_sem_ver(function: &str, args: &[Value]) -> Option<Error> {
    match args {
        [Value::String(text)] => {
            Some(diagnostic!(STRING_NOT_CONVERTIBLE { function, text, target: "a SemVer" }).into())
        }
        _ => None,
    }
}

pub(super) fn sem_ver_range(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let part = |place: usize, name: &str| match at {
        1 => args.get(place),
        _ => field(&args[0], name),
    };
    let range = if at == 0 {
        VersionRange::parse(args[0].as_str().unwrap_or_default())?
    } else {
        let bound = |value: Option<&Value>, unless: Version| match value {
            Some(Value::SemVer(version)) => (**version).clone(),
            _ => unless,
        };
        let open = part(2, "exclude_max").is_some_and(Value::is_true);
        VersionRange::between(bound(part(0, "min"), Version::MIN), bound(part(1, "max"), Version::MAX), open)
    };
    Ok(Value::SemVerRange(Arc::new(range)))
}

pub(super) fn binary(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let (value, format) = match &args[0] {
        Value::Hash(hash) => (hash.get("value").unwrap_or(&Value::Undef), hash.get("format")),
        value => (value, args.get(1)),
    };
    let byte = |value: &Value| match value {
        Value::Integer(byte) => *byte as u8,
        _ => 0,
    };
    Ok(Value::Binary(match value {
        Value::Array(bytes) => Binary::new(bytes.iter().map(byte).collect::<Vec<u8>>()),
        value => Binary::parse(value.as_str().unwrap_or_default(), text(format).unwrap_or("%B"))?,
    }))
}

pub(super) fn uri(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let uri = match &args[0] {
        Value::Hash(hash) => uri_of(hash),
        value => Uri::parse(value.as_str().unwrap_or_default())?,
    };
    Ok(Value::Uri(Arc::new(uri)))
}

fn uri_of(hash: &Hash) -> Uri {
    let part = |name: &str| hash.get(name).and_then(Value::as_str).map(str::to_owned);
    Uri::build(Uri {
        scheme: part("scheme"),
        userinfo: part("userinfo"),
        host: part("host"),
        port: match hash.get("port") {
            Some(Value::Integer(port)) => u16::try_from(*port).ok(),
            _ => None,
        },
        path: part("path"),
        query: part("query"),
        fragment: part("fragment"),
        opaque: part("opaque"),
    })
}

pub(super) fn regexp(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let source = args[0].as_str().unwrap_or_default();
    let escaped = args.get(1).is_some_and(Value::is_true).then(|| regexp::escape(source));
    Regexp::new(escaped.as_deref().unwrap_or(source)).map(Value::Regexp)
}

pub(super) fn sensitive(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    Ok(match &args[0] {
        value @ Value::Sensitive(_) => value.clone(),
        value => Value::Sensitive(Arc::new(value.clone())),
    })
}
