//! Other forms of bytes and numbers: `base64`, `convert_base`, `to_bytes`, `stdlib::crc32`, `stdlib::sha256`.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::binary::Binary;
use kukla_values::{Result, Value};

use crate::codes::{
    BASE_OUT_OF_RANGE, NOT_IN_BASE_TEN, UNKNOWN_BASE64_ACTION, UNKNOWN_BASE64_KIND, UNKNOWN_UNIT,
};
use crate::digests::sha256_hex;
use crate::legacy::{LEGACY, exactly, legacy, wrong_count, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// Encodes a text in base64, or decodes one: in lines of sixty characters, `strict` without line ends, or `urlsafe`.
    ///
    /// ```puppet
    /// base64('encode', 'hello')              # => "aGVsbG8=\n"
    /// base64('encode', 'hello', 'strict')    # => 'aGVsbG8='
    /// base64('decode', 'aGVsbG8=')           # => 'hello'
    /// ```
    "base64" {
        LEGACY => base64;
        tools "Enum['encode', 'decode'] $action, String $text, Enum['default', 'strict', 'urlsafe'] $method = 'default' >> String"
    }

    /// An integer, or a text that spells one in base ten, as text in another base from 2 to 36.
    ///
    /// ```puppet
    /// convert_base(254, 16)      # => 'fe'
    /// convert_base('5', '2')     # => '101'
    /// ```
    "convert_base" {
        LEGACY => convert_base;
        tools "Variant[Integer, String] $number, Variant[Integer, String] $base >> String"
    }

    /// The number of bytes given by a text such as `4 kB` or `2M`.
    ///
    /// ```puppet
    /// to_bytes('4 kB')    # => 4096
    /// ```
    "to_bytes" {
        LEGACY => to_bytes;
        tools "Variant[Numeric, String] $size >> Numeric"
    }

    /// The CRC-32 checksum of a value's text, in hexadecimal digits.
    ///
    /// ```puppet
    /// stdlib::crc32('my string')    # => '18fbd270'
    /// ```
    "stdlib::crc32" { "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] $my_data >> String" => crc32 }

    /// The SHA-256 digest of a value's text, in hexadecimal digits.
    ///
    /// ```puppet
    /// stdlib::sha256('a')    # => 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'
    /// ```
    "stdlib::sha256" { "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] $my_data >> String" => sha256 }
}

fn base64(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    if args.len() < 2 {
        let objection = format_args!("Wrong number of arguments ({}; must be >= 2)", args.len());
        return Err(wrong_count("base64", objection));
    }
    let encode = match args[0].as_str() {
        Some("encode") => true,
        Some("decode") => false,
        _ => bail!(UNKNOWN_BASE64_ACTION),
    };
    let Value::String(text) = &args[1] else {
        return Err(wrong_type("base64", "the second argument must be a string to base64"));
    };
    let method = args.get(2).map_or(Some("default"), Value::as_str);
    let plain = || Binary::new(text.as_bytes());
    match (encode, method) {
        (true, Some("default")) => Ok(plain().to_relaxed().into()),
        (true, Some("strict")) => Ok(plain().to_base64().into()),
        (true, Some("urlsafe")) => Ok(plain().to_urlsafe().into()),
        (false, Some("default")) => text_or_bytes(vm, Binary::from_relaxed(text)),
        (false, Some("strict")) => text_or_bytes(vm, Binary::from_strict(text)?),
        (false, Some("urlsafe")) => text_or_bytes(vm, Binary::from_urlsafe(text)?),
        _ => bail!(UNKNOWN_BASE64_KIND),
    }
}

fn text_or_bytes(vm: &mut Vm<'_>, bytes: Binary) -> Result<Value> {
    match std::str::from_utf8(&bytes.0) {
        Ok(text) => vm.byte_string(text).map(Value::String),
        Err(_) => Ok(Value::Binary(bytes)),
    }
}

fn convert_base(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<String> {
    let args = exactly("convert_base", 2, args)?;
    let nth = ["First", "Second"];
    for (arg, nth) in args.iter().zip(nth) {
        if !matches!(arg, Value::Integer(_) | Value::String(_)) {
            let objection = format_args!("{nth} argument must be either a string or an integer");
            return Err(wrong_type("convert_base", objection));
        }
    }
    for arg in &args {
        if let Value::String(text) = arg
            && !text.split('\n').any(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
        {
            bail!(NOT_IN_BASE_TEN);
        }
    }
    match u32::try_from(ruby::value_to_i(&args[1])?) {
        Ok(base @ 2..=36) => {
            let number = ruby::to_s(&args[0]);
            // Long division takes a pass over the digits for every digit.
            let digits = number.len() as u64;
            vm.budget().charge_steps(digits.saturating_mul(digits) / 16)?;
            Ok(in_base(&number, base))
        }
        _ => bail!(BASE_OUT_OF_RANGE),
    }
}

/// A decimal number of any length in another base, by long division.
fn in_base(number: &str, base: u32) -> String {
    let (negative, number) = match number.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, number),
    };
    let mut rest: Vec<u32> = number.chars().map_while(|c| c.to_digit(10)).collect();
    let mut digits = Vec::new();
    loop {
        let mut remainder = 0;
        for digit in &mut rest {
            let value = remainder * 10 + *digit;
            (*digit, remainder) = (value / base, value % base);
        }
        digits.push(char::from_digit(remainder, base).unwrap_or('0'));
        if rest.iter().all(|digit| *digit == 0) {
            break;
        }
    }
    if negative {
        digits.push('-');
    }
    digits.iter().rev().collect()
}

fn to_bytes(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    let [arg] = args.as_slice() else {
        return Err(wrong_number("to_bytes", args.len(), 1));
    };
    if matches!(arg, Value::Integer(_) | Value::Float(_)) {
        return Ok(arg.clone());
    }
    let text = match arg {
        Value::Default => "default",
        other => ruby::text(other)?.as_str(),
    };
    let number =
        text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || ".e+-".contains(c)).len();
    let rest = text[number..].trim_start_matches(ruby::is_space);
    let value = ruby::to_f(&text[..number]);
    let power = match rest.chars().next() {
        None | Some('b' | 'B') => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => bail!(UNKNOWN_UNIT { prefix: other }),
    };
    Ok(Value::Integer((value * 2f64.powi(power)) as i64))
}

/// The text of a value, from within `Sensitive` too.
fn open_text(value: &Value) -> String {
    match value {
        Value::Sensitive(inner) => ruby::to_s(inner).into(),
        other => ruby::to_s(other).into(),
    }
}

fn crc32(data: Value) -> String {
    let mut crc = u32::MAX;
    for byte in open_text(&data).bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    format!("{:x}", !crc)
}

fn sha256(data: Value) -> String {
    sha256_hex(open_text(&data).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_and_bases() {
        assert_eq!((crc32("my string".into()), in_base("-255", 16)), ("18fbd270".into(), "-ff".into()));
    }
}
