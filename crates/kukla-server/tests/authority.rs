//! The authority over the wire and on the disk.

#![allow(clippy::disallowed_methods)]

use crate::support::{self, Directory, Harness};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::autosign::Autosign;
use kukla_server::ca::certificate::{Certificate, alt_names_extension, text_extension};
use kukla_server::ca::keys::{Key, KeyKind};
use kukla_server::ca::request::{Request, alt_name};
use kukla_server::ca::{
    Authority, CertificateOptions, Layout, Practice, Refusal, doctor, import, inventory, oids, setup,
};
use serde_json::json;
use std::time::Duration;
use x509_cert::ext::Extension;

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

fn request(name: &str, extensions: Vec<Extension>) -> (Key, String) {
    let key = Key::generate(KeyKind::Ec).unwrap();
    let request = Request::new(name, &key, extensions).unwrap();
    (key, request.to_pem())
}

fn put(harness: &Harness, name: &str, text: &str) -> support::Reply {
    let path = format!("/puppet-ca/v1/certificate_request/{name}");
    harness.stranger().send("PUT", &path, &[("Content-Type", "text/plain")], text.as_bytes())
}

#[test]
fn a_node_asks_waits_and_is_signed() {
    let harness = Harness::new("autosign = false", |_| {});
    let stranger = harness.stranger();
    let bundle = stranger.get("/puppet-ca/v1/certificate/ca");
    assert_eq!((bundle.status, bundle.header("content-type")), (200, Some("text/plain")));
    assert_eq!(bundle.header("x-puppet-version"), Some("8.11.0"));
    assert_eq!(Certificate::all_from_pem(&bundle.body).unwrap().len(), 2);
    let lists = stranger.get("/puppet-ca/v1/certificate_revocation_list/ca");
    assert_eq!(lists.text().matches("BEGIN X509 CRL").count(), 2);
    let later = [("If-Modified-Since", "Mon, 16 Nov 2099 05:57:48 GMT")];
    assert_eq!(stranger.send("GET", "/puppet-ca/v1/certificate_revocation_list/ca", &later, b"").status, 304);

    let missing = stranger.get("/puppet-ca/v1/certificate/web1.example.com");
    assert_eq!(
        (missing.status, missing.text().as_str()),
        (404, "Could not find certificate web1.example.com")
    );
    let (key, text) = request("web1.example.com", Vec::new());
    let asked = put(&harness, "web1.example.com", &text);
    assert_eq!((asked.status, asked.body.len()), (200, 0));
    assert_eq!(stranger.get("/puppet-ca/v1/certificate_request/web1.example.com").text(), text);
    let again = put(&harness, "web1.example.com", &text);
    assert_eq!(again.status, 400);
    assert_eq!(
        again.text(),
        "web1.example.com already has a requested certificate; ignoring certificate request"
    );

    let admin = harness.admin();
    let waiting = admin.get("/puppet-ca/v1/certificate_statuses/any_key?state=requested").json();
    assert_eq!(
        (waiting[0]["name"].as_str(), waiting[0]["state"].as_str()),
        (Some("web1.example.com"), Some("requested"))
    );
    let status = "/puppet-ca/v1/certificate_status/web1.example.com";
    assert_eq!(stranger.get(status).status, 403);
    assert_eq!(harness.node("db1").get(status).status, 403);
    assert_eq!(admin.send("PUT", status, &[], b"{\"desired_state\":\"revoked\"}").status, 409);
    for (body, problem) in [
        ("", "Empty request body."),
        ("x", "Request body is not JSON."),
        ("{}", "Missing required parameter \"desired_state\""),
    ] {
        let reply = admin.send("PUT", status, &[], body.as_bytes());
        assert_eq!((reply.status, reply.text().as_str()), (400, problem));
    }
    assert_eq!(admin.send("PUT", status, &[], b"{\"desired_state\":\"signed\"}").status, 204);
    assert_eq!(admin.send("PUT", status, &[], b"{\"desired_state\":\"signed\"}").status, 409);
    let signed = stranger.get("/puppet-ca/v1/certificate/web1.example.com");
    let certificate = Certificate::from_pem(&signed.body).unwrap();
    assert_eq!(certificate.public_key(), &key.public().unwrap());
    let known = admin.get(status).json();
    assert_eq!(
        (known["state"].as_str(), known["subject_alt_names"][0].as_str()),
        (Some("signed"), Some("DNS:web1.example.com"))
    );
    assert!(known["serial_number"].is_u64() && known["not_after"].as_str().unwrap().ends_with("UTC"));
    assert_eq!(
        put(&harness, "web1.example.com", &text).text(),
        "web1.example.com already has a signed certificate; ignoring certificate request"
    );

    // Its certificate is good until it is revoked, on connections that are open and on new ones.
    let client = harness.client(Some((key, certificate)));
    let mut open = client.connect();
    let environments = "/puppet/v3/environments";
    assert_eq!(open.send("GET", environments, &[], b"").unwrap().status, 200);
    assert_eq!(admin.send("PUT", status, &[], b"{\"desired_state\":\"revoked\"}").status, 204);
    assert_eq!(open.send("GET", environments, &[], b"").unwrap().status, 403);
    assert!(client.try_send("GET", environments, &[], b"").is_err());
    assert_eq!(admin.get(status).json()["state"], "revoked");
    assert!(put(&harness, "web1.example.com", &text).text().contains("already has a revoked certificate"));
    assert_eq!(admin.send("DELETE", status, &[], b"").status, 204);
    assert_eq!((admin.send("DELETE", status, &[], b"").status, admin.get(status).status), (404, 404));
    assert_eq!(put(&harness, "web1.example.com", &text).status, 200);
}

