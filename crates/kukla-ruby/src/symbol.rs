//! Symbols: the names of methods, variables and constants, and values of the language.
//!
//! A `Symbol` is a number. The names that Kukla itself knows have fixed numbers, shared by all interpreters of the process; what a program
//! names or computes is numbered by the interpreter that runs it and forgotten with it, so that nothing is kept for ever.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::class::NATIVE_CLASSES;
use crate::effects::ERRORS;
use crate::memory::Taken;

/// A name, unique per spelling within one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

macro_rules! known_symbols {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Symbols that Rust code names.
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "a list of numbers, not a type anyone sees")]
        enum Known { $($name),* }
        const KNOWN: &[&str] = &[$($text),*];
        /// Symbols that Rust code names.
        pub mod sym {
            use super::{Known, Symbol};
            $(#[doc = concat!("The name ", stringify!($text), ".")] pub const $name: Symbol = Symbol(Known::$name as u32);)*
        }
    };
}

known_symbols! {
    INITIALIZE = "initialize", INITIALIZE_COPY = "initialize_copy", INITIALIZE_CLONE = "initialize_clone", INITIALIZE_DUP = "initialize_dup",
    NEW = "new", ALLOCATE = "allocate", CALL = "call", EACH = "each", TO_S = "to_s", TO_STR = "to_str", TO_SYM = "to_sym", TO_A = "to_a",
    TO_ARY = "to_ary", TO_H = "to_h", TO_HASH = "to_hash", TO_I = "to_i", TO_INT = "to_int", TO_F = "to_f", TO_R = "to_r", TO_C = "to_c", TO_PROC = "to_proc",
    TO_REGEXP = "to_regexp", TO_PATH = "to_path", TO_IO = "to_io", INSPECT = "inspect", HASH = "hash", EQL = "eql?", EQUAL = "equal?",
    EQ = "==", NEQ = "!=", EQQ = "===", MATCH = "=~", NOT_MATCH = "!~", NOT = "!", CMP = "<=>", LT = "<", LE = "<=", GT = ">", GE = ">=",
    PLUS = "+", MINUS = "-", TIMES = "*", DIVIDE = "/", MODULO = "%", POWER = "**", SHIFT_LEFT = "<<", SHIFT_RIGHT = ">>", AND = "&", OR = "|", XOR = "^",
    COMPLEMENT = "~", UPLUS = "+@", UMINUS = "-@", INDEX = "[]", INDEX_SET = "[]=", BACKTICK = "`", COERCE = "coerce", SUCC = "succ", BEGIN = "begin", END = "end",
    MESSAGE = "message", EXCEPTION = "exception", BACKTRACE = "backtrace", FULL_MESSAGE = "full_message", DETAILED_MESSAGE = "detailed_message",
    METHOD_MISSING = "method_missing", RESPOND_TO = "respond_to?", RESPOND_TO_MISSING = "respond_to_missing?", CONST_MISSING = "const_missing",
    INHERITED = "inherited", INCLUDED = "included", EXTENDED = "extended", PREPENDED = "prepended", APPEND_FEATURES = "append_features",
    PREPEND_FEATURES = "prepend_features", EXTEND_OBJECT = "extend_object", METHOD_ADDED = "method_added", METHOD_REMOVED = "method_removed",
    METHOD_UNDEFINED = "method_undefined", SINGLETON_METHOD_ADDED = "singleton_method_added", SINGLETON_METHOD_REMOVED = "singleton_method_removed",
    SINGLETON_METHOD_UNDEFINED = "singleton_method_undefined", CONST_ADDED = "const_added",
    DECONSTRUCT = "deconstruct", DECONSTRUCT_KEYS = "deconstruct_keys", SIZE = "size", LENGTH = "length", NAME = "name", KEY = "key", RECEIVER = "receiver",
    RESULT = "result", REASON = "reason", LAMBDA = "lambda", PROC = "proc", RAISE = "raise", PUTS = "puts", PRINT = "print", WRITE = "write",
    IS_A = "is_a?", NIL_P = "nil?", CLASS = "class", DUP = "dup", CLONE = "clone", FREEZE = "freeze", FREEZE_KW = "freeze_keyword", SEND = "send", SEND_ = "__send__",
    FETCH = "fetch", DIG = "dig", CLOSE = "close", READ = "read", WITH_INDEX = "with_index", EXCEPTION_KW = "exception_keyword", DEFAULT = "default",
    BLOCK_GIVEN = "block_given?", KEYS = "keys", JOIN = "join", MEMBERS = "members", TO_JSON = "to_json", TO_YAML = "to_yaml", REWIND = "rewind", NEXT = "next", FORCE = "force", MEMBERS_KW = "__members__", KEYWORD_INIT = "__keyword_init__", FLATTEN = "flatten", EACH_PAIR = "each_pair", ADD = "add", RAND = "rand", P = "p",
}

/// The names with fixed numbers: those above, then those that each interpreter has from the beginning, of native methods and classes.
struct Base {
    names: Vec<&'static str>,
    numbers: FxHashMap<&'static str, u32>,
}

static BASE: LazyLock<Base> = LazyLock::new(|| {
    let mut base = Base { names: Vec::new(), numbers: FxHashMap::default() };
    let methods = NATIVE_CLASSES.iter().flat_map(|class| class.methods.iter().chain(class.singleton));
    let methods = methods.flat_map(|table| table.iter().map(|method| method.name));
    let classes = NATIVE_CLASSES.iter().filter_map(|class| class.name.rsplit("::").next());
    let errors = ERRORS.iter().map(|(name, ..)| *name);
    for name in KNOWN.iter().copied().chain(methods).chain(classes).chain(errors) {
        let number = base.names.len() as u32;
        base.numbers.entry(name).or_insert_with(|| {
            base.names.push(name);
            number
        });
    }
    base
});

/// The symbol of a name that Kukla itself knows.
pub(crate) fn fixed(name: &str) -> Option<Symbol> {
    BASE.numbers.get(name).map(|number| Symbol(*number))
}

/// The symbols of one interpreter.
#[derive(Debug)]
pub struct Symbols {
    base: u32,
    names: Vec<Rc<str>>,
    numbers: FxHashMap<Rc<str>, u32>,
    taken: Taken,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols {
            base: BASE.names.len() as u32,
            names: Vec::new(),
            numbers: FxHashMap::default(),
            taken: Taken::default(),
        }
    }
}

impl Symbols {
    /// The symbol spelled `name`.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(known) = self.existing(name) {
            return known;
        }
        let number = self.base + self.names.len() as u32;
        // Itself, and its places in both tables.
        self.taken.add(name.len() + 64);
        let name: Rc<str> = name.into();
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        Symbol(number)
    }

    /// The symbol spelled `name`, if there is one.
    pub fn existing(&self, name: &str) -> Option<Symbol> {
        fixed(name).or_else(|| self.numbers.get(name).map(|number| Symbol(*number)))
    }

    /// How a symbol is spelled.
    pub fn name(&self, symbol: Symbol) -> &str {
        match symbol.0.checked_sub(self.base) {
            None => BASE.names.get(symbol.0 as usize).copied().unwrap_or_default(),
            Some(own) => self.names.get(own as usize).map_or("", |name| name),
        }
    }
}
