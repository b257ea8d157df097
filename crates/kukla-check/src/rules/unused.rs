//! Unused variables, parameters, definitions and data keys.

use std::sync::Arc;

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::data::Data;
use crate::finding::Finding;
use crate::repository::{Definition, Index, Kind, Shape};
use crate::rule::rules;
use crate::text::Text;

rules! {
    RULES;

    /// A variable is set, but the body that sets it, its templates and other classes never read it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// function web::port() >> Integer {
    ///   $scheme = 'http'
    ///   80
    /// }
    /// notice(web::port())
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// function web::port() >> Integer {
    ///   80
    /// }
    /// notice(web::port())
    /// ```
    UNUSED_VARIABLE = "unused-variable": Warning Unused, "Nothing reads `${name}`";

    /// A parameter is never read.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// function web::port(String $scheme) >> Integer {
    ///   80
    /// }
    /// notice(web::port('http'))
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// function web::port(String $scheme) >> Integer {
    ///   if $scheme == 'http' { 80 } else { 443 }
    /// }
    /// notice(web::port('http'))
    /// ```
    UNUSED_PARAMETER = "unused-parameter": Warning Unused, "Nothing reads the parameter `${name}`";

    /// Neither code nor data refers to a class, defined type, function or type alias.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/old.pp
    /// class web::old { }
    /// ```
    ///
    /// ```puppet
    /// notice('nothing')
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/old.pp
    /// class web::old { }
    /// ```
    ///
    /// ```puppet
    /// include web::old
    /// ```
    UNUSED_DEFINITION = "unused-definition": Warning Unused, "Nothing refers to the {kind} `{name}`";

    /// A data key binds no parameter, and no code looks it up.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: hello
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: hello
    /// ```
    ///
    /// ```puppet
    /// notice(lookup('greeting'))
    /// ```
    UNUSED_DATA_KEY = "unused-data-key": Warning Unused, "Nothing looks up `{key}`";
}

/// The unused definitions, variables and data keys of a repository.
pub fn check(index: &Index, texts: &[Arc<Text>], data: &Data) -> Vec<Finding> {
    let mut findings = Vec::new();
    let words = words(texts, data);
    for text in texts.iter().filter(|text| !text.is_broken) {
        bodies(text, &words, &mut findings);
    }
    // The users of a module may use all of its definitions.
    if index.survey.shape == Shape::Control {
        let tables = [&index.classes, &index.defines, &index.functions, &index.aliases];
        for definition in tables.into_iter().flat_map(|table| table.values()) {
            if words.get(definition.name.as_str()).copied().unwrap_or(0) <= 1 {
                findings.push(unused(definition));
            }
        }
        for file in &data.files {
            for entry in &file.entries {
                let binds =
                    entry.key.rsplit_once("::").is_some_and(|(class, _)| index.classes.contains_key(class));
                // The key itself is one of the occurrences.
                let is_named =
                    words.get(entry.key.as_str()).copied().unwrap_or(0) > named_in_data(data, &entry.key);
                if !binds && !is_named && !index.looks_up(&entry.key) {
                    let wrong = diagnostic!(entry.span, UNUSED_DATA_KEY { key: entry.key });
                    findings.push(Finding::from(wrong.in_source(&file.source)));
                }
            }
        }
    }
    findings
}

fn named_in_data(data: &Data, key: &str) -> usize {
    data.files.iter().flat_map(|file| &file.entries).filter(|entry| entry.key == key).count()
}

fn unused(definition: &Definition) -> Finding {
    let wrong = diagnostic!(
        definition.span,
        UNUSED_DEFINITION { kind: definition.kind.name(), name: definition.name }
    );
    Finding::from(wrong.in_source(&definition.source))
}

/// The words of all code and data, in lower case, with the number of occurrences: every word counts as a use.
fn words(texts: &[Arc<Text>], data: &Data) -> FxHashMap<String, usize> {
    let mut words: FxHashMap<String, usize> = FxHashMap::default();
    let sources = texts.iter().map(|text| &text.source).chain(data.files.iter().map(|file| &file.source));
    for source in sources {
        let code = without_comments(source);
        for word in
            code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ':')
        {
            let word = word.trim_matches(':');
            if !word.is_empty() {
                *words.entry(word.to_lowercase()).or_default() += 1;
            }
        }
    }
    words
}

fn without_comments(source: &Source) -> String {
    let lines = source.text().lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Variables and parameters of the bodies of a text.
fn bodies(text: &Text, words: &FxHashMap<String, usize>, findings: &mut Vec<Finding>) {
    for node in text.tree.elements() {
        let (kind, parameters): (Kind, Vec<ast::Parameter<'_>>) = match Expr::cast(node) {
            Some(Expr::FunctionDefinition(function)) => (Kind::Function, function.parameters().collect()),
            Some(Expr::DefineDefinition(define)) => (Kind::Define, define.parameters().collect()),
            Some(Expr::ClassDefinition(class)) => (Kind::Class, class.parameters().collect()),
            _ => continue,
        };
        // Templates see all variables of the code that renders them.
        if kind != Kind::Function && renders(node) {
            continue;
        }
        let read = reads(node);
        let elsewhere = |name: &str| {
            kind == Kind::Class
                && words
                    .iter()
                    .any(|(word, _)| word.strip_suffix(name).is_some_and(|rest| rest.ends_with("::")))
        };
        for parameter in parameters {
            if !read.contains(parameter.name()) && !elsewhere(parameter.name()) {
                let span = parameter.name_token().map(Node::span).unwrap_or_default();
                let wrong = diagnostic!(span, UNUSED_PARAMETER { name: parameter.name() });
                findings.push(Finding::from(wrong.in_source(&text.source)));
            }
        }
        for (name, span) in sets(node) {
            if !read.contains(name.as_str()) && !elsewhere(&name) && !name.starts_with('_') {
                let wrong = diagnostic!(span, UNUSED_VARIABLE { name });
                findings.push(Finding::from(wrong.in_source(&text.source)));
            }
        }
    }
}

fn renders(body: Node<'_>) -> bool {
    body.descendants().any(|node| match Expr::cast(node) {
        Some(Expr::Call(call)) => match call.function() {
            Expr::Name(name) => matches!(name.name(), "template" | "inline_template" | "epp" | "inline_epp"),
            _ => false,
        },
        _ => false,
    })
}

/// The variables that a body sets, and where.
fn sets(body: Node<'_>) -> Vec<(String, Span)> {
    let assignments = body.descendants().filter_map(ast::Assignment::cast);
    assignments
        .filter_map(|assignment| match assignment.left() {
            Expr::Variable(variable) => Some((variable.name().to_owned(), variable.span())),
            _ => None,
        })
        .collect()
}

/// The variables that a body reads.
fn reads(body: Node<'_>) -> FxHashSet<&str> {
    let mut set = FxHashSet::default();
    let mut targets: FxHashSet<u32> = FxHashSet::default();
    for node in body.descendants() {
        if let Some(assignment) = ast::Assignment::cast(node) {
            targets.insert(assignment.left().syntax().index());
        }
        let is_variable = matches!(node.kind(), K::Variable | K::VariableName);
        if is_variable && !targets.contains(&node.index()) {
            let name = node.text().trim_start_matches('$').trim_start_matches("::");
            set.insert(name.rsplit("::").next().unwrap_or(name));
        }
        if let Some(parameter) = ast::Parameter::cast(node)
            && let Some(token) = parameter.name_token()
        {
            targets.insert(token.index());
        }
    }
    set
}
