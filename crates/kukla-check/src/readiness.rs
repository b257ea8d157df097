//! The parts of a repository that commands need (modules, facts, data, keys), and those that are missing.
//!
//! Only files are read; nothing is compiled.

use std::path::Path;

use kukla::control::{BASE_MODULEPATH, Layout, manifests};
use kukla::fleet::{Fleet, FleetError, FleetOptions, NodeSource};
use kukla::hiera::LayerKind;
use kukla::hiera::config::{Backend, Config};
use kukla::syntax::Problem;
use kukla::values::{Str, Value};
use kukla::world::World;
use kukla::{Diagnostic, Settings};

use crate::repository::{Shape, Survey};

/// The state of a part of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is missing.
    Ready,
    /// Commands work without it, with less to say.
    Lacking,
    /// The commands that need it fail, or report errors that are not in the code.
    Missing,
}

/// A part of a repository that commands need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name: `manifests`, `modules`, `facts`, `data`, `keys`.
    pub name: &'static str,
    /// Its state.
    pub state: State,
    /// The files that are there, or those that are missing.
    pub finding: String,
    /// The way to get it.
    pub help: Option<String>,
    /// The commands that suffer.
    pub affects: &'static [&'static str],
}

impl Part {
    fn ready(name: &'static str, finding: String) -> Part {
        Part { name, state: State::Ready, finding, help: None, affects: &[] }
    }

