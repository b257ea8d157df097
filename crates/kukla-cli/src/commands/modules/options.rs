//! The options that all commands about modules share, and what they open.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kukla::syntax::Problem;
use kukla::world::policy::{Commands, Files, Reach, Variables};
use kukla::world::{Guarded, World};
use kukla::{DiskWorld, Policy};
use kukla_git::{RangeEnd, Repository};
use kukla_modules::deploy::settings::DeploySettings;
use kukla_modules::git::current_branch;
use kukla_modules::lock::{Lock, LockOptions, NewLock};
use kukla_modules::network::{NetworkOptions, SshKeys};
use kukla_modules::puppetfile::{self, Puppetfile, ReadOptions};
use kukla_modules::sources::{ControlRepository, Observer, SourceOptions, Sources, default_store};
use kukla_modules::store::Store;

use crate::output::{err, errln, outln, write_file};

/// The options of a Puppetfile and its sources.
#[derive(Debug, clap::Args)]
pub struct ModuleOptions {
    /// The Puppetfile; its lock and the modules are beside it
    #[arg(long, value_name = "FILE", default_value = "Puppetfile")]
    puppetfile: PathBuf,
    /// Commands that the code of the Puppetfile may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    #[command(flatten)]
    sources: SourceArgs,
}

/// The options of sources.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Sources")]
pub struct SourceArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Ask this Forge or mirror instead of that of the Puppetfile [default: the environment variable KUKLA_FORGE]
    #[arg(long, value_name = "URL")]
    forge: Option<String>,
    /// File with the key of the Forge [default: the environment variable KUKLA_FORGE_KEY]
    #[arg(long, value_name = "FILE")]
    forge_key_file: Option<PathBuf>,
    /// Never connect; everything must be in the store
    #[arg(long)]
    offline: bool,
    /// Connect through this proxy [default: from the environment: https_proxy, http_proxy, all_proxy]
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// File with the certificates of trusted authorities [default: SSL_CERT_FILE, or that of the system]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Give up after SECONDS without an answer
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = crate::commands::options::parse_seconds)]
    timeout: Duration,
    /// Repeat failed requests this often
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,
    /// Fetch this many modules at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    jobs: usize,
}

/// The settings of a file that options and environment variables replace.
#[derive(Debug, Default)]
pub struct SettingsOfSources {
    /// The key of the Forge.
    pub forge_key: Option<String>,
    /// The proxy.
    pub proxy: Option<String>,
    /// The keys of git repositories.
    pub ssh_keys: SshKeys,
}

impl From<&DeploySettings> for SettingsOfSources {
    fn from(settings: &DeploySettings) -> SettingsOfSources {
        SettingsOfSources {
            forge_key: settings.forge.key.clone(),
            proxy: settings.proxy.clone(),
            ssh_keys: settings.ssh_keys.clone(),
        }
    }
}

/// The option that names the store.
#[derive(Clone, Debug, clap::Args)]
pub struct StoreArgs {
    /// Directory of the store of modules [default: KUKLA_MODULE_STORE, /var/cache/kukla/modules for root, else ~/.cache/kukla/modules]
    #[arg(long, value_name = "DIR")]
    module_store: Option<PathBuf>,
    /// Copy files out of the store instead of linking them, so that edits of installed files stay where they are
    #[arg(long)]
    copy: bool,
}

impl StoreArgs {
    /// Opens the store.
    pub fn open(&self) -> Result<Store, Problem> {
        let root = self.module_store.clone().unwrap_or_else(default_store_directory);
        let mut store = Store::open(&root)?;
        store.linking.copies = self.copy;
        Ok(store)
    }
}

/// The directory of the store that no option names.
pub fn default_store_directory() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    default_store(rustix::process::geteuid().is_root(), variable)
}

/// A Puppetfile with its sources.
pub struct Modules {
    /// The Puppetfile.
    pub path: PathBuf,
    /// Its directory.
    pub base: PathBuf,
    /// Its sources.
    pub sources: Sources,
    /// The settings with which it is read.
    pub options: ReadOptions,
    commands: Commands,
}

impl ModuleOptions {
    /// Opens the store and finds the Puppetfile.
    pub fn open(&self) -> Result<Modules, Problem> {
        let shown = self.puppetfile.display();
        let path = self.puppetfile.canonicalize().map_err(|_| {
            Problem::not_found(format!("there is no {shown}"))
                .help("change to the directory of a control repository, or name a file with --puppetfile")
        })?;
        let base = path.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Modules {
            path,
            base,
            sources: self.sources.open()?,
            options: ReadOptions::default(),
            commands: self.commands.clone(),
        })
    }
}

impl SourceArgs {
    fn open(&self) -> Result<Sources, Problem> {
        self.open_with(SettingsOfSources::default())
    }

    /// The options of a process that nobody starts with any.
    #[cfg(feature = "serve")]
    pub fn defaults(module_store: Option<PathBuf>) -> SourceArgs {
        SourceArgs {
            store: StoreArgs { module_store, copy: false },
            forge: None,
            forge_key_file: None,
            offline: false,
            proxy: None,
            ca: None,
            timeout: Duration::from_secs(30),
            retries: 3,
            jobs: 16,
        }
    }

    /// Opens the sources with the settings of a file, which options and environment variables replace.
    pub fn open_with(&self, settings: SettingsOfSources) -> Result<Sources, Problem> {
        let forge_key = match &self.forge_key_file {
            Some(file) => Some(crate::files::read_text(file)?.trim().to_owned()),
            None => std::env::var("KUKLA_FORGE_KEY").ok().filter(|key| !key.is_empty()),
        };
        let forge_key = forge_key.or(settings.forge_key);
        let network = NetworkOptions {
            offline: self.offline,
            patience: self.timeout,
            retries: self.retries,
            authorities: self.ca.clone(),
            proxy: self.proxy.clone().or(settings.proxy),
            ssh_keys: settings.ssh_keys,
        };
        let forge =
            self.forge.clone().or_else(|| std::env::var("KUKLA_FORGE").ok()).filter(|url| !url.is_empty());
        let options =
            SourceOptions { forge, forge_key, network, threads: self.jobs, ..SourceOptions::default() };
        Ok(Sources::new(self.store.open()?, options))
    }
}

