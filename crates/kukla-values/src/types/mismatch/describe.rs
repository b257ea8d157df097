//! Finding the mismatches.

use super::super::callable::tuple_size;
use super::super::{HashType, Range, StructField, Type};
use super::Signature;
use crate::{Str, meter};

/// One step on the way into the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Subject(Str),
    EntryValue(Str),
    EntryKey(Str),
    Parameter(Str),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

impl Step {
    /// Steps between alternatives lead nowhere in the data itself.
    fn is_alternative(&self) -> bool {
        matches!(self, Step::Variant(_) | Step::Signature(_))
    }
}

/// One thing wrong, and where.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    pub path: Vec<Step>,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    MissingKey(Str),
    ExtraneousKey(Str),
    UnexpectedBlock,
    MissingBlock,
    Unresolved(Str),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: Range, actual: Range },
    Count { expected: Range, actual: Range },
}

impl Mismatch {
    fn new(path: &[Step], problem: Problem) -> Mismatch {
        Mismatch { path: path.to_vec(), problem }
    }

    fn wrong_type(path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
        Mismatch::new(path, Problem::Type { expected: expected.normalized(), actual: actual.normalized() })
    }

    fn real_path(&self) -> impl Iterator<Item = &Step> {
        self.path.iter().filter(|step| !step.is_alternative())
    }

    fn same_place(&self, other: &Mismatch) -> bool {
        self.real_path().eq(other.real_path())
    }

    pub(super) fn without_step(&self, at: usize) -> Mismatch {
        let mut copy = self.clone();
        if at < copy.path.len() {
            copy.path.remove(at);
        }
        copy
    }

    /// Both problems in one, as wide as either.
    fn merged(&self, other: &Mismatch) -> Mismatch {
        let both = |a: &Type, b: &Type| Type::variant([a.clone(), b.clone()]).normalized();
        let problem = match (&self.problem, &other.problem) {
            (
                Problem::Type { expected: a, actual },
                Problem::Type { expected: b, .. } | Problem::Pattern { expected: b, .. },
            ) => Problem::Type { expected: both(a, b), actual: actual.clone() },
            (
                Problem::Pattern { expected: a, actual },
                Problem::Type { expected: b, .. } | Problem::Pattern { expected: b, .. },
            ) => Problem::Pattern { expected: both(a, b), actual: actual.clone() },
            (
                Problem::Size { expected: a, actual },
                Problem::Size { expected: b, .. } | Problem::Count { expected: b, .. },
            ) => Problem::Size { expected: a.unite(*b), actual: *actual },
            (
                Problem::Count { expected: a, actual },
                Problem::Size { expected: b, .. } | Problem::Count { expected: b, .. },
            ) => Problem::Count { expected: a.unite(*b), actual: *actual },
            (problem, _) => problem.clone(),
        };
        Mismatch { path: self.path.clone(), problem }
    }
}

/// Makes one problem of those all alternatives have in common, if there is such a thing.
pub(super) fn merge(varying: usize, counts: bool, alternatives: Vec<Vec<Mismatch>>) -> Vec<Mismatch> {
    let wanted = alternatives.len();
    let mut all: Vec<Mismatch> = alternatives.into_iter().flatten().collect();
    let kinds: [fn(&Problem, bool) -> bool; 4] = [
        |p, counts| matches!(p, Problem::Count { .. }) || !counts && matches!(p, Problem::Size { .. }),
        |p, _| matches!(p, Problem::MissingBlock),
        |p, _| matches!(p, Problem::UnexpectedBlock),
        |p, _| matches!(p, Problem::Type { .. } | Problem::Pattern { .. }),
    ];
    for kind in kinds {
        let of_kind: Vec<&Mismatch> = all.iter().filter(|m| kind(&m.problem, counts)).collect();
        let [first, rest @ ..] = of_kind.as_slice() else { continue };
        if of_kind.len() == wanted && rest.iter().all(|m| m.same_place(first)) {
            let merged = rest.iter().fold((*first).clone(), |memo, m| memo.merged(m));
            all = vec![merged];
            break;
        }
    }
    // Of several alternatives with the same fault in their block one is enough; everything else is repeated.
    let mut unique: Vec<Mismatch> = Vec::new();
    for mismatch in all {
        let about_block = matches!(mismatch.problem, Problem::UnexpectedBlock | Problem::MissingBlock);
        let said = |m: &Mismatch| m.same_place(&mismatch) && m.problem == mismatch.problem;
        if !(about_block && unique.iter().any(said)) {
            unique.push(mismatch);
        }
    }
    match unique.as_slice() {
        [one] => vec![one.without_step(varying)],
        _ => unique,
    }
}

