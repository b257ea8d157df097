//! Which requests are signed: exactly those that were judged, for no longer than the authority lives, and recorded.

#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::support::{Directory, Harness, Reply, text_of};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::autosign::Autosign;
use kukla_server::ca::certificate::alt_names_extension;
use kukla_server::ca::keys::{Key, KeyKind};
use kukla_server::ca::request::{Request, alt_name, printable};
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice, setup};
use serde_json::Value;
use x509_cert::ext::Extension;

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

fn request(name: &str, extensions: Vec<Extension>) -> (Key, String) {
    let key = Key::generate(KeyKind::Ec).unwrap();
    let request = Request::new(name, &key, extensions).unwrap();
    (key, request.to_pem())
}

fn put(harness: &Harness, name: &str, text: &str) -> Reply {
    let path = format!("/puppet-ca/v1/certificate_request/{name}");
    harness.stranger().send("PUT", &path, &[("Content-Type", "text/plain")], text.as_bytes())
}

/// An authority whose policy command replaces or removes the waiting request while it judges it.
fn with_policy(directory: &Directory, script: &str, duplicates: bool) -> Authority {
    let command = directory.write("policy", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&command, PermissionsExt::from_mode(0o755)).unwrap();
    let practice = Practice { autosign: Autosign::File(command), duplicates, ..practice() };
    setup::make(&Layout::at(directory.0.join("ca")), practice, "ca").unwrap()
}

#[test]
fn the_request_that_was_judged_is_the_one_that_is_signed() {
    let directory = Directory::new();
    let (_, other) = request("web1", Vec::new());
    let other = directory.write("other.pem", other);
    let waiting = directory.0.join("ca/requests/web1.pem");
    let swap = format!("cp {} {}", other.display(), waiting.display());
    let authority = with_policy(&directory, &swap, true);
    let (key, text) = request("web1", Vec::new());
    assert!(authority.submit("web1", text.as_bytes(), &Actor::default()).unwrap());
    assert_eq!(*authority.signed("web1").unwrap().unwrap().public_key(), key.public().unwrap());
    assert_eq!(text_of(&waiting), text_of(&other), "the other request still waits");

    // Without duplicates a waiting request is another one only if the judged one was withdrawn.
    for script in [swap, format!("rm {}", waiting.display())] {
        let directory = Directory::new();
        let script = script.replace(
            &waiting.display().to_string(),
            &directory.0.join("ca/requests/web1.pem").display().to_string(),
        );
        let authority = with_policy(&directory, &script, false);
        assert!(!authority.submit("web1", text.as_bytes(), &Actor::default()).unwrap());
        assert!(authority.signed("web1").unwrap().is_none());
    }
}

#[test]
fn names_of_the_server_are_not_handed_out() {
    let harness = Harness::new("autosign = true\nallow_duplicate_certs = true", |directory| {
        directory
            .write("puppetserver/conf.d/ca.conf", "certificate-authority: { allow-subject-alt-names: true }");
    });
    let authority = |harness: &Harness| harness.server().authority.as_ref().unwrap().now().layout.clone();
    let own = text_of(&authority(&harness).signed_of("localhost"));
    for name in ["localhost", "puppet"] {
        assert_eq!(put(&harness, name, &request(name, Vec::new()).1).status, 200);
    }
    for (node, alt) in [("a1", "puppet"), ("a2", "LOCALHOST"), ("a3", "Puppet."), ("a4", "DNS:localhost")] {
        let names = alt_names_extension(vec![alt_name("other").unwrap(), alt_name(alt).unwrap()]).unwrap();
        assert_eq!(put(&harness, node, &request(node, vec![names]).1).status, 200);
        assert!(!authority(&harness).signed_of(node).exists(), "{alt}");
    }
    assert_eq!(text_of(&authority(&harness).signed_of("localhost")), own);
    assert!(!authority(&harness).signed_of("puppet").exists());
    // A person may grant it, for a second server for example.
    let status = "/puppet-ca/v1/certificate_status/a1";
    assert_eq!(harness.admin().send("PUT", status, &[], b"{\"desired_state\":\"signed\"}").status, 204);
    let names = alt_names_extension(vec![alt_name("www").unwrap()]).unwrap();
    assert_eq!(put(&harness, "a5", &request("a5", vec![names]).1).status, 200);
    assert!(authority(&harness).signed_of("a5").exists());
}

#[test]
fn no_certificate_outlives_the_authority() {
    let directory = Directory::new();
    let years = |years: u64| Duration::from_secs(years * 365 * 24 * 60 * 60);
    let mut authority = setup::make(&Layout::at(directory.0.join("ca")), practice(), "ca").unwrap();
    let end = authority.certificate().not_after();
    let options = |lifetime| CertificateOptions { lifetime, ..CertificateOptions::default() };
    for lifetime in [years(16), Duration::MAX, Duration::from_secs(u64::MAX / 2)] {
        let refused = authority.generate("a1", &options(Some(lifetime))).unwrap_err();
        assert!(refused.to_string().contains("would outlive that of the authority"), "{refused}");
        authority.practice.lifetime = Some(lifetime);
        assert!(authority.generate("a1", &options(None)).is_err());
    }
    assert!(!authority.layout.signed_of("a1").exists());
    assert!(authority.generate("a1", &options(Some(years(14)))).unwrap().1.not_after() < end);
    assert_eq!(authority.next_serial().unwrap().to_string(), "2", "a refusal takes no number");
}

