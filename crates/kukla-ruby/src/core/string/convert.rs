//! Strings as symbols, characters, sums and hashes.

use kukla_formats::crypt;

use crate::args::Args;
use crate::class::{ClassId, Native, method};
use crate::core::string::{must_be_valid, own, show};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::Value;

pub(super) const METHODS: &[Native] = &[
    method("chr", 0, 0, chr),
    method("crypt", 1, 1, hash_as_password),
    method("intern", 0, 0, to_sym),
    method("ord", 0, 0, ord),
    method("sum", 0, 1, sum),
    method("to_sym", 0, 0, to_sym),
];

fn to_sym(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    if !text.is_valid() {
        let shown = String::from_utf8_lossy(&show::inspect_text(&text)).into_owned();
        let message = format!("invalid symbol in encoding {} :{shown}", text.encoding().name());
        return Err(ruby.error(ClassId::ENCODING_ERROR, message));
    }
    Ok(ruby.symbol(&text.to_str_lossy()))
}

fn chr(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    Ok(Value::str(text.slice(0..text.char_len_at(0))))
}

fn ord(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    if text.is_empty() {
        return Err(ruby.argument_error("empty string"));
    }
    let first = text.slice(0..text.char_len_at(0));
    must_be_valid(ruby, &first)?;
    Ok(Value::Int(i64::from(text.encoding().codepoint(&first))))
}

fn sum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let bits = args.get(0).map(|bits| ruby.to_int(bits)).transpose()?.unwrap_or(16);
    let text = own(ruby, this)?.text();
    let sum: u64 = text.iter().map(|byte| u64::from(*byte)).sum();
    let sum = if (1..64).contains(&bits) { sum & ((1 << bits) - 1) } else { sum };
    Ok(Value::integer(sum))
}

/// As crypt(3) hashes passwords.
fn hash_as_password(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let setting = ruby.to_text(&args[0])?;
    let password = own(ruby, this)?.text();
    let until_null = setting.iter().position(|byte| *byte == 0).unwrap_or(setting.len());
    if password.contains(&0) {
        return Err(ruby.argument_error("string contains null byte"));
    }
    if until_null < 2 {
        return Err(ruby.argument_error("salt too short (need >=2 bytes)"));
    }
    let setting = String::from_utf8_lossy(&setting[..until_null]);
    ruby.charge(crypt::steps(&password, &setting))?;
    let hash = Text::from(crypt::crypt(&password, &setting));
    Ok(Value::str(hash.in_encoding(Encoding::Binary)))
}
