//! Relationships and collectors.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A chaining arrow ends a line; it belongs to the beginning of the line with its right operand.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// Package['ntp'] ->
    /// Service['ntp']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// Package['ntp']
    /// -> Service['ntp']
    /// ```
    ARROW_ON_RIGHT_OPERAND_LINE = "arrow_on_right_operand_line": Warning, "puppet-lint", on, Layout formatted, arrow_line,
        "arrow should be on the right operand's line";

    /// A relationship is written from right to left. Readers expect the order in which resources are applied.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// Service['ntp'] <- Package['ntp']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// Package['ntp'] -> Service['ntp']
    /// ```
    RIGHT_TO_LEFT_RELATIONSHIP = "right_to_left_relationship": Warning, "puppet-lint", on, None, right_to_left,
        "right-to-left (<-) relationship";

    /// A collector has no condition, so it realizes or changes all resources of its type, also those of other modules.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// File <| |>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// File <| tag == 'web' |>
    /// ```
    SPACESHIP_OPERATOR_WITHOUT_TAG = "spaceship_operator_without_tag": Warning, "spaceship_operator_without_tag-check", on, None, spaceship,
        "spaceship operator without tag";
}

fn arrow_line(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kinds(&[Kind::InEdge, Kind::InEdgeSub]) {
        let Some(right) = manifest.next_code(at) else { continue };
        if manifest.get(right).line == manifest.get(at).line {
            continue;
        }
        let edits = arrow_fix(manifest, at, right);
        report.at(manifest, at, &ARROW_ON_RIGHT_OPERAND_LINE).fixed_by(edits);
    }
    Ok(())
}

/// Moves an arrow before its right operand, and removes the blanks that would end the line.
fn arrow_fix(manifest: &Manifest<'_>, at: At, right: At) -> [Edit; 2] {
    let arrow = manifest.get(at);
    let is_blank = |at: At| manifest.kind(at) == Kind::Whitespace;
    let (mut start, mut end) = (arrow.start(), arrow.end());
    if let Some(after) = manifest.next(at).filter(|after| is_blank(*after)) {
        end = manifest.get(after).end();
    }
    let ends_line = manifest.text.as_bytes().get(end).is_some_and(|byte| matches!(byte, b'\n' | b'\r'));
    if let Some(before) = manifest.previous(at).filter(|before| ends_line && is_blank(*before)) {
        start = manifest.get(before).start();
    }
    let insert = Edit::before(manifest.get(right), format!("{} ", manifest.source(at)));
    [Edit::between(start, end, ""), insert]
}

fn right_to_left(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::OutEdge) {
        report.at(manifest, at, &RIGHT_TO_LEFT_RELATIONSHIP);
    }
    Ok(())
}

fn spaceship(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Lcollect) {
        if manifest.next_code_kind(at) == Some(Kind::Rcollect) {
            report.at(manifest, at, &SPACESHIP_OPERATOR_WITHOUT_TAG);
        }
    }
    Ok(())
}
