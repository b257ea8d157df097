//! Code in other languages, such as the Ruby of modules: its definitions, and its access to a compilation.

use std::any::Any;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use kukla_catalog::ResourceRef;
use kukla_catalog::types::NativeType;
pub use kukla_hiera::{BackendAnswer, BackendQuestion};
use kukla_syntax::Span;
use kukla_values::types::mismatch;
use kukla_values::{Hash, Name, Str, Value};

use crate::catalog::ResourceId;
use crate::dispatch;
use crate::environment::Environment;
use crate::error::{Flow, Raise};
use crate::lambda::Block;
use crate::messages::Mark;
use crate::registry::ForeignFunction;
use crate::scope::{FrameId, Position, ScopeId};
use crate::vm::Vm;

/// The definitions of modules in another language.
pub trait Extensions: Send + Sync + Debug {
    /// The resource type of that name, if some module of the environment has one.
    fn resource_type(&self, environment: &Environment, name: &str) -> Option<NativeType>;
    /// The same, as far as its text tells; none if the code has to run for it.
    fn readable_type(&self, environment: &Environment, name: &str) -> Option<NativeType>;
    /// The function that a name means to the code of a module, or of the site, if some module of the environment has one.
    fn function(
        &self,
        environment: &Environment,
        caller: Option<Name>,
        name: &str,
    ) -> Option<Arc<dyn ForeignFunction>>;
    /// Reads the code of a function or template that a compilation may soon want.
    fn read_ahead(&self, environment: &Environment, path: &Path);
    /// The function of that name, if this compilation has made one that no module has under its name.
    fn function_made(&self, vm: &mut Vm<'_>, name: &str) -> Flow<Option<Arc<dyn ForeignFunction>>>;
    /// Judges resources of such types as an agent would.
    fn judge(&self, environment: &Environment, facts: &Hash, resources: &[ResourceValues]) -> Vec<Verdict>;
    /// Asks a backend for Hiera 3 for a key.
    fn ask_backend(&self, vm: &mut Vm<'_>, question: &BackendQuestion<'_>) -> Flow<BackendAnswer>;
    /// The text of a template; `path` is where it was found, `name` how it was asked for.
    fn render(&self, vm: &mut Vm<'_>, name: &str, path: Option<&Path>, text: &str) -> Flow<Str>;
}

/// A state of the compilation that code in another language can change.
#[derive(Debug)]
pub struct Milestone {
    catalog: [u64; 8],
    assigned: u64,
    messages: Mark,
}

/// A resource as an agent is given it: its title and the values of its attributes.
#[derive(Clone, Debug)]
pub struct ResourceValues {
    /// The name of its type, in lower case.
    pub type_name: String,
    /// Its title.
    pub title: Str,
    /// Its attributes.
    pub attributes: Vec<(Name, Value)>,
}

/// The judgement of an agent on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent accepts it.
    Accepted,
    /// The agent refuses it.
    Refused(Refusal),
    /// That depends on the machine.
    Unknown,
}

/// The refusal of a resource by its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the refusal, which callers can branch on.
    pub kind: RefusalKind,
    /// The attribute that it is about, if it is about one.
    pub attribute: Option<String>,
    /// The message of the agent.
    pub message: String,
}

/// The class of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The type has no parameter of that name.
    UnknownParameter,
    /// The code that converts a value failed.
    MungeFailed,
    /// The type refuses the value of an attribute.
    ParameterFailed,
    /// The type refuses the resource as a whole, for example because of attributes that conflict.
    Other,
}

/// The state of another language's interpreter during a compilation.
#[derive(Default)]
pub(crate) struct Guest {
    kept: Option<Box<dyn Any>>,
    /// How many variables it has set.
    assigned: u64,
}

impl Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.kept.is_some() { "Guest" } else { "Guest(at work)" })
    }
}

