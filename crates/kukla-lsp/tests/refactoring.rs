//! Renames and code actions.

use std::path::Path;
use std::sync::Arc;

use kukla::MemoryWorld;
use serde_json::{Value, json};

use crate::client::{Client, apply, capabilities, position, uri};

/// A repository in memory, and a client that works on it.
struct Repository {
    world: MemoryWorld,
    client: Client,
}

impl Repository {
    fn new(files: &[(&str, &str)]) -> Repository {
        let mut world = MemoryWorld::default().with("/site/environment.conf", "");
        for (path, text) in files {
            world = world.with(format!("/site/{path}"), *text);
        }
        let client =
            Client::new(Arc::new(world.clone()), Path::new("/site"), capabilities(), json!({"lint": false}));
        Repository { world, client }
    }

    fn text(&self, path: &str) -> String {
        let bytes = self.world.files.get(&Path::new("/site").join(path));
        String::from_utf8(bytes.unwrap_or_else(|| panic!("no {path}")).clone()).unwrap()
    }

    /// Renames the name at the first occurrence of a word.
    fn rename(&mut self, path: &str, word: &str, inside: usize, new: &str) -> Result<(), String> {
        let text = self.text(path);
        let params = json!({
            "textDocument": {"uri": uri(&Path::new("/site").join(path))},
            "position": position(&text, word, inside),
            "newName": new,
        });
        let edit = self.client.request("textDocument/rename", params).map_err(|(_, message)| message)?;
        self.apply(&edit);
        Ok(())
    }

    /// Applies an edit of several files.
    fn apply(&mut self, edit: &Value) {
        for change in edit["documentChanges"].as_array().unwrap() {
            let path = |uri: &Value| kukla_lsp::uris::path_of(&uri.as_str().unwrap().parse().unwrap());
            if change["kind"] == "rename" {
                let bytes = self.world.files.remove(&path(&change["oldUri"])).unwrap();
                self.world.files.insert(path(&change["newUri"]), bytes);
                continue;
            }
            let path = path(&change["textDocument"]["uri"]);
            let text = String::from_utf8(self.world.files[&path].clone()).unwrap();
            self.world.files.insert(path, apply(&text, &change["edits"]).into_bytes());
        }
    }

    /// The catalog of a node.
    fn catalog(&self) -> String {
        let compiler = kukla::Compiler::new(self.world.clone());
        let site = compiler.open(&kukla::SiteSpec::at("/site")).unwrap();
        let mut catalog: Value =
            serde_json::from_str(&site.compile(&kukla::Node::named("a")).result.unwrap().to_json()).unwrap();
        // It depends on the text of the code.
        catalog["catalog_uuid"] = Value::Null;
        catalog.to_string()
    }
}

const FILES: &[(&str, &str)] = &[
    ("manifests/site.pp", "include web::site\nClass['web::site'] -> Notify['end']\nnotify { 'end': }\n"),
    (
        "modules/web/manifests/site.pp",
        "# A site.\n#\n# @param port the port\n# @param root the directory\nclass web::site (\n  Integer $port,\n  String $root = '/srv',\n) {\n  $name_of = \"site-${port}\"\n  web::host { $name_of: port => $port }\n  file { \"${root}/a\": content => template('web/a.erb') }\n}\n",
    ),
    (
        "modules/web/manifests/host.pp",
        "# @param port the port\ndefine web::host (Web::Port $port) {\n  notify { \"${title} ${port} ${web::site::root} ${web::port_text($port)}\": }\n}\n",
    ),
    ("modules/web/types/port.pp", "type Web::Port = Integer[1]\n"),
    ("modules/web/functions/port_text.pp", "function web::port_text(Web::Port $port) { \"port ${port}\" }\n"),
    ("modules/web/templates/a.erb", "<%= @port %> <%= scope['web::site::port'] %>\n"),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
    (
        "data/common.yaml",
        "web::site::port: 80\nweb::other: '%{lookup(\"web::site::port\")}'\nlookup_options:\n  web::site::port:\n    merge: first\nweb::classes:\n  - web::site\n",
    ),
];

#[test]
fn a_parameter_with_its_data_templates_and_documentation() {
    let mut repository = Repository::new(FILES);
    let before = repository.catalog();
    repository.rename("modules/web/manifests/site.pp", "$port,", 1, "listen").unwrap();
    assert_eq!(
        repository.text("modules/web/templates/a.erb"),
        "<%= @listen %> <%= scope['web::site::listen'] %>\n"
    );
    assert!(repository.text("data/common.yaml").starts_with("web::site::listen: 80\nweb::other: '%{lookup(\"web::site::listen\")}'\nlookup_options:\n  web::site::listen:"));
    let text = repository.text("modules/web/manifests/site.pp");
    assert!(text.contains("# @param listen the port") && text.contains("port => $listen"), "{text}");
    // Apart from the name of the parameter, which is in the catalog, nothing changes.
    assert_eq!(repository.catalog().replace("\"listen\"", "\"port\""), before);
}

