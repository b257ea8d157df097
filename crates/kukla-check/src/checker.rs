//! The checker of one repository, which caches the findings of each file until one of their dependencies changes.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use kukla::Diagnostic;
use kukla::Policy;
use kukla::syntax::{Problem, Source, Strict, roomy};
use kukla::values::{Budget, meter};
use kukla::world::policy::{Files, Reach, Variables};
use kukla::world::{Guarded, World};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::data::{Bindings, Data, DataFile};
use crate::erb::{self, ErbFile};
use crate::finding::Finding;
use crate::notes;
use crate::repository::index::{self, DeclaredNames, Index, Templates};
use crate::repository::{CodeFile, Kind, Outline, Role, Shape, Survey};
use crate::rule::RuleSelection;
use crate::rules::{self, constant::Trials, refused::Verdicts};
use crate::text::Text;
use crate::walk::{self, Dependencies};

/// The options of a checker.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rules to apply beyond those that always apply.
    pub selection: RuleSelection,
    /// Puppet's `strict` setting.
    pub puppet_strict: Strict,
    /// The module path; by default that of the repository.
    pub modulepath: Vec<PathBuf>,
    /// The site manifest; by default that of the repository.
    pub manifest: Option<PathBuf>,
    /// Names that are set outside of the repository.
    pub declared: DeclaredNames,
    /// Report findings in third-party modules, too.
    pub all_modules: bool,
    /// Files to check in addition to those of the repository.
    pub extra: Vec<PathBuf>,
    /// Report only findings in these files and directories; empty for the whole repository.
    pub only: Vec<PathBuf>,
    /// The policy for the Ruby code of resource types; by default it may read files of the repository and of `modulepath` only.
    pub policy: Option<Policy>,
}

