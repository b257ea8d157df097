//! `kukla ca`: management of the certificate authority.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use kukla::syntax::{Problem, ProblemKind};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::crl::Crl;
use kukla_server::ca::doctor::{self, Grade};
use kukla_server::ca::import::{self, AuthorityFiles};
use kukla_server::ca::keys::{DEFAULT_RSA_BITS, Key, KeyKind};
use kukla_server::ca::request::printable;
use kukla_server::ca::setup::{self, HostFiles, NewAuthority};
use kukla_server::ca::signing::NamePattern;
use kukla_server::ca::status::{State, Status};
use kukla_server::ca::token_uri::TokenUri;
use kukla_server::ca::{Authority, CertificateOptions, Practice, Refusal, backup, rotate, time};
use kukla_server::settings::{Overrides, Settings};

use super::key_work::KeyWork;
use super::options::split_assignment;
use super::server_options::ServerOptions;
use super::suggestion::with_suggestion;
use crate::output::{self, errln, out, outln};
use crate::render::table::Table;
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla ca setup                                create an authority and the server's own certificate
  kukla ca list                                 pending certificate requests
  kukla ca sign web1.example.com
  kukla ca revoke web1.example.com
  kukla ca doctor                               expiry dates and errors")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List pending certificate requests, and with --all certificates
    List {
        /// Nodes to list [default: all]
        #[arg(value_name = "NODE")]
        names: Vec<String>,
        /// Include signed and revoked certificates
        #[arg(long, short)]
        all: bool,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Sign certificate requests
    Sign {
        /// Nodes whose requests to sign
        #[arg(value_name = "NODE", required_unless_present = "all")]
        names: Vec<String>,
        /// Sign all pending requests
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Validity of the certificates, for example 90d or 5y [default: the setting ca_ttl]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        ttl: Option<Duration>,
    },
    /// Revoke all certificates that were issued to nodes
    Revoke {
        /// Nodes whose certificates to revoke
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
    },
    /// Revoke certificates and delete them, so that their nodes can request new ones
    Clean {
        /// Nodes whose certificates to delete
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
    },
    /// Generate keys and certificates for nodes without a request
    Generate {
        /// Nodes to generate them for
        #[arg(value_name = "NODE", required = true)]
        names: Vec<String>,
        /// Alternative names, separated by commas: web.example.com, IP:10.0.0.1
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        alt_names: Vec<String>,
        /// Add an extension, for example pp_role=web; can be repeated
        #[arg(long = "extension", value_name = "NAME=VALUE")]
        extensions: Vec<String>,
        /// Validity of the certificates, for example 90d or 5y [default: the setting ca_ttl]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        ttl: Option<Duration>,
    },
    /// Create an authority and the server's own certificate
    Setup {
        /// Alternative names of the server's certificate, separated by commas [default: the setting dns_alt_names, or puppet]
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        alt_names: Vec<String>,
        /// Write the root's key and certificate to this directory, to be kept offline [default: with the authority]
        #[arg(long, value_name = "DIR")]
        offline_root: Option<PathBuf>,
        #[command(flatten)]
        keys: KeyOptions,
    },
    /// Write all files of the authority, private keys included, to one archive
    Backup {
        /// Archive to write; only its owner can read it
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Verify an archive and restore the authority from it
    Restore {
        /// Archive that `backup` has written
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace an existing authority, whose directory is kept under another name
        #[arg(long)]
        force: bool,
    },
    /// Renew the certificate of the authority, or replace its key; agents get the old and the new certificate meanwhile
    Rotate {
        /// Replace the key as well: the new one signs from now on, and the old one stays valid until --finish
        #[arg(long, conflicts_with_all = ["sign", "import"])]
        new_key: bool,
        /// End the trust in the old key after --new-key
        #[arg(long, group = "step", conflicts_with = "new_key")]
        finish: bool,
        /// Finish although nodes have certificates of the old key, which become invalid
        #[arg(long, requires = "finish")]
        force: bool,
        /// Write a request for the new certificate to this file, for a root whose key is offline
        #[arg(long, value_name = "FILE", group = "step")]
        request: Option<PathBuf>,
        /// Sign such a request with the root in --offline-root, and print the certificate
        #[arg(long, value_name = "FILE", group = "step", requires = "offline_root")]
        sign: Option<PathBuf>,
        /// Import the signed certificate
        #[arg(long, value_name = "FILE", group = "step")]
        import: Option<PathBuf>,
        /// Directory of the offline root, with root_key.pem and root_crt.pem
        #[arg(long, value_name = "DIR", requires = "sign")]
        offline_root: Option<PathBuf>,
        /// Validity of the certificate that --sign prints [default: 15y]
        #[arg(long, value_name = "TIME", requires = "sign", value_parser = parse_duration)]
        ttl: Option<Duration>,
        #[command(flatten)]
        keys: KeyOptions,
    },
    /// Renew the revocation list (CRL) of an offline root, and print it
    RootCrl {
        /// Directory of the offline root, with root_key.pem and root_crt.pem
        #[arg(long, value_name = "DIR")]
        offline_root: PathBuf,
        /// Also revoke this certificate of an authority (PEM); can be repeated
        #[arg(long, value_name = "FILE")]
        revoke: Vec<PathBuf>,
        /// File with the last list of the root, if root_crl.pem in its directory is lost
        #[arg(long, value_name = "FILE")]
        known: Option<PathBuf>,
    },
    /// Import newer revocation lists (CRL) of the authorities above this one
    ImportCrl {
        /// File with the lists (PEM)
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Import an intermediate authority: its key, certificates and revocation lists
    Import {
        /// File with the signing certificate and those above it (PEM)
        #[arg(long, value_name = "FILE")]
        cert_bundle: PathBuf,
        /// File with the private key of the signing certificate (PEM)
        #[arg(long, value_name = "FILE")]
        private_key: PathBuf,
        /// File with one revocation list (CRL) for each certificate (PEM)
        #[arg(long, value_name = "FILE")]
        crl_chain: PathBuf,
    },
    /// Manage one-time tokens for requests that a signing rule with `token = true` signs
    #[command(subcommand)]
    Token(TokenAction),
    /// Make a new revocation list (CRL) in place of one that is lost; revokes all certificates that have no file
    RecreateCrl,
    /// Report expiry dates and errors of all certificates
    Doctor,
}

/// The kind of new keys of an authority.
#[derive(Debug, clap::Args)]
struct KeyOptions {
    /// Kind of the keys [default: the setting key_type, or ec]
    #[arg(long, value_enum, value_name = "TYPE")]
    key_type: Option<KeyType>,
    /// Bits of RSA keys, from 2048 to 4096 [default: the setting keylength, or 4096]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u16).range(2048..=4096))]
    key_length: Option<u16>,
    /// Use the key with this PKCS#11 URI, in hardware, and generate it there if there is none [default: a file]
    #[arg(long, value_name = "URI", value_parser = TokenUri::parse)]
    token: Option<TokenUri>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum KeyType {
    /// The curve P-256
    Ec,
    /// RSA, for agents of Puppet 5 and for authorities that puppetserver uses as well
    Rsa,
}

impl KeyOptions {
    /// The kind of keys, where `usual` is that of the settings.
    fn kind(&self, usual: KeyKind) -> Result<KeyKind, Problem> {
        let length = self.key_length.map(usize::from);
        match (self.key_type, length, usual) {
            (Some(KeyType::Ec), Some(_), _) => {
                Err(Problem::invalid("--key-length is for RSA keys").help("add --key-type rsa"))
            }
            (Some(KeyType::Ec), None, _) => Ok(KeyKind::Ec),
            (_, Some(bits), _) | (Some(KeyType::Rsa), None, KeyKind::Rsa(bits)) => Ok(KeyKind::Rsa(bits)),
            (Some(KeyType::Rsa), None, KeyKind::Ec) => Ok(KeyKind::Rsa(DEFAULT_RSA_BITS)),
            (None, None, usual) => Ok(usual),
        }
    }
}

#[derive(Debug, clap::Subcommand)]
enum TokenAction {
    /// Create a token and print it; it is shown only once
    Create {
        /// Names of nodes that may use it; `*` matches anything but a dot, `**` anything
        #[arg(long, value_name = "PATTERN", default_value = "**")]
        names: String,
        /// Validity of the token, for example 1h or 7d
        #[arg(long, value_name = "TIME", default_value = "1d", value_parser = parse_duration)]
        ttl: Duration,
    },
    /// List tokens that were not used yet
    List,
    /// Revoke tokens
    Revoke {
        /// Identifiers of the tokens, as `list` shows them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

/// The output format of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Plain text
    #[default]
    Text,
    /// A JSON array
    Json,
}

fn parse_duration(text: &str) -> Result<Duration, Problem> {
    let invalid = || Problem::invalid("expected a number of seconds, or a number and a unit: 90d, 12h, 5y");
    time::duration(text).ok_or_else(invalid)
}

/// Runs the subcommand.
pub fn run(args: &Args) -> CommandResult {
    if let Action::Rotate { sign: Some(request), offline_root: Some(root), ttl, .. } = &args.action {
        // Where the root is, there need not be anything else.
        out!("{}", rotate::sign_request(root, &files::read_bytes(request)?, *ttl)?.to_pem());
        return Ok(ExitKind::Success);
    }
    if let Action::RootCrl { offline_root, revoke, known } = &args.action {
        let known = known.as_deref().map(files::read_bytes).transpose()?;
        let revoked = revoke.iter().map(|file| Certificate::from_pem(&files::read_bytes(file)?));
        let revoked = revoked.collect::<Result<Vec<_>, _>>()?;
        out!("{}", rotate::sign_root_list(offline_root, known.as_deref(), &revoked)?.to_pem());
        return Ok(ExitKind::Success);
    }
    let settings = Settings::read(&Overrides { manages_ca: true, ..args.server.overrides()? })?;
    let Some((layout, practice)) = settings.authority.clone() else {
        return Err(Problem::not_found(
            "services.d/ca.cfg disables the certificate authority on this machine",
        ));
    };
    let host = &settings.host;
    match &args.action {
        Action::Setup { alt_names, offline_root, keys } => {
            let practice = Practice { keys: keys.kind(practice.keys)?, ..practice };
            let work = KeyWork::begin(practice.keys, "the root, the authority and the server");
            let choice = NewAuthority {
                offline_root: offline_root.as_deref().map(files::absolute).transpose()?,
                token: keys.token.clone(),
            };
            let authority = setup::make_as(&choice, &layout, practice, &host.certname)?;
            let names = if alt_names.is_empty() { &settings.alt_names } else { alt_names };
            setup::make_host(&authority, host, names)?;
            work.end();
            outln!("The authority is in {}", layout.directory.display());
            outln!("The certificate of {} is {}", host.certname, host.certificate().display());
            return Ok(ExitKind::Success);
        }
        Action::Import { cert_bundle, private_key, crl_chain } => {
            let certificates = files::read_bytes(cert_bundle)?;
            let (key, lists) = (files::read_bytes(private_key)?, files::read_bytes(crl_chain)?);
            let authority_files = AuthorityFiles { certificates: &certificates, key: &key, lists: &lists };
            let authority = import::import(&layout, practice, authority_files)?;
            setup::make_host(&authority, host, &settings.alt_names)?;
            outln!("The authority is in {}", layout.directory.display());
            return Ok(ExitKind::Success);
        }
        _ => {}
    }
    let by = Actor::local();
    if let Action::Restore { file, force } = &args.action {
        let (authority, old) = backup::restore(&layout, practice, &files::read_bytes(file)?, *force, &by)?;
        outln!("The authority is in {}", authority.layout.directory.display());
        if let Some(old) = old {
            outln!("The old one is in {}", old.display());
        }
        return Ok(ExitKind::Success);
    }
    if matches!(args.action, Action::RecreateCrl) {
        return recreate_crl(&Authority::open_without_crl(layout, practice)?, host, &by)
            .map_err(Problem::from);
    }
    let authority = Authority::open(layout, practice)?;
    match &args.action {
        Action::List { names, all, format } => list(&authority, names, *all, *format).map_err(Problem::from),
        Action::Sign { names, all, ttl } => {
            let names = if *all { authority.requested()? } else { names.clone() };
            if names.is_empty() {
                outln!("No pending requests");
            }
            Ok(for_each(&names, "signed", |name| authority.sign(name, *ttl, &by).map(|_| ())))
        }
        Action::Revoke { names } => {
            Ok(for_each(names, "revoked", |name| authority.revoke(&[name.to_owned()], &by).map(|_| ())))
        }
        Action::Clean { names } => Ok(for_each(names, "cleaned", |name| {
            authority.revoke(&authority.known_among(&[name.to_owned()])?, &by)?;
            if authority.delete(name, &by)? {
                Ok(())
            } else {
                Err(Refusal::missing(format!("Could not find a certificate for {name}")))
            }
        })),
        Action::Generate { names, alt_names, extensions, ttl } => {
            let extensions = extensions.iter().map(|extension| {
                let (name, value) = split_assignment("--extension", extension)?;
                Ok::<_, Problem>((name.to_owned(), value.to_owned()))
            });
            let options = CertificateOptions {
                alt_names: alt_names.clone(),
                extensions: extensions.collect::<Result<_, _>>()?,
                lifetime: *ttl,
            };
            Ok(for_each(names, "generated", |name| {
                let (key, certificate) = authority.generate(name, &options)?;
                let files = HostFiles { ssldir: host.ssldir.clone(), certname: name.to_owned() };
                setup::write_host(&files, &key, &certificate)?;
                outln!("{name}: {} and {}", files.certificate().display(), files.key().display());
                Ok(())
            }))
        }
        Action::Backup { file, force } => {
            let policy = ["kukla.toml", "autosign.conf"].map(|name| settings.confdir.join(name));
            let count = authority.back_up(&policy, &files::absolute(file)?, *force, &by)?;
            outln!("{}: {count} files", file.display());
            Ok(ExitKind::Success)
        }
        Action::Rotate { new_key, finish, force, request, import, keys, .. } => {
            if *finish {
                return finish_rotation(&authority, host, *force, &by).map_err(Problem::from);
            }
            let kind = keys.kind(authority.practice.keys)?;
            let generate = || {
                let work = KeyWork::begin(kind, "the authority");
                let key = match &keys.token {
                    Some(uri) => Key::in_token(uri, Some(kind)),
                    None => Key::generate(kind),
                };
                work.end();
                key
            };
            if let Some(file) = request {
                let request =
                    if *new_key { authority.next_request(generate)? } else { authority.own_request()? };
                output::write_file(file, request.to_pem().as_bytes())?;
                return Ok(ExitKind::Success);
            }
            let new = match import {
                Some(file) => {
                    authority.import_own(&Certificate::from_pem(&files::read_bytes(file)?)?, &by)?
                }
                None if *new_key => authority.replace_key(generate, &by)?,
                None => authority.renew_own(&by)?,
            };
            let authority = Authority::open(authority.layout, authority.practice)?;
            setup::publish(&authority, host)?;
            let name = new.common_name().unwrap_or_default();
            outln!("The certificate of '{name}' expires {}", time::until(new.not_after()));
            if authority.has_former_issuers() {
                outln!("Its key signs from now on; what the former key has signed stays valid");
                outln!("Once all agents have fetched the new certificate and CRL: kukla ca rotate --finish");
            }
            Ok(ExitKind::Success)
        }
        Action::ImportCrl { file } => {
            let count = authority.update_crls(&Crl::all_from_pem(&files::read_bytes(file)?)?)?;
            setup::publish(&authority, host)?;
            outln!("Updated {count} revocation lists");
            Ok(ExitKind::findings_if(count == 0))
        }
        Action::Token(action) => manage_tokens(&authority, action, &by).map_err(Problem::from),
        Action::Doctor => examine(&authority, host).map_err(Problem::from),
        Action::Setup { .. }
        | Action::Import { .. }
        | Action::Restore { .. }
        | Action::RootCrl { .. }
        | Action::RecreateCrl => Ok(ExitKind::Success),
    }
}

/// Runs an action for each name, and continues after one that fails.
fn for_each(names: &[String], done: &str, act: impl Fn(&str) -> Result<(), Refusal>) -> ExitKind {
    let mut has_failed = false;
    for name in names {
        match act(name) {
            Ok(()) => outln!("{name}: {done}"),
            Err(refusal) => {
                output::report(&Problem::other(name).caused_by(refusal.into()));
                has_failed = true;
            }
        }
    }
    ExitKind::findings_if(has_failed)
}

fn list(authority: &Authority, names: &[String], all: bool, format: Format) -> Result<ExitKind, Refusal> {
    let found = authority.statuses((!all && names.is_empty()).then_some(State::Requested))?;
    let chosen: HashSet<&String> = names.iter().collect();
    let found: Vec<Status> =
        found.into_iter().filter(|status| names.is_empty() || chosen.contains(&status.name)).collect();
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
    let listed: HashSet<&str> = found.iter().map(|status| status.name.as_str()).collect();
    let missing: Vec<&String> = names.iter().filter(|name| !listed.contains(name.as_str())).collect();
    if missing.is_empty() {
        return Ok(ExitKind::Success);
    }
    let known = authority.statuses(None)?;
    for name in missing {
        let problem = Problem::not_found("no certificate or request of").on(format!("'{name}'"));
        let names = known.iter().map(|status| status.name.as_str());
        output::report(&with_suggestion(problem, name, names));
    }
    Ok(ExitKind::Findings)
}

fn section(title: &str, all: Vec<&Status>) {
    if all.is_empty() {
        return;
    }
    let mut table = Table::default();
    for status in all {
        let mut details = status.fingerprints.sha256.clone();
        if !status.alt_names.is_empty() {
            details += &format!("  alt names: {}", printable(&status.alt_names.join(", ")));
        }
        if !status.authorization.is_empty() {
            let rights: Vec<String> =
                status.authorization.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            details += &format!("  authorization extensions: {}", printable(&rights.join(", ")));
        }
        table.row([format!("    {}", status.name), "(SHA256)".to_owned(), details]);
    }
    out!("{title}\n{}", table.text());
}

fn manage_tokens(authority: &Authority, action: &TokenAction, by: &Actor) -> Result<ExitKind, Refusal> {
    match action {
        TokenAction::Create { names, ttl } => {
            let names = NamePattern::parse(names).map_err(Refusal::Rule)?;
            let (token, secret) = authority.create_token(&names, *ttl, by)?;
            outln!("{secret}");
            errln!("token {} for {} expires {}", token.id, names.as_str(), time::until(token.expires));
        }
        TokenAction::List => {
            let mut table = Table::default();
            for token in authority.tokens()? {
                let expiry = time::in_inventory(token.expires);
                table.row([token.id.as_str(), token.names.as_str(), expiry.as_str()]);
            }
            out!("{}", table.text());
        }
        TokenAction::Revoke { ids } => {
            return Ok(for_each(ids, "revoked", |id| authority.revoke_token(id, by)));
        }
    }
    Ok(ExitKind::Success)
}

/// Ends the cross period of a rotation, unless that would lock out nodes.
fn finish_rotation(
    authority: &Authority,
    host: &HostFiles,
    force: bool,
    by: &Actor,
) -> Result<ExitKind, Refusal> {
    let nodes = authority.nodes_of_former_issuers(host)?;
    if !nodes.is_empty() && !force {
        const SHOWN: usize = 20;
        let more = nodes.len().saturating_sub(SHOWN);
        let mut names = nodes.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if more > 0 {
            names += &format!(" and {more} more");
        }
        return Err(Refusal::Rule(
            Problem::new(ProblemKind::Conflict, "nodes still have certificates of the former key")
                .because(names)
                .help("let them renew their certificates, or `kukla ca clean` them and run their agents")
                .help("--force makes these certificates invalid"),
        ));
    }
    if !nodes.is_empty() {
        authority.revoke(&nodes, by)?;
    }
    let unrevoked = authority.finish_rotation(host, by)?;
    let authority = Authority::open(authority.layout.clone(), authority.practice.clone())?;
    setup::publish(&authority, host)?;
    outln!("The former key is no longer trusted");
    for name in unrevoked {
        outln!("The root has to revoke '{name}': kukla ca root-crl --offline-root DIR --revoke FILE");
    }
    Ok(ExitKind::Success)
}

fn recreate_crl(authority: &Authority, host: &HostFiles, by: &Actor) -> Result<ExitKind, Refusal> {
    let good = authority.recreate_crl(by)?;
    setup::publish(authority, host)?;
    outln!("The new list is in {}", authority.layout.crl.display());
    if !good.is_empty() {
        outln!("These certificates count as good; revoke those that were revoked before:");
    }
    for name in good {
        outln!("    {name}");
    }
    Ok(ExitKind::Success)
}

fn examine(authority: &Authority, host: &HostFiles) -> Result<ExitKind, Refusal> {
    let findings = doctor::examine(authority, Some(host))?;
    for finding in &findings {
        let mark = match finding.grade {
            Grade::Good => "ok",
            Grade::Soon => "soon",
            Grade::Wrong => "WRONG",
        };
        outln!("{mark:5}  {}", finding.text);
    }
    Ok(ExitKind::findings_if(findings.iter().any(|finding| finding.grade == Grade::Wrong)))
}
