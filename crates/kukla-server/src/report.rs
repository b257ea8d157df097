//! Reports: kept in files as Puppet's processor `store` does, and in the store of the site.

use std::path::{Path, PathBuf};

use kukla::formats::yaml::{Layout, Writer};
use kukla::syntax::{Problem, ProblemKind};
use serde_json::Value;

use crate::answer::{Answer, Issue};
use crate::ca::time;
use crate::call::Call;
use crate::files::{make_directory, write_once};
use crate::log::{self, Level};

/// Reads the report of a request.
pub fn read(call: &Call, node: &str) -> Result<Value, Answer> {
    let kind = call.content_type();
    if !matches!(
        kind.as_deref(),
        None | Some("application/json" | "text/pson" | "application/pson" | "text/json")
    ) {
        let problem = format!(
            "Client sent a mime-type ({}) that doesn't correspond to a format we support",
            kind.unwrap_or_default()
        );
        let mut answer = Answer::error(Issue::Format, &problem);
        answer.status = hyper::StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(answer);
    }
    let report: Value = serde_json::from_slice(&call.body).map_err(|error| {
        Answer::error(Issue::Runtime, format_args!("invalid JSON in the report: {error}"))
    })?;
    match report.get("host").and_then(Value::as_str) {
        Some(host) if host == node => Ok(report),
        Some(host) => Err(Answer::error(
            Issue::Runtime,
            format_args!("the report for {node} names another host: {host}"),
        )),
        None => Err(Answer::error(Issue::Runtime, "the report has no host")),
    }
}

/// Writes a report as Puppet does: a file of YAML under the node's name and the time.
pub fn store(directory: &Path, node: &str, report: &Value) -> Result<PathBuf, Problem> {
    let directory = directory.join(node);
    make_directory(&directory, 0o750)?;
    let text = to_yaml(report)?;
    let now = time::in_inventory(time::now());
    let minute: String = now.chars().filter(char::is_ascii_digit).take(12).collect();
    // Of several reports within a minute Puppet keeps the last; none is lost here.
    for number in 0..10_000 {
        let name = if number == 0 { format!("{minute}.yaml") } else { format!("{minute}-{number}.yaml") };
        let path = directory.join(name);
        match write_once(&path, text.as_bytes(), 0o640) {
            Ok(()) => return Ok(path),
            Err(problem) if problem.kind() == ProblemKind::Conflict => {}
            Err(problem) => return Err(problem),
        }
    }
    Err(Problem::new(ProblemKind::LimitExceeded, "too many reports within a minute in")
        .on(directory.display()))
}

/// Writes the messages of a report to the log, as Puppet's processor `log` does.
pub fn log_messages(node: &str, report: &Value) {
    for each in report.get("logs").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| each.get(name).and_then(Value::as_str).unwrap_or_default();
        let level = match text("level") {
            "debug" => Level::Debug,
            "info" | "notice" => Level::Info,
            "warning" => Level::Warning,
            _ => Level::Error,
        };
        let facts = [("node".to_owned(), node.into()), ("source".to_owned(), text("source").into())];
        log::write(level, text("message"), facts.into_iter().collect());
    }
}

/// The report as the Ruby object that Puppet writes.
fn to_yaml(report: &Value) -> Result<String, Problem> {
    let mut writer = Writer::new(Layout::default());
    write_object(&mut writer, report, Some("!ruby/object:Puppet::Transaction::Report"), 0)?;
    writer.finish().map_err(|error| Problem::invalid("cannot write the report as YAML").because(error))
}

/// The classes of what is in a report, by where it is.
fn class_of(key: &str) -> Option<&'static str> {
    match key {
        "logs" => Some("!ruby/object:Puppet::Util::Log"),
        "metrics" => Some("!ruby/object:Puppet::Util::Metric"),
        "resource_statuses" => Some("!ruby/object:Puppet::Resource::Status"),
        "events" => Some("!ruby/object:Puppet::Transaction::Event"),
        _ => None,
    }
}

/// Names that Ruby's objects keep as symbols.
fn is_symbol(key: &str) -> bool {
    matches!(key, "level")
}

fn write_object<'v>(
    writer: &mut Writer<'v>,
    value: &'v Value,
    tag: Option<&str>,
    depth: usize,
) -> Result<(), Problem> {
    if depth > 100 {
        return Err(Problem::new(ProblemKind::LimitExceeded, "the report is nested too deeply"));
    }
    match value {
        Value::Null => writer.null(),
        Value::Bool(truth) => writer.word(if *truth { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64().filter(|_| !number.is_i64() && !number.is_u64()) {
            Some(float) => writer.float(float),
            None => writer.word(number.to_string()),
        },
        Value::String(text) => writer.string(text.as_str()),
        Value::Array(values) => {
            writer.start_sequence(None);
            for each in values {
                write_object(writer, each, tag, depth + 1)?;
            }
            writer.end_sequence();
        }
        Value::Object(entries) => {
            writer.start_mapping(tag.map(str::to_owned));
            for (key, each) in entries {
                writer.string(key.as_str());
                match (class_of(key), each) {
                    (Some(class), Value::Array(_)) => write_object(writer, each, Some(class), depth + 1)?,
                    (Some(class), Value::Object(members)) => {
                        writer.start_mapping(None);
                        for (name, member) in members {
                            writer.string(name.as_str());
                            write_object(writer, member, Some(class), depth + 1)?;
                        }
                        writer.end_mapping();
                    }
                    (_, Value::String(text)) if is_symbol(key) => writer.word(format!(":{text}")),
                    _ => write_object(writer, each, None, depth + 1)?,
                }
            }
            writer.end_mapping();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_written_as_ruby_objects() {
        let report = serde_json::json!({
            "host": "a", "report_format": 12, "status": "changed", "noop": false, "code_id": null,
            "logs": [{"level": "info", "message": "m", "line": null}],
            "metrics": {"time": {"name": "time", "label": "Time", "values": [["total", "Total", 1.5]]}},
            "resource_statuses": {"File[/a]": {"title": "/a", "events": [{"status": "success"}]}},
        });
        let text = to_yaml(&report).unwrap();
        for part in [
            "!ruby/object:Puppet::Transaction::Report",
            "!ruby/object:Puppet::Util::Log",
            "level: :info",
            "!ruby/object:Puppet::Util::Metric",
            "!ruby/object:Puppet::Resource::Status",
            "!ruby/object:Puppet::Transaction::Event",
            "- 1.5",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
