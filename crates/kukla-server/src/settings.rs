//! The settings of a server: `puppet.conf`, the files of puppetserver beside it, and the command line, which overrides them.

mod checks;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla::conf::Conf;
use kukla::puppet_conf::PuppetConf;
use kukla::syntax::{Problem, ProblemKind};
use kukla::world::policy::{Clock, Commands, Policy, Randomness, Variables, Writes};
use kukla::{DiskWorld, MemoryWorld, SiteSpec};
use kukla_store::Password;

use crate::auth::Rules;
use crate::ca::autosign::Autosign;
use crate::ca::keys::{DEFAULT_RSA_BITS, KeyKind};
use crate::ca::pending::RequestLimits;
use crate::ca::request::check_name;
use crate::ca::setup::HostFiles;
use crate::ca::signing::SigningPolicy;
use crate::ca::{Layout, Practice, time};
use crate::deployer::Deployer;
use crate::environments::AT_ONCE;
use crate::limits::Limits;
use crate::puppetserver_conf::PuppetserverConf;
use crate::webhook::settings::WebhookSettings;

/// The settings of the command line, which override those of files.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The directory of `puppet.conf`.
    pub confdir: Option<PathBuf>,
    /// The directory of puppetserver's own files.
    pub serverdir: Option<PathBuf>,
    /// Settings as `puppet.conf` has them, which count more than it does.
    pub settings: Vec<(String, String)>,
    /// Where to listen.
    pub listen: Option<SocketAddr>,
    /// Whether the certificate authority is on another machine.
    pub without_ca: bool,
    /// How many catalogs are compiled at once.
    pub threads: Option<usize>,
    /// The policy for code, if not the default one.
    pub policy: Option<Policy>,
    /// The URL of the store.
    pub store: Option<String>,
    /// The password of the user in that URL.
    pub store_password: Option<Password>,
    /// The file of that password, if it comes from one.
    pub store_password_file: Option<PathBuf>,
    /// The part of the work that this process does.
    pub role: Option<Role>,
    /// How code is deployed, if this build can do it.
    pub deployer: Option<Arc<dyn Deployer>>,
    /// Whether only the authority is managed, so that commands which compile need not exist.
    pub manages_ca: bool,
}

/// The part of a server's work that a process does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    #[default]
    All,
    /// The certificate authority; no code is compiled beside its key.
    Ca,
    /// Everything but the certificate authority, whose key is not read.
    Compiler,
}

impl Role {
    /// Reads a role.
    pub fn of(text: &str) -> Result<Role, Problem> {
        match text {
            "all" => Ok(Role::All),
            "ca" => Ok(Role::Ca),
            "compiler" => Ok(Role::Compiler),
            other => Err(Problem::invalid("invalid role")
                .on(format_args!("'{other}'"))
                .because("expected all, ca or compiler")),
        }
    }
}

/// All settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The part of the work that this process does.
    pub role: Role,
    /// The directory of `puppet.conf` and `kukla.toml`.
    pub confdir: PathBuf,
    /// The settings of `puppet.conf`.
    pub puppet: PuppetConf,
    /// The settings of `kukla.toml` and of puppetserver's files as they are written, by section and name.
    pub written: BTreeMap<String, String>,
    /// The directory of variable data.
    pub vardir: PathBuf,
    /// The server's own certificate.
    pub host: HostFiles,
    /// Names that the server's certificate is valid for besides its own.
    pub alt_names: Vec<String>,
    /// Where the authority is and how it signs, if it is here.
    pub authority: Option<(Layout, Practice)>,
    /// Files of the server's certificate, key, authorities and revocations that are not where Puppet puts them.
    pub tls: TlsFiles,
    /// Where to listen with TLS. If only a listener without TLS is configured, there is no other.
    pub listen: Option<SocketAddr>,
    /// Where to listen without TLS, for a proxy that terminates it.
    pub plain: Option<SocketAddr>,
    /// The addresses of proxies, besides loopback, whose headers identify clients.
    pub proxies: Vec<IpAddr>,
    /// The limits for clients and requests.
    pub limits: Limits,
    /// The authorization rules.
    pub rules: Rules,
    /// The directories of environments.
    pub environmentpath: Vec<PathBuf>,
    /// The settings that all sites share.
    pub site: SiteSpec,
    /// The policy for code.
    pub policy: Policy,
    /// How catalogs are compiled.
    pub compiling: Compiling,
    /// The command that classifies nodes.
    pub classifier: Option<String>,
    /// The command that tells more about nodes, or a directory of such commands.
    pub trusted_external: Option<PathBuf>,
    /// The commands that tell which version of an environment is in use, and give its files.
    pub versioned: Versioned,
    /// Where reports go.
    pub reports: Reports,
    /// Where backups of files go.
    pub bucket: PathBuf,
    /// Which directories besides modules are served.
    pub mounts: PathBuf,
    /// The URL of the store of facts, catalogs and reports, if there is one.
    pub store: Option<String>,
    /// The password of the user in that URL, if it is not part of it.
    pub store_password: Option<Password>,
    /// The file of that password, if it comes from one.
    pub store_password_file: Option<PathBuf>,
    /// The webhook, if there is one.
    pub webhook: Option<WebhookSettings>,
    /// How code is deployed, if this build can do it.
    pub deployer: Option<Arc<dyn Deployer>>,
}

