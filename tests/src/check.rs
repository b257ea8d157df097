//! Checking a section: every claim becomes a question, every answer is compared with the claim.

use kukla::analysis::{Analysis, Rules};
use kukla::syntax::Source;
use kukla_cli::render::{self, Findings};
use serde_json::{Map, Value, json};

use crate::catalog::{self, View};
use crate::chapter::{Block, Expectation, ExpectationKind, Marks, Section};
use crate::claim::Claim;
use crate::notation;
use crate::scratch::Scratch;
use crate::statement::{self, Statement};
use crate::subject::Subject;
use crate::tally::{Rewrite, Tally};

/// Runs all blocks of a section; `file` is the chapter's path, for the reports.
pub fn section(subject: &Subject, file: &str, section: &Section) -> Result<Tally, String> {
    let (_files, params) = surroundings(subject, section)?;
    let mut tally = Tally::default();
    for block in &section.blocks {
        if skips(&block.marks, subject) {
            continue;
        }
        let run = Run { subject, file, params: &params, block, statements: statement::split(&block.code) };
        if subject.reference().is_some() && block.marks.differs.is_some() {
            let mut apart = Tally::default();
            run.block(&mut apart);
            let differs = if apart.broken.is_empty() { Err("real Puppet agrees".into()) } else { Ok(()) };
            tally.count(&run.place(0), "this block", "to differ from Puppet", differs);
        } else {
            run.block(&mut tally);
        }
    }
    Ok(tally)
}

fn skips(marks: &Marks, subject: &Subject) -> bool {
    match (&marks.puppet, subject.reference()) {
        (Some(wanted), Some(version)) => version.split('.').next().is_none_or(|major| major != wanted),
        _ => false,
    }
}

/// Puts the section's files where a compiler finds them, and says where in the parameters of every request.
fn surroundings(
    subject: &Subject,
    section: &Section,
) -> Result<(Option<Scratch>, Map<String, Value>), String> {
    let mut params = section.options.params();
    if subject.reference().is_none() {
        // Puppet's oracle keeps what manifests log on every level; Kukla has to be asked to.
        if let Some(settings) = params.entry("settings").or_insert_with(|| json!({})).as_object_mut() {
            settings.entry("log_level").or_insert_with(|| json!("debug"));
        }
    }
    if section.files.is_empty() {
        params.insert("modulepath".into(), json!([]));
        return Ok((None, params));
    }
    let scratch = Scratch::new().map_err(|e| format!("no scratch directory: {e}"))?;
    let environment = params.get("environment").and_then(Value::as_str).unwrap_or("production").to_owned();
    // An environment is a directory, be it empty.
    scratch
        .write(&format!("environments/{environment}/environment.conf"), "")
        .map_err(|e| format!("no environment: {e}"))?;
    for (name, text) in &section.files {
        let place = match name.as_str() {
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
        scratch.write(&place, text).map_err(|e| format!("{name}: {e}"))?;
    }
    params.insert("environmentpath".into(), scratch.path("environments").into());
    if subject.reference().is_some() {
        // Puppet reads environment.conf through its settings, which do not know our directory, but can be set.
        let modules = scratch.path(&format!("environments/{environment}/modules"));
        if let Some(settings) = params.entry("settings").or_insert_with(|| json!({})).as_object_mut() {
            settings.insert("modulepath".into(), modules.into());
        }
    }
    Ok((Some(scratch), params))
}

struct Run<'a> {
    subject: &'a Subject,
    file: &'a str,
    params: &'a Map<String, Value>,
    block: &'a Block,
    statements: Vec<Statement>,
}

