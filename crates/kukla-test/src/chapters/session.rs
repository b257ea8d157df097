//! Kukla as the engine of chapters: the files of a section lie over those of the project, in memory.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla::exports::CatalogExports;
use kukla::facts::machine::FactSet;
use kukla::fleet::{Control, FleetOptions, FleetSetup};
use kukla::rpc::{self, Request};
use kukla::syntax::Problem;
use kukla::values::{Type, format};
use kukla::world::record::{Question, Record};
use kukla::{CompileOptions, Compiler, Diagnostic, LookupContext, Outcome, Policy, World};
use serde_json::{Map, Value, json};

use super::engine::{Answer, Engine, Session};
use super::matrix;
use super::options::merge;
use super::snapshot::Snapshots;
use super::tally::Mismatch;
use crate::coverage::Collector;
use crate::overlay::Overlay;
use crate::project::{Project, ProjectKind};

/// Kukla on a project.
#[derive(Debug)]
pub struct ProjectEngine<'p> {
    project: &'p Project,
    render: fn(Vec<Diagnostic>) -> String,
    compiled: AtomicUsize,
    /// The fact set of a module whose sections choose none.
    default_facts: OnceLock<Option<String>>,
    /// Counts what the chapter reaches, if that is asked for.
    coverage: Option<Arc<Collector>>,
    snapshots: Option<Snapshots>,
    /// The files that compilations have read, if the world records them.
    inputs: Mutex<BTreeSet<PathBuf>>,
}

impl<'p> ProjectEngine<'p> {
    /// The same, counting what the chapter reaches.
    #[must_use]
    pub fn measuring(self, coverage: Option<Arc<Collector>>) -> ProjectEngine<'p> {
        ProjectEngine { coverage, ..self }
    }

    /// The same, with the snapshots of a chapter.
    #[must_use]
    pub fn with_snapshots(self, snapshots: Snapshots) -> ProjectEngine<'p> {
        ProjectEngine { snapshots: Some(snapshots), ..self }
    }

    /// An engine that renders errors with `render`.
    pub fn new(project: &'p Project, render: fn(Vec<Diagnostic>) -> String) -> ProjectEngine<'p> {
        ProjectEngine {
            project,
            render,
            compiled: AtomicUsize::new(0),
            default_facts: OnceLock::new(),
            coverage: None,
            snapshots: None,
            inputs: Mutex::default(),
        }
    }

    /// The files that compilations have looked for so far, if the world records them.
    pub fn inputs(&self) -> Option<BTreeSet<PathBuf>> {
        self.project.world.ledger()?;
        Some(self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn note(&self, record: Option<&Record>) {
        let (Some(ledger), Some(record)) = (self.project.world.ledger(), record) else { return };
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        for input in ledger.inputs(&record.code).into_iter().chain(ledger.inputs(&record.data)) {
            match input.question {
                Question::Read(path)
                | Question::Data(path)
                | Question::Exists(path)
                | Question::List(path) => {
                    inputs.insert(path);
                }
                _ => {}
            }
        }
    }

    /// The number of catalogs compiled so far.
    pub fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }
}

impl Engine for ProjectEngine<'_> {
    fn open(
        &self,
        file: &str,
        files: &[(String, String)],
        mut params: Map<String, Value>,
    ) -> Result<Box<dyn Session + '_>, String> {
        let project = self.project;
        let environment =
            params.get("environment").and_then(Value::as_str).unwrap_or("production").to_owned();
        // Files of a section lie below its chapter, as if that were a directory; those of a control repository lie in it.
        let home = project.world.resolve(Path::new(file));
        let environments = home.join("environments");
        let root = match project.kind {
            ProjectKind::Control => project.root.clone(),
            _ => environments.join(&environment),
        };
        let mut placed = PlacedFiles { project, home: &home, root: &root, files: Vec::new() };
        for (name, text) in files {
            placed.add(name, text, &mut params)?;
        }
        let mut files = placed.files;
        match project.kind {
            ProjectKind::Plain if files.is_empty() => {
                params.insert("modulepath".into(), json!([]));
            }
            ProjectKind::Plain | ProjectKind::Module(_) => {
                // An environment is a directory, be it empty.
                let conf = root.join("environment.conf");
                if !files.iter().any(|(path, _)| *path == conf) {
                    files.push((conf, Vec::new()));
                }
                params.insert("environmentpath".into(), environments.display().to_string().into());
            }
            ProjectKind::Control => {}
        }
        let has = |directory: &str| files.iter().any(|(path, _)| path.starts_with(root.join(directory)));
        let doubles = Doubles {
            answers: has("answers").then(|| root.join("answers")),
            overrides: has("overrides").then(|| root.join("overrides")),
            exporters: exporters(&files, &root),
            policy: doubled_policy(project, &mut params)?,
        };
        self.choose_facts(&mut params)?;
        let is_plain = files.is_empty() && doubles.policy.is_none();
        let world: Arc<dyn World> = match files.is_empty() {
            true => Arc::clone(&project.world),
            false => Arc::new(Overlay::new(Arc::clone(&project.world), files)),
        };
        let policy = doubles.policy.clone().unwrap_or_else(|| project.policy.clone());
        let policy = Policy { answers: doubles.answers.clone().or(policy.answers), ..policy };
        let compiler = (!is_plain).then(|| project.compiler_over(Arc::clone(&world)).with_policy(policy));
        let mut session = ProjectSession { engine: self, world, compiler, params, root, doubles };
        session.export()?;
        Ok(Box::new(session))
    }

    fn render(&self, diagnostics: Vec<Diagnostic>) -> Option<String> {
        Some((self.render)(diagnostics))
    }
}

