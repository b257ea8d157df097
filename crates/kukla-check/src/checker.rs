//! The checker of one repository, which keeps what it has found for as long as nothing it rests on changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::Diagnostic;
use kukla::syntax::{Source, Strict, roomy};
use kukla::world::World;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::data::{Bindings, Data, DataFile};
use crate::erb::{self, ErbFile};
use crate::finding::Finding;
use crate::repository::index::{self, Index};
use crate::repository::{CodeFile, Kind, Outline, Role, Shape, Survey};
use crate::rule::Asks;
use crate::rules::{self, refused::Verdicts};
use crate::text::Text;
use crate::walk::{self, Asked};

/// What is asked of a checker.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is asked for beyond what is always said.
    pub asks: Asks,
    /// Puppet's `strict` setting.
    pub puppet_strict: Strict,
    /// Where modules lie, if the repository is not to say it.
    pub modulepath: Vec<PathBuf>,
    /// The site manifest, if it is not to be the one that the repository says.
    pub manifest: Option<PathBuf>,
    /// Files to check besides those that the repository is known to have.
    pub extra: Vec<PathBuf>,
    /// What is reported: what lies at or below these; everything in the repository, if there are none.
    pub only: Vec<PathBuf>,
}

/// What a check has found.
#[derive(Debug, Default)]
pub struct Report {
    /// What is wrong, by file and place.
    pub findings: Vec<Finding>,
    /// How many files were checked.
    pub files: usize,
    /// Files that could not be read, and why.
    pub unreadable: Vec<String>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<PathBuf>,
}

/// The checker of one repository.
#[derive(Debug)]
pub struct Checker {
    world: Arc<dyn World>,
    root: PathBuf,
    shape: Shape,
    options: Options,
    texts: FxHashMap<PathBuf, Arc<Text>>,
    kept: FxHashMap<PathBuf, Arc<Kept>>,
    data: FxHashMap<String, Arc<DataFile>>,
    index: index::Kept,
    erb: FxHashMap<PathBuf, Arc<ErbFile>>,
    verdicts: Verdicts,
}

/// What was found in a text, and what that rests on.
#[derive(Debug)]
struct Kept {
    text: Arc<Text>,
    base: u64,
    asked: Asked,
    findings: Vec<Finding>,
}

impl Checker {
    /// A checker of what lies in a directory.
    pub fn new(world: Arc<dyn World>, root: PathBuf, shape: Shape, options: Options) -> Checker {
        Checker {
            world,
            root,
            shape,
            options,
            texts: FxHashMap::default(),
            kept: FxHashMap::default(),
            data: FxHashMap::default(),
            index: index::Kept::default(),
            erb: FxHashMap::default(),
            verdicts: Verdicts::default(),
        }
    }

    /// Checks the repository as it is now.
    pub fn check(&mut self) -> Result<Report, Box<Diagnostic>> {
        let mut survey = Survey::of(
            &*self.world,
            &self.root,
            self.shape,
            &self.options.modulepath,
            self.options.manifest.as_deref(),
        )?;
        let known: rustc_hash::FxHashSet<PathBuf> =
            survey.code.iter().map(|file| file.path.clone()).collect();
        let (extra_data, extra): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.options.extra.iter().partition(|path| DataFile::is_data(&path.to_string_lossy()));
        let extra = extra.into_iter().filter(|path| !known.contains(*path));
        let extra: Vec<CodeFile> =
            extra.map(|path| CodeFile { path: path.clone(), role: Role::Extra, module: None }).collect();
        survey.code.extend(extra);
        let mut report = Report { special: survey.special.clone(), ..Report::default() };
        let texts = self.read(&survey, &mut report);
        let (data, erb) = rayon::join(
            || Data::read(&*self.world, &survey, &extra_data, &self.data),
            || erb::read(&*self.world, &survey, &self.erb),
        );
        report
            .special
            .extend(data.hierarchies.iter().flat_map(|hierarchy| hierarchy.special.iter().cloned()));
        let bindings = data.bindings(&survey);
        let templates: Vec<Arc<ErbFile>> = erb.values().cloned().collect();
        let index = self.make_index(survey, &texts, &templates, bindings);
        let wanted: Vec<&(CodeFile, Arc<Text>)> =
            texts.iter().filter(|(file, _)| self.is_wanted(&file.path)).collect();
        report.files = wanted.len();
        let outlines = wanted.iter().map(|(_, text)| (text.source.clone(), Arc::clone(&text.outline)));
        let outlines: Vec<(Source, Arc<Outline>)> =
            outlines.filter(|(_, outline)| !outline.written.is_empty()).collect();
        let mut verdicts = std::mem::take(&mut self.verdicts);
        // Ruby takes its time, and needs nothing of what the walks find.
        let (results, refused) = rayon::join(
            || -> Vec<(PathBuf, Arc<Kept>)> {
                let results = wanted.par_iter().map(|(file, text)| {
                    let kept = self.kept.get(&file.path).filter(|kept| kept.holds(text, &index));
                    let kept = kept.map_or_else(|| Arc::new(self.walk(&index, file, text)), Arc::clone);
                    (file.path.clone(), kept)
                });
                results.collect()
            },
            || rules::refused::check(&self.world, &index, &outlines, &mut verdicts),
        );
        self.verdicts = verdicts;
        for (_, kept) in &results {
            report.findings.extend(kept.findings.iter().cloned());
        }
        let mut whole = rules::definition::duplicates(&index);
        let outlines: Vec<Arc<Outline>> = texts.iter().map(|(_, text)| Arc::clone(&text.outline)).collect();
        whole.extend(rules::erb::check(&index, &outlines, &templates));
        whole.extend(rules::relation::cycles(&index));
        whole.extend(refused);
        if self.options.asks.unused {
            let texts: Vec<Arc<Text>> = texts.iter().map(|(_, text)| Arc::clone(text)).collect();
            whole.extend(rules::unused::check(&index, &texts, &data));
            if index.survey.shape == Shape::Control {
                whole.extend(rules::unused_file::check(&index, &texts, &data, &templates));
                whole.extend(rules::shadow::check(&*self.world, &data, &index));
            }
        }
        if self.options.asks.target.is_some() {
            whole.extend(rules::upgrade::check_data(&*self.world, &data, &index));
        }
        report.findings.extend(whole.into_iter().filter(|finding| self.is_wanted_finding(finding)));
        report
            .findings
            .extend(data.findings.iter().filter(|finding| self.is_wanted_finding(finding)).cloned());
        report.findings.extend(rules::data::check(&data, &index, &|path| self.is_wanted(path)));
        report.files += data.files.iter().filter(|file| self.is_wanted(Path::new(&file.path))).count();
        let configurations = data.hierarchies.iter().filter_map(|hierarchy| hierarchy.source.name());
        let known = configurations.filter(|path| self.world.exists(Path::new(path)));
        report.files += known.filter(|path| self.is_wanted(Path::new(path))).count();
        self.data = data.files.into_iter().map(|file| (file.path.clone(), file)).collect();
        self.kept = results.into_iter().collect();
        self.erb = erb;
        self.texts = texts.into_iter().map(|(file, text)| (file.path, text)).collect();
        report.settle(&self.texts);
        Ok(report)
    }

