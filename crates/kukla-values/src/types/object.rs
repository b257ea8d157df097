//! `Object[{...}]` types and their instances.
//!
//! A named object type exists before it is defined, so that its attributes may be of its own type.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;
use kukla_syntax::bail;
use rustc_hash::FxBuildHasher;

use super::alias::Inner;
use super::callable::CallableType;
use super::mismatch::Signature;
use super::{Range, StructField, Type};
use crate::codes::{EMPTY_TYPE_PARAMETERS, NO_TYPE_PARAMETERS, UNKNOWN_TYPE_PARAMETER};
use crate::types::mismatch;
use crate::{Hash, Result, Str, Value, meter};

mod define;
mod instance;
mod set;

pub use instance::Object;
pub use set::{TypeSet, TypeSetReference};

/// A user-defined type with attributes.
pub struct ObjectType {
    /// Its name, if it was given one by a type alias.
    pub name: Option<Str>,
    definition: OnceLock<Definition>,
}

/// The text between the brackets.
#[derive(Debug, Default)]
struct Definition {
    parent: Option<Type>,
    type_parameters: Vec<ObjectAttribute>,
    attributes: Vec<ObjectAttribute>,
    functions: Vec<Method>,
    equality: Option<Vec<Str>>,
    equality_ignores_type: bool,
    checks: Option<Value>,
    annotations: Option<Value>,
}

/// One attribute, or one type parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectAttribute {
    /// Its name.
    pub name: Str,
    /// The type of its values.
    pub ty: Type,
    /// How it gets its value.
    pub kind: ObjectAttributeKind,
    /// Its default, or the value of a constant.
    pub value: Option<Value>,
    /// Whether no heir may change it.
    pub is_final: bool,
    /// Whether it changes an inherited one.
    pub is_override: bool,
    /// Further facts for other programs.
    pub annotations: Option<Value>,
    /// Its name in messages: `attribute Car[wheels]`.
    pub label: Str,
}

/// How an attribute gets its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectAttributeKind {
    /// Given by the creator of the object.
    #[default]
    Given,
    /// From the type: the same for all.
    Constant,
    /// From the other attributes.
    Derived,
    /// Given by the creator of the object, or computed from the other attributes.
    GivenOrDerived,
    /// Given, but not part of the object.
    Reference,
}

impl ObjectAttributeKind {
    const NAMES: [(&'static str, ObjectAttributeKind); 4] = [
        ("constant", ObjectAttributeKind::Constant),
        ("derived", ObjectAttributeKind::Derived),
        ("given_or_derived", ObjectAttributeKind::GivenOrDerived),
        ("reference", ObjectAttributeKind::Reference),
    ];

    fn from_name(name: &str) -> ObjectAttributeKind {
        ObjectAttributeKind::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(ObjectAttributeKind::Given, |(_, kind)| *kind)
    }

    /// The word for it; plain attributes have none.
    pub fn name(self) -> Option<&'static str> {
        ObjectAttributeKind::NAMES.iter().find(|(_, kind)| *kind == self).map(|(name, _)| *name)
    }
}

/// One function of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Its name, or `[]`.
    pub name: Str,
    /// How it is called: a `Callable`, or several.
    pub ty: Type,
    /// Whether no heir may change it.
    pub is_final: bool,
    /// Whether it changes an inherited one.
    pub is_override: bool,
    /// Further facts for other programs.
    pub annotations: Option<Value>,
    /// Its name in messages: `function Car[honk]`.
    pub label: Str,
}

/// Something an object answers to.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// An attribute.
    Attribute(&'a ObjectAttribute),
    /// A function.
    Function(&'a Method),
}

impl Member<'_> {
    fn label(&self) -> &str {
        match self {
            Member::Attribute(attribute) => &attribute.label,
            Member::Function(method) => &method.label,
        }
    }
}

static ANY: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let definition = OnceLock::new();
    let _ = definition.set(Definition::default());
    Arc::new(ObjectType { name: None, definition })
});

