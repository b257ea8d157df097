//! The state of one editor: its settings, its folders, its open texts and the repositories that they belong to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::world::World;
use lsp_types::{FileEvent, InitializeParams, TextDocumentContentChangeEvent};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use crate::analysis::{Analysis, Generation};
use crate::capabilities::Client;
use crate::documents::EditorWorld;
use crate::features::diagnostics;
use crate::outbox::{Outbox, Refusal};
use crate::server::{Draw, OpenRequests};
use crate::uris::path_of;
use crate::view::View;
use crate::workspace::{self, Language};

/// The settings that users can make in their editor.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// The node whose facts and data are shown.
    pub node: Option<String>,
    /// Whether findings of the linter are shown.
    pub lint: bool,
    /// Whether inferred types are shown in the code.
    pub type_hints: bool,
    /// Whether the names of parameters are shown in calls.
    pub parameter_hints: bool,
    /// Whether the values that parameters get from data are shown in the code.
    pub data_hints: bool,
    /// The address of Kukla's documentation, to which diagnostics link.
    pub rule_pages: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            node: None,
            lint: true,
            type_hints: true,
            parameter_hints: true,
            data_hints: true,
            rule_pages: None,
        }
    }
}

/// The state of one editor.
#[derive(Debug)]
pub struct Session {
    /// The texts.
    pub world: Arc<EditorWorld>,
    /// The abilities of the client.
    pub client: Client,
    /// The settings.
    pub settings: Settings,
    /// The way to the client.
    pub outbox: Outbox,
    /// The requests without an answer.
    pub open: OpenRequests,
    folders: Vec<PathBuf>,
    analyses: Vec<Analysis>,
    /// The roots of files, which are asked for often.
    roots: FxHashMap<PathBuf, PathBuf>,
    /// Grows with every change of a text or of the files on the disk.
    generation: Generation,
    /// Whether diagnostics are to be published.
    is_behind: bool,
    /// The diagnostics that the client has.
    pub published: diagnostics::Published,
    /// Files with findings whose repositories are no longer open.
    pub orphans: Vec<PathBuf>,
    /// The time of the last look at the disk, if the client does not watch it.
    looked: std::time::Duration,
    /// The node that `kukla lsp --node` names.
    node_option: Option<String>,
    /// Draws the graph of a catalog.
    pub draw: Option<Draw>,
}

/// The time after which files are looked at again, if the client does not watch them.
const RECHECK: std::time::Duration = std::time::Duration::from_secs(2);

impl Session {
    /// A session with an editor.
    pub fn new(
        disk: Arc<dyn World>,
        client: Client,
        params: &InitializeParams,
        node: Option<String>,
        outbox: Outbox,
        open: OpenRequests,
    ) -> Session {
        let world = Arc::new(EditorWorld::new(disk));
        let mut session = Session {
            world,
            client,
            settings: Settings::default(),
            outbox,
            open,
            folders: folders(params),
            analyses: Vec::new(),
            roots: FxHashMap::default(),
            generation: Generation::default(),
            is_behind: true,
            published: diagnostics::Published::default(),
            orphans: Vec::new(),
            looked: std::time::Duration::ZERO,
            node_option: node,
            draw: None,
        };
        session.configure(params.initialization_options.clone().unwrap_or_default());
        for folder in session.folders.clone() {
            session.root_of(&folder);
        }
        session
    }

    /// Takes settings, with or without the name of the server around them.
    pub fn configure(&mut self, settings: serde_json::Value) {
        let own = settings.get("kukla").cloned().unwrap_or(settings);
        if own.is_object() {
            match serde_json::from_value::<Settings>(own) {
                Ok(settings) => self.settings = settings,
                Err(error) => {
                    let message = format!("invalid settings of kukla: {error}");
                    self.outbox.show(lsp_types::MessageType::WARNING, message);
                }
            }
        }
        if self.settings.node.is_none() {
            self.settings.node.clone_from(&self.node_option);
        }
        self.touch();
    }

    /// Records that something has changed.
    fn touch(&mut self) {
        self.generation.texts += 1;
        self.is_behind = true;
    }

    /// Records that the text of a file has changed.
    fn touch_text(&mut self, path: &Path) {
        self.analyses.iter_mut().for_each(|analysis| analysis.edit(path));
        self.touch();
    }

