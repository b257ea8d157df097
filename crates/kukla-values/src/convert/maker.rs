//! The signatures of `new`, type by type.

use std::sync::LazyLock;

use kukla_syntax::bail;

use super::{ConversionContext, collection, number, scalar};
use crate::codes::WRONG_NEW_ARGUMENTS;
use crate::regexp::Regexp;
use crate::types::callable::CallableType;
use crate::types::mismatch::{self, Signature};
use crate::types::{Range, StructField, TypeAlias};
use crate::{Error, Result, Str, Type, Value};

/// Makes values of one type: which signature was chosen (in the order of `signatures`) and its arguments.
type Make = fn(usize, &[Value], &dyn ConversionContext) -> Result<Value>;
/// Says what is wrong with arguments no signature accepts, where Puppet has words of its own for it, by the name of the function.
type Refuse = fn(&str, &[Value]) -> Option<Error>;

/// Makes values from arguments Puppet refuses and the founding documents accept.
type Extend = fn(&[Value], &dyn ConversionContext) -> Option<Result<Value>>;

/// How values of a type are made.
pub(super) struct Maker {
    name: &'static str,
    pub(super) signatures: Vec<Signature>,
    make: Make,
    refuse: Option<Refuse>,
    extend: Option<Extend>,
}

impl Maker {
    pub(super) fn make(&self, args: &[Value], around: &dyn ConversionContext) -> Result<Value> {
        let fits = |signature: &Signature| signature.callable.accepts_call(args, None);
        if let Some(at) = self.signatures.iter().position(fits) {
            return (self.make)(at, args, around);
        }
        if let Some(made) = self.extend.and_then(|extend| extend(args, around)) {
            return made;
        }
        if let Some(error) = self.refuse.and_then(|refuse| refuse(self.name, args)) {
            return Err(error);
        }
        let types: Vec<Type> = args.iter().map(Type::of).collect();
        let description = mismatch::describe_signatures(self.name, &self.signatures, &types);
        bail!(WRONG_NEW_ARGUMENTS { description })
    }
}

/// The maker for a type, unless its values cannot be made.
pub(super) fn of(ty: &Type) -> Option<&'static Maker> {
    Some(match ty {
        Type::Numeric => &NUMERIC,
        Type::Integer(_) => &INTEGER,
        Type::Float(..) => &FLOAT,
        Type::Boolean(_) => &BOOLEAN,
        Type::String(_) | Type::Literal(_) => &STRING,
        Type::Array(_) | Type::Tuple(_) => &ARRAY,
        Type::Hash(_) | Type::Struct(_) => &HASH,
        Type::Timespan(_) => &TIMESPAN,
        Type::Timestamp(_) => &TIMESTAMP,
        Type::SemVer(_) => &SEM_VER,
        Type::SemVerRange => &SEM_VER_RANGE,
        Type::Binary => &BINARY,
        Type::Uri(_) => &URI,
        Type::Regexp(_) => &REGEXP,
        Type::Sensitive(_) => &SENSITIVE,
        Type::Type(_) => &TYPE,
        Type::Unit | Type::NotUndef(None) => &UNIT,
        _ => return None,
    })
}

/// A parameter list: those after `required` may be left out.
fn signature(required: usize, params: Vec<(&str, Type)>) -> Signature {
    let size = Range::new(required as i64, params.len() as i64);
    let (names, types): (Vec<Str>, Vec<Type>) =
        params.into_iter().map(|(name, ty)| (Str::from(name), ty)).unzip();
    Signature { callable: CallableType::new(types, Some(size), None, None), names, block_name: None }
}

fn alias(name: &str, ty: Type) -> Type {
    let alias = TypeAlias::new(name);
    alias.resolve(ty).expect("a type of its own");
    Type::Alias(alias)
}

fn pattern(source: &str) -> Type {
    Type::Pattern([Regexp::new(source).expect("a valid pattern")].into())
}

fn integer() -> Type {
    Type::Integer(Range::ANY)
}

fn float() -> Type {
    Type::Float(f64::NEG_INFINITY, f64::INFINITY)
}

