//! Text made from values and read into them: `sprintf`, `shellquote`, `strftime`, `scanf`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_values::{Result, Str, Value};

use crate::iterate::call;
use crate::legacy::{LEGACY, at_least, legacy};
use crate::logging::deprecated_here;
use crate::ruby;
use crate::scan::scan;

builtins! {
    /// Formats values as C's printf does; a hash gives named ones (`%<name>d`, `%{name}`).
    ///
    /// ```puppet
    /// sprintf('%s is %05.1f', 'pi', 3.14159)         # => 'pi is 003.1'
    /// sprintf('%<x>s: %<y>d', {x => 'a', y => 1})    # => 'a: 1'
    /// ```
    "sprintf" {
        LEGACY => sprintf;
        tools "String $format, Any *$arguments >> String"
    }

    /// Quotes words for a Bourne shell and joins them with spaces; arrays give their elements.
    ///
    /// ```puppet
    /// shellquote('echo', ['a b', '$c'])    # => "echo \"a b\" '\$c'"
    /// ```
    "shellquote" {
        LEGACY => shellquote;
        tools "Variant[String, Array] *$words >> String"
    }

    /// Formats a point in time or a length of time.
    ///
    /// ```puppet
    /// strftime(Timestamp('2020-01-31T12:00:00 UTC'), '%d.%m.%Y')    # => '31.01.2020'
    /// strftime(Timespan({hours => 30}), '%D-%H')                    # => '1-06'
    /// ```
    ///
    /// Given a format alone formats the present, which is deprecated.
    "strftime": ReadsClock {
        "Timespan $time_object, String $format >> String" => format_timespan,
        "Timestamp $time_object, String $format, String $timezone = undef >> String" => format_timestamp,
        "String $format, String $timezone = undef >> String" => format_now,
    }

    /// Reads values from a text as C's scanf does: an array of what was read up to where the text and the format part. A lambda, if given,
    /// gets the array and decides the result.
    ///
    /// ```puppet
    /// scanf('42 is 0x2a', '%d is %i')    # => [42, 42]
    /// ```
    "scanf" { "String $data, String $format, Optional[Callable] &$block >> Any" => scanf }
}

fn sprintf(Rest(args): Rest) -> Result<Str> {
    let args = at_least("sprintf", 1, args)?;
    kukla_values::format::sprintf(ruby::text(&args[0])?, &args[1..])
}

fn shellquote(Rest(args): Rest) -> Result<String> {
    let words = ruby::flatten(&legacy(args)?);
    let quoted = words.iter().map(|word| match word {
        Value::String(text) => Ok(shell_word(text)),
        Value::Hash(_) | Value::Type(_) => Err(ruby::no_conversion(word, "String")),
        Value::Default => Err(ruby::no_method("count", word)),
        other => Err(ruby::no_method("length", other)),
    });
    Ok(quoted.collect::<Result<Vec<_>>>()?.join(" "))
}

fn shell_word(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    let dangerous = |c: char| "!\"`$\\".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    if !word.contains(dangerous) {
        return format!("\"{word}\"");
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut out = String::from("\"");
    for c in word.chars() {
        if dangerous(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn format_timespan(time: Value, format: Str) -> Result<String> {
    let Value::Timespan(span) = time else { return Ok(String::new()) };
    span.format(&format)
}

fn format_timestamp(time: Value, format: Str, zone: Option<Str>) -> Result<Str> {
    let Value::Timestamp(stamp) = time else { return Ok(Str::new()) };
    stamp.format(&format, zone.as_deref())
}

fn format_now(vm: &mut Vm<'_>, format: Str, zone: Option<Str>) -> Flow<Str> {
    deprecated_here(
        vm,
        "legacy#strftime",
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime documentation and Timespan type for more info",
    );
    Ok(vm.world().now().format(&format, zone.as_deref())?)
}

fn scanf(vm: &mut Vm<'_>, data: Str, format: Str, block: Option<Block>) -> Flow<Value> {
    let values = scan(&data, &format)?.into();
    if block.is_some() { call(vm, &block, vec![values]) } else { Ok(values) }
}
