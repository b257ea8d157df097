//! The entities of PuppetDB and their columns.

use super::malformed;
use crate::Result;

/// Something that can be asked for, with its columns in the order of answers.
#[derive(Debug, PartialEq)]
pub struct Entity {
    pub name: &'static str,
    columns: &'static [Column],
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
}

/// The kind of values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, a number, a flag, data.
    Data,
    /// A moment.
    Time,
    /// A list, of which one element is compared.
    List,
    /// Something to ask by that is not part of the answer.
    QueryOnly,
}

const fn data(name: &'static str) -> Column {
    Column { name, kind: Kind::Data }
}

const fn time(name: &'static str) -> Column {
    Column { name, kind: Kind::Time }
}

const fn list(name: &'static str) -> Column {
    Column { name, kind: Kind::List }
}

const fn query_only(name: &'static str) -> Column {
    Column { name, kind: Kind::QueryOnly }
}

/// The state of nodes that a query covers: `active` by default.
pub const NODE_STATE: Column = query_only("node_state");

const ENTITIES: &[Entity] = &[
    Entity {
        name: "nodes",
        columns: &[
            data("certname"),
            time("deactivated"),
            time("expired"),
            time("facts_timestamp"),
            time("catalog_timestamp"),
            time("report_timestamp"),
            data("facts_environment"),
            data("catalog_environment"),
            data("report_environment"),
            data("latest_report_hash"),
            data("latest_report_status"),
            data("latest_report_noop"),
            data("latest_report_noop_pending"),
            data("latest_report_corrective_change"),
            data("latest_report_job_id"),
            data("cached_catalog_status"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "facts",
        columns: &[data("certname"), data("environment"), data("name"), data("value"), NODE_STATE],
    },
    Entity {
        name: "fact_contents",
        columns: &[
            data("certname"),
            data("environment"),
            data("path"),
            data("name"),
            data("value"),
            NODE_STATE,
        ],
    },
    Entity { name: "fact_names", columns: &[data("name"), NODE_STATE] },
    Entity {
        name: "factsets",
        columns: &[
            data("certname"),
            data("environment"),
            time("timestamp"),
            time("producer_timestamp"),
            data("producer"),
            data("facts"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "inventory",
        columns: &[
            data("certname"),
            time("timestamp"),
            data("environment"),
            data("facts"),
            data("trusted"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "resources",
        columns: &[
            data("certname"),
            data("environment"),
            data("resource"),
            data("type"),
            data("title"),
            list("tags"),
            data("exported"),
            data("file"),
            data("line"),
            data("parameters"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "catalogs",
        columns: &[
            data("certname"),
            data("version"),
            data("environment"),
            data("hash"),
            data("transaction_uuid"),
            data("catalog_uuid"),
            data("code_id"),
            data("producer"),
            time("producer_timestamp"),
            data("resources"),
            data("edges"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "edges",
        columns: &[
            data("certname"),
            data("relationship"),
            data("source_type"),
            data("source_title"),
            data("target_type"),
            data("target_title"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "reports",
        columns: &[
            data("certname"),
            data("hash"),
            data("puppet_version"),
            data("report_format"),
            data("configuration_version"),
            time("start_time"),
            time("end_time"),
            time("receive_time"),
            time("producer_timestamp"),
            data("producer"),
            data("environment"),
            data("transaction_uuid"),
            data("catalog_uuid"),
            data("code_id"),
            data("job_id"),
            data("cached_catalog_status"),
            data("status"),
            data("noop"),
            data("noop_pending"),
            data("corrective_change"),
            data("logs"),
            data("metrics"),
            data("resources"),
            query_only("latest_report?"),
            NODE_STATE,
        ],
    },
    Entity {
        name: "events",
        columns: &[
            data("certname"),
            data("report"),
            data("environment"),
            data("resource_type"),
            data("resource_title"),
            data("file"),
            data("line"),
            data("containment_path"),
            time("timestamp"),
            data("status"),
            data("name"),
            data("property"),
            data("new_value"),
            data("old_value"),
            data("corrective_change"),
            data("message"),
            query_only("latest_report?"),
            NODE_STATE,
        ],
    },
    Entity { name: "environments", columns: &[data("name"), NODE_STATE] },
];

impl Entity {
    /// The entity of a name; PQL writes underscores, the paths of the interface hyphens.
    pub fn named(name: &str) -> Result<&'static Entity> {
        let plain = name.replace('-', "_");
        ENTITIES.iter().find(|entity| entity.name == plain).ok_or_else(|| {
            let known: Vec<&str> = ENTITIES.iter().map(|entity| entity.name).collect();
            malformed(format!("unknown entity '{name}'; expected one of {}", known.join(", ")))
        })
    }

    /// The columns of an answer.
    pub fn columns(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().copied().filter(|column| column.kind != Kind::QueryOnly)
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Result<Column> {
        let plain = if self.name == "resources" && name == "tag" { "tags" } else { name };
        self.columns.iter().find(|column| column.name == plain).copied().ok_or_else(|| {
            let mut known: Vec<String> =
                self.columns.iter().map(|column| format!("'{}'", column.name)).collect();
            known.sort();
            let last = known.pop().unwrap_or_default();
            malformed(format!(
                "'{name}' is not a queryable object for {}. Known queryable objects are {}, and {last}",
                self.name,
                known.join(", ")
            ))
        })
    }

    /// Whether rows belong to a node.
    pub fn is_of_nodes(&self) -> bool {
        self.columns.first().is_some_and(|column| column.name == "certname")
    }
}
