//! Regular expressions at work: `match`, `split`, `regsubst`.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::vm::Vm;
use kukla_syntax::{bail, diagnostic};
use kukla_values::regexp::{Options, Regexp};
use kukla_values::{Array, Budget, Error, Hash, Result, Str, Type, Value};

use crate::codes::{NO_PATTERN, REGEXP_TYPE_WITHOUT_PATTERN};
use crate::logging::deprecated;
use crate::ruby;

builtins! {
    /// The match of a pattern and its groups, as an array, or `undef`. The pattern is a string, a regular expression, a `Regexp` or
    /// `Pattern` type, or an array of those, of which the first that matches counts. An array of strings gives an array.
    ///
    /// ```puppet
    /// match('abc123', /([a-z]+)([0-9]+)/)    # => ['abc123', 'abc', '123']
    /// match('abc', /x/)                      # => undef
    /// match(['ab', 'c'], 'b')                # => [['b'], undef]
    /// ```
    "match" {
        "String $string, Variant[Any, Type] $pattern >> Optional[Array[Optional[String]]]" => match_text,
        "Array[String] $string, Variant[Any, Type] $pattern >> Array[Optional[Array[Optional[String]]]]" => match_each,
    }

    /// Splits a string at every match of a pattern: a regular expression, or a string that spells one.
    ///
    /// ```puppet
    /// split('a, b,c', /, ?/)      # => ['a', 'b', 'c']
    /// split('a.b', '[.]')         # => ['a', 'b']
    /// ```
    "split" {
        "String $str, String $pattern >> Array[String]" => split,
        "String $str, Regexp $pattern >> Array[String]" => split,
        "String $str, Type[Regexp] $pattern >> Array[String]" => split,
        "Sensitive[String] $sensitive, String $pattern >> Sensitive[Array[String]]" => split_sensitive,
        "Sensitive[String] $sensitive, Regexp $pattern >> Sensitive[Array[String]]" => split_sensitive,
        "Sensitive[String] $sensitive, Type[Regexp] $pattern >> Sensitive[Array[String]]" => split_sensitive,
    }

    /// Replaces the first match of a pattern in a string or in each string of an array; with the flag `G` every match. The
    /// replacement may mention groups (`\1`), or is a hash from what matched to what replaces it. Further flags for a pattern given as a
    /// string: `E` (extended), `I` (ignore case), `M` (dot matches newlines).
    ///
    /// ```puppet
    /// regsubst('abc', 'b', 'X')                        # => 'aXc'
    /// regsubst('a.b.c', '[.]', '-', 'G')               # => 'a-b-c'
    /// regsubst(['x1', 'y2'], /([a-z])(\d)/, '\2\1')    # => ['1x', '2y']
    /// ```
    "regsubst" {
        "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]] $target, String $pattern, Variant[String,Hash[String,String]] $replacement, Optional[Pattern[/^[GEIM]*$/]] $flags = undef, Enum['N','E','S','U'] $encoding = undef >> Variant[String, Array, Sensitive]" => regsubst_text,
        "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]] $target, Variant[Regexp,Type[Regexp]] $pattern, Variant[String,Hash[String,String]] $replacement, Pattern[/^G?$/] $flags = undef >> Variant[String, Array, Sensitive]" => regsubst,
    }
}

fn match_text(text: Str, pattern: Value) -> Result<Value> {
    matched(&text, &pattern)
}

fn match_each(texts: Array, pattern: Value) -> Result<Array> {
    texts.iter().map(|text| matched(text.as_str().unwrap_or_default(), &pattern)).collect()
}

fn matched(text: &str, pattern: &Value) -> Result<Value> {
    match pattern {
        Value::String(source) => captures(text, &*Regexp::new(source)?),
        Value::Regexp(regexp) => captures(text, regexp),
        Value::Type(ty) => matched_by_type(text, ty),
        Value::Array(patterns) => first(ruby::flatten(patterns).iter().map(|pattern| matched(text, pattern))),
        other => Err(refused(other)),
    }
}

fn matched_by_type(text: &str, ty: &Type) -> Result<Value> {
    match ty {
        Type::Regexp(Some(regexp)) => captures(text, regexp),
        Type::Regexp(None) => bail!(REGEXP_TYPE_WITHOUT_PATTERN),
        Type::Pattern(patterns) => first(patterns.iter().map(|regexp| captures(text, regexp))),
        Type::Variant(types) => first(types.iter().map(|ty| matched_by_type(text, ty))),
        Type::Alias(alias) => matched_by_type(text, alias.resolved()),
        other => Err(refused(&Value::of_type(other.clone()))),
    }
}

fn refused(pattern: &Value) -> Error {
    diagnostic!(NO_PATTERN { kind: ruby::class(pattern) }).into()
}

/// The first result that is not undef.
fn first(mut results: impl Iterator<Item = Result<Value>>) -> Result<Value> {
    results.find(|result| !matches!(result, Ok(Value::Undef))).unwrap_or(Ok(Value::Undef))
}

fn captures(text: &str, regexp: &Regexp) -> Result<Value> {
    let Some(found) = regexp.captures(text)? else { return Ok(Value::Undef) };
    let group = |at| found.get(at).map_or(Value::Undef, Value::from);
    Ok((0..found.len()).map(group).collect::<Array>().into())
}

fn split(vm: &mut Vm<'_>, text: Str, pattern: Value) -> Result<Array> {
    split_text(vm.budget(), &text, &pattern)
}

