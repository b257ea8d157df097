//! `kukla serve`: the server for agents.

use std::net::SocketAddr;
use std::path::PathBuf;

use kukla::syntax::Problem;
use kukla::world::policy::{Commands, Files, Reach, Variables, Writes};
use kukla_server::log::{self, Form, Level};
use kukla_server::run;
use kukla_server::settings::{Role, Settings};

use super::server_options::ServerOptions;
use crate::files::absolute;
use crate::output::out;
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla serve --check                                       check the settings
  kukla serve                                               with the settings of /etc/puppetlabs
  kukla serve --confdir /srv/puppet --environmentpath ~/environments --listen 127.0.0.1:8140 --set autosign=true")]
pub struct Args {
    /// Check and print the settings, without serving
    #[arg(long)]
    check: bool,
    /// Print a unit for systemd, for /etc/systemd/system/kukla.service
    #[arg(long, conflicts_with = "check")]
    print_unit: bool,
    /// Listen on this address [default: from webserver.conf, or all addresses on port 8140]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Directory of environments [default: the setting environmentpath]
    #[arg(long, value_name = "DIR")]
    environmentpath: Option<PathBuf>,
    /// Directory of variable data: reports, the file bucket [default: the setting vardir]
    #[arg(long, value_name = "DIR")]
    vardir: Option<PathBuf>,
    /// Keep facts, catalogs and reports in this store, and collect exported resources from it: sqlite:PATH,
    /// postgres://USER@HOST/DATABASE or puppetdb+https://HOST:8081
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// File with the password of the user in --store [default: the environment variable KUKLA_STORE_PASSWORD]
    #[arg(long, value_name = "FILE", requires = "store")]
    store_password_file: Option<PathBuf>,
    /// Part of the work that this process does [default: all, or the setting role of kukla.toml]
    #[arg(long, value_enum, value_name = "ROLE")]
    role: Option<RoleName>,
    /// Do not run a certificate authority: it is on another machine; the same as --role compiler
    #[arg(long, conflicts_with = "role")]
    no_ca: bool,
    /// Compile at most this many catalogs at once [default: the number of processors]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
    /// Commands that generate(), config_version and the like may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "on")]
    commands: Commands,
    /// Directories in which Ruby code may create and change files: off, on (anywhere), or paths separated by commas that begin with /
    /// or ./
    #[arg(long, value_name = "POLICY", default_value = "on")]
    writes: Writes,
    /// Files that code and data may read: repository (the environment's directory), modules (also the module path and data
    /// directories), or any; append further paths, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Environment variables that code and data may read: off, data (any that data names), on, or names separated by commas [default:
    /// data; off with --files repository or modules]
    #[arg(long, value_name = "POLICY")]
    env: Option<Variables>,
    /// Log only messages of this level and above: debug, info, warning, error
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = parse_level)]
    log_level: Level,
    /// Format of the log
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
    #[command(flatten)]
    server: ServerOptions,
}

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum LogFormat {
    /// One JSON object per line
    #[default]
    Json,
    /// Plain text
    Text,
}

/// The part of a server's work that a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RoleName {
    /// Everything
    All,
    /// Only the certificate authority: no code is compiled beside its key
    Ca,
    /// Everything but the certificate authority, whose key is not read
    Compiler,
}

fn parse_level(text: &str) -> Result<Level, Problem> {
    Level::of(text).ok_or_else(|| Problem::invalid("expected debug, info, warning or error"))
}

/// The unit of systemd, hardened as far as a server needs nothing more.
const UNIT: &str = include_str!("../../../../contrib/systemd/kukla.service");

/// Serves until the server is stopped.
pub fn run(args: &Args) -> CommandResult {
    if args.print_unit {
        out!("{UNIT}");
        return Ok(ExitKind::Success);
    }
    let form = match args.log_format {
        LogFormat::Json => Form::Json,
        LogFormat::Text => Form::Text,
    };
    log::configure(args.log_level, form);
    let mut overrides = args.server.overrides()?;
    overrides.listen = args.listen;
    overrides.without_ca = args.no_ca;
    overrides.role = args.role.map(|role| match role {
        RoleName::All => Role::All,
        RoleName::Ca => Role::Ca,
        RoleName::Compiler => Role::Compiler,
    });
    overrides.threads = args.threads;
    #[cfg(feature = "modules")]
    {
        overrides.deployer = Some(super::deploy::deployer());
    }
    args.store.as_deref().into_iter().for_each(super::stores::warn_of_password);
    overrides.store.clone_from(&args.store);
    overrides.store_password_file = args.store_password_file.clone();
    overrides.store_password =
        args.store_password_file.as_deref().map(super::stores::read_password).transpose()?;
    for (name, path) in [("environmentpath", &args.environmentpath), ("vardir", &args.vardir)] {
        if let Some(path) = path {
            overrides.settings.push((name.to_owned(), absolute(path)?.display().to_string()));
        }
    }
    let mut settings = Settings::read(&overrides)?;
    settings.policy.commands.clone_from(&args.commands);
    settings.policy.writes.clone_from(&args.writes);
    settings.policy.files.clone_from(&args.files);
    settings.policy.variables = match (&args.env, args.files.reach) {
        (Some(variables), _) => variables.clone(),
        (None, Reach::Any) => settings.policy.variables,
        (None, Reach::Repository | Reach::Modules) => Variables::Off,
    };
    overrides.policy = Some(settings.policy.clone());
    crate::memory::forbid_inspection();
    match args.check {
        true => check(&settings)?,
        false => run::run(&overrides)?,
    }
    Ok(ExitKind::Success)
}

/// Checks and prints the settings. Writes nothing: a missing authority is not created.
fn check(settings: &Settings) -> Result<(), Problem> {
    let mut has_files = settings.tls.certificate.exists() || settings.authority.is_none();
    let mut table = Table::default();
    for (name, value) in settings.summary() {
        table.row([name, &value]);
        if name == "authority"
            && let Some((layout, practice)) = &settings.authority
        {
            if layout.key.exists() {
                kukla_server::ca::Authority::open(layout.clone(), practice.clone())?;
            } else {
                table.row(["", "not found; the server creates it when it starts"]);
                has_files = false;
            }
        }
    }
    if has_files {
        kukla_server::tls::Tls::new(settings.tls.clone(), settings.listen.is_some())?;
    }
    out!("{}all settings are valid\n", table.text());
    Ok(())
}
