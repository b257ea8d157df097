use super::*;

fn all(source: &str, text: &str) -> Vec<String> {
    let regexp = Regexp::new(source).unwrap();
    regexp
        .find_iter(text)
        .map(|found| found.map(|(start, end)| text[start..end].to_owned()).unwrap())
        .collect()
}

fn refusal(source: &str) -> String {
    Regexp::new(source).unwrap_err().message()
}

#[test]
fn letters_are_ascii_and_posix_brackets_unicode() {
    assert_eq!(all(r"\w+", "aé1_"), ["a", "1_"]);
    assert_eq!(all(r"[[:alpha:]]+", "aé1"), ["aé"]);
    assert_eq!(all(r"(?a)[[:alpha:]]+", "aé1"), ["a"]);
    assert_eq!(all(r"[[:graph:]]+|[[:print:]]", "aé \n"), ["aé", " "]);
    assert_eq!(all(r"[\d\-x]+|\H", "1-x g"), ["1-x", " ", "g"]);
}

#[test]
fn lines_and_their_ends() {
    assert_eq!(all(r"^\s*$", "foo\nbar\n"), Vec::<String>::new());
    assert_eq!(all(r"^", "a\nb\n").len(), 2);
    assert_eq!(all(r"^a?$", "\n").len(), 1);
    assert_eq!(all(r"a\Z", "a\n"), ["a"]);
    assert_eq!(all("a.b", "a\nb"), Vec::<String>::new());
    assert_eq!(all("(?m)a.b", "a\nb"), ["a\nb"]);
}

#[test]
fn repetition_is_rubys() {
    assert_eq!(all("a{2}?b", "aab b"), ["aab", "b"]);
    assert_eq!(all("a{,2}b", "aaab"), ["aab"]);
    assert_eq!(all("a{1,2}+", "aaaa"), ["aaaa"]);
    assert_eq!(all("a++a", "aaa"), Vec::<String>::new());
    assert_eq!(all("x{,}", "x{,}"), ["x{,}"]);
}

#[test]
fn named_groups_silence_the_others() {
    let regexp = Regexp::new(r"(a)(?<n>b)\k<n>").unwrap();
    let captures = regexp.captures("abb").unwrap().unwrap();
    assert_eq!((captures.len(), captures.get(1), captures.name(&regexp, "n")), (2, Some("b"), Some("b")));
}

#[test]
fn options_last_until_the_group_ends() {
    assert_eq!(all("a(?i)b|c", "aC"), ["aC"]);
    assert_eq!(all("(?x) a b # c\n d", "abd"), ["abd"]);
    assert_eq!(all(r"\101\x42\u{43 44}", "ABCD"), ["ABCD"]);
}

#[test]
fn refusals_are_worded_as_rubys() {
    assert_eq!(refusal("(a"), "end pattern with unmatched parenthesis: /(a/");
    assert_eq!(refusal("a)"), "unmatched close parenthesis: /a)/");
    assert_eq!(refusal("*a"), "target of repeat operator is not specified: /*a/");
    assert_eq!(refusal("[a"), "premature end of char-class: /[a/");
    assert_eq!(refusal("[]"), "empty char-class: /[]/");
    assert_eq!(refusal(r"[\w-.]"), r"unmatched range specifier in char-class: /[\w-.]/");
    assert_eq!(refusal(r"(?<n>a)\1"), r"numbered backref/call is not allowed. (use name): /(?<n>a)\1/");
    assert_eq!(refusal(r"\p{Foo}"), r"invalid character property name {Foo}: /\p{Foo}/");
}

#[test]
fn what_once_brought_the_engine_down() {
    let found = |source: &str, text: &str| -> Option<Vec<Option<(usize, usize)>>> {
        Regexp::new(source).unwrap().search(text.as_bytes(), 0, Encoding::Utf8, Direction::Forward).unwrap()
    };
    assert_eq!(found(r"(?:.(\1?))*", "c1"), Some(vec![Some((0, 2)), Some((2, 2))]));
    assert_eq!(found(r"(?=(a))?\1", "aa"), Some(vec![Some((0, 1)), Some((0, 1))]));
    assert_eq!(found(r"(?:\K)*a", "ba"), Some(vec![Some((1, 2))]));
    assert_eq!(found(r"(?~ab)", "xaby"), Some(vec![Some((0, 2))]));
    assert_eq!(found("(?i)straße", "STRASSE"), Some(vec![Some((0, 7))]));
    assert_eq!(found("(?i)strasse", "straße"), Some(vec![Some((0, 7))]));
    assert_eq!(refusal("(?<=a+)b"), "invalid pattern in look-behind: /(?<=a+)b/");
}

#[test]
fn replacing_and_splitting() {
    let regexp = Regexp::new("(l)(?:o)?").unwrap();
    assert_eq!(regexp.replace_all("hello", r"<\1\\\0>").unwrap(), r"he<l\l><l\lo>");
    assert_eq!(Regexp::new("a*").unwrap().replace_all("baaac", "x").unwrap(), "xbxxcx");
    assert_eq!(Regexp::new("").unwrap().split("héy").unwrap(), ["h", "é", "y"]);
    assert_eq!(Regexp::new("(,)").unwrap().split("a,b,,").unwrap(), ["a", ",", "b", ",", "", ","]);
    assert_eq!(Regexp::new(",").unwrap().split("a,,b,,").unwrap(), ["a", "", "b"]);
    assert_eq!(escape("a.b c\n"), r"a\.b\ c\n");
    assert_eq!(Regexp::new("a/b").unwrap().to_literal(), r"/a\/b/");
}

#[test]
fn no_pattern_hangs() {
    let text = "a".repeat(40) + "b";
    assert!(Regexp::new(r"^(?:(a+)+\1)+$").unwrap().try_is_match(&text).is_err());
    assert!(Regexp::new(&"(".repeat(5000)).is_err());
    // Loops whose rounds may match nothing look back for what they captured.
    let nested = Regexp::new(&format!(r"(?:.(\1?))*{}b\1", "{2,}".repeat(100))).unwrap();
    assert!(nested.try_is_match(&text).is_err());
}

#[test]
fn a_loop_goes_round_once_more_over_nothing() {
    for (pattern, text, groups) in [
        ("((a)*)+", "ab", ["a", "", "a"].as_slice()),
        ("((?:$|[ab]))+", "aa", &["aa", ""]),
        ("(((a)?))+?b", "aab", &["aab", "a", "a", "a"]),
        ("(a|b)+", "ab", &["ab", "b"]),
    ] {
        let regexp = Regexp::new(pattern).unwrap();
        let found = regexp.captures(text).unwrap().unwrap();
        let found: Vec<&str> = (0..found.len()).map(|group| found.get(group).unwrap_or("-")).collect();
        assert_eq!(found, groups, "{pattern}");
    }
}
