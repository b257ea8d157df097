//! Reports of agents, in the form in which PuppetDB takes them (`store report`, version 8).

use kukla_syntax::bail;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use crate::codes::BAD_REPORT;
use crate::{Result, Timestamp};

/// The report of an agent's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    document: Json,
    node: String,
    environment: String,
    end: Timestamp,
    time: Timestamp,
}

impl Report {
    /// A report as an agent sends it to its server, in JSON, received at a time by a server. Its logs, metrics and resources are converted as they are
    /// read, one by one.
    pub fn from_agent(report: &str, producer: &str, time: Timestamp) -> Result<Report> {
        let report: AgentReport = match serde_json::from_str(report) {
            Ok(report) => report,
            Err(error) => bail!(BAD_REPORT { problem: error }),
        };
        let Some(start) = report.time.as_str().and_then(Timestamp::parse) else {
            bail!(BAD_REPORT { problem: "it has no time" })
        };
        let (metrics, resources) = (report.metrics, report.resource_statuses);
        let is_total = |row: &&Json| row["category"] == "time" && row["name"] == "total";
        let seconds = metrics.iter().find(is_total).and_then(|row| row["value"].as_f64()).unwrap_or_default();
        let end = Timestamp(start.0.saturating_add((seconds * 1000.0) as i64));
        let events = || resources.iter().filter_map(|each| each["events"].as_array()).flatten();
        let is_noop = |event: &Json| event["status"] == "noop";
        let noop = report.noop.as_bool().unwrap_or_else(|| events().any(is_noop) && events().all(is_noop));
        let mut document = Map::new();
        for (name, value) in [
            ("certname", report.host),
            ("job_id", report.job_id),
            ("puppet_version", report.puppet_version),
            ("report_format", report.report_format),
            ("configuration_version", text(&report.configuration_version).into()),
            ("producer_timestamp", time.to_string().into()),
            ("start_time", start.to_string().into()),
            ("end_time", end.to_string().into()),
            ("environment", report.environment),
            ("transaction_uuid", report.transaction_uuid),
            ("status", report.status),
            ("noop", noop.into()),
            ("noop_pending", report.noop_pending),
            ("corrective_change", report.corrective_change),
            ("logs", report.logs.into()),
            ("metrics", metrics.into()),
            ("resources", resources.into()),
            ("catalog_uuid", report.catalog_uuid),
            ("code_id", report.code_id),
            ("cached_catalog_status", report.cached_catalog_status),
            ("producer", producer.into()),
        ] {
            document.insert(name.to_owned(), value);
        }
        Report::new(document.into())
    }

    /// A report in the form in which PuppetDB takes and exports it.
    pub fn new(document: Json) -> Result<Report> {
        let wanted = |key: &str| -> Result<String> {
            match document[key].as_str() {
                Some(text) => Ok(text.to_owned()),
                None => bail!(BAD_REPORT { problem: format!("it has no {key}") }),
            }
        };
        let time = |key: &str| -> Result<Timestamp> {
            match moment(&document, key) {
                Some(time) => Ok(time),
                None => bail!(BAD_REPORT { problem: format!("its {key} is not a time") }),
            }
        };
        Ok(Report {
            node: wanted("certname")?,
            environment: wanted("environment")?,
            end: time("end_time")?,
            time: time("producer_timestamp")?,
            document,
        })
    }

    /// The whole report.
    pub fn document(&self) -> &Json {
        &self.document
    }

    /// The node.
    pub fn node(&self) -> &str {
        &self.node
    }
}

/// The columns of a report.
#[cfg(feature = "drivers")]
impl Report {
    pub(crate) fn environment(&self) -> &str {
        &self.environment
    }

    /// When the run ended.
    pub(crate) fn end(&self) -> Timestamp {
        self.end
    }

    /// When the server got it.
    pub(crate) fn time(&self) -> Timestamp {
        self.time
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.document[key].as_str()
    }

    pub(crate) fn moment(&self, key: &str) -> Option<Timestamp> {
        moment(&self.document, key)
    }
}

