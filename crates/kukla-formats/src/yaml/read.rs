//! From text to values, as Psych's `safe_load` goes.

use kukla_values::{Str, Value};
use libyaml_safer::{EventData, Parser, ScalarStyle};
use rustc_hash::FxHashSet;

use super::build::Builder;
use super::plain;
use super::tags::spaced;
use crate::Error;

/// Values that a reader accepts beyond plain data.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether `*name` may refer to an earlier `&name`.
    pub aliases: bool,
    /// Whether symbols may occur; they become text.
    pub symbols: bool,
    /// Whether dates and times may occur; they become text as written.
    pub times: bool,
}

impl Options {
    /// The options of Hiera's configuration and data: aliases and symbols.
    pub const HIERA: Options = Options { aliases: true, symbols: true, times: false };
}

/// The first document of a YAML text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its value; `undef` if there is no document at all.
    pub value: Value,
    /// If it is a hash: the line, from one, of each key, in the order of the keys; none if that is not known.
    pub lines: Vec<u32>,
    /// If it is a hash: the keys whose values hold a symbol, which is text to us but no data to Puppet.
    pub symbolic: FxHashSet<Str>,
}

/// Reads the first document of `text`, as Psych would.
pub fn read(text: &[u8], options: Options) -> Result<Document, Error> {
    let mut builder = Builder::new(options);
    match plain::build(text, &mut builder) {
        Some(()) => Ok(builder.document),
        None => read_all(text, options),
    }
}

/// Reads all that YAML is, by way of libyaml.
fn read_all(text: &[u8], options: Options) -> Result<Document, Error> {
    let spaced = spaced(text);
    let text = &*spaced;
    let completed = completed(text);
    let mut input = completed.as_deref().unwrap_or(text);
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut builder = Builder::new(options);
    // Psych reads the whole document before it makes values of it, so a syntax error anywhere comes before a complaint
    // about a value.
    let mut complaint = None;
    loop {
        let mut event = parser.parse().map_err(|error| syntax_error(&error))?;
        if completed.is_some() && event.end_mark.index > text.len() as u64 {
            without_break(&mut event.data, text);
        }
        match &complaint {
            None => match builder.take(event) {
                Ok(false) => {}
                Ok(true) => return Ok(builder.document),
                // What is nested too deep is not looked at any further.
                Err(error) if builder.is_full() => return Err(error),
                Err(error) => complaint = Some(error),
            },
            Some(error) if matches!(event.data, EventData::DocumentEnd { .. } | EventData::StreamEnd) => {
                return Err(error.clone());
            }
            Some(_) => {}
        }
    }
}

/// The text with a line break at its end, if it has none: the scanner needs one behind a block of text and behind a backslash.
pub(super) fn completed(text: &[u8]) -> Option<Vec<u8>> {
    let may_hold_block = || text.iter().any(|byte| matches!(byte, b'|' | b'>'));
    let needs_one = match text.last() {
        None | Some(b'\n' | b'\r') => false,
        Some(b'\\') => true,
        Some(_) => may_hold_block(),
    };
    needs_one.then(|| [text, b"\n"].concat())
}

/// Takes back what the added line break did to a block that ends with the text.
pub(super) fn without_break(data: &mut EventData, text: &[u8]) {
    let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = data else {
        return;
    };
    let last = text.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let is_blank = last.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    if let Some(line) = value.strip_suffix('\n')
        && (!is_blank || line.ends_with([' ', '\t']))
    {
        value.truncate(line.len());
    }
}

