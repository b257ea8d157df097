//! The signing policy of `kukla.toml`: rules, tokens and limits.

#![allow(clippy::disallowed_methods)]

use std::net::IpAddr;
use std::time::Duration;

use crate::support::{Directory, Harness, Reply, text_of};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::autosign::Autosign;
use kukla_server::ca::certificate::{named, text_extension};
use kukla_server::ca::keys::{Key, KeyKind};
use kukla_server::ca::pending::RequestLimits;
use kukla_server::ca::request::Request;
use kukla_server::ca::signing::NamePattern;
use kukla_server::ca::{Authority, Layout, Practice, Refusal, oids, setup, time};
use x509_cert::ext::Extension;

fn request(name: &str, extensions: Vec<Extension>, password: Option<&str>) -> String {
    let key = Key::generate(KeyKind::Ec).unwrap();
    Request::with_password(named(name).unwrap(), &key, extensions, password).unwrap().to_pem()
}

fn role(value: &str) -> Vec<Extension> {
    vec![text_extension(oids::by_name("pp_role").unwrap(), value).unwrap()]
}

fn put(harness: &Harness, name: &str, text: &str) -> Reply {
    let path = format!("/puppet-ca/v1/certificate_request/{name}");
    harness.stranger().send("PUT", &path, &[("Content-Type", "text/plain")], text.as_bytes())
}

fn with_policy(settings: &str, policy: &str) -> Harness {
    Harness::new(settings, |directory| {
        directory.write("puppet/kukla.toml", policy);
    })
}

#[test]
fn the_first_rule_for_a_name_decides() {
    let harness = with_policy(
        "autosign = true",
        "[ca.signing]\nreserved = ['web0']\n
         [[ca.signing.rules]]\nnames = ['web*']\nextensions = { pp_role = ['web', 'cache'] }\nttl = '30d'\n
         [[ca.signing.rules]]\nnames = ['db*']\naction = 'wait'\n
         [[ca.signing.rules]]\nnames = ['**.evil.example']\naction = 'refuse'\n",
    );
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    for (name, extensions, status, is_signed) in [
        ("web1", role("web"), 200, true),
        ("web2", role("cache"), 200, true),
        ("web3", role("admin"), 200, false),
        ("web4", Vec::new(), 200, false),
        ("web0", role("web"), 200, false),
        ("db1", role("web"), 200, false),
        ("a.evil.example", Vec::new(), 400, false),
        // No rule is for it, so Puppet's setting decides.
        ("other", Vec::new(), 200, true),
    ] {
        let reply = put(&harness, name, &request(name, extensions, None));
        assert_eq!(reply.status, status, "{name}: {}", reply.text());
        assert_eq!(authority.signed(name).unwrap().is_some(), is_signed, "{name}");
        assert_eq!(authority.request(name).is_ok(), status == 200 && !is_signed, "{name}");
    }
    let days = |name: &str| {
        let end = authority.signed(name).unwrap().unwrap().not_after();
        end.duration_since(time::now()).unwrap().as_secs() / (24 * 60 * 60)
    };
    assert!((29..=30).contains(&days("web1")) && days("other") > 1_000);
    // A person may sign what waits, for as long as the rule says.
    authority.sign("web3", None, &Actor::default()).unwrap();
    assert!((29..=30).contains(&days("web3")));
}

#[test]
fn a_token_is_good_for_one_certificate() {
    let rule = "[[ca.signing.rules]]\nnames = ['**']\ntoken = true\n";
    let harness = with_policy("autosign = true", rule);
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    let by = Actor::default();
    let any = NamePattern::parse("**").unwrap();
    let hour = Duration::from_secs(60 * 60);
    let (token, secret) = authority.create_token(&any, hour, &by).unwrap();
    assert_eq!(authority.tokens().unwrap(), std::slice::from_ref(&token));
    let stored = authority.layout.directory.join("tokens");
    for entry in std::fs::read_dir(&stored).unwrap().flatten() {
        assert!(!text_of(&entry.path()).contains(&secret), "only a digest is stored");
        assert!(!entry.file_name().to_string_lossy().contains(&secret));
    }
    let submit =
        |name: &str, password: Option<&str>| put(&harness, name, &request(name, Vec::new(), password)).status;
    assert_eq!(submit("a1", None), 200);
    assert!(authority.signed("a1").unwrap().is_none(), "without a token it waits");
    assert_eq!(submit("a2", Some("wrong")), 400);
    assert_eq!(submit("a3", Some(&secret)), 200);
    assert!(authority.signed("a3").unwrap().is_some());
    assert_eq!(submit("a4", Some(&secret)), 400);
    assert!(authority.signed("a4").unwrap().is_none() && authority.tokens().unwrap().is_empty());

    let (_, for_web) = authority.create_token(&NamePattern::parse("web*").unwrap(), hour, &by).unwrap();
    assert_eq!((submit("db1", Some(&for_web)), submit("web1", Some(&for_web))), (400, 200));
    let (expired, secret) = authority.create_token(&any, Duration::ZERO, &by).unwrap();
    assert_eq!(submit("a5", Some(&secret)), 400);
    assert!(authority.revoke_token(&expired.id, &by).is_err(), "expired tokens are gone");
    let (revoked, secret) = authority.create_token(&any, hour, &by).unwrap();
    authority.revoke_token(&revoked.id, &by).unwrap();
    assert_eq!(submit("a6", Some(&secret)), 400);
    assert!(matches!(authority.create_token(&any, Duration::MAX, &by), Err(Refusal::Rule(_))));
    let log = text_of(&authority.layout.directory.join("audit.jsonl"));
    assert!(!log.contains(&secret) && log.contains(&format!("revoked token {}", revoked.id)));
}

