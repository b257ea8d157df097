//! The same answers from one analysis: the server's findings are those of `kukla check` on the saved files, after any edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kukla::MemoryWorld;
use kukla::world::{DirectoryEntry, FileResult, Stamp, World};
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
    ("modules/web/templates/b.erb", "<%= @port %> <%= @nothing %>\n"),
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
    "class web { }",
    "class webb { include web }",
    "include webb",
    "inherits web ",
    "file { '/a': }",
    "File['/a'] -> Class['web']",
    "Class['web'] -> File['/a']",
    "contain web::new",
    "Integer $port = 'x', ",
    "template('web/b.erb')",
    "$more = 1\n",
    "<%= @more %>",
    "<%= @mroe %>",
    "lookup_options: {web::port: {merge: hash}}\n",
    "class { 'web': port => 1 }",
    "File { mode => '0644' }",
];

/// Files that come and go while others are edited.
const OTHERS: &[(&str, &str)] = &[
    ("modules/web/manifests/new.pp", "class web::new (Integer $port) inherits web { include wbe }\n"),
    ("modules/web/manifests/more.pp", "define web::more (String $a) { file { '/b': } }\n"),
    ("modules/web/templates/c.epp", "<%- | String $c | -%>\n<%= $c %>\n"),
    ("modules/other/manifests/init.pp", "class other { file { '/a': } include web }\n"),
    ("data/more.yaml", "web::port: x\n"),
];

fn files() -> MemoryWorld {
    let world = MemoryWorld::default().with("/site/environment.conf", "");
    FILES.iter().fold(world, |world, (path, text)| world.with(format!("/site/{path}"), *text))
}

/// A disk that changes while the server runs.
#[derive(Debug)]
struct Disk(Mutex<MemoryWorld>);

impl World for Disk {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.0.lock().unwrap().read(path)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        self.0.lock().unwrap().list(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.0.lock().unwrap().stamp(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.lock().unwrap().exists(path)
    }
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
enum Step {
    /// Another text in place of a part of an open file.
    Edit(Edit),
    /// A file that is created on the disk, or removed from there; the editor reports it.
    Toggle(usize),
    /// A text that is opened without a file, or closed again.
    Unsaved(usize),
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

fn step() -> impl Strategy<Value = Step> {
    let toggle = (0..OTHERS.len()).prop_map(Step::Toggle);
    let unsaved = (0..OTHERS.len()).prop_map(Step::Unsaved);
    prop_oneof![12 => edit().prop_map(Step::Edit), 1 => toggle, 1 => unsaved]
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
    fn the_server_finds_what_check_finds(steps in proptest::collection::vec(step(), 1..40)) {
        // The server sees the files as they are on the disk; the check sees the texts of the editor instead.
        let disk = Arc::new(Disk(Mutex::new(files())));
        let mut world = files();
        let settings = json!({"lint": false});
        let mut client = Client::new(disk.clone(), Path::new("/site"), capabilities(), settings);
        let mut versions: BTreeMap<PathBuf, i32> = BTreeMap::new();
        prop_assert_eq!(served(&mut client), checked(&world));
        for step in steps {
            match step {
                Step::Edit(Edit { file, start, length, piece, compares }) => {
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
                    if !compares {
                        continue;
                    }
                }
                Step::Toggle(other) => {
                    let path = Path::new("/site").join(OTHERS[other].0);
                    let is_open = versions.contains_key(&path);
                    let mut disk = disk.0.lock().unwrap();
                    if disk.files.remove(&path).is_none() {
                        *disk = std::mem::take(&mut *disk).with(&path, OTHERS[other].1);
                        world = world.with(&path, OTHERS[other].1);
                    } else if !is_open {
                        world.files.remove(&path);
                    }
                    drop(disk);
                    let changes = json!({"changes": [{"uri": uri(&path), "type": 2}]});
                    client.notify("workspace/didChangeWatchedFiles", changes);
                }
                Step::Unsaved(other) => {
                    let path = Path::new("/site").join(OTHERS[other].0);
                    if versions.remove(&path).is_some() {
                        let params = json!({"textDocument": {"uri": uri(&path)}});
                        client.notify("textDocument/didClose", params);
                        if !disk.0.lock().unwrap().files.contains_key(&path) {
                            world.files.remove(&path);
                        }
                    } else {
                        client.open(&path, OTHERS[other].1);
                        versions.insert(path.clone(), 1);
                        world = world.with(&path, OTHERS[other].1);
                    }
                }
            }
            prop_assert_eq!(served(&mut client), checked(&world));
        }
        prop_assert_eq!(served(&mut client), checked(&world));
    }
}
