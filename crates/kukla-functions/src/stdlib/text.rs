//! Text: `squeeze`, `swapcase`, `dos2unix`, `unix2dos`, `regexpescape`, `stdlib::start_with`, `stdlib::end_with`, `stdlib::xml_encode`,
//! `sprintf_hash`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::case;
use kukla_values::regexp::escape;
use kukla_values::{Array, Hash, Result, Str, Value};

use crate::legacy::{LEGACY, exactly, legacy, wrong_number, wrong_number_of, wrong_type};
use crate::ruby;
use crate::stdlib::misc::deprecation;

builtins! {
    /// A text, or each text of an array, with runs of the same character made one; only of the characters given, if any are.
    ///
    /// ```puppet
    /// squeeze('aabbc')          # => 'abc'
    /// squeeze('aabbc', 'a')     # => 'abbc'
    /// ```
    "squeeze" {
        LEGACY => squeeze;
        tools "String $text, String $characters = undef >> String", "Array $texts, String $characters = undef >> Array"
    }

    /// A text, or each text of an array, with upper case made lower and the other way round.
    ///
    /// ```puppet
    /// swapcase('aBc')    # => 'AbC'
    /// ```
    "swapcase" {
        LEGACY => swapcase;
        tools "String $text >> String", "Array $texts >> Array"
    }

    /// A text with the line ends of Unix.
    ///
    /// ```puppet
    /// dos2unix("a\r\nb")    # => "a\nb"
    /// ```
    "dos2unix" {
        LEGACY => dos2unix;
        tools "String $text >> String"
    }

    /// A text with the line ends of DOS.
    ///
    /// ```puppet
    /// unix2dos("a\nb")    # => "a\r\nb"
    /// ```
    "unix2dos" {
        LEGACY => unix2dos;
        tools "String $text >> String"
    }

    /// A text, or each text of an array, as a regular expression that matches it and nothing else.
    ///
    /// ```puppet
    /// regexpescape('a.b*')    # => 'a\.b\*'
    /// ```
    "regexpescape" {
        LEGACY => regexpescape;
        tools "String $text >> String", "Array $texts >> Array"
    }

    /// Whether a text begins with one of some prefixes.
    ///
    /// ```puppet
    /// stdlib::start_with('foobar', 'foo')            # => true
    /// stdlib::start_with('foobar', ['bar', 'baz'])   # => false
    /// ```
    "stdlib::start_with": TypedResult { "String $test_string, Variant[String[1],Array[String[1], 1]] $prefixes >> Boolean" => start_with }

    /// Whether a text ends with one of some suffixes.
    ///
    /// ```puppet
    /// stdlib::end_with('foobar', ['foo', 'bar'])    # => true
    /// ```
    "stdlib::end_with": TypedResult { "String $test_string, Variant[String[1],Array[String[1], 1]] $suffixes >> Boolean" => end_with }

    /// A text fit for an XML document: as text, or quoted as an attribute's value.
    ///
    /// ```puppet
    /// stdlib::xml_encode('a < "b"')            # => 'a &lt; "b"'
    /// stdlib::xml_encode('a < "b"', 'attr')    # => '"a &lt; &quot;b&quot;"'
    /// ```
    "stdlib::xml_encode": TypedResult { "String $str, Enum['text','attr'] $type = 'text' >> String" => xml_encode }
}

/// A set of characters as Ruby's `count`, `squeeze` and `delete` write it: `a-z`, `^a-z`.
pub struct CharSet {
    members: Vec<(char, char)>,
    negated: bool,
}

impl CharSet {
    /// Reads a set.
    pub fn parse(text: &str) -> CharSet {
        let chars: Vec<char> = text.chars().collect();
        let negated = chars.len() > 1 && chars[0] == '^';
        let mut members = Vec::new();
        let mut at = usize::from(negated);
        while at < chars.len() {
            let c = if chars[at] == '\\' && at + 1 < chars.len() {
                at += 1;
                chars[at]
            } else {
                chars[at]
            };
            if at + 2 < chars.len() && chars[at + 1] == '-' {
                members.push((c, chars[at + 2]));
                at += 3;
            } else {
                members.push((c, c));
                at += 1;
            }
        }
        CharSet { members, negated }
    }

