//! Reports of agents, in the form in which PuppetDB takes them (`store report`, version 8).
//!
//! A report has thousands of logs, metrics and resources. They are converted one by one, from text to text: a tree of all of them would take many
//! times the memory of the report.

use kukla_syntax::bail;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use crate::codes::BAD_REPORT;
use crate::{Result, Timestamp};

/// The report of an agent's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    document: String,
    node: String,
    environment: String,
    status: Option<String>,
    start: Option<Timestamp>,
    end: Timestamp,
    time: Timestamp,
}

impl Report {
    /// A report as an agent sends it to its server, in JSON, received at a time by a server.
    pub fn from_agent(report: &str, producer: &str, time: Timestamp) -> Result<Report> {
        let report: AgentReport = match serde_json::from_str(report) {
            Ok(report) => report,
            Err(error) => bail!(BAD_REPORT { problem: error }),
        };
        let Some(start) = report.time.as_str().and_then(Timestamp::parse) else {
            bail!(BAD_REPORT { problem: "it has no time" })
        };
        let AgentReport { metrics, resource_statuses: resources, .. } = report;
        let seconds = metrics.total.unwrap_or_default();
        let end = Timestamp(start.0.saturating_add((seconds * 1000.0) as i64));
        let noop = report.noop.as_bool().unwrap_or(resources.has_noop && !resources.has_other);
        let node = required(&report.host, "certname")?;
        let environment = required(&report.environment, "environment")?;
        let status = report.status.as_str().map(str::to_owned);
        let mut document = Document::with_capacity(
            report.logs.len() + metrics.rows.len() + resources.rows.len() + Document::HEADER,
        );
        document.value("certname", &report.host);
        document.value("job_id", &report.job_id);
        document.value("puppet_version", &report.puppet_version);
        document.value("report_format", &report.report_format);
        document.value("configuration_version", &text(&report.configuration_version).into());
        document.value("producer_timestamp", &time.to_string().into());
        document.value("start_time", &start.to_string().into());
        document.value("end_time", &end.to_string().into());
        document.value("environment", &report.environment);
        document.value("transaction_uuid", &report.transaction_uuid);
        document.value("status", &report.status);
        document.value("noop", &noop.into());
        document.value("noop_pending", &report.noop_pending);
        document.value("corrective_change", &report.corrective_change);
        document.rows("logs", report.logs);
        document.rows("metrics", metrics.rows);
        document.rows("resources", resources.rows);
        document.value("catalog_uuid", &report.catalog_uuid);
        document.value("code_id", &report.code_id);
        document.value("cached_catalog_status", &report.cached_catalog_status);
        document.value("producer", &producer.into());
        Ok(Report { document: document.finish(), node, environment, status, start: Some(start), end, time })
    }

    /// A report in the form in which PuppetDB takes and exports it.
    pub fn new(document: &Json) -> Result<Report> {
        let time = |key: &str| -> Result<Timestamp> {
            match moment(document, key) {
                Some(time) => Ok(time),
                None => bail!(BAD_REPORT { problem: format!("its {key} is not a time") }),
            }
        };
        Ok(Report {
            node: required(&document["certname"], "certname")?,
            environment: required(&document["environment"], "environment")?,
            status: document["status"].as_str().map(str::to_owned),
            start: moment(document, "start_time"),
            end: time("end_time")?,
            time: time("producer_timestamp")?,
            document: document.to_string(),
        })
    }

    /// The whole report, in JSON.
    pub fn document(&self) -> &str {
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

    pub(crate) fn status(&self) -> Option<&str> {
        self.status.as_deref()
    }

    /// When the run began.
    pub(crate) fn start(&self) -> Option<Timestamp> {
        self.start
    }

    /// When the run ended.
    pub(crate) fn end(&self) -> Timestamp {
        self.end
    }

    /// When the server got it.
    pub(crate) fn time(&self) -> Timestamp {
        self.time
    }
}

fn required(value: &Json, key: &str) -> Result<String> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => bail!(BAD_REPORT { problem: format!("it has no {key}") }),
    }
}

