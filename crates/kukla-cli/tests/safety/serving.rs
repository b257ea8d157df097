//! A server that strangers ask: whatever they send, the next one is answered, and what they used is given back.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Scratch;

/// How many requests come before the one that counts, unless `KUKLA_REQUESTS` says so.
const REQUESTS: usize = 2_000;
/// How much more memory than at its start the server may hold after them.
const MEGABYTES: u64 = 50;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(scratch: &Scratch) -> Server {
        let mut child =
            scratch.command(&["rpc"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Server { child, input, output: BufReader::new(output) }
    }

    fn ask(&mut self, line: &[u8]) -> Value {
        self.input.write_all(line).and_then(|()| self.input.write_all(b"\n")).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|_| {
            panic!("invalid answer {answer:?} to {}", String::from_utf8_lossy(&line[..line.len().min(500)]))
        })
    }

    fn eval(&mut self, code: &str) -> Value {
        self.ask(json!({"method": "eval", "params": {"code": code}}).to_string().as_bytes())
    }

    /// The memory it holds; 0 where the system does not report it.
    fn megabytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0) / 1024
    }
}

/// Requests that are new each time, so that whatever is kept of them adds up.
fn hostile(n: usize) -> Vec<u8> {
    let many = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let eval = |code: String, settings: Value| {
        json!({"id": n, "method": "eval", "params": {"code": code, "settings": settings}}).to_string()
    };
    let compile = |code: String| json!({"id": n, "method": "compile", "params": {"code": code}}).to_string();
    let small = json!({"limit_memory": 4 << 20, "limit_resources": 100, "limit_logs": 100});
    let line = match n % 20 {
        0 => eval(format!("'{}' =~ /^(a{n}|b+)*(?=x)[[:alpha:]]{{1,99}}$/", "ab".repeat(50)), json!({})),
        1 => eval(format!("'x{n}' =~ /(?:[[:word:]]{{1,50}}{n}){{1,9}}/"), json!({})),
        2 => eval(many(100, &|i| format!("$v{n}_{i} = {i}\n")), json!({})),
        3 => compile(many(20, &|i| format!("class c{n}_{i} {{ notify {{ 'n{i}': }} }} include c{n}_{i}\n"))),
        4 => eval(format!("define d{n} {{ d{n} {{ \"${{title}}a\": }} d{n} {{ \"${{title}}b\": }} }} d{n} {{ x: }}"), small),
        5 => eval(many(30, &|i| format!("type T{n}_{i} = Struct[{{a{n} => Integer[{i}]}}]\n")), json!({})),
        6 => eval(format!("Integer[1, 40].reduce('{n}') |$all, $i| {{ \"${{all}}${{all}}\" }}"), small),
        7 => eval(format!("function f{n}($x) {{ f{n}($x + 1) }} f{n}(1)"), json!({"limit_depth": 200})),
        8 => {
            let facts: serde_json::Map<String, Value> =
                (0..50).map(|i| (format!("f{n}_{i}"), json!({ format!("k{n}"): [n, i] }))).collect();
            json!({"method": "eval", "params": {"code": "$facts", "facts": facts}}).to_string()
        }
        9 => format!(r#"{{"id": {n}, "method": [{}"#, "[".repeat(5000)),
        10 => eval(format!("{}{n}{}", "[".repeat(100), "]".repeat(100)), json!({})),
        11 => eval(format!("{}{n}", "(".repeat(3000)), json!({})),
        12 => eval(format!("inline_epp('<% |$a = {n}| %><%= $a %>{n}')"), json!({})),
        13 => eval(format!("inline_template('<%= x{n} = {n}; x{n}.to_s * 3 %>')"), json!({})),
        14 => eval(format!("Integer[1, 5000].each |$i| {{ notice(\"{n} ${{i}}\") }}"), small),
        15 => json!({"method": "eval", "params": {"code": "include no", "environment": format!("e{n}"), "modulepath": [format!("/no/such/{n}")]}}).to_string(),
        16 => compile(many(50, &|i| format!("file {{ '/x{n}/{i}': content => 'abc{n}' }}\n"))),
        17 => eval(format!("parseyaml('[{}]')", many(100, &|i| format!("x{n}_{i},"))), json!({})),
        18 => eval(format!("length('{}{n}')", "x".repeat(20_000)), json!({})),
        _ => return (0..200).map(|i| ((n * 31 + i * i * 7) % 251) as u8).filter(|byte| *byte != b'\n').collect(),
    };
    line.into_bytes()
}

#[test]
fn after_many_hostile_requests_the_next_is_answered_and_memory_is_given_back() {
    let count = std::env::var("KUKLA_REQUESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(REQUESTS);
    let scratch = Scratch::new("serving");
    let mut server = Server::start(&scratch);
    assert_eq!(server.eval("1 + 1")["result"]["value"], 2);
    let start = server.megabytes();
    for n in 0..count {
        let answer = server.ask(&hostile(n));
        assert_ne!(answer["error"]["code"], "INTERNAL_FAILURE", "{answer}");
    }
    assert_eq!(server.eval("2 + 2")["result"]["value"], 4);
    let end = server.megabytes();
    println!("{start} MB at the start, {end} MB after {count} requests");
    assert!(end <= start + MEGABYTES, "{start} MB at the start, {end} MB after {count} requests");
}

#[test]
fn a_request_that_is_too_long_is_refused_and_the_next_is_answered() {
    let scratch = Scratch::new("long");
    let mut server = Server::start(&scratch);
    let refused = server.ask(&vec![b'['; 40 << 20]);
    assert_eq!(refused["error"]["message"], "a request has at most 33554432 bytes");
    assert_eq!(server.eval("1 + 1")["result"]["value"], 2);
    assert!(server.megabytes() < 100, "the room is given back");
}

#[test]
fn a_script_that_asks_is_heard_before_it_waits() {
    let scratch = Scratch::new("asking");
    let script = "puts 'who?'\nputs \"hello #{gets.chomp}\"\n$stdout.flush\nprint 'more'\ngets";
    let mut command = scratch.command(&["ruby", "-e", script]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut output = BufReader::new(output);
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    input.write_all(b"you\n").unwrap();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "who?\nhello you\n");
    drop(input);
    line.clear();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "more");
    assert!(child.wait().unwrap().success());
}
