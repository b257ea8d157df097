//! HOCON, the format of Puppet's own service configuration, as the `hocon` gem reads a single text.
//!
//! A text becomes a tree whose leaves may still be references (`${x}`), concatenations or appended lists; `resolve`
//! then replaces those, looking up each path from the root of the same text and after that in the environment.
//! `include` is an error: a text has no files next to it, and Puppet silently ignores them.

use kukla_values::Value;

use crate::Error;
use object::Object;

mod object;
mod parse;
mod resolve;
mod token;

/// The value of an environment variable, if it is set and visible.
pub type Variables<'v> = dyn Fn(&str) -> Result<Option<String>, Error> + 'v;

/// Reads one HOCON text; `environment` answers for references that nothing in the text answers.
pub fn read(text: &str, environment: &Variables<'_>) -> Result<Value, Error> {
    let tokens = token::tokens(text)?;
    let root = parse::parse(tokens)?;
    resolve::resolve(&root, environment)
}

/// A value before references are followed.
#[derive(Clone, Debug)]
enum Node {
    Value(Value),
    /// Text written without quotes, or blanks between two values: only of interest to its neighbours.
    Text(String),
    Object(Object),
    List(Vec<Node>),
    Reference {
        path: Vec<String>,
        optional: bool,
        line: u32,
    },
    /// Values side by side.
    Joined(Vec<Node>, u32),
    /// The earlier and the later value of a key.
    Over {
        before: Box<Node>,
        after: Box<Node>,
        levels: u32,
    },
    /// `+=`: an element more than was there before.
    Append(Box<Node>, u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        match read(text, &|name| Ok((name == "HOME").then(|| "/root".into()))) {
            Ok(value) => kukla_values::format::inspect(&value).into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn agrees_with_the_gem() {
        for (text, answer) in [
            ("", "{}"),
            ("a : 1, b = \"x\"", r#"{"a"=>1, "b"=>"x"}"#),
            ("a { b : 1 }\na { c = 2 }", r#"{"a"=>{"c"=>2, "b"=>1}}"#),
            ("a.b.c = 1, \"d.e\" = true", r#"{"a"=>{"b"=>{"c"=>1}}, "d.e"=>true}"#),
            ("a = ${b}, b = 2", r#"{"a"=>2, "b"=>2}"#),
            ("a = ${?z}", "{}"),
            ("a = ${z}", "String: 1: Could not resolve substitution to a value: ${z}"),
            ("a = [1,2] [3]", r#"{"a"=>[1, 2, 3]}"#),
            ("a = foo ${b} bar, b = 5", r#"{"a"=>"foo 5 bar", "b"=>5}"#),
            ("a = [1]\na += 2", r#"{"a"=>[1, 2]}"#),
            ("a = 1\na = ${a} 2", r#"{"a"=>"1 2"}"#),
            (
                "a = 10s, b = 012, c = 1e5, d = 3.0, e = .5",
                r#"{"a"=>"10s", "b"=>10, "c"=>100000, "d"=>3, "e"=>".5"}"#,
            ),
            ("a={b:1}\na=2\na={c:3}", r#"{"a"=>{"c"=>3}}"#),
            ("a = ${b.c}{x: 2}, b { c { y: 1 } }", r#"{"a"=>{"x"=>2, "y"=>1}, "b"=>{"c"=>{"y"=>1}}}"#),
            ("a = ${HOME}/x", r#"{"a"=>"/root/x"}"#),
            ("a = [ 1, ${?u}, 2]", r#"{"a"=>[1, 2]}"#),
            ("include = 1\na b = 1 # c", r#"{"include"=>1, "a b"=>1}"#),
            (
                "a = 1\ninclude \"foo\"",
                "String: 2: include is not supported: there are no files beside this text, and Puppet goes on without them",
            ),
            ("a", "String: 1: Key 'a' may not be followed by token: end of file"),
            ("{a:1", "String: 1: Expecting close brace } or a comma, got end of file"),
            ("[1,2]", "String: 1:  has type LIST rather than object at file root"),
        ] {
            assert_eq!(show(text), answer, "{text}");
        }
    }
}
