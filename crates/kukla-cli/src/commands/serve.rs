//! `kukla serve`: the server that agents talk to.

use std::net::SocketAddr;
use std::path::PathBuf;

use kukla::syntax::Problem;
use kukla::world::policy::{Commands, Writes};
use kukla_server::log::{self, Form, Level};
use kukla_server::run;
use kukla_server::settings::Settings;
use kukla_store::without_password;

use super::server_options::ServerOptions;
use crate::Outcome;
use crate::output::outln;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla serve --check                                       whether all settings are good
  kukla serve                                               as /etc/puppetlabs says
  kukla serve --confdir /srv/puppet --environmentpath ~/environments --listen 127.0.0.1:8140 --set autosign=true")]
pub struct Args {
    /// Say what would be served, and whether anything is wrong with the settings
    #[arg(long)]
    check: bool,
    /// Where to listen; by default what webserver.conf says, or all addresses on port 8140
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// The directory of environments
    #[arg(long, value_name = "DIR")]
    environmentpath: Option<PathBuf>,
    /// The directory of variable data: reports, the file bucket
    #[arg(long, value_name = "DIR")]
    vardir: Option<PathBuf>,
    /// Where facts, catalogs and reports are kept and exported resources come from: sqlite:PATH, postgres://USER@HOST/DATABASE or
    /// puppetdb+https://HOST:8081
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// No certificate authority here: it is on another machine
    #[arg(long)]
    no_ca: bool,
    /// How many catalogs are compiled at once; by default as many as there are processors
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
    /// Commands that generate(), config_version and the like may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "on")]
    commands: Commands,
    /// Directories below which Ruby code may make and change files: off, on (anywhere), or paths separated by commas that begin with / or ./
    #[arg(long, value_name = "POLICY", default_value = "on")]
    writes: Writes,
    /// The least important lines of the log: debug, info, warning, error
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = level)]
    log_level: Level,
    /// How lines of the log look
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
    #[command(flatten)]
    server: ServerOptions,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum LogFormat {
    /// One JSON object a line
    #[default]
    Json,
    /// For people
    Text,
}

fn level(text: &str) -> Result<Level, String> {
    Level::of(text).ok_or_else(|| "debug, info, warning or error".to_owned())
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let form = match args.log_format {
        LogFormat::Json => Form::Json,
        LogFormat::Text => Form::Text,
    };
    log::configure(args.log_level, form);
    match serve(args) {
        Ok(()) => Outcome::Done,
        Err(problem) => Outcome::unable(&problem),
    }
}

fn serve(args: &Args) -> Result<(), String> {
    let mut overrides = args.server.overrides()?;
    overrides.listen = args.listen;
    overrides.without_ca = args.no_ca;
    overrides.threads = args.threads;
    overrides.store.clone_from(&args.store);
    let absolute =
        |path: &PathBuf| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
    for (name, path) in [("environmentpath", &args.environmentpath), ("vardir", &args.vardir)] {
        if let Some(path) = path {
            overrides.settings.push((name.to_owned(), absolute(path)?.display().to_string()));
        }
    }
    let mut settings = Settings::read(&overrides).map_err(|problem| problem.with_help())?;
    settings.policy.commands.clone_from(&args.commands);
    settings.policy.writes.clone_from(&args.writes);
    overrides.policy = Some(settings.policy.clone());
    if args.check {
        return check(&settings);
    }
    run::run(&overrides).map_err(|problem| problem.with_help())
}

/// Says what would be served. Nothing is written: an authority that is not there yet is not made.
fn check(settings: &Settings) -> Result<(), String> {
    outln!("listen            {}", settings.listen);
    outln!("certname          {}", settings.host.certname);
    match &settings.authority {
        Some((layout, practice)) => {
            outln!("authority         {}", layout.directory.display());
            if layout.key.exists() {
                kukla_server::ca::Authority::open(layout.clone(), practice.clone())
                    .map_err(|refusal| Problem::from(refusal).with_help())?;
                if settings.tls.certificate.exists() {
                    kukla_server::tls::Tls::new(settings.tls.clone())
                        .map_err(|problem| problem.with_help())?;
                }
            } else {
                outln!("                  there is none yet; the server makes one when it starts");
            }
        }
        None => {
            outln!("authority         on another machine");
            kukla_server::tls::Tls::new(settings.tls.clone()).map_err(|problem| problem.with_help())?;
        }
    }
    for path in &settings.environmentpath {
        outln!("environments      {}", path.display());
    }
    outln!("catalogs at once  {}", settings.compiling.threads);
    outln!("classifier        {}", settings.classifier.as_deref().unwrap_or("none"));
    outln!("store             {}", settings.store.as_deref().map_or("none".into(), without_password));
    outln!("reports           {}", settings.reports.processors.join(", "));
    outln!("rules             {}", settings.rules.describe().len());
    outln!("all settings are good");
    Ok(())
}
