//! The nodes of a control repository as tests: every catalog compiles and keeps to the policies.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kukla::fleet::{
    Control, Finding, Fleet, FleetCompileOptions, FleetCompiler, FleetError, FleetOptions, NodeReport,
};
use kukla::policies::Policies;
use kukla::syntax::Problem;

use crate::model::{Example, Failure, Language, Suite, Verdict};
use crate::project::Project;
use crate::runner::RunOptions;

/// The policies of a control repository: the files in its directory `policies`, if there is one.
pub fn own_policies(project: &Project) -> Vec<PathBuf> {
    let directory = project.root.join("policies");
    let has_files = project.world.list(&directory).iter().any(|entry| entry.name.ends_with(".pp"));
    if has_files { vec![directory] } else { Vec::new() }
}

/// Compiles every node and checks the policies in these files and directories. The results of a node are one example.
pub fn run(project: &Project, policies: &[PathBuf], options: &RunOptions) -> Suite {
    let mut suite = Suite::new(&project.root, Language::Policy);
    match compile(project, policies, options) {
        Ok((reports, compiled)) => {
            suite.compiled = compiled;
            let examples = reports.into_iter().map(|report| example(report, !policies.is_empty()));
            suite.examples = examples.filter(|one| options.filter.includes(&one.full_name())).collect();
        }
        Err(problem) => suite.problem = Some(problem),
    }
    suite
}

fn compile(
    project: &Project,
    policies: &[PathBuf],
    options: &RunOptions,
) -> Result<(Vec<NodeReport<Finding>>, usize), Problem> {
    let policies = Policies::find(&*project.world, policies)?;
    let mut fleet = FleetOptions::of(Control::new(&project.root, Arc::clone(&project.world)));
    fleet.policy = project.policy.clone();
    fleet.modulepath = options.modulepath.clone();
    let compiler = Arc::new(project.compiler_over(Arc::clone(&project.world)));
    let compiler = FleetCompiler { compiler, exchange: None };
    let fleet = Fleet::with_compiler(&fleet, &compiler).map_err(problem)?;
    let compile = FleetCompileOptions {
        policies: Arc::new(policies),
        keep_catalogs: options.coverage.is_some(),
        ..FleetCompileOptions::default()
    };
    let run = fleet.compile::<Finding>(&compile, &()).map_err(problem)?;
    if let Some(coverage) = &options.coverage {
        run.catalogs.values().for_each(|catalog| coverage.count_catalog(catalog));
        coverage.count_data(project, &*project.world);
    }
    let compiled = run.reports.len();
    Ok((run.reports, compiled))
}

fn problem(error: FleetError) -> Problem {
    match error {
        FleetError::Problem(problem) => problem,
        other => Problem::invalid("cannot compile the nodes").because(other),
    }
}

fn example(report: NodeReport<Finding>, has_policies: bool) -> Example {
    let mut failures: Vec<Failure> =
        report.errors.iter().chain(&report.warnings).filter_map(failure).collect();
    failures.extend(report.cycles.iter().map(|cycle| Failure {
        got: Some(cycle.join(" -> ")),
        ..Failure::new("resources depend on each other in a cycle")
    }));
    let claim = if has_policies { "compiles and keeps to the policies" } else { "compiles" };
    Example {
        groups: vec![report.node],
        name: claim.into(),
        case: None,
        line: 1,
        claims: 1,
        verdict: if failures.is_empty() { Verdict::Passed } else { Verdict::Failed(failures) },
        time: Duration::ZERO,
    }
}

/// An error, or a violation that is a warning; log messages of the code do not count.
fn failure(finding: &Finding) -> Option<Failure> {
    match finding {
        Finding::Failure(diagnostic) => {
            let position = diagnostic.position.as_ref();
            Some(Failure {
                file: position.and_then(|position| Some(position.file()?.to_owned())),
                line: position.and_then(|position| position.line()).map(|line| line as usize),
                diagnostic: Some(diagnostic.clone()),
                ..Failure::new(diagnostic.message())
            })
        }
        Finding::Problem(problem) => Some(Failure::new(problem.with_help())),
        Finding::Log(_) => None,
    }
}
