//! Where a file lies, and what it may therefore define.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::codes::ILLEGAL_TOP_CONSTRUCT_LOCATION;
use super::label::{Capitalized, label};
use super::{Checker, at};
use crate::ast::{Expr, Manifest};
use crate::{Tree, diagnostic};

/// The definitions that the location of a file allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FileNamespace<'a> {
    /// Anything: a site manifest, or text without a file.
    #[default]
    Unrestricted,
    /// Names that begin with these segments: a file of a module.
    Module {
        /// The file, as messages name it.
        file: &'a str,
        /// The required prefix of names, in lower case.
        namespace: String,
    },
    /// Nothing: a file in a module where no definition is ever looked for.
    Nowhere {
        /// The file, as messages name it.
        file: &'a str,
    },
}

/// A module that is being developed, whose directory need not have its name: it comes before those of the module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnModule {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
}

/// The directories where modules lie.
#[derive(Clone, Copy, Debug)]
pub struct ModuleDirectories<'p> {
    /// The module that is being developed.
    pub own: Option<&'p OwnModule>,
    /// The directories of modules, in order.
    pub modulepath: &'p [PathBuf],
    /// The directory that relative paths start from.
    pub here: &'p Path,
}

impl ModuleDirectories<'_> {
    /// The module that a file lies in.
    ///
    /// A module that is being developed is often checked out under another name, among others, so that its directory is also
    /// an entry of the module path (`puppetlabs-ntp`); and fixtures lie inside it. So the innermost directory counts.
    pub fn locate(&self, file: &Path) -> Option<FileInModule> {
        let path = clean(self.here, file);
        let own = self.own.and_then(|own| {
            let root = clean(self.here, &own.root);
            let inside = within(&path, &root)?.into_owned();
            Some((root, FileInModule { module: own.name.clone(), inside, is_own: true }))
        });
        let can_hold =
            |directory: &Cow<'_, Path>| own.as_ref().is_none_or(|(root, _)| directory.starts_with(root));
        let directories =
            self.modulepath.iter().map(|directory| clean(self.here, directory)).filter(can_hold);
        let found = directories.filter_map(|directory| Some(within(&path, &directory)?.into_owned())).next();
        let Some(found) = found else { return own.map(|(_, file)| file) };
        let (module, inside) = found.split_once(std::path::is_separator).unwrap_or((&found, ""));
        Some(FileInModule { module: module.to_owned(), inside: inside.to_owned(), is_own: false })
    }
}

/// The place of a file in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInModule {
    /// The name of the module.
    pub module: String,
    /// The path of the file in it; empty for a file beside the modules.
    pub inside: String,
    /// Whether the module is the one that is being developed.
    pub is_own: bool,
}

impl<'a> FileNamespace<'a> {
    /// The definitions allowed in a file, given the directories of modules and the files of the site manifest.
    pub fn of(
        file: &'a str,
        directories: &ModuleDirectories<'_>,
        manifest: Option<&Path>,
    ) -> FileNamespace<'a> {
        let is_site = |manifest: &Path| {
            text_of(&clean(directories.here, Path::new(file))).starts_with(&*text_of(manifest))
        };
        if !file.ends_with(".pp") || manifest.is_some_and(is_site) {
            return FileNamespace::Unrestricted;
        }
        let Some(place) = directories.locate(Path::new(file)) else {
            return FileNamespace::Unrestricted;
        };
        let (module, inside) = (place.module.to_lowercase(), place.inside.to_lowercase());
        let namespace = inside.split_once(std::path::is_separator).and_then(|(kind, rest)| {
            matches!(kind, "manifests" | "functions" | "types" | "plans").then(|| namespace(&module, rest))
        });
        match namespace {
            Some(namespace) => FileNamespace::Module { file, namespace },
            // Examples and tests of the module that is being developed are run as manifests.
            None if place.is_own => FileNamespace::Unrestricted,
            None => FileNamespace::Nowhere { file },
        }
    }

    /// Advice where a definition of this name belongs, or which name belongs into this file.
    pub(super) fn place_of(&self, name: &str, expr: Expr<'_>) -> Option<String> {
        let FileNamespace::Module { namespace, .. } = self else {
            return Some(
                "definitions of a module belong below its `manifests`, `functions` or `types`".to_owned(),
            );
        };
        let (kind, word) = match expr {
            Expr::FunctionDefinition(_) => ("functions", "function"),
            Expr::TypeAlias(_) => ("types", "type"),
            Expr::ClassDefinition(_) => ("manifests", "class"),
            Expr::DefineDefinition(_) => ("manifests", "define"),
            _ => ("plans", "plan"),
        };
        let name = name.to_lowercase();
        let (module, rest) = name.split_once("::").unwrap_or((&name, "init"));
        let path = format!("{module}/{kind}/{}.pp", rest.replace("::", "/"));
        Some(format!("write `{word} {namespace}` here, or move it to {path}"))
    }

    /// The file, if the definition of this name does not belong into it.
    pub(super) fn refuses(&self, name: &str) -> Option<&'a str> {
        match self {
            FileNamespace::Unrestricted => None,
            FileNamespace::Module { file, namespace } => {
                let begins = |name: &str| name.starts_with(namespace.as_str());
                // Nearly all names are written in lower case.
                (!begins(name) && !begins(&name.to_lowercase())).then_some(*file)
            }
            FileNamespace::Nowhere { file } => Some(file),
        }
    }
}