impl ProjectEngine<'_> {
    /// Replaces the name of a fact set by its facts, under those that the section changes. A module without any has those of the first
    /// operating system that it supports.
    fn choose_facts(&self, params: &mut Map<String, Value>) -> Result<(), String> {
        let mut name = params.remove("fact_set").and_then(|name| name.as_str().map(str::to_owned));
        if let Some(Value::String(set)) = params.get("facts") {
            name = Some(set.clone());
            params.remove("facts");
        }
        if name.is_none() && self.project.module().is_some() && !params.contains_key("facts") {
            name = self.default_facts.get_or_init(|| first_supported(self.project)).clone();
        }
        let Some(name) = name else { return Ok(()) };
        let set = FactSet::require(&name).map_err(|problem| problem.with_help())?;
        let node =
            params.get("node").and_then(Value::as_str).map_or_else(|| set.default_node(), str::to_owned);
        let mut facts = rpc::rich(&kukla::Value::Hash(set.facts(&node)));
        if let Some(own) = params.get("facts") {
            merge(&mut facts, own);
        }
        params.insert("facts".into(), facts);
        params.insert("node".into(), node.into());
        Ok(())
    }
}

/// The name of the first fact set that a module supports.
fn first_supported(project: &Project) -> Option<String> {
    let cases = matrix::supported(project).ok()?;
    cases.into_iter().find(|case| case.missing.is_none()).map(|case| case.name)
}

/// The files of a section with their paths.
struct PlacedFiles<'a> {
    project: &'a Project,
    home: &'a Path,
    root: &'a Path,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl PlacedFiles<'_> {
    fn add(&mut self, name: &str, text: &str, params: &mut Map<String, Value>) -> Result<(), String> {
        let path = Path::new(name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("`{name}` is not a plain relative path"));
        }
        if name == "facts.json" {
            let facts = serde_json::from_str(text).map_err(|e| format!("facts.json: {e}"))?;
            params.insert("facts".into(), facts);
            return Ok(());
        }
        let in_module = |own| path.strip_prefix("modules").ok()?.strip_prefix(own).ok();
        let target = match self.project.module().and_then(in_module) {
            Some(inside) => self.project.root.join(inside),
            None if name.starts_with("global/") => self.home.join(path),
            None => self.root.join(path),
        };
        if name == "global/hiera.yaml" {
            params.insert("hiera_config".into(), target.display().to_string().into());
        }
        self.files.push((target, text.as_bytes().to_vec()));
        Ok(())
    }
}

/// Replacements for what code would get from others.
#[derive(Debug, Default)]
struct Doubles {
    /// The directory of recorded answers.
    answers: Option<PathBuf>,
    /// The directory of replacements for functions and templates.
    overrides: Option<PathBuf>,
    /// Nodes that export resources, each with its code.
    exporters: Vec<(String, String)>,
    /// The policy with another clock or other random numbers.
    policy: Option<Policy>,
}

/// `exported/web1.example.com.pp`: code of another node, whose exported resources can be collected.
fn exporters(files: &[(PathBuf, Vec<u8>)], root: &Path) -> Vec<(String, String)> {
    let directory = root.join("exported");
    let exporter = |(path, text): &(PathBuf, Vec<u8>)| {
        let name = path.strip_prefix(&directory).ok()?.to_str()?.strip_suffix(".pp")?;
        Some((name.to_owned(), String::from_utf8_lossy(text).into_owned()))
    };
    files.iter().filter_map(exporter).collect()
}

