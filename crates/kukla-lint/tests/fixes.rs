//! Fixing: what overlaps, what breaks a promise, and what is suppressed.

use kukla_lint::fix::{Limits, fix};
use kukla_lint::{Fix, Rule, Selection, Settings, rules};

fn fixed(code: &str, names: &[&str], effect: Fix) -> String {
    let rules: Vec<&'static Rule> = names.iter().map(|name| rules::find(name).unwrap()).collect();
    let limits = Limits { effect: Some(effect), ..Limits::default() };
    fix(code, "", "", &rules, &Settings::default(), limits).text
}

#[test]
fn fixes_that_make_others_necessary() {
    let code = "file { \"/etc/motd\":\n  mode => 644,\n  ensure => present\n}\n";
    let all: Vec<&str> = rules::all().iter().map(|rule| rule.name()).collect();
    let right = "file { '/etc/motd':\n  ensure => file,\n  mode   => '0644',\n}\n";
    assert_eq!(fixed(code, &all, Fix::State), right);
    assert_eq!(fixed(right, &all, Fix::State), right);
}

#[test]
fn the_effect_can_be_limited() {
    let code = "$a = \"b\" \n$c = '${a}'\n$d = \"${a}\"\n";
    let names = ["double_quoted_strings", "trailing_whitespace", "only_variable_string"];
    assert_eq!(fixed(code, &names, Fix::Layout), "$a = \"b\"\n$c = '${a}'\n$d = \"${a}\"\n");
    assert_eq!(fixed(code, &names, Fix::Form), "$a = 'b'\n$c = '${a}'\n$d = \"${a}\"\n");
    assert_eq!(fixed(code, &names, Fix::Value), "$a = 'b'\n$c = '${a}'\n$d = $a\n");
}

#[test]
fn a_fix_that_would_change_the_tree_is_not_made() {
    // A blank before the bracket separates a statement from an index.
    let code = "$a = [1]\nnotice($a) [1].each |$b| { }\n";
    assert_eq!(fixed(code, &["manifest_whitespace_closing_bracket_after"], Fix::Value), code);
}

#[test]
fn escapes_keep_their_quotes() {
    let code = "$a = \"\\u{1F600}\"\n";
    assert_eq!(fixed(code, &["double_quoted_strings"], Fix::Value), code);
}

#[test]
fn suppressed_findings_are_not_fixed() {
    let code = "$a = \"b\" # lint:ignore:double_quoted_strings\n$c = \"d\"\n";
    let right = "$a = \"b\" # lint:ignore:double_quoted_strings\n$c = 'd'\n";
    assert_eq!(fixed(code, &["double_quoted_strings"], Fix::Value), right);
}

#[test]
fn rules_that_contradict_each_other_come_to_an_end() {
    let code = "class a (\n  $b,\n  Stdlib::Port $c,\n) { }\n";
    let names = ["class_params_alignment", "strict_indent"];
    let once = fixed(code, &names, Fix::Value);
    assert_eq!(once, code);
    assert_eq!(fixed(&once, &names, Fix::Value), once);
}

#[test]
fn suppression_comments_of_kukla() {
    let code = "# kukla: ignore[double_quoted_strings] on purpose\n$a = \"b\"\n$c = \"d\"\n";
    let right = "# kukla: ignore[double_quoted_strings] on purpose\n$a = \"b\"\n$c = 'd'\n";
    assert_eq!(fixed(code, &["double_quoted_strings"], Fix::Value), right);
}

#[test]
fn only_a_rule_that_was_named_asks_for_another_state() {
    let code = "package { 'a':\n  ensure => latest,\n}\n";
    let right = "package { 'a':\n  ensure => installed,\n}\n";
    let after = |selection: &Selection, effect| {
        let limits = Limits { effect, ..Limits::default() };
        selection.apply(code, "", "", Some(limits)).fixed.unwrap_or_else(|| code.to_owned())
    };
    let named = Selection::of(&["package_ensure"], Settings::default());
    let all = Selection { rules: rules::all().to_vec(), ..Selection::default() };
    assert_eq!(after(&named, None), right);
    assert_eq!(after(&named, Some(Fix::Value)), code);
    assert_eq!(after(&all, None), code);
    assert_eq!(after(&all, Some(Fix::State)), right);
}
