//! Renderers: diagnostics, values and reports in each output format.

use std::fmt::Write;

use clap::ValueEnum;
use kukla::syntax::{Diagnostic, LineColumn, Severity};

use position::LineRange;

pub mod diff;
pub mod difference;
pub mod failure;
pub mod github;
pub mod graph;
pub(crate) mod human;
mod json;
pub mod junit;
pub mod markup;
pub mod position;
mod sarif;
pub mod table;
mod value;
pub mod visible;

pub use position::relative_path;
pub use value::ValueFormat;

/// The output format of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Source excerpts with underlines, and hints
    #[default]
    Human,
    /// One line each: file:line:column: severity, code, message
    Short,
    /// One JSON array
    Json,
    /// SARIF 2.1.0, for code scanning tools
    Sarif,
    /// Annotations for GitHub Actions
    Github,
    /// One line each, as Puppet prints it
    Puppet,
}

/// The findings of one file.
#[derive(Debug)]
pub struct Findings {
    /// The diagnostics, in order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// The numbers of errors and of all other findings.
    pub fn counts(&self) -> (usize, usize) {
        let errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        (errors, self.diagnostics.len() - errors)
    }
}

/// Renders all findings.
pub fn render(findings: &[Findings], format: Format) -> String {
    match format {
        Format::Json => return json::document(findings),
        Format::Sarif => return sarif::document(findings),
        _ => {}
    }
    let mut out = String::new();
    for diagnostic in findings.iter().flat_map(|file| &file.diagnostics) {
        match format {
            Format::Short => short(&mut out, diagnostic),
            Format::Github => github::annotation(&mut out, diagnostic),
            Format::Puppet => puppet(&mut out, diagnostic),
            _ => human::source_excerpt(&mut out, diagnostic, None),
        }
    }
    out
}

/// The source excerpts of all findings, without colours.
pub fn plain(findings: &[Findings]) -> String {
    anstream::adapter::strip_str(&render(findings, Format::Human)).to_string()
}

fn short(out: &mut String, diagnostic: &Diagnostic) {
    let LineRange { file, point: LineColumn { line, column }, .. } = LineRange::of(diagnostic);
    let file = file.map_or("-", relative_path);
    let Diagnostic { severity, code, .. } = diagnostic;
    let _ = writeln!(out, "{file}:{line}:{column}: {severity}[{}] {}", code.name, diagnostic.message());
}

/// The line that `puppet parser validate` logs.
fn puppet(out: &mut String, diagnostic: &Diagnostic) {
    let level = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning | Severity::Deprecation => "Warning",
    };
    let _ = writeln!(out, "{level}: {diagnostic}");
}

#[cfg(test)]
mod tests {
    use kukla::syntax::codes::ILLEGAL_NUMBER;
    use kukla::syntax::{Source, Span, diagnostic};

    use super::*;

    fn findings() -> Vec<Findings> {
        let source = Source::new("a.pp", "$x = 1\n$y = 1x\n");
        let wrong = diagnostic!(Span::new(12, 14), ILLEGAL_NUMBER { value: "1x" }; hint: "quote it")
            .label(Span::new(0, 2), "the first variable");
        vec![Findings { diagnostics: vec![wrong.in_source(&source)] }]
    }

    #[test]
    fn one_line_forms() {
        assert_eq!(
            render(&findings(), Format::Short),
            "a.pp:2:6: error[ILLEGAL_NUMBER] Illegal number '1x'\n"
        );
        assert_eq!(
            render(&findings(), Format::Puppet),
            "Error: Illegal number '1x' (file: a.pp, line: 2, column: 6)\n"
        );
        assert_eq!(
            render(&findings(), Format::Github),
            "::error file=a.pp,line=2,col=6,endLine=2,endColumn=8,title=ILLEGAL_NUMBER::Illegal number '1x'\n"
        );
    }

    #[test]
    fn one_line_forms_name_the_position_of_puppet_and_excerpts_the_whole_range() {
        let source = Source::new("a.pp", "$x = 1\n$y = 1x\n");
        let span = Span::new(7, 14).pointing_at(10);
        let wrong = diagnostic!(span, ILLEGAL_NUMBER { value: "1x" });
        let findings = [Findings { diagnostics: vec![wrong.in_source(&source)] }];
        assert!(render(&findings, Format::Short).starts_with("a.pp:2:4: "));
        assert!(render(&findings, Format::Puppet).contains("line: 2, column: 4)"));
        assert!(render(&findings, Format::Github).contains("line=2,col=4,endLine=2,endColumn=8"));
        assert!(render(&findings, Format::Json).contains("\"column\": 4"));
        assert!(render(&findings, Format::Sarif).contains("\"startColumn\": 1"));
        assert!(plain(&findings).contains("\n2 | $y = 1x\n  | ^^^^^^^"), "{}", plain(&findings));
    }

    #[test]
    fn documents_are_json() {
        for format in [Format::Json, Format::Sarif] {
            let document: serde_json::Value = serde_json::from_str(&render(&findings(), format)).unwrap();
            assert!(document.to_string().contains("ILLEGAL_NUMBER"));
        }
    }

    #[test]
    fn source_excerpt() {
        let plain = plain(&findings());
        for part in
            ["error[ILLEGAL_NUMBER]: Illegal number '1x'", "a.pp:2:6", "the first variable", "quote it"]
        {
            assert!(plain.contains(part), "{plain}");
        }
    }
}
