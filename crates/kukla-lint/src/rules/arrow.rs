//! The arrows of attributes and hashes.

use crate::manifest::{Manifest, Resource};
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// The arrows of a resource or a hash are not in one column.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    ///   mode => '0644',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    ///   mode   => '0644',
    /// }
    /// ```
    ARROW_ALIGNMENT = "arrow_alignment": Warning, "puppet-lint", on, Layout formatted, alignment,
        "indentation of => is not properly aligned (expected in column {expected}, but found it in column {found})";

    /// There is not exactly one blank before the arrow of an attribute that has no others to align with.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure   => file,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    /// }
    /// ```
    SPACE_BEFORE_ARROW = "space_before_arrow": Warning, "puppet-lint", on, Layout formatted, space_before,
        "there should be a single space before '=>' on line {line}, column {column}";

    /// There is not exactly one blank after an arrow.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure =>  file,
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    /// }
    /// ```
    ARROWS_SINGLE_SPACE_AFTER = "manifest_whitespace_arrows_single_space_after": Error, "manifest_whitespace-check", on, Layout formatted, space_after,
        "there should be a single space after an arrow";
}

/// The arrows of one pair of braces.
#[derive(Default)]
struct Level {
    column: u32,
    first_name_column: Option<u32>,
    arrows: Vec<At>,
}

/// The first and the last arrow of a resource.
fn arrows(manifest: &Manifest<'_>, resource: &Resource) -> Option<(At, At)> {
    let is_arrow = |at: &At| manifest.kind(*at) == Kind::Farrow;
    Some((resource.tokens().find(is_arrow)?, resource.tokens().rev().find(is_arrow)?))
}

fn alignment(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()? {
        let Some((first, last)) = arrows(manifest, resource) else { continue };
        if manifest.get(first).line == manifest.get(last).line {
            continue;
        }
        let mut levels = vec![Level::default()];
        let mut level = 0usize;
        for at in resource.tokens() {
            match manifest.kind(at) {
                Kind::Farrow => levels[level].add(manifest, at),
                Kind::Lbrace => {
                    level += 1;
                    if levels.len() == level {
                        levels.push(Level::default());
                    }
                }
                Kind::Rbrace | Kind::Semic => {
                    let done = std::mem::take(&mut levels[level]);
                    done.check(manifest, report);
                    let Some(outer) = level.checked_sub(1) else { break };
                    level = outer;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

impl Level {
    fn add(&mut self, manifest: &Manifest<'_>, arrow: At) {
        let Some(name) = manifest.previous_code(arrow) else { return };
        let line = manifest.get(arrow).line;
        let (mut start, mut length) = (name, manifest.length(name));
        if manifest.kind(name) == Kind::Dqpost {
            while start > 0 && manifest.kind(start) != Kind::Dqpre {
                start -= 1;
                length += manifest.length(start);
            }
        }
        let begin = *self.first_name_column.get_or_insert(manifest.get(start).column);
        let column = if self.arrows.iter().any(|other| manifest.get(*other).line == line) {
            begin + length + 1
        } else {
            manifest.get(name).column + manifest.length(name) + 1
        };
        self.column = self.column.max(column);
        self.arrows.push(arrow);
    }

    fn check(&self, manifest: &Manifest<'_>, report: &mut Report) {
        let line = |at: &At| manifest.get(*at).line;
        let is_multiline = self.arrows.iter().any(|at| line(at) != line(&self.arrows[0]));
        if !is_multiline {
            return;
        }
        for arrow in &self.arrows {
            let found = manifest.get(*arrow).column;
            if found == self.column {
                continue;
            }
            let is_first = self.arrows.iter().find(|at| line(at) == line(arrow)) == Some(arrow);
            let edits = self.fix(manifest, *arrow, is_first);
            let finding = report.at(manifest, *arrow, &ARROW_ALIGNMENT);
            finding.fact("expected", self.column).fact("found", found).fixed_by(edits);
        }
    }

    /// Moves an arrow into its column. One that is not the first of its line gets a line of its own, with its name.
    fn fix(&self, manifest: &Manifest<'_>, arrow: At, is_first: bool) -> Vec<Edit> {
        let token = manifest.get(arrow);
        let Some(name) = manifest.previous_code(arrow) else { return Vec::new() };
        let before = arrow - 1;
        let blank = (manifest.kind(before) == Kind::Whitespace).then_some(before);
        let mut edits = Vec::new();
        let width = if is_first {
            let old = blank.map_or(0, |blank| manifest.length(blank));
            i64::from(old) + i64::from(self.column) - i64::from(token.column)
        } else {
            let mut start = name;
            while manifest.kind(name) == Kind::Dqpost && start > 0 && manifest.kind(start) != Kind::Dqpre {
                start -= 1;
            }
            let Some(gap) = manifest.previous(start).filter(|at| manifest.kind(*at) == Kind::Whitespace)
            else {
                return Vec::new();
            };
            let indent = self.first_name_column.unwrap_or(1).saturating_sub(1);
            let text = format!("\n{}", " ".repeat(indent as usize));
            edits.push(Edit::replace(manifest.get(gap), text));
            let length: u32 = (start..=name).map(|at| manifest.length(at)).sum();
            i64::from(self.column) - i64::from(indent + length + 1)
        };
        let Ok(width) = usize::try_from(width) else { return Vec::new() };
        let blanks = " ".repeat(width);
        edits.push(match blank {
            Some(blank) => Edit::replace(manifest.get(blank), blanks),
            None => Edit::before(token, blanks),
        });
        edits
    }
}

fn space_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()? {
        let Some((first, last)) = arrows(manifest, resource) else { continue };
        if manifest.get(first).line != manifest.get(last).line {
            continue;
        }
        for arrow in resource.tokens().filter(|at| manifest.kind(*at) == Kind::Farrow) {
            let Some(before) = manifest.previous(arrow).filter(|at| manifest.value(*at) != " ") else {
                continue;
            };
            let token = manifest.get(before);
            let edit = match token.kind {
                Kind::Whitespace => Some(Edit::replace(token, " ")),
                Kind::Indent | Kind::Newline => None,
                _ => Some(Edit::after(token, " ")),
            };
            let finding = report.at(manifest, before, &SPACE_BEFORE_ARROW);
            finding.fact("line", token.line).fact("column", token.column).fixed_by(edit);
        }
    }
    Ok(())
}

fn space_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for arrow in manifest.of_kind(Kind::Farrow) {
        let Some(next) = manifest.next(arrow) else { continue };
        let token = manifest.get(next);
        if token.kind == Kind::Whitespace && token.value == " " {
            continue;
        }
        let edit = match token.kind {
            Kind::Whitespace => Some(Edit::replace(token, " ")),
            // The blank would end the line.
            Kind::Newline => None,
            _ => Some(Edit::before(token, " ")),
        };
        report.at(manifest, next, &ARROWS_SINGLE_SPACE_AFTER).fixed_by(edit);
    }
    Ok(())
}
