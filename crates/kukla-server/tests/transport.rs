//! Hostile transport: clients that pretend to be others, send too much, too slowly or nothing, and do not read. Each class of attack has a test.

#![allow(clippy::disallowed_methods)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{ACCEPT, Client, Connection, Directory, FORM, Harness, Reply, catalog_form, wait_until};
use kukla_server::ca::CertificateOptions;
use kukla_server::ca::audit::Actor;
use kukla_server::ca::certificate::Certificate;
use kukla_server::run::prepare;
use kukla_server::settings::Overrides;
use serde_json::json;

fn code(directory: &Directory) {
    for environment in ["production", "secret"] {
        let root = format!("code/environments/{environment}");
        directory.write(&format!("{root}/manifests/site.pp"), "notify { \"this is ${environment}\": }");
        directory.write(&format!("{root}/modules/web/files/small.txt"), "small\n");
    }
}

fn limits(text: &'static str) -> impl FnOnce(&Directory) {
    move |directory| {
        code(directory);
        directory.write("puppet/kukla.toml", format!("[limits]\n{text}"));
    }
}

fn catalog(client: &Client, node: &str) -> Reply {
    let form = catalog_form(node, "production", &json!({}));
    let path = format!("/puppet/v3/catalog/{node}?environment=production");
    client.send("POST", &path, &[FORM, ACCEPT], form.as_bytes())
}

const ALLOW_ALL: &str =
    "{ match-request: { path: \"/\", type: path }, allow: \"*\", sort-order: 900, name: rest }";

fn with_rules(rules: &str, webserver: &str) -> impl FnOnce(&Directory) {
    let (rules, webserver) = (rules.to_owned(), webserver.to_owned());
    move |directory| {
        code(directory);
        directory.write("puppetserver/conf.d/auth.conf", format!("authorization: {{ version: 1, {rules} }}"));
        directory.write("puppetserver/conf.d/webserver.conf", format!("webserver: {{ {webserver} }}"));
    }
}

