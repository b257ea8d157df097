//! Deep merging, HOCON and JSON against the Ruby libraries Puppet uses: set `KUKLA_RUBY` to a Ruby interpreter that has
//! the `deep_merge` and `hocon` gems to run these.

mod support;
#[path = "support/values.rs"]
mod values;

use kukla_hiera::merge::Merge;
use kukla_hiera::{hocon, json};
use serde_json::{Value as Json, json};

use support::{Dice, ruby};
use values::{from_json, to_json};

fn compare(questions: &[Json], answers: &[Json], tolerated: usize, ours: impl Fn(&Json) -> Json) {
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    let mut errors = 0;
    for (question, answer) in questions.iter().zip(answers) {
        let mine = ours(question);
        errors += usize::from(answer.get("error").is_some());
        let same = match (mine.get("error"), answer.get("error")) {
            (Some(_), Some(_)) => true,
            _ if answer.get("skip").is_some() => true,
            // Compared as text: the order of keys matters.
            _ => format!("{mine}") == format!("{answer}"),
        };
        if !same {
            wrong.push(format!("{question}\n ours   {mine}\n theirs {answer}"));
        }
    }
    eprintln!("{} compared, {errors} of them errors, {} differ", questions.len(), wrong.len());
    assert!(wrong.len() <= tolerated, "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

fn value(dice: &mut Dice, depth: usize) -> Json {
    match dice.roll(if depth == 0 { 6 } else { 12 }) {
        0 => Json::Null,
        1 => json!(dice.roll(2) == 0),
        2 => json!(dice.roll(5)),
        3 => json!(dice.pick(&["--a", "--b", "--", "-- a", "x--a"])),
        4 | 5 => json!(dice.pick(&["a", "b", "c"])),
        6..=8 => (0..dice.roll(5)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            let names: Vec<&str> = (0..dice.roll(4)).map(|_| dice.pick(&["a", "b", "c", "--a"])).collect();
            names
                .into_iter()
                .map(|n| (n.to_owned(), value(dice, depth - 1)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
    }
}

#[test]
fn deep_merges() {
    let mut dice = Dice::new(99);
    let questions: Vec<Json> = (0..30_000)
        .map(|_| {
            let mut options = json!({"strategy": "deep"});
            if dice.roll(3) == 0 {
                options["knockout_prefix"] = json!("--");
            }
            if dice.roll(4) == 0 {
                options["sort_merged_arrays"] = json!(true);
            }
            if dice.roll(3) == 0 {
                options["merge_hash_arrays"] = json!(true);
            }
            json!([value(&mut dice, 3), value(&mut dice, 3), options])
        })
        .collect();
    let program = r#"
        require 'deep_merge/core'
        def copy(v)
          case v
          when Hash then r = v.clone; v.each { |k, e| r[k] = copy(e) }; r
          when Array then v.map { |e| copy(e) }
          else v end
        end
        JSON.parse($stdin.read).each { |a, b, o|
          opts = { :preserve_unmergeables => false }
          o.each_pair { |k, v| opts[k.to_sym] = v unless k == 'strategy' }
          r = begin
            { 'ok' => DeepMerge.deep_merge!(a, copy(b), opts) }
          rescue StandardError => e then { 'error' => e.message } end
          puts JSON.generate(r)
        }"#;
    let Some(answers) = ruby(&[], program, &questions) else { return };
    compare(&questions, &answers, 0, |question| {
        let merge = Merge::parse(Some(&from_json(&question[2]))).expect("a strategy");
        match merge.join(from_json(&question[0]), from_json(&question[1])) {
            Ok(value) => json!({"ok": to_json(&value)}),
            Err(error) => json!({"error": error.message()}),
        }
    });
}

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
    // The library also follows references in values that were replaced later, and loses some in odd mixtures; we do not.
    compare(&questions, &answers, questions.len() / 200, |question| {
        match hocon::read(question.as_str().unwrap_or_default(), &|_| None) {
            Ok(value) => json!({"ok": to_json(&value)}),
            Err(error) => json!({"error": error.to_string()}),
        }
    });
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
    compare(&questions, &answers, 0, |question| match json::read(question.as_str().unwrap_or_default()) {
        Ok(document) => json!({"ok": to_json(&document.value)}),
        Err(error) => json!({"error": error.0}),
    });
}
