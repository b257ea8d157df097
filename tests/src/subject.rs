//! The implementation under test: Kukla in this process, or a command with the same protocol (real Puppet).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use kukla::rpc::Server;
use kukla_test::chapters::engine::{Answer, Engine, Session};
use serde_json::{Map, Value, json};

use crate::scratch::Scratch;

/// Why a comparison with real Puppet does not take place.
pub const WITHOUT_REFERENCE: &str = "KUKLA_REFERENCE does not name a command that answers as Puppet does";

/// Runs a comparison with the command that `KUKLA_REFERENCE` names, if it names one; the comparison says whether all agreed.
///
/// # Panics
///
/// If not all agreed, or something stood in the way of comparing them.
pub fn compared(name: &str, run: fn() -> Result<bool, String>) {
    if std::env::var_os("KUKLA_REFERENCE").is_none() {
        return kukla_testing::skip(name, WITHOUT_REFERENCE);
    }
    let agree = run().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(agree, "some answers differ from those of the reference");
}

/// The names that `KUKLA_ONLY` lists, with commas between them; none if everything is compared.
pub fn chosen() -> Vec<String> {
    let names = std::env::var("KUKLA_ONLY").unwrap_or_default();
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The implementation under test.
pub enum Subject {
    /// The library, asked directly.
    Kukla(Box<Server>),
    /// Another implementation, one process per thread that asks.
    Reference {
        /// The command; `rpc` is added to its arguments.
        command: Vec<String>,
        /// Its version.
        version: String,
        /// Processes that wait for a question.
        idle: Mutex<Vec<Process>>,
    },
}

impl Subject {
    /// Kukla, or the command that `KUKLA_REFERENCE` names.
    pub fn from_environment() -> Result<Self, String> {
        let Ok(command) = std::env::var("KUKLA_REFERENCE") else { return Ok(Self::Kukla(Box::default())) };
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let mut process = Process::start(&command)?;
        let answer = process.ask("version", json!({}))?;
        let version = answer["result"]["version"].as_str().unwrap_or_default().to_owned();
        Ok(Self::Reference { command, version, idle: Mutex::new(vec![process]) })
    }

    /// The version of the reference, if that is what answers.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Kukla(_) => None,
            Self::Reference { version, .. } => Some(version),
        }
    }

    /// Asks one question; the answer is the protocol's object with `result` or `error`.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        match self {
            Self::Kukla(server) => {
                let request = json!({"id": 1, "method": method, "params": params}).to_string();
                serde_json::from_str(&server.answer(&request))
                    .unwrap_or_else(|e| failure(&format!("not JSON: {e}")))
            }
            Self::Reference { command, idle, .. } => {
                let waiting = idle.lock().ok().and_then(|mut i| i.pop());
                let answer = waiting.map_or_else(|| Process::start(command), Ok).and_then(|mut process| {
                    let answer = process.ask(method, params)?;
                    if let Ok(mut idle) = idle.lock() {
                        idle.push(process);
                    }
                    Ok(answer)
                });
                answer.unwrap_or_else(|e| failure(&e))
            }
        }
    }
}

/// Real Puppet as the engine of chapters: it reads the files of a section from the disk.
impl Engine for Subject {
    fn reference(&self) -> Option<&str> {
        Subject::reference(self)
    }

    fn open(
        &self,
        _file: &str,
        files: &[(String, String)],
        mut params: Map<String, Value>,
    ) -> Result<Box<dyn Session + '_>, String> {
        let files = place(files, &mut params)?;
        Ok(Box::new(Placed { subject: self, params, _files: files }))
    }
}

/// The environment of a section on the disk.
struct Placed<'s> {
    subject: &'s Subject,
    params: Map<String, Value>,
    _files: Option<Scratch>,
}

impl Session for Placed<'_> {
    fn ask(&self, method: &str, params: Map<String, Value>) -> Answer {
        let mut all = self.params.clone();
        all.extend(params);
        self.subject.ask(method, Value::Object(all)).into()
    }
}

/// Writes the files of a section, and adds their directory to the parameters of every request.
fn place(files: &[(String, String)], params: &mut Map<String, Value>) -> Result<Option<Scratch>, String> {
    if files.is_empty() {
        params.insert("modulepath".into(), json!([]));
        return Ok(None);
    }
    let scratch = Scratch::new().map_err(|e| format!("no scratch directory: {e}"))?;
    let environment = params.get("environment").and_then(Value::as_str).unwrap_or("production").to_owned();
    // An environment is a directory, be it empty.
    scratch
        .write(&format!("environments/{environment}/environment.conf"), "")
        .map_err(|e| format!("no environment: {e}"))?;
    for (name, text) in files {
        let target = match name.as_str() {
            "facts.json" => {
                let facts = serde_json::from_str(text).map_err(|e| format!("facts.json: {e}"))?;
                params.insert("facts".into(), facts);
                continue;
            }
            global if global.starts_with("global/") => global.to_owned(),
            _ => format!("environments/{environment}/{name}"),
        };
        if name == "global/hiera.yaml" {
            params.insert("hiera_config".into(), scratch.path(name).into());
        }
        scratch.write(&target, text).map_err(|e| format!("{name}: {e}"))?;
    }
    params.insert("environmentpath".into(), scratch.path("environments").into());
    // Puppet reads environment.conf through its settings, which do not know our directory, but can be set.
    let modules = scratch.path(&format!("environments/{environment}/modules"));
    if let Some(settings) = params.entry("settings").or_insert_with(|| json!({})).as_object_mut() {
        settings.insert("modulepath".into(), modules.into());
    }
    Ok(Some(scratch))
}

fn failure(message: &str) -> Value {
    json!({"error": {"kind": "crash", "issue": "CRASH", "message": message}})
}

/// A process that answers requests line by line.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(command: &[String]) -> Result<Self, String> {
        let (program, arguments) = command.split_first().ok_or("KUKLA_REFERENCE is empty")?;
        let mut child = Command::new(program)
            .args(arguments)
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot run {program}: {e}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output })
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let input = self.input.as_mut().ok_or("no input")?;
        let request = json!({"id": 1, "method": method, "params": params});
        writeln!(input, "{request}").and_then(|()| input.flush()).map_err(|e| format!("cannot ask: {e}"))?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|e| format!("no answer: {e}"))?;
        if line.is_empty() {
            return Err("the process ended".into());
        }
        serde_json::from_str(&line).map_err(|e| format!("not JSON: {e}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
