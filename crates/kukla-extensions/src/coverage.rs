//! How much of an environment's Ruby would run: loads what can be loaded, and looks up every name that the rest uses.

mod reach;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_eval::{Environment, Flow, Vm};
use kukla_ruby::Ruby;
use kukla_ruby::erb::Trim;
use kukla_ruby::outline::{NameUse, Names, Outline};
use kukla_world::World;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::RubyFunction;
use crate::programs::RubyPrograms;
use crate::{raised, session};
use reach::Readers;

/// The purposes of Ruby code in modules.
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

    /// The word for one.
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
    /// Its purpose.
    pub kind: PieceKind,
    /// The module it belongs to.
    pub module: String,
    /// The name that manifests use.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Why it cannot run, or cannot run in full, with the line where that is known.
    pub missing: Vec<(Option<u32>, String)>,
    /// Mistakes that fail in Puppet too when the code is reached.
    pub mistakes: Vec<(Option<u32>, String)>,
    /// Whether a manifest, a template or data names it.
    pub is_reached: bool,
    /// Whether `--overrides` replaces it.
    pub is_overridden: bool,
}

/// Words of the language in which facts are written, which another part of the interpreter defines.
const FACT_WORDS: &[&str] =
    &["add", "setcode", "confine", "has_weight", "chunk", "aggregate", "timeout", "on_flush", "depends_on"];

/// A directory with Ruby: a module, or the environment itself.
struct RubyDirectory {
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
    let directories = directories(environment, below);
    let files = environment.reading(|world| {
        directories.iter().map(|directory| below_root(world, &directory.root)).collect::<Vec<Vec<PathBuf>>>()
    });
    let mut readers = Readers::default();
    let mut defined = Defined::default();
    // Most files are read for their definitions and then examined.
    let mut outlines: FxHashMap<PathBuf, Used> = FxHashMap::default();
    let everything = environment.modules().iter().map(|module| module.root.join("lib"));
    let everything = everything.chain(environment.root.iter().map(|root| root.join("lib")));
    let mut pieces = Vec::new();
    environment.reading(|world| {
        for file in everything.flat_map(|lib| below_root(world, &lib)).filter(|file| has_suffix(file, "rb")) {
            let used = Used::in_code(&world.read(&file).unwrap_or_default());
            defined.methods.extend(used.names.methods().map(str::to_owned));
            defined.constants.extend(used.names.defined_constants().map(str::to_owned));
            outlines.insert(file, used);
        }
        let templates = files.iter().flatten().filter(|file| is_template(file));
        for template in templates {
            // A template may use the methods of another one.
            let text = world.read(template).unwrap_or_default();
            let used = Used::in_template(&String::from_utf8_lossy(&text));
            defined.methods.extend(used.names.methods().map(str::to_owned));
            outlines.insert(template.clone(), used);
        }
        for file in files.iter().flatten().chain(&around(world, environment)) {
            readers.read(world, file);
        }
        for (directory, files) in directories.iter().zip(&files) {
            pieces.extend(files.iter().filter_map(|file| piece(directory, file)));
        }
    });
    let facter = Outline::new(facter).names();
    defined.fact_methods.extend(facter.methods().map(str::to_owned));
    defined.fact_constants.extend(facter.defined_constants().map(str::to_owned));
    for piece in &mut pieces {
        piece.is_reached = readers.name(piece);
        let used = outlines.remove(&piece.file);
        examine(vm, programs, &defined, used, piece)?;
    }
    Ok(pieces)
}

/// The names that the environment's own Ruby defines.
#[derive(Default)]
struct Defined {
    methods: FxHashSet<String>,
    constants: FxHashSet<String>,
    /// Methods that only facts find.
    fact_methods: FxHashSet<String>,
    /// Constants that only facts find.
    fact_constants: FxHashSet<String>,
}

impl Defined {
    fn has_method(&self, kind: PieceKind, name: &str) -> bool {
        self.methods.contains(name) || kind == PieceKind::Fact && self.fact_methods.contains(name)
    }

    fn has_constant(&self, kind: PieceKind, name: &str) -> bool {
        self.constants.contains(name) || kind == PieceKind::Fact && self.fact_constants.contains(name)
    }
}

/// The names that a file uses, and the lines of its positions.
struct Used {
    outline: Outline,
    names: Names,
}

impl Used {
    fn new(outline: Outline) -> Used {
        let names = outline.names();
        Used { outline, names }
    }

