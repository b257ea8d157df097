//! puppet-lint and its plugins, asked the same questions.
//!
//! `KUKLA_PUPPET_LINT` names source trees of puppet-lint and of its plugins, separated by colons. The examples of their own specifications are
//! taken from there: the code, what puppet-lint finds in it, and what it makes of it. `KUKLA_PUPPET_LINT_LIST` names a file with a list of manifests
//! to compare as well, and to fix: afterwards puppet-lint must have nothing to fix. `KUKLA_PUPPET_LINT_EXAMPLES` and `KUKLA_PUPPET_LINT_FILES` name the output of the two scripts from an earlier run. Differences that are meant are listed in `differences.txt`, with their reasons.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use kukla_lint::fix::{Limits, fix};
use kukla_lint::{Finding, Manifest, Reported, Rule, Selection, Settings, lint, rules};
use serde_json::Value;

/// Where a difference is meant: `example|fix|file` and the rule, a part of the code, and the reason.
const DIFFERENCES: &str = include_str!("differences.txt");

/// The output of a script about the source trees, or `None` where they are not at hand.
fn answers(script: &str, options: &[&str], files: &[String]) -> Option<String> {
    let variable = format!("KUKLA_PUPPET_LINT_{}", script.to_uppercase());
    if let Some(known) = std::env::var_os(variable).filter(|_| options.is_empty()) {
        return Some(std::fs::read_to_string(known).unwrap());
    }
    let Ok(trees) = std::env::var("KUKLA_PUPPET_LINT") else {
        kukla_testing::skip(
            "kukla-lint/puppet-lint",
            "KUKLA_PUPPET_LINT names no source trees of puppet-lint and its plugins",
        );
        return None;
    };
    let script = format!("{}/tests/puppet_lint/{script}.rb", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("ruby");
    command.arg(script).args(options).args(trees.split(':')).args(files).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn settings(example: &Value) -> Settings {
    let given = &example["settings"];
    let texts = |value: &Value| match value {
        Value::Array(values) => values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    };
    let mut settings = Settings { relative: given["relative"] == true, ..Settings::default() };
    settings.top_scope_variables = texts(&given["top_scope_variables"]);
    if let Some(indent) = given["chars_per_indent"].as_u64() {
        settings.indent = usize::try_from(indent).unwrap();
    }
    if !given["docs_allowed_styles"].is_null() {
        settings.documentation_styles = texts(&given["docs_allowed_styles"]);
    }
    settings
}

/// One line for each finding.
fn theirs(problems: &Value) -> Vec<String> {
    let problems = problems.as_array().unwrap().iter();
    let mut lines: Vec<String> = problems
        .map(|problem| {
            let text = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
            format!(
                "{}:{} {} {}: {}",
                problem["line"],
                problem["column"],
                if text("kind") == "ignored" { "ignored".to_owned() } else { text("kind") },
                text("check"),
                text("message")
            )
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

fn ours(findings: &[Finding]) -> Vec<String> {
    let kind = |finding: &Finding| match finding.ignored {
        Some(_) => "ignored",
        None => finding.severity.name(),
    };
    sorted(findings.iter().map(|finding| (kind(finding), finding)))
}

fn outcomes(findings: &[Reported]) -> Vec<String> {
    sorted(findings.iter().map(|reported| (reported.kind.name(), &reported.finding)))
}

fn sorted<'f>(findings: impl Iterator<Item = (&'f str, &'f Finding)>) -> Vec<String> {
    let line = |(kind, finding): (&str, &Finding)| {
        format!("{}:{} {kind} {}: {}", finding.line, finding.column, finding.code.name, finding.message())
    };
    let mut lines: Vec<String> = findings.map(line).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Whether a difference is listed.
fn is_meant(kind: &str, rule: &str, code: &str) -> bool {
    DIFFERENCES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).any(|line| {
        let mut parts = line.splitn(4, '|').map(str::trim);
        let (own_kind, own_rule, part) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
        own_kind == Some(kind) && own_rule == Some(rule) && code.replace('\n', " ").contains(part)
    })
}

#[test]
fn examples_of_puppet_lint() {
    let Some(answers) = answers("examples", &[], &[]) else { return };
    let (mut report, mut failed, mut all, mut fixes) = (String::new(), BTreeMap::new(), 0, 0);
    for line in answers.lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        let (name, code) = (example["check"].as_str().unwrap(), example["code"].as_str().unwrap());
        let rule: &'static Rule = rules::find(name).unwrap_or_else(|| panic!("no rule {name}"));
        let path = example["path"].as_str().unwrap_or_default();
        let settings = settings(&example);
        let full_path = if path.is_empty() { String::new() } else { format!("/modules/{path}") };
        let manifest = Manifest::new(code, path, &full_path);
        let found = ours(&lint(&manifest, &[rule], &settings).findings);
        let mut expected = theirs(&example["problems"]);
        // The specifications read data as code first, the program does not.
        expected.retain(|line| !(manifest.is_data && line.contains(" syntax: ")));
        all += 1;
        if found != expected && !is_meant("example", name, code) {
            *failed.entry(name.to_owned()).or_insert(0) += 1;
            report += &format!(
                "=== {name}\n{code}\n--- expected\n{}\n--- found\n{}\n",
                expected.join("\n"),
                found.join("\n")
            );
        }
        if let Some(expected) = example["manifest"].as_str() {
            fixes += 1;
            let selection = Selection {
                rules: vec![rule],
                settings: settings.clone(),
                is_named: true,
                ..Selection::default()
            };
            let outcome = selection.apply(code, path, &full_path, Some(Limits::default()));
            let (after, expected_after) = (outcomes(&outcome.findings), theirs(&example["after"]));
            if after != expected_after && !is_meant("after", name, code) {
                *failed.entry(format!("{name} (after)")).or_insert(0) += 1;
                report += &format!(
                    "=== {name}: after\n{code}\n--- expected\n{}\n--- found\n{}\n",
                    expected_after.join("\n"),
                    after.join("\n")
                );
            }
            let fixed = fix(code, path, &full_path, &[rule], &settings, Limits::default()).text;
            if fixed != expected && !is_meant("fix", name, code) {
                *failed.entry(format!("{name} (fix)")).or_insert(0) += 1;
                report += &format!("=== {name}: fix\n{code}\n--- expected\n{expected}\n--- found\n{fixed}\n");
            }
        }
    }
    let _ = writeln!(std::io::stderr(), "{all} examples, {fixes} fixes; different: {failed:?}");
    assert!(failed.is_empty(), "{report}");
}

#[test]
fn files_as_puppet_lint_sees_them() {
    let Ok(list) = std::env::var("KUKLA_PUPPET_LINT_LIST") else { return };
    let Some(answers) = answers("files", &[], &["--".to_owned(), format!("@{list}")]) else { return };
    let all: Vec<&'static Rule> = rules::all().to_vec();
    let (mut report, mut count, mut rules_with_differences) = (String::new(), 0, BTreeMap::new());
    for line in answers.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let path = answer["file"].as_str().unwrap();
        // puppet-lint gives up where its lexer raises an exception of Ruby.
        let Some(code) = std::fs::read_to_string(path).ok().filter(|_| answer["crash"].is_null()) else {
            continue;
        };
        let crashed: Vec<&str> =
            answer["crashed"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let manifest = Manifest::new(&code, path, path);
        let mut findings = Vec::new();
        for rule in all.iter().filter(|rule| !crashed.contains(&rule.name())) {
            findings.extend(lint(&manifest, &[rule], &Settings::default()).findings);
        }
        // A rule that meets an unfinished resource reports that alone.
        let (expected, found) = (theirs(&answer["problems"]), ours(&findings));
        let is_known = |line: &&String| {
            let rule = line.split(' ').nth(2).unwrap_or_default().trim_end_matches(':');
            is_meant("file", rule, path)
        };
        count += expected.len();
        let missing = expected.iter().filter(|line| !found.contains(line)).filter(|line| !is_known(line));
        let extra = found.iter().filter(|line| !expected.contains(line)).filter(|line| !is_known(line));
        for (sign, line) in missing.map(|line| ('-', line)).chain(extra.map(|line| ('+', line))) {
            let rule = line.split(' ').nth(2).unwrap_or_default().to_owned();
            *rules_with_differences.entry(format!("{sign}{rule}")).or_insert(0) += 1;
            report += &format!("{sign} {path}:{line}\n");
        }
    }
    let _ = writeln!(std::io::stderr(), "{count} findings; different: {rules_with_differences:?}");
    assert!(report.is_empty(), "{report}");
}

/// Fixes the files of the list, and asks puppet-lint what it would still fix.
#[test]
fn fixed_files_have_nothing_to_fix() {
    let Ok(list) = std::env::var("KUKLA_PUPPET_LINT_LIST") else { return };
    let root = std::env::temp_dir().join(format!("kukla-lint-fixed-{}", std::process::id()));
    let mut fixed_files = String::new();
    let (mut fixed, mut broken) = (0, Vec::new());
    for path in std::fs::read_to_string(list).unwrap().lines() {
        let Ok(code) = std::fs::read_to_string(path) else { continue };
        let limits = Limits { tasks: path.contains("/plans/"), ..Limits::default() };
        let result = fix(&code, path, path, rules::all(), &Settings::default(), limits);
        let again = fix(&result.text, path, path, rules::all(), &Settings::default(), limits);
        if again.text != result.text {
            broken.push(format!("{path}: changes again"));
        }
        fixed += result.findings.len();
        let target = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(&target, result.text).unwrap();
        fixed_files += &format!("{}\n", target.display());
    }
    let fixed_list = root.join("list");
    std::fs::write(&fixed_list, fixed_files).unwrap();
    let files = ["--".to_owned(), format!("@{}", fixed_list.display())];
    let rest = answers("files", &["--fix"], &files).unwrap_or_default();
    let (mut report, mut counts) = (String::new(), BTreeMap::new());
    for line in rest.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let path = answer["file"].as_str().unwrap();
        for problem in answer["problems"].as_array().into_iter().flatten() {
            let check = problem["check"].as_str().unwrap_or_default();
            if problem["kind"] != "fixed" || is_meant("fixed", check, path) {
                continue;
            }
            *counts.entry(check.to_owned()).or_insert(0) += 1;
            report += &format!("{path}:{}:{} {check}\n", problem["line"], problem["column"]);
        }
    }
    let _ = writeln!(std::io::stderr(), "{fixed} findings fixed; puppet-lint would fix {counts:?}");
    let _ = std::fs::remove_dir_all(&root);
    assert!(report.is_empty() && broken.is_empty(), "{report}{}", broken.join("\n"));
}
