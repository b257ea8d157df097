//! The same answers from one analysis: the server's findings are those of `kukla check` on the saved files, after any edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::MemoryWorld;
use kukla_check::repository::Shape;
use kukla_check::{Checker, Options};
use proptest::prelude::*;
use serde_json::json;

use crate::client::{Client, capabilities, position_of, uri};

const FILES: &[(&str, &str)] = &[
    ("manifests/site.pp", "node 'a' { include web }\nnotify { 'end': require => File['/a'] }\n"),
    (
        "modules/web/manifests/init.pp",
        "class web (Integer $port, Web::Mode $mode = 'fast') {\n  web::host { \"h${port}\": port => $port }\n  file { '/a': content => epp('web/a.epp', { port => $port }) }\n}\n",
    ),
    (
        "modules/web/manifests/host.pp",
        "define web::host (Integer $port) {\n  notify { $title: message => \"é ${web::port_text($port)} ${web::mode}\" }\n}\n",
    ),
    (
        "modules/web/functions/port_text.pp",
        "function web::port_text(Integer $port) >> String { \"${port}\" }\n",
    ),
    ("modules/web/types/mode.pp", "type Web::Mode = Enum['fast', 'slow']\n"),
    ("modules/web/templates/a.epp", "<%- | Integer $port | -%>\n<%= $port %> <%= $other %>\n"),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
    ("data/common.yaml", "web::port: 80\nweb::mode: slow\n"),
];

/// Pieces of texts that people type.
const PIECES: &[&str] = &[
    "",
    "x",
    "\n",
    "'",
    "\"",
    "{",
    "}",
    "$port",
    "$prot",
    "include web",
    "include wbe",
    "File['/b']",
    "File['/a']",
    "file { '/b': }",
    "port",
    "class web::new { }",
    "web::host { 'x': }",
    "web::host { 'x': port => 'y' }",
    "# comment",
    "undef",
    "web::port: x",
    "web::port_text('x')",
    "é😀",
    "80",
    "=>",
    "define web::more ($a) { }",
    "lookup('web::none')",
    "type Web::Mode = Integer",
];

fn files() -> MemoryWorld {
    let world = MemoryWorld::default().with("/site/environment.conf", "");
    FILES.iter().fold(world, |world, (path, text)| world.with(format!("/site/{path}"), *text))
}

/// The findings of a fresh check: file, rule, range and message.
fn checked(world: &MemoryWorld) -> Vec<String> {
    let root = PathBuf::from("/site");
    let mut checker = Checker::new(Arc::new(world.clone()), root, Shape::Control, Options::default());
    let report = checker.check().unwrap();
    let mut found: Vec<String> = Vec::new();
    for finding in report.findings {
        let Some(position) = finding.diagnostic.shown_position() else { continue };
        let (Some(file), Some(line)) = (position.file(), position.line()) else { continue };
        let hints = finding.diagnostic.hints.iter().map(|hint| format!("\nhelp: {hint}")).collect::<String>();
        let message = finding.diagnostic.message();
        let start = position.location().map(|location| {
            let text = location.source.text();
            position_of(text, (location.span.start as usize).min(text.len()))
        });
        let code = finding.diagnostic.code.name;
        let start = start.map(|start| start.to_string()).unwrap_or_else(|| format!("line {line}"));
        found.push(format!("{file} {code} {start} {message}{hints}"));
    }
    found.sort();
    found
}

/// The findings of the server, in the same form.
fn served(client: &mut Client) -> Vec<String> {
    let report = client.request("workspace/diagnostic", json!({"previousResultIds": []})).unwrap();
    let mut found = Vec::new();
    for file in report["items"].as_array().unwrap() {
        let path = kukla_lsp::uris::path_of(&file["uri"].as_str().unwrap().parse().unwrap());
        for one in file["items"].as_array().unwrap() {
            let (code, message) = (one["code"].as_str().unwrap(), one["message"].as_str().unwrap());
            found.push(format!("{} {code} {} {message}", path.display(), one["range"]["start"]));
        }
    }
    found.sort();
    found
}

#[derive(Clone, Debug)]
struct Edit {
    file: usize,
    start: usize,
    length: usize,
    piece: usize,
    /// Whether the findings are compared after it.
    compares: bool,
}

fn edit() -> impl Strategy<Value = Edit> {
    (0..FILES.len(), 0..200usize, 0..12usize, 0..PIECES.len(), any::<bool>())
        .prop_map(|(file, start, length, piece, compares)| Edit { file, start, length, piece, compares })
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_server_finds_what_check_finds(edits in proptest::collection::vec(edit(), 1..25)) {
        let mut world = files();
        let settings = json!({"lint": false});
        let mut client = Client::new(Arc::new(world.clone()), Path::new("/site"), capabilities(), settings);
        let mut versions: BTreeMap<PathBuf, i32> = BTreeMap::new();
        prop_assert_eq!(served(&mut client), checked(&world));
        for Edit { file, start, length, piece, compares } in edits {
            let path = Path::new("/site").join(FILES[file].0);
            let mut text = String::from_utf8(world.files[&path].clone()).unwrap();
            let version = versions.entry(path.clone()).or_insert_with(|| {
                client.open(&path, &text);
                1
            });
            *version += 1;
            let start = boundary(&text, start);
            let end = boundary(&text, start + length).max(start);
            let change = json!({
                "textDocument": {"uri": uri(&path), "version": *version},
                "contentChanges": [{
                    "range": {"start": position_of(&text, start), "end": position_of(&text, end)},
                    "text": PIECES[piece],
                }],
            });
            client.notify("textDocument/didChange", change);
            text.replace_range(start..end, PIECES[piece]);
            world.files.insert(path, text.into_bytes());
            if compares {
                prop_assert_eq!(served(&mut client), checked(&world));
            }
        }
        prop_assert_eq!(served(&mut client), checked(&world));
    }
}
