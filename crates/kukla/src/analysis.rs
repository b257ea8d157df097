//! Analysis of a text without running it.

use std::path::PathBuf;

use kukla_syntax::validate::{self, FileNamespace, ModuleDirectories, OwnModule};
use kukla_syntax::{Diagnostic, Parse, Source, Span, Stage, Strict, diagnostic, roomy};

use crate::codes::INVALID_UTF8;

/// The settings of an analysis.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Puppet's `strict` setting.
    pub strict: Strict,
    /// Whether it is a template [default: by its name].
    pub epp: Option<bool>,
    /// Puppet's `tasks` setting: whether `plan` and `apply` are keywords and catalogs are made only in `apply` blocks.
    pub tasks: bool,
    /// Directories of modules, in whose files names must match the path.
    pub modulepath: Vec<PathBuf>,
    /// The module that is being developed.
    pub own_module: Option<OwnModule>,
    /// The site manifest, whose files are bound to nothing.
    pub site: Option<PathBuf>,
    /// The directory that relative paths start from.
    pub here: PathBuf,
}

/// A text with its tree and its diagnostics.
#[derive(Debug)]
pub struct Analysis {
    /// The tree.
    pub parse: Parse,
    /// All diagnostics, syntax errors first.
    pub diagnostics: Vec<Diagnostic>,
    ungrammatical: bool,
}

impl Analysis {
    /// Analyses a text.
    pub fn new(source: &Source, rules: &Rules) -> Self {
        roomy(|| Self::made(source, rules))
    }

    fn made(source: &Source, rules: &Rules) -> Self {
        let epp = rules.epp.unwrap_or_else(|| source.name().is_some_and(|name| name.ends_with(".epp")));
        let mut parse = if epp {
            kukla_syntax::parse_epp(source)
        } else {
            kukla_syntax::parse_with(source, kukla_syntax::ParseOptions { tasks: rules.tasks })
        };
        let ungrammatical = !parse.is_ok();
        let mut diagnostics = std::mem::take(&mut parse.diagnostics);
        if !ungrammatical {
            let namespace = match source.name() {
                Some(file) => {
                    let (own, modulepath) = (rules.own_module.as_ref(), &*rules.modulepath);
                    let directories = ModuleDirectories { own, modulepath, here: &rules.here };
                    FileNamespace::of(file, &directories, rules.site.as_deref())
                }
                None => FileNamespace::Unrestricted,
            };
            diagnostics.extend(validate::validate(
                &parse.tree,
                &validate::Rules { strict: rules.strict, namespace, tasks: rules.tasks },
            ));
        }
        let diagnostics = diagnostics.into_iter().map(|wrong| wrong.in_source(source)).collect();
        Self { parse, diagnostics, ungrammatical }
    }

    /// Is the text no program at all, so that its tree means nothing?
    pub fn has_no_tree(&self) -> bool {
        self.ungrammatical
    }
}

/// The text of a file, as far as it is one.
pub fn source(name: &str, bytes: Vec<u8>) -> (Source, Option<Diagnostic>) {
    match String::from_utf8(bytes) {
        Ok(text) => (Source::new(name, text), None),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = Source::new(name, text);
            let at = Span::at(u32::try_from(offset).unwrap_or(u32::MAX));
            let wrong = diagnostic!(at, INVALID_UTF8 { offset }).in_stage(Stage::Syntax).in_source(&source);
            (source, Some(wrong))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text() {
        let (source, wrong) = source("x.pp", b"$a = \xff1".to_vec());
        assert_eq!(source.text(), "$a = \u{fffd}1");
        assert_eq!(wrong.unwrap().message(), "invalid byte sequence in UTF-8 at byte 5");
    }
}
