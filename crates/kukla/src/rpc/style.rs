//! The methods `lint` and `format`.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use kukla_format::{Arrows, FormatError, Language, Options, Quotes, range_edits};
use kukla_lint::fix::Limits;
use kukla_lint::{Reported, Selection, Settings, rules};
use kukla_syntax::{Diagnostic, Problem, Source};
use kukla_world::World;
use serde_json::{Map, Value, json};

use super::failed::Failed;
use super::methods::Answer;
use super::params::Params;
use crate::analysis::{Analysis, Rules};
use crate::style::{FormatSettings, LintTable, find_rule};

/// The options of `lint`, with the names that puppet-lint and its plugins give them.
const LINT_OPTIONS: [&str; 4] =
    ["chars_per_indent", "docs_allowed_styles", "relative", "top_scope_variables"];

/// `lint`: the findings of a text, and the text after fixes.
pub(super) fn lint(world: &dyn World, params: &Map<String, Value>, out: &mut String) -> Answer {
    let (params, none) = (Params(params), Map::new());
    let code = code(params)?;
    let path = params.text("path")?.unwrap_or_default();
    let mut selection = match params.texts("checks")? {
        Some(names) => {
            let unknown = names.iter().find(|name| rules::find(name).is_none());
            if let Some(Err(problem)) = unknown.map(|name| find_rule(name)) {
                return Err(invalid(&problem));
            }
            Selection::of(&names, Settings::default())
        }
        None => LintTable::find(world, Path::new(path))
            .and_then(|table| table.selection(None))
            .map_err(|problem| invalid(&problem))?,
    };
    let options = params.options(&none, &LINT_OPTIONS)?;
    let settings = &mut selection.settings;
    settings.relative = options.flag("relative")?.unwrap_or(settings.relative);
    if let Some(indent) = options.number("chars_per_indent", 1, 16)? {
        settings.indent = indent as usize;
    }
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    if let Some(names) = options.texts("top_scope_variables")? {
        settings.top_scope_variables = owned(names);
    }
    if let Some(styles) = options.texts("docs_allowed_styles")? {
        settings.documentation_styles = owned(styles);
    }
    let limits = Limits { tasks: is_plan(path), ..Limits::default() };
    let limits = params.flag("fix")?.unwrap_or_default().then_some(limits);
    let full_path = match path {
        "" => PathBuf::new(),
        path => world.here().join(path),
    };
    let outcome = selection.apply(code, path, &full_path.to_string_lossy(), limits);
    let problems: Vec<Value> = outcome.findings.iter().map(problem).collect();
    let code = outcome.fixed.as_deref().unwrap_or(code);
    let _ = write!(out, "{}", json!({"problems": problems, "code": code}));
    Ok(())
}

fn problem(reported: &Reported) -> Value {
    let Reported { kind, finding } = reported;
    let mut problem = json!({
        "kind": kind.name(),
        "check": finding.code.name,
        "message": finding.message(),
        "line": finding.line,
        "column": finding.column,
    });
    if let Some(reason) = finding.ignored.as_ref().filter(|reason| !reason.is_empty()) {
        problem["reason"] = reason.as_str().into();
    }
    problem
}

/// `format`: the formatted text.
pub(super) fn format(world: &dyn World, params: &Map<String, Value>, out: &mut String) -> Answer {
    let (params, none) = (Params(params), Map::new());
    let code = code(params)?;
    let path = params.text("path")?.unwrap_or_default();
    let configured = FormatSettings::default().options(world, Path::new(path));
    let configured = configured.map_err(|problem| invalid(&problem))?;
    let options = params.options(&none, &["arrows", "indent", "quotes", "width"])?;
    let options = Options {
        width: options.number("width", 40, 1000)?.unwrap_or(configured.width),
        indent: options.number("indent", 1, 16)?.unwrap_or(configured.indent),
        arrows: options.of_kind("arrows", arrows, "'aligned' or 'single'")?.unwrap_or(configured.arrows),
        quotes: options.of_kind("quotes", quotes, "'single' or 'as-written'")?.unwrap_or(configured.quotes),
    };
    let language = Language::of_path(Path::new(path));
    let formatted = match params.of_kind("range", range, "[first, last], two line numbers from 1")? {
        Some(lines) => {
            range_edits(code, language, &options, &lines).map(|edits| kukla_format::apply(code, &edits))
        }
        None => kukla_format::format(code, language, &options),
    };
    match formatted {
        Ok(formatted) => {
            let _ = write!(out, "{}", json!({"code": formatted}));
            Ok(())
        }
        Err(FormatError::Syntax(_)) => {
            let source = if path.is_empty() { Source::unnamed(code) } else { Source::new(path, code) };
            let rules = Rules { tasks: language == Language::Plan, ..Rules::default() };
            let analysis = Analysis::new(&source, &rules);
            Err(Failed::program(analysis.diagnostics.iter().filter(|found| Diagnostic::is_error(found))))
        }
        Err(error @ FormatError::Meaning(_)) => Err(Failed::request(format!("cannot format: {error}"))),
    }
}

fn code(params: Params<'_>) -> Result<&str, Failed> {
    params.text("code")?.ok_or_else(|| Failed::request("the method requires code"))
}

fn invalid(problem: &Problem) -> Failed {
    Failed::request(problem.to_string())
}

fn is_plan(path: &str) -> bool {
    Language::of_path(Path::new(path)) == Language::Plan
}

fn arrows(value: &Value) -> Option<Arrows> {
    match value.as_str()? {
        "aligned" => Some(Arrows::Aligned),
        "single" => Some(Arrows::Single),
        _ => None,
    }
}

fn quotes(value: &Value) -> Option<Quotes> {
    match value.as_str()? {
        "single" => Some(Quotes::Single),
        "as-written" => Some(Quotes::AsWritten),
        _ => None,
    }
}

fn range(value: &Value) -> Option<RangeInclusive<usize>> {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    match value.as_array()?.as_slice() {
        [first, last] => {
            let lines = number(first)?..=number(last)?;
            (*lines.start() > 0 && !lines.is_empty()).then_some(lines)
        }
        _ => None,
    }
}