    fn is_wanted_finding(&self, finding: &Finding) -> bool {
        let file = finding.diagnostic.position.as_ref().and_then(|place| place.file());
        file.is_some_and(|file| self.is_wanted(Path::new(file)))
    }

    fn is_wanted(&self, path: &Path) -> bool {
        match &self.options.only[..] {
            [] => path.starts_with(&self.root),
            only => only.iter().any(|above| path.starts_with(above)),
        }
    }

    /// Reads what has changed.
    fn read(&self, survey: &Survey, report: &mut Report) -> Vec<(CodeFile, Arc<Text>)> {
        let read: Vec<Result<(CodeFile, Arc<Text>), String>> = survey
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
                    self.world.read(&file.path).map_err(|why| format!("{}: {why}", file.path.display()))?;
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
                Err(why) => report.unreadable.push(why),
            }
        }
        texts
    }

    fn make_index(
        &self,
        survey: Survey,
        texts: &[(CodeFile, Arc<Text>)],
        erb: &[Arc<ErbFile>],
        data: Bindings,
    ) -> Index {
        let outlines: Vec<_> = texts
            .iter()
            .filter(|(file, _)| matches!(file.role, Role::Site | Role::Module))
            .map(|(file, text)| (file.role == Role::Site, Arc::clone(&text.outline)))
            .collect();
        let templates = texts
            .iter()
            .filter(|(file, text)| file.role == Role::Template && !text.is_broken)
            .map(|(file, text)| (file.path.clone(), text.parameters.clone()))
            .collect();
        let iterated = erb.iter().filter(|file| !file.outline.iterated.is_empty());
        let iterated = iterated.map(|file| (file.name.clone(), file.outline.iterated.clone())).collect();
        Index::new(&self.world, survey, &outlines, templates, iterated, data, &self.index)
    }

    fn walk(&self, index: &Index, file: &CodeFile, text: &Arc<Text>) -> Kept {
        let mut findings: Vec<Finding> = text.diagnostics.iter().cloned().map(Finding::from).collect();
        let mut asked = Asked::default();
        if !text.is_broken {
            let module = file.module.and_then(|at| index.survey.modules.get(at));
            let misplaced =
                module.map(|module| rules::definition::misplaced(module, &file.path, &text.outline));
            findings.extend(misplaced.into_iter().flatten());
            let module = module.map(|module| module.name.as_str());
            let walk = roomy(|| walk::walk(index, &text.source, &text.tree, module, self.options.asks));
            findings.extend(walk.findings);
            asked = walk.asked;
        }
        Kept { text: Arc::clone(text), base: index.base, asked, findings }
    }
}

impl Kept {
    /// Whether nothing that it rests on has changed.
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
            && self.asked.definitions.iter().all(|((kind, name), known)| answer(*kind, name) == *known)
            && self.asked.variables.iter().all(|(name, known)| index.set_names.contains(name) == *known)
    }
}

impl Report {
    /// Leaves out what comments ask not to be told, and puts the rest in order.
    fn settle(&mut self, texts: &FxHashMap<PathBuf, Arc<Text>>) {
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
            (
                file,
                place.and_then(|place| place.line()),
                finding.diagnostic.span().start,
                finding.diagnostic.code.name,
            )
        });
    }
}
