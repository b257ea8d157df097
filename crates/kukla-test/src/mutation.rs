//! Mutation testing: which small change of a manifest does no test notice?
//!
//! Every mutant is a file with one change, over the files of the project. Only statements that the tests reach are changed: the others are
//! already in the coverage report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::syntax::ast::Expr;
use kukla::syntax::{Source, Span, SyntaxKind, parse};
use kukla::world::World;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::coverage::CoverageReport;
use crate::discovery::TestFile;
use crate::overlay::Overlay;
use crate::project::Project;
use crate::runner::{self, RunOptions};

/// A file with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The file, absolute.
    pub path: PathBuf,
    /// The file, relative to the project.
    pub file: String,
    /// The line of the change.
    pub line: u32,
    /// The text before the change.
    pub before: String,
    /// The text after it.
    pub after: String,
    text: String,
}

/// The result of a mutation run.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The mutants that no test noticed.
    pub survivors: Vec<Mutant>,
    /// The number of mutants that ran.
    pub total: usize,
    /// The number of mutants that were left out because there are too many.
    pub left_out: usize,
}

/// Changes the files of a project one place at a time, at most `most` places, and runs the tests on each.
pub fn run(
    project: &Project,
    files: &[TestFile],
    report: &CoverageReport,
    options: &RunOptions,
    most: usize,
) -> MutationReport {
    let mut mutants = Vec::new();
    for file in report.files.iter().filter(|file| file.path.ends_with(".pp")) {
        let path = project.root.join(&file.path);
        let reached = |line: u32| {
            file.lines.range(..=line).next_back().is_some_and(|(_, count)| *count > 0)
                || file.parameters.iter().any(|one| one.line == line && one.is_defaulted)
        };
        mutants
            .extend(of_text(&path, &file.path, &file.text).into_iter().filter(|mutant| reached(mutant.line)));
    }
    let all = mutants.len();
    let mutants = sample(mutants, most);
    let options = RunOptions { fail_fast: true, coverage: None, ..options.clone() };
    let survives = |mutant: &&Mutant| {
        let changed = [(mutant.path.clone(), mutant.text.clone().into_bytes())];
        let world: Arc<dyn World> = Arc::new(Overlay::new(Arc::clone(&project.world), changed));
        runner::run(&world, files, &options, &()).iter().all(|suite| suite.passed())
    };
    let survivors: Vec<Mutant> = mutants.par_iter().filter(survives).cloned().collect();
    MutationReport { survivors, total: mutants.len(), left_out: all - mutants.len() }
}

/// As many mutants as there may be, spread evenly.
fn sample(mutants: Vec<Mutant>, most: usize) -> Vec<Mutant> {
    let all = mutants.len();
    if all <= most {
        return mutants;
    }
    let chosen = |at: &usize| at * most / all != (at + 1) * most / all;
    mutants.into_iter().enumerate().filter(|(at, _)| chosen(at)).map(|(_, mutant)| mutant).collect()
}

/// The mutants of a text that still parse.
pub fn of_text(path: &Path, file: &str, text: &str) -> Vec<Mutant> {
    let source = Source::new(file, text);
    let parsed = parse(&source);
    let mut changes: Vec<(Span, String)> = Vec::new();
    for node in parsed.tree.root().descendants() {
        changes.extend(token(node.kind(), node.text()).map(|after| (node.span(), after)));
        match Expr::cast(node) {
            Some(Expr::If(test)) => {
                for branch in test.branches() {
                    changes.push((branch.test().span(), negated(text, branch.test().span())));
                }
            }
            Some(Expr::Unless(test)) => changes.push((test.test().span(), negated(text, test.test().span()))),
            _ => {}
        }
        if node.kind() == SyntaxKind::Attribute {
            changes.push((with_comma(text, node.span()), String::new()));
        }
        if matches!(node.kind(), SyntaxKind::Block | SyntaxKind::Manifest) {
            let statements = node.children().filter_map(Expr::cast);
            let is_declaration = |expr: &Expr<'_>| {
                matches!(expr, Expr::Resource(_) | Expr::Collector(_) | Expr::ResourceOverride(_))
            };
            changes.extend(statements.filter(is_declaration).map(|expr| (expr.span(), String::new())));
        }
    }
    changes.sort_by_key(|(span, _)| (span.start, span.end));
    changes.dedup();
    let mutant = |(span, after): (Span, String)| {
        let mutated = format!("{}{after}{}", &text[..span.start as usize], &text[span.end as usize..]);
        let is_valid =
            !parse(&Source::new(file, mutated.as_str())).diagnostics.iter().any(|one| one.is_error());
        is_valid.then(|| Mutant {
            path: path.to_owned(),
            file: file.to_owned(),
            line: source.line_column(span.start).line,
            before: text[span.range()].trim().to_owned(),
            after,
            text: mutated,
        })
    };
    changes.into_iter().filter_map(mutant).collect()
}

fn negated(text: &str, span: Span) -> String {
    format!("!({})", &text[span.range()])
}

/// A range with the comma after it.
fn with_comma(text: &str, span: Span) -> Span {
    let rest = &text[span.end as usize..];
    let blank = rest.len() - rest.trim_start().len();
    match rest.trim_start().starts_with(',') {
        true => Span::new(span.start, span.end + blank as u32 + 1),
        false => span,
    }
}

/// Another token that is as valid in most places.
fn token(kind: SyntaxKind, text: &str) -> Option<String> {
    Some(match kind {
        SyntaxKind::EqualsEquals => "!=".into(),
        SyntaxKind::NotEquals => "==".into(),
        SyntaxKind::Match => "!~".into(),
        SyntaxKind::NoMatch => "=~".into(),
        SyntaxKind::Less => "<=".into(),
        SyntaxKind::LessEquals => "<".into(),
        SyntaxKind::Greater => ">=".into(),
        SyntaxKind::GreaterEquals => ">".into(),
        SyntaxKind::AndKw => "or".into(),
        SyntaxKind::OrKw => "and".into(),
        SyntaxKind::TrueKw => "false".into(),
        SyntaxKind::FalseKw => "true".into(),
        SyntaxKind::Notify => "->".into(),
        SyntaxKind::Number => (text.parse::<i64>().ok()?.checked_add(1)?).to_string(),
        SyntaxKind::Name => match text {
            "present" | "installed" | "latest" | "file" | "directory" | "link" => "absent".into(),
            "absent" => "present".into(),
            "running" => "stopped".into(),
            "stopped" => "running".into(),
            _ => return None,
        },
        SyntaxKind::SqString if text.len() > 2 => format!("{}~'", &text[..text.len() - 1]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_text() {
        let text = "class a (Boolean $x = true) {\n  if $x {\n    file { '/a': ensure => file, mode => '0644' }\n  }\n}\n";
        let mutants = of_text(Path::new("/a.pp"), "a.pp", text);
        let shown: Vec<String> = mutants
            .iter()
            .map(|mutant| format!("{}: {} → {}", mutant.line, mutant.before, mutant.after))
            .collect();
        for expected in [
            "1: true → false",
            "2: $x → !($x)",
            "3: file → absent",
            "3: mode => '0644' → ",
            "3: '0644' → '0644~'",
        ] {
            assert!(shown.iter().any(|one| one == expected), "{expected}: {shown:#?}");
        }
        assert!(
            shown.iter().any(|one| one.starts_with("3: file { '/a'") && one.ends_with("→ ")),
            "{shown:#?}"
        );
        assert_eq!(sample(mutants.clone(), 3).len(), 3);
    }
}