/// A name met so often on one way is a type that never comes to an end.
const DEEPEST: usize = 100;

/// The work of describing one mismatch, with the texts that are put together for it.
const WORK: usize = 128;

pub(super) struct Describer;

impl Describer {
    pub(super) fn describe(&self, expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
        if let Some(name) = unresolved(expected, &mut Vec::new()) {
            return vec![Mismatch::new(path, Problem::Unresolved(name))];
        }
        self.inner(&expected.normalized(), expected, actual, path)
    }

    /// `original` is the type as it was named, for the message.
    fn inner(&self, expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
        meter::work(WORK);
        if path.len() > DEEPEST {
            return vec![Mismatch::wrong_type(path, original, actual)];
        }
        match expected {
            Type::Variant(types) => self.variant(types, original, actual, path),
            Type::Struct(fields) => self.structure(fields, original, actual, path),
            Type::Hash(hash) => self.hash(hash, original, actual, path),
            Type::Tuple(tuple) => {
                if expected == actual || tuple.types.is_empty() && matches!(actual, Type::Array(_)) {
                    return Vec::new();
                }
                self.tuple(&tuple.types, tuple.size, original, actual, path, false)
            }
            Type::Array(array) => self.array(&array.element, array.size, original, actual, path),
            Type::Callable(_) => self.callable(expected, original, actual, path),
            Type::Optional(None) => Vec::new(),
            Type::Optional(Some(ty)) => {
                if matches!(actual, Type::Undef) {
                    return Vec::new();
                }
                let original = if is_alias(original) { original } else { expected };
                self.inner(ty, original, actual, path)
            }
            Type::Pattern(_) | Type::Enum(_) => vec![Mismatch::new(
                path,
                Problem::Pattern { expected: original.normalized(), actual: actual.normalized() },
            )],
            Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => match expected.meaning() {
                Some(meaning) => self.inner(&meaning.normalized(), expected, actual, path),
                None => Vec::new(),
            },
            _ if expected.covers(actual) => Vec::new(),
            _ => vec![Mismatch::wrong_type(path, original, actual)],
        }
    }

    fn variant(&self, types: &[Type], original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
        let undef = matches!(original, Type::Optional(_)).then_some(&Type::Undef);
        let mut alternatives = Vec::new();
        for (i, ty) in undef.into_iter().chain(types).enumerate() {
            let mismatches = self.describe(ty, actual, &then(path, Step::Variant(i)));
            if mismatches.is_empty() {
                return Vec::new();
            }
            alternatives.push(mismatches);
        }
        let merged = merge(path.len(), false, alternatives);
        if is_alias(original) && merged.len() == 1 {
            return vec![Mismatch::wrong_type(path, original, actual)];
        }
        merged
    }

    fn array(
        &self,
        element: &Type,
        size: Range,
        original: &Type,
        actual: &Type,
        path: &[Step],
    ) -> Vec<Mismatch> {
        match actual {
            Type::Tuple(tuple) => {
                let given = tuple.size.unwrap_or(Range::exactly(tuple.types.len() as i64));
                if !size.as_size().covers(given) {
                    return vec![wrong_size(path, size, given)];
                }
                let wrong = tuple.types.iter().enumerate().filter(|(_, ty)| !element.covers(ty));
                wrong.flat_map(|(i, ty)| self.describe(element, ty, &then(path, Step::Index(i)))).collect()
            }
            Type::Array(array) => {
                if size.as_size().covers(array.size.as_size()) {
                    vec![Mismatch::wrong_type(path, original, &Type::array(array.element.clone()))]
                } else {
                    vec![wrong_size(path, size, array.size)]
                }
            }
            _ => vec![Mismatch::wrong_type(path, original, actual)],
        }
    }