/// The policy with the clock and the random numbers that a section sets.
fn doubled_policy(project: &Project, params: &mut Map<String, Value>) -> Result<Option<Policy>, String> {
    let mut policy = project.policy.clone();
    let mut text =
        |name: &str| params.remove(name).map(|value| value.as_str().unwrap_or_default().to_owned());
    let (clock, randomness) = (text("clock"), text("randomness"));
    if let Some(clock) = &clock {
        let is_time = clock.starts_with(|c: char| c.is_ascii_digit());
        let clock = if is_time { format!("fixed:{clock}") } else { clock.clone() };
        policy.clock = clock.parse().map_err(|problem: Problem| problem.with_help())?;
    }
    if let Some(randomness) = &randomness {
        policy.randomness = randomness.parse().map_err(|problem: Problem| problem.with_help())?;
    }
    Ok((clock.is_some() || randomness.is_some()).then_some(policy))
}

struct ProjectSession<'e> {
    engine: &'e ProjectEngine<'e>,
    /// The world with the files of the section.
    world: Arc<dyn World>,
    /// The compiler that sees the files of the section, if it has any.
    compiler: Option<Compiler>,
    params: Map<String, Value>,
    /// The directory of the environment.
    root: PathBuf,
    doubles: Doubles,
}

impl ProjectSession<'_> {
    fn compiler(&self) -> &Compiler {
        self.compiler.as_ref().unwrap_or(&self.engine.project.compiler)
    }

    /// Compiles the nodes that export resources, and lets the compiler collect them.
    fn export(&mut self) -> Result<(), String> {
        if self.doubles.exporters.is_empty() {
            return Ok(());
        }
        let mut exports = Vec::new();
        for (node, code) in &self.doubles.exporters {
            let params =
                [("node", node), ("code", code)].map(|(name, text)| (name.to_owned(), text.as_str().into()));
            let request = self.request(Map::from_iter(params)).map_err(|problem| problem.with_help())?;
            let options = CompileOptions { keep_virtual: true, ..request.options };
            let site = self.compiler().open(&request.site).map_err(|failure| failure.to_string())?;
            let compiled = site.compile_with(&request.node, options).result;
            let compiled = compiled.map_err(|failure| format!("exported/{node}.pp: {failure}"))?;
            exports.push(compiled.catalog);
        }
        let exports = Arc::new(CatalogExports::of(exports));
        self.compiler = self.compiler.take().map(|compiler| compiler.with_exports(exports));
        self.params.entry("settings").or_insert_with(|| json!({}))["storeconfigs"] = true.into();
        Ok(())
    }

    fn request(&self, params: Map<String, Value>) -> Result<Request, Problem> {
        let mut all = Value::Object(self.params.clone());
        merge(&mut all, &Value::Object(params));
        let Value::Object(all) = all else { return Err(Problem::invalid("invalid options")) };
        let mut request = self.request_of(all)?;
        if let Some(overrides) = &self.doubles.overrides {
            request.site.settings.overrides = Some(overrides.clone());
        }
        Ok(request)
    }

    fn request_of(&self, all: Map<String, Value>) -> Result<Request, Problem> {
        let project = self.engine.project;
        match &project.kind {
            ProjectKind::Plain => Request::from_json(&all),
            ProjectKind::Module(own) => {
                let mut request = Request::from_json(&all)?;
                let inside = self.root.join("modules");
                request.site.modulepath =
                    Some(std::iter::once(inside).chain(project.modulepath.clone()).collect());
                request.site.own_module = Some(own.clone());
                Ok(request)
            }
            ProjectKind::Control => self.control_request(&all),
        }
    }

    /// A request about a node of the control repository, which has the facts, the trusted data and the classes that it has there.
    fn control_request(&self, params: &Map<String, Value>) -> Result<Request, Problem> {
        let project = self.engine.project;
        let mut options = FleetOptions::of(Control::new(&project.root, Arc::clone(&self.world)));
        options.policy = project.policy.clone();
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        options.node = text("node");
        options.environment = text("environment");
        options.code = text("code");
        if !project.modulepath.is_empty() {
            options.modulepath = Some(project.modulepath.clone());
        }
        let chosen = FleetSetup::read(&options)?.choose()?.node;
        let mut request = Request::from_json(params)?;
        let own = std::mem::replace(&mut request.node, chosen.node);
        let settings = std::mem::replace(&mut request.site, chosen.site).settings;
        for (name, value) in params.get("settings").and_then(Value::as_object).into_iter().flatten() {
            request.site.settings.set(name, rpc::from_json(value))?;
        }
        request.site.settings.log_level = settings.log_level;
        let node = &mut request.node;
        for (into, from) in [
            (&mut node.facts, &own.facts),
            (&mut node.server_facts, &own.server_facts),
            (&mut node.variables, &own.variables),
        ] {
            for (name, value) in from {
                into.insert(name.clone(), value.clone());
            }
        }
        if params.contains_key("trusted") {
            node.trusted = own.trusted;
        }
        if params.contains_key("classes") {
            node.classes = own.classes;
        }
        Ok(request)
    }
}

