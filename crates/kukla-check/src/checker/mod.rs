//! The checker of one repository, which caches the findings of each file until one of their dependencies changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::Diagnostic;
use kukla::syntax::{Problem, roomy};
use kukla::world::World;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::data::{Data, DataFile};
use crate::erb::{self, ErbFile};
use crate::finding::Finding;
use crate::notes;
use crate::repository::index::IndexCache;
use crate::repository::{CodeFile, Contribution, Index, Outline, Role, Shape, Survey};
use crate::rules::{self, constant::Trials, evaluations::Evaluations, refused::Verdicts};
use crate::text::Text;

mod file;
mod options;
mod report;
mod update;

use file::FileState;
pub use options::Options;
pub use report::Report;
use report::file_of;

/// The checker of one repository.
#[derive(Debug)]
pub struct Checker {
    world: Arc<dyn World>,
    root: PathBuf,
    shape: Shape,
    options: Options,
    index: IndexCache,
    verdicts: Verdicts,
    trials: Trials,
    survey: Option<Arc<Survey>>,
    /// The directories of modules that are not reported.
    excluded: Vec<PathBuf>,
    snapshot: Option<Arc<Snapshot>>,
    state: State,
}

/// A repository as the last check saw it, for tools that ask more of it than its findings.
#[derive(Debug)]
pub struct Snapshot {
    /// The definitions.
    pub index: Index,
    /// The texts with Puppet code, by path.
    pub texts: FxHashMap<PathBuf, CheckedText>,
    /// The data.
    pub data: Data,
    /// The ERB templates.
    pub templates: Vec<Arc<ErbFile>>,
}

/// A text of a repository.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The text.
    pub text: Arc<Text>,
    /// Its role.
    pub role: Role,
    /// The index of the module it belongs to.
    pub module: Option<usize>,
}

/// The part of a check that the next one continues.
#[derive(Debug, Default)]
struct State {
    /// The files with Puppet code, in the order of the repository.
    files: Vec<FileState>,
    /// Their places in that order, by path.
    places: FxHashMap<PathBuf, usize>,
    unreadable: Vec<Problem>,
    erb: FxHashMap<PathBuf, Arc<ErbFile>>,
    /// The fingerprint of the names of templates that were rendered when ERB templates were read.
    rendered: u64,
    templates: rules::erb::TemplateUses,
    evaluations: Evaluations,
    declarations: rules::replaced::Declarations,
    /// Syntax errors in Ruby.
    ruby: Vec<Finding>,
    /// Modules that Puppet does not use.
    hidden: Vec<Finding>,
    /// The state of the index that the refusals of resource types depend on.
    refusals: (u64, u64, usize),
}

/// The differences to the last check.
#[derive(Debug)]
struct Update {
    /// The repository as it was.
    snapshot: Snapshot,
    /// The places of files that have changed; `None` for all.
    places: Option<FxHashSet<usize>>,
}

impl Checker {
    /// A checker of the repository in a directory.
    pub fn new(world: Arc<dyn World>, root: PathBuf, shape: Shape, options: Options) -> Checker {
        Checker {
            world,
            root,
            shape,
            options,
            index: IndexCache::default(),
            verdicts: Verdicts::default(),
            trials: Trials::default(),
            survey: None,
            excluded: Vec::new(),
            snapshot: None,
            state: State::default(),
        }
    }

