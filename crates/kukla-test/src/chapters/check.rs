//! Checking a section: every claim becomes a question, every answer is compared with the claim.

use kukla::analysis::{Analysis, Rules};
use kukla::syntax::Source;
use serde_json::{Map, Value, json};

use super::catalog;
use super::claim::{Claim, Message};
use super::engine::{Answer, Engine, Session};
use super::matrix::Case;
use super::notation::{self, Reader};
use super::read::{self, Block, Expectation, ExpectationKind, Marks, Section};
use super::statement::{self, Statement};
use super::tally::{Mismatch, Rewrite, Tally};
use super::view::View;

/// Runs all blocks of a section in a case; `file` is the chapter's path.
pub fn section(engine: &dyn Engine, file: &str, section: &Section, case: &Case) -> Result<Tally, String> {
    let mut params = section.options.params(&case.params);
    if engine.reference().is_none() {
        // Puppet's oracle keeps what manifests log on every level; Kukla has to be asked to.
        if let Some(settings) = params.entry("settings").or_insert_with(|| json!({})).as_object_mut() {
            settings.entry("log_level").or_insert_with(|| json!("debug"));
        }
    }
    let files: Vec<(String, String)> = section.files.iter().chain(&case.files).cloned().collect();
    let session = engine.open(file, &files, params)?;
    let mut tally = Tally::default();
    for block in &section.blocks {
        if skips(&block.marks, engine) {
            continue;
        }
        if let Some(condition) = &block.condition
            && !holds(&*session, condition)?
        {
            continue;
        }
        let statements = statement::split(&block.code);
        let run = Run { engine, session: &*session, section, case, block, statements };
        if engine.reference().is_some() && block.marks.differs.is_some() {
            let mut apart = Tally::default();
            run.block(&mut apart);
            let differs = if apart.broken.is_empty() { Err("real Puppet agrees".into()) } else { Ok(()) };
            tally.count(run.place(0), "this block", "to differ from Puppet", differs);
        } else {
            run.block(&mut tally);
        }
    }
    Ok(tally)
}

/// Whether a condition of a block holds in this case.
fn holds(session: &dyn Session, condition: &str) -> Result<bool, String> {
    let code = format!("if {condition} {{ true }} else {{ false }}");
    let answer = session.ask("eval", Map::from_iter([("code".to_owned(), code.into())]));
    match answer["result"]["value"].as_bool() {
        Some(holds) => Ok(holds),
        None => Err(format!("the condition `{condition}` cannot be evaluated: {}", outcome(&answer))),
    }
}

fn skips(marks: &Marks, engine: &dyn Engine) -> bool {
    match (&marks.puppet, engine.reference()) {
        (Some(wanted), Some(version)) => version.split('.').next().is_none_or(|major| major != wanted),
        _ => false,
    }
}

