//! Where the values of a catalog come from: every way an attribute can get its value.

use kukla::Compiler;
use kukla::provenance;
use serde_json::{Value as Json, json};

use crate::common::Site;

const SITE: &str = "\
File { mode => '0600' }
$owner = lookup('file_owner')
$greeting = \"hello ${lookup('name')} from ${facts['role']}\"
include app
file { '/manifest': ensure => file, owner => $owner }
include app::derived
# a line
@file { '/collected': backup => false }
File <| title == '/collected' |> { backup => $greeting }
lookup('files').each |$path, $attributes| {
  file { $path: * => $attributes }
}
app::thing { 'x': size => $app::size }
";

const APP: &str = "\
class app (Integer $size, String $label = 'none', Array $all = lookup('all', Array, 'unique')) {
  $doubled = $size * 2
  notify { 'app': message => $label, withpath => $all == [] }
  notify { 'sum': message => [$doubled, $all] }
}
";

const THING: &str = "define app::thing ($size) {\n  notify { \"thing ${title}\": message => $size }\n}\n";

const COMMON: &str = "\
file_owner: root
name: common
app::size: 3
all: [c]
files: {/from/data: {mode: '0444'}}
";

fn site(name: &str) -> Site {
    Site::new(
        name,
        &[
            ("hiera.yaml", "version: 5\nhierarchy:\n- name: All\n  paths: [web.yaml, common.yaml]\n"),
            ("data/common.yaml", COMMON),
            ("data/web.yaml", "# web\nall: [w]\n"),
            ("manifests/site.pp", SITE),
            ("modules/app/manifests/init.pp", APP),
            ("modules/app/manifests/thing.pp", THING),
            (
                "modules/app/manifests/base.pp",
                "class app::base {\n  file { '/overridden': group => 'one' }\n}\n",
            ),
            (
                "modules/app/manifests/derived.pp",
                "class app::derived inherits app::base {\n  File['/overridden'] { group => 'two' }\n}\n",
            ),
        ],
    )
}

fn chain(site: &Site, type_name: &str, title: &str, name: &str) -> String {
    let (_, all) = site.traced("web1", "web");
    let resource = all.iter().find(|one| one.type_name == type_name && one.title == title).expect("there");
    let (_, trail) = resource.parameters.iter().find(|(known, _)| known == name).expect("set");
    site.relative(&provenance::chain(trail.as_deref(), &str::to_owned))
}

#[test]
fn every_way_to_get_a_value() {
    let site = site("provenance-ways");
    for (type_name, title, name, wanted) in [
        ("File", "/manifest", "ensure", "  set at manifests/site.pp:5\n"),
        ("File", "/manifest", "mode", "  resource default at manifests/site.pp:1\n"),
        (
            "File",
            "/overridden",
            "group",
            "  override at modules/app/manifests/derived.pp:2\n  instead of\n    set at modules/app/manifests/base.pp:2\n",
        ),
        ("Class", "App", "size", "  data: key app::size in data/common.yaml:3 (level \"All\")\n"),
        ("Class", "App", "label", "  default of the parameter at modules/app/manifests/init.pp:1\n"),
        (
            "Class",
            "App",
            "all",
            "  default of the parameter at modules/app/manifests/init.pp:1\n  data: key all in data/web.yaml:2 (level \"All\")\n  data: key all in data/common.yaml:4 (level \"All\")\n",
        ),
        // Through a variable, an interpolation, a lambda, two parameters.
        (
            "File",
            "/manifest",
            "owner",
            "  set at manifests/site.pp:5\n  through variable $owner\n    assigned at manifests/site.pp:2\n    data: key file_owner in data/common.yaml:1 (level \"All\")\n",
        ),
        (
            "File",
            "/collected",
            "backup",
            "  collector at manifests/site.pp:9\n  through variable $greeting\n    assigned at manifests/site.pp:3\n    data: key name in data/common.yaml:2 (level \"All\")\n    through variable $facts\n  instead of\n    set at manifests/site.pp:8\n",
        ),
        (
            "File",
            "/from/data",
            "mode",
            "  set at manifests/site.pp:11\n  through variable $attributes\n    given to a lambda at manifests/site.pp:10\n    data: key files in data/common.yaml:5 (level \"All\")\n",
        ),
        (
            "Notify",
            "thing x",
            "message",
            "  set at modules/app/manifests/thing.pp:2\n  through parameter $size of App::Thing[x]\n    set at manifests/site.pp:13\n    through parameter $size of Class[App]\n      data: key app::size in data/common.yaml:3 (level \"All\")\n",
        ),
        (
            "Notify",
            "sum",
            "message",
            "  set at modules/app/manifests/init.pp:4\n  through variable $doubled\n    assigned at modules/app/manifests/init.pp:2\n    through parameter $size of Class[App]\n      data: key app::size in data/common.yaml:3 (level \"All\")\n  through parameter $all of Class[App]\n    default of the parameter at modules/app/manifests/init.pp:1\n    data: key all in data/web.yaml:2 (level \"All\")\n    data: key all in data/common.yaml:4 (level \"All\")\n",
        ),
    ] {
        assert_eq!(chain(&site, type_name, title, name), wanted, "{type_name}[{title}] {name}");
    }
}

#[test]
fn the_document_says_the_same() {
    let site = site("provenance-document");
    let (catalog, all) = site.traced("web1", "web");
    let text = site.relative(&provenance::document("web1", &all).to_string());
    let document: Json = serde_json::from_str(&text).expect("JSON");
    let resources = document["resources"].as_array().expect("resources");
    assert_eq!(resources.len(), catalog.resources.len());
    let of = |title: &str| resources.iter().find(|one| one["title"] == title).expect("there").clone();
    assert_eq!(
        of("/manifest")["parameters"],
        json!({
            "ensure": {"from": "manifest", "file": "manifests/site.pp", "line": 5},
            "owner": {"from": "manifest", "file": "manifests/site.pp", "line": 5, "through": {
                "variable": "owner",
                "value": {"from": "variable", "file": "manifests/site.pp", "line": 2, "data": [
                    {"key": "file_owner", "file": "data/common.yaml", "line": 1, "level": "All"},
                ]},
            }},
            "mode": {"from": "default", "file": "manifests/site.pp", "line": 1},
        })
    );
    let overridden = &of("/overridden")["parameters"]["group"];
    assert_eq!(
        (&overridden["from"], &overridden["replaced"]["from"]),
        (&json!("override"), &json!("manifest"))
    );
    assert_eq!(of("/collected")["parameters"]["backup"]["from"], "collector");
    assert_eq!(of("App")["parameters"]["size"]["from"], "data");
    assert_eq!(of("App")["parameters"]["label"]["from"], "parameter default");
    assert_eq!(of("main")["parameters"]["name"], json!({"from": "compiler"}));
    // Asking changes nothing in the catalog.
    let plain = site.compile(&Compiler::default(), "web1", "web").result.expect("compiles");
    let shape = |catalog: &kukla_catalog::Catalog| {
        catalog.resources.iter().map(|one| format!("{:?}", one.parameters)).collect::<Vec<_>>()
    };
    assert_eq!(shape(&plain), shape(&catalog));
}