fn moment(document: &Json, key: &str) -> Option<Timestamp> {
    Timestamp::parse(document[key].as_str()?)
}

/// A JSON object that is written entry by entry.
struct Document(String);

impl Document {
    /// The bytes of entries besides rows, in a usual report.
    const HEADER: usize = 2048;

    fn with_capacity(bytes: usize) -> Document {
        Document(String::with_capacity(bytes))
    }

    fn name(&mut self, name: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&format!("\"{name}\":"));
    }

    fn value(&mut self, name: &str, value: &Json) {
        self.name(name);
        self.0.push_str(&value.to_string());
    }

    /// Adds a list, whose rows are freed.
    fn rows(&mut self, name: &str, rows: String) {
        self.name(name);
        self.0.push('[');
        self.0.push_str(&rows);
        self.0.push(']');
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
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

/// The report of an agent as it is read; its lists are rows in JSON, with commas between them.
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
    logs: String,
    #[serde(deserialize_with = "metrics")]
    metrics: Metrics,
    #[serde(deserialize_with = "resources")]
    resource_statuses: Resources,
}

#[derive(Default)]
struct Metrics {
    rows: String,
    /// The seconds of the whole run.
    total: Option<f64>,
}

/// The resources at which something happened.
#[derive(Default)]
struct Resources {
    rows: String,
    /// Whether there are events of a run without changes, and others.
    has_noop: bool,
    has_other: bool,
}

fn add(rows: &mut String, row: &Json) {
    if !rows.is_empty() {
        rows.push(',');
    }
    rows.push_str(&row.to_string());
}

fn logs<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    let mut rows = String::new();
    from.deserialize_any(Members(|_: &str, log: Json| {
        add(
            &mut rows,
            &json!({
                "file": log["file"], "line": log["line"], "level": log["level"], "message": log["message"],
                "source": log["source"], "tags": log["tags"], "time": wire_time(&log["time"]),
            }),
        );
    }))?;
    Ok(rows)
}

/// An agent gives `{"time": {"name": "time", "values": [["total", "Total", 0.1], ...]}}`.
fn metrics<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Metrics, D::Error> {
    let mut metrics = Metrics::default();
    from.deserialize_any(Members(|category: &str, metric: Json| {
        for value in metric["values"].as_array().into_iter().flatten() {
            if category == "time" && value[0] == "total" {
                metrics.total = metrics.total.or(value[2].as_f64());
            }
            add(&mut metrics.rows, &json!({"category": category, "name": value[0], "value": value[2]}));
        }
    }))?;
    Ok(metrics)
}

fn resources<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Resources, D::Error> {
    let mut resources = Resources::default();
    from.deserialize_any(Members(|_: &str, status: Json| {
        let events: Vec<Json> = status["events"].as_array().into_iter().flatten().map(event).collect();
        if status["skipped"] != true && events.is_empty() {
            return;
        }
        let is_noop = |event: &Json| event["status"] == "noop";
        resources.has_noop |= events.iter().any(is_noop);
        resources.has_other |= !events.iter().all(is_noop);
        add(
            &mut resources.rows,
            &json!({
                "skipped": status["skipped"],
                "timestamp": wire_time(&status["time"]),
                "resource_type": status["resource_type"],
                "resource_title": text(&status["title"]),
                "file": status["file"],
                "line": status["line"],
                "containment_path": status["containment_path"],
                "corrective_change": status.get("corrective_change"),
                "events": events,
            }),
        );
    }))?;
    Ok(resources)
}

/// Visits the members of a list or an object, one by one; anything else has none.
struct Members<F>(F);

impl<'de, F: FnMut(&str, Json)> Visitor<'de> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut from: A) -> std::result::Result<(), A::Error> {
        while let Some(member) = from.next_element()? {
            (self.0)("", member);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut from: A) -> std::result::Result<(), A::Error> {
        while let Some((name, member)) = from.next_entry::<String, Json>()? {
            (self.0)(&name, member);
        }
        Ok(())
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
