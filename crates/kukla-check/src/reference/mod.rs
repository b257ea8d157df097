//! The reference of a module: its classes, types, functions, tasks and plans, from their code and the comments above it.
//!
//! | part | holds |
//! | --- | --- |
//! | [`docstring`], [`tag`] | comments: their text and tags |
//! | [`entry`] | what is documented, as data |
//! | `puppet`, `ruby`, `task` | readers of the trees, outlines and files that define it |
//! | [`markdown`], [`json`] | the formats of puppet-strings |
//! | [`site()`] | a site of HTML pages for a whole repository |
//!
//! The reference of a module is the same as that of puppet-strings, whose rules published references follow.

pub mod docstring;
pub mod entry;
mod files;
pub mod json;
pub mod markdown;
mod puppet;
mod ruby;
mod site;
pub mod tag;
mod task;

use std::path::Path;

use kukla::analysis;
use kukla::syntax::{ParseOptions, Source, Tree, roomy};
use kukla::world::World;
use kukla_ruby::outline::Outline;
use rayon::prelude::*;

use entry::{DataType, Definition, Function, Overload, Provider, ResourceType, Task, TypeAlias};
pub use files::{DEFAULT_PATTERNS, files};
pub use site::{SiteFiles, site};

/// The entries of some files.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Classes.
    pub classes: Vec<Definition>,
    /// Defined types.
    pub defines: Vec<Definition>,
    /// Plans.
    pub plans: Vec<Definition>,
    /// Functions of all languages.
    pub functions: Vec<Function>,
    /// Type aliases.
    pub aliases: Vec<TypeAlias>,
    /// Data types that are defined in Ruby.
    pub data_types: Vec<DataType>,
    /// Resource types.
    pub types: Vec<ResourceType>,
    /// Providers.
    pub providers: Vec<Provider>,
    /// Tasks.
    pub tasks: Vec<Task>,
}

impl Reference {
    /// The reference of the files of a directory. Files that cannot be read or parsed have no entries.
    pub fn of_files(world: &dyn World, directory: &Path, files: &[String]) -> Reference {
        let read = |file: &String| {
            let mut reference = Reference::default();
            let Ok(bytes) = world.read(&directory.join(file)) else { return reference };
            reference.add_file(file, bytes);
            reference
        };
        let parts: Vec<Reference> = files.par_iter().map(read).collect();
        let mut whole = Reference::default();
        parts.into_iter().for_each(|part| whole.append(part));
        whole.settle();
        whole
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        let Reference { classes, defines, plans, functions, aliases, data_types, types, providers, tasks } =
            self;
        classes.is_empty()
            && defines.is_empty()
            && plans.is_empty()
            && functions.is_empty()
            && aliases.is_empty()
            && data_types.is_empty()
            && types.is_empty()
            && providers.is_empty()
            && tasks.is_empty()
    }

    fn add_file(&mut self, file: &str, bytes: Vec<u8>) {
        let is_puppet = file.ends_with(".pp");
        let text = if is_puppet { None } else { Some(String::from_utf8_lossy(&bytes).into_owned()) };
        match text {
            None => {
                let (source, _) = analysis::source(file, bytes);
                let parse = roomy(|| kukla::syntax::parse_with(&source, ParseOptions { tasks: true }));
                if parse.is_ok() {
                    self.add_manifest(file, &source, &parse.tree);
                }
            }
            Some(text) if file.ends_with(".json") => task::read(file, &text, self),
            Some(text) if file.ends_with(".rb") => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                if ruby::may_define(text) {
                    let outline = Outline::new(text);
                    roomy(|| ruby::read(file, text, &outline, self));
                }
            }
            Some(_) => {}
        }
    }

    /// Adds the entries of a manifest without syntax errors.
    pub fn add_manifest(&mut self, file: &str, source: &Source, tree: &Tree) {
        roomy(|| puppet::read(file, source, tree, self));
    }

    fn append(&mut self, part: Reference) {
        self.classes.extend(part.classes);
        self.defines.extend(part.defines);
        self.plans.extend(part.plans);
        self.functions.extend(part.functions);
        self.aliases.extend(part.aliases);
        self.data_types.extend(part.data_types);
        self.providers.extend(part.providers);
        self.tasks.extend(part.tasks);
        // A type may have additions in other files.
        for ty in part.types {
            match self.types.iter_mut().find(|known| known.name == ty.name) {
                Some(known) => known.merge(ty),
                None => self.types.push(ty),
            }
        }
    }

    /// Of several definitions of a name, keeps the last.
    pub(crate) fn settle(&mut self) {
        fn unique<T, K: std::hash::Hash + Eq>(all: &mut Vec<T>, key: impl Fn(&T) -> K) {
            let mut seen = rustc_hash::FxHashSet::default();
            all.reverse();
            all.retain(|one| seen.insert(key(one)));
            all.reverse();
        }
        unique(&mut self.classes, |one| one.name.clone());
        unique(&mut self.defines, |one| one.name.clone());
        unique(&mut self.plans, |one| one.name.clone());
        unique(&mut self.functions, |one| (one.name.clone(), one.kind));
        unique(&mut self.aliases, |one| one.name.clone());
        unique(&mut self.data_types, |one| one.name.clone());
        unique(&mut self.providers, |one| (one.name.clone(), one.type_name.clone()));
        unique(&mut self.tasks, |one| one.name.clone());
    }
}

impl ResourceType {
    /// Adds what another file says of the same type.
    fn merge(&mut self, other: ResourceType) {
        if self.docstring.is_empty() {
            self.docstring = other.docstring;
        }
        self.properties.extend(other.properties);
        self.parameters.extend(other.parameters);
        self.checks.extend(other.checks);
        self.features.extend(other.features);
    }
}

/// A signature, such as `name(String $a, Optional[Any] $b)`.
pub fn signature(name: &str, overload: &Overload) -> String {
    let parameter = |parameter: &entry::Parameter| {
        let tag = overload.docstring.parameter(&parameter.name);
        let ty = tag.filter(|tag| tag.types.is_some()).map_or("Any", |tag| tag.ty().unwrap_or_default());
        let (prefix, name) = match parameter.name.strip_prefix(['*', '&']) {
            Some(name) => (&parameter.name[..1], name),
            None => ("", &parameter.name[..]),
        };
        let default = parameter.default.as_ref().map(|text| format!(" = {text}")).unwrap_or_default();
        format!("{ty} {prefix}${name}{default}")
    };
    let list: Vec<String> = overload.parameters.iter().map(parameter).collect();
    format!("{name}({})", list.join(", "))
}
