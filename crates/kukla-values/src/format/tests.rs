use super::*;
use crate::{Hash, Type};

fn printed(format: &str, args: &[Value]) -> String {
    match sprintf(format, args) {
        Ok(text) => text.into(),
        Err(error) => format!("! {}", error.message()),
    }
}

#[test]
fn sprintf_is_rubys() {
    for (format, arg, expected) in [
        ("%x", Value::Integer(-255), "..f01"),
        ("%010x", Value::Integer(-255), "..ffffff01"),
        ("%#.5o|%%", Value::Integer(8), "00010|%"),
        ("%+.5d", Value::Integer(3), "+00003"),
        ("%g", Value::Float(1_000_000.0), "1e+06"),
        ("%a", Value::Float(-0.1), "-0x1.999999999999ap-4"),
        ("%.2a", Value::Float(1.999), "0x1.00p+1"),
        ("%08.2f", Value::Float(-2.71), "-0002.71"),
        ("%f", Value::Integer(12_345_678_901_234_567), "12345678901234567.000000"),
        (
            "%x",
            Value::Float(1e100),
            "1249ad2594c37d0000000000000000000000000000000000000000000000000000000000000000000000",
        ),
        ("%d", Value::from(" 0x1f "), "31"),
        ("%p", Value::from("a\"#{x}\n"), r##""a\"\#{x}\n""##),
        ("%d", Value::Undef, "! can't convert nil into Integer"),
        ("%y", Value::Integer(1), "! malformed format string - %y"),
        ("%s %s", Value::Integer(1), "! too few arguments"),
        ("%5 d", Value::Integer(1), "! flag after width"),
    ] {
        assert_eq!(printed(format, &[arg]), expected, "{format}");
    }
    let named: Hash = [("a", Value::Float(1.25))].into_iter().collect();
    assert_eq!(printed("%<a>5.1f|%-6{a}|", &[named.clone().into()]), "  1.2|1.25  |");
    assert_eq!(printed("%<b>s", &[named.into()]), "! key<b> not found");
}

#[test]
fn interpolation_leaves_strings_bare() {
    let inner: Hash = [(Value::Integer(1), Value::Undef)].into_iter().collect();
    let value = Value::from(vec!["a".into(), inner.into(), Value::Default, Value::Float(1.0)]);
    assert_eq!(interpolate(&value), "[a, {1 => }, default, 1.0]");
}

#[test]
fn containers_indent_what_is_inside() {
    let inner: Hash = [("b", Value::Integer(2))].into_iter().collect();
    let hash: Hash = [("a", Value::from(vec![1.into(), inner.into()]))].into_iter().collect();
    let formats: Hash =
        [(Value::of_type(Type::any_array()), "%#a"), (Value::of_type(Type::any_hash()), "%#h")]
            .into_iter()
            .collect();
    let text = format_value(&hash.into(), &formats.into()).unwrap();
    assert_eq!(text, "{\n  'a' => [1,\n    {\n      'b' => 2\n    }]\n}");
}

#[test]
fn formats_say_what_is_wrong() {
    let refusal = |value: Value, format: &str| format_value(&value, &format.into()).unwrap_err().message();
    assert_eq!(
        refusal(Value::from("x"), "%x"),
        "Illegal format 'x' specified for value of String type - expected one of the characters 'cCudspt'"
    );
    assert_eq!(refusal(1.into(), "%##d"), "The same flag can only be used once, got '%##d'");
}

#[test]
fn ties_are_rounded_by_their_shortest_digits() {
    for (format, number, text) in [
        ("%.2f", 2.675, "2.68"),
        ("%.2f", 0.125, "0.12"),
        ("%.2f", 0.005, "0.01"),
        ("%e", 93784.005, "9.378400e+04"),
        ("%e", 93784.015, "9.378402e+04"),
        ("%.3g", 1.0005, "1"),
        ("%.4g", 1.0005, "1"),
    ] {
        let args = [Value::Float(number)];
        assert_eq!(super::sprintf(format, &args).unwrap(), text, "{format} {number}");
    }
}
