//! A type without what is peculiar to single values: sizes, ranges, literal strings.

use std::sync::Arc;

use kukla_syntax::deep;

use super::callable::CallableType;
use super::{InitType, Range, StructField, Type, leaf};

impl Type {
    /// The general form of this type.
    pub fn generalized(&self) -> Type {
        deep(|| self.made_general())
    }

    fn made_general(&self) -> Type {
        let inside = |ty: &Option<Arc<Type>>| ty.as_ref().map(|ty| Arc::new(ty.generalized()));
        let all = |types: &[Type]| types.iter().map(Type::generalized).collect::<Vec<_>>();
        match self {
            Type::Integer(_) => Type::INTEGER,
            Type::Float(..) => Type::FLOAT,
            Type::Boolean(_) => Type::BOOLEAN,
            Type::String(_) | Type::Literal(_) => Type::STRING,
            Type::Enum(values) if values.values.is_empty() => Type::STRING,
            Type::Enum(values) => {
                let length = |text: &crate::Str| text.chars().count() as i64;
                let min = values.values.iter().map(length).min().unwrap_or(0);
                let max = values.values.iter().map(length).max().unwrap_or(0);
                Type::String(Range::new(min, max))
            }
            Type::Timestamp(_) => leaf::any_timestamp(),
            Type::Timespan(_) => leaf::any_timespan(),
            Type::Uri(_) => Type::Uri(None),
            Type::Collection(_) => Type::Collection(Range::ANY_SIZE),
            Type::Array(array) => Type::array(array.element.generalized()),
            Type::Hash(hash) if hash.is_empty() => self.clone(),
            Type::Hash(hash) => Type::hash(hash.key.generalized(), hash.value.generalized()),
            Type::Tuple(tuple) => Type::tuple(all(&tuple.types), tuple.size),
            Type::Struct(fields) => Type::structure(fields.iter().map(|field| StructField {
                name: field.name.clone(),
                optional: field.optional,
                value: field.value.generalized(),
            })),
            Type::Variant(types) if types.is_empty() => self.clone(),
            Type::Variant(types) => Type::variant(all(types)),
            Type::Optional(ty) => Type::Optional(inside(ty)),
            Type::NotUndef(ty) => Type::NotUndef(inside(ty)),
            Type::Iterable(ty) => Type::Iterable(inside(ty)),
            Type::Iterator(ty) => Type::Iterator(inside(ty)),
            Type::Type(ty) => Type::Type(inside(ty)),
            Type::Sensitive(ty) => ty.sensitive_again(ty.generalized()),
            Type::Init(init) => Type::Init(Arc::new(InitType {
                ty: init.ty.as_ref().map(Type::generalized),
                args: init.args.clone(),
            })),
            Type::Callable(Some(callable)) => Type::Callable(Some(Arc::new(CallableType::new(
                all(&callable.params),
                callable.size,
                callable.block.as_ref().map(Type::generalized),
                callable.returns.as_ref().map(Type::generalized),
            )))),
            Type::ObjectExtension(extension) => Type::Object(extension.base.clone()),
            ty => ty.clone(),
        }
    }

    /// `Sensitive` with a new member, which is made general unless it is still the old one.
    pub(super) fn sensitive_again(self: &Arc<Type>, member: Type) -> Type {
        if **self == member { Type::Sensitive(self.clone()) } else { Type::sensitive(member) }
    }
}
