//! Layers: a configuration together with what it comes to for the variables of the moment.

use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::{Hash, Str, Value};
use kukla_world::record::InputSet;

use crate::backend::Memory;
use crate::cache::DataFile;
use crate::codes::{
    BAD_URI, HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED, HIERA_UNDEFINED_VARIABLE, UNDEFINED_DATA_VARIABLE,
};
use crate::config::{Backend, Config, LayerKind, LevelEntry, Locations};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::invocation::{Frame, Invocation, Resolving};
use crate::legacy::{hiera_3_config, share_hiera_3_config};
use crate::reads::Reads;
use crate::session::Session;
use crate::template::Path;

/// One of the three layers, or one of the modules of the third.
#[derive(Debug)]
pub(crate) struct Layer {
    pub kind: LayerKind,
    pub module: Option<Str>,
    pub config: Arc<Config>,
    /// The index of its hierarchy in the session, if it belongs to one.
    slot: Option<usize>,
}

/// A hierarchy for certain values of certain variables.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub levels: Vec<Level>,
    pub default_levels: Vec<Level>,
    pub reads: Arc<Reads>,
    /// Where its data was looked for.
    pub inputs: InputSet,
}

/// A level with its places.
#[derive(Debug)]
pub(crate) struct Level {
    pub name: Str,
    pub backend: Backend,
    pub options: Hash,
    /// Always at least one, except for a pattern that nothing matched.
    pub locations: Vec<Location>,
    /// The directory of its data, in version 3.
    pub datadir: Option<Str>,
}

impl Level {
    /// Its name in an explanation.
    pub fn title(&self) -> String {
        match &self.backend {
            Backend::Legacy(name) => format!("Deprecated API function \"{name}\""),
            _ => format!("Hierarchy entry \"{}\"", self.name),
        }
    }

    /// How messages name what gives its data.
    pub fn describe(&self) -> String {
        let text = self.backend.describe();
        if self.datadir.is_some() { format!("v3_{text}") } else { text }
    }

    /// Places to search before its own, in version 3.
    pub fn extra(&self, paths: &[Str], invocation: &mut Invocation<'_>) -> Result<Vec<Location>> {
        let Some(datadir) = self.datadir.as_ref().filter(|_| !matches!(self.backend, Backend::Hiera3(_)))
        else {
            return Ok(Vec::new());
        };
        let extension = format!(".{}", self.name);
        paths.iter().map(|path| Location::extended(path, datadir, &extension, invocation)).collect()
    }
}

/// Where a level has some of its data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Location {
    /// As declared, and as resolved; a level without locations has one that is nowhere.
    pub place: Option<(Str, Str)>,
    pub is_uri: bool,
    pub exists: bool,
    /// The file, once it was read.
    pub file: std::sync::OnceLock<Arc<DataFile>>,
    /// The memory of the backend function.
    pub memory: Arc<Memory>,
}

impl Location {
    /// Where it is.
    pub fn path(&self) -> Option<&Str> {
        self.place.as_ref().map(|(_, path)| path)
    }

    /// A path whose extension may be left out.
    fn extended(
        original: &Str,
        datadir: &str,
        extension: &str,
        invocation: &mut Invocation<'_>,
    ) -> Result<Location> {
        let mut path = invocation.interpolate_path(original)?;
        if !path.ends_with(extension) {
            path.push_str(extension);
        }
        let path = Str::from(join(datadir, &path));
        let Invocation { session, host, frame, .. } = invocation;
        let exists = session.cache().exists(host.world(), &path, &mut frame.needs.inputs)?;
        Ok(Location { place: Some((original.clone(), path)), exists, ..Location::default() })
    }
}

impl Layer {
    pub fn new(kind: LayerKind, module: Option<Str>, config: Arc<Config>, slot: Option<usize>) -> Layer {
        Layer { kind, module, config, slot }
    }

    /// Its name in an explanation.
    pub fn name(&self) -> String {
        let version = self.config.version;
        match (self.kind, &self.module) {
            (LayerKind::Global, _) => format!("Global Data Provider (hiera configuration version {version})"),
            (LayerKind::Environment, _) => {
                format!("Environment Data Provider (hiera configuration version {version})")
            }
            (LayerKind::Module, module) => {
                let module = module.as_deref().unwrap_or_default();
                format!("Module \"{module}\" Data Provider (hiera configuration version {version})")
            }
        }
    }

    /// The hierarchy for the variables of now: the one already known unless a variable that it was made with changed.
    pub fn resolve(&self, invocation: &mut Invocation<'_>) -> Result<Arc<Resolved>> {
        let known = self.slot.and_then(|slot| invocation.session.hierarchy(slot));
        let resolved = match &known {
            Some(known)
                if known.reads.is_empty() || invocation.session.holds(invocation.host, &known.reads) =>
            {
                Arc::clone(known)
            }
            _ => {
                if known.is_some() {
                    let text = "Hiera configuration recreated due to change of scope variables used in interpolation expressions";
                    invocation.tell(|explainer| explainer.remark(text.into()));
                }
                let fresh = self.resolve_anew(invocation.session, invocation.host)?;
                if let Some(slot) = self.slot {
                    invocation.session.keep_hierarchy(slot, Arc::clone(&fresh));
                }
                fresh
            }
        };
        invocation.frame.needs.add(&resolved.reads);
        invocation.frame.needs.inputs.extend(&resolved.inputs);
        Ok(resolved)
    }

