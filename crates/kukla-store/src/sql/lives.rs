//! The end of nodes: deactivated by someone, expired because nothing is heard of them, purged.

use super::{Connection, Param};
use crate::{Result, Timestamp};

/// A node that is there and not ended.
pub const ACTIVE: &str = "n.deactivated IS NULL AND n.expired IS NULL";

pub fn deactivate(connection: &mut dyn Connection, node: &str, time: Timestamp) -> Result<bool> {
    let sql = "UPDATE nodes SET deactivated = ?1 WHERE certname = ?2 AND deactivated IS NULL";
    if connection.run(sql, &[time.into(), node.into()])? > 0 {
        return Ok(true);
    }
    Ok(!names(connection, "SELECT certname FROM nodes WHERE certname = ?1", &[node.into()])?.is_empty())
}

/// The latest that was heard of a node counts, be it facts, a catalog or a report.
pub fn expire(
    connection: &mut dyn Connection,
    silent_since: Timestamp,
    now: Timestamp,
) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT n.certname FROM nodes n WHERE {ACTIVE}
           AND NOT EXISTS (SELECT 1 FROM factsets f WHERE f.node = n.id AND f.producer_timestamp > ?1)
           AND NOT EXISTS (SELECT 1 FROM catalogs c WHERE c.node = n.id AND c.producer_timestamp > ?1)
           AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.node = n.id AND r.producer_timestamp > ?1)
         ORDER BY n.certname"
    );
    let expired = names(connection, &sql, &[silent_since.into()])?;
    for node in &expired {
        connection
            .run("UPDATE nodes SET expired = ?1 WHERE certname = ?2", &[now.into(), node.as_str().into()])?;
    }
    Ok(expired)
}

pub fn purge(connection: &mut dyn Connection, until: Timestamp) -> Result<Vec<String>> {
    let sql = "SELECT certname FROM nodes WHERE deactivated <= ?1 OR expired <= ?1 ORDER BY certname";
    let gone = names(connection, sql, &[until.into()])?;
    for node in &gone {
        connection.run("DELETE FROM nodes WHERE certname = ?1", &[node.as_str().into()])?;
    }
    Ok(gone)
}

pub fn purge_reports(connection: &mut dyn Connection, before: Timestamp) -> Result<u64> {
    connection.run("DELETE FROM reports WHERE end_time < ?1", &[before.into()])
}

fn names(connection: &mut dyn Connection, sql: &str, params: &[Param<'_>]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    connection.rows(sql, params, &mut |row| {
        names.extend(row.owned(0));
        Ok(())
    })?;
    Ok(names)
}
