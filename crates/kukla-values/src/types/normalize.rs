//! The same set in a shorter form: without a superfluous `NotUndef`, a `Variant` of enums as one `Enum`.

use std::sync::Arc;

use kukla_syntax::deep;
use rustc_hash::FxHashSet;

use super::callable::CallableType;
use super::{Range, StructField, Type, leaf};
use crate::{Str, meter};

impl Type {
    /// An equal type in its plainest form.
    pub fn normalized(&self) -> Type {
        deep(|| self.made_plain())
    }

    fn made_plain(&self) -> Type {
        let inside = |ty: &Option<Arc<Type>>| ty.as_ref().map(|ty| Arc::new(ty.normalized()));
        let all = |types: &[Type]| types.iter().map(Type::normalized).collect::<Vec<_>>();
        match self {
            Type::Collection(_) => Type::Collection(Range::ANY_SIZE),
            Type::Array(array) if matches!(array.element, Type::Any) => Type::any_array(),
            Type::Array(array) => Type::array_sized(array.element.normalized(), array.size),
            Type::Hash(hash) => Type::hash_sized(hash.key.normalized(), hash.value.normalized(), hash.size),
            Type::Tuple(tuple) => Type::tuple(all(&tuple.types), tuple.size),
            Type::Struct(fields) => Type::structure(fields.iter().map(|field| StructField {
                name: field.name.clone(),
                optional: field.optional,
                value: field.value.normalized(),
            })),
            Type::Variant(types) if types.is_empty() => self.clone(),
            Type::Variant(types) => normalized_variant(self, types),
            Type::Optional(Some(ty)) => match ty.normalized() {
                Type::NotUndef(ty) => Type::Optional(ty).normalized(),
                ty if ty.accepts_undef() => ty,
                ty => Type::optional(ty),
            },
            Type::NotUndef(Some(ty)) => match ty.normalized() {
                Type::Optional(Some(ty)) => Type::not_undef((*ty).clone()).normalized(),
                Type::Optional(None) => Type::NotUndef(None),
                ty if !ty.accepts_undef() => ty,
                ty => Type::not_undef(ty),
            },
            Type::Iterable(ty) => Type::Iterable(inside(ty)),
            Type::Iterator(ty) => Type::Iterator(inside(ty)),
            Type::Type(ty) => Type::Type(inside(ty)),
            Type::Sensitive(ty) => ty.sensitive_again(ty.normalized()),
            Type::Callable(Some(callable)) => Type::Callable(Some(Arc::new(CallableType::new(
                all(&callable.params),
                callable.size,
                callable.block.as_ref().map(Type::normalized),
                callable.returns.as_ref().map(Type::normalized),
            )))),
            ty => ty.clone(),
        }
    }
}

fn normalized_variant(this: &Type, members: &[Type]) -> Type {
    let mut types: Vec<Type> = members.iter().map(Type::normalized).collect();
    let modified = types.iter().zip(members).any(|(new, old)| new != old || has_sized_hash(old));
    if types.len() == 1 {
        return types.swap_remove(0);
    }
    if types.iter().any(|ty| matches!(ty, Type::Undef | Type::Optional(_))) {
        let present = types.into_iter().filter_map(|ty| match ty {
            Type::Undef | Type::Optional(None) => None,
            Type::Optional(Some(ty)) => Some((*ty).clone()),
            ty => Some(ty),
        });
        return Type::optional(Type::variant(present)).normalized();
    }
    let mut types = flattened(types);
    let before = types.len();
    merge(
        &mut types,
        |ty| matches!(ty, Type::NotUndef(_)),
        |not_undefs| {
            let inner = not_undefs.into_iter().map(|ty| match ty {
                Type::NotUndef(Some(ty)) => (*ty).clone(),
                _ => Type::Any,
            });
            vec![Type::not_undef(Type::variant(inner).normalized())]
        },
    );
    merge(
        &mut types,
        |ty| matches!(ty, Type::Literal(_)) || is_enum(ty, false),
        |enums| vec![Type::enumeration(strings(&enums), false)],
    );
    merge(
        &mut types,
        |ty| is_enum(ty, true),
        |enums| {
            vec![Type::enumeration(
                strings(&enums).into_iter().map(|text| crate::case::downcase(&text)),
                true,
            )]
        },
    );
    merge(
        &mut types,
        |ty| matches!(ty, Type::Pattern(_)),
        |patterns| {
            let (mut unique, mut sources) = (Vec::new(), FxHashSet::default());
            for ty in &patterns {
                let Type::Pattern(patterns) = ty else { continue };
                for pattern in patterns.iter() {
                    if sources.insert(pattern.source()) {
                        unique.push(pattern.clone());
                    }
                }
            }
            vec![Type::Pattern(unique.into())]
        },
    );
    merge_first(
        &mut types,
        |ty| matches!(ty, Type::SemVer(_)),
        |versions| {
            let ranges = versions.iter().filter_map(|ty| match ty {
                Type::SemVer(ranges) => Some(ranges.iter().cloned()),
                _ => None,
            });
            vec![Type::SemVer(leaf::merge_ranges(ranges.flatten().collect()).into())]
        },
    );
    merge_first(&mut types, |ty| matches!(ty, Type::Integer(_)), |ranges| joined(ranges, join_ranges));
    merge_first(&mut types, |ty| matches!(ty, Type::Float(..)), |ranges| joined(ranges, join_ranges));
    merge_first(&mut types, |ty| matches!(ty, Type::Timespan(_)), |ranges| joined(ranges, join_ranges));
    merge_first(&mut types, |ty| matches!(ty, Type::Timestamp(_)), |ranges| joined(ranges, join_ranges));
    match types.len() {
        1 => types.swap_remove(0),
        // Sorting ranges to the front does not count as a change.
        after if after == before && !modified => this.clone(),
        _ => Type::variant(types),
    }
}

