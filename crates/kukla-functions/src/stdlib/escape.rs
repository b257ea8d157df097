//! Text for shells: `shell_escape`, `shell_join`, `shell_split`, `batch_escape`, `powershell_escape`, `uriescape`.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Array, Error, Result, Str, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::codes::{UNMATCHED_QUOTE, WORDS_NO_ARRAY};
use crate::legacy::{LEGACY, legacy, wrong_number};
use crate::ruby;
use crate::stdlib::text::each_text;

builtins! {
    /// A value as one word for a Bourne shell.
    ///
    /// ```puppet
    /// shell_escape('a b$c')    # => 'a\ b\$c'
    /// ```
    "shell_escape" { "Any $string >> String" => shell_escape }
    /// The same as `shell_escape`.
    ///
    /// ```puppet
    /// stdlib::shell_escape('')    # => "''"
    /// ```
    "stdlib::shell_escape" { "Any $string >> String" => shell_escape }

    /// A command line for a Bourne shell from an array of words.
    ///
    /// ```puppet
    /// shell_join(['echo', 'a b'])    # => 'echo a\ b'
    /// ```
    "shell_join" {
        LEGACY => shell_join;
        tools "Array $words >> String"
    }

    /// The words of a command line, as a Bourne shell splits it.
    ///
    /// ```puppet
    /// shell_split("echo 'a b' c\\ d")    # => ['echo', 'a b', 'c d']
    /// ```
    "shell_split" {
        LEGACY => shell_split;
        tools "String $line >> Array[String]"
    }

    /// A value as one word for a Windows batch file.
    ///
    /// ```puppet
    /// batch_escape('a "b"')    # => '"a ""b"""'
    /// ```
    "batch_escape" { "Any $string >> String" => batch_escape }
    /// The same as `batch_escape`.
    ///
    /// ```puppet
    /// stdlib::batch_escape('$x')    # => '"\$x"'
    /// ```
    "stdlib::batch_escape" { "Any $string >> String" => batch_escape }

    /// A value as one word for PowerShell.
    ///
    /// ```puppet
    /// powershell_escape('a $b')    # => 'a` `$b'
    /// ```
    "powershell_escape" { "Any $string >> String" => powershell_escape }
    /// The same as `powershell_escape`.
    ///
    /// ```puppet
    /// stdlib::powershell_escape('a')    # => 'a'
    /// ```
    "stdlib::powershell_escape" { "Any $string >> String" => powershell_escape }

    /// A text, or each text of an array, fit to stand in a URI.
    ///
    /// ```puppet
    /// uriescape('a b')    # => 'a%20b'
    /// ```
    "uriescape" {
        LEGACY => |Rest(args): Rest| each_text("uriescape", args, uri_escaped);
        tools "String $text >> String", "Array $texts >> Array"
    }
}

fn shell_escape(value: Value) -> String {
    escaped(&ruby::to_s(&value))
}

fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}

fn shell_join(Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    let [words] = args.as_slice() else {
        return Err(wrong_number("shell_join", args.len(), 1));
    };
    let Value::Array(words) = words else {
        bail!(WORDS_NO_ARRAY { value: ruby::inspect(words) });
    };
    Ok(words.iter().map(|word| escaped(&ruby::old_text(word))).collect::<Vec<_>>().join(" "))
}

fn shell_split(Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [line] = args.as_slice() else {
        return Err(wrong_number("shell_split", args.len(), 1));
    };
    words(&ruby::old_text(line))
}

fn words(line: &str) -> Result<Array> {
    let unmatched = || -> Error { diagnostic!(UNMATCHED_QUOTE { line: ruby::inspect_str(line) }).into() };
    let mut words = Array::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if ruby::is_space(c) => {
                if let Some(word) = word.take() {
                    words.push(word.into());
                }
            }
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(unmatched()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('$' | '`' | '"' | '\\')) => word.push(c),
                            Some('\n') => word.push('\n'),
                            Some(c) => {
                                word.push('\\');
                                word.push(c);
                            }
                            None => return Err(unmatched()),
                        },
                        Some(c) => word.push(c),
                        None => return Err(unmatched()),
                    }
                }
            }
            '\\' => {
                let word = word.get_or_insert_default();
                match chars.next() {
                    // Ruby's splitter leaves an escaped line end as it is.
                    Some('\n') => word.push_str("\\\n"),
                    Some(c) => word.push(c),
                    None => word.push('\\'),
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(Value::from));
    Ok(words)
}

fn batch_escape(value: Value) -> String {
    let mut out = String::from("\"");
    for c in ruby::to_s(&value).chars() {
        match c {
            '"' => out.push_str("\"\""),
            '$' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn powershell_escape(value: Value) -> String {
    let mut out = String::new();
    for c in ruby::to_s(&value).chars() {
        match c {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => {
                out.push('`');
                out.push(c);
            }
            '"' => out.push_str("\\`\""),
            c => out.push(c),
        }
    }
    out
}

/// The characters that Ruby's `URI::DEFAULT_PARSER.escape` encodes: all but letters, digits and these signs.
const UNSAFE: &AsciiSet = &{
    let signs = b"-_.!~*'();/?:@&=+$,[]";
    let mut set = NON_ALPHANUMERIC.remove(signs[0]);
    let mut at = 1;
    while at < signs.len() {
        set = set.remove(signs[at]);
        at += 1;
    }
    set
};

fn uri_escaped(text: &str) -> Str {
    utf8_percent_encode(text, UNSAFE).collect()
}
