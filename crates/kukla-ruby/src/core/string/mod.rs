//! Strings.

pub(crate) mod case;
pub(crate) mod charset;
mod compare;
mod compose;
mod convert;
pub(crate) mod each;
mod encode;
pub(crate) mod index;
mod justify;
pub(crate) mod number;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod split;
mod strip;
pub(crate) mod substitute;
pub(crate) mod succ;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, NativeClass};
use crate::core::{format, pack};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

/// The class `String`.
pub const STRING: NativeClass = NativeClass {
    includes: &["Comparable"],
    methods: &[
        compose::METHODS,
        compare::METHODS,
        index::METHODS,
        case::METHODS,
        charset::METHODS,
        convert::METHODS,
        each::METHODS,
        encode::METHODS,
        justify::METHODS,
        number::METHODS,
        search::METHODS,
        show::METHODS,
        split::METHODS,
        strip::METHODS,
        substitute::METHODS,
        succ::METHODS,
        format::STRING_METHODS,
        pack::STRING_METHODS,
    ],
    singleton: &[compose::SINGLETON],
    ..NativeClass::class("String", "Object")
};

/// The receiver, which is a string.
#[inline]
pub(crate) fn own<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<StringObject>> {
    match this {
        Value::String(string) => Ok(string),
        other => Err(ruby.no_conversion(other, "String")),
    }
}

/// The receiver, a string that may be changed.
#[inline]
pub(crate) fn own_to_change<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<StringObject>> {
    ruby.check_frozen(this)?;
    own(ruby, this)
}

/// The result of a method for a string; `None` if it stays unchanged.
pub(crate) type Change = fn(&mut Ruby<'_>, &Rc<StringObject>, &Args<'_>) -> Result<Option<Text>>;

/// A new string with the change: `upcase`.
pub(crate) fn changed_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, change: Change) -> Result {
    let string = own(ruby, this)?;
    let changed = change(ruby, string, args)?;
    Ok(Value::str(changed.unwrap_or_else(|| string.text().clone())))
}

/// The change in place, `nil` if there is none: `upcase!`.
pub(crate) fn change_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, change: Change) -> Result {
    let string = own_to_change(ruby, this)?;
    match change(ruby, string, args)? {
        Some(text) => {
            ruby.check_frozen(this)?;
            *string.text_mut() = text;
            Ok(this.clone())
        }
        None => Ok(Value::Nil),
    }
}

/// Two methods from one change: the copy and the one with `!`.
macro_rules! copy_and_in_place {
    ($($copy:ident, $in_place:ident => $change:path;)*) => {
        $(
            fn $copy(ruby: &mut crate::ruby::Ruby<'_>, this: &crate::value::Value, args: &crate::args::Args<'_>) -> crate::error::Result {
                crate::core::string::changed_copy(ruby, this, args, $change)
            }
            fn $in_place(ruby: &mut crate::ruby::Ruby<'_>, this: &crate::value::Value, args: &crate::args::Args<'_>) -> crate::error::Result {
                crate::core::string::change_in_place(ruby, this, args, $change)
            }
        )*
    };
}
pub(crate) use copy_and_in_place;

/// The encoding of two texts together, or `Encoding::CompatibilityError`.
pub(crate) fn common_encoding(ruby: &mut Ruby<'_>, a: &Text, b: &Text) -> Result<Encoding> {
    match a.common_encoding(b) {
        Some(encoding) => Ok(encoding),
        None => {
            let (a, b) = (a.encoding().name(), b.encoding().name());
            let message = format!("incompatible character encodings: {a} and {b}");
            Err(ruby.error(ClassId::COMPATIBILITY_ERROR, message))
        }
    }
}

/// An error if a text is not valid in its encoding.
pub(crate) fn must_be_valid(ruby: &mut Ruby<'_>, text: &Text) -> Result<()> {
    if text.is_valid() {
        return Ok(());
    }
    Err(ruby.argument_error(format!("invalid byte sequence in {}", text.encoding().name())))
}

/// The value of a keyword that a method takes; other keywords are an `ArgumentError`.
pub(crate) fn only_keyword(ruby: &mut Ruby<'_>, args: &Args<'_>, name: &str) -> Result<Option<Value>> {
    let (_, Some(keywords)) = args.split() else { return Ok(None) };
    let keys: Vec<Value> = keywords.table().iter().map(|entry| entry.key.clone()).collect();
    let wanted = ruby.symbol(name);
    let unknown: Vec<Value> = keys.into_iter().filter(|key| !key.is_same(&wanted)).collect();
    if !unknown.is_empty() {
        let mut shown = Vec::new();
        for key in &unknown {
            shown.push(ruby.inspect(key)?.to_str_lossy().into_owned());
        }
        let word = if shown.len() == 1 { "keyword" } else { "keywords" };
        return Err(ruby.argument_error(format!("unknown {word}: {}", shown.join(", "))));
    }
    Ok(ruby.keyword(keywords, name))
}
