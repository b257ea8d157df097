//! Blanks around brackets and braces.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A closing brace follows blanks other than one blank or a line end.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp { include apt}
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { include apt }
    /// ```
    CLOSING_BRACE_BEFORE = "manifest_whitespace_closing_brace_before": Error, "manifest_whitespace-check", on, Layout formatted, closing_brace_before,
        "there should be a single space or newline before a closing brace";

    /// A closing brace is followed by blanks and then by something that belongs directly after it, or by a word without a blank.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $both = [{ 'a' => 1 } , { 'b' => 2 }]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $both = [{ 'a' => 1 }, { 'b' => 2 }]
    /// ```
    CLOSING_BRACE_AFTER = "manifest_whitespace_closing_brace_after": Error, "manifest_whitespace-check", on, Layout formatted, closing_brace_after,
        "there should be either a bracket, punctuation mark, closing quote or a newline after a closing brace, or whitespace and none of the aforementioned";

    /// A closing bracket follows blanks other than a line end.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $both = [1, 2 ]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $both = [1, 2]
    /// ```
    CLOSING_BRACKET_BEFORE = "manifest_whitespace_closing_bracket_before": Error, "manifest_whitespace-check", on, Layout formatted, closing_bracket_before,
        "there should be no whitespace or a single newline before a closing bracket";

    /// A closing bracket is followed by blanks and then by something that belongs directly after it, or by a word without a blank.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $all = [[1] , [2]]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $all = [[1], [2]]
    /// ```
    CLOSING_BRACKET_AFTER = "manifest_whitespace_closing_bracket_after": Error, "manifest_whitespace-check", on, Layout formatted, closing_bracket_after,
        "there should be either a bracket, punctuation mark, closing quote or a newline after a closing bracket, or whitespace and none of the aforementioned";

    /// There is not exactly one blank before an opening brace.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp{ include apt }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { include apt }
    /// ```
    OPENING_BRACE_BEFORE = "manifest_whitespace_opening_brace_before": Error, "manifest_whitespace-check", on, Layout formatted, opening_brace_before,
        "there should be a single space before an opening brace";

    /// An opening brace is followed by blanks other than one blank or a line end.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {  include apt }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { include apt }
    /// ```
    OPENING_BRACE_AFTER = "manifest_whitespace_opening_brace_after": Error, "manifest_whitespace-check", on, Layout formatted, opening_brace_after,
        "there should be a single space or single newline after an opening brace";

    /// There is not exactly one blank before the bracket of a list.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $both =  [1, 2]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $both = [1, 2]
    /// ```
    OPENING_BRACKET_BEFORE = "manifest_whitespace_opening_bracket_before": Error, "manifest_whitespace-check", on, Layout formatted, opening_bracket_before,
        "there should be a single space before an opening bracket";

    /// An opening bracket is followed by blanks other than a line end.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $both = [ 1, 2]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $both = [1, 2]
    /// ```
    OPENING_BRACKET_AFTER = "manifest_whitespace_opening_bracket_after": Error, "manifest_whitespace-check", on, Layout formatted, opening_bracket_after,
        "there should be no whitespace or a single newline after an opening bracket";

    /// There is not exactly one blank between `class` or `define` and the name.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class  ntp { include apt }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { include apt }
    /// ```
    CLASS_NAME_BEFORE = "manifest_whitespace_class_name_single_space_before": Error, "manifest_whitespace-check", on, Layout formatted, name_before,
        "there should be a single space between the class or defined resource statement and the name";

    /// There is not exactly one blank after the name of a class or a defined type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp  ($server) { include apt }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp ($server) { include apt }
    /// ```
    CLASS_NAME_AFTER = "manifest_whitespace_class_name_single_space_after": Error, "manifest_whitespace-check", on, Layout formatted, name_after,
        "there should be a single space between the class or resource name and the next item";

    /// There is not exactly one blank between `inherits` and the name.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp inherits  apt { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp inherits apt { }
    /// ```
    INHERITS_NAME_BEFORE = "manifest_whitespace_inherits_name_single_space_before": Error, "manifest_whitespace-check", on, Layout formatted, inherits_before,
        "there should be a single space between the inherits statement and the name";
}

fn is_space(manifest: &Manifest<'_>, at: At) -> bool {
    manifest.kind(at) == Kind::Whitespace && manifest.value(at) == " "
}

/// Whether exactly one blank lies between two tokens.
fn one_space(manifest: &Manifest<'_>, first: At, second: At) -> bool {
    second == first + 2 && is_space(manifest, first + 1)
}

/// Whether a line ends between two tokens.
fn has_newline(manifest: &Manifest<'_>, first: At, second: At) -> bool {
    (first + 1..second).any(|at| manifest.kind(at) == Kind::Newline)
}

/// Replaces everything between two tokens.
fn between(manifest: &Manifest<'_>, first: At, second: At, text: &str) -> Edit {
    Edit::between(manifest.get(first).end(), manifest.get(second).start(), text)
}