    fn hash(&self, expected: &HashType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
        match actual {
            Type::Struct(fields) => {
                let required = fields.iter().filter(|field| !field.optional).count();
                let given = Range::new(required as i64, fields.len() as i64);
                if !expected.size.as_size().covers(given) {
                    return vec![wrong_size(path, expected.size, given)];
                }
                let mut found = Vec::new();
                for field in fields.iter() {
                    let key = field.key_type();
                    if !expected.key.covers(&key) {
                        found.extend(self.describe(
                            &expected.key,
                            &key,
                            &then(path, Step::EntryKey(field.name.clone())),
                        ));
                    }
                    if !expected.value.covers(&field.value) {
                        let path = then(path, Step::EntryValue(field.name.clone()));
                        found.extend(self.describe(&expected.value, &field.value, &path));
                    }
                }
                found
            }
            Type::Hash(hash) => self.hash_for(expected.size, hash, original, path),
            _ => vec![Mismatch::wrong_type(path, original, actual)],
        }
    }

    fn hash_for(&self, size: Range, actual: &HashType, original: &Type, path: &[Step]) -> Vec<Mismatch> {
        if size.as_size().covers(actual.size.as_size()) {
            vec![Mismatch::wrong_type(path, original, &Type::hash(actual.key.clone(), actual.value.clone()))]
        } else {
            vec![wrong_size(path, size, actual.size)]
        }
    }

    fn structure(
        &self,
        fields: &[StructField],
        original: &Type,
        actual: &Type,
        path: &[Step],
    ) -> Vec<Mismatch> {
        match actual {
            Type::Struct(given) => {
                let mut found = Vec::new();
                for field in fields {
                    let Some(other) = given.iter().find(|other| other.name == field.name) else {
                        if !field.optional {
                            found.push(Mismatch::new(path, Problem::MissingKey(field.name.clone())));
                        }
                        continue;
                    };
                    if !field.optional && other.optional {
                        let path = then(path, Step::EntryKey(field.name.clone()));
                        found.extend(self.describe(&field.key_type(), &other.key_type(), &path));
                    }
                    if !field.value.covers(&other.value) {
                        let path = then(path, Step::EntryValue(field.name.clone()));
                        found.extend(self.describe(&field.value, &other.value, &path));
                    }
                }
                let strangers =
                    given.iter().filter(|other| !fields.iter().any(|field| field.name == other.name));
                found.extend(strangers.map(|o| Mismatch::new(path, Problem::ExtraneousKey(o.name.clone()))));
                found
            }
            Type::Hash(hash) => {
                let required = fields.iter().filter(|field| !field.optional).count();
                self.hash_for(Range::new(required as i64, fields.len() as i64), hash, original, path)
            }
            _ => vec![Mismatch::wrong_type(path, original, actual)],
        }
    }

    fn tuple(
        &self,
        types: &[Type],
        size: Option<Range>,
        original: &Type,
        actual: &Type,
        path: &[Step],
        counts: bool,
    ) -> Vec<Mismatch> {
        let wanted = tuple_size(types, size);
        let wrong = |given: Range| {
            let problem = match counts {
                true => Problem::Count { expected: wanted, actual: given },
                false => Problem::Size { expected: wanted, actual: given },
            };
            vec![Mismatch::new(path, problem)]
        };
        match actual {
            Type::Tuple(tuple) => {
                let given = tuple_size(&tuple.types, tuple.size);
                if !wanted.covers(given) {
                    return wrong(given);
                }
                let Some(last) = types.len().checked_sub(1) else { return Vec::new() };
                let each = tuple.types.iter().enumerate().map(|(i, ty)| (i.min(last), ty));
                each.flat_map(|(at, ty)| self.describe(&types[at], ty, &then(path, Step::Index(at))))
                    .collect()
            }
            Type::Array(array) => {
                if !wanted.covers(array.size.as_size()) {
                    return wrong(array.size.as_size());
                }
                let each = types.iter().enumerate();
                each.flat_map(|(i, ty)| self.describe(ty, &array.element, &then(path, Step::Index(i))))
                    .collect()
            }
            _ => vec![Mismatch::wrong_type(path, original, actual)],
        }
    }