fn boolean() -> Type {
    Type::Boolean(None)
}

fn string() -> Type {
    Type::String(Range::ANY_SIZE)
}

fn text_of_at_least(size: i64) -> Type {
    Type::String(Range::at_least(size))
}

fn builtin(name: &str) -> Type {
    Type::builtin(name).expect("a type of Puppet's own")
}

fn optional(name: &str, ty: Type) -> StructField {
    StructField::optional(name, ty)
}

fn required(name: &str, ty: Type) -> StructField {
    StructField::required(name, ty)
}

const INTEGER_PATTERN: &str = r"\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z";
const FLOAT_PATTERN: &str = r"\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z";

fn convertible(mut numbers: Vec<Type>, spelt: &str) -> Type {
    numbers.extend([boolean(), pattern(spelt), builtin("Timespan"), builtin("Timestamp")]);
    alias("Convertible", Type::Variant(numbers.into()))
}

static NUMERIC: LazyLock<Maker> = LazyLock::new(|| {
    let from = convertible(vec![integer(), float()], FLOAT_PATTERN);
    let named = Type::structure([required("from", from.clone()), optional("abs", boolean())]);
    Maker {
        name: "new_numeric",
        signatures: vec![
            signature(1, vec![("from", from), ("abs", boolean())]),
            signature(1, vec![("hash_args", alias("NamedArgs", named))]),
        ],
        make: number::numeric,
        refuse: Some(number::refuse_numeric),
        extend: Some(number::with_radix),
    }
});

static INTEGER: LazyLock<Maker> = LazyLock::new(|| {
    let from = convertible(vec![Type::Numeric], INTEGER_PATTERN);
    let mut radixes = vec![Type::Default];
    radixes.extend([2, 8, 10, 16].map(|radix| Type::Integer(Range::exactly(radix))));
    let radix = alias("Radix", Type::Variant(radixes.into()));
    let named = alias(
        "NamedArgs",
        Type::structure([
            required("from", from.clone()),
            optional("radix", radix.clone()),
            optional("abs", boolean()),
        ]),
    );
    Maker {
        name: "new",
        signatures: vec![
            signature(1, vec![("from", from), ("radix", radix), ("abs", boolean())]),
            signature(1, vec![("hash_args", named)]),
        ],
        make: number::integer,
        refuse: Some(number::refuse_integer),
        extend: Some(number::bare_hexadecimal),
    }
});

/// The values that can be converted to an integer.
pub(super) fn integer_from() -> &'static Type {
    &INTEGER.signatures[0].callable.params[0]
}

/// The type of the hash `Integer.new` takes.
pub(super) fn integer_hash() -> &'static Type {
    &INTEGER.signatures[1].callable.params[0]
}

static FLOAT: LazyLock<Maker> = LazyLock::new(|| {
    let from = convertible(vec![Type::Numeric], FLOAT_PATTERN);
    let named = Type::structure([required("from", from.clone()), optional("abs", boolean())]);
    Maker {
        name: "new_float",
        signatures: vec![
            signature(1, vec![("from", from), ("abs", boolean())]),
            signature(1, vec![("hash_args", alias("NamedArgs", named))]),
        ],
        make: number::float,
        refuse: Some(number::refuse_float),
        extend: None,
    }
});

static BOOLEAN: LazyLock<Maker> = LazyLock::new(|| {
    let words = ["false", "true", "yes", "no", "y", "n"].map(Str::from);
    let from = Type::Variant([integer(), float(), boolean(), Type::enumeration(words, true)].into());
    Maker {
        name: "new_boolean",
        signatures: vec![signature(1, vec![("from", from)])],
        make: number::boolean,
        refuse: Some(number::refuse_boolean),
        extend: None,
    }
});