#[test]
fn definitions_with_their_files() {
    let mut repository = Repository::new(FILES);
    let before = repository.catalog();
    repository.rename("modules/web/manifests/site.pp", "web::site", 5, "web::service").unwrap();
    assert!(!repository.world.files.contains_key(Path::new("/site/modules/web/manifests/site.pp")));
    let site = repository.text("manifests/site.pp");
    assert!(site.starts_with("include web::service\nClass['web::service']"), "{site}");
    let data = repository.text("data/common.yaml");
    assert!(data.starts_with("web::service::port: 80") && data.ends_with("- web::service\n"), "{data}");
    assert!(repository.text("modules/web/templates/a.erb").contains("scope['web::service::port']"));
    let after = repository.catalog();
    let plain = |text: &str| {
        text.replace("Web::Service", "Web::Site")
            .replace("web::service", "web::site")
            .replace("service", "site")
    };
    let neutral = |text: &str| plain(text).replace("/service.pp", "/site.pp");
    assert_eq!(neutral(&after), neutral(&before));

    let mut repository = Repository::new(FILES);
    let before = repository.catalog();
    repository.rename("modules/web/types/port.pp", "Web::Port", 6, "Web::Number").unwrap();
    repository.text("modules/web/types/number.pp");
    assert!(repository.text("modules/web/manifests/host.pp").contains("(Web::Number $port)"));
    assert_eq!(repository.catalog(), before);

    let mut repository = Repository::new(FILES);
    repository.rename("modules/web/functions/port_text.pp", "web::port_text", 6, "web::shown").unwrap();
    repository.text("modules/web/functions/shown.pp");
    assert_eq!(repository.catalog(), before);
}

#[test]
fn local_variables() {
    let mut repository = Repository::new(FILES);
    let before = repository.catalog();
    repository.rename("modules/web/manifests/site.pp", "$name_of", 3, "$label").unwrap();
    let text = repository.text("modules/web/manifests/site.pp");
    assert!(text.contains("$label = ") && text.contains("web::host { $label:"), "{text}");
    assert_eq!(repository.catalog(), before);
}

#[test]
fn names_that_cannot_be_renamed() {
    let refused = |path: &str, word: &str, inside: usize, new: &str| {
        Repository::new(FILES).rename(path, word, inside, new).unwrap_err()
    };
    let site = "modules/web/manifests/site.pp";
    assert!(refused(site, "web::site", 1, "Web").contains("valid name"));
    assert!(refused(site, "web::site", 1, "web::host").contains("exists already"));
    assert!(refused(site, "web::site", 1, "other::site").contains("another module"));
    assert!(refused(site, "$port,", 1, "root").contains("already"));
    assert!(refused(site, "file {", 1, "x").contains("not defined"));
    assert!(refused(site, "template(", 1, "x").contains("not defined"));
    let mut files = FILES.to_vec();
    files.push(("modules/web/manifests/broken.pp", "class web::broken { include web::site"));
    let message = Repository::new(&files).rename(site, "web::site", 1, "web::x").unwrap_err();
    assert!(message.contains("syntax errors"), "{message}");
    let mut files = FILES.to_vec();
    files.push((
        "modules/web/manifests/splat.pp",
        "class web::splat { $h = {} class { 'web::site': * => $h } }",
    ));
    let message = Repository::new(&files).rename(site, "$port,", 1, "listen").unwrap_err();
    assert!(message.contains("hash"), "{message}");
}

#[test]
fn fixes() {
    let path = Path::new("/site/manifests/site.pp");
    let mut repository = Repository::new(FILES);
    let text = "include web::site\ninclude web::sitte\n";
    repository.client.open(path, text);
    let params = json!({
        "textDocument": {"uri": uri(path)},
        "range": {"start": position(text, "web::sitte", 0), "end": position(text, "web::sitte", 3)},
        "context": {"diagnostics": []},
    });
    let actions = repository.client.request("textDocument/codeAction", params).unwrap();
    let fix = actions.as_array().unwrap().iter().find(|one| one["title"] == "Replace with `web::site`");
    let fix = fix.unwrap_or_else(|| panic!("{actions}"));
    assert_eq!(apply(text, &fix["edit"]["changes"][uri(path)]), "include web::site\ninclude web::site\n");
}

