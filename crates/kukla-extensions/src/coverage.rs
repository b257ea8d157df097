//! What of an environment's Ruby would run: found by loading what can be loaded and by asking for every name that the rest uses.

mod reach;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_eval::{Environment, Flow, Vm};
use kukla_ruby::survey::{Survey, survey};
use kukla_ruby::{Ruby, erb};
use kukla_world::World;
use rustc_hash::FxHashSet;

use crate::function::RubyFunction;
use crate::programs::RubyPrograms;
use crate::{raised, session};
use reach::Readers;

/// What a piece of Ruby is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PieceKind {
    /// A template (ERB).
    Template,
    /// A function of either API.
    Function,
    /// A function that Hiera asks, or a backend of Hiera 3.
    Backend,
    /// A resource type.
    Type,
    /// A custom fact.
    Fact,
}

impl PieceKind {
    /// All kinds, in the order they are listed.
    pub const ALL: [PieceKind; 5] =
        [PieceKind::Template, PieceKind::Function, PieceKind::Backend, PieceKind::Type, PieceKind::Fact];

    /// What one is called.
    pub fn word(self) -> &'static str {
        match self {
            PieceKind::Template => "template",
            PieceKind::Function => "function",
            PieceKind::Backend => "backend",
            PieceKind::Type => "type",
            PieceKind::Fact => "fact",
        }
    }
}

/// A piece of Ruby that a module brings.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is for.
    pub kind: PieceKind,
    /// The module it belongs to.
    pub module: String,
    /// What manifests call it.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Why it cannot run, or cannot run in full, with the line where that is known.
    pub missing: Vec<(Option<u32>, String)>,
    /// What is wrong in it, in Puppet as well: it fails there and here when it comes to that.
    pub mistakes: Vec<(Option<u32>, String)>,
    /// Whether a manifest, a template or data names it.
    pub is_reached: bool,
    /// Whether something stands in for it (`--overrides`).
    pub is_overridden: bool,
}

/// Words of the languages in which facts and types are written; what they do is done elsewhere.
const FACT_WORDS: &[&str] =
    &["add", "setcode", "confine", "has_weight", "chunk", "aggregate", "timeout", "on_flush", "depends_on"];

/// A directory with Ruby: a module, or the environment itself.
struct Place {
    name: String,
    root: PathBuf,
}

/// Looks at all Ruby below a directory, as far as the environment's modules lie there. `facter` is the Ruby code that facts build on.
pub fn coverage(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    below: &Path,
    facter: &str,
) -> Flow<Vec<Piece>> {
    let environment = vm.environment();
    let places = places(environment, below);
    let files = environment.reading(|world| {
        places.iter().map(|place| below_root(world, &place.root)).collect::<Vec<Vec<PathBuf>>>()
    });
    let mut readers = Readers::default();
    let mut own = Survey::default();
    let everything = environment.modules().iter().map(|module| module.root.join("lib"));
    let everything = everything.chain(environment.root.iter().map(|root| root.join("lib")));
    let mut pieces = Vec::new();
    environment.reading(|world| {
        for file in everything.flat_map(|lib| below_root(world, &lib)).filter(|file| has_suffix(file, "rb")) {
            let found = survey(&world.read(&file).unwrap_or_default());
            own.methods.extend(found.methods);
            own.own_constants.extend(found.own_constants);
        }
        let templates = files.iter().flatten().filter(|file| is_template(file));
        for template in templates {
            // What one template defines, another may use.
            let text = world.read(template).unwrap_or_default();
            own.methods.extend(survey_template(&String::from_utf8_lossy(&text)).methods);
        }
        for file in files.iter().flatten().chain(&around(world, environment)) {
            readers.read(world, file);
        }
        for (place, files) in places.iter().zip(&files) {
            pieces.extend(files.iter().filter_map(|file| piece(place, file)));
        }
    });
    let methods: FxHashSet<String> = own.methods.into_iter().collect();
    let constants: FxHashSet<String> = own.own_constants.into_iter().collect();
    let known = Known { methods, constants, facter: survey(facter.as_bytes()) };
    for piece in &mut pieces {
        piece.is_reached = readers.name(piece);
        examine(vm, programs, &known, piece)?;
    }
    Ok(pieces)
}

