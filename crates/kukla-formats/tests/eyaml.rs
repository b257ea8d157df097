//! Envelopes made by the real OpenSSL: set `KUKLA_RUBY` to a Ruby interpreter to run this.

use kukla_formats::eyaml::{Key, Piece, pieces};

#[test]
fn opens_what_openssl_closed() {
    let program = r#"
        key = OpenSSL::PKey::RSA.new(2048)
        cert = OpenSSL::X509::Certificate.new
        cert.subject = cert.issuer = OpenSSL::X509::Name.parse('/')
        cert.not_before = Time.now; cert.not_after = Time.now + 3600
        cert.public_key = key.public_key; cert.serial = 0; cert.version = 2
        cert.sign(key, OpenSSL::Digest.new('SHA256'))
        JSON.parse($stdin.read).each { |cipher|
          p7 = OpenSSL::PKCS7.encrypt([cert], "s\u00e9cret #{cipher}", OpenSSL::Cipher.new(cipher), OpenSSL::PKCS7::BINARY)
          puts [key.to_pem, key.private_to_pem, "before ENC[PKCS7,#{[p7.to_der].pack('m0')}] after"].to_json
        }"#;
    let ciphers = ["AES-256-CBC", "AES-192-CBC", "AES-128-CBC", "DES-EDE3-CBC"];
    let Some(answers) = crate::support::ruby(&["openssl"], program, &ciphers.map(Into::into)) else { return };
    assert_eq!(answers.len(), ciphers.len());
    for (answer, cipher) in answers.iter().zip(ciphers) {
        let pieces = pieces(answer[2].as_str().expect("text"));
        let [Piece::Plain("before "), Piece::Encrypted(Some("PKCS7"), block), Piece::Plain(" after")] =
            pieces[..]
        else {
            panic!("{pieces:?}");
        };
        for pem in [&answer[0], &answer[1]] {
            let key = Key::from_pem(pem.as_str().expect("text")).expect("a key");
            assert_eq!(key.open(block).as_deref(), Ok(format!("sécret {cipher}").as_str()));
        }
    }
}