/// Files of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The certificates of trusted authorities.
    pub authorities: PathBuf,
    /// Their revocation lists.
    pub crl: PathBuf,
}

/// How catalogs are compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiling {
    /// How many at once.
    pub threads: usize,
    /// How many may wait; more are sent away.
    pub queue: usize,
    /// For how long agents that are sent away stay away, at most.
    pub retry: Duration,
    /// The interval of looking for changed code; none means never.
    pub look: Option<Duration>,
    /// For how long files must be still before they are used.
    pub settle: Duration,
}

/// Which version of the code is in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versioned {
    /// Prints the version of an environment.
    pub code_id: Option<String>,
    /// Prints a file of a version.
    pub content: Option<String>,
}

/// Where reports go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports {
    /// The names of the processors.
    pub processors: Vec<String>,
    /// Where files go.
    pub directory: PathBuf,
}

/// The usual port.
const PORT: u16 = 8140;

impl Settings {
    /// Reads all files.
    pub fn read(overrides: &Overrides) -> Result<Settings, Problem> {
        let confdir = overrides.confdir.clone().unwrap_or_else(usual_confdir);
        let serverdir = overrides.serverdir.clone().unwrap_or_else(|| beside(&confdir, "puppetserver"));
        let mut server = PuppetserverConf::read(&serverdir)?;
        server.add_toml(&confdir.join("kukla.toml"))?;
        checks::check_names(&confdir, &overrides.settings)?;
        let mut settings = overrides.settings.clone();
        settings.extend(server.puppet_settings());
        let puppet = read_puppet_conf(&confdir, &settings)?;
        let text = |name: &str| puppet.value(name).map(str::to_owned);
        let path = |name: &str| text(name).map(PathBuf::from);
        let vardir = path("vardir").or_else(|| server.path("jruby-puppet", "server-var-dir"));
        let vardir = vardir.unwrap_or_else(usual_vardir);
        let ssldir = path("ssldir").unwrap_or_else(|| confdir.join("ssl"));
        let certname = text("certname").map_or_else(own_name, Ok)?;
        let host = HostFiles { ssldir, certname: certname.to_lowercase() };
        check_name(&host.certname).map_err(|refusal| {
            Problem::invalid("invalid certname").on(format_args!("'{}'", host.certname)).because(refusal)
        })?;
        let alt_names = text("dns_alt_names").unwrap_or_default();
        let alt_names: Vec<String> =
            alt_names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let written_role = server.text("server", "role").map(|text| Role::of(&text)).transpose()?;
        let mut role = overrides.role.or(written_role).unwrap_or_default();
        if overrides.without_ca || !server.has_authority {
            if role == Role::Ca {
                return Err(Problem::new(ProblemKind::Conflict, "a server with the role ca cannot do without the certificate authority")
                    .help("remove --no-ca, `ca = false` in kukla.toml, or the line of services.d/ca.cfg that disables it"));
            }
            role = Role::Compiler;
        }
        let has_authority = role != Role::Compiler;
        let authority = has_authority
            .then(|| layout_and_practice(&puppet, &server, &confdir, &host, &alt_names))
            .transpose()?;
        let tls = tls_files(&server, &host, authority.as_ref().map(|(layout, _)| layout));
        let mut site = SiteSpec::default();
        puppet.apply(&DiskWorld::default(), &mut site)?;
        // Functions keep what they have made up for the next time in a directory of the server's.
        site.settings.set("vardir", vardir.display().to_string().into())?;
        if puppet.get("deadline").is_none() {
            site.settings.set("deadline", 120.into())?;
        }
        let mut environmentpath = puppet.environmentpath();
        if environmentpath.is_empty() {
            environmentpath.push(beside(&confdir, "code").join("environments"));
        }
        let rules = match server.authorization() {
            Some(rules) => rules?,
            None => Rules::default(),
        };
        let plain = server.listen("host", "port", Ipv4Addr::LOCALHOST)?;
        let processors = text("reports").unwrap_or_else(|| "store".to_owned());
        let mut settings = Settings {
            confdir: confdir.clone(),
            role,
            alt_names,
            authority,
            tls,
            listen: listen(overrides, &server, plain)?,
            proxies: proxies(&server, &rules, plain)?,
            limits: Limits::read(&server)?,
            plain,
            rules,
            environmentpath,
            policy: overrides.policy.clone().unwrap_or_else(as_in_puppet),
            compiling: compiling(&puppet, &server, overrides.threads)?,
            classifier: puppet.external_nodes().map(str::to_owned),
            trusted_external: path("trusted_external_command"),
            versioned: Versioned {
                code_id: server.text("versioned-code", "code-id-command"),
                content: server.text("versioned-code", "code-content-command"),
            },
            reports: Reports {
                processors: processors
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect(),
                directory: path("reportdir").unwrap_or_else(|| vardir.join("reports")),
            },
            bucket: path("bucketdir").unwrap_or_else(|| vardir.join("bucket")),
            mounts: path("fileserverconfig").unwrap_or_else(|| confdir.join("fileserver.conf")),
            store: match overrides.store.clone().or_else(|| server.text("server", "store")) {
                Some(url) => Some(url),
                None => puppetdb(&confdir, &puppet)?,
            },
            store_password: overrides.store_password.clone(),
            store_password_file: overrides.store_password_file.clone(),
            webhook: WebhookSettings::read(&server)?,
            deployer: overrides.deployer.clone(),
            site,
            host,
            vardir,
            puppet,
            written: server.entries(),
        };
        if role == Role::Ca {
            // Nothing beside the key of the authority reads code or runs commands for it.
            (settings.environmentpath, settings.versioned) = Default::default();
            (settings.classifier, settings.trusted_external, settings.store) = Default::default();
            settings.webhook = None;
        }
        if settings.webhook.is_some() {
            settings.rules.add_webhook();
        }
        if !overrides.manages_ca {
            settings.check_files()?;
            settings.check_webhook()?;
        }
        Ok(settings)
    }
}

