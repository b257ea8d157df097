//! `kukla man`: the manual pages of the commands, for `man`.

use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use kukla::syntax::Problem;

use super::suggestion::with_suggestion;
use crate::args::Cli;
use crate::output::{self, errln};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla man compile | man -l -
  kukla man --output ~/.local/share/man/man1          every page, for `man kukla-compile`")]
pub struct Args {
    /// Command to print the page of, such as `compile` or `facts pull` [default: kukla itself]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write the pages of all commands to DIR
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints one page, or writes all of them.
pub fn run(args: &Args) -> CommandResult {
    let pages = pages()?;
    let Some(directory) = &args.output else {
        let name = std::iter::once("kukla")
            .chain(args.command.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("-");
        let Some(page) = pages.iter().find(|page| page.name == name) else {
            let known = args.command.join(" ");
            let names: Vec<String> =
                pages.iter().map(|page| page.name.replacen("kukla-", "", 1).replace('-', " ")).collect();
            let problem = Problem::not_found("unknown command").on(format!("'{known}'"));
            return Err(with_suggestion(problem, &known, names.iter().map(String::as_str)));
        };
        output::write_document(&page.text);
        return Ok(ExitKind::Success);
    };
    let files: Vec<(PathBuf, String)> =
        pages.into_iter().map(|page| (directory.join(format!("{}.1", page.name)), page.text)).collect();
    std::fs::create_dir_all(directory).map_err(|error| Problem::io("create", directory, &error))?;
    output::write_files(&files)?;
    errln!("kukla: wrote {} pages to {}", files.len(), directory.display());
    Ok(ExitKind::Success)
}

/// A manual page.
struct Page {
    /// Its name, such as `kukla-facts-pull`.
    name: String,
    text: String,
}

/// The pages of all commands, in the order of the help.
fn pages() -> Result<Vec<Page>, Problem> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    add(&mut pages, &root)?;
    Ok(pages)
}

fn add(pages: &mut Vec<Page>, command: &Command) -> Result<(), Problem> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut text = Vec::new();
    let man = Man::new(command.clone()).source(concat!("kukla ", env!("CARGO_PKG_VERSION"))).manual("Kukla");
    let rendered = man.render(&mut text);
    rendered.map_err(|error| Problem::from_io("cannot write the page of", &error).on(&name))?;
    pages.push(Page { name, text: String::from_utf8_lossy(&text).into_owned() });
    // `kukla help` is not a command of its own.
    let subcommands = command.get_subcommands().filter(|one| one.get_name() != "help" && !one.is_hide_set());
    let mut subcommands = subcommands;
    subcommands.try_for_each(|subcommand| add(pages, subcommand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_options() {
        let pages = pages().unwrap();
        let page = |name: &str| &pages.iter().find(|page| page.name == name).unwrap().text;
        assert!(page("kukla").contains("kukla\\-compile") || page("kukla").contains("kukla-compile"));
        assert!(page("kukla-compile").contains("node\\-facts"));
        assert!(page("kukla-facts-pull").contains("exclude"));
        assert!(pages.iter().all(|page| page.text.contains(".TH") && !page.name.ends_with("-help")));
    }
}
