//! Sites: an environment together with its site manifest and data, opened once for any number of nodes.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kukla_catalog::Exports;
use kukla_eval::environment::{Environment, EnvironmentSpec, Loaded};
use kukla_eval::error::Diagnostic;
use kukla_eval::programs::Programs;
use kukla_eval::unit::Unit;
use kukla_hiera::DataCache;
use kukla_syntax::Problem;
use kukla_world::record::{Answer, Input, Question, tracked};
use kukla_world::{FileError, Guarded, Stamp, World, normal};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cache::lasting;
use crate::compiler::registry;
use crate::confine;
use crate::control::{Layout, SiteManifests, bad_setting, manifests, time_to_live};
use crate::missing::MissingModule;
use crate::spec::SiteSpec;
use crate::watch::Watched;
use kukla_extensions::{RubyExtensions, RubyPrograms};

/// An environment with its site manifest and data, which all compilations of a site share.
///
/// Files are read when first needed and never again; a site is a snapshot of the world. Any number
/// of threads can compile at once.
#[derive(Debug)]
pub struct Site {
    /// The options it was opened with.
    pub spec: SiteSpec,
    /// The environment, its definitions and those of the site manifest.
    pub environment: Environment,
    /// The units of the site manifest, in order, up to one that cannot be read.
    pub manifests: Vec<Arc<Unit>>,
    /// Pipes, sockets and devices among the site manifests, which are skipped.
    pub special: Vec<PathBuf>,
    /// The error of that one.
    pub broken_manifest: Option<Arc<Diagnostic>>,
    /// The unit to compile to completion first.
    pub prelude: Option<Loaded>,
    /// Data files, read once.
    pub data: Arc<DataCache>,
    /// The layout of the environment, if it has a directory.
    pub layout: Option<Layout>,
    version: OnceLock<Option<Result<String, Problem>>>,
    watched: Arc<Watched>,
    timeout: Duration,
    pub(crate) ruby: Arc<RubyPrograms>,
    pub(crate) missing_modules: OnceLock<Vec<MissingModule>>,
    /// Whether a catalog was compiled.
    pub(crate) is_used: AtomicBool,
}

impl Site {
    /// The output of the environment's `config_version` command, which runs once; `None` if there is none.
    pub fn version(&self) -> Option<&Result<String, Problem>> {
        let ask = || {
            let command = self.layout.as_ref()?.config_version.as_ref()?;
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            Some(match self.environment.reading(|world| world.run(&words)) {
                Ok(output) if output.code == Some(0) => {
                    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
                }
                Ok(output) => Err(Problem::other(format!("'{command}' ended with {:?}", output.code))),
                Err(FileError::NotFound) => Err(Problem::not_found("cannot find").on(format!("'{command}'"))),
                Err(why) => Err(Problem::other("").because(why)),
            })
        };
        self.version.get_or_init(ask).as_ref()
    }

    /// Whether the files of the site have not changed. Within the environment's `environment_timeout` no file is checked
    /// and the answer is yes; otherwise every file it has ever looked for is, so call this once for a batch of nodes.
    pub fn is_current(&self) -> bool {
        self.watched.is_current(self.timeout)
    }

    /// Whether the files of the site have not changed, checked now.
    pub fn is_unchanged(&self) -> bool {
        self.watched.is_current(Duration::ZERO)
    }

    /// The number of paths that the site has looked at so far. As long as it stays the same, all results come from one snapshot
    /// of the world; when it grows, [`Site::is_unchanged`] checks whether the snapshot is still consistent.
    pub fn extent(&self) -> usize {
        self.watched.extent()
    }

