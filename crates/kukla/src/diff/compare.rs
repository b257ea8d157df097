//! One node on two sides.

use std::sync::Arc;

use kukla_catalog::{Catalog, Difference};
use kukla_eval::environment::Node;
use kukla_eval::error::Diagnostic;

use super::inputs::Inputs;
use super::{Changes, Compared, Failure, Files, Outcome, Rules, contents};
use crate::basis::{Basis, node_digest};
use crate::{CompileOptions, Site};

/// A node on one side: who it is there, and the site that compiles it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The node.
    pub node: Node,
    /// The site it belongs to, or why there is none.
    pub site: Result<Arc<Site>, Box<Diagnostic>>,
}

/// How nodes are compared. Any number of threads can use it at once.
#[derive(Debug, Default)]
pub struct Comparison<'f> {
    /// In which files the sides differ, if they differ in nothing else: the settings and what code may reach are the same.
    /// What rests on other files need not be compiled twice.
    pub files: Option<&'f Files<'f>>,
    /// What of a difference is told.
    pub rules: Rules,
    inputs: Inputs,
}

impl<'f> Comparison<'f> {
    /// A comparison of sides that differ in these files, if any are given, and in nothing else but nodes.
    pub fn new(files: Option<&'f Files<'f>>, rules: Rules) -> Comparison<'f> {
        Comparison { files, rules, ..Comparison::default() }
    }

    /// Compiles a node on both sides, as far as it takes to say what is different.
    pub fn node(&self, before: Result<Subject, Failure>, after: Result<Subject, Failure>) -> Compared {
        let (before, after) = match (before, after) {
            (Ok(before), Ok(after)) => (before, after),
            (before, after) => return self.catalogs(before.and_then(compiled), after.and_then(compiled)),
        };
        let Some(files) = self.files else { return self.catalogs(compiled(before), compiled(after)) };
        if files.is_insignificant() && is_same_node(&before, &after) && before.node.facts == after.node.facts
        {
            return Compared::Otherwise(Outcome::SameInputs);
        }
        let old = match &before.site {
            Ok(site) => {
                let outcome = site.compile_with(&before.node, CompileOptions::default());
                if let Some(record) = &outcome.record
                    && let Some(ledger) = site.environment.world.ledger()
                    && is_same_node(&before, &after)
                {
                    let basis = Basis::new(&before.node, &site.spec.environment, record);
                    if basis.changed_fact(&after.node.facts).is_none()
                        && self.inputs.hold(ledger, files, &basis.inputs)
                    {
                        return match outcome.result {
                            Ok(compiled) if files.serves_changed() => {
                                let changes =
                                    self.fetched(Changes::default(), &before, &after, &compiled.catalog);
                                self.told(changes, Outcome::SameInputs)
                            }
                            Ok(_) => Compared::Otherwise(Outcome::SameInputs),
                            Err(failure) => {
                                Compared::Otherwise(Outcome::Fails(failure.clone().into(), failure.into()))
                            }
                        };
                    }
                }
                outcome.result.map(|compiled| compiled.catalog).map_err(Failure::from)
            }
            Err(failure) => Err(Failure::from(failure.clone())),
        };
        let new = compiled(after.clone());
        match (old, new) {
            (Ok(old), Ok(new)) => {
                let changes = self.fetched(self.changes(&old, &new), &before, &after, &new);
                self.told(changes, Outcome::Same)
            }
            (old, new) => self.catalogs(old, new),
        }
    }

    /// What is different between two catalogs, as far as it is told.
    fn changes(&self, before: &Catalog, after: &Catalog) -> Changes {
        let mut difference = Difference::between(before, after);
        self.rules.apply(&mut difference);
        let mut changes = Changes::new(difference, before, after);
        self.rules.tidy(&mut changes);
        changes
    }

    /// Changes together with those of the files that the node fetches.
    fn fetched(&self, mut changes: Changes, before: &Subject, after: &Subject, catalog: &Catalog) -> Changes {
        if let (Some(files), Ok(old), Ok(new)) = (self.files, &before.site, &after.site)
            && files.serves_changed()
        {
            contents::add(&mut changes, (old, new), catalog, files, &self.rules);
        }
        changes
    }

    fn told(&self, changes: Changes, otherwise: Outcome) -> Compared {
        match changes.is_empty() {
            true => Compared::Otherwise(otherwise),
            false => Compared::Changed(Box::new(changes)),
        }
    }

    /// A node that only the side before has.
    pub fn removed(&self, node: Result<Subject, Failure>) -> Compared {
        let resources = node.and_then(compiled).map(|catalog| catalog.resources.len());
        Compared::Otherwise(Outcome::Removed(resources))
    }

    /// A node that only the side after has.
    pub fn added(&self, node: Result<Subject, Failure>) -> Compared {
        let resources = node.and_then(compiled).map(|catalog| catalog.resources.len());
        Compared::Otherwise(Outcome::Added(resources))
    }

    /// Says what is different between two catalogs of a node.
    pub fn catalogs(&self, before: Result<Catalog, Failure>, after: Result<Catalog, Failure>) -> Compared {
        Compared::Otherwise(match (before, after) {
            (Ok(before), Ok(after)) => return self.told(self.changes(&before, &after), Outcome::Same),
            (Ok(_), Err(after)) => Outcome::Breaks(after),
            (Err(before), Ok(_)) => Outcome::Repaired(before),
            (Err(before), Err(after)) => Outcome::Fails(before, after),
        })
    }
}

/// Whether a node is the same on both sides but for its facts.
fn is_same_node(before: &Subject, after: &Subject) -> bool {
    let environment =
        |subject: &Subject| subject.site.as_ref().ok().map(|site| site.spec.environment.clone());
    match (environment(before), environment(after)) {
        (Some(old), Some(new)) => node_digest(&before.node, &old) == node_digest(&after.node, &new),
        _ => false,
    }
}

fn compiled(subject: Subject) -> Result<Catalog, Failure> {
    Ok(subject.site?.compile(&subject.node).result?)
}
