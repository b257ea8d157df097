//! The results of compiling and checking a broken text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::facts::FactFile;
use kukla::syntax::{Severity, Source};
use kukla::world::World;
use kukla::{Compiler, Node, SiteSpec};
use kukla_check::repository::{Module, Shape, Survey};
use kukla_check::{Checker, Options};

use super::mutation::{self, Mutation};
use super::statement::Statements;
use crate::edited::Edited;

/// A file and a line of it.
pub type FileLine = (String, u32);

/// The location of a report, relative to the mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// In the changed line.
    Line,
    /// In the changed statement.
    Statement,
    /// Where the changed name is used, which is where the compiler reports the error.
    Use,
    /// Elsewhere.
    Elsewhere,
    /// No report.
    Missed,
}

/// The outcome of a mutation.
#[derive(Debug)]
pub struct Outcome {
    /// The mutation.
    pub mutation: Mutation,
    /// The file that it is in.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The original text.
    pub was: String,
    /// The error of the compilation, if it fails.
    pub error: Option<String>,
    /// The location of the report.
    pub verdict: Verdict,
    /// New reports of errors: rule, line and message.
    pub reports: Vec<(String, FileLine, String)>,
    /// Whether the statement is run, if that is known.
    pub is_reached: Option<bool>,
}

/// A control repository in which one file after the other is broken.
pub struct Bench {
    world: Arc<Edited>,
    compiler: Compiler,
    checker: Checker,
    spec: SiteSpec,
    node: Node,
    root: PathBuf,
    known: BTreeSet<(String, FileLine)>,
}

impl Bench {
    /// A repository with a site manifest and the facts of a node.
    pub fn new(root: &Path, manifest: Option<PathBuf>, facts: &Path) -> Bench {
        let world = Arc::new(Edited::default());
        let read = std::fs::read(facts).unwrap();
        let facts = FactFile::parse(&read, "facts").unwrap().remove(0);
        let mut node = Node::named(facts.node_name().unwrap_or("node.example.com"));
        node.facts = facts.facts;
        let options = Options { manifest: manifest.clone(), only: vec!["/".into()], ..Options::default() };
        let shared: Arc<dyn World> = Arc::clone(&world) as Arc<dyn World>;
        Bench {
            compiler: Compiler::new(Arc::clone(&world)),
            checker: Checker::new(shared, root.to_owned(), Shape::Control, options),
            spec: SiteSpec { manifest, ..SiteSpec::at(root) },
            node,
            root: root.to_owned(),
            world,
            known: BTreeSet::new(),
        }
    }

    /// The files that a compilation reads, if it succeeds.
    pub fn files(&mut self) -> Option<Vec<PathBuf>> {
        if self.fails().is_some() {
            return None;
        }
        let seen = self.world.seen();
        self.limit(&seen);
        let found = self.reports();
        self.known = found.into_iter().map(|(rule, place, ..)| (rule, place)).collect();
        Some(seen)
    }

    /// Hides all modules but those that a compilation reads and their dependencies, as in a repository for these nodes.
    fn limit(&self, seen: &[PathBuf]) {
        let Ok(survey) = Survey::of(&*self.world, &self.root, Shape::Control, &[], None) else { return };
        let is_read = |module: &Module| seen.iter().any(|path| path.starts_with(&module.root));
        let mut wanted: Vec<&Module> = survey.modules.iter().filter(|module| is_read(module)).collect();
        let mut at = 0;
        while at < wanted.len() {
            for name in wanted[at].dependencies() {
                let module = survey.module(&name).filter(|new| wanted.iter().all(|one| one.name != new.name));
                wanted.extend(module);
            }
            at += 1;
        }
        let is_hidden = |module: &&Module| wanted.iter().all(|one| one.name != module.name);
        self.world.hide(survey.modules.iter().filter(is_hidden).map(|module| module.root.clone()).collect());
    }

    /// The error of a compilation, if it fails, and all lines that it names.
    fn fails(&self) -> Option<(String, Vec<FileLine>)> {
        let wrong = match self.compiler.open(&self.spec) {
            Ok(site) => site.compile(&self.node).result.err()?,
            Err(wrong) => wrong,
        };
        let mut places = Vec::new();
        let mut next = Some(&*wrong);
        while let Some(wrong) = next {
            let place = wrong.position.as_ref();
            places.extend(place.and_then(|place| Some((place.file()?.to_owned(), place.line()?))));
            next = wrong.cause.as_deref();
        }
        Some((wrong.to_string().lines().next().unwrap_or_default().to_owned(), places))
    }

    /// All reports: rule, line, severity and message.
    fn reports(&mut self) -> Vec<(String, FileLine, Severity, String)> {
        let report = self.checker.check().unwrap();
        let each = report.findings.iter().filter_map(|found| {
            let place = found.diagnostic.position.as_ref()?;
            let place = (place.file()?.to_owned(), place.line()?);
            let wrong = &found.diagnostic;
            Some((wrong.code.name.to_owned(), place, wrong.severity, wrong.message()))
        });
        each.collect()
    }

