//! Global variables, of which some are not what they seem.

use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;

/// Globals that are there from the start.
const PREDEFINED: &[&str] = &[
    "$stdout",
    "$stderr",
    "$stdin",
    "$,",
    "$/",
    "$;",
    "$0",
    "$PROGRAM_NAME",
    "$*",
    "$$",
    "$?",
    "$:",
    "$LOAD_PATH",
    "$\"",
    "$LOADED_FEATURES",
    "$VERBOSE",
    "$DEBUG",
    "$-w",
    "$-v",
    "$~",
    "$!",
    "$@",
    "$_",
    "$.",
    "$\\",
    "$>",
    "$<",
    "$FILENAME",
    "$-0",
    "$-i",
    "$-I",
    "$-p",
    "$-l",
    "$-a",
    "$-d",
    "$-F",
    "$-W",
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
        let asked = self.name(name).to_owned();
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
            "$@" => {
                let exception = self.run.exception.clone();
                if exception.is_nil() {
                    return Err(self.argument_error("$! not set"));
                }
                let set = self.symbols.intern("set_backtrace");
                self.send(&exception, set, &[value])?;
                return Ok(());
            }
            "$!" | "$:" | "$\"" | "$$" | "$?" | "$*" | "$<" | "$FILENAME" | "$-p" | "$-l" | "$-a" | "$&"
            | "$`" | "$'" | "$+" => {
                return Err(self.name_error(format!("{asked} is a read-only variable"), name, Value::Nil));
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
                    return Err(self.type_error(format!("value of {asked} must be String")));
                }
            }
            "$." => {
                let number = self.to_int(&value)?;
                self.globals.insert(name, Value::Int(number));
                return Ok(());
            }
            "$0" if !matches!(value, Value::String(_)) => {
                return Err(self.no_conversion(&value, "String"));
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

    /// Globals that have a value from the start.
    pub(super) fn set_standard_globals(&mut self) {
        let (stdout, stderr, stdin) = crate::core::io::standard_streams();
        let path =
            self.host.load_path().into_iter().map(|path| Value::str(path.to_string_lossy().into_owned()));
        let path: Vec<Value> = path.collect();
        for (name, value) in [
            ("$stdout", stdout.clone()),
            ("$stderr", stderr.clone()),
            ("$stdin", stdin.clone()),
            ("$/", Value::str("\n")),
            ("$:", Value::array(path)),
            ("$\"", Value::array(Vec::new())),
            ("$*", Value::array(Vec::new())),
            ("$0", Value::str("-")),
            ("$VERBOSE", Value::Bool(false)),
            ("$DEBUG", Value::Bool(false)),
        ] {
            let name = self.symbols.intern(name);
            self.globals.insert(name, value);
        }
        for (name, value) in [("STDOUT", stdout), ("STDERR", stderr), ("STDIN", stdin)] {
            self.set_constant(ClassId::OBJECT, name, value);
        }
        for (name, text) in [
            ("RUBY_VERSION", "3.1.2"),
            ("RUBY_ENGINE", "ruby"),
            ("RUBY_ENGINE_VERSION", "3.1.2"),
            ("RUBY_PLATFORM", "x86_64-linux"),
            ("RUBY_RELEASE_DATE", "2022-04-12"),
            ("RUBY_COPYRIGHT", "ruby - Copyright (C) 1993-2022 Yukihiro Matsumoto"),
            ("RUBY_DESCRIPTION", "ruby 3.1.2p20 (2022-04-12 revision 4491bb740a) [x86_64-linux]"),
        ] {
            let text = Value::str(text);
            if let Some(head) = text.head() {
                head.freeze();
            }
            self.set_constant(ClassId::OBJECT, name, text);
        }
        self.set_constant(ClassId::OBJECT, "RUBY_PATCHLEVEL", Value::Int(20));
        let argv = self.symbols.intern("$*");
        if let Some(argv) = self.globals.get(&argv).cloned() {
            self.set_constant(ClassId::OBJECT, "ARGV", argv);
        }
    }

    /// Sets the name of the script and its arguments.
    pub fn set_arguments(&mut self, script: &str, args: &[String]) -> Result<()> {
        self.start()?;
        let name = self.symbols.intern("$0");
        self.globals.insert(name, Value::str(script));
        let argv = self.symbols.intern("$*");
        if let Some(Value::Array(list)) = self.globals.get(&argv) {
            list.items_mut().extend(args.iter().map(|arg| Value::str(arg.as_str())));
        }
        Ok(())
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