#[test]
fn requests_keep_the_rules() {
    let harness = Harness::new("autosign = true", |_| {});
    let name = "web1.example.com";
    let (_, other) = request("other.example.com", Vec::new());
    let refused = put(&harness, name, &other);
    assert_eq!(
        (refused.status, refused.text().as_str()),
        (400, "Instance name \"other.example.com\" does not match requested key \"web1.example.com\"")
    );
    for (name, problem) in [
        ("Web1", "lower case"),
        ("a*b", "wildcard"),
        ("-a", "format is invalid"),
        ("a b", "format is invalid"),
    ] {
        let (_, text) = request(name, Vec::new());
        let refused = put(&harness, &support::encoded(name), &text);
        assert!(refused.status == 400 && refused.text().contains(problem), "{name}: {}", refused.text());
    }
    assert_eq!(put(&harness, name, "nonsense").status, 400);
    let large = "x".repeat(2 << 20);
    assert_eq!(put(&harness, name, &large).status, 413);
    // A request whose signature is somebody else's.
    let (_, good) = request(name, Vec::new());
    let der = Request::from_pem(good.as_bytes()).unwrap().der().to_vec();
    let mut forged = der.clone();
    let last = forged.len() - 1;
    forged[last] ^= 1;
    let forged = kukla_server::ca::keys::pem("CERTIFICATE REQUEST", &forged);
    assert_eq!(
        put(&harness, name, &forged).text(),
        "CSR contains a public key that does not correspond to the signing key"
    );

    let own = alt_names_extension(vec![alt_name(name).unwrap()]).unwrap();
    let role = text_extension(oids::by_name("pp_role").unwrap(), "web").unwrap();
    let (_, text) = request(name, vec![own, role]);
    assert_eq!(put(&harness, name, &text).status, 200);
    let signed = harness.server().authority.as_ref().unwrap().now().signed(name).unwrap().unwrap();
    let extensions = kukla_server::ca::certificate::puppet_extensions(signed.extensions());
    assert_eq!(extensions[0].1, "web");

    let alt = alt_names_extension(vec![alt_name("www.example.com").unwrap()]).unwrap();
    let (_, text) = request("a1", vec![alt]);
    assert!(
        put(&harness, "a1", &text)
            .text()
            .contains("contains extra subject alternative names (DNS:www.example.com), which are disallowed")
    );
    let auth = text_extension(oids::by_name("pp_auth_role").unwrap(), "admin").unwrap();
    let (_, text) = request("a2", vec![auth]);
    assert!(put(&harness, "a2", &text).text().contains("authorization extension, which is disallowed"));
    let constraints = text_extension(oids::by_name("2.5.29.19").unwrap(), "x").unwrap();
    let (_, text) = request("a3", vec![constraints]);
    assert!(put(&harness, "a3", &text).text().contains("Found extensions that are not permitted: 2.5.29.19"));
}