    /// Records that files may have been added or removed.
    fn touch_layout(&mut self) {
        self.generation.layout += 1;
        self.touch();
    }

    /// Records that a text has changed, and perhaps the list of files with it: if the text is not on the disk, or if it decides which files
    /// belong to a repository.
    fn touch_layout_of(&mut self, path: &Path) {
        match is_layout(path) || !self.world.disk().exists(path) {
            true => self.touch_layout(),
            false => self.touch_text(path),
        }
    }

    /// Opens a text.
    pub fn open(&mut self, path: PathBuf, language: String, version: i32, text: String) {
        self.touch_layout_of(&path);
        self.world.open(path, language, version, text);
    }

    /// Changes an open text.
    pub fn change(&mut self, path: &Path, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        if !self.world.edit(path, version, changes, self.client.encoding) {
            let name = path.display();
            self.outbox.log().line(|| format!("changes of {name}, which is not open"));
        }
        match is_layout(path) {
            true => self.touch_layout(),
            false => self.touch_text(path),
        }
    }

    /// Closes a text.
    pub fn close(&mut self, path: &Path) {
        self.world.close(path);
        self.touch_layout_of(path);
    }

    /// Records changes of files on the disk.
    pub fn files_changed(&mut self, changes: &[FileEvent]) {
        let paths: Vec<PathBuf> = changes.iter().map(|change| path_of(&change.uri)).collect();
        self.paths_changed(&paths);
    }

    /// The folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Records changes of paths on the disk.
    pub fn paths_changed(&mut self, paths: &[PathBuf]) {
        let mut has_new_layout = false;
        for path in paths {
            let was_there = self.world.was_on_disk(path);
            self.world.forget(path);
            let is_there = self.world.disk().exists(path);
            has_new_layout |= is_layout(path) || was_there.is_some_and(|was_there| was_there != is_there);
        }
        if has_new_layout {
            // A new file may make another directory the root of a repository.
            self.roots.clear();
            self.touch_layout();
        } else {
            paths.iter().for_each(|path| self.touch_text(path));
        }
    }

    /// Records that the editor has written a file.
    pub fn saved(&mut self, path: &Path) {
        self.world.forget(path);
        self.touch_layout_of(path);
    }

