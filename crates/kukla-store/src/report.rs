//! Reports of agents, in the form in which PuppetDB takes them (`store report`, version 8).

use kukla_syntax::bail;
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
    /// A report as an agent sends it to its server, received at a time by a server.
    pub fn from_agent(report: &Json, producer: &str, time: Timestamp) -> Result<Report> {
        let get = |key: &str| report.get(key).cloned().unwrap_or_default();
        let Some(start) = moment(report, "time") else { bail!(BAD_REPORT { problem: "it has no time" }) };
        let metrics = metrics(report);
        let is_total = |row: &&Json| row["category"] == "time" && row["name"] == "total";
        let seconds = metrics.iter().find(is_total).and_then(|row| row["value"].as_f64()).unwrap_or_default();
        let end = Timestamp(start.0.saturating_add((seconds * 1000.0) as i64));
        let resources = resources(report);
        let events = || resources.iter().filter_map(|each| each["events"].as_array()).flatten();
        let is_noop = |event: &Json| event["status"] == "noop";
        let noop = report["noop"].as_bool().unwrap_or_else(|| events().any(is_noop) && events().all(is_noop));
        Report::new(json!({
            "certname": get("host"),
            "job_id": get("job_id"),
            "puppet_version": get("puppet_version"),
            "report_format": get("report_format"),
            "configuration_version": text(&report["configuration_version"]),
            "producer_timestamp": time.to_string(),
            "start_time": start.to_string(),
            "end_time": end.to_string(),
            "environment": get("environment"),
            "transaction_uuid": get("transaction_uuid"),
            "status": get("status"),
            "noop": noop,
            "noop_pending": get("noop_pending"),
            "corrective_change": get("corrective_change"),
            "logs": logs(report),
            "metrics": metrics,
            "resources": resources,
            "catalog_uuid": get("catalog_uuid"),
            "code_id": get("code_id"),
            "cached_catalog_status": get("cached_catalog_status"),
            "producer": producer,
        }))
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

fn logs(report: &Json) -> Vec<Json> {
    let all = report["logs"].as_array().into_iter().flatten();
    all.map(|log| {
        json!({
            "file": log["file"], "line": log["line"], "level": log["level"], "message": log["message"],
            "source": log["source"], "tags": log["tags"], "time": wire_time(&log["time"]),
        })
    })
    .collect()
}

/// An agent gives `{"time": {"name": "time", "values": [["total", "Total", 0.1], ...]}}`.
fn metrics(report: &Json) -> Vec<Json> {
    let all = report["metrics"].as_object().into_iter().flatten();
    let rows = all.flat_map(|(category, metric)| {
        let values = metric["values"].as_array().into_iter().flatten();
        values.map(move |value| json!({"category": category, "name": value[0], "value": value[2]}))
    });
    rows.collect()
}

/// Only resources at which something happened.
fn resources(report: &Json) -> Vec<Json> {
    let all = report["resource_statuses"].as_object().into_iter().flatten().map(|(_, status)| {
        let events: Vec<Json> = status["events"].as_array().into_iter().flatten().map(event).collect();
        json!({
            "skipped": status["skipped"],
            "timestamp": wire_time(&status["time"]),
            "resource_type": status["resource_type"],
            "resource_title": text(&status["title"]),
            "file": status["file"],
            "line": status["line"],
            "containment_path": status["containment_path"],
            "corrective_change": status.get("corrective_change"),
            "events": events,
        })
    });
    let happened =
        |each: &Json| each["skipped"] == true || each["events"].as_array().is_some_and(|all| !all.is_empty());
    all.filter(happened).collect()
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
