//! Every format of a report with each kind of outcome, compared with the files in `samples`. `KUKLA_UPDATE=1` rewrites them.

use std::path::Path;

use kukla::catalog::{Edge, Resource};
use kukla::diff::{
    Changes, Compared, Denied, Failure, FileDifference, FileStatus, FleetDifference, Outcome, Reason,
};
use kukla::syntax::codes::ILLEGAL_NUMBER;
use kukla::syntax::{Source, Span, diagnostic};
use kukla::{Catalog, Value};

use super::*;

const SECRETS: [&str; 2] = ["hunter2", "correct horse"];
const HOSTILE: &str =
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

fn resource(name: &str, title: &str, parameters: &[(&str, Value)]) -> Resource {
    Resource {
        type_name: name.into(),
        title: title.into(),
        tags: vec![name.to_lowercase().into()],
        parameters: parameters.iter().map(|(name, value)| ((*name).into(), value.clone())).collect(),
        sensitive_parameters: vec!["password".into()],
        ..Resource::default()
    }
}

/// A catalog in which services belong to a class.
fn catalog(mut resources: Vec<Resource>, class: &str) -> Catalog {
    resources.insert(0, resource("Class", class, &[]));
    let is_service = |resource: &Resource| resource.type_name.as_str() == "Service";
    let services = (0u32..).zip(&resources).filter(|(_, resource)| is_service(resource));
    let edges = services.map(|(target, _)| Edge { source: 0, target }).collect();
    Catalog { edges, classes: vec![class.to_lowercase().into()], resources, ..Catalog::default() }
}

/// The changes of one group of nodes, with some of each kind.
fn changes() -> Changes {
    let motd = |text: &str, mode: &str| {
        let text = format!("Welcome\n```\n{text}\n::error::not for the runner\nBye\n");
        resource("File", "/etc/motd", &[("content", text.into()), ("mode", mode.into())])
    };
    let user = |password: &str| resource("User", "root", &[("password", password.into())]);
    let one =
        |title: &str, after: &str| resource("Exec", title, &[("before", format!("Exec[{after}]").into())]);
    let before = catalog(
        vec![
            motd("plain", "0644"),
            user(SECRETS[0]),
            resource("Service", "ntp", &[]),
            resource("Package", "ntp", &[("ensure", "4.2".into())]),
            one("a", "b"),
            resource("Exec", "b", &[]),
        ],
        "Old",
    );
    let mut after = catalog(
        vec![
            motd("<b>bold</b>", "0600"),
            user(SECRETS[1]),
            resource("Service", "ntp", &[]),
            resource("File", HOSTILE, &[("content", HOSTILE.into()), ("password", SECRETS[1].into())]),
            one("a", "b"),
            one("b", "a"),
        ],
        "New",
    );
    after.resources[3].tags.push("time".into());
    after.resources[4].exported = true;
    let mut changes = Changes::between(&before, &after);
    let reason = |file: &str, line: u32, key: Option<&str>, is_after: bool| Reason {
        file: file.into(),
        line: Some(line),
        key: key.map(Into::into),
        is_after,
        is_touched: true,
    };
    for change in &mut changes.resources {
        for attribute in &mut change.attributes {
            if attribute.name.as_str() == "mode" {
                attribute.reasons.push(reason("data/common.yaml", 12, Some("motd::mode"), true));
            }
        }
        if change.name.title().as_str() == "ntp" && change.kind == kukla::diff::Kind::Removed {
            change.reasons.push(reason("manifests/site.pp", 3, None, false));
        }
    }
    changes
}

fn failure() -> Failure {
    let source = Source::new("manifests/site.pp", "$x = 1\n$y = 1x\n");
    let wrong = diagnostic!(Span::new(12, 14), ILLEGAL_NUMBER { value: "1x" });
    Failure::Compile(Box::new(wrong.in_source(&source)))
}

fn report() -> FleetDifference {
    let changed = |changes: Changes| Compared::Changed(Box::new(changes));
    let small = Changes { classes_added: vec!["extra".into()], ..Changes::default() };
    let mut both = changes();
    both.classes_added.push("extra".into());
    let unable = || Failure::Problem(kukla::syntax::Problem::not_found("no facts found for this node"));
    let other = |outcome| Compared::Otherwise(outcome);
    let nodes = [
        ("web1", changed(changes())),
        ("web2", changed(changes())),
        ("web3", changed(both)),
        ("db1", changed(small)),
        ("new", other(Outcome::Added(Ok(12)))),
        ("broken-new", other(Outcome::Added(Err(failure())))),
        ("gone", other(Outcome::Removed(Ok(1)))),
        ("breaks", other(Outcome::Breaks(failure()))),
        ("repaired", other(Outcome::Repaired(failure()))),
        ("never", other(Outcome::Fails(unable(), unable()))),
        ("same", other(Outcome::Same)),
        ("same-inputs", other(Outcome::SameInputs)),
    ];
    let nodes = nodes.into_iter().map(|(node, compared)| (node.to_owned(), compared)).collect();
    let mut report = FleetDifference::new("old", "new", nodes);
    let file = |path: &str, status, is_significant| FileDifference {
        path: path.into(),
        status,
        is_significant,
        nodes: Vec::new(),
    };
    report.blame(vec![
        file("data/common.yaml", FileStatus::Modified, true),
        file("manifests/comment.pp", FileStatus::Added, false),
        file("manifests/site.pp", FileStatus::Modified, true),
    ]);
    report.denied.push(Denied {
        rule: "User[root]".into(),
        resource: "User[root]".into(),
        nodes: vec!["web1".into(), "web2".into(), "web3".into()],
    });
    report.warnings.push("Puppetfile is changed".into());
    report.notes.push("the working tree has changes that are not committed".into());
    report
}