/// The last line end before a token, with the indentation after it.
fn last_line<'t>(manifest: &Manifest<'t>, at: At) -> &'t str {
    let newline = (0..at).rev().find(|at| manifest.kind(*at) == Kind::Newline).unwrap_or(at);
    manifest.text.get(manifest.get(newline).start()..manifest.get(at).start()).unwrap_or("\n")
}

fn closing_brace_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for brace in manifest.of_kind(Kind::Rbrace) {
        let (Some(before), Some(solid)) = (manifest.previous(brace), manifest.previous_solid(brace)) else {
            continue;
        };
        let is_empty = manifest.kind(solid) == Kind::Lbrace;
        if manifest.kind(before) == Kind::Lbrace
            || (!is_empty && one_space(manifest, solid, brace))
            || (manifest.kind(before) == Kind::Indent && solid + 3 == brace)
            || (manifest.kind(before) == Kind::Newline && solid + 2 == brace)
        {
            continue;
        }
        let text = match () {
            () if has_newline(manifest, solid, brace) => last_line(manifest, brace),
            () if is_empty => "",
            () => " ",
        };
        let edit = between(manifest, solid, brace, text);
        report.at(manifest, solid + 1, &CLOSING_BRACE_BEFORE).fixed_by([edit]);
    }
    Ok(())
}

fn closing_bracket_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for bracket in manifest.of_kind(Kind::Rbrack) {
        let (Some(before), Some(solid)) = (manifest.previous(bracket), manifest.previous_solid(bracket))
        else {
            continue;
        };
        let kind = manifest.kind(before);
        if !kind.is_blank()
            || (kind == Kind::Indent && solid + 3 == bracket)
            || (kind == Kind::Newline && solid + 2 == bracket)
        {
            continue;
        }
        let text = if has_newline(manifest, solid, bracket) { last_line(manifest, bracket) } else { "" };
        let edit = between(manifest, solid, bracket, text);
        report.at(manifest, solid + 1, &CLOSING_BRACKET_BEFORE).fixed_by([edit]);
    }
    Ok(())
}

/// Whether a token belongs directly after a closing bracket.
fn belongs_after(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Rbrack
            | Kind::Rparen
            | Kind::Semic
            | Kind::Comma
            | Kind::Colon
            | Kind::Dot
            | Kind::Newline
            | Kind::Dqmid
            | Kind::Dqpost
            | Kind::Lbrack
            | Kind::HeredocMid
            | Kind::HeredocPost
    )
}

fn closing_after(
    manifest: &Manifest<'_>,
    kind: Kind,
    code: &'static kukla_syntax::Code,
    report: &mut Report,
) {
    for bracket in manifest.of_kind(kind) {
        let Some(next) = manifest.next(bracket).filter(|next| !belongs_after(manifest.kind(*next))) else {
            continue;
        };
        let mut edit = None;
        if manifest.kind(next) == Kind::Whitespace {
            let solid = manifest.next_solid(bracket).filter(|solid| belongs_after(manifest.kind(*solid)));
            let Some(solid) = solid else { continue };
            // A bracket without blanks before it would be an index.
            if !matches!(manifest.kind(solid), Kind::Lbrack | Kind::Colon)
                && !has_newline(manifest, bracket, solid)
            {
                edit = Some(between(manifest, bracket, solid, ""));
            }
        }
        report.at(manifest, next, code).fixed_by(edit);
    }
}

fn closing_brace_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    closing_after(manifest, Kind::Rbrace, &CLOSING_BRACE_AFTER, report);
    Ok(())
}

fn closing_bracket_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    closing_after(manifest, Kind::Rbrack, &CLOSING_BRACKET_AFTER, report);
    Ok(())
}

fn opening_brace_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for brace in manifest.of_kind(Kind::Lbrace) {
        let (Some(before), Some(solid)) = (manifest.previous(brace), manifest.previous_solid(brace)) else {
            continue;
        };
        let begins_line = matches!(manifest.kind(before), Kind::Indent | Kind::Newline);
        let is_right = match manifest.kind(solid) {
            Kind::Comma if begins_line => true,
            Kind::Comment | Kind::Colon => true,
            Kind::Lparen | Kind::Lbrack => solid + 1 == brace || has_newline(manifest, solid, brace),
            Kind::Lbrace => has_newline(manifest, solid, brace) || one_space(manifest, solid, brace),
            _ => one_space(manifest, solid, brace),
        };
        if is_right {
            continue;
        }
        let text = if matches!(manifest.kind(solid), Kind::Lparen | Kind::Lbrack) { "" } else { " " };
        let edit = between(manifest, solid, brace, text);
        report.at(manifest, brace, &OPENING_BRACE_BEFORE).fixed_by([edit]);
    }
    Ok(())
}

fn opening_brace_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for brace in manifest.of_kind(Kind::Lbrace) {
        let Some(next) = manifest.next(brace).filter(|next| !is_space(manifest, *next)) else { continue };
        let at = match manifest.kind(next) {
            Kind::Rbrace | Kind::Lbrack | Kind::Lbrace => continue,
            Kind::Newline => match manifest.next(next).filter(|at| manifest.kind(*at) == Kind::Newline) {
                Some(second) => second,
                None => continue,
            },
            _ => next,
        };
        let edit = match manifest.kind(at) {
            Kind::Whitespace => Some(Edit::replace(manifest.get(at), " ")),
            Kind::Newline => without_empty_lines(manifest, brace),
            _ => Some(Edit::before(manifest.get(at), " ")),
        };
        report.at(manifest, at, &OPENING_BRACE_AFTER).fixed_by(edit);
    }
    Ok(())
}

