//! Catalogs, files, reports and figures over the wire, and what is refused.

#![allow(clippy::disallowed_methods)]

use crate::support::{ACCEPT, Client, Directory, FORM, Harness, Reply, catalog_form, text_of, wait_until};
use kukla_server::ca::CertificateOptions;
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

const SITE: &str = "
  node default {
    $secret = Sensitive('s3cret')
    notify { \"${facts['greeting']} from ${environment} to ${trusted['certname']} as ${trusted['extensions']['pp_role']}\": }
    file { '/tmp/a': content => Binary.new('AAH//g=='), mode => '0600' }
    file { '/tmp/b': content => $secret }
    file { '/tmp/c': source => 'puppet:///modules/web/c.txt' }
    file { '/tmp/tree': ensure => directory, recurse => true, source => 'puppet:///modules/web/tree' }
    @notify { 'never': }
  }
  node 'broken' { fail('on purpose') }
  node 'endless' { [1].each |$x| { range(1, 100000).each |$y| { range(1, 100000).each |$z| { $z + 1 } } } }
";

fn code(directory: &Directory) {
    directory.write("code/environments/production/manifests/site.pp", SITE);
    directory.write("code/environments/dev/manifests/site.pp", "notify { 'dev': }");
    directory.write("code/environments/faulty/manifests/site.pp", "notify { 'a': ");
    for environment in ["production", "dev"] {
        let modules = format!("code/environments/{environment}/modules");
        directory.write(&format!("{modules}/web/files/c.txt"), "content of c\n");
        directory.write(&format!("{modules}/web/files/tree/sub/d.txt"), "d\n");
        directory.write(&format!("{modules}/web/files/tree/.svn/x"), "x\n");
        directory.write(&format!("{modules}/web/lib/facter/web.rb"), "# of web\n");
        directory.write(&format!("{modules}/web/lib/both.rb"), "# of web\n");
        directory.write(&format!("{modules}/app/lib/both.rb"), "# of app\n");
        directory.write(&format!("{modules}/app/facts.d/app.txt"), "app=1\n");
        directory.write(&format!("{modules}/app/tasks/restart.sh"), "#!/bin/sh\n");
        directory.write(&format!("{modules}/web/manifests/init.pp"), "class web { }");
    }
    directory.write("secret.txt", "not for anyone\n");
}

fn catalog(client: &Client, node: &str, environment: &str) -> Reply {
    let form = catalog_form(node, environment, &json!({"greeting": "hello", "nothing": null}));
    client.send(
        "POST",
        &format!("/puppet/v3/catalog/{node}?environment={environment}"),
        &[FORM, ACCEPT],
        form.as_bytes(),
    )
}

#[test]
fn a_node_gets_its_catalog_in_the_format_it_likes() {
    // What JSON has no notation for is an error for agents that know nothing else, unless that is allowed.
    let harness = Harness::new("strict = warning", code);
    let role = CertificateOptions {
        extensions: vec![("pp_role".into(), "web".into())],
        ..CertificateOptions::default()
    };
    let client = harness.node_with("web1.example.com", &role);
    let rich = catalog(&client, "web1.example.com", "production");
    assert_eq!(rich.status, 200, "{}", rich.text());
    assert_eq!(rich.header("content-type"), Some("application/vnd.puppet.rich+json; charset=utf-8"));
    let document = rich.json();
    assert_eq!(document["environment"], "production");
    let resources = document["resources"].as_array().unwrap();
    let find = |title: &str| resources.iter().find(|each| each["title"] == title);
    assert!(find("hello from production to web1.example.com as web").is_some(), "{document}");
    assert_eq!(
        find("/tmp/a").unwrap()["parameters"]["content"],
        json!({"__ptype": "Binary", "__pvalue": "AAH//g=="})
    );
    assert_eq!(find("/tmp/b").unwrap()["sensitive_parameters"], json!(["content"]));
    assert!(find("never").is_none());
    let other = catalog(&client, "web1.example.com", "production").json();
    assert_ne!(document["catalog_uuid"], other["catalog_uuid"]);

    let path = "/puppet/v3/catalog/web1.example.com?environment=production";
    let plain = client.send("GET", path, &[("Accept", "application/json")], b"");
    assert_eq!(plain.header("content-type"), Some("application/json;charset=utf-8"));
    let plain = plain.json();
    let a = plain["resources"]
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["title"] == "/tmp/a")
        .cloned()
        .unwrap();
    assert_eq!(a["parameters"]["content"], "AAH//g==");
    assert_eq!(
        client.send("GET", path, &[("Accept", "text/pson")], b"").header("content-type"),
        Some("text/pson")
    );
    let refused = client.send("GET", path, &[("Accept", "image/png")], b"");
    assert_eq!((refused.status, refused.json()["issue_kind"].as_str()), (406, Some("UNSUPPORTED_FORMAT")));
    let packed = client.send("GET", path, &[("Accept-Encoding", "gzip;q=1.0,deflate;q=0.6")], b"");
    assert_eq!((packed.header("content-encoding"), &packed.body[..2]), (Some("gzip"), &[0x1f, 0x8b][..]));
}

