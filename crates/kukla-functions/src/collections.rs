//! Content of collections: `length`, `size`, `empty`, `keys`, `values`, `flatten`, `join`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::{Array, Hash, Str, Value};

use crate::logging::deprecated_here;
use crate::ruby;

builtins! {
    /// Joins the elements of an array, and of the arrays in it, into one string.
    ///
    /// ```puppet
    /// join(['a', ['b', 'c']], '-')    # => 'a-b-c'
    /// join([1, 2])                    # => '12'
    /// ```
    "join" { "Array $arg, String $delimiter = '' >> String" => join }

    /// All arguments as one array without arrays in it.
    ///
    /// ```puppet
    /// flatten(['a', ['b', ['c']]])    # => ['a', 'b', 'c']
    /// flatten(1, [2])                 # => [1, 2]
    /// ```
    "flatten" { "Any *$args >> Array" => flatten }

    /// The keys of a hash, in order.
    ///
    /// ```puppet
    /// keys({a => 1, b => 2})    # => ['a', 'b']
    /// ```
    "keys" { "Hash $hsh >> Array" => keys }

    /// The values of a hash, in order.
    ///
    /// ```puppet
    /// values({a => 1, b => 2})    # => [1, 2]
    /// ```
    "values" { "Hash $hsh >> Array" => values }

    /// The number of elements, entries, characters or bytes.
    ///
    /// ```puppet
    /// length([1, 2])      # => 2
    /// length('åäö')       # => 3
    /// ```
    "length" {
        "Collection $arg >> Integer[0]" => length,
        "String $arg >> Integer[0]" => length,
        "Binary $arg >> Integer[0]" => length,
    }

    /// The same as `length`.
    ///
    /// ```puppet
    /// size({a => 1})    # => 1
    /// ```
    "size" { "Variant[Collection, String, Binary] $arg >> Integer[0]" => length }

    /// Whether a collection, string or binary has no elements; `undef` is empty too.
    ///
    /// ```puppet
    /// empty('')       # => true
    /// empty([0])      # => false
    /// empty(undef)    # => true
    /// ```
    ///
    /// A number is never empty; asking is deprecated.
    "empty" {
        "Collection $coll >> Boolean" => empty,
        "Sensitive[String] $str >> Boolean" => empty,
        "String $str >> Boolean" => empty,
        "Numeric $num >> Boolean" => number_empty,
        "Binary $bin >> Boolean" => empty,
        "Undef $x >> Boolean" => empty,
    }
}

fn join(vm: &mut Vm<'_>, arg: Array, delimiter: Str) -> String {
    ruby::join_up_to(vm.limits().text, &arg, &delimiter)
}

/// A list that holds the same list twice, which does again, is short to write and endless to flatten: hence the check.
fn flatten(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Vec<Value>> {
    let mut flat = Vec::with_capacity(args.len());
    let mut open: Vec<Value> = args.into_iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(inner) => open.extend(inner.iter().rev().cloned()),
            other => flat.push(other),
        }
        vm.check_size(flat.len() + open.len())?;
    }
    Ok(flat)
}

fn keys(hsh: Hash) -> Array {
    hsh.keys().cloned().collect()
}

fn values(hsh: Hash) -> Array {
    hsh.values().cloned().collect()
}

fn length(arg: Value) -> i64 {
    let length = match &arg {
        Value::Array(values) => values.len(),
        Value::Hash(hash) => hash.len(),
        Value::String(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.0.len(),
        Value::Sensitive(inner) => return length((**inner).clone()),
        _ => 0,
    };
    length as i64
}

fn empty(arg: Value) -> bool {
    length(arg) == 0
}

fn number_empty(vm: &mut Vm<'_>, _num: Value) -> bool {
    deprecated_here(vm, "empty-numeric", "Calling function empty() with Numeric value is deprecated.");
    false
}