/// The parent of every annotation. Its definition is empty, and definitions are checked against it.
static ANNOTATION: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let definition = OnceLock::new();
    let _ = definition.set(Definition::default());
    Arc::new(ObjectType { name: Some("Annotation".into()), definition })
});

static UNDEFINED: LazyLock<Definition> = LazyLock::new(Definition::default);

impl ObjectType {
    /// The bare `Object`.
    pub fn any() -> Arc<ObjectType> {
        ANY.clone()
    }

    /// `Annotation`: what further facts about a value or type inherit from.
    pub fn annotation() -> Arc<ObjectType> {
        ANNOTATION.clone()
    }

    /// A name that will be defined later.
    pub fn named(name: impl Into<Str>) -> Arc<ObjectType> {
        Arc::new(ObjectType { name: Some(name.into()), definition: OnceLock::new() })
    }

    /// `Object[{...}]`; the name is in the hash, if anywhere.
    pub fn new(init_hash: &Hash) -> Result<Arc<ObjectType>> {
        if init_hash.is_empty() {
            return Ok(ObjectType::any());
        }
        let name = init_hash.get("name").and_then(Value::as_str).map(Str::from);
        let object = Arc::new(ObjectType { name, definition: OnceLock::new() });
        object.define(init_hash)?;
        Ok(object)
    }

    /// Says what a named object type is. The first definition stays.
    pub fn define(&self, init_hash: &Hash) -> Result<()> {
        let definition = define::definition(self, init_hash)?;
        let _ = self.definition.set(definition);
        Ok(())
    }

    fn definition(&self) -> &Definition {
        self.definition.get().unwrap_or(&UNDEFINED)
    }

    /// Visits all that its definition holds.
    pub(crate) fn each_inner(&self, visit: &mut dyn FnMut(Inner<'_>)) {
        let definition = self.definition();
        definition.parent.iter().for_each(|parent| visit(Inner::Type(parent)));
        for attribute in definition.type_parameters.iter().chain(&definition.attributes) {
            visit(Inner::Type(&attribute.ty));
            attribute.value.iter().chain(&attribute.annotations).for_each(|value| visit(Inner::Value(value)));
        }
        for function in &definition.functions {
            visit(Inner::Type(&function.ty));
            function.annotations.iter().for_each(|value| visit(Inner::Value(value)));
        }
        definition.checks.iter().chain(&definition.annotations).for_each(|value| visit(Inner::Value(value)));
    }

    /// Whether it has been defined.
    pub fn is_defined(&self) -> bool {
        self.definition.get().is_some()
    }

    /// Whether it is the bare `Object`, which all objects belong to.
    pub fn is_any(&self) -> bool {
        let definition = self.definition();
        self.name.is_none()
            && definition.parent.is_none()
            && definition.attributes.is_empty()
            && definition.functions.is_empty()
            && definition.type_parameters.is_empty()
    }

    /// Its name, or `Object`.
    pub fn label(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.name.as_deref().unwrap_or("Object"))
    }

    /// The values of an annotation type in the definition.
    pub fn declared_annotation(&self, ty: &ObjectType) -> Option<&Value> {
        let annotations = self.definition().annotations.as_ref()?.as_hash()?;
        let of = |key: &Value| matches!(key.as_type().map(Type::unaliased), Some(Type::Object(known)) if **known == *ty);
        annotations.iter().find(|(key, _)| of(key)).map(|(_, value)| value)
    }

    /// Its parent, as written.
    pub fn parent(&self) -> Option<&Type> {
        self.definition().parent.as_ref()
    }

    /// The object type it inherits from.
    pub fn parent_object(&self) -> Option<&Arc<ObjectType>> {
        match self.parent()?.unaliased() {
            Type::Object(parent) => Some(parent),
            Type::ObjectExtension(extension) => Some(&extension.base),
            _ => None,
        }
    }

