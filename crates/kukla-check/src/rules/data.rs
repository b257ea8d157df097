//! Data files: keys and the parameters that they bind.

use std::path::Path;

use kukla::Value;
use kukla::formats::yaml;
use kukla::syntax::{Location, Severity, Source, Span, diagnostic};
use kukla::values::Str;
use regex::Regex;
use rustc_hash::FxHashSet;

use crate::data::{Data, DataFile, Hierarchy, file};
use crate::describe::describe;
use crate::finding::{Finding, Fix};
use crate::overlap::may_be;
use crate::repository::{Definition, Index, Parameter, facts};
use crate::rule::rules;
use crate::suggest;

rules! {
    RULES;

    /// A data file has a syntax error, or does not contain a hash.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::port: [80
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// port: [80]
    /// ```
    DATA_SYNTAX = "data-syntax": Error Always, "Invalid data: {problem}";

    /// A data file contains a key twice. Only the last value has an effect.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// port: 80
    /// port: 81
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// port: 81
    /// ```
    DUPLICATE_DATA_KEY = "duplicate-data-key": Warning Always, "Duplicate key `{key}`";

    /// A key looks like a binding of a class parameter, but the class has no such parameter. Puppet does not report this: the data has
    /// no effect. It is an error if the name is a typo of a parameter without a default that nothing sets. Keys that the code looks up by
    /// name are not reported.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::prot: 81
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::port: 81
    /// ```
    UNKNOWN_DATA_KEY = "unknown-data-key": Warning Always, "`{key}` binds nothing: the class `{class}` has no parameter `{name}`";

    /// A key looks like a binding of a class parameter. Its module is in the repository, but does not define the class.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhosts.pp
    /// class web::vhosts(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::vhost::port: 81
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhosts.pp
    /// class web::vhosts(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::vhosts::port: 81
    /// ```
    UNKNOWN_DATA_CLASS = "unknown-data-class": Warning Always, "`{key}` binds nothing: there is no class `{class}`";

    /// A value interpolates with a method that does not exist, or is not an `alias` alone. Every lookup of it fails.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::ports: "%{alais('web::all_ports')}"
    /// web::all_ports: [80, 443]
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::ports: "%{alias('web::all_ports')}"
    /// web::all_ports: [80, 443]
    /// ```
    WRONG_INTERPOLATION = "wrong-interpolation": Error Always, "{mistake}";

    /// Data binds a value to a parameter whose type never accepts it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::port: http
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Integer $port = 80) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web::port: 81
    /// ```
    WRONG_DATA_TYPE = "wrong-data-type": Error Always, "The class `{class}`: {mismatch}";

    /// `lookup_options` names a parameter that the class does not have.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Array $ports = []) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// lookup_options:
    ///   web::prots:
    ///     merge: unique
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Array $ports = []) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// lookup_options:
    ///   web::ports:
    ///     merge: unique
    /// ```
    UNKNOWN_LOOKUP_OPTION = "unknown-lookup-option": Warning Always, "`lookup_options` for `{key}` have no effect: the class `{class}` has no parameter `{name}`";

    /// `lookup_options`, or a call of `lookup`, names an unknown merge strategy. The strategies are `first`, `unique`, `hash` and `deep`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Array $ports = []) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// lookup_options:
    ///   web::ports:
    ///     merge: uniqe
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web(Array $ports = []) { }
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// lookup_options:
    ///   web::ports:
    ///     merge: unique
    /// ```
    WRONG_MERGE = "wrong-merge": Error Always, "{place}: {problem}";

    /// Data or a level of a hierarchy interpolates a fact that no node has, or looks up a key that no data file has.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: "Hello from %{facts.kernl}"
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: "Hello from %{facts.kernel}"
    /// ```
    UNKNOWN_INTERPOLATION = "unknown-interpolation": Warning Always, "Unknown fact or key `{name}`";

    /// The name of a key suggests a secret, and its value is plain text that is not a placeholder such as `changeme` or `mysql_password`. Encrypt it with eyaml, or use a backend that fetches it on demand.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// database_password: hunter2hunter2
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// database_password: ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCCAWYCAQAxggEhMIIBHQ]
    /// ```
    PLAINTEXT_SECRET = "plaintext-secret": Warning Always, "`{key}` looks like a secret in plain text";
}

