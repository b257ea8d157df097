//! Arrays: `any2array`, `concat`, `count`, `difference`, `intersection`, `union`, `member`, `reverse`, `range`, `values_at`,
//! `zip`, `grep`, `reject`.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::regexp::Regexp;
use kukla_values::{Array, Hash, Result, Value};

use crate::codes::{
    EMPTY_RANGE, INDEX_TOO_LARGE, INDEXES_REVERSED, INDEXES_TOO_LARGE, NO_INDEXES, NO_RANGE, NOTHING_TO_FIND,
    STEP_OF_ZERO, UNKNOWN_INDEX_FORMAT, WRONG_METHOD_ARGUMENT_COUNT,
};
use crate::legacy::{LEGACY, at_least, legacy, wrong_number, wrong_number_of, wrong_type};
use crate::ruby;
use crate::stdlib::booleans::text_to_bool;

builtins! {
    /// Any value as an array: arrays as they are, hashes as keys and values in turn, several arguments as their array, nothing as an
    /// empty one.
    ///
    /// ```puppet
    /// any2array({a => 1})     # => ['a', 1]
    /// any2array('x')          # => ['x']
    /// any2array('')           # => []
    /// ```
    "any2array" {
        LEGACY => any2array;
        tools "Any *$values >> Array"
    }

    /// An array with the elements of other arrays, or other values, appended.
    ///
    /// ```puppet
    /// concat([1], [2, 3], 4)    # => [1, 2, 3, 4]
    /// ```
    "concat" {
        LEGACY => concat;
        tools "Array $first, Array[Any, 1] *$more >> Array"
    }

    /// How many elements equal a value; without one, how many are neither undef nor empty strings.
    ///
    /// ```puppet
    /// count(['a', 'b', 'a'], 'a')    # => 2
    /// count(['a', '', undef])        # => 1
    /// ```
    "count" {
        LEGACY => count;
        tools "Variant[Array, Hash, String] $values, Any $item = undef >> Integer[0]"
    }

    /// The elements of one array that are not in another.
    ///
    /// ```puppet
    /// difference([1, 2, 3], [2])    # => [1, 3]
    /// ```
    "difference" {
        LEGACY => difference;
        tools "Array $first, Array $second >> Array"
    }

    /// The elements that two arrays share, each once.
    ///
    /// ```puppet
    /// intersection([1, 2, 2, 3], [2, 3])    # => [2, 3]
    /// ```
    "intersection" {
        LEGACY => intersection;
        tools "Array $first, Array $second >> Array"
    }

    /// The elements of two or more arrays, each once.
    ///
    /// ```puppet
    /// union([1, 2], [2, 3])    # => [1, 2, 3]
    /// ```
    "union" {
        LEGACY => union;
        tools "Array[Array, 2] *$arrays >> Array"
    }

    /// Whether an array holds a value, or all values of another array.
    ///
    /// ```puppet
    /// member(['a', 'b'], 'b')           # => true
    /// member(['a', 'b'], ['a', 'c'])    # => false
    /// ```
    "member" {
        LEGACY => member;
        tools "Array $values, Any $item >> Boolean"
    }

    /// The elements of an array, or the characters of a string, last first.
    ///
    /// ```puppet
    /// reverse([1, 2])    # => [2, 1]
    /// reverse('ab')      # => 'ba'
    /// ```
    "reverse" {
        LEGACY => reverse;
        tools "Array $values >> Array", "String $text >> String"
    }

    /// The members of a range of integers or strings, from first to last in steps, or from a text such as `0-9` or `a..c`.
    ///
    /// ```puppet
    /// range(1, 4)             # => [1, 2, 3, 4]
    /// range('1', '6', '2')    # => [1, 3, 5]
    /// range('a..c')           # => ['a', 'b', 'c']
    /// ```
    "range" {
        LEGACY => range;
        tools "Variant[Numeric, String] $first, Variant[Numeric, String] $last = undef, Variant[Integer, String] $step = 1 >> Array"
    }

    /// The elements at some indexes: numbers, and ranges such as `1-3`.
    ///
    /// ```puppet
    /// values_at(['a', 'b', 'c', 'd'], [0, '2-3'])    # => ['a', 'c', 'd']
    /// ```
    "values_at" {
        LEGACY => values_at;
        tools "Array $values, Variant[Integer, String, Array] $positions >> Array"
    }

    /// Pairs of the elements of two arrays, optionally flattened.
    ///
    /// ```puppet
    /// zip([1, 2], ['a', 'b'])          # => [[1, 'a'], [2, 'b']]
    /// zip([1, 2], ['a', 'b'], true)    # => [1, 'a', 2, 'b']
    /// ```
    "zip" {
        LEGACY => zip;
        tools "Array $first, Array $second, Variant[Boolean, String] $flatten = false >> Array"
    }

    /// The elements of an array that match a regular expression.
    ///
    /// ```puppet
    /// grep(['aaa', 'bbb'], 'a+')    # => ['aaa']
    /// ```
    "grep" {
        LEGACY => grep;
        tools "Variant[Array, Hash] $values, Variant[String, Regexp] $pattern >> Array"
    }

    /// The elements of an array that do not match a regular expression.
    ///
    /// ```puppet
    /// reject(['aaa', 'bbb'], 'a+')    # => ['bbb']
    /// ```
    "reject" {
        LEGACY => reject;
        tools "Array $values, Variant[String, Regexp] $pattern >> Array", "Hash $values, Variant[String, Regexp] $pattern >> Hash"
    }
}