pub(super) fn syntax_error(error: &libyaml_safer::Error) -> Error {
    let mark = error.context_mark().or(error.problem_mark()).unwrap_or_default();
    let (line, column) = (mark.line.saturating_add(1) as u32, mark.column.saturating_add(1) as u32);
    Error::placed(error.problem(), error.context(), line, column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Dice;

    /// Texts that are nearly plain: lines of data with something done to them.
    fn nearly_plain(dice: &mut Dice) -> String {
        let keys =
            ["k", "a::b", "'q'", "\"d\"", "5", "<<", "true", "k l", "é", "'k'", "-x", "~", ":s", "yes"];
        let values = [
            "",
            " ",
            "v",
            "v w",
            "1",
            "1.5",
            "~",
            "true",
            "'it''s'",
            "\"a\\n\\\"b\"",
            "\"%{x}\"",
            "v # c",
            "v#c",
            "# c",
            "[]",
            "{}",
            "[a, 'b', 1]",
            "[a,\n   b]",
            "{a: 1, \"b\": [c]}",
            "{a: {b: c}} # d",
            "[a, # b\n c ]",
            "http://a:80/b",
            "a:b",
            "a: b",
            "a:",
            "12:30",
            "2001-01-01",
            "|\n    x\n\n     y\n",
            "|-\n      x\n   \n",
            "|+\n   x\n\n",
            ">\n    x\n    y\n",
            ">-\n    x\n     y\n",
            ">\n    {\n      x\n\n    y\n    z\n\n\n    }\n",
            ">+\n    x\n\n      y\n\n    \tz\n    a\n\n",
            "|\n    \tx\n",
            "[ssh-rsa A\n    b@c, d\n\n  e f\n ]",
            "[a\n  # b\n  c]",
            "[a\n  # b\n  ]",
            "{a\n b: c}",
            "{a: b\n c, \"d\":e, 'f':'g'}",
            "{\"a\":[\"b\",{\"c\":null}],\n\"d\":{}}",
            "[a\n---\n b]",
            "\"\\u00e9\\x41\\/\\ \\v\\U0001F600\"",
            "\"\\ud800\"",
            "\"a\\ \n  \\x20\n b\"",
            "|2\n    x",
            "| # c\n    x\n  # d",
            "*a",
            "&a b",
            "&a",
            "&a # c",
            "&a [b, *a]",
            "[*a, *b ]",
            "{k: *a}",
            "&b {k: *a, <<: *a}",
            "*a b",
            "&a *b",
            "&a k: v",
            "&b |\n    x\n",
            "&a &b c",
            "&é x",
            "\n   v",
            "\n    [a,\n]",
            "\n 'v'\n",
            "!t b",
            "? b",
            "- b",
            "-b",
            "@x",
            "`x",
            "%x",
            "'open",
            "\"open",
            "[a",
            "a, b",
            "a]",
            "{a}",
            "[a: b]",
            "[a b:c]",
            "[-, a]",
            "a\tb",
            "a\t",
            "\"\\x41\"",
            "é\u{2028}",
            "\u{feff}",
            "null",
            "x\n   y",
            "[.5, ...]",
            "[a ,b ]",
            "[a, ]",
            "{a: }",
            "---",
            "'a' b",
            "'a': b",
            "[a]: b",
        ];
        let mut text = String::new();
        if dice.roll(8) == 0 {
            text += dice.pick(&[
                "---\n",
                "--- # c\n",
                "# c\n\n",
                "%YAML 1.1\n---\n",
                "--- a\n",
                "  \n",
                "--- {}\n",
                "--- [a,\n b] # c\n",
                "{a: b,\n c: d}\n",
                "---\n...\n",
            ]);
        }
        let mut indent = 0;
        for _ in 0..=dice.roll(7) {
            text += &" ".repeat(indent);
            for _ in 0..dice.roll(3) / 2 {
                text += dice.pick(&["- ", "-   ", "-", "- - "]);
            }
            if dice.roll(4) > 0 {
                text += dice.pick(&keys);
                text += dice.pick(&[": ", ":", ":  ", " : "]);
            }
            text += if dice.roll(3) == 0 { "" } else { dice.pick(&values) };
            text += dice.pick(&["\n", "\n", "\n", "\n\n", " \n", "\n# c\n", "\n   # c\n"]);
            indent = match dice.roll(4) {
                0 => indent + 2,
                1 => indent.saturating_sub(2),
                2 if dice.roll(8) == 0 => indent + 1,
                _ => indent,
            };
        }
        if dice.roll(6) == 0 {
            text.pop();
        }
        if dice.roll(20) == 0 {
            text += dice.pick(&["---\n", "...\n", "...\n---\na: 1\n"]);
        }
        text
    }

    #[test]
    fn both_scanners_say_the_same() {
        let mut dice = Dice::new(7);
        let mut plain = 0;
        for _ in 0..60_000 {
            let text = nearly_plain(&mut dice);
            let mut builder = Builder::new(Options::HIERA);
            if plain::build(text.as_bytes(), &mut builder).is_none() {
                continue;
            }
            plain += 1;
            let ours = builder.document;
            let all = read_all(text.as_bytes(), Options::HIERA);
            let all = all.unwrap_or_else(|error| panic!("{text}\nis no YAML: {}", error.message("f")));
            let shown = |document: &Document| format!("{:?}", document.value);
            assert_eq!(shown(&ours), shown(&all), "{text}");
            assert_eq!((ours.lines, ours.symbolic), (all.lines, all.symbolic), "{text}");
        }
        assert!(plain > 5_000, "only {plain} texts were plain");
    }

    /// Data of another program may be one line.
    #[test]
    #[allow(clippy::disallowed_methods)] // a test may look at the clock
    fn a_long_line_is_read_in_one_go() {
        let text = format!(
            "{{{}}}",
            (0..200_000).map(|n| format!("\"k{n}\":[{n}, a]")).collect::<Vec<_>>().join(",")
        );
        let start = std::time::Instant::now();
        let document = read(text.as_bytes(), Options::HIERA).expect("YAML");
        assert_eq!(document.value.as_hash().map(|hash| hash.len()), Some(200_000));
        assert!(start.elapsed().as_secs() < 5, "it took {:?}", start.elapsed());
    }

    #[test]
    fn keys_have_lines() {
        for (text, keys, lines) in [
            ("a: 1\nb: {c: 2}\na: 3", "ab", vec![3, 2]),
            ("x: &x\n  k: 1\n<<: *x\n5: 2\nk: 5", "xk5", vec![1, 5, 4]),
            ("--- !ruby/hash-with-ivars\nelements: {a: 1}", "a", vec![]),
            ("- a: 1\n- b: 2", "", vec![]),
        ] {
            let document = read(text.as_bytes(), Options::HIERA).expect("YAML");
            let found = document.value.as_hash().into_iter().flat_map(|hash| hash.keys());
            let found: String = found.map(|key| kukla_values::format::to_s(key).to_string()).collect();
            assert_eq!((found.as_str(), document.lines), (keys, lines), "{text}");
        }
    }

    #[test]
    fn tags_before_commas() {
        for (text, expected) in [
            ("[!t, a]", r#"[nil, "a"]"#),
            ("{k: !<x>, l: !, m: 'n !o, p'}", r#"{"k"=>nil, "l"=>nil, "m"=>"n !o, p"}"#),
            ("\u{feff}[&a !t, *a]", "[nil, nil]"),
            (
                "- a !t, b\n- [!t,\n   c !t, !!str, d]\n# [!t, x]\n- |\n  [!t, x]",
                r#"["a !t, b", [nil, "c !t", "", "d"], "[!t, x]"]"#,
            ),
        ] {
            let read = read(text.as_bytes(), Options::HIERA).map(|document| document.value);
            let shown = read.map(|value| kukla_values::format::to_s(&value));
            assert_eq!(shown.as_deref(), Ok(expected), "{text}");
        }
        assert!(read(b"[a, b!t, !t,,", Options::HIERA).is_err());
    }

    #[test]
    fn blocks_at_the_end_of_the_text() {
        for (text, expected) in [
            ("|\n  foo", "foo"),
            ("|+\n  foo", "foo"),
            ("|-\n  foo", "foo"),
            (">\n  foo\n  bar", "foo bar"),
            ("|\n  foo\n  ", "foo\n"),
            ("|\n  foo\n    ", "foo\n  "),
            ("|", ""),
            ("|\n  foo\r", "foo\n"),
        ] {
            assert_eq!(read(text.as_bytes(), Options::HIERA).unwrap().value, expected.into(), "{text:?}");
        }
    }
}
