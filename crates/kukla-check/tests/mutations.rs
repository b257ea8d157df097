//! No misses: working code is broken in one place after the other, and what makes a compilation fail must be reported without compiling,
//! at the line that was changed or at one that the compiler names.
//!
//! The example site is broken everywhere. `KUKLA_MUTATE_ROOT=DIR cargo test -p kukla-check --test mutations -- --nocapture` does
//! the same to a control repository of one's own, with `KUKLA_MUTATE_MANIFESTS` a directory of site manifests to compile one after the
//! other, `KUKLA_MUTATE_FACTS` the facts of the node, `KUKLA_MUTATE_MOST` how many mutations that fail to look at and `KUKLA_MUTATE_STEP` of how
//! many mutations to try one.

#![allow(clippy::disallowed_methods)] // a test reads what it is told to

mod edited;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::facts::FactFile;
use kukla::syntax::ast::Expr;
use kukla::syntax::{Source, Span, SyntaxKind as K};
use kukla::world::World;
use kukla::{Compiler, Node, SiteSpec};
use kukla_check::repository::Shape;
use kukla_check::{Checker, Options};

use edited::Edited;

/// How many lines a statement may go on for.
const LONGEST: u32 = 20;

/// A change of a text.
#[derive(Debug)]
struct Mutation {
    what: &'static str,
    span: Span,
    text: String,
}

/// Everything in a manifest that can be broken.
fn mutations(source: &Source) -> Vec<Mutation> {
    let parse = kukla::syntax::parse(source);
    let mut found = Vec::new();
    let mut add = |what, span: Span, text: String| found.push(Mutation { what, span, text });
    for node in parse.tree.elements() {
        let text = node.text();
        match node.kind() {
            K::Variable if !matches!(text, "$facts" | "$title" | "$name" | "$trusted") => {
                add("variable", node.span(), format!("{text}x"));
            }
            K::Attribute => {
                if let Some(name) = node.children().next() {
                    add("attribute", name.span(), format!("{}x", name.text()));
                }
                if let Some(value) = node.children().nth(2)
                    && matches!(value.kind(), K::SqString | K::Number | K::TrueKw | K::FalseKw | K::Name)
                {
                    add("value", value.span(), "{ 'wrong' => [1] }".into());
                }
            }
            K::Resource => {
                if let Some(name) = node.children().next().filter(|name| name.kind() == K::Name) {
                    add("resource type", name.span(), format!("{}x", name.text()));
                }
            }
            K::TypeName => add("type", node.span(), format!("{text}x")),
            K::Call | K::StatementCall => {
                let Some(Expr::Call(call)) = Expr::cast(node) else { continue };
                if let Expr::Name(name) = call.function() {
                    if node.kind() == K::Call {
                        add("function", name.span(), format!("{}x", name.name()));
                    }
                    let arguments: Vec<Expr<'_>> = call.arguments().collect();
                    if matches!(name.name(), "include" | "contain" | "require") {
                        for argument in &arguments {
                            add(
                                "class",
                                argument.span(),
                                format!("{}x", argument.syntax().text().trim_matches(['\'', '"'])),
                            );
                        }
                    } else if let [first, .., last] = &arguments[..] {
                        add("dropped argument", Span::new(first.span().end, last.span().end), String::new());
                    }
                }
            }
            K::Access => {
                if let Some(Expr::Access(access)) = Expr::cast(node)
                    && let Expr::Variable(variable) = access.left()
                    && variable.name() == "facts"
                    && let Some(Expr::String(key)) = access.keys().next()
                {
                    add("fact", key.span(), format!("'{}x'", key.value()));
                }
            }
            _ => {}
        }
    }
    found
}

#[derive(Debug, Default)]
struct Score {
    failed: usize,
    reported: usize,
    by_kind: BTreeMap<&'static str, (usize, usize)>,
    missed: Vec<String>,
}

struct Bench {
    world: Arc<Edited>,
    compiler: Compiler,
    checker: Checker,
    spec: SiteSpec,
    node: Node,
}

impl Bench {
    fn new(root: &Path, manifest: Option<PathBuf>, facts: &Path) -> Bench {
        let world = Arc::new(Edited::default());
        let read = std::fs::read(facts).unwrap();
        let facts = FactFile::parse(&read, "facts").unwrap().remove(0);
        let mut node = Node::named(facts.node_name().unwrap_or("node.example.com"));
        node.facts = facts.facts;
        let options = Options {
            extra: manifest.iter().cloned().collect(),
            only: vec!["/".into()],
            ..Options::default()
        };
        let shared: Arc<dyn World> = Arc::clone(&world) as Arc<dyn World>;
        Bench {
            compiler: Compiler::new(Arc::clone(&world)),
            checker: Checker::new(shared, root.to_owned(), Shape::Control, options),
            spec: SiteSpec { manifest, ..SiteSpec::at(root) },
            node,
            world,
        }
    }

