//! The built-in fact sets, as `on_supported_os` and lookups in facterdb give them.

use kukla::extensions::guest;
use kukla_facts::FactSet;
use kukla_ruby::{Result, Ruby, Value};

/// The node that the facts of sets are about.
const NODE: &str = "foo.example.com";

/// All sets, each with its name, the name of the system, its release, the major release and the hardware.
pub fn list(ruby: &mut Ruby<'_>) -> Result {
    let sets = FactSet::all().map(|set| {
        let facts = set.structured_facts(NODE);
        let part = |path: &str| match kukla_facts::dig(&facts, path) {
            Some(value) => Value::from(kukla::values::format::to_s(&value).as_str()),
            None => Value::Nil,
        };
        Value::array(vec![
            Value::from(set.name()),
            part("os.name"),
            part("os.release.full"),
            part("os.release.major"),
            part("os.hardware"),
        ])
    });
    let sets: Vec<Value> = sets.collect();
    ruby.charge(sets.len() as u64)?;
    Ok(Value::array(sets))
}

/// The facts of a set, with names that are text, as facterdb has them: without those that have another name today.
pub fn one(ruby: &mut Ruby<'_>, name: &Value) -> Result {
    let name = ruby.display(name)?.to_str_lossy().into_owned();
    match FactSet::named(&name) {
        Some(set) => {
            let facts = guest::to_ruby(ruby, &kukla::values::Value::Hash(set.structured_facts(NODE)));
            guest::forget_collections(ruby);
            facts
        }
        None => Ok(Value::Nil),
    }
}
