//! Messages: `debug`, `info`, `notice`, `warning`, `err`, `alert`, `emerg`, `crit`, and `fail`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::Value;

use crate::codes::FAIL_CALLED;
use crate::legacy::{LEGACY, legacy};
use crate::ruby;

builtins! {
    /// Logs a message at level debug.
    ///
    /// ```puppet
    /// debug('values:', [1, 2])    # debug: values: [1, 2]
    /// ```
    "debug": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Debug, values) }
    /// Logs a message at level info.
    ///
    /// ```puppet
    /// info({ 'a' => 1 })    # info: {a => 1}
    /// ```
    "info": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Info, values) }
    /// Logs a message at level notice: the values as text, separated by spaces.
    ///
    /// ```puppet
    /// notice('count', 3)    # notice: count 3
    /// ```
    "notice": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Notice, values) }
    /// Logs a message at level warning.
    ///
    /// ```puppet
    /// warning('the default will change')    # warning: the default will change
    /// ```
    "warning": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Warning, values) }
    /// Logs a message at level err; the compilation goes on.
    ///
    /// ```puppet
    /// err('no backup configured')    # err: no backup configured
    /// ```
    "err": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Err, values) }
    /// Logs a message at level alert.
    ///
    /// ```puppet
    /// alert('disk full:', 90)    # alert: disk full: 90
    /// ```
    "alert": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Alert, values) }
    /// Logs a message at level emerg.
    ///
    /// ```puppet
    /// emerg('nothing works')    # emerg: nothing works
    /// ```
    "emerg": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Emerg, values) }
    /// Logs a message at level crit.
    ///
    /// ```puppet
    /// crit('the key is lost')    # crit: the key is lost
    /// ```
    "crit": Logs, TypedResult { "Any *$values >> Undef" => |vm: &mut Vm<'_>, values: Rest| log(vm, LogLevel::Crit, values) }

    /// Ends the compilation with a message: the values as text, separated by spaces.
    ///
    /// ```puppet
    /// fail('no', 'way')    # error: no way
    /// ```
    "fail": Leaves {
        LEGACY => fail;
        tools "Any *$messages >> Undef"
    }
}

fn log(vm: &mut Vm<'_>, level: LogLevel, Rest(values): Rest) -> Flow<()> {
    let message = values.iter().map(kukla_values::format::interpolate).collect::<Vec<_>>().join(" ");
    vm.check_text(message.len())?;
    vm.log(level, message);
    Ok(())
}

fn fail(Rest(args): Rest) -> Flow<Value> {
    let words: Vec<_> = legacy(args)?.iter().map(ruby::to_s).collect();
    bail!(FAIL_CALLED { message: words.join(" ") })
}

/// Warns once that something will go away, in Puppet's words for a warning without a place.
pub fn deprecated(vm: &mut Vm<'_>, key: &str, message: &str) {
    vm.warn_once(key, format!("{message}\n   (file & line not available)"));
}

/// Warns once that something will go away, with the place of the call.
pub fn deprecated_here(vm: &mut Vm<'_>, key: &str, message: &str) {
    let (file, line) = match vm.caller() {
        Some(location) => (location.file().unwrap_or("unknown").to_owned(), location.line()),
        None => ("unknown".to_owned(), 0),
    };
    vm.warn_once(&format!("{key}-{file}-{line}"), format!("{message}\n   (file: {file}, line: {line})"));
}
