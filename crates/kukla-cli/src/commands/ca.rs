//! `kukla ca`: the certificate authority at hand.

use std::path::PathBuf;
use std::time::Duration;

use kukla::syntax::Problem;
use kukla_server::ca::doctor::{self, Grade};
use kukla_server::ca::import::{self, AuthorityFiles};
use kukla_server::ca::setup::{self, HostFiles};
use kukla_server::ca::status::{State, Status};
use kukla_server::ca::{Authority, CertificateOptions, Refusal, time};
use kukla_server::settings::Settings;

use super::server_options::ServerOptions;
use crate::Outcome;
use crate::output::{errln, outln};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla ca setup                                make an authority, and the server's own certificate
  kukla ca list                                 requests that wait
  kukla ca sign web1.example.com
  kukla ca revoke web1.example.com
  kukla ca doctor                               what ends when, and what is wrong")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List requests that wait; with --all certificates as well
    List {
        /// Nodes to list; all without any
        #[arg(value_name = "NODE")]
        names: Vec<String>,
        /// Certificates that are signed or revoked as well
        #[arg(long, short)]
        all: bool,
        /// How to print them
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Sign requests
    Sign {
        /// Whose requests
        #[arg(value_name = "NODE", required_unless_present = "all")]
        names: Vec<String>,
        /// All that wait
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// For how long they are valid, as 90d or 5y; by default what ca_ttl says
        #[arg(long, value_name = "TIME", value_parser = duration)]
        ttl: Option<Duration>,
    },
    /// Revoke all certificates that nodes were ever given
    Revoke {
        /// Whose certificates
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
    },
    /// Revoke certificates and remove them, so that their nodes can ask for new ones
    Clean {
        /// Whose certificates
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
    },
    /// Make keys and certificates for nodes that did not ask
    Generate {
        /// For whom
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
        /// Further names they are valid for, separated by commas: web.example.com, IP:10.0.0.1
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        alt_names: Vec<String>,
        /// An extension, as pp_role=web; may be given several times
        #[arg(long = "extension", value_name = "NAME=VALUE")]
        extensions: Vec<String>,
        /// For how long they are valid, as 90d or 5y; by default what ca_ttl says
        #[arg(long, value_name = "TIME", value_parser = duration)]
        ttl: Option<Duration>,
    },
    /// Make an authority, and the server's own certificate
    Setup {
        /// Further names the server's certificate is valid for, separated by commas; by default dns_alt_names, or puppet
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        alt_names: Vec<String>,
    },
    /// Bring in an authority whose certificate another one has signed
    Import {
        /// The certificates: the one that signs, and those above it
        #[arg(long, value_name = "FILE")]
        cert_bundle: PathBuf,
        /// The private key of the one that signs
        #[arg(long, value_name = "FILE")]
        private_key: PathBuf,
        /// The lists of what they have revoked, one for each
        #[arg(long, value_name = "FILE")]
        crl_chain: PathBuf,
    },
    /// Tell what ends when, and what is wrong
    Doctor,
}

/// How certificates are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For machines
    Json,
}

fn duration(text: &str) -> Result<Duration, String> {
    time::duration(text).ok_or_else(|| "a duration is a number of seconds, or as 90d, 12h, 5y".to_owned())
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    match act(args) {
        Ok(outcome) => outcome,
        Err(problem) => Outcome::unable(&problem),
    }
}