impl Options {
    /// The world that Ruby code of a repository sees, and the rest of the policy for it.
    pub(crate) fn confine(&self, world: &Arc<dyn World>, survey: &Survey) -> (Arc<dyn World>, Policy) {
        let restricted = || Policy {
            files: Files { reach: Reach::Repository, also: Vec::new() },
            variables: Variables::Off,
            ..Policy::default()
        };
        let mut policy = self.policy.clone().unwrap_or_else(restricted);
        let mut files = std::mem::take(&mut policy.files);
        files.also.push(survey.root.clone());
        files.also.extend_from_slice(&self.modulepath);
        if files.reach == Reach::Modules {
            files.also.extend_from_slice(&survey.modulepath);
        }
        let guard = Policy { files, ..Policy::default() };
        (Arc::new(Guarded::new(Arc::clone(world), guard)), policy)
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings, by file and line.
    pub findings: Vec<Finding>,
    /// The number of files that were checked.
    pub files: usize,
    /// Files that could not be read, and why.
    pub unreadable: Vec<Problem>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<PathBuf>,
    /// The parts of the repository that are not checked, and why.
    pub notes: Vec<String>,
}

/// The checker of one repository.
#[derive(Debug)]
pub struct Checker {
    /// The directories of modules that are not reported.
    excluded: Vec<PathBuf>,
    world: Arc<dyn World>,
    root: PathBuf,
    shape: Shape,
    options: Options,
    texts: FxHashMap<PathBuf, Arc<Text>>,
    cache: FxHashMap<PathBuf, Arc<CachedFindings>>,
    data: FxHashMap<String, Arc<DataFile>>,
    index: index::IndexCache,
    erb: FxHashMap<PathBuf, Arc<ErbFile>>,
    verdicts: Verdicts,
    trials: Trials,
    snapshot: Option<Arc<Snapshot>>,
    survey: Option<Arc<Survey>>,
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

/// The findings in a text, and their dependencies.
#[derive(Debug)]
struct CachedFindings {
    text: Arc<Text>,
    base: u64,
    names: u64,
    dependencies: Dependencies,
    findings: Vec<Finding>,
}

impl Checker {
    /// A checker of the repository in a directory.
    pub fn new(world: Arc<dyn World>, root: PathBuf, shape: Shape, options: Options) -> Checker {
        Checker {
            excluded: Vec::new(),
            world,
            root,
            shape,
            options,
            texts: FxHashMap::default(),
            cache: FxHashMap::default(),
            data: FxHashMap::default(),
            index: index::IndexCache::default(),
            erb: FxHashMap::default(),
            verdicts: Verdicts::default(),
            trials: Trials::default(),
            snapshot: None,
            survey: None,
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
        let (extra_data, _) = self.extra();
        let extra_data: Vec<PathBuf> = extra_data.into_iter().cloned().collect();
        self.check_survey(survey, &extra_data.iter().collect::<Vec<_>>())
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
        let known: rustc_hash::FxHashSet<PathBuf> =
            survey.code.iter().map(|file| file.path.clone()).collect();
        let (_, extra) = self.extra();
        let extra = extra.into_iter().filter(|path| !known.contains(*path));
        let extra: Vec<CodeFile> =
            extra.map(|path| CodeFile { path: path.clone(), role: Role::Extra, module: None }).collect();
        survey.code.extend(extra);
        Ok(survey)
    }

    fn check_survey(
        &mut self,
        survey: Arc<Survey>,
        extra_data: &[&PathBuf],
    ) -> Result<Report, Box<Diagnostic>> {
        self.excluded = survey.hidden.iter().map(|module| module.root.clone()).collect();
        if !self.options.all_modules {
            let third_party = survey.modules.iter().filter(|module| module.is_third_party);
            self.excluded.extend(third_party.map(|module| module.root.clone()));
            self.excluded.extend(survey.installed.iter().cloned());
        }
        let hidden = rules::module::hidden(&*self.world, &survey);
        let mut report = Report { special: survey.special.clone(), ..Report::default() };
        report.notes = notes::of_modules(&survey, self.options.all_modules);
        let texts = self.read(&survey, &mut report);
        let rendered = texts.iter().flat_map(|(_, text)| &text.outline.renders);
        let rendered = rendered.map(|(template, _)| template.as_str()).collect();
        let (data, erb) = rayon::join(
            || Data::read(&*self.world, &survey, extra_data, &self.data),
            || erb::read(&*self.world, &survey, &rendered, &self.erb),
        );
        report
            .special
            .extend(data.hierarchies.iter().flat_map(|hierarchy| hierarchy.special.iter().cloned()));
        report.notes.extend(notes::of_data(&data, &survey));
        let bindings = data.bindings(&survey);
        let templates: Vec<Arc<ErbFile>> = erb.values().cloned().collect();
        let index = self.make_index(survey, &texts, &templates, bindings);
        let selected: Vec<&(CodeFile, Arc<Text>)> =
            texts.iter().filter(|(file, _)| self.is_selected(&file.path)).collect();
        report.files = selected.len();
        let outlines = selected.iter().map(|(_, text)| (text.source.clone(), Arc::clone(&text.outline)));
        let outlines: Vec<(Source, Arc<Outline>)> =
            outlines.filter(|(_, outline)| !outline.literal_resources.is_empty()).collect();
        let mut verdicts = std::mem::take(&mut self.verdicts);
        let confined = self.options.confine(&self.world, &index.survey);
        // Ruby is slow, and does not depend on the findings of the walks.
        let (results, refused) = rayon::join(
            || -> Vec<Result<(PathBuf, Arc<CachedFindings>), Problem>> {
                let results = selected.par_iter().map(|(file, text)| {
                    let cached = self.cache.get(&file.path).filter(|cached| cached.holds(text, &index));
                    let walked = || within_budget(&file.path, || Arc::new(self.walk(&index, file, text)));
                    let cached = cached.map_or_else(walked, |cached| Ok(Arc::clone(cached)));
                    cached.map(|cached| (file.path.clone(), cached))
                });
                results.collect()
            },
            || rules::refused::check(&confined, &index, &outlines, &mut verdicts),
        );
        self.verdicts = verdicts;
        let mut checked = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(result) => checked.push(result),
                Err(problem) => report.unreadable.push(problem),
            }
        }
        let results = checked;
        for (_, cached) in &results {
            report.findings.extend(cached.findings.iter().cloned());
        }
        rules::replaced::defaults(&mut report.findings, &texts, &index);
        let mut whole = rules::definition::duplicates(&index);
        let sites = texts.iter().filter(|(file, text)| file.role == Role::Site && !text.is_broken);
        let is_environment = self.world.exists(&self.root.join("environment.conf"));
        whole.extend(rules::definition::duplicate_nodes(sites.map(|(_, text)| &**text), is_environment));
        let outlines: Vec<Arc<Outline>> = texts.iter().map(|(_, text)| Arc::clone(&text.outline)).collect();
        whole.extend(rules::erb::check(&index, &outlines, &templates));
        let files = self.index.ruby_files();
        whole.extend(rules::ruby::check(&*self.world, &index.survey, files, &templates, &|path| {
            self.is_selected(path)
        }));
        whole.extend(rules::relation::cycles(&index));
        let by_role = texts.iter().map(|(file, text)| (file.role, Arc::clone(&text.outline)));
        whole.extend(rules::duplicate::check(&index, &by_role.collect::<Vec<_>>()));
        whole.extend(refused);
        if self.options.selection.unused {
            let texts: Vec<Arc<Text>> = texts.iter().map(|(_, text)| Arc::clone(text)).collect();
            whole.extend(rules::unused::check(&index, &texts, &data));
            if index.survey.shape == Shape::Control {
                whole.extend(rules::unused_file::check(&index, &texts, &data, &templates));
                whole.extend(rules::shadow::check(&*self.world, &data, &index));
            }
        }
        if self.options.selection.docs {
            whole.extend(rules::documentation::check(&*self.world, &index.survey, &texts));
        }
        if self.options.selection.target.is_some() {
            whole.extend(rules::upgrade::check_data(&*self.world, &data, &index));
        }
        report.findings.extend(hidden.into_iter().filter(|finding| self.is_in_paths(file_of(finding))));
        report.findings.extend(whole.into_iter().filter(|finding| self.is_selected_finding(finding)));
        report
            .findings
            .extend(data.findings.iter().filter(|finding| self.is_selected_finding(finding)).cloned());
        report.findings.extend(rules::data::check(&data, &index, &|path| self.is_selected(path)));
        report.files += data.files.iter().filter(|file| self.is_selected(Path::new(&file.path))).count();
        let configurations = data.hierarchies.iter().filter_map(|hierarchy| hierarchy.source.name());
        let known = configurations.filter(|path| self.world.exists(Path::new(path)));
        report.files += known.filter(|path| self.is_selected(Path::new(path))).count();
        self.data = data.files.iter().map(|file| (file.path.clone(), Arc::clone(file))).collect();
        self.cache = results.into_iter().collect();
        self.erb = erb;
        let checked = texts.iter().map(|(file, text)| {
            let checked = CheckedText { text: Arc::clone(text), role: file.role, module: file.module };
            (file.path.clone(), checked)
        });
        let snapshot = Snapshot { index, texts: checked.collect(), data, templates };
        self.snapshot = Some(Arc::new(snapshot));
        self.texts = texts.into_iter().map(|(file, text)| (file.path, text)).collect();
        report.suppress_and_sort(&self.texts);
        Ok(report)
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