/// What the environment's own Ruby defines.
struct Known {
    methods: FxHashSet<String>,
    constants: FxHashSet<String>,
    /// What facts find besides.
    facter: Survey,
}

impl Known {
    fn has_method(&self, kind: PieceKind, name: &str) -> bool {
        self.methods.contains(name)
            || kind == PieceKind::Fact && self.facter.methods.iter().any(|known| known == name)
    }

    fn has_constant(&self, kind: PieceKind, name: &str) -> bool {
        self.constants.contains(name)
            || kind == PieceKind::Fact && self.facter.own_constants.iter().any(|known| known == name)
    }
}

fn is_template(file: &Path) -> bool {
    !has_suffix(file, "epp") && file.components().any(|part| part.as_os_str() == "templates")
}

fn survey_template(text: &str) -> Survey {
    match text.contains("<%") {
        true => survey(erb::compile(text, erb::Trim::PUPPET, "_erbout").as_bytes()),
        false => Survey::default(),
    }
}

fn places(environment: &Environment, below: &Path) -> Vec<Place> {
    let modules = environment.modules().iter().filter(|module| module.root.starts_with(below));
    let modules =
        modules.map(|module| Place { name: module.name.as_str().to_owned(), root: module.root.clone() });
    let own = environment.root.iter().filter(|root| root.starts_with(below));
    let own = own.map(|root| Place { name: module_name(environment, root), root: root.clone() });
    modules.chain(own).collect()
}

/// The name of a module that is the environment's directory itself.
fn module_name(environment: &Environment, root: &Path) -> String {
    let metadata = environment.reading(|world| world.read(&root.join("metadata.json"))).unwrap_or_default();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).unwrap_or_default();
    let full = metadata["name"].as_str().map(str::to_owned);
    let full = full.or_else(|| Some(root.file_name()?.to_string_lossy().into_owned())).unwrap_or_default();
    full.rsplit(['-', '/']).next().unwrap_or_default().to_owned()
}

/// Directories in which nothing is for a compilation.
const ASIDE: &[&str] = &["spec", "tests", "test", ".git", "vendor", "fixtures", "acceptance"];

