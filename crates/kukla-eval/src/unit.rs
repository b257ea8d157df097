//! Units: a program as one environment has it.
//!
//! A [`Program`] says the same wherever it is read, so one serves all environments. What differs from one environment to the next is
//! here: the name of the file, the module it lies in, and what the names in it stand for. The program numbers every such question
//! when it is lowered, and the unit answers each once, in a table with a place for every number.

use std::ops::Deref;
use std::sync::{Arc, OnceLock, Weak};

use kukla_catalog::types::is_metaparameter;
use kukla_syntax::{Source, Span};
use kukla_values::types::callable::CallableType;
use kukla_values::{Name, Value};
use kukla_world::record::InputSet;

use crate::environment::SignatureCheck;
use crate::error::Location;
use crate::program::{
    AliasDefinition, Class, Define, Definition, FunctionSlot, NodeDefinition, Program, PuppetFunction,
    SignatureSlot, TypeSlot,
};
use crate::registry::{ForeignFunction, Function, Registered};
use crate::remark::{Remark, Remarks};

/// A program as one environment has it: under a name, in a module, with what the names in it stand for there.
#[derive(Debug)]
pub struct Unit {
    /// The text, under the name that messages give it.
    pub source: Source,
    /// The module the file belongs to, if it lies in one.
    pub module: Option<Name>,
    /// The program in the text.
    pub program: Arc<Program>,
    /// The remarks of every compilation that uses the unit.
    pub remarks: Remarks,
    types: Box<[OnceLock<CachedMeaning<Value>>]>,
    functions: Box<[OnceLock<FunctionLink>]>,
    signatures: Box<[OnceLock<CachedMeaning<Arc<CallableType>>>]>,
    /// Whether the types of its parameters exist.
    pub(crate) signature_check: SignatureCheck,
}

/// The meaning of a name, and the remarks about the files that led to it.
#[derive(Debug)]
pub(crate) struct CachedMeaning<T> {
    pub answer: T,
    pub remarks: Remarks,
}

/// The function that a name means. Functions call themselves and each other; the environment owns them, not the calls.
#[derive(Debug)]
enum FunctionLink {
    Builtin(&'static Registered),
    Puppet(Weak<Defined<PuppetFunction>>),
    Foreign(Arc<dyn ForeignFunction>),
}

/// An empty text without a name.
impl Default for Unit {
    fn default() -> Unit {
        let program = Program::default();
        Unit::new(Source::unnamed(Arc::clone(&program.text)), None, Arc::new(program))
    }
}

impl Unit {
    /// A program under a name, in a module.
    pub fn new(source: Source, module: Option<Name>, program: Arc<Program>) -> Unit {
        Unit::after(&Remarks::default(), InputSet::default(), source, module, program)
    }

    /// A program that is never used without others, on which there may be something to say first.
    pub(crate) fn after(
        others: &Remarks,
        inputs: InputSet,
        source: Source,
        module: Option<Name>,
        program: Arc<Program>,
    ) -> Unit {
        let mut remarks = others.clone();
        if !inputs.is_empty() {
            remarks.add(Arc::new(Remark::Read(inputs)));
        }
        if !program.warnings.is_empty() {
            remarks.add(Arc::new(Remark::Text { source: source.clone(), program: Arc::clone(&program) }));
        }
        for definition in &program.definitions {
            let (owner, params) = match definition {
                Definition::Class(class) => (class.name, &class.params),
                Definition::Define(define) => (define.name, &define.params),
                _ => continue,
            };
            for param in params.iter().filter(|param| is_metaparameter(&param.name)) {
                remarks.add(Arc::new(Remark::Metaparameter { name: param.name, owner }));
            }
        }
        let questions = program.questions;
        Unit {
            source,
            module,
            program,
            remarks,
            types: unanswered(questions.types),
            functions: unanswered(questions.functions),
            signatures: unanswered(questions.signatures),
            signature_check: SignatureCheck::default(),
        }
    }

    /// The place of a span in the text.
    pub fn location(&self, span: Span) -> Location {
        Location { source: self.source.clone(), span }
    }

    #[inline]
    pub(crate) fn type_of(&self, slot: TypeSlot) -> Option<&CachedMeaning<Value>> {
        self.types.get(slot.0 as usize)?.get()
    }

    pub(crate) fn set_type(&self, slot: TypeSlot, answer: Value, remarks: Remarks) {
        set(&self.types, slot.0, CachedMeaning { answer, remarks });
    }

    #[inline]
    pub(crate) fn signature(&self, slot: SignatureSlot) -> Option<&CachedMeaning<Arc<CallableType>>> {
        self.signatures.get(slot.0 as usize)?.get()
    }

    pub(crate) fn set_signature(&self, slot: SignatureSlot, answer: Arc<CallableType>, remarks: Remarks) {
        set(&self.signatures, slot.0, CachedMeaning { answer, remarks });
    }

    #[inline]
    pub(crate) fn function(&self, slot: FunctionSlot) -> Option<Function> {
        Some(match self.functions.get(slot.0 as usize)?.get()? {
            FunctionLink::Builtin(function) => Function::Builtin(function),
            FunctionLink::Puppet(function) => Function::Puppet(function.upgrade()?),
            FunctionLink::Foreign(function) => Function::Foreign(Arc::clone(function)),
        })
    }

    pub(crate) fn set_function(&self, slot: FunctionSlot, function: &Function) {
        let known = match function {
            Function::Builtin(function) => FunctionLink::Builtin(function),
            Function::Puppet(function) => FunctionLink::Puppet(Arc::downgrade(function)),
            Function::Foreign(function) => FunctionLink::Foreign(Arc::clone(function)),
        };
        set(&self.functions, slot.0, known);
    }
}

fn unanswered<T>(count: u32) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

/// Keeps an answer; another thread may have been first with the same one.
fn set<T>(table: &[OnceLock<T>], slot: u32, answer: T) {
    if let Some(place) = table.get(slot as usize) {
        let _ = place.set(answer);
    }
}

/// A definition and the unit that it is written in.
#[derive(Debug)]
pub struct Defined<T> {
    /// Its position.
    pub unit: Arc<Unit>,
    definition: Arc<T>,
}

impl<T> Defined<T> {
    pub(crate) fn new(unit: &Arc<Unit>, definition: &Arc<T>) -> Arc<Defined<T>> {
        Arc::new(Defined { unit: Arc::clone(unit), definition: Arc::clone(definition) })
    }
}

impl<T> Deref for Defined<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.definition
    }
}

/// The position of a definition.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionPlace<'a> {
    /// The unit.
    pub unit: &'a Arc<Unit>,
    /// The position in its text.
    pub span: Span,
}

impl DefinitionPlace<'_> {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&str> {
        self.unit.source.name()
    }

    /// The line, counted from one.
    pub fn line(&self) -> u32 {
        self.unit.source.line_column(self.span.point).line
    }

    /// The same, to be kept.
    pub fn location(&self) -> Location {
        self.unit.location(self.span)
    }
}

macro_rules! placed {
    ($($definition:ty)*) => {
        $(impl Defined<$definition> {
            /// Its position.
            pub fn place(&self) -> DefinitionPlace<'_> {
                DefinitionPlace { unit: &self.unit, span: self.definition.span }
            }
        })*
    };
}

placed! { Class Define PuppetFunction AliasDefinition NodeDefinition }
