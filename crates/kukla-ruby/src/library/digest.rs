//! Digests: the sums themselves; the classes around them are in `digest.rb`.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha224, Sha256, Sha384, Sha512};

use crate::class::{NativeClass, method};
use crate::text::Text;
use crate::value::Value;

/// The module `Digest`.
pub const DIGEST: NativeClass = NativeClass {
    singleton: &[&[method("__sum", 2, 2, |ruby, _, args| {
        let name = ruby.to_text(&args[0])?;
        let bytes = ruby.to_text(&args[1])?;
        ruby.charge(bytes.len() as u64 / 16)?;
        Ok(match &*name {
            b"MD5" => Value::str(Text::binary(Md5::digest(&*bytes).to_vec())),
            b"SHA1" => Value::str(Text::binary(Sha1::digest(&*bytes).to_vec())),
            b"SHA224" => Value::str(Text::binary(Sha224::digest(&*bytes).to_vec())),
            b"SHA256" => Value::str(Text::binary(Sha256::digest(&*bytes).to_vec())),
            b"SHA384" => Value::str(Text::binary(Sha384::digest(&*bytes).to_vec())),
            b"SHA512" => Value::str(Text::binary(Sha512::digest(&*bytes).to_vec())),
            _ => Value::Nil,
        })
    })]],
    ..NativeClass::module("Digest")
};
