//! Strings: their quotes and what is interpolated into them.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use crate::document::Op;
use crate::options::Quotes;

impl<'t> Lowering<'t> {
    /// A string without interpolation.
    pub(super) fn string(&mut self, node: Node<'t>) {
        let text = node.text();
        let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let Some(inside) =
            inside.filter(|_| node.kind() == K::DqString && self.options.quotes == Quotes::Single)
        else {
            return self.token(node);
        };
        if inside.contains(['\'', '"', '\\']) {
            return self.token(node);
        }
        self.lead();
        self.end_line_before(inside);
        self.document.push(Op::Text("'"));
        self.document.text(inside);
        self.document.push(Op::Text("'"));
        self.at = node.index() + 1;
        self.trail();
    }

    /// A string with interpolation. Only the form of plain variables is changed: `"$a ${ b }"` is `"${a} ${b}"`.
    pub(super) fn interpolated(&mut self, node: Node<'t>) {
        self.lead();
        self.end_line_before(node.text());
        let mut printed = node.start() as usize;
        let parts: Vec<Node<'t>> = node.children().collect();
        for (part, next) in parts.iter().zip(parts.iter().skip(1)) {
            let variable = match part.kind() {
                // A variable without braces is a child of the string itself.
                K::Variable if self.is_bare(*part) => part.text().strip_prefix('$'),
                K::Interpolation => only_variable(*part),
                _ => None,
            };
            if let Some(name) = variable {
                self.document.text(&self.text[printed..part.start() as usize]);
                self.document.push(Op::Text("${"));
                self.document.push(Op::Text(name));
                self.document.push(Op::Text("}"));
                printed = next.start() as usize;
            }
        }
        self.document.text(&self.text[printed..node.span().end as usize]);
        self.pass(node);
        self.trail();
    }

    /// Ends the line before a text of several lines if something waits for its end.
    fn end_line_before(&mut self, text: &str) {
        if text.contains('\n') && self.document.needs_line_end() {
            self.document.hard_line(false);
        }
    }

    fn is_bare(&self, variable: Node<'t>) -> bool {
        variable.text().strip_prefix('$').is_some_and(is_plain_name)
    }
}

/// The name of the variable in `${name}` or `${$name}` if nothing else is between the braces.
fn only_variable(interpolation: Node<'_>) -> Option<&str> {
    let mut parts = interpolation.all_children();
    let (open, close) = (parts.next()?, interpolation.all_children().last()?);
    if open.kind() != K::InterpolationOpen || close.kind() != K::InterpolationClose {
        return None;
    }
    let mut name = None;
    for part in parts.filter(|part| *part != close) {
        match part.kind() {
            K::Whitespace => {}
            K::Variable | K::VariableName if name.is_none() => name = Some(part.text()),
            _ => return None,
        }
    }
    let name = name?;
    let name = name.strip_prefix('$').unwrap_or(name);
    is_plain_name(name).then_some(name)
}

/// Whether a name means the variable when it is alone between `${` and `}`.
fn is_plain_name(name: &str) -> bool {
    let segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    // `$08` is a variable in a string, but `${08}` is an invalid number.
    let is_number = name == "0"
        || (name.starts_with(|c: char| matches!(c, '1'..='9'))
            && name.bytes().all(|byte| byte.is_ascii_digit()));
    let is_name = name.strip_prefix("::").unwrap_or(name).split("::").all(segment);
    (is_number || is_name) && !matches!(name, "true" | "false" | "undef")
}
