//! Features that another version of Puppet no longer has.

use std::path::Path;

use kukla::eval::registry::FunctionOrigin;
use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, diagnostic};
use kukla::values::Name;
use kukla::world::World;

use crate::data::Data;
use crate::finding::{Finding, Fix};
use crate::repository::{Index, Shape, facts};
use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// The code uses a legacy fact, whose value is now part of a structured fact. Puppet 8 no longer sends legacy facts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice($facts['osfamily'])
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice($facts['os']['family'])
    /// ```
    LEGACY_FACT = "legacy-fact": Warning Target, "The legacy fact `{name}` was removed";

    /// The code calls a function that later versions no longer have: those of Hiera 3, and those that puppetlabs-stdlib 9 removed.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(hiera('key'))
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(lookup('key'))
    /// ```
    REMOVED_FUNCTION = "removed-function": Warning Target, "The function `{name}` was removed";

    /// A hierarchy is in the format of Hiera 3, or in version 4, which existed only before Puppet 4.9. Puppet 8 no longer includes Hiera 3,
    /// and the `hiera.yaml` of an environment or a module must have version 5.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// :backends:
    ///   - yaml
    /// :hierarchy:
    ///   - common
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// ```
    OLD_HIERARCHY = "old-hierarchy": Warning Target, "This hierarchy has version {version}";

    /// A module or an environment configures its data provider as before Puppet 4.9: with `data_provider` in `metadata.json`, or with
    /// `environment_data_provider` in `environment.conf`. Use a `hiera.yaml` of version 5 instead.
    ///
    /// Wrong:
    ///
    /// ```json
    /// # modules/web/metadata.json
    /// { "name": "me-web", "data_provider": "hiera" }
    /// ```
    ///
    /// Right:
    ///
    /// ```json
    /// # modules/web/metadata.json
    /// { "name": "me-web" }
    /// ```
    DATA_PROVIDER = "data-provider": Warning Target, "`{key}` no longer has an effect";
}

/// Removed functions and their replacements.
const GONE: &[(&str, &str)] = &[
    ("hiera", "`lookup`"),
    ("hiera_array", "`lookup('key', Array, 'unique')`"),
    ("hiera_hash", "`lookup('key', Hash, 'hash')`"),
    ("hiera_include", "`lookup('key', Array, 'unique').include`"),
    ("is_array", "`$x =~ Array`"),
    ("is_bool", "`$x =~ Boolean`"),
    ("is_float", "`$x =~ Float`"),
    ("is_hash", "`$x =~ Hash`"),
    ("is_integer", "`$x =~ Integer`"),
    ("is_ip_address", "`$x =~ Stdlib::IP::Address`"),
    ("is_numeric", "`$x =~ Numeric`"),
    ("is_string", "`$x =~ String`"),
    ("validate_absolute_path", "a parameter of type `Stdlib::Absolutepath`"),
    ("validate_array", "a parameter of type `Array`"),
    ("validate_bool", "a parameter of type `Boolean`"),
    ("validate_hash", "a parameter of type `Hash`"),
    ("validate_integer", "a parameter of type `Integer`"),
    ("validate_re", "a parameter of type `Pattern[/…/]`"),
    ("validate_string", "a parameter of type `String`"),
    ("has_key", "`'key' in $hash`"),
    ("type3x", "`type`"),
];

impl Walk<'_> {
    /// Checks `$osfamily` and `$::osfamily`.
    pub fn check_legacy_variable(&mut self, variable: ast::Variable<'_>, name: &str) {
        if self.selection.target.is_none() || !facts::is_legacy(name) || self.index.facts.own.contains(name) {
            return;
        }
        let token = variable.syntax();
        let path = facts::structured_name(name).map(keys);
        let fix = path.as_ref().map(|path| {
            let text = match token.kind() {
                K::VariableName => format!("facts{path}"),
                // `"$x"` without braces does not support keys.
                _ if is_bare_interpolation(token) => format!("${{facts{path}}}"),
                _ => format!("$facts{path}"),
            };
            Fix { span: token.span(), text, is_safe: true }
        });
        self.legacy(token.span(), name, path, fix);
    }

    /// Checks `$facts['osfamily']`.
    pub fn check_legacy_fact(&mut self, access: ast::Access<'_>, name: &str) {
        if self.selection.target.is_none() || !facts::is_legacy(name) || self.index.facts.own.contains(name) {
            return;
        }
        let path = facts::structured_name(name).map(keys);
        let left = access.left().span();
        let whole = access.span();
        let fix = path.as_ref().map(|path| Fix {
            span: Span::new(left.end, whole.end),
            text: path.clone(),
            is_safe: true,
        });
        self.legacy(whole, name, path, fix);
    }

    fn legacy(&mut self, span: Span, name: &str, path: Option<String>, fix: Option<Fix>) {
        let mut wrong = diagnostic!(span, LEGACY_FACT { name });
        wrong.hints.extend(path.map(|path| format!("use `$facts{path}`")));
        self.report_with(wrong, fix);
    }

    /// Reports calls of removed functions.
    pub fn check_removed_function(&mut self, name: &str, span: Span, function: Expr<'_>) {
        if self.selection.target.is_none() {
            return;
        }
        let instead = GONE.iter().find(|(gone, _)| *gone == name).map(|(_, instead)| *instead);
        let former = kukla::registry()
            .get(Name::new(name))
            .is_some_and(|found| found.origin == FunctionOrigin::FormerStdlib);
        if instead.is_none() && !former {
            return;
        }
        let mut wrong = diagnostic!(span, REMOVED_FUNCTION { name });
        wrong.hints.extend(instead.map(|instead| format!("use {instead}")));
        let is_one_to_one = name == "hiera" && matches!(function, Expr::Name(_));
        let fix = is_one_to_one.then(|| Fix { span, text: "lookup".into(), is_safe: false });
        self.report_with(wrong, fix);
    }
}