/// Checks all data against the definitions. `is_selected` chooses the files to report on.
pub fn check(data: &Data, index: &Index, is_selected: &dyn Fn(&Path) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let options = data.files.iter().flat_map(|file| &file.options).map(|(name, _)| name.as_str());
    // A pattern that our engine cannot compile may be valid in Ruby, and match anything.
    let patterns: FxHashSet<&str> = options.filter(|name| name.starts_with('^')).collect();
    let patterns: Vec<Regex> =
        patterns.into_iter().filter_map(|name| Regex::new(name).or_else(|_| Regex::new("")).ok()).collect();
    for hierarchy in &data.hierarchies {
        if hierarchy.source.name().is_some_and(|name| is_selected(Path::new(name))) {
            findings.extend(interpolations_of_levels(hierarchy, index));
        }
    }
    for file in data.files.iter().filter(|file| is_selected(Path::new(&file.path))) {
        let before = findings.len();
        findings.extend(file.duplicates.iter().cloned());
        let check = FileCheck { data, index, file, patterns: &patterns };
        for entry in &file.entries {
            check.binding(entry, &mut findings);
            check.interpolations(&entry.value, entry.span, &mut findings);
            check.secret(entry, &mut findings);
        }
        check.options(&mut findings);
        let found = findings.split_off(before);
        findings.extend(found.into_iter().filter(|finding| {
            let line = finding.diagnostic.position.as_ref().and_then(|place| place.line()).unwrap_or(0);
            !file.ignores.iter().any(|ignore| ignore.covers(finding.diagnostic.code.name, line))
        }));
    }
    findings
}

/// The problem with a merge strategy, and a hint at the one that may be meant.
pub fn wrong_merge(merge: &Value) -> Option<(String, Option<String>)> {
    const KNOWN: [&str; 4] = ["first", "unique", "hash", "deep"];
    const HIDDEN: [&str; 3] = ["default", "unconstrained_deep", "reverse_deep"];
    let strategy = match merge {
        Value::Hash(merge) => merge.get("strategy"),
        other => Some(other),
    };
    match strategy {
        Some(Value::String(name)) if KNOWN.iter().chain(&HIDDEN).any(|known| name == known) => None,
        Some(Value::String(name)) => {
            Some((format!("unknown merge strategy `{name}`"), suggest::hint(name, KNOWN)))
        }
        _ => Some(("missing merge strategy".to_owned(), None)),
    }
}

/// Unknown names in the interpolations of a hierarchy: a level that interpolates a missing fact finds no file.
fn interpolations_of_levels(hierarchy: &Hierarchy, index: &Index) -> Vec<Finding> {
    let text = hierarchy.source.text();
    let mut findings = Vec::new();
    for (at, _) in text.match_indices("%{") {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let Some((expression, _)) = text[at + 2..].split_once('}') else { break };
        if !line.trim_start().starts_with('#') {
            let span = Span::new((at + 2) as u32, (at + 2 + expression.len()) as u32);
            findings.extend(unknown_interpolation(index, expression.trim(), span, &hierarchy.source));
        }
    }
    findings
}

/// The finding of an interpolation whose fact no node has, or whose key no data file has.
fn unknown_interpolation(index: &Index, expression: &str, span: Span, source: &Source) -> Option<Finding> {
    let called = ["lookup", "hiera", "alias"].iter().find_map(|name| {
        let inside = expression.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
        Some(inside.trim_matches(['\'', '"']))
    });
    let (name, near) = match called {
        Some(key) => (key, unknown_key(index, key)?),
        None => (expression, Some(unknown_fact(index, expression.trim_start_matches("::"))?)),
    };
    let mut wrong = diagnostic!(span, UNKNOWN_INTERPOLATION { name });
    wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
    Some(Finding::from(wrong.in_source(source)))
}

/// The key that may be meant by one that no data file has. The outer `None` means that the key may exist.
fn unknown_key(index: &Index, key: &str) -> Option<Option<String>> {
    let root = key.split('.').next().unwrap_or(key);
    let keys = &index.data.keys;
    if !index.data.is_whole || keys.contains(root) || keys.contains(key) {
        return None;
    }
    Some(suggest::nearest(root, keys.iter().map(String::as_str)).map(str::to_owned))
}