fn listen(
    overrides: &Overrides,
    server: &PuppetserverConf,
    plain: Option<SocketAddr>,
) -> Result<Option<SocketAddr>, Problem> {
    if let Some(address) = overrides.listen {
        return Ok(Some(address));
    }
    if let Some(text) = server.text("server", "listen") {
        return text.parse().map(Some).map_err(|_| {
            Problem::invalid("invalid listen address")
                .on(format_args!("'{text}'"))
                .because("expected ADDRESS:PORT")
        });
    }
    let usual = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), PORT);
    let secure = server.listen("ssl-host", "ssl-port", Ipv4Addr::UNSPECIFIED)?;
    // A server behind a proxy has no other door unless it is asked for.
    Ok(secure.or_else(|| plain.is_none().then_some(usual)))
}

/// The addresses of proxies. Headers that identify clients are text which anybody can send, so it must be known who sends them.
fn proxies(
    server: &PuppetserverConf,
    rules: &Rules,
    plain: Option<SocketAddr>,
) -> Result<Vec<IpAddr>, Problem> {
    let written = server.text("server", "proxies").unwrap_or_default();
    let names = written.split(',').map(str::trim).filter(|name| !name.is_empty());
    let read = |name: &str| {
        name.parse().map_err(|_| {
            Problem::invalid("invalid address in proxies")
                .on(format_args!("'{name}'"))
                .because("expected an IP address")
        })
    };
    let proxies = names.map(read).collect::<Result<Vec<IpAddr>, _>>()?;
    if let Some(address) = plain.filter(|plain| rules.by_header && !plain.ip().is_loopback())
        && proxies.is_empty()
    {
        return Err(Problem::invalid("allow-header-cert-info is enabled, but it is not known which proxies may connect to")
            .on(address)
            .help("listen on 127.0.0.1 (host in webserver.conf), or name the proxies: proxies = [\"10.0.0.5\"] in [server] of kukla.toml"));
    }
    Ok(proxies)
}

