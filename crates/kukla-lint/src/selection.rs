//! The rules to apply to a text, with their settings and severities.

use kukla_syntax::Severity;
use rustc_hash::FxHashMap;

use crate::fix::{Limits, fix};
use crate::report::Finding;
use crate::rule::{Fix, Rule};
use crate::rules;
use crate::settings::Settings;
use crate::{Linted, Manifest, lint};

/// The rules to apply, and how.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The rules, in their order.
    pub rules: Vec<&'static Rule>,
    /// Whether the rules were chosen by name, one by one: then their fixes may ask for another state.
    pub is_named: bool,
    /// The settings of single rules.
    pub settings: Settings,
    /// The severities that replace those of the rules.
    pub severities: FxHashMap<&'static str, Severity>,
}

/// The outcome of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An error that remains.
    Error,
    /// A warning that remains.
    Warning,
    /// A finding that a fix has removed.
    Fixed,
    /// A finding that a comment suppresses.
    Ignored,
}

impl Kind {
    /// Its name, as puppet-lint prints it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Error => "error",
            Kind::Warning => "warning",
            Kind::Fixed => "fixed",
            Kind::Ignored => "ignored",
        }
    }
}

/// A finding with its outcome.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The outcome.
    pub kind: Kind,
    /// The finding.
    pub finding: Finding,
}

/// The findings of a text, and the text after fixes.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The findings: fixed ones and those that remain.
    pub findings: Vec<Reported>,
    /// Warnings about control comments.
    pub warnings: Vec<String>,
    /// The text after fixes, if it differs.
    pub fixed: Option<String>,
}

impl Selection {
    /// The rules of these names, in the order of all rules.
    pub fn of(names: &[&str], settings: Settings) -> Selection {
        let rules = rules::all().iter().filter(|rule| names.contains(&rule.name())).copied().collect();
        Selection { rules, settings, is_named: true, ..Selection::default() }
    }

    /// The severity of a finding.
    pub fn severity(&self, finding: &Finding) -> Severity {
        self.severities.get(finding.code.name).copied().unwrap_or(finding.severity)
    }

    /// Applies the rules to a text, and their fixes within limits, if there are any.
    pub fn apply(&self, text: &str, path: &str, full_path: &str, limits: Option<Limits>) -> Outcome {
        let fixed = limits.map(|limits| {
            let greatest = if self.is_named { Fix::State } else { Fix::Value };
            let limits = Limits { effect: limits.effect.or(Some(greatest)), ..limits };
            fix(text, path, full_path, &self.rules, &self.settings, limits)
        });
        let (fixed_text, fixed) = fixed.map(|fixed| (fixed.text, fixed.findings)).unzip();
        let after = fixed_text.filter(|after| after != text);
        let manifest = Manifest::new(after.as_deref().unwrap_or(text), path, full_path);
        let Linted { findings: remaining, warnings } = lint(&manifest, &self.rules, &self.settings);
        let fixed = fixed.unwrap_or_default();
        let has_fixed = !fixed.is_empty();
        let mut findings: Vec<Reported> =
            fixed.into_iter().map(|finding| Reported { kind: Kind::Fixed, finding }).collect();
        findings.extend(remaining.into_iter().map(|mut finding| {
            finding.severity = self.severity(&finding);
            let kind = match (&finding.ignored, finding.severity) {
                (Some(_), _) => Kind::Ignored,
                (None, Severity::Error) => Kind::Error,
                (None, _) => Kind::Warning,
            };
            Reported { kind, finding }
        }));
        if has_fixed {
            findings.sort_by_key(|reported| rules::position(reported.finding.code.name));
        }
        Outcome { findings, warnings, fixed: after }
    }
}
