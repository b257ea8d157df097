//! HOCON and JSON against the Ruby libraries Puppet uses: set `KUKLA_RUBY` to a Ruby interpreter that has the `hocon` gem
//! to run these.

use kukla_formats::{hocon, json};
use serde_json::{Value as Json, json};

use crate::support::{Dice, compare, ruby};
use crate::values::to_json;

#[test]
fn hocon_texts() {
    let mut dice = Dice::new(5);
    let keys = ["a", "b", "c", "d.e", "d.f", "\"q.r\"", "a b"];
    let values = [
        "1",
        "2.5",
        "true",
        "null",
        "x",
        "x y",
        "\"q\"",
        "\"q\" z",
        "[1, 2]",
        "[]",
        "[${a}, 3]",
        "{a: 1}",
        "{b: 2, c: {a: 3}}",
        "${a}",
        "${b}",
        "${?c}",
        "${?d.e}",
        "${a} z",
        "${a}${b}",
        "${c} {a: 9}",
        "${?a} [4]",
        "10s",
        "/usr/bin",
        "{}",
        "[1] [2]",
        "{a: 1} {b: 2}",
        "on",
        "-4",
        "\"\"\"t\"\"\"",
        "${?nothing}",
        "[{a: 1}, x y]",
        "100%",
    ];
    let questions: Vec<Json> = (0..10_000)
        .map(|_| {
            let fields: Vec<String> = (0..1 + dice.roll(4))
                .map(|_| {
                    format!(
                        "{} {} {}",
                        dice.pick(&keys),
                        dice.pick(&["=", ":", "=", "+=", "="]),
                        dice.pick(&values)
                    )
                })
                .collect();
            json!(fields.join(dice.pick(&["\n", ", ", "\n\n", " # c\n"])))
        })
        .collect();
    let program = r#"
        require 'hocon'
        JSON.parse($stdin.read).each { |text|
          r = begin
            { 'ok' => Hocon.parse(text) }
          rescue StandardError, SystemStackError => e
            # Some errors are the library's own.
            own = /need to Config#resolve|undefined method|unexpected exception|BUG|bug/.match?(e.message)
            own ? { 'skip' => true } : { 'error' => e.message.lines.first }
          end
          puts JSON.generate(r)
        }"#;
    let Some(answers) = ruby(&[], program, &questions) else { return };
    compare(&questions, &answers, explain_hocon, |question| {
        match hocon::read(question.as_str().unwrap_or_default(), &|_| Ok(None)) {
            Ok(value) => json!({"ok": to_json(&value)}),
            Err(error) => json!({"error": error.to_string()}),
        }
    });
}

/// The differences from the `hocon` gem that we accept.
fn explain_hocon(question: &str, ours: &Json, theirs: &Json) -> Option<&'static str> {
    const UNRESOLVED: &str = "Could not resolve substitution to a value: ";
    const INCOMPATIBLE: &str = "Cannot concatenate object or list with a non-object-or-list";
    let problem = |answer: &Json| {
        // `String: 2-3: problem`
        let message = answer.get("error")?.as_str()?;
        message.splitn(3, ": ").nth(2).map(str::to_owned)
    };
    let is =
        |problem: &Option<String>, start: &str| problem.as_ref().is_some_and(|text| text.starts_with(start));
    let (mine, other) = (problem(ours), problem(theirs));
    if is(&mine, INCOMPATIBLE) && is(&other, INCOMPATIBLE) {
        return Some("the gem describes both values, and blames another line");
    }
    if is(&mine, UNRESOLVED) && is(&other, UNRESOLVED) {
        return Some("the gem lists other substitutions of a cycle");
    }
    let keys = |line: &str| line.split([' ', '=', ':', '+']).next().unwrap_or_default().to_owned();
    let mut assigned: Vec<String> = question.split(['\n', ',']).map(|line| keys(line.trim())).collect();
    assigned.retain(|key| !key.is_empty());
    assigned.sort();
    let is_replaced = assigned.windows(2).any(|pair| pair[0] == pair[1]);
    if mine.is_none() && (is(&other, UNRESOLVED) || is(&other, INCOMPATIBLE)) && is_replaced {
        return Some("the gem also evaluates values that are replaced later");
    }
    if question.matches("${?").count() >= 2 || (is(&mine, UNRESOLVED) && question.contains("${?")) {
        return Some(
            "optional substitutions in a cycle: the gem depends on the order in which it resolves them",
        );
    }
    (is(&mine, INCOMPATIBLE) && other.is_none() && question.contains("${a}${b}"))
        .then_some("the gem drops a text after a substituted list")
}

#[test]
fn json_texts() {
    let mut dice = Dice::new(17);
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\":",
        "1",
        "-2",
        "0.5",
        "1e3",
        "01",
        "true",
        "null",
        " ",
        "\n",
        "/* c */",
        "\"\\n\\u00e9\"",
        "nul",
        "// c\n",
        "\"\\q\"",
        "[1,2]",
        "{\"a\":1}",
        "NaN",
        "\"x",
    ];
    let questions: Vec<Json> = (0..30_000)
        .map(|_| json!((0..1 + dice.roll(7)).map(|_| dice.pick(&pieces)).collect::<String>()))
        .collect();
    let program = r#"
        JSON.parse($stdin.read).each { |text|
          r = begin
            { 'ok' => JSON.parse(text) }
          rescue JSON::ParserError => e then { 'error' => e.message.sub(/\A\d+: /, '') } end
          puts((JSON.generate(r) rescue '{"skip":true}'))
        }"#;
    let Some(answers) = ruby(&[], program, &questions) else { return };
    compare(
        &questions,
        &answers,
        |_, _, _| None,
        |question| match json::read(question.as_str().unwrap_or_default()) {
            Ok(document) => json!({"ok": to_json(&document.value)}),
            Err(error) => json!({"error": *error.what}),
        },
    );
}