    /// Resolves the hierarchy, or takes what another compilation made of the same variables.
    fn resolve_anew(&self, session: &mut Session, host: &mut dyn Host) -> Result<Arc<Resolved>> {
        let may_share = self.config.version > 3 && !self.config.has_functions();
        let shared = self.config.path.as_ref().filter(|_| may_share);
        if let Some(known) = shared.and_then(|config| session.shared().resolved(config, host)) {
            return Ok(known);
        }
        let frame = Frame { version_3: self.config.version == 3, ..Frame::default() };
        let mut invocation = Invocation { session, host, frame, resolving: Some(Resolving::default()) };
        let mut levels = |entries: &[LevelEntry]| -> Result<Vec<Level>> {
            let mut levels = Vec::new();
            for entry in entries {
                levels.extend(self.level(entry, &mut invocation)?);
            }
            share_hiera_3_config(&mut levels);
            Ok(levels)
        };
        let resolved = levels(&self.config.hierarchy).and_then(|main| {
            Ok((main, levels(self.config.default_hierarchy.as_deref().unwrap_or_default())?))
        });
        let (levels, default_levels) = resolved.map_err(|error| {
            // The place to mend is the configuration, not the code that happened to look something up.
            let wrong = error.diagnostic();
            match wrong.fact("name") {
                Some(name) if wrong.is(&UNDEFINED_DATA_VARIABLE) => {
                    let line = self.config.line_with_variable(name);
                    self.config.wrong(diagnostic!(HIERA_UNDEFINED_VARIABLE { name }), line)
                }
                _ if wrong.is(&HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED) => {
                    self.config.wrong(wrong.clone(), None)
                }
                _ => error,
            }
        })?;
        let Invocation { session, resolving, frame, .. } = invocation;
        let reads = resolving.map(|resolving| resolving.reads).unwrap_or_default();
        let resolved =
            Arc::new(Resolved { levels, default_levels, reads: Arc::new(reads), inputs: frame.needs.inputs });
        if let Some(config) = shared.filter(|_| session.is_quiet()) {
            session.shared().keep_resolved(config, &resolved);
        }
        Ok(resolved)
    }

    fn level(&self, entry: &LevelEntry, invocation: &mut Invocation<'_>) -> Result<Option<Level>> {
        let datadir = match (self.config.version, entry.datadir.is_empty()) {
            (3, true) => {
                let codedir = &invocation.session.settings().codedir;
                let default = join(codedir, "environments/%{::environment}/hieradata");
                invocation.interpolate_path(&default)?
            }
            (3, false) => invocation.interpolate_path(&entry.datadir)?,
            _ => {
                let written = invocation.interpolate_path(&join(&self.config.root, &entry.datadir))?;
                self.in_checkout(&written, invocation)?.unwrap_or(written)
            }
        };
        set_lenient(invocation, true);
        let locations = self.locations(entry, &datadir, invocation);
        set_lenient(invocation, false);
        let mut locations = locations?;
        if self.config.path.is_none() {
            locations.retain(|location| location.exists);
            if locations.is_empty() {
                return Ok(None);
            }
        }
        let options = match invocation.interpolate(&entry.options.clone().into(), false)? {
            Value::Hash(options) => options,
            _ => Hash::new(),
        };
        let options = match &entry.backend {
            // It is given what was written, and interpolates that itself.
            Backend::Hiera3(_) if self.config.version == 3 => entry.options.clone(),
            Backend::Hiera3(name) => hiera_3_config(name, &datadir, &locations, &options),
            _ => options,
        };
        Ok(Some(Level {
            name: entry.name.clone(),
            backend: entry.backend.clone(),
            options,
            locations,
            datadir: (self.config.version == 3).then_some(datadir),
        }))
    }

    /// The directory of this checkout for one that names the place where the environment is deployed, such as
    /// `/etc/puppetlabs/code/environments/production/data`. Where the environment is deployed, that directory itself is used.
    fn in_checkout(&self, datadir: &Str, invocation: &mut Invocation<'_>) -> Result<Option<Str>> {
        let is_inside = datadir.starts_with(self.config.root.as_str());
        if self.kind != LayerKind::Environment || is_inside {
            return Ok(None);
        }
        let place = datadir.rsplit_once("/environments/").and_then(|(_, place)| place.split_once('/'));
        let Some((_, inside)) = place.filter(|(_, inside)| !inside.is_empty()) else { return Ok(None) };
        let own = Str::from(join(&self.config.root, inside));
        let cache = invocation.session.cache().clone();
        let used = &mut invocation.frame.needs.inputs;
        let world = invocation.host.world();
        let is_deployed = cache.exists(world, datadir, used)?;
        Ok((!is_deployed && cache.exists(world, &own, used)?).then_some(own))
    }