/// The text after the action whose title begins like this, offered at the first occurrence of a word.
fn act(repository: &mut Repository, path: &str, text: &str, word: &str, title: &str) -> Value {
    let path = Path::new("/site").join(path);
    repository.client.open(&path, text);
    let params = json!({
        "textDocument": {"uri": uri(&path)},
        "range": {"start": position(text, word, 0), "end": position(text, word, 0)},
        "context": {"diagnostics": []},
    });
    let actions = repository.client.request("textDocument/codeAction", params).unwrap();
    let found =
        actions.as_array().unwrap().iter().find(|one| one["title"].as_str().unwrap().starts_with(title));
    found.unwrap_or_else(|| panic!("{title} is not in {actions}")).clone()
}

fn acted(repository: &mut Repository, path: &str, text: &str, word: &str, title: &str) -> String {
    let action = act(repository, path, text, word, title);
    let uri = uri(&Path::new("/site").join(path));
    apply(text, &action["edit"]["changes"][uri])
}

#[test]
fn rewrites() {
    let mut repository = Repository::new(FILES);
    let site = "manifests/site.pp";
    let text = "web::host { 'a': }\n";
    let after = acted(&mut repository, site, text, "web::host", "Add the missing parameter `port`");
    assert_eq!(after, "web::host { 'a':\n  port => undef,\n }\n");
    let text = "$a = $osfamily\n$b = \"x $osfamily\"\n$c = $::osfamily\n";
    let after = acted(&mut repository, site, text, "osfamily", "Use");
    assert!(after.starts_with("$a = $facts['os']['family']\n"), "{after}");
    let after = acted(&mut repository, site, text, "osfamily\"", "Use");
    assert!(after.contains("$b = \"x ${facts['os']['family']}\"\n"), "{after}");
    let after = acted(&mut repository, site, text, "osfamily\n$", "Use");
    assert!(after.starts_with("$a = $facts['os']['family']\n"), "{after}");
    let class = "modules/web/manifests/new.pp";
    let text = "class web::new {\n  file { '/a': mode => '0644' }\n}\n";
    let after = acted(&mut repository, class, text, "'0644'", "Extract");
    let expected = "class web::new (\n  String[1] $mode = '0644',\n) {\n  file { '/a': mode => $mode }\n}\n";
    assert_eq!(after, expected);
    let text = "# A class.\n#\n# @param a first\nclass web::new (\n  $a,\n  $b,\n) {\n}\n";
    let after = acted(&mut repository, class, text, "web::new", "Document the parameter `b`");
    assert!(after.starts_with("# A class.\n#\n# @param a first\n# @param b\nclass"), "{after}");
    let text = "include web::nothing\n";
    let after = acted(&mut repository, site, text, "web::nothing", "Suppress `unknown-class`");
    assert_eq!(after, "# kukla: ignore[unknown-class] reason\ninclude web::nothing\n");
    repository.client.open(&Path::new("/site").join(site), &after);
    assert!(repository.client.codes(&Path::new("/site").join(site)).is_empty());
}

#[test]
fn new_files() {
    let mut repository = Repository::new(FILES);
    let site = "manifests/site.pp";
    let created = |action: &Value| {
        let changes = action["edit"]["documentChanges"].as_array().unwrap();
        let path = kukla_lsp::uris::path_of(&changes[0]["uri"].as_str().unwrap().parse().unwrap());
        (path.display().to_string(), changes[1]["edits"][0]["newText"].as_str().unwrap().to_owned())
    };
    let text = "include web::nothing\nweb::thing { 'a': }\n$a = web::compute(1)\n$b = epp('web/x.epp')\n";
    let action = act(&mut repository, site, text, "web::nothing", "Create the class");
    let (path, text_of_class) = created(&action);
    assert_eq!(path, "/site/modules/web/manifests/nothing.pp");
    assert!(text_of_class.contains("class web::nothing {"));
    let action = act(&mut repository, site, text, "web::thing", "Create the resource type");
    assert_eq!(created(&action).0, "/site/modules/web/manifests/thing.pp");
    let action = act(&mut repository, site, text, "web::compute", "Create the function");
    assert_eq!(created(&action).0, "/site/modules/web/functions/compute.pp");
    let action = act(&mut repository, site, text, "web/x.epp", "Create the template");
    assert_eq!(created(&action).0, "/site/modules/web/templates/x.epp");
}
