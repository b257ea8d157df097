//! Symbols, definitions, references, hovers, hierarchies, links, on the control repository that comes with Kukla.

use serde_json::{Value, json};

use crate::client::{Client, position, site, text_of, uri};

/// The paths below the repository, with the texts of the ranges.
fn places(found: &Value) -> Vec<(String, String)> {
    let root = format!("{}/", uri(&site()));
    let of = |location: &Value| {
        let own = location["uri"].as_str().unwrap();
        let path = own.strip_prefix(&root).unwrap_or(own).to_owned();
        let text = std::fs::read_to_string(site().join(&path)).unwrap_or_default();
        (path, text_of(&text, &location["range"]).to_owned())
    };
    found.as_array().unwrap_or(&Vec::new()).iter().map(of).collect()
}

fn names(found: &[(String, String)]) -> Vec<(&str, &str)> {
    found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn definitions() {
    let mut client = Client::on_disk(&site());
    let site_pp = site().join("manifests/site.pp");
    let text = client.open_file(&site_pp);
    let mut definition = |path: &std::path::Path, text: &str, word: &str, inside: usize| {
        let found = client.at("textDocument/definition", path, text, word, inside);
        places(&found)
    };
    let found = definition(&site_pp, &text, "profile::base", 3);
    assert_eq!(names(&found), [("modules/profile/manifests/base.pp", "profile::base")]);
    let vhost = site().join("modules/nginx/manifests/vhost.pp");
    let text = std::fs::read_to_string(&vhost).unwrap();
    let found = definition(&vhost, &text, "Nginx::Port", 8);
    assert_eq!(names(&found), [("modules/nginx/types/port.pp", "Nginx::Port")]);
    let found = definition(&vhost, &text, "nginx::listen", 2);
    assert_eq!(names(&found), [("modules/nginx/functions/listen.pp", "nginx::listen")]);
    let found = definition(&vhost, &text, "nginx/vhost.conf.epp", 2);
    assert_eq!(found[0].0, "modules/nginx/templates/vhost.conf.epp");
    let found = definition(&vhost, &text, "$aliases,", 3);
    assert_eq!(names(&found), [("modules/nginx/manifests/vhost.pp", "aliases")]);
    let found = definition(&vhost, &text, "Package['nginx']", 11);
    assert_eq!(names(&found), [("modules/nginx/manifests/init.pp", "nginx")]);
    let data = site().join("data/common.yaml");
    let text = std::fs::read_to_string(&data).unwrap();
    let found = definition(&data, &text, "chrony::servers", 10);
    assert_eq!(names(&found), [("modules/chrony/manifests/init.pp", "servers")]);
}

#[test]
fn references_and_highlights() {
    let mut client = Client::on_disk(&site());
    let base = site().join("modules/profile/manifests/base.pp");
    let text = client.open_file(&base);
    let params = json!({
        "textDocument": {"uri": uri(&base)},
        "position": position(&text, "profile::base (", 10),
        "context": {"includeDeclaration": false},
    });
    let found = places(&client.request("textDocument/references", params).unwrap());
    let files: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(files, ["manifests/site.pp"; 3], "{found:?}");
    assert!(found.iter().all(|(_, text)| text == "profile::base"));
    // A parameter: the variable, and its keys in data.
    let params = json!({
        "textDocument": {"uri": uri(&base)},
        "position": position(&text, "$packages,", 2),
        "context": {"includeDeclaration": true},
    });
    let found = places(&client.request("textDocument/references", params).unwrap());
    let own = found.iter().filter(|(path, _)| path.ends_with("base.pp")).count();
    assert_eq!(own, 2, "{found:?}");
    assert!(found.iter().any(|(path, text)| path == "data/common.yaml" && text == "profile::base::packages"));
    let found = client.at("textDocument/documentHighlight", &base, &text, "$motd ", 2);
    assert_eq!(found.as_array().unwrap().len(), 3, "{found}");
}

#[test]
fn hovers() {
    let mut client = Client::on_disk(&site());
    let site_pp = site().join("manifests/site.pp");
    let text = client.open_file(&site_pp);
    let mut hover = |path: &std::path::Path, text: &str, word: &str, inside: usize| {
        let found = client.at("textDocument/hover", path, text, word, inside);
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let found = hover(&site_pp, &text, "profile::web", 9);
    assert!(found.contains("class profile::web") && found.contains("A web server"), "{found}");
    let base = site().join("modules/profile/manifests/base.pp");
    let text = std::fs::read_to_string(&base).unwrap();
    let found = hover(&base, &text, "$motd = undef", 2);
    assert!(found.contains("Optional[String] $motd") && found.contains("the message at login"), "{found}");
    assert!(found.contains("data/common.yaml"), "{found}");
    let found = hover(&base, &text, "'os'", 2);
    assert!(found.contains("Fact `os`"), "{found}");
    let web = site().join("modules/profile/manifests/web.pp");
    let text = std::fs::read_to_string(&web).unwrap();
    let found = hover(&web, &text, "max(", 1);
    assert!(found.contains("max(") && found.contains("```"), "{found}");
}

#[test]
fn values_of_the_chosen_node() {
    let mut client = Client::on_disk(&site());
    let settings = json!({"settings": {"kukla": {"node": "web1.example.com"}}});
    client.notify("workspace/didChangeConfiguration", settings);
    let web = site().join("modules/profile/manifests/web.pp");
    let text = client.open_file(&web);
    let found = client.at("textDocument/hover", &web, &text, "'processors'", 3);
    let found = found["contents"]["value"].as_str().unwrap();
    assert!(found.contains("On `web1.example.com`"), "{found}");
    let base = site().join("modules/profile/manifests/base.pp");
    let text = client.open_file(&base);
    let found = client.at("textDocument/hover", &base, &text, "$motd = undef", 2);
    let found = found["contents"]["value"].as_str().unwrap();
    assert!(found.contains("On `web1.example.com`: `'This machine is managed"), "{found}");
    let params = json!({
        "textDocument": {"uri": uri(&base)},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 100, "character": 0}},
    });
    let hints = client.request("textDocument/inlayHint", params).unwrap();
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert!(labels.iter().any(|label| label.contains("This machine is managed")), "{labels:?}");
}