/// The required prefix of names in a file of a module, by its path among files of its kind, as in `server/config.pp`.
fn namespace(module: &str, file: &str) -> String {
    let mut namespace = String::with_capacity(module.len() + file.len() + 2);
    namespace.push_str(module);
    if file != "init.pp" {
        let mut file = file;
        while let Some(shorter) = file.strip_suffix(".pp") {
            file = shorter;
        }
        for name in file.split(std::path::is_separator) {
            namespace.push_str("::");
            namespace.push_str(name);
        }
    }
    namespace
}

/// A path as text, which nearly all are without being copied.
fn text_of(path: &Path) -> Cow<'_, str> {
    path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

/// A path as seen from a directory without `.`, `..` and double slashes, by its text alone.
fn clean<'p>(here: &Path, path: &'p Path) -> Cow<'p, Path> {
    let is_clean = |text: &str| {
        let bytes = text.as_bytes();
        let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
        // Without a way out in the middle, and with bytes for answers, many pairs are looked at at once.
        let is_odd = |odd, (one, next): (&u8, &u8)| {
            odd | (u8::from(*one == b'/') & (u8::from(*next == b'/') | u8::from(*next == b'.')))
        };
        !bytes.ends_with(b"/") && pairs.fold(0, is_odd) == 0
    };
    // Where separators differ, only parts can be compared.
    if cfg!(unix) && here.as_os_str().is_empty() && path.is_absolute() && path.to_str().is_some_and(is_clean)
    {
        return Cow::Borrowed(path);
    }
    let mut out = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    Cow::Owned(out)
}

/// Where a path lies in a directory, if it does; both are clean.
fn within<'p>(path: &'p Path, directory: &Path) -> Option<Cow<'p, str>> {
    // Text is quicker to compare than parts, and nearly always enough.
    match (path.to_str(), directory.to_str()) {
        (Some(path), Some(directory)) if !directory.is_empty() => {
            let inside = path.strip_prefix(directory)?;
            inside.strip_prefix(std::path::is_separator).map(Cow::Borrowed)
        }
        _ => path.strip_prefix(directory).ok().map(Path::to_string_lossy),
    }
}

impl Checker<'_, '_> {
    /// In a file of a module only definitions may stand at the top.
    pub(super) fn place_of_statements(&mut self, tree: &Tree) {
        if self.rules.namespace == FileNamespace::Unrestricted {
            return;
        }
        for statement in Manifest::of(tree).into_iter().flat_map(Manifest::statements) {
            if matches!(
                statement,
                Expr::ClassDefinition(_)
                    | Expr::DefineDefinition(_)
                    | Expr::FunctionDefinition(_)
                    | Expr::PlanDefinition(_)
                    | Expr::TypeAlias(_)
                    | Expr::TypeDefinition(_)
            ) {
                continue;
            }
            let this = Capitalized(format!("this {}", label(statement)));
            self.report(diagnostic!(at(statement), ILLEGAL_TOP_CONSTRUCT_LOCATION { this };
                hint: "files of a module hold definitions only; this belongs into a class or the site manifest"));
        }
    }
}