/// A server's code may do what it may do in Puppet: the server is its owner's.
fn as_in_puppet() -> Policy {
    Policy {
        writes: Writes::On,
        commands: Commands::On,
        variables: Variables::Data,
        clock: Clock::On,
        randomness: Randomness::On,
        ..Policy::default()
    }
}

/// The URL of the PuppetDB that a Puppet server would use: `puppetdb.conf` has its address, `puppet.conf` says whether it is used.
fn puppetdb(confdir: &Path, puppet: &PuppetConf) -> Result<Option<String>, Problem> {
    let reports = puppet.value("reports").unwrap_or_default();
    let is_used = puppet.value("storeconfigs") == Some("true")
        && puppet.value("storeconfigs_backend").is_none_or(|backend| backend == "puppetdb")
        || reports.split(',').any(|name| name.trim() == "puppetdb");
    if !is_used {
        return Ok(None);
    }
    let file = confdir.join("puppetdb.conf");
    let bytes = crate::files::read_if_there(&file)?.unwrap_or_default();
    let conf = Conf::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|error| Problem::invalid("cannot read").on(file.display()).because(error))?;
    let urls = conf.get("main", "server_urls").unwrap_or("https://puppetdb:8081");
    // Others in the list are for when this one does not answer, which a load balancer does better.
    let first = urls.split(',').next().unwrap_or_default().trim().trim_end_matches('/');
    Ok(Some(format!("puppetdb+{first}")))
}

/// Reads `puppet.conf`; a missing file counts as an empty one. The first value of a setting in `[server]` counts, so the settings of
/// the command line go before those of the file.
fn read_puppet_conf(confdir: &Path, settings: &[(String, String)]) -> Result<PuppetConf, Problem> {
    let file = confdir.join("puppet.conf");
    let written = crate::files::read_if_there(&file)?.unwrap_or_default();
    let mut text = String::from("[server]\n");
    for (name, value) in settings {
        text.push_str(&format!("{name} = {value}\n"));
    }
    text.push_str("[main]\n");
    text.push_str(&String::from_utf8_lossy(&written));
    PuppetConf::read(&MemoryWorld::default().with(&file, text), &file)
}

fn usual_confdir() -> PathBuf {
    let all = ["/etc/puppetlabs/puppet", "/etc/puppet"].map(PathBuf::from);
    all.iter().find(|path| path.join("puppet.conf").exists()).unwrap_or(&all[0]).clone()
}

fn usual_vardir() -> PathBuf {
    let all = ["/opt/puppetlabs/server/data/puppetserver", "/var/lib/puppetserver"].map(PathBuf::from);
    all.into_iter().find(|path| path.is_dir()).unwrap_or_else(|| "/var/lib/kukla".into())
}

fn beside(confdir: &Path, name: &str) -> PathBuf {
    confdir.parent().unwrap_or(confdir).join(name)
}

/// The name of this machine, with its domain if it has one.
fn own_name() -> Result<String, Problem> {
    let name = crate::files::read(Path::new("/proc/sys/kernel/hostname")).map_err(|cause| {
        Problem::new(cause.kind(), "cannot determine the name of this machine")
            .caused_by(cause)
            .help("set certname in puppet.conf")
    })?;
    let name = String::from_utf8_lossy(&name).trim().to_lowercase();
    if name.contains('.') {
        return Ok(name);
    }
    let resolv = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let domain = resolv.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("domain" | "search")).then(|| words.next()).flatten()
    });
    Ok(match domain.filter(|domain| *domain != ".") {
        Some(domain) => format!("{name}.{domain}").to_lowercase(),
        None => name,
    })
}

/// The names of the server, which nodes must not have: those it should have, and the one that agents look for by default.
fn reserved_names(alt_names: &[String]) -> Vec<String> {
    let usual = ["puppet".to_owned()];
    alt_names.iter().chain(&usual).cloned().collect()
}

