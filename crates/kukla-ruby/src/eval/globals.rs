//! Global variables, of which some are not what they seem.

use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;
use crate::class::ClassId;

/// Globals that are there from the start.
const PREDEFINED: &[&str] = &[
    "$stdout", "$stderr", "$stdin", "$,", "$/", "$;", "$0", "$PROGRAM_NAME", "$*", "$$", "$?", "$:", "$LOAD_PATH", "$\"",
    "$LOADED_FEATURES", "$VERBOSE", "$DEBUG", "$-w", "$-v", "$~", "$!", "$@", "$_", "$.", "$\\", "$>", "$<", "$FILENAME", "$-0", "$-i", "$-I", "$-p",
    "$-l", "$-a", "$-d", "$-F", "$-W",
];

fn canonical(name: &str) -> &str {
    match name {
        "$PROGRAM_NAME" => "$0",
        "$LOAD_PATH" | "$-I" => "$:",
        "$LOADED_FEATURES" => "$\"",
        "$-w" | "$-v" => "$VERBOSE",
        "$>" => "$stdout",
        "$-0" => "$/",
        "$-F" => "$;",
        "$-d" => "$DEBUG",
        name => name,
    }
}

impl Ruby<'_> {
    fn global_name(&mut self, mut name: Symbol) -> Symbol {
        while let Some(other) = self.run.global_aliases.get(&name) {
            name = *other;
        }
        let spelled = self.name(name);
        let real = canonical(spelled);
        if real.len() == spelled.len() {
            return name;
        }
        let real = real.to_owned();
        self.symbols.intern(&real)
    }

    /// The value of a global variable.
    pub fn global(&mut self, name: Symbol) -> Result {
        let name = self.global_name(name);
        match self.name(name) {
            "$~" => return Ok(self.last_match()),
            "$!" => return Ok(self.run.exception.clone()),
            "$@" => {
                let exception = self.run.exception.clone();
                if exception.is_nil() {
                    return Ok(Value::Nil);
                }
                return self.send(&exception, crate::symbol::sym::BACKTRACE, &[]);
            }
            "$&" => return self.back_reference(b'&'),
            "$`" => return self.back_reference(b'`'),
            "$'" => return self.back_reference(b'\''),
            "$+" => return self.back_reference(b'+'),
            spelled => {
                if let Some(number) = spelled.strip_prefix('$').and_then(|rest| rest.parse::<u32>().ok())
                    && number > 0
                {
                    return self.match_group(number);
                }
            }
        }
        Ok(self.globals.get(&name).cloned().unwrap_or_default())
    }

    /// Sets a global variable.
    pub fn set_global(&mut self, name: Symbol, value: Value) -> Result<()> {
        let name = self.global_name(name);
        let spelled = self.name(name).to_owned();
        match spelled.as_str() {
            "$~" => {
                if !value.is_nil() && !self.is_a(&value, ClassId::MATCH_DATA) {
                    let class = self.class_name_of(&value);
                    return Err(self.type_error(format!("wrong argument type {class} (expected MatchData)")));
                }
                self.set_last_match(value);
                return Ok(());
            }
            "$!" | "$@" | "$:" | "$\"" | "$$" | "$?" | "$*" | "$FILENAME" | "$-p" | "$-l" | "$-a" => {
                let written = spelled.clone();
                return Err(self.name_error(format!("{written} is a read-only variable"), name, Value::Nil));
            }
            "$stdout" | "$stderr" => {
                let write = crate::symbol::sym::WRITE;
                if !self.responds_to(&value, write, false)? {
                    let class = self.class_name_of(&value);
                    return Err(self.type_error(format!("{spelled} must have write method, {class} given")));
                }
            }
            "$," | "$;" | "$/" | "$\\" | "$-0" => {
                let is_regexp = spelled == "$;" && matches!(value, Value::Regexp(_));
                if !value.is_nil() && !is_regexp && !matches!(value, Value::String(_)) {
                    return Err(self.type_error(format!("value of {spelled} must be String")));
                }
            }
            "$0" => {
                if !matches!(value, Value::String(_)) {
                    return Err(self.no_conversion(&value, "String"));
                }
            }
            "$VERBOSE" => {
                let value = if value.is_nil() { Value::Nil } else { Value::Bool(value.is_true()) };
                self.globals.insert(name, value);
                return Ok(());
            }
            _ => {}
        }
        self.globals.insert(name, value);
        Ok(())
    }

    pub(super) fn is_global_defined(&mut self, name: Symbol) -> bool {
        let real = self.global_name(name);
        self.globals.contains_key(&real) || PREDEFINED.contains(&self.name(name))
    }

    /// The names of all global variables.
    pub(crate) fn global_names(&self) -> Vec<String> {
        let own = self.globals.keys().map(|name| self.name(*name).to_owned());
        let mut names: Vec<String> = own.chain(PREDEFINED.iter().map(|name| (*name).to_owned())).collect();
        names.extend(self.run.global_aliases.keys().map(|name| self.name(*name).to_owned()));
        names.sort();
        names.dedup();
        names
    }

    pub(super) fn alias_global(&mut self, new: Symbol, old: Symbol) {
        if new != old {
            self.run.global_aliases.insert(new, old);
        }
    }
}