    /// The line of inheritance, this type first.
    fn line(&self) -> Vec<&ObjectType> {
        let mut line = vec![self];
        // Inheritance from itself is refused when it is defined; the limit is for definitions that cross in time.
        while let Some(parent) = line.last().and_then(|ty| ty.parent_object()).filter(|_| line.len() < 1000) {
            line.push(parent);
        }
        line
    }

    fn inherited<'a, T>(
        &'a self,
        own: impl Fn(&'a Definition) -> &'a [T],
        name: impl Fn(&'a T) -> &'a Str,
    ) -> Vec<&'a T> {
        let line = self.line();
        let count = line.iter().map(|ty| own(ty.definition()).len()).sum();
        meter::work(line.len() + count);
        let mut all: IndexMap<&'a Str, &'a T, FxBuildHasher> = IndexMap::default();
        all.reserve(count);
        for ty in line.into_iter().rev() {
            all.extend(own(ty.definition()).iter().map(|member| (name(member), member)));
        }
        all.into_values().collect()
    }

    /// All attributes, inherited ones first.
    pub fn attributes(&self) -> Vec<&ObjectAttribute> {
        self.inherited(|d| &d.attributes, |a| &a.name)
    }

    /// All functions, inherited ones first.
    pub fn functions(&self) -> Vec<&Method> {
        self.inherited(|d| &d.functions, |f| &f.name)
    }

    /// All type parameters, inherited ones first.
    pub fn type_parameters(&self) -> Vec<&ObjectAttribute> {
        self.inherited(|d| &d.type_parameters, |a| &a.name)
    }

    /// The attribute or function of that name.
    pub fn member(&self, name: &str) -> Option<Member<'_>> {
        self.line().into_iter().find_map(|ty| {
            let definition = ty.definition();
            let attribute = definition.attributes.iter().find(|a| a.name == name).map(Member::Attribute);
            attribute.or_else(|| definition.functions.iter().find(|f| f.name == name).map(Member::Function))
        })
    }

    /// The names of the attributes two objects are compared by.
    pub fn equality_attributes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for ty in self.line().into_iter().rev() {
            let definition = ty.definition();
            match &definition.equality {
                Some(equality) => names.extend(equality.iter().map(Str::as_str)),
                None => names.extend(
                    definition
                        .attributes
                        .iter()
                        .filter(|a| {
                            !matches!(a.kind, ObjectAttributeKind::Constant | ObjectAttributeKind::Derived)
                        })
                        .map(|a| a.name.as_str()),
                ),
            }
        }
        names
    }

    /// The attributes that can be given, those that must be first.
    pub fn given_attributes(&self) -> Vec<&ObjectAttribute> {
        let given = |a: &&ObjectAttribute| {
            !matches!(a.kind, ObjectAttributeKind::Constant | ObjectAttributeKind::Derived)
        };
        let (optional, required): (Vec<_>, Vec<_>) =
            self.attributes().into_iter().filter(given).partition(|a| a.value.is_some());
        required.into_iter().chain(optional).collect()
    }

    /// The type of the hash an instance is made from.
    pub fn init_type(&self) -> Type {
        let given = |a: &&ObjectAttribute| {
            !matches!(a.kind, ObjectAttributeKind::Constant | ObjectAttributeKind::Derived)
        };
        Type::structure(self.attributes().into_iter().filter(given).map(|a| match a.value {
            Some(_) => StructField::optional(a.name.clone(), a.ty.clone()),
            None => StructField::new(a.name.clone(), a.ty.clone()),
        }))
    }

    /// The signatures of `new`: one hash with the attributes by name, or the attributes in order.
    pub fn signatures(&self) -> Vec<Signature> {
        let given = self.given_attributes();
        let required = given.iter().filter(|a| a.value.is_none()).count();
        let signature = |names, types, size| Signature {
            callable: CallableType::new(types, Some(size), None, None),
            names,
            block_name: None,
        };
        let types = given.iter().map(|a| a.ty.clone()).collect();
        let names = given.iter().map(|a| a.name.clone()).collect();
        vec![
            signature(vec!["hash".into()], vec![self.init_type()], Range::exactly(1)),
            signature(names, types, Range::new(required as i64, given.len() as i64)),
        ]
    }

    /// Whether `other` is this type or inherits from it.
    pub fn covers(&self, other: &ObjectType) -> bool {
        self.is_any() || other.line().into_iter().any(|ty| ty == self)
    }

    /// Whether all its parents are other types.
    fn inherits(&self, ancestor: &ObjectType) -> bool {
        self.line().into_iter().any(|ty| std::ptr::eq(ty, ancestor))
    }

    /// The hash that would define it again.
    pub fn describe(&self, with_name: bool) -> Hash {
        let definition = self.definition();
        let mut hash = Hash::new();
        if let Some(annotations) = &definition.annotations {
            hash.insert("annotations", annotations.clone());
        }
        if let Some(name) = self.name.as_ref().filter(|_| with_name) {
            hash.insert("name", name.clone());
        }
        if let Some(parent) = &definition.parent {
            hash.insert("parent", parent.clone());
        }
        if !definition.type_parameters.is_empty() {
            hash.insert(
                "type_parameters",
                members(&definition.type_parameters, ObjectAttribute::describe_parameter),
            );
        }
        let (constants, others): (Vec<_>, Vec<_>) = definition.attributes.iter().cloned().partition(|a| {
            a.kind == ObjectAttributeKind::Constant
                && a.value.as_ref().is_some_and(|value| a.ty == Type::of_generalized(value))
        });
        if !others.is_empty() {
            hash.insert("attributes", members(&others, ObjectAttribute::describe));
        }
        if !constants.is_empty() {
            let constants: Hash =
                constants.into_iter().map(|a| (Value::from(a.name), a.value.unwrap_or_default())).collect();
            hash.insert("constants", constants);
        }
        if !definition.functions.is_empty() {
            hash.insert("functions", members(&definition.functions, Method::describe));
        }
        if let Some(equality) = &definition.equality {
            hash.insert("equality", equality.iter().cloned().map(Value::from).collect::<crate::Array>());
        }
        if let Some(checks) = &definition.checks {
            hash.insert("checks", checks.clone());
        }
        hash
    }
}

