//! `kukla test`: runs chapters and RSpec suites.

mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use kukla::diff::Changes;
use kukla::syntax::Problem;
use kukla::{Diagnostic, DiskWorld, World};
use kukla_test::coverage::{self, CoverageFormat, CoverageReport};
use kukla_test::discovery::TestFile;
use kukla_test::generate::{self, GenerateOptions};
use kukla_test::model::{Counts, Suite};
use kukla_test::mutation::{self, Mutant, MutationReport};
use kukla_test::report::{self, Format, ReportOptions};
use kukla_test::runner::{self, Filter, RunOptions};
use kukla_test::{Project, ProjectKind, discovery, fleet};

use super::options::ExcerptOptions;
use super::policy::PolicyOptions;
use crate::output::{errln, out, outln, write_document, write_file};
use crate::render::{self, Findings, difference, human};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla test                                 all tests of the module or control repository of the current directory
  kukla test tests/ntp.md:12                 the test around line 12
  kukla test --filter servers                tests with `servers` in their name
  kukla test --coverage --coverage=coverage.html
  kukla test --format junit --output results.xml")]
pub struct Args {
    /// Chapters (*.md), RSpec files (*_spec.rb), directories to search, or FILE:LINE [default: the module or control repository of the
    /// current directory]
    paths: Vec<PathBuf>,
    /// Run only tests whose full name contains TEXT, in any case of letters; can be repeated
    #[arg(long, short = 'k', value_name = "TEXT")]
    filter: Vec<String>,
    /// Output format: human, junit, tap, json or github
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Write the results to FILE, and for people to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List the tests that passed, too
    #[arg(long, short)]
    verbose: bool,
    /// Print the names of the tests instead of running them
    #[arg(long)]
    list: bool,
    /// Start no further file after the first failure
    #[arg(long)]
    fail_fast: bool,
    /// Print the N slowest tests, and times in JUnit and JSON
    #[arg(long, value_name = "N")]
    slowest: Option<usize>,
    /// Directories of modules, separated by colons [default: those of the control repository; of a module, spec/fixtures/modules, modules and
    /// the directory around it if that has modules]
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Option<Vec<PathBuf>>,
    /// Accept the catalogs of today as snapshots (`snapshot` blocks), in place of the earlier ones
    #[arg(long)]
    accept: bool,
    /// Run the files of tests that an edit touches, as soon as it is made
    #[arg(long, conflicts_with_all = ["list", "coverage", "mutate", "generate"])]
    watch: bool,
    /// Of a control repository: also compile the catalog of every node, as a test of its own
    #[arg(long)]
    nodes: bool,
    /// Of a control repository: check the catalogs of all nodes against the policies in PATH, a file or a directory with `*.pp` files; can be
    /// repeated [default: the directory `policies`, if the whole repository is tested]
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Also compile every class and defined type with N inputs that their types allow, and report the smallest that fails [default: 100]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100")]
    generate: Option<usize>,
    /// With --generate: the seed of the first input
    #[arg(long, value_name = "NUMBER", default_value_t = generate::DEFAULT_SEED, requires = "generate")]
    seed: u64,
    /// Change the code in one place after the other, and list the changes that no test notices; at most N of them [default: 500]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "500")]
    mutate: Option<usize>,
    /// Measure which lines, branches, parameters, resources and data keys the tests reach: print a table, or write FILE in the format of
    /// its ending: .html (a page with annotated source), .info (lcov), .xml (Cobertura), .json, .txt; can be repeated
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    coverage: Vec<PathBuf>,
    /// Fail if the tests reach less than PERCENT of all lines
    #[arg(long, value_name = "PERCENT", requires = "coverage")]
    min_lines: Option<f64>,
    /// Fail if the tests reach less than PERCENT of all branches
    #[arg(long, value_name = "PERCENT", requires = "coverage")]
    min_branches: Option<f64>,
    #[command(flatten)]
    excerpts: ExcerptOptions,
    #[command(flatten)]
    access: PolicyOptions,
}

