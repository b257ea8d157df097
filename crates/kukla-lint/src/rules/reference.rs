//! References to resources and classes.

use rustc_hash::FxHashSet;

use kukla_syntax::Code;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A resource refers to another one that the text does not declare, so the two depend on each other across files.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package['ntp'],
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp':
    ///   ensure => installed,
    /// }
    /// file { '/etc/ntp.conf':
    ///   require => Package['ntp'],
    /// }
    /// ```
    REFERENCE_ON_DECLARATION_OUTSIDE_OF_CLASS = "reference_on_declaration_outside_of_class": Warning,
        "reference_on_declaration_outside_of_class-check", on, None, outside,
        "reference on a resource type declaration not included in the same class";

    /// A text refers to a class that it neither includes nor declares. It reports only references before the first one that is declared.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Class['ntp'],
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include 'ntp'
    /// file { '/etc/ntp.conf':
    ///   require => Class['ntp'],
    /// }
    /// ```
    REFERENCE_ON_FOREIGN_CLASS = "reference_on_foreign_class": Warning,
        "reference_on_declaration_outside_of_class-check", on, None, foreign,
        "reference on a foreign class";

    /// There are blanks between a built-in type and its bracket.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// Class ['ntp'] -> Class['apt']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// Class['ntp'] -> Class['apt']
    /// ```
    RESOURCE_REFERENCE_CHAIN_WITHOUT_WHITESPACE = "resource_reference_chain_without_whitespace": Error,
        "resource_reference_syntax", on, None, chain, "whitespce between reference type and title";

    /// The title in a reference has no quotes.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package[ntp],
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package['ntp'],
    /// }
    /// ```
    RESOURCE_REFERENCE_WITH_UNQUOTED_TITLE = "resource_reference_with_unquoted_title": Error,
        "resource_reference_syntax", on, Form, unquoted, "unquoted title in resource reference";

    /// The title in a reference is a capitalised word, which Puppet reads as a type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package[Ntp],
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package['ntp'],
    /// }
    /// ```
    RESOURCE_REFERENCE_WITHOUT_TITLE_CAPITAL = "resource_reference_without_title_capital": Error,
        "resource_reference_syntax", on, None, capital, "resource reference with title with capital letter";

    /// There are blanks between the type of a reference and its bracket.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package ['ntp'],
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/ntp.conf':
    ///   require => Package['ntp'],
    /// }
    /// ```
    RESOURCE_REFERENCE_WITHOUT_WHITESPACE = "resource_reference_without_whitespace": Error,
        "resource_reference_syntax", on, None, whitespace, "whitespce between reference type and title";
}

/// The text of the token two after a position: the title after a type and a bracket.
fn title<'t>(manifest: &Manifest<'t>, at: At) -> Option<&'t str> {
    manifest.tokens.get(at + 2).map(|token| token.value)
}

fn outside(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let resources = manifest.resources()?;
    // A word and the one four tokens later: `package { 'ntp'`.
    let mut declared: Option<FxHashSet<(&str, &str)>> = None;
    let mut is_declared = |name: &str, title: &str| {
        let pairs = declared.get_or_insert_with(|| {
            manifest.tokens.windows(5).map(|five| (five[0].value, five[4].value)).collect()
        });
        pairs.contains(&(name, title))
    };
    let mut has_declaration = false;
    for resource in resources {
        for at in resource.tokens().filter(|at| manifest.kind(*at) == Kind::Classref) {
            let Some(title) = title(manifest, at) else { continue };
            has_declaration |= is_declared(&manifest.value(at).to_lowercase(), title);
            if !has_declaration {
                report.at(manifest, at, &REFERENCE_ON_DECLARATION_OUTSIDE_OF_CLASS);
            }
        }
    }
    Ok(())
}

fn foreign(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let references: Vec<At> = manifest
        .of_kinds(&[Kind::Classref, Kind::Type])
        .into_iter()
        .filter(|at| manifest.value(*at).eq_ignore_ascii_case("class"))
        .collect();
    if references.is_empty() {
        return Ok(());
    }
    let mut declared = FxHashSet::default();
    for at in manifest.positions() {
        let name = match manifest.value(at) {
            "include" | "contain" => manifest.next_code(at),
            "class" => manifest.next_code(at).and_then(|next| manifest.next_code(next)),
            _ => None,
        };
        declared.extend(name.map(|name| manifest.value(name)));
    }
    let mut has_declaration = false;
    for at in references {
        has_declaration |= title(manifest, at).is_some_and(|title| declared.contains(title));
        if !has_declaration {
            report.at(manifest, at, &REFERENCE_ON_FOREIGN_CLASS);
        }
    }
    Ok(())
}

/// Whether blanks separate a name from the bracket after it.
fn is_apart(manifest: &Manifest<'_>, at: At) -> bool {
    manifest.next_kind(at) == Some(Kind::Whitespace) && manifest.next_code_kind(at) == Some(Kind::Lbrack)
}

fn chain(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Type).filter(|at| is_apart(manifest, *at)) {
        report.at(manifest, at, &RESOURCE_REFERENCE_CHAIN_WITHOUT_WHITESPACE);
    }
    Ok(())
}

fn whitespace(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    if manifest.resources()?.is_empty() {
        return Ok(());
    }
    for at in manifest.of_kind(Kind::Classref).filter(|at| is_apart(manifest, *at)) {
        report.at(manifest, at, &RESOURCE_REFERENCE_WITHOUT_WHITESPACE);
    }
    Ok(())
}

/// The titles of a kind in references that are values of metaparameters.
fn titles(manifest: &Manifest<'_>, kind: Kind) -> Result<Vec<At>, At> {
    let mut titles = Vec::new();
    for resource in manifest.resources()? {
        for attribute in &resource.attributes {
            let name = manifest.value(*attribute);
            if !["require", "subscribe", "notify", "before", "consume", "export"].contains(&name) {
                continue;
            }
            let Some(arrow) = manifest.next_code(*attribute) else { continue };
            for at in (arrow + 1..=resource.end).take_while(|at| !resource.attributes.contains(at)) {
                let kinds = (manifest.kind(at), manifest.next_kind(at));
                if kinds == (Kind::Classref, Some(Kind::Lbrack)) && manifest.next_kind(at + 1) == Some(kind) {
                    titles.push(at + 2);
                }
            }
        }
    }
    Ok(titles)
}

fn report_titles(manifest: &Manifest<'_>, kind: Kind, code: &'static Code, report: &mut Report) -> Done {
    for at in titles(manifest, kind)? {
        let finding = report.at(manifest, at, code);
        if kind == Kind::Name {
            finding.fixed_by([Edit::replace(manifest.get(at), format!("'{}'", manifest.value(at)))]);
        }
    }
    Ok(())
}

fn unquoted(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    report_titles(manifest, Kind::Name, &RESOURCE_REFERENCE_WITH_UNQUOTED_TITLE, report)
}

fn capital(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    report_titles(manifest, Kind::Classref, &RESOURCE_REFERENCE_WITHOUT_TITLE_CAPITAL, report)
}