impl Position {
    /// A number to find the position again by, for as long as the call goes on that it was asked in.
    pub fn number(self) -> u64 {
        u64::from(self.scope.0) << 32 | u64::from(self.frame.number())
    }

    /// The position of a number.
    pub fn of_number(number: u64) -> Position {
        Position { scope: ScopeId((number >> 32) as u32), frame: FrameId::of_number(number as u32) }
    }
}

/// A resource of the catalog as another language sees it.
#[derive(Clone, Debug)]
pub struct ResourceState {
    /// Its type, capitalised.
    pub type_name: Name,
    /// Its title.
    pub title: Str,
    /// Its attributes so far.
    pub attributes: Vec<(Name, Value)>,
}

impl Vm<'_> {
    /// Takes the state of the interpreter, unless it is running.
    pub fn take_guest(&mut self) -> Option<Box<dyn Any>> {
        self.guest.kept.take()
    }

    /// The state of the interpreter, unless it is running.
    pub fn guest_mut<T: Any>(&mut self) -> Option<&mut T> {
        self.guest.kept.as_mut()?.downcast_mut()
    }

    /// Stores the state of the interpreter.
    pub fn put_guest(&mut self, guest: Box<dyn Any>) {
        self.guest.kept = Some(guest);
    }

    /// How far the compilation has come.
    pub fn milestone(&self) -> Milestone {
        let catalog = self.catalog.counts();
        Milestone { catalog, assigned: self.guest.assigned, messages: self.messages_mark() }
    }

    /// Returns to an earlier state, so that another attempt can be made from there; messages since then are dropped.
    /// Returns `false` if something has happened that cannot be undone.
    pub fn go_back_to(&mut self, milestone: Milestone) -> bool {
        let is_same = self.catalog.counts() == milestone.catalog && self.guest.assigned == milestone.assigned;
        if is_same {
            self.unsay(milestone.messages);
        }
        is_same
    }

    /// The current position.
    pub fn standing(&self) -> Position {
        self.position()
    }

    /// Evaluates at another position.
    pub fn standing_at<T>(&mut self, position: Position, body: impl FnOnce(&mut Self) -> T) -> T {
        let unit = Arc::clone(self.unit());
        self.inside(&unit, self.scopes.still_there(position), body)
    }

    /// All variables that can be seen without a qualified name; facts and the like come first, inner scopes last.
    pub fn visible_variables(&self, at: Position) -> Vec<(Str, Value)> {
        let node = self.node();
        let mut all: Vec<(Str, Value)> = Vec::new();
        for variables in [&node.server_facts, &node.facts, &node.variables] {
            let named =
                variables.iter().filter_map(|(name, value)| Some((name.as_str()?.into(), value.clone())));
            all.extend(named);
        }
        for name in ["trusted", "server_facts", "facts", "environment"] {
            all.extend(self.node_variable(name).map(|value| (name.into(), value)));
        }
        let scopes = self.scopes.visible(self.scopes.still_there(at));
        all.extend(scopes.into_iter().map(|(name, value)| (name.as_str().into(), value)));
        all
    }

    /// Sets a variable in the current scope.
    pub fn assign_variable(&mut self, name: &str, value: Value) -> Flow<()> {
        self.guest.assigned += 1;
        self.set_variable(Name::new(name), value, Span::default())
    }

    /// Puts a list or hash in the place of another wherever the code being evaluated holds that very one: code of another language has
    /// changed it, and in Puppet they share it. `name` is the variable it was taken from: nothing else distinguishes empty lists.
    pub fn change_in_place(&mut self, name: &str, old: &Value, new: &Value) {
        if is_empty_list(old) {
            return self.fill_in_place(Name::new(name), new);
        }
        let change = |held: &mut Value| {
            if is_same_collection(held, old) {
                *held = new.clone();
            }
        };
        self.scopes.visible_mut(self.position()).for_each(change);
        if let Some(id) = self.container_id() {
            let params = self.catalog.params_mut(id);
            for param in params.iter_mut().filter(|param| is_same_collection(&param.value, old)) {
                param.value = new.clone();
                param.shared = 0;
            }
        }
    }

    fn fill_in_place(&mut self, name: Name, new: &Value) {
        let Some((held, is_own)) = self.scopes.meant_mut(self.position(), name) else { return };
        if !is_empty_list(held) {
            return;
        }
        *held = new.clone();
        if is_own && let Some(id) = self.container_id() {
            let params = self.catalog.params_mut(id);
            if let Some(param) =
                params.iter_mut().find(|param| param.name == name && is_empty_list(&param.value))
            {
                param.value = new.clone();
                param.shared = 0;
            }
        }
    }

    /// The classes of the catalog so far.
    pub fn class_names(&self) -> Vec<Str> {
        self.catalog.class_names()
    }

    /// The tags of the catalog so far.
    pub fn catalog_tags(&self) -> Vec<Str> {
        self.catalog.tag_words()
    }

    /// The tags of the class or define being evaluated.
    pub fn scope_tags(&self) -> Vec<Str> {
        self.container_id().map_or_else(Vec::new, |id| self.catalog.tag_words_of(id))
    }

    /// A declared resource.
    pub fn resource_state(&self, id: ResourceId) -> ResourceState {
        let resource = self.catalog.get(id);
        let attributes = resource.params.iter().map(|param| (param.name, param.value.clone())).collect();
        ResourceState { type_name: resource.type_name, title: resource.title.clone(), attributes }
    }

    /// The declared resource of a type and title.
    pub fn find_resource(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        self.declared(&ResourceRef::new(type_name, title))
    }

    /// Takes a declared resource out of the catalog.
    pub fn remove_resource(&mut self, id: ResourceId) {
        self.catalog.remove(id);
    }

    /// All declared resources.
    pub fn resource_ids(&self) -> Vec<ResourceId> {
        self.catalog.ids().collect()
    }

    /// The defaults for a type in the current scope.
    pub fn resource_defaults(&self, type_name: &str) -> Vec<(Name, Value)> {
        let Some(type_name) = Name::existing(type_name) else { return Vec::new() };
        self.catalog.default_values(self.scope(), type_name)
    }

    /// Whether there is a class or define of that name.
    pub fn definition_kind(&mut self, name: &str) -> Flow<Option<&'static str>> {
        if self.autoload_computed_class(name)?.is_some() {
            return Ok(Some("class"));
        }
        Ok(self.autoload_computed_define(name)?.map(|_| "define"))
    }

    /// The error of a call that fits none of the signatures of a function.
    pub fn refuse_call(
        &self,
        name: &str,
        signatures: &[mismatch::Signature],
        args: &[Value],
        block: Option<&Block>,
    ) -> Raise {
        dispatch::refused(name, signatures, args, block)
    }

    /// Whether a call fits a signature.
    pub fn fits(&self, signature: &mismatch::Signature, args: &[Value], block: Option<&Block>) -> bool {
        dispatch::accepts(&signature.callable, args, block)
    }

    /// Refuses a value that is not what a function says it returns.
    pub fn refuse_return(&self, name: &str, signature: &mismatch::Signature, value: Value) -> Flow {
        self.check_return(name, &signature.callable, value)
    }

    /// Calls a function that is not built in, as built-in ones that run code are called.
    pub fn in_foreign_call<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, Raise>,
    ) -> Result<T, Raise> {
        self.in_call(None, body)
    }
}

fn is_empty_list(value: &Value) -> bool {
    matches!(value, Value::Array(values) if values.is_empty())
}

/// Whether both are the same list or hash, not just equal ones.
fn is_same_collection(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => !a.is_empty() && a.as_ptr() == b.as_ptr() && a.len() == b.len(),
        (Value::Hash(a), Value::Hash(b)) => std::ptr::eq(&**a, &**b),
        _ => false,
    }
}
