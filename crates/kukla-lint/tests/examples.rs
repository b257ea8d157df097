//! The examples of each rule: it reports the one under `Wrong:` and not the one under `Right:`, and its fix turns the first into the second.

use kukla_lint::fix::{Limits, fix};
use kukla_lint::{Fix, Manifest, Rule, Settings, lint, rules};

/// An example: the path that its first line names, and the code.
fn example(rule: &Rule, word: &str) -> (String, String) {
    let text = rule.code.text();
    let heading = format!("{word}:\n\n```puppet");
    let begin = text.find(&heading).unwrap_or_else(|| panic!("{}: no {word}", rule.name()));
    let (options, rest) = text[begin + heading.len()..].split_once('\n').unwrap();
    let (code, _) = rest.split_once("```").unwrap();
    let code = if options.trim() == "unfinished" { code.trim_end_matches('\n') } else { code };
    match code.strip_prefix("# ").and_then(|code| code.split_once('\n')) {
        Some((path, rest)) if path.ends_with(".pp") => (format!("/modules/{path}"), rest.to_owned()),
        _ => (String::new(), code.to_owned()),
    }
}

fn messages(rule: &'static Rule, (path, code): &(String, String)) -> Vec<String> {
    let manifest = Manifest::new(code, path, path);
    let linted = lint(&manifest, &[rule], &Settings::default());
    linted.findings.iter().map(|finding| format!("{}: {}", finding.code.name, finding.message())).collect()
}

#[test]
fn wrong_examples_are_reported() {
    for rule in rules::all() {
        let found = messages(rule, &example(rule, "Wrong"));
        assert!(!found.is_empty(), "{}: nothing found", rule.name());
        assert!(found.iter().all(|message| message.starts_with(rule.name())), "{found:?}");
        assert!(!found.iter().any(|message| message.contains("{name}")), "{found:?}");
    }
}

#[test]
fn right_examples_are_not_reported() {
    for rule in rules::all() {
        assert_eq!(messages(rule, &example(rule, "Right")), Vec::<String>::new(), "{}", rule.name());
    }
}

#[test]
fn fixes_turn_wrong_into_right() {
    for rule in rules::all().iter().filter(|rule| rule.fix != Fix::None) {
        let (path, wrong) = example(rule, "Wrong");
        let fixed = fix(&wrong, &path, &path, &[rule], &Settings::default(), Limits::default());
        assert_eq!(fixed.text, example(rule, "Right").1, "{}", rule.name());
        assert!(!fixed.findings.is_empty(), "{}", rule.name());
    }
}

#[test]
fn rules_are_complete() {
    assert_eq!(rules::all().len(), 92);
    for rule in rules::all() {
        assert_eq!(
            rules::all().iter().filter(|other| other.name() == rule.name()).count(),
            1,
            "{}",
            rule.name()
        );
    }
    let core = rules::all().iter().filter(|rule| rule.origin == "puppet-lint");
    assert_eq!(core.clone().filter(|rule| rule.by_default).count(), 36);
    assert_eq!(core.count(), 40);
}

/// `shell_escape` makes a value safe only if nothing changes it afterwards.
#[test]
fn escaped_values_in_commands() {
    let rule = rules::find("check_unsafe_interpolations").unwrap();
    let count = |value: &str| {
        let code = format!("exec {{ 'x':\n  command => \"a ${{{value}}} b\",\n}}\n");
        lint(&Manifest::new(&code, "", ""), &[rule], &Settings::default()).findings.len()
    };
    for safe in ["x.stdlib::shell_escape", "x[y[1]].shell_escape()", "stdlib::shell_escape(f($x))"] {
        assert_eq!(count(safe), 0, "{safe}");
    }
    for unsafe_value in
        ["x", "x.shell_escape.f", "f(shell_escape($x))", "shell_escape($x).f", "x[1][2].shell_escape", "x.f"]
    {
        assert_eq!(count(unsafe_value), 1, "{unsafe_value}");
    }
}
