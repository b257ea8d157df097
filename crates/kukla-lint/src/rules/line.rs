//! The length of lines, and blanks at their beginning and end.

use kukla_syntax::Code;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::Kind;

rules! {
    RULES;

    /// A line has more than 140 characters. Lines with a URL or a call of `template` may be longer.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # 3456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # 345678901234567890
    /// ```
    LINE_140 = "140chars": Warning, "puppet-lint", on, None formatted, long_140, "line has more than 140 characters";

    /// A line has more than 80 characters. Lines with a URL or a call of `template` may be longer.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # 3456789012345678901234567890123456789012345678901234567890123456789012345678901
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # 345678901234567890
    /// ```
    LINE_80 = "80chars": Warning, "puppet-lint", off, None formatted, long_80, "line has more than 80 characters";

    /// The indentation of a line is not a multiple of two blanks.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    ///    include apt
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp {
    ///   include apt
    /// }
    /// ```
    SOFT_TABS = "2sp_soft_tabs": Error, "puppet-lint", on, None formatted, soft_tabs, "two-space soft tabs not used";

    /// There is a tab character between tokens. The fix writes two blanks for each.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    /// 	include apt
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp {
    ///   include apt
    /// }
    /// ```
    HARD_TABS = "hard_tabs": Error, "puppet-lint", on, Layout formatted, hard_tabs, "tab character found";

    /// A line ends with blanks.
    ///
    /// Wrong:
    ///
    /// ```puppet
    #[doc = " include apt  "]
    /// include ntp
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include apt
    /// include ntp
    /// ```
    TRAILING_WHITESPACE = "trailing_whitespace": Error, "puppet-lint", on, Layout formatted, trailing, "trailing whitespace found";
}

fn long(manifest: &Manifest<'_>, limit: u32, code: &'static Code, report: &mut Report) {
    let mut offset = 0u32;
    for (number, line) in (1u32..).zip(manifest.lines()) {
        let start = offset;
        offset = offset.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX)).saturating_add(1);
        if line.len() > limit as usize
            && line.chars().count() > limit as usize
            && !line.contains("://")
            && !line.contains("template(")
        {
            report.push(code, number, limit, start, offset - 1);
        }
    }
}

fn long_140(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    long(manifest, 140, &LINE_140, report);
    Ok(())
}

fn long_80(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    long(manifest, 80, &LINE_80, report);
    Ok(())
}

fn soft_tabs(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Indent).filter(|at| manifest.length(*at) % 2 == 1) {
        report.at(manifest, at, &SOFT_TABS);
    }
    Ok(())
}

fn hard_tabs(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kinds(&[Kind::Indent, Kind::Whitespace]) {
        let token = manifest.get(at);
        if token.value.contains('\t') {
            report
                .at(manifest, at, &HARD_TABS)
                .fixed_by([Edit::replace(token, token.value.replace('\t', "  "))]);
        }
    }
    Ok(())
}

fn trailing(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kinds(&[Kind::Indent, Kind::Whitespace]) {
        if matches!(manifest.next_kind(at), None | Some(Kind::Newline)) {
            report.at(manifest, at, &TRAILING_WHITESPACE).fixed_by([Edit::remove(manifest.get(at))]);
        }
    }
    Ok(())
}
