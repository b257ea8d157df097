//! Signals by name and number, and the exceptions that tell of them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Details, set_detail};
use crate::args::Args;
use crate::class::{ClassId, Native, method, private};
use crate::error::Result;
use crate::hash::Table;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

/// The signals of Linux, in Ruby's order.
const SIGNALS: &[(&str, i64)] = &[
    ("EXIT", 0),
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("IOT", 6),
    ("FPE", 8),
    ("KILL", 9),
    ("BUS", 7),
    ("SEGV", 11),
    ("SYS", 31),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("URG", 23),
    ("STOP", 19),
    ("TSTP", 20),
    ("CONT", 18),
    ("CHLD", 17),
    ("CLD", 17),
    ("TTIN", 21),
    ("TTOU", 22),
    ("IO", 29),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("VTALRM", 26),
    ("PROF", 27),
    ("WINCH", 28),
    ("USR1", 10),
    ("USR2", 12),
    ("PWR", 30),
    ("POLL", 29),
];

/// The largest number of a signal.
const MOST: i64 = 64;

/// The lists of `Signal`.
pub(crate) const LISTS: &[Native] = &[
    method("list", 0, 0, |ruby, _, _| {
        let list = HashObject::new(ClassId::HASH, Table::new());
        for (name, number) in SIGNALS {
            ruby.hash_set(&list, Value::from(*name), Value::Int(*number))?;
        }
        Ok(Value::Hash(list))
    }),
    method("signame", 1, 1, |ruby, _, args| {
        let number = ruby.to_int(&args[0])?;
        Ok(name_of(number).map_or(Value::Nil, Value::from))
    }),
];

/// Methods of `SignalException`.
pub(super) const METHODS: &[Native] = &[
    private("initialize", 1, 2, initialize),
    method("signo", 0, 0, |_, this, _| Ok(number(this))),
    method("signm", 0, 0, |ruby, this, _| Ok(Value::str(ruby.display(this)?))),
];

/// Methods of `Interrupt`.
pub(super) const INTERRUPT: &[Native] = &[private("initialize", 0, 1, |_, this, args| {
    set_detail(this, |details| {
        details.name = Value::Int(2);
        details.message = args.list.first().cloned().unwrap_or_else(|| "Interrupt".into());
    });
    Ok(Value::Nil)
})];

fn name_of(number: i64) -> Option<&'static str> {
    SIGNALS.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}

fn number(this: &Value) -> Value {
    match this {
        Value::Object(object) => {
            object.payload::<Details>().map_or(Value::Nil, |details| details.name.clone())
        }
        _ => Value::Nil,
    }
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if matches!(args[0], Value::String(_) | Value::Symbol(_)) && args.len() > 1 {
        return Err(ruby.wrong_number_of_arguments(args.len(), 1));
    }
    let (number, shown) = signal(ruby, &args[0])?;
    let message = args.list.get(1).cloned().unwrap_or_else(|| shown.into());
    set_detail(this, |details| {
        details.name = Value::Int(number);
        details.message = message;
    });
    Ok(Value::Nil)
}

/// The number and the name of a signal, given as either.
fn signal(ruby: &mut Ruby<'_>, signal: &Value) -> Result<(i64, String)> {
    Ok(match signal {
        signal @ (Value::String(_) | Value::Symbol(_)) => {
            let text = ruby.display(signal)?.to_str_lossy().into_owned();
            let name = text.strip_prefix("SIG").unwrap_or(&text);
            match SIGNALS.iter().find(|(known, _)| *known == name) {
                Some((name, number)) => (*number, format!("SIG{name}")),
                None => return Err(ruby.argument_error(format!("unsupported signal `SIG{name}'"))),
            }
        }
        signal if ruby.is_a(signal, ClassId::NUMERIC) => {
            let number = ruby.to_int(signal)?;
            if !(0..=MOST).contains(&number) {
                return Err(ruby.argument_error(format!("invalid signal number ({number})")));
            }
            let name = name_of(number);
            (number, name.map_or_else(|| format!("SIG{number}"), |name| format!("SIG{name}")))
        }
        other => {
            let class = ruby.class_name_of(other);
            return Err(ruby.argument_error(format!("bad signal type {class}")));
        }
    })
}

/// The handlers of signals, by number. No signal reaches the program: they are kept for those that ask what was there before.
#[derive(Default)]
struct Handlers(FxHashMap<i64, Value>);

/// `trap`: keeps a handler and answers the one before.
pub(crate) fn trap(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (number, shown) = signal(ruby, &args[0])?;
    let handler = match (args.get(1), args.block) {
        (Some(Value::Nil), _) => Value::Nil,
        (Some(command @ (Value::String(_) | Value::Symbol(_))), _) => {
            let text = ruby.display(command)?.to_str_lossy().into_owned();
            match text.as_str() {
                "" | "IGNORE" | "SIG_IGN" => "IGNORE".into(),
                "DEFAULT" | "SIG_DFL" => "DEFAULT".into(),
                // A piece of code.
                _ => Value::from(text),
            }
        }
        (Some(handler), _) => handler.clone(),
        (None, Some(block)) => Value::Proc(Rc::clone(block)),
        (None, None) => return Err(ruby.argument_error("tried to create Proc object without a block")),
    };
    match number {
        4 | 7 | 8 | 11 | 26 => {
            return Err(ruby.argument_error(format!("can't trap reserved signal: {shown}")));
        }
        9 | 19 => {
            let class = ruby.class_named("Errno::EINVAL")?;
            return Err(ruby.error(class, format!("Invalid argument - {shown}")));
        }
        _ => {}
    }
    let before = ruby.part::<Handlers>().0.insert(number, handler);
    Ok(before.unwrap_or_else(|| if number == 0 { Value::Nil } else { "DEFAULT".into() }))
}
