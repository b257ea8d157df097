//! `kukla compile --all`: the catalogs of many nodes.

use std::collections::BTreeSet;

use kukla::fleet::{Fleet, FleetCompileOptions, FleetCompiler, FleetOptions, FleetRun, FleetSetup};
use kukla::syntax::Problem;

use super::formats::{self, FleetFormat, Printed};
use super::report::RenderedMessage;
use super::{Args, profile, watch};
use crate::commands::progress::ProgressLine;
use crate::commands::{cache, fleet};
use crate::memory::keep_until_exit;
use crate::output::{self, err, errln};
use crate::{CommandResult, ExitKind};

/// Compiles all nodes and prints their results.
pub fn run(args: &Args) -> CommandResult {
    let format = args.format::<FleetFormat>()?;
    crate::make_pool();
    let options = fleet_options(args)?;
    let compile = compile_options(args)?;
    FleetSetup::read(&options)?.require_code()?;
    let compiler = keep_until_exit(FleetCompiler::new(&options)?);
    if args.watch {
        return watch::run(args, &options, &compile, &compiler);
    }
    let compiled = Fleet::with_compiler(&options, &compiler).and_then(|fleet| {
        let run = fleet.compile::<RenderedMessage>(&compile, &ProgressLine::default())?;
        Ok((fleet, run))
    });
    let (nodes, run) = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return fleet::report(error),
    };
    if let Some(unsettled) = &run.unsettled {
        output::report(&Problem::from(unsettled.clone()));
    }
    if let Some(path) = &args.profile {
        profile::show(&run.profile, path)?;
    }
    let Printed { out, err } = formats::render(&run.reports, args.failing(), format);
    err!("{err}");
    output::write_document(&out);
    if run.skipped > 0 {
        let nothing_stored = if options.store.is_some() { ", and nothing is stored" } else { "" };
        errln!(
            "kukla: stopped at the first failure; {} nodes were not compiled{nothing_stored}",
            run.skipped
        );
    }
    explain_cache(args, &run);
    let failed: BTreeSet<&str> = run
        .reports
        .iter()
        .filter(|report| !report.errors.is_empty())
        .map(|report| report.node.as_str())
        .collect();
    let failed_nodes = nodes.members().filter(|member| failed.contains(member.name.as_str()));
    let failed_nodes = failed_nodes.filter_map(|member| member.node.ok());
    // A command that no catalog required, such as that of `config_version`, is not worth a permission.
    if !failed.is_empty() {
        fleet::report_commands(&compiler.commands_to_allow(&options, failed_nodes)?);
    }
    let is_incomplete = run.skipped > 0 && options.store.is_some();
    let failed = is_incomplete || run.has_failures(args.failing());
    match run.cache_problem {
        Some(problem) => Err(problem),
        None => Ok(ExitKind::findings_if(failed)),
    }
}

/// Prints the reasons that nodes were compiled, if they are wanted.
pub fn explain_cache(args: &Args, run: &FleetRun<RenderedMessage>) {
    if args.explain_cache {
        for (node, reason) in &run.compiled_because {
            errln!("{node} was compiled: {reason}");
        }
    }
}

fn fleet_options(args: &Args) -> Result<FleetOptions, Problem> {
    let mut options = args.target.options(args.path())?;
    options.selection = args.selection.read()?;
    options.record_inputs = args.cache.is_some() || args.watch;
    options.exchanges = options.store.is_some();
    let refused = [
        (args.cache.is_some(), "--cache", "other nodes may export other resources at any time"),
        (args.watch, "--watch", "an edit may affect nodes that collect exported resources"),
    ];
    let refused = refused.iter().find(|(is_used, ..)| *is_used && options.store.is_some());
    match refused {
        Some((_, option, why)) => {
            Err(Problem::invalid(format!("{option} cannot be used with --store")).because(why))
        }
        None => Ok(options),
    }
}

fn compile_options(args: &Args) -> Result<FleetCompileOptions, Problem> {
    if let Some(directory) = &args.output {
        std::fs::create_dir_all(directory).map_err(|error| Problem::io("create", directory, &error))?;
    }
    let directory = match (&args.cache, args.watch) {
        (Some(directory), _) => Some(directory.clone()),
        (None, true) => Some(cache::default_directory()?),
        (None, false) => None,
    };
    Ok(FleetCompileOptions {
        keep_virtual: args.keep_virtual,
        validate: args.validate,
        profile: args.profile.is_some(),
        policies: args.policies()?,
        fail_fast: args.fail_fast,
        fail_on: args.failing(),
        cache: directory.as_deref().map(cache::options),
        output: args.output.clone(),
        ..FleetCompileOptions::default()
    })
}