/// Removes the empty lines after a token.
fn without_empty_lines(manifest: &Manifest<'_>, at: At) -> Option<Edit> {
    let solid = manifest.next_solid(at)?;
    Some(between(manifest, at, solid, last_line(manifest, solid)))
}

fn opening_bracket_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for bracket in manifest.of_kind(Kind::Lbrack) {
        let (Some(before), Some(solid)) = (manifest.previous(bracket), manifest.previous_solid(bracket))
        else {
            continue;
        };
        if is_bracket_right(manifest, bracket, before, solid) {
            continue;
        }
        let text =
            if matches!(manifest.kind(solid), Kind::Lparen | Kind::Lbrack | Kind::Lbrace) { "" } else { " " };
        let edit = between(manifest, solid, bracket, text);
        report.at(manifest, bracket, &OPENING_BRACKET_BEFORE).fixed_by([edit]);
    }
    Ok(())
}

fn is_bracket_right(manifest: &Manifest<'_>, bracket: At, before: At, solid: At) -> bool {
    let begins_line = matches!(manifest.kind(before), Kind::Indent | Kind::Newline);
    let kind = manifest.kind(solid);
    if matches!(manifest.kind(before), Kind::Classref | Kind::Variable | Kind::Name)
        || kind == Kind::Comment
        || (begins_line
            && matches!(
                kind,
                Kind::Semic | Kind::Comma | Kind::Colon | Kind::Name | Kind::Rbrack | Kind::Rbrace
            ))
    {
        return true;
    }
    let is_bracket = matches!(
        kind,
        Kind::Rbrack | Kind::Rbrace | Kind::Rparen | Kind::Lparen | Kind::Lbrack | Kind::Lbrace | Kind::Type
    );
    let is_name = matches!(kind, Kind::Classref | Kind::Variable);
    if (is_bracket && (solid == before || begins_line))
        || (!is_bracket && !is_name && one_space(manifest, solid, bracket))
    {
        return true;
    }
    let opener = manifest.previous_solid(solid).filter(|_| kind == Kind::Lbrace);
    match opener {
        None => kind == Kind::Lbrace,
        Some(opener) => {
            matches!(manifest.kind(opener), Kind::Name | Kind::Pipe)
                && (begins_line || one_space(manifest, solid, bracket))
        }
    }
}

fn opening_bracket_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for bracket in manifest.of_kind(Kind::Lbrack) {
        let Some(next) = manifest.next(bracket).filter(|next| manifest.kind(*next).is_blank()) else {
            continue;
        };
        let at = match manifest.kind(next) {
            Kind::Newline => match manifest.next(next).filter(|at| manifest.kind(*at) == Kind::Newline) {
                Some(second) => second,
                None => continue,
            },
            _ => next,
        };
        let edit = match manifest.kind(at) {
            Kind::Newline => without_empty_lines(manifest, bracket),
            _ => Some(Edit::remove(manifest.get(at))),
        };
        report.at(manifest, at, &OPENING_BRACKET_AFTER).fixed_by(edit);
    }
    Ok(())
}

/// The name after a keyword, if there is not exactly one blank between them.
fn misplaced_name(manifest: &Manifest<'_>, keyword: At) -> Option<At> {
    let name = manifest.next_of(keyword, &[Kind::Name, Kind::FunctionName])?;
    (!one_space(manifest, keyword, name)).then_some(name)
}

/// The edit that makes a blank of one.
fn single(manifest: &Manifest<'_>, at: At) -> Option<Edit> {
    (manifest.kind(at) == Kind::Whitespace).then(|| Edit::replace(manifest.get(at), " "))
}

fn name_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        if misplaced_name(manifest, definition.start).is_some() {
            let next = definition.start + 1;
            let edit = single(manifest, next);
            report.at(manifest, next, &CLASS_NAME_BEFORE).fixed_by(edit);
        }
    }
    Ok(())
}

fn name_after(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        let name = manifest.next_of(definition.start, &[Kind::Name, Kind::FunctionName]);
        let Some((name, next)) = name.and_then(|name| Some((name, manifest.next_solid(name)?))) else {
            continue;
        };
        if !one_space(manifest, name, next) {
            // A comment may be alone on its line.
            let edit = (!manifest.kind(next).is_comment()).then(|| between(manifest, name, next, " "));
            report.at(manifest, name, &CLASS_NAME_AFTER).fixed_by(edit);
        }
    }
    Ok(())
}

fn inherits_before(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for inherits in manifest.of_kind(Kind::Inherits) {
        if misplaced_name(manifest, inherits).is_some() {
            let edit = single(manifest, inherits + 1);
            report.at(manifest, inherits + 1, &INHERITS_NAME_BEFORE).fixed_by(edit);
        }
    }
    Ok(())
}