static STRING: LazyLock<Maker> = LazyLock::new(|| {
    let format = || alias("Format", pattern(r"^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$"));
    let container = alias(
        "ContainerFormat",
        Type::structure([
            optional("format", format()),
            optional("separator", string()),
            optional("separator2", string()),
            optional("string_formats", Type::hash(Type::Type(None), format())),
        ]),
    );
    let map = alias("TypeMap", Type::hash(Type::Type(None), Type::Variant([format(), container].into())));
    let formats = alias("Formats", Type::Variant([Type::Default, text_of_at_least(1), map].into()));
    Maker {
        name: "new_string",
        signatures: vec![signature(
            1,
            vec![("from", alias("Convertible", Type::Any)), ("string_formats", formats)],
        )],
        make: scalar::string,
        refuse: None,
        extend: None,
    }
});

static ARRAY: LazyLock<Maker> = LazyLock::new(|| {
    let from =
        Type::Variant([Type::any_array(), Type::any_hash(), Type::Binary, Type::Iterable(None)].into());
    Maker {
        name: "new_array",
        signatures: vec![
            signature(1, vec![("from", from), ("wrap", Type::Boolean(Some(false)))]),
            signature(2, vec![("from", Type::Any), ("wrap", Type::Boolean(Some(true)))]),
        ],
        make: collection::array,
        refuse: Some(collection::refuse_array),
        extend: None,
    }
});

static HASH: LazyLock<Maker> = LazyLock::new(|| {
    let pairs = |key: Type| Type::array_sized(Type::tuple(vec![key, Type::Any], None), Range::at_least(1));
    let option = alias("NewHashOption", Type::enumeration(["tree", "hash_tree"].map(Str::from), false));
    let tree = alias("TreeArray", pairs(Type::any_array()));
    Maker {
        name: "new_hash",
        signatures: vec![
            signature(1, vec![("from", tree), ("build_option", option)]),
            signature(1, vec![("from", alias("KeyValueArray", pairs(Type::Any)))]),
            signature(1, vec![("from", Type::Any)]),
        ],
        make: collection::hash,
        refuse: None,
        extend: None,
    }
});

fn formats() -> Type {
    let many = Type::array_sized(text_of_at_least(2), Range::at_least(1));
    alias("Formats", Type::Variant([text_of_at_least(2), many].into()))
}

static TIMESPAN: LazyLock<Maker> = LazyLock::new(|| {
    let fields = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
    let text = Type::structure([required("string", text_of_at_least(1)), optional("format", formats())]);
    let mut hash = vec![optional("negative", boolean())];
    hash.extend(fields.map(|field| optional(field, integer())));
    Maker {
        name: "new_timespan",
        signatures: vec![
            signature(1, vec![("seconds", Type::Variant([integer(), float()].into()))]),
            signature(1, vec![("string", text_of_at_least(1)), ("format", formats())]),
            signature(4, fields.map(|field| (field, integer())).to_vec()),
            signature(1, vec![("hash_arg", text)]),
            signature(1, vec![("hash_arg", Type::structure(hash))]),
        ],
        make: scalar::timespan,
        refuse: None,
        extend: None,
    }
});

static TIMESTAMP: LazyLock<Maker> = LazyLock::new(|| {
    let hash = Type::structure([
        required("string", text_of_at_least(1)),
        optional("format", formats()),
        optional("timezone", text_of_at_least(1)),
    ]);
    Maker {
        name: "new_timestamp",
        signatures: vec![
            signature(0, vec![]),
            signature(1, vec![("seconds", Type::Variant([integer(), float()].into()))]),
            signature(
                1,
                vec![
                    ("string", text_of_at_least(1)),
                    ("format", formats()),
                    ("timezone", text_of_at_least(1)),
                ],
            ),
            signature(1, vec![("hash_arg", hash)]),
        ],
        make: scalar::timestamp,
        refuse: None,
        extend: None,
    }
});

