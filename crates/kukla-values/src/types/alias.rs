//! Named types, which may refer to themselves.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use kukla_syntax::bail;

use super::Type;
use crate::codes::ENDLESS_TYPE_ALIAS;
use crate::{Result, Str, Value};

/// A named type. Its meaning is set once, after the name exists, so that it may refer to itself.
pub struct TypeAlias {
    /// Its name, as declared.
    pub name: Str,
    resolved: OnceLock<Type>,
    recursive: OnceLock<bool>,
}

static UNRESOLVED: LazyLock<Type> = LazyLock::new(|| Type::Reference("UnresolvedReference".into()));

impl TypeAlias {
    /// A name without a meaning yet.
    pub fn new(name: impl Into<Str>) -> Arc<TypeAlias> {
        Arc::new(TypeAlias { name: name.into(), resolved: OnceLock::new(), recursive: OnceLock::new() })
    }

    /// Defines the name, in normal form. A name that refers only to itself is an error.
    pub fn resolve(self: &Arc<TypeAlias>, ty: Type) -> Result<()> {
        let ty = self.without_itself(ty.normalized());
        let real = match &ty {
            Type::Alias(alias) => !Arc::ptr_eq(alias, self) && !alias.leads_to(self),
            Type::Variant(types) => !types.is_empty(),
            _ => true,
        };
        if !real {
            bail!(ENDLESS_TYPE_ALIAS { name: self.name });
        }
        // Another thread may have been first with the same definition.
        let _ = self.resolved.set(ty);
        Ok(())
    }

    /// A `Variant` that names itself directly says nothing by it.
    fn without_itself(self: &Arc<TypeAlias>, ty: Type) -> Type {
        match ty {
            Type::Variant(types) if types.iter().any(|t| self.is_idle(t)) => {
                Type::variant(types.iter().filter(|t| !self.is_idle(t)).cloned())
            }
            ty => ty,
        }
    }

    fn is_idle(self: &Arc<TypeAlias>, ty: &Type) -> bool {
        matches!(ty, Type::Alias(alias) if Arc::ptr_eq(alias, self) || alias.leads_to(self))
    }

    /// Whether it refers only to `target`, through any number of names.
    fn leads_to(&self, target: &Arc<TypeAlias>) -> bool {
        let mut at = self.resolved.get();
        for _ in 0..100 {
            match at {
                Some(Type::Alias(alias)) if Arc::ptr_eq(alias, target) => return true,
                Some(Type::Alias(alias)) => at = alias.resolved.get(),
                _ => return false,
            }
        }
        true
    }

    /// Its definition; a reference to nothing while that is still being resolved.
    pub fn resolved(&self) -> &Type {
        self.resolved.get().unwrap_or(&UNRESOLVED)
    }

    /// Whether its meaning has been set.
    pub fn is_resolved(&self) -> bool {
        self.resolved.get().is_some()
    }

    /// Whether its meaning mentions its name.
    pub fn is_recursive(&self) -> bool {
        if !self.is_resolved() {
            return true;
        }
        *self.recursive.get_or_init(|| {
            let mut seen = Vec::new();
            reaches(self.resolved(), self, &mut seen)
        })
    }
}

fn reaches(from: &Type, target: &TypeAlias, seen: &mut Vec<*const TypeAlias>) -> bool {
    if let Type::Alias(alias) = from {
        let this = Arc::as_ptr(alias);
        if std::ptr::eq(this, target) {
            return true;
        }
        if seen.contains(&this) {
            return false;
        }
        seen.push(this);
        return alias.resolved.get().is_some_and(|ty| reaches(ty, target, seen));
    }
    let mut found = false;
    from.each_part(&mut |part| found = found || reaches(part, target, seen));
    found
}

/// Something inside a type.
pub(crate) enum Inner<'t> {
    Type(&'t Type),
    Value(&'t Value),
}

impl fmt::Debug for TypeAlias {
    // The meaning is left out: it may lead back here.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeAlias({})", self.name)
    }
}

