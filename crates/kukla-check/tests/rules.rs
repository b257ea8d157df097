//! The examples of each rule: those under `Wrong:` are reported by it and by no other rule, those under `Right:` are not reported at all.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::MemoryWorld;
use kukla_check::repository::Shape;
use kukla_check::{Checker, Options, Rule, RuleSelection, Target, When, rules};

/// The files of the examples under a heading.
fn files(rule: &Rule, word: &str) -> Vec<(String, String)> {
    let text = rule.code.text();
    let begin = text.find(&format!("{word}:\n")).unwrap_or_else(|| panic!("{}: no {word}", rule.name()));
    let rest = &text[begin + word.len() + 1..];
    let end =
        ["\nWrong:\n", "\nRight:\n"].iter().filter_map(|next| rest.find(next)).min().unwrap_or(rest.len());
    let mut files = Vec::new();
    let mut blocks = rest[..end].split("```").skip(1).step_by(2);
    for block in &mut blocks {
        let (_, code) = block.split_once('\n').unwrap();
        let named = code.strip_prefix("# ").and_then(|code| code.split_once('\n'));
        match named.filter(|(name, _)| name.contains(['/', '.']) && !name.contains(' ')) {
            Some((name, code)) => files.push((name.to_owned(), code.to_owned())),
            None => files.push(("manifests/site.pp".to_owned(), code.to_owned())),
        }
    }
    files
}

fn check(files: &[(String, String)], options: Options) -> Vec<(String, String)> {
    let mut world = MemoryWorld::default().with("/repo/environment.conf", "");
    for (name, text) in files {
        world = world.with(PathBuf::from("/repo").join(name), text.clone());
    }
    let mut checker = Checker::new(Arc::new(world), "/repo".into(), Shape::Control, options);
    let report = checker.check().unwrap();
    let each = report.findings.iter();
    each.map(|found| (found.diagnostic.code.name.to_owned(), found.diagnostic.message())).collect()
}

fn options(rule: &Rule) -> Options {
    let selection = RuleSelection {
        strict: rule.when == When::Strict,
        unused: rule.when == When::Unused,
        docs: rule.when == When::Docs,
        target: (rule.when == When::Target).then_some(Target::Puppet8),
    };
    Options { selection, ..Options::default() }
}

#[test]
fn wrong_examples_are_reported() {
    for rule in rules::all() {
        let found = check(&files(rule, "Wrong"), options(rule));
        assert!(!found.is_empty(), "{}: nothing found", rule.name());
        for (name, message) in &found {
            assert_eq!(name, rule.name(), "{message}");
        }
    }
}

#[test]
fn right_examples_are_not_reported() {
    for rule in rules::all() {
        let found = check(&files(rule, "Right"), options(rule));
        assert!(found.is_empty(), "{}: {found:?}", rule.name());
    }
}

#[test]
fn names_are_unique_and_in_lower_case() {
    for rule in rules::all() {
        let name = rule.name();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        assert_eq!(rules::all().filter(|other| other.name() == name).count(), 1, "{name}");
    }
}

#[test]
fn levels_interpolate_facts_that_exist() {
    let hierarchy = "version: 5\ndefaults: {data_hash: yaml_data}\nhierarchy:\n  - name: All\n    paths:\n      - 'os/%{facts.os.famly}.yaml'\n      # - 'os/%{facts.os.nme}.yaml'\n      - 'nodes/%{facts.networking.fqdn}.yaml'\n      - 'sites/%{facts.site}.yaml'\n      - 'kernels/%{::facts.kernl}.yaml'\n";
    let found = check(&[("hiera.yaml".to_owned(), hierarchy.to_owned())], Options::default());
    let found: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(found, ["Unknown fact or key `facts.os.famly`", "Unknown fact or key `::facts.kernl`"]);
}
