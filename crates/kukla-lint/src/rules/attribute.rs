//! Attributes of resources.

use rustc_hash::FxHashSet;

use crate::manifest::{Manifest, Resource};
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A resource sets an attribute twice, which Puppet refuses.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode  => '0644',
    ///   owner => 'root',
    ///   mode  => '0600',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode  => '0600',
    ///   owner => 'root',
    /// }
    /// ```
    DUPLICATE_PARAMS = "duplicate_params": Error, "puppet-lint", on, None, duplicate,
        "duplicate parameter found in resource";

    /// `ensure` is not the first attribute, where readers look for it. The fix exchanges it with the first.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode   => '0644',
    ///   ensure => file,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    ///   mode   => '0644',
    /// }
    /// ```
    ENSURE_FIRST_PARAM = "ensure_first_param": Warning, "puppet-lint", on, Form, ensure_first,
        "ensure found on line but it's not the first attribute";

    /// `ensure` of a file has the target of a link as its value. `ensure => link` and `target` say what is meant.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => '/srv/motd',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => symlink,
    ///   target => '/srv/motd',
    /// }
    /// ```
    ENSURE_NOT_SYMLINK_TARGET = "ensure_not_symlink_target": Warning, "puppet-lint", on, Value, symlink_target,
        "symlink target specified in ensure attr";

    /// A mode is neither four octal digits nor symbolic. The fix adds a zero to three digits.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => '644',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => '0644',
    /// }
    /// ```
    FILE_MODE = "file_mode": Warning, "puppet-lint", on, Value, file_mode,
        "mode should be represented as a 4 digit octal value or symbolic mode";

    /// A mode has no quotes.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => 0644,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => '0644',
    /// }
    /// ```
    UNQUOTED_FILE_MODE = "unquoted_file_mode": Warning, "puppet-lint", on, Value, unquoted_mode,
        "unquoted file mode";

    /// `ensure` of a file is `present`, which also accepts a directory or a link. The fix writes `file`, or `link` beside a `target`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => present,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    /// }
    /// ```
    FILE_ENSURE = "file_ensure": Warning, "file_ensure-check", on, State, file_ensure,
        "ensure set to present on file resource";

    /// `ensure` of a package is `latest`, so a run of the agent may upgrade it at any time.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { 'ntp':
    ///   ensure => latest,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp':
    ///   ensure => installed,
    /// }
    /// ```
    PACKAGE_ENSURE = "package_ensure": Warning, "package_ensure-check", on, State, package_ensure,
        "ensure set to latest on a package resource";

    /// The mode of a file lets everybody write to it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => '0666',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => '0644',
    /// }
    /// ```
    WORLD_WRITABLE_FILES = "world_writable_files": Warning, "world_writable_files-check", on, None, world_writable,
        "files should not be created with world writable permissions";
}

/// Whether a resource is of one of these types.
pub(super) fn is_of_type(manifest: &Manifest<'_>, resource: &Resource, names: &[&str]) -> bool {
    resource.resource_type.is_some_and(|at| names.contains(&manifest.value(at)))
}

/// The first token of the value of an attribute.
fn value_of(manifest: &Manifest<'_>, attribute: At) -> Option<At> {
    manifest.next_code(manifest.next_code(attribute)?)
}

/// The values of the attributes with a name.
fn values<'m>(
    manifest: &'m Manifest<'_>,
    resource: &'m Resource,
    name: &'m str,
) -> impl Iterator<Item = At> + 'm {
    let named = resource.attributes.iter().filter(move |at| manifest.value(**at) == name);
    named.filter_map(|at| value_of(manifest, *at))
}

