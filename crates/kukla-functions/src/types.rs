//! Types of values: `type`, `type_of`, `is_a`, `assert_type`, `new`, `annotate`, `convert_to`.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise};
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_values::types::mismatch;
use kukla_values::{Hash, Str, Type, Value};

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
        "Any $value, Enum[detailed] $inference_method = detailed" => detailed,
        "Any $value, Enum[reduced] $inference_method" => reduced,
        "Any $value, Enum[generalized] $inference_method" => generalized,
    }

    /// The most detailed type of a value.
    ///
    /// ```puppet
    /// type_of(5)    # => Integer[5, 5]
    /// ```
    "type_of" { "Any $value" => type_of }

    /// Whether a value is of a type; the same as `$value =~ Type`.
    ///
    /// ```puppet
    /// 5.is_a(Integer)    # => true
    /// ```
    "is_a" { "Any $value, Type $type" => is_a }

    /// A value if it is of a type; otherwise an error, or what a lambda gives for the wanted and the actual type.
    ///
    /// ```puppet
    /// assert_type(Integer, 5)                                # => 5
    /// assert_type(Integer, 'five')                           # error: assert_type(): expects an Integer value, got String
    /// assert_type(Integer, 'five') |$want, $have| { 0 }      # => 0
    /// ```
    "assert_type" {
        "Type $type, Any $value, Optional[Callable[Type, Type]] &$block" => assert_type,
        "String $type_string, Any $value, Optional[Callable[Type, Type]] &$block" => assert_type_text,
    }

    /// A new value of a type, made from the arguments; the same as calling the type itself. A lambda, if given, gets the value
    /// and decides the result.
    ///
    /// ```puppet
    /// new(Integer, '0xff')    # => 255
    /// Integer('12')           # => 12
    /// ```
    "new" { "Type $type, Any *$args, Optional[Callable] &$block" => new }

    /// The annotation of a type that a value has, which is a value of a type derived from `Annotation`. If there is none, a
    /// lambda may give the hash to make one from; a hash makes a new one, and `clear` takes it away. For `Pcore` a hash from
    /// types to hashes makes several.
    ///
    /// ```puppet
    /// type Note = Object[{parent => Annotation, attributes => {text => String}}]
    /// type Thing = Object[{attributes => {name => String}}]
    /// $thing = Thing('a')
    /// $note = Note.annotate($thing, {'text' => 'hello'})
    /// Note.annotate($thing).text    # => 'hello'
    /// ```
    "annotate" {
        type "Pcore::MemberName = Pattern[/\\A[a-z_]\\w*\\z/]";
        "Type[Annotation] $type, Any $value, Optional[Callable[0, 0]] &$block" => annotate,
        "Type[Annotation] $type, Any $value, Variant[Enum[clear], Hash[Pcore::MemberName, Any]] $annotation_hash" => annotate_new,
        "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] $annotations" => annotate_all,
    }

    /// A value converted to a type; reads well at the end of a chain.
    ///
    /// ```puppet
    /// '12'.convert_to(Integer)               # => 12
    /// '0xff'.convert_to(Integer, 16)         # => 255
    /// ```
    "convert_to" { "Any $value, Type $type, Any *$args, Optional[Callable[1, 1]] &$block" => convert_to }
}

fn detailed(value: Value, _how: Option<Value>) -> Type {
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
    match vm.environment.module("stdlib") {
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

fn annotate(vm: &mut Vm<'_>, ty: Arc<Type>, value: Value, block: Option<Block>) -> Flow<Value> {
    if let Some(known) = vm.annotation(&value, &ty) {
        return Ok(known);
    }
    let init = match declared(&value, &ty) {
        Some(init) => init,
        None if block.is_some() => call(vm, &block, Vec::new())?,
        None => return Ok(Value::Undef),
    };
    if init.is_undef() {
        return Ok(Value::Undef);
    }
    let annotation = vm.instantiate(&ty, vec![init])?;
    vm.annotate(value, &ty, Some(annotation.clone()));
    Ok(annotation)
}

fn annotate_new(vm: &mut Vm<'_>, ty: Arc<Type>, value: Value, init: Value) -> Flow<Value> {
    let clear = matches!(init, Value::String(_));
    if declared(&value, &ty).is_some() {
        let action = if clear { "clear" } else { "redefine" };
        let label = |ty: &Type| match ty {
            Type::Object(object) => object.label().into_owned(),
            ty => ty.to_string(),
        };
        let on = value.as_type().map(label).unwrap_or_default();
        return Err(Raise::runtime(format!(
            "attempt to {action} {} annotation declared on {on}",
            label(&ty)
        )));
    }
    if clear {
        return Ok(vm.annotate(value, &ty, None).unwrap_or_default());
    }
    let annotation = vm.instantiate(&ty, vec![init])?;
    vm.annotate(value, &ty, Some(annotation.clone()));
    Ok(annotation)
}

fn annotate_all(vm: &mut Vm<'_>, _pcore: Arc<Type>, value: Value, annotations: Hash) -> Flow<Value> {
    for (ty, init) in &annotations {
        let Value::Type(ty) = ty else { continue };
        if vm.annotation(&value, ty).is_none() {
            let init = declared(&value, ty).unwrap_or_else(|| init.clone());
            let annotation = vm.instantiate(ty, vec![init])?;
            vm.annotate(value.clone(), ty, Some(annotation));
        }
    }
    Ok(value)
}

/// What a type says about itself where it is defined.
fn declared(value: &Value, annotation: &Type) -> Option<Value> {
    let Some(Type::Object(object)) = value.as_type() else { return None };
    object.annotations()?.get(&Value::of_type(annotation.clone())).cloned()
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
