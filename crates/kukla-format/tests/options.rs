//! Options, line endings, parts of a file, and texts that are left alone.

use kukla_format::{Arrows, FormatError, Language, Options, Quotes, apply, edits, format, range_edits};

fn formatted(text: &str, options: Options) -> String {
    format(text, Language::Manifest, &options).unwrap()
}

#[test]
fn options_have_an_effect() {
    let text = "class a {\n  file { \"x\":\n    ensure => file,\n    a => 1,\n  }\n}\n";
    let wide = Options { indent: 4, arrows: Arrows::Single, quotes: Quotes::AsWritten, ..Options::default() };
    assert_eq!(
        formatted(text, wide),
        "class a {\n    file { \"x\":\n        ensure => file,\n        a => 1,\n    }\n}\n"
    );
    let narrow = Options { width: 20, ..Options::default() };
    assert_eq!(formatted("$a = ['first', 'second']\n", narrow), "$a = [\n  'first',\n  'second',\n]\n");
}

#[test]
fn line_endings_and_byte_order_marks_stay() {
    let text = "\u{feff}class a {\r\n\r\n  notice( 1 ) # x \r\n  $a = @(END)\r\n    text\r\n    | END\r\n}";
    let expected = "\u{feff}class a {\r\n  notice(1) # x \r\n  $a = @(END)\r\n    text\r\n    | END\r\n}\r\n";
    assert_eq!(formatted(text, Options::default()), expected);
    assert_eq!(formatted(expected, Options::default()), expected);
}

/// A string may have other line breaks than the code around it.
#[test]
fn a_text_with_both_line_endings_is_stable() {
    for text in ["\r\n$a = \"x\n\"\nfoo()\r\n", "$r = 'ab'\r\n ? { /a\nb/ => 1 }\nfoo()\n"] {
        let once = formatted(text, Options::default());
        assert_eq!(formatted(&once, Options::default()), once);
    }
}

/// `$08` in a string is a variable, `${08}` is an error.
#[test]
fn a_number_with_a_leading_zero_gets_no_braces() {
    assert_eq!(formatted("f(\"$08 $0\")\n", Options::default()), "f(\"$08 ${0}\")\n");
}

#[test]
fn a_text_with_errors_is_not_formatted() {
    let error = format("class { ", Language::Manifest, &Options::default()).unwrap_err();
    assert!(matches!(error, FormatError::Syntax(diagnostics) if !diagnostics.is_empty()));
}

#[test]
fn nothing_becomes_nothing() {
    assert_eq!(formatted("", Options::default()), "");
    assert_eq!(formatted(" \n\n", Options::default()), "");
    assert_eq!(formatted("# only\n\n\n# this", Options::default()), "# only\n\n# this\n");
}

#[test]
fn edits_make_the_formatted_text() {
    let old = "a( 1 )\nb(2)\nc( 3 )\n";
    let new = formatted(old, Options::default());
    assert_eq!(apply(old, &edits(old, &new)), new);
    assert_eq!(edits(old, &new).len(), 2);
}

#[test]
fn a_range_changes_only_its_lines() {
    let text = "a( 1 )\nb(2)\nc( 3 )\n";
    let within = |lines| {
        let edits = range_edits(text, Language::Manifest, &Options::default(), &lines).unwrap();
        apply(text, &edits)
    };
    assert_eq!(within(1..=1), "a(1)\nb(2)\nc( 3 )\n");
    assert_eq!(within(2..=2), text);
    assert_eq!(within(2..=9), "a( 1 )\nb(2)\nc(3)\n");
}

#[test]
fn a_range_leaves_neighbours_that_need_formatting_too() {
    let text = "$a=1\n$b=2\n$c=3\n$d=[1,\n2]\n";
    let within = |lines| {
        let edits = range_edits(text, Language::Manifest, &Options::default(), &lines).unwrap();
        apply(text, &edits)
    };
    assert_eq!(within(2..=2), "$a=1\n$b = 2\n$c=3\n$d=[1,\n2]\n");
    assert_eq!(within(1..=2), "$a = 1\n$b = 2\n$c=3\n$d=[1,\n2]\n");
}

#[test]
fn deep_nesting_is_no_problem() {
    let text = format!("$a = {}1{}\n", "[".repeat(400), "]".repeat(400));
    assert!(format(&text, Language::Manifest, &Options::default()).is_ok());
}
