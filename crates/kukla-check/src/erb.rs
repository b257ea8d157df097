//! The ERB templates of modules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::extensions::outline::TemplateOutline;
use kukla::syntax::Source;
use kukla::world::{Stamp, World};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::repository::Survey;

/// An ERB template.
#[derive(Debug)]
pub struct ErbFile {
    /// The name by which it is rendered.
    pub name: String,
    /// Its text.
    pub source: Source,
    /// The names that it uses.
    pub outline: TemplateOutline,
    stamp: Option<Stamp>,
}

/// Reads the ERB templates of all modules: those with the ending `.erb`, and those that `rendered` names. Those that have not changed are
/// taken from `cached`.
pub fn read(
    world: &dyn World,
    survey: &Survey,
    rendered: &FxHashSet<&str>,
    cached: &FxHashMap<PathBuf, Arc<ErbFile>>,
) -> FxHashMap<PathBuf, Arc<ErbFile>> {
    let paths = survey.modules.iter().flat_map(|module| {
        let named = module.templates.iter().map(|path| (format!("{}/{path}", module.name), path));
        let is_erb = |name: &str| name.ends_with(".erb") || rendered.contains(name);
        let named = named.filter(move |(name, _)| is_erb(name));
        named.map(|(name, path)| (name, module.root.join("templates").join(path)))
    });
    let paths: Vec<(String, PathBuf)> = paths.collect();
    let read = paths.into_par_iter().filter_map(|(name, path)| {
        let stamp = world.stamp(&path);
        if let Some(file) = cached.get(&path)
            && file.stamp == stamp
            && stamp.is_some()
        {
            return Some((path, Arc::clone(file)));
        }
        let text = String::from_utf8_lossy(&world.read(&path).ok()?).into_owned();
        let file = ErbFile::new(name, &path, text, stamp);
        Some((path, Arc::new(file)))
    });
    read.collect()
}

impl ErbFile {
    fn new(name: String, path: &Path, text: String, stamp: Option<Stamp>) -> ErbFile {
        let source = Source::new(path.to_string_lossy().as_ref(), text);
        let outline = TemplateOutline::new(source.text());
        ErbFile { name, source, outline, stamp }
    }
}