#[test]
fn symbols() {
    let mut client = Client::on_disk(&site());
    let vhost = site().join("modules/nginx/manifests/vhost.pp");
    let text = client.open_file(&vhost);
    let params = json!({"textDocument": {"uri": uri(&vhost)}});
    let found = client.request("textDocument/documentSymbol", params).unwrap();
    assert_eq!(found[0]["name"], "nginx::vhost");
    assert_eq!(text_of(&text, &found[0]["selectionRange"]), "nginx::vhost");
    let inside: Vec<&str> =
        found[0]["children"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(&inside[..3], ["$docroot", "$port", "$aliases"]);
    let found = client.request("workspace/symbol", json!({"query": "nginxv"})).unwrap();
    assert_eq!(found[0]["name"], "nginx::vhost");
    let data = site().join("data/common.yaml");
    let params = json!({"textDocument": {"uri": uri(&data)}});
    let found = client.request("textDocument/documentSymbol", params).unwrap();
    assert!(found.as_array().unwrap().iter().any(|one| one["name"] == "chrony::servers"), "{found}");
}

#[test]
fn hierarchies() {
    let mut client = Client::on_disk(&site());
    let base = site().join("modules/profile/manifests/base.pp");
    let text = client.open_file(&base);
    let items = client.at("textDocument/prepareCallHierarchy", &base, &text, "profile::base (", 2);
    assert_eq!(items[0]["name"], "profile::base");
    let incoming = client.request("callHierarchy/incomingCalls", json!({"item": items[0]})).unwrap();
    assert_eq!(incoming[0]["from"]["name"], "manifests/site.pp");
    assert_eq!(incoming[0]["fromRanges"].as_array().unwrap().len(), 3);
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({"item": items[0]})).unwrap();
    let names: Vec<&str> =
        outgoing.as_array().unwrap().iter().map(|call| call["to"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chrony"]);
}

#[test]
fn inheritance() {
    let world = kukla::MemoryWorld::default()
        .with("/site/environment.conf", "")
        .with("/site/modules/a/manifests/init.pp", "class a { $x = 1 }")
        .with("/site/modules/a/manifests/b.pp", "class a::b inherits a { notice($x) }");
    let root = std::path::Path::new("/site");
    let mut client = Client::new(std::sync::Arc::new(world), root, crate::client::capabilities(), json!({}));
    let path = root.join("modules/a/manifests/b.pp");
    let text = "class a::b inherits a { notice($x) }";
    client.open(&path, text);
    let items = client.at("textDocument/prepareTypeHierarchy", &path, text, "a::b", 1);
    let above = client.request("typeHierarchy/supertypes", json!({"item": items[0]})).unwrap();
    assert_eq!(above[0]["name"], "a");
    let below = client.request("typeHierarchy/subtypes", json!({"item": above[0]})).unwrap();
    assert_eq!(below[0]["name"], "a::b");
    // An inherited variable.
    let found = client.at("textDocument/definition", &path, text, "$x", 1);
    assert!(found[0]["uri"].as_str().unwrap().ends_with("init.pp"), "{found}");
}

#[test]
fn folding_selections_links_and_tokens() {
    let mut client = Client::on_disk(&site());
    let base = site().join("modules/profile/manifests/base.pp");
    let text = client.open_file(&base);
    let document = json!({"textDocument": {"uri": uri(&base)}});
    let folds = client.request("textDocument/foldingRange", document.clone()).unwrap();
    let lines: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert!(lines.contains(&(0, 3)), "the comment: {lines:?}");
    let params = json!({"textDocument": {"uri": uri(&base)}, "positions": [position(&text, "fqdn", 1)]});
    let found = client.request("textDocument/selectionRange", params).unwrap();
    assert_eq!(text_of(&text, &found[0]["range"]), "'fqdn'");
    assert_eq!(text_of(&text, &found[0]["parent"]["range"]), "facts['networking']['fqdn']");
    let linked = client.at("textDocument/linkedEditingRange", &base, &text, "MOTD", 1);
    let tags: Vec<&str> =
        linked["ranges"].as_array().unwrap().iter().map(|range| text_of(&text, range)).collect();
    assert_eq!(tags, ["MOTD", "MOTD"]);
    let vhost = site().join("modules/nginx/manifests/vhost.pp");
    let links =
        client.request("textDocument/documentLink", json!({"textDocument": {"uri": uri(&vhost)}})).unwrap();
    assert!(links[0]["target"].as_str().unwrap().ends_with("vhost.conf.epp"), "{links}");
    let tokens = client.request("textDocument/semanticTokens/full", document).unwrap();
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
    assert!(data.len() > 100 && data.len().is_multiple_of(5));
    // The first token is the comment at the top.
    assert_eq!(&data[..4], [0, 0, text.lines().next().unwrap().len() as u64, 10]);
    let lenses =
        client.request("textDocument/codeLens", json!({"textDocument": {"uri": uri(&base)}})).unwrap();
    assert_eq!(lenses[0]["command"]["title"], "3 references");
}

#[test]
fn commands_run_code() {
    let mut client = Client::on_disk(&site());
    let run = |client: &mut Client, command: &str, arguments: Value| {
        client.request("workspace/executeCommand", json!({"command": command, "arguments": [arguments]}))
    };
    let node = json!({"node": "web1.example.com"});
    let compiled = run(&mut client, "kukla.compile", node).unwrap();
    assert_eq!(compiled["catalog"]["name"], "web1.example.com");
    let drawn = run(&mut client, "kukla.preview", json!({"node": "web1.example.com"})).unwrap();
    assert_eq!(drawn["svg"], "<svg/>");
    let why = json!({"node": "web1.example.com", "resource": "Class[Profile::Base]", "attribute": "motd"});
    let why = run(&mut client, "kukla.why", why).unwrap();
    assert!(why["attributes"][0]["origin"].as_str().unwrap().contains("common.yaml"), "{why}");
    // The effect of an edit that is not saved.
    let same = run(&mut client, "kukla.diff", json!({})).unwrap();
    assert_eq!(same["counts"]["changed"], 0, "{same}");
    let base = site().join("modules/profile/manifests/base.pp");
    let text = std::fs::read_to_string(&base).unwrap();
    client.open(&base, &text.replace("mode    => '0644'", "mode    => '0600'"));
    let changed = run(&mut client, "kukla.diff", json!({})).unwrap();
    assert_eq!(changed["counts"]["changed"], 2, "{changed}");
    let refused = run(&mut client, "kukla.why", json!({"resource": "x"})).unwrap_err();
    assert!(refused.1.contains("Type[title]"));
    let explained = run(&mut client, "kukla.explain", json!({"rule": "unknown-class"})).unwrap();
    assert!(explained["text"].as_str().unwrap().contains("class"));
}

#[test]
fn templates_in_ruby() {
    let manifest = "class a ($port = 1) { file { '/x': content => template('a/x.erb') } }";
    let world = kukla::MemoryWorld::default()
        .with("/site/environment.conf", "")
        .with("/site/modules/a/manifests/init.pp", manifest)
        .with("/site/modules/a/templates/x.erb", "p <%= @port %> <%= scope['a::port'] %>\n");
    let root = std::path::Path::new("/site");
    let mut client = Client::new(std::sync::Arc::new(world), root, crate::client::capabilities(), json!({}));
    let path = root.join("modules/a/templates/x.erb");
    let text = "p <%= @port %> <%= scope['a::port'] %>\n";
    client.open(&path, text);
    for (word, inside) in [("@port", 2), ("::port", 3)] {
        let found = client.at("textDocument/definition", &path, text, word, inside);
        assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 10}), "{found}");
    }
    let text = "p <%= @po\n";
    client.open(&path, text);
    assert_eq!(client.complete(&path, text, "@po")[0], "port");
}