fn any2array(Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    Ok(match args.as_slice() {
        [Value::Array(values)] => values.clone(),
        [Value::String(text)] if text.is_empty() => Array::new(),
        [Value::Hash(hash)] => hash.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect(),
        _ => args.into(),
    })
}

fn concat(Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("concat", args.len(), "< 2"));
    }
    let Value::Array(first) = &args[0] else {
        return Err(wrong_type("concat", "Requires array to work with"));
    };
    let mut result = first.clone();
    for arg in &args[1..] {
        match arg {
            Value::Array(values) => result.extend(values.iter().cloned()),
            other => result.push(other.clone()),
        }
    }
    Ok(result)
}

fn count(Rest(args): Rest) -> Result<i64> {
    let args = at_least("count", 1, args)?;
    if args.len() > 2 {
        return Err(wrong_number_of("count", args.len(), "1 or 2."));
    }
    let wanted = args.get(1).filter(|wanted| wanted.is_true());
    let values = match (&args[0], wanted) {
        (Value::Array(values), _) => values.clone(),
        (Value::Hash(hash), _) => ruby::pairs(hash),
        // Ruby's `count` of a text counts characters of a set, and needs one.
        (Value::String(text), Some(set)) => return Ok(characters_of_set(text, ruby::text(set)?)),
        (Value::String(_), None) => {
            bail!(WRONG_METHOD_ARGUMENT_COUNT { given: 0, expected: "1+" });
        }
        (other, _) => return Err(ruby::no_method("count", other)),
    };
    let counts = |value: &&Value| match wanted {
        Some(wanted) => ruby::equal(value, wanted),
        None => !value.is_undef() && value.as_str() != Some(""),
    };
    Ok(values.iter().filter(counts).count() as i64)
}

fn characters_of_set(text: &str, set: &str) -> i64 {
    let set = crate::stdlib::text::CharSet::parse(set);
    text.chars().filter(|c| set.contains(*c)).count() as i64
}

fn two_arrays(
    name: &str,
    args: Vec<Value>,
    refuse: impl Fn(&Value, &Value) -> String,
) -> Result<(Array, Array)> {
    let args = legacy(args)?;
    match args.as_slice() {
        [Value::Array(first), Value::Array(second)] => Ok((first.clone(), second.clone())),
        [first, second] => Err(wrong_type(name, refuse(first, second))),
        _ => Err(wrong_number(name, args.len(), 2)),
    }
}

fn difference(Rest(args): Rest) -> Result<Array> {
    let (first, second) = two_arrays("difference", args, |_, _| "Requires 2 arrays".into())?;
    let second: indexmap::IndexSet<&Value> = second.iter().collect();
    Ok(first.into_iter().filter(|value| !second.contains(value)).collect())
}

fn intersection(Rest(args): Rest) -> Result<Vec<Value>> {
    let refuse = |first: &Value, second: &Value| {
        format!("Requires 2 arrays, got {} and {}", ruby::class(first), ruby::class(second))
    };
    let (first, second) = two_arrays("intersection", args, refuse)?;
    let second: indexmap::IndexSet<&Value> = second.iter().collect();
    Ok(ruby::unique(first.into_iter().filter(|value| second.contains(value))))
}

fn union(Rest(args): Rest) -> Result<Vec<Value>> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("union", args.len(), "< 2"));
    }
    let mut all = Vec::new();
    for arg in args {
        let Value::Array(values) = arg else {
            return Err(wrong_type("union", "Every parameter must be an array"));
        };
        all.extend(values);
    }
    Ok(ruby::unique(all))
}

