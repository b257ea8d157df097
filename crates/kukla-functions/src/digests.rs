//! Digests of text, and numbers drawn from them: `md5`, `sha1`, `sha256`, `digest`, `fqdn_rand`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::case::downcase;
use kukla_values::random::Random;
use kukla_values::{Error, Result, Value};
use md5::{Digest, Md5};

use crate::codes::NO_RANDOM_LIMIT;
use crate::legacy::{LEGACY, at_least, exactly};
use crate::ruby;

builtins! {
    /// The MD5 digest of a text, in hexadecimal digits.
    ///
    /// ```puppet
    /// md5('a')    # => '0cc175b9c0f1b6a831c399e269772661'
    /// ```
    "md5" {
        LEGACY => |Rest(args): Rest| Ok::<_, Error>(md5_hex(ruby::text(&exactly("md5", 1, args)?[0])?.as_bytes()));
        tools "String $text >> String"
    }

    /// The SHA-1 digest of a text, in hexadecimal digits.
    ///
    /// ```puppet
    /// sha1('a')    # => '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'
    /// ```
    "sha1" {
        LEGACY => |Rest(args): Rest| Ok::<_, Error>(sha1_hex(ruby::text(&exactly("sha1", 1, args)?[0])?.as_bytes()));
        tools "String $text >> String"
    }

    /// The SHA-256 digest of a text, in hexadecimal digits.
    ///
    /// ```puppet
    /// sha256('a')    # => 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'
    /// ```
    "sha256" {
        LEGACY => |Rest(args): Rest| Ok::<_, Error>(sha256_hex(ruby::text(&exactly("sha256", 1, args)?[0])?.as_bytes()));
        tools "String $text >> String"
    }

    /// The digest of a text by the algorithm that the setting `digest_algorithm` names.
    ///
    /// ```puppet
    /// digest('a')    # => 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'
    /// ```
    "digest" {
        LEGACY => digest;
        tools "String $text >> String"
    }

    /// A number from zero up to but not including a limit, always the same for the same node, limit and seed. With a third argument that is
    /// true, the case of the node's name does not matter.
    ///
    /// ```puppet
    /// fqdn_rand(30, 'cron') =~ Integer[0, 29]    # => true
    /// ```
    "fqdn_rand": ReadsVariables {
        LEGACY => fqdn_rand;
        tools "Variant[Numeric, String] $max, Any *$seed >> Integer"
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The MD5 digest in hexadecimal digits.
pub fn md5_hex(bytes: &[u8]) -> String {
    hex(&Md5::digest(bytes))
}

/// The SHA-1 digest in hexadecimal digits.
pub fn sha1_hex(bytes: &[u8]) -> String {
    hex(&sha1::Sha1::digest(bytes))
}

/// The SHA-256 digest in hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

fn digest(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<String> {
    let args = exactly("digest", 1, args)?;
    let text = ruby::text(&args[0])?.as_bytes();
    match vm.environment().settings.all.get("digest_algorithm").and_then(Value::as_str) {
        Some("md5") => Ok(md5_hex(text)),
        Some("sha224") => Ok(hex(&sha2::Sha224::digest(text))),
        Some("sha384") => Ok(hex(&sha2::Sha384::digest(text))),
        Some("sha512") => Ok(hex(&sha2::Sha512::digest(text))),
        _ => Ok(sha256_hex(text)),
    }
}

fn fqdn_rand(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<i64> {
    let args = at_least("fqdn_rand", 1, args)?;
    let max = ruby::value_to_i(&args[0])?;
    let mut fqdn = fqdn(vm)?;
    if args.get(2).is_some_and(Value::is_true) {
        fqdn = match &fqdn {
            Value::String(name) => downcase(name).into(),
            other => return Err(ruby::no_method("downcase", other).into()),
        };
    }
    Ok(fqdn_number(&fqdn, max, args.get(1).unwrap_or(&Value::Undef))?)
}

/// The node's full name, as facts tell it.
pub fn fqdn(vm: &Vm<'_>) -> Result<Value> {
    match vm.node().facts.get("networking") {
        None | Some(Value::Undef) => Ok(Value::Undef),
        Some(Value::Hash(networking)) => Ok(networking.get("fqdn").cloned().unwrap_or_default()),
        Some(other) => Err(ruby::no_method("dig", other)),
    }
}

/// The number that `fqdn_rand` gives for a node, limit and seed.
pub fn fqdn_number(fqdn: &Value, max: i64, seed: &Value) -> Result<i64> {
    let text = ruby::join(&[fqdn.clone(), max.into(), seed.clone()], ":");
    seeded(&md5_hex(text.as_bytes()), max)
}

/// The first number below a limit that Ruby's generator gives for a seed in hexadecimal digits.
pub fn seeded(hex_seed: &str, max: i64) -> Result<i64> {
    match u64::try_from(max) {
        Ok(limit) if limit > 0 => Ok(Random::from_hex(hex_seed).below(limit) as i64),
        _ => bail!(NO_RANDOM_LIMIT { limit: max }),
    }
}
