//! Reports: kept in files as Puppet's processor `store` does, and in the store of the site.

use std::path::{Path, PathBuf};

use kukla::formats::yaml::{Layout, Writer};
use kukla::syntax::{Problem, ProblemKind};
use serde_json::Value;

use crate::answer::{Answer, Issue};
use crate::ca::time;
use crate::call::Call;
use crate::files::{make_directory, write_once};
use crate::json;
use crate::log::{self, Level};

/// A report that was received. Only its beginning is read here; whatever is done with the rest is done piece by piece, because a tree of all of it
/// would take many times its size.
#[derive(Debug)]
pub struct ReceivedReport<'r> {
    /// The whole report, in JSON.
    pub text: &'r str,
    /// The environment of the run.
    pub environment: Value,
    /// The outcome of the run.
    pub status: Value,
}

/// The parts of a report that are lists or objects of many.
const LARGE_PARTS: [&str; 3] = ["logs", "metrics", "resource_statuses"];

/// Refuses a piece of a report that is too large to be read at once: it is a small fraction of the report unless someone means harm.
fn check_size(piece: &str, whole: &str) -> Result<(), Problem> {
    /// Pieces of this size are never out of proportion.
    const SMALL: usize = 256 << 10;
    if piece.len() > SMALL.max(whole.len() / 4) {
        return Err(Problem::new(ProblemKind::LimitExceeded, "a part of the report is too large"));
    }
    Ok(())
}

/// Reads a piece of a report.
fn piece(text: &str, whole: &str) -> Result<Value, Problem> {
    check_size(text, whole)?;
    json::read(text.as_bytes()).map_err(|error| Problem::invalid("invalid JSON in the report").because(error))
}

/// Reads the report of a request.
pub fn read<'r>(call: &'r Call, node: &str) -> Result<ReceivedReport<'r>, Answer> {
    let kind = call.content_type();
    if !matches!(
        kind.as_deref(),
        None | Some("application/json" | "text/pson" | "application/pson" | "text/json")
    ) {
        let problem = format!(
            "Client sent a mime-type ({}) that doesn't correspond to a format we support",
            kind.unwrap_or_default()
        );
        return Err(Answer::error(Issue::MediaType, &problem));
    }
    let invalid = |error: &dyn std::fmt::Display| Answer::error(Issue::Body, error);
    json::check_pieces(&call.body).map_err(|error| invalid(&error))?;
    let text = std::str::from_utf8(&call.body).map_err(|error| invalid(&error))?;
    let mut report = ReceivedReport { text, environment: Value::Null, status: Value::Null };
    let mut host = None;
    let read = json::each_entry(text, &mut |name, value| {
        match name {
            "host" => host = piece(value, text)?.as_str().map(str::to_owned),
            "environment" => report.environment = piece(value, text)?,
            "status" => report.status = piece(value, text)?,
            // Each member of these is read at once later, and so is each other entry.
            large if LARGE_PARTS.contains(&large) && value.starts_with(['[', '{']) => {
                json::each_member(value, &mut |member| check_size(member, text))?;
            }
            _ => check_size(value, text)?,
        }
        Ok(())
    });
    read.map_err(|problem| invalid(&problem))?;
    match host {
        Some(host) if host == node => Ok(report),
        // Puppet calls this its own failure.
        Some(host) => Err(Answer::error(
            Issue::Runtime,
            format_args!("the report for {node} names another host: {host}"),
        )),
        None => Err(invalid(&"the report has no host")),
    }
}

/// Writes a report as Puppet does: a file of YAML under the node's name and the time.
pub fn store(directory: &Path, node: &str, report: &str) -> Result<PathBuf, Problem> {
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
pub fn log_messages(node: &str, report: &str) -> Result<(), Problem> {
    let mut log_message = |value: &str| {
        let message = piece(value, report)?;
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        let level = match text("level") {
            "debug" => Level::Debug,
            "info" | "notice" => Level::Info,
            "warning" => Level::Warning,
            _ => Level::Error,
        };
        let facts = [("node".to_owned(), node.into()), ("source".to_owned(), text("source").into())];
        log::write(level, text("message"), facts.into_iter().collect());
        Ok(())
    };
    json::each_entry(report, &mut |name, value| match name {
        "logs" => json::each_member(value, &mut log_message),
        _ => Ok(()),
    })
}

/// The report as the Ruby object that Puppet writes: each entry is a document of its own, and the documents make one.
fn to_yaml(report: &str) -> Result<String, Problem> {
    let mut out = String::from("--- !ruby/object:Puppet::Transaction::Report\n");
    json::each_entry(report, &mut |name, value| {
        let begin = value.as_bytes().first();
        let class = class_of(name).filter(|_| LARGE_PARTS.contains(&name));
        let before = out.len();
        out.push_str(name);
        out.push_str(":\n");
        let filled = out.len();
        match (class, begin) {
            (Some(class), Some(b'[')) => json::each_member(value, &mut |element| {
                let element = piece(element, report)?;
                add_document(&mut out, 0, |writer| {
                    writer.start_sequence(None);
                    write_object(writer, &element, Some(class), 2)?;
                    writer.end_sequence();
                    Ok(())
                })
            })?,
            (Some(class), Some(b'{')) => json::each_entry(value, &mut |key, member| {
                let (key, member) = (key.to_owned(), piece(member, report)?);
                add_document(&mut out, 2, |writer| {
                    writer.start_mapping(None);
                    writer.string(key);
                    write_object(writer, &member, Some(class), 2)?;
                    writer.end_mapping();
                    Ok(())
                })
            })?,
            _ => {}
        }
        if out.len() > filled {
            return Ok(());
        }
        // An entry that is short, or empty.
        out.truncate(before);
        let entry = Value::Object(serde_json::Map::from_iter([(name.to_owned(), piece(value, report)?)]));
        add_document(&mut out, 0, |writer| write_object(writer, &entry, None, 0))
    })?;
    Ok(out)
}

/// Adds what is written as a document, without its beginning, this far to the right.
fn add_document<'v>(
    out: &mut String,
    indent: usize,
    write: impl FnOnce(&mut Writer<'v>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut writer = Writer::new(Layout::default());
    write(&mut writer)?;
    let text = writer
        .finish()
        .map_err(|error| Problem::invalid("cannot write the report as YAML").because(error))?;
    let document = text.strip_prefix("---\n").unwrap_or(&text);
    for line in document.split_inclusive('\n') {
        if line != "\n" {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(line);
    }
    Ok(())
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
            "resource_statuses": {
                "File[/a]": {"title": "/a", "events": [{"status": "success", "message": "two\nlines\n\nand a third"}]},
                "Exec[x: 'y'\n]": {"title": "", "events": [], "tags": ["a", "yes", "1"]},
            },
            "corrective_change": false, "cached_catalog_status": "", "events": [{"a": 1}],
        });
        let text = to_yaml(&report.to_string()).unwrap();
        // The same as if all of it were one document.
        let mut writer = Writer::new(Layout::default());
        write_object(&mut writer, &report, Some("!ruby/object:Puppet::Transaction::Report"), 0).unwrap();
        assert_eq!(text, writer.finish().unwrap());
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
