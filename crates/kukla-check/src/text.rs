//! A text of Puppet code, read once.

use std::path::Path;
use std::sync::Arc;

use kukla::Diagnostic;
use kukla::analysis::{self, Analysis};
use kukla::syntax::ast::Template;
use kukla::syntax::{Source, Strict, Tree};
use kukla::world::Stamp;
use kukla_lint::suppression::Ignore;

use crate::repository::{Outline, Parameter, Role, Survey};

/// A text of Puppet code, and everything that is known without other files.
#[derive(Debug)]
pub struct Text {
    /// The text.
    pub source: Source,
    /// Its tree.
    pub tree: Tree,
    /// The errors and warnings that need no other file.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it has syntax errors.
    pub is_broken: bool,
    /// Its outline.
    pub outline: Arc<Outline>,
    /// The parameters that a template declares.
    pub parameters: Option<Arc<Vec<Parameter>>>,
    /// The suppression comments.
    pub ignores: Vec<Ignore>,
    /// The stamp of the file when it was read.
    pub stamp: Option<Stamp>,
}

impl Text {
    /// Reads a text.
    pub fn new(
        path: &Path,
        bytes: Vec<u8>,
        stamp: Option<Stamp>,
        role: Role,
        survey: &Survey,
        strict: Strict,
    ) -> Text {
        let (source, invalid) = analysis::source(&path.to_string_lossy(), bytes);
        let rules = analysis::Rules {
            strict,
            tasks: path.iter().any(|part| part == "plans"),
            // An example may contain anything.
            modulepath: if role == Role::Extra { Vec::new() } else { survey.modulepath.clone() },
            own_module: survey.own_module.clone().filter(|_| role != Role::Extra),
            site: survey.manifest.clone(),
            ..analysis::Rules::default()
        };
        let analysis = Analysis::new(&source, &rules);
        let is_broken = invalid.is_some() || analysis.has_no_tree();
        let diagnostics = invalid.map_or(analysis.diagnostics, |invalid| vec![invalid]);
        let tree = analysis.parse.tree;
        let (outline, parameters) = if is_broken {
            (Outline::uncertain(&source), None)
        } else {
            let template = Template::of(&tree).filter(|template| template.has_parameter_list());
            let parameters = template.map(|template| {
                template.parameters().map(crate::repository::definition::parameter).collect()
            });
            (Outline::of(&tree, &source), parameters.map(Arc::new))
        };
        let ignores = Ignore::all(&tree, &source);
        Text { outline: Arc::new(outline), parameters, ignores, source, tree, diagnostics, is_broken, stamp }
    }
}
