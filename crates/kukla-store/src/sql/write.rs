//! Updates of a node, as rows.

use std::collections::BTreeMap;
use std::fmt::Write;

use kukla_catalog::Catalog;
use kukla_values::{Hash, format};
use sha1::{Digest, Sha1};

use super::rows::{self, Secrets};
use super::{Connection, Param, keys};
use crate::{Report, Result, Timestamp, Update, UpdateOutcome};

/// A catalog as rows, made before anyone waits for the database.
#[derive(Debug)]
pub struct Prepared<'c> {
    catalog: &'c Catalog,
    /// The positions of resources that are kept, as they will be.
    resources: Vec<Vec<Param<'c>>>,
    offers: Vec<(i64, i64)>,
    edges: String,
    /// The digest of everything that queries show, which has no secrets in it.
    hash: String,
    /// Whether rows have secrets, so that they can differ although the digest is the same.
    has_secrets: bool,
}

impl<'c> Prepared<'c> {
    /// A resource that is virtual and not exported is nobody's: it is left out.
    pub fn new(catalog: &'c Catalog) -> Prepared<'c> {
        let mut digest = Sha1::new();
        let mut places = vec![None; catalog.resources.len()];
        let (mut resources, mut offers, mut has_secrets) = (Vec::new(), Vec::new(), false);
        let kept = |resource: &kukla_catalog::Resource| resource.exported || !resource.is_virtual;
        for (at, resource) in catalog.resources.iter().enumerate().filter(|(_, one)| kept(one)) {
            let place = resources.len() as i64;
            places[at] = Some(place);
            // Only nodes that collect the resource need its secrets.
            let row = match resource.exported && resource.holds_secret() {
                true => {
                    has_secrets = true;
                    rows::of(resource, Secrets::Redacted).iter().for_each(|param| absorb(&mut digest, param));
                    rows::of(resource, Secrets::Stored)
                }
                false => {
                    let row = rows::of(resource, Secrets::Redacted);
                    row.iter().for_each(|param| absorb(&mut digest, param));
                    row
                }
            };
            resources.push(row);
            if resource.exported {
                offers.extend(keys::of(resource).into_iter().map(|key| (key, place)));
            }
        }
        let mut edges = String::from("[");
        for edge in &catalog.edges {
            let end = |at: u32| places.get(at as usize).copied().flatten();
            if let (Some(source), Some(target)) = (end(edge.source), end(edge.target)) {
                let comma = if edges.len() > 1 { "," } else { "" };
                let _ = write!(edges, "{comma}[{source},{target}]");
            }
        }
        edges.push(']');
        digest.update(&edges);
        Prepared { catalog, resources, offers, edges, hash: hex(&digest.finalize()), has_secrets }
    }
}

fn absorb(digest: &mut Sha1, param: &Param<'_>) {
    match param {
        Param::Null => digest.update([0]),
        Param::Int(number) => digest.update(number.to_be_bytes()),
        Param::Text(text) => {
            digest.update((text.len() as u64).to_be_bytes());
            digest.update(text.as_bytes());
        }
    }
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The tolerated difference between the clocks of several servers, in milliseconds.
const SKEW: i64 = 5 * 60 * 1000;

/// Replaces what is known of a node, as far as it is not newer.
pub fn update(
    connection: &mut dyn Connection,
    update: &Update<'_>,
    catalog: Option<&Prepared<'_>>,
    now: Timestamp,
) -> Result<UpdateOutcome> {
    let id = node(connection, update.node, update.time)?;
    let mut outcome = UpdateOutcome::Stored;
    let mut replaces = |connection: &mut dyn Connection, table| -> Result<bool> {
        let found = compare(connection, table, id, update.time, now)?;
        outcome = outcome.max(found);
        Ok(!matches!(found, UpdateOutcome::Outdated(_)))
    };
    if let Some(values) = update.facts
        && replaces(connection, "factsets")?
    {
        facts(connection, id, update, values)?;
    }
    if let Some(prepared) = catalog
        && replaces(connection, "catalogs")?
    {
        self::catalog(connection, id, update, prepared)?;
    }
    Ok(outcome)
}

/// The number of a node, which is made if there is none, and held until the transaction is over. What ended before this time is alive again.
fn node(connection: &mut dyn Connection, name: &str, time: Timestamp) -> Result<i64> {
    let sql = "INSERT INTO nodes (certname) VALUES (?1) ON CONFLICT (certname) DO UPDATE SET certname = excluded.certname RETURNING id";
    let mut id = 0;
    connection.rows(sql, &[name.into()], &mut |row| {
        id = row.int(0).unwrap_or_default();
        Ok(())
    })?;
    let sql = "UPDATE nodes SET deactivated = NULL, expired = NULL
               WHERE id = ?1 AND (deactivated < ?2 OR expired < ?2)";
    connection.run(sql, &[id.into(), time.into()])?;
    Ok(id)
}

/// Compares the time of an update with that of what it would replace. Nothing can be newer than the present: what is dated later was stored by
/// a machine whose clock was wrong, and would keep everything out until that time.
fn compare(
    connection: &mut dyn Connection,
    table: &str,
    node: i64,
    time: Timestamp,
    now: Timestamp,
) -> Result<UpdateOutcome> {
    let mut outcome = UpdateOutcome::Stored;
    let sql = format!("SELECT producer_timestamp FROM {table} WHERE node = ?1");
    connection.rows(&sql, &[node.into()], &mut |row| {
        let stored = Timestamp(row.int(0).unwrap_or(i64::MIN));
        if stored > time {
            let is_future = stored.0 > now.0.saturating_add(SKEW);
            outcome =
                if is_future { UpdateOutcome::Corrected(stored) } else { UpdateOutcome::Outdated(stored) };
        }
        Ok(())
    })?;
    Ok(outcome)
}

/// Most facts of a node are what they were; only others are touched.
fn facts(connection: &mut dyn Connection, id: i64, update: &Update<'_>, values: &Hash) -> Result<()> {
    let named = values.iter().map(|(name, value)| (format::to_s(name).to_string(), rows::document(value)));
    let new: BTreeMap<String, String> = named.collect();
    let mut known = BTreeMap::new();
    connection.rows("SELECT name, value FROM facts WHERE node = ?1", &[id.into()], &mut |row| {
        known.insert(row.owned(0).unwrap_or_default(), row.owned(1).unwrap_or_default());
        Ok(())
    })?;
    for name in known.keys().filter(|name| new.get(*name) != known.get(*name)) {
        connection
            .run("DELETE FROM facts WHERE node = ?1 AND name = ?2", &[id.into(), name.as_str().into()])?;
    }
    let changed = new.iter().filter(|(name, value)| known.get(*name) != Some(*value));
    let rows: Vec<Vec<Param<'_>>> =
        changed.map(|(name, value)| vec![id.into(), name.as_str().into(), value.as_str().into()]).collect();
    connection.insert("facts", &["node", "name", "value"], &rows)?;
    let sql = "INSERT INTO factsets (node, environment, producer, producer_timestamp, timestamp) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (node) DO UPDATE SET environment = excluded.environment, producer = excluded.producer,
                 producer_timestamp = excluded.producer_timestamp, timestamp = excluded.timestamp";
    let Update { environment, producer, time, .. } = *update;
    connection
        .run(sql, &[id.into(), environment.into(), producer.into(), time.into(), Timestamp::now().into()])?;
    Ok(())
}

fn catalog(connection: &mut dyn Connection, id: i64, update: &Update<'_>, new: &Prepared<'_>) -> Result<()> {
    let mut known = None;
    connection.rows("SELECT hash FROM catalogs WHERE node = ?1", &[id.into()], &mut |row| {
        known = row.owned(0);
        Ok(())
    })?;
    if new.has_secrets || known.as_ref() != Some(&new.hash) {
        connection.run("DELETE FROM offers WHERE node = ?1", &[id.into()])?;
        connection.run("DELETE FROM resources WHERE node = ?1", &[id.into()])?;
        let rows: Vec<Vec<Param<'_>>> =
            (0..).zip(&new.resources).map(|(at, row)| placed(id, at, row)).collect();
        let columns: Vec<&str> =
            ["node", "position"].into_iter().chain(rows::RESOURCE).chain(["sensitive"]).collect();
        connection.insert("resources", &columns, &rows)?;
        let offers: Vec<Vec<Param<'_>>> =
            new.offers.iter().map(|(key, place)| vec![(*key).into(), id.into(), (*place).into()]).collect();
        connection.insert("offers", &["key", "node", "position"], &offers)?;
    }
    connection.run("DELETE FROM catalogs WHERE node = ?1", &[id.into()])?;
    let Update { environment, producer, time, transaction, .. } = *update;
    let Catalog { version, uuid, code_id, tags, classes, .. } = new.catalog;
    let row: [(&str, Param<'_>); 13] = [
        ("node", id.into()),
        ("environment", environment.into()),
        ("version", rows::document(version).into()),
        ("uuid", uuid.as_deref().into()),
        ("code_id", code_id.as_deref().into()),
        ("transaction_uuid", transaction.into()),
        ("producer", producer.into()),
        ("producer_timestamp", time.into()),
        ("timestamp", Timestamp::now().into()),
        ("hash", new.hash.as_str().into()),
        ("tags", rows::list(tags).into()),
        ("classes", rows::list(classes).into()),
        ("edges", new.edges.as_str().into()),
    ];
    add(connection, "catalogs", row.into())
}

/// Keeps a report, once.
pub fn report(connection: &mut dyn Connection, report: &Report) -> Result<()> {
    let document = report.document();
    let hash = hex(&Sha1::digest(document.as_bytes()));
    let mut is_known = false;
    connection.rows("SELECT 1 FROM reports WHERE hash = ?1", &[hash.as_str().into()], &mut |_| {
        is_known = true;
        Ok(())
    })?;
    if is_known {
        return Ok(());
    }
    let id = node(connection, report.node(), report.time())?;
    let row: [(&str, Param<'_>); 9] = [
        ("hash", hash.into()),
        ("node", id.into()),
        ("environment", report.environment().into()),
        ("status", report.status().into()),
        ("start_time", report.start().into()),
        ("end_time", report.end().into()),
        ("producer_timestamp", report.time().into()),
        ("receive_time", Timestamp::now().into()),
        ("document", document.into()),
    ];
    add(connection, "reports", row.into())
}

/// A row of `resources`.
fn placed<'p>(node: i64, position: i64, row: &'p [Param<'_>]) -> Vec<Param<'p>> {
    let borrowed = row.iter().map(|param| match param {
        Param::Null => Param::Null,
        Param::Int(number) => Param::Int(*number),
        Param::Text(text) => Param::from(&**text),
    });
    [node.into(), position.into()].into_iter().chain(borrowed).collect()
}

fn add(connection: &mut dyn Connection, table: &str, row: Vec<(&str, Param<'_>)>) -> Result<()> {
    let (columns, values): (Vec<&str>, Vec<Param<'_>>) = row.into_iter().unzip();
    connection.insert(table, &columns, &[values])
}
