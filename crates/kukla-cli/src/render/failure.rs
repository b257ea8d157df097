//! Errors and log messages of a program that ran.

use std::fmt::Write;

use clap::ValueEnum;
use kukla::eval::error::Diagnostic;
use kukla::eval::messages::Log;
use kukla::eval::settings::LogLevel;

use super::human::source_excerpt;

/// The output format of errors and messages of a program that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    /// Source excerpts, hints, and the calls and resources around the error
    #[default]
    Human,
    /// One line each, as Puppet prints it
    Puppet,
    /// One JSON object per line, as in `kukla rpc`
    Json,
}

/// Renders an error and those reported with it.
pub fn render(out: &mut String, failure: &Diagnostic, node: &str, format: ErrorFormat) {
    std::iter::once(failure).chain(&failure.others).for_each(|one| render_one(out, one, node, format));
}

/// Renders an error alone.
pub fn render_one(out: &mut String, failure: &Diagnostic, node: &str, format: ErrorFormat) {
    match format {
        ErrorFormat::Human => source_excerpt(out, failure, Some(node)),
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

/// How many bytes of messages a person is shown; programs get all of them.
const MOST_SHOWN: usize = 16 << 20;

/// Renders the log messages of a program.
pub fn logs(out: &mut String, logs: &[Log], format: ErrorFormat) {
    let before = out.len();
    for (at, log) in logs.iter().enumerate() {
        if format == ErrorFormat::Human && out.len() - before > MOST_SHOWN {
            let _ = writeln!(out, "… ({} more messages; `--errors puppet` shows all)", logs.len() - at);
            return;
        }
        self::log(out, log, format);
    }
}

/// Renders one log message.
pub fn log(out: &mut String, log: &Log, format: ErrorFormat) {
    if format == ErrorFormat::Json {
        let _ = writeln!(out, "{}", kukla::rpc::log(log));
        return;
    }
    if let (ErrorFormat::Human, Some(rule)) = (format, &log.rule) {
        source_excerpt(out, rule, None);
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
            let at = location.source.line_column(location.span.point);
            let file = location.file().map(|file| format!("file: {file}, ")).unwrap_or_default();
            format!(" ({file}line: {}, column: {})", at.line, at.column)
        }
    };
    let _ = writeln!(out, "{level}: {source}{}{place}", log.message);
}
