//! The picture: the lines that matter, underlined.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use kukla::syntax::{Diagnostic, Severity, Source};

/// Draws one diagnostic. Colours are in the text; whoever prints it takes them out where they are not wanted.
pub fn picture(out: &mut String, source: &Source, diagnostic: &Diagnostic) {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Deprecation => Level::WARNING.with_name("deprecation"),
    };
    let text = source.text();
    let inside = |span: kukla::syntax::Span| clamp(text, span.range());
    let mut snippet = Snippet::source(text)
        .path(source.name())
        .annotation(AnnotationKind::Primary.span(inside(diagnostic.span)));
    for label in &diagnostic.labels {
        snippet = snippet.annotation(AnnotationKind::Context.span(inside(label.span)).label(&label.message));
    }
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.code.name).element(snippet);
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(hint));
    }
    out.push_str(&Renderer::styled().render(&[group]));
    out.push_str("\n\n");
}

/// The renderer wants ranges that lie within the text, on borders of characters. The end of the text is the end of its last
/// line, not the line that would come next.
pub(super) fn clamp(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let text = text.trim_end_matches(['\n', '\r']);
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.clamp(start, text.len()));
    start..end
}
