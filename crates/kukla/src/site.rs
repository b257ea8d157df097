//! Sites: an environment together with its site manifest and data, kept for as long as nothing they were made from changes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use kukla_catalog::Exports;
use kukla_eval::environment::Environment;
use kukla_eval::error::Failure;
use kukla_eval::program::Program;
use kukla_hiera::DataCache;
use kukla_syntax::Source;
use kukla_world::record::{Recorded, tracked};
use kukla_world::{FileError, World};

use crate::compiler::registry;
use crate::control::{Layout, manifests, refused, time_to_live};
use crate::disk::Watched;
use crate::request::Request;
use crate::ruby_types::RubyTypes;

/// So many sites are kept; a process that serves more forgets the one that was not asked for the longest.
const KEPT: usize = 16;

/// What all compilations of one site share.
#[derive(Debug)]
pub struct Site {
    /// The environment, its definitions and those of the site manifest.
    pub environment: Environment,
    /// The programs of the site manifest, in order, or why there are none.
    pub manifests: Result<Vec<Arc<Program>>, Arc<Failure>>,
    /// The program to compile to completion first.
    pub prelude: Option<Result<Arc<Program>, Arc<Failure>>>,
    /// Data files, read once.
    pub data: Arc<DataCache>,
    /// What `environment.conf` says, if the environment has a directory.
    pub layout: Option<Layout>,
    version: OnceLock<Option<Result<String, String>>>,
    watched: Arc<Watched>,
    timeout: Duration,
}

/// What makes one site different from another.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    environment: String,
    root: Option<PathBuf>,
    basemodulepath: String,
    modulepath: Option<Vec<PathBuf>>,
    manifest: Option<PathBuf>,
    code: Option<String>,
    prelude: Option<String>,
    hiera_config: Option<PathBuf>,
    settings: kukla_eval::settings::Settings,
}

/// What sites have beside the world.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Who knows what other nodes export.
    pub exports: Option<Arc<dyn Exports>>,
    /// Whether it is recorded what compilations read.
    pub recorded: bool,
}

/// The sites of a process.
#[derive(Debug, Default)]
pub struct Sites {
    known: Mutex<Vec<(Key, Arc<Site>)>>,
}

impl Sites {
    /// The site a request is about; an earlier one if nothing it was made from has changed.
    pub fn get(
        &self,
        request: &Request,
        around: &Around,
        watched: impl FnOnce() -> Watched,
    ) -> Result<Arc<Site>, Box<Failure>> {
        let key = Key {
            environment: request.environment.clone(),
            root: request.root(),
            basemodulepath: request.basemodulepath.clone(),
            modulepath: request.modulepath.clone(),
            manifest: request.manifest.clone(),
            code: request.code.clone(),
            prelude: request.prelude.clone(),
            hiera_config: request.hiera_config.clone(),
            settings: request.settings.clone(),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|(other, _)| *other == key) {
            let (key, site) = known.remove(at);
            if site.watched.is_current(site.timeout) {
                known.push((key, Arc::clone(&site)));
                return Ok(site);
            }
        }
        let site = Arc::new(Site::open(&key, around, watched())?);
        if known.len() >= KEPT {
            known.remove(0);
        }
        known.push((key, Arc::clone(&site)));
        Ok(site)
    }
}

impl Site {
    /// What the environment's `config_version` command prints, asked once; `None` if the environment has none.
    pub fn version(&self) -> Option<&Result<String, String>> {
        let ask = || {
            let command = self.layout.as_ref()?.config_version.as_ref()?;
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            Some(match self.environment.reading(|world| world.run(&words)) {
                Ok(output) if output.code == Some(0) => {
                    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
                }
                Ok(output) => Err(format!("'{command}' ended with {:?}", output.code)),
                Err(FileError::Other(why)) => Err(why),
                Err(FileError::NotFound) => Err(format!("there is no '{command}'")),
            })
        };
        self.version.get_or_init(ask).as_ref()
    }

    fn open(key: &Key, around: &Around, watched: Watched) -> Result<Site, Box<Failure>> {
        let watched = Arc::new(watched);
        let mut world = Arc::clone(&watched) as Arc<dyn World>;
        if around.recorded {
            world = Arc::new(Recorded::new(world));
        }
        let (layout, layout_inputs) = tracked(&*world, |world| {
            let read = |root| Layout::read(world, root, &key.basemodulepath, &key.settings);
            key.root.as_deref().map(read).transpose()
        });
        let layout = layout?;
        let timeout = match layout.as_ref().and_then(|layout| layout.timeout) {
            Some(own) => own,
            None => {
                let general = key.settings.all.get("environment_timeout").map(kukla_values::format::to_s);
                time_to_live(general.as_deref().unwrap_or("0"))?
            }
        };
        let mut settings = key.settings.clone();
        for (name, value) in layout.iter().flat_map(|layout| &layout.settings) {
            settings.set(name, value.as_str().into()).map_err(refused)?;
        }
        let modulepath = match (&key.modulepath, &layout) {
            (Some(path), _) => path.clone(),
            (None, Some(layout)) => layout.modulepath.clone(),
            (None, None) => Vec::new(),
        };
        let mut environment = Environment::new(
            &key.environment,
            key.root.clone(),
            modulepath,
            settings,
            Arc::clone(&world),
            registry(),
        );
        environment.exports = around.exports.clone();
        environment.depend_on(&layout_inputs);
        environment.foreign_types = Some(Arc::new(RubyTypes::default()));
        let manifest = key.manifest.clone().or_else(|| Some(layout.as_ref()?.manifest.clone()));
        let main = match (&key.code, manifest) {
            (Some(code), _) => text(&environment, code).map(|program| vec![program]),
            (None, Some(manifest)) => environment
                .reading(|world| manifests(world, &manifest))
                .iter()
                .map(|path| environment.load(path))
                .collect(),
            (None, None) => Ok(Vec::new()),
        };
        // Every compilation logs what is questionable in the site manifest; the environment need not say it again.
        if let Ok(programs) = &main {
            let is_main = |source: &Source| programs.iter().any(|main| main.source.name() == source.name());
            environment.keep_warnings(|source| !is_main(source));
        }
        let prelude = key.prelude.as_ref().map(|code| text(&environment, code));
        Ok(Site {
            environment,
            manifests: main,
            prelude,
            data: Arc::new(DataCache::new()),
            layout,
            version: OnceLock::new(),
            watched,
            timeout,
        })
    }
}

/// Reads a text that is no file, and makes its definitions known.
fn text(environment: &Environment, code: &str) -> Result<Arc<Program>, Arc<Failure>> {
    let source = Source::unnamed(code);
    let program = kukla_eval::lower::lower(&source, None, &environment.rules(None)).map_err(Arc::new)?;
    environment.learn(&program).map_err(Arc::new)?;
    environment.check_signatures(&program)?;
    Ok(Arc::new(program))
}
