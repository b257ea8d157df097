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
mod parse;
mod request;
mod shape;

use failed::Failed;
pub use request::{Request, from_json};
pub use shape::{diagnostic, errors, log};

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
            json!({"id": 7, "result": {"version": "0.1.0"}})
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
