//! The built-in fact sets, as `on_supported_os` and lookups in facterdb give them.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use kukla::extensions::guest;
use kukla::values::Hash;
use kukla_facts::FactSet;
use kukla_ruby::{Result, Ruby, Value};

/// The node that the facts of sets are about.
const NODE: &str = "foo.example.com";

/// The facts by which sets are chosen.
const DISTINCTIONS: [&str; 4] = ["os.name", "os.release.full", "os.release.major", "os.hardware"];

/// The name of each set and the facts by which it is chosen, found out once for all files.
static SETS: LazyLock<Vec<(String, [Option<String>; 4])>> = LazyLock::new(|| {
    let read = |set: FactSet| {
        let facts = set.structured_facts(NODE);
        let fact = |path| {
            kukla_facts::dig(&facts, path).map(|value| kukla::values::format::to_s(&value).to_string())
        };
        (set.name(), DISTINCTIONS.map(fact))
    };
    FactSet::all().map(read).collect()
});

/// The facts of the sets that were asked for.
static FACTS: LazyLock<Mutex<HashMap<String, Hash>>> = LazyLock::new(Mutex::default);

/// All sets, each with its name, the name of the system, its release, the major release and the hardware.
pub fn list(ruby: &mut Ruby<'_>) -> Result {
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Nil, Value::from);
    let row = |(name, facts): &(String, [Option<String>; 4])| {
        Value::array(
            std::iter::once(Value::from(name.as_str())).chain(facts.iter().map(text)).collect::<Vec<_>>(),
        )
    };
    let sets: Vec<Value> = SETS.iter().map(row).collect();
    ruby.charge(sets.len() as u64)?;
    Ok(Value::array(sets))
}

/// The facts of a set, with names that are text, as facterdb has them: without those that have another name today.
pub fn one(ruby: &mut Ruby<'_>, name: &Value) -> Result {
    let name = ruby.display(name)?.to_str_lossy().into_owned();
    match FactSet::named(&name) {
        Some(set) => {
            let known = || FACTS.lock().unwrap_or_else(PoisonError::into_inner);
            let found = known().get(&set.name()).cloned();
            let facts = found.unwrap_or_else(|| {
                let facts = set.structured_facts(NODE);
                known().insert(set.name(), facts.clone());
                facts
            });
            let facts = guest::to_ruby(ruby, &kukla::values::Value::Hash(facts));
            guest::forget_collections(ruby);
            facts
        }
        None => Ok(Value::Nil),
    }
}
