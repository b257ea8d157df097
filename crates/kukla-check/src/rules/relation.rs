//! Relationships: references to what nothing declares, and classes that wait for each other.

use kukla::catalog::types::is_relationship;
use kukla::syntax::ast::{self, Expr};
use kukla::syntax::diagnostic;
use kukla::values::Str;
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::repository::{Index, literal, plain};
use crate::rule::rules;
use crate::suggest;
use crate::walk::Walk;

rules! {
    RULES;

    /// A relationship names a resource that nothing in the repository declares. Said only of types all of whose resources have titles that
    /// are written down.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { 'ntp': ensure => installed }
    /// service { 'ntp': ensure => running, require => Package['ntpd'] }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp': ensure => installed }
    /// service { 'ntp': ensure => running, require => Package['ntp'] }
    /// ```
    UNKNOWN_REFERENCE = "unknown-reference": Error Always, "Nothing declares `{reference}`";

    /// Classes require each other in a circle, so that none can be first.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/a.pp
    /// class web::a { require web::b }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/b.pp
    /// class web::b { require web::a }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/a.pp
    /// class web::a { require web::b }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/b.pp
    /// class web::b { }
    /// ```
    CLASS_CYCLE = "class-cycle": Error Always, "Classes require each other: {circle}";
}

impl Walk<'_> {
    /// The references in an attribute that orders resources.
    pub fn check_relationships(&mut self, attribute: ast::Attribute<'_>) {
        if is_relationship(attribute.name()) {
            self.check_references(attribute.value());
        }
    }

    /// The references in an operand of an arrow, or in a list of them.
    pub fn check_references(&mut self, expr: Expr<'_>) {
        match expr.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|element| self.check_references(element)),
            Expr::Access(access) => self.check_reference(access),
            _ => {}
        }
    }

    fn check_reference(&mut self, access: ast::Access<'_>) {
        let Expr::Type(name) = access.left() else { return };
        let kind = plain(name.name());
        if !self.index.survey.complete || kind == "class" || kukla::Type::builtin(&kind).is_some() {
            return;
        }
        let Some(Some(titles)) = self.index.titles.get(&kind) else { return };
        for key in access.keys() {
            let Some(title) = literal::text(key) else { continue };
            if titles.contains(title.as_str()) {
                continue;
            }
            let reference = format!("{}['{title}']", name.name());
            let mut wrong = diagnostic!(key.span(), UNKNOWN_REFERENCE { reference });
            let near = suggest::nearest(&title, titles.iter().map(|title| title.as_str()));
            wrong.hints.extend(near.map(|near| format!("did you mean `{}['{near}']`?", name.name())));
            self.report(wrong);
        }
    }
}

/// Classes that require each other.
pub fn cycles(index: &Index) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut done: FxHashMap<Str, bool> = FxHashMap::default();
    let mut names: Vec<&Str> = index.requires.keys().collect();
    names.sort();
    for name in names {
        let mut path = Vec::new();
        visit(index, name, &mut path, &mut done, &mut findings);
    }
    findings
}

/// Follows what a class requires; `done` tells those that are behind us from those on the way.
fn visit(
    index: &Index,
    name: &Str,
    path: &mut Vec<Str>,
    done: &mut FxHashMap<Str, bool>,
    findings: &mut Vec<Finding>,
) {
    match done.get(name) {
        Some(true) => return,
        Some(false) => {
            let from = path.iter().position(|known| known == name).unwrap_or(0);
            let circle: Vec<&str> = path[from..].iter().chain([name]).map(|name| name.as_str()).collect();
            if let Some(class) = index.classes.get(name) {
                let wrong = diagnostic!(class.span, CLASS_CYCLE { circle: circle.join(" → ") });
                findings.push(Finding::from(wrong.in_source(&class.source)));
            }
            return;
        }
        None => {}
    }
    done.insert(name.clone(), false);
    path.push(name.clone());
    for next in index.requires.get(name).into_iter().flatten() {
        kukla::syntax::deep(|| visit(index, next, path, done, findings));
    }
    path.pop();
    done.insert(name.clone(), true);
}
