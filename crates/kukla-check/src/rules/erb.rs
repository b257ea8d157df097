//! Variables of ERB templates.

use std::sync::Arc;

use kukla::extensions::outline::VariableUse;
use kukla::syntax::{Severity, diagnostic};
use kukla::values::Str;
use kukla_ruby::outline::NameUse;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::erb::ErbFile;
use crate::finding::{Finding, Fix};
use crate::repository::{Index, Outline};
use crate::rule::rules;
use crate::suggest;

rules! {
    RULES;

    /// An ERB template uses a variable that is not set where the template is rendered; its value is `nil`. This is an error if the template
    /// always calls a method that `nil` does not have, and nothing else can set the variable. The rule covers only templates that are rendered
    /// by literal names, since the code that renders others is unknown.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($port = 80) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// Listen <%= @prot %>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($port = 80) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// Listen <%= @port %>
    /// ```
    UNKNOWN_TEMPLATE_VARIABLE = "unknown-template-variable": Warning Always, "Nothing sets the variable `@{name}` where `{template}` is rendered";

    /// An ERB template uses a variable without `@`. Ruby takes the name for a method, which does not exist.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($port = 80) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// Listen <%= port %>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($port = 80) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// Listen <%= @port %>
    /// ```
    BARE_TEMPLATE_VARIABLE = "bare-template-variable": Error Always, "There is no method `{method}`; the variable is `@{name}`";
}

/// The classes and defined types that render a template.
#[derive(Default)]
struct Renderers<'o> {
    classes: Vec<&'o Str>,
    outlines: Vec<&'o Outline>,
}

/// Variables of templates that are not set.
pub fn check(index: &Index, outlines: &[Arc<Outline>], templates: &[Arc<ErbFile>]) -> Vec<Finding> {
    let mut renderers: FxHashMap<&str, Renderers<'_>> = FxHashMap::default();
    let mut mentioned: FxHashMap<&str, usize> = FxHashMap::default();
    let mut computed: FxHashSet<(&str, &str)> = FxHashSet::default();
    for outline in outlines {
        for (template, class) in &outline.renders {
            let known = renderers.entry(template.as_str()).or_default();
            known.classes.push(class);
            known.outlines.push(&**outline);
        }
        outline.paths.iter().for_each(|path| *mentioned.entry(path.as_str()).or_default() += 1);
        computed.extend(outline.computed_paths.iter().map(|(head, tail)| (head.as_str(), tail.as_str())));
    }
    let partial: FxHashSet<&str> =
        templates.iter().flat_map(|template| template.outline.paths.iter().map(String::as_str)).collect();
    let mut findings = Vec::new();
    for template in templates {
        let name = template.name.as_str();
        let Some(known) = renderers.get(name) else { continue };
        let set = names(index, known);
        findings.extend(without_at_sign(template, &set));
        // A template that is named elsewhere may be rendered there.
        let is_open = partial.contains(name)
            || mentioned.get(name).copied().unwrap_or(0) > known.outlines.len()
            || computed.iter().any(|(head, tail)| name.starts_with(head) && name.ends_with(tail));
        if is_open || !known.classes.iter().all(|class| index.lineage(class).1) {
            continue;
        }
        // A qualified name is a variable of another class, whichever class renders the template.
        let variables = template.outline.variables.iter().filter(|variable| !variable.name.contains("::"));
        for VariableUse { name: variable, span } in variables {
            if set.contains(variable.as_str())
                || index.variables.contains(variable.as_str())
                || index.facts.has(variable)
            {
                continue;
            }
            let near = suggest::nearest(variable, set.iter().copied());
            // The variable may be a fact with a computed name, unless it is a typo of one that is set.
            if index.facts.open && !near.is_some_and(|near| suggest::is_typo(variable, near)) {
                continue;
            }
            let wrong =
                diagnostic!(*span, UNKNOWN_TEMPLATE_VARIABLE { name: variable, template: template.name });
            let mut wrong = wrong.in_source(&template.source);
            let is_typo = near.is_some_and(|near| suggest::is_typo(variable, near));
            if template.outline.needed.contains(variable) && (is_typo || index.facts.is_closed()) {
                wrong.severity = Severity::Error;
                wrong = wrong.hint("the template calls a method of it, which fails for `nil`");
            }
            wrong.hints.extend(near.map(|near| format!("did you mean `@{near}`?")));
            findings.push(Finding::from(wrong));
        }
    }
    findings
}

/// Names without `@` that are those of variables where a template is rendered, or typos of them.
fn without_at_sign(template: &ErbFile, set: &FxHashSet<&str>) -> Vec<Finding> {
    let finding = |used: &NameUse| {
        let near = suggest::nearest(&used.name, set.iter().copied());
        let name = match set.get(used.name.as_str()) {
            Some(name) => *name,
            None => near.filter(|near| suggest::is_typo(&used.name, near))?,
        };
        let wrong = diagnostic!(used.span, BARE_TEMPLATE_VARIABLE { method: used.name, name });
        let fix = Fix { span: used.span, text: format!("@{name}"), is_safe: false };
        Some(Finding::from(wrong.in_source(&template.source)).with_fix(Some(fix)))
    };
    template.outline.bare.iter().filter_map(finding).collect()
}

/// The names of all variables that a template can see.
fn names<'o>(index: &'o Index, known: &Renderers<'o>) -> FxHashSet<&'o str> {
    let own = known.outlines.iter().flat_map(|outline| outline.set_names.iter().map(Str::as_str));
    let mut set: FxHashSet<&str> = own.collect();
    set.extend(crate::walk::ALWAYS);
    set.extend(kukla::catalog::types::METAPARAMETERS);
    for class in &known.classes {
        let mut next = index.classes.get(*class);
        // The ancestors were checked before, and all exist.
        for _ in 0..index.classes.len() {
            let Some(class) = next else { break };
            set.extend(class.parameters.iter().map(|parameter| parameter.name.as_str()));
            set.extend(class.variables.iter().map(|name| name.as_str()));
            next = class.parent.as_ref().and_then(|parent| index.classes.get(parent));
        }
    }
    set
}