#[test]
fn alternative_names_and_rights_can_be_allowed_but_never_the_management_of_others() {
    let harness = Harness::new("autosign = true", |directory| {
        directory.write(
            "puppetserver/conf.d/ca.conf",
            "certificate-authority: { allow-subject-alt-names: true, allow-authorization-extensions: true }",
        );
    });
    let alt = alt_names_extension(vec![alt_name("www").unwrap(), alt_name("IP:10.0.0.1").unwrap()]).unwrap();
    let (_, text) = request("a1", vec![alt]);
    assert_eq!(put(&harness, "a1", &text).status, 200);
    let status = harness.admin().get("/puppet-ca/v1/certificate_status/a1").json();
    assert_eq!(status["subject_alt_names"], json!(["DNS:a1", "DNS:www", "IP:10.0.0.1"]));
    let wild = alt_names_extension(vec![alt_name("*.example.com").unwrap()]).unwrap();
    let (_, text) = request("a2", vec![wild]);
    assert!(put(&harness, "a2", &text).text().contains("wildcard"));
    let cli = text_extension(oids::CLI_AUTH, "true").unwrap();
    let (_, text) = request("a3", vec![cli]);
    assert!(put(&harness, "a3", &text).text().contains("not permitted"));
}

#[test]
fn a_file_or_a_command_decides_what_is_signed_at_once() {
    let directory = Directory::new();
    let layout = Layout::at(directory.0.join("ca"));
    let list = directory.write("autosign.conf", "# ours\n*.example.com\n");
    let mut authority =
        setup::make(&layout, Practice { autosign: Autosign::File(list), ..practice() }, "ca").unwrap();
    assert!(
        authority
            .submit("a.example.com", request("a.example.com", Vec::new()).1.as_bytes(), &Actor::default())
            .unwrap()
    );
    assert!(
        !authority
            .submit("a.example.org", request("a.example.org", Vec::new()).1.as_bytes(), &Actor::default())
            .unwrap()
    );
    let command =
        directory.write("policy", "#!/bin/sh\ngrep -q 'BEGIN CERTIFICATE REQUEST' && [ \"$1\" = yes ]\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&command, mode).unwrap();
    authority.practice.autosign = Autosign::File(command);
    assert!(authority.submit("yes", request("yes", Vec::new()).1.as_bytes(), &Actor::default()).unwrap());
    assert!(!authority.submit("no", request("no", Vec::new()).1.as_bytes(), &Actor::default()).unwrap());
    assert_eq!(authority.requested().unwrap(), ["a.example.org", "no"]);
}

#[test]
fn nodes_renew_their_certificates() {
    let harness = Harness::new("", |directory| {
        directory.write(
            "puppetserver/conf.d/ca.conf",
            "certificate-authority: { allow-auto-renewal: true, auto-renewal-cert-ttl: \"60d\" }",
        );
    });
    let client = harness.node_with(
        "web1",
        &CertificateOptions {
            extensions: vec![("pp_role".into(), "web".into())],
            ..CertificateOptions::default()
        },
    );
    let renewed = client.send("POST", "/puppet-ca/v1/certificate_renewal", &[], b"");
    assert_eq!(renewed.status, 200, "{}", renewed.text());
    let certificate = Certificate::from_pem(&renewed.body).unwrap();
    assert_eq!(certificate.common_name().as_deref(), Some("web1"));
    assert_eq!(kukla_server::ca::certificate::puppet_extensions(certificate.extensions())[0].1, "web");
    let left = certificate.not_after().duration_since(kukla_server::ca::time::now()).unwrap();
    assert!(left <= Duration::from_secs(60 * 24 * 60 * 60));
    assert_eq!(harness.stranger().send("POST", "/puppet-ca/v1/certificate_renewal", &[], b"").status, 403);
    let without = Harness::new("", |_| {});
    assert_eq!(without.node("web1").send("POST", "/puppet-ca/v1/certificate_renewal", &[], b"").status, 404);
}

#[test]
fn many_are_signed_and_cleaned_at_once() {
    let harness = Harness::new("autosign = false", |_| {});
    let admin = harness.admin();
    for name in ["a1", "a2"] {
        assert_eq!(put(&harness, name, &request(name, Vec::new()).1).status, 200);
    }
    let signed = admin.send("POST", "/puppet-ca/v1/sign", &[], br#"{"certnames": ["a1", "a9"]}"#).json();
    assert_eq!(signed, json!({"signed": ["a1"], "no-csr": ["a9"], "signing-errors": []}));
    assert_eq!(admin.send("POST", "/puppet-ca/v1/sign/all", &[], b"").json()["signed"], json!(["a2"]));
    assert_eq!(admin.send("POST", "/puppet-ca/v1/sign", &[], b"{}").status, 422);
    let cleaned = admin.send("PUT", "/puppet-ca/v1/clean", &[], br#"{"certnames": ["a1", "a9"]}"#);
    assert_eq!(
        (cleaned.status, cleaned.text().as_str()),
        (200, "The following certs do not exist and cannot be revoked: [\"a9\"]")
    );
    assert_eq!(admin.get("/puppet-ca/v1/certificate_status/a1").status, 404);
    let ends = admin.get("/puppet-ca/v1/expirations").json();
    assert_eq!(ends["ca-certs"].as_object().unwrap().len(), 2);
    assert!(ends["crls"]["Puppet CA: localhost"].as_str().unwrap().ends_with("UTC"));
}

#[test]
fn an_authority_is_brought_in_and_examined() {
    let directory = Directory::new();
    let made = setup::make(&Layout::at(directory.0.join("a")), practice(), "there").unwrap();
    let read = |name: &str| std::fs::read(directory.0.join("a").join(name)).unwrap();
    let (certificates, key, lists) = (read("ca_crt.pem"), read("ca_key.pem"), read("ca_crl.pem"));
    let files = import::AuthorityFiles { certificates: &certificates, key: &key, lists: &lists };
    let layout = Layout::at(directory.0.join("b"));
    let authority = import::import(&layout, practice(), files).unwrap();
    assert_eq!(authority.certificate().der(), made.certificate().der());
    assert!(matches!(import::import(&layout, practice(), files), Err(Refusal::Rule(_))));
    let leaf = made.chain()[0].to_pem();
    let partial = import::AuthorityFiles { certificates: leaf.as_bytes(), ..files };
    let refused = import::import(&Layout::at(directory.0.join("c")), practice(), partial).unwrap_err();
    assert!(refused.to_string().contains("the issuer of 'Puppet CA: there' is missing"), "{refused}");
    let other = setup::make(&Layout::at(directory.0.join("other")), practice(), "other").unwrap();
    let more = [&certificates[..], other.chain()[1].to_pem().as_bytes()].concat();
    let foreign = import::AuthorityFiles { certificates: &more, ..files };
    let refused = import::import(&Layout::at(directory.0.join("c")), practice(), foreign).unwrap_err();
    assert!(
        refused.to_string().starts_with("the private key belongs neither to 'Puppet Root CA"),
        "{refused}"
    );
    assert!(!directory.0.join("c").exists());
    assert!(
        other.generate("ca", &CertificateOptions::default()).is_err(),
        "agents ask for the authority by this name"
    );

    authority
        .generate(
            "web1",
            &CertificateOptions { lifetime: Some(Duration::from_secs(60)), ..CertificateOptions::default() },
        )
        .unwrap();
    let findings = |grade| {
        let all = doctor::examine(&authority, None).unwrap();
        all.into_iter().filter(|each| each.grade == grade).map(|each| each.text).collect::<Vec<_>>()
    };
    assert_eq!(findings(doctor::Grade::Wrong), [""; 0]);
    assert_eq!(findings(doctor::Grade::Soon), ["certificates that expire within 30 days: web1"]);
    std::fs::write(&layout.serial, "0001").unwrap();
    std::fs::set_permissions(&layout.key, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let wrong = findings(doctor::Grade::Wrong);
    assert!(
        wrong[0].contains("can be read by everyone (mode 0644)") && wrong[1].contains("is already used"),
        "{wrong:?}"
    );
}

#[test]
fn numbers_are_given_once_whoever_signs() {
    let directory = Directory::new();
    let layout = Layout::at(directory.0.join("ca"));
    setup::make(&layout, practice(), "ca").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let layout = layout.clone();
            scope.spawn(move || {
                // Each has its own authority, as each process would.
                let authority = Authority::open(layout, practice()).unwrap();
                for number in 0..10 {
                    authority
                        .generate(&format!("n{thread}-{number}"), &CertificateOptions::default())
                        .unwrap();
                }
            });
        }
    });
    let mut serials: Vec<_> =
        inventory::read(&layout.inventory).unwrap().into_iter().map(|entry| entry.serial).collect();
    serials.sort();
    let before = serials.len();
    serials.dedup();
    assert_eq!((before, serials.len()), (40, 40));
}

#[test]
fn what_openssl_makes_is_taken_over() {
    let directory = Directory::new();
    let there = std::process::Command::new("openssl").arg("version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        return;
    }
    let script = "set -e
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca_key.pem -out ca_crt.pem -days 30 -subj '/CN=Puppet CA: old' -addext 'keyUsage=critical,keyCertSign,cRLSign' 2> /dev/null
        openssl rsa -in ca_key.pem -traditional -out pkcs1.pem 2> /dev/null
        mv pkcs1.pem ca_key.pem
        openssl req -new -newkey rsa:2048 -nodes -keyout node_key.pem -out node.pem -subj '/CN=node1' 2> /dev/null
        echo 002A > serial
        echo '0x0029 2026-11-15T05:27:16UTC 2031-11-15T05:27:16UTC /CN=old1' > inventory.txt
        touch index; openssl ca -gencrl -keyfile ca_key.pem -cert ca_crt.pem -out ca_crl.pem -crldays 20 -md sha256 -config /dev/stdin 2> /dev/null << END
[ca]
default_ca = own
[own]
database = index
crl_extensions = ext
[ext]
authorityKeyIdentifier = keyid
END
        mkdir signed requests";
    let made = std::process::Command::new("sh").arg("-c").arg(script).current_dir(&directory.0).status();
    assert!(made.unwrap().success());
    assert!(
        std::fs::read_to_string(directory.0.join("ca_key.pem")).unwrap().contains("BEGIN RSA PRIVATE KEY")
    );
    let authority = Authority::open(Layout::at(&directory.0), practice()).unwrap();
    assert!(authority.refresh_crl().unwrap());
    let text = std::fs::read(directory.0.join("node.pem")).unwrap();
    assert!(!authority.submit("node1", &text, &Actor::default()).unwrap());
    let certificate = authority.sign("node1", None, &Actor::default()).unwrap();
    assert_eq!(certificate.serial(), 0x2a_u32.into());
    assert_eq!(authority.revoke(&["old1".to_owned(), "node1".to_owned()], &Actor::default()).unwrap(), 2);
    assert_eq!(std::fs::read_to_string(directory.0.join("serial")).unwrap(), "002B");
    let verify = |file: &str, more: &[&str]| {
        let mut command = std::process::Command::new("openssl");
        command.args(["verify", "-CAfile", "ca_crt.pem"]).args(more).arg(file).current_dir(&directory.0);
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(verify("signed/node1.pem", &[]).0);
    let (good, printed) = verify("signed/node1.pem", &["-crl_check", "-CRLfile", "ca_crl.pem"]);
    assert!(!good && printed.contains("revoked"), "{printed}");
}