    /// Reads the files that have changed.
    fn read(&self, survey: &Survey, report: &mut Report) -> Vec<(CodeFile, Arc<Text>)> {
        let read: Vec<Result<(CodeFile, Arc<Text>), Problem>> = survey
            .code
            .par_iter()
            .map(|file| {
                let stamp = self.world.stamp(&file.path);
                if let Some(text) = self.texts.get(&file.path)
                    && text.stamp == stamp
                    && stamp.is_some()
                {
                    return Ok((file.clone(), Arc::clone(text)));
                }
                let bytes =
                    self.world.read(&file.path).map_err(|error| kukla::cannot_read(&file.path, &error))?;
                let text = roomy(|| {
                    Text::new(&file.path, bytes, stamp, file.role, survey, self.options.puppet_strict)
                });
                Ok((file.clone(), Arc::new(text)))
            })
            .collect();
        let mut texts = Vec::new();
        for result in read {
            match result {
                Ok(text) => texts.push(text),
                Err(problem) => report.unreadable.push(problem),
            }
        }
        texts
    }

    fn make_index(
        &self,
        survey: Arc<Survey>,
        texts: &[(CodeFile, Arc<Text>)],
        erb: &[Arc<ErbFile>],
        data: Bindings,
    ) -> Index {
        // Code that belongs to no repository may only use its own definitions.
        let is_loose = survey.shape == Shape::Loose;
        let outlines: Vec<_> = texts
            .iter()
            .filter(|(file, _)| is_loose || file.role != Role::Extra)
            .map(|(file, text)| (file.role, Arc::clone(&text.outline)))
            .collect();
        let parameters = texts
            .iter()
            .filter(|(file, text)| file.role == Role::Template && !text.is_broken)
            .map(|(file, text)| (file.path.clone(), text.parameters.clone()))
            .collect();
        let iterated = erb.iter().filter(|file| !file.outline.iterated.is_empty());
        let iterated = iterated.map(|file| (file.name.clone(), file.outline.iterated.clone())).collect();
        let templates = Templates { parameters, iterated };
        Index::new(&self.world, survey, &outlines, &self.options.declared, templates, data, &self.index)
    }

