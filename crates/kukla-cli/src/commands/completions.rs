//! `kukla completions`: completion scripts for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::output;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla completions bash > ~/.local/share/bash-completion/completions/kukla
  kukla completions zsh > ~/.zfunc/_kukla            with fpath+=~/.zfunc before compinit
  kukla completions fish > ~/.config/fish/completions/kukla.fish")]
pub struct Args {
    /// Shell to write the script for
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> CommandResult {
    output::write_document(&script(args.shell));
    Ok(ExitKind::Success)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kukla", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_completes_commands_and_options() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for name in ["compile", "node-facts", "completions", "pull"] {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }
}
