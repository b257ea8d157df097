//! The answers while somebody types: diagnostics, completion, signatures, formatting.

use std::path::Path;
use std::sync::Arc;

use kukla::MemoryWorld;
use serde_json::json;

use crate::client::{Client, apply, capabilities, position_of, site, uri};

#[test]
fn completions_in_manifests() {
    let mut client = Client::on_disk(&site());
    let path = site().join("manifests/site.pp");
    let mut complete = |text: &str| {
        // The cursor is at the mark.
        let at = text.find('¦').unwrap();
        let text = text.replace('¦', "");
        client.open(&path, &text);
        let params = json!({"textDocument": {"uri": uri(&path)}, "position": position_of(&text, at)});
        let found = client.request("textDocument/completion", params).unwrap();
        let items = found["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let has = |found: &[String], wanted: &str| {
        assert!(found.iter().any(|label| label == wanted), "{wanted} is not in {found:?}");
    };
    has(&complete("include prof¦"), "profile::web");
    has(&complete("include 'prof¦"), "profile::web");
    has(&complete("class { 'ng¦': }"), "nginx");
    // Required parameters come first.
    let found = complete("nginx::vhost { 'a':\n  ¦\n}");
    assert_eq!(found[0], "docroot");
    has(&found, "port");
    has(&found, "require");
    let found = complete("nginx::vhost { 'a':\n  docroot => '/x',\n  ¦\n}");
    assert!(!found.contains(&"docroot".to_owned()));
    has(&complete("class { 'nginx':\n  ¦\n}"), "workers");
    has(&complete("file { '/x':\n  ensure => ¦\n}"), "directory");
    has(&complete("file { '/x':\n  ensure => 'di¦'\n}"), "directory");
    has(&complete("file { '/x':\n  mo¦"), "mode");
    has(&complete("$x = $facts['¦"), "os");
    has(&complete("$x = $facts['os']['¦"), "family");
    has(&complete("$x = \"a ${facts['os']['¦"), "family");
    has(&complete("$x = [1, 2].fil¦"), "filter");
    has(&complete("$x = spl¦"), "split");
    has(&complete("class a ($port, $other) { notice($po¦) }"), "port");
    has(&complete("class a ($port, $other) { notice(\"x ${po¦\") }"), "port");
    has(&complete("type X = Nginx::P¦"), "Nginx::Port");
    has(&complete("Package['nginx'] -> Package['¦"), "nginx");
    has(&complete("$x = lookup('chrony¦"), "chrony::servers");
    has(&complete("$x = epp('ng¦"), "nginx/vhost.conf.epp");
    has(&complete("ngi¦"), "nginx::vhost");
    has(&complete("$x = epp('nginx/vhost.conf.epp', { '¦"), "docroot");
    has(&complete("$x = epp('nginx/vhost.conf.epp', { 'docroot' => 1, ¦"), "listen");
    assert_eq!(complete("# include pro¦"), Vec::<String>::new());
    assert_eq!(complete("$x = 'pro¦"), Vec::<String>::new());
}

#[test]
fn completions_in_data() {
    let mut client = Client::on_disk(&site());
    let path = site().join("data/common.yaml");
    client.open(&path, "chr\n");
    let found = client.complete(&path, "chr\n", "chr");
    assert!(found.contains(&"chrony::servers".to_owned()), "{found:?}");
    let text = "profile::base::motd: \"%{fac";
    client.open(&path, text);
    assert!(client.complete(&path, text, "%{fac").contains(&"facts.".to_owned()));
    let text = "a: \"%{lookup('chr";
    client.open(&path, text);
    assert!(client.complete(&path, text, "'chr").contains(&"chrony::servers".to_owned()));
}

#[test]
fn documentation_of_completions() {
    let mut client = Client::on_disk(&site());
    let path = site().join("manifests/site.pp");
    let text = "include profile::w";
    client.open(&path, text);
    let params = json!({"textDocument": {"uri": uri(&path)}, "position": position_of(text, text.len())});
    let found = client.request("textDocument/completion", params).unwrap();
    let item = found["items"][0].clone();
    assert_eq!(item["label"], "profile::web");
    let item = client.request("completionItem/resolve", item).unwrap();
    assert!(item["documentation"]["value"].as_str().unwrap().contains("A web server"), "{item}");
}

#[test]
fn signatures() {
    let mut client = Client::on_disk(&site());
    let path = site().join("manifests/site.pp");
    let mut help = |text: &str| {
        client.open(&path, text);
        let params = json!({"textDocument": {"uri": uri(&path)}, "position": position_of(text, text.len())});
        client.request("textDocument/signatureHelp", params).unwrap()
    };
    let found = help("$x = nginx::listen(");
    assert_eq!(found["signatures"][0]["label"], "nginx::listen(Nginx::Port $port) >> String");
    let found = help("$x = split('a b', ");
    assert_eq!(found["signatures"][0]["activeParameter"], 1, "{found}");
    assert!(help("$x = 1").is_null());
}

#[test]
fn formatting() {
    let mut client = Client::on_disk(&site());
    let path = site().join("manifests/site.pp");
    let text = "file{'/é😀':ensure=>file}\nfile { '/b':\n    mode=>'0644',\n}\n";
    client.open(&path, text);
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let params = json!({"textDocument": {"uri": uri(&path)}, "options": options});
    let edits = client.request("textDocument/formatting", params).unwrap();
    let formatted = apply(text, &edits);
    assert_eq!(formatted, "file { '/é😀': ensure => file }\nfile { '/b':\n  mode => '0644',\n}\n");
    // Only the second one.
    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 3, "character": 1}});
    let params = json!({"textDocument": {"uri": uri(&path)}, "options": options, "range": range});
    let edits = client.request("textDocument/rangeFormatting", params).unwrap();
    let formatted = apply(text, &edits);
    assert_eq!(formatted, "file{'/é😀':ensure=>file}\nfile { '/b':\n  mode => '0644',\n}\n");
    let params = json!({
        "textDocument": {"uri": uri(&path)},
        "position": {"line": 3, "character": 1},
        "ch": "}",
        "options": options,
    });
    let edits = client.request("textDocument/onTypeFormatting", params).unwrap();
    assert_eq!(apply(text, &edits), formatted);
    // A text with syntax errors stays as it is.
    client.replace(&path, 2, "file {");
    let params = json!({"textDocument": {"uri": uri(&path)}, "options": options});
    assert!(client.request("textDocument/formatting", params).unwrap().is_null());
}

