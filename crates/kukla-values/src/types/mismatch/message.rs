//! Saying them.

use std::fmt;
use std::sync::Arc;

use kukla_syntax::article::a_an;

use super::super::{InitType, Range, RuntimeType, Type, leaf};
use super::describe::{Mismatch, Problem, Step, is_alias};

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Subject(text) => f.write_str(text),
            Step::EntryValue(key) => write!(f, "entry '{key}'"),
            Step::EntryKey(key) => write!(f, "key of entry '{key}'"),
            Step::Parameter(name) => write!(f, "parameter '{name}'"),
            Step::Return => f.write_str("return"),
            Step::Block => f.write_str("block"),
            Step::Index(i) => write!(f, "index {i}"),
            Step::Variant(i) => write!(f, "variant {i}"),
            Step::Signature(i) => write!(f, "{}.", i + 1),
        }
    }
}

impl fmt::Display for Mismatch {
    /// A space before every step of the way, then the problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.path {
            write!(f, " {step}")?;
        }
        match &self.problem {
            Problem::MissingKey(key) => write!(f, " expects a value for key '{key}'"),
            Problem::ExtraneousKey(key) => write!(f, " unrecognized key '{key}'"),
            Problem::UnexpectedBlock => f.write_str(" does not expect a block"),
            Problem::MissingBlock => f.write_str(" expects a block"),
            Problem::Unresolved(name) => write!(f, " references an unresolved type '{name}'"),
            Problem::Type { expected, actual } => f.write_str(&wrong_type(expected, actual)),
            Problem::Pattern { expected, actual } => f.write_str(&no_match(expected, actual)),
            Problem::Size { expected, actual } => {
                write!(f, " expects size to be {}, got {}", range(*expected, "0"), range(*actual, "0"))
            }
            Problem::Count { expected, actual } => {
                let size = expected.as_size();
                let single = size.min() == 1 && size.to().is_none_or(|max| max == 1)
                    || size.min() == 0 && size.max() == 1;
                let plural = if single { "" } else { "s" };
                write!(f, " expects {} argument{plural}, got {}", range(size, "no"), range(*actual, "none"))
            }
        }
    }
}

fn range(range: Range, zero: &str) -> String {
    let size = range.as_size();
    match (size.min(), size.to()) {
        (0, Some(0)) => zero.to_string(),
        (min, Some(max)) if min == max => min.to_string(),
        (0, None) => "unlimited".to_string(),
        (0, Some(max)) => format!("at most {max}"),
        (min, None) => format!("at least {min}"),
        (min, Some(max)) => format!("between {min} and {max}"),
    }
}

fn wrong_type(expected: &Type, actual: &Type) -> String {
    let (optional, expected) = match expected {
        Type::Optional(Some(ty)) => (true, &**ty),
        ty => (false, ty),
    };
    let choices: &[Type] = match expected {
        Type::Variant(types) => types,
        ty => std::slice::from_ref(ty),
    };
    let detailed = shown_in_detail(choices, actual)
        || choices.iter().any(|ty| ty.meaning().unwrap_or(ty).bare().covers(actual));
    let mut names: Vec<String> = Vec::new();
    let got = if detailed {
        names.extend(choices.iter().map(Type::expanded));
        detailed_actual(choices, actual)
    } else {
        for ty in choices {
            let name = short_name(ty);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        short_name(actual)
    };
    if optional {
        names.insert(0, "Undef".into());
    }
    match names.as_slice() {
        [one] => format!(" expects {} value, got {got}", a_an(one)),
        [one, other] => format!(" expects a value of type {one} or {other}, got {got}"),
        [most @ .., last] => format!(" expects a value of type {}, or {last}, got {got}", most.join(", ")),
        [] => format!(" expects a value of no type, got {got}"),
    }
}

fn no_match(expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Optional(Some(ty)) => ("an undef value or ", &**ty),
        ty => ("", ty),
    };
    let got = match actual {
        Type::Literal(text) => format!("'{text}'"),
        ty => short_name(ty),
    };
    format!(" expects {prefix}a match for {}, got {got}", expected.expanded())
}

