//! Invariants for every text, however damaged: no reader of text from outside panics, and no program ends the process.
//!
//! A [`Target`] is one such reader. The test `mutations` runs each on its seeds and on mutations of them, the same in every run; the
//! binaries in `fuzz/` hand the same targets to libFuzzer, which looks for new paths by itself.

mod editor;
mod formatter;
mod linter;
mod mutate;
mod program;
mod readers;
mod ruby;
mod seeds;
mod server;

pub use mutate::Mutator;

/// Something that takes any text.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, here and in `fuzz/`.
    pub name: &'static str,
    /// Texts to begin with.
    pub seeds: &'static [&'static str],
    /// Reads a text; a panic is what is looked for.
    pub run: fn(&[u8]),
}

macro_rules! targets {
    ($($name:ident: $module:ident, $seeds:ident;)*) => {
        /// All targets.
        pub static TARGETS: &[Target] = &[
            $(Target { name: stringify!($name), seeds: seeds::$seeds, run: $module::$name }),*
        ];
    };
}

targets! {
    parse: readers, PROGRAMS;
    format: formatter, PROGRAMS;
    lint: linter, PROGRAMS;
    pn: readers, NOTATIONS;
    yaml: readers, YAML;
    json: readers, JSON;
    hocon: readers, HOCON;
    eyaml: readers, EYAML;
    regexp: readers, PATTERNS;
    sprintf: readers, FORMATS;
    strftime: readers, TIME_FORMATS;
    semver: readers, VERSIONS;
    uri: readers, ADDRESSES;
    timespan: readers, SPANS;
    types: readers, TYPES;
    rpc: readers, REQUESTS;
    lsp: editor, SESSIONS;
    facts: readers, FACTS;
    catalog: readers, CATALOGS;
    resource_type: readers, RESOURCE_TYPES;
    hiera: readers, HIERARCHIES;
    program: program, PROGRAMS;
    generated: program, NUMBERS;
    ruby: ruby, RUBY;
    ruby_generated: ruby, NUMBERS;
    erb: ruby, ERB;
    certificate_request: server, CERTIFICATE_REQUESTS;
    certificate: server, CERTIFICATES;
    call: server, CALLS;
    rules: server, RULES;
}

/// The target of a name.
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    *found.unwrap_or_else(|| panic!("there is no target {name}"))
}
