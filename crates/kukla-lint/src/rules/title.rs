//! Names of nodes and titles of resources.

use kukla_syntax::{Code, Severity};

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// The name of a node has no quotes.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// node web1 { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// node 'web1' { }
    /// ```
    UNQUOTED_NODE_NAME = "unquoted_node_name": Warning, "puppet-lint", on, Form, node, "unquoted node name found";

    /// The title of a resource is a bare word.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { ntp:
    ///   ensure => installed,
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
    UNQUOTED_RESOURCE_TITLE = "unquoted_resource_title": Warning, "puppet-lint", on, Form, title, "unquoted resource title";
}

static NODE_WITHOUT_BODY: Code =
    another(&crate::SYNTAX, "Syntax error (try running `puppet parser validate <file>`)");

fn quoted(manifest: &Manifest<'_>, at: At) -> [Edit; 1] {
    [Edit::replace(manifest.get(at), format!("'{}'", manifest.value(at)))]
}

fn node(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for node in manifest.of_kind(Kind::Node) {
        let Some(brace) = (node..manifest.tokens.len()).find(|at| manifest.kind(*at) == Kind::Lbrace) else {
            report.at(manifest, node, &NODE_WITHOUT_BODY).severity(Severity::Error);
            continue;
        };
        for at in (node..brace).filter(|at| manifest.kind(*at) == Kind::Name) {
            report.at(manifest, at, &UNQUOTED_NODE_NAME).fixed_by(quoted(manifest, at));
        }
    }
    Ok(())
}

fn title(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.titles().into_iter().filter(|at| manifest.kind(*at) == Kind::Name) {
        report.at(manifest, at, &UNQUOTED_RESOURCE_TITLE).fixed_by(quoted(manifest, at));
    }
    Ok(())
}
