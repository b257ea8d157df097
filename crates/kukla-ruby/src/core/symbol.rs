//! Symbols.

use std::cell::Cell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::string::show;
use crate::error::Result;
use crate::proc::{ProcBody, ProcObject};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::text::Text;
use crate::value::{Head, StringObject, Value};

/// The class `Symbol`.
pub const SYMBOL: NativeClass = NativeClass {
    includes: &["Comparable"],
    methods: &[METHODS],
    singleton: &[SINGLETON],
    ..NativeClass::class("Symbol", "Object")
};

const METHODS: &[Native] = methods![
    quick("<=>", 1, 1, compare),
    quick("==", 1, 1, equal).alias("==="),
    method("=~", 1, 1, match_operator),
    method("[]", 1, 2, element),
    method("capitalize", 0, 2, capitalize),
    method("casecmp", 1, 1, casecmp),
    method("casecmp?", 1, 1, is_casecmp),
    method("downcase", 0, 2, downcase),
    quick("empty?", 0, 0, is_empty),
    quick("encoding", 0, 0, encoding),
    method("end_with?", 0, ANY, ends_with),
    quick("id2name", 0, 0, to_s),
    method("inspect", 0, 0, inspect),
    method("length", 0, 0, length),
    method("match", 1, 2, match_method),
    method("match?", 1, 2, is_match),
    quick("name", 0, 0, name),
    method("next", 0, 0, succ),
    method("size", 0, 0, length),
    method("slice", 1, 2, element),
    method("start_with?", 0, ANY, starts_with),
    method("succ", 0, 0, succ),
    method("swapcase", 0, 2, swapcase),
    quick("to_proc", 0, 0, to_proc),
    quick("to_s", 0, 0, to_s),
    quick("to_sym", 0, 0, to_sym),
    method("upcase", 0, 2, upcase),
];

const SINGLETON: &[Native] = &[method("all_symbols", 0, 0, all_symbols)];

/// How a symbol is spelled, as text: US-ASCII if it can be.
pub(crate) fn text_of(ruby: &Ruby<'_>, symbol: Symbol) -> Text {
    Text::from(ruby.name(symbol)).narrowed()
}

fn own(ruby: &mut Ruby<'_>, this: &Value) -> Result<Symbol> {
    match this {
        Value::Symbol(symbol) => Ok(*symbol),
        other => Err(ruby.no_conversion(other, "Symbol")),
    }
}

/// The symbol as a string, to call a method of `String` on.
fn string(ruby: &mut Ruby<'_>, this: &Value) -> Result {
    let symbol = own(ruby, this)?;
    Ok(Value::str(text_of(ruby, symbol)))
}

/// The answer of a method of `String` for the name.
fn as_string(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    let string = string(ruby, this)?;
    let name = ruby.symbols.intern(name);
    ruby.call(&string, name, args)
}

/// The symbol of what a method of `String` answers for the name.
fn as_symbol(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    match as_string(ruby, this, name, args)? {
        Value::String(string) => {
            let name = string.text().to_str_lossy().into_owned();
            Ok(ruby.symbol(&name))
        }
        other => Ok(other),
    }
}

macro_rules! through_string {
    ($($function:ident = $name:literal by $how:ident;)*) => {
        $(fn $function(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
            $how(ruby, this, $name, args)
        })*
    };
}

through_string! {
    match_operator = "=~" by as_string;
    element = "[]" by as_string;
    is_empty = "empty?" by as_string;
    encoding = "encoding" by as_string;
    starts_with = "start_with?" by as_string;
    ends_with = "end_with?" by as_string;
    length = "length" by as_string;
    match_method = "match" by as_string;
    is_match = "match?" by as_string;
    succ = "succ" by as_symbol;
    upcase = "upcase" by as_symbol;
    downcase = "downcase" by as_symbol;
    swapcase = "swapcase" by as_symbol;
    capitalize = "capitalize" by as_symbol;
}

/// The answer of a method of `String` for two names; `nil` if the other is not a symbol.
fn with_other(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    let Value::Symbol(other) = &args[0] else { return Ok(Value::Nil) };
    let other = Value::str(text_of(ruby, *other));
    as_string(ruby, this, name, &Args::new(&[other]))
}

fn compare(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_other(ruby, this, "<=>", args)
}

fn casecmp(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_other(ruby, this, "casecmp", args)
}

fn is_casecmp(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_other(ruby, this, "casecmp?", args)
}

fn equal(_: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(this.is_same(&args[0]).into())
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    string(ruby, this)
}

fn name(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let symbol = own(ruby, this)?;
    let name = StringObject::new(ClassId::STRING, text_of(ruby, symbol));
    name.head.freeze();
    Ok(Value::String(name))
}

fn to_sym(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(this.clone())
}

fn to_proc(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let body = ProcBody::Symbol(own(ruby, this)?);
    Ok(Value::Proc(Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(true) })))
}

fn all_symbols(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(vec![Value::Symbol(sym::INITIALIZE), ruby.symbol("to_s")]))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let symbol = own(ruby, this)?;
    let shown = Text::from(inspect_name(ruby.name(symbol)));
    Ok(Value::str(if is_plain(ruby.name(symbol)) { shown.narrowed() } else { shown }))
}

/// A symbol as programs write it.
pub(crate) fn inspect_name(name: &str) -> Vec<u8> {
    if is_plain(name) {
        return format!(":{name}").into_bytes();
    }
    let mut shown = vec![b':'];
    shown.extend(show::inspect_text(&Text::from(name).narrowed()));
    shown
}

/// Whether a symbol needs no quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "|", "^", "&", "<=>", "==", "===", "=~", ">", ">=", "<", "<=", "<<", ">>", "+", "-", "*", "/", "%",
        "**", "~", "+@", "-@", "[]", "[]=", "`", "!", "!=", "!~",
    ];
    if OPERATORS.contains(&name) {
        return true;
    }
    if let Some(rest) = name.strip_prefix('$') {
        let mut chars = rest.chars();
        return match (chars.next(), chars.next(), chars.next()) {
            (Some('-'), Some(letter), None) => is_word(letter),
            (Some(sign), None, _) if "~*$?!@/\\;,.=:<>\"&`'+0_".contains(sign) => true,
            (Some('1'..='9'), _, _) => rest.chars().all(|char| char.is_ascii_digit()),
            _ => is_identifier(rest),
        };
    }
    if let Some(rest) = name.strip_prefix("@@").or_else(|| name.strip_prefix('@')) {
        return is_identifier(rest);
    }
    if is_identifier(name) {
        return true;
    }
    match name.strip_suffix(['?', '!', '=']) {
        Some(rest) => is_identifier(rest),
        None => false,
    }
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || (!char.is_ascii() && show::is_printable(char))
}

/// Whether it could be the name of a variable or method, apart from a sign at its end.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.chars().next().is_some_and(|first| is_word(first) && !first.is_ascii_digit())
        && name.chars().all(is_word)
}
