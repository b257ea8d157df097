//! Envelopes made by the real OpenSSL: set `KUKLA_RUBY` to a Ruby interpreter to run this.
#![allow(clippy::disallowed_methods, reason = "tests ask the environment for the reference")]

use std::process::Command;

use kukla_hiera::eyaml::{Key, Piece, pieces};

#[test]
fn opens_what_openssl_closed() {
    let Ok(ruby) = std::env::var("KUKLA_RUBY") else {
        eprintln!("skipped: KUKLA_RUBY names no Ruby interpreter to make envelopes with");
        return;
    };
    let program = r#"
        key = OpenSSL::PKey::RSA.new(2048)
        cert = OpenSSL::X509::Certificate.new
        cert.subject = cert.issuer = OpenSSL::X509::Name.parse('/')
        cert.not_before = Time.now; cert.not_after = Time.now + 3600
        cert.public_key = key.public_key; cert.serial = 0; cert.version = 2
        cert.sign(key, OpenSSL::Digest.new('SHA256'))
        puts [key.to_pem].pack('m0'), [key.private_to_pem].pack('m0')
        %w[AES-256-CBC AES-128-CBC DES-EDE3-CBC].each { |cipher|
          p7 = OpenSSL::PKCS7.encrypt([cert], "s\u00e9cret #{cipher}", OpenSSL::Cipher.new(cipher), OpenSSL::PKCS7::BINARY)
          puts "before ENC[PKCS7,#{[p7.to_der].pack('m0')}] after"
        }"#;
    let output =
        Command::new(ruby).args(["-ropenssl", "-e", program]).output().expect("the reference starts");
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = output.lines();
    let unpack = "print $stdin.read.unpack1('m')";
    let mut keys = Vec::new();
    for _ in 0..2 {
        let mut child = Command::new(std::env::var("KUKLA_RUBY").expect("set"))
            .args(["-e", unpack])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the reference starts");
        std::io::Write::write_all(
            &mut child.stdin.take().expect("a pipe"),
            lines.next().expect("a key").as_bytes(),
        )
        .expect("written");
        keys.push(String::from_utf8(child.wait_with_output().expect("an answer").stdout).expect("PEM"));
    }
    let ciphers = ["AES-256-CBC", "AES-128-CBC", "DES-EDE3-CBC"];
    for (line, cipher) in lines.zip(ciphers) {
        let pieces = pieces(line);
        let [Piece::Plain("before "), Piece::Encrypted(Some("PKCS7"), block), Piece::Plain(" after")] =
            pieces[..]
        else {
            panic!("{pieces:?}");
        };
        for pem in &keys {
            let key = Key::from_pem(pem).expect("a key");
            assert_eq!(key.open(block).as_deref(), Ok(format!("sécret {cipher}").as_str()));
        }
    }
}
