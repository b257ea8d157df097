//! Encrypted data from the file to the catalog, and that nothing else shows it. The key pair and the blocks were made with
//! OpenSSL for this test.

use kukla::provenance;
use kukla::{Compiler, LookupContext};
use kukla_eval::data;
use kukla_values::Value;
use serde_json::json;

use crate::common::Site;

const KEY: &str = include_str!("secrets/private_key.pem");
const OTHER_KEY: &str = include_str!("secrets/other_key.pem");
const DATA: &str = include_str!("secrets/data.eyaml");
const PASSWORD: &str = "correct horse";

fn site(name: &str, key: Option<&str>, manifest: &str) -> Site {
    let site = Site::new(
        name,
        &[
            ("data/common.eyaml", DATA),
            ("data/options.yaml", "lookup_options: {password: {convert_to: Sensitive}}\n"),
            ("manifests/site.pp", manifest),
        ],
    );
    let path = site.root().join("keys/private_key.pem");
    if let Some(key) = key {
        site.put("keys/private_key.pem", key);
    }
    let hierarchy = format!(
        "version: 5\nhierarchy:\n- name: Secrets\n  lookup_key: eyaml_lookup_key\n  path: common.eyaml\n  options: {{pkcs7_private_key: {}}}\n- name: \"%{{facts.role}}\"\n  path: \"%{{facts.role}}.yaml\"\n",
        path.display()
    );
    site.put("hiera.yaml", &hierarchy);
    site
}

fn lookup(site: &Site, role: &str, key: &str) -> (Result<Value, String>, String) {
    let request = site.request("web1", role);
    let site = Compiler::default().open(&request.site).expect("a site");
    let wanted = data::LookupRequest { keys: vec![key.into()], ..data::LookupRequest::default() };
    let answer = site
        .lookup_explained(&request.node, &wanted, LookupContext::Manifest)
        .result
        .expect("the site evaluates");
    let explanation = answer.explanation.map(|explanation| explanation.text()).unwrap_or_default();
    (answer.found.map(|found| found.value).map_err(|failure| failure.puppet_message()), explanation)
}

#[test]
fn values_are_decrypted_wherever_they_stand() {
    let site = site("secrets-values", Some(KEY), "");
    let value = |key: &str| lookup(&site, "web", key).0;
    assert_eq!(value("plain"), Ok("not encrypted".into()));
    assert_eq!(value("password"), Ok(PASSWORD.into()));
    assert_eq!(value("url"), Ok("https://admin:battery staple@web.example.com/".into()));
    assert_eq!(value("nested.users.0.password"), Ok(PASSWORD.into()));
    assert_eq!(value("reference"), Ok(PASSWORD.into()));
}

#[test]
fn a_block_is_opened_once_for_all_nodes() {
    let manifest = "$all = [lookup('password'), lookup('url'), lookup('nested'), lookup('reference')]\n";
    let site = site("secrets-once", Some(KEY), manifest);
    let compiler = Compiler::default();
    for n in 0..20 {
        site.compile(&compiler, &format!("n{n}"), "web").result.expect("compiles");
    }
    let opened = compiler.open(&site.request("n0", "web").site).expect("a site").data.openings();
    // The password is in the data twice, encrypted twice.
    assert_eq!(opened, 3);
}

#[test]
fn what_cannot_be_decrypted_is_said_without_the_block() {
    let good = site("secrets-good", Some(KEY), "");
    let missing = site("secrets-missing", None, "");
    let wrong = site("secrets-wrong", Some(OTHER_KEY), "");
    let broken = site("secrets-broken", Some("no key"), "");
    for (site, key, wanted) in [
        (&good, "damaged", "not a PKCS7 envelope"),
        (&good, "unknown", "encryption method GPG is not known, only PKCS7 is"),
        (&missing, "password", "cannot be read; set pkcs7_private_key under 'options' of this level"),
        (&wrong, "password", "the block was encrypted for another key"),
        (&broken, "password", "the private key is not an RSA key in PEM form"),
    ] {
        let message = lookup(site, "web", key).0.expect_err("no value");
        let start = format!("hiera-eyaml backend error decrypting ENC[...] when looking up {key} in ");
        assert!(message.starts_with(&start) && message.contains(wanted), "{message}");
        // Other keys of the same file are none the worse.
        assert_eq!(lookup(site, "web", "plain").0, Ok("not encrypted".into()));
    }
}

#[test]
fn nothing_reveals_a_secret() {
    let site = site("secrets-hidden", Some(KEY), "");
    for key in ["password", "reference", "nested", "url"] {
        for role in ["web", "options"] {
            let explanation = lookup(&site, role, key).1;
            assert!(explanation.contains("Found key"), "{explanation}");
            assert!(!explanation.contains("horse") && !explanation.contains("staple"), "{explanation}");
        }
    }
    for manifest in [
        "fail(\"it is ${lookup('password')}\")",
        "Integer(lookup('reference'))",
        "Enum['a'] $x = lookup('password')",
        "lookup('nested')['users'][0]['password'] + 1",
        "notice(lookup('url')) warning(lookup('password'))",
    ] {
        site.put("manifests/site.pp", manifest);
        let outcome = site.compile(&Compiler::default(), "web1", "web");
        let mut messages: Vec<String> = outcome.logs.into_iter().map(|log| log.message).collect();
        messages.extend(outcome.result.err().map(|failure| format!("{failure:?}")));
        assert!(!messages.is_empty(), "{manifest}");
        assert!(
            messages.iter().all(|text| !text.contains("horse") && !text.contains("staple")),
            "{messages:?}"
        );
    }
}

#[test]
fn provenance_names_the_place_and_not_the_secret() {
    let manifest = "$secret = lookup('password')\nnotify { 'it': message => \"is ${secret}\" }\n";
    let site = site("secrets-provenance", Some(KEY), manifest);
    let (_, all) = site.traced("web1", "web");
    let notify = all.iter().find(|one| one.title == "it").expect("the resource");
    let (_, trail) = notify.parameters.iter().find(|(name, _)| name == "message").expect("the message");
    let trail = trail.as_ref().expect("a trail");
    assert!(provenance::is_secret(trail));
    let chain = site.relative(&provenance::chain(Some(trail), &str::to_owned));
    assert!(chain.contains("data: key password in data/common.eyaml:2"), "{chain}");
    let document = provenance::document("web1", &all);
    assert!(!format!("{chain}{document}").contains("horse"));
    assert_eq!(document["node"], json!("web1"));
}
