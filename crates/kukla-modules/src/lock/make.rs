//! Making a lock: the declared modules and everything that they require.

use std::collections::BTreeMap;

use kukla_syntax::Problem;
use kukla_values::semver::{Version, VersionRange};

use super::{Lock, LockedModule, Origin};
use crate::forge::Forge;
use crate::parallel;
use crate::puppetfile::{Declaration, Puppetfile, Source, VersionRequest, split_title};
use crate::resolve::{self, Candidate, Catalogue, Request, Strictness, VersionDemand, Violation};
use crate::sources::{ControlRepository, Observer, Sources, locked};

/// The wishes for a new lock.
#[derive(Debug, Default)]
pub struct LockOptions<'l> {
    /// The lock until now, whose versions stay where they can.
    pub previous: Option<&'l Lock>,
    /// The modules whose versions need not stay.
    pub update: Update,
    /// How bounds count that an exact version is outside of.
    pub strictness: Strictness,
    /// Whether the modules that others require are added.
    pub without_dependencies: bool,
}

/// The modules whose locked versions need not stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// None.
    #[default]
    Nothing,
    /// All.
    All,
    /// Some, by title.
    Modules(Vec<String>),
}

impl Update {
    fn includes(&self, title: &str) -> bool {
        match self {
            Update::Nothing => false,
            Update::All => true,
            Update::Modules(titles) => titles.iter().any(|updated| updated == title),
        }
    }
}

/// A new lock.
#[derive(Clone, Debug)]
pub struct NewLock {
    /// The lock.
    pub lock: Lock,
    /// Bounds that do not hold because the Puppetfile names exact versions.
    pub violations: Vec<Violation>,
}

impl Catalogue for Forge<'_> {
    fn candidates(&self, name: &str) -> Result<Vec<Candidate>, Problem> {
        let releases = self.releases(name)?;
        let candidate = |release: &crate::forge::Release| Candidate {
            version: Some(release.version.clone()),
            dependencies: release.metadata.dependencies.clone(),
        };
        Ok(releases.iter().map(candidate).collect())
    }
}

impl Sources {
    /// Resolves a Puppetfile with all that its modules require, and fetches everything into the store.
    pub fn lock(
        &self,
        puppetfile: &Puppetfile,
        control: &ControlRepository,
        options: &LockOptions<'_>,
        observer: &dyn Observer,
    ) -> Result<NewLock, Problem> {
        let forge = self.forge(puppetfile.forge.as_deref());
        let (on_forge, others): (Vec<&Declaration>, Vec<&Declaration>) =
            puppetfile.modules.iter().partition(|module| matches!(module.source, Source::Forge(_)));
        let mut fixed = Lock { forge: forge.name().to_owned(), modules: Vec::new() };
        let pinned =
            parallel::map(&others, self.threads(), |declaration| match previous(options, declaration) {
                Some(known) => Ok(known.clone()),
                None => Ok(locked(declaration, self.pin_other(&declaration.source, declaration, control)?)),
            });
        fixed.modules = pinned.into_iter().collect::<Result<_, Problem>>()?;
        self.fetch(&mut fixed, control, observer)?;
        self.complete(&mut fixed)?;
        // The answers are needed one after the other, and asked for at once.
        parallel::map(&on_forge, self.threads(), |declaration| forge.releases(&declaration.title).map(drop))
            .into_iter()
            .collect::<Result<Vec<()>, Problem>>()?;
        let mut requests: Vec<Request> =
            on_forge.iter().map(|declaration| forge_request(declaration)).collect();
        requests.extend(
            fixed
                .modules
                .iter()
                .zip(&others)
                .map(|(module, declaration)| fixed_request(module, declaration.line)),
        );
        let names = Names::of(&requests);
        requests
            .iter_mut()
            .for_each(|request| names.rename(&mut request.wanted, options.without_dependencies));
        let preferred = preferred(options, &on_forge);
        let catalogue =
            Renamed { forge: &forge, names: &names, without_dependencies: options.without_dependencies };
        let resolution = resolve::resolve(&requests, &catalogue, &preferred, options.strictness)?;
        let mut lock = Lock { forge: fixed.forge.clone(), modules: fixed.modules };
        for (title, version) in &resolution.versions {
            if lock.modules.iter().any(|module| module.title == *title) {
                continue;
            }
            let declaration = on_forge.iter().find(|declaration| declaration.title == *title);
            lock.modules.push(forge_module(title, version, declaration.copied(), puppetfile, options)?);
        }
        lock.modules.sort_by(|a, b| (&a.name, &a.title).cmp(&(&b.name, &b.title)));
        for pair in lock.modules.windows(2) {
            if pair[0].name == pair[1].name {
                return Err(Problem::invalid("two modules have the same name")
                    .because(format!(
                        "'{}' and '{}' are both required, and both are installed as '{}'",
                        pair[0].title, pair[1].title, pair[0].name
                    ))
                    .help("declare the one that you want in the Puppetfile"));
            }
        }
        self.fetch(&mut lock, control, observer)?;
        self.complete(&mut lock)?;
        Ok(NewLock { lock, violations: resolution.violations })
    }