#[test]
fn findings_follow_edits() {
    let world = MemoryWorld::default()
        .with("/site/environment.conf", "")
        .with("/site/hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n")
        .with("/site/data/common.yaml", "b::x: 1\n")
        .with("/site/manifests/site.pp", "include a\n")
        .with("/site/modules/a/manifests/init.pp", "class a { }\n");
    let root = Path::new("/site");
    let mut client = Client::new(Arc::new(world), root, capabilities(), json!({"lint": false}));
    let (site, class) = (root.join("manifests/site.pp"), root.join("modules/a/manifests/init.pp"));
    assert!(client.codes(&site).is_empty());
    client.open(&class, "class a ($x) { }\n");
    // Another file, which is not open.
    let found = client.codes(&site);
    assert_eq!(found.len(), 1, "{found:?}");
    client.replace(&class, 2, "class b { }\n");
    assert!(client.codes(&site).contains(&"unknown-class".to_owned()));
    client.replace(&class, 3, "class a { ");
    assert_eq!(client.codes(&class), ["SYNTAX_ERROR"]);
    assert!(client.codes(&site).is_empty());
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(&class)}}));
    assert!(client.codes(&site).is_empty() && client.codes(&class).is_empty());
    // A file that is not on the disk yet.
    client.open(&root.join("modules/a/manifests/new.pp"), "class a::new { }");
    client.open(&site, "include a::new\n");
    assert!(client.codes(&site).is_empty());
}
