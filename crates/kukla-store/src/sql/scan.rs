//! Rows of what queries ask for, from the tables.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use kukla_catalog::Catalog;
use kukla_syntax::bail;
use kukla_values::shown::redact_json;
use serde_json::{Map, Value as Json, json};
use sha1::{Digest, Sha1};

use super::write::hex;
use super::{Connection, Param, Row, read, rows};
use crate::codes::STORE_FAILED;
use crate::edges;
use crate::query::{Column, Entity, Narrow, Tables as Asked};
use crate::{Result, Timestamp};

/// The tables of a database.
pub struct Tables<'c>(pub &'c mut dyn Connection);

/// A visitor of the rows of a scan.
type Visit<'v> = &'v mut dyn FnMut(&[Json]) -> ControlFlow<()>;

impl Asked for Tables<'_> {
    fn scan(
        &mut self,
        entity: &'static Entity,
        narrow: &Narrow,
        columns: &[Column],
        visit: &mut dyn FnMut(&[Json]) -> ControlFlow<()>,
    ) -> Result<()> {
        let scan = Scan { narrow, columns };
        match entity.name {
            "nodes" => scan.nodes(self.0, visit),
            "facts" => scan.facts(self.0, visit),
            "fact_contents" => scan.fact_contents(self.0, visit),
            "fact_names" => {
                scan.names(self.0, "SELECT DISTINCT f.name FROM facts f JOIN nodes n ON n.id = f.node", visit)
            }
            "factsets" | "inventory" => scan.factsets(self.0, visit),
            "resources" => scan.resources(self.0, visit),
            "catalogs" => scan.catalogs(self.0, visit),
            "edges" => scan.edges(self.0, visit),
            "reports" => scan.reports(self.0, visit),
            "events" => scan.events(self.0, visit),
            _ => {
                let sql = "SELECT DISTINCT c.environment FROM (SELECT node, environment FROM catalogs UNION
                     SELECT node, environment FROM factsets UNION SELECT node, environment FROM reports) c
                   JOIN nodes n ON n.id = c.node";
                scan.names(self.0, sql, visit)
            }
        }
    }
}

/// One search.
struct Scan<'q> {
    narrow: &'q Narrow,
    columns: &'q [Column],
}

/// The last report of a node.
const LATEST: &str =
    "r.hash = (SELECT l.hash FROM reports l WHERE l.node = r.node ORDER BY l.end_time DESC, l.hash LIMIT 1)";

/// With more values than this, a list of them is not quicker than the whole table.
const VALUES: usize = 500;

