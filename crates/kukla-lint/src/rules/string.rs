//! Quotes and interpolation.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A string in double quotes has neither variables nor escapes. The fix keeps double quotes where an escape such as `\u` would be lost.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $greeting = "hello"
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $greeting = 'hello'
    /// ```
    DOUBLE_QUOTED_STRINGS = "double_quoted_strings": Warning, "puppet-lint", on, Form, double_quoted,
        "double quoted string containing no variables";

    /// A string consists of one variable. The variable alone is the same if its value is a string; another value keeps its type, which
    /// `"${name}"` would turn into a string.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $path = "${directory}"
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $path = $directory
    /// ```
    ONLY_VARIABLE_STRING = "only_variable_string": Warning, "puppet-lint", on, Value, only_variable,
        "string containing only a variable";

    /// The path of a `puppet://` URL does not begin with `modules/`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $source = 'puppet:///ntp/ntp.conf'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $source = 'puppet:///modules/ntp/ntp.conf'
    /// ```
    PUPPET_URL_WITHOUT_MODULES = "puppet_url_without_modules": Warning, "puppet-lint", on, Value, puppet_url,
        "puppet:// URL without modules/ found";

    /// A string is `'true'` or `'false'`. A string is true whatever it contains. Some types and functions need the string, so the rule is off
    /// by default.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $enable = 'true'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $enable = true
    /// ```
    QUOTED_BOOLEANS = "quoted_booleans": Warning, "puppet-lint", off, Value, quoted_booleans,
        "quoted boolean value found";

    /// A string in single quotes has `${}`, which is not interpolated there.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $path = '${directory}/ntp.conf'
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $path = "${directory}/ntp.conf"
    /// ```
    SINGLE_QUOTE_STRING_WITH_VARIABLES = "single_quote_string_with_variables": Error, "puppet-lint", on, None, single_quoted,
        "single quoted string containing a variable found";

    /// A variable in a string has no braces. The fix encloses an index that follows, too, since that is what it was meant for.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $path = "$directory/ntp.conf"
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $path = "${directory}/ntp.conf"
    /// ```
    VARIABLES_NOT_ENCLOSED = "variables_not_enclosed": Warning, "puppet-lint", on, Form, not_enclosed,
        "variable not enclosed in {}";

    /// A variable or a parameter is set to the empty string. `undef` says that there is no value.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $path = ''
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $path = undef
    /// ```
    EMPTY_STRING_ASSIGNMENT = "empty_string_assignment": Warning, "empty_string-check", on, State, empty_string,
        "variable assigned to the empty string";

    /// A number begins with a zero, which makes it octal. A mode is a string.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $mode = 0644
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $mode = '0644'
    /// ```
    LEADING_ZERO = "leading_zero": Warning, "leading_zero-check", on, Value, leading_zero,
        "unquoted number with leading zero";
}

/// Whether a string needs double quotes for what it contains.
fn needs_double_quotes(value: &str, column: u32) -> bool {
    let bytes = value.as_bytes();
    let escapes =
        |at: usize| matches!(bytes.get(at + 1), Some(b'$' | b'"' | b'\'' | b't' | b's' | b'n' | b'\\'));
    let has_special = bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'\'' | b'\r' | b'\t' | b'\n' => true,
        b'\\' => escapes(at),
        _ => false,
    });
    // Blanks as wide as the indentation count as a line end.
    let width = column as usize;
    let mut run = 0;
    has_special
        || bytes.iter().any(|byte| {
            run = if *byte == b' ' { run + 1 } else { 0 };
            run >= width
        })
}

fn double_quoted(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::String) {
        let token = manifest.get(at);
        if needs_double_quotes(token.value, token.column) {
            continue;
        }
        let finding = report.at(manifest, at, &DOUBLE_QUOTED_STRINGS);
        if !["\\u", "\\r"].iter().any(|escape| token.value.contains(escape)) {
            finding.fixed_by([Edit::replace(token, format!("'{}'", token.value))]);
        }
    }
    Ok(())
}

