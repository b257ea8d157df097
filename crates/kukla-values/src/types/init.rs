//! `Init[T]`: whatever a `T` can be made from.
//!
//! The signatures of `new` for the built-in types stand here as types, so that the question can be asked without making
//! anything.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::callable::tuple_size;
use super::covers::Way;
use super::{InitType, Range, TupleType, Type};
use crate::{Error, Result};

const SIGN: &str = r"\A[+-]?\s*";
const INTEGER: &str = r"(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+)";
const FLOAT: &str =
    r"(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+)";
const VERSION: &str = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?";
const QUALIFIER: &str = r"Pattern[/\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\Z/]";
const STRING_FORMATS: &str = r"Variant[Default, String[1], Hash[Type, Variant[Pattern[/^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/], Struct[{Optional[format] => String, Optional[separator] => String, Optional[separator2] => String, Optional[string_formats] => Hash[Type, String]}]]]]";
const TIME_FORMATS: &str = "Variant[String[2], Array[String[2], 1]]";

type Signatures = FxHashMap<&'static str, Vec<TupleType>>;

static SIGNATURES: LazyLock<Signatures> = LazyLock::new(|| {
    let number =
        format!("Variant[Integer, Float, Boolean, Pattern[/{SIGN}(?:{FLOAT})\\z/], Timespan, Timestamp]");
    let whole = format!("Variant[Numeric, Boolean, Pattern[/{SIGN}(?:{INTEGER})\\z/], Timespan, Timestamp]");
    let radix = "Variant[Default, Integer[2, 2], Integer[8, 8], Integer[10, 10], Integer[16, 16]]";
    let numeric = vec![
        format!("Tuple[{number}, Boolean, 1, 2]"),
        format!("Tuple[Struct[{{from => {number}, Optional[abs] => Boolean}}]]"),
    ];
    let array = vec![
        "Tuple[Variant[Array, Hash, Binary, Iterable], Boolean[false], 1, 2]".to_string(),
        "Tuple[Any, Boolean[true]]".into(),
    ];
    let hash = vec![
        "Tuple[Array[Tuple[Array, Any], 1], Enum[tree, hash_tree], 1, 2]".to_string(),
        "Tuple[Array[Tuple[Any, Any], 1]]".into(),
        "Tuple[Any]".into(),
    ];
    let field = |name: &str| format!("Optional[{name}] => Integer");
    let fields: Vec<String> =
        ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]
            .map(field)
            .into();
    let size = "Integer[0]";
    let bound = "Variant[Default, SemVer]";
    let uri_parts: Vec<String> = ["scheme", "userinfo", "host", "path", "query", "fragment", "opaque"]
        .map(|part| format!("Optional[{part}] => String[1]"))
        .into();
    let table = [
        ("Numeric", numeric.clone()),
        ("Float", numeric),
        (
            "Integer",
            vec![
                format!("Tuple[{whole}, {radix}, Boolean, 1, 3]"),
                format!("Tuple[Struct[{{from => {whole}, Optional[radix] => {radix}, Optional[abs] => Boolean}}]]"),
            ],
        ),
        (
            "Boolean",
            vec!["Tuple[Variant[Integer, Float, Boolean, Enum['false', 'true', 'yes', 'no', 'y', 'n', true]]]".into()],
        ),
        ("String", vec![format!("Tuple[Any, {STRING_FORMATS}, 1, 2]")]),
        ("Array", array.clone()),
        ("Tuple", array),
        ("Hash", hash.clone()),
        ("Struct", hash),
        (
            "Timestamp",
            vec![
                "Tuple[Variant[Integer, Float]]".into(),
                format!("Tuple[String[1], {TIME_FORMATS}, String[1], 1, 3]"),
                format!(
                    "Tuple[Struct[{{string => String[1], Optional[format] => {TIME_FORMATS}, Optional[timezone] => String[1]}}]]"
                ),
            ],
        ),
        (
            "Timespan",
            vec![
                "Tuple[Variant[Integer, Float]]".into(),
                format!("Tuple[String[1], {TIME_FORMATS}, 1, 2]"),
                "Tuple[Integer, Integer, Integer, Integer, Integer, Integer, Integer, 4, 7]".into(),
                format!("Tuple[Struct[{{string => String[1], Optional[format] => {TIME_FORMATS}}}]]"),
                format!("Tuple[Struct[{{Optional[negative] => Boolean, {}}}]]", fields.join(", ")),
            ],
        ),
        (
            "SemVer",
            vec![
                format!("Tuple[Pattern[/\\A{VERSION}\\Z/]]"),
                format!("Tuple[{size}, {size}, {size}, {QUALIFIER}, {QUALIFIER}, 3, 5]"),
                format!(
                    "Tuple[Struct[{{major => {size}, minor => {size}, patch => {size}, Optional[prerelease] => {QUALIFIER}, Optional[build] => {QUALIFIER}}}]]"
                ),
            ],
        ),
        (
            "SemVerRange",
            vec![
                "Tuple[String[1]]".into(),
                format!("Tuple[{bound}, {bound}, Boolean, 2, 3]"),
                format!("Tuple[Struct[{{min => {bound}, Optional[max] => {bound}, Optional[exclude_max] => Boolean}}]]"),
            ],
        ),
        (
            "Binary",
            vec![
                "Tuple[String, Enum['%b', '%u', '%B', '%s', '%r'], 1, 2]".into(),
                "Tuple[Array[Integer[0, 255]]]".into(),
                "Tuple[Variant[Struct[{value => String, format => Optional[Enum['%b', '%u', '%B', '%s', '%r']]}], Struct[{value => Array[Integer[0, 255]]}]]]".into(),
            ],
        ),
        (
            "URI",
            vec![
                "Tuple[String[1]]".into(),
                format!("Tuple[Struct[{{{}, Optional[port] => Integer[0]}}]]", uri_parts.join(", ")),
            ],
        ),
        ("Regexp", vec!["Tuple[String, Boolean, 1, 2]".into()]),
        ("Sensitive", vec!["Tuple[Sensitive]".into(), "Tuple[Any]".into()]),
        ("Type", vec!["Tuple[String[1]]".into()]),
    ];
    let tuple = |text: &String| match Type::parse(text) {
        Ok(Type::Tuple(tuple)) => Some((*tuple).clone()),
        other => {
            debug_assert!(false, "{text}: {other:?}");
            None
        }
    };
    let mut signatures: Signatures =
        table.into_iter().map(|(kind, texts)| (kind, texts.iter().filter_map(tuple).collect())).collect();
    // The time now takes no arguments.
    let nothing = TupleType { types: Vec::new(), size: Some(Range::exactly(0)) };
    signatures.entry("Timestamp").or_default().push(nothing);
    signatures
});