    /// Adds and removes folders.
    pub fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added);
        self.roots.clear();
        let folders = self.folders.clone();
        let is_used = |analysis: &Analysis| {
            folders
                .iter()
                .any(|folder| folder.starts_with(&analysis.root) || analysis.root.starts_with(folder))
        };
        let (used, unused) = std::mem::take(&mut self.analyses).into_iter().partition(is_used);
        self.analyses = used;
        let unused: Vec<Analysis> = unused;
        self.orphans.extend(unused.iter().flat_map(Analysis::files));
        for folder in folders {
            self.root_of(&folder);
        }
        self.touch_layout();
    }

    /// The root of the repository of a path, which is analysed from now on.
    fn root_of(&mut self, path: &Path) -> PathBuf {
        let directory = if workspace::is_text(path) { path.parent().unwrap_or(path) } else { path };
        if let Some(root) = self.roots.get(directory) {
            return root.clone();
        }
        let (root, shape) = workspace::repository_of(&*self.world, path, &self.folders);
        self.roots.insert(directory.to_owned(), root.clone());
        if self.analyses.iter().all(|analysis| analysis.root != root || analysis.shape != shape) {
            self.analyses.retain(|analysis| analysis.root != root);
            self.analyses.push(Analysis::new(Arc::clone(&self.world), root.clone(), shape));
        }
        root
    }

    /// All repositories.
    pub fn analyses(&self) -> &[Analysis] {
        &self.analyses
    }

    /// The files whose findings have changed since the last call.
    pub fn take_changed(&mut self) -> FxHashSet<PathBuf> {
        self.analyses.iter_mut().flat_map(Analysis::take_changed).collect()
    }

    /// Looks at the disk again, if the client does not report changes and some time has passed.
    fn look_at_disk(&mut self) {
        if self.client.watches_files {
            return;
        }
        let now = self.world.elapsed();
        if now.saturating_sub(self.looked) >= RECHECK {
            self.looked = now;
            self.world.forget_all();
            self.roots.clear();
            self.generation.texts += 1;
            self.generation.layout += 1;
        }
    }

    /// Analyses all repositories of open texts and folders.
    pub fn refresh_all(&mut self) {
        self.look_at_disk();
        for path in self.world.open_paths() {
            if path.is_absolute() {
                self.root_of(&path);
            }
        }
        let generation = self.generation;
        for analysis in &mut self.analyses {
            refresh(analysis, generation, &self.outbox, &self.world);
        }
    }

    /// A file with its repository, analysed as it is now.
    pub fn view(&mut self, path: &Path) -> Result<View<'_>, Refusal> {
        let document = self.world.get(path);
        if document.is_none() && !self.world.exists(path) {
            return Err(Refusal::invalid(format!("unknown file {}", path.display())));
        }
        let root = path.is_absolute().then(|| self.root_of(path));
        let generation = self.generation;
        let analysis = self.analyses.iter_mut().find(|analysis| Some(&analysis.root) == root.as_ref());
        let at = analysis.map(|analysis| {
            refresh(analysis, generation, &self.outbox, &self.world);
            analysis.root.clone()
        });
        let analysis = at.and_then(|root| self.analyses.iter().find(|analysis| analysis.root == root));
        View::new(self, path, document, analysis)
    }

    /// A file as far as its own text goes: the repository around it is the one that was analysed last.
    pub fn text_view(&mut self, path: &Path) -> Result<View<'_>, Refusal> {
        let document = self.world.get(path);
        if document.is_none() {
            return self.view(path);
        }
        let root = path.is_absolute().then(|| self.root_of(path));
        let analysis = self.analyses.iter().find(|analysis| Some(&analysis.root) == root.as_ref());
        View::new(self, path, document, analysis)
    }

    /// A file with the index of the last analysis, so that an answer to every keystroke does not wait for the next one.
    pub fn completion_view(&mut self, path: &Path) -> Result<View<'_>, Refusal> {
        let root = path.is_absolute().then(|| self.root_of(path));
        let analysis = self.analyses.iter().find(|analysis| Some(&analysis.root) == root.as_ref());
        match analysis.is_some_and(|analysis| analysis.snapshot().is_some()) {
            true => self.text_view(path),
            false => self.view(path),
        }
    }

    /// Does what can wait: analyses the repositories and publishes diagnostics.
    pub fn catch_up(&mut self) {
        if !self.is_behind {
            return;
        }
        self.is_behind = false;
        self.refresh_all();
        diagnostics::publish(self);
    }

    /// The language of a file.
    pub fn language(&self, path: &Path) -> Option<Language> {
        let document = self.world.get(path);
        Language::of(path, document.as_ref().map_or("", |document| document.language.as_str()))
    }
}

/// Whether a file decides which files belong to a repository, or which modules it needs.
fn is_layout(path: &Path) -> bool {
    const NAMES: &[&str] =
        &["metadata.json", "environment.conf", ".gitignore", ".gitmodules", ".fixtures.yml", "hiera.yaml"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    NAMES.contains(&name) || name.starts_with("Puppetfile")
}

fn refresh(analysis: &mut Analysis, generation: Generation, outbox: &Outbox, world: &EditorWorld) {
    if analysis.is_current(generation) {
        return;
    }
    let begun = world.elapsed();
    let before = analysis.problem.clone();
    analysis.refresh(generation);
    let took = world.elapsed().saturating_sub(begun);
    outbox.log().time(&format!("analysis of {}", analysis.root.display()), took);
    if let Some(problem) = &analysis.problem
        && before.as_ref() != Some(problem)
    {
        outbox.show(lsp_types::MessageType::ERROR, problem.clone());
    }
}

/// The folders of a client.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|folders| !folders.is_empty()) {
        return folders.iter().map(|folder| path_of(&folder.uri)).collect();
    }
    // Older clients.
    #[allow(deprecated)]
    let (uri, path) = (&params.root_uri, &params.root_path);
    let uri = uri.as_ref().map(path_of);
    uri.or_else(|| path.as_ref().map(PathBuf::from)).into_iter().collect()
}