static DATA: LazyLock<Type> = LazyLock::new(|| {
    Type::variant([
        Type::ScalarData,
        Type::Undef,
        Type::hash(Type::STRING, Type::Data),
        Type::array(Type::Data),
    ])
});

static RICH_DATA_KEY: LazyLock<Type> = LazyLock::new(|| Type::variant([Type::STRING, Type::Numeric]));

static RICH_DATA: LazyLock<Type> = LazyLock::new(|| {
    Type::variant([
        Type::Scalar,
        Type::SemVerRange,
        Type::Binary,
        Type::Sensitive(Arc::new(Type::Any)),
        Type::Type(None),
        Type::any_type_set(),
        Type::Uri(None),
        Type::any_object(),
        Type::Undef,
        Type::Default,
        Type::hash(Type::RichDataKey, Type::RichData),
        Type::array(Type::RichData),
    ])
});

impl Type {
    /// The definition of a name: the type itself unless it is an alias, including built-in ones.
    pub fn unaliased(&self) -> &Type {
        let mut at = self;
        for _ in 0..100 {
            match at.meaning() {
                Some(ty) => at = ty,
                None => return at,
            }
        }
        &UNRESOLVED
    }

    /// One step from a name to its meaning.
    pub(crate) fn meaning(&self) -> Option<&Type> {
        match self {
            Type::Alias(alias) => Some(alias.resolved()),
            Type::Data => Some(&DATA),
            Type::RichData => Some(&RICH_DATA),
            Type::RichDataKey => Some(&RICH_DATA_KEY),
            _ => None,
        }
    }

    /// Whether there is anything inside it.
    #[inline]
    pub(crate) fn has_parts(&self) -> bool {
        !matches!(
            self,
            Type::Any
                | Type::Undef
                | Type::Default
                | Type::Scalar
                | Type::ScalarData
                | Type::Numeric
                | Type::Data
                | Type::Integer(_)
                | Type::Float(..)
                | Type::Boolean(_)
                | Type::String(_)
                | Type::Literal(_)
                | Type::Resource(_)
                | Type::Class(_)
                | Type::Alias(_)
        )
    }

    /// Visits all that is directly inside this type, values included; names are not entered.
    pub(crate) fn each_inner(&self, visit: &mut dyn FnMut(Inner<'_>)) {
        self.each_part(&mut |part| visit(Inner::Type(part)));
        match self {
            Type::Init(init) => init.args.iter().for_each(|value| visit(Inner::Value(value))),
            Type::Uri(Some(value)) => visit(Inner::Value(value)),
            Type::Runtime(runtime) => runtime.name.iter().for_each(|value| visit(Inner::Value(value))),
            Type::Object(object) => object.each_inner(visit),
            Type::ObjectExtension(extension) => {
                extension.base.each_inner(visit);
                extension.parameters.iter().for_each(|(_, value)| visit(Inner::Value(value)));
            }
            Type::TypeSet(set) => set.types.iter().for_each(|(_, ty)| visit(Inner::Type(ty))),
            _ => {}
        }
    }

    /// Visits the types directly inside this one; names are not entered.
    pub(crate) fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
        match self {
            Type::Array(array) => visit(&array.element),
            Type::Tuple(tuple) => tuple.types.iter().for_each(visit),
            Type::Hash(hash) => {
                visit(&hash.key);
                visit(&hash.value);
            }
            Type::Struct(fields) => fields.iter().for_each(|field| visit(&field.value)),
            Type::Variant(types) => types.iter().for_each(visit),
            Type::Optional(Some(ty))
            | Type::NotUndef(Some(ty))
            | Type::Iterable(Some(ty))
            | Type::Iterator(Some(ty))
            | Type::Sensitive(ty)
            | Type::Type(Some(ty)) => visit(ty),
            Type::Init(init) => init.ty.iter().for_each(visit),
            Type::Callable(Some(callable)) => {
                callable.params.iter().chain(&callable.block).chain(&callable.returns).for_each(visit);
            }
            _ => {}
        }
    }
}