    /// All inputs of the world that the site is part of, by number, each with the stamp that a file had before it was read, if it had
    /// been the same for a while when the reading began.
    pub fn inputs(&self, began: u64) -> Vec<(Input, Option<Stamp>)> {
        let Some(ledger) = self.environment.world.ledger() else { return Vec::new() };
        let all = ledger.all();
        let mut answers = FxHashMap::<&Path, Answer>::default();
        let mut changing = FxHashSet::<&Path>::default();
        for Input { question, answer } in &all {
            if let Question::Read(path) | Question::Data(path) = question
                && answers.insert(path, *answer).is_some_and(|known| known != *answer)
            {
                changing.insert(path);
            }
        }
        let stamp = |input: &Input| match &input.question {
            Question::Read(path) | Question::Data(path) if !changing.contains(path.as_path()) => {
                lasting(self.watched.first_stamp(path), began)
            }
            _ => None,
        };
        let stamps: Vec<Option<Stamp>> = all.iter().map(stamp).collect();
        all.into_iter().zip(stamps).collect()
    }

    pub(crate) fn open(
        spec: SiteSpec,
        world: Guarded<Arc<dyn World>>,
        exports: Option<Arc<dyn Exports>>,
        programs: &Arc<Programs>,
        ruby: &Arc<RubyPrograms>,
    ) -> Result<Site, Box<Diagnostic>> {
        let guard = Arc::new(world);
        confine::admit_named(&guard, &spec);
        let watched = Arc::new(Watched::new(Arc::clone(&guard) as Arc<dyn World>));
        let world = Arc::clone(&watched) as Arc<dyn World>;
        let root = spec.root();
        let (layout, layout_inputs) = tracked(&*world, |world| {
            let read = |root| Layout::read(world, root, &spec.basemodulepath, &spec.settings);
            root.as_deref().map(read).transpose()
        });
        let layout = layout?;
        let timeout = match layout.as_ref().and_then(|layout| layout.timeout) {
            Some(own) => own,
            None => {
                let general = spec.settings.all.get("environment_timeout").map(kukla_values::format::to_s);
                time_to_live(general.as_deref().unwrap_or("0"))?
            }
        };
        let mut settings = spec.settings.clone();
        for (name, value) in layout.iter().flat_map(|layout| &layout.settings) {
            settings.set(name, value.as_str().into()).map_err(bad_setting)?;
        }
        let modulepath = match (&spec.modulepath, &layout) {
            (Some(path), _) => path.as_slice(),
            (None, Some(layout)) => &layout.modulepath,
            (None, None) => &[],
        };
        // As Puppet names files.
        let plain = |path: &PathBuf| if path.is_absolute() { normal(path) } else { path.clone() };
        let modulepath = modulepath.iter().map(plain).collect();
        confine::admit_placed(&guard, layout.as_ref());
        let environment = Environment::new(EnvironmentSpec {
            root,
            modulepath,
            own_module: spec.own_module.clone(),
            settings,
            programs: Arc::clone(programs),
            exports,
            extensions: Some(Arc::new(RubyExtensions::new(Arc::clone(ruby)))),
            inputs: layout_inputs,
            ..EnvironmentSpec::new(&spec.environment, Arc::clone(&world), registry())
        });
        let manifest = spec.manifest.clone().or_else(|| Some(layout.as_ref()?.manifest.clone()));
        let SiteManifests { paths, special } = match (&spec.code, manifest) {
            (None, Some(manifest)) => environment.reading(|world| manifests(world, &manifest)),
            _ => SiteManifests::default(),
        };
        let code = spec.code.iter().map(|code| environment.load_text(code));
        let main = code.chain(paths.iter().map(|path| environment.load(path)));
        let mut broken_manifest = None;
        let manifests =
            main.map_while(|loaded| loaded.map_err(|failure| broken_manifest = Some(failure)).ok()).collect();
        let prelude = spec.prelude.as_ref().map(|code| environment.load_text(code));
        Ok(Site {
            spec,
            environment,
            manifests,
            special,
            broken_manifest,
            prelude,
            data: Arc::new(DataCache::new()),
            layout,
            version: OnceLock::new(),
            watched,
            timeout,
            ruby: Arc::clone(ruby),
            missing_modules: OnceLock::new(),
            is_used: AtomicBool::new(false),
        })
    }
}
