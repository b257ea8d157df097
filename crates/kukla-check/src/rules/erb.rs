//! Variables of ERB templates.

use std::sync::Arc;

use kukla::extensions::outline::VariableUse;
use kukla::syntax::{Severity, diagnostic};
use kukla::values::Str;
use kukla_ruby::outline::NameUse;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::erb::ErbFile;
use crate::finding::{Finding, Fix};
use crate::repository::{Counted, Index, Kind, Outline, Step};
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

/// The code that renders or names templates, and the findings in the templates since the last check.
#[derive(Debug, Default)]
pub struct TemplateUses {
    /// The classes and defined types that render each template, with the places of their files, in order.
    renderers: FxHashMap<String, Vec<(usize, Str)>>,
    /// The names of all templates that are rendered by literal names.
    rendered: Counted<String>,
    /// Strings that could be the name of a template.
    mentioned: Counted<String>,
    /// The literal beginnings and ends of computed strings of that kind.
    computed: Counted<(String, String)>,
    /// The findings by the path of the template.
    findings: FxHashMap<String, Vec<Finding>>,
    /// Templates whose uses have changed since the last check.
    changed: FxHashSet<String>,
    /// Whether all of them may have changed.
    has_all_changed: bool,
    /// The state of facts and top-scope variables at the last check.
    base: u64,
}

impl TemplateUses {
    /// Replaces the uses in a file.
    pub fn replace(&mut self, place: usize, old: Option<&Outline>, new: Option<&Outline>) {
        for (outline, step) in [(new, Step::Add), (old, Step::Remove)] {
            for (template, class) in outline.into_iter().flat_map(|outline| &outline.renders) {
                self.rendered.count(template, step);
                self.changed.insert(template.clone());
                let all = self.renderers.entry(template.clone()).or_default();
                let at = all.partition_point(|(own, _)| *own <= place);
                match step {
                    Step::Add => all.insert(at, (place, class.clone())),
                    Step::Remove => {
                        let own = all.iter().position(|(own, name)| *own == place && name == class);
                        own.map(|at| all.remove(at));
                        if all.is_empty() {
                            self.renderers.remove(template);
                        }
                    }
                }
            }
            for path in outline.into_iter().flat_map(|outline| &outline.paths) {
                self.mentioned.count(path, step);
                self.changed.insert(path.clone());
            }
            for ends in outline.into_iter().flat_map(|outline| &outline.computed_paths) {
                self.has_all_changed |= self.computed.count(ends, step);
            }
        }
    }

    /// The names of the templates that are rendered by literal names.
    pub fn rendered(&self) -> &Counted<String> {
        &self.rendered
    }

    /// Records that templates may have changed.
    pub fn renew(&mut self) {
        self.has_all_changed = true;
    }

    /// The findings in all templates, of which only those are checked again that a change affects.
    pub fn check<'o>(
        &mut self,
        index: &Index,
        outline: &dyn Fn(usize) -> Option<&'o Outline>,
        templates: &[Arc<ErbFile>],
    ) -> Vec<Finding> {
        let is_renewed =
            std::mem::take(&mut self.has_all_changed) || index.changes.all || self.base != index.base;
        self.base = index.base;
        let changed = std::mem::take(&mut self.changed);
        if is_renewed {
            self.findings.clear();
        }
        let partial: FxHashSet<&str> =
            templates.iter().flat_map(|template| template.outline.paths.iter().map(String::as_str)).collect();
        for template in templates {
            let path = template.source.name().unwrap_or_default();
            let renderers = self.renderers.get(&template.name);
            let is_affected = is_renewed
                || changed.contains(&template.name)
                || renderers.into_iter().flatten().any(|(_, class)| has_other_lineage(index, class));
            if !is_affected {
                continue;
            }
            let found = match renderers {
                Some(renderers) => self.check_template(index, outline, template, renderers, &partial),
                None => Vec::new(),
            };
            match found.is_empty() {
                true => self.findings.remove(path),
                false => self.findings.insert(path.to_owned(), found),
            };
        }
        let paths = templates.iter().filter_map(|template| template.source.name());
        paths.filter_map(|path| self.findings.get(path)).flatten().cloned().collect()
    }

    fn check_template<'s, 'o: 's>(
        &self,
        index: &'s Index,
        outline: &dyn Fn(usize) -> Option<&'o Outline>,
        template: &ErbFile,
        renderers: &'s [(usize, Str)],
        partial: &FxHashSet<&str>,
    ) -> Vec<Finding> {
        let name = template.name.as_str();
        let set = names(index, outline, renderers);
        let mut findings = without_at_sign(template, &set);
        // A template that is named elsewhere may be rendered there.
        let is_open = partial.contains(name)
            || self.mentioned.number(name) as usize > renderers.len()
            || self
                .computed
                .iter()
                .any(|(head, tail)| name.starts_with(head.as_str()) && name.ends_with(tail.as_str()));
        if is_open || !renderers.iter().all(|(_, class)| index.lineage(class).1) {
            return findings;
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
        findings
    }
}

/// Whether a class or one of its ancestors has changed.
fn has_other_lineage(index: &Index, class: &Str) -> bool {
    let has_changed = |name: &Str| index.changes.definitions.contains(&(Kind::Class, name.clone()));
    let (lineage, is_known) = index.lineage(class);
    let missing = lineage.last().map_or(Some(class), |last| last.parent.as_ref()).filter(|_| !is_known);
    lineage.iter().any(|ancestor| has_changed(&ancestor.name)) || missing.is_some_and(has_changed)
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
fn names<'s, 'o: 's>(
    index: &'s Index,
    outline: &dyn Fn(usize) -> Option<&'o Outline>,
    renderers: &'s [(usize, Str)],
) -> FxHashSet<&'s str> {
    let outlines = renderers.iter().filter_map(|(place, _)| outline(*place));
    let mut set: FxHashSet<&str> =
        outlines.flat_map(|outline| outline.set_names.iter().map(Str::as_str)).collect();
    set.extend(crate::walk::ALWAYS);
    set.extend(kukla::catalog::types::METAPARAMETERS);
    for (_, class) in renderers {
        let mut next = index.classes.get(class);
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