    /// The repository as the last check saw it.
    pub fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.clone()
    }

    /// Sets the files to check in addition to those of the repository.
    pub fn set_extra(&mut self, extra: Vec<PathBuf>) {
        if self.options.extra != extra {
            self.options.extra = extra;
            self.survey = None;
        }
    }

    /// Checks the repository as it is now.
    pub fn check(&mut self) -> Result<Report, Box<Diagnostic>> {
        self.survey = None;
        self.check_again()
    }

    /// Checks the repository again; since the last check, no file has been added or removed, and neither its configuration nor the metadata of
    /// a module has changed.
    pub fn check_again(&mut self) -> Result<Report, Box<Diagnostic>> {
        let survey = match &self.survey {
            Some(survey) => Arc::clone(survey),
            None => Arc::new(self.make_survey()?),
        };
        self.survey = Some(Arc::clone(&survey));
        let update = self.read_all(survey);
        Ok(self.analyse(update))
    }

    /// Checks the repository again; since the last check, only the texts of these files have changed. That costs as much as the changes
    /// affect, if all users of the last [snapshot](Checker::snapshot) have dropped it.
    pub fn check_changed(&mut self, changed: &FxHashSet<PathBuf>) -> Result<Report, Box<Diagnostic>> {
        match self.read_changed(changed) {
            Some(update) => Ok(self.analyse(update)),
            None => self.check_again(),
        }
    }

    /// The additional files: those with data, and those with code.
    fn extra(&self) -> (Vec<&PathBuf>, Vec<&PathBuf>) {
        self.options.extra.iter().partition(|path| DataFile::is_data(&path.to_string_lossy()))
    }

    /// Lists the files of the repository, with the additional ones.
    fn make_survey(&self) -> Result<Survey, Box<Diagnostic>> {
        let mut survey = Survey::of(
            &*self.world,
            &self.root,
            self.shape,
            &self.options.modulepath,
            self.options.manifest.as_deref(),
        )?;
        let known: FxHashSet<PathBuf> = survey.code.iter().map(|file| file.path.clone()).collect();
        let (_, extra) = self.extra();
        let extra = extra.into_iter().filter(|path| !known.contains(*path));
        let extra: Vec<CodeFile> =
            extra.map(|path| CodeFile { path: path.clone(), role: Role::Extra, module: None }).collect();
        survey.code.extend(extra);
        Ok(survey)
    }

    /// Finds everything that is wrong, and keeps what the next check needs.
    fn analyse(&mut self, update: Update) -> Report {
        let Update { mut snapshot, places } = update;
        snapshot.index.complete(&self.index);
        let mut report = Report {
            special: snapshot.index.survey.special.clone(),
            unreadable: self.state.unreadable.clone(),
            notes: notes::of_modules(&snapshot.index.survey, self.options.all_modules),
            ..Report::default()
        };
        let specials = snapshot.data.hierarchies.iter().flat_map(|hierarchy| &hierarchy.special);
        report.special.extend(specials.cloned());
        report.notes.extend(notes::of_data(&snapshot.data, &snapshot.index.survey));
        let mut whole = rules::definition::duplicates(&snapshot.index);
        let files = self.state.files.iter();
        let sites = files.filter(|file| file.file.role == Role::Site && !file.text.is_broken);
        let is_environment = self.world.exists(&self.root.join("environment.conf"));
        whole.extend(rules::definition::duplicate_nodes(sites.map(|file| &*file.text), is_environment));
        whole.extend(self.find_in_files(&snapshot, places.as_ref(), &mut report));
        let texts: Vec<&Arc<Text>> = self.state.files.iter().map(|file| &file.text).collect();
        let text = |path: &str| snapshot.texts.get(Path::new(path)).map(|checked| &*checked.text);
        self.state.declarations.renew(&texts, places.as_ref());
        self.state.declarations.soften(&mut report.findings, &texts, &text, &snapshot.index);
        self.add_whole(&snapshot, &mut whole);
        let hidden = self.state.hidden.iter().filter(|finding| self.is_in_paths(file_of(finding)));
        report.findings.extend(hidden.cloned());
        report.findings.extend(whole.into_iter().filter(|finding| self.is_selected_finding(finding)));
        self.add_data(&snapshot, &mut report);
        snapshot.index.changes = Default::default();
        report.suppress_and_sort(&snapshot.texts);
        self.snapshot = Some(Arc::new(snapshot));
        report
    }

    /// Adds the findings of the walks through files to a report. Returns those of rules that also look at files, but decide by themselves
    /// where they report.
    fn find_in_files(
        &mut self,
        snapshot: &Snapshot,
        places: Option<&FxHashSet<usize>>,
        report: &mut Report,
    ) -> Vec<Finding> {
        let index = &snapshot.index;
        let State { files, templates, evaluations, .. } = &mut self.state;
        report.files = files.iter().filter(|file| file.is_selected).count();
        let selection = self.options.selection;
        let constants = (&self.trials, self.options.puppet_strict);
        // The rules for the whole repository do not depend on the findings of the walks.
        let (walked, whole) = rayon::join(
            || -> Vec<(usize, Result<_, Problem>)> {
                let selected = files.par_iter().enumerate().filter(|(_, file)| file.is_selected);
                selected.map(|(place, file)| (place, file.findings(index, selection, constants))).collect()
            },
            || {
                let outlines: Vec<(Role, &Outline)> =
                    files.iter().map(|file| (file.file.role, &*file.text.outline)).collect();
                let outline = |place: usize| outlines.get(place).map(|(_, outline)| *outline);
                let mut whole = templates.check(index, &outline, &snapshot.templates);
                whole.extend(rules::relation::cycles(index));
                let changed: Option<FxHashMap<usize, &str>> = places.map(|places| {
                    let path = |place: &usize| files[*place].text.source.name().unwrap_or_default();
                    places.iter().map(|place| (*place, path(place))).collect()
                });
                whole.extend(evaluations.check(index, &outlines, changed.as_ref()));
                whole
            },
        );
        for (place, result) in walked {
            let walked = match result {
                Ok(walked) => {
                    report.findings.extend(walked.findings.iter().cloned());
                    Some(walked)
                }
                Err(problem) => {
                    report.unreadable.push(problem);
                    None
                }
            };
            self.state.files[place].walked = walked;
        }
        let mut whole = whole;
        whole.extend(self.refusals(index));
        whole
    }

    /// The values that resource types refuse, in all files.
    fn refusals(&mut self, index: &Index) -> Vec<Finding> {
        let state = (index.defaulted.fingerprint(), index.base, index.replaced_types());
        let has_changed = self.state.refusals != state;
        self.state.refusals = state;
        let files = &mut self.state.files;
        let mut unknown: Vec<&mut FileState> = files
            .iter_mut()
            .filter(|file| file.is_selected && (has_changed || file.refused.is_none()))
            .collect();
        unknown.iter_mut().for_each(|file| file.refused = Some(Vec::new()));
        unknown.retain(|file| !file.text.outline.literal_resources.is_empty());
        if !unknown.is_empty() {
            let confined = self.options.confine(&self.world, &index.survey);
            let outlines: Vec<_> = unknown
                .iter()
                .map(|file| (file.text.source.clone(), Arc::clone(&file.text.outline)))
                .collect();
            let found = rules::refused::check(&confined, index, &outlines, &mut self.verdicts);
            let mut unknown: FxHashMap<PathBuf, &mut FileState> =
                unknown.into_iter().map(|file| (file.file.path.clone(), file)).collect();
            for finding in found {
                let file = unknown.get_mut(file_of(&finding));
                file.and_then(|file| file.refused.as_mut())
                    .into_iter()
                    .for_each(|all| all.push(finding.clone()));
            }
        }
        files.iter().flat_map(|file| file.refused.iter().flatten()).cloned().collect()
    }

    /// Adds the findings of rules that look at the repository as a whole.
    fn add_whole(&self, snapshot: &Snapshot, whole: &mut Vec<Finding>) {
        let Snapshot { index, data, templates, .. } = snapshot;
        whole.extend(self.state.ruby.iter().cloned());
        let selection = &self.options.selection;
        let texts =
            || -> Vec<Arc<Text>> { self.state.files.iter().map(|file| Arc::clone(&file.text)).collect() };
        if selection.unused {
            let texts = texts();
            whole.extend(rules::unused::check(index, &texts, data));
            if index.survey.shape == Shape::Control {
                whole.extend(rules::unused_file::check(index, &texts, data, templates));
                whole.extend(rules::shadow::check(&*self.world, data, index));
            }
        }
        if selection.docs {
            let files = self.state.files.iter();
            let files: Vec<_> = files.map(|file| (file.file.clone(), Arc::clone(&file.text))).collect();
            whole.extend(rules::documentation::check(&*self.world, &index.survey, &files));
        }
        if selection.target.is_some() {
            whole.extend(rules::upgrade::check_data(&*self.world, data, index));
        }
    }

    /// Adds the findings in data.
    fn add_data(&self, Snapshot { data, index, .. }: &Snapshot, report: &mut Report) {
        report
            .findings
            .extend(data.findings.iter().filter(|finding| self.is_selected_finding(finding)).cloned());
        report.findings.extend(rules::data::check(data, index, &|path| self.is_selected(path)));
        report.files += data.files.iter().filter(|file| self.is_selected(Path::new(&file.path))).count();
        let configurations = data.hierarchies.iter().filter_map(|hierarchy| hierarchy.source.name());
        let known = configurations.filter(|path| self.world.exists(Path::new(path)));
        report.files += known.filter(|path| self.is_selected(Path::new(path))).count();
    }

    fn is_selected_finding(&self, finding: &Finding) -> bool {
        self.is_selected(file_of(finding))
    }

    fn is_selected(&self, path: &Path) -> bool {
        self.is_in_paths(path) && !self.excluded.iter().any(|directory| path.starts_with(directory))
    }

    fn is_in_paths(&self, path: &Path) -> bool {
        match &self.options.only[..] {
            [] => path.starts_with(&self.root),
            only => only.iter().any(|above| path.starts_with(above)),
        }
    }
}
