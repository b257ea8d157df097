//! Iteration: `each`, `map`, `filter`, `all`, `any`, `index`, `reduce`, `slice`, `step`, `reverse_each`, `group_by`, `partition`.
//!
//! All of these take what Puppet calls an Iterable: arrays, hashes, strings, positive integers, finite `Integer` and `Enum`
//! types, and iterators. A lambda of two parameters gets the key and value of a hash, or the index and element of anything else.
//!
//! `break` ends `each`, `map`, `filter` (except of a hash), `reduce` and `slice`. The others let it pass, unless what they
//! iterate over is a range or a stepped iterator: those quietly stop. Puppet does so because there the iteration itself is a Ruby
//! loop, which takes the signal for the end of the data (`tests/language/flow.md`).

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise, Raised};
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::iterator::Iterator as Lazy;
use kukla_values::{Array, Hash, Name, Result, Str, Type, Value};

use crate::codes::{SLICE_PARAMETER_COUNT, SLICE_WITHOUT_PARAMETER};
use crate::items::{hash_style, items};
use crate::ruby;

/// The signature whose lambda takes two parameters.
macro_rules! two {
    ($f:ident) => {
        |vm: &mut Vm<'_>, values: Value, block: Option<Block>| $f(vm, values, block, true)
    };
}

/// The signature whose lambda takes one parameter.
macro_rules! one {
    ($f:ident) => {
        |vm: &mut Vm<'_>, values: Value, block: Option<Block>| $f(vm, values, block, false)
    };
}