/// Members by name, each as its type alone where nothing else is to say.
fn members<T>(all: &[T], describe: impl Fn(&T) -> (Str, Hash)) -> Hash {
    all.iter()
        .map(|member| {
            let (name, details) = describe(member);
            let ty = details.get("type").filter(|_| details.len() == 1).cloned();
            (Value::from(name), ty.unwrap_or(Value::Hash(details)))
        })
        .collect()
}

fn describe_member(ty: &Type, is_final: bool, is_override: bool, annotations: &Option<Value>) -> Hash {
    let mut hash = Hash::new();
    hash.insert("type", ty.clone());
    if is_final {
        hash.insert("final", true);
    }
    if is_override {
        hash.insert("override", true);
    }
    if let Some(annotations) = annotations {
        hash.insert("annotations", annotations.clone());
    }
    hash
}

impl ObjectAttribute {
    fn describe(&self) -> (Str, Hash) {
        let is_final = self.is_final && self.kind != ObjectAttributeKind::Constant;
        let mut hash = describe_member(&self.ty, is_final, self.is_override, &self.annotations);
        if let Some(kind) = self.kind.name() {
            hash.insert("kind", kind);
        }
        if let Some(value) = &self.value {
            hash.insert("value", value.clone());
        }
        (self.name.clone(), hash)
    }

    fn describe_parameter(&self) -> (Str, Hash) {
        let ty = match &self.ty {
            Type::Optional(Some(ty)) => (**ty).clone(),
            ty => ty.clone(),
        };
        let mut hash = describe_member(&ty, self.is_final, self.is_override, &self.annotations);
        if let Some(value) = self.value.as_ref().filter(|value| !value.is_undef()) {
            hash.insert("value", value.clone());
        }
        (self.name.clone(), hash)
    }
}

