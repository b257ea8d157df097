//! Deep merging against the Ruby library Puppet uses: set `KUKLA_RUBY` to a Ruby interpreter that has
//! the `deep_merge` gem to run this.

use kukla_hiera::merge::Merge;
use serde_json::{Value as Json, json};

use crate::support::{Dice, compare, ruby};
use crate::values::{from_json, to_json};

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

/// Sorting stops at the first pair that cannot be compared; the pair depends on the steps of the algorithm.
fn explain_merge(_: &str, ours: &Json, theirs: &Json) -> Option<&'static str> {
    let failed = |answer: &Json| {
        let message = answer["error"].as_str();
        message.is_some_and(|text| text.starts_with("comparison of ") && text.ends_with(" failed"))
    };
    (failed(ours) && failed(theirs)).then_some("sorting compares another pair first")
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
    compare(&questions, &answers, explain_merge, |question| {
        let merge = Merge::parse(Some(&from_json(&question[2]))).expect("a strategy");
        match merge.join(from_json(&question[0]), from_json(&question[1])) {
            Ok(value) => json!({"ok": to_json(&value)}),
            Err(error) => json!({"error": error.message()}),
        }
    });
}