/// A request without TLS; the status of the reply.
fn plain(harness: &Harness, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut stream = TcpStream::connect(harness.plain.unwrap()).unwrap();
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n");
    headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
    let mut reply = String::new();
    let _ = stream.read_to_string(&mut reply);
    reply.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

fn escaped(certificate: &Certificate) -> String {
    crate::support::encoded(&certificate.to_pem())
}

#[test]
fn headers_identify_nobody_but_on_the_plain_listener_with_a_verified_certificate() {
    let rules = format!("allow-header-cert-info: true, rules: [ {ALLOW_ALL} ]");
    let harness = Harness::new("", with_rules(&rules, "port: 8139"));
    let elsewhere = Harness::new("", code);
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    let generate = |name: &str| authority.generate(name, &CertificateOptions::default()).unwrap().1;
    let (web1, revoked) = (generate("web1"), generate("revoked"));
    authority.revoke(&["revoked".to_owned()], &Actor::default()).unwrap();
    let draft = CertificateOptions::default();
    let foreign = elsewhere.server();
    let foreign = foreign.authority.as_ref().unwrap().now().generate("web1", &draft).unwrap().1;
    let path = "/puppet/v3/node/web1?environment=production";
    const SUCCESS: (&str, &str) = ("X-Client-Verify", "SUCCESS");
    let good = escaped(&web1);
    assert_eq!(plain(&harness, path, &[SUCCESS, ("X-Client-Cert", &good)]), 200);
    assert_eq!(
        plain(&harness, path, &[SUCCESS, ("X-Client-Cert", &good), ("X-Client-DN", "CN=web1,O=x")]),
        200
    );
    // On the TLS port they are text like any other: a stranger stays one, and a node stays who it is.
    let headers = [SUCCESS, ("X-Client-Cert", good.as_str()), ("X-Client-DN", "CN=web1")];
    assert_eq!(harness.stranger().send("GET", path, &headers, b"").status, 403);
    let digest = "40eda80edfc38b36bdcdc408aa6ff2cc40b708e46ece9dfd2b2801a05a18a5fc";
    let bucket = format!("/puppet/v3/file_bucket_file/sha256/{digest}");
    let other = harness.node("db1");
    assert_eq!(other.send("PUT", &bucket, &headers, b"old content\n").status, 200);
    assert_eq!((other.get(&bucket).status, plain(&harness, &bucket, &headers)), (200, 404));
    let (foreign, revoked) = (escaped(&foreign), escaped(&revoked));
    let mut forged = web1.der().to_vec();
    *forged.last_mut().unwrap() ^= 1;
    let forged = crate::support::encoded(&kukla_server::ca::keys::pem("CERTIFICATE", &forged));
    for (headers, why) in [
        (vec![], "no headers"),
        (vec![("X-Client-Cert", good.as_str())], "the proxy did not verify it"),
        (vec![("X-Client-Verify", "FAILED:x"), ("X-Client-Cert", &good)], "the proxy refused it"),
        (vec![SUCCESS, ("X-Client-DN", "CN=web1")], "a name alone"),
        (vec![SUCCESS, ("X-Client-Cert", &foreign)], "another authority"),
        (vec![SUCCESS, ("X-Client-Cert", &revoked)], "revoked"),
        (vec![SUCCESS, ("X-Client-Cert", &forged)], "the signature is wrong"),
        (vec![SUCCESS, ("X-Client-Cert", "nonsense")], "malformed"),
        (vec![SUCCESS, ("X-Client-Cert", &good), ("X-Client-DN", "CN=db1")], "another name"),
        (vec![SUCCESS, ("X-Client-Cert", &good), ("X-Client-Cert", &good)], "twice"),
        (vec![SUCCESS, SUCCESS, ("X-Client-Cert", &good)], "verified twice"),
    ] {
        assert_eq!(plain(&harness, path, &headers), 403, "{why}");
    }
    // Without the setting they identify nobody anywhere.
    let off = Harness::new("", with_rules(&format!("rules: [ {ALLOW_ALL} ]"), "port: 8139"));
    let server = off.server();
    let own =
        server.authority.as_ref().unwrap().now().generate("web1", &CertificateOptions::default()).unwrap().1;
    assert_eq!(plain(&off, path, &[SUCCESS, ("X-Client-Cert", &escaped(&own))]), 403);
}

#[test]
fn rules_and_handlers_read_the_same_parameters() {
    let rules = "rules: [
        { match-request: { path: \"^/puppet/v3/catalog/([^/]+)$\", type: regex, query-params: { environment: secret } },
          deny: \"*\", sort-order: 100, name: \"nobody gets secret\" },
        { match-request: { path: \"/puppet/v3/file_\", type: path, query-params: { environment: production } },
          allow: \"*\", sort-order: 200, name: \"files of production\" },
        { match-request: { path: \"/puppet/v3/catalog\", type: path }, allow: \"*\", sort-order: 300, name: catalogs } ]";
    let harness = Harness::new("", with_rules(rules, ""));
    let client = harness.node("web1");
    let post = |path: &str, form: &str| client.send("POST", path, &[FORM, ACCEPT], form.as_bytes());
    let catalog = "/puppet/v3/catalog/web1";
    assert!(post(&format!("{catalog}?environment=production"), "").text().contains("this is production"));
    assert_eq!(post(&format!("{catalog}?environment=production"), "environment=production").status, 200);
    for (query, form) in [
        ("?environment=secret", ""),
        ("?environment=production", "environment=secret"),
        ("?environment=production", "environment[]=secret"),
        ("?environment=production", "%65nvironment=secret"),
        ("?environment=production&environment=secret", ""),
        ("?environment=secret&environment=production", ""),
        ("?environment=production&environment[]=secret", ""),
        ("?environment[]=production&environment=secret", ""),
        ("", "environment=secret"),
        ("", "environment=production&environment=secret"),
        ("?environment%5b%5d=secret", "environment=production"),
    ] {
        let reply = post(&format!("{catalog}{query}"), form);
        assert!(matches!(reply.status, 400 | 403), "{query} {form}: {} {}", reply.status, reply.text());
    }
    let file = "/puppet/v3/file_content/modules/web/small.txt";
    assert_eq!(client.get(&format!("{file}?environment=production")).text(), "small\n");
    for (query, form) in [
        ("?environment=secret", ""),
        ("?environment=production", "environment=secret"),
        ("?environment=production&environment=secret", ""),
        ("?environment[]=production&environment=secret", ""),
        ("", "environment=production"),
    ] {
        let reply = post(&format!("{file}{query}"), form);
        assert!(matches!(reply.status, 400 | 403), "{query} {form}: {} {}", reply.status, reply.text());
    }
    // A form is read only where a route takes one.
    let facts = client.send("PUT", "/puppet/v3/facts/web1?environment=production", &[FORM], b"environment=x");
    assert_eq!(facts.status, 403);
}

#[test]
fn each_route_has_a_limit_of_its_own() {
    let harness = Harness::new("", limits("request-bytes = 200000\n"));
    let (client, stranger) = (harness.node("web1"), harness.stranger());
    let large = vec![b'x'; 200_001];
    for (method, path) in [
        ("PUT", "/puppet/v3/report/web1?environment=production"),
        ("PUT", "/puppet/v3/facts/web1?environment=production"),
        ("POST", "/puppet/v3/catalog/web1?environment=production"),
        ("PUT", "/puppet/v3/file_bucket_file/md5/00000000000000000000000000000000"),
        ("POST", "/puppet/v3/file_metadatas/plugins?environment=production"),
    ] {
        for headers in [&[FORM][..], &[("Content-Type", "application/json")]] {
            assert_eq!(client.send(method, path, headers, &large).status, 413, "{path}");
        }
        // The same without telling how much it will be.
        let mut chunked =
            format!("{method} {path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes();
        chunked.extend_from_slice(format!("{:x}\r\n", large.len()).as_bytes());
        chunked.extend_from_slice(&large);
        assert_eq!(client.connect().raw(&chunked, false).unwrap().status, 413, "{path}");
    }
    let csr = vec![b'x'; 70_000];
    assert_eq!(stranger.send("PUT", "/puppet-ca/v1/certificate_request/a", &[], &csr).status, 413);
    assert_eq!(stranger.send("GET", "/status/v1/simple", &[], b"x").status, 413);
    // A request that is refused is refused before its body is sent.
    let announced = "PUT /puppet/v3/report/db1 HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n";
    assert_eq!(client.connect().raw(announced.as_bytes(), false).unwrap().status, 403);
    assert_eq!(catalog(&client, "web1").status, 200);
}

/// A client that announces a body and sends none of it, or a little.
fn announce(client: &Client, path: &str, sent: &[u8]) -> Connection {
    let mut connection = client.connect();
    let head = format!("PUT {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n");
    connection.write(head.as_bytes()).unwrap();
    connection.write(sent).unwrap();
    connection
}

#[test]
fn bodies_that_do_not_arrive_take_nothing_from_others() {
    // Memory for two requests, and clients that may be silent for an hour.
    let harness = Harness::new(
        "",
        limits(
            "request-bytes = 100000\nall-requests-bytes = 120000\nrequests-bytes-per-address = 3000\nstall-seconds = 3600\narrival-seconds = 3600\n",
        ),
    );
    let (client, stranger) = (harness.node("web1"), harness.stranger());
    let idle: Vec<Connection> =
        (0..50).map(|_| announce(&stranger, "/puppet-ca/v1/certificate_request/a", b"x")).collect();
    let server = harness.server();
    wait_until("a byte of each has arrived", || server.room.occupied() == 50);
    assert_eq!(catalog(&client, "web1").status, 200);
    let report = vec![b' '; 90_000];
    let taken =
        client.send("PUT", "/puppet/v3/report/web1", &[("Content-Type", "application/json")], &report);
    assert_eq!(taken.status, 400, "it is read, and is not a report: {}", taken.text());
    drop(idle);
    wait_until("the memory is free again", || server.room.occupied() == 0);
}

#[test]
fn clients_that_send_too_slowly_are_cut_off() {
    let harness = Harness::new("", limits("stall-seconds = 1\n"));
    let mut silent = announce(&harness.node("web1"), "/puppet/v3/report/web1", b"{");
    assert_eq!(silent.raw(b"", false).unwrap().status, 408);
    assert_eq!(harness.server().room.occupied(), 0);
}

#[test]
fn a_full_room_is_refused_after_a_while() {
    let harness = Harness::new(
        "",
        limits(
            "request-bytes = 100000\nrequests-bytes-per-node = 60000\nwait-seconds = 1\nstall-seconds = 3600\n",
        ),
    );
    let client = harness.node("web1");
    let held = announce(&client, "/puppet/v3/report/web1", &[b' '; 40_000]);
    let server = harness.server();
    wait_until("it occupies memory", || server.room.occupied() >= 40_000);
    let report = vec![b' '; 40_000];
    let refused = client.send("PUT", "/puppet/v3/report/web1", &[], &report);
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true), "{}", refused.text());
    // Another node has its own part.
    let other = harness.node("db1").send("PUT", "/puppet/v3/report/db1", &[], &report);
    assert_eq!(other.status, 400);
    drop(held);
}

#[test]
fn clients_that_do_not_read_are_cut_off_and_hold_no_thread() {
    let harness = Harness::new("", |directory| {
        limits("stall-seconds = 1\n")(directory);
        let file = directory.write("code/environments/production/modules/web/files/large.bin", "");
        std::fs::OpenOptions::new().write(true).open(file).unwrap().set_len(256 << 20).unwrap();
    });
    let client = harness.node("web1");
    let path = "/puppet/v3/file_content/modules/web/large.bin?environment=production";
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    // More of them than there are threads for files that are being read.
    let reader = |_| {
        let mut reader = client.connect();
        reader.write(request.as_bytes()).unwrap();
        reader
    };
    let _readers: Vec<Connection> = (0..100).map(reader).collect();
    assert_eq!(
        client.get("/puppet/v3/file_content/modules/web/small.txt?environment=production").text(),
        "small\n"
    );
    let server = harness.server();
    let open = || server.metrics.connections.load(std::sync::atomic::Ordering::Relaxed);
    wait_until("all of them are closed", || open() == 0);
}

#[test]
fn status_needs_no_thread_and_pools_are_apart() {
    let harness = Harness::new("", limits("wait-seconds = 1\n"));
    let (client, stranger) = (harness.node("web1"), harness.stranger());
    let server = harness.server();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let occupy = |pool| -> Vec<_> {
        let enter = || runtime.block_on(server.pools.enter(pool, Duration::ZERO));
        std::iter::from_fn(enter).collect()
    };
    use kukla_server::pools::Pool;
    let everything: Vec<_> = Pool::ALL.into_iter().map(|pool| (pool, occupy(pool))).collect();
    assert_eq!(stranger.get("/status/v1/simple").text(), "running");
    assert_eq!(stranger.get("/status/v1/simple/live").text(), "alive");
    assert_eq!(stranger.get("/status/v1/simple/ready").text(), "ready");
    let metrics = harness.admin().get("/metrics").text();
    assert!(metrics.contains("kukla_pool_running{pool=\"strangers\"} 16"), "{metrics}");
    for name in [
        "kukla_expiry_timestamp_seconds{of=\"crl\"}",
        "kukla_crl_changed_timestamp_seconds",
        "kukla_tls_failures_total",
    ] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
    let waited = stranger.get("/puppet-ca/v1/certificate/ca");
    assert_eq!((waited.status, waited.header("retry-after").is_some()), (503, true));
    drop(everything);
    // Strangers who occupy everything that is for them leave the rest alone.
    let _strangers = occupy(Pool::Strangers);
    assert_eq!(stranger.get("/puppet-ca/v1/certificate/ca").status, 503);
    assert_eq!(client.get("/puppet-ca/v1/certificate/ca").status, 200);
    assert_eq!(catalog(&client, "web1").status, 200);
    assert_eq!(client.get("/puppet/v3/file_metadatas/plugins?environment=production").status, 200);
}

#[test]
fn a_client_beyond_its_quota_loses_its_oldest_connection() {
    let harness = Harness::new("", limits("connections-per-address = 20\nconnections-per-node = 3\n"));
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(harness.address).unwrap()).collect();
    // An agent at the same address gets through.
    let client = harness.node("web1");
    assert_eq!(catalog(&client, "web1").status, 200);
    let mut agents: Vec<Connection> = (0..4).map(|_| client.connect()).collect();
    let mut simple =
        |at: usize| agents[at].send("GET", "/status/v1/simple", &[], b"").map(|reply| reply.status).ok();
    assert_eq!([0, 1, 2, 3].map(&mut simple).iter().flatten().count(), 4, "each in its turn");
    assert_eq!(simple(0), None, "the first one was closed for the fourth");
    assert_eq!(simple(3), Some(200));
    drop(idle);
}

#[test]
fn names_are_checked_before_they_go_anywhere() {
    let rules = format!("rules: [ {ALLOW_ALL} ]");
    let harness = Harness::new("", with_rules(&rules, ""));
    let client = harness.node("service");
    let v4 = |name: &str| {
        let body = json!({"certname": name, "environment": "production", "persistence": {"facts": false, "catalog": false}});
        client.send("POST", "/puppet/v4/catalog", &[], body.to_string().as_bytes()).status
    };
    assert_eq!(v4("web1"), 200);
    let long = |length: usize| "n".repeat(length);
    assert_eq!(v4(&long(250)), 200);
    for name in ["", "../x", "a/b", "a\nb", "a\0b", "wéb", &long(251), &long(255), &long(300)] {
        assert_eq!(v4(name), 400, "{name:?}");
    }
    for length in 251..=256 {
        let name = long(length);
        for (method, path) in [
            ("GET", format!("/puppet/v3/node/{name}?environment=production")),
            ("PUT", format!("/puppet/v3/report/{name}?environment=production")),
            ("PUT", format!("/puppet/v3/facts/{name}?environment=production")),
            ("GET", format!("/puppet/v3/catalog/{name}?environment=production")),
            ("PUT", format!("/puppet-ca/v1/certificate_request/{name}")),
            ("GET", format!("/puppet-ca/v1/certificate_request/{name}")),
        ] {
            let status = client.send(method, &path, &[], b"{}").status;
            assert!(matches!(status, 400 | 404), "{method} {path}: {status}");
        }
    }
}

#[test]
fn a_reload_applies_another_store_and_names_its_changes() {
    let harness = Harness::new("# with a store", code);
    let before = harness.server();
    let root = harness.directory.0.display().to_string();
    harness.directory.write("puppet/kukla.toml", "[limits]\nconnections = 77\n");
    let overrides = Overrides {
        confdir: Some(harness.directory.0.join("puppet")),
        store: Some(format!("sqlite:{root}/other.db")),
        listen: Some(([127, 0, 0, 1], 1).into()),
        ..Overrides::default()
    };
    let (after, tls) = prepare(&overrides, Some(&before)).unwrap();
    let changes = after.settings.changes_since(&before.settings);
    let changed: Vec<(&str, bool)> =
        changes.iter().map(|change| (change.name.as_str(), change.needs_restart())).collect();
    assert_eq!(changed, [("listen", true), ("store", false), ("limits.connections", false)], "{changes:?}");
    harness.current.replace(after, tls);
    assert_eq!(catalog(&harness.node("web1"), "web1").status, 200);
    let facts = |name: &str| {
        let store = kukla_store::open(&format!("sqlite:{root}/{name}.db"), &kukla_store::Options::default());
        store.unwrap().facts("web1").unwrap()
    };
    assert!(facts("other").is_some() && facts("store").is_none());
    let (again, _) = prepare(&overrides, Some(&harness.server())).unwrap();
    assert!(again.settings.changes_since(&harness.server().settings).is_empty());
}

/// A module's files may be links, but none of them leads to the authority, to a private key or to the store.
#[test]
fn links_do_not_lead_to_keys() {
    let harness = Harness::new("# with a store", code);
    let root = &harness.directory.0;
    let files = root.join("code/environments/production/modules/web/files");
    let (ca, ssl) = (root.join("puppetserver/ca"), root.join("puppet/ssl"));
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, files.join(name)).unwrap();
    };
    link(&ca, "ca");
    link(&ca.join("ca_key.pem"), "ca_key");
    link(&ssl.join("private_keys"), "keys");
    link(&ssl.join("private_keys/localhost.pem"), "key");
    link(&root.join("store.db"), "store");
    link(root, "everything");
    link("/proc/self".as_ref(), "process");
    link("/proc/self/environ".as_ref(), "environment");
    link("/proc/self/root".as_ref(), "root");
    link("/dev".as_ref(), "devices");
    link(&root.join("puppet/puppet.conf"), "settings");
    std::fs::hard_link(root.join("puppet/puppet.conf"), files.join("hard_settings")).unwrap();
    link(&files.join("key"), "indirect");
    link(&root.join("code/environments/production/modules/web/files/small.txt"), "fine");
    std::fs::hard_link(ca.join("ca_key.pem"), files.join("hard")).unwrap();
    let client = harness.node("web1");
    let get = |kind: &str, name: &str, options: &str| {
        client.get(&format!("/puppet/v3/{kind}/modules/web/{name}?environment=production{options}"))
    };
    assert_eq!(get("file_content", "fine", "").text(), "small\n");
    for name in [
        "ca/ca_key.pem",
        "ca/inventory.txt",
        "ca_key",
        "keys/localhost.pem",
        "key",
        "store",
        "indirect",
        "hard",
        "environment",
        "process/environ",
        "process/cmdline",
        "root/proc/self/environ",
        "devices/null",
        "settings",
        "hard_settings",
        "everything/puppet/puppet.conf",
        "everything/store.db-wal",
        "everything/puppetserver/ca/ca_key.pem",
        "everything/store.db",
        "everything/puppet/ssl/private_keys/localhost.pem",
    ] {
        let content = get("file_content", name, "");
        assert_eq!(content.status, 404, "{name}: {}", content.text());
        for checksum in ["sha256", "md5lite", "mtime", "none"] {
            let metadata = get("file_metadata", name, &format!("&links=follow&checksum_type={checksum}"));
            assert_eq!(metadata.status, 404, "{name}: {}", metadata.text());
        }
    }
    // The list would be that of the whole machine.
    std::fs::remove_file(files.join("root")).unwrap();
    let all = get("file_metadatas", "", "&recurse=true&links=follow&max_files=-1");
    let text = all.text();
    assert_eq!(all.status, 200, "{text}");
    assert!(text.contains("small.txt") && text.contains("\"fine\""), "{text}");
    for secret in ["ca_key", "serial", "private_keys/", "\"hard\"", "store.db\"", "\"key\""] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
