//! The report of `kukla diff`, with one module for each output format.

use clap::ValueEnum;
use kukla::diff::FleetDifference;

mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
#[cfg(test)]
mod tests;
mod words;

/// The output format of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a terminal: equal changes once, with their nodes
    #[default]
    Human,
    /// One JSON document with everything
    Json,
    /// Markdown for a comment on a pull request, truncated to GitHub's limit
    Markdown,
    /// One HTML page, with search and filters
    Html,
    /// Annotations for GitHub Actions, at the lines that cause the changes
    Github,
    /// JUnit XML, a test case for each node; nodes that do not compile and denied changes are failures
    Junit,
}

/// The parts of a report to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Only counts: of changes, of nodes, and of the effects of each file.
    pub only_numbers: bool,
}

/// Renders the report, with colours if the format has them.
pub fn render(report: &FleetDifference, extent: Extent, format: Format) -> String {
    match format {
        Format::Human => human::text(report, extent),
        Format::Json => json::text(report),
        Format::Markdown => markdown::text(report, extent),
        Format::Html => html::text(report, extent),
        Format::Github => github::text(report),
        Format::Junit => junit::text(report),
    }
}