fn member(Rest(args): Rest) -> Result<bool> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("member", args.len(), 2));
    }
    let Value::Array(array) = &args[0] else {
        return Err(wrong_type("member", "Requires array to work with"));
    };
    let items = match &args[1] {
        Value::Array(items) => items.clone(),
        item @ (Value::String(_) | Value::Integer(_)) => std::iter::once(item.clone()).collect(),
        _ => {
            let objection = "Item to search for must be a string, fixnum, or array";
            return Err(wrong_type("member", objection));
        }
    };
    if items.is_empty() {
        bail!(NOTHING_TO_FIND);
    }
    Ok(items.iter().all(|item| array.contains(item)))
}

fn reverse(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    match args.first() {
        None => Err(wrong_number("reverse", 0, 1)),
        Some(Value::Array(values)) => Ok(values.iter().rev().cloned().collect::<Array>().into()),
        Some(Value::String(text)) => Ok(text.chars().rev().collect::<String>().into()),
        Some(_) => Err(wrong_type("reverse", "Requires either array or string to work with")),
    }
}

/// How many members a range may have.
const RANGE_LIMIT: usize = 1_000_000;

fn range(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Array> {
    let args = legacy(args)?;
    let (start, stop, step, exclusive) = match args.as_slice() {
        [] => return Err(wrong_number("range", 0, 1).into()),
        [value] => {
            let (start, stop, exclusive) = written_range(value)?;
            (start, stop, 1, exclusive)
        }
        [start, stop, rest @ ..] => {
            let step = rest.first().map_or(Ok(1), ruby::value_to_i)?.unsigned_abs();
            if step == 0 {
                bail!(STEP_OF_ZERO);
            }
            (start.clone(), stop.clone(), step as usize, false)
        }
    };
    let digits = ruby::to_s(&start);
    let members: Vec<Value> = if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let (from, to) = (ruby::value_to_i(&start)?, ruby::value_to_i(&stop)?);
        let to = if exclusive { to.saturating_sub(1) } else { to };
        let count = to.abs_diff(from) / step as u64;
        vm.budget().charge_elements(count.min(RANGE_LIMIT as u64) as usize)?;
        (from..=to).step_by(step).take(RANGE_LIMIT).map(Value::Integer).collect()
    } else {
        let last = ruby::to_s(&stop);
        let mut texts = Vec::new();
        for (at, text) in text_range(&digits, &last, exclusive).enumerate() {
            vm.charge(1 + text.len() as u64 / 64)?;
            if at.is_multiple_of(step) {
                vm.budget().charge_memory(text.len())?;
                texts.push(Value::from(text));
            }
            if texts.len() == RANGE_LIMIT {
                break;
            }
        }
        texts
    };
    vm.charge(members.len() as u64)?;
    Ok(members.into())
}

/// `0-9`, `a..c`, `a...c`.
fn written_range(value: &Value) -> Result<(Value, Value, bool)> {
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Default => "default",
        other => return Err(ruby::no_method("match", other)),
    };
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    for (separator, exclusive) in [("...", true), ("..", false), ("-", false)] {
        if let Some((start, stop)) = text.split_once(separator)
            && word(start)
            && word(stop)
        {
            return Ok((start.into(), stop.into(), exclusive));
        }
    }
    if text.is_empty() {
        bail!(EMPTY_RANGE { text });
    }
    bail!(NO_RANGE { text })
}

/// Ruby's range of strings: successors of the first until the last is reached or outgrown.
fn text_range<'a>(first: &'a str, last: &'a str, exclusive: bool) -> impl Iterator<Item = String> + 'a {
    let single =
        first.chars().count() == 1 && last.chars().count() == 1 && first.is_ascii() && last.is_ascii();
    let mut next = (first <= last).then(|| first.to_owned());
    std::iter::from_fn(move || {
        let current = next.take()?;
        let reached = current == last;
        if reached && exclusive {
            return None;
        }
        if !reached {
            let following = if single { next_byte(&current) } else { successor(&current) };
            next = (!following.is_empty() && following.len() <= last.len()).then_some(following);
        }
        Some(current)
    })
}

fn next_byte(text: &str) -> String {
    text.bytes().map(|b| (b + 1) as char).collect()
}

