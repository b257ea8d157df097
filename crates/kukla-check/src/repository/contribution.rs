//! The contributions of files to the index: each can be taken back, so that an edit costs as much as its file.

use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;

use kukla::values::Str;
use rustc_hash::{FxHashMap, FxHashSet};

use super::counted::Step;
use super::definition::{Definition, Kind, Outline, Parameter};
use super::index::Index;
use super::question::Question;
use super::survey::Role;
use crate::suggest;

/// A file in the order of the repository, with its role and outline.
#[derive(Clone, Copy, Debug)]
pub struct Contribution<'o> {
    /// The place of the file in that order.
    pub place: usize,
    /// Its role.
    pub role: Role,
    /// Its outline.
    pub outline: &'o Outline,
}

/// The parts of an index that have changed.
#[derive(Debug, Default)]
pub struct Changes {
    /// Whether any part may have changed.
    pub all: bool,
    /// Definitions that mean something else, are elsewhere, are new or are gone.
    pub definitions: FxHashSet<(Kind, Str)>,
    /// Names of variables that are set somewhere now, or no longer.
    pub variables: FxHashSet<Str>,
    /// Whether data has changed.
    pub data: bool,
    /// Names that a definition has now, or no longer.
    names: FxHashSet<Str>,
    titles: FxHashSet<Str>,
    defaulted: FxHashSet<Str>,
    declared: FxHashSet<Str>,
    templates: FxHashSet<String>,
    open_templates: bool,
    computed_types: bool,
}

impl Changes {
    /// Any change.
    pub fn any() -> Changes {
        Changes { all: true, ..Changes::default() }
    }

    /// Whether the meaning of a name without a definition, or a suggestion of a similar one, may have changed.
    pub fn may_define(&self, name: &str) -> bool {
        let last = name.rsplit("::").next().unwrap_or_default();
        let concerns = |changed: &Str| changed == name || changed == last;
        self.all
            || self
                .names
                .iter()
                .any(|changed| concerns(changed) || suggest::nearest(name, [changed.as_str()]).is_some())
    }

    /// Whether the answer to a question may have changed.
    pub fn may_affect(&self, question: &Question) -> bool {
        self.all
            || match question {
                Question::Title(kind, _) => self.computed_types || self.titles.contains(kind),
                Question::Defaulted(kind) => self.defaulted.contains(kind),
                Question::Declared(class) => self.declared.contains(class),
                Question::Unbound(class, _) => {
                    self.data || self.definitions.contains(&(Kind::Class, class.clone()))
                }
                Question::Key(_) => self.data,
                Question::Template(name) => self.templates.contains(name),
                Question::OpenTemplate(_) => self.open_templates,
            }
    }
}

/// The definitions of one name, in the order of their files.
pub type Candidates = FxHashMap<(Kind, Str), Vec<(usize, Role, Arc<Definition>)>>;

impl Index {
    /// Replaces the contribution of a file: an old outline by a new one.
    pub fn replace(&mut self, old: Option<Contribution<'_>>, new: Option<Contribution<'_>>) {
        // What both have never disappears.
        let mut names: FxHashSet<(Kind, Str)> = FxHashSet::default();
        for (contribution, step) in [(new, Step::Add), (old, Step::Remove)] {
            let Some(contribution) = contribution else { continue };
            self.contribute(contribution, step);
            if contribution.role == Role::Template {
                continue;
            }
            for definition in &contribution.outline.definitions {
                self.candidate(contribution.place, contribution.role, definition, step);
                names.insert((definition.kind, definition.name.clone()));
            }
        }
        names.into_iter().for_each(|name| self.choose(name));
    }

    /// Replaces the parameters that an EPP template declares.
    pub fn replace_template(&mut self, path: &Path, parameters: Option<Option<Arc<Vec<Parameter>>>>) {
        let Some(name) = self.template_name(path) else { return };
        match parameters {
            Some(parameters) => self.templates.insert(name.clone(), parameters),
            None => self.templates.remove(&name),
        };
        self.changes.templates.insert(name);
    }

    fn contribute(&mut self, Contribution { place, role, outline }: Contribution<'_>, step: Step) {
        for name in &outline.set_names {
            note(&mut self.changes.variables, name, self.set_names.count(name, step));
        }
        for name in &outline.open_templates {
            self.changes.open_templates |= self.open_templates.count(name, step);
        }
        for name in &outline.uncertain_names {
            note(&mut self.changes.names, name, self.uncertain_names.count(name, step));
        }
        if role == Role::Template {
            return;
        }
        for kind in &outline.defaulted {
            note(&mut self.changes.defaulted, kind, self.defaulted.count(kind, step));
        }
        self.looked_up.count_all(&outline.looked_up, step);
        self.computed_keys.count_all(&outline.computed_keys, step);
        for class in &outline.declared {
            note(&mut self.changes.declared, class, self.declared.count(class, step));
        }
        for (class, required) in &outline.requires {
            self.require(place, class, required, step);
        }
        if outline.has_computed_types {
            self.changes.computed_types |= self.computed_types.count(&(), step);
        }
        self.contribute_titles(outline, step);
        if role == Role::Site {
            self.variables.count_all(&outline.variables, step);
        }
    }

