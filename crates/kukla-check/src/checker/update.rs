//! Reading a repository: as a whole, or only the files that have changed.

use super::*;

impl Checker {
    /// Reads the repository as it is now. Texts that have not changed are taken from the last check.
    pub(super) fn read_all(&mut self, survey: Arc<Survey>) -> Update {
        self.excluded = survey.hidden.iter().map(|module| module.root.clone()).collect();
        if !self.options.all_modules {
            let third_party = survey.modules.iter().filter(|module| module.is_third_party);
            self.excluded.extend(third_party.map(|module| module.root.clone()));
            self.excluded.extend(survey.installed.iter().cloned());
        }
        let before = self.snapshot.take();
        let before = before.as_ref().map(|snapshot| &snapshot.data);
        let mut state = State { hidden: rules::module::hidden(&*self.world, &survey), ..State::default() };
        let read: Vec<Result<FileState, Problem>> =
            survey.code.par_iter().map(|file| self.read_file(file, &survey)).collect();
        for result in read {
            match result {
                Ok(file) => state.files.push(file),
                Err(problem) => state.unreadable.push(problem),
            }
        }
        let paths = state.files.iter().enumerate().map(|(place, file)| (file.file.path.clone(), place));
        state.places = paths.collect();
        for (place, file) in state.files.iter().enumerate() {
            state.templates.replace(place, None, Some(&file.text.outline));
        }
        let (erb, data) = rayon::join(
            || read_erb(&*self.world, &survey, &state.templates, &self.state.erb),
            || self.read_data(&survey, before),
        );
        state.erb = erb;
        state.rendered = state.templates.rendered().fingerprint();
        let templates: Vec<Arc<ErbFile>> = state.erb.values().cloned().collect();
        let mut index = Index::new(&self.world, Arc::clone(&survey), &self.options.declared, &self.index);
        index.set_data(data.bindings(&survey));
        index.iterated = iterated(&templates);
        let is_loose = survey.shape == Shape::Loose;
        for (place, file) in state.files.iter().enumerate() {
            index.replace(None, contribution(is_loose, place, file));
            if let Some(parameters) = parameters(file) {
                index.replace_template(&file.file.path, Some(parameters));
            }
        }
        state.ruby =
            rules::ruby::check(&*self.world, &survey, self.index.ruby_files(), &templates, &|path| {
                self.is_selected(path)
            });
        let texts = state.files.iter().map(|file| (file.file.path.clone(), checked(file))).collect();
        self.state = state;
        Update { snapshot: Snapshot { index, texts, data, templates }, places: None }
    }

    /// Reads files that have changed, if nothing else is needed.
    pub(super) fn read_changed(&mut self, changed: &FxHashSet<PathBuf>) -> Option<Update> {
        let survey = Arc::clone(self.survey.as_ref()?);
        let (mut code, mut has_data, mut has_erb) = (Vec::new(), false, false);
        for path in changed {
            let name = path.to_string_lossy();
            if let Some(place) = self.state.places.get(path) {
                code.push(*place);
            } else if self.state.erb.contains_key(path) {
                has_erb = true;
            } else if self.snapshot.as_ref()?.data.files.iter().any(|file| file.path == name) {
                has_data = true;
            } else if self.is_relevant(path) {
                return None;
            }
        }
        code.sort_unstable();
        let read: Option<Vec<FileState>> = code
            .iter()
            .map(|place| self.read_file(&self.state.files.get(*place)?.file, &survey).ok())
            .collect();
        let read = read?;
        let mut snapshot = match Arc::try_unwrap(self.snapshot.take()?) {
            Ok(snapshot) => snapshot,
            Err(shared) => {
                self.snapshot = Some(shared);
                return None;
            }
        };
        let is_loose = survey.shape == Shape::Loose;
        for (place, file) in code.iter().copied().zip(read) {
            let known = &mut self.state.files[place];
            let (old, new) = (contribution(is_loose, place, known), contribution(is_loose, place, &file));
            snapshot.index.replace(old, new);
            let outlines = [known, &file].map(|file| Some(&*file.text.outline));
            self.state.templates.replace(place, outlines[0], outlines[1]);
            if known.file.role == Role::Template {
                snapshot.index.replace_template(&known.file.path, parameters(&file));
            }
            snapshot.texts.insert(file.file.path.clone(), checked(&file));
            self.state.files[place] = file;
        }
        let rendered = self.state.templates.rendered().fingerprint();
        if has_erb || rendered != self.state.rendered {
            self.state.erb = read_erb(&*self.world, &survey, &self.state.templates, &self.state.erb);
            self.state.rendered = rendered;
            snapshot.templates = self.state.erb.values().cloned().collect();
            snapshot.index.iterated = iterated(&snapshot.templates);
            self.state.templates.renew();
            let files = self.index.ruby_files();
            self.state.ruby =
                rules::ruby::check(&*self.world, &survey, files, &snapshot.templates, &|path| {
                    self.is_selected(path)
                });
        }
        if has_data {
            snapshot.data = self.read_data(&survey, Some(&snapshot.data));
            snapshot.index.set_data(snapshot.data.bindings(&survey));
        }
        Some(Update { snapshot, places: Some(code.into_iter().collect()) })
    }

