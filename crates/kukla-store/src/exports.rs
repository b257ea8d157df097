//! A store as the compiler asks it.

use std::sync::Arc;

use kukla_catalog::{ExportQuery, ExportedResource, Exports, read};
use kukla_values::{Value, richdata};

use crate::{Question, Result, Store};

/// A store that answers collectors and `puppetdb_query`.
#[derive(Clone, Debug)]
pub struct StoreExports(Arc<dyn Store>);

impl StoreExports {
    /// Asks this store.
    pub fn new(store: Arc<dyn Store>) -> StoreExports {
        StoreExports(store)
    }
}

impl Exports for StoreExports {
    fn find(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>> {
        self.0.exported(wanted)
    }

    fn query(&self, query: &Value) -> Option<Result<Value>> {
        let ask = || {
            let question = match query {
                Value::String(text) => Question::pql(text.as_str()),
                query => Question::Ast(richdata::to_json(query).map_err(|wrong| wrong.into_diagnostic())?),
            };
            let rows = self.0.query(&question)?;
            Ok(rows.iter().map(read::data).collect::<Vec<_>>().into())
        };
        Some(ask())
    }
}
