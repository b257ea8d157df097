//! Hashed passwords: `pw_hash`, `str2saltedpbkdf2`, `str2saltedsha512`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_formats::crypt;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Hash, Result, Value};
use sha2::{Digest, Sha512};

use crate::codes::{
    COST_TOO_HIGH, EMPTY_SALT, INVALID_BCRYPT_SALT, INVALID_SALT, ITERATIONS_OUT_OF_RANGE, NOT_HASHED,
    SALT_TOO_SHORT, UNKNOWN_HASH_TYPE,
};
use crate::digests::hex;
use crate::legacy::{LEGACY, exactly, legacy, wrong_count, wrong_type};
use crate::ruby;
use crate::stdlib::random::unseeded;

builtins! {
    /// A password hashed for `/etc/shadow`: by `md5`, `sha-256`, `sha-512`, `bcrypt`, `bcrypt-a`, `bcrypt-x` or `bcrypt-y`, with a salt. The
    /// salt of `bcrypt` begins with the cost.
    ///
    /// ```puppet
    /// pw_hash('password', 'MD5', 'salt')    # => '$1$salt$qJH7.N4xYta3aEG/dfqo/0'
    /// ```
    "pw_hash": BeyondRuby {
        LEGACY => pw_hash;
        tools "Optional[Variant[String, Sensitive[String]]] $password, String $kind, String $salt >> Optional[String]"
    }

    /// A password hashed for macOS by PBKDF2, with salt and number of iterations.
    "str2saltedpbkdf2" {
        LEGACY => str2saltedpbkdf2;
        tools "Variant[String, Sensitive[String]] $password, String $salt, Integer $iterations >> Hash"
    }

    /// A password hashed for macOS 10.7 by SHA-512 with a random salt.
    ///
    /// ```puppet
    /// length(str2saltedsha512('password'))    # => 136
    /// ```
    "str2saltedsha512": Random, BeyondRuby {
        LEGACY => str2saltedsha512;
        tools "String $password >> String"
    }
}

/// The highest cost of bcrypt that is computed; each step doubles the time.
const HIGHEST_COST: i64 = 18;

fn opened(args: Vec<Value>) -> Vec<Value> {
    let open = |arg| match arg {
        Value::Sensitive(inner) => (*inner).clone(),
        other => other,
    };
    args.into_iter().map(open).collect()
}

fn pw_hash(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Value> {
    let args = opened(exactly("pw_hash", 3, args)?);
    let password = match &args[0] {
        Value::String(password) => password.clone(),
        Value::Undef => Default::default(),
        _ => return Err(wrong_type("pw_hash", "first argument must be a string")),
    };
    let Value::String(kind) = &args[1] else {
        return Err(wrong_type("pw_hash", "second argument must be a string"));
    };
    let (prefix, bcrypt) = match kind.to_lowercase().as_str() {
        "md5" => ("1", false),
        "sha-256" => ("5", false),
        "sha-512" => ("6", false),
        "bcrypt" => ("2b", true),
        "bcrypt-a" => ("2a", true),
        "bcrypt-x" => ("2x", true),
        "bcrypt-y" => ("2y", true),
        _ => bail!(UNKNOWN_HASH_TYPE { kind }),
    };
    let Value::String(salt) = &args[2] else {
        return Err(wrong_type("pw_hash", "third argument must be a string"));
    };
    if salt.is_empty() {
        bail!(EMPTY_SALT);
    }
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'/');
    if bcrypt {
        let costs = match vm.environment().stdlib() {
            Some(..9) => (0..=99, "[0-9]{2}"),
            _ => (4..=31, "(0[4-9]|[12][0-9]|3[01])"),
        };
        let digits = |cost: &str| cost.bytes().all(|byte| byte.is_ascii_digit());
        let fits = salt.split('\n').any(|line| match (line.get(..2), line.get(2..3), line.get(3..25)) {
            (Some(cost), Some("$"), Some(salt)) if digits(cost) => {
                costs.0.contains(&ruby::to_i(cost)) && plain(salt)
            }
            _ => false,
        });
        if !fits {
            bail!(INVALID_BCRYPT_SALT { cost: costs.1 });
        }
    } else if !plain(salt) {
        bail!(INVALID_SALT);
    }
    if password.is_empty() {
        return Ok(Value::Undef);
    }
    if bcrypt && ruby::to_i(salt) > HIGHEST_COST {
        bail!(COST_TOO_HIGH { limit: HIGHEST_COST });
    }
    let setting = format!("${prefix}${salt}");
    vm.budget().charge_ahead(crypt::steps(password.as_bytes(), &setting))?;
    let hashed = crypt::hashed(password.as_bytes(), &setting);
    Ok(hashed.ok_or_else(|| diagnostic!(NOT_HASHED))?.into())
}

fn str2saltedpbkdf2(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Hash> {
    let args = opened(legacy(args)?);
    let [password, salt, iterations] = args.as_slice() else {
        let given = args.len();
        let objection = format_args!("wrong number of arguments ({given} for 3)");
        return Err(wrong_count("str2saltedpbkdf2", objection));
    };
    let refuse = |objection: &str| wrong_type("str2saltedpbkdf2", objection);
    let Value::String(password) = password else { return Err(refuse("first argument must be a string")) };
    let Value::String(salt) = salt else { return Err(refuse("second argument must be a string")) };
    if salt.len() < 8 {
        bail!(SALT_TOO_SHORT);
    }
    let Value::Integer(iterations) = *iterations else {
        return Err(refuse("third argument must be an integer"));
    };
    if !(40_001..70_000).contains(&iterations) {
        bail!(ITERATIONS_OUT_OF_RANGE);
    }
    vm.budget().charge_ahead(iterations.unsigned_abs() * 16)?;
    let key = crypt::pbkdf2_sha512(password.as_bytes(), salt.as_bytes(), iterations as u32);
    Ok(Hash::from_iter([
        ("password_hex", Value::from(hex(&key))),
        ("salt_hex", hex(salt.as_bytes()).into()),
        ("iterations", iterations.into()),
    ]))
}

fn str2saltedsha512(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<String> {
    let args = legacy(args)?;
    let password = match args.as_slice() {
        [Value::String(password)] => password,
        [other] => {
            let class = ruby::class(other);
            let objection = format_args!("Requires a String argument, you passed: {class}");
            return Err(wrong_type("str2saltedsha512", objection).into());
        }
        _ => {
            let given = args.len();
            let objection = format_args!("Wrong number of arguments passed ({given} but we require 1)");
            return Err(wrong_count("str2saltedsha512", objection).into());
        }
    };
    let salt = (unseeded(vm).below((1 << 31) - 1) as u32).to_le_bytes();
    let hashed = Sha512::new().chain_update(salt).chain_update(password.as_bytes()).finalize();
    Ok(hex(&salt) + &hex(&hashed))
}
