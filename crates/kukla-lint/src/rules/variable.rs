//! Names of variables.

use kukla_syntax::Code;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// The name of a variable has a dash. Puppet reads `$a-b` as a subtraction.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $my-path = '/tmp'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $my_path = '/tmp'
    /// ```
    VARIABLE_CONTAINS_DASH = "variable_contains_dash": Warning, "puppet-lint", on, None, dash,
        "variable contains a dash";

    /// The name of a variable has an upper-case letter.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $myPath = '/tmp'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $my_path = '/tmp'
    /// ```
    VARIABLE_IS_LOWERCASE = "variable_is_lowercase": Warning, "puppet-lint", on, None, lowercase,
        "variable contains an uppercase letter";

    /// The name of a variable has an upper-case letter. The fix writes the name in lower case, here and not in other files.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $myPath = '/tmp'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $mypath = '/tmp'
    /// ```
    VARIABLE_CONTAINS_UPCASE = "variable_contains_upcase": Warning, "variable_contains_upcase", on, Value, upcase,
        "variable contains a capital letter";

    /// A variable of a class is written with a leading `::`, which Puppet 4 made superfluous.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp { $path = $::apt::path }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { $path = $apt::path }
    /// ```
    TOPSCOPE_VARIABLE = "topscope_variable": Warning, "topscope-variable-check", on, Form, topscope,
        "use ${fixed} instead of ${value}";

    /// A version is compared as a number, which puts 10 before 9 or fails. The fix calls `versioncmp`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $is_new = $puppetversion >= 7
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $is_new = versioncmp($puppetversion, '7') >= 0
    /// ```
    VERSION_COMPARISON = "version_comparison": Warning, "version_comparison-check", on, Value, version,
        "version compared as number";
}

/// Whether a name, without its indexes, has a character.
fn name_has(value: &str, test: impl Fn(u8) -> bool) -> bool {
    let bytes = value.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'['
            && let Some(close) =
                bytes.get(at + 2..).and_then(|rest| rest.iter().position(|byte| *byte == b']'))
        {
            at += close + 3;
            continue;
        }
        if test(*byte) {
            return true;
        }
        at += 1;
    }
    false
}

fn with_name<'m>(manifest: &'m Manifest<'_>, test: fn(u8) -> bool) -> impl Iterator<Item = At> + use<'m> {
    let variables = manifest.of_kinds(&[Kind::Variable, Kind::UnencVariable]);
    variables.into_iter().filter(move |at| name_has(manifest.value(*at), test))
}

fn report_all(manifest: &Manifest<'_>, report: &mut Report, code: &'static Code, test: fn(u8) -> bool) {
    for at in with_name(manifest, test) {
        report.at(manifest, at, code);
    }
}

fn dash(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    report_all(manifest, report, &VARIABLE_CONTAINS_DASH, |byte| byte == b'-');
    Ok(())
}

fn lowercase(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    report_all(manifest, report, &VARIABLE_IS_LOWERCASE, |byte| byte.is_ascii_uppercase());
    Ok(())
}

fn upcase(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in with_name(manifest, |byte| byte.is_ascii_uppercase()) {
        let lower = Edit::replace(manifest.get(at), manifest.source(at).to_lowercase());
        report.at(manifest, at, &VARIABLE_CONTAINS_UPCASE).fixed_by([lower]);
    }
    Ok(())
}

/// Whether a name is that of a variable in a class, from the top scope: `::a::b`.
pub(super) fn is_of_class(value: &str) -> bool {
    let Some(rest) = value.strip_prefix("::") else { return false };
    let first = rest.as_bytes().first();
    if !first.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_') {
        return false;
    }
    let end =
        rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(rest.len());
    end >= 2 && rest[end..].starts_with("::")
}

fn topscope(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    if manifest.definitions().next().is_none() {
        return Ok(());
    }
    for at in manifest.of_kind(Kind::Variable).filter(|at| is_of_class(manifest.value(*at))) {
        let (token, value) = (manifest.get(at), manifest.value(at));
        let fixed = &value[2..];
        let offset = token.end() - value.len();
        let finding = report.at(manifest, at, &TOPSCOPE_VARIABLE);
        finding.fact("fixed", fixed).fact("value", value).fixed_by([Edit::between(offset, offset + 2, "")]);
    }
    Ok(())
}

fn version(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Variable) {
        let value = manifest.value(at);
        if !(value.ends_with("version") || value.ends_with("release")) {
            continue;
        }
        let Some(operator) = manifest.next_code(at) else { continue };
        let operand = manifest.next_code(operator);
        let is_comparison = match manifest.kind(operator) {
            Kind::Greaterequal | Kind::Greaterthan | Kind::Lessequal | Kind::Lessthan => true,
            Kind::Isequal | Kind::Notequal => operand.is_some_and(|at| manifest.kind(at) == Kind::Number),
            _ => false,
        };
        if !is_comparison {
            continue;
        }
        let finding = report.at(manifest, at, &VERSION_COMPARISON);
        let Some(operand) = operand else { continue };
        if matches!(manifest.kind(operand), Kind::Number | Kind::Sstring | Kind::String) {
            finding.fixed_by([
                Edit::before(manifest.get(at), "versioncmp("),
                Edit::after(manifest.get(at), format!(", '{}')", manifest.value(operand))),
                Edit::replace(manifest.get(operand), "0"),
            ]);
        }
    }
    Ok(())
}