    /// Whether a file that is neither code nor data can matter.
    fn is_relevant(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(extension, "rb" | "pp" | "epp" | "erb" | "json" | "yaml" | "yml" | "eyaml" | "conf")
            || path.starts_with(self.root.join("facts"))
            || path.iter().any(|part| part == "templates")
    }

    /// Reads a file, unless it has not changed.
    fn read_file(&self, file: &CodeFile, survey: &Survey) -> Result<FileState, Problem> {
        let stamp = self.world.stamp(&file.path);
        let known = self.state.places.get(&file.path).and_then(|place| self.state.files.get(*place));
        let known = known.filter(|known| known.text.stamp == stamp && stamp.is_some());
        let text = match known {
            Some(known) => Arc::clone(&known.text),
            None => {
                let bytes =
                    self.world.read(&file.path).map_err(|error| kukla::cannot_read(&file.path, &error))?;
                let strict = self.options.puppet_strict;
                roomy(|| Arc::new(Text::new(&file.path, bytes, stamp, file.role, survey, strict)))
            }
        };
        Ok(FileState {
            file: file.clone(),
            text,
            is_selected: self.is_selected(&file.path),
            walked: known.and_then(|known| known.walked.clone()),
            refused: None,
        })
    }

    fn read_data(&self, survey: &Survey, before: Option<&Data>) -> Data {
        let files = before.into_iter().flat_map(|data| &data.files);
        let known = files.map(|file| (file.path.clone(), Arc::clone(file))).collect();
        Data::read(&*self.world, survey, &self.extra().0, &known)
    }
}

fn read_erb(
    world: &dyn World,
    survey: &Survey,
    templates: &rules::erb::TemplateUses,
    known: &FxHashMap<PathBuf, Arc<ErbFile>>,
) -> FxHashMap<PathBuf, Arc<ErbFile>> {
    erb::read(world, survey, &templates.rendered().iter().map(String::as_str).collect(), known)
}

fn iterated(templates: &[Arc<ErbFile>]) -> FxHashMap<String, Vec<String>> {
    let iterated = templates.iter().filter(|file| !file.outline.iterated.is_empty());
    iterated.map(|file| (file.name.clone(), file.outline.iterated.clone())).collect()
}

/// The contribution of a file to the index. Code that belongs to no repository may only use its own definitions.
fn contribution(is_loose: bool, place: usize, file: &FileState) -> Option<Contribution<'_>> {
    let role = file.file.role;
    (is_loose || role != Role::Extra).then(|| Contribution { place, role, outline: &file.text.outline })
}

/// The parameters that an EPP template declares, if it can be read.
fn parameters(file: &FileState) -> Option<Option<Arc<Vec<crate::repository::Parameter>>>> {
    (file.file.role == Role::Template && !file.text.is_broken).then(|| file.text.parameters.clone())
}

fn checked(file: &FileState) -> CheckedText {
    CheckedText { text: Arc::clone(&file.text), role: file.file.role, module: file.file.module }
}
