//! Every built-in function by name, and what a call can lead to.

use std::sync::{Arc, OnceLock};

use kukla_values::{Name, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Flow;
use crate::function::{Builtin, Quality};
use crate::lambda::Block;
use crate::program::PuppetFunction;
use crate::signature::{Signature, Signatures};
use crate::unit::Defined;
use crate::vm::Vm;

/// A function that can be called.
#[derive(Clone, Debug)]
pub enum Function {
    /// A built-in one.
    Builtin(&'static Registered),
    /// One written in Puppet.
    Puppet(Arc<Defined<PuppetFunction>>),
    /// One of another language, such as Ruby.
    Foreign(Arc<dyn ForeignFunction>),
}

/// A function of another language.
pub trait ForeignFunction: Send + Sync + std::fmt::Debug {
    /// Its name in Puppet.
    fn name(&self) -> &str;
    /// Calls it; it checks its arguments itself.
    fn call(&self, vm: &mut Vm<'_>, args: Vec<Value>, block: Option<Block>) -> Flow;
}

/// A built-in function and its signatures, read when first called.
#[derive(Debug)]
pub struct Registered {
    /// The declaration.
    pub builtin: &'static Builtin,
    /// Where it comes from.
    pub origin: FunctionOrigin,
    /// Whether it is a [`Quality::RunsCode`], which every call asks.
    pub(crate) runs_code: bool,
    /// Its signatures, or why they cannot be read.
    pub(crate) signatures: OnceLock<kukla_values::Result<Signatures>>,
    /// Its signatures for tools, or why they cannot be read.
    pub(crate) tools: OnceLock<kukla_values::Result<Vec<Signature>>>,
}

/// Where a built-in function comes from, which decides when it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOrigin {
    /// Puppet ships it.
    Core,
    /// It comes with what is installed beside Puppet, such as PuppetDB; a module's own of that name, in Ruby as well, is preferred.
    Beside,
    /// It is one of puppetlabs-stdlib's.
    Stdlib,
    /// It was one of puppetlabs-stdlib's before version 9, and is there only with such a version; if the newer one has another of that
    /// name, it takes that one's place.
    FormerStdlib,
    /// A function as version 9 of puppetlabs-stdlib has it; it replaces the other one with such a version.
    LaterStdlib,
}

impl FunctionOrigin {
    /// Whether it is a function of puppetlabs-stdlib.
    pub fn is_stdlib(self) -> bool {
        matches!(self, Self::Stdlib | Self::FormerStdlib | Self::LaterStdlib)
    }
}

/// Functions of one origin.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Where they come from.
    pub origin: FunctionOrigin,
    /// The functions, file by file.
    pub tables: &'static [&'static [Builtin]],
    /// The Ruby files whose place they take, by the function's name, each with its [`fingerprint`].
    pub originals: &'static [(&'static str, u64)],
}

/// The identity of a Ruby program, independent of comments and indentation.
pub fn fingerprint(text: &[u8]) -> u64 {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let telling = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    // FNV-1a: it has to be the same everywhere and forever, and nobody gains anything by deceiving it.
    telling
        .flat_map(|line| line.iter().chain(b"\n"))
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The built-in functions.
#[derive(Debug, Default)]
pub struct Registry {
    functions: FxHashMap<Name, &'static Registered>,
    former: FxHashMap<Name, &'static Registered>,
    later: FxHashMap<Name, &'static Registered>,
    originals: FxHashSet<(&'static str, u64)>,
}

impl Registry {
    /// A registry of these functions; of two with one name the first counts. It lives as long as the process; make one and
    /// share it.
    pub fn new(libraries: &[Library]) -> Registry {
        let mut registry = Registry::default();
        for library in libraries {
            let origin = library.origin;
            registry.originals.extend(library.originals);
            for builtin in library.tables.iter().flat_map(|table| table.iter()) {
                let name = Name::new(builtin.name);
                let table = match origin {
                    FunctionOrigin::LaterStdlib => &mut registry.later,
                    FunctionOrigin::FormerStdlib if registry.functions.contains_key(&name) => {
                        &mut registry.former
                    }
                    _ => &mut registry.functions,
                };
                table.entry(name).or_insert_with(|| -> &'static Registered {
                    let runs_code = builtin.is(Quality::RunsCode);
                    Box::leak(Box::new(Registered {
                        builtin,
                        origin,
                        runs_code,
                        signatures: OnceLock::new(),
                        tools: OnceLock::new(),
                    }))
                });
            }
        }
        registry
    }

    /// The function of that name.
    pub fn get(&self, name: Name) -> Option<&'static Registered> {
        self.functions.get(&name).copied()
    }

    /// The function of a name in a major version of puppetlabs-stdlib, if that version has its own.
    pub fn in_stdlib(&self, name: Name, major: u32) -> Option<&'static Registered> {
        let table = if major < 9 { &self.former } else { &self.later };
        table.get(&name).copied()
    }

    /// Whether a built-in function does what this Ruby file does.
    pub fn takes_the_place_of(&self, name: &'static str, text: &[u8]) -> bool {
        self.originals.contains(&(name, fingerprint(text)))
    }

    /// All functions, in no particular order; several may have one name, for different versions of puppetlabs-stdlib.
    pub fn all(&self) -> impl Iterator<Item = &'static Registered> {
        [&self.functions, &self.former, &self.later].into_iter().flat_map(|table| table.values().copied())
    }

    /// Whether the built-in function of that name has a quality.
    pub fn is(&self, name: &str, quality: Quality) -> bool {
        let found = Name::existing(name).and_then(|name| self.get(name));
        found.is_some_and(|function| function.builtin.is(quality))
    }

    /// The names of all functions, sorted.
    pub fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.functions.keys().copied().collect();
        names.sort_unstable();
        names
    }
}
