//! Data: what `lookup` and automatic class parameters ask for.

use std::any::Any;
use std::fmt::Debug;

use kukla_values::{Name, Str, Type, Value};

use crate::catalog::DataPlace;
use crate::error::Flow;
use crate::vm::Vm;

/// A question to the data.
#[derive(Clone, Debug, Default)]
pub struct LookupRequest {
    /// The keys, tried in order; each may be dotted.
    pub keys: Vec<Str>,
    /// What the value must be.
    pub value_type: Option<Type>,
    /// How values of several levels are joined: a name or a hash with `strategy`.
    pub merge: Option<Value>,
    /// What is given when nothing is found.
    pub default: Option<Value>,
    /// What is given per key when nothing is found.
    pub defaults: Option<Value>,
    /// What wins over all data.
    pub overrides: Option<Value>,
    /// Whether one of the older `hiera` functions asks.
    pub hiera: bool,
    /// What such a function was given to search first.
    pub extra_paths: Vec<Str>,
}

/// What data has for a parameter of a class.
#[derive(Clone, Debug)]
pub struct ParameterData {
    /// The value.
    pub value: Value,
    /// The modules that every part of it comes from; none stands for what lies in no module.
    pub modules: Vec<Option<Str>>,
}

/// Data, as the evaluator sees it. It belongs to one compilation; whoever compiles may know more of it than this, for which
/// it is [`Any`].
pub trait Data: Any + Send + Debug {
    /// Answers `lookup`: `None` when nothing was found and there is no default.
    fn lookup(&mut self, vm: &mut Vm<'_>, request: &LookupRequest) -> Flow<Option<Value>>;
    /// A `Puppet::LookupContext` that belongs to no lookup, as a program can make one.
    fn context(&self, module: Option<&str>) -> Value;
    /// The value data has for a parameter of a class.
    fn class_parameter(
        &mut self,
        vm: &mut Vm<'_>,
        class: Name,
        parameter: Name,
    ) -> Flow<Option<ParameterData>>;
    /// The key nearest to one that has no value, of those that have one.
    fn near_key(&mut self, vm: &mut Vm<'_>, key: &str) -> Option<Str>;
    /// Where the data has its value for a parameter of a class, the highest level first.
    fn places_of_parameter(&mut self, vm: &mut Vm<'_>, class: Name, parameter: Name) -> Vec<DataPlace>;
    /// Takes what is secret in the data out of a text.
    fn redact(&self, text: &mut String);
}

impl Vm<'_> {
    /// The data, if there is any and it is not at work.
    pub fn data(&self) -> Option<&dyn Data> {
        self.compilation.data()
    }

    /// Gives the compilation its data.
    pub fn set_data(&mut self, data: Box<dyn Data>) {
        self.compilation.replace_data(Some(data));
    }

    /// Asks the data something; `None` if there is no data. While the data works for this it is away from the compilation, unless
    /// it lends itself to code that it has evaluated.
    pub fn ask_data<T>(&mut self, ask: impl FnOnce(&mut dyn Data, &mut Self) -> T) -> Option<T> {
        let mut data = self.compilation.replace_data(None)?;
        let answer = ask(&mut *data, self);
        self.set_data(data);
        Some(answer)
    }

    /// Evaluates something on behalf of data that is at work, which is there to be asked meanwhile; gives it back.
    pub fn lending_data<T>(
        &mut self,
        data: Box<dyn Data>,
        evaluate: impl FnOnce(&mut Self) -> T,
    ) -> (T, Option<Box<dyn Data>>) {
        let outside = self.compilation.replace_data(Some(data));
        let result = evaluate(self);
        (result, self.compilation.replace_data(outside))
    }
}