builtins! {
    /// Calls a lambda for each element and gives back what it iterated over.
    ///
    /// ```puppet
    /// [1, 2].each |$x| { notice($x) }             # => [1, 2]
    /// {a => 1}.each |$key, $value| { notice($key) }    # notice: a
    /// ```
    "each" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Hash" => two!(each),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Hash" => one!(each),
        "Iterable $enumerable, Callable[2, 2] &$block >> Iterable" => two!(each),
        "Iterable $enumerable, Callable[1, 1] &$block >> Iterable" => one!(each),
    }

    /// The results of calling a lambda for each element.
    ///
    /// ```puppet
    /// [1, 2].map |$x| { $x * 10 }                  # => [10, 20]
    /// {a => 1}.map |$k, $v| { "${k}=${v}" }        # => ['a=1']
    /// ['x'].map |$index, $x| { $index }            # => [0]
    /// ```
    "map" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Array" => two!(map),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Array" => one!(map),
        "Iterable $enumerable, Callable[2, 2] &$block >> Array" => two!(map),
        "Iterable $enumerable, Callable[1, 1] &$block >> Array" => one!(map),
    }

    /// The elements for which a lambda gives something true; of a hash, a hash.
    ///
    /// ```puppet
    /// [1, 2, 3].filter |$x| { $x > 1 }                  # => [2, 3]
    /// {a => 1, b => 2}.filter |$k, $v| { $v > 1 }       # => {'b' => 2}
    /// ```
    "filter" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Hash" => two!(filter),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Hash" => one!(filter),
        "Iterable $enumerable, Callable[2, 2] &$block >> Array" => two!(filter),
        "Iterable $enumerable, Callable[1, 1] &$block >> Array" => one!(filter),
    }

    /// Whether a lambda gives something true for every element; asking stops at the first for which it does not.
    ///
    /// ```puppet
    /// [1, 2].all |$x| { $x > 0 }    # => true
    /// [].all |$x| { false }         # => true
    /// ```
    "all" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Boolean" => two!(all),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Boolean" => one!(all),
        "Iterable $enumerable, Callable[2, 2] &$block >> Boolean" => two!(all),
        "Iterable $enumerable, Callable[1, 1] &$block >> Boolean" => one!(all),
    }

    /// Whether a lambda gives something true for at least one element; asking stops at the first for which it does.
    ///
    /// ```puppet
    /// [1, 2].any |$x| { $x > 1 }               # => true
    /// {a => 1}.any |$key, $x| { $x > 1 }       # => false
    /// ```
    "any" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Boolean" => two!(any),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Boolean" => one!(any),
        "Iterable $enumerable, Callable[2, 2] &$block >> Boolean" => two!(any),
        "Iterable $enumerable, Callable[1, 1] &$block >> Boolean" => one!(any),
    }

    /// The index or key of the first element that equals a value, contains a text, matches a regular expression or for which a
    /// lambda gives something true; `undef` if there is none. Of a hash, a lambda of one parameter gets the value.
    ///
    /// ```puppet
    /// index(['a', 'b'], 'b')                 # => 1
    /// index({a => 1, b => 2}, 2)             # => 'b'
    /// index('hello', 'l')                    # => 2
    /// index([1, 5]) |$x| { $x > 3 }          # => 1
    /// ```
    "index" {
        "Hash[Any, Any] $hash, Callable[2, 2] &$block >> Any" => two!(index),
        "Hash[Any, Any] $hash, Callable[1, 1] &$block >> Any" => one!(index),
        "Iterable $enumerable, Callable[2, 2] &$block >> Optional[Integer]" => two!(index),
        "Iterable $enumerable, Callable[1, 1] &$block >> Optional[Integer]" => one!(index),
        "String $str, Variant[String, Regexp] $match >> Optional[Integer]" => index_in_text,
        "Iterable $enumerable, Any $match >> Any" => index_of,
    }

    /// Folds the elements into one value: the lambda gets what it gave last and the next element. Without a start value the first
    /// element is it.
    ///
    /// ```puppet
    /// [1, 2, 3].reduce |$sum, $x| { $sum + $x }            # => 6
    /// [1, 2, 3].reduce(10) |$sum, $x| { $sum + $x }        # => 16
    /// ```
    "reduce" {
        "Iterable $enumerable, Callable[2, 2] &$block >> Any" => reduce,
        "Iterable $enumerable, Any $memo, Callable[2, 2] &$block >> Any" => reduce_from,
    }

    /// The elements in arrays of a given size; the last may be shorter. With a lambda, calls it for each: either with one array, or with
    /// as many arguments as the size says.
    ///
    /// ```puppet
    /// slice([1, 2, 3], 2)                        # => [[1, 2], [3]]
    /// [1, 2].slice(2) |$a, $b| { notice($a) }    # notice: 1
    /// ```
    "slice" {
        "Hash[Any, Any] $hash, Integer[1, default] $slice_size, Optional[Callable] &$block >> Variant[Array, Hash]" => slice,
        "Iterable $enumerable, Integer[1, default] $slice_size, Optional[Callable] &$block >> Iterable" => slice,
    }

    /// Every n-th element, from the first on: lazily as an iterator, or each given to a lambda.
    ///
    /// ```puppet
    /// [1, 2, 3].step(2).map |$x| { $x }    # => [1, 3]
    /// ```
    "step" {
        "Iterable $iterable, Integer[1] $step >> Iterator" => step,
        "Iterable $iterable, Integer[1] $step, Callable[1, 1] &$block >> Undef" => step_each,
    }

    /// The elements, last first: lazily as an iterator, or each given to a lambda.
    ///
    /// ```puppet
    /// [1, 2].reverse_each.map |$x| { $x }    # => [2, 1]
    /// ```
    "reverse_each" {
        "Iterable $iterable >> Iterator" => reverse,
        "Iterable $iterable, Callable[1, 1] &$block >> Undef" => reverse_each,
    }

    /// The elements in groups by what a lambda gives for them.
    ///
    /// ```puppet
    /// group_by(['a', 'bb', 'c']) |$x| { length($x) }    # => {1 => ['a', 'c'], 2 => ['bb']}
    /// ```
    "group_by": TypedResult {
        "Collection $collection, Callable[1, 1] &$block >> Hash" => one!(group_by),
        "Array $array, Callable[2, 2] &$block >> Hash" => two!(group_by),
        "Collection $collection, Callable[2, 2] &$block >> Hash" => two!(group_by),
    }

    /// The elements in two arrays: those for which a lambda gives something true, and the others.
    ///
    /// ```puppet
    /// partition([1, 2, 3]) |$x| { $x > 1 }    # => [[2, 3], [1]]
    /// ```
    "partition": TypedResult {
        "Collection $collection, Callable[1, 1] &$block >> Tuple[Array, Array]" => one!(partition),
        "Array $array, Callable[2, 2] &$block >> Tuple[Array, Array]" => two!(partition),
        "Collection $collection, Callable[2, 2] &$block >> Tuple[Array, Array]" => two!(partition),
    }
}

/// The effect of `break` in the lambda.
#[derive(Clone, Copy, PartialEq)]
enum OnBreak {
    Stop,
    Pass,
}

