//! Questions to PuppetDB: `puppetdb_query`.

use kukla_eval::builtins;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::{Result, Value, richdata};
use kukla_world::answers::{self, Kind};
use kukla_world::codes::NO_PUPPETDB;

builtins! {
    /// PuppetDB's answer to a query, in PQL or as an array: from a store (`--store URL`), or from recorded answers (`--answers DIR`).
    ///
    /// ```puppet
    /// puppetdb_query('nodes { }')    # error: there is no PuppetDB to ask
    /// ```
    "puppetdb_query": ReadsFiles {
        "Variant[String[1], Array[Data, 1]] $query >> Any" => query
    }
}

fn query(vm: &mut Vm<'_>, query: Value) -> Result<Value> {
    let spelling = match &query {
        Value::String(text) => text.to_string(),
        query => richdata::to_json(query)?.to_string(),
    };
    if let Some(answer) = answers::ask(vm.world(), Kind::PuppetDb, &[spelling]) {
        return answer;
    }
    let store = vm.environment().exports.clone();
    match store.and_then(|store| store.query(&query)) {
        Some(answer) => Ok(answer?),
        None => bail!(NO_PUPPETDB { file: "puppetdb.yaml" }),
    }
}