fn below_root(world: &dyn World, root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        let mut entries = world.list(&directory);
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        for entry in entries {
            let path = directory.join(&entry.name);
            match entry.is_directory {
                true if directory == root && ASIDE.contains(&entry.name.as_str()) => {}
                // The modules of an environment are places of their own.
                true if directory == root && matches!(entry.name.as_str(), "modules" | "site-modules") => {}
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

/// What lies in the environment besides its modules: its manifests and data.
fn around(world: &dyn World, environment: &Environment) -> Vec<PathBuf> {
    let Some(root) = &environment.root else { return Vec::new() };
    let mut files = below_root(world, &root.join("manifests"));
    files.extend(below_root(world, &root.join("data")));
    files.push(root.join("hiera.yaml"));
    files
}

fn has_suffix(file: &Path, suffix: &str) -> bool {
    file.extension().is_some_and(|extension| extension == suffix)
}

/// The piece that a file is, if it is one.
fn piece(place: &Place, file: &Path) -> Option<Piece> {
    let inside = file.strip_prefix(&place.root).ok()?.to_string_lossy().into_owned();
    let ruby = |directory: &str| inside.strip_prefix(directory)?.strip_suffix(".rb");
    let (kind, name) = if let Some(name) = inside.strip_prefix("templates/") {
        if has_suffix(file, "epp") {
            return None;
        }
        (PieceKind::Template, format!("{}/{name}", place.name))
    } else if let Some(name) = ruby("lib/puppet/functions/") {
        (PieceKind::Function, name.replace('/', "::"))
    } else if let Some(name) = ruby("lib/puppet/parser/functions/") {
        (PieceKind::Function, name.replace('/', "::"))
    } else if let Some(name) = ruby("lib/puppet/type/") {
        (PieceKind::Type, name.to_owned())
    } else if let Some(name) = ruby("lib/hiera/backend/") {
        (PieceKind::Backend, name.to_owned())
    } else if let Some(name) = ruby("lib/facter/") {
        (PieceKind::Fact, name.to_owned())
    } else {
        return None;
    };
    let is_nested = name.contains(['/', ':']);
    if matches!(kind, PieceKind::Type | PieceKind::Fact) && is_nested {
        return None;
    }
    let (module, file) = (place.name.clone(), file.to_path_buf());
    Some(Piece {
        kind,
        module,
        name,
        file,
        missing: Vec::new(),
        mistakes: Vec::new(),
        is_reached: false,
        is_overridden: false,
    })
}

fn examine(vm: &mut Vm<'_>, programs: &Arc<RubyPrograms>, known: &Known, piece: &mut Piece) -> Flow<()> {
    let environment = vm.environment();
    piece.is_overridden = match piece.kind {
        PieceKind::Template => environment.template_override(&piece.name).is_some(),
        PieceKind::Function => environment.is_overridden(&piece.name),
        _ => false,
    };
    if piece.is_overridden {
        return Ok(());
    }
    let bytes = vm.environment().reading(|world| world.read(&piece.file));
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            piece.missing.push((None, error.to_string()));
            return Ok(());
        }
    };
    let (parsed, found) = match piece.kind {
        PieceKind::Template => {
            let text = String::from_utf8_lossy(&bytes);
            if !text.contains("<%") {
                return Ok(());
            }
            (programs.template(&piece.file, &text), survey_template(&text))
        }
        _ => (programs.code(&piece.file, &bytes), survey(&bytes)),
    };
    if let Err(problem) = parsed {
        piece.missing.push((Some(problem.line), format!("syntax error, {}", problem.message)));
        return Ok(());
    }
    match piece.kind {
        // What is built in takes the place of a module's own.
        PieceKind::Function if vm.has_native_function(&piece.name) => return Ok(()),
        PieceKind::Function => load_function(vm, programs, piece),
        PieceKind::Type => {
            let read = vm
                .environment()
                .extensions
                .clone()
                .and_then(|all| all.resource_type(vm.environment(), &piece.name));
            match read {
                None => piece.missing.push((None, "the type cannot be read".into())),
                Some(ty) if ty.open => {
                    piece.missing.push((None, "not all of the type's attributes can be read".into()));
                }
                Some(_) => {}
            }
            return Ok(());
        }
        _ => {}
    }
    session::enter(vm, programs, None, |ruby| unknown(ruby, known, piece, &found))
}

/// Loads a function and reads its signatures.
fn load_function(vm: &mut Vm<'_>, programs: &Arc<RubyPrograms>, piece: &mut Piece) {
    let function = RubyFunction::new(&piece.name, piece.file.clone(), programs.clone(), Arc::default());
    match function.examine(vm) {
        Ok(true) => piece.kind = PieceKind::Backend,
        Ok(false) => {}
        Err(raise) => piece.missing.push((None, raise.into_diagnostic().message())),
    }
}

/// The names that nothing has.
fn unknown(ruby: &mut Ruby<'_>, known: &Known, piece: &mut Piece, found: &Survey) -> kukla_ruby::Result<()> {
    ruby.require_all()?;
    let (kind, missing) = (piece.kind, &mut piece.missing);
    for library in &found.libraries {
        if !ruby.has_library(&library.name)? {
            missing.push((Some(library.line), format!("cannot load such file -- {}", library.name)));
        }
    }
    for constant in &found.constants {
        let last = constant.name.rsplit("::").next().unwrap_or_default();
        let is_there = known.has_constant(kind, last)
            || ruby.has_constant(&constant.name).unwrap_or_else(|unwind| {
                raised::to_puppet(ruby, *unwind);
                false
            });
        if !is_there {
            missing.push((Some(constant.line), format!("uninitialized constant {}", constant.name)));
        }
    }
    for call in &found.calls {
        let name = call.name.as_str();
        let is_there = known.has_method(kind, name)
            || found.methods.iter().any(|own| own == name)
            || ruby.has_method(name)
            || name.starts_with("function_")
            || kind == PieceKind::Fact && FACT_WORDS.contains(&name);
        if is_there {
            continue;
        }
        // Of a template itself Puppet's has no more methods than ours.
        match kind == PieceKind::Template && call.is_own {
            true => {
                piece
                    .mistakes
                    .push((Some(call.line), format!("undefined local variable or method `{name}'")));
            }
            false => missing.push((Some(call.line), format!("undefined method `{name}'"))),
        }
    }
    for list in [&mut piece.missing, &mut piece.mistakes] {
        list.sort();
        list.dedup();
    }
    Ok(())
}