/// Calls a lambda.
pub fn call<A>(vm: &mut Vm<'_>, block: &Option<Block>, args: A) -> Flow<Value>
where
    A: IntoIterator<Item = Value>,
    A::IntoIter: ExactSizeIterator,
{
    match block {
        Some(block) => block.call(vm, args),
        None => Ok(Value::Undef),
    }
}

fn is_break(raise: &Raise) -> bool {
    matches!(raise.reason(), Raised::Break(_))
}

/// Whether iterating over this is a loop that takes `break` for the end.
fn loops(value: &Value) -> OnBreak {
    match value {
        Value::Integer(_) => OnBreak::Stop,
        Value::Type(ty) if matches!(**ty, Type::Integer(_)) => OnBreak::Stop,
        Value::Iterator(lazy) => match &**lazy {
            Lazy::Step(..) => OnBreak::Stop,
            Lazy::Tree(_) => OnBreak::Stop,
            Lazy::Each(inner) | Lazy::Reverse(inner) => loops(inner),
        },
        _ => OnBreak::Pass,
    }
}

/// Calls the lambda for each element, with one argument or with two, until `take` (index, element, result) has had enough.
fn run(
    vm: &mut Vm<'_>,
    values: &Value,
    block: &Option<Block>,
    two: bool,
    on_break: OnBreak,
    mut take: impl FnMut(usize, Value, Value) -> bool,
) -> Flow<()> {
    let paired = two && hash_style(values);
    for (index, item) in items(values)?.enumerate() {
        let result = match (&item, two) {
            (_, false) => call(vm, block, [item.clone()]),
            (Value::Array(pair), true) if paired => call(vm, block, pair.iter().cloned()),
            (_, true) => call(vm, block, [Value::Integer(index as i64), item.clone()]),
        };
        match result {
            Ok(result) => {
                if !take(index, item, result) {
                    break;
                }
            }
            Err(raise) if on_break == OnBreak::Stop && is_break(&raise) => break,
            Err(raise) => return Err(raise),
        }
    }
    Ok(())
}

fn each(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Value> {
    run(vm, &values, &block, two, OnBreak::Stop, |_, _, _| true)?;
    Ok(values)
}

fn map(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Array> {
    let mut results = Array::new();
    // Puppet maps an iterator over a hash with Ruby's own `map`, which knows nothing of `break`.
    let lazy_pairs = two && matches!(values, Value::Iterator(_)) && hash_style(&values);
    let on_break = if lazy_pairs { OnBreak::Pass } else { OnBreak::Stop };
    let most = vm.limits().elements;
    run(vm, &values, &block, two, on_break, |_, _, result| {
        results.push(result);
        // An endless map must fail at the limit, before memory runs out.
        results.len() <= most
    })?;
    vm.check_size(results.len())?;
    Ok(results)
}

fn filter(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Value> {
    let mut kept = Array::new();
    let on_break = if matches!(values, Value::Hash(_)) { OnBreak::Pass } else { OnBreak::Stop };
    run(vm, &values, &block, two, on_break, |_, item, result| {
        if result.is_true() {
            kept.push(item);
        }
        true
    })?;
    let as_hash = matches!(values, Value::Hash(_)) || (two && hash_style(&values));
    Ok(if as_hash { from_pairs(&kept).into() } else { kept.into() })
}

fn from_pairs(pairs: &[Value]) -> Hash {
    let pair = |value: &Value| match value.as_array().map(|pair| &**pair) {
        Some([key, value]) => Some((key.clone(), value.clone())),
        _ => None,
    };
    pairs.iter().filter_map(pair).collect()
}

fn all(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<bool> {
    let mut holds = true;
    run(vm, &values, &block, two, loops(&values), |_, _, result| {
        holds = result.is_true();
        holds
    })?;
    Ok(holds)
}

fn any(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<bool> {
    let mut found = false;
    run(vm, &values, &block, two, loops(&values), |_, _, result| {
        found = result.is_true();
        !found
    })?;
    Ok(found)
}

fn index(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Value> {
    let paired = hash_style(&values);
    for (index, item) in items(&values)?.enumerate() {
        vm.charge(1)?;
        let (key, value) = split(paired, index, item);
        let args = if two { vec![key.clone(), value] } else { vec![value] };
        match call(vm, &block, args) {
            Ok(result) if result.is_true() => return Ok(key),
            Ok(_) => {}
            Err(raise) if loops(&values) == OnBreak::Stop && is_break(&raise) => break,
            Err(raise) => return Err(raise),
        }
    }
    Ok(Value::Undef)
}

fn index_of(vm: &mut Vm<'_>, values: Value, wanted: Value) -> Flow<Value> {
    let paired = hash_style(&values);
    for (index, item) in items(&values)?.enumerate() {
        vm.charge(1)?;
        let (key, value) = split(paired, index, item);
        if ruby::equal(&value, &wanted) {
            return Ok(key);
        }
    }
    Ok(Value::Undef)
}

/// The key and value of an entry, or the index and the element.
fn split(paired: bool, index: usize, item: Value) -> (Value, Value) {
    match item {
        Value::Array(pair) if paired && pair.len() == 2 => (pair[0].clone(), pair[1].clone()),
        other => (Value::Integer(index as i64), other),
    }
}

fn index_in_text(text: Str, wanted: Value) -> Result<Value> {
    let found = match &wanted {
        Value::String(part) => text.find(part.as_str()),
        Value::Regexp(regexp) => regexp.find_at(&text, 0)?.map(|(start, _)| start),
        _ => None,
    };
    Ok(found.map_or(Value::Undef, |at| Value::Integer(text[..at].chars().count() as i64)))
}

fn reduce(vm: &mut Vm<'_>, values: Value, block: Option<Block>) -> Flow<Value> {
    fold(vm, values, None, block)
}

fn reduce_from(vm: &mut Vm<'_>, values: Value, memo: Value, block: Option<Block>) -> Flow<Value> {
    fold(vm, values, Some(memo), block)
}

fn fold(vm: &mut Vm<'_>, values: Value, start: Option<Value>, block: Option<Block>) -> Flow<Value> {
    let mut memo = start;
    for item in items(&values)? {
        vm.charge(1)?;
        let Some(so_far) = memo else {
            memo = Some(item);
            continue;
        };
        match call(vm, &block, [so_far.clone(), item]) {
            Ok(result) => {
                memo = Some(result);
                vm.budget().release(so_far);
            }
            Err(raise) if is_break(&raise) => return Ok(so_far),
            Err(raise) => return Err(raise),
        }
    }
    Ok(memo.unwrap_or_default())
}

fn slice(vm: &mut Vm<'_>, values: Value, size: i64, block: Option<Block>) -> Flow<Value> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let serving = match &block {
        Some(block) if block.captures_rest() => size,
        Some(block) => block.parameter_count(),
        None => 1,
    };
    if serving == 0 {
        bail!(SLICE_WITHOUT_PARAMETER);
    }
    if serving != 1 && serving != size {
        let names: Vec<&str> = block.iter().flat_map(Block::parameter_names).map(Name::as_str).collect();
        bail!(SLICE_PARAMETER_COUNT { size, count: serving, names: names.join(", ") });
    }
    let filler = if matches!(values, Value::Hash(_)) { Value::Array(Array::new()) } else { Value::Undef };
    let mut served = Array::new();
    let mut source = items(&values)?;
    vm.check_size(source.size_hint().0.min(size))?;
    loop {
        let mut portion: Vec<Value> = source.by_ref().take(size).collect();
        if portion.is_empty() {
            break;
        }
        vm.charge(portion.len() as u64)?;
        if block.is_none() {
            vm.check_size(served.len() + 1)?;
            served.push(portion.into());
            continue;
        }
        let args = if serving == 1 {
            vec![Value::from(portion)]
        } else {
            portion.resize(serving, filler.clone());
            portion
        };
        match call(vm, &block, args) {
            Ok(_) => {}
            Err(raise) if is_break(&raise) => break,
            Err(raise) => return Err(raise),
        }
    }
    Ok(if block.is_some() { values } else { served.into() })
}

fn lazily(lazy: Lazy) -> Value {
    Value::Iterator(Arc::new(lazy))
}

fn step(values: Value, step: i64) -> Result<Value> {
    items(&values)?;
    Ok(lazily(if step == 1 { Lazy::Each(values) } else { Lazy::Step(values, step) }))
}

fn step_each(vm: &mut Vm<'_>, values: Value, size: i64, block: Option<Block>) -> Flow<()> {
    run(vm, &step(values, size)?, &block, false, OnBreak::Stop, |_, _, _| true)
}

fn reverse(values: Value) -> Result<Value> {
    items(&values)?;
    Ok(lazily(Lazy::Reverse(values)))
}

fn reverse_each(vm: &mut Vm<'_>, values: Value, block: Option<Block>) -> Flow<()> {
    run(vm, &reverse(values)?, &block, false, OnBreak::Stop, |_, _, _| true)
}

fn group_by(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Hash> {
    let mut groups: indexmap::IndexMap<Value, Array> = indexmap::IndexMap::new();
    run(vm, &values, &block, two, OnBreak::Pass, |_, item, result| {
        groups.entry(result).or_default().push(item);
        true
    })?;
    Ok(groups.into_iter().collect())
}

fn partition(vm: &mut Vm<'_>, values: Value, block: Option<Block>, two: bool) -> Flow<Vec<Value>> {
    let (mut yes, mut no) = (Array::new(), Array::new());
    run(vm, &values, &block, two, OnBreak::Pass, |_, item, result| {
        if result.is_true() {
            yes.push(item)
        } else {
            no.push(item)
        }
        true
    })?;
    Ok(vec![yes.into(), no.into()])
}
