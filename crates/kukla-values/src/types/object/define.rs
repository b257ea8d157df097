//! From the hash of an `Object[{...}]` to its definition, refusing what makes no sense.

use std::sync::{Arc, LazyLock};

use kukla_syntax::bail;

use super::{Definition, Member, Method, ObjectAttribute, ObjectAttributeKind, ObjectType};
use crate::codes::{
    CONSTANT_AND_ATTRIBUTE, CONSTANT_NOT_FINAL, CONSTANT_WITHOUT_VALUE, DERIVED_WITH_VALUE,
    EQUALITY_INHERITED, EQUALITY_OF_CONSTANT, EQUALITY_OF_FUNCTION, EQUALITY_OF_NOTHING,
    EQUALITY_WITHOUT_TYPE, FUNCTION_NAMED_LIKE_ATTRIBUTE, OBJECT_INHERITS_ITSELF, OVERRIDE_NOT_DECLARED,
    OVERRIDE_OF_FINAL, OVERRIDE_OF_NO_MEMBER, OVERRIDE_OF_OTHER_KIND, OVERRIDE_WITH_OTHER_TYPE,
    RESERVED_ATTRIBUTE, UNKNOWN_PARENT_TYPE,
};
use crate::regexp::Regexp;
use crate::types::{StructField, Type, mismatch};
use crate::{Hash, Result, Str, Value};

fn pattern(source: &str) -> Type {
    Type::Pattern(Regexp::new(source).into_iter().collect())
}

/// The pattern of member names.
static MEMBER_NAME: LazyLock<Type> = LazyLock::new(|| pattern(r"\A[a-z_]\w*\z"));

/// The pattern of type names.
pub(super) static TYPE_NAME: LazyLock<Type> = LazyLock::new(|| pattern(r"\A[A-Z]\w*(?:::[A-Z]\w*)*\z"));

/// From annotation types to the hashes annotations are made from.
fn annotations() -> StructField {
    let facts = Type::hash(MEMBER_NAME.clone(), Type::Any);
    let by_type = Type::hash(Type::type_of(Type::Object(ObjectType::annotation())), facts);
    StructField::optional("annotations", Type::optional(by_type))
}

/// The hash an object type is made from.
pub(super) static OBJECT: LazyLock<Type> = LazyLock::new(|| {
    let members = || Type::hash(MEMBER_NAME.clone(), Type::NotUndef(None));
    let function_name = Type::variant([MEMBER_NAME.clone(), Type::Literal("[]".into())]);
    Type::structure([
        StructField::optional("name", TYPE_NAME.clone()),
        StructField::optional("parent", Type::Type(None)),
        StructField::optional("type_parameters", members()),
        StructField::optional("attributes", members()),
        StructField::optional("constants", Type::hash(MEMBER_NAME.clone(), Type::Any)),
        StructField::optional("functions", Type::hash(function_name, Type::NotUndef(None))),
        StructField::optional(
            "equality",
            Type::variant([MEMBER_NAME.clone(), Type::array(MEMBER_NAME.clone())]),
        ),
        StructField::optional("equality_include_type", Type::BOOLEAN),
        StructField::optional("checks", Type::Any),
        annotations(),
    ])
});

static ATTRIBUTE: LazyLock<Type> = LazyLock::new(|| {
    let kinds = ObjectAttributeKind::NAMES.iter().map(|(name, _)| Str::from(*name));
    Type::structure([
        StructField::required("type", Type::Type(None)),
        StructField::optional("final", Type::BOOLEAN),
        StructField::optional("override", Type::BOOLEAN),
        StructField::optional("kind", Type::enumeration(kinds, false)),
        StructField::optional("value", Type::Any),
        annotations(),
    ])
});

static FUNCTION: LazyLock<Type> = LazyLock::new(|| {
    Type::structure([
        StructField::required("type", Type::type_of(Type::Callable(None))),
        StructField::optional("final", Type::BOOLEAN),
        StructField::optional("override", Type::BOOLEAN),
        annotations(),
    ])
});