fn only_variable(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for start in manifest.of_kind(Kind::Dqpre).filter(|at| manifest.value(*at).is_empty()) {
        let Some(variable) = manifest.next(start).filter(|at| manifest.kind(*at).is_variable()) else {
            continue;
        };
        let mut end = start + 2;
        while manifest.tokens.get(end).is_some_and(|token| token.kind == Kind::Lbrack) {
            end += 3;
        }
        let Some(last) = manifest.tokens.get(end) else { continue };
        if last.kind != Kind::Dqpost
            || !last.value.is_empty()
            || manifest.next_code_kind(end) == Some(Kind::Farrow)
        {
            continue;
        }
        let first = manifest.get(variable);
        let name =
            if first.start() < first.end() && manifest.source(variable).starts_with('$') { "" } else { "$" };
        let edits = [Edit::replace(manifest.get(start), name), Edit::remove(last)];
        report.at(manifest, variable, &ONLY_VARIABLE_STRING).fixed_by(edits);
    }
    Ok(())
}

fn puppet_url(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    const SCHEME: &str = "puppet://";
    let strings = manifest.of_kinds(&[Kind::Sstring, Kind::String, Kind::Dqpre]);
    for at in strings.into_iter().filter(|at| manifest.value(*at).starts_with(SCHEME)) {
        let token = manifest.get(at);
        let path = token.value[SCHEME.len()..].find('/').map(|slash| SCHEME.len() + slash + 1);
        let is_line = |path: usize| !token.value[..path].contains('\n');
        let path = path.filter(|path| is_line(*path));
        if path.is_some_and(|path| token.value[path..].starts_with("modules/")) {
            continue;
        }
        let finding = report.at(manifest, at, &PUPPET_URL_WITHOUT_MODULES);
        if let Some(path) = path {
            let offset = token.start() + 1 + path;
            finding.fixed_by([Edit::between(offset, offset, "modules/")]);
        }
    }
    Ok(())
}

fn quoted_booleans(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kinds(&[Kind::String, Kind::Sstring]) {
        let token = manifest.get(at);
        if matches!(token.value, "true" | "false") {
            report.at(manifest, at, &QUOTED_BOOLEANS).fixed_by([Edit::replace(token, token.value)]);
        }
    }
    Ok(())
}

fn single_quoted(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let is_template = |at: At| {
        at >= 2 && ["inline_epp", "inline_template"].iter().any(|name| manifest.value(at - 2).contains(name))
    };
    for at in manifest.of_kind(Kind::Sstring).filter(|at| manifest.value(*at).contains("${")) {
        if !is_template(at) {
            report.at(manifest, at, &SINGLE_QUOTE_STRING_WITH_VARIABLES);
        }
    }
    Ok(())
}

fn not_enclosed(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::UnencVariable) {
        let edits = enclosed(manifest, at);
        report.at(manifest, at, &VARIABLES_NOT_ENCLOSED).fixed_by(edits);
    }
    Ok(())
}

/// Braces around a variable, with the index after it. A dash was never part of its name.
fn enclosed(manifest: &Manifest<'_>, at: At) -> Vec<Edit> {
    let token = manifest.get(at);
    let source = manifest.source(at);
    let Some(dollar) = source.find('$') else { return Vec::new() };
    let start = token.start() + dollar + 1;
    let mut edits = vec![Edit::between(start, start, "{")];
    let end = match source[dollar..].find('-') {
        Some(dash) => token.start() + dollar + dash,
        None => {
            let next = manifest.next(at).filter(|next| {
                matches!(
                    manifest.kind(*next),
                    Kind::Dqmid | Kind::Dqpost | Kind::HeredocMid | Kind::HeredocPost
                )
            });
            token.end() + next.map_or(0, |next| index_length(manifest.value(next)))
        }
    };
    edits.push(Edit::between(end, end, "}"));
    edits
}

/// The length of the indexes in brackets that a text begins with.
fn index_length(text: &str) -> usize {
    let (mut depth, mut end) = (0i32, 0);
    for (at, char) in text.char_indices() {
        match char {
            '[' => depth += 1,
            _ if depth == 0 => break,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = at + 1;
        }
    }
    end
}

fn empty_string(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Sstring).filter(|at| manifest.value(*at).is_empty()) {
        if manifest.previous_code_kind(at) == Some(Kind::Equals) {
            let undef = Edit::replace(manifest.get(at), "undef");
            report.at(manifest, at, &EMPTY_STRING_ASSIGNMENT).fixed_by([undef]);
        }
    }
    Ok(())
}

fn leading_zero(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Number) {
        let token = manifest.get(at);
        if let [b'0', b'0'..=b'9', ..] = token.value.as_bytes() {
            let quoted = Edit::replace(token, format!("'{}'", token.value));
            report.at(manifest, at, &LEADING_ZERO).fixed_by([quoted]);
        }
    }
    Ok(())
}
