//! A file of Puppet code under check: its text, and its findings until one of their dependencies changes.

use std::rc::Rc;
use std::sync::Arc;

use kukla::syntax::{Problem, Strict, roomy};
use kukla::values::{Budget, Str, meter};

use crate::finding::Finding;
use crate::repository::definition::Fingerprint;
use crate::repository::{CodeFile, Index, Kind, Role};
use crate::rule::RuleSelection;
use crate::rules::{self, constant::Trials};
use crate::text::Text;
use crate::walk::{self, Dependencies};

/// A file of Puppet code under check.
#[derive(Debug)]
pub struct FileState {
    /// The file.
    pub file: CodeFile,
    /// Its text.
    pub text: Arc<Text>,
    /// Whether its findings are reported.
    pub is_selected: bool,
    /// The findings of the walk through it.
    pub walked: Option<Arc<CachedFindings>>,
    /// The resources in it that their types refuse; `None` if that is not known yet.
    pub refused: Option<Vec<Finding>>,
}

/// The findings in a text, and their dependencies.
#[derive(Debug)]
pub struct CachedFindings {
    /// The findings.
    pub findings: Vec<Finding>,
    text: Arc<Text>,
    base: u64,
    names: u64,
    dependencies: Dependencies,
    /// Whether they point at other places.
    has_labels: bool,
}

impl FileState {
    /// Walks through the text, unless the findings of the last walk are still valid.
    pub fn findings(
        &self,
        index: &Index,
        selection: RuleSelection,
        constants: (&Trials, Strict),
    ) -> Result<Arc<CachedFindings>, Problem> {
        match self.walked.as_ref().filter(|walked| walked.holds(&self.text, index)) {
            Some(walked) => Ok(Arc::clone(walked)),
            None => {
                let budget = Rc::new(Budget::default());
                let walked = meter::metered(&budget, || self.walk(index, selection, constants));
                let path = self.file.path.display();
                walked.map(Arc::new).map_err(|error| Problem::other("cannot check").on(path).because(error))
            }
        }
    }

    fn walk(
        &self,
        index: &Index,
        selection: RuleSelection,
        (trials, strict): (&Trials, Strict),
    ) -> CachedFindings {
        let FileState { file, text, .. } = self;
        let mut findings: Vec<Finding> = text.diagnostics.iter().cloned().map(Finding::from).collect();
        let mut dependencies = Dependencies::default();
        if !text.is_broken {
            let module = file.module.and_then(|at| index.survey.modules.get(at));
            let misplaced =
                module.map(|module| rules::definition::misplaced(module, &file.path, &text.outline));
            findings.extend(misplaced.into_iter().flatten());
            let module = module.map(|module| module.name.as_str());
            // Code that the autoloader does not find may be run with other modules.
            let complete = file.role != Role::Extra && index.survey.is_complete_for(module);
            let walk = roomy(|| walk::walk(index, &text.source, &text.tree, module, complete, selection));
            findings.extend(walk.findings);
            dependencies = walk.dependencies;
            // Plans are a different language.
            if !file.path.iter().any(|part| part == "plans") {
                let constants =
                    || rules::constant::check(trials, &text.tree, &text.source, strict, &findings);
                let constants = roomy(constants);
                findings.extend(constants);
            }
        }
        CachedFindings {
            text: Arc::clone(text),
            base: index.base,
            names: index.names,
            dependencies,
            has_labels: findings.iter().any(|finding| !finding.diagnostic.labels.is_empty()),
            findings,
        }
    }
}

impl CachedFindings {
    /// Whether none of the dependencies has changed.
    fn holds(&self, text: &Arc<Text>, index: &Index) -> bool {
        let changes = &index.changes;
        let is_same = |(kind, name): &(Kind, Str), known: Fingerprint| {
            let now =
                index.table(*kind).get(name).map(|definition| definition.fingerprint()).unwrap_or_default();
            // Without labels, it does not matter where a definition is.
            now == known || now.meaning == known.meaning && !self.has_labels
        };
        Arc::ptr_eq(&self.text, text)
            && self.base == index.base
            && (self.names == index.names
                || !self.dependencies.unknown.iter().any(|name| changes.may_define(name)))
            && self.dependencies.definitions.iter().all(|(name, known)| {
                !changes.all && !changes.definitions.contains(name) || is_same(name, *known)
            })
            && self.dependencies.variables.iter().all(|(name, known)| {
                !changes.all && !changes.variables.contains(name) || index.set_names.contains(name) == *known
            })
            && self
                .dependencies
                .questions
                .iter()
                .all(|(question, known)| !changes.may_affect(question) || index.answer(question) == *known)
    }
}
