//! Applies fixes to a text until none is left.
//!
//! Fixes of one round do not overlap; what one of them makes possible or necessary is found in the next. A text that parses never becomes one
//! that does not, and fixes of the layout leave its syntax tree as it is. Where a fix breaks that promise, it is not made, and its finding
//! remains.

use std::collections::BTreeMap;

use kukla_syntax::pn::Pn;
use kukla_syntax::{ParseOptions, Source, parse_with, roomy};

use crate::report::{Edit, Finding};
use crate::rule::{Fix, Rule};
use crate::settings::Settings;
use crate::{Manifest, lint};

/// The number of times that a text is fixed. Fixes settle after three or four.
const ROUNDS: usize = 20;

/// The number of fixes of one rule that are tried one by one.
const SINGLE_TRIES: usize = 100;

/// A text after its fixes.
#[derive(Debug)]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// The findings that were fixed, with the positions that they had in the original text.
    pub findings: Vec<Finding>,
}

/// The limits of fixing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The greatest effect that a fix may have. If absent, only fixes of rules that were chosen by name may ask for another state.
    pub effect: Option<Fix>,
    /// Whether `plan` and `apply` are keywords.
    pub tasks: bool,
}

/// Applies the fixes of rules to a text.
pub fn fix(
    text: &str,
    path: &str,
    full_path: &str,
    rules: &[&'static Rule],
    settings: &Settings,
    limits: Limits,
) -> Fixed {
    let mut fixer = Fixer {
        text: text.to_owned(),
        tree: tree(text, limits.tasks),
        tasks: limits.tasks,
        refused: Vec::new(),
        history: Vec::new(),
        rules,
    };
    let greatest = limits.effect.unwrap_or(Fix::State);
    // What can be fixed in the original, and in the end.
    let (mut original, mut rest): (Option<Vec<Finding>>, Vec<Finding>) = (None, Vec::new());
    for _ in 0..ROUNDS {
        let findings = {
            let manifest = Manifest::new(&fixer.text, path, full_path);
            lint(&manifest, rules, settings).findings
        };
        let effect = |finding: &Finding| {
            rules.iter().find(|rule| rule.name() == finding.code.name).map_or(Fix::None, |rule| rule.fix)
        };
        rest = findings
            .into_iter()
            .filter(|finding| !finding.fix.is_empty() && finding.ignored.is_none())
            .filter(|finding| effect(finding) <= greatest)
            .collect();
        original.get_or_insert_with(|| rest.clone());
        let open = rest.iter().filter(|finding| !fixer.refused.contains(&finding.code.name)).cloned();
        // The layout comes last, since the other fixes change it.
        let (layout, code): (Vec<_>, Vec<_>) = open.partition(|finding| effect(finding) == Fix::Layout);
        let (effect, batch) = if code.is_empty() { (Fix::Layout, layout) } else { (Fix::Value, code) };
        if batch.is_empty() || !fixer.round(batch, effect) {
            break;
        }
    }
    let mut findings = original.unwrap_or_default();
    // Of each rule as many are fixed as do not remain.
    for left in rest {
        if let Some(at) = findings.iter().rposition(|finding| finding.code.name == left.code.name) {
            findings.remove(at);
        }
    }
    Fixed { text: fixer.text, findings }
}

/// The syntax tree of a text in PN, which fixes of the layout must keep; `None` if the text does not parse.
fn tree(text: &str, tasks: bool) -> Option<String> {
    roomy(|| {
        let parse = parse_with(&Source::unnamed(text), ParseOptions { tasks });
        parse.is_ok().then(|| Pn::of(&parse.tree).to_text())
    })
}

struct Fixer<'r> {
    rules: &'r [&'static Rule],
    text: String,
    tree: Option<String>,
    tasks: bool,
    /// Rules whose fixes would have broken a promise, or undo those of others.
    refused: Vec<&'static str>,
    /// The forms that the text has had, each with the rules that changed it.
    history: Vec<(String, Vec<&'static str>)>,
}

impl Fixer<'_> {
    /// Makes fixes that belong to one round. Reports whether the text has changed.
    fn round(&mut self, findings: Vec<Finding>, effect: Fix) -> bool {
        if self.try_all(&findings, effect) {
            return true;
        }
        // One rule after the other, and then one fix after the other, shows which is at fault.
        let mut names: Vec<&'static str> = findings.iter().map(|finding| finding.code.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let own: Vec<Finding> =
                findings.iter().filter(|finding| finding.code.name == name).cloned().collect();
            if self.try_all(&own, effect) {
                return true;
            }
            self.refused.push(name);
            for finding in own.into_iter().take(SINGLE_TRIES) {
                if self.try_all(&[finding], effect) {
                    // Positions have changed, so the others wait for the next round.
                    self.refused.pop();
                    return true;
                }
            }
        }
        false
    }

    /// Replaces the text. If it is one that there was before, rules contradict each other, and one of those that led here gives way.
    fn advance(&mut self, text: String, findings: &[Finding]) {
        let mut names: Vec<&'static str> = findings.iter().map(|finding| finding.code.name).collect();
        names.sort_unstable();
        names.dedup();
        self.history.push((std::mem::replace(&mut self.text, text), names));
        let Some(start) = self.history.iter().position(|(before, _)| *before == self.text) else { return };
        let is_involved = |rule: &&&'static Rule| {
            self.history[start..].iter().any(|(_, names)| names.contains(&rule.name()))
        };
        // puppet-lint's own rules stay; of plugins the first.
        let involved = self.rules.iter().filter(is_involved);
        let loser = involved.min_by_key(|rule| rule.origin == "puppet-lint").map(|rule| rule.name());
        self.refused.extend(loser);
        self.history.clear();
    }

    fn try_all(&mut self, findings: &[Finding], effect: Fix) -> bool {
        let text = apply(&self.text, findings);
        if text == self.text {
            return false;
        }
        let tree = self.tree.as_ref().map(|_| tree(&text, self.tasks));
        let is_kept = match (&self.tree, &tree) {
            (None, _) => true,
            (Some(old), Some(Some(new))) => effect != Fix::Layout || old == new,
            (Some(_), _) => false,
        };
        if is_kept {
            self.tree = tree.flatten();
            self.advance(text, findings);
        }
        is_kept
    }
}

/// The text with all fixes applied that do not overlap with an earlier one.
pub fn apply(text: &str, findings: &[Finding]) -> String {
    // The ranges that are replaced, by their beginning; insertions take no room, but one place has only one.
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut chosen: Vec<&Edit> = Vec::new();
    for finding in findings {
        let is_free = |edit: &Edit| {
            let before = taken.range(..=edit.start).next_back();
            let after = taken.range(edit.start..).next();
            before.is_none_or(|(start, end)| *end <= edit.start && *start < edit.start)
                && after.is_none_or(|(start, _)| *start >= edit.end && *start > edit.start)
        };
        if finding.fix.is_empty() || !finding.fix.iter().all(is_free) {
            continue;
        }
        for edit in &finding.fix {
            taken.insert(edit.start, edit.end);
            chosen.push(edit);
        }
    }
    chosen.sort_by_key(|edit| (edit.start, edit.end));
    let (mut out, mut end) = (String::with_capacity(text.len() + 64), 0);
    for edit in chosen {
        out.push_str(text.get(end..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        end = edit.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}
