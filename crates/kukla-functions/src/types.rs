//! Types of values: `type`, `type_of`, `is_a`, `assert_type`, `new`, `convert_to`.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise};
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_values::types::mismatch;
use kukla_values::{Str, Type, Value};

use crate::iterate::call;

builtins! {
    /// The type of a value: the most detailed one, or `'reduced'` to one type per collection, or `'generalized'` without sizes and ranges.
    ///
    /// ```puppet
    /// type(5)                                      # => Integer[5, 5]
    /// type([1, 'a'], 'reduced')                    # => Array[ScalarData, 2, 2]
    /// type([1, 2], 'generalized')                  # => Array[Integer]
    /// ```
    "type" {
        "Any $value, Enum[detailed] $inference_method = detailed >> Type" => detailed,
        "Any $value, Enum[reduced] $inference_method >> Type" => reduced,
        "Any $value, Enum[generalized] $inference_method >> Type" => generalized,
    }

    /// The most detailed type of a value.
    ///
    /// ```puppet
    /// type_of(5)    # => Integer[5, 5]
    /// ```
    "type_of" { "Any $value >> Type" => type_of }

    /// Whether a value is of a type; the same as `$value =~ Type`.
    ///
    /// ```puppet
    /// 5.is_a(Integer)    # => true
    /// ```
    "is_a" { "Any $value, Type $type >> Boolean" => is_a }

    /// A value if it is of a type; otherwise an error, or what a lambda gives for the wanted and the actual type.
    ///
    /// ```puppet
    /// assert_type(Integer, 5)                                # => 5
    /// assert_type(Integer, 'five')                           # error: assert_type(): expects an Integer value, got String
    /// assert_type(Integer, 'five') |$want, $have| { 0 }      # => 0
    /// ```
    "assert_type" {
        "Type $type, Any $value, Optional[Callable[Type, Type]] &$block >> Any" => assert_type,
        "String $type_string, Any $value, Optional[Callable[Type, Type]] &$block >> Any" => assert_type_text,
    }

    /// A new value of a type, made from the arguments; the same as calling the type itself. A lambda, if given, gets the value
    /// and decides the result.
    ///
    /// ```puppet
    /// new(Integer, '0xff')    # => 255
    /// Integer('12')           # => 12
    /// ```
    "new" { "Type $type, Any *$args, Optional[Callable] &$block >> Any" => new }

    /// A value converted to a type; reads well at the end of a chain.
    ///
    /// ```puppet
    /// '12'.convert_to(Integer)               # => 12
    /// '0xff'.convert_to(Integer, 16)         # => 255
    /// ```
    "convert_to" { "Any $value, Type $type, Any *$args, Optional[Callable[1, 1]] &$block >> Any" => convert_to }
}

fn detailed(value: Value, _how: Value) -> Type {
    Type::of(&value)
}

fn reduced(value: Value, _how: Value) -> Type {
    Type::of_reduced(&value)
}

fn generalized(value: Value, _how: Value) -> Type {
    Type::of_generalized(&value)
}

/// stdlib's function of this name spells out every element; the language's own documents, which know it without a module,
/// give what the elements have in common.
fn type_of(vm: &mut Vm<'_>, value: Value) -> Type {
    match vm.environment().module("stdlib") {
        Some(_) => Type::of(&value),
        None => Type::of_reduced(&value),
    }
}

fn is_a(value: Value, ty: Arc<Type>) -> bool {
    ty.contains(&value)
}

fn assert_type(vm: &mut Vm<'_>, ty: Arc<Type>, value: Value, block: Option<Block>) -> Flow<Value> {
    if ty.contains(&value) {
        return Ok(value);
    }
    let actual = Type::of(&value);
    if block.is_some() {
        return call(vm, &block, vec![Value::Type(ty), actual.into()]);
    }
    Err(Raise::runtime(mismatch::describe("assert_type():", &ty, &actual)))
}

fn assert_type_text(vm: &mut Vm<'_>, text: Str, value: Value, block: Option<Block>) -> Flow<Value> {
    let ty = vm.parse_type(&text)?;
    assert_type(vm, Arc::new(ty), value, block)
}

fn new(vm: &mut Vm<'_>, ty: Arc<Type>, Rest(args): Rest, block: Option<Block>) -> Flow<Value> {
    if let [value] = args.as_slice()
        && !matches!(*ty, Type::Init(_))
        && ty.contains(value)
    {
        // What needs no conversion does not reach the lambda either.
        return Ok(value.clone());
    }
    let value = vm.instantiate(&ty, args)?;
    if block.is_some() { call(vm, &block, vec![value]) } else { Ok(value) }
}

fn convert_to(
    vm: &mut Vm<'_>,
    value: Value,
    ty: Arc<Type>,
    Rest(args): Rest,
    block: Option<Block>,
) -> Flow<Value> {
    let args = std::iter::once(value).chain(args).collect();
    let result = new(vm, ty, Rest(args), None)?;
    if block.is_some() { call(vm, &block, vec![result]) } else { Ok(result) }
}
