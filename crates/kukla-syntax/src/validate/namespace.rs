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

impl<'a> FileNamespace<'a> {
    /// The definitions allowed in a file, given the directories of modules and the files of the site manifest.
    pub fn of(file: &'a str, modulepath: &[PathBuf], manifest: Option<&Path>) -> FileNamespace<'a> {
        FileNamespace::seen_from(Path::new(""), file, modulepath, manifest)
    }

    /// The same, where relative paths begin at a directory.
    pub fn seen_from(
        here: &Path,
        file: &'a str,
        modulepath: &[PathBuf],
        manifest: Option<&Path>,
    ) -> FileNamespace<'a> {
        let path = clean(here, Path::new(file));
        let text = text_of(&path);
        if !text.ends_with(".pp") || manifest.is_some_and(|manifest| text.starts_with(&*text_of(manifest))) {
            return FileNamespace::Unrestricted;
        }
        let inside = modulepath.iter().find_map(|directory| within(&path, &clean(here, directory)));
        let Some(inside) = inside else { return FileNamespace::Unrestricted };
        let inside = inside.to_lowercase();
        let namespace = inside.split_once(std::path::is_separator).and_then(|(module, rest)| {
            let (kind, rest) = rest.split_once(std::path::is_separator)?;
            matches!(kind, "manifests" | "functions" | "types" | "plans").then(|| namespace(module, rest))
        });
        match namespace {
            Some(namespace) => FileNamespace::Module { file, namespace },
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
        match FileNamespace::of(file, &["/code/modules".into()], Some(Path::new("/code/manifests"))) {
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
}