#[test]
fn an_invalid_validity_is_refused() {
    let harness = Harness::new("autosign = false", |_| {});
    assert_eq!(put(&harness, "web1", &request("web1", Vec::new()).1).status, 200);
    let admin = harness.admin();
    let status = "/puppet-ca/v1/certificate_status/web1";
    let sign = |ttl: &str| {
        let body = format!("{{\"desired_state\":\"signed\",\"cert_ttl\":{ttl}}}");
        admin.send("PUT", status, &[], body.as_bytes()).status
    };
    for ttl in [
        "0",
        "-1",
        "1.5",
        "1e400",
        "\"\"",
        "\"soon\"",
        "\"-5d\"",
        "\"0s\"",
        "true",
        "[]",
        "{}",
        "\"5w\"",
        "18446744073709551615",
        "99999999999999999999999",
        "\"999999y\"",
        "\"16y\"",
    ] {
        assert_eq!(sign(ttl), 400, "{ttl}");
    }
    assert_eq!(admin.get(status).json()["state"], "requested");
    assert_eq!(sign("\"90d\""), 204);
}

#[test]
fn long_names_are_refused_before_they_become_files() {
    let harness = Harness::new("autosign = true", |_| {});
    for length in [250, 251, 255, 256, 300] {
        let name = "n".repeat(length);
        let expected = if length <= 250 { 200 } else { 400 };
        assert_eq!(put(&harness, &name, &request(&name, Vec::new()).1).status, expected, "{length}");
    }
}

#[test]
fn requests_are_for_the_owner_of_the_directory() {
    let harness = Harness::new("autosign = false", |_| {});
    put(&harness, "web1", &request("web1", Vec::new()).1);
    let layout = harness.server().authority.as_ref().unwrap().now().layout.clone();
    let mode = std::fs::metadata(layout.request_of("web1")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn every_decision_is_in_the_audit_log() {
    let harness = Harness::new("autosign = false", |directory| {
        directory.write("puppetserver/conf.d/ca.conf", "certificate-authority: { allow-auto-renewal: true }");
    });
    let admin = harness.admin();
    let (key, text) = request("web1", Vec::new());
    put(&harness, "web1", &text);
    put(&harness, "web1", &text);
    let status = "/puppet-ca/v1/certificate_status/web1";
    let id = [("X-Request-Id", "from-a-proxy.1")];
    assert_eq!(admin.send("PUT", status, &id, b"{\"desired_state\":\"signed\"}").status, 204);
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    let certificate = authority.signed("web1").unwrap().unwrap();
    let serial = certificate.serial();
    let node = harness.client(Some((key, certificate)));
    assert_eq!(node.send("POST", "/puppet-ca/v1/certificate_renewal", &[], b"").status, 200);
    assert_eq!(admin.send("PUT", status, &[], b"{\"desired_state\":\"revoked\"}").status, 204);
    assert_eq!(admin.send("DELETE", status, &[], b"").status, 204);
    let log = text_of(&authority.layout.directory.join("audit.jsonl"));
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_web1: Vec<&Value> = lines.iter().filter(|line| line["node"] == "web1").collect();
    let actions: Vec<&str> = of_web1.iter().filter_map(|line| line["action"].as_str()).collect();
    assert_eq!(actions, ["deny", "sign", "renew", "revoke", "revoke", "delete"]);
    assert!(of_web1[0]["reason"].as_str().unwrap().contains("already has a requested certificate"));
    let signed = of_web1[1];
    assert_eq!(
        (signed["by"].as_str(), signed["client"].as_str(), signed["request"].as_str()),
        (Some("admin"), Some("127.0.0.1"), Some("from-a-proxy.1"))
    );
    assert_eq!(signed["serial"], format!("{serial:04X}"));
    assert_eq!(signed["fingerprint"].as_str().unwrap().len(), 95);
    assert_eq!(of_web1[2]["by"], "web1");
    assert!(of_web1.iter().all(|line| line["time"].is_string() && line["request"].is_string()));

    // What cannot be recorded does not happen.
    let path = authority.layout.directory.join("audit.jsonl");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(harness.directory.0.join("elsewhere"), &path).unwrap();
    let refused = authority.generate("web2", &CertificateOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("cannot write the audit log"), "{refused}");
    assert!(!authority.layout.signed_of("web2").exists() && !harness.directory.0.join("elsewhere").exists());
}

#[test]
fn texts_of_requests_do_not_control_terminals() {
    assert_eq!(printable("a\u{1b}[2J\n\u{202e}b\u{9b}é"), "a\\u{1b}[2J\\n\\u{202e}b\\u{9b}é");
}