fn act(args: &Args) -> Result<Outcome, String> {
    let settings = Settings::read(&args.server.overrides()?).map_err(|problem| problem.with_help())?;
    let Some((layout, practice)) = settings.authority.clone() else {
        return Err("services.d/ca.cfg says that there is no certificate authority here".to_owned());
    };
    let host = &settings.host;
    let told = |refusal: Refusal| Problem::from(refusal).with_help();
    match &args.action {
        Action::Setup { alt_names } => {
            let authority = setup::make(&layout, practice, &host.certname).map_err(told)?;
            let names = if alt_names.is_empty() { &settings.alt_names } else { alt_names };
            setup::make_host(&authority, host, names).map_err(told)?;
            outln!("The authority is in {}", layout.directory.display());
            outln!("The certificate of {} is {}", host.certname, host.certificate().display());
            return Ok(Outcome::Done);
        }
        Action::Import { cert_bundle, private_key, crl_chain } => {
            let read =
                |path: &PathBuf| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
            let (certificates, key, lists) = (read(cert_bundle)?, read(private_key)?, read(crl_chain)?);
            let files = AuthorityFiles { certificates: &certificates, key: &key, lists: &lists };
            let authority = import::import(&layout, practice, files).map_err(told)?;
            setup::make_host(&authority, host, &settings.alt_names).map_err(told)?;
            outln!("The authority is in {}", layout.directory.display());
            return Ok(Outcome::Done);
        }
        _ => {}
    }
    let authority = Authority::open(layout, practice).map_err(told)?;
    match &args.action {
        Action::List { names, all, format } => list(&authority, names, *all, *format).map_err(told),
        Action::Sign { names, all, ttl } => {
            let names =
                if *all { authority.requested().map_err(|error| error.to_string())? } else { names.clone() };
            if names.is_empty() {
                outln!("No requests wait");
            }
            Ok(each(&names, "signed", |name| authority.sign(name, *ttl).map(|_| ())))
        }
        Action::Revoke { names } => Ok(each(names, "revoked", |name| {
            authority.revoke(&[name.to_owned()])?;
            setup::publish(&authority, host)
        })),
        Action::Clean { names } => Ok(each(names, "cleaned", |name| {
            if authority.knows(name)? {
                authority.revoke(&[name.to_owned()])?;
                setup::publish(&authority, host)?;
            }
            if authority.delete(name)? {
                Ok(())
            } else {
                Err(Refusal::missing(format!("Could not find a certificate for {name}")))
            }
        })),
        Action::Generate { names, alt_names, extensions, ttl } => {
            let extensions = extensions.iter().map(|each| {
                let (name, value) = each
                    .split_once('=')
                    .ok_or_else(|| format!("--extension {each}: it is written as NAME=VALUE"))?;
                Ok::<_, String>((name.to_owned(), value.to_owned()))
            });
            let wanted = CertificateOptions {
                alt_names: alt_names.clone(),
                extensions: extensions.collect::<Result<_, _>>()?,
                lifetime: *ttl,
            };
            Ok(each(names, "made", |name| {
                let (key, certificate) = authority.generate(name, &wanted)?;
                let files = HostFiles { ssldir: host.ssldir.clone(), certname: name.to_owned() };
                setup::write_host(&files, &key, &certificate)?;
                outln!("{name}: {} and {}", files.certificate().display(), files.key().display());
                Ok(())
            }))
        }
        Action::Doctor => examine(&authority, host).map_err(told),
        Action::Setup { .. } | Action::Import { .. } => Ok(Outcome::Done),
    }
}

/// Does something for each name, and goes on after one that fails.
fn each(names: &[String], done: &str, act: impl Fn(&str) -> Result<(), Refusal>) -> Outcome {
    let mut outcome = Outcome::Done;
    for name in names {
        match act(name) {
            Ok(()) => outln!("{name}: {done}"),
            Err(refusal) => {
                errln!("kukla: {name}: {refusal}");
                outcome = Outcome::Found;
            }
        }
    }
    outcome
}

fn list(authority: &Authority, names: &[String], all: bool, format: Format) -> Result<Outcome, Refusal> {
    let found = authority.statuses((!all && names.is_empty()).then_some(State::Requested))?;
    let found: Vec<Status> =
        found.into_iter().filter(|status| names.is_empty() || names.contains(&status.name)).collect();
    if format == Format::Json {
        let all: Vec<_> = found.iter().map(Status::to_json).collect();
        outln!("{}", serde_json::Value::Array(all));
    } else {
        if found.is_empty() && names.is_empty() {
            outln!("No certificates to list");
        }
        for (title, state) in [
            ("Requested Certificates:", State::Requested),
            ("Signed Certificates:", State::Signed),
            ("Revoked Certificates:", State::Revoked),
        ] {
            section(title, found.iter().filter(|status| status.state == state).collect());
        }
    }
    let missing: Vec<&String> =
        names.iter().filter(|name| !found.iter().any(|status| status.name == **name)).collect();
    for name in &missing {
        errln!("kukla: there is no certificate of {name}, nor a request");
    }
    Ok(if missing.is_empty() { Outcome::Done } else { Outcome::Found })
}

fn section(title: &str, all: Vec<&Status>) {
    if all.is_empty() {
        return;
    }
    let width = all.iter().map(|status| status.name.len()).max().unwrap_or(0);
    outln!("{title}");
    for status in all {
        let mut line = format!("    {:width$}  (SHA256)  {}", status.name, status.fingerprints.sha256);
        if !status.alt_names.is_empty() {
            line.push_str(&format!("  alt names: {}", status.alt_names.join(", ")));
        }
        if !status.authorization.is_empty() {
            let rights: Vec<String> =
                status.authorization.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            line.push_str(&format!("  authorization extensions: {}", rights.join(", ")));
        }
        outln!("{line}");
    }
}

fn examine(authority: &Authority, host: &HostFiles) -> Result<Outcome, Refusal> {
    let findings = doctor::examine(authority, Some(host))?;
    for finding in &findings {
        let mark = match finding.grade {
            Grade::Good => "ok",
            Grade::Soon => "soon",
            Grade::Wrong => "WRONG",
        };
        outln!("{mark:5}  {}", finding.text);
    }
    let is_wrong = findings.iter().any(|finding| finding.grade == Grade::Wrong);
    Ok(if is_wrong { Outcome::Found } else { Outcome::Done })
}
