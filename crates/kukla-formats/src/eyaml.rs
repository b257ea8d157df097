//! Encrypted values: `ENC[PKCS7,…]` blocks inside text, as hiera-eyaml writes them.
//!
//! A block is a PKCS#7 envelope: a random key encrypted with RSA for each recipient, and the text encrypted with that key
//! (AES or triple DES, CBC). Opening one costs milliseconds, so the caller keeps what it opened. No error here says
//! anything about what is inside.

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockDecryptMut, KeyIvInit};
use cms::content_info::ContentInfo;
use cms::enveloped_data::{EnvelopedData, RecipientInfo};
use der::asn1::OctetString;
use der::{Decode, Encode};
use kukla_values::binary::Binary;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};

use crate::Error;

fn error<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::bare(message.into()))
}

/// A piece of text that may hold encrypted blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text as it is.
    Plain(&'t str),
    /// The encryption method, if named, and the base64 of a block.
    Encrypted(Option<&'t str>, &'t str),
}

/// Whether there is anything to decrypt.
pub fn is_encrypted(text: &str) -> bool {
    text.split("ENC[").skip(1).any(|rest| rest.lines().next().is_some_and(|line| line.contains(']')))
}

/// Splits text at its encrypted blocks.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut from = 0;
    while let Some(start) = text[from..].find("ENC[").map(|at| at + from) {
        let inner = &text[start + 4..];
        let end = inner.find(']');
        let block = end.map(|end| &inner[..end]).and_then(|inner| {
            let (method, base64) = match inner.split_once(',') {
                Some((method, base64)) => (Some(method), base64),
                None => (None, inner),
            };
            let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let good = method.is_none_or(|method| !method.is_empty() && method.bytes().all(word))
                && !base64.is_empty()
                && base64
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b' ' | b'=' | b'\n'));
            good.then_some(Piece::Encrypted(method, base64))
        });
        match (block, end) {
            (Some(block), Some(end)) => {
                if plain < start {
                    pieces.push(Piece::Plain(&text[plain..start]));
                }
                pieces.push(block);
                from = start + 4 + end + 1;
                plain = from;
            }
            _ => from = start + 4,
        }
    }
    if plain < text.len() {
        pieces.push(Piece::Plain(&text[plain..]));
    }
    pieces
}

/// A private key to open blocks with.
pub struct Key(RsaPrivateKey);

impl Key {
    /// Reads a key in PEM, in either of the forms OpenSSL and eyaml write (PKCS#1 and PKCS#8).
    pub fn from_pem(pem: &str) -> Result<Key, Error> {
        let key = RsaPrivateKey::from_pkcs1_pem(pem).ok().or_else(|| RsaPrivateKey::from_pkcs8_pem(pem).ok());
        match key {
            Some(key) => Ok(Key(key)),
            None if pem.contains("ENCRYPTED") => error("the private key is protected by a passphrase"),
            None => error("the private key is not an RSA key in PEM form"),
        }
    }

    /// Opens the envelope whose base64 is given.
    pub fn open(&self, base64: &str) -> Result<String, Error> {
        let bytes = Binary::from_relaxed(base64);
        let Ok(content) = ContentInfo::from_der(&bytes.0) else { return error("not a PKCS7 envelope") };
        let envelope = content.content.to_der().ok().and_then(|der| EnvelopedData::from_der(&der).ok());
        let Some(envelope) = envelope else { return error("not a PKCS7 envelope") };
        let Some(ciphertext) = envelope.encrypted_content.encrypted_content.as_ref() else {
            return error("the PKCS7 envelope is empty");
        };
        let algorithm = &envelope.encrypted_content.content_enc_alg;
        let iv = algorithm.parameters.as_ref().and_then(|iv| iv.decode_as::<OctetString>().ok());
        let Some(iv) = iv else { return error("the PKCS7 envelope has no initialisation vector") };
        let mut fits = false;
        for recipient in envelope.recip_infos.0.iter() {
            let RecipientInfo::Ktri(recipient) = recipient else { continue };
            let Ok(key) = self.0.decrypt(Pkcs1v15Encrypt, recipient.enc_key.as_bytes()) else { continue };
            fits = true;
            if let Some(plain) =
                decrypt(&algorithm.oid.to_string(), &key, iv.as_bytes(), ciphertext.as_bytes())?
            {
                return String::from_utf8(plain).or_else(|_| error("the decrypted value is not UTF-8 text"));
            }
        }
        error(if fits { "the PKCS7 envelope is damaged" } else { "the block was encrypted for another key" })
    }
}

/// The plain bytes, or nothing if the key does not fit.
fn decrypt(algorithm: &str, key: &[u8], iv: &[u8], ciphertext: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    fn with<C: BlockDecryptMut + KeyIvInit>(key: &[u8], iv: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = ciphertext.to_vec();
        Some(C::new_from_slices(key, iv).ok()?.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok()?.to_vec())
    }
    Ok(match algorithm {
        "2.16.840.1.101.3.4.1.42" => with::<cbc::Decryptor<aes::Aes256>>(key, iv, ciphertext),
        "2.16.840.1.101.3.4.1.22" => with::<cbc::Decryptor<aes::Aes192>>(key, iv, ciphertext),
        "2.16.840.1.101.3.4.1.2" => with::<cbc::Decryptor<aes::Aes128>>(key, iv, ciphertext),
        "1.2.840.113549.3.7" => with::<cbc::Decryptor<des::TdesEde3>>(key, iv, ciphertext),
        other => return error(format!("unknown cipher {other} in the PKCS7 envelope")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_blocks() {
        assert_eq!(
            pieces("a ENC[PKCS7,ab+/] b ENC[cd=] ENC[no!] c"),
            [
                Piece::Plain("a "),
                Piece::Encrypted(Some("PKCS7"), "ab+/"),
                Piece::Plain(" b "),
                Piece::Encrypted(None, "cd="),
                Piece::Plain(" ENC[no!] c"),
            ]
        );
        assert!(!is_encrypted("ENC[ "));
    }

    #[test]
    fn says_nothing_of_the_content() {
        let Err(error) = Key::from_pem("secret") else { panic!("no key") };
        assert!(!error.what.contains("secret"));
    }
}
