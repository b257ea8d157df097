//! `annotate`: facts attached to a value from outside.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise};
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_values::format::{class_name, inspect};
use kukla_values::types::mismatch;
use kukla_values::types::object::{Object, ObjectType};
use kukla_values::{Hash, Type, Value};

use crate::iterate::call;

builtins! {
    /// Attaches an annotation to a value, finds it again, or removes it.
    ///
    /// An annotation is an instance of a type derived from `Annotation`. A hash with its attributes attaches a new one in place
    /// of any earlier; `clear` removes it; without either the one attached before is found, or made from the hash that a lambda
    /// gives. A type can also say of itself which annotations it has, in the `annotations` of its definition. `Pcore` in place
    /// of the annotation's type attaches several at once, where there are none yet.
    ///
    /// An annotation belongs to one value, not to all that are equal to it. Strings, numbers and the like cannot be annotated.
    ///
    /// ```puppet
    /// type Origin = Object[{ parent => Annotation, attributes => { file => String } }]
    /// type Point = Object[{ attributes => { x => Integer, y => Integer } }]
    /// $point = Point(1, 2)
    /// Origin.annotate($point, { 'file' => 'map.txt' })
    /// Origin.annotate($point).file              # => 'map.txt'
    /// Origin.annotate($point, 'clear').file     # => 'map.txt'
    /// ```
    "annotate" {
        "Type[Annotation] $type, Any $value, Optional[Callable[0, 0]] &$block >> Optional[Annotation]" => find,
        "Type[Annotation] $type, Any $value, Variant[Enum[clear], Hash[Pcore::MemberName, Any]] $annotation_hash >> Optional[Annotation]" => attach,
        "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] $annotations >> Any" => attach_all,
    }
}

fn find(vm: &mut Vm<'_>, ty: Arc<Type>, value: Value, block: Option<Block>) -> Flow<Value> {
    let annotation = object_type(&ty)?;
    if let Some(known) = vm.annotations().get(&value, annotation) {
        return Ok(known);
    }
    let init = match declared(&value, annotation) {
        Some(declared) => declared,
        None if block.is_some() => call(vm, &block, Vec::new())?,
        None => return Ok(Value::Undef),
    };
    match init {
        Value::Undef => Ok(Value::Undef),
        init => make(vm, annotation, value, &init),
    }
}

fn attach(vm: &mut Vm<'_>, ty: Arc<Type>, value: Value, init: Value) -> Flow<Value> {
    let annotation = object_type(&ty)?;
    let clear = matches!(init, Value::String(_));
    if declared(&value, annotation).is_some() {
        let action = if clear { "clear" } else { "redefine" };
        let holder = value.as_type().and_then(object).map(|ty| ty.label().into_owned()).unwrap_or_default();
        return Err(Raise::runtime(format!(
            "attempt to {action} {} annotation declared on {holder}",
            annotation.label()
        )));
    }
    match clear {
        true => Ok(vm.annotations_mut().remove(&value, annotation).unwrap_or_default()),
        false => make(vm, annotation, value, &init),
    }
}

fn attach_all(vm: &mut Vm<'_>, _pcore: Value, value: Value, annotations: Hash) -> Flow<Value> {
    for (ty, init) in &annotations {
        let Value::Type(ty) = ty else { continue };
        let annotation = object_type(ty)?;
        if vm.annotations().get(&value, annotation).is_none() {
            let init = declared(&value, annotation).unwrap_or_else(|| init.clone());
            make(vm, annotation, value.clone(), &init)?;
        }
    }
    Ok(value)
}

fn object(ty: &Type) -> Option<&Arc<ObjectType>> {
    match ty.unaliased() {
        Type::Object(object) => Some(object),
        _ => None,
    }
}

fn object_type(ty: &Type) -> Flow<&Arc<ObjectType>> {
    object(ty).ok_or_else(|| Raise::runtime(format!("{ty} is not the type of an annotation")))
}

/// The annotation that a type has by its definition.
fn declared(value: &Value, annotation: &ObjectType) -> Option<Value> {
    object(value.as_type()?)?.declared_annotation(annotation).cloned()
}

fn make(vm: &mut Vm<'_>, annotation: &Arc<ObjectType>, value: Value, init: &Value) -> Flow<Value> {
    mismatch::assert(&format!("{} initializer", annotation.label()), &annotation.init_type(), init)?;
    let Value::Hash(init) = init else { return Ok(Value::Undef) };
    let made = Value::Object(Arc::new(Object::from_hash(annotation, init)));
    if frozen(&value) {
        let (kind, shown) = (class_name(&value), inspect(&value));
        return Err(Raise::runtime(format!("can't modify frozen {kind}: {shown}")));
    }
    vm.annotations_mut().set(value, annotation, made.clone());
    Ok(made)
}

/// Whether nothing can be attached to a value.
fn frozen(value: &Value) -> bool {
    matches!(
        value,
        Value::Undef
            | Value::Default
            | Value::Boolean(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::String(_)
            | Value::SemVer(_)
    )
}