const FORMATS: [(Format, &str); 6] = [
    (Format::Human, "human.txt"),
    (Format::Json, "json.json"),
    (Format::Markdown, "markdown.md"),
    (Format::Html, "html.html"),
    (Format::Github, "github.txt"),
    (Format::Junit, "junit.xml"),
];

fn printed(report: &FleetDifference, format: Format) -> String {
    anstream::adapter::strip_str(&render(report, Extent::default(), format)).to_string()
}

#[test]
fn every_format_tells_every_outcome() {
    let report = report();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render/diff/samples");
    for (format, name) in FORMATS {
        let mut text = printed(&report, format);
        if format == Format::Html {
            // Style and script have files of their own.
            let (start, end) = (text.find("<header>").unwrap(), text.find("<script>").unwrap());
            text = text[start..end].to_owned();
        }
        let sample = samples.join(name);
        if std::env::var_os("KUKLA_UPDATE").is_some() {
            std::fs::write(&sample, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&sample).unwrap();
        assert!(text == expected, "{name} is not what is printed now:\n{text}");
    }
}

#[test]
fn no_format_tells_a_secret_or_lets_anything_run() {
    for (format, name) in FORMATS {
        let text = printed(&report(), format);
        for secret in SECRETS {
            assert!(!text.contains(secret), "{name}: {text}");
        }
        let shown = match format {
            Format::Html | Format::Junit => "&lt;/script&gt;&lt;script&gt;",
            _ => "</script><script>",
        };
        let is_there = text.contains(shown) || format == Format::Github;
        assert!(is_there, "{name}: {text}");
    }
    let page = printed(&report(), Format::Html);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<img") && !page.contains("\" onerror"));
    // Only what this format means to say begins with the sign of a command.
    let commands = printed(&report(), Format::Github);
    assert!(
        commands
            .lines()
            .all(|line| ["::error ", "::warning ", "::notice "].iter().any(|c| line.starts_with(c)))
    );
}

#[test]
fn a_comment_survives_back_ticks() {
    let text = printed(&report(), Format::Markdown);
    assert!(text.contains("````diff\n") && text.contains("\n        ```\n"), "{text}");
}

#[test]
fn a_comment_is_cut_and_says_so() {
    let many = |node: usize| {
        let content = |word: &str| -> Value {
            (0..200).map(|line| format!("{word} {node} {line}\n")).collect::<String>().into()
        };
        let file = |word: &str| catalog(vec![resource("File", "/a", &[("content", content(word))])], "A");
        let changes = Changes::between(&file("old"), &file("new"));
        (format!("n{node}"), Compared::Changed(Box::new(changes)))
    };
    let report = FleetDifference::new("old", "new", (0..10).map(many).collect());
    let text = printed(&report, Format::Markdown);
    assert!(text.len() <= 65_536, "{}", text.len());
    assert!(text.len() > 60_000, "{}", text.len());
    assert!(text.contains("left out here") && text.contains("**This comment is cut at"), "{text}");
    assert_eq!(text.matches("<details>").count(), 10);
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    assert_eq!(text.matches("```").count(), 20);
    // What most nodes have is there, however many changes others have of their own.
    let mut nodes: Vec<_> = (0..900).map(many).collect();
    for (_, compared) in &mut nodes {
        let Compared::Changed(changes) = compared else { continue };
        changes.classes_added.push("common".into());
    }
    let report = FleetDifference::new("old", "new", nodes);
    let text = printed(&report, Format::Markdown);
    assert!(text.len() <= 65_536 && text.contains("sections are not shown"), "{}", text.len());
    assert!(text.contains("<b>900 nodes</b>") && text.contains("\n+ class common\n"), "{text}");
}

#[test]
fn a_report_without_changes() {
    let same = vec![("a".to_owned(), Compared::Otherwise(Outcome::Same))];
    let report = FleetDifference::new("old", "new", same);
    for (format, name) in FORMATS {
        let text = printed(&report, format);
        let is_reported = match format {
            Format::Json => text.contains("\"unchanged\": 1"),
            Format::Junit => text.contains("failures=\"0\""),
            _ => text.contains("nothing changes; 1 node: 1 unchanged"),
        };
        assert!(is_reported, "{name}: {text}");
    }
}

#[test]
fn a_summary_has_numbers_only() {
    for format in [Format::Human, Format::Markdown, Format::Html] {
        let text = render(&report(), Extent { only_numbers: true }, format);
        assert!(text.contains("resources changed") && !text.contains("motd"), "{text}");
    }
}
