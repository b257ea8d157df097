//! The occurrences of names in ERB templates.

use kukla::syntax::Span;
use kukla::values::Str;

use super::{Occurrence, Owner, Role, Symbol, renderers};
use crate::checker::Snapshot;
use crate::erb::ErbFile;
use crate::repository::plain;

/// Every variable that an ERB template reads as `@name` or through `scope`, in the order of the text.
pub fn erb_occurrences(snapshot: &Snapshot, file: &ErbFile) -> Vec<Occurrence> {
    let own = renderers(snapshot, &file.name).next();
    let owner = match own {
        Some(name) if snapshot.index.classes.contains_key(name) => Owner::Class(name.clone()),
        Some(name) => Owner::Define(name.clone()),
        None => Owner::Top,
    };
    occurrences_in(file.source.text(), &owner)
}

fn occurrences_in(text: &str, owner: &Owner) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find("<%") {
        let start = from + open + 2;
        let end = text[start..].find("%>").map_or(text.len(), |at| start + at);
        if !text[start..].starts_with(['#', '%']) {
            instance_variables(text, start, end, owner, &mut found);
            through_scope(text, start, end, &mut found);
        }
        from = end;
    }
    found.sort_by_key(|one| one.span.start);
    found
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `@name`
fn instance_variables(text: &str, start: usize, end: usize, owner: &Owner, found: &mut Vec<Occurrence>) {
    for (at, _) in text[start..end].match_indices('@') {
        let at = start + at + 1;
        let length = text[at..end].find(|c: char| !is_part(c)).unwrap_or(end - at);
        let is_own = !text[..at - 1].ends_with('@') && !text[at..].starts_with('@');
        // Ruby sets those that begin with an underscore.
        let is_variable = text[at..].starts_with(|c: char| c.is_ascii_lowercase());
        if length > 0 && is_own && is_variable {
            let symbol = Symbol::Variable { owner: owner.clone(), name: text[at..at + length].into() };
            let span = Span::new(at as u32, (at + length) as u32);
            found.push(Occurrence { symbol, span, role: Role::Read });
        }
    }
}

/// `scope['class::name']`, `scope.lookupvar('class::name')`
fn through_scope(text: &str, start: usize, end: usize, found: &mut Vec<Occurrence>) {
    for before in ["scope[", "scope.lookupvar("] {
        for (at, _) in text[start..end].match_indices(before) {
            let quote = start + at + before.len();
            let Some(mark) = text[quote..end].chars().next().filter(|c| matches!(c, '\'' | '"')) else {
                continue;
            };
            let inside = quote + 1;
            let Some(length) = text[inside..end].find(mark) else { continue };
            let full = &text[inside..inside + length];
            let (owner, name) = match full.rsplit_once("::") {
                Some(("", name)) => (Owner::Top, name),
                Some((class, name)) => (Owner::Class(plain(class)), name),
                None => (Owner::Top, full),
            };
            if name.is_empty() {
                continue;
            }
            let from = inside + length - name.len();
            let symbol = Symbol::Variable { owner, name: Str::from(name) };
            let span = Span::new(from as u32, (inside + length) as u32);
            found.push(Occurrence { symbol, span, role: Role::Read });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_templates() {
        let text = "a@b.c <%= @port %> <%# @no %> <% scope['web::x'].each { |a| @@k } %><%= scope.lookupvar('::y') %>";
        let found = occurrences_in(text, &Owner::Top);
        let names: Vec<&str> = found.iter().map(|one| &text[one.span.range()]).collect();
        assert_eq!(names, ["port", "x", "y"]);
    }
}
