//! Native classes: how tables become classes of an interpreter, and the libraries that `require` brings.

pub mod digest;
pub mod erb;
pub mod json;
pub mod set;
pub mod sources;
pub mod yaml;

pub mod string_scanner;

use std::sync::{Arc, LazyLock, Mutex};

use rustc_hash::FxHashMap;

use crate::class::{Class, ClassId, ClassKind, Constant, NATIVE_CLASSES, Native};
use crate::lower::SyntaxProblem;
use crate::program::Program;
use crate::ruby::State;
use crate::symbol::{Symbol, fixed};
use crate::value::Value;
use sources::{SOURCES, Source};

type Methods = FxHashMap<Symbol, &'static Native>;

/// A core class as interpreters are given it, with what its names stand for.
struct Tables {
    /// The methods of its instances.
    methods: Methods,
    /// The methods of the class itself.
    singleton: Methods,
    superclass: Option<ClassId>,
    /// The modules it includes, the last one first.
    includes: Vec<ClassId>,
    /// The module that has it as a constant, and the name of that.
    namespace: ClassId,
    constant: &'static str,
}

static CORE: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let table = |tables: &'static [&'static [Native]]| -> Methods {
        let rows = tables.iter().flat_map(|rows| rows.iter());
        rows.filter_map(|native| Some((fixed(native.name)?, native))).collect()
    };
    NATIVE_CLASSES
        .iter()
        .map(|class| {
            let (namespace, constant) = match class.name.rsplit_once("::") {
                Some((above, name)) => (core(above).unwrap_or(ClassId::OBJECT), name),
                None => (ClassId::OBJECT, class.name),
            };
            Tables {
                methods: table(class.methods),
                singleton: table(class.singleton),
                superclass: class.superclass.and_then(core),
                includes: class.includes.iter().rev().filter_map(|name| core(name)).collect(),
                namespace,
                constant,
            }
        })
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
        let mut class = Class::new(kind, tables.superclass);
        class.name = Some(native.name.into());
        class.includes.clone_from(&tables.includes);
        class.native = Some(&tables.methods);
        state.add_class(class);
    }
    for (number, tables) in CORE.iter().enumerate() {
        let id = ClassId(number as u32);
        if !state.class(id).is_module() || !tables.singleton.is_empty() {
            let meta = state.make_singleton_of_class(id);
            state.class_mut(meta).native = Some(&tables.singleton);
        }
        let name = state.symbols.intern(tables.constant);
        let constant = Constant { value: Value::Class(id), private: false };
        state.class_mut(tables.namespace).constants.insert(name, constant);
    }
}

/// Libraries that are there from the start.
const BUILT_IN: &[&str] = &[
    "bigdecimal",
    "complex",
    "continuation",
    "english",
    "English",
    "enumerator",
    "erb",
    "erb/util",
    "fiber",
    "io/console",
    "json",
    "json/ext",
    "monitor",
    "pp",
    "prettyprint",
    "psych",
    "rational",
    "rbconfig",
    "set",
    "strscan",
    "thread",
    "yaml",
];

/// Whether a library is there from the start.
pub(crate) fn is_built_in(feature: &str) -> bool {
    BUILT_IN.contains(&feature)
}

/// The library written in Ruby of a name.
pub(crate) fn find(feature: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|library| library.name == feature || library.also.contains(&feature))
}

/// A library in Ruby.
pub(crate) fn read(library: &'static Source) -> std::result::Result<Arc<Program>, SyntaxProblem> {
    built_in(&format!("<internal:{}>", library.name), library.text)
}

/// The program of a text that is part of this process, read once for all interpreters. Neither the text nor its file can change.
pub fn built_in(file: &str, text: &'static str) -> std::result::Result<Arc<Program>, SyntaxProblem> {
    static READ: Mutex<Vec<(&'static str, Arc<Program>)>> = Mutex::new(Vec::new());
    let mut read = READ.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, program)) = read.iter().find(|(known, _)| std::ptr::eq(*known, text)) {
        return Ok(program.clone());
    }
    let program = crate::lower::parse(text.as_bytes(), file)?;
    read.push((text, program.clone()));
    Ok(program)
}