fn split_text(budget: &Budget, text: &str, pattern: &Value) -> Result<Array> {
    let regexp = match pattern {
        Value::String(source) => Regexp::new(source)?,
        other => given_regexp(other)?,
    };
    // A short text cannot have too many parts.
    if text.len() > budget.limits().elements {
        let most = budget.limits().elements;
        budget.check_elements(regexp.find_iter(text).take(most + 1).count())?;
    }
    Ok(regexp.split(text)?.into_iter().map(Value::from).collect())
}

fn split_sensitive(vm: &mut Vm<'_>, sensitive: Value, pattern: Value) -> Result<Value> {
    let Value::Sensitive(text) = &sensitive else { return Ok(sensitive) };
    let parts = split_text(vm.budget(), text.as_str().unwrap_or_default(), &pattern)?;
    Ok(Value::Sensitive(Arc::new(parts.into())))
}

/// A regular expression, or that of a `Regexp` type; the bare type means the empty one.
fn given_regexp(value: &Value) -> Result<Arc<Regexp>> {
    match value {
        Value::Regexp(regexp) => Ok(Arc::clone(regexp)),
        Value::Type(ty) => match &**ty {
            Type::Regexp(Some(regexp)) => Ok(Arc::clone(regexp)),
            _ => Regexp::new(""),
        },
        _ => Regexp::new(""),
    }
}

fn regsubst_text(
    vm: &mut Vm<'_>,
    target: Value,
    pattern: Str,
    replacement: Value,
    flags: Option<Str>,
    encoding: Option<Value>,
) -> Flow<Value> {
    if encoding.is_some() {
        deprecated(
            vm,
            "regsubst_function_encoding",
            "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release",
        );
    }
    let flags = flags.unwrap_or_default();
    let has = |flag: char| flags.contains(flag);
    let options = Options { ignore_case: has('I'), multiline: has('M'), extended: has('E') };
    let regexp = Regexp::with_options(&pattern, options)?;
    Ok(substitute(&target, &Substitution { regexp, replacement, all: has('G'), budget: vm.budget() })?)
}

fn regsubst(
    vm: &mut Vm<'_>,
    target: Value,
    pattern: Value,
    replacement: Value,
    flags: Option<Str>,
) -> Result<Value> {
    let budget = vm.budget();
    let all = flags.as_deref() == Some("G");
    let substitution = match &pattern {
        // Given a type, Puppet passes the text of the pattern to Ruby, which searches for it literally.
        Value::Type(ty) => {
            let source = match &**ty {
                Type::Regexp(Some(regexp)) => regexp.source(),
                _ => "",
            };
            let regexp = Regexp::new(&kukla_values::regexp::escape(source))?;
            Substitution { regexp, replacement, all, budget }
        }
        other => Substitution { regexp: given_regexp(other)?, replacement, all, budget },
    };
    substitute(&target, &substitution)
}

struct Substitution<'b> {
    regexp: Arc<Regexp>,
    replacement: Value,
    all: bool,
    budget: &'b Budget,
}

impl Substitution<'_> {
    fn apply(&self, text: &str) -> Result<String> {
        if self.all {
            self.check_size(text)?;
        }
        match (&self.replacement, self.all) {
            (Value::Hash(table), all) => self.look_up(text, table, all),
            (other, true) => self.regexp.replace_all(text, other.as_str().unwrap_or_default()),
            (other, false) => self.regexp.replace_first(text, other.as_str().unwrap_or_default()),
        }
    }

    /// An error if the result may be longer than a text can be: one match for each character, and a group for each mark.
    fn check_size(&self, text: &str) -> Result<()> {
        let (each, marks) = match &self.replacement {
            Value::Hash(table) => {
                (table.values().filter_map(Value::as_str).map(str::len).max().unwrap_or(0), 0)
            }
            other => {
                let replacement = other.as_str().unwrap_or_default();
                (replacement.len(), replacement.matches('\\').count())
            }
        };
        let limit = self.budget.limits().text;
        let copies = text.len().saturating_mul(marks + 1);
        if text.len().saturating_add(1).saturating_mul(each).saturating_add(copies) <= limit {
            return Ok(());
        }
        let matches = self.regexp.find_iter(text).take(limit / each.max(1) + 1).count();
        self.budget.check_text(matches.saturating_mul(each).saturating_add(copies))
    }

    /// Replaces each match with what the table has for it, or nothing.
    fn look_up(&self, text: &str, table: &Hash, all: bool) -> Result<String> {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for found in self.regexp.find_iter(text).take(if all { usize::MAX } else { 1 }) {
            let (start, end) = found?;
            out.push_str(&text[copied..start]);
            out.push_str(table.get(&text[start..end]).and_then(Value::as_str).unwrap_or_default());
            copied = end;
        }
        out.push_str(&text[copied..]);
        Ok(out)
    }
}

fn substitute(target: &Value, how: &Substitution<'_>) -> Result<Value> {
    Ok(match target {
        Value::String(text) => {
            let text = how.apply(text)?;
            how.budget.charge_memory(text.len())?;
            text.into()
        }
        Value::Array(values) => {
            values.iter().map(|value| substitute(value, how)).collect::<Result<Array>>()?.into()
        }
        Value::Sensitive(inner) => match substitute(inner, how)? {
            // The members of a sensitive array are given back in the open, as Puppet does.
            Value::Array(values) => values.into(),
            text => Value::Sensitive(Arc::new(text)),
        },
        other => other.clone(),
    })
}