#[test]
fn of_many_requests_with_one_token_one_is_signed() {
    let harness = with_policy("", "[[ca.signing.rules]]\nnames = ['**']\ntoken = true\n");
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    let (_, secret) = authority
        .create_token(&NamePattern::parse("**").unwrap(), Duration::from_secs(60), &Actor::default())
        .unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (harness, secret) = (&harness, &secret);
            scope.spawn(move || {
                let name = format!("n{number}");
                put(harness, &name, &request(&name, Vec::new(), Some(secret)));
            });
        }
    });
    let signed = authority.issued().unwrap().into_iter().filter(|name| name.starts_with('n')).count();
    assert_eq!(signed, 1);
}

#[test]
fn requests_with_a_password_are_not_shown_to_strangers() {
    let harness = Harness::new("autosign = false", |_| {});
    put(&harness, "a1", &request("a1", Vec::new(), Some("shared")));
    put(&harness, "a2", &request("a2", Vec::new(), None));
    let path = |name: &str| format!("/puppet-ca/v1/certificate_request/{name}");
    assert_eq!(harness.stranger().get(&path("a1")).status, 403);
    assert_eq!(harness.stranger().get(&path("a2")).status, 200);
    assert_eq!(harness.admin().get(&path("a1")).status, 200);
}

#[test]
fn one_address_can_send_and_leave_only_so_many_requests() {
    let harness = with_policy("autosign = false", "[ca]\nrequests-per-minute = 6\npending-per-peer = 4\n");
    let statuses: Vec<u16> = (0..8)
        .map(|number| {
            let name = format!("n{number}");
            put(&harness, &name, &request(&name, Vec::new(), None)).status
        })
        .collect();
    assert_eq!(statuses, [200, 200, 200, 200, 429, 429, 429, 429]);
    let refused = put(&harness, "n9", &request("n9", Vec::new(), None));
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert!(refused.text().contains("within a minute"), "{}", refused.text());

    let directory = Directory::new();
    let limits = RequestLimits { per_minute: 100, pending_per_peer: 2, pending: 3 };
    let practice = Practice { keys: KeyKind::Ec, limits, ..Practice::default() };
    let authority = setup::make(&Layout::at(directory.0.join("ca")), practice, "ca").unwrap();
    let submit = |name: &str, address: [u8; 4]| {
        let by = Actor { address: Some(IpAddr::from(address)), ..Actor::default() };
        authority.submit(name, request(name, Vec::new(), None).as_bytes(), &by)
    };
    assert!(submit("a1", [10, 0, 0, 1]).is_ok() && submit("a2", [10, 0, 0, 1]).is_ok());
    assert!(matches!(submit("a3", [10, 0, 0, 1]), Err(Refusal::Busy(_))));
    assert!(submit("a3", [10, 0, 0, 2]).is_ok());
    assert!(matches!(submit("a4", [10, 0, 0, 3]), Err(Refusal::Busy(_))), "all together");
    authority.sign("a1", None, &Actor::default()).unwrap();
    assert!(submit("a4", [10, 0, 0, 1]).is_ok(), "what is signed does not count");
}

#[test]
fn a_judgement_that_a_crash_interrupted_is_resumed() {
    let directory = Directory::new();
    let layout = Layout::at(directory.0.join("ca"));
    let practice = |autosign| Practice { keys: KeyKind::Ec, autosign, ..Practice::default() };
    let authority = setup::make(&layout, practice(Autosign::Never), "ca").unwrap();
    for name in ["waits", "interrupted"] {
        let text = request(name, Vec::new(), None);
        assert!(!authority.submit(name, text.as_bytes(), &Actor::default()).unwrap());
    }
    // As a process leaves it that is killed while it judges.
    let note = layout.directory.join("pending/interrupted.json");
    std::fs::write(&note, text_of(&note).replace("true", "false")).unwrap();
    std::fs::write(layout.directory.join("pending/gone.json"), "{}").unwrap();
    let authority = Authority::open(layout.clone(), practice(Autosign::Always)).unwrap();
    assert_eq!(authority.resume_judgements().unwrap(), 1);
    assert!(
        authority.signed("interrupted").unwrap().is_some() && authority.signed("waits").unwrap().is_none()
    );
    assert_eq!(authority.resume_judgements().unwrap(), 0);
    assert!(!layout.directory.join("pending/gone.json").exists() && !note.exists());
}