fn duplicate(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()? {
        let (mut level, mut seen) = (0i32, FxHashSet::default());
        for at in resource.tokens() {
            match manifest.kind(at) {
                Kind::Lbrace => level += 1,
                Kind::Rbrace => {
                    seen.retain(|(known, _)| *known != level);
                    level -= 1;
                }
                Kind::Farrow => {
                    let name = manifest.previous_code(at).filter(|name| manifest.kind(*name) == Kind::Name);
                    if let Some(name) = name
                        && !seen.insert((level, manifest.value(name)))
                    {
                        report.at(manifest, name, &DUPLICATE_PARAMS);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn ensure_first(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()? {
        if resource.resource_type.is_none_or(|at| manifest.kind(at) == Kind::Class) {
            continue;
        }
        let Some(index) = resource.attributes.iter().position(|at| manifest.value(*at) == "ensure") else {
            continue;
        };
        if index == 0 {
            continue;
        }
        let (first, ensure) = (resource.attributes[0], resource.attributes[index]);
        let edits = exchanged(manifest, first, ensure, resource.end);
        report.at(manifest, ensure, &ENSURE_FIRST_PARAM).fixed_by(edits);
    }
    Ok(())
}

/// Exchanges two attributes, each up to its comma or the end of its value.
fn exchanged(manifest: &Manifest<'_>, first: At, second: At, end: At) -> Vec<Edit> {
    let text_of = |name: At| {
        let comma = manifest.next_of(name, &[Kind::Comma, Kind::Semic, Kind::Rbrace]).unwrap_or(end).min(end);
        let last = manifest.previous_solid(comma)?;
        // A comment at the end stays where it is.
        let last = if manifest.kind(last).is_comment() { manifest.previous_code(comma)? } else { last };
        let (start, end) = (manifest.get(name).start(), manifest.get(last).end());
        Some((start, end, manifest.text.get(start..end)?))
    };
    match (text_of(first), text_of(second)) {
        (Some(a), Some(b)) if a.1 <= b.0 => vec![Edit::between(a.0, a.1, b.2), Edit::between(b.0, b.1, a.2)],
        _ => Vec::new(),
    }
}

fn symlink_target(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["file"]))
    {
        for ensure in resource.attributes.iter().filter(|at| manifest.value(**at) == "ensure") {
            let Some(value) = value_of(manifest, *ensure).filter(|at| manifest.value(*at).starts_with('/'))
            else {
                continue;
            };
            let own_line = manifest.previous(*ensure).filter(|at| manifest.kind(*at) == Kind::Indent);
            let indent = own_line.map_or(" ", |at| manifest.value(at));
            let line = if own_line.is_some() { "\n" } else { "" };
            let edit = Edit::before(manifest.get(value), format!("symlink,{line}{indent}target => "));
            report.at(manifest, value, &ENSURE_NOT_SYMLINK_TARGET).fixed_by([edit]);
        }
    }
    Ok(())
}

/// Whether a mode is four octal digits or symbolic.
fn is_mode(value: &str) -> bool {
    let is_octal = value.len() == 4 && value.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let is_clause = |clause: &str| {
        let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        let mut bytes = rest.bytes();
        bytes.next().is_some_and(|byte| b"-=+".contains(&byte))
            && bytes.all(|byte| b"-=+rstwxXugo".contains(&byte))
    };
    is_octal || value.split(',').all(is_clause)
}

fn file_mode(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in
        manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["file", "concat"]))
    {
        for at in values(manifest, resource, "mode") {
            let token = manifest.get(at);
            if matches!(token.kind, Kind::Variable | Kind::Undef | Kind::FunctionName) || is_mode(token.value)
            {
                break;
            }
            let finding = report.at(manifest, at, &FILE_MODE);
            let is_short =
                token.value.len() == 3 && token.value.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
            if is_short {
                finding.fixed_by([Edit::replace(token, format!("'0{}'", token.value))]);
            }
        }
    }
    Ok(())
}

fn unquoted_mode(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in
        manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["file", "concat"]))
    {
        for at in values(manifest, resource, "mode") {
            let token = manifest.get(at);
            if matches!(token.kind, Kind::Name | Kind::Number) {
                let quoted = Edit::replace(token, format!("'{}'", token.value));
                report.at(manifest, at, &UNQUOTED_FILE_MODE).fixed_by([quoted]);
            }
        }
    }
    Ok(())
}

/// The value of the first `ensure` anywhere in a resource, if it is that word.
fn ensured(manifest: &Manifest<'_>, resource: &Resource, word: &str) -> Option<At> {
    let ensure = named(manifest, resource, "ensure")?;
    let value = value_of(manifest, ensure)?;
    let is_word = matches!(manifest.kind(value), Kind::Name | Kind::String | Kind::Sstring);
    (is_word && manifest.value(value) == word).then_some(value)
}

fn named(manifest: &Manifest<'_>, resource: &Resource, name: &str) -> Option<At> {
    resource.tokens().find(|at| {
        manifest.kind(*at) == Kind::Name
            && manifest.value(*at) == name
            && manifest.next_code_kind(*at) == Some(Kind::Farrow)
    })
}

/// The edit that replaces a word and keeps its quotes.
fn reworded(manifest: &Manifest<'_>, at: At, word: &str) -> [Edit; 1] {
    let source = manifest.source(at).replace(manifest.value(at), word);
    [Edit::replace(manifest.get(at), source)]
}

fn file_ensure(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["file"]))
    {
        if let Some(at) = ensured(manifest, resource, "present") {
            let word = if named(manifest, resource, "target").is_some() { "link" } else { "file" };
            report.at(manifest, at, &FILE_ENSURE).fixed_by(reworded(manifest, at, word));
        }
    }
    Ok(())
}

fn package_ensure(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in
        manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["package"]))
    {
        if let Some(at) = ensured(manifest, resource, "latest") {
            report.at(manifest, at, &PACKAGE_ENSURE).fixed_by(reworded(manifest, at, "installed"));
        }
    }
    Ok(())
}

fn world_writable(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["file"]))
    {
        for at in values(manifest, resource, "mode") {
            let mode = manifest.value(at);
            let is_number = !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit());
            let is_writable = mode.ends_with(['2', '3', '6', '7']) || mode.len() < 2;
            if !is_number || !is_writable {
                break;
            }
            report.at(manifest, at, &WORLD_WRITABLE_FILES);
        }
    }
    Ok(())
}
