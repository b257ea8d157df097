//! The tokens of a text are the text.

use kukla_lint::lexer::tokens;
use kukla_lint::token::Kind;

/// Odd texts, all of which the lexer reads.
const TEXTS: &[&str] = &[
    "",
    "$a = \"x ${b} $c[1] ${d['e']} \\${f} \\$g $$h\n$i\"\n",
    "$a = \"${}\"\n",
    "$a = \"${b[\"${c}\"]} ${ d }\"\n",
    "$a = @(\"END\"/L)\n  text ${b} $c\n  | - END\n$d = 1\n",
    "$a = @(A) + @(B)\n a\n A\n b\n B\n",
    "/* a\n * b */ // c\n# d\r\n\u{a0}e\n",
    "$a =~ /b\\/c/ and $a / 2\n",
    "0x1F 1.5e-3 10foo 1.5x ::a::b a-b A::B-c Integer::X\n",
    "'it\\'s' '\\\\' ''\n",
    "foo->bar <<| |>> <| |> ~> <~ <- ?\n",
];

#[test]
fn tokens_are_the_text() {
    for text in TEXTS {
        let tokens = tokens(text).unwrap();
        let joined: String = tokens.iter().map(|token| &text[token.start()..token.end()]).collect();
        assert_eq!(joined, *text, "{tokens:?}");
    }
}

#[test]
fn beginnings_of_texts_are_read_or_refused() {
    for text in TEXTS {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = tokens(&text[..end]);
        }
    }
}

#[test]
fn columns_are_those_of_puppet_lint() {
    let text = "  $a = \"b ${c} $d\" # e\n";
    let tokens = tokens(text).unwrap();
    let columns: Vec<(Kind, u32)> = tokens.iter().map(|token| (token.kind, token.column)).collect();
    let variables = columns.iter().filter(|(kind, _)| matches!(kind, Kind::Variable | Kind::UnencVariable));
    assert_eq!(variables.map(|(_, column)| *column).collect::<Vec<_>>(), [3, 13, 16]);
    assert!(columns.contains(&(Kind::Comment, 20)));
}

#[test]
fn an_unknown_character_ends_the_text() {
    let error = tokens("$a = 1\n  ~\n").unwrap_err();
    assert_eq!((error.line, error.column, error.reason), (2, 3, None));
    assert_eq!(tokens("$a = \"b").unwrap_err().reason, Some("unterminated string"));
}
