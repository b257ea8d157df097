//! Questions to PuppetDB: `puppetdb_query`.

use kukla_eval::builtins;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::{Result, Value, richdata};
use kukla_world::answers::{self, Kind};
use kukla_world::codes::NO_PUPPETDB;

builtins! {
    /// What PuppetDB answers to a query, in PQL or as an array. Only recorded answers are known (`--answers DIR`).
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
    match answers::ask(vm.world(), Kind::PuppetDb, &[spelling]) {
        Some(answer) => answer,
        None => bail!(NO_PUPPETDB { file: "puppetdb.yaml" }),
    }
}