impl Session for ProjectSession<'_> {
    fn compare(&self, name: &str, catalog: &Value) -> Result<(), Mismatch> {
        match &self.engine.snapshots {
            Some(snapshots) => snapshots.compare(&*self.engine.project.world, name, catalog),
            None => Err("there are no snapshots here".into()),
        }
    }

    fn look_at(&self, resource: &Value) {
        let place = resource["file"].as_str().zip(resource["line"].as_u64());
        if let (Some(coverage), Some((file, line))) = (&self.engine.coverage, place) {
            coverage.check(Path::new(file), u32::try_from(line).unwrap_or_default());
        }
    }

    fn ask(&self, method: &str, params: Map<String, Value>) -> Answer {
        let mut params = params;
        let mut text = |name: &str| params.remove(name).and_then(|value| value.as_str().map(str::to_owned));
        let (key, merge) = (text("key"), text("merge"));
        let request = match self.request(params) {
            Ok(request) => request,
            Err(problem) => return refused(&problem),
        };
        let site = match self.compiler().open(&request.site) {
            Ok(site) => site,
            Err(failure) => return failed(failure, &[]),
        };
        let logs = |logs: &[kukla::Log]| -> Value { logs.iter().map(rpc::log).collect() };
        match method {
            "compile" => {
                self.engine.compiled.fetch_add(1, Ordering::Relaxed);
                let outcome = site.compile_with(&request.node, request.options);
                self.engine.note(outcome.record.as_deref());
                match outcome.result {
                    Ok(compiled) => {
                        if let Some(coverage) = &self.engine.coverage {
                            let record = outcome.record.as_deref();
                            coverage.count(self.engine.project, &*self.world, &compiled, record);
                        }
                        let catalog = serde_json::from_str(&compiled.catalog.to_json()).unwrap_or_default();
                        let catalog: Value = catalog;
                        json!({"result": {"catalog": catalog, "logs": logs(&outcome.logs)}}).into()
                    }
                    Err(failure) => failed(failure, &outcome.logs),
                }
            }
            "eval" => {
                let outcome = site.eval(&request.node);
                self.engine.note(outcome.record.as_deref());
                value_answer(outcome)
            }
            "lookup" => {
                let wanted = kukla::eval::data::LookupRequest {
                    keys: key.iter().map(|key| key.as_str().into()).collect(),
                    merge: merge.map(|merge| merge.as_str().into()),
                    ..Default::default()
                };
                let outcome = site.lookup(&request.node, &wanted, LookupContext::Manifest);
                self.engine.note(outcome.record.as_deref());
                let logs = outcome.logs;
                match outcome.result.and_then(|answer| answer.found) {
                    Ok(hit) => {
                        value_answer(Outcome { result: Ok(hit.value), logs, explanation: None, record: None })
                    }
                    Err(failure) => failed(failure, &logs),
                }
            }
            other => refused(&Problem::not_found("unknown method").on(other)),
        }
    }
}

fn value_answer(outcome: Outcome<kukla::Value>) -> Answer {
    match outcome.result {
        Ok(value) => {
            let logs: Value = outcome.logs.iter().map(rpc::log).collect();
            json!({"result": {
                "value": rpc::rich(&value),
                "string": format::interpolate(&value).as_str(),
                "type": Type::of(&value).to_string(),
                "logs": logs,
            }})
            .into()
        }
        Err(failure) => failed(failure, &outcome.logs),
    }
}

fn failed(failure: Box<Diagnostic>, logs: &[kukla::Log]) -> Answer {
    let errors = rpc::errors(&failure);
    let logs: Value = logs.iter().map(rpc::log).collect();
    let json = json!({"error": errors.first(), "errors": errors, "logs": logs});
    Answer { json, diagnostic: Some(failure) }
}

fn refused(problem: &Problem) -> Answer {
    json!({"error": {"kind": "request", "issue": "BAD_REQUEST", "message": problem.with_help()}}).into()
}