pub fn run(args: &Args) -> CommandResult {
    args.excerpts.apply();
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    let options = RunOptions {
        filter: Filter { texts: args.filter.clone(), line: None },
        fail_fast: args.fail_fast,
        modulepath: args.modulepath.clone(),
        policy: args.access.policy(),
        render: render_errors,
        list: args.list,
        accept: args.accept,
        show_changes,
        parsed: None,
        record: false,
        coverage: (!args.coverage.is_empty() || args.mutate.is_some()).then(Arc::default),
    };
    let paths = match args.paths.is_empty() {
        true => vec![Project::locate(&world, &files::current_directory(), &options.policy).root],
        false => args.paths.clone(),
    };
    let root = Project::locate(&world, &paths[0], &options.policy).root;
    let (world, _) = super::locked_modules::install(world, &root, false, None)?;
    let found = discovery::find(&*world, &paths)?;
    let mut project = Project::locate(&world, &paths[0], &options.policy);
    if let Some(collector) = &options.coverage {
        project.measure(collector);
    }
    // The whole repository is under test if it is named itself.
    let is_whole = paths.iter().any(|path| world.resolve(path) == project.root);
    let policies = match args.policy.is_empty() && is_whole {
        true => fleet::own_policies(&project),
        false => args.policy.clone(),
    };
    let nodes = Some(project).filter(|project| {
        project.kind == ProjectKind::Control && !args.list && (args.nodes || !policies.is_empty())
    });
    if found.is_empty() && nodes.is_none() && args.generate.is_none() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Problem::not_found("no tests in").on(names.join(", ")).help(
            "chapters are `tests/**/*.md`, RSpec files `*_spec.rb`; `kukla new test` writes a first chapter",
        ));
    }
    crate::make_pool();
    if args.watch {
        let root = Project::locate(&world, &paths[0], &options.policy).root;
        return watch::run(args, &world, &paths, &root, &options);
    }
    let mut suites = runner::run(&world, &found, &options, &());
    if let Some(count) = args.generate.filter(|_| !args.list) {
        let inputs = GenerateOptions { count, seed: args.seed };
        generate::check(inputs)?;
        let project = Project::locate(&world, &paths[0], &options.policy);
        suites.extend(generate::run(&project, &policies, inputs, &options));
    }
    if let Some(project) = &nodes {
        suites.push(fleet::run(project, &policies, &options));
    }
    if args.list {
        print_names(&suites, args);
    } else {
        print(args, &suites)?;
    }
    let mut too_little = false;
    if let Some(collector) = &options.coverage {
        let project = Project::locate(&world, &paths[0], &options.policy);
        let report = CoverageReport::new(&project, collector);
        too_little = report_coverage(args, &report)?;
        if let Some(most) = args.mutate.filter(|_| suites.iter().all(Suite::passed)) {
            too_little |= mutate(&project, &found, &report, &options, most);
        }
    }
    let counts = Counts::of(&suites);
    if counts.examples() == 0 && counts.broken == 0 && !args.filter.is_empty() {
        return Err(Problem::not_found("no test matches").on(args.filter.join(", ")));
    }
    Ok(match counts {
        Counts { broken: 1.., .. } => ExitKind::Failure,
        Counts { failed, .. } => ExitKind::findings_if(failed > 0 || too_little),
    })
}

fn print(args: &Args, suites: &[Suite]) -> Result<(), Problem> {
    let options = report_options(args);
    let document = report::render(suites, args.format, &options);
    match &args.output {
        Some(file) => {
            write_file(file, document.as_bytes())?;
            write_document(&report::render(suites, Format::Human, &options));
        }
        None => write_document(&document),
    }
    Ok(())
}

/// Writes the coverage of the project; whether it is less than it must be.
fn report_coverage(args: &Args, report: &CoverageReport) -> Result<bool, Problem> {
    for file in &args.coverage {
        let document = coverage::render(report, CoverageFormat::of_file(file));
        match file.as_os_str() == "-" {
            true => out!("\n{document}"),
            false => write_file(file, document.as_bytes())?,
        }
    }
    let totals = report.totals();
    let mut too_little = false;
    for (name, ratio, least) in
        [("lines", totals.lines, args.min_lines), ("branches", totals.branches, args.min_branches)]
    {
        if let Some(least) = least.filter(|least| ratio.percent() < *least) {
            errln!("the tests reach {:.1}% of all {name}; at least {least}% are required", ratio.percent());
            too_little = true;
        }
    }
    Ok(too_little)
}

/// Changes the code, and prints the changes that no test notices; whether there are any.
fn mutate(
    project: &Project,
    files: &[TestFile],
    report: &CoverageReport,
    options: &RunOptions,
    most: usize,
) -> bool {
    let options = RunOptions {
        parsed: Some(Arc::new(project.compiler_over(Arc::clone(&project.world)))),
        ..options.clone()
    };
    let MutationReport { survivors, total, left_out } = mutation::run(project, files, report, &options, most);
    for Mutant { file, line, before, after, .. } in &survivors {
        outln!("\n{file}:{line}: no test notices this change:");
        before.lines().for_each(|text| outln!("  - {text}"));
        after.lines().for_each(|text| outln!("  + {text}"));
    }
    let noticed = total - survivors.len();
    let further =
        if left_out > 0 { format!("; {left_out} further changes were left out") } else { String::new() };
    outln!("\nchanges: {noticed} of {total} are noticed{further}");
    !survivors.is_empty()
}

fn report_options(args: &Args) -> ReportOptions {
    ReportOptions {
        here: files::current_directory(),
        verbose: args.verbose,
        slowest: args.slowest,
        excerpt: render_error,
    }
}

fn print_names(suites: &[Suite], args: &Args) {
    let options = report_options(args);
    for suite in suites {
        for example in &suite.examples {
            outln!("{}:{} {}", options.path(&suite.file), example.line, example.full_name());
        }
    }
}

fn render_errors(diagnostics: Vec<Diagnostic>) -> String {
    render::plain(&[Findings { diagnostics }])
}

fn show_changes(changes: &Changes) -> String {
    anstream::adapter::strip_str(&difference::human(changes)).to_string()
}

fn render_error(diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    human::source_excerpt(&mut out, diagnostic, None);
    anstream::adapter::strip_str(&out).to_string()
}