/// Hashes with a size always count as changed.
fn has_sized_hash(ty: &Type) -> bool {
    let mut found = matches!(ty, Type::Hash(hash) if !hash.size.is_any() && !hash.is_empty());
    ty.each_part(&mut |part| found = found || has_sized_hash(part));
    found
}

fn flattened(types: Vec<Type>) -> Vec<Type> {
    let mut flat = Vec::with_capacity(types.len());
    for ty in types {
        match ty {
            Type::Variant(inner) => flat.extend(inner.iter().cloned()),
            ty => flat.push(ty),
        }
    }
    flat
}

fn is_enum(ty: &Type, case_insensitive: bool) -> bool {
    matches!(ty, Type::Enum(values) if !values.values.is_empty() && values.case_insensitive == case_insensitive)
}

fn strings(types: &[Type]) -> Vec<Str> {
    let mut strings = Vec::new();
    for ty in types {
        match ty {
            Type::Literal(text) => strings.push(text.clone()),
            Type::Enum(values) => strings.extend(values.values.iter().cloned()),
            _ => {}
        }
    }
    strings
}

/// Replaces two or more members of one kind by what they come to together, at the end.
fn merge(types: &mut Vec<Type>, kind: impl Fn(&Type) -> bool, together: impl FnOnce(Vec<Type>) -> Vec<Type>) {
    if types.iter().filter(|ty| kind(ty)).count() > 1 {
        let (members, mut others): (Vec<_>, Vec<_>) = std::mem::take(types).into_iter().partition(kind);
        others.extend(together(members));
        *types = others;
    }
}

/// The same, but at the beginning.
fn merge_first(
    types: &mut Vec<Type>,
    kind: impl Fn(&Type) -> bool,
    together: impl FnOnce(Vec<Type>) -> Vec<Type>,
) {
    if types.iter().filter(|ty| kind(ty)).count() > 1 {
        let (members, others): (Vec<_>, Vec<_>) = std::mem::take(types).into_iter().partition(kind);
        *types = together(members);
        types.extend(others);
    }
}

/// Joins the ranges that touch, last first.
fn joined(mut ranges: Vec<Type>, join: impl Fn(&Type, &Type) -> Option<Type>) -> Vec<Type> {
    let mut result = Vec::new();
    while let Some(mut range) = ranges.pop() {
        let mut apart = Vec::new();
        for other in ranges {
            meter::work(1);
            match join(&range, &other) {
                Some(both) => range = both,
                None => apart.push(other),
            }
        }
        result.push(range);
        ranges = apart;
    }
    result
}

fn join_ranges(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Integer(a), Type::Integer(b)) => a.touches(*b).then(|| Type::Integer(a.unite(*b))),
        (Type::Float(a, b), Type::Float(c, d)) => {
            (a <= d && c <= b).then(|| Type::Float(a.min(*c), b.max(*d)))
        }
        (Type::Timespan(a), Type::Timespan(b)) => {
            (a.0 <= b.1 && b.0 <= a.1).then(|| Type::Timespan(Arc::new((a.0.min(b.0), a.1.max(b.1)))))
        }
        (Type::Timestamp(a), Type::Timestamp(b)) => {
            (a.0 <= b.1 && b.0 <= a.1).then(|| Type::Timestamp(Arc::new((a.0.min(b.0), a.1.max(b.1)))))
        }
        _ => None,
    }
}