    /// Why a compilation fails, if it does, and all places that are told for it.
    fn fails(&self) -> Option<(String, Vec<(String, u32)>)> {
        let wrong = match self.compiler.open(&self.spec) {
            Ok(site) => site.compile(&self.node).result.err()?,
            Err(wrong) => wrong,
        };
        let mut places = Vec::new();
        let mut next = Some(&*wrong);
        while let Some(wrong) = next {
            let place = wrong.place.as_ref();
            places.extend(place.and_then(|place| Some((place.file()?.to_owned(), place.line()?))));
            next = wrong.cause.as_deref();
        }
        Some((wrong.to_string(), places))
    }

    /// The places that something is said about.
    fn reported(&mut self) -> Vec<(String, u32)> {
        let report = self.checker.check().unwrap();
        let places = report.findings.iter().filter_map(|found| found.diagnostic.place.as_ref());
        places.filter_map(|place| Some((place.file()?.to_owned(), place.line()?))).collect()
    }

    fn mutate(&mut self, file: &Path, step: usize, score: &mut Score) {
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let source = Source::new(file.to_string_lossy().as_ref(), text.as_str());
        let known = self.reported();
        for mutation in mutations(&source).into_iter().step_by(step) {
            let range = mutation.span.range();
            let changed = format!("{}{}{}", &text[..range.start], mutation.text, &text[range.end..]);
            self.world.set(file, Some(changed.into_bytes()));
            if let Some((error, mut places)) = self.fails() {
                let line = source.line_column(mutation.span.start).line;
                // What is defined under another name is missed where it is used, which is where the compiler says so, too.
                places.push((file.to_string_lossy().into_owned(), line));
                let found = self.reported();
                // A statement goes on over some lines, and the compiler names its first.
                let is_at = |place: &(String, u32)| {
                    places
                        .iter()
                        .any(|(file, line)| place.0 == *file && (*line..line + LONGEST).contains(&place.1))
                };
                let is_reported = found.iter().any(|place| is_at(place) && !known.contains(place));
                let entry = score.by_kind.entry(mutation.what).or_default();
                score.failed += 1;
                entry.0 += 1;
                if is_reported {
                    score.reported += 1;
                    entry.1 += 1;
                } else {
                    let first = error.lines().next().unwrap_or_default().to_owned();
                    let was = &text[range];
                    score.missed.push(format!(
                        "{}:{line}: {} `{was}`: {first}",
                        file.display(),
                        mutation.what
                    ));
                }
            }
        }
        self.world.set(file, None);
    }
}

fn manifests(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "pp") {
            found.push(path);
        }
    }
}

#[test]
fn the_example_site() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site").canonicalize().unwrap();
    let mut bench = Bench::new(&root, None, &root.join("facts/web1.example.com.json"));
    assert!(bench.fails().is_none());
    let mut files = Vec::new();
    manifests(&root, &mut files);
    let mut score = Score::default();
    for file in files {
        bench.mutate(&file, 1, &mut score);
    }
    let missed = score.missed.join("\n");
    assert!(score.failed >= 100, "only {} mutations fail", score.failed);
    assert!(score.reported * 100 >= score.failed * 90, "{} of {}\n{missed}", score.reported, score.failed);
}

#[test]
fn a_repository_of_ones_own() {
    let var = |name: &str| std::env::var(name).ok();
    let Some(root) = var("KUKLA_MUTATE_ROOT").map(PathBuf::from) else {
        println!("skipped: KUKLA_MUTATE_ROOT names no repository");
        return;
    };
    let facts = PathBuf::from(var("KUKLA_MUTATE_FACTS").expect("KUKLA_MUTATE_FACTS"));
    let step: usize = var("KUKLA_MUTATE_STEP").and_then(|step| step.parse().ok()).unwrap_or(1);
    let most: usize = var("KUKLA_MUTATE_MOST").and_then(|most| most.parse().ok()).unwrap_or(5000);
    let mut cases = Vec::new();
    match var("KUKLA_MUTATE_MANIFESTS") {
        Some(directory) => manifests(Path::new(&directory), &mut cases),
        None => cases.push(root.join("manifests/site.pp")),
    }
    let mut score = Score::default();
    let mut seen = std::collections::BTreeSet::new();
    for case in cases {
        let mut bench = Bench::new(&root, Some(case.clone()), &facts);
        if bench.fails().is_some() {
            continue;
        }
        let site = bench.compiler.open(&bench.spec).unwrap();
        let catalog = site.compile(&bench.node).result.unwrap();
        let mut files: Vec<PathBuf> = catalog
            .resources
            .iter()
            .filter_map(|one| one.file.as_ref().map(|file| PathBuf::from(file.as_str())))
            .collect();
        files.push(case);
        files.sort();
        files.dedup();
        for file in files {
            if seen.insert(file.clone()) && score.failed < most {
                bench.mutate(&file, step, &mut score);
                score.missed.drain(..).for_each(|missed| println!("{missed}"));
            }
        }
        eprintln!("{} of {} {:?}", score.reported, score.failed, score.by_kind);
    }
    println!("{:#?}", score.by_kind);
    println!("{} of {} mutations that fail are reported", score.reported, score.failed);
    assert!(score.failed > 0 && score.reported * 100 >= score.failed * 90);
}
