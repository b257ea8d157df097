//! What collectors of one node find among what others export.

use std::sync::Arc;

use kukla_catalog::{Exported, Wanted};
use kukla_values::Str;

use super::lives::ACTIVE;
use super::{Connection, keys, rows};
use crate::Result;

pub fn find(connection: &mut dyn Connection, wanted: &Wanted) -> Result<Vec<Arc<Exported>>> {
    let places = wanted.filter.as_ref().and_then(|filter| keys::places(&wanted.type_name, filter));
    let among = match places {
        Some(places) => {
            format!("({}) AS p JOIN resources r ON r.node = p.node AND r.position = p.position", places.sql())
        }
        None => "resources r".to_owned(),
    };
    let sql = format!(
        "SELECT r.position, n.certname, r.type, r.title, r.tags, r.file, r.line, r.exported, r.virtual, r.kind, r.parameters, r.sensitive
         FROM {among} JOIN nodes n ON n.id = r.node
         WHERE r.type = ?1 AND r.exported = 1 AND n.certname <> ?2 AND {ACTIVE}"
    );
    let mut found: Vec<(i64, Arc<Exported>)> = Vec::new();
    let mut node = Str::default();
    connection.rows(&sql, &[wanted.type_name.as_str().into(), wanted.node.as_str().into()], &mut |row| {
        let name = row.text(1).unwrap_or_default();
        if node != name {
            node = name.into();
        }
        let resource = rows::resource(row, 2);
        if wanted.takes(&node, &resource) {
            found.push((row.int(0).unwrap_or_default(), Arc::new(Exported { node: node.clone(), resource })));
        }
        Ok(())
    })?;
    // Databases sort text each in its own way.
    found.sort_by(|(a_at, a), (b_at, b)| a.node.cmp(&b.node).then(a_at.cmp(b_at)));
    Ok(found.into_iter().map(|(_, each)| each).collect())
}