    fn walk(&self, index: &Index, file: &CodeFile, text: &Arc<Text>) -> CachedFindings {
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
            let walk = roomy(|| {
                walk::walk(index, &text.source, &text.tree, module, complete, self.options.selection)
            });
            findings.extend(walk.findings);
            dependencies = walk.dependencies;
            // Plans are a different language.
            if !file.path.iter().any(|part| part == "plans") {
                let (tree, strict) = (&text.tree, self.options.puppet_strict);
                let constant =
                    roomy(|| rules::constant::check(&self.trials, tree, &text.source, strict, &findings));
                findings.extend(constant);
            }
        }
        CachedFindings {
            text: Arc::clone(text),
            base: index.base,
            names: index.names,
            dependencies,
            findings,
        }
    }
}

impl CachedFindings {
    fn has_no_hints(&self) -> bool {
        self.findings.iter().all(|finding| finding.diagnostic.hints.is_empty())
    }

    /// Whether none of the dependencies has changed.
    fn holds(&self, text: &Arc<Text>, index: &Index) -> bool {
        let answer = |kind: Kind, name: &str| {
            let table = match kind {
                Kind::Class => &index.classes,
                Kind::Define => &index.defines,
                Kind::Function => &index.functions,
                Kind::Alias => &index.aliases,
            };
            table.get(name).map_or(0, |definition| definition.fingerprint())
        };
        Arc::ptr_eq(&self.text, text)
            && self.base == index.base
            // Hints name similar definitions.
            && (self.names == index.names || !self.dependencies.has_unknown_names && self.has_no_hints())
            && self.dependencies.definitions.iter().all(|((kind, name), known)| answer(*kind, name) == *known)
            && self
                .dependencies
                .variables
                .iter()
                .all(|(name, known)| index.set_names.contains(name) == *known)
            && self.dependencies.questions.iter().all(|(question, known)| index.answer(question) == *known)
    }
}

/// The file of a finding.
fn file_of(finding: &Finding) -> &Path {
    let file = finding.diagnostic.position.as_ref().and_then(|place| place.file());
    Path::new(file.unwrap_or_default())
}

impl Report {
    /// Removes suppressed findings and sorts the others, files with syntax errors first.
    fn suppress_and_sort(&mut self, texts: &FxHashMap<PathBuf, Arc<Text>>) {
        self.findings.retain(|finding| {
            let Some(place) = &finding.diagnostic.position else { return true };
            let text = place.file().and_then(|file| texts.get(Path::new(file)));
            let line = place.line().unwrap_or(0);
            let ignores = text.map(|text| &text.ignores[..]).unwrap_or_default();
            !ignores.iter().any(|ignore| ignore.covers(finding.diagnostic.code.name, line))
        });
        self.findings.sort_by_cached_key(|finding| {
            let place = finding.diagnostic.position.as_ref();
            let file = place.and_then(|place| place.file()).unwrap_or_default().to_owned();
            let is_broken = texts.get(Path::new(&file)).is_some_and(|text| text.is_broken);
            (
                !is_broken,
                file,
                place.and_then(|place| place.line()),
                finding.diagnostic.span().start,
                finding.diagnostic.code.name,
            )
        });
    }
}

/// Checks a file within the limits of a compilation.
fn within_budget<T>(path: &Path, check: impl FnOnce() -> T) -> Result<T, Problem> {
    let budget = Rc::new(Budget::default());
    let too_much = |error| Problem::other("cannot check").on(path.display()).because(error);
    meter::metered(&budget, check).map_err(too_much)
}