/// The fact that may be meant by one that no node has.
fn unknown_fact(index: &Index, path: &str) -> Option<String> {
    let (root, path) = match path.strip_prefix("facts.") {
        Some(path) => ("facts.", path),
        None => ("", Some(path).filter(|path| path.starts_with("trusted."))?),
    };
    let mut parts = path.split('.');
    let fact = parts.next()?;
    if root.is_empty() || index.facts.has(fact) || index.facts.open {
        let inside = facts::inside(fact)?;
        let part = parts.next().filter(|part| !inside.contains(part))?;
        return suggest::nearest(part, inside.iter().copied()).map(|near| format!("{root}{fact}.{near}"));
    }
    suggest::nearest(fact, index.facts.names()).map(|near| format!("{root}{near}"))
}

struct FileCheck<'c> {
    data: &'c Data,
    index: &'c Index,
    file: &'c DataFile,
    /// The patterns in `lookup_options`, each of which applies to several keys.
    patterns: &'c [Regex],
}

/// Whether a value is only a placeholder of a secret, as in the data of a test environment: it contains a word for secrets, or a part of
/// its own key.
fn is_placeholder(key: &str, text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "admin",
        "changeme",
        "dummy",
        "example",
        "fake",
        "pass",
        "placeholder",
        "secret",
        "test",
        "vagrant",
        "xxx",
        "your_",
    ];
    let text = text.to_lowercase();
    let parts = key.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() >= 4);
    WORDS.iter().any(|word| text.contains(word)) || parts.into_iter().any(|part| text.contains(part))
}

