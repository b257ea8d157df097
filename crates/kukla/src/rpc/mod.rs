//! The machine interface: one JSON request in, one JSON answer out, and no request ends the process.
//!
//! ```
//! let server = kukla::rpc::Server::new(kukla::MemoryWorld::default());
//! let answer = server.answer(r#"{"id": 1, "method": "eval", "params": {"code": "1 + 1"}}"#);
//! assert_eq!(answer, r#"{"id":1,"result":{"value":2,"string":"2","type":"Integer[2, 2]","logs":[]}}"#);
//! ```

use std::path::PathBuf;
use std::time::Duration;

use kukla_syntax::roomy;
use kukla_world::{Policy, World};
use serde_json::{Map, Value, json};

use crate::caught::caught;
use crate::compiler::Compiler;

mod failed;
mod methods;
mod params;
mod parse;
mod request;
mod shape;
mod style;

use failed::Failed;
pub use request::{Request, from_json};
pub use shape::{diagnostic, errors, log, rich};

/// Answers requests. State that it keeps between them affects only its speed.
#[derive(Debug, Default)]
pub struct Server {
    compiler: Compiler,
    /// The deadline of requests without one of their own.
    deadline: Option<Duration>,
    /// The directory of replacements for requests without one of their own.
    overrides: Option<PathBuf>,
}

impl Server {
    /// The longest request that is read, in bytes.
    pub const LONGEST: usize = 32 << 20;

    /// A server that sees the world through `world`.
    pub fn new(world: impl World + 'static) -> Server {
        Server { compiler: Compiler::new(world), deadline: None, overrides: None }
    }

