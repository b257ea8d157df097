use super::*;
use crate::format::interpolate;
use crate::types::{InitType, Range};
use crate::{Array, Hash};

fn made(ty: &str, args: &[Value]) -> String {
    let ty = Type::builtin(ty).unwrap();
    shown(&ty, args)
}

fn shown(ty: &Type, args: &[Value]) -> String {
    match new_instance(ty, args, &EmptyContext) {
        Ok(value) => interpolate(&value).into(),
        Err(error) => format!("! {}", error.message()),
    }
}

fn list(values: &[Value]) -> Value {
    Value::Array(values.iter().cloned().collect::<Array>())
}

#[test]
fn integers_from_anything_that_spells_one() {
    assert_eq!(made("Integer", &["0xff".into(), 16.into()]), "255");
    assert_eq!(made("Integer", &["FF".into(), 16.into()]), "255");
    assert_eq!(made("Integer", &["- 5".into(), Value::Default, true.into()]), "5");
    assert_eq!(made("Integer", &["08".into()]), "! invalid value for Integer(): \"08\"");
    assert_eq!(made("Integer", &["abc".into()]), "! 'new' The string 'abc' cannot be converted to Integer");
    assert_eq!(
        made("Integer", &["5".into(), 7.into()]),
        "! Illegal radix: 7, expected 2, 8, 10, 16, or default"
    );
    assert_eq!(
        made("Integer", &[list(&[1.into()])]),
        "! 'new' Value of type Array[Integer] cannot be converted to Integer"
    );
    assert_eq!(made("Integer", &[]), "! 'new' expects between 1 and 3 arguments, got none");
    assert_eq!(made("Numeric", &["010".into(), 10.into()]), "10");
    assert!(made("Numeric", &[1.into(), 2.into()]).starts_with("! The function 'new_numeric' was called"));
}

#[test]
fn what_is_made_must_be_of_the_type() {
    let small = Type::Integer(Range::new(1, 5));
    assert_eq!(
        shown(&small, &["9".into()]),
        "! Converted value from Integer[1, 5].new() has wrong type, expects an Integer[1, 5] value, got Integer[9, 9]"
    );
    assert_eq!(shown(&Type::optional(small), &["5".into()]), "5");
    assert_eq!(made("Enum", &[1.into()]), "! Creation of new instance of type 'Enum' is not supported");
}

#[test]
fn hashes_from_trees() {
    let path = |parts: &[&str], value: Value| {
        list(&[list(&parts.iter().map(|p| (*p).into()).collect::<Vec<_>>()), value])
    };
    let tree = list(&[path(&["a", "b"], 1.into()), path(&["a", "c"], list(&[1.into(), 2.into()]))]);
    assert_eq!(made("Hash", &[tree.clone(), "tree".into()]), "{a => {b => 1, c => [1, 2]}}");
    assert_eq!(made("Hash", &[tree, "hash_tree".into()]), "{a => {b => 1, c => {0 => 1, 1 => 2}}}");
    assert_eq!(made("Hash", &[list(&[1.into(), 2.into(), 3.into()])]), "! odd number of arguments for Hash");
}

#[test]
fn init_passes_its_arguments_on() {
    let init =
        |args: Vec<Value>| Type::Init(Arc::new(InitType { ty: Some(Type::Integer(Range::ANY)), args }));
    assert_eq!(shown(&init(vec![16.into()]), &["0xff".into()]), "255");
    assert_eq!(shown(&init(vec![]), &[list(&["0xff".into(), 16.into()])]), "255");
}

#[test]
fn uris_versions_and_binaries() {
    let parts: Hash = [("scheme", "http"), ("host", "a"), ("path", "/x")].into_iter().collect();
    assert_eq!(made("URI", &[parts.into()]), "http://a/x");
    assert_eq!(made("SemVer", &[1.into(), 2.into(), 3.into(), Value::Undef, "b".into()]), "1.2.3+b");
    assert_eq!(made("Binary", &[list(&[1.into(), 2.into()])]), "AQI=");
    assert_eq!(made("Regexp", &["a.b".into(), true.into()]), r"/a\.b/");
}