struct Run<'a> {
    engine: &'a dyn Engine,
    session: &'a dyn Session,
    section: &'a Section,
    case: &'a Case,
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
                        self.place(*line),
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
            match expectation
                .condition
                .as_deref()
                .map_or(Ok(true), |condition| holds(self.session, condition))
            {
                Ok(true) => self.expectation(expectation, &code, tally),
                Ok(false) => {}
                Err(problem) => {
                    tally.count(expectation.line, "this block", "a condition", Err(problem.into()))
                }
            }
        }
        if self.block.expectations.is_empty() && self.statements.iter().all(|s| s.claims.is_empty()) {
            let answer = self.ask("compile", &self.block.code);
            let verdict = if answer.get("error").is_some() { Err(mismatch(&answer)) } else { Ok(()) };
            tally.count(self.place(0), "this block", "to compile", verdict);
        }
    }

    fn expectation(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        match expectation.kind {
            ExpectationKind::Catalog => self.catalog(expectation, code, tally),
            ExpectationKind::Diagnostic => self.diagnostic(expectation, tally),
            ExpectationKind::Error => self.error(expectation, code, tally),
            ExpectationKind::Warning => self.messages(expectation, code, "warning", tally),
            ExpectationKind::Notice => self.messages(expectation, code, "notice", tally),
            ExpectationKind::Value => {
                let answer = self.ask("eval", code);
                let verdict = self.has_value(&answer, expectation.text.trim());
                tally.count(
                    expectation.line,
                    code.trim(),
                    &format!("=> {}", expectation.text.trim()),
                    verdict,
                );
            }
            ExpectationKind::Lookup => self.lookup(expectation, code, tally),
            ExpectationKind::Snapshot => self.snapshot(expectation, code, tally),
        }
    }

    /// The program fails with a message for each line.
    fn error(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        let answer = self.ask("compile", code);
        let mut lines: Vec<(usize, &str)> = expectation.text.lines().enumerate().collect();
        lines.retain(|(_, line)| !line.trim().is_empty());
        if lines.is_empty() {
            lines.push((0, ""));
        }
        for (index, line) in lines {
            let verdict = match has_error(&answer, &Message::parse(line.trim(), true)) {
                true => Ok(()),
                false => Err(mismatch(&answer)),
            };
            tally.count(expectation.line + index, code.trim(), &format!("error: {line}"), verdict);
        }
    }

    /// The program logs these messages on a level, in this order, and no others.
    fn messages(&self, expectation: &Expectation, code: &str, level: &str, tally: &mut Tally) {
        let answer = self.ask("compile", code);
        let claims: Vec<(usize, Claim)> = expectation
            .text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| {
                let message = Message::parse(line.trim(), level == "warning");
                (index, Claim::Log { level: level.to_owned(), message })
            })
            .collect();
        if claims.is_empty() {
            let others: Vec<String> =
                of_level(logs(&answer), level).map(|log| log["message"].to_string()).collect();
            let verdict = match (others.is_empty(), answer.get("error").is_some()) {
                (_, true) => Err(mismatch(&answer)),
                (true, false) => Ok(()),
                (false, false) => Err(others.join(", ").into()),
            };
            tally.count(expectation.line, code.trim(), &format!("no {level}"), verdict);
        }
        let verdicts = self.verdicts(&claims, &answer, 0);
        for ((index, claim), verdict) in claims.iter().zip(verdicts) {
            tally.count(expectation.line + index, code.trim(), &claim.to_string(), verdict);
        }
    }

    /// Data has these values: `key => value`, `key =~ type`, `!key`; `key (unique) => value` merges.
    fn lookup(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        for (index, entry) in catalog::entries(&expectation.text) {
            let verdict = self.lookup_entry(entry.trim(), code);
            tally.count(expectation.line + index, "the data", &entry, verdict);
        }
    }

    fn lookup_entry(&self, entry: &str, code: &str) -> Result<(), Mismatch> {
        let malformed = || Mismatch::from("a line that the runner does not understand");
        let (absent, entry) = match entry.strip_prefix('!') {
            Some(rest) => (true, rest.trim()),
            None => (false, entry),
        };
        let end = entry.find(char::is_whitespace).unwrap_or(entry.len());
        let (key, rest) = entry.split_at(end);
        let mut params = Map::from_iter([("key".to_owned(), Value::from(key))]);
        let mut rest = rest.trim();
        if let Some((merge, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            params.insert("merge".into(), merge.trim().into());
            rest = after.trim();
        }
        let answer = self.ask_with("lookup", code, params);
        let is_missing = answer["errors"]
            .as_array()
            .map_or(&answer["error"], |errors| errors.first().unwrap_or(&Value::Null))["message"]
            .as_str()
            .is_some_and(|message| message.contains("did not find a value"));
        if absent {
            return match (rest.is_empty(), is_missing) {
                (false, _) => Err(malformed()),
                (true, true) => Ok(()),
                (true, false) => Err(mismatch(&answer)),
            };
        }
        if answer.get("error").is_some() {
            return Err(mismatch(&answer));
        }
        let value = &answer["result"]["value"];
        let mut reader = Reader { rest };
        let (operator, expression) = match (reader.eat("=>"), reader.eat("=~"), reader.eat("!~")) {
            (true, ..) => ("==", reader.rest.trim()),
            (_, true, _) => ("=~", reader.rest.trim()),
            (.., true) => ("!~", reader.rest.trim()),
            _ => return Err(malformed()),
        };
        let holds = match notation::plain(expression).filter(|_| operator == "==") {
            Some(plain) => notation::same(&plain, value, true),
            None => {
                self.evaluate(&format!("$value {operator} {expression}"), Some(value))? == Value::Bool(true)
            }
        };
        if holds { Ok(()) } else { Err(notation::shown(value).into()) }
    }

    /// The catalog is the one that was accepted before.
    fn snapshot(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        let answer = self.ask("compile", code);
        let verdict = match answer.get("error") {
            Some(_) => Err(mismatch(&answer)),
            None => self.session.compare(&self.snapshot_name(expectation), &answer["result"]["catalog"]),
        };
        tally.count(expectation.line, code.trim(), "the catalog of the snapshot", verdict);
    }

    /// The section, the case and, if there are several, which of the snapshots it is.
    fn snapshot_name(&self, expectation: &Expectation) -> String {
        let all = self.section.blocks.iter().flat_map(|block| &block.expectations);
        let lines: Vec<usize> =
            all.filter(|one| one.kind == ExpectationKind::Snapshot).map(|one| one.line).collect();
        let mut name = self.section.name.trim_matches('/').replace('/', "--");
        if name.is_empty() {
            name.push_str("chapter");
        }
        if !self.case.name.is_empty() {
            name.push_str("--");
            name.push_str(&read::slug(&self.case.name));
        }
        match lines.iter().position(|line| *line == expectation.line) {
            Some(at) if at > 0 => format!("{name}--{}", at + 1),
            _ => name,
        }
    }

    /// The value of an expression in the environment of the section; `$value` in it is the given value.
    fn evaluate(&self, code: &str, value: Option<&Value>) -> Result<Value, String> {
        let mut params = Map::new();
        if let Some(value) = value {
            params.insert("variables".into(), json!({"value": value}));
        }
        let answer = self.ask_with("eval", code, params);
        match answer.get("error") {
            Some(_) => Err(format!("the claim itself fails: {}", outcome(&answer))),
            None => Ok(answer["result"]["value"].clone()),
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
    ) -> (Answer, Vec<Result<(), Mismatch>>) {
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
        answer: &Answer,
        logs_before: usize,
    ) -> Vec<Result<(), Mismatch>> {
        let new: Vec<&Value> = logs(answer).iter().skip(logs_before).collect();
        let verdict = |(position, (_, claim)): (usize, &(usize, Claim))| match claim {
            Claim::Value(text) => self.has_value(answer, text),
            Claim::Error(message) => {
                if has_error(answer, message) {
                    Ok(())
                } else {
                    Err(mismatch(answer))
                }
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
                let got = format!("{level} [{}]{error}", all.join(", "));
                Err(Mismatch { diagnostic: answer.diagnostic.clone(), ..Mismatch::from(got) })
            }
        };
        claims.iter().enumerate().map(verdict).collect()
    }

    fn has_value(&self, answer: &Answer, text: &str) -> Result<(), Mismatch> {
        let got = &answer["result"];
        if answer.get("error").is_some() {
            return Err(mismatch(answer));
        }
        if let Some(plain) = notation::plain(text) {
            return if notation::same(&plain, &got["value"], true) { Ok(()) } else { Err(mismatch(answer)) };
        }
        let claimed = self.ask("eval", text);
        if claimed.get("error").is_some() {
            return Err(format!("the claim itself fails: {}", outcome(&claimed)).into());
        }
        let claimed = &claimed["result"];
        let equal = notation::same(&claimed["value"], &got["value"], true)
            && claimed["type"] == got["type"]
            && claimed["string"] == got["string"];
        if equal { Ok(()) } else { Err(mismatch(answer)) }
    }

    fn catalog(&self, expectation: &Expectation, code: &str, tally: &mut Tally) {
        let answer = self.ask("compile", code);
        let view = View::new(&answer["result"]["catalog"]);
        let evaluate = |code: &str, value: Option<&Value>| self.evaluate(code, value);
        for (index, entry) in catalog::entries(&expectation.text) {
            let fact = catalog::parse(&entry);
            fact.iter()
                .filter_map(catalog::Fact::subject)
                .for_each(|name| view.find(name).into_iter().for_each(|one| self.session.look_at(one)));
            let verdict = match fact {
                None => Err("a line that the runner does not understand".into()),
                Some(_) if answer.get("error").is_some() => Err(mismatch(&answer)),
                Some(fact) => view.holds(&fact, &evaluate),
            };
            tally.count(expectation.line + index, "", &entry, verdict);
        }
    }

    /// Compares Kukla's error output for the block; the reference has none.
    fn diagnostic(&self, expectation: &Expectation, tally: &mut Tally) {
        let source = Source::new("site.pp", self.program(|_| true));
        let diagnostics = Analysis::new(&source, &Rules::default()).diagnostics;
        let Some(rendered) = self.engine.render(diagnostics) else { return };
        let same = rendered.trim_end() == expectation.text.trim_end();
        let verdict = if same { Ok(()) } else { Err(format!("\n{rendered}").into()) };
        tally.count(expectation.line, "the error output", &format!("\n{}", expectation.text), verdict);
        if !same {
            let lines = expectation.text.lines().count();
            tally.rewrites.push(Rewrite {
                line: expectation.line,
                lines,
                text: rendered.trim_end().to_owned(),
            });
        }
    }

    fn ask(&self, method: &str, code: &str) -> Answer {
        self.ask_with(method, code, Map::new())
    }

    fn ask_with(&self, method: &str, code: &str, mut params: Map<String, Value>) -> Answer {
        if self.block.has_code || method == "eval" {
            params.insert("code".into(), code.into());
        }
        self.session.ask(method, params)
    }

    /// The line of the chapter.
    fn place(&self, line: usize) -> usize {
        self.block.line + line
    }
}

fn logs(answer: &Value) -> &[Value] {
    let logs = answer["result"]["logs"].as_array().or_else(|| answer["logs"].as_array());
    logs.map(Vec::as_slice).unwrap_or_default()
}

/// The messages of a level.
fn of_level<'l>(logs: &'l [Value], level: &'l str) -> impl Iterator<Item = &'l Value> {
    logs.iter().filter(move |log| log["level"] == level)
}

/// Whether one of the errors has this message.
fn has_error(answer: &Answer, message: &Message) -> bool {
    let all = answer["errors"].as_array().map_or(std::slice::from_ref(&answer["error"]), Vec::as_slice);
    all.iter().any(|error| {
        let text = error["message"].as_str().unwrap_or_default();
        error.is_object() && error["kind"] != "request" && message.found_in(error["issue"].as_str(), text)
    })
}

/// The actual outcome, with the error if it is one.
fn mismatch(answer: &Answer) -> Mismatch {
    Mismatch { diagnostic: answer.diagnostic.clone(), ..Mismatch::from(outcome(answer)) }
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
        Some(value) => {
            format!("{} ({})", notation::shown(value), result["type"].as_str().unwrap_or_default())
        }
        None => "a catalog".into(),
    }
}