/// `os.family` as keys: `['os']['family']`.
fn keys(path: &str) -> String {
    path.split('.').map(|key| format!("['{key}']")).collect()
}

fn is_bare_interpolation(token: Node<'_>) -> bool {
    let tree = token.tree();
    let before = tree.token_before(token);
    before.is_some_and(|before| matches!(before.kind(), K::DqStart | K::DqText | K::HeredocText))
        && before.is_some_and(|before| before.span().end == token.start())
}

/// Outdated features in hierarchies and data.
pub fn check_data(world: &dyn World, data: &Data, index: &Index) -> Vec<Finding> {
    let mut findings = Vec::new();
    for hierarchy in &data.hierarchies {
        let source = &hierarchy.source;
        if let Some(version) = hierarchy.version.filter(|version| *version < 5) {
            let word = if version == 3 { ":hierarchy:" } else { "version" };
            let wrong = diagnostic!(first(source, word), OLD_HIERARCHY { version });
            let hint = "rewrite it as `version: 5` with a list of levels, each with `name` and `path`";
            findings.push(Finding::from(wrong.hint(hint).in_source(source)));
        }
        legacy_interpolations(source, index, &mut findings);
    }
    for file in &data.files {
        legacy_interpolations(&file.source, index, &mut findings);
    }
    for module in &index.survey.modules {
        let provider = module.metadata.as_ref().and_then(|metadata| metadata.get("data_provider"));
        if provider.is_some_and(|provider| !provider.is_null()) {
            findings.extend(data_provider(world, &module.root.join("metadata.json"), "data_provider"));
        }
    }
    if index.survey.shape == Shape::Control {
        let path = index.survey.root.join("environment.conf");
        findings.extend(data_provider(world, &path, "environment_data_provider"));
    }
    findings
}

fn data_provider(world: &dyn World, path: &Path, key: &str) -> Option<Finding> {
    let text = String::from_utf8_lossy(&world.read(path).ok()?).into_owned();
    let source = Source::new(path.to_string_lossy().as_ref(), text);
    let begins = |line: &str| line.trim_start_matches([' ', '{', '"']).starts_with(key);
    let is_there = source.text().lines().any(begins) || path.ends_with("metadata.json");
    let wrong = diagnostic!(first(&source, key), DATA_PROVIDER { key });
    let hint = "remove it and add a `hiera.yaml` of version 5";
    is_there.then(|| Finding::from(wrong.hint(hint).in_source(&source)))
}

/// Reports `%{osfamily}`, `%{::osfamily}` and `%{facts.osfamily}`.
fn legacy_interpolations(source: &Source, index: &Index, findings: &mut Vec<Finding>) {
    for (at, _) in source.text().match_indices("%{") {
        let Some(inside) = source.text()[at + 2..].split('}').next() else { continue };
        let name = inside.trim().trim_start_matches("::");
        let name = name.strip_prefix("facts.").unwrap_or(name);
        if !facts::is_legacy(name) || index.facts.own.contains(name) || index.variables.contains(name) {
            continue;
        }
        let span = Span::new(at as u32 + 2, (at + 2 + inside.len()) as u32);
        let mut wrong = diagnostic!(span, LEGACY_FACT { name });
        let path = facts::structured_name(name);
        wrong.hints.extend(path.map(|path| format!("use `%{{facts.{path}}}`")));
        let fix = path.map(|path| Fix { span, text: format!("facts.{path}"), is_safe: true });
        findings.push(Finding::from(wrong.in_source(source)).with_fix(fix));
    }
}

/// The span of the first occurrence of a word.
fn first(source: &Source, word: &str) -> Span {
    let at = source.text().find(word);
    at.map_or(Span::default(), |at| Span::new(at as u32, (at + word.len()) as u32))
}