static SEM_VER: LazyLock<Maker> = LazyLock::new(|| {
    let whole = alias(
        "SemVerPattern",
        pattern(concat!(
            r"\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
            r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z"
        )),
    );
    let number = || alias("PositiveInteger", Type::Integer(Range::at_least(0)));
    let qualifier = || alias("SemVerQualifier", pattern(r"\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z"));
    let hash = Type::structure([
        required("major", number()),
        required("minor", number()),
        required("patch", number()),
        optional("prerelease", qualifier()),
        optional("build", qualifier()),
    ]);
    // An absent pre-release may be given as undef, to get at the build after it.
    let part = || Type::optional(qualifier());
    Maker {
        name: "new_Version",
        signatures: vec![
            signature(1, vec![("str", whole)]),
            signature(
                3,
                vec![
                    ("major", number()),
                    ("minor", number()),
                    ("patch", number()),
                    ("prerelease", part()),
                    ("build", part()),
                ],
            ),
            signature(1, vec![("hash_args", alias("SemVerHash", hash))]),
        ],
        make: scalar::sem_ver,
        refuse: Some(scalar::refuse_sem_ver),
        extend: None,
    }
});

static SEM_VER_RANGE: LazyLock<Maker> = LazyLock::new(|| {
    let bound = || Type::Variant([Type::Default, builtin("SemVer")].into());
    let hash = Type::structure([
        required("min", bound()),
        optional("max", bound()),
        optional("exclude_max", boolean()),
    ]);
    Maker {
        name: "new_VersionRange",
        signatures: vec![
            signature(1, vec![("str", alias("SemVerRangeString", text_of_at_least(1)))]),
            signature(2, vec![("min", bound()), ("max", bound()), ("exclude_max", boolean())]),
            signature(1, vec![("hash_args", alias("SemVerRangeHash", hash))]),
        ],
        make: scalar::sem_ver_range,
        refuse: None,
        extend: None,
    }
});

static BINARY: LazyLock<Maker> = LazyLock::new(|| {
    let format =
        || alias("Base64Format", Type::enumeration(["%b", "%u", "%B", "%s", "%r"].map(Str::from), false));
    let byte = || alias("ByteInteger", Type::Integer(Range::new(0, 255)));
    let text =
        Type::structure([required("value", string()), StructField::new("format", Type::optional(format()))]);
    let bytes = Type::structure([required("value", Type::array(byte()))]);
    let hash = Type::Variant([alias("StringHash", text), alias("ArrayHash", bytes)].into());
    Maker {
        name: "new_Binary",
        signatures: vec![
            signature(1, vec![("str", string()), ("format", format())]),
            signature(1, vec![("byte_array", Type::array(byte()))]),
            signature(1, vec![("hash_args", alias("BinaryArgsHash", hash))]),
        ],
        make: scalar::binary,
        refuse: None,
        extend: None,
    }
});

static URI: LazyLock<Maker> = LazyLock::new(|| {
    let parts = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];
    let hash = parts.map(|part| {
        let ty = if part == "port" { Type::Integer(Range::at_least(0)) } else { text_of_at_least(1) };
        optional(part, ty)
    });
    Maker {
        name: "new_error",
        signatures: vec![
            signature(1, vec![("uri", text_of_at_least(1))]),
            signature(1, vec![("hash", Type::structure(hash))]),
        ],
        make: scalar::uri,
        refuse: None,
        extend: None,
    }
});

static REGEXP: LazyLock<Maker> = LazyLock::new(|| Maker {
    name: "new_float",
    signatures: vec![signature(1, vec![("pattern", string()), ("escape", boolean())])],
    make: scalar::regexp,
    refuse: None,
    extend: None,
});

static SENSITIVE: LazyLock<Maker> = LazyLock::new(|| Maker {
    name: "new_Sensitive",
    signatures: vec![
        signature(1, vec![("value", builtin("Sensitive"))]),
        signature(1, vec![("value", Type::Any)]),
    ],
    make: scalar::sensitive,
    refuse: None,
    extend: None,
});

static TYPE: LazyLock<Maker> = LazyLock::new(|| Maker {
    name: "new_type",
    signatures: vec![signature(1, vec![("type_string", text_of_at_least(1))])],
    make: |_, args, around| around.read_type(args[0].as_str().unwrap_or_default()).map(Value::of_type),
    refuse: None,
    extend: None,
});

static UNIT: LazyLock<Maker> = LazyLock::new(|| Maker {
    name: "new_unit",
    signatures: vec![signature(1, vec![("from", Type::Any)])],
    make: |_, args, _| Ok(args[0].clone()),
    refuse: None,
    extend: None,
});