#[test]
fn requests_that_are_wrong_are_told_so() {
    let harness = Harness::new("", code);
    let client = harness.node("web1");
    let path = "/puppet/v3/catalog/web1?environment=production";
    for who in [&harness.stranger(), &harness.node("db1")] {
        let refused = catalog(who, "web1", "production");
        assert_eq!(refused.status, 403);
        assert_eq!(
            refused.text(),
            "Forbidden request: /puppet/v3/catalog/web1 (method :post). Please see the server logs for details."
        );
    }
    let no_environment = client.send("POST", "/puppet/v3/catalog/web1", &[FORM], b"");
    assert_eq!(
        (no_environment.status, no_environment.text().as_str()),
        (400, "The environment must be purely alphanumeric, not 'null'")
    );
    assert_eq!(client.get("/puppet/v3/catalog/web1?environment=a%2Fb").status, 400);
    let no_format = client.send("POST", path, &[FORM], b"facts=%7B%7D");
    assert_eq!(
        no_format.json(),
        json!({"message": "Server Error: Facts but no fact format provided for web1", "issue_kind": "RUNTIME_ERROR"})
    );
    let form = catalog_form("db1", "production", &json!({}));
    let wrong = client.send("POST", path, &[FORM], form.as_bytes());
    assert!(wrong.status == 500 && wrong.text().contains("wrong node"), "{}", wrong.text());
    let unknown = catalog(&client, "web1", "nosuch");
    assert_eq!((unknown.status, unknown.json()["environment"].as_str()), (200, Some("production")));
    let faulty = catalog(&client, "web1", "faulty");
    assert_eq!(faulty.status, 500);
    let message = faulty.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("Server Error: ")
            && message.ends_with("on node web1")
            && message.contains("Syntax error"),
        "{message}"
    );
    // What is wrong with one environment or node is no matter to others.
    let broken = harness.node("broken");
    let failed = catalog(&broken, "broken", "production");
    assert!(failed.status == 500 && failed.text().contains("on purpose"), "{}", failed.text());
    assert_eq!(catalog(&client, "web1", "production").status, 200);
    assert_eq!(client.send("POST", "/puppet/v4/catalog", &[], b"{}").status, 403);
    assert_eq!(client.get("/puppet/v3/nosuch/x?environment=production").status, 404);
    assert_eq!(client.get("/").status, 404);
    assert_eq!(client.get("/puppet-admin-api/v1/environment-cache").status, 403);
    assert_eq!(client.send("DELETE", "/puppet/v3/report/web1", &[], b"").status, 403);
}