/// The class of types it belongs to, where all names are one class.
fn class(ty: &Type) -> &'static str {
    if is_alias(ty) { "TypeAlias" } else { ty.kind() }
}

/// Whether the difference lies in the parameters, so that names alone would not tell.
fn shown_in_detail(expected: &[Type], actual: &Type) -> bool {
    expected.iter().any(|ty| {
        class(ty) == class(actual)
            || is_alias(ty)
            || is_alias(actual)
            || matches!((ty, actual), (Type::Struct(_), Type::Hash(_)) | (Type::Tuple(_), Type::Array(_)))
    })
}

fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let resolved: Vec<Type> = expected.iter().map(|ty| ty.unaliased().clone()).collect();
    let general = actual.generalized();
    if shown_in_detail(&resolved, actual) || resolved.iter().any(|ty| ty.covers(&general)) {
        return actual.expanded();
    }
    match actual {
        Type::Object(_) | Type::ObjectExtension(_) => {
            let name = actual.name();
            name.rsplit("::").next().unwrap_or_default().to_string()
        }
        ty => class(ty).to_string(),
    }
}

/// The name alone, but for types that say nothing without what they hold.
fn short_name(ty: &Type) -> String {
    let held = match ty {
        Type::Optional(Some(ty))
        | Type::NotUndef(Some(ty))
        | Type::Iterable(Some(ty))
        | Type::Iterator(Some(ty))
        | Type::Sensitive(ty)
        | Type::Type(Some(ty)) => Some(&**ty),
        Type::Init(init) => init.ty.as_ref(),
        _ => None,
    };
    match held.filter(|ty| !matches!(ty, Type::Any)) {
        // An object type without a name has none to show.
        Some(Type::Object(object)) => {
            format!("{}[{}]", ty.name(), object.name.as_deref().unwrap_or_default())
        }
        Some(held) => format!("{}[{}]", ty.name(), held.name()),
        None => ty.name().to_string(),
    }
}

impl Type {
    /// The type of the same kind without parameters.
    pub(crate) fn bare(&self) -> Type {
        match self {
            Type::Integer(_) => Type::INTEGER,
            Type::Float(..) => Type::FLOAT,
            Type::Boolean(_) => Type::BOOLEAN,
            Type::String(_) | Type::Literal(_) => Type::STRING,
            Type::Enum(_) => Type::enumeration([], false),
            Type::Pattern(_) => Type::Pattern([].into()),
            Type::Regexp(_) => Type::Regexp(None),
            Type::SemVer(_) => Type::SemVer([].into()),
            Type::Timestamp(_) => leaf::any_timestamp(),
            Type::Timespan(_) => leaf::any_timespan(),
            Type::Uri(_) => Type::Uri(None),
            Type::Collection(_) => Type::Collection(Range::ANY_SIZE),
            Type::Array(_) => Type::any_array(),
            Type::Tuple(_) => Type::tuple(Vec::new(), None),
            Type::Hash(_) => Type::any_hash(),
            Type::Struct(_) => Type::structure([]),
            Type::Variant(_) => Type::Variant([].into()),
            Type::Optional(_) => Type::Optional(None),
            Type::NotUndef(_) => Type::NotUndef(None),
            Type::Iterable(_) => Type::Iterable(None),
            Type::Iterator(_) => Type::Iterator(None),
            Type::Sensitive(_) => Type::Sensitive(Arc::new(Type::Any)),
            Type::Type(_) => Type::Type(None),
            Type::Init(_) => Type::Init(Arc::new(InitType { ty: None, args: Vec::new() })),
            Type::Runtime(_) => Type::Runtime(Arc::new(RuntimeType { runtime: None, name: None })),
            Type::Callable(_) => Type::Callable(None),
            Type::Resource(_) => Type::Resource(None),
            Type::Class(_) => Type::Class(None),
            Type::Object(_) => Type::any_object(),
            Type::TypeSet(_) => Type::any_type_set(),
            ty => ty.clone(),
        }
    }
}
