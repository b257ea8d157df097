//! The facts and the catalog of one node.

use kukla_catalog::{Catalog, Edge};
use kukla_values::{Hash, Str};

use super::{Connection, rows};
use crate::Result;

pub fn facts(connection: &mut dyn Connection, node: &str) -> Result<Option<Hash>> {
    let mut is_there = false;
    let sql = "SELECT 1 FROM factsets s JOIN nodes n ON n.id = s.node WHERE n.certname = ?1";
    connection.rows(sql, &[node.into()], &mut |_| {
        is_there = true;
        Ok(())
    })?;
    if !is_there {
        return Ok(None);
    }
    let mut facts: Vec<(String, kukla_values::Value)> = Vec::new();
    let sql = "SELECT f.name, f.value FROM facts f JOIN nodes n ON n.id = f.node WHERE n.certname = ?1";
    connection.rows(sql, &[node.into()], &mut |row| {
        facts.push((row.owned(0).unwrap_or_default(), rows::data(row.text(1))));
        Ok(())
    })?;
    facts.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Some(facts.into_iter().map(|(name, value)| (Str::from(name), value)).collect()))
}

pub fn catalog(connection: &mut dyn Connection, node: &str) -> Result<Option<Catalog>> {
    let mut found = None;
    let sql = "SELECT c.environment, c.version, c.uuid, c.code_id, c.tags, c.classes, c.edges
               FROM catalogs c JOIN nodes n ON n.id = c.node WHERE n.certname = ?1";
    connection.rows(sql, &[node.into()], &mut |row| {
        found = Some(Catalog {
            name: node.into(),
            environment: row.text(0).unwrap_or_default().into(),
            version: rows::data(row.text(1)),
            uuid: row.text(2).map(Str::from),
            code_id: row.text(3).map(Str::from),
            tags: rows::texts(row.text(4)),
            classes: rows::texts(row.text(5)),
            edges: edges(row.text(6)),
            ..Catalog::default()
        });
        Ok(())
    })?;
    let Some(mut catalog) = found else { return Ok(None) };
    let columns = rows::RESOURCE.map(|column| format!("r.{column}")).join(", ");
    let sql = format!(
        "SELECT {columns}, r.sensitive FROM resources r JOIN nodes n ON n.id = r.node
         WHERE n.certname = ?1 ORDER BY r.position"
    );
    connection.rows(&sql, &[node.into()], &mut |row| {
        catalog.resources.push(rows::resource(row, 0));
        Ok(())
    })?;
    Ok(Some(catalog))
}

/// Which resource contains which, by their positions.
pub fn edges(text: Option<&str>) -> Vec<Edge> {
    let pairs: Vec<[u32; 2]> = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    pairs.into_iter().map(|[source, target]| Edge { source, target }).collect()
}
