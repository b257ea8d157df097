//! The ERB templates of modules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::extensions::outline::TemplateOutline;
use kukla::syntax::Source;
use kukla::world::{Stamp, World};
use rustc_hash::FxHashMap;

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

/// Reads the ERB templates of all modules; those that have not changed are taken from `cached`.
pub fn read(
    world: &dyn World,
    survey: &Survey,
    cached: &FxHashMap<PathBuf, Arc<ErbFile>>,
) -> FxHashMap<PathBuf, Arc<ErbFile>> {
    let modules = survey.modules.iter();
    let paths = modules.flat_map(|module| {
        let templates = module.templates.iter().filter(|path| path.ends_with(".erb"));
        templates.map(|path| (format!("{}/{path}", module.name), module.root.join("templates").join(path)))
    });
    let read = paths.filter_map(|(name, path)| {
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