impl Scan<'_> {
    fn asks(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Runs a statement with what narrows it, given the expressions of SQL for columns that can. Rows of one node stand together.
    fn run(
        &self,
        connection: &mut dyn Connection,
        select: &str,
        narrowed: &[(&str, &str)],
        order: &str,
        each: super::Visit<'_>,
    ) -> Result<()> {
        let mut params: Vec<Param<'_>> = Vec::new();
        let mut sql = format!("{select} WHERE {}", self.state());
        for (column, expression) in narrowed {
            let Some(values) = self.narrow.texts(column).filter(|values| values.len() <= VALUES) else {
                continue;
            };
            let places: Vec<String> = values
                .iter()
                .map(|value| {
                    params.push((*value).into());
                    format!("?{}", params.len())
                })
                .collect();
            sql += &match places.is_empty() {
                true => " AND 1 = 0".to_owned(),
                false => format!(" AND {expression} IN ({})", places.join(", ")),
            };
        }
        let owned: Vec<Param<'_>> = params;
        connection.rows(&format!("{sql} ORDER BY {order}"), &owned, each)
    }

    fn state(&self) -> &'static str {
        match self.narrow.node_state.as_deref() {
            Some("any") => "1 = 1",
            Some("inactive") => "(n.deactivated IS NOT NULL OR n.expired IS NOT NULL)",
            _ => super::lives::ACTIVE,
        }
    }

    /// The values of a row by the names of columns.
    fn row(&self, value: &dyn Fn(&str) -> Json) -> Vec<Json> {
        self.columns.iter().map(|column| value(column.name)).collect()
    }

    fn nodes(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        let select = format!(
            "SELECT n.certname, n.deactivated, n.expired, f.timestamp, c.timestamp, r.end_time, f.environment, c.environment,
                    r.environment, r.hash, r.status, {}
             FROM nodes n LEFT JOIN factsets f ON f.node = n.id LEFT JOIN catalogs c ON c.node = n.id
             LEFT JOIN reports r ON r.node = n.id AND {LATEST}",
            self.document(&["latest_report_", "cached_catalog_status"])
        );
        each_until(visit, |visit| {
            self.run(connection, &select, &[("certname", "n.certname")], "n.certname", &mut |row| {
                let report = document(row, 11);
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "deactivated" => time(row, 1),
                    "expired" => time(row, 2),
                    "facts_timestamp" => time(row, 3),
                    "catalog_timestamp" => time(row, 4),
                    "report_timestamp" => time(row, 5),
                    "facts_environment" => text(row, 6),
                    "catalog_environment" => text(row, 7),
                    "report_environment" => text(row, 8),
                    "latest_report_hash" => text(row, 9),
                    "latest_report_status" => text(row, 10),
                    name => report[name.trim_start_matches("latest_report_")].clone(),
                }))
            })
        })
    }

    /// The document of a report, if a column that is asked for begins like one of these.
    fn document(&self, starts: &[&str]) -> &'static str {
        let is_asked = |column: &Column| starts.iter().any(|start| column.name.starts_with(start));
        if self.columns.iter().any(is_asked) { "r.document" } else { "NULL" }
    }

    fn facts(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        each_until(visit, |visit| {
            self.each_fact(connection, &mut |row| {
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "environment" => text(row, 1),
                    "name" => text(row, 2),
                    _ => document(row, 3),
                }))
            })
        })
    }

    fn each_fact(&self, connection: &mut dyn Connection, each: super::Visit<'_>) -> Result<()> {
        let select = "SELECT n.certname, s.environment, f.name, f.value
            FROM facts f JOIN factsets s ON s.node = f.node JOIN nodes n ON n.id = f.node";
        self.run(
            connection,
            select,
            &[("certname", "n.certname"), ("name", "f.name")],
            "n.certname, f.name",
            each,
        )
    }

    /// Each simple value within the facts, with the path that leads to it. The name is that of the fact.
    fn fact_contents(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        each_until(visit, |visit| {
            self.each_fact(connection, &mut |row| {
                let value = document(row, 3);
                let mut leaves = Vec::new();
                gather(&value, &mut vec![text(row, 2)], &mut leaves);
                leaves.into_iter().try_for_each(|(path, value)| {
                    visit(&self.row(&|name| match name {
                        "certname" => text(row, 0),
                        "environment" => text(row, 1),
                        "path" => path.clone().into(),
                        "name" => text(row, 2),
                        _ => value.clone(),
                    }))
                })
            })
        })
    }

    fn names(&self, connection: &mut dyn Connection, select: &str, visit: Visit<'_>) -> Result<()> {
        each_until(visit, |visit| {
            self.run(connection, select, &[], "1", &mut |row| visit(&self.row(&|_| text(row, 0))))
        })
    }

    fn factsets(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        let mut facts: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
        if self.asks("facts") || self.asks("trusted") {
            self.each_fact(connection, &mut |row| {
                let of_node = facts.entry(row.owned(0).unwrap_or_default()).or_default();
                of_node.insert(row.owned(2).unwrap_or_default(), document(row, 3));
                Ok(())
            })?;
        }
        let select = "SELECT n.certname, f.environment, f.timestamp, f.producer_timestamp, f.producer
            FROM factsets f JOIN nodes n ON n.id = f.node";
        each_until(visit, |visit| {
            self.run(connection, select, &[("certname", "n.certname")], "n.certname", &mut |row| {
                let of_node = facts.remove(row.text(0).unwrap_or_default()).unwrap_or_default();
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "environment" => text(row, 1),
                    "timestamp" => time(row, 2),
                    "producer_timestamp" => time(row, 3),
                    "producer" => text(row, 4),
                    "trusted" => of_node.get("trusted").cloned().unwrap_or_default(),
                    _ => Json::Object(of_node.clone()),
                }))
            })
        })
    }

    fn resources(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        let select = "SELECT n.certname, c.environment, r.type, r.title, r.tags, r.exported, r.file, r.line, r.parameters, r.sensitive
            FROM resources r JOIN nodes n ON n.id = r.node JOIN catalogs c ON c.node = r.node";
        let narrowed = [
            ("certname", "n.certname"),
            ("type", "r.type"),
            ("title", "r.title"),
            ("environment", "c.environment"),
        ];
        each_until(visit, |visit| {
            self.run(connection, select, &narrowed, "n.certname, r.position", &mut |row| {
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "environment" => text(row, 1),
                    "type" => text(row, 2),
                    "title" => text(row, 3),
                    "tags" => document(row, 4),
                    "exported" => row.flag(5).into(),
                    "file" => text(row, 6),
                    "line" => number(row, 7),
                    "resource" => identity(row).into(),
                    _ => parameters(row),
                }))
            })
        })
    }

    fn catalogs(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        let mut resources: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        if self.asks("resources") {
            let select = "SELECT n.certname, NULL, r.type, r.title, r.tags, r.exported, r.file, r.line, r.parameters, r.sensitive
                FROM resources r JOIN nodes n ON n.id = r.node";
            self.run(connection, select, &[("certname", "n.certname")], "n.certname, r.position", &mut |row| {
                let resource = json!({
                    "resource": identity(row), "type": text(row, 2), "title": text(row, 3), "tags": document(row, 4),
                    "exported": row.flag(5), "file": text(row, 6), "line": number(row, 7),
                    "parameters": parameters(row),
                });
                resources.entry(row.owned(0).unwrap_or_default()).or_default().push(resource);
                Ok(())
            })?;
        }
        let mut related = if self.asks("edges") { self.related(connection)? } else { BTreeMap::new() };
        let select = "SELECT n.certname, c.version, c.environment, c.hash, c.transaction_uuid, c.uuid, c.code_id, c.producer,
                c.producer_timestamp FROM catalogs c JOIN nodes n ON n.id = c.node";
        each_until(visit, |visit| {
            self.run(connection, select, &[("certname", "n.certname")], "n.certname", &mut |row| {
                let node = row.text(0).unwrap_or_default();
                let (own, related) =
                    (resources.remove(node).unwrap_or_default(), related.remove(node).unwrap_or_default());
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "version" => match document(row, 1) {
                        Json::String(version) => version.into(),
                        other => other.to_string().into(),
                    },
                    "environment" => text(row, 2),
                    "hash" => text(row, 3),
                    "transaction_uuid" => text(row, 4),
                    "catalog_uuid" => text(row, 5),
                    "code_id" => text(row, 6),
                    "producer" => text(row, 7),
                    "producer_timestamp" => time(row, 8),
                    "resources" => json!({"data": own}),
                    _ => json!({"data": related}),
                }))
            })
        })
    }

    fn edges(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        let mut related = self.related(connection)?;
        let select = "SELECT n.certname FROM catalogs c JOIN nodes n ON n.id = c.node";
        each_until(visit, |visit| {
            self.run(connection, select, &[("certname", "n.certname")], "n.certname", &mut |row| {
                let own = related.remove(row.text(0).unwrap_or_default()).unwrap_or_default();
                own.into_iter().try_for_each(|edge| {
                    visit(&self.row(&|name| match name {
                        "certname" => text(row, 0),
                        name => edge[name].clone(),
                    }))
                })
            })
        })
    }

    /// The edges between resources, by the names of nodes.
    fn related(&self, connection: &mut dyn Connection) -> Result<BTreeMap<String, Vec<Json>>> {
        let narrowed = [("certname", "n.certname")];
        let mut catalogs: BTreeMap<String, Catalog> = BTreeMap::new();
        let select = "SELECT n.certname, c.edges FROM catalogs c JOIN nodes n ON n.id = c.node";
        self.run(connection, select, &narrowed, "n.certname", &mut |row| {
            let catalog = Catalog { edges: read::edges(row.text(1)), ..Catalog::default() };
            catalogs.insert(row.owned(0).unwrap_or_default(), catalog);
            Ok(())
        })?;
        let columns = rows::RESOURCE.map(|column| format!("r.{column}")).join(", ");
        let select =
            format!("SELECT n.certname, {columns}, NULL FROM resources r JOIN nodes n ON n.id = r.node");
        self.run(connection, &select, &narrowed, "n.certname, r.position", &mut |row| {
            if let Some(catalog) = catalogs.get_mut(row.text(0).unwrap_or_default()) {
                catalog.resources.push(rows::resource(row, 1));
            }
            Ok(())
        })?;
        let to_json = |edge: &edges::ResourceEdge<'_>| {
            json!({
                "relationship": edge.relationship,
                "source_type": edge.source.type_name.as_str(), "source_title": edge.source.title.as_str(),
                "target_type": edge.target.type_name.as_str(), "target_title": edge.target.title.as_str(),
            })
        };
        let all = catalogs
            .into_iter()
            .map(|(node, catalog)| (node, edges::of(&catalog).iter().map(to_json).collect()));
        Ok(all.collect())
    }

    fn each_report(&self, connection: &mut dyn Connection, each: super::Visit<'_>) -> Result<()> {
        let select = format!(
            "SELECT n.certname, r.hash, r.receive_time, r.document, CASE WHEN {LATEST} THEN 1 ELSE 0 END
             FROM reports r JOIN nodes n ON n.id = r.node"
        );
        let narrowed = [("certname", "n.certname"), ("hash", "r.hash"), ("report", "r.hash")];
        self.run(connection, &select, &narrowed, "n.certname, r.end_time, r.hash", each)
    }

    fn reports(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        each_until(visit, |visit| {
            self.each_report(connection, &mut |row| {
                let report = document(row, 3);
                visit(&self.row(&|name| match name {
                    "certname" => text(row, 0),
                    "hash" => text(row, 1),
                    "receive_time" => time(row, 2),
                    "latest_report?" => row.flag(4).into(),
                    "logs" | "metrics" | "resources" => json!({"data": report[name]}),
                    name => report[name].clone(),
                }))
            })
        })
    }

    fn events(&self, connection: &mut dyn Connection, visit: Visit<'_>) -> Result<()> {
        each_until(visit, |visit| {
            self.each_report(connection, &mut |row| {
                let report = document(row, 3);
                let resources = report["resources"].as_array().into_iter().flatten();
                let events = resources.flat_map(|resource| {
                    let own = resource["events"].as_array().into_iter().flatten();
                    own.map(move |event| (resource, event))
                });
                events.into_iter().try_for_each(|(resource, event)| {
                    visit(&self.row(&|name| match name {
                        "certname" => text(row, 0),
                        "report" => text(row, 1),
                        "environment" => report["environment"].clone(),
                        "latest_report?" => row.flag(4).into(),
                        "resource_type" | "resource_title" | "file" | "line" | "containment_path" => {
                            resource[name].clone()
                        }
                        name => event[name].clone(),
                    }))
                })
            })
        })
    }
}