    fn locations(
        &self,
        entry: &LevelEntry,
        datadir: &Str,
        invocation: &mut Invocation<'_>,
    ) -> Result<Vec<Location>> {
        let mut out = Vec::new();
        let memory = || Arc::new(Memory::new(self.module.clone()));
        let make = |original: Str, path: Str, is_uri: bool, exists: bool| Location {
            place: Some((original, path)),
            is_uri,
            exists,
            memory: memory(),
            ..Location::default()
        };
        let cache = invocation.session.cache().clone();
        match &entry.locations {
            None => out.push(Location { exists: true, memory: memory(), ..Location::default() }),
            Some(Locations::Paths(paths)) => {
                for original in paths {
                    let path = Str::from(join(datadir, &invocation.interpolate_path(original)?));
                    let used = &mut invocation.frame.needs.inputs;
                    let exists = cache.exists(invocation.host.world(), &path, used)?;
                    out.push(make(original.clone(), path, false, exists));
                }
            }
            Some(Locations::Extended(paths, extension)) => {
                for original in paths {
                    let location = Location::extended(original, datadir, extension, invocation)?;
                    out.push(Location { memory: memory(), ..location });
                }
            }
            Some(Locations::Globs(globs)) => {
                for original in globs {
                    let pattern = Str::from(join(datadir, &invocation.interpolate_path(original)?));
                    let used = &mut invocation.frame.needs.inputs;
                    for path in cache.glob(invocation.host.world(), &pattern, used)?.iter() {
                        out.push(make(pattern.clone(), path.clone(), false, true));
                    }
                }
            }
            Some(Locations::Uris(uris)) => {
                for original in uris {
                    let uri = invocation.interpolate_path(original)?;
                    if !uri.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b)) {
                        let uri = kukla_values::format::inspect_text(&uri);
                        return Err(Error::caller(diagnostic!(BAD_URI { uri })));
                    }
                    out.push(make(original.clone(), uri, true, true));
                }
            }
            Some(Locations::Mapped([variable, name, template])) => {
                let elements = match invocation.scope_value(&Path::new(variable), "mapped_path[0]")? {
                    Value::Array(elements) => elements.to_vec(),
                    Value::Hash(hash) => {
                        hash.iter().map(|(k, v)| vec![k.clone(), v.clone()].into()).collect()
                    }
                    Value::String(text) if text.is_empty() => Vec::new(),
                    text @ Value::String(_) => vec![text],
                    _ => Vec::new(),
                };
                for element in elements {
                    let before = invocation.resolving.as_ref().map_or(0, |resolving| resolving.reads.count());
                    set_local(invocation, Some((name.clone(), element)));
                    let path = invocation.interpolate_path(template);
                    set_local(invocation, None);
                    if let Some(resolving) = &mut invocation.resolving {
                        resolving.reads.forget(before, name);
                    }
                    let path = Str::from(join(datadir, &path?));
                    let used = &mut invocation.frame.needs.inputs;
                    let exists = cache.exists(invocation.host.world(), &path, used)?;
                    out.push(make(template.clone(), path, false, exists));
                }
            }
        }
        Ok(out)
    }
}

fn set_lenient(invocation: &mut Invocation<'_>, lenient: bool) {
    if let Some(resolving) = &mut invocation.resolving {
        resolving.lenient = lenient;
    }
}

fn set_local(invocation: &mut Invocation<'_>, local: Option<(Str, Value)>) {
    if let Some(resolving) = &mut invocation.resolving {
        resolving.local = local;
    }
}

/// A path relative to a directory, as Ruby's `Pathname#+` joins them: dots at the beginning are followed.
pub(crate) fn join(directory: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut directory = directory.trim_end_matches('/');
    let mut rest = path;
    loop {
        if let Some(more) = rest.strip_prefix("./") {
            rest = more.trim_start_matches('/');
        } else if rest == "." {
            rest = "";
        } else if rest == ".." || rest.starts_with("../") {
            directory = directory.rsplit_once('/').map_or("", |(parent, _)| parent);
            rest = rest[2..].trim_start_matches('/');
        } else {
            break;
        }
    }
    if rest.is_empty() { directory.to_owned() } else { format!("{directory}/{rest}") }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn joins() {
        assert_eq!(join("/a/b", "c"), "/a/b/c");
        assert_eq!(join("/a/b", "../c"), "/a/c");
        assert_eq!(join("/a/b", "./c/"), "/a/b/c/");
        assert_eq!(join("/a/b", "/c"), "/c");
        assert_eq!(join("/a/b", ".."), "/a");
    }
}
