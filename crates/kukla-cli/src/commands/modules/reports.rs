//! `kukla mod outdated`, `tree`, `why`, `audit`, `verify` and `sbom`: reports about the lock.

use clap::ValueEnum;
use kukla::syntax::Problem;
use kukla::values::semver::Version;
use kukla_modules::install::{Difference, compare};
use kukla_modules::report::{self, Dependents};
use serde_json::json;

use super::options::{ModuleOptions, site_name};
use crate::output::{outln, write_document};
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns
    #[default]
    Table,
    /// A JSON array
    Json,
}

#[derive(Debug, clap::Args)]
pub struct OutdatedArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print at most this many lines of each changelog; 0 prints none
    #[arg(long, value_name = "N", default_value_t = 0)]
    changes: usize,
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct TreeArgs {
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct WhyArgs {
    /// Name of the module, with or without its author
    module: String,
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct AuditArgs {
    /// The version of Puppet or OpenVox that the modules must support
    #[arg(long, value_name = "VERSION", default_value = "8.11.0")]
    puppet: String,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct SbomArgs {
    #[command(flatten)]
    options: ModuleOptions,
}

/// Prints newer versions.
pub fn outdated(args: &OutdatedArgs) -> CommandResult {
    let modules = args.options.open()?;
    let lock = modules.lock_or_pin()?;
    let outdated = report::outdated(&modules.sources, &lock, &modules.control())?;
    match args.format {
        Format::Table => {
            let mut table = Table::default();
            for module in &outdated {
                table.row([&*module.title, &*module.current, &*module.latest]);
            }
            write_document(&table.text());
            for module in outdated.iter().filter(|module| args.changes > 0 && !module.changes.is_empty()) {
                outln!("\n{} {} to {}:", module.title, module.current, module.latest);
                module
                    .changes
                    .iter()
                    .take(args.changes)
                    .for_each(|line| outln!("{}", format!("  {line}").trim_end()));
                if module.changes.len() > args.changes {
                    outln!("  ({} more lines)", module.changes.len() - args.changes);
                }
            }
        }
        Format::Json => {
            let rows = outdated.iter().map(|module| {
                json!({"module": module.title, "current": module.current, "latest": module.latest, "changes": module.changes.join("\n")})
            });
            write_document(&format!("{:#}\n", rows.collect::<serde_json::Value>()));
        }
    }
    Ok(ExitKind::findings_if(!outdated.is_empty()))
}

/// Prints the tree.
pub fn tree(args: &TreeArgs) -> CommandResult {
    let lock = args.options.open()?.require_lock()?;
    for line in Dependents::new(&lock).tree() {
        let mut text = String::new();
        if let Some((last, levels)) = line.branches.split_last() {
            levels.iter().for_each(|goes_on| text.push_str(if *goes_on { "│   " } else { "    " }));
            text.push_str(if *last { "├── " } else { "└── " });
        }
        text.push_str(line.title);
        match line.module {
            Some(module) => text.push_str(&format!(" {}", module.shown_version())),
            None => text.push_str(" (not installed)"),
        }
        if !line.range.is_empty() {
            text.push_str(&format!("  [{}]", line.range));
        }
        if line.is_repeated {
            text.push_str(" (*)");
        }
        outln!("{text}");
    }
    Ok(ExitKind::Success)
}

/// Prints the ways that lead to a module.
pub fn why(args: &WhyArgs) -> CommandResult {
    let modules = args.options.open()?;
    let lock = modules.require_lock()?;
    let Some(target) = lock.find(&args.module) else {
        outln!("'{}' is not locked", args.module);
        return Ok(ExitKind::Findings);
    };
    if target.declared.is_some() {
        let puppetfile = modules.puppetfile()?;
        let line =
            puppetfile.modules.iter().find(|module| module.title == target.title).map(|module| module.line);
        outln!("{} {}: Puppetfile:{}", target.title, target.shown_version(), line.unwrap_or_default());
    }
    for path in Dependents::new(&lock).paths(target) {
        let steps = path.iter().enumerate().map(|(index, (module, range))| match (index, *range) {
            (0, _) => format!("{} {}", module.title, module.shown_version()),
            (_, "") => format!("requires {}", module.title),
            (_, range) => format!("requires {} {range}", module.title),
        });
        outln!("{}", steps.collect::<Vec<_>>().join(", which "));
    }
    Ok(ExitKind::Success)
}

/// Prints deprecated modules and requirements that do not hold.
pub fn audit(args: &AuditArgs) -> CommandResult {
    let puppet = Version::parse(&args.puppet).map_err(|_| {
        Problem::invalid("invalid version")
            .on(format!("'{}'", args.puppet))
            .help("write all three numbers, such as 8.11.0")
    })?;
    let modules = args.options.open()?;
    let mut lock = modules.lock_or_pin()?;
    modules.fetch(&mut lock)?;
    let findings = report::audit(&modules.sources, &lock, &puppet)?;
    match args.format {
        Format::Table => {
            let mut table = Table::default();
            for finding in &findings {
                table.row([
                    finding.kind.to_string(),
                    format!("{} {}", finding.title, finding.version),
                    finding.message.clone(),
                ]);
            }
            write_document(&table.text());
        }
        Format::Json => {
            let rows = findings.iter().map(|finding| {
                json!({"kind": finding.kind.to_string(), "module": finding.title, "version": finding.version, "message": finding.message})
            });
            write_document(&format!("{:#}\n", rows.collect::<serde_json::Value>()));
        }
    }
    Ok(ExitKind::findings_if(!findings.is_empty()))
}

/// Prints the differences of installed modules from the lock.
pub fn verify(args: &VerifyArgs) -> CommandResult {
    let modules = args.options.open()?;
    let mut lock = modules.require_lock()?;
    modules.fetch(&mut lock)?;
    let mut differing = 0;
    for module in &lock.modules {
        let Some(tree) = module.content.as_ref().and_then(|content| modules.sources.store.tree(content))
        else {
            continue;
        };
        let path = module.path();
        let directory = modules.base.join(&path);
        if !directory.is_dir() {
            outln!("{}: not installed", path.display());
            differing += 1;
            continue;
        }
        let differences = compare(&tree, module.keep_spec, &directory);
        differing += usize::from(!differences.is_empty());
        for difference in &differences {
            let (sign, file) = match difference {
                Difference::Missing(file) => ("missing", file),
                Difference::Changed(file) => ("changed", file),
                Difference::Added(file) => ("added", file),
            };
            outln!("{}/{file}: {sign}", path.display());
        }
    }
    outln!("{} modules, {differing} not as locked", lock.modules.len());
    Ok(ExitKind::findings_if(differing > 0))
}

/// Prints the bill of materials.
pub fn sbom(args: &SbomArgs) -> CommandResult {
    let modules = args.options.open()?;
    let mut lock = modules.lock_or_pin()?;
    modules.fetch(&mut lock)?;
    let bill = report::sbom(&modules.sources, &lock, &site_name(&modules.base));
    write_document(&format!("{bill:#}\n"));
    Ok(ExitKind::Success)
}
