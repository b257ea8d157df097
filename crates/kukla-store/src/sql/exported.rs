//! The exported resources that collectors of one node find.

use std::sync::Arc;

use kukla_catalog::{ExportQuery, ExportedResource};
use kukla_values::Str;

use super::keys::FEW;
use super::lives::ACTIVE;
use super::{Connection, Param, keys, rows};
use crate::Result;

pub fn find(connection: &mut dyn Connection, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>> {
    let places = match &wanted.filter {
        Some(filter) => {
            keys::places(&wanted.type_name, filter, &mut |places| count(connection, &places.sql()))?
        }
        None => None,
    };
    // Keys know the type. If it were asked for as well, a database might begin with all of that type.
    let (among, condition) = match places {
        Some(places) => {
            let places = places.sql();
            let among =
                format!("({places}) AS p JOIN resources r ON r.node = p.node AND r.position = p.position");
            (among, "")
        }
        None => ("resources r".to_owned(), "AND r.type = ?2 AND r.exported = 1"),
    };
    let sql = format!(
        "SELECT r.position, n.certname, r.type, r.title, r.tags, r.file, r.line, r.exported, r.virtual, r.kind, r.parameters, r.sensitive
         FROM {among} JOIN nodes n ON n.id = r.node
         WHERE n.certname <> ?1 AND {ACTIVE} {condition}"
    );
    let mut params: Vec<Param<'_>> = vec![wanted.node.as_str().into()];
    if !condition.is_empty() {
        params.push(wanted.type_name.as_str().into());
    }
    let mut found: Vec<(i64, Arc<ExportedResource>)> = Vec::new();
    let mut node = Str::default();
    connection.rows(&sql, &params, &mut |row| {
        let name = row.text(1).unwrap_or_default();
        if node != name {
            node = name.into();
        }
        let resource = rows::resource(row, 2);
        if wanted.matches(&node, &resource) {
            found.push((
                row.int(0).unwrap_or_default(),
                Arc::new(ExportedResource { node: node.clone(), resource }),
            ));
        }
        Ok(())
    })?;
    // Databases sort text each in its own way.
    found.sort_by(|(a_at, a), (b_at, b)| a.node.cmp(&b.node).then(a_at.cmp(b_at)));
    Ok(found.into_iter().map(|(_, each)| each).collect())
}

/// How many rows a statement gives, as far as that matters.
fn count(connection: &mut dyn Connection, sql: &str) -> Result<usize> {
    let mut found = 0;
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM ({sql}) AS all_of_them LIMIT {FEW}) AS counted");
    connection.rows(&sql, &[], &mut |row| {
        found = row.int(0).and_then(|number| number.try_into().ok()).unwrap_or_default();
        Ok(())
    })?;
    Ok(found)
}