    /// Whether a character is in it.
    pub fn contains(&self, c: char) -> bool {
        self.members.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.negated
    }
}

fn squeeze(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    if args.len() != 1 && args.len() != 2 {
        return Err(wrong_number_of("squeeze", args.len(), "2 or 1"));
    }
    let squeezed = |value: &Value| {
        let Value::String(text) = value else { return Err(ruby::no_method("squeeze", value)) };
        let set = match args.get(1).filter(|set| set.is_true()) {
            Some(set) => Some(CharSet::parse(ruby::text(set)?)),
            None => None,
        };
        Ok(Value::from(without_runs(text, set.as_ref())))
    };
    match &args[0] {
        Value::Array(values) => Ok(values.iter().map(squeezed).collect::<Result<Array>>()?.into()),
        value => squeezed(value),
    }
}

fn without_runs(text: &str, set: Option<&CharSet>) -> Str {
    let mut last = None;
    let mut keep = |c: char| {
        let repeated = last.replace(c) == Some(c);
        !(repeated && set.is_none_or(|set| set.contains(c)))
    };
    text.chars().filter(|c| keep(*c)).collect()
}

/// Applies a function to a text or to each text of an array; other elements stay.
pub fn each_text(name: &str, args: Vec<Value>, change: fn(&str) -> Str) -> Result<Value> {
    let args = legacy(args)?;
    let changed = |value: &Value| match value {
        Value::String(text) => change(text).into(),
        other => other.clone(),
    };
    match args.first() {
        None => Err(wrong_number(name, 0, 1)),
        Some(Value::Array(values)) => Ok(values.iter().map(changed).collect::<Array>().into()),
        Some(text @ Value::String(_)) => Ok(changed(text)),
        Some(_) => Err(wrong_type(name, "Requires either array or string to work with")),
    }
}

fn swapcase(Rest(args): Rest) -> Result<Value> {
    each_text("swapcase", args, case::swapcase)
}

fn regexpescape(Rest(args): Rest) -> Result<Value> {
    each_text("regexpescape", args, |text| escape(text).into())
}

fn only_text(name: &str, args: Vec<Value>) -> Result<Str> {
    match exactly(name, 1, args)?.first() {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(wrong_type(name, "Requires string as argument")),
    }
}

fn dos2unix(Rest(args): Rest) -> Result<String> {
    Ok(only_text("dos2unix", args)?.replace("\r\n", "\n").into())
}

fn unix2dos(Rest(args): Rest) -> Result<String> {
    let text = only_text("unix2dos", args)?;
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line.trim_end_matches('\r'));
                out.push_str("\r\n");
            }
            None => out.push_str(line),
        }
    }
    Ok(out)
}

fn any_of(parts: &Value, test: impl Fn(&str) -> bool) -> bool {
    ruby::to_array(parts).iter().filter_map(Value::as_str).any(test)
}

fn start_with(text: Str, prefixes: Value) -> bool {
    any_of(&prefixes, |prefix| text.starts_with(prefix))
}

fn end_with(text: Str, suffixes: Value) -> bool {
    any_of(&suffixes, |suffix| text.ends_with(suffix))
}

fn xml_encode(text: Str, kind: Str) -> String {
    let attribute = kind == "attr";
    let mut out = String::with_capacity(text.len() + 2);
    if attribute {
        out.push('"');
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            '\'' if attribute => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    if attribute {
        out.push('"');
    }
    out
}

/// The functions that stdlib 9 no longer has.
pub mod old {
    use super::*;

    builtins! {
        /// Formats named values. Deprecated: `sprintf` does so too.
        "sprintf_hash": Deprecated { "String $format, Hash $arguments >> String" => sprintf_hash }
    }

    fn sprintf_hash(vm: &mut Vm<'_>, format: Str, arguments: Hash) -> Flow<Str> {
        let why =
            "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead";
        deprecation(vm, "sprintf_hash".into(), why.into(), true)?;
        Ok(kukla_values::format::sprintf(&format, &[arguments.into()])?)
    }
}