    /// Gives up requests that take longer than this and do not name their own `deadline`.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Server {
        Server { deadline: Some(deadline), ..self }
    }

    /// The same, with a directory of replacements for functions and templates, for requests that do not name their own (the setting
    /// `overrides`).
    #[must_use]
    pub fn with_overrides(self, directory: PathBuf) -> Server {
        Server { overrides: Some(directory), ..self }
    }

    /// The same, with another policy for what code may reach outside.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Server {
        Server { compiler: self.compiler.with_policy(policy), ..self }
    }

    /// Answers one line; whatever it holds, the answer is one line of JSON.
    pub fn answer(&self, line: &str) -> String {
        roomy(|| self.answer_here(line))
    }

    fn answer_here(&self, line: &str) -> String {
        if line.len() > Server::LONGEST {
            let refusal = format!("a request has at most {} bytes", Server::LONGEST);
            return Failed::request(refusal).answer(&Value::Null).to_string();
        }
        let request: Value = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                return Failed::request(format!("not JSON: {error}")).answer(&Value::Null).to_string();
            }
        };
        let id = request.get("id").cloned().unwrap_or(Value::Null);
        let mut out = format!(r#"{{"id":{id},"result":"#);
        let answered = caught(|| self.dispatch(&request, &mut out));
        let result = answered.unwrap_or_else(|failure| Err(failure.into()));
        match result {
            Ok(()) => out + "}",
            Err(failure) => failure.answer(&id).to_string(),
        }
    }

    /// Appends the JSON text of the result.
    fn dispatch(&self, request: &Value, out: &mut String) -> Result<(), Failed> {
        let Value::Object(request) = request else { return Err(Failed::request("a request is an object")) };
        let method = request
            .get("method")
            .and_then(Value::as_str)
            .ok_or_else(|| Failed::request("a request has a method, a string"))?;
        let none = Map::new();
        let params = match request.get("params") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(params)) => params,
            Some(_) => return Err(Failed::request("params is an object")),
        };
        match method {
            "parse" => parse::answer(self.compiler.world(), params, out)?,
            "lint" => style::lint(self.compiler.world(), params, out)?,
            "format" => style::format(self.compiler.world(), params, out)?,
            "version" => *out += &json!({"version": env!("CARGO_PKG_VERSION")}).to_string(),
            "eval" => methods::eval(self, params, out)?,
            "compile" => methods::compile(self, params, out)?,
            "lookup" => methods::lookup(self, params, out)?,
            other => return Err(Failed::request(format!("unknown method '{other}'"))),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // a test writes files
    use super::*;

    fn answer(line: &str) -> Value {
        serde_json::from_str(&Server::default().answer(line)).unwrap()
    }

    #[test]
    fn version() {
        assert_eq!(
            answer(r#"{"id": 7, "method": "version"}"#),
            json!({"id": 7, "result": {"version": env!("CARGO_PKG_VERSION")}})
        );
    }

    #[test]
    fn parse() {
        let good = answer(r#"{"method": "parse", "params": {"code": "$a = 1"}}"#);
        assert_eq!(good["result"]["pn"].to_string(), r##"{"^":["=",{"^":["var","a"]},1]}"##);
        let bad = answer(r#"{"method": "parse", "params": {"code": "$a = = 10h"}}"#);
        assert_eq!((&bad["error"]["kind"], &bad["error"]["line"]), (&json!("syntax"), &json!(1)));
    }

    #[test]
    fn lint() {
        let line = |params: Value| answer(&json!({"method": "lint", "params": params}).to_string());
        let code = "class a {\n  $b = \"c\" # lint:ignore:double_quoted_strings because\n  $d = \"e\"\n}\n";
        let checks = ["double_quoted_strings"];
        let message = "double quoted string containing no variables";
        let ignored = json!({"kind": "ignored", "check": checks[0], "message": message, "line": 2, "column": 8, "reason": "because"});
        let found = line(json!({"code": code, "checks": checks}))["result"].clone();
        let warning =
            json!({"kind": "warning", "check": checks[0], "message": message, "line": 3, "column": 8});
        assert_eq!(found, json!({"problems": [ignored, warning], "code": code}));
        let fixed = line(json!({"code": code, "checks": checks, "fix": true}))["result"].clone();
        assert_eq!(fixed["code"], code.replace("\"e\"", "'e'"));
        let kinds: Vec<&Value> =
            fixed["problems"].as_array().unwrap().iter().map(|found| &found["kind"]).collect();
        assert_eq!(kinds, ["fixed", "ignored"]);
        // A check that is off by default runs where it is named; the layout needs a path; a text that is not Puppet code has findings, too.
        let count = |params: Value| line(params)["result"]["problems"].as_array().map_or(99, Vec::len);
        let quoted = json!({"code": "$a = 'true'", "checks": ["quoted_booleans"]});
        assert_eq!(count(quoted), 1);
        let layout = |path: &str, relative: bool| {
            let options = json!({"relative": relative});
            count(
                json!({"code": "class a { }", "path": path, "checks": ["autoloader_layout"], "options": options}),
            )
        };
        assert_eq!((layout("", false), layout("a/manifests/init.pp", false)), (0, 0));
        assert_eq!((layout("b/manifests/init.pp", false), layout("b/manifests/init.pp", true)), (1, 0));
        assert_eq!(count(json!({"code": "}} \"a\" {{", "checks": checks})), 1);
        for wrong in [
            json!({}),
            json!({"code": 1}),
            json!({"code": "", "checks": ["double_quoted_string"]}),
            json!({"code": "", "options": {"relativ": true}}),
            json!({"code": "", "options": {"relative": 1}}),
        ] {
            assert_eq!(line(wrong.clone())["error"]["kind"], "request", "{wrong}");
        }
    }

    #[test]
    fn format() {
        let line = |params: Value| answer(&json!({"method": "format", "params": params}).to_string());
        let code = "$a=1\nif $a {\nnotice( 1 )\n}\n";
        assert_eq!(
            line(json!({"code": code}))["result"],
            json!({"code": "$a = 1\nif $a {\n  notice(1)\n}\n"})
        );
        let part = json!({"code": code, "range": [1, 1], "options": {"indent": 4}});
        assert_eq!(line(part)["result"]["code"], "$a = 1\nif $a {\nnotice( 1 )\n}\n");
        assert_eq!(line(json!({"code": "<%=$a%>", "path": "a.epp"}))["result"]["code"], "<%= $a %>");
        let failed = line(json!({"code": "class {", "path": "a.pp"}));
        assert_eq!((&failed["error"]["kind"], &failed["error"]["file"]), (&json!("syntax"), &json!("a.pp")));
        for wrong in
            [json!({}), json!({"code": "", "range": [2, 1]}), json!({"code": "", "options": {"width": 1}})]
        {
            assert_eq!(line(wrong.clone())["error"]["kind"], "request", "{wrong}");
        }
    }

    #[test]
    fn compile_explains_its_data() {
        let root = std::env::temp_dir().join(format!("kukla-rpc-{}", std::process::id()));
        std::fs::create_dir_all(root.join("data")).unwrap();
        std::fs::write(root.join("hiera.yaml"), "version: 5\n").unwrap();
        std::fs::write(root.join("data/common.yaml"), "a::p: 5\nk: 1\n").unwrap();
        let request = |explain: bool| {
            let params = json!({
                "code": "class a($p) { notice(lookup(k)) } include a",
                "hiera_config": root.join("hiera.yaml"),
                "explain": explain,
            });
            answer(&json!({"method": "compile", "params": params}).to_string())
        };
        let explain = request(true)["result"]["explain"].as_str().unwrap().to_owned();
        assert!(explain.contains("Automatic Parameter Lookup of 'a::p'\n"), "{explain}");
        assert!(
            explain.contains("Lookup of 'k'\n") && explain.contains("Found key: \"k\" value: 1"),
            "{explain}"
        );
        assert!(request(false)["result"].get("explain").is_none());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn bad_requests_are_answered() {
        for line in [
            "",
            "{",
            "[]",
            "3",
            "{}",
            r#"{"method": 1}"#,
            r#"{"method": "x"}"#,
            r#"{"method": "version", "params": 3}"#,
            r#"{"method": "parse"}"#,
        ] {
            assert_eq!(answer(line)["error"]["kind"], "request", "{line}");
        }
        assert_eq!(answer(r#"{"id": "a", "method": "x"}"#)["id"], "a");
        let long = format!(r#"{{"method": "version", "id": "{}"}}"#, "x".repeat(Server::LONGEST));
        assert_eq!(answer(&long)["error"]["message"], "a request has at most 33554432 bytes");
    }
}
