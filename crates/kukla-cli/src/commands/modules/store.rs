//! `kukla mod store`: the store of modules.

use std::time::Duration;

use kukla::syntax::Problem;

use super::options::StoreArgs;
use crate::output::outln;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Delete modules that were not used for some time and that no directory has links to
    Gc {
        /// Delete modules that were not used for this long: 7d, 12h, 30m
        #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30d")]
        unused_for: Duration,
        /// Delete nothing, print what would be deleted
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Print the directory of the store
    Path {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Runs the subcommand.
pub fn run(command: &Command) -> CommandResult {
    match command {
        Command::Gc { unused_for, dry_run, store } => {
            let collection = store.open()?.collect(*unused_for, *dry_run)?;
            let verb = if *dry_run { "would delete" } else { "deleted" };
            outln!(
                "{verb} {} modules, {} files and {} git repositories: {:.1} MB",
                collection.trees,
                collection.objects,
                collection.repositories,
                collection.bytes as f64 / 1e6
            );
        }
        Command::Path { store } => outln!("{}", store.open()?.root().display()),
    }
    Ok(ExitKind::Success)
}

/// A duration: `14d`, `12h`, `30m`, `90s`.
fn parse_duration(text: &str) -> Result<Duration, Problem> {
    let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
    let duration = units.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*seconds).map(Duration::from_secs)
    });
    duration.ok_or_else(|| Problem::invalid("expected a number and a unit, for example 14d, 12h, 30m or 90s"))
}
