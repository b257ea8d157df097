//! The facts of the machine at hand: what it is, what modules find out about it in Ruby, and what files say of it.
//!
//! Facts of Kukla's own come from the files in which the kernel tells of itself and from a few commands of the system (`machine.rs`).
//! Modules add theirs in Ruby (`custom.rs`, with Facter's part played by `facter.rb`) and as files (`external.rs`).

mod codes;
mod custom;
mod external;
mod hardware;
mod legacy;
mod machine;
mod networking;
mod sets;
mod ssh;
mod system;
mod units;
mod virtualization;

use std::path::PathBuf;

use kukla_values::{Hash, Value};
use kukla_world::World;

pub use codes::CODES;
pub use custom::FACTER;
use machine::{Fields, Machine};
pub use sets::FactSet;

/// The version of Facter whose facts these are like.
pub const VERSION: &str = "4.3.0";

/// The sources of facts besides the machine itself.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Whether facts get the names they had before they were structured, too.
    pub legacy: bool,
    /// Directories of Ruby files that add facts.
    pub custom: Vec<PathBuf>,
    /// Directories in which `require` searches.
    pub libraries: Vec<PathBuf>,
    /// Directories of external facts.
    pub external: Vec<PathBuf>,
}

/// The facts, and what kept some of them from being found.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// All facts, by name.
    pub facts: Hash,
    /// The failures, a sentence each.
    pub problems: Vec<String>,
}

/// Finds out everything.
///
/// `world` is the machine; `guarded` is the same behind a policy, which is all that the code of others gets to see.
pub fn gather(world: &dyn World, guarded: &dyn World, sources: &Sources) -> Gathered {
    let machine = Machine::new(world);
    let mut facts = core(&machine);
    // Facts in Ruby may ask for any name, old ones as well; who wants the facts may not.
    let mut old = Fields::default();
    legacy::add(&mut old, &facts);
    let old = old.into_hash();
    let mut problems = Vec::new();
    let external = external::read(guarded, &sources.external, &mut problems);
    let mut known = old.clone();
    for (name, value) in facts.iter().chain(external.iter()) {
        known.insert(name.clone(), value.clone());
    }
    let custom = custom::evaluate(guarded, sources, &known, &mut problems);
    let added = if sources.legacy { old } else { Hash::new() };
    for (name, value) in added.iter().chain(external.iter()).chain(custom.iter()) {
        facts.insert(name.clone(), value.clone());
    }
    Gathered { facts: sorted(&facts), problems }
}

fn core(machine: &Machine<'_>) -> Hash {
    let mut facts = Fields::default();
    system::add(machine, &mut facts);
    hardware::add(machine, &mut facts);
    networking::add(machine, &mut facts);
    virtualization::add(machine, &mut facts);
    ssh::add(machine, &mut facts);
    sorted(&facts.into_hash())
}

/// The names that facts had before they were structured, and where their values are now.
pub fn legacy_names() -> &'static [(&'static str, &'static str)] {
    legacy::NAMES
}

/// The value of a dotted name: `os.release.major`, or of a fact that has dots in its name.
pub fn dig(facts: &Hash, path: &str) -> Option<Value> {
    if let Some(value) = facts.get(path) {
        return Some(value.clone());
    }
    let (first, rest) = path.split_once('.')?;
    step(facts.get(first)?, rest)
}

fn step(value: &Value, path: &str) -> Option<Value> {
    match value {
        Value::Hash(entries) => dig(entries, path),
        Value::Array(elements) => {
            let (index, rest) =
                path.split_once('.').map_or((path, None), |(index, rest)| (index, Some(rest)));
            let element = elements.get(index.parse::<usize>().ok()?)?;
            rest.map_or_else(|| Some(element.clone()), |rest| step(element, rest))
        }
        _ => None,
    }
}

/// Facts are shown by name, at every level.
fn sorted(facts: &Hash) -> Hash {
    let inside = |value: &Value| match value {
        Value::Hash(entries) => Value::Hash(sorted(entries)),
        other => other.clone(),
    };
    let mut entries: Vec<(Value, Value)> =
        facts.iter().map(|(name, value)| (name.clone(), inside(value))).collect();
    entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
    entries.into_iter().collect()
}