pub(super) fn definition(object: &ObjectType, init: &Hash) -> Result<Definition> {
    mismatch::assert("object initializer", &OBJECT, &Value::Hash(init.clone()))?;
    let label = object.label().into_owned();
    let mut definition = Definition {
        parent: init.get("parent").and_then(Value::as_type).cloned(),
        checks: init.get("checks").cloned(),
        annotations: init.get("annotations").cloned(),
        equality_ignores_type: matches!(init.get("equality_include_type"), Some(Value::Boolean(false))),
        ..Definition::default()
    };
    let parent = match definition.parent.as_ref().map(Type::unaliased) {
        Some(Type::Reference(name)) => {
            bail!(UNKNOWN_PARENT_TYPE { name });
        }
        Some(Type::Object(parent)) => Some(parent.clone()),
        Some(Type::ObjectExtension(extension)) => Some(extension.base.clone()),
        _ => None,
    };
    if parent.as_ref().is_some_and(|parent| parent.inherits(object)) {
        bail!(OBJECT_INHERITS_ITSELF { ty: label });
    }
    for (name, spec) in entries(init, "type_parameters") {
        let parameter = type_parameter(&label, name, spec)?;
        let inherited =
            parent.as_ref().and_then(|p| p.type_parameters().into_iter().find(|a| a.name == name).cloned());
        check_override(
            &Checked::of(&parameter),
            inherited.as_ref().map(Checked::of).as_ref(),
            "type_parameter",
        )?;
        definition.type_parameters.push(parameter);
    }
    let inherited = |name: &str| parent.as_ref().and_then(|parent| parent.member(name));
    attributes(&label, init, &mut definition, &inherited)?;
    for (name, spec) in entries(init, "functions") {
        let method = function(&label, name, spec)?;
        if definition.attributes.iter().any(|a| a.name == name) {
            bail!(FUNCTION_NAMED_LIKE_ATTRIBUTE { function: method.label });
        }
        check_override(
            &Checked::of_function(&method),
            inherited(name).map(Checked::of_member).as_ref(),
            "function",
        )?;
        definition.functions.push(method);
    }
    definition.equality = equality(&label, init, &definition, parent.as_ref())?;
    Ok(definition)
}

fn entries<'a>(init: &'a Hash, key: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let members = init.get(key).and_then(Value::as_hash);
    members.into_iter().flatten().filter_map(|(name, spec)| Some((name.as_str()?, spec)))
}

fn attributes<'a>(
    label: &str,
    init: &Hash,
    definition: &mut Definition,
    inherited: &dyn Fn(&str) -> Option<Member<'a>>,
) -> Result<()> {
    let mut add = |attribute: ObjectAttribute| -> Result<()> {
        let member = inherited(&attribute.name).map(Checked::of_member);
        check_override(&Checked::of(&attribute), member.as_ref(), "attribute")?;
        definition.attributes.push(attribute);
        Ok(())
    };
    let declared = init.get("attributes").and_then(Value::as_hash);
    for (name, _) in entries(init, "constants") {
        if declared.is_some_and(|hash| hash.contains_key(name)) {
            bail!(CONSTANT_AND_ATTRIBUTE { ty: label, name });
        }
    }
    for (name, spec) in entries(init, "attributes") {
        add(attribute(label, name, spec)?)?;
    }
    for (name, value) in entries(init, "constants") {
        add(ObjectAttribute {
            name: name.into(),
            ty: Type::of_generalized(value),
            kind: ObjectAttributeKind::Constant,
            value: Some(value.clone()),
            is_final: true,
            is_override: inherited(name).is_some(),
            annotations: None,
            label: member_label("attribute", label, name),
        })?;
    }
    Ok(())
}

fn member_label(kind: &str, container: &str, name: &str) -> Str {
    format!("{kind} {container}[{name}]").into()
}

