//! The cases of the language specification (`tests/spec/examples.jsonl`), each a program with its expected outcome.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kukla_test::chapters::notation::same;
use kukla_test::chapters::view::View;
use serde_json::{Value, json};

use crate::scratch::Scratch;
use crate::subject::Subject;

/// The question about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Does it parse and validate? For every case without an expected error.
    Syntax,
    /// Does it do what it should?
    Outcome,
}

impl Question {
    /// Its name in tests and in the list of failing cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Outcome => "outcome",
        }
    }
}

/// The cases of one document.
#[derive(Debug)]
pub struct Document {
    /// Its file name without the ending.
    pub name: String,
    /// The cases, one JSON object each.
    pub cases: Vec<Value>,
}

/// Reads the cases, grouped by document.
pub fn documents(text: &str) -> Result<Vec<Document>, String> {
    let mut documents: Vec<Document> = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).map_err(|e| format!("examples.jsonl: {e}"))?;
        let name = case["doc"].as_str().unwrap_or_default().trim_end_matches(".md").to_owned();
        match documents.iter_mut().find(|d| d.name == name) {
            Some(document) => document.cases.push(case),
            None => documents.push(Document { name, cases: vec![case] }),
        }
    }
    Ok(documents)
}

/// Asks one case: `None` if the question does not apply, `Some(Err)` with what came instead.
pub fn ask(subject: &Subject, case: &Value, question: Question) -> Option<Result<(), String>> {
    let fails = case["expect"].get("error").is_some();
    match question {
        Question::Syntax if fails => None,
        Question::Syntax => {
            let params = json!({"code": case["code"], "settings": case["settings"]});
            Some(parses(&subject.ask("parse", params)))
        }
        Question::Outcome => Some(outcome(subject, case)),
    }
}

fn parses(answer: &Value) -> Result<(), String> {
    if let Some(error) = answer.get("error") {
        return Err(error.to_string());
    }
    let diagnostics = answer["result"]["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    match diagnostics.iter().find(|d| d["severity"] == "error") {
        Some(diagnostic) => Err(diagnostic.to_string()),
        None => Ok(()),
    }
}

fn outcome(subject: &Subject, case: &Value) -> Result<(), String> {
    let mut modulepath = json!([]);
    let mut scratch = None;
    if let Some(files) = case["files"].as_object() {
        let directory = Scratch::new().map_err(|e| e.to_string())?;
        for (name, text) in files {
            directory.write(name, text.as_str().unwrap_or_default()).map_err(|e| e.to_string())?;
        }
        modulepath = json!([directory.path("")]);
        scratch = Some(directory);
    }
    let node = case["node"].as_str().unwrap_or("node.example.com");
    let settings = case.get("settings").cloned().unwrap_or_else(|| json!({}));
    let params = json!({"code": case["code"], "node": node, "modulepath": modulepath, "settings": settings});
    let expect = &case["expect"];
    let wants_value = ["value", "string", "type"].iter().any(|k| expect.get(k).is_some());
    let answer = subject.ask(if wants_value { "eval" } else { "compile" }, params);
    drop(scratch);
    verdict(expect, &answer)
}

fn verdict(expect: &Value, answer: &Value) -> Result<(), String> {
    let error = answer.get("error");
    if expect.get("error").is_some() {
        // A request that was not understood says nothing about the program.
        return match error {
            Some(e) if e["kind"] == "request" || e["kind"] == "crash" => Err(e.to_string()),
            Some(_) => Ok(()),
            None => Err(format!("no error but {}", answer["result"]["string"])),
        };
    }
    if let Some(error) = error {
        return Err(error["message"].as_str().unwrap_or_default().to_owned());
    }
    let result = &answer["result"];
    let compare = |holds: bool, got: &Value| if holds { Ok(()) } else { Err(got.to_string()) };
    if let Some(value) = expect.get("value") {
        return compare(same(value, &result["value"], false), &result["value"]);
    }
    if let Some(text) = expect.get("string").or_else(|| expect.get("type")) {
        return compare(*text == result["string"], &result["string"]);
    }
    if let Some(notices) = expect.get("notices") {
        let logs = result["logs"].as_array().map(Vec::as_slice).unwrap_or_default();
        let said = Value::Array(
            logs.iter().filter(|l| l["level"] == "notice").map(|l| l["message"].clone()).collect(),
        );
        return compare(*notices == said, &said);
    }
    catalog(&expect["catalog"], &result["catalog"])
}

fn catalog(want: &Value, got: &Value) -> Result<(), String> {
    let view = View::new(got);
    let texts = |v: &Value| -> BTreeSet<String> {
        v.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if want.get("resources").is_some() {
        let declared: BTreeSet<String> = view.declared().into_iter().map(str::to_owned).collect();
        if declared != texts(&want["resources"]) {
            return Err(format!("resources {}", view.declared().join(", ")));
        }
    }
    if let Some(edges) = want["edges"].as_array() {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let wanted: BTreeSet<(String, bool, String)> =
            edges.iter().map(|e| (text(&e[0]), e.get(2).is_some(), text(&e[1]))).collect();
        if wanted != *view.edges() {
            return Err(format!("edges {:?}", view.edges()));
        }
    }
    for (reference, attributes) in want["params"].as_object().into_iter().flatten() {
        let parameters = view.parameters(reference).ok_or_else(|| format!("no {reference}"))?;
        for (name, value) in attributes.as_object().into_iter().flatten() {
            let got = &parameters[name.as_str()];
            if !same(value, got, false) {
                return Err(format!("{reference} {name} => {got}"));
            }
        }
    }
    Ok(())
}

/// The committed list of cases that do not hold yet, and what this run saw.
#[derive(Debug)]
pub struct Failing {
    path: PathBuf,
    listed: BTreeSet<String>,
    /// Every case asked in this run, and whether it held.
    seen: Vec<(String, bool)>,
}

impl Failing {
    /// Reads the list, one `question id` per line.
    pub fn load(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Self { listed: text.lines().map(str::to_owned).collect(), path, seen: Vec::new() }
    }

    /// Takes note of an outcome; true when a case that held before fails.
    pub fn record(&mut self, question: Question, id: &str, held: bool) -> bool {
        let key = format!("{} {id}", question.name());
        let fallen = !held && !self.listed.contains(&key);
        self.seen.push((key, held));
        fallen
    }

    /// Listed cases that hold now.
    pub fn risen(&self) -> usize {
        self.seen.iter().filter(|(key, held)| *held && self.listed.contains(key)).count()
    }

    /// Cases that held and cases in all, for one question.
    pub fn score(&self, question: Question) -> (usize, usize) {
        let mine = self.seen.iter().filter(|(key, _)| key.starts_with(question.name()));
        mine.fold((0, 0), |(h, t), (_, held)| (h + usize::from(*held), t + 1))
    }

    /// Takes what holds now off the list. While there is no list yet, everything that fails goes on it.
    pub fn save(&self) -> std::io::Result<()> {
        let first = !self.path.exists();
        let mut listed = self.listed.clone();
        for (key, held) in &self.seen {
            if *held {
                listed.remove(key);
            } else if first {
                listed.insert(key.clone());
            }
        }
        std::fs::write(&self.path, listed.iter().map(|k| format!("{k}\n")).collect::<String>())
    }
}