fn layout_and_practice(
    puppet: &PuppetConf,
    server: &PuppetserverConf,
    confdir: &Path,
    host: &HostFiles,
    alt_names: &[String],
) -> Result<(Layout, Practice), Problem> {
    let path = |name: &str| puppet.value(name).map(PathBuf::from);
    let old = host.ssldir.join("ca");
    let directory = path("cadir")
        .unwrap_or_else(|| if old.is_dir() { old } else { beside(confdir, "puppetserver").join("ca") });
    let usual = Layout::at(directory);
    let layout = Layout {
        certificate: path("cacert").unwrap_or(usual.certificate),
        key: path("cakey").unwrap_or(usual.key),
        public_key: path("capub").unwrap_or(usual.public_key),
        crl: path("cacrl").unwrap_or(usual.crl),
        serial: path("serial").unwrap_or(usual.serial),
        inventory: path("cert_inventory").unwrap_or(usual.inventory),
        signed: path("signeddir").unwrap_or(usual.signed),
        requests: path("csrdir").unwrap_or(usual.requests),
        directory: usual.directory,
    };
    let autosign = match puppet.get("autosign") {
        Some(setting) => Autosign::of(setting),
        None => Autosign::File(confdir.join("autosign.conf")),
    };
    let length = |name: &str, text: Option<String>| match text {
        None => Ok(None),
        Some(text) => duration(name, &text).map(Some),
    };
    let usual = Practice::default();
    let of_server = |name: &str| server.text("certificate-authority", name);
    let flag = |name: &str| server.flag("certificate-authority", name).unwrap_or(false);
    let lifetime = length("ca-ttl", of_server("ca-ttl"))?
        .map_or_else(|| length("ca_ttl", puppet.value("ca_ttl").map(str::to_owned)), |ttl| Ok(Some(ttl)))?;
    let keys = match (puppet.value("key_type"), puppet.value("keylength")) {
        (Some("ec"), _) => KeyKind::Ec,
        (Some(other), _) if other != "rsa" => {
            return Err(Problem::invalid("invalid key_type")
                .on(format_args!("'{other}'"))
                .because("expected rsa or ec"));
        }
        (_, Some(bits)) => match bits.parse() {
            Ok(bits @ 2048..=4096) => KeyKind::Rsa(bits),
            _ => {
                return Err(Problem::invalid("invalid keylength").on(bits).because("expected 2048 to 4096"));
            }
        },
        (Some(_), None) => KeyKind::Rsa(DEFAULT_RSA_BITS),
        (None, None) => usual.keys,
    };
    let practice = Practice {
        autosign,
        allowed: crate::ca::request::Allowed {
            alt_names: flag("allow-subject-alt-names"),
            authorization: flag("allow-authorization-extensions"),
        },
        lifetime,
        renewal: server.flag("certificate-authority", "allow-auto-renewal").unwrap_or(usual.renewal),
        renewed_lifetime: length("auto-renewal-cert-ttl", of_server("auto-renewal-cert-ttl"))?,
        duplicates: puppet.get("allow_duplicate_certs") == Some("true"),
        infra_crl: flag("enable-infra-crl"),
        keys,
        server: Some(host.clone()),
        reserved: reserved_names(alt_names),
        signing: match server.table("ca", "signing") {
            Some(table) => SigningPolicy::read(table)
                .map_err(|problem| Problem::invalid("invalid ca.signing in kukla.toml").caused_by(problem))?,
            None => SigningPolicy::default(),
        },
        limits: RequestLimits {
            per_minute: server.number("ca", "requests-per-minute").unwrap_or(usual.limits.per_minute),
            pending_per_peer: server
                .number("ca", "pending-per-peer")
                .unwrap_or(usual.limits.pending_per_peer),
            pending: server.number("ca", "pending").unwrap_or(usual.limits.pending),
        },
        audit_log: server.path("ca", "audit-log"),
    };
    Ok((layout, practice))
}

