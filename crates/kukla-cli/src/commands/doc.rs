//! `kukla doc`: reference pages in Markdown, made from what the code says about itself.

use std::fmt::Write;

use clap::{CommandFactory, ValueEnum};
use kukla::eval::function::Builtin;
use kukla::eval::registry::{FunctionOrigin, Registered};
use kukla::syntax::Code;

use crate::Outcome;
use crate::args::Cli;
use crate::commands::explain;
use crate::output::out;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the page is about
    subject: Subject,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// The subcommands and their options
    Commands,
    /// The built-in functions: signatures, descriptions, examples
    Functions,
    /// The issue codes, as `kukla explain` tells them
    Codes,
    /// The rules of `kukla check`, as `kukla explain` tells them
    Rules,
}

/// Prints the page.
pub fn run(args: &Args) -> Outcome {
    let page = match args.subject {
        Subject::Commands => commands(),
        Subject::Functions => functions(),
        Subject::Codes => codes(),
        Subject::Rules => rules(),
    };
    out!("{page}");
    Outcome::Done
}

fn commands() -> String {
    // The width of help must not depend on the terminal that happens to print it.
    let mut root = Cli::command().term_width(100);
    root.build();
    let mut page = String::from("# The `kukla` command\n\n");
    let _ = writeln!(
        page,
        "Made by `kukla doc commands`.\n\n```\n{}\n```",
        root.render_long_help().to_string().trim_end()
    );
    for command in root.get_subcommands_mut().filter(|c| c.get_name() != "help") {
        let name = command.get_name().to_owned();
        let help = command.render_long_help().to_string();
        let _ = writeln!(page, "\n## {name}\n\n```\n{}\n```", help.trim_end());
    }
    page
}

fn functions() -> String {
    let registry = kukla::registry();
    let all: Vec<&Registered> = registry.names().into_iter().filter_map(|name| registry.get(name)).collect();
    let mut page = String::from(
        "# Functions\n\nMade by `kukla doc functions`. Every example is a test. All functions are built in; those of \
         puppetlabs-stdlib need no module.\n",
    );
    for (origin, title) in [
        (FunctionOrigin::Core, "Functions of Puppet"),
        (FunctionOrigin::Beside, "Functions of PuppetDB"),
        (FunctionOrigin::Stdlib, "Functions of puppetlabs-stdlib"),
        (FunctionOrigin::FormerStdlib, "Functions of puppetlabs-stdlib before version 9"),
    ] {
        let _ = writeln!(page, "\n## {title}");
        if origin == FunctionOrigin::FormerStdlib {
            let _ = writeln!(page, "\nThey are there when the environment has such a version of the module.");
        }
        for function in all.iter().filter(|f| f.origin == origin) {
            let Builtin { name, doc, .. } = function.builtin;
            let _ = writeln!(page, "\n### {name}\n\n```\n{}\n```", signatures(function.builtin).join("\n"));
            if kukla::functions::stdlib::NEW.contains(name) {
                let _ = writeln!(page, "\nSince version 9 of the module.");
            }
            let lines: Vec<&str> = doc.lines().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
            let _ = writeln!(page, "\n{}", lines.join("\n").trim());
        }
    }
    page.push_str(&versions(&all));
    page
}

/// Which function is in which version of stdlib, and where the newer version does something else.
fn versions(all: &[&Registered]) -> String {
    let registry = kukla::registry();
    let mut table = String::from(
        "\n## Versions of puppetlabs-stdlib\n\nEvery function of stdlib 8.5 and 9.7 is here. A namespaced one does what it does in \
         version 9. An old one does what it did in version 8; with version 9 among the modules it does what it does there, which \
         for most is a warning and a call of the namespaced one.\n\n\
         | function | 8 | 9 | |\n|---|---|---|---|\n",
    );
    for function in all {
        let name = function.builtin.name;
        let Some(versions) = kukla::functions::stdlib::versions(name) else { continue };
        let special = |major| registry.in_stdlib(kukla::values::Name::new(name), major);
        let remark = match special(9).or_else(|| special(8)).map(|special| special.builtin.doc.trim()) {
            _ if function.origin == FunctionOrigin::Core && !versions.nine => "Puppet's own counts",
            Some(doc) if doc.starts_with("Deprecated: use `stdlib::") => "renamed in 9",
            Some(_) if versions.eight => "differs in 9",
            _ => "",
        };
        let mark = |has: bool| if has { "x" } else { "" };
        let _ =
            writeln!(table, "| `{name}` | {} | {} | {remark} |", mark(versions.eight), mark(versions.nine));
    }
    table
}

/// What a function takes and returns, `name(parameters) >> Type`: what tools are told where Puppet advertises less.
fn signatures(builtin: &Builtin) -> Vec<String> {
    let advertised = builtin.overloads.iter().map(|overload| overload.signature);
    let honest: Vec<&str> =
        if builtin.tools.is_empty() { advertised.collect() } else { builtin.tools.to_vec() };
    let write = |signature: &str| match signature.rsplit_once(">> ") {
        Some((parameters, returns)) => format!("{}({}) >> {returns}", builtin.name, parameters.trim_end()),
        None => format!("{}({signature})", builtin.name),
    };
    honest.into_iter().map(write).collect()
}

fn codes() -> String {
    let mut page = String::from("# Issue codes\n\nMade by `kukla doc codes`.\n");
    page.extend(crate::codes().map(section));
    page
}

fn section(code: &Code) -> String {
    format!("\n## {}\n\n{}: {}\n\n{}\n", code.name, explain::severity(code), code.message, code.text())
}

fn rules() -> String {
    let mut page = String::from(
        "# Rules of `kukla check`\n\nMade by `kukla doc rules`. Every example is a test. What can be wrong with a text by itself is in \
         [the issue codes](codes.md).\n\n| rule | is | said |\n|---|---|---|\n",
    );
    for rule in kukla_check::rules::all() {
        let name = rule.name();
        let _ = writeln!(page, "| [{name}](#{name}) | {} | {} |", explain::severity(rule.code), when(rule));
    }
    page.extend(kukla_check::rules::all().map(|rule| section(rule.code)));
    page
}

fn when(rule: &kukla_check::Rule) -> &'static str {
    match rule.when {
        kukla_check::When::Always => "always",
        kukla_check::When::Strict => "with `--strict`",
        kukla_check::When::Unused => "with `--unused`",
        kukla_check::When::Target => "with `--target`",
    }
}