impl FileCheck<'_> {
    /// Checks the binding of a key.
    fn binding(&self, entry: &file::Entry, findings: &mut Vec<Finding>) {
        let Some((class, name)) = entry.key.rsplit_once("::") else { return };
        if self.index.looks_up(&entry.key) {
            return;
        }
        // The data of a module binds only its own classes.
        if self.file.module.as_ref().is_some_and(|module| class.split("::").next() != Some(module.as_str())) {
            return;
        }
        match self.index.classes.get(class) {
            Some(class) => match class.parameter(name) {
                Some(parameter) => self.value(entry, class, parameter, findings),
                None => self.unknown_key(entry, class, name, findings),
            },
            None => self.unknown_class(entry, class, findings),
        }
    }

    fn value(
        &self,
        entry: &file::Entry,
        class: &Definition,
        parameter: &Parameter,
        findings: &mut Vec<Finding>,
    ) {
        let is_merged = self.has_options(&entry.key);
        if matches!(entry.value, Value::Undef) || is_merged && !self.is_part(entry) {
            return;
        }
        let expected = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
        let given = file::type_of(&entry.value);
        let mut span = entry.span;
        let (mismatch, place, label) = match expected {
            // A value that is merged may be incomplete.
            Some(expected) if !is_merged && !may_be(&expected, &given) => {
                let mismatch = describe(&format!("parameter '{}'", parameter.name), &expected, &given);
                let place = Location { source: class.source.clone(), span: parameter.span };
                (mismatch, place, "the parameter")
            }
            _ => match self.index.refusal(class, parameter, &given, &mut |_, _, _| {}) {
                Some(refusal) => {
                    span = self.span_inside(entry, &refusal.path);
                    (refusal.mismatch, refusal.place, "the use that fails")
                }
                None => return,
            },
        };
        let wrong =
            diagnostic!(span, WRONG_DATA_TYPE { class: class.name, mismatch }).in_source(&self.file.source);
        findings.push(Finding::from(wrong.label(place, label)));
    }

    /// Whether a value is a part of the bound hash, and only merged into it.
    fn is_part(&self, entry: &file::Entry) -> bool {
        let all = self.data.files.iter().flat_map(|file| &file.options);
        let mut own = all.filter(|(name, _)| *name == entry.key);
        let is_merge = |options: &Value| {
            let Some(options) = options.as_hash().filter(|options| options.len() == 1) else { return false };
            let merge = options.get("merge");
            let strategy = merge.and_then(|merge| merge.as_hash()?.get("strategy")).or(merge);
            matches!(strategy.and_then(Value::as_str), Some("hash" | "deep"))
        };
        matches!(entry.value, Value::Hash(_))
            && own.all(|(_, options)| is_merge(options))
            && !self.patterns.iter().any(|pattern| pattern.is_match(&entry.key))
    }

    /// The span of a part of a value.
    fn span_inside(&self, entry: &file::Entry, path: &[Str]) -> Span {
        let Some(last) = path.last() else { return entry.span };
        let whole: Vec<Value> = [Value::from(entry.key.as_str())]
            .into_iter()
            .chain(path.iter().cloned().map(Value::String))
            .collect();
        let line = yaml::lines(self.file.source.text().as_bytes()).at(&whole);
        file::line_span(&self.file.source, line, last)
    }

    /// Whether values of a key are merged or converted before they are bound.
    fn has_options(&self, key: &str) -> bool {
        let mut all = self.data.files.iter().flat_map(|file| &file.options);
        all.any(|(name, _)| name == key) || self.patterns.iter().any(|pattern| pattern.is_match(key))
    }

    fn unknown_key(&self, entry: &file::Entry, class: &Definition, name: &str, findings: &mut Vec<Finding>) {
        // Inherited parameters are bound under the name of the parent class, and parameters of defines are never bound.
        let near = suggest::nearest(name, class.parameters.iter().map(|parameter| parameter.name.as_str()));
        let mut wrong = diagnostic!(entry.span, UNKNOWN_DATA_KEY { key: entry.key, class: class.name, name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{}::{near}`?", class.name)));
        let is_required = |near: &str| {
            let parameter = class.parameter(near);
            parameter.is_some_and(|parameter| !parameter.has_default)
                && self.index.data.lacks(class, near)
                && !self.index.declared.contains(&class.name)
        };
        // The class cannot be declared without the parameter that is meant.
        if near.is_some_and(is_required) {
            wrong.severity = Severity::Error;
        }
        let place = Location { source: class.source.clone(), span: class.span };
        let wrong = wrong.in_source(&self.file.source).label(place, "the class");
        let fix = near.and_then(|near| {
            let end = entry.span.end;
            let start = end.checked_sub(u32::try_from(name.len()).ok()?)?;
            Some(Fix { span: Span::new(start, end), text: near.to_owned(), is_safe: false })
        });
        findings.push(Finding::from(wrong).with_fix(fix));
    }

    fn unknown_class(&self, entry: &file::Entry, class: &str, findings: &mut Vec<Finding>) {
        let is_name = class
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_:".contains(&byte));
        if !is_name || !self.index.is_nowhere(class, false) || self.index.defines.contains_key(class) {
            return;
        }
        // A key that no literal lookup names may be looked up by a computed name; but one that resembles a class is a typo.
        let Some(near) = suggest::nearest(class, self.index.classes.keys().map(|name| name.as_str())) else {
            return;
        };
        let wrong = diagnostic!(entry.span, UNKNOWN_DATA_CLASS { key: entry.key, class });
        let wrong = wrong.hint(format!("did you mean `{near}`?")).in_source(&self.file.source);
        findings.push(Finding::from(wrong));
    }

    fn options(&self, findings: &mut Vec<Finding>) {
        for (key, options) in &self.file.options {
            self.strategy(key, options, findings);
        }
        for (key, _) in self.file.options.iter().filter(|(key, _)| !key.starts_with('^')) {
            let Some((class, name)) = key.rsplit_once("::") else { continue };
            let Some(class) = self.index.classes.get(class) else { continue };
            if class.parameter(name).is_some() || self.index.looks_up(key) {
                continue;
            }
            let line = self
                .file
                .source
                .text()
                .lines()
                .position(|line| line.contains(key.as_str()))
                .map_or(1, |at| at as u32 + 1);
            let span = file::line_span(&self.file.source, line, key);
            let mut wrong = diagnostic!(span, UNKNOWN_LOOKUP_OPTION { key, class: class.name, name });
            let near =
                suggest::nearest(name, class.parameters.iter().map(|parameter| parameter.name.as_str()));
            wrong.hints.extend(near.map(|near| format!("did you mean `{}::{near}`?", class.name)));
            findings.push(Finding::from(wrong.in_source(&self.file.source)));
        }
    }

    /// Checks the merge strategy of a key.
    fn strategy(&self, key: &str, options: &Value, findings: &mut Vec<Finding>) {
        let Some(merge) = options.as_hash().and_then(|options| options.get("merge")) else { return };
        let Some((problem, hint)) = wrong_merge(merge) else { return };
        let path = ["lookup_options".into(), Value::from(key), "merge".into()];
        let line = yaml::lines(self.file.source.text().as_bytes()).at(&path);
        let span = file::line_span(&self.file.source, line, "merge");
        let mut wrong =
            diagnostic!(span, WRONG_MERGE { place: format!("`lookup_options` for `{key}`"), problem });
        wrong.hints.extend(hint);
        findings.push(Finding::from(wrong.in_source(&self.file.source)));
    }

    /// Checks the interpolations in a value.
    fn interpolations(&self, value: &Value, at: Span, findings: &mut Vec<Finding>) {
        match value {
            Value::String(text) => {
                for part in text.split("%{").skip(1).filter_map(|part| part.split('}').next()) {
                    self.method(text, part, at, findings);
                    self.interpolation(part.trim(), at, findings);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.interpolations(value, at, findings)),
            Value::Hash(hash) => hash.iter().for_each(|(_, value)| self.interpolations(value, at, findings)),
            _ => {}
        }
    }

    /// Checks the method of an interpolation in a text, as in `%{lookup('key')}`.
    fn method(&self, text: &str, expression: &str, at: Span, findings: &mut Vec<Finding>) {
        const METHODS: [&str; 5] = ["alias", "hiera", "literal", "lookup", "scope"];
        let Some((name, rest)) = expression.trim().split_once('(') else { return };
        let is_quoted = |quote: &str| {
            rest.strip_prefix(quote).and_then(|rest| rest.strip_suffix(')')?.strip_suffix(quote)).is_some()
        };
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.is_empty() || !name.chars().all(is_word) || !(is_quoted("'") || is_quoted("\"")) {
            return;
        }
        let span = self.span_of(expression.trim(), at);
        let mut wrong = if !METHODS.contains(&name) {
            diagnostic!(span, WRONG_INTERPOLATION { mistake: format!("There is no method `{name}`") })
        } else if name == "alias" && text.len() != expression.len() + "%{}".len() {
            diagnostic!(span, WRONG_INTERPOLATION { mistake: "`alias` must be the whole value" })
                .hint("use `lookup` inside of a text")
        } else {
            return;
        };
        wrong.hints.extend(
            suggest::nearest(name, METHODS)
                .filter(|near| *near != name)
                .map(|near| format!("did you mean `{near}`?")),
        );
        findings.push(Finding::from(wrong.in_source(&self.file.source)));
    }

    /// The span of an expression in a value, or else of the value.
    fn span_of(&self, expression: &str, at: Span) -> Span {
        let from = at.start as usize;
        let found = self.file.source.text()[from..].find(expression);
        found
            .map_or(at, |offset| Span::new((from + offset) as u32, (from + offset + expression.len()) as u32))
    }

    fn interpolation(&self, expression: &str, at: Span, findings: &mut Vec<Finding>) {
        let span = self.span_of(expression, at);
        findings.extend(unknown_interpolation(self.index, expression, span, &self.file.source));
    }

    fn secret(&self, entry: &file::Entry, findings: &mut Vec<Finding>) {
        const ENDINGS: [&str; 9] = [
            "password",
            "passwd",
            "passphrase",
            "secret",
            "secret_key",
            "api_key",
            "apikey",
            "private_key",
            "access_token",
        ];
        let Value::String(text) = &entry.value else { return };
        let name = entry.key.rsplit("::").next().unwrap_or(&entry.key).to_lowercase();
        let looks_secret =
            ENDINGS.iter().any(|ending| name == *ending || name.ends_with(&format!("_{ending}")));
        let is_plain = text.len() >= 6
            && !text.contains("ENC[")
            && !text.contains("%{")
            && !text.starts_with(['/', '$', '!', '*'])
            && !text.contains("://")
            && !["undef", "absent", "present", "false", "true", "Sensitive"].contains(&text.as_str())
            && !is_placeholder(&entry.key, text);
        // The data of a module is public.
        if looks_secret && is_plain && self.file.module.is_none() {
            let wrong = diagnostic!(entry.span, PLAINTEXT_SECRET { key: entry.key });
            findings.push(Finding::from(wrong.in_source(&self.file.source)));
        }
    }
}