/// Whether a directory of this name can be a module: a lower-case letter, then lower-case letters, digits and `_`.
///
/// ```
/// use kukla_syntax::validate::is_module_name;
///
/// assert!(is_module_name("ntp_client2"));
/// assert!(!is_module_name("puppetlabs-ntp") && !is_module_name("Ntp") && !is_module_name(".git") && !is_module_name(""));
/// ```
pub fn is_module_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(file: &str) -> Option<String> {
        let modulepath = &["/code/modules".into()];
        let directories = ModuleDirectories { own: None, modulepath, here: Path::new("") };
        namespace_among(&directories, file)
    }

    fn namespace_among(directories: &ModuleDirectories<'_>, file: &str) -> Option<String> {
        match FileNamespace::of(file, directories, Some(Path::new("/code/manifests"))) {
            FileNamespace::Unrestricted => None,
            FileNamespace::Module { namespace, .. } => Some(namespace),
            FileNamespace::Nowhere { .. } => Some("nowhere".into()),
        }
    }

    #[test]
    fn names_follow_paths() {
        assert_eq!(namespace("/code/modules/ntp/manifests/init.pp").as_deref(), Some("ntp"));
        assert_eq!(namespace("/code/modules/Ntp/manifests/Server/x.pp").as_deref(), Some("ntp::server::x"));
        assert_eq!(
            namespace("/code/modules/ntp/types/init.pp/init.pp").as_deref(),
            Some("ntp::init.pp::init")
        );
        assert_eq!(namespace("/code/./modules//ntp/functions/f.pp").as_deref(), Some("ntp::f"));
        assert_eq!(namespace("/code/modules/ntp/examples/init.pp").as_deref(), Some("nowhere"));
        assert_eq!(namespace("/code/modules2/ntp/manifests/init.pp"), None);
        assert_eq!(namespace("/code/manifests/site.pp"), None);
        assert_eq!(namespace("/elsewhere/x.pp"), None);
        assert_eq!(namespace("/code/modules/ntp/templates/x.epp"), None);
    }

    #[test]
    fn the_name_of_an_own_module_is_not_that_of_its_directory() {
        let own = OwnModule { name: "ntp".to_owned(), root: "/code/modules/puppetlabs-ntp".into() };
        let modulepath: Vec<PathBuf> =
            vec!["/code/modules".into(), "/code/modules/puppetlabs-ntp/spec/fixtures/modules".into()];
        for modulepath in [&modulepath[..], &modulepath[..1], &modulepath[1..], &[]] {
            for here in ["", "/code/modules/puppetlabs-ntp", "/code"] {
                let directories = ModuleDirectories { own: Some(&own), modulepath, here: Path::new(here) };
                let in_own = |file: &str| {
                    let file = format!("/code/modules/puppetlabs-ntp/{file}");
                    namespace_among(&directories, &file)
                };
                assert_eq!(in_own("manifests/init.pp").as_deref(), Some("ntp"));
                assert_eq!(in_own("types/key/id.pp").as_deref(), Some("ntp::key::id"));
                assert_eq!(in_own("examples/init.pp"), None);
                let has_fixtures = modulepath.iter().any(|directory| directory.ends_with("fixtures/modules"));
                let fixture = in_own("spec/fixtures/modules/my_ntp/manifests/init.pp");
                assert_eq!(fixture.as_deref(), has_fixtures.then_some("my_ntp"));
                let sibling = namespace_among(&directories, "/code/modules/apt/manifests/key.pp");
                let has_siblings = modulepath.iter().any(|directory| directory.ends_with("code/modules"));
                assert_eq!(sibling.as_deref(), has_siblings.then_some("apt::key"));
            }
        }
        let here = Path::new("/code/modules/puppetlabs-ntp");
        let directories = ModuleDirectories { own: Some(&own), modulepath: &modulepath, here };
        assert_eq!(namespace_among(&directories, "manifests/server.pp").as_deref(), Some("ntp::server"));
        assert_eq!(namespace_among(&directories, "../apt/manifests/init.pp").as_deref(), Some("apt"));
    }
}
