//! Rewrites: missing parameters, legacy facts, values that become parameters.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::{Span, SyntaxKind as K};
use kukla_check::repository::{Definition, facts, literal, plain};
use kukla_check::symbols::Symbol;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};
use std::sync::Arc;

use super::{action, edit_of, touches};
use crate::view::View;

/// Adds the required parameters that the declaration at a position lacks.
pub fn missing_parameters(view: &View<'_>, span: Span) -> Option<CodeAction> {
    let text = view.parsed()?;
    let index = view.index()?;
    let bodies = text.tree.elements().filter_map(|node| match Expr::cast(node) {
        Some(Expr::Resource(resource)) if touches(node.span(), span) => Some(resource),
        _ => None,
    });
    let resource = bodies.min_by_key(|resource| resource.span().len())?;
    let body =
        resource.bodies().find(|body| touches(body.span(), span)).or_else(|| resource.bodies().next())?;
    let definition: Arc<Definition> = match resource.type_expr() {
        None => index.classes.get(&plain(&literal::text(body.title())?))?.clone(),
        Some(Expr::Name(name)) => index.defines.get(&plain(name.name()))?.clone(),
        Some(_) => return None,
    };
    let is_there = |name: &str| body.attributes().any(|attribute| attribute.name() == name);
    if body.attributes().any(|attribute| attribute.operator() == ast::AttributeOp::Splat) {
        return None;
    }
    let missing: Vec<&str> = definition
        .parameters
        .iter()
        .filter(|parameter| !parameter.has_default && !is_there(&parameter.name))
        .filter(|parameter| {
            definition.kind == kukla_check::repository::Kind::Define
                || index.data.lacks(&definition, &parameter.name)
        })
        .map(|parameter| parameter.name.as_str())
        .collect();
    if missing.is_empty() {
        return None;
    }
    let line = text.source.line_column(resource.span().start).line;
    let start = text.source.lines().line_start(line)? as usize;
    let indent: String =
        view.text()[start..].chars().take_while(|c| c.is_whitespace() && *c != '\n').collect();
    let last = body.attributes().last().map(|attribute| attribute.span());
    let colon = body.syntax().child(K::Colon)?;
    let end = last.map_or(colon.span().end, |span| span.end);
    let has_comma = last.is_some() && view.text()[end as usize..].trim_start().starts_with(',');
    let mut new_text = if last.is_some() && !has_comma { ",".to_owned() } else { String::new() };
    let at = if has_comma { end + view.text()[end as usize..].find(',')? as u32 + 1 } else { end };
    for name in &missing {
        new_text.push_str(&format!("\n{indent}  {name} => undef,"));
    }
    let is_closed_on_line = view.text()[at as usize..].split('\n').next().unwrap_or_default().contains('}');
    if is_closed_on_line {
        new_text.push_str(&format!("\n{indent}"));
    }
    let title = match missing.as_slice() {
        [one] => format!("Add the missing parameter `{one}`"),
        more => format!("Add {} missing parameters", more.len()),
    };
    let edit = TextEdit { range: view.range(Span::at(at)), new_text };
    action(title, CodeActionKind::QUICKFIX, edit_of(view, vec![edit]))
}

/// Replaces the legacy fact at a position by its structured equivalent.
pub fn legacy_fact(view: &View<'_>, span: Span) -> Option<CodeAction> {
    let mut here = view.occurrences().into_iter().filter(|one| touches(one.span, span));
    let one = here.find(|one| matches!(view.resolve(&one.symbol), Some(Symbol::Fact(_))))?;
    let name = &view.text()[one.span.range()];
    let path = facts::structured_name(name)?;
    let access = format!("facts['{}']", path.replace('.', "']['"));
    let before = &view.text()[..one.span.start as usize];
    let (start, new_text) =
        if let Some(head) = before.strip_suffix("facts['").or_else(|| before.strip_suffix("facts[\"")) {
            (head.len() as u32, access.clone())
        } else if let Some(head) = before.strip_suffix("$::") {
            (head.len() as u32 + 1, access.clone())
        } else if before.ends_with(['$', '{']) {
            (one.span.start, access.clone())
        } else {
            return None;
        };
    let in_facts = before.ends_with("facts['") || before.ends_with("facts[\"");
    let end = if in_facts { one.span.end + 2 } else { one.span.end };
    // `"$osfamily"` needs braces around an access.
    let text = view.parsed()?;
    let token =
        text.tree.elements().find(|node| node.kind().is_token() && node.span().contains(one.span.start))?;
    let in_string = text
        .tree
        .elements()
        .any(|node| node.kind() == K::InterpolatedString && node.children().any(|child| child == token));
    let new_text =
        if in_string && token.kind() == K::Variable { format!("{{{new_text}}}") } else { new_text };
    let edit = TextEdit { range: view.range(Span::new(start, end)), new_text };
    action(format!("Use `${access}`"), CodeActionKind::REFACTOR_REWRITE, edit_of(view, vec![edit]))
}

/// Makes a parameter of the class of the literal value at a position, with the value as its default, so that data can set it.
pub fn extract_parameter(view: &View<'_>, span: Span) -> Option<CodeAction> {
    let text = view.parsed().filter(|text| !text.is_broken)?;
    let attributes = text.tree.elements().filter_map(ast::Attribute::cast);
    let attribute =
        attributes.filter(|one| touches(one.value().span(), span)).min_by_key(|one| one.span().len())?;
    let value = attribute.value();
    let ty = match value {
        Expr::String(text) if !text.value().is_empty() => "String[1]",
        Expr::String(_) => "String",
        Expr::Number(number) => match number.value() {
            kukla::syntax::Number::Integer { .. } => "Integer",
            kukla::syntax::Number::Float(_) => "Float",
        },
        Expr::Boolean(_) => "Boolean",
        Expr::Array(_) if literal::value(value).is_some() => "Array",
        Expr::Hash(_) if literal::value(value).is_some() => "Hash",
        _ => return None,
    };
    let classes = text.tree.elements().filter_map(ast::ClassDefinition::cast);
    let class =
        classes.filter(|class| touches(class.span(), value.span())).min_by_key(|class| class.span().len())?;
    let taken = |name: &str| class.syntax().descendants().any(|node| node.text() == format!("${name}"));
    let base = attribute.name().to_owned();
    let name = (1..100)
        .map(|n| if n == 1 { base.clone() } else { format!("{base}_{n}") })
        .find(|name| !taken(name))?;
    let parameter = format!("{ty} ${name} = {}", value.syntax().text());
    let list = class.syntax().child(K::Parameters);
    let insertion = match list {
        Some(list) => {
            let last = class.parameters().last();
            match last {
                Some(last) => {
                    let end = last.span().end;
                    let comma = view.text()[end as usize..].trim_start().starts_with(',');
                    let at =
                        if comma { end + view.text()[end as usize..].find(',')? as u32 + 1 } else { end };
                    let lead = if comma { "\n  " } else { ",\n  " };
                    TextEdit { range: view.range(Span::at(at)), new_text: format!("{lead}{parameter},") }
                }
                None => {
                    TextEdit { range: view.range(list.span()), new_text: format!("(\n  {parameter},\n)") }
                }
            }
        }
        None => {
            let at = class.name_token()?.span().end;
            TextEdit { range: view.range(Span::at(at)), new_text: format!(" (\n  {parameter},\n)") }
        }
    };
    let replacement = TextEdit { range: view.range(value.span()), new_text: format!("${name}") };
    let title = format!("Extract to the parameter `${name}`");
    action(title, CodeActionKind::REFACTOR_EXTRACT, edit_of(view, vec![insertion, replacement]))
}
