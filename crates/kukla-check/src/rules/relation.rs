//! Relationships: references to undeclared resources, and classes that require each other.

use kukla::catalog::types::is_relationship;
use kukla::syntax::ast::{self, Expr};
use kukla::syntax::diagnostic;
use kukla::values::Str;
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::repository::index::Titles;
use crate::repository::{Index, Question, Resource, literal, plain};
use crate::rule::rules;
use crate::suggest;
use crate::walk::Walk;

rules! {
    RULES;

    /// A relationship names a resource that nothing in the repository declares. This is an error if all titles of the type are literals and no
    /// resources have a computed type. Otherwise the rule reports only likely typos of a title, as warnings.
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

    /// `require`, `before`, `notify` and `subscribe` take references to resources, or arrays of them.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { 'ntp': ensure => installed }
    /// service { 'ntp': ensure => running, require => 'ntp' }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp': ensure => installed }
    /// service { 'ntp': ensure => running, require => Package['ntp'] }
    /// ```
    WRONG_RELATIONSHIP = "wrong-relationship": Error Always, "`{attribute}` takes references to resources, got {value}";

    /// Classes require each other in a cycle, so that none of them can be first.
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

    /// Resources are ordered in a circle, so that none of them can be first. What a class or a defined type declares comes after what the
    /// class or instance requires, and before what requires it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { 'ntp': require => File['/etc/ntp.conf'] }
    /// file { '/etc/ntp.conf': require => Package['ntp'] }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp': }
    /// file { '/etc/ntp.conf': require => Package['ntp'] }
    /// ```
    DEPENDENCY_CYCLE = "dependency-cycle": Error Always, "Resources come before themselves: {circle}";
}

impl Walk<'_> {
    /// Checks the references in a relationship attribute.
    pub fn check_relationships(&mut self, attribute: ast::Attribute<'_>) {
        if is_relationship(attribute.name()) {
            self.check_references(attribute.value());
            self.check_relationship_value(attribute, attribute.value());
        }
    }

    fn check_relationship_value(&mut self, attribute: ast::Attribute<'_>, value: Expr<'_>) {
        let is_wrong = match value.unwrap_parens() {
            Expr::Array(array) => {
                array.elements().for_each(|element| self.check_relationship_value(attribute, element));
                return;
            }
            Expr::Number(_) | Expr::Negate(_) | Expr::Boolean(_) | Expr::Hash(_) | Expr::Regex(_) => true,
            // A reference may be a string.
            Expr::String(_) | Expr::Name(_) => {
                literal::text(value).is_some_and(|text| !(text.contains('[') && text.ends_with(']')))
            }
            _ => false,
        };
        if is_wrong {
            let (attribute, shown) = (attribute.name(), format!("`{}`", value.syntax().text()));
            self.report(diagnostic!(value.span(), WRONG_RELATIONSHIP { attribute, value: shown }));
        }
    }

    /// Checks the references in an operand of an arrow, or in an array of them.
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
        if kind == "class" || kukla::Type::builtin(&kind).is_some() {
            return;
        }
        for title in access.keys().filter_map(literal::text) {
            self.depend_on(Question::Title(kind.clone(), title.as_str().into()));
        }
        let nothing = Titles::default();
        let titles = match self.index.titles.get(&kind) {
            Some(titles) => titles,
            // Something is declared of every type that is in use; one that nothing declares may be a data type of a module.
            None if matches!(self.resource_kind(&kind), Resource::Define(_) | Resource::Native(_)) => {
                &nothing
            }
            None => return,
        };
        for key in access.keys() {
            let Some(title) = literal::text(key) else { continue };
            // A trailing slash does not matter in titles of files.
            let is_there = |title: &str| titles.known.contains(title) || titles.renamed.contains(title);
            let bare = title.trim_end_matches('/');
            if is_there(&title) || kind == "file" && (is_there(bare) || is_there(&format!("{bare}/"))) {
                continue;
            }
            // A computed name may match the reference.
            let near = suggest::nearest(&title, titles.known.iter().map(|title| title.as_str()));
            let is_known = self.complete && !titles.may_be_computed(&title);
            if !is_known && !near.is_some_and(|near| is_typo(&title, near)) {
                continue;
            }
            let reference = format!("{}['{title}']", name.name());
            let mut wrong = diagnostic!(key.span(), UNKNOWN_REFERENCE { reference });
            if !is_known || self.index.has_computed_types() {
                wrong.severity = kukla::syntax::Severity::Warning;
            }
            wrong.hints.extend(near.map(|near| format!("did you mean `{}['{near}']`?", name.name())));
            self.report(wrong);
        }
    }
}

/// Whether a title is a typo of another: they differ in one letter. Digits distinguish versions and locations.
fn is_typo(title: &str, near: &str) -> bool {
    let without_numbers = |text: &str| text.chars().filter(|letter| !letter.is_numeric()).collect::<String>();
    near.len() >= 5 && suggest::is_typo(title, near) && without_numbers(title) != without_numbers(near)
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

/// Visits the classes that a class requires. `done` is `true` for classes that are finished, `false` for those on the current path.
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
    for (_, next) in index.requires.get(name).into_iter().flatten() {
        kukla::syntax::deep(|| visit(index, next, path, done, findings));
    }
    path.pop();
    done.insert(name.clone(), true);
}