impl Method {
    fn describe(&self) -> (Str, Hash) {
        (self.name.clone(), describe_member(&self.ty, self.is_final, self.is_override, &self.annotations))
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &ObjectType) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        // A name means one type wherever it is heard; without a name it is what it says.
        match (&self.name, &other.name) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.describe(false) == other.describe(false),
            _ => false,
        }
    }
}

impl fmt::Debug for ObjectType {
    // The definition is left out: it may lead back here.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectType({})", self.label())
    }
}

/// An object type with some of its type parameters given.
#[derive(Debug)]
pub struct ObjectExtension {
    /// The type without parameters.
    pub base: Arc<ObjectType>,
    /// The parameters that were given.
    pub parameters: Vec<(Str, Value)>,
}

impl ObjectExtension {
    /// `Base[args...]`, by position or by name.
    pub fn new(base: &Arc<ObjectType>, args: &[Value]) -> Result<ObjectExtension> {
        let known = base.type_parameters();
        let Some(first) = known.first() else {
            bail!(NO_TYPE_PARAMETERS { ty: base.label() });
        };
        let mut parameters = Vec::new();
        let mut add = |parameter: &ObjectAttribute, value: &Value| -> Result<()> {
            if !matches!(value, Value::Default) {
                mismatch::assert(&parameter.label, &parameter.ty, value)?;
                parameters.push((parameter.name.clone(), value.clone()));
            }
            Ok(())
        };
        match args {
            [named @ Value::Hash(hash)] if !first.ty.contains(named) => {
                for (name, value) in hash {
                    let Some(parameter) = known.iter().find(|p| name.as_str() == Some(p.name.as_str()))
                    else {
                        let name = name.as_str().unwrap_or_default();
                        bail!(UNKNOWN_TYPE_PARAMETER { name, ty: base.label() });
                    };
                    add(parameter, value)?;
                }
            }
            args => {
                for (parameter, value) in known.iter().zip(args) {
                    add(parameter, value)?;
                }
            }
        }
        if parameters.is_empty() {
            bail!(EMPTY_TYPE_PARAMETERS { ty: base.label() });
        }
        Ok(ObjectExtension { base: base.clone(), parameters })
    }

    fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The text that would be between the brackets.
    pub fn init_parameters(&self) -> Value {
        let known = self.base.type_parameters();
        if known.len() > 2 {
            return Value::Hash(self.parameters.iter().cloned().collect());
        }
        let mut values: Vec<Value> =
            known.iter().map(|p| self.parameter(&p.name).cloned().unwrap_or(Value::Default)).collect();
        while matches!(values.last(), Some(Value::Default)) {
            values.pop();
        }
        values.into()
    }

    /// Whether the object's attributes match the parameters of the same name.
    pub fn holds(&self, object: &Object) -> bool {
        self.base.covers(&object.ty)
            && self.parameters.iter().all(|(name, pattern)| {
                object.get(name).is_some_and(|value| crate::compare::matches(&value, pattern).is_some())
            })
    }

    /// Whether every value of `other` is one of this.
    pub fn covers(&self, other: &Type) -> bool {
        let Type::ObjectExtension(other) = other else { return false };
        self.base.covers(&other.base)
            && self.parameters.iter().all(|(name, wide)| {
                other.parameter(name).is_some_and(|narrow| {
                    crate::compare::matches(narrow, wide).is_some()
                        || matches!((wide, narrow), (Value::Type(wide), Value::Type(narrow)) if wide.covers(narrow))
                })
            })
    }
}

impl PartialEq for ObjectExtension {
    fn eq(&self, other: &ObjectExtension) -> bool {
        self.base == other.base && self.parameters == other.parameters
    }
}

impl Type {
    /// The bare `Object`.
    pub fn any_object() -> Type {
        Type::Object(ObjectType::any())
    }

    /// The bare `TypeSet`.
    pub fn any_type_set() -> Type {
        Type::TypeSet(TypeSet::any())
    }
}
