//! Suggestions for an unknown name: the nearest of all known ones, for hints. Nothing here runs unless
//! something is wrong.

use std::path::{Path, PathBuf};

pub use kukla_syntax::suggest::nearest;
use kukla_syntax::{Location, Source, Span};
use kukla_values::types::capitalize;
use kukla_values::{Hash, Name, Type, Value};
use kukla_world::{World, is_directory};

use crate::environment::Environment;
use crate::remark::Remarks;

/// So deep files of a module are looked for; links may lead in circles.
const DEEPEST: usize = 8;

impl Environment {
    /// The names of what the files in a directory of the modules define by the rules for autoloading: `manifests/server/a.pp` of the
    /// module `ntp` defines `ntp::server::a`.
    fn file_names(&self, directory: &str, ending: &str) -> Vec<String> {
        let mut names = Vec::new();
        for module in self.modules() {
            for path in files(&*self.world, &module.root.join(directory)) {
                let Some(path) = path.to_str().and_then(|path| path.strip_suffix(ending)) else { continue };
                let path = path.replace('/', "::");
                names.push(match path.as_str() {
                    "init" => module.name.to_string(),
                    _ => format!("{}::{path}", module.name),
                });
            }
        }
        names
    }

    /// The names that code can use, for completion: functions, types, and the classes and defined types of modules. Those of modules follow
    /// from their files, which are not read.
    pub fn known_names(&self) -> Vec<String> {
        let functions = self.registry.names().into_iter().chain(self.function_names());
        let mut names: Vec<String> = functions.map(|name| name.to_string()).collect();
        names.extend(self.class_names().iter().map(Name::to_string));
        names.extend(self.file_names("manifests", ".pp"));
        names.extend(self.file_names("functions", ".pp"));
        names.extend(self.file_names("types", ".pp").iter().map(|name| capitalize(name).to_string()));
        let builtin = Type::builtin_names().filter_map(Type::builtin);
        names.extend(builtin.map(|ty| ty.to_string().split('[').next().unwrap_or_default().to_owned()));
        for ty in kukla_catalog::types::builtin() {
            names.extend([ty.name.to_string(), capitalize(ty.name).to_string()]);
        }
        for module in self.modules() {
            for directory in ["lib/puppet/functions", "lib/puppet/parser/functions", "lib/puppet/type"] {
                let files = files(&*self.world, &module.root.join(directory));
                let own = files.iter().filter_map(|file| file.to_str()?.strip_suffix(".rb"));
                names.extend(own.map(|file| file.replace('/', "::")));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The class whose name is nearest.
    pub(crate) fn near_class(&self, name: &str) -> Option<String> {
        let mut names = self.file_names("manifests", ".pp");
        names.extend(self.class_names().iter().map(Name::to_string));
        self.near(name, names, |env, name| {
            env.class(name, &mut Remarks::default()).is_ok_and(|it| it.is_some())
        })
    }

    /// A class or define that a file of its module defines although the autoloader looks for it elsewhere: where it is, and the file
    /// it belongs into.
    pub(crate) fn misplaced_definition(&self, name: &str) -> Option<(Location, String)> {
        let name = name.trim_start_matches("::");
        let (module, rest) = name.split_once("::").unwrap_or((name, "init"));
        let known = self.module(module)?;
        let directory = known.root.join("manifests");
        for path in files(&*self.world, &directory) {
            if path.extension().is_none_or(|extension| extension != "pp") {
                continue;
            }
            let path = directory.join(path);
            let Ok(bytes) = self.world.read(&path) else { continue };
            let Ok(text) = String::from_utf8(bytes) else { continue };
            let found = ["class", "define"].iter().find_map(|keyword| {
                let head = format!("{keyword} {name}");
                let starts = |at: &usize| {
                    let before = text[..*at].rsplit('\n').next().unwrap_or("");
                    let after = text[at + head.len()..].chars().next();
                    before.trim().is_empty()
                        && after.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '{'))
                };
                let at = text.match_indices(&head).map(|(at, _)| at).find(starts)?;
                Some(Span::new((at + keyword.len() + 1) as u32, (at + head.len()) as u32))
            });
            if let Some(span) = found {
                let belongs = directory.join(format!("{}.pp", rest.replace("::", "/")));
                let source = Source::new(path.to_str()?, text);
                return Some((Location { source, span }, belongs.to_str()?.to_owned()));
            }
        }
        None
    }

    /// The resource type whose name is nearest, a defined one or one that agents know.
    pub(crate) fn near_resource_type(&self, name: &str) -> Option<String> {
        let is_defined =
            |env: &Environment, name| env.define(name, &mut Remarks::default()).is_ok_and(|it| it.is_some());
        let mut names = self.file_names("manifests", ".pp");
        names.retain(|near| near.contains("::") == name.contains("::"));
        let mut known: Vec<String> = kukla_catalog::types::builtin().map(|ty| ty.name.to_string()).collect();
        for module in self.modules() {
            let files = files(&*self.world, &module.root.join("lib/puppet/type"));
            known
                .extend(files.iter().filter_map(|file| Some(file.to_str()?.strip_suffix(".rb")?.to_owned())));
        }
        let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        near.or_else(|| self.near(name, names, is_defined))
    }

    /// The function whose name is nearest.
    pub(crate) fn near_function(&self, name: &str) -> Option<String> {
        let known = self.registry.names().into_iter().chain(self.function_names());
        let mut names: Vec<String> = known.map(|name| name.to_string()).collect();
        names.extend(self.file_names("functions", ".pp"));
        for module in self.modules() {
            for directory in ["lib/puppet/functions", "lib/puppet/parser/functions"] {
                let files = files(&*self.world, &module.root.join(directory));
                let own = files.iter().filter_map(|file| file.to_str()?.strip_suffix(".rb"));
                names.extend(own.map(|file| file.replace('/', "::")));
            }
        }
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }

    /// The type or alias of a type whose name is nearest.
    pub(crate) fn near_type(&self, name: &str) -> Option<String> {
        let lower = name.to_lowercase();
        let mut names: Vec<String> = Type::builtin_names().map(str::to_owned).collect();
        names.extend(self.file_names("types", ".pp"));
        names.extend(kukla_catalog::types::builtin().map(|ty| ty.name.to_string()));
        let near = nearest(&lower, names.iter().map(String::as_str))?;
        Some(match Type::builtin(near) {
            Some(ty) => ty.to_string().split('[').next().unwrap_or_default().to_owned(),
            None => capitalize(near).to_string(),
        })
    }

    /// The file whose name is nearest to that of a template or file, as `module/name`.
    pub fn near_file(&self, reference: &str, directory: &str) -> Option<String> {
        let (module, name) = reference.split_once('/')?;
        let Some(known) = self.module(module) else {
            let near = nearest(module, self.modules().iter().map(|module| module.name.as_str()))?;
            return Some(format!("{near}/{name}"));
        };
        let files = files(&*self.world, &known.root.join(directory));
        let near = nearest(name, files.iter().filter_map(|file| file.to_str()))?;
        Some(format!("{module}/{near}"))
    }

    /// The nearest of some names that is what it seems to be.
    fn near(
        &self,
        name: &str,
        names: Vec<String>,
        is_it: impl Fn(&Environment, Name) -> bool,
    ) -> Option<String> {
        let near = nearest(name.trim_start_matches("::"), names.iter().map(String::as_str))?;
        is_it(self, Name::new(near)).then(|| near.to_owned())
    }
}

/// The files below a directory, by their paths from there.
fn files(world: &dyn World, directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![(PathBuf::new(), 0)]);
    while let Some((inside, depth)) = open.pop() {
        for entry in world.list(&directory.join(&inside)) {
            let path = inside.join(&entry.name);
            match entry.is_directory || entry.is_link && is_directory(world, &directory.join(&path)) {
                true if depth < DEEPEST => open.push((path, depth + 1)),
                true => {}
                false => found.push(path),
            }
        }
    }
    found
}

/// The key of a hash that is nearest to one it has not.
pub(crate) fn near_key<'h>(hash: &'h Hash, key: &Value) -> Option<&'h str> {
    nearest(key.as_str()?, hash.keys().filter_map(Value::as_str))
}
