//! Unused templates and files of modules.

use std::sync::{Arc, LazyLock};

use kukla::syntax::{SourcePosition, diagnostic};
use regex::Regex;
use rustc_hash::FxHashSet;

use crate::data::Data;
use crate::erb::ErbFile;
use crate::finding::Finding;
use crate::repository::{Index, Module};
use crate::rule::rules;
use crate::text::Text;

rules! {
    RULES;

    /// Neither code nor templates nor data refer to a template or file of a module. A computed name refers to every file that begins like its
    /// literal part, and the name of a directory refers to every file in it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web {
    ///   file { '/etc/motd': source => 'puppet:///modules/web/motd' }
    /// }
    /// ```
    ///
    /// ```text
    /// # modules/web/files/motd
    /// hello
    /// ```
    ///
    /// ```text
    /// # modules/web/files/motd.old
    /// hello
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web {
    ///   file { '/etc/motd': source => 'puppet:///modules/web/motd' }
    /// }
    /// ```
    ///
    /// ```text
    /// # modules/web/files/motd
    /// hello
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    UNUSED_FILE = "unused-file": Warning Unused, "Nothing refers to the {kind} `{name}`";
}

/// The names of templates and files in texts.
#[derive(Default)]
struct PathReferences {
    whole: FxHashSet<String>,
    beginnings: FxHashSet<String>,
}

/// The unused templates and files of modules.
pub fn check(index: &Index, texts: &[Arc<Text>], data: &Data, templates: &[Arc<ErbFile>]) -> Vec<Finding> {
    let mut references = PathReferences::default();
    let sources = texts.iter().map(|text| &text.source);
    let sources = sources.chain(data.files.iter().map(|file| &file.source));
    for source in sources.chain(templates.iter().map(|template| &template.source)) {
        let module = index.survey.modules.iter().find(|module| {
            source.name().is_some_and(|name| std::path::Path::new(name).starts_with(&module.root))
        });
        references.take(source.text(), module);
    }
    let mut findings = Vec::new();
    for module in &index.survey.modules {
        let templates = module.templates.iter().map(|path| ("template", "templates", path));
        // The listing contains directories as well as their files.
        let is_directory = |path: &str| {
            module
                .files
                .iter()
                .any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
        };
        let files = module.files.iter().filter(|path| !is_directory(path));
        let mut all: Vec<_> = templates.chain(files.map(|path| ("file", "files", path))).collect();
        all.sort();
        for (kind, directory, path) in all {
            let name = format!("{}/{path}", module.name);
            if !path.starts_with('.') && !references.has(&name) {
                let place = module.root.join(directory).join(path).to_string_lossy().into_owned();
                let wrong = diagnostic!(UNUSED_FILE { kind, name });
                findings.push(Finding::from(wrong.at(SourcePosition::line_of(place.as_str(), Some(1)))));
            }
        }
    }
    findings
}

impl PathReferences {
    fn take(&mut self, text: &str, module: Option<&Module>) {
        static PATH: LazyLock<Regex> =
            LazyLock::new(|| regex(r"(\$\{?module_name\}?|[a-z][a-z0-9_]*)/([A-Za-z0-9_./@+~-]*)"));
        for captures in PATH.captures_iter(text) {
            let (Some(whole), Some(first), Some(path)) = (captures.get(0), captures.get(1), captures.get(2))
            else {
                continue;
            };
            let rest = path.as_str();
            let name = match (first.as_str(), module) {
                ("modules", _) => rest.to_owned(),
                (own, Some(module)) if own.starts_with('$') => format!("{}/{rest}", module.name),
                (first, _) => format!("{first}/{rest}"),
            };
            if text[whole.end()..].starts_with(['$', '%', '#', '<']) {
                self.beginnings.insert(name);
            } else {
                self.whole.insert(name);
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        let above = name.match_indices('/').map(|(at, _)| &name[..at]).skip(1);
        self.whole.contains(name)
            || name.strip_suffix(".epp").is_some_and(|name| self.whole.contains(name))
            || above.into_iter().any(|directory| self.whole.contains(directory))
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning.as_str()))
    }
}

#[allow(clippy::unwrap_used)] // the pattern is ours
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