fn flag(spec: &Hash, key: &str) -> bool {
    matches!(spec.get(key), Some(Value::Boolean(true)))
}

fn attribute(container: &str, name: &str, spec: &Value) -> Result<ObjectAttribute> {
    let label = member_label("attribute", container, name);
    let spec = match spec {
        Value::Hash(spec) => spec.clone(),
        spec => {
            mismatch::assert(&label, &Type::Type(None), spec)?;
            let mut full = Hash::new();
            full.insert("type", spec.clone());
            if matches!(spec.as_type(), Some(Type::Optional(_))) {
                full.insert("value", Value::Undef);
            }
            full
        }
    };
    mismatch::assert(&format!("initializer for {label}"), &ATTRIBUTE, &Value::Hash(spec.clone()))?;
    if name == "__ptype" || name == "__pvalue" {
        bail!(RESERVED_ATTRIBUTE { name });
    }
    let ty = spec.get("type").and_then(Value::as_type).cloned().unwrap_or_default();
    let kind =
        spec.get("kind").and_then(Value::as_str).map(ObjectAttributeKind::from_name).unwrap_or_default();
    let mut is_final = flag(&spec, "final");
    if kind == ObjectAttributeKind::Constant {
        if spec.contains_key("final") && !is_final {
            bail!(CONSTANT_NOT_FINAL { attribute: label });
        }
        is_final = true;
    }
    let value = spec.get("value").cloned();
    match (&value, kind) {
        (Some(_), ObjectAttributeKind::Derived | ObjectAttributeKind::GivenOrDerived) => {
            bail!(DERIVED_WITH_VALUE { attribute: label, kind: kind.name().unwrap_or_default() });
        }
        (Some(Value::Default), _) => {}
        (Some(value), _) => mismatch::assert(&format!("{label} value"), &ty, value)?,
        (None, ObjectAttributeKind::Constant) => {
            bail!(CONSTANT_WITHOUT_VALUE { attribute: label });
        }
        (None, _) => {}
    }
    Ok(ObjectAttribute {
        name: name.into(),
        ty,
        kind,
        value,
        is_final,
        is_override: flag(&spec, "override"),
        annotations: spec.get("annotations").cloned(),
        label,
    })
}

fn type_parameter(container: &str, name: &str, spec: &Value) -> Result<ObjectAttribute> {
    let label = member_label("type_parameter", container, name);
    let (ty, value) = match spec {
        Value::Hash(spec) => (spec.get("type").cloned().unwrap_or_default(), spec.get("value").cloned()),
        spec => (spec.clone(), None),
    };
    mismatch::assert(&label, &Type::Type(None), &ty)?;
    let ty = match ty.as_type() {
        Some(ty @ Type::Optional(_)) => ty.clone(),
        Some(ty) => Type::optional(ty.clone()),
        None => Type::Any,
    };
    Ok(ObjectAttribute {
        name: name.into(),
        ty,
        kind: ObjectAttributeKind::Given,
        value,
        is_final: false,
        is_override: false,
        annotations: None,
        label,
    })
}

fn function(container: &str, name: &str, spec: &Value) -> Result<Method> {
    let label = member_label("function", container, name);
    let spec = match spec {
        Value::Hash(spec) => spec.clone(),
        spec => {
            mismatch::assert(&label, &Type::type_of(Type::Callable(None)), spec)?;
            [("type", spec.clone())].into_iter().collect()
        }
    };
    mismatch::assert(&format!("initializer for function '{name}'"), &FUNCTION, &Value::Hash(spec.clone()))?;
    Ok(Method {
        name: name.into(),
        ty: spec.get("type").and_then(Value::as_type).cloned().unwrap_or_default(),
        is_final: flag(&spec, "final"),
        is_override: flag(&spec, "override"),
        annotations: spec.get("annotations").cloned(),
        label,
    })
}

