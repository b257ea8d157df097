//! What went wrong while a program ran, and what it logged.

use std::fmt::Write;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::ValueEnum;
use kukla::eval::error::Failure;
use kukla::eval::settings::LogLevel;
use kukla::eval::vm::Log;

use super::human::clamp;

/// How errors and messages of a running program are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    /// A picture of the source, hints, and what was going on
    #[default]
    Human,
    /// The line that Puppet prints
    Puppet,
    /// One JSON object a line, as in `kukla rpc`
    Json,
}

/// Prints a failure and those reported with it.
pub fn render(out: &mut String, failure: &Failure, node: &str, format: ErrorFormat) {
    for failure in std::iter::once(failure).chain(&failure.others) {
        match format {
            ErrorFormat::Human => picture(out, failure, node),
            ErrorFormat::Puppet => {
                let _ = writeln!(out, "Error: {failure} on node {node}");
            }
            ErrorFormat::Json => {
                for error in kukla::rpc::errors(failure) {
                    let _ = writeln!(out, "{error}");
                }
            }
        }
    }
}

fn picture(out: &mut String, failure: &Failure, node: &str) {
    let title = Level::ERROR.primary_title(&failure.message).id(failure.code);
    let Some(location) = &failure.location else {
        let mut group = annotate_snippets::Group::with_title(title);
        let place = failure.data_file.as_deref().and_then(|(file, line)| match (file, line) {
            (Some(file), Some(line)) => Some(format!("see {file}, line {line}")),
            (Some(file), None) => Some(format!("see {file}")),
            (None, line) => line.map(|line| format!("see line {line}")),
        });
        for hint in place.iter().chain(&failure.hints) {
            group = group.element(Level::HELP.message(hint));
        }
        out.push_str(&Renderer::styled().render(&[group]));
        out.push_str("\n\n");
        return;
    };
    let text = location.source.text();
    let snippet = Snippet::source(text)
        .path(location.source.name())
        .annotation(AnnotationKind::Primary.span(clamp(text, location.span.range())));
    let mut group = title.element(snippet);
    for hint in &failure.hints {
        group = group.element(Level::HELP.message(hint));
    }
    let mut notes: Vec<String> = failure
        .trace
        .iter()
        .map(|trace| {
            let line = trace.location.line();
            match trace.location.file() {
                Some(file) => format!("{} ({file}:{line})", trace.what),
                None => format!("{} (line {line})", trace.what),
            }
        })
        .collect();
    if !failure.within.is_empty() {
        notes.push(format!("in {}, on node {node}", failure.within.join(" in ")));
    }
    for note in &notes {
        group = group.element(Level::NOTE.message(note));
    }
    out.push_str(&Renderer::styled().render(&[group]));
    out.push_str("\n\n");
}

/// Prints one message.
pub fn log(out: &mut String, log: &Log, format: ErrorFormat) {
    if format == ErrorFormat::Json {
        let _ = writeln!(out, "{}", kukla::rpc::log(log));
        return;
    }
    let level = match log.level {
        LogLevel::Debug => "Debug",
        LogLevel::Info => "Info",
        LogLevel::Notice => "Notice",
        LogLevel::Warning => "Warning",
        LogLevel::Err => "Error",
        LogLevel::Alert => "Alert",
        LogLevel::Emerg => "Emergency",
        LogLevel::Crit => "Critical",
    };
    let source = if log.source == "Puppet" { String::new() } else { format!("{}: ", log.source) };
    let place = match &log.location {
        None => String::new(),
        Some(location) => {
            let at = location.source.line_column(location.span.start);
            let file = location.file().map(|file| format!("file: {file}, ")).unwrap_or_default();
            format!(" ({file}line: {}, column: {})", at.line, at.column)
        }
    };
    let _ = writeln!(out, "{level}: {source}{}{place}", log.message);
}