impl Modules {
    /// The world that the code of the Puppetfile sees: the files of its directory, and environment variables.
    pub fn world(&self) -> impl World + use<> {
        let policy = Policy {
            files: Files { reach: Reach::Repository, also: vec![self.base.clone()] },
            commands: self.commands.clone(),
            variables: Variables::On,
            ..Policy::default()
        };
        Guarded::new(DiskWorld::default(), policy)
    }

    /// The Puppetfile.
    pub fn puppetfile(&self) -> Result<Puppetfile, Problem> {
        Puppetfile::read(&self.world(), &self.path, &self.options)
    }

    /// The control repository around the Puppetfile.
    pub fn control(&self) -> ControlRepository {
        ControlRepository { base: self.base.clone(), branch: current_branch(&self.base) }
    }

    fn lock_path(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        self.path.with_file_name(name)
    }

    /// The lock, if there is one.
    pub fn lock(&self) -> Result<Option<Lock>, Problem> {
        let path = self.lock_path();
        match path.exists() {
            true => Lock::parse(&path, &crate::files::read_text(&path)?).map(Some),
            false => Ok(None),
        }
    }

    /// The lock, which must be there and match the Puppetfile.
    pub fn require_lock(&self) -> Result<Lock, Problem> {
        let lock = self.lock()?.ok_or_else(|| {
            Problem::not_found(format!("there is no {}", self.lock_path().display()))
                .help("write it with `kukla mod lock`")
        })?;
        lock.require_current(&self.puppetfile()?)?;
        Ok(lock)
    }

    /// The lock, or the versions that the Puppetfile alone leads to.
    pub fn lock_or_pin(&self) -> Result<Lock, Problem> {
        match self.lock()? {
            Some(lock) => {
                lock.require_current(&self.puppetfile()?)?;
                Ok(lock)
            }
            None => self.sources.pin(&self.puppetfile()?, &self.control()),
        }
    }

    /// The lock in a revision of the control repository, or the versions that its Puppetfile leads to.
    pub fn lock_of_revision(&self, revision: &str) -> Result<Lock, Problem> {
        let repository = Arc::new(Repository::discover(&self.base, Arc::new(DiskWorld::default()))?);
        let found = repository.revision(&RangeEnd::Revision(revision.to_owned()))?;
        let Some((world, _)) = found else { return self.lock_or_pin() };
        let path = self.lock_path();
        match world.read(&path) {
            Ok(text) => Lock::parse(&path, &String::from_utf8_lossy(&text)),
            Err(_) => {
                let puppetfile = Puppetfile::read(&world, &self.path, &self.options)?;
                let control =
                    ControlRepository { base: self.base.clone(), branch: Some(revision.to_owned()) };
                self.sources.pin(&puppetfile, &control)
            }
        }
    }

    /// Fetches the modules of a lock.
    pub fn fetch(&self, lock: &mut Lock) -> Result<(), Problem> {
        self.sources.fetch(lock, &self.control(), &Progress::default())
    }

    /// Resolves a Puppetfile and reports bounds that do not hold.
    pub fn resolve(&self, puppetfile: &Puppetfile, options: &LockOptions<'_>) -> Result<NewLock, Problem> {
        let locked = self.sources.lock(puppetfile, &self.control(), options, &Progress::default())?;
        for violation in &locked.violations {
            errln!("warning: {violation}");
        }
        Ok(locked)
    }

    /// Writes the lock and prints what changed.
    pub fn write_lock(&self, previous: Option<&Lock>, lock: &Lock) -> Result<(), Problem> {
        let empty = Lock::default();
        let previous = previous.unwrap_or(&empty);
        let mut changes = 0;
        for module in &lock.modules {
            let (title, version) = (&module.title, module.shown_version());
            match previous.find(title).map(|known| known.shown_version()) {
                None => outln!("+ {title} {version}"),
                Some(before) if before != version => outln!("~ {title} {before} -> {version}"),
                Some(_) => continue,
            }
            changes += 1;
        }
        for gone in previous.modules.iter().filter(|module| lock.find(&module.title).is_none()) {
            outln!("- {} {}", gone.title, gone.shown_version());
            changes += 1;
        }
        let text = lock.to_text();
        let path = self.lock_path();
        if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            write_file(&path, text.as_bytes())?;
        }
        let count = lock.modules.len();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        outln!("{name}: {count} modules, {changes} changed");
        Ok(())
    }
}

/// The progress of fetching, on one line of the terminal.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    fn is_shown() -> bool {
        std::io::stderr().is_terminal()
    }
}

impl Observer for Progress {
    fn started(&self, modules: usize) {
        self.total.store(modules, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    fn fetched(&self, title: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if Progress::is_shown() {
            let total = self.total.load(Ordering::Relaxed).max(1);
            err!("\r\x1b[2K[{:20}] {done}/{total} {title}", "#".repeat(done * 20 / total));
        }
    }

    fn finished(&self) {
        if Progress::is_shown() {
            err!("\r\x1b[2K");
        }
    }
}

/// The name that a Puppetfile's directory has, for reports.
pub fn site_name(base: &Path) -> String {
    base.file_name()
        .map_or_else(|| puppetfile::FILE_NAME.to_owned(), |name| name.to_string_lossy().into_owned())
}
