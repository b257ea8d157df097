//! Resource types as `puppet generate types` writes them into an environment's `.resource_types` directory.
//!
//! Such a file is one expression, `Puppet::Resource::ResourceType3.new(name, properties, parameters, title patterns, ...)`.
//! It is read, not evaluated: all of it is literal.

use std::borrow::Cow;

use kukla_catalog::types::{NativeType, TitlePattern, Titles};
use kukla_values::{Name, Value};

use crate::program::{Callee, Expr, Kind, Program};

/// The resource type that a generated program describes, if it is such a program.
pub(crate) fn read(program: &Program) -> Option<NativeType> {
    let Kind::Call(call) = &last(&program.main).kind else { return None };
    // Written as a method call, so the type itself comes first.
    let [_, name, properties, parameters, patterns, isomorphic, ..] = &*call.args else { return None };
    let properties = members(properties)?;
    let parameters = members(parameters)?;
    let namevar = |(name, is): &(&'static str, bool)| (*is || *name == "name").then_some(*name);
    let namevars: Vec<&'static str> = parameters.iter().chain(&properties).filter_map(namevar).collect();
    let sorted = |members: Vec<(&'static str, bool)>| {
        let mut names: Vec<_> = members.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        Cow::Owned(names)
    };
    Some(NativeType {
        name: Name::new(&text(name)?).as_str(),
        properties: sorted(properties),
        parameters: sorted(parameters),
        titles: titles(patterns, &namevars)?,
        namevars: namevars.into(),
        isomorphic: matches!(literal(isomorphic), Some(Value::Boolean(true))),
        open: false,
    })
}

fn last(expr: &Expr) -> &Expr {
    match &expr.unwrapped().kind {
        Kind::Block(all) => all.last().map_or(expr, last),
        Kind::Constant(constant) => last(&constant.expr),
        _ => expr.unwrapped(),
    }
}

/// `[Puppet::Resource::Param(Type, 'name', true), ...]`: names, each with whether it is a name variable.
fn members(expr: &Expr) -> Option<Vec<(&'static str, bool)>> {
    let elements = match &last(expr).kind {
        Kind::Array(elements) => elements,
        Kind::Literal(Value::Array(elements)) if elements.is_empty() => return Some(Vec::new()),
        _ => return None,
    };
    let member = |element: &Expr| {
        let Kind::Call(call) = &last(element).kind else { return None };
        let Callee::Type(_) = &call.callee else { return None };
        let [_, name, rest @ ..] = &*call.args else { return None };
        let is_namevar = rest.first().and_then(literal).is_some_and(Value::is_true);
        Some((Name::new(&text(name)?).as_str(), is_namevar))
    };
    elements.iter().map(member).collect()
}

/// `{/regexp/ => ['name', ...], ...}`.
fn titles(expr: &Expr, namevars: &[&str]) -> Option<Titles> {
    let entries: Vec<(String, Vec<&'static str>)> = match &last(expr).kind {
        Kind::Hash(entries) => {
            entries.iter().map(|(key, names)| pattern(literal(key)?, names)).collect::<Option<_>>()?
        }
        Kind::Literal(Value::Hash(hash)) => {
            hash.iter().map(|(key, names)| Some((regexp(key)?, strings(names)?))).collect::<Option<_>>()?
        }
        _ => return None,
    };
    if let [(regexp, names)] = &entries[..]
        && regexp == "(?m-ix:(.*))"
        && names.len() == 1
        && names.first() == namevars.first()
    {
        return Some(if namevars.len() == 1 { Titles::Whole } else { Titles::First });
    }
    let pattern = |(regexp, names): (String, Vec<_>)| TitlePattern {
        regexp: regexp.into(),
        attributes: names.into(),
        changes: Vec::new(),
    };
    Some(Titles::Patterns(entries.into_iter().map(pattern).collect()))
}

fn pattern(key: &Value, names: &Expr) -> Option<(String, Vec<&'static str>)> {
    let names = match &last(names).kind {
        Kind::Array(elements) => {
            elements.iter().map(|each| Some(Name::new(&text(each)?).as_str())).collect::<Option<_>>()?
        }
        Kind::Literal(value) => strings(value)?,
        _ => return None,
    };
    Some((regexp(key)?, names))
}

fn regexp(value: &Value) -> Option<String> {
    match value {
        Value::Regexp(regexp) => Some(regexp.source().to_owned()),
        _ => None,
    }
}

fn strings(value: &Value) -> Option<Vec<&'static str>> {
    value.as_array()?.iter().map(|each| Some(Name::new(each.as_str()?).as_str())).collect()
}

fn literal(expr: &Expr) -> Option<&Value> {
    match &last(expr).kind {
        Kind::Literal(value) => Some(value),
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<String> {
    match &last(expr).kind {
        Kind::Literal(Value::String(text)) | Kind::Name(text) => Some(text.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_file() {
        let code = "Puppet::Resource::ResourceType3.new(
          'thing',
          [Puppet::Resource::Param(Enum['present', 'absent'], 'ensure')],
          [Puppet::Resource::Param(Any, 'path', true), Puppet::Resource::Param(Variant[Boolean, Enum['x']], 'force')],
          { /(?m-ix:(.*))/ => ['path'] },
          true, false)";
        let source = kukla_syntax::Source::unnamed(code);
        let program = crate::lower::lower(&source, &Default::default()).expect("it parses");
        let ty = read(&program).expect("it is a type");
        assert_eq!(
            (ty.name, &*ty.properties, &*ty.parameters),
            ("thing", &["ensure"][..], &["force", "path"][..])
        );
        assert!(matches!(ty.titles, Titles::Whole) && ty.isomorphic);
    }
}
