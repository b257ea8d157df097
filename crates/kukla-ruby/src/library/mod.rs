//! Native classes: how tables become classes of an interpreter, and the libraries that `require` brings.

use std::sync::{Arc, LazyLock, Mutex};

use rustc_hash::FxHashMap;

use crate::class::{Class, ClassId, ClassKind, Constant, NATIVE_CLASSES, Native};
use crate::error::Result;
use crate::lower::SyntaxProblem;
use crate::program::Program;
use crate::ruby::{Ruby, State};
use crate::symbol::{Symbol, fixed};
use crate::value::Value;

type Methods = FxHashMap<Symbol, &'static Native>;

/// The tables of a core class as they are looked up: methods of instances, and of the class itself.
struct Tables {
    methods: Methods,
    singleton: Methods,
}

static CORE: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let table = |tables: &'static [&'static [Native]]| -> Methods {
        let rows = tables.iter().flat_map(|rows| rows.iter());
        rows.filter_map(|native| Some((fixed(native.name)?, native))).collect()
    };
    NATIVE_CLASSES
        .iter()
        .map(|class| Tables { methods: table(class.methods), singleton: table(class.singleton) })
        .collect()
});

fn core(name: &str) -> Option<ClassId> {
    NATIVE_CLASSES.iter().position(|class| class.name == name).map(|at| ClassId(at as u32))
}

/// Adds the core classes to a new interpreter. Their numbers are their places in the list; the singleton classes come after them.
pub(crate) fn declare_core(state: &mut State) {
    for (native, tables) in NATIVE_CLASSES.iter().zip(CORE.iter()) {
        let is_module = native.superclass.is_none() && native.name != "BasicObject";
        let kind = if is_module { ClassKind::Module } else { ClassKind::Class };
        let mut class = Class::new(kind, native.superclass.and_then(core));
        class.name = Some(native.name.into());
        class.includes = native.includes.iter().rev().filter_map(|name| core(name)).collect();
        class.native = Some(&tables.methods);
        state.add_class(class);
    }
    for (number, (native, tables)) in NATIVE_CLASSES.iter().zip(CORE.iter()).enumerate() {
        let id = ClassId(number as u32);
        if !state.class(id).is_module() || !tables.singleton.is_empty() {
            let meta = state.make_singleton_of_class(id);
            state.class_mut(meta).native = Some(&tables.singleton);
        }
        let (namespace, name) = match native.name.rsplit_once("::") {
            Some((above, name)) => (core(above).unwrap_or(ClassId::OBJECT), name),
            None => (ClassId::OBJECT, native.name),
        };
        let name = state.symbols.intern(name);
        state
            .class_mut(namespace)
            .constants
            .insert(name, Constant { value: Value::Class(id), private: false });
    }
}

/// A library that `require` brings.
pub struct Library {
    /// The name under which it is required.
    pub name: &'static str,
    /// Other names for it.
    pub also: &'static [&'static str],
    /// What it consists of.
    pub kind: LibraryKind,
}

/// What a library consists of.
pub enum LibraryKind {
    /// All of it is there from the start.
    BuiltIn,
    /// A function that adds it to an interpreter.
    Native(fn(&mut Ruby<'_>) -> Result<()>),
    /// Ruby code.
    Source(&'static str),
}

/// All libraries.
static LIBRARIES: &[Library] = &[
    built_in("rational"),
    built_in("complex"),
    built_in("thread"),
    built_in("enumerator"),
    built_in("fiber"),
    built_in("etc"),
    built_in("rbconfig"),
    built_in("io/console"),
    built_in("rubygems"),
    built_in("continuation"),
    built_in("monitor"),
];

const fn built_in(name: &'static str) -> Library {
    Library { name, also: &[], kind: LibraryKind::BuiltIn }
}

/// The library of a name.
pub(crate) fn find(feature: &str) -> Option<&'static Library> {
    let name = feature.strip_suffix(".rb").unwrap_or(feature);
    LIBRARIES.iter().find(|library| library.name == name || library.also.contains(&name))
}

/// Adds a library to an interpreter.
pub(crate) fn load(ruby: &mut Ruby<'_>, library: &'static Library) -> Result<()> {
    match library.kind {
        LibraryKind::BuiltIn => Ok(()),
        LibraryKind::Native(add) => add(ruby),
        LibraryKind::Source(source) => {
            match shared(library.name, source) {
                Ok(program) => ruby.run_library(&program),
                Err(problem) => Err(ruby.syntax_error(library.name, &problem)),
            }
        }
    }
}

/// A library in Ruby, read once per process.
fn shared(name: &'static str, source: &'static str) -> std::result::Result<Arc<Program>, SyntaxProblem> {
    static READ: Mutex<Vec<(&'static str, Arc<Program>)>> = Mutex::new(Vec::new());
    let mut read = READ.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, program)) = read.iter().find(|(known, _)| *known == name) {
        return Ok(program.clone());
    }
    let program = crate::lower::parse(source.as_bytes(), &format!("<internal:{name}>"))?;
    read.push((name, program.clone()));
    Ok(program)
}