    fn contribute_titles(&mut self, outline: &Outline, step: Step) {
        for (kind, title) in &outline.resources {
            let titles = self.titles.entry(kind.clone()).or_default();
            let has_changed = match title {
                Some(title) => titles.known.count(title, step),
                None => titles.open.count(&(), step),
            };
            note(&mut self.changes.titles, kind, has_changed);
        }
        for (kind, ends) in &outline.computed_titles {
            let titles = self.titles.entry(kind.clone()).or_default();
            note(&mut self.changes.titles, kind, titles.computed.count(ends, step));
        }
        for (kind, title) in &outline.renamed {
            let titles = self.titles.entry(kind.clone()).or_default();
            note(&mut self.changes.titles, kind, titles.renamed.count(title, step));
        }
        if step == Step::Remove {
            let kinds = outline.resources.iter().map(|(kind, _)| kind);
            let kinds = kinds.chain(outline.computed_titles.iter().map(|(kind, _)| kind));
            for kind in kinds.chain(outline.renamed.iter().map(|(kind, _)| kind)) {
                if self.titles.get(kind).is_some_and(super::index::Titles::is_empty) {
                    self.titles.remove(kind);
                }
            }
        }
    }

    fn require(&mut self, place: usize, class: &Str, required: &Str, step: Step) {
        let all = self.requires.entry(class.clone()).or_default();
        match step {
            Step::Add => {
                let at = all.partition_point(|(own, _)| *own <= place);
                all.insert(at, (place, required.clone()));
            }
            Step::Remove => {
                if let Some(at) = all.iter().position(|(own, name)| *own == place && name == required) {
                    all.remove(at);
                }
                if all.is_empty() {
                    self.requires.remove(class);
                }
            }
        }
    }

    fn candidate(&mut self, place: usize, role: Role, definition: &Arc<Definition>, step: Step) {
        let name = (definition.kind, definition.name.clone());
        match step {
            Step::Add => {
                let all = self.candidates.entry(name).or_default();
                let at = all.partition_point(|(own, ..)| *own <= place);
                all.insert(at, (place, role, Arc::clone(definition)));
            }
            Step::Remove => {
                let Some(all) = self.candidates.get_mut(&name) else { return };
                all.retain(|(_, _, own)| !Arc::ptr_eq(own, definition));
                if all.is_empty() {
                    self.candidates.remove(&name);
                }
            }
        }
    }

    /// Chooses the definition that a name refers to.
    fn choose(&mut self, name: (Kind, Str)) {
        let mut chosen: Option<Arc<Definition>> = None;
        let mut duplicates = Vec::new();
        let mut is_uncertain = false;
        for (_, role, made) in self.candidates.get(&name).into_iter().flatten() {
            chosen = match chosen.take() {
                // The autoloader finds the definition in the file of its name, never one in a file of another name.
                Some(first) if !made.may_be_loaded() => Some(first),
                Some(first) if !first.may_be_loaded() => Some(Arc::clone(made)),
                // Files that belong to no repository need not belong together.
                Some(_) if *role == Role::Extra => {
                    is_uncertain = true;
                    None
                }
                Some(first) => {
                    duplicates.push((Arc::clone(made), Arc::clone(&first)));
                    Some(first)
                }
                None => Some(Arc::clone(made)),
            };
        }
        match duplicates.is_empty() {
            true => self.duplicates.remove(&name),
            false => self.duplicates.insert(name.clone(), duplicates),
        };
        let (kind, plain) = &name;
        if is_uncertain != self.ambiguous.contains(&name) {
            let step = if is_uncertain { Step::Add } else { Step::Remove };
            note(&mut self.changes.names, plain, self.uncertain_names.count(plain, step));
            match is_uncertain {
                true => self.ambiguous.insert(name.clone()),
                false => self.ambiguous.remove(&name),
            };
        }
        let table = self.table_mut(*kind);
        let before = match chosen.clone() {
            Some(chosen) => table.insert(plain.clone(), chosen),
            None => table.remove(plain),
        };
        note(&mut self.changes.names, plain, before.is_some() != chosen.is_some());
        let prints = [before, chosen].map(|one| one.map(|one| one.fingerprint()));
        note(&mut self.changes.definitions, &name, prints[0] != prints[1]);
    }
}

fn note<T: Clone + Eq + Hash>(changed: &mut FxHashSet<T>, element: &T, has_changed: bool) {
    if has_changed {
        changed.insert(element.clone());
    }
}