#[test]
fn a_classifier_decides_and_limits_hold() {
    let directory = Directory::new();
    code(&directory);
    let enc = directory.write("enc", "#!/bin/sh\n[ $1 = web1 ] && echo 'environment: dev' || echo '{}'\n");
    std::fs::set_permissions(&enc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = format!("node_terminus = exec\nexternal_nodes = {}\ndeadline = 1", enc.display());
    let harness = Harness::over(directory, &settings);
    let client = harness.node("web1");
    let node = client.get("/puppet/v3/node/web1?environment=production&configured_environment=production");
    assert_eq!(node.json(), json!({"name": "web1", "environment": "dev"}));
    let form = format!("{}&check_environment=true", catalog_form("web1", "production", &json!({})));
    let path = "/puppet/v3/catalog/web1?environment=production";
    let empty = client.send("POST", path, &[FORM, ACCEPT], form.as_bytes()).json();
    assert_eq!(
        (empty["environment"].as_str(), empty["resources"].as_array().map(Vec::len)),
        (Some("dev"), Some(0))
    );
    assert_eq!(catalog(&client, "web1", "production").json()["environment"], "dev");
    let endless = harness.node("endless");
    let stopped = catalog(&endless, "endless", "production");
    assert_eq!(stopped.status, 500, "{}", stopped.text());
}

#[test]
fn services_ask_for_the_catalogs_of_others_if_a_rule_says_so() {
    let harness = Harness::new("", |directory| {
        code(directory);
        directory.write(
            "puppetserver/conf.d/auth.conf",
            "authorization: { version: 1, rules: [
               { match-request: { path: \"^/puppet/v4/catalog$\", type: regex, method: post }, allow: service, sort-order: 1, name: v4 } ] }",
        );
    });
    let client = harness.node("service");
    let body = json!({"certname": "web1", "environment": "production", "persistence": {"facts": false, "catalog": false},
                      "facts": {"values": {"greeting": "hi"}}, "options": {"capture_logs": true}});
    let reply = client.send(
        "POST",
        "/puppet/v4/catalog",
        &[("Content-Type", "application/json")],
        body.to_string().as_bytes(),
    );
    assert_eq!(reply.status, 200, "{}", reply.text());
    let document = reply.json();
    assert!(document["catalog"]["resources"].to_string().contains("hi from production to web1"));
    assert!(document["logs"].is_array());
    assert_eq!(client.send("POST", "/puppet/v4/catalog", &[], b"{}").status, 400);
    // Rules of a file take the place of the usual ones.
    assert_eq!(catalog(&client, "service", "production").status, 403);
}

#[test]
fn files_of_modules_and_of_mount_points() {
    let harness = Harness::new("", |directory| {
        code(directory);
        let root = directory.0.display().to_string();
        directory.write("private/web1/own.txt", "only for web1\n");
        directory.write("puppet/fileserver.conf", format!("[private]\n path {root}/private/%H\n"));
        std::os::unix::fs::symlink(format!("{root}/secret.txt"), directory.0.join("private/web1/link"))
            .unwrap();
    });
    let client = harness.node("web1");
    let get = |path: &str| {
        client.get(&format!(
            "/puppet/v3/{path}{}environment=production",
            if path.contains('?') { "&" } else { "?" }
        ))
    };
    let one =
        get("file_metadata/modules/web/c.txt?links=manage&checksum_type=sha256&source_permissions=ignore")
            .json();
    assert_eq!(
        (one["type"].as_str(), one["mode"].as_u64(), one["relative_path"].is_null()),
        (Some("file"), Some(0o644), true)
    );
    let digest = "{sha256}9a30a503b2862c51c3c5acd7fbce2f1f784cf4658ccf8e87d5023a90c21c0714";
    assert_eq!(one["checksum"]["value"].as_str().map(str::len), Some(digest.len()));
    let md5 = get("file_metadata/modules/web/c.txt?checksum_type=md5&source_permissions=use").json();
    assert_eq!(md5["checksum"]["type"], "md5");
    let mtime = get("file_metadata/modules/web/c.txt?checksum_type=mtime").json();
    let time = mtime["checksum"]["value"].as_str().unwrap_or_default();
    assert!(time.starts_with("{mtime}20") && time.ends_with(" +0000") && !time.contains('T'), "{time}");
    assert_eq!(get("file_metadata/modules/web/c.txt?checksum_type=crc").status, 500);
    let missing = get("file_metadata/modules/web/none.txt");
    assert_eq!(missing.status, 404);
    assert_eq!(
        missing.json(),
        json!({"message": "Not Found: Could not find file_metadata modules/web/none.txt", "issue_kind": "RESOURCE_NOT_FOUND"})
    );
    let names = |reply: &Reply| -> Vec<String> {
        reply
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each["relative_path"].as_str().unwrap().to_owned())
            .collect()
    };
    let tree = get("file_metadatas/modules/web/tree?recurse=true&max_files=0&ignore=.svn&ignore=CVS");
    assert_eq!(names(&tree), [".", "sub", "sub/d.txt"]);
    assert_eq!(
        names(&get("file_metadatas/modules/web/tree?recurse=true&recurselimit=1")),
        [".", ".svn", "sub"]
    );
    assert_eq!(get("file_metadatas/modules/web/tree?recurse=true&max_files=1").status, 500);
    let plugins = get("file_metadatas/plugins?recurse=true&max_files=-1&links=follow");
    assert_eq!(names(&plugins), [".", "both.rb", "facter", "facter/web.rb"]);
    assert_eq!(get("file_content/plugins/both.rb").text(), "# of app\n");
    assert_eq!(names(&get("file_metadatas/plugins?recurse=false")), ["."]);
    assert_eq!(names(&get("file_metadatas/pluginfacts?recurse=true")), [".", "app.txt"]);
    assert_eq!(names(&get("file_metadatas/locales?recurse=true")), ["."]);
    assert_eq!(get("file_content/modules/web/c.txt").text(), "content of c\n");
    assert_eq!(get("file_content/tasks/app/restart.sh").text(), "#!/bin/sh\n");
    assert_eq!(get("tasks").json()[0]["name"], "app::restart");
    assert_eq!(get("tasks/app/restart").json()["files"][0]["filename"], "restart.sh");
    assert_eq!(get("file_content/private/own.txt").text(), "only for web1\n");
    let other = harness.node("db1").get("/puppet/v3/file_content/private/own.txt?environment=production");
    assert_eq!(other.status, 404);
    for path in [
        "file_content/modules/web/../manifests/init.pp",
        "file_content/modules/web/%2e%2e/manifests/init.pp",
        "file_content/modules/web/..%2fmanifests%2finit.pp",
        "file_content/modules/../../manifests/site.pp",
        "file_content/modules/web%2f..%2f..%2f..%2fmanifests%2fsite.pp",
        "file_content/modules/web/tree",
        "file_content/modules",
        "file_content/nomount/x",
        "file_content/plugins/../manifests/init.pp",
        "static_file_content/modules/web/files/c.txt?code_id=x",
        "static_file_content/modules/web/manifests/init.pp?code_id=x",
    ] {
        let refused = get(path);
        assert!(refused.status >= 400 && !refused.text().contains("class web"), "{path}: {}", refused.text());
    }
    assert_eq!(client.get("/puppet/v3/file_content/modules/web/c.txt?environment=nosuch").status, 404);
    assert_eq!(
        harness.stranger().get("/puppet/v3/file_content/modules/web/c.txt?environment=production").status,
        403
    );
    let all = client.get("/puppet/v3/environments").json();
    assert_eq!(all["environments"].as_object().map(|all| all.len()), Some(3));
    harness.directory.write("code/environments/bare/manifests/site.pp", "");
    let bare = client.get("/puppet/v3/file_metadatas/plugins?environment=bare&recurse=true").json();
    assert_eq!((bare[0]["relative_path"].as_str(), bare.as_array().map(Vec::len)), (Some("."), Some(1)));
}

#[test]
fn large_files_come_whole() {
    let large: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let harness = Harness::new("", |directory| {
        code(directory);
        directory.write("code/environments/production/modules/web/files/large.bin", &large);
    });
    let reply =
        harness.node("web1").get("/puppet/v3/file_content/modules/web/large.bin?environment=production");
    assert_eq!((reply.status, reply.body == large), (200, true));
}

#[test]
fn static_catalogs_tell_about_files() {
    let harness = Harness::new("", |directory| {
        code(directory);
        let root = directory.0.display().to_string();
        for (name, text) in
            [("code_id", "echo v1".to_owned()), ("content", format!("cat {root}/code/environments/$1/$3"))]
        {
            let path = directory.write(name, format!("#!/bin/sh\n{text}\n"));
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        directory.write(
            "puppetserver/conf.d/versioned.conf",
            format!("versioned-code: {{ code-id-command: \"{root}/code_id\", code-content-command: \"{root}/content\" }}"),
        );
    });
    let client = harness.node("web1");
    let document = catalog(&client, "web1", "production").json();
    assert_eq!(document["code_id"], "v1");
    harness.directory.write("code/environments/plain/environment.conf", "static_catalogs = false\n");
    harness.directory.write(
        "code/environments/plain/manifests/site.pp",
        "file { '/tmp/c': source => 'puppet:///modules/web/c.txt' }\n",
    );
    harness.directory.write("code/environments/plain/modules/web/files/c.txt", "c\n");
    let plain = catalog(&client, "web1", "plain").json();
    assert_eq!((plain["code_id"].as_str(), plain.get("metadata")), (Some("v1"), None));
    let c = &document["metadata"]["/tmp/c"];
    assert_eq!(
        (c["content_uri"].as_str(), c["source"].as_str()),
        (Some("puppet:///modules/web/files/c.txt"), Some("puppet:///modules/web/c.txt"))
    );
    let tree = &document["recursive_metadata"]["/tmp/tree"]["puppet:///modules/web/tree"];
    assert_eq!(tree[0]["content_uri"], "puppet:///modules/web/files/tree");
    let content = client
        .get("/puppet/v3/static_file_content/modules/web/files/c.txt?environment=production&code_id=v1");
    assert_eq!((content.status, content.text().as_str()), (200, "content of c\n"));
    let refused = client.get(
        "/puppet/v3/static_file_content/modules/web/manifests/init.pp?environment=production&code_id=v1",
    );
    assert_eq!(refused.status, 403);
    assert_eq!(
        client
            .get(
                "/puppet/v3/static_file_content/modules/web/files/c.txt?environment=production&code_id=a%20b"
            )
            .status,
        400
    );
}

#[test]
fn the_bucket_gives_back_to_those_who_brought() {
    let harness = Harness::new("", code);
    let (client, other) = (harness.node("web1"), harness.node("db1"));
    let content = b"old content\n";
    let digest = "40eda80edfc38b36bdcdc408aa6ff2cc40b708e46ece9dfd2b2801a05a18a5fc";
    let path = format!("/puppet/v3/file_bucket_file/sha256/{digest}");
    let full = format!("{path}//etc/motd?environment=production");
    assert_eq!(client.send("HEAD", &full, &[], b"").status, 404);
    assert_eq!(
        client.send("PUT", &full, &[("Content-Type", "application/octet-stream")], content).status,
        200
    );
    assert_eq!(client.send("HEAD", &full, &[], b"").status, 200);
    assert_eq!(client.get(&path).body, content);
    assert_eq!((other.get(&path).status, harness.admin().get(&path).status), (404, 200));
    assert_eq!(client.send("PUT", &full, &[], b"something else").status, 400);
    // Who has not files it brings it as well, and then gets it back.
    assert_eq!(other.send("HEAD", &full, &[], b"").status, 404);
    assert_eq!(
        client.send("HEAD", &format!("{path}//etc/issue?environment=production"), &[], b"").status,
        404
    );
    let new = "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c";
    assert_eq!(
        client
            .send(
                "PUT",
                &full.replace(digest, new),
                &[("Content-Type", "application/octet-stream")],
                b"new\n"
            )
            .status,
        200
    );
    let difference = client.get(&format!("{path}?environment=production&diff_with={new}")).text();
    assert!(difference.ends_with("@@ -1 +1 @@\n-old content\n+new\n"), "{difference}");
    let unknown = client.get(&format!("{path}?environment=production&diff_with={}", new.replace('7', "8")));
    assert_eq!(unknown.status, 500);
    assert_eq!(client.get("/puppet/v3/file_bucket_file/sha256/..%2f..%2fx").status, 400);
    let kept = harness.directory.0.join("var/bucket/4/0/e/d/a/8/0/e").join(digest);
    assert_eq!(
        (text_of(&kept.join("paths")).as_str(), text_of(&kept.join("nodes")).as_str()),
        ("/etc/motd\n", "web1\n")
    );
}

#[test]
fn reports_and_facts_are_taken_from_whom_they_are_of() {
    let harness = Harness::new("", code);
    let client = harness.node("web1");
    let report = json!({"host": "web1", "time": "2026-11-16T05:26:58.084943225+00:00", "status": "changed", "report_format": 12,
                        "logs": [], "metrics": {}, "resource_statuses": {}});
    let put = |client: &Client, path: &str, body: &serde_json::Value| {
        client.send("PUT", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    };
    let taken = put(&client, "/puppet/v3/report/web1?environment=production", &report);
    assert_eq!((taken.status, taken.text().as_str()), (200, "[\"store\"]"));
    put(&client, "/puppet/v3/report/web1?environment=production", &report);
    let files: Vec<_> =
        std::fs::read_dir(harness.directory.0.join("var/reports/web1")).unwrap().flatten().collect();
    assert_eq!(files.len(), 2);
    assert!(text_of(&files[0].path()).starts_with("--- !ruby/object:Puppet::Transaction::Report\n"));
    assert_eq!(
        put(&harness.node("db1"), "/puppet/v3/report/web1?environment=production", &report).status,
        403
    );
    let other = json!({"host": "db1"});
    assert_eq!(put(&client, "/puppet/v3/report/web1?environment=production", &other).status, 500);
    for (kind, body, status) in
        [("application/json", "{\"host\": ", 400), ("text/json", "{}", 400), ("text/yaml", "--- {}", 415)]
    {
        let path = "/puppet/v3/report/web1?environment=production";
        let answer = client.send("PUT", path, &[("content-type", kind)], body.as_bytes());
        assert_eq!(answer.status, status, "{kind}: {body}");
        assert!(answer.text().contains(if status == 400 {
            "The request body is invalid: "
        } else {
            "Unsupported Media Type: "
        }));
    }
    let facts = json!({"name": "web1", "values": {"kernel": "Linux"}});
    let taken = put(&client, "/puppet/v3/facts/web1?environment=production", &facts);
    assert_eq!((taken.status, taken.text().as_str()), (200, "0"));
    assert_eq!(
        put(&client, "/puppet/v3/facts/web1?environment=production", &json!({"name": "x"})).status,
        500
    );
}

#[test]
fn the_store_gives_what_other_nodes_export() {
    let harness = Harness::new("# with a store", |directory| {
        let site = "node web1 { @@notify { 'from web1': } } node web2 { Notify <<| |>> }";
        directory.write("code/environments/production/manifests/site.pp", site);
    });
    let (web1, web2) = (harness.node("web1"), harness.node("web2"));
    let exported = catalog(&web1, "web1", "production");
    assert!(exported.status == 200 && !exported.text().contains("from web1"), "{}", exported.text());
    assert!(catalog(&web2, "web2", "production").text().contains("from web1"));
    // What the certificate says is among the facts that are kept, and not among those of a node that says nothing later.
    let url = format!("sqlite:{}/store.db", harness.directory.0.display());
    let store = kukla_store::open(&url, &kukla_store::Options::default()).unwrap();
    let trusted = kukla_store::Question::pql(
        "inventory[certname] { trusted.certname = 'web1' and facts.greeting = 'hello' }",
    );
    assert_eq!(store.query(&trusted).unwrap(), [json!({"certname": "web1"})]);
    let kept = harness.server().last_facts("web1").unwrap().unwrap();
    assert!(kept.get("greeting").is_some() && kept.get("trusted").is_none());
    let report = json!({"host": "web1", "time": "2026-11-16T05:26:58.084943225+00:00", "status": "changed", "report_format": 12,
                        "puppet_version": "7.23.0", "configuration_version": 1, "transaction_uuid": "u", "environment": "production",
                        "noop": false, "noop_pending": false, "corrective_change": false, "catalog_uuid": "c", "code_id": null,
                        "cached_catalog_status": "not_used", "logs": [], "metrics": {}, "resource_statuses": {}});
    let taken = web1.send(
        "PUT",
        "/puppet/v3/report/web1?environment=production",
        &[("Content-Type", "application/json")],
        report.to_string().as_bytes(),
    );
    assert_eq!((taken.status, taken.text().as_str()), (200, "[\"store\"]"));
}

#[test]
fn changed_code_is_used_when_it_is_told_or_has_settled() {
    let harness = Harness::new("environment_timeout = unlimited", code);
    let client = harness.node("web1");
    let has = |text: &str| catalog(&client, "web1", "dev").text().contains(text);
    assert!(has("\"dev\""));
    harness.directory.write("code/environments/dev/manifests/site.pp", "notify { 'changed': }");
    assert!(has("\"dev\"") && !has("\"changed\""));
    let cache = "/puppet-admin-api/v1/environment-cache?environment=dev";
    assert_eq!(client.send("DELETE", cache, &[], b"").status, 403);
    assert_eq!(harness.admin().send("DELETE", cache, &[], b"").status, 204);
    assert!(has("\"changed\""));

    let watching = Harness::new("", code);
    let client = watching.node("web1");
    let has = |text: &str| catalog(&client, "web1", "dev").text().contains(text);
    assert!(has("\"dev\""));
    watching.directory.write("code/environments/dev/manifests/site.pp", "include late");
    watching
        .directory
        .write("code/environments/dev/modules/late/manifests/init.pp", "class late { notify { 'late': } }");
    wait_until("the new class is used", || has("\"late\""));
    // A compilation that needs a file which has changed since does not mix the two.
    watching.directory.write(
        "code/environments/dev/manifests/site.pp",
        "if $facts['greeting'] == 'hello' { include other }",
    );
    wait_until("the missing class is reported", || {
        let reply = catalog(&client, "web1", "dev");
        reply.status == 500 && reply.text().contains("other")
    });
    watching.directory.write(
        "code/environments/dev/modules/other/manifests/init.pp",
        "class other { notify { 'other': } }",
    );
    wait_until("the class is found", || has("\"other\""));
}

#[test]
fn status_and_figures() {
    let harness = Harness::new("", code);
    let stranger = harness.stranger();
    assert_eq!(stranger.get("/status/v1/simple").text(), "running");
    assert_eq!(stranger.get("/status/v1/simple/server").text(), "running");
    assert_eq!(stranger.get("/status/v1/simple/nosuch").status, 404);
    let services = stranger.get("/status/v1/services").json();
    assert_eq!(
        (services["ca"]["state"].as_str(), services["server"]["state"].as_str()),
        (Some("running"), Some("running"))
    );
    let debug = stranger.get("/status/v1/services/server?level=debug").json();
    assert!(debug["status"]["experimental"]["http-metrics"].is_array());
    assert_eq!(stranger.get("/metrics").status, 403);
    catalog(&harness.node("web1"), "web1", "production");
    let figures = harness.admin().get("/metrics").text();
    assert!(
        figures.contains("kukla_requests_total{route=\"puppet-v3-catalog\",status=\"200\"} 1"),
        "{figures}"
    );
    assert!(figures.contains("kukla_catalog_seconds_count 1"));
}

#[test]
fn odd_bytes_get_no_further() {
    let harness = Harness::new("", code);
    let client = harness.node("web1");
    const SECOND: &str = "GET /status/v1/simple HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
    let simple = |method: &str, headers: &str, rest: &str| {
        format!("{method} /status/v1/simple HTTP/1.1\r\nHost: a\r\n{headers}\r\n{rest}")
    };
    let two = |headers: &str, body: &str| simple("POST", headers, &format!("{body}{SECOND}"));
    for (request, statuses) in [
        (simple("GET", "Bad Header: x\r\n", ""), &[400][..]),
        ("GET /%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(), &[400]),
        ("GET /a/../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(), &[400]),
        ("nonsense\r\n\r\n".to_owned(), &[400]),
        (format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(1 << 20)), &[431]),
        // One request cannot be two: a request whose length is ambiguous ends the connection.
        (simple("GET", "Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), &[400]),
        (two("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), &[400]),
        (two("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), &[400]),
        (two("Content-Length: +4\r\n", ""), &[400]),
        (two("Content-Length : 4\r\n", ""), &[400]),
        (two(&format!("Content-Length: 4\r\n{CHUNKED}"), "0\r\n\r\n"), &[403]),
        (two(&format!("{CHUNKED}Content-Length: 4\r\n"), "0\r\n\r\n"), &[403]),
        (simple("GET", &format!("Content-Length: 4\r\n{CHUNKED}"), &format!("0\r\n\r\n{SECOND}")), &[200]),
        (simple("GET", &format!("{CHUNKED}Content-Length: 4\r\n"), &format!("0\r\n\r\n{SECOND}")), &[200]),
    ] {
        let shown = request.get(..300).unwrap_or(&request);
        assert_eq!(client.connect().statuses(request.as_bytes()), statuses, "{shown}");
    }
    // Two requests that are two.
    assert_eq!(client.connect().statuses(simple("GET", "", SECOND).as_bytes()), [200, 200]);
    // A body that is announced as too large is refused before any of it comes.
    let announced = "PUT /puppet/v3/report/web1?environment=production HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n";
    assert_eq!(client.connect().raw(announced.as_bytes(), false).unwrap().status, 413);
    // Plain HTTP where TLS is spoken.
    let mut plain = TcpStream::connect(harness.address).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(client.get("/status/v1/simple").status, 200);
}

#[test]
fn certificates_of_others_are_no_use() {
    let (harness, elsewhere) = (Harness::new("", code), Harness::new("", |_| {}));
    let server = elsewhere.server();
    let foreign =
        server.authority.as_ref().unwrap().now().generate("web1", &CertificateOptions::default()).unwrap();
    let client = harness.client(Some(foreign));
    assert!(client.try_send("GET", "/status/v1/simple", &[], b"").is_err());
    // A certificate expires in the second after its last one.
    let draft = CertificateOptions { lifetime: Some(Duration::ZERO), ..CertificateOptions::default() };
    let expired = harness.node_with("web2", &draft);
    wait_until("the certificate has expired", || {
        expired.try_send("GET", "/status/v1/simple", &[], b"").is_err()
    });
}

#[test]
fn idle_connections_do_no_harm() {
    let harness = Harness::new("", code);
    let idle: Vec<TcpStream> = (0..300).filter_map(|_| TcpStream::connect(harness.address).ok()).collect();
    let client = harness.node("web1");
    let mut kept: Vec<_> = (0..40).map(|_| client.connect()).collect();
    assert!(
        kept.iter_mut().all(|each| each.send("GET", "/status/v1/simple", &[], b"").unwrap().status == 200)
    );
    assert_eq!(catalog(&client, "web1", "production").status, 200);
    assert_eq!(idle.len(), 300);
}

/// A compilation that would take minutes ends when nobody waits for it any more; how soon does not matter here, only that it does.
#[test]
fn a_client_that_goes_away_is_not_compiled_for() {
    let harness = Harness::new("deadline = 3600", code);
    let client = harness.node("endless");
    let form = catalog_form("endless", "production", &json!({}));
    let head = format!(
        "POST /puppet/v3/catalog/endless?environment=production HTTP/1.1\r\nHost: localhost\r\n{}: {}\r\nContent-Length: {}\r\n\r\n{form}",
        FORM.0,
        FORM.1,
        form.len()
    );
    let metrics = std::sync::Arc::clone(&harness.server().metrics);
    let queued = || metrics.queued.load(std::sync::atomic::Ordering::Relaxed);
    let connections: Vec<_> = (0..2)
        .map(|_| {
            let mut connection = client.connect();
            connection.write(head.as_bytes()).unwrap();
            connection
        })
        .collect();
    wait_until("both are being compiled", || queued() == 2);
    drop(connections);
    wait_until("nothing is being compiled", || queued() == 0);
}

#[test]
fn too_many_catalogs_are_sent_away_until_later() {
    let harness = Harness::new("deadline = 3", |directory| {
        code(directory);
        directory.write(
            "puppetserver/conf.d/puppetserver.conf",
            "jruby-puppet: { max-active-instances: 1, max-queued-requests: 1, max-retry-delay: 7 }",
        );
    });
    let endless = harness.node("endless");
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..6).map(|_| scope.spawn(|| catalog(&endless, "endless", "production"))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let away: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 503).collect();
    assert!(away.len() >= 3, "{:?}", replies.iter().map(|reply| reply.status).collect::<Vec<_>>());
    assert!(away.iter().all(|reply| {
        reply.header("retry-after").is_some_and(|seconds| (1..=7).contains(&seconds.parse::<u64>().unwrap()))
    }));
    assert_eq!(harness.stranger().get("/status/v1/simple").status, 200);
}