/// The parameters `new` takes for a type, one tuple for each way; none for types that cannot be made.
fn signatures(ty: &Type) -> Option<Cow<'static, [TupleType]>> {
    match ty.unaliased() {
        Type::Object(object) => {
            let given = object.given_attributes();
            let required = given.iter().filter(|a| a.value.is_none()).count() as i64;
            let size = Some(Range::new(required, given.len() as i64));
            Some(Cow::Owned(vec![
                TupleType { types: vec![object.init_type()], size: None },
                TupleType { types: given.iter().map(|a| a.ty.clone()).collect(), size },
            ]))
        }
        Type::ObjectExtension(extension) => signatures(&Type::Object(extension.base.clone())),
        ty => SIGNATURES.get(ty.kind()).map(|tuples| Cow::Borrowed(tuples.as_slice())),
    }
}

impl InitType {
    /// Refuses an `Init` of something that cannot be made, or with arguments that `new` does not take.
    pub fn check(&self) -> Result<()> {
        let Some(ty) = &self.ty else { return Ok(()) };
        let Some(signatures) = signatures(ty) else {
            return Err(Error::runtime(format!("Creation of new instance of type '{ty}' is not supported")));
        };
        if !self.args.is_empty() && !signatures.iter().any(|tuple| self.fits(tuple)) {
            let this = Type::Init(std::sync::Arc::new(self.clone()));
            return Err(Error::runtime(format!(
                "The type '{this}' does not represent a valid set of parameters for {}.new()",
                ty.generalized().name()
            )));
        }
        Ok(())
    }

    /// Whether a signature takes the arguments given beforehand.
    fn fits(&self, tuple: &TupleType) -> bool {
        let size = tuple_size(&tuple.types, tuple.size);
        let Some(last) = tuple.types.last() else { return false };
        let wanted = |i: usize| tuple.types.get(i + 1).unwrap_or(last);
        size.contains(self.args.len() as i64 + 1)
            && self.args.iter().enumerate().all(|(i, arg)| wanted(i).covers(&Type::of(arg)))
    }

    /// Whether one of the ways of making a value accepts what is asked about: alone, or as a list of arguments.
    pub(super) fn accepts_by(
        &self,
        ty: &Type,
        alone: &dyn Fn(&Type) -> bool,
        list: &dyn Fn(&Type, bool) -> bool,
    ) -> bool {
        if alone(ty) {
            return true;
        }
        let Some(signatures) = signatures(ty) else { return false };
        if !self.args.is_empty() {
            return signatures.iter().any(|tuple| self.fits(tuple) && tuple.types.first().is_some_and(alone));
        }
        let size = |tuple: &TupleType| tuple_size(&tuple.types, tuple.size);
        let may_be_single =
            signatures.iter().any(|tuple| size(tuple).min == 1 && size(tuple) != Range::exactly(1));
        signatures.iter().any(|tuple| match size(tuple) == Range::exactly(1) {
            true => tuple.types.first().is_some_and(alone),
            false => list(&Type::tuple(tuple.types.clone(), tuple.size), may_be_single),
        })
    }

    pub(super) fn accepts(&self, other: &Type, way: Way<'_>) -> bool {
        match (&self.ty, other) {
            (None, Type::Init(_)) => true,
            (None, other) => Type::RichData.accepts(other, way),
            (Some(ty), Type::Init(o)) => o.ty.as_ref().is_some_and(|o| ty.accepts(o, way)),
            (Some(ty), other) => {
                let Some(way) = way.into_init() else { return false };
                // Asked for each attribute when the hash of an object is described, so without that description.
                if let (Type::Object(object), Type::Undef) = (ty.unaliased(), other) {
                    return match object.given_attributes()[..] {
                        [only] if self.args.is_empty() => only.ty.accepts(other, way),
                        _ => false,
                    };
                }
                self.accepts_by(ty, &|ty| ty.accepts(other, way), &|tuple, single| {
                    tuple.accepts(other, way)
                        || single && tuple.accepts(&Type::tuple(vec![other.clone()], None), way)
                })
            }
        }
    }
}