    fn in_code(bytes: &[u8]) -> Used {
        Used::new(Outline::new(&String::from_utf8_lossy(bytes)))
    }

    fn in_template(text: &str) -> Used {
        let text = if text.contains("<%") { text } else { "" };
        Used::new(Outline::of_template(text, Trim::DASH, "_erbout"))
    }

    fn line(&self, used: &NameUse) -> Option<u32> {
        Some(self.outline.line(used.span.start))
    }
}

fn is_template(file: &Path) -> bool {
    !has_suffix(file, "epp") && file.components().any(|part| part.as_os_str() == "templates")
}

fn directories(environment: &Environment, below: &Path) -> Vec<RubyDirectory> {
    let modules = environment.modules().iter().filter(|module| module.root.starts_with(below));
    let modules = modules
        .map(|module| RubyDirectory { name: module.name.as_str().to_owned(), root: module.root.clone() });
    let own = environment.root.iter().filter(|root| root.starts_with(below));
    let own = own.map(|root| RubyDirectory { name: module_name(environment, root), root: root.clone() });
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

/// Directories that compilations do not use.
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
                // Modules of an environment are examined on their own.
                true if directory == root && matches!(entry.name.as_str(), "modules" | "site-modules") => {}
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

/// The files of the environment outside of its modules: its manifests and data.
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
fn piece(directory: &RubyDirectory, file: &Path) -> Option<Piece> {
    let inside = file.strip_prefix(&directory.root).ok()?.to_string_lossy().into_owned();
    let ruby = |directory: &str| inside.strip_prefix(directory)?.strip_suffix(".rb");
    let (kind, name) = if let Some(name) = inside.strip_prefix("templates/") {
        if has_suffix(file, "epp") {
            return None;
        }
        (PieceKind::Template, format!("{}/{name}", directory.name))
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
    let (module, file) = (directory.name.clone(), file.to_path_buf());
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

fn examine(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    defined: &Defined,
    used: Option<Used>,
    piece: &mut Piece,
) -> Flow<()> {
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
    let (parsed, used) = match piece.kind {
        PieceKind::Template => {
            let text = String::from_utf8_lossy(&bytes);
            if !text.contains("<%") {
                return Ok(());
            }
            (programs.template(&piece.file, &text), used.unwrap_or_else(|| Used::in_template(&text)))
        }
        _ => (programs.code(&piece.file, &bytes), used.unwrap_or_else(|| Used::in_code(&bytes))),
    };
    if let Err(problem) = parsed {
        piece.missing.push((Some(problem.line), format!("syntax error, {}", problem.message)));
        return Ok(());
    }
    match piece.kind {
        // A built-in function takes precedence over a module's.
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
    session::enter(vm, programs, None, |ruby| find_unknown(ruby, defined, piece, &used))
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

/// Finds the names that nothing defines.
fn find_unknown(
    ruby: &mut Ruby<'_>,
    defined: &Defined,
    piece: &mut Piece,
    used: &Used,
) -> kukla_ruby::Result<()> {
    ruby.require_all()?;
    let (kind, missing) = (piece.kind, &mut piece.missing);
    for library in &used.names.libraries {
        if !ruby.has_library(&library.name)? {
            missing.push((used.line(library), format!("cannot load such file -- {}", library.name)));
        }
    }
    for constant in &used.names.constants {
        let last = constant.name.rsplit("::").next().unwrap_or_default();
        let is_there = defined.has_constant(kind, last)
            || ruby.has_constant(&constant.name).unwrap_or_else(|unwind| {
                raised::to_puppet(ruby, *unwind);
                false
            });
        if !is_there {
            missing.push((used.line(constant), format!("uninitialized constant {}", constant.name)));
        }
    }
    for call in &used.names.calls {
        let name = call.name.as_str();
        let is_there = defined.has_method(kind, name)
            || used.names.methods().any(|own| own == name)
            || ruby.has_method(name)
            || name.starts_with("function_")
            || kind == PieceKind::Fact && FACT_WORDS.contains(&name);
        if is_there {
            continue;
        }
        // Puppet's templates have no more methods of their own than ours.
        match kind == PieceKind::Template && call.is_own {
            true => {
                let message = format!("undefined local variable or method `{name}'");
                piece.mistakes.push((used.line(call), message));
            }
            false => missing.push((used.line(call), format!("undefined method `{name}'"))),
        }
    }
    for list in [&mut piece.missing, &mut piece.mistakes] {
        list.sort();
        list.dedup();
    }
    Ok(())
}
