//! Parameters of classes and defined types: their order, types and defaults.

use std::ops::Range;

use kukla_syntax::Code;

use crate::manifest::{Definition, Manifest};
use crate::report::Report;
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A parameter with a default comes before one without.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp ($ensure = 'present', $server) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp ($server, $ensure = 'present') { }
    /// ```
    PARAMETER_ORDER = "parameter_order": Warning, "puppet-lint", on, None, order,
        "optional parameter listed before required parameter";

    /// A parameter of the type `Optional` has a default other than `undef`, so the type says more than it should. An `Optional` parameter
    /// of a defined type without a default must be given, which is not optional.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp (Optional[String] $server = 'pool.ntp.org') { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (String $server = 'pool.ntp.org') { }
    /// ```
    OPTIONAL_DEFAULT = "optional_default": Warning, "optional_default-check", on, None, optional_default,
        "Optional parameter defaults to something other than undef";

    /// A parameter has no data type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp ($server) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (String $server) { }
    /// ```
    PARAMETER_TYPES = "parameter_types": Warning, "param-types", on, None, types,
        "missing datatype for parameter {name}::{parameter}";

    /// A parameter of a string type has the empty string as its default. `Optional` and `undef` say that there is no value.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp (String $server = '') { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (Optional[String] $server = undef) { }
    /// ```
    PARAMS_EMPTY_STRING_ASSIGNMENT = "params_empty_string_assignment": Warning, "params_empty_string-check", on, None, empty_string,
        "class parameter with String type defaults to empty string";

    /// A parameter has the default `undef`, which its type does not allow.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp (String $server = undef) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (Optional[String] $server = undef) { }
    /// ```
    PARAMS_NOT_OPTIONAL_WITH_UNDEF = "params_not_optional_with_undef": Warning, "params_not_optional_with_undef-check", on, None, not_optional,
        "Not optional parameter defaults to undef";

    /// The default of a parameter is looked up explicitly. Puppet looks up parameters of classes by itself.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp ($server = lookup('server')) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp ($server) { }
    /// ```
    LOOKUP_IN_PARAMETER = "lookup_in_parameter": Warning, "lookup_in_parameter-check", on, None, lookup,
        "lookup used to set the default value of a parameter";
}

static WITHOUT_DEFAULT: Code =
    another(&OPTIONAL_DEFAULT, "Optional defined type parameter doesn't have a default");

