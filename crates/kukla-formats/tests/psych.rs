//! YAML against the real Psych: set `KUKLA_RUBY` to a Ruby interpreter to run these.

use kukla_formats::yaml;
use kukla_values::{Array, Hash, Value};
use serde_json::{Value as Json, json};

use crate::support::{Dice, ruby};

#[test]
fn scalars() {
    let pieces = [
        "0",
        "1",
        "7",
        "8",
        "12",
        "60",
        "2001",
        "-",
        "+",
        ".",
        "_",
        ",",
        ":",
        "e",
        "E",
        "e+3",
        "x",
        "0x",
        "0b",
        "0o",
        "T",
        "Z",
        "inf",
        "nan",
        " ",
        "y",
        "n",
        "yes",
        "No",
        "on",
        "oFF",
        "true",
        "null",
        "~",
        "a",
        "/",
        "%",
        "=",
        "!",
        "é",
        "²",
        "-12-14",
        " 21:59:43",
        ":30",
        ".5",
        "f",
        "F",
        "#",
        "'",
        "\"",
        "\n",
        "<",
        "\\",
    ];
    let mut dice = Dice::new(1);
    let questions: Vec<Json> = (0..60_000).map(|_| Json::from(dice.text(&pieces, 4))).collect();
    let program = r#"
        ss = Psych::ScalarScanner.new(Psych::ClassLoader.new)
        JSON.parse($stdin.read).each { |s|
          a = begin
            v = ss.tokenize(s)
            case v
            when Float then ['Float', v.to_s]
            when Integer then ['Integer', v.to_s]
            when String then ['String', '']
            when Symbol then ['Symbol', v.to_s]
            when nil then ['nil', '']
            when true, false then ['Boolean', v.to_s]
            else [v.class.name, '']
            end
          rescue ArgumentError => e then ['error', ''] end
          puts JSON.generate(a)
        }"#;
    let Some(answers) = ruby(&["yaml", "date"], program, &questions) else { return };
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    for (question, answer) in questions.iter().zip(&answers) {
        let text = question.as_str().unwrap_or_default();
        let ours = match yaml::resolve(text) {
            yaml::Scalar::Null => json!(["nil", ""]),
            yaml::Scalar::Boolean(b) => json!(["Boolean", b.to_string()]),
            yaml::Scalar::Integer(n) => json!(["Integer", n.to_string()]),
            yaml::Scalar::Big => {
                let theirs = answer[1].as_str().unwrap_or_default();
                json!(["Integer", if theirs.parse::<i64>().is_err() { theirs } else { "beyond 64 bit" }])
            }
            yaml::Scalar::Float(n) => {
                let theirs = answer[1].as_str().unwrap_or_default();
                let same = match theirs {
                    "NaN" => n.is_nan(),
                    "Infinity" => n == f64::INFINITY,
                    "-Infinity" => n == f64::NEG_INFINITY,
                    _ => theirs.parse() == Ok(n),
                };
                json!(["Float", if same { theirs.into() } else { n.to_string() }])
            }
            yaml::Scalar::Symbol(name) => json!(["Symbol", name]),
            yaml::Scalar::Date => json!(["Date", ""]),
            yaml::Scalar::Time => json!(["Time", ""]),
            yaml::Scalar::Text => json!(["String", ""]),
            yaml::Scalar::Refused(_) => json!(["error", ""]),
        };
        if ours != *answer {
            wrong.push(format!("{text:?}: ours {ours}, Psych {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(b) => (*b).into(),
        Value::Integer(n) => (*n).into(),
        Value::Float(n) => json!({ "float": n.to_string() }),
        Value::String(text) => text.as_str().into(),
        Value::Array(array) => array.iter().map(to_json).collect(),
        Value::Hash(hash) => {
            json!({ "pairs": hash.iter().map(|(k, v)| json!([to_json(k), to_json(v)])).collect::<Vec<_>>() })
        }
        other => json!({ "other": format!("{other:?}") }),
    }
}

/// Turns what [`to_json`] made back into Ruby values, and Ruby values into the same JSON.
const CODEC: &str = r#"
    def val(j)
      case j
      when Hash then j.key?('float') ? Float(j['float'].sub('inf', '1e999')) : j['pairs'].to_h { |k, v| [val(k), val(v)] }
      when Array then j.map { |e| val(e) }
      else j end
    end
    def jsn(v)
      case v
      when Hash then { 'pairs' => v.map { |k, w| [jsn(k), jsn(w)] } }
      when Array then v.map { |e| jsn(e) }
      when Float then { 'float' => v.to_s }
      when Symbol then v.to_s
      when Integer then v.bit_length > 63 ? v.to_s : v
      else v end
    end
"#;

#[test]
fn documents() {
    let words = [
        "a",
        "b: 1",
        "c d",
        "'q'",
        "\"dq\\n\"",
        "|\n  x\n  y",
        ">-\n  folded\n  text",
        "[1, 2, ]",
        "{x: 1, y: [a]}",
        "*anc",
        "&anc 5",
        "~",
        "yes",
        "!!str 5",
        "!foo bar",
        "!ruby/sym z",
        ":sym",
        "!ruby/regexp /x/",
        "2001-01-01",
        "@bad",
        "# comment",
        "1,000",
        "017",
        "!!float 3",
        "!!binary aGVsbG8=",
        "\"unterminated",
        "[1",
        "{a",
        "a: b: c",
        "'it''s'",
        "&x {k: v}",
        "*x",
        "!omap [a: 1]",
        "? q",
        "%x",
        "plain # c",
        "tab\tin",
        "\u{e9}\u{1F600}",
        "!str 3",
        "!ruby/object:Foo {}",
        "!set {a}",
    ];
    compare_documents(
        42,
        &words,
        &["k", "l", "<<", "'<<'", "5", "~", "m n", "!!str <<", "k", ":s", "true", "? c"],
    );
}

/// Scalars that go on over several lines, or seem to.
#[test]
fn lines() {
    let words = [
        "one\n  two",
        "one\n\n  two",
        "one \n  - two",
        "one\n  # two",
        "one\n  # two\n  three",
        "one # c\n  two",
        "one\n  two: 3",
        "one\n  two #c",
        "one\n  two # c\n  three",
        "one\n two",
        "one\n\n\n  two  \n   three",
        "'one\n  two'",
        "'one \n\n\n  it''s'",
        "'one\ntwo'",
        "\"a \\\n   b\"",
        "\"a\\t \n  b\"",
        "\"a\\\n\n  b\"",
        "\"a\\\n\n \n  b\"",
        "\"a\n  b\" # c",
        "\"a\n  b\" c",
        "\"a\n  b\"\n  c",
        "\"a\n  b\": c",
        "\"a \n \"",
        "\"\n a\"",
        "'a\n--- b'",
        "'a\n... '",
        "\"a\n  \\x41\"",
        "\n  below",
        "\n  below\n  more",
        "\n  'below\n  more'",
        "\n  &anc [1,\n   2]",
        "\n   &x {k: v}",
        "\n  &anc k: v",
        "\n  &anc\n  k: v",
        "\n  &anc one\n  two",
        "&x\n  one\n  two",
        "&x one\n  two",
        "12\n  13",
        "yes\n  no",
        "~\n  x",
        "\"a\n\t b\"",
        "one\n\ttwo",
        "one\n  \ttwo",
        "one\n  [x",
        "one\n  ? x",
        "one\n  *x",
        "one\n  'x",
        "one\n  -",
        "one\n  :x",
        "a",
        "*x",
    ];
    compare_documents(43, &words, &["k", "l", "m n", "'o'", "p"]);
}

fn compare_documents(seed: u64, words: &[&str], keys: &[&str]) {
    let mut dice = Dice::new(seed);
    fn block(dice: &mut Dice, words: &[&str], keys: &[&str], indent: usize, depth: usize) -> String {
        let pad = " ".repeat(indent);
        let mut out = String::new();
        let map = dice.roll(2) == 0;
        for _ in 0..=dice.roll(3) {
            let head = if map { format!("{pad}{}:", dice.pick(keys)) } else { format!("{pad}-") };
            if depth > 0 && dice.roll(3) == 0 {
                let anchor = dice.pick(&["", "", " &anc", " &x"]);
                out += &format!("{head}{anchor}\n{}", block(dice, words, keys, indent + 2, depth - 1));
            } else {
                out += &format!("{head} {}\n", dice.pick(words).replace('\n', &format!("\n{pad}")));
            }
        }
        out
    }
    let questions: Vec<Json> = (0..20_000).map(|_| Json::from(block(&mut dice, words, keys, 0, 2))).collect();
    let program = format!(
        "{CODEC}{}",
        r#"
        JSON.parse($stdin.read).each { |s|
          a = begin
            { 'ok' => jsn(YAML.safe_load(s, permitted_classes: [Symbol], aliases: true, filename: 'f')) }
          rescue Psych::DisallowedClass => e then { 'error' => "(f): #{e.message}" }
          rescue SystemStackError then { 'loop' => true }
          rescue StandardError, Psych::Exception => e then { 'error' => e.message } end
          puts JSON.generate(a, max_nesting: 0)
        }"#
    );
    let Some(answers) = ruby(&["yaml", "date"], &program, &questions) else { return };
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    let mut good = 0;
    for (question, answer) in questions.iter().zip(&answers) {
        let text = question.as_str().unwrap_or_default();
        let ours = match yaml::read(text.as_bytes(), yaml::Options::HIERA) {
            Ok(document) => json!({ "ok": to_json(&document.value) }),
            Err(error) => json!({ "error": error.message("f") }),
        };
        // Ruby's collections may contain themselves, ours cannot.
        if answer.get("loop").is_some()
            || ours["error"].as_str().is_some_and(|e| e.contains("what it is part of"))
        {
            continue;
        }
        good += usize::from(answer.get("ok").is_some());
        let number = |json: &Json| json.to_string().replace(".0\"", "\"");
        if number(&ours) != number(answer) {
            wrong.push(format!("{text}\n ours  {ours}\n Psych {answer}"));
        }
    }
    assert!(good > 1000, "only {good} of the generated documents are YAML");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n\n"));
}

fn value(dice: &mut Dice, depth: usize) -> Value {
    let pieces = [
        "a",
        "word",
        " ",
        "  ",
        "\n",
        ":",
        ": ",
        " #",
        "-",
        "- ",
        "'",
        "\"",
        "0",
        "08",
        "12",
        "1.5",
        "yes",
        "no",
        "y",
        "n",
        "~",
        "null",
        "%",
        "@",
        "&",
        "*",
        "!",
        "|",
        ">",
        "{",
        "}",
        "[",
        "]",
        ",",
        "?",
        "é",
        "😀",
        "\t",
        "\\",
        "<<",
        "=",
        "/",
        "path/to",
        "2001-01-01",
        "12:30",
        "\u{85}",
        "\u{7f}",
        "long words to reach the eightieth column of the line ",
        "\r",
        "`",
        "\u{feff}",
        "²",
    ];
    match dice.roll(if depth == 0 { 8 } else { 12 }) {
        0 => Value::Undef,
        1 => Value::Boolean(dice.roll(2) == 0),
        2 => Value::Integer(dice.roll(100_000) as i64 - 50_000),
        3 => {
            Value::Float(*dice.pick(&[&1.0, &-0.5, &1e20, &1e-7, &123456.789, &1e15, &1e16, &f64::INFINITY]))
        }
        4..=7 => Value::from(dice.text(&pieces, 5)),
        8 | 9 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect::<Array>().into(),
        _ => (0..dice.roll(4))
            .map(|n| {
                let key = if dice.roll(6) == 0 {
                    value(dice, depth - 1)
                } else {
                    format!("{}{n}", dice.text(&pieces, 1)).into()
                };
                (key, value(dice, depth - 1))
            })
            .collect::<Hash>()
            .into(),
    }
}

#[test]
fn emitted() {
    let mut dice = Dice::new(7);
    let values: Vec<Value> = (0..20_000).map(|_| value(&mut dice, 3)).collect();
    let questions: Vec<Json> = values.iter().map(to_json).collect();
    let program =
        format!("{CODEC}{}", "JSON.parse($stdin.read).each { |j| puts JSON.generate(val(j).to_yaml) }");
    let Some(answers) = ruby(&["yaml", "date"], &program, &questions) else { return };
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    for (value, answer) in values.iter().zip(&answers) {
        let ours = yaml::emit(value).expect("data has a YAML form");
        if Some(ours.as_str()) != answer.as_str() {
            wrong.push(format!(
                "{}\n ours  {ours:?}\n Psych {:?}",
                to_json(value),
                answer.as_str().unwrap_or_default()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n\n"));
}