    fn callable(&self, expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
        let (Type::Callable(wide), Type::Callable(narrow)) = (expected, actual) else {
            return vec![Mismatch::wrong_type(path, original, actual)];
        };
        let (Some(wide), Some(narrow)) = (wide, narrow) else { return Vec::new() };
        let given = Type::tuple(narrow.params.clone(), narrow.size);
        let wanted = Type::tuple(wide.params.clone(), wide.size);
        if given != wanted {
            let found = self.tuple(&wide.params, wide.size, &wanted, &given, path, true);
            if !found.is_empty() {
                return found;
            }
        }
        let returns = |ty: &Option<Type>| ty.clone().unwrap_or(Type::Any);
        let block = |ty: &Option<Type>| ty.clone().unwrap_or(Type::Undef);
        let (this, that) = (returns(&wide.returns), returns(&narrow.returns));
        if !this.covers(&that) {
            return vec![Mismatch::wrong_type(&then(path, Step::Return), &this, &that)];
        }
        let (this, that) = (block(&wide.block), block(&narrow.block));
        if !that.covers(&this) {
            return vec![Mismatch::wrong_type(&then(path, Step::Block), &this, &that)];
        }
        Vec::new()
    }

    /// The mismatch of the arguments, without the block.
    pub(super) fn arguments(&self, signature: &Signature, args: &[Type], path: &[Step]) -> Vec<Mismatch> {
        let args = match args.split_last() {
            Some((last, others)) if last.is_callable(true) => others,
            _ => args,
        };
        let callable = &signature.callable;
        let (wanted, given) = (callable.arity(), Range::exactly(args.len() as i64));
        if !wanted.covers(given) {
            return vec![Mismatch::new(path, Problem::Count { expected: wanted, actual: given })];
        }
        let Some(last) = callable.params.len().checked_sub(1) else { return Vec::new() };
        for (i, arg) in args.iter().enumerate() {
            let at = i.min(last);
            let ty = &callable.params[at];
            if !ty.covers(arg) {
                let name = signature.names.get(at).cloned().unwrap_or_default();
                let found = self.describe(ty, arg, &then(path, Step::Parameter(name)));
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// The mismatch of the block.
    pub(super) fn block(&self, signature: &Signature, args: &[Type], path: &[Step]) -> Vec<Mismatch> {
        match (&signature.callable.block, args.last().filter(|ty| ty.is_callable(true))) {
            (None, Some(_)) => vec![Mismatch::new(path, Problem::UnexpectedBlock)],
            (Some(wanted), Some(given)) => self.describe(wanted, given, &then(path, Step::Block)),
            (Some(wanted), None) if !wanted.covers(&Type::Undef) => {
                vec![Mismatch::new(path, Problem::MissingBlock)]
            }
            _ => Vec::new(),
        }
    }
}

fn then(path: &[Step], step: Step) -> Vec<Step> {
    path.iter().cloned().chain([step]).collect()
}

fn wrong_size(path: &[Step], expected: Range, actual: Range) -> Mismatch {
    Mismatch::new(path, Problem::Size { expected: expected.as_size(), actual: actual.as_size() })
}

pub(super) fn is_alias(ty: &Type) -> bool {
    matches!(ty, Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey)
}

/// A reference to nothing somewhere inside.
fn unresolved(ty: &Type, seen: &mut Vec<*const Type>) -> Option<Str> {
    match ty {
        Type::Reference(text) => Some(text.clone()),
        Type::Alias(alias) => {
            let meaning: *const Type = alias.resolved();
            if seen.contains(&meaning) {
                return None;
            }
            seen.push(meaning);
            unresolved(alias.resolved(), seen)
        }
        ty => {
            let mut found = None;
            ty.each_part(&mut |part| {
                if found.is_none() {
                    found = unresolved(part, seen);
                }
            });
            found
        }
    }
}
