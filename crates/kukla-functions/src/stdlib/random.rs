//! Numbers that look random and always come out the same: `fqdn_rand_string`, `fqdn_rotate`, `fqdn_uuid`, `seeded_rand`,
//! `seeded_rand_string`; and `shuffle`, which does not.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::random::Random;
use kukla_values::{Array, Result, Str, Value, uuid};
use kukla_world::record::Digest;
use md5::Digest as _;

use crate::codes::WRONG_ARGUMENT_COUNT;
use crate::digests::{fqdn, fqdn_number, md5_hex, seeded, sha256_hex};
use crate::legacy::{LEGACY, at_least, exactly, legacy, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// A text of a given length, drawn from letters and digits or a given set of characters, always the same for the same node and
    /// seeds.
    ///
    /// ```puppet
    /// length(fqdn_rand_string(10))    # => 10
    /// ```
    "fqdn_rand_string": ReadsVariables {
        LEGACY => fqdn_rand_string;
        tools "Variant[Integer, String] $length, Optional[String] $charset = undef, Any *$seed >> String"
    }
    /// The same as `fqdn_rand_string`.
    ///
    /// ```puppet
    /// stdlib::fqdn_rand_string(3, 'a')    # => 'aaa'
    /// ```
    "stdlib::fqdn_rand_string": ReadsVariables { "Integer[1] $length, Optional[String] $charset = undef, Any *$seed >> String" => namespaced_rand_string }

    /// An array or text rotated by a number of places that is always the same for the same node and seeds.
    ///
    /// ```puppet
    /// length(fqdn_rotate(['a', 'b', 'c']))    # => 3
    /// ```
    "fqdn_rotate": ReadsVariables {
        LEGACY => fqdn_rotate;
        tools "Array $values, Any *$seed >> Array", "String $text, Any *$seed >> String"
    }
    /// The same as `fqdn_rotate`.
    ///
    /// ```puppet
    /// stdlib::fqdn_rotate(['a'])    # => ['a']
    /// ```
    "stdlib::fqdn_rotate": ReadsVariables {
        "String $input, Variant[Integer,String] *$seeds >> String" => namespaced_rotate_text,
        "Array $input, Variant[Integer,String] *$seeds >> Array" => namespaced_rotate,
    }

    /// The UUID (version 5, in the name space of domain names) of a name.
    ///
    /// ```puppet
    /// fqdn_uuid('puppetlabs.com')    # => '9c70320f-6815-5fc5-ab0f-debe68bf764c'
    /// ```
    "fqdn_uuid" {
        LEGACY => fqdn_uuid;
        tools "String $fqdn >> String"
    }

    /// A number from zero up to but not including a limit, always the same for the same seed.
    ///
    /// ```puppet
    /// seeded_rand(100, 'seed') == seeded_rand(100, 'seed')    # => true
    /// ```
    "seeded_rand" {
        LEGACY => seeded_rand;
        tools "Variant[Integer, String] $max, String $seed >> Integer"
    }
    /// The same as `seeded_rand`.
    ///
    /// ```puppet
    /// stdlib::seeded_rand(1, 'seed')    # => 0
    /// ```
    "stdlib::seeded_rand" { "Integer[1] $max, String $seed >> Integer" => namespaced_rand }

    /// A text of a given length, always the same for the same seed, drawn from letters and digits or from given characters.
    ///
    /// ```puppet
    /// length(seeded_rand_string(8, 'seed'))    # => 8
    /// ```
    "seeded_rand_string" { "Integer[1] $length, String $seed, String[2] $charset = undef >> String" => seeded_rand_string }
    /// The same as `seeded_rand_string`.
    ///
    /// ```puppet
    /// length(stdlib::seeded_rand_string(8, 'seed', 'ab'))    # => 8
    /// ```
    "stdlib::seeded_rand_string" { "Integer[1] $length, String $seed, String[2] $charset = undef >> String" => seeded_rand_string }

    /// The elements of an array, or the characters of a text, in an order that differs from run to run.
    ///
    /// ```puppet
    /// sort(shuffle([3, 1, 2]))    # => [1, 2, 3]
    /// ```
    "shuffle": Random, BeyondRuby {
        LEGACY => shuffle;
        tools "Array $values >> Array", "String $text >> String"
    }
}

const LETTERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn fqdn_rand_string(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<String> {
    let args = at_least("fqdn_rand_string", 1, args)?;
    let length = match &args[0] {
        Value::Integer(n) => *n,
        Value::String(text) if spells_integer(text) => ruby::to_i(text),
        _ => 0,
    };
    if length <= 0 {
        return Err(wrong_type("fqdn_rand_string", "first argument must be a positive integer").into());
    }
    let charset = match args.get(1) {
        None | Some(Value::Undef) => "",
        Some(Value::String(text)) => text.as_str(),
        Some(_) => {
            let objection = "second argument must be undef or a string";
            return Err(wrong_type("fqdn_rand_string", objection).into());
        }
    };
    drawn(vm, length, charset, args.get(2..).unwrap_or_default())
}

/// `-?(0|[1-9]\d*)` on some line.
pub fn spells_integer(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.split('\n').any(|line| {
        let line = line.strip_prefix('-').unwrap_or(line);
        digits(line) && (line == "0" || !line.starts_with('0'))
    })
}

fn namespaced_rand_string(
    vm: &mut Vm<'_>,
    length: i64,
    charset: Option<Str>,
    Rest(seed): Rest,
) -> Flow<String> {
    drawn(vm, length, charset.as_deref().unwrap_or_default(), &seed)
}

fn drawn(vm: &mut Vm<'_>, length: i64, charset: &str, seed: &[Value]) -> Flow<String> {
    let charset: Vec<char> =
        if charset.is_empty() { LETTERS.chars().collect() } else { charset.chars().collect() };
    let fqdn = fqdn(vm)?;
    vm.check_size(usize::try_from(length).unwrap_or(usize::MAX))?;
    let mut text = String::new();
    for at in 1..=length {
        let mut seed = seed.to_vec();
        seed.push(at.into());
        let seed = ruby::join(&seed, ":").into();
        text.push(charset[fqdn_number(&fqdn, charset.len() as i64, &seed)? as usize]);
    }
    Ok(text)
}

fn fqdn_rotate(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = legacy(args)?;
    let Some(value) = args.first() else {
        return Err(wrong_number("fqdn_rotate", 0, 1).into());
    };
    let fqdn = vm.variable("::fqdn")?.unwrap_or_default();
    match value {
        Value::Array(values) => Ok(rotated(values, &fqdn, &args[1..])?.into()),
        Value::String(text) => Ok(rotated_text(text, &fqdn, &args[1..])?.into()),
        _ => Err(wrong_type("fqdn_rotate", "Requires either array or string to work with").into()),
    }
}

fn networking_fqdn(vm: &Vm<'_>) -> Result<Value> {
    match vm.node().facts.get("networking") {
        Some(Value::Hash(networking)) => Ok(networking.get("fqdn").cloned().unwrap_or_default()),
        other => Err(ruby::no_method("[]", other.unwrap_or(&Value::Undef))),
    }
}

fn namespaced_rotate(vm: &mut Vm<'_>, input: Array, Rest(seeds): Rest) -> Result<Array> {
    if input.len() <= 1 {
        return Ok(input);
    }
    rotated(&input, &networking_fqdn(vm)?, &seeds)
}

fn namespaced_rotate_text(vm: &mut Vm<'_>, input: Str, Rest(seeds): Rest) -> Result<String> {
    if input.chars().count() <= 1 {
        return Ok(input.into());
    }
    rotated_text(&input, &networking_fqdn(vm)?, &seeds)
}

fn rotated_text(text: &str, fqdn: &Value, seeds: &[Value]) -> Result<String> {
    let letters: Array = text.chars().map(|c| Value::String(Str::from(c))).collect();
    Ok(ruby::join(&rotated(&letters, fqdn, seeds)?, ""))
}

fn rotated(values: &Array, fqdn: &Value, seeds: &[Value]) -> Result<Array> {
    if values.len() <= 1 {
        return Ok(values.clone());
    }
    let seed = ruby::join(&[fqdn.clone(), seeds.to_vec().into()], ":");
    let offset = seeded(&md5_hex(seed.as_bytes()), values.len() as i64)? as usize;
    let (head, tail) = values.split_at(offset);
    Ok(tail.iter().chain(head).cloned().collect())
}

fn fqdn_uuid(Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    let name = match args.as_slice() {
        [] => bail!(WRONG_ARGUMENT_COUNT { function: "fqdn_uuid", objection: "No arguments given" }),
        [name] => ruby::text(name)?,
        _ => {
            let objection = format_args!("Too many arguments given ({})", args.len());
            bail!(WRONG_ARGUMENT_COUNT { function: "fqdn_uuid", objection })
        }
    };
    const DOMAINS: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let digest = sha1::Sha1::new().chain_update(DOMAINS).chain_update(name.as_bytes()).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Ok(uuid::text(5, bytes))
}

fn seeded_rand(Rest(args): Rest) -> Result<i64> {
    let args = exactly("seeded_rand", 2, args)?;
    let max = match &args[0] {
        Value::Integer(n) => *n,
        Value::String(text) if spells_integer(text) => ruby::to_i(text),
        _ => 0,
    };
    if max <= 0 {
        return Err(wrong_type("seeded_rand", "first argument must be a positive integer"));
    }
    match &args[1] {
        Value::String(seed) => seeded(&md5_hex(seed.as_bytes()), max),
        _ => Err(wrong_type("seeded_rand", "second argument must be a string")),
    }
}

fn namespaced_rand(max: i64, seed: Str) -> Result<i64> {
    seeded(&md5_hex(seed.as_bytes()), max)
}

fn seeded_rand_string(vm: &mut Vm<'_>, length: i64, seed: Str, charset: Option<Str>) -> Flow<String> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    vm.check_size(length)?;
    let charset = charset.unwrap_or("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".into());
    let charset: Vec<char> = charset.chars().collect();
    let mut random = Random::from_hex(&sha256_hex(seed.as_bytes()));
    Ok((0..length).map(|_| charset[random.below(charset.len() as u64) as usize]).collect())
}

/// A generator whose seed the policy decides and not the caller.
pub fn unseeded(vm: &Vm<'_>) -> Random {
    let Digest(seed) = vm.world().seed();
    Random::from_hex(&sha256_hex(&seed))
}

fn shuffle(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = legacy(args)?;
    let (mut values, text): (Array, bool) = match args.first() {
        None => return Err(wrong_number("shuffle", 0, 1).into()),
        Some(Value::Array(values)) => (values.clone(), false),
        Some(Value::String(text)) => (text.chars().map(|c| Value::String(Str::from(c))).collect(), true),
        Some(_) => {
            return Err(wrong_type("shuffle", "Requires either array or string to work with").into());
        }
    };
    let mut random = unseeded(vm);
    let count = values.len();
    let members = values.make_mut();
    for at in 0..count {
        members.swap(at, at + random.below((count - at) as u64) as usize);
    }
    Ok(if text { ruby::join(&values, "").into() } else { values.into() })
}
