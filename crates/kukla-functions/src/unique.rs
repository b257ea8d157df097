//! `unique`: each value once.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_values::{Array, Hash, Str, Value};

use crate::items::items;
use crate::iterate::call;
use crate::ruby;

builtins! {
    /// The elements of an array, or the characters of a string, each once; a lambda decides what counts as the same. Of a hash:
    /// the keys that share a value, as a hash from arrays of keys to arrays of values.
    ///
    /// ```puppet
    /// unique([1, 2, 1])                            # => [1, 2]
    /// unique('hello')                              # => 'helo'
    /// unique(['a', 'B', 'b']) |$x| { downcase($x) }    # => ['a', 'B']
    /// unique({a => 1, b => 1})                     # => {['a', 'b'] => [1]}
    /// ```
    "unique" {
        "String $string, Optional[Callable[String]] &$block >> String" => unique_text,
        "Hash $hash, Optional[Callable[Any]] &$block >> Hash" => unique_hash,
        "Array $array, Optional[Callable[Any]] &$block >> Array" => unique,
        "Iterable $iterable, Optional[Callable[Any]] &$block >> Array" => unique,
    }
}

fn unique_text(vm: &mut Vm<'_>, text: Str, block: Option<Block>) -> Flow<String> {
    Ok(ruby::join(&unique(vm, text.into(), block)?, ""))
}

fn key_of(vm: &mut Vm<'_>, value: &Value, block: &Option<Block>) -> Flow<Value> {
    if block.is_some() { call(vm, block, vec![value.clone()]) } else { Ok(value.clone()) }
}

fn unique(vm: &mut Vm<'_>, values: Value, block: Option<Block>) -> Flow<Array> {
    let mut seen = indexmap::IndexSet::new();
    let mut kept = Array::new();
    for value in items(&values)? {
        vm.charge(1)?;
        if seen.insert(key_of(vm, &value, &block)?) {
            vm.check_size(kept.len() + 1)?;
            kept.push(value);
        }
    }
    Ok(kept)
}

fn unique_hash(vm: &mut Vm<'_>, hash: Hash, block: Option<Block>) -> Flow<Hash> {
    let mut groups: indexmap::IndexMap<Value, (Array, Vec<Value>)> = indexmap::IndexMap::new();
    for (key, value) in &hash {
        let (keys, values) = groups.entry(key_of(vm, value, &block)?).or_default();
        keys.push(key.clone());
        values.push(value.clone());
    }
    Ok(groups.into_values().map(|(keys, values)| (keys, ruby::unique(values))).collect())
}
