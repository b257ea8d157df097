//! The report of `kukla diff`, in the shapes that people and programs want: one function of one file for each.

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

/// How the report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal: equal changes once, with the nodes that have them
    #[default]
    Human,
    /// One JSON document with everything
    Json,
    /// Markdown for a comment on a pull request, cut to the size that GitHub takes
    Markdown,
    /// One page for a browser, with search and filters
    Html,
    /// Annotations for GitHub Actions, at the lines that are the reasons
    Github,
    /// JUnit XML, a test case for each node; nodes that do not compile and denied changes are failures
    Junit,
}

/// How much of a report is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Only numbers: how much changes, on which nodes, and what each file does.
    pub only_numbers: bool,
}

/// Prints the report. Colours are in the text where the format has them.
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
