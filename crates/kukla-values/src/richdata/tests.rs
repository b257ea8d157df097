use std::sync::Arc;

use super::*;
use crate::Type;
use crate::convert::EmptyContext;
use crate::regexp::Regexp;
use crate::time::Timespan;
use crate::types::names;
use crate::types::{Range, StructField};

fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &Options::default(), &mut |_| Ok(()), &mut out).unwrap();
    out
}

fn round(value: Value) -> String {
    let json = to_json(&value).unwrap();
    let out = text(&value);
    assert_eq!(serde_json::from_str::<Json>(&out).unwrap(), json);
    let back = from_json(&json, &EmptyContext).unwrap();
    assert_eq!(interpolate(&back), interpolate(&value));
    out
}

#[test]
fn values_keep_their_type() {
    let mut hash = Hash::new();
    hash.insert(1, Value::Sensitive(Arc::new("x\n".into())));
    hash.insert("a", Value::Regexp(Regexp::new("a/b").unwrap()));
    assert_eq!(
        round(hash.into()),
        r#"{"__ptype":"Hash","__pvalue":[1,{"__ptype":"Sensitive","__pvalue":"x\n"},"a",{"__ptype":"Regexp","__pvalue":"a/b"}]}"#
    );
    let span = Value::Timespan(Timespan::from_nanos(5_000_000));
    assert_eq!(round(span), r#"{"__ptype":"Timespan","__pvalue":"0-00:00:00.005"}"#);
    assert_eq!(round(vec![Value::Default, Value::Float(1e20)].into()), r#"[{"__ptype":"Default"},1.0e+20]"#);
    let deferred = Object::new(&names::deferred(), &["f".into(), Value::from(vec![1.into()])]).unwrap();
    assert_eq!(
        round(Value::Object(Arc::new(deferred))),
        r#"{"__ptype":"Deferred","name":"f","arguments":[1]}"#
    );
}

#[test]
fn types_are_described_field_by_field() {
    let described = |ty: Type| round(Value::of_type(ty));
    assert_eq!(
        described(Type::Integer(Range::at_most(2))),
        r#"{"__ptype":"Pcore::IntegerType","from":null,"to":2}"#
    );
    assert_eq!(
        described(Type::array_sized(Type::Any, Range::at_least(1))),
        r#"{"__ptype":"Pcore::ArrayType","element_type":{"__ptype":"Pcore::AnyType"},"size_type":{"__ptype":"Pcore::IntegerType","from":1}}"#
    );
    assert_eq!(
        described(Type::structure([StructField::optional("b", Type::String(Range::ANY_SIZE))])),
        concat!(
            r#"{"__ptype":"Pcore::StructType","elements":[{"__ptype":"Pcore::StructElement","key_type":{"__ptype":"#,
            r#""Pcore::OptionalType","type":{"__ptype":"Pcore::StringType","size_type_or_value":"b"}},"value_type":"#,
            r#"{"__ptype":"Pcore::StringType"}}]}"#
        )
    );
    assert_eq!(described(Type::Data), r#"{"__ptype":"Type","__pvalue":"Data"}"#);
    assert_eq!(
        described(Type::Callable(None)),
        r#"{"__ptype":"Pcore::CallableType","param_types":null,"block_type":null,"return_type":null}"#
    );
}

#[test]
fn references_are_followed() {
    let json =
        serde_json::json!({"a b": [1, {"c": 2}], "d": {"__ptype": "LocalRef", "__pvalue": "$['a b'][1]"}});
    assert_eq!(
        interpolate(&from_json(&json, &EmptyContext).unwrap()),
        "{a b => [1, {c => 2}], d => {c => 2}}"
    );
    let endless = serde_json::json!([{"__ptype": "LocalRef", "__pvalue": "$"}]);
    assert!(from_json(&endless, &EmptyContext).is_err());
    let deep = (0..2000).fold(Value::Undef, |inner, _| Value::from(vec![inner]));
    assert!(to_json(&deep).is_err());
}

#[test]
fn poor_data_becomes_text_with_a_warning() {
    let mut warnings = Vec::new();
    let options = Options { rich_data: false, prefix: "Notify[x]".into() };
    let value = Value::from(
        [("message", Value::from(vec![Value::Timespan(Timespan::from_seconds(1))]))]
            .into_iter()
            .collect::<Hash>(),
    );
    let json = to_json_with(&value, &options, &mut |warning| {
        warnings.push(warning.message());
        Ok(())
    });
    assert_eq!(json.unwrap().to_string(), r#"{"message":["0-00:00:01.0"]}"#);
    assert_eq!(
        warnings,
        [
            "Notify[x]['message'][0] contains a Puppet::Pops::Time::Timespan value. It will be converted to the String '0-00:00:01.0'"
        ]
    );
}