    fn missing(name: &'static str, finding: String, help: &str, affects: &'static [&'static str]) -> Part {
        Part { name, state: State::Missing, finding, help: Some(help.to_owned()), affects }
    }

    fn lacking(name: &'static str, finding: String, help: &str, affects: &'static [&'static str]) -> Part {
        Part { state: State::Lacking, ..Part::missing(name, finding, help, affects) }
    }
}

/// The commands that compile catalogs. `check` does without modules and facts: it reports no names of modules that are not here.
const COMPILING: &[&str] = &["compile", "diff", "why"];
/// The commands that decrypt data.
const DECRYPTING: &[&str] = &["compile", "diff", "lookup", "why"];

/// The parts of the repository with this root; `options` are those of a compilation of it.
pub fn examine(
    world: &dyn World,
    root: &Path,
    shape: Shape,
    options: &FleetOptions,
) -> Result<Vec<Part>, Box<Diagnostic>> {
    let modulepath = options.modulepath.as_deref().unwrap_or_default();
    let survey = Survey::of(world, root, shape, modulepath, None)?;
    let mut parts = Vec::new();
    if shape == Shape::Control {
        parts.push(site_manifest(world, root)?);
    }
    parts.extend(modules(&survey, world));
    if shape == Shape::Control {
        parts.push(facts(options));
        parts.extend(data(world, root));
    }
    Ok(parts)
}

fn site_manifest(world: &dyn World, root: &Path) -> Result<Part, Box<Diagnostic>> {
    let layout = Layout::read(world, root, BASE_MODULEPATH, &Settings::default())?;
    let count = manifests(world, &layout.manifest).paths.len();
    let path = layout.manifest.strip_prefix(root).unwrap_or(&layout.manifest).display().to_string();
    Ok(match count {
        0 => Part::missing(
            "manifests",
            format!("no site manifest in {path}"),
            "write manifests/site.pp, or compile code with -e 'include role::web'",
            COMPILING,
        ),
        count => Part::ready("manifests", format!("{} in {path}", counted(count, "file"))),
    })
}

/// The modules that are here, and those that are not.
fn modules(survey: &Survey, world: &dyn World) -> Vec<Part> {
    let own = survey.modules.iter().filter(|module| !module.is_third_party).count();
    let others = survey.modules.len() - own;
    let mut parts = vec![Part::ready(
        "modules",
        format!("{} of this repository, {others} from elsewhere", counted(own, "module")),
    )];
    let mut miss =
        |finding: String, help: &str| parts.push(Part::missing("modules", finding, help, COMPILING));
    if !survey.not_installed.is_empty() {
        let finding = format!("in the Puppetfile and not installed: {}", survey.not_installed.join(", "));
        miss(finding, "`kukla mod sync` or `r10k puppetfile install` installs them");
    }
    let absent = |name: &String| survey.module(name).is_none();
    let mut dependencies: Vec<String> =
        survey.modules.iter().flat_map(|module| module.dependencies()).collect();
    dependencies.retain(|name| absent(name) && !survey.not_installed.contains(name));
    dependencies.sort();
    dependencies.dedup();
    if !dependencies.is_empty() {
        let finding =
            format!("dependencies in metadata.json that are not installed: {}", dependencies.join(", "));
        let help = match survey.shape {
            Shape::Module => "put them into spec/fixtures/modules, or beside the module",
            _ => "add them to the Puppetfile, unless no code that you use needs them",
        };
        parts.push(Part::lacking("modules", finding, help, COMPILING));
    }
    let mut miss =
        |finding: String, help: &str| parts.push(Part::missing("modules", finding, help, COMPILING));
    if !survey.submodules.is_empty() {
        let relative = |path: &Path| path.strip_prefix(&survey.root).unwrap_or(path).display().to_string();
        let paths: Vec<String> = survey.submodules.iter().map(|path| relative(path)).collect();
        miss(
            format!("submodules that are not checked out: {}", paths.join(", ")),
            "git submodule update --init",
        );
    }
    if !survey.outside.is_empty() {
        let finding =
            format!("directories of the module path that do not exist here: {}", survey.outside.join(", "));
        miss(
            finding,
            "copy them here and name them with --modulepath, or in the modulepath of environment.conf",
        );
    }
    if survey.modules.is_empty() && world.list(&survey.root.join("modules")).is_empty() && parts.len() == 1 {
        parts = vec![Part::ready("modules", "none, and nothing names any".to_owned())];
    }
    parts
}

/// The nodes and their facts.
fn facts(options: &FleetOptions) -> Part {
    let help = "`kukla facts pull` fetches those of your nodes; `--facts debian-12` uses a built-in fact set (`kukla facts list`)";
    let fleet = match Fleet::open(options) {
        Ok(fleet) => fleet,
        Err(FleetError::Problem(problem)) => {
            return Part::missing("facts", problem.to_string(), help, COMPILING);
        }
        Err(FleetError::Manifest(diagnostic)) => {
            return Part::missing(
                "manifests",
                diagnostic.to_string(),
                "`kukla check` shows the error",
                COMPILING,
            );
        }
        Err(error @ FleetError::Cancelled) => {
            return Part::missing("facts", error.to_string(), help, COMPILING);
        }
    };
    let without = |source: &&NodeSource| matches!(source, NodeSource::Name(_));
    let named = fleet.sources().iter().filter(without).count();
    let known = fleet.sources().len() - named;
    let path = options.facts_path();
    let path = path.strip_prefix(&options.control.path).unwrap_or(&path).display().to_string();
    match (known, named) {
        (0, 0) => Part::missing(
            "facts",
            format!("no nodes: no facts in {path}, and no node definition has a name"),
            help,
            COMPILING,
        ),
        (0, _) if options.fact_sets.all.is_some() => {
            Part::ready("facts", format!("{} with the facts of a fact set", counted(named, "node")))
        }
        (0, _) => Part::lacking(
            "facts",
            format!("{} in node definitions, no facts of any", counted(named, "node")),
            help,
            COMPILING,
        ),
        (known, 0) => Part::ready("facts", format!("{} in {path}", counted(known, "node"))),
        (known, named) => {
            Part::ready("facts", format!("{} in {path}, {named} without facts", counted(known, "node")))
        }
    }
}

/// The hierarchy, and the keys that it decrypts with.
fn data(world: &dyn World, root: &Path) -> Vec<Part> {
    let path = root.join("hiera.yaml");
    if !world.exists(&path) {
        return vec![Part::ready("data", "no hiera.yaml".to_owned())];
    }
    let config = match Config::read(world, &Str::from(path.display().to_string()), LayerKind::Environment) {
        Ok(config) => config,
        Err(error) => {
            let help = "`kukla check` shows the error";
            return vec![Part::missing("data", format!("hiera.yaml: {error}"), help, DECRYPTING)];
        }
    };
    let mut parts =
        vec![Part::ready("data", format!("{} in hiera.yaml", counted(config.hierarchy.len(), "level")))];
    let mut keys: Vec<String> = Vec::new();
    for level in config.hierarchy.iter().filter(|level| level.backend == Backend::Eyaml) {
        let option = |name: &str| level.options.get(name).and_then(Value::as_str).map(str::to_owned);
        // A variable of the environment may be set where it is needed.
        if option("pkcs7_private_key_env_var").is_none() {
            keys.push(
                option("pkcs7_private_key").unwrap_or_else(|| "./keys/private_key.pkcs7.pem".to_owned()),
            );
        }
    }
    keys.sort();
    keys.dedup();
    for key in keys.into_iter().filter(|key| !key.contains("%{")) {
        parts.push(match world.exists(Path::new(&key)) {
            true => Part::ready("keys", key),
            false => Part::lacking(
                "keys",
                format!("{key}, which decrypts eyaml data, is not here"),
                "`check` needs none; for the others copy it here, or set pkcs7_private_key_env_var under 'options' of the level",
                DECRYPTING,
            ),
        });
    }
    parts
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// A problem that keeps a repository from being examined.
pub fn not_a_repository(path: &Path) -> Problem {
    Problem::not_found("no repository at")
        .on(path.display())
        .help("a control repository has an environment.conf, a Puppetfile, or a hiera.yaml beside manifests; a module has a metadata.json")
}