/// `text.succ`: the rightmost letter or digit counts up, with carry; without any, the rightmost character does.
pub fn successor(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.iter().rposition(char::is_ascii_alphanumeric) else {
        if let Some(c) = chars.last_mut() {
            *c = char::from_u32(*c as u32 + 1).unwrap_or(*c);
        }
        return chars.into_iter().collect();
    };
    let mut at = last;
    loop {
        let (next, carry) = match chars[at] {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            c => (char::from_u32(c as u32 + 1).unwrap_or(c), None),
        };
        chars[at] = next;
        let Some(carry) = carry else { break };
        // The carry goes to the next letter or digit to the left; across anything else only to one of the same kind.
        match chars[..at].iter().rposition(char::is_ascii_alphanumeric) {
            Some(left) if at - left == 1 || chars[left].is_ascii_digit() == chars[at].is_ascii_digit() => {
                at = left
            }
            _ => {
                chars.insert(at, carry);
                break;
            }
        }
    }
    chars.into_iter().collect()
}

fn values_at(Rest(args): Rest) -> Result<Vec<Value>> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("values_at", args.len(), 2));
    }
    let Value::Array(array) = &args[0] else {
        return Err(wrong_type("values_at", "Requires array to work with"));
    };
    let indexes = ruby::flatten(&args[1..2]);
    if indexes.is_empty() {
        bail!(NO_INDEXES);
    }
    let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut found = Vec::new();
    for index in &indexes {
        let text = ruby::to_s(index);
        let span =
            [("...", true), ("..", false), ("-", false)].into_iter().find_map(|(separator, exclusive)| {
                let (start, stop) = text.split_once(separator)?;
                (numeric(start) && numeric(stop)).then(|| (ruby::to_i(start), ruby::to_i(stop), exclusive))
            });
        if let Some((start, stop, exclusive)) = span {
            if start > stop {
                bail!(INDEXES_REVERSED);
            }
            if stop > array.len() as i64 - 1 {
                bail!(INDEXES_TOO_LARGE);
            }
            let stop = if exclusive { stop } else { stop + 1 };
            found.extend(array[start as usize..stop as usize].iter().cloned());
        } else {
            if !numeric(&text) {
                bail!(UNKNOWN_INDEX_FORMAT);
            }
            let at = ruby::to_i(&text);
            if at > array.len() as i64 - 1 {
                bail!(INDEX_TOO_LARGE { function: "values_at", limit: "array size" });
            }
            found.push(array[at as usize].clone());
        }
    }
    found.retain(|value| !value.is_undef());
    Ok(found)
}

fn zip(Rest(args): Rest) -> Result<Vec<Value>> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("zip", args.len(), 2));
    }
    let (Value::Array(first), Value::Array(second)) = (&args[0], &args[1]) else {
        return Err(wrong_type("zip", "Requires array to work with"));
    };
    let flatten = match args.get(2) {
        Some(flag) if flag.is_true() => text_to_bool(flag)?,
        _ => false,
    };
    let pair = |(at, value): (usize, &Value)| {
        vec![value.clone(), second.get(at).cloned().unwrap_or_default()].into()
    };
    let pairs: Vec<Value> = first.iter().enumerate().map(pair).collect();
    Ok(if flatten { ruby::flatten(&pairs) } else { pairs })
}

fn grep(Rest(args): Rest) -> Result<Array> {
    let (collection, regexp) = sieve("grep", args)?;
    match &collection {
        Value::Array(values) => Ok(values.iter().filter(|value| matches(&regexp, value)).cloned().collect()),
        Value::Hash(_) => Ok(Array::new()),
        other => Err(ruby::no_method("grep", other)),
    }
}

fn reject(Rest(args): Rest) -> Result<Value> {
    let (collection, regexp) = sieve("reject", args)?;
    match &collection {
        Value::Array(values) => {
            Ok(values.iter().filter(|value| !matches(&regexp, value)).cloned().collect::<Array>().into())
        }
        // Of a hash, the keys are what must not match.
        Value::Hash(hash) => {
            let kept = hash.iter().filter(|(key, _)| !matches(&regexp, key));
            Ok(kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Hash>().into())
        }
        other => Err(ruby::no_method("reject", other)),
    }
}

/// The collection to search, and the value to search for.
pub fn sieve(name: &str, args: Vec<Value>) -> Result<(Value, Arc<Regexp>)> {
    let args = legacy(args)?;
    let [collection, pattern] = args.as_slice() else {
        return Err(wrong_number_of(name, args.len(), 2));
    };
    Ok((collection.clone(), Regexp::new(ruby::text(pattern)?)?))
}

/// Whether a value is text that a regular expression matches.
pub fn matches(regexp: &Regexp, value: &Value) -> bool {
    value.as_str().is_some_and(|text| regexp.is_match(text))
}