    /// Adds versions and dependencies from the metadata of modules in the store.
    fn complete(&self, lock: &mut Lock) -> Result<(), Problem> {
        for module in &mut lock.modules {
            let Some(content) = &module.content else { continue };
            let metadata = self.metadata(content).map_err(|problem| {
                Problem::new(problem.kind(), "cannot read the metadata of")
                    .on(format!("'{}'", module.title))
                    .caused_by(problem)
            })?;
            let Some(metadata) = metadata else { continue };
            if module.version.is_none() && !metadata.version.is_empty() {
                module.version = Some(metadata.version);
            }
            module.dependencies = metadata.dependencies;
            module.dependencies.sort();
        }
        Ok(())
    }
}

/// The module of the lock until now, if it is to stay.
fn previous<'l>(options: &LockOptions<'l>, declaration: &Declaration) -> Option<&'l LockedModule> {
    let known = options.previous?.modules.iter().find(|module| module.title == declaration.title)?;
    let is_same = known.declared.as_deref() == Some(&*declaration.source.to_string())
        && known.directory == declaration.directory
        && known.keep_spec == declaration.keep_spec;
    (is_same && !options.update.includes(&declaration.title)).then_some(known)
}

fn preferred(options: &LockOptions<'_>, declared: &[&Declaration]) -> BTreeMap<String, Version> {
    let modules = options.previous.into_iter().flat_map(|lock| &lock.modules);
    let kept = modules.filter(|module| {
        // A module that is declared in another way now gets the version of a first lock.
        let declaration = declared.iter().find(|declaration| declaration.title == module.title);
        let is_changed = declaration
            .is_some_and(|declaration| module.declared.as_deref() != Some(&*declaration.source.to_string()));
        !options.update.includes(&module.title) && !is_changed
    });
    kept.filter_map(|module| match &module.origin {
        Origin::Forge { version } => Some((module.title.clone(), Version::parse(version).ok()?)),
        _ => None,
    })
    .collect()
}

fn forge_request(declaration: &Declaration) -> Request {
    let wanted = match &declaration.source {
        Source::Forge(VersionRequest::Exact(text)) => {
            Version::parse(text).map_or(VersionDemand::Any, VersionDemand::Exact)
        }
        Source::Forge(VersionRequest::Range(text)) => match VersionRange::parse(text) {
            Ok(range) => VersionDemand::Range(range, text.clone()),
            Err(_) => VersionDemand::Any,
        },
        _ => VersionDemand::Any,
    };
    Request { name: declaration.title.clone(), line: declaration.line, wanted }
}

fn fixed_request(module: &LockedModule, line: u32) -> Request {
    let version = module.version.as_deref().and_then(|text| Version::parse(text).ok());
    let candidate = Candidate { version, dependencies: module.dependencies.clone() };
    Request { name: module.title.clone(), line, wanted: VersionDemand::Fixed(candidate) }
}

/// A module that the lock gets from the Forge.
fn forge_module(
    title: &str,
    version: &str,
    declaration: Option<&Declaration>,
    puppetfile: &Puppetfile,
    options: &LockOptions<'_>,
) -> Result<LockedModule, Problem> {
    let origin = Origin::Forge { version: version.to_owned() };
    let mut module = match declaration {
        Some(declaration) => locked(declaration, origin),
        None => {
            let (_, name) = split_title(title).ok_or_else(|| {
                Problem::invalid("invalid name of a required module").on(format!("'{title}'"))
            })?;
            LockedModule {
                title: title.to_owned(),
                name: name.to_owned(),
                directory: puppetfile.moduledir.clone(),
                keep_spec: false,
                origin,
                version: Some(version.to_owned()),
                archive: None,
                content: None,
                declared: None,
                dependencies: Vec::new(),
            }
        }
    };
    // Digests of the lock until now show a release that was replaced.
    let known = options.previous.and_then(|lock| lock.modules.iter().find(|known| known.title == title));
    if let Some(known) = known.filter(|known| known.origin == module.origin) {
        module.archive = known.archive.clone();
        module.content = known.content.clone();
    }
    Ok(module)
}

/// Titles of declared modules by their short names: a requirement of `puppetlabs-firewall` is satisfied by a fork or a git repository that the
/// Puppetfile installs under the same name.
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(requests: &[Request]) -> Names {
        let named = requests.iter().filter_map(|request| {
            let (_, name) = split_title(&request.name)?;
            Some((name.to_owned(), request.name.clone()))
        });
        Names(named.collect())
    }

    fn rename(&self, wanted: &mut VersionDemand, without_dependencies: bool) {
        if let VersionDemand::Fixed(candidate) = wanted {
            if without_dependencies {
                candidate.dependencies.clear();
            }
            self.rename_dependencies(candidate);
        }
    }

    fn rename_dependencies(&self, candidate: &mut Candidate) {
        for dependency in &mut candidate.dependencies {
            let declared = split_title(&dependency.name).and_then(|(_, name)| self.0.get(name));
            if let Some(declared) = declared {
                dependency.name.clone_from(declared);
            }
        }
    }
}

/// The Forge, with requirements of the names that the Puppetfile has.
struct Renamed<'n> {
    forge: &'n Forge<'n>,
    names: &'n Names,
    without_dependencies: bool,
}

impl Catalogue for Renamed<'_> {
    fn candidates(&self, name: &str) -> Result<Vec<Candidate>, Problem> {
        let mut candidates = self.forge.candidates(name)?;
        for candidate in &mut candidates {
            if self.without_dependencies {
                candidate.dependencies.clear();
            }
            self.names.rename_dependencies(candidate);
        }
        Ok(candidates)
    }
}