/// The properties that the rules of overriding compare.
struct Checked<'a> {
    label: &'a str,
    ty: &'a Type,
    is_function: bool,
    is_constant: bool,
    is_final: bool,
    is_override: bool,
}

impl<'a> Checked<'a> {
    fn of(attribute: &'a ObjectAttribute) -> Checked<'a> {
        Checked {
            label: &attribute.label,
            ty: &attribute.ty,
            is_function: false,
            is_constant: attribute.kind == ObjectAttributeKind::Constant,
            is_final: attribute.is_final,
            is_override: attribute.is_override,
        }
    }

    fn of_function(method: &'a Method) -> Checked<'a> {
        Checked {
            label: &method.label,
            ty: &method.ty,
            is_function: true,
            is_constant: false,
            is_final: method.is_final,
            is_override: method.is_override,
        }
    }

    fn of_member(member: Member<'a>) -> Checked<'a> {
        match member {
            Member::Attribute(attribute) => Checked::of(attribute),
            Member::Function(method) => Checked::of_function(method),
        }
    }
}

fn check_override(member: &Checked<'_>, inherited: Option<&Checked<'_>>, feature: &str) -> Result<()> {
    let Some(old) = inherited else {
        if member.is_override {
            bail!(OVERRIDE_OF_NO_MEMBER { member: member.label, feature });
        }
        return Ok(());
    };
    if old.is_function != member.is_function {
        bail!(OVERRIDE_OF_OTHER_KIND { member: member.label, inherited: old.label });
    }
    if old.is_final && !(old.is_constant && member.is_constant) {
        bail!(OVERRIDE_OF_FINAL { member: member.label, inherited: old.label });
    }
    if !member.is_override {
        bail!(OVERRIDE_NOT_DECLARED { member: member.label, inherited: old.label });
    }
    if !old.ty.covers(member.ty) {
        bail!(OVERRIDE_WITH_OTHER_TYPE { member: member.label, inherited: old.label });
    }
    Ok(())
}

fn equality(
    label: &str,
    init: &Hash,
    definition: &Definition,
    parent: Option<&Arc<ObjectType>>,
) -> Result<Option<Vec<Str>>> {
    let names: Vec<Str> = match init.get("equality") {
        None => return Ok(None),
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => names.iter().filter_map(|name| name.as_str().map(Str::from)).collect(),
        Some(_) => return Ok(None),
    };
    if !names.is_empty() && definition.equality_ignores_type {
        bail!(EQUALITY_WITHOUT_TYPE);
    }
    for name in &names {
        let own = || {
            let attribute = definition.attributes.iter().find(|a| a.name == *name).map(Member::Attribute);
            attribute.or_else(|| definition.functions.iter().find(|f| f.name == *name).map(Member::Function))
        };
        match parent.and_then(|parent| parent.member(name)) {
            Some(Member::Attribute(attribute)) => {
                let definer = parent.and_then(|p| {
                    p.line().into_iter().rfind(|ty| ty.equality_attributes().contains(&name.as_str()))
                });
                if let Some(definer) = definer {
                    let ancestor = definer.label();
                    bail!(EQUALITY_INHERITED { ty: label, attribute: attribute.label, ancestor });
                }
                check_equality_member(label, name, Some(Member::Attribute(attribute)))?;
            }
            Some(member) => check_equality_member(label, name, Some(member))?,
            None => check_equality_member(label, name, own())?,
        }
    }
    Ok(Some(names))
}

fn check_equality_member(label: &str, name: &str, member: Option<Member<'_>>) -> Result<()> {
    match member {
        Some(Member::Attribute(a)) if a.kind != ObjectAttributeKind::Constant => Ok(()),
        Some(Member::Attribute(a)) => bail!(EQUALITY_OF_CONSTANT { ty: label, attribute: a.label }),
        Some(member) => bail!(EQUALITY_OF_FUNCTION { ty: label, function: member.label() }),
        None => bail!(EQUALITY_OF_NOTHING { ty: label, name }),
    }
}