/// Visits rows until there are enough.
fn each_until(
    visit: Visit<'_>,
    run: impl FnOnce(&mut dyn FnMut(&[Json]) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut is_enough = false;
    let done = run(&mut |row| {
        is_enough = visit(row).is_break();
        // What ends a search before its end looks like an error to those in between.
        if is_enough { bail!(STORE_FAILED { url: "", problem: "there is enough" }) } else { Ok(()) }
    });
    if is_enough { Ok(()) } else { done }
}

fn text(row: &dyn Row, column: usize) -> Json {
    row.text(column).into()
}

fn number(row: &dyn Row, column: usize) -> Json {
    row.int(column).into()
}

fn time(row: &dyn Row, column: usize) -> Json {
    row.int(column).map(|time| Timestamp(time).to_string()).into()
}

fn document(row: &dyn Row, column: usize) -> Json {
    row.text(column).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// The parameters of a resource for queries; columns as in the statement of `resources`. Sensitive ones are left out, as in PuppetDB,
/// and secrets in others are redacted, before any condition can compare them.
fn parameters(row: &dyn Row) -> Json {
    let mut parameters = document(row, 8);
    if let (Json::Object(parameters), Json::Array(secrets)) = (&mut parameters, document(row, 9)) {
        for secret in secrets.iter().filter_map(Json::as_str) {
            parameters.shift_remove(secret);
        }
    }
    redact_json(&mut parameters);
    parameters
}

/// The identity of a resource: all that distinguishes it from similar ones; columns as in the statement of `resources`.
fn identity(row: &dyn Row) -> String {
    let mut digest = Sha1::new();
    let mut absorb = |text: &str| {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    };
    for column in [2, 3, 4, 6] {
        absorb(row.text(column).unwrap_or_default());
    }
    // A digest of secrets would let others test guesses.
    absorb(&parameters(row).to_string());
    digest.update(row.int(7).unwrap_or_default().to_be_bytes());
    hex(&digest.finalize())
}

/// The simple values within a value.
fn gather(value: &Json, path: &mut Vec<Json>, leaves: &mut Vec<(Vec<Json>, Json)>) {
    let mut step = |key: Json, inner: &Json| {
        path.push(key);
        kukla_syntax::deep(|| gather(inner, path, leaves));
        path.pop();
    };
    match value {
        Json::Object(entries) => entries.iter().for_each(|(key, inner)| step(key.as_str().into(), inner)),
        Json::Array(values) => values.iter().enumerate().for_each(|(at, inner)| step(at.into(), inner)),
        value => leaves.push((path.clone(), value.clone())),
    }
}