    /// Breaks a file in at most `most` places of each kind; `seed` chooses which.
    pub fn break_file(&mut self, file: &Path, most: usize, seed: usize, done: &mut dyn FnMut(Outcome)) {
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let name = file.to_string_lossy().into_owned();
        let source = Source::new(name.as_str(), text.as_str());
        let (all, statements) = if name.ends_with("hiera.yaml") {
            (mutation::of_hierarchy(&source), None)
        } else if name.ends_with(".yaml") || name.ends_with(".json") {
            (mutation::of_data(&source), None)
        } else {
            let parse = if name.ends_with(".epp") {
                kukla::syntax::parse_epp(&source)
            } else {
                kukla::syntax::parse(&source)
            };
            (mutation::of_code(&parse.tree), Some(Statements::of(&parse.tree)))
        };
        let mut by_kind: BTreeMap<&str, Vec<Mutation>> = BTreeMap::new();
        for one in all {
            by_kind.entry(one.kind).or_default().push(one);
        }
        for (_, mutations) in by_kind {
            let step = mutations.len().div_ceil(most);
            for mutation in mutations.into_iter().skip(seed % step.max(1)).step_by(step.max(1)) {
                let outcome = self.outcome(file, &source, statements.as_ref(), mutation);
                done(outcome);
            }
        }
        self.world.set(file, None);
    }

    fn set(&self, file: &Path, text: &str, from: usize, to: usize, by: &str) {
        self.world.set(file, Some(format!("{}{by}{}", &text[..from], &text[to..]).into_bytes()));
    }

    fn outcome(
        &mut self,
        file: &Path,
        source: &Source,
        statements: Option<&Statements>,
        mutation: Mutation,
    ) -> Outcome {
        let (text, name) = (source.text(), file.to_string_lossy().into_owned());
        let range = mutation.span.range();
        self.set(file, text, range.start, range.end, &mutation.text);
        let failed = self.fails();
        let is_asked = failed.is_some() || mutation.span.start.is_multiple_of(3);
        let found = if is_asked { self.reports() } else { Vec::new() };
        let line = source.line_column(mutation.span.start).line;
        let new: Vec<_> = found
            .into_iter()
            .filter(|(rule, place, ..)| !self.known.contains(&(rule.clone(), place.clone())))
            .collect();
        // A deletion begins at the line of the text before it.
        let (first, last) =
            statements.map_or((line, line), |statements| statements.lines(source, mutation.span.start));
        let uses = failed.iter().flat_map(|(_, places)| places).filter(|_| mutation.is_definition);
        let uses: Vec<FileLine> = uses.cloned().collect();
        // A report that names the removed text is about a use of it.
        let lost = text[range.clone()].trim_matches(['$', '\'', '"']);
        let names = |words: &str| {
            let mut quoted = words.split('`').skip(1).step_by(2);
            quoted.any(|name| {
                name.trim_start_matches(['$', '@']).split("::").any(|part| part == lost) || name == lost
            })
        };
        let verdict = new.iter().map(|(_, place, _, words)| {
            if place.0 == name && place.1 == line {
                Verdict::Line
            } else if place.0 == name && (first..=last).contains(&place.1) {
                Verdict::Statement
            } else if uses.iter().any(|used| used.0 == place.0 && self.is_in_statement(used, place))
                || mutation.is_definition && names(words)
            {
                Verdict::Use
            } else {
                Verdict::Elsewhere
            }
        });
        let verdict = verdict.min().unwrap_or(Verdict::Missed);
        let errors = new.into_iter().filter(|(_, _, severity, _)| *severity == Severity::Error);
        let reports: Vec<_> = errors.map(|(rule, place, _, words)| (rule, place, words)).collect();
        let mut is_reached = failed.is_some().then_some(true);
        if failed.is_none()
            && !reports.is_empty()
            && let Some(door) = statements.and_then(|statements| statements.door(mutation.span.start))
        {
            self.set(file, text, door as usize, door as usize, " fail('reached') ");
            is_reached = Some(self.fails().is_some());
        }
        Outcome {
            was: text[range].to_owned(),
            mutation,
            file: file.to_owned(),
            line,
            error: failed.map(|(error, _)| error),
            verdict,
            reports,
            is_reached,
        }
    }

    /// Whether a line is in the statement whose first line the compiler names.
    fn is_in_statement(&self, named: &FileLine, place: &FileLine) -> bool {
        let Ok(bytes) = self.world.read(Path::new(&named.0)) else { return false };
        let source = Source::new(named.0.as_str(), String::from_utf8_lossy(&bytes).as_ref());
        let parse = kukla::syntax::parse(&source);
        let (first, last) = Statements::of(&parse.tree).lines_around(&source, named.1);
        (first..=last).contains(&place.1)
    }
}