impl Run<'_> {
    fn block(&self, tally: &mut Tally) {
        let mut stays = vec![false; self.statements.len()];
        let mut logs_before = 0;
        for (index, statement) in self.statements.iter().enumerate() {
            if !statement.claims.is_empty() {
                let code = self.program(|i| i == index || i < index && stays[i]);
                let (answer, verdicts) = self.judge(statement, &code, logs_before);
                for ((line, claim), verdict) in statement.claims.iter().zip(verdicts) {
                    tally.count(
                        &self.place(*line),
                        statement.lines.join("\n").trim_end(),
                        &claim.to_string(),
                        verdict,
                    );
                }
                if statement.stays() {
                    logs_before = logs(&answer).len();
                }
            }
            stays[index] = statement.stays();
        }
        let code = self.program(|i| stays[i]);
        for expectation in &self.block.expectations {
            match expectation.kind {
                ExpectationKind::Catalog => self.catalog(expectation, &code, tally),
                ExpectationKind::Diagnostic => self.diagnostic(expectation, tally),
            }
        }
        if self.block.expectations.is_empty() && self.statements.iter().all(|s| s.claims.is_empty()) {
            let answer = self.ask("compile", &self.block.code);
            let verdict = if answer.get("error").is_some() { Err(outcome(&answer)) } else { Ok(()) };
            tally.count(&self.place(0), "this block", "to compile", verdict);
        }
    }

    /// The block's text with only some of its statements; the others leave blank lines, so that positions hold.
    fn program(&self, wanted: impl Fn(usize) -> bool) -> String {
        let mut lines = vec![""; self.block.code.lines().count()];
        for (_, statement) in self.statements.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            for (offset, text) in statement.lines.iter().enumerate() {
                lines[statement.first + offset] = text;
            }
        }
        lines.join("\n").trim_end().to_owned() + "\n"
    }

    /// Asks for the value first; a claim about messages may also hold only once the whole catalog is done.
    fn judge(
        &self,
        statement: &Statement,
        code: &str,
        logs_before: usize,
    ) -> (Value, Vec<Result<(), String>>) {
        let answer = self.ask("eval", code);
        let verdicts = self.verdicts(&statement.claims, &answer, logs_before);
        let about_value = statement.claims.iter().any(|(_, c)| matches!(c, Claim::Value(_)));
        if about_value || verdicts.iter().all(Result::is_ok) {
            return (answer, verdicts);
        }
        let whole = self.ask("compile", code);
        let better = self.verdicts(&statement.claims, &whole, logs_before);
        if better.iter().all(Result::is_ok) { (whole, better) } else { (answer, verdicts) }
    }

    fn verdicts(
        &self,
        claims: &[(usize, Claim)],
        answer: &Value,
        logs_before: usize,
    ) -> Vec<Result<(), String>> {
        let new: Vec<&Value> = logs(answer).iter().skip(logs_before).collect();
        let verdict = |(position, (_, claim)): (usize, &(usize, Claim))| match claim {
            Claim::Value(text) => self.has_value(answer, text),
            Claim::Error(message) => {
                let all = answer["errors"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or(std::slice::from_ref(&answer["error"]));
                let found = all.iter().any(|e| {
                    e.is_object()
                        && e["kind"] != "request"
                        && message.found_in(e["issue"].as_str(), e["message"].as_str().unwrap_or_default())
                });
                if found { Ok(()) } else { Err(outcome(answer)) }
            }
            Claim::Log { level, message } => {
                let of_level = |c: &Claim| matches!(c, Claim::Log { level: l, .. } if l == level);
                let nth = claims[..position].iter().filter(|(_, c)| of_level(c)).count();
                let last = !claims[position + 1..].iter().any(|(_, c)| of_level(c));
                let said: Vec<&&Value> = new.iter().filter(|l| l["level"] == level.as_str()).collect();
                let fits = said.get(nth).is_some_and(|log| {
                    let text = log["message"].as_str().unwrap_or_default();
                    let exact = level != "notice" || text == message.text;
                    exact && message.found_in(log["issue"].as_str(), text)
                });
                if fits && (!last || said.len() == nth + 1) {
                    return Ok(());
                }
                let all: Vec<String> = said.iter().map(|l| l["message"].to_string()).collect();
                let error = if answer.get("error").is_some() {
                    format!("; {}", outcome(answer))
                } else {
                    String::new()
                };
                Err(format!("{level} [{}]{error}", all.join(", ")))
            }
        };
        claims.iter().enumerate().map(verdict).collect()
    }

    fn has_value(&self, answer: &Value, text: &str) -> Result<(), String> {
        let got = &answer["result"];
        if answer.get("error").is_some() {
            return Err(outcome(answer));
        }
        if let Some(plain) = notation::plain(text) {
            return if notation::same(&plain, &got["value"], true) { Ok(()) } else { Err(outcome(answer)) };
        }
        let claimed = self.ask("eval", text);
        if claimed.get("error").is_some() {
            return Err(format!("the claim itself fails: {}", outcome(&claimed)));
        }
        let claimed = &claimed["result"];
        let equal = notation::same(&claimed["value"], &got["value"], true)
            && claimed["type"] == got["type"]
            && claimed["string"] == got["string"];
        if equal { Ok(()) } else { Err(outcome(answer)) }
    }

    fn catalog(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        let answer = self.ask("compile", code);
        let view = View::new(&answer["result"]["catalog"]);
        let evaluate = |code: &str| {
            let answer = self.ask("eval", code);
            if answer.get("error").is_some() {
                Err(outcome(&answer))
            } else {
                Ok(answer["result"]["value"].clone())
            }
        };
        for (index, line) in expectation.text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let verdict = match catalog::parse(line) {
                None => Err("a line that the runner does not understand".into()),
                Some(_) if answer.get("error").is_some() => Err(outcome(&answer)),
                Some(fact) => view.holds(&fact, &evaluate),
            };
            let place = format!("{}:{}", self.file, expectation.line + index);
            tally.count(&place, "the catalog", line, verdict);
        }
    }

    /// Compares Kukla's error output for the block; the reference has none.
    fn diagnostic(&self, expectation: &Expectation, tally: &mut Tally) {
        if self.subject.reference().is_some() {
            return;
        }
        let source = Source::new("site.pp", self.program(|_| true));
        let diagnostics = Analysis::new(&source, &Rules::default()).diagnostics;
        let rendered = render::plain(&[Findings { diagnostics }]);
        let same = rendered.trim_end() == expectation.text.trim_end();
        let place = format!("{}:{}", self.file, expectation.line);
        let verdict = if same { Ok(()) } else { Err(format!("\n{rendered}")) };
        tally.count(&place, "the error output", &format!("\n{}", expectation.text), verdict);
        if !same {
            let lines = expectation.text.lines().count();
            tally.rewrites.push(Rewrite {
                line: expectation.line,
                lines,
                text: rendered.trim_end().to_owned(),
            });
        }
    }

    fn ask(&self, method: &str, code: &str) -> Value {
        let mut params = self.params.clone();
        params.insert("code".into(), code.into());
        self.subject.ask(method, Value::Object(params))
    }

    fn place(&self, line: usize) -> String {
        format!("{}:{}", self.file, self.block.line + line)
    }
}

fn logs(answer: &Value) -> &[Value] {
    let logs = answer["result"]["logs"].as_array().or_else(|| answer["logs"].as_array());
    logs.map(Vec::as_slice).unwrap_or_default()
}

/// The actual outcome, in one line.
fn outcome(answer: &Value) -> String {
    let error = &answer["error"];
    if error.is_object() {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        return format!("error: {} \"{}\"", text("issue"), text("message"));
    }
    let result = &answer["result"];
    match result.get("value") {
        Some(value) => format!("{value} ({})", result["type"].as_str().unwrap_or_default()),
        None => "a catalog".into(),
    }
}