fn moment(document: &Json, key: &str) -> Option<Timestamp> {
    Timestamp::parse(document[key].as_str()?)
}

/// A time of the agent as PuppetDB wants it; what is none stays what it is.
fn wire_time(value: &Json) -> Json {
    let time = value.as_str().and_then(Timestamp::parse);
    time.map_or_else(|| value.clone(), |time| time.to_string().into())
}

fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The report of an agent as it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AgentReport {
    host: Json,
    job_id: Json,
    puppet_version: Json,
    report_format: Json,
    configuration_version: Json,
    time: Json,
    environment: Json,
    transaction_uuid: Json,
    status: Json,
    noop: Json,
    noop_pending: Json,
    corrective_change: Json,
    catalog_uuid: Json,
    code_id: Json,
    cached_catalog_status: Json,
    #[serde(deserialize_with = "logs")]
    logs: Vec<Json>,
    #[serde(deserialize_with = "metrics")]
    metrics: Vec<Json>,
    /// Only resources at which something happened.
    #[serde(deserialize_with = "resources")]
    resource_statuses: Vec<Json>,
}

fn logs<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Vec<Json>, D::Error> {
    from.deserialize_any(Rows(|_: &str, log: Json, rows: &mut Vec<Json>| {
        rows.push(json!({
            "file": log["file"], "line": log["line"], "level": log["level"], "message": log["message"],
            "source": log["source"], "tags": log["tags"], "time": wire_time(&log["time"]),
        }));
    }))
}

/// An agent gives `{"time": {"name": "time", "values": [["total", "Total", 0.1], ...]}}`.
fn metrics<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Vec<Json>, D::Error> {
    from.deserialize_any(Rows(|category: &str, metric: Json, rows: &mut Vec<Json>| {
        let values = metric["values"].as_array().into_iter().flatten();
        rows.extend(values.map(|value| json!({"category": category, "name": value[0], "value": value[2]})));
    }))
}

fn resources<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Vec<Json>, D::Error> {
    from.deserialize_any(Rows(|_: &str, status: Json, rows: &mut Vec<Json>| {
        let events: Vec<Json> = status["events"].as_array().into_iter().flatten().map(event).collect();
        if status["skipped"] != true && events.is_empty() {
            return;
        }
        rows.push(json!({
            "skipped": status["skipped"],
            "timestamp": wire_time(&status["time"]),
            "resource_type": status["resource_type"],
            "resource_title": text(&status["title"]),
            "file": status["file"],
            "line": status["line"],
            "containment_path": status["containment_path"],
            "corrective_change": status.get("corrective_change"),
            "events": events,
        }));
    }))
}

/// Converts the members of a list or an object, one by one, into rows; anything else has none.
struct Rows<F>(F);

impl<'de, F: FnMut(&str, Json, &mut Vec<Json>)> Visitor<'de> for Rows<F> {
    type Value = Vec<Json>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_unit<E>(self) -> std::result::Result<Vec<Json>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut from: A) -> std::result::Result<Vec<Json>, A::Error> {
        let mut rows = Vec::new();
        while let Some(member) = from.next_element()? {
            (self.0)("", member, &mut rows);
        }
        Ok(rows)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut from: A) -> std::result::Result<Vec<Json>, A::Error> {
        let mut rows = Vec::new();
        while let Some((name, member)) = from.next_entry::<String, Json>()? {
            (self.0)(&name, member, &mut rows);
        }
        Ok(rows)
    }
}

fn event(event: &Json) -> Json {
    let mut row = Map::new();
    row.insert("status".into(), event["status"].clone());
    row.insert("timestamp".into(), wire_time(&event["time"]));
    row.insert("name".into(), event["name"].clone());
    row.insert("property".into(), event["property"].clone());
    row.insert("new_value".into(), text(&event["desired_value"]).into());
    row.insert("old_value".into(), text(&event["previous_value"]).into());
    row.insert("corrective_change".into(), event["corrective_change"].clone());
    row.insert("message".into(), event["message"].clone());
    row.into()
}
