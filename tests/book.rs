//! One binary runs the whole book and the specification's cases: `cargo test -p kukla-tests -- language/arithmetic`.
//!
//! * `KUKLA_REFERENCE=command` asks another implementation instead (real Puppet), and skips the specification.
//! * `KUKLA_UPDATE=1` rewrites `diagnostic` blocks.
//! * `KUKLA_RATCHET=1` records what holds now, `KUKLA_RATCHET=add` also what is new and does not.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

use kukla::{DiskWorld, Policy, World};
use kukla_cli::render::{self, Findings};
use kukla_test::Project;
use kukla_test::chapters::check;
use kukla_test::chapters::matrix::Case;
use kukla_test::chapters::read::{self, Section};
use kukla_test::chapters::session::ProjectEngine;
use kukla_test::chapters::tally::{self, Rewrite};
use kukla_tests::ratchet::Ratchet;
use kukla_tests::reference;
use kukla_tests::spec::{self, Document, Failing, Question};
use kukla_tests::subject::Subject;
use libtest_mimic::{Arguments, Failed, Trial};

const PARTS: [&str; 5] = ["language", "types", "functions", "catalog", "hiera"];

/// Blocks to rewrite, by chapter.
type Rewrites = BTreeMap<String, Vec<Rewrite>>;

/// The chapters as code under test: they bring all that they need.
static BOOK: LazyLock<Project> = LazyLock::new(|| {
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Project::locate(&world, root, &Policy::default())
});

fn render_errors(diagnostics: Vec<kukla::Diagnostic>) -> String {
    render::plain(&[Findings { diagnostics }])
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match run(&arguments) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let subject = Arc::new(Subject::from_environment()?);
    let ratchet = Arc::new(Mutex::new(Ratchet::load(root.join("ratchet.txt"))));
    let failing = Arc::new(Mutex::new(Failing::load(root.join("spec/failing.txt"))));
    let rewrites = Arc::new(Mutex::new(Rewrites::new()));
    let mut trials = Vec::new();
    let mut names = Vec::new();
    for (file, sections) in chapters(root)? {
        for section in sections {
            names.push(section.name.clone());
            trials.push(section_trial(&subject, &ratchet, &rewrites, &file, section));
        }
    }
    for (place, section) in reference::sections()? {
        // Real Puppet knows only its own functions unless it is given a module.
        if subject.reference().is_none() || section.name.starts_with("doc/core/") {
            names.push(section.name.clone());
            trials.push(section_trial(&subject, &ratchet, &rewrites, &place, section));
        }
    }
    if subject.reference().is_none() {
        let text =
            std::fs::read_to_string(root.join("spec/examples.jsonl")).map_err(|e| format!("spec: {e}"))?;
        for document in spec::documents(&text)?.into_iter().map(Arc::new) {
            for question in [Question::Syntax, Question::Outcome] {
                trials.push(spec_trial(&subject, &failing, &document, question));
            }
        }
    }
    let conclusion = libtest_mimic::run(arguments, trials);
    if !arguments.list {
        report(&lock(&ratchet), &lock(&failing));
    }
    for (file, rewrites) in lock(&rewrites).iter() {
        let path = root.join("..").join(file);
        let chapter = std::fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
        std::fs::write(&path, tally::rewrite(&chapter, rewrites)).map_err(|e| format!("{file}: {e}"))?;
    }
    let record = std::env::var("KUKLA_RATCHET").ok().filter(|_| subject.reference().is_none());
    if let Some(record) = record {
        let exists = |name: &str| names.iter().any(|n| n == name);
        lock(&ratchet).save(exists, record == "add").map_err(|e| e.to_string())?;
        lock(&failing).save().map_err(|e| e.to_string())?;
    }
    Ok(conclusion.exit_code())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn chapters(root: &Path) -> Result<Vec<(String, Vec<Section>)>, String> {
    let mut chapters = Vec::new();
    for part in PARTS {
        let Ok(entries) = std::fs::read_dir(root.join(part)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        files.sort();
        for path in files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let file = format!("tests/{part}/{stem}.md");
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
            let sections = read::read(&format!("{part}/{stem}"), &text)
                .map_err(|m| format!("{file}:{}: {}", m.line, m.problem))?;
            chapters.push((file, sections));
        }
    }
    Ok(chapters)
}

fn section_trial(
    subject: &Arc<Subject>,
    ratchet: &Arc<Mutex<Ratchet>>,
    rewrites: &Arc<Mutex<Rewrites>>,
    file: &str,
    section: Section,
) -> Trial {
    let (subject, ratchet, rewrites) = (Arc::clone(subject), Arc::clone(ratchet), Arc::clone(rewrites));
    let file = file.to_owned();
    Trial::test(section.name.clone(), move || {
        let mut tally = match subject.reference() {
            Some(_) => check::section(&*subject, &file, &section, &Case::default()),
            None => {
                check::section(&ProjectEngine::new(&BOOK, render_errors), &file, &section, &Case::default())
            }
        }?;
        if std::env::var_os("KUKLA_UPDATE").is_some() {
            lock(&rewrites).entry(file.clone()).or_default().append(&mut tally.rewrites);
        }
        if subject.reference().is_none() {
            return lock(&ratchet).record(&section.name, &tally).map_err(Failed::from);
        }
        if tally.broken.is_empty() { Ok(()) } else { Err(tally.describe().into()) }
    })
}

fn spec_trial(
    subject: &Arc<Subject>,
    failing: &Arc<Mutex<Failing>>,
    document: &Arc<Document>,
    question: Question,
) -> Trial {
    let (subject, failing, document) = (Arc::clone(subject), Arc::clone(failing), Arc::clone(document));
    Trial::test(format!("spec/{}/{}", document.name, question.name()), move || {
        let mut fallen = Vec::new();
        for case in &document.cases {
            let Some(outcome) = spec::ask(&subject, case, question) else { continue };
            let id = case["id"].as_str().unwrap_or_default();
            if lock(&failing).record(question, id, outcome.is_ok()) {
                let got = outcome.err().unwrap_or_default();
                fallen.push(format!(
                    "{id}: {}\n    expected {}\n    got      {got}",
                    case["code"], case["expect"]
                ));
            }
        }
        if fallen.is_empty() { Ok(()) } else { Err(fallen.join("\n").into()) }
    })
}

fn report(ratchet: &Ratchet, failing: &Failing) {
    let (held, total) = ratchet.score();
    if total > 0 {
        println!("book: {held}/{total} claims");
    }
    for question in [Question::Syntax, Question::Outcome] {
        let (held, total) = failing.score(question);
        if total > 0 {
            println!("spec {}: {held}/{total} cases", question.name());
        }
    }
    let risen = (ratchet.risen(), failing.risen());
    if risen != (0, 0) {
        println!(
            "{} sections and {} cases do better than recorded: KUKLA_RATCHET=1 records it",
            risen.0, risen.1
        );
    }
}
