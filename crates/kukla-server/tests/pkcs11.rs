//! The key of an authority in a token: SoftHSM, which is a token without hardware.
//!
//!     cargo test --profile quick -p kukla-server --features pkcs11 pkcs11

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Directory;
use kukla_server::ca::audit::Actor;
use kukla_server::ca::keys::{Key, KeyKind, is_signed_by};
use kukla_server::ca::setup::{self, NewAuthority};
use kukla_server::ca::token_uri::TokenUri;
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice};

const DIRECTORY: &str = "KUKLA_TEST_TOKEN";
const MODULES: [&str; 2] = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so"];

fn module() -> Option<&'static str> {
    MODULES.into_iter().find(|path| Path::new(path).exists())
}

fn uri(object: &str, pin: &Path) -> TokenUri {
    let module = module().unwrap();
    let text =
        format!("pkcs11:token=The%20CA;object={object}?module-path={module}&pin-source={}", pin.display());
    TokenUri::parse(&text).unwrap()
}

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

/// The module reads the place of its tokens from the environment, so the test is a process of its own.
#[test]
fn the_key_of_an_authority_is_in_a_token() {
    if module().is_none() || Command::new("softhsm2-util").arg("--version").output().is_err() {
        return kukla_testing::skip("kukla-server/pkcs11", "SoftHSM is not installed");
    }
    let directory = Directory::new();
    let tokens = directory.0.join("tokens");
    std::fs::create_dir(&tokens).unwrap();
    let conf = directory.write("softhsm2.conf", format!("directories.tokendir = {}\n", tokens.display()));
    directory.write("pin", "1234\n");
    let init = ["--init-token", "--free", "--label", "The CA", "--pin", "1234", "--so-pin", "5678"];
    let made = Command::new("softhsm2-util").args(init).env("SOFTHSM2_CONF", &conf).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let tested = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pkcs11::signs_with_a_token", "--nocapture"])
        .env("SOFTHSM2_CONF", &conf)
        .env(DIRECTORY, &directory.0)
        .output()
        .unwrap();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
}

/// Not a test of its own: the process with the environment of the module.
#[test]
fn signs_with_a_token() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let pin = directory.join("pin");
    for (object, kind) in [("ec", KeyKind::Ec), ("rsa", KeyKind::Rsa(2048))] {
        assert!(Key::in_token(&uri(object, &pin), None).is_err(), "there is no key yet");
        let key = Key::in_token(&uri(object, &pin), Some(kind)).unwrap();
        let again = Key::from_pem(key.to_pem().as_bytes()).unwrap();
        assert_eq!(again.public().unwrap(), key.public().unwrap());
        for message in 0..50_u8 {
            let signature = again.sign(&[message]).unwrap();
            let (public, algorithm) = (key.public().unwrap(), key.algorithm().unwrap());
            assert!(is_signed_by(&public, &algorithm, &[message], &signature), "{object} {message}");
        }
    }

    let layout = Layout::at(directory.join("ca"));
    let choice = NewAuthority { token: Some(uri("signing", &pin)), ..NewAuthority::default() };
    setup::make_as(&choice, &layout, practice(), "ca").unwrap();
    let file = std::fs::read_to_string(&layout.key).unwrap();
    assert!(file.starts_with("pkcs11:") && !file.contains("PRIVATE"), "{file}");
    let authority = Authority::open(layout.clone(), practice()).unwrap();
    let (_, node) = authority.generate("web1", &CertificateOptions::default()).unwrap();
    assert!(authority.certificate().has_signed(&node));
    authority.revoke(&["web1".to_owned()], &Actor::local()).unwrap();
    assert!(authority.is_revoked(&node.serial()).unwrap());

    // A rotation leads from one key of the token to another.
    authority
        .replace_key(|| Key::in_token(&uri("signing2", &pin), Some(KeyKind::Ec)), &Actor::local())
        .unwrap();
    let authority = Authority::open(layout.clone(), practice()).unwrap();
    assert!(authority.has_former_issuers());
    let (_, node) = authority.generate("web2", &CertificateOptions::default()).unwrap();
    assert!(authority.certificate().has_signed(&node));

    for (text, reason) in [
        (uri("signing", &pin).as_str().replace("The%20CA", "Another"), "token not found 'Another'"),
        (uri("nothing", &pin).as_str().to_owned(), "no such private key"),
        (
            uri("signing", &pin).as_str().replace(module().unwrap(), "/nowhere.so"),
            "cannot load the PKCS#11 module",
        ),
    ] {
        let problem = Key::from_pem(text.as_bytes()).unwrap_err().to_string();
        assert!(problem.contains(reason), "{problem}");
    }
}
