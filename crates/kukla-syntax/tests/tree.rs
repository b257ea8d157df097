//! The tree holds every byte, whatever the text.

use kukla_syntax::tree::Tree;
use kukla_syntax::{Parse, Source, parse, parse_epp, parse_signature};

fn printed(tree: &Tree) -> String {
    tree.elements().filter(|element| element.kind().is_token()).map(|token| token.text()).collect()
}

fn check(text: &str) -> Parse {
    let source = Source::unnamed(text);
    let parsed = parse(&source);
    assert_eq!(printed(&parsed.tree), text);
    let template = parse_epp(&source);
    assert_eq!(printed(&template.tree), text);
    parsed
}

fn messages(text: &str) -> Vec<String> {
    check(text).diagnostics.into_iter().map(|diagnostic| diagnostic.message()).collect()
}

#[test]
fn programs_have_no_errors() {
    for text in [
        "",
        "# only a comment",
        "class a($x, Integer[1, 2] $y = 3) inherits b { file { '/x': mode => '0644', * => $z; 'y': } }",
        "foo(@(A), @(\"B\"/L)) # c\n one\n A\n two ${x} $y\\\n | - B\n[1, 2]",
        "$x = \"a ${b['c'].d |$e| { \"${e}\" }} $f::g\" ? { /x/ => 1, default => { a => 2 } }\r\n",
        "@@a { 'b': } -> C['d'] ~> E <| f == 1 and g != 2 |> { h +> 3 }",
        "include a, b\nnotice { c => 1 }\nif $a { } elsif b in c { } else { 1 }",
        "type A = Struct[{ a => Integer }] function f() >> String { 'x' } node a.b, /c/, default { }",
    ] {
        assert_eq!(messages(text), [""; 0], "{text}");
    }
}

#[test]
fn errors_are_found_one_by_one() {
    let text =
        "class a {\n  file { 'x' mode => 1 }\n  $y = 1 +\n}\nclass b {\n  $z = [1, 2\n  notice(1)\n}\n";
    let found = messages(text);
    assert_eq!(found[0], "Syntax error at 'mode'");
    assert!(found.contains(&"Syntax error at '}'".to_owned()), "{found:?}");
    assert!(found.contains(&"Syntax error at 'notice'".to_owned()), "{found:?}");
}

#[test]
fn nesting_has_a_limit() {
    for text in
        ["[".repeat(3_000_000), "!".repeat(1_000_000), "$a + ".repeat(300_000), "\"${".repeat(300_000)]
    {
        let parsed = check(&text);
        assert!(!parsed.is_ok());
    }
    let chain = vec!["1"; 900].join(" + ");
    assert_eq!(messages(&chain), [""; 0]);
}

/// The hint for an unclosed brace looks at each line once, and once for all blocks. If it looked once for each block, the larger of these texts
/// would take hours.
#[test]
fn blocks_without_an_end_take_no_longer_than_others() {
    for text in [
        "if true { ".repeat(400_000),
        "if true {\n".repeat(400_000),
        "if true { ".repeat(900),
        format!("{}}}", "if true {\n".repeat(900)),
        format!("{}{}", " ".repeat(2_000_000), "{ ".repeat(140_000)),
    ] {
        assert!(!check(&text).is_ok());
    }
}

#[test]
fn signatures_of_built_in_functions() {
    for text in [
        "",
        "Integer[1, 2] $a, Enum[x, 'y'] $b = x, Any *$c, Optional[Callable[1, 1]] &$block >> Array[String]",
        "Hash $a = { 'b' => [-1, undef] } >> String",
        "&$block",
    ] {
        let parsed = parse_signature(&Source::unnamed(text));
        assert_eq!(printed(&parsed.tree), text);
        assert!(parsed.is_ok(), "{text}: {:?}", parsed.diagnostics);
    }
    for text in ["String", "$a $b", "$a, >>", "& & $a", "$a >> 1", "$a } ${", "$a = 1 + 2"] {
        let parsed = parse_signature(&Source::unnamed(text));
        assert_eq!(printed(&parsed.tree), text);
        assert!(!parsed.is_ok(), "{text}");
    }
    assert_eq!(messages("function f(&$block) { }").len(), 1, "the language itself has no such parameter");
}