fn tls_files(server: &PuppetserverConf, host: &HostFiles, authority: Option<&Layout>) -> TlsFiles {
    let path = |name: &str| server.path("webserver", name);
    TlsFiles {
        certificate: path("ssl-cert").unwrap_or_else(|| host.certificate()),
        key: path("ssl-key").unwrap_or_else(|| host.key()),
        authorities: path("ssl-ca-cert")
            .or_else(|| authority.map(|layout| layout.certificate.clone()))
            .unwrap_or_else(|| host.authorities()),
        crl: path("ssl-crl-path")
            .or_else(|| authority.map(|layout| layout.crl.clone()))
            .unwrap_or_else(|| host.crl()),
    }
}

/// The value of a setting that is a duration.
fn duration(setting: &str, text: &str) -> Result<Duration, Problem> {
    time::duration(text).ok_or_else(|| {
        Problem::invalid(format!("invalid {setting}"))
            .on(format_args!("'{text}'"))
            .because("expected a duration")
            .help("write seconds, or a number with a unit: 90d, 12h, 5y")
    })
}

fn compiling(
    puppet: &PuppetConf,
    server: &PuppetserverConf,
    threads: Option<usize>,
) -> Result<Compiling, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let number = |name: &str| server.number("jruby-puppet", name);
    let look = match puppet.value("environment_timeout").unwrap_or("0") {
        "unlimited" => None,
        "0" => Some(AT_ONCE),
        text => Some(duration("environment_timeout", text)?),
    };
    Ok(Compiling {
        threads: threads
            .or_else(|| server.number("server", "threads"))
            .or_else(|| number("max-active-instances"))
            .unwrap_or(cores)
            .max(1),
        queue: number("max-queued-requests").filter(|most| *most > 0).unwrap_or(512),
        retry: Duration::from_secs(number("max-retry-delay").unwrap_or(30) as u64),
        look,
        settle: Duration::from_millis(300),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Result<Settings, Problem> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kukla-settings-{}-{number}", std::process::id()));
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let read = Settings::read(&Overrides { confdir: Some(root.join("puppet")), ..Overrides::default() });
        let _ = std::fs::remove_dir_all(&root);
        read
    }

    #[test]
    fn files_of_an_existing_server() {
        let settings = read(&[
            ("puppet/puppet.conf", "[main]\ncertname = A.example.com\n[server]\nautosign = true\nca_ttl = 90d\nreports = store, log\n[agent]\nnoop = true\n"),
            ("puppetserver/conf.d/webserver.conf", "webserver: { ssl-host: 127.0.0.1, ssl-port: 8141, ssl-cert: /x/cert.pem }"),
            ("puppetserver/conf.d/puppetserver.conf", "jruby-puppet: { max-active-instances: 3, max-queued-requests: 9, server-var-dir: /v }"),
            ("puppetserver/services.d/ca.cfg", "# puppetlabs.services.ca.certificate-authority-disabled-service\npuppetlabs.services.ca.certificate-authority-service/x\n"),
        ])
        .unwrap();
        assert_eq!(
            (settings.host.certname.as_str(), settings.listen.unwrap().to_string().as_str()),
            ("a.example.com", "127.0.0.1:8141")
        );
        assert_eq!((settings.compiling.threads, settings.compiling.queue), (3, 9));
        assert_eq!(
            (settings.tls.certificate.to_str(), settings.bucket.to_str()),
            (Some("/x/cert.pem"), Some("/v/bucket"))
        );
        assert_eq!(settings.reports.processors, ["store", "log"]);
        let (_, practice) = settings.authority.unwrap();
        assert_eq!(
            (practice.autosign, practice.lifetime),
            (Autosign::Always, Some(Duration::from_secs(90 * 24 * 60 * 60)))
        );
    }

    #[test]
    fn the_puppetdb_of_a_site_is_its_store() {
        let store = |puppet_conf: &str, puppetdb_conf: &str| {
            let named = format!("[server]\ncertname = a\n{puppet_conf}");
            read(&[("puppet/puppet.conf", &named), ("puppet/puppetdb.conf", puppetdb_conf)])
                .map(|settings| settings.store)
                .map_err(|problem| problem.to_string())
        };
        let two = "[main]\nserver_urls = https://db1.example.com:8081/, https://db2.example.com:8081\n";
        let first = Ok(Some("puppetdb+https://db1.example.com:8081".to_owned()));
        assert_eq!(store("storeconfigs = true\nstoreconfigs_backend = puppetdb\n", two), first);
        assert_eq!(store("storeconfigs = true\n", two), first);
        assert_eq!(store("reports = store, puppetdb\n", two), first);
        assert_eq!(store("reports = puppetdb\n", ""), Ok(Some("puppetdb+https://puppetdb:8081".to_owned())));
        assert_eq!(store("", two), Ok(None));
        assert_eq!(store("storeconfigs = true\nstoreconfigs_backend = active_record\n", two), Ok(None));
        assert!(store("reports = puppetdb\n", "nonsense").unwrap_err().contains("puppetdb.conf"));
        assert!(store("certname = ca\n", "").is_ok(), "the first one counts");
        let unusable = read(&[("puppet/puppet.conf", "[server]\ncertname = ca\n")]).unwrap_err();
        assert!(unusable.to_string().starts_with("invalid certname 'ca': "), "{unusable}");
    }

    #[test]
    fn a_server_behind_a_proxy_knows_who_that_is() {
        let rules = "authorization: { version: 1, allow-header-cert-info: true, rules: [] }";
        let read = |webserver: &str, toml: &str| {
            read(&[
                ("puppet/puppet.conf", "[server]\ncertname = a\n"),
                ("puppet/kukla.toml", toml),
                ("puppetserver/conf.d/auth.conf", rules),
                ("puppetserver/conf.d/webserver.conf", webserver),
            ])
        };
        let local = read("webserver: { port: 8139 }", "").unwrap();
        assert_eq!((local.listen, local.plain), (None, Some(([127, 0, 0, 1], 8139).into())));
        assert!(local.trusts_proxy([127, 0, 0, 1].into()) && !local.trusts_proxy([10, 0, 0, 5].into()));
        let both = read("webserver: { port: 8139, ssl-port: 8140 }", "").unwrap();
        assert_eq!(both.listen.map(|listen| listen.port()), Some(8140));
        let open = read("webserver: { host: 0.0.0.0, port: 8139 }", "").unwrap_err();
        assert!(open.to_string().contains("which proxies may connect to 0.0.0.0:8139"), "{open}");
        let named = "[server]\nproxies = [\"10.0.0.5\"]\n[limits]\nrequest-bytes = 1000\n";
        let named = read("webserver: { host: 0.0.0.0, port: 8139 }", named).unwrap();
        assert!(named.trusts_proxy([10, 0, 0, 5].into()) && !named.trusts_proxy([10, 0, 0, 6].into()));
        assert_eq!(named.limits, Limits { request: 1000, ..Limits::default() });
        for invalid in
            ["[server]\nproxies = \"proxy\"", "[limits]\nconnections = 0", "[limits]\nwait-seconds = \"x\""]
        {
            assert!(read("webserver: { port: 8139 }", invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn one_file_can_say_all() {
        let settings = read(&[
            ("puppet/puppet.conf", "[server]\ncertname = other\nautosign = true\n"),
            (
                "puppet/kukla.toml",
                "[server]\nlisten = \"127.0.0.1:9\"\nthreads = 2\nca = false\nstore = \"sqlite:/s.db\"\n[puppet]\ncertname = \"one\"\ndns_alt_names = [\"a\", \"b\"]\n[authorization]\nversion = 1\n[[authorization.rules]]\nname = \"all\"\nsort-order = 1\nallow = \"*\"\nmatch-request = { path = \"/\", type = \"path\" }\n",
            ),
        ])
        .unwrap();
        assert_eq!(
            (settings.host.certname.as_str(), settings.listen.unwrap().port(), settings.compiling.threads),
            ("one", 9, 2)
        );
        assert_eq!(
            (settings.alt_names.as_slice(), settings.store.as_deref()),
            (["a".to_owned(), "b".to_owned()].as_slice(), Some("sqlite:/s.db"))
        );
        assert!(settings.authority.is_none());
        assert_eq!(settings.rules.describe().len(), 1);
        let malformed = read(&[("puppet/kukla.toml", "[server")]).unwrap_err();
        assert!(malformed.to_string().contains("kukla.toml"), "{malformed}");
        let short = read(&[("puppet/puppet.conf", "[server]\nkeylength = 12\n")]).unwrap_err();
        assert_eq!(short.to_string(), "invalid keylength 12: expected 2048 to 4096");
    }
}
