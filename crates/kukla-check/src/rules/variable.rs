//! Variables and facts.

use kukla::Diagnostic;
use kukla::syntax::ast::{self, Expr};
use kukla::syntax::{Severity, Span, diagnostic};

use crate::repository::{Shape, facts, literal};
use crate::rule::rules;
use crate::suggest;
use crate::walk::{ScopeKind, Walk};

rules! {
    RULES;

    /// The code uses a variable that nothing sets: no parameter, no assignment before it in the same class, define, function or template, none in a
    /// parent class, and none at the top of the site manifests. No fact has that name either.
    ///
    /// A classifier or an external fact may set a variable that is not a typo of another one: the finding is then a warning, unless the repository
    /// has fact files in `facts`, or `variables` and `facts` in the table `check` of `kukla.toml` declare the names that are set elsewhere.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web {
    ///   $docroot = '/srv/www'
    ///   file { $docrot: ensure => directory }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web {
    ///   $docroot = '/srv/www'
    ///   file { $docroot: ensure => directory }
    /// }
    /// ```
    UNKNOWN_VARIABLE = "unknown-variable": Error Always, "Nothing sets the variable `${name}`";

    /// The code uses a fact that no node has: it is not one of Facter's, and no module or fact file of the repository defines it. Its value is
    /// `undef`. Access to a part of it fails, so that this is an error where it always happens. If the repository has fact files in `facts`, or with `--strict`, the rule reports all such names; otherwise only likely typos of a
    /// known fact.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice($facts['kernl'])
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice($facts['kernel'])
    /// ```
    UNKNOWN_FACT = "unknown-fact": Warning Always, "Unknown fact `{name}`";

    /// A variable is set again in the same class, define, function, node definition or template. In Puppet, a variable keeps its first value.
    /// Branches of an `if` or `case` may each set it, since only one of them runs, and a lambda has variables of its own.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web($port = 80) {
    ///   $port = 8080
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web($port = 80) {
    ///   $real_port = $port + 8000
    /// }
    /// ```
    REASSIGNED_VARIABLE = "reassigned-variable": Error Always, "The variable `${name}` is already set";
}

impl Walk<'_> {
    /// Reports a variable that is set for a second time.
    pub fn reassigned(&mut self, name: &str, span: Span, first: Option<Span>) {
        let wrong = diagnostic!(span, REASSIGNED_VARIABLE { name });
        self.report(match first {
            Some(first) => wrong.label(first, "first set here"),
            None => wrong.hint("Puppet sets this variable itself: choose another name"),
        });
    }

    /// Reports a variable that nothing sets.
    pub fn unknown_variable(&mut self, variable: ast::Variable<'_>, name: &str) {
        let near = suggest::nearest(name, self.visible());
        // A file outside of a repository may see the variables of the code that uses it.
        if self.index.survey.shape == Shape::Loose && near.is_none() && !self.selection.strict {
            return;
        }
        let near = near.or_else(|| {
            suggest::nearest(name, self.index.facts.all_names())
                .filter(|near| name.len() >= 6 && suggest::is_typo(name, near))
        });
        let mut wrong = diagnostic!(variable.span(), UNKNOWN_VARIABLE { name });
        // A singular beside a plural may be another variable. Nothing but the code around can set a variable whose name begins with an
        // underscore.
        let is_other = |near: &str| near.trim_end_matches('s') == name.trim_end_matches('s');
        let is_typo =
            near.is_some_and(|near| suggest::is_typo(name, near) && !is_other(near)) || name.starts_with('_');
        if self.scopes.iter().any(|scope| scope.assigned.contains(name)) {
            // A fact or a classifier may set a variable that the code gives a value if it has none.
            let is_questioned = self.questioned.as_ref().is_some_and(|known| known == name);
            let wrong = if is_questioned { self.unless_external(wrong, false) } else { wrong };
            self.report(wrong.hint("it is set further down, or only in another branch"));
            return;
        }
        // A classifier sets variables at top scope, and site manifests are where they are used.
        let is_site =
            matches!(self.scopes.last().map(|scope| &scope.kind), Some(ScopeKind::Top | ScopeKind::Node));
        if is_site && !is_typo && !self.index.facts.is_closed() && !self.selection.strict {
            return;
        }
        wrong.hints.extend(near.map(|near| format!("did you mean `${near}`?")));
        let wrong = self.unless_external(wrong, is_typo);
        let fix = near.and_then(|near| self.rename_fix(variable.span(), name, near));
        self.report_with(wrong, fix);
    }

    /// Makes a finding a warning if a classifier or an external fact may set the variable.
    fn unless_external(&self, mut wrong: Diagnostic, is_certain: bool) -> Diagnostic {
        if is_certain || self.index.facts.is_closed() {
            return wrong;
        }
        wrong.severity = Severity::Warning;
        wrong.hint("if a classifier or an external fact sets it, declare it in `variables` of `[check]` in kukla.toml")
    }

    /// Checks `$::name`.
    pub fn top_variable(&mut self, variable: ast::Variable<'_>, name: &str) -> kukla::Type {
        if !self.index.variables.contains(name) {
            self.check_legacy_variable(variable, name);
        }
        let is_known = self.index.variables.contains(name)
            || self.index.facts.has(name)
            || self.scopes.first().is_some_and(|scope| scope.assigned.contains(name))
            || [
                "facts",
                "trusted",
                "server_facts",
                "environment",
                "servername",
                "serverip",
                "serverversion",
                "module_name",
            ]
            .contains(&name);
        if !is_known {
            let names =
                self.index.facts.all_names().chain(self.index.variables.iter().map(|name| name.as_str()));
            let near = suggest::nearest(name, names);
            let facts = &self.index.facts;
            let certain = self.complete && (facts.has_fact_sets || !facts.open && near.is_some());
            if self.selection.strict || certain || near.is_some_and(|near| suggest::is_typo(name, near)) {
                let mut wrong = diagnostic!(variable.span(), UNKNOWN_VARIABLE { name: format!("::{name}") });
                wrong.hints.extend(near.map(|near| format!("did you mean `$::{near}`?")));
                let is_typo = near.is_some_and(|near| suggest::is_typo(name, near));
                let wrong = self.unless_external(wrong, is_typo);
                self.report(wrong);
            }
        }
        kukla::Type::Any
    }

    /// Reports `$class::name` if the class does not exist.
    pub fn variable_of_unknown_class(&mut self, variable: ast::Variable<'_>, class: &str) {
        self.dependencies.unknown.insert(class.into());
        if self.index.is_nowhere(class, self.complete) {
            let name = variable.name().trim_start_matches("::");
            let near = suggest::nearest(class, self.index.classes.keys().map(|name| name.as_str()));
            let mut wrong = diagnostic!(variable.span(), UNKNOWN_VARIABLE { name });
            wrong.hints.extend(near.map(|near| format!("did you mean the class `{near}`?")));
            if near.is_none() {
                wrong = wrong.hint(format!("there is no class `{class}`"));
            }
            self.report(wrong);
        }
    }

    /// Reports `$class::name` if the class has no such variable.
    pub fn unknown_class_variable(&mut self, variable: ast::Variable<'_>, class: &str, name: &str) {
        let (lineage, _) = self.index.lineage(class);
        let names = lineage.iter().flat_map(|class| {
            let parameters = class.parameters.iter().map(|parameter| parameter.name.as_str());
            parameters.chain(class.variables.iter().map(|name| name.as_str()))
        });
        let near = suggest::nearest(name, names);
        let full = variable.name().trim_start_matches("::");
        let mut wrong = diagnostic!(variable.span(), UNKNOWN_VARIABLE { name: full });
        wrong.hints.extend(near.map(|near| format!("did you mean `${class}::{near}`?")));
        if let Some(class) = lineage.first() {
            let place = kukla::syntax::Location { source: class.source.clone(), span: class.span };
            wrong = wrong.label(place, "this class does not set it");
        }
        self.report(wrong);
    }

    /// Checks `$facts['name']`, and accesses to the parts of structured facts.
    /// `is_part_taken`: whether a part of the value is accessed in turn.
    pub fn check_fact(&mut self, access: ast::Access<'_>, keys: &[Expr<'_>], is_part_taken: bool) {
        let [key] = keys else { return };
        let Some((variable, path)) = path(access) else { return };
        let Some((name, above)) = path.split_last() else { return };
        let is_facts = matches!(variable.name(), "facts" | "::facts");
        let severity =
            if is_part_taken && !self.is_tested(name) { Severity::Error } else { Severity::Warning };
        if is_facts && above.is_empty() {
            self.check_legacy_fact(access, name);
            if self.index.facts.has(name) || name.contains('.') {
                return;
            }
            let near = suggest::nearest(name, self.index.facts.names());
            let is_typo = near.is_some_and(|near| near == "os" || suggest::is_typo(name, near));
            let facts = &self.index.facts;
            let certain = facts.has_fact_sets || near.is_some() && !facts.open || is_typo;
            return self.unknown_fact(certain, severity, key.span(), name, near);
        }
        let mut fact = above.join(".");
        if !is_facts {
            // Structured facts are also variables.
            let name = variable.name().trim_start_matches("::");
            let is_fact = variable.name().starts_with("::") || !self.visible().contains(name);
            if !is_fact || self.index.variables.contains(name) {
                return;
            }
            fact = if above.is_empty() { name.to_owned() } else { format!("{name}.{fact}") };
        }
        self.check_inside(&fact, severity, *key, name);
    }

    /// Checks an access to a part of a structured fact.
    fn check_inside(&mut self, fact: &str, severity: Severity, key: Expr<'_>, name: &str) {
        let Some(inside) = facts::inside(fact) else { return };
        if !inside.contains(&name) {
            let near = suggest::nearest(name, inside.iter().copied());
            self.unknown_fact(true, severity, key.span(), &format!("{fact}.{name}"), near);
        }
    }

    fn unknown_fact(
        &mut self,
        certain: bool,
        severity: Severity,
        span: Span,
        name: &str,
        near: Option<&str>,
    ) {
        if !certain && !self.selection.strict {
            return;
        }
        let mut wrong = diagnostic!(span, UNKNOWN_FACT { name });
        wrong.severity = severity;
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        self.report(wrong);
    }
}

/// The variable of a chain of accesses, and the keys, if they are all literals.
fn path(access: ast::Access<'_>) -> Option<(ast::Variable<'_>, Vec<String>)> {
    let mut keys = access.keys();
    let (Some(key), None) = (keys.next().and_then(literal::text), keys.next()) else { return None };
    let (variable, mut path) = match access.left() {
        Expr::Variable(variable) => (variable, Vec::new()),
        Expr::Access(outer) => path(outer)?,
        _ => return None,
    };
    path.push(key);
    Some((variable, path))
}
