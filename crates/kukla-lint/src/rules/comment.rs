//! The form of comments.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A comment begins with `//`. Puppet's lexer reads it as two divisions; comments begin with `#`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// // the web server
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # the web server
    /// ```
    SLASH_COMMENTS = "slash_comments": Warning, "puppet-lint", on, Form, slash, "// comment found";

    /// A comment is written as `/* */`. The fix writes each of its lines as a comment with `#`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// /* the web server */
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # the web server
    /// ```
    STAR_COMMENTS = "star_comments": Warning, "puppet-lint", on, Layout, star, "/* */ comment found";
}

fn slash(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::SlashComment) {
        let text = format!("#{}", manifest.value(at));
        report.at(manifest, at, &SLASH_COMMENTS).fixed_by([Edit::replace(manifest.get(at), text)]);
    }
    Ok(())
}

fn star(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::BlockComment) {
        let edit = star_fix(manifest, at);
        report.at(manifest, at, &STAR_COMMENTS).fixed_by(edit);
    }
    Ok(())
}

/// The comment with `#`. Code after it in the same line would become part of it, so then there is no fix.
fn star_fix(manifest: &Manifest<'_>, at: At) -> Option<Edit> {
    let ends_line = match manifest.next_kind(at) {
        None | Some(Kind::Newline) => true,
        Some(Kind::Whitespace) => matches!(manifest.next_kind(at + 1), None | Some(Kind::Newline)),
        _ => false,
    };
    if !ends_line {
        return None;
    }
    let indent = match manifest.previous(at) {
        Some(before) if matches!(manifest.kind(before), Kind::Indent | Kind::Whitespace) => {
            manifest.value(before)
        }
        _ => "",
    };
    let line = |line: &str| {
        let line = line.trim_start_matches(' ');
        format!("# {}", line.strip_prefix('*').unwrap_or(line).trim()).trim_end().to_owned()
    };
    let value = manifest.value(at).trim();
    let mut lines = value.split('\n').enumerate();
    let first = lines.next().map(|(_, text)| line(&format!(" {}", text.trim()))).unwrap_or_default();
    let rest = lines.map(|(_, text)| format!("\n{indent}{}", line(text)));
    Some(Edit::replace(manifest.get(at), first + &rest.collect::<String>()))
}