fn order(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for range in manifest.definitions().filter_map(|definition| definition.parameters.clone()) {
        let (mut parentheses, mut brackets, mut has_default) = (0u32, 0u32, false);
        for at in range {
            match manifest.kind(at) {
                Kind::Lparen => parentheses += 1,
                Kind::Rparen => parentheses = parentheses.saturating_sub(1),
                Kind::Lbrace | Kind::Lbrack => brackets += 1,
                Kind::Rbrace | Kind::Rbrack => brackets = brackets.saturating_sub(1),
                Kind::Equals => has_default = true,
                Kind::Variable
                    if has_default
                        && parentheses == 0
                        && brackets == 0
                        && is_parameter(manifest, at)
                        && is_required(manifest, at) =>
                {
                    report.at(manifest, at, &PARAMETER_ORDER);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn is_parameter(manifest: &Manifest<'_>, at: At) -> bool {
    matches!(
        manifest.previous_code_kind(at),
        Some(Kind::Lparen | Kind::Comma | Kind::Type | Kind::Rbrack | Kind::Classref)
    )
}

fn is_required(manifest: &Manifest<'_>, at: At) -> bool {
    matches!(manifest.next_code_kind(at), None | Some(Kind::Comma | Kind::Rparen))
}

/// The parameters of a definition: variables that begin a list element. `braces` tells whether a comma within braces separates parameters.
pub(super) fn parameters(manifest: &Manifest<'_>, definition: &Definition, braces: bool) -> Vec<At> {
    let Some(range) = definition.parameters.clone() else { return Vec::new() };
    let (mut parameters, mut at) = (Vec::new(), range.start);
    while at < range.end {
        if manifest.kind(at) == Kind::Variable {
            parameters.push(at);
            let mut nesting = 0i32;
            at += 1;
            while at < range.end {
                match manifest.kind(at) {
                    Kind::Lparen | Kind::Lbrack => nesting += 1,
                    Kind::Rparen | Kind::Rbrack => nesting -= 1,
                    Kind::Lbrace if braces => nesting += 1,
                    Kind::Rbrace if braces => nesting -= 1,
                    Kind::Comma if nesting <= 0 => break,
                    _ => {}
                }
                at += 1;
            }
        }
        at += 1;
    }
    parameters
}

/// The tokens of the default of a parameter.
fn default_value(manifest: &Manifest<'_>, parameter: At) -> Range<At> {
    let (mut nesting, mut first) = (0i32, None);
    let Some(start) = manifest.next_code(parameter) else { return 0..0 };
    for at in start..manifest.tokens.len() {
        let is_end = match manifest.kind(at) {
            Kind::Lparen | Kind::Lbrack => {
                nesting += 1;
                false
            }
            Kind::Rbrack => {
                nesting -= 1;
                false
            }
            Kind::Rparen => {
                nesting -= 1;
                nesting < 0
            }
            Kind::Equals => {
                first = manifest.next_code(at);
                false
            }
            Kind::Comma => nesting <= 0,
            _ => false,
        };
        if is_end {
            let last = manifest.previous_code(at);
            return first.zip(last).map_or(0..0, |(first, last)| first..last + 1);
        }
    }
    0..0
}

/// The tokens of the type of a parameter.
fn data_type(manifest: &Manifest<'_>, parameter: At) -> Range<At> {
    let (mut nesting, mut at) = (0i32, manifest.previous_code(parameter));
    while let Some(here) = at {
        let is_begin = match manifest.kind(here) {
            Kind::Lbrack => {
                nesting += 1;
                false
            }
            Kind::Lparen => {
                nesting += 1;
                nesting > 0
            }
            Kind::Rbrack | Kind::Rparen => {
                nesting -= 1;
                false
            }
            Kind::Comma => nesting == 0,
            _ => false,
        };
        if is_begin {
            let (first, last) = (manifest.next_code(here), manifest.previous_code(parameter));
            return first
                .zip(last)
                .filter(|(first, last)| first <= last)
                .map_or(0..0, |(first, last)| first..last + 1);
        }
        at = manifest.previous_code(here);
    }
    0..0
}

/// A parameter that has a type which begins with a built-in name, and its default.
struct Typed<'t> {
    at: At,
    type_name: &'t str,
    data_type: Range<At>,
    default: Range<At>,
    is_of_define: bool,
}

fn typed<'m, 't>(manifest: &'m Manifest<'t>) -> impl Iterator<Item = Typed<'t>> + use<'m, 't> {
    manifest.definitions().flat_map(move |definition| {
        parameters(manifest, definition, false).into_iter().filter_map(move |at| {
            let data_type = data_type(manifest, at);
            let first = data_type.clone().next().filter(|first| manifest.kind(*first) == Kind::Type)?;
            Some(Typed {
                at,
                type_name: manifest.value(first),
                data_type,
                default: default_value(manifest, at),
                is_of_define: definition.kind == Kind::Define,
            })
        })
    })
}

/// Whether code calls a function.
fn has_call(manifest: &Manifest<'_>, mut range: Range<At>) -> bool {
    range.any(|at| matches!(manifest.kind(at), Kind::Dot | Kind::Lparen))
}

fn optional_default(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for parameter in typed(manifest).filter(|parameter| parameter.type_name == "Optional") {
        match parameter.default.clone().next() {
            Some(first) => {
                let is_open = matches!(manifest.kind(first), Kind::Undef | Kind::Variable);
                if !is_open && !has_call(manifest, parameter.default) {
                    report.at(manifest, parameter.at, &OPTIONAL_DEFAULT);
                }
            }
            None if parameter.is_of_define => {
                report.at(manifest, parameter.at, &WITHOUT_DEFAULT);
            }
            None => {}
        }
    }
    Ok(())
}

fn empty_string(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for parameter in typed(manifest) {
        let is_text = parameter.type_name.starts_with("String") || parameter.type_name.starts_with("Variant");
        let is_empty = |at: At| manifest.kind(at) == Kind::Sstring && manifest.value(at).is_empty();
        if is_text && parameter.default.clone().next().is_some_and(is_empty) {
            report.at(manifest, parameter.at, &PARAMS_EMPTY_STRING_ASSIGNMENT);
        }
    }
    Ok(())
}

fn not_optional(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for parameter in typed(manifest).filter(|parameter| parameter.type_name != "Optional") {
        let is_undef = parameter.default.clone().next().is_some_and(|at| manifest.kind(at) == Kind::Undef);
        if is_undef && !has_call(manifest, parameter.default.clone()) && !allows_undef(manifest, &parameter) {
            report.at(manifest, parameter.at, &PARAMS_NOT_OPTIONAL_WITH_UNDEF);
        }
    }
    Ok(())
}

/// Whether a type is a `Variant` with `Undef`.
fn allows_undef(manifest: &Manifest<'_>, parameter: &Typed<'_>) -> bool {
    let mut depth = 0i32;
    parameter.type_name == "Variant"
        && parameter.data_type.clone().any(|at| {
            match manifest.kind(at) {
                Kind::Lbrack => depth += 1,
                Kind::Rbrack => depth -= 1,
                Kind::Type => return depth == 1 && manifest.value(at) == "Undef",
                _ => {}
            }
            false
        })
}

fn types(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    /// The part of a parameter that comes next.
    enum Next {
        Type,
        Name,
        Comma,
    }
    for definition in manifest.definitions() {
        let Some(range) = definition.parameters.clone() else { continue };
        let name = definition.name.map_or("", |name| manifest.value(name));
        let (mut next, mut parentheses, mut brackets) = (Next::Type, 0u32, 0u32);
        for at in range.filter(|at| !manifest.kind(*at).is_formatting()) {
            let token = manifest.get(at);
            match next {
                Next::Type => {
                    (parentheses, brackets) = (0, 0);
                    if token.kind == Kind::Type
                        || token.value.starts_with(|char: char| char.is_ascii_uppercase())
                    {
                        next = Next::Name;
                    } else if token.kind == Kind::Variable {
                        let finding = report.at(manifest, at, &PARAMETER_TYPES);
                        finding.fact("name", name).fact("parameter", token.value);
                        next = Next::Comma;
                    }
                }
                Next::Name if token.kind == Kind::Variable => next = Next::Comma,
                Next::Name => {}
                Next::Comma => match token.kind {
                    Kind::Lparen => parentheses += 1,
                    Kind::Rparen => parentheses = parentheses.saturating_sub(1),
                    Kind::Lbrace | Kind::Lbrack => brackets += 1,
                    Kind::Rbrace | Kind::Rbrack => brackets = brackets.saturating_sub(1),
                    Kind::Comma if parentheses == 0 && brackets == 0 => next = Next::Type,
                    _ => {}
                },
            }
        }
    }
    Ok(())
}

fn lookup(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let mut depth: Option<i32> = None;
    let kinds = [Kind::Class, Kind::Define, Kind::Lparen, Kind::Rparen, Kind::FunctionName];
    for at in manifest.of_kinds(&kinds) {
        match manifest.kind(at) {
            Kind::Class | Kind::Define => {
                let name = manifest.next_code(at).filter(|name| manifest.kind(*name) == Kind::Name);
                if name.and_then(|name| manifest.next_code_kind(name)) == Some(Kind::Lparen) {
                    depth = Some(0);
                }
            }
            Kind::Lparen => depth = depth.map(|depth| depth + 1),
            Kind::Rparen => depth = depth.map(|depth| depth - 1).filter(|depth| *depth != 0),
            Kind::FunctionName if depth.is_some() && manifest.value(at) == "lookup" => {
                report.at(manifest, at, &LOOKUP_IN_PARAMETER);
            }
            _ => {}
        }
    }
    Ok(())
}
