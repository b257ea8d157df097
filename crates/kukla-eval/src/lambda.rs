//! Blocks, lambdas and how their parameters get values.

use std::fmt::Debug;
use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};
use kukla_values::types::callable::CallableType;
use kukla_values::types::{Range, StructField, mismatch};
use kukla_values::{Array, Hash, Name, Type, Value};

use crate::codes::{MISSING_REQUIRED_PARAMETER, REQUIRED_PARAMETER_AFTER_OPTIONAL, RESERVED_VARIABLE};
use crate::error::{Flow, Location, Raised};
use crate::program::{Lambda, Param, PuppetFunction};
use crate::scope::Position;
use crate::standpoint::Visibility;
use crate::unit::{Defined, Unit};
use crate::variable::Defaulting;
use crate::vm::Vm;

/// A block that a call can call back. It lives as long as the call.
#[derive(Clone, Debug)]
pub enum Block {
    /// A lambda.
    Lambda(Closure),
    /// One of another language, such as Ruby.
    Foreign(Arc<dyn ForeignBlock>),
}

/// A lambda together with the scope and the unit it was written in.
#[derive(Clone, Debug)]
pub struct Closure {
    lambda: Arc<Lambda>,
    scope: Position,
    unit: Arc<Unit>,
    signature: Arc<CallableType>,
}

/// A block of another language.
pub trait ForeignBlock: Send + Sync + Debug {
    /// Its type: functions choose among their signatures by it.
    fn signature(&self) -> &Arc<CallableType>;
    /// The names of its parameters.
    fn parameter_names(&self) -> Vec<Name>;
    /// Calls it; it checks its arguments itself. `next` and `break` come out as [`Raised::Next`] and [`Raised::Break`].
    fn call(&self, vm: &mut Vm<'_>, args: Vec<Value>) -> Flow;
}

impl Block {
    /// The number of parameters, counting one that captures the rest.
    pub fn parameter_count(&self) -> usize {
        match self {
            Block::Lambda(closure) => closure.lambda.params.len(),
            Block::Foreign(block) => block.parameter_names().len(),
        }
    }

    /// Whether the last parameter captures the rest.
    pub fn captures_rest(&self) -> bool {
        match self {
            Block::Lambda(closure) => closure.lambda.params.last().is_some_and(|last| last.captures_rest),
            Block::Foreign(block) => block.signature().arity().to().is_none(),
        }
    }

    /// The names of the parameters.
    pub fn parameter_names(&self) -> Vec<Name> {
        match self {
            Block::Lambda(closure) => closure.lambda.params.iter().map(|param| param.name).collect(),
            Block::Foreign(block) => block.parameter_names(),
        }
    }

    /// Calls it.
    pub fn call<A>(&self, vm: &mut Vm<'_>, args: A) -> Flow
    where
        A: IntoIterator<Item = Value>,
        A::IntoIter: ExactSizeIterator,
    {
        vm.call_block(self, args)
    }

    /// The number of arguments it takes, if that is all there is to say about them.
    pub(crate) fn plain_count(&self) -> Option<i64> {
        match self {
            Block::Lambda(closure) => closure.lambda.plain.then_some(closure.lambda.params.len() as i64),
            Block::Foreign(_) => None,
        }
    }

    /// Its type.
    pub fn signature(&self) -> &Arc<CallableType> {
        match self {
            Block::Lambda(closure) => &closure.signature,
            Block::Foreign(block) => block.signature(),
        }
    }
}

/// Variables that no parameter of a lambda or function may hide.
pub(crate) const RESERVED: [&str; 3] = ["facts", "server_facts", "trusted"];

/// Puppet refuses such a name only when the parameter gets its value.
pub(crate) fn refuse_reserved(name: Name) -> Flow<()> {
    match RESERVED.contains(&name.as_str()) {
        false => Ok(()),
        true => bail!(RESERVED_VARIABLE { name }),
    }
}

impl Vm<'_> {
    /// A lambda in the current scope.
    pub(crate) fn block(&mut self, lambda: &Arc<Lambda>) -> Flow<Block> {
        let signature = self.signature(lambda)?;
        let (lambda, unit) = (Arc::clone(lambda), Arc::clone(self.unit()));
        Ok(Block::Lambda(Closure { lambda, scope: self.position(), unit, signature }))
    }

    /// Calls a block. `next` in it is its value; `break` comes out as [`Raised::Break`], see [`Vm::try_block`].
    pub fn call_block<A>(&mut self, block: &Block, args: A) -> Flow
    where
        A: IntoIterator<Item = Value>,
        A::IntoIter: ExactSizeIterator,
    {
        self.charge(1)?;
        match block {
            Block::Lambda(closure) => self.call_lambda(closure, args.into_iter()),
            Block::Foreign(block) => {
                let args = args.into_iter().collect();
                self.enter(|vm| next_is_value(block.call(vm, args)))
            }
        }
    }

    fn call_lambda(&mut self, block: &Closure, args: impl ExactSizeIterator<Item = Value>) -> Flow {
        let lambda = &*block.lambda;
        self.enter(|vm| {
            let result = vm.with_variables(&block.unit, Visibility::From(block.scope), |vm| {
                // Arguments beyond the last parameter are dropped.
                if !lambda.positional || args.len() < lambda.params.len() {
                    vm.bind_parameters("lambda", lambda, &block.signature, args.collect())?;
                    return vm.eval(&lambda.body);
                }
                let frame = vm.position();
                for (param, value) in lambda.params.iter().zip(args) {
                    vm.scopes.give(frame, param.name, value);
                }
                if !lambda.plain {
                    vm.check_given(lambda, &block.signature)?;
                }
                vm.eval(&lambda.body)
            });
            let value = next_is_value(result)?;
            match &lambda.returns {
                None => Ok(value),
                Some(_) => vm.check_return("lambda", &block.signature, value),
            }
        })
    }

    /// Calls a block in an iteration: `None` when it called `break`.
    pub fn try_block<A>(&mut self, block: &Block, args: A) -> Flow<Option<Value>>
    where
        A: IntoIterator<Item = Value>,
        A::IntoIter: ExactSizeIterator,
    {
        match self.call_block(block, args) {
            Ok(value) => Ok(Some(value)),
            Err(raise) if matches!(raise.reason(), Raised::Break(_)) => Ok(None),
            Err(raise) => Err(raise),
        }
    }

    /// Gives the parameters of the current frame their values, defaults included, and checks them.
    pub(crate) fn bind_parameters(
        &mut self,
        callee: &str,
        lambda: &Lambda,
        signature: &CallableType,
        args: Vec<Value>,
    ) -> Flow<()> {
        let frame = self.position();
        let params = &lambda.params;
        let given = args.len();
        let mut args = args.into_iter();
        let mut all: Vec<Value> = Vec::with_capacity(given.max(params.len()));
        for (index, param) in params.iter().enumerate() {
            let value = match (index < given, param.captures_rest) {
                (true, false) => args.next().unwrap_or_default(),
                (true, true) => {
                    let rest: Array = args.by_ref().collect();
                    match &param.default {
                        Some(_) if rest.len() == 1 && rest[0].is_undef() => {
                            as_array(self.parameter_default(callee, params, index)?)
                        }
                        _ => Value::Array(rest),
                    }
                }
                (false, captures) => match (&param.default, captures) {
                    (Some(_), true) => as_array(self.parameter_default(callee, params, index)?),
                    (Some(_), false) => self.parameter_default(callee, params, index)?,
                    (None, true) => Value::Array(Array::new()),
                    (None, false) => {
                        let wrong = diagnostic!(MISSING_REQUIRED_PARAMETER { name: param.name });
                        return Err(self.fail(param.span, wrong));
                    }
                },
            };
            match &value {
                Value::Array(rest) if param.captures_rest => all.extend(rest.iter().cloned()),
                value => all.push(value.clone()),
            }
            self.scopes.give(frame, param.name, value);
        }
        self.check_arguments(callee, params, signature, &all)?;
        params.iter().try_for_each(|param| refuse_reserved(param.name))
    }

    /// Checks the arguments that the parameters of the current frame were given one by one.
    fn check_given(&self, lambda: &Lambda, signature: &CallableType) -> Flow<()> {
        let given = self.scopes.entries(self.position());
        if given.iter().zip(&signature.params).all(|((_, value), ty)| ty.contains(value)) {
            return Ok(());
        }
        let args: Vec<Value> = given.iter().map(|(_, value)| value.clone()).collect();
        self.check_arguments("lambda", &lambda.params, signature, &args)
    }

    /// Gives the parameters of the current frame their values by name, defaults included, and checks them.
    pub(crate) fn bind_by_name(&mut self, callee: &str, params: &[Param], args: &Hash) -> Flow<()> {
        let frame = self.position();
        // Later parameters that were given are visible to earlier defaults.
        let given = |name: Name| args.get(name.as_str()).filter(|value| !value.is_undef());
        let mut waiting: Vec<Name> = Vec::new();
        for (name, value) in args {
            // A name that occurs in no text so far cannot be a parameter, and will be refused.
            if let Some(name) = name.as_str().and_then(Name::existing).filter(|_| !value.is_undef()) {
                self.scopes.give(frame, name, value.clone());
            }
        }
        waiting.extend(params.iter().map(|param| param.name).filter(|name| given(*name).is_none()));
        let mut all = args.clone();
        let mut types = Vec::with_capacity(params.len());
        let mut fitting = 0;
        for (index, param) in params.iter().enumerate() {
            let (ty, _) = self.parameter_type(param)?;
            if let Some(value) = given(param.name) {
                fitting += usize::from(ty.contains(value) && !RESERVED.contains(&param.name.as_str()));
                types.push(ty);
                continue;
            }
            types.push(ty);
            let value = match &param.default {
                Some(_) => self.default_with(callee, params, index, waiting.clone())?,
                None if args.contains_key(param.name.as_str()) => Value::Undef,
                None => continue,
            };
            waiting.retain(|name| *name != param.name);
            all.insert(param.name.as_str(), value.clone());
            self.scopes.give(frame, param.name, value);
        }
        // Whatever is not this simple is worth a closer look.
        if fitting == params.len() && fitting == all.len() {
            return params.iter().try_for_each(|param| refuse_reserved(param.name));
        }
        let field = |(param, ty): (&Param, Type)| match param.default {
            Some(_) => StructField::optional(param.name.as_str(), ty),
            None => StructField::required(param.name.as_str(), ty),
        };
        let declared: Vec<StructField> = params.iter().zip(types).map(field).collect();
        mismatch::assert_parameters(callee, &declared, &all, false)?;
        params.iter().try_for_each(|param| refuse_reserved(param.name))
    }

    /// Evaluates the default of a parameter; it sees the parameters before it and no later ones.
    fn parameter_default(&mut self, callee: &str, params: &[Param], index: usize) -> Flow {
        let waiting = params[index..].iter().map(|param| param.name).collect();
        self.default_with(callee, params, index, waiting)
    }

    fn default_with(&mut self, callee: &str, params: &[Param], index: usize, waiting: Vec<Name>) -> Flow {
        let Some(default) = &params[index].default else { return Ok(Value::Undef) };
        let frame = self.position();
        self.scopes.set_pending(frame, waiting, true);
        let names = params.iter().map(|param| param.name).collect();
        let defaulting = Defaulting { callee: callee.into(), names, at: index };
        let result = self.for_parameter(defaulting, |vm| vm.guarded(|vm| vm.eval(default)));
        self.scopes.set_pending(frame, Vec::new(), false);
        result
    }

    /// The type of a function written in Puppet.
    pub(crate) fn function_signature(
        &mut self,
        function: &Defined<PuppetFunction>,
    ) -> Flow<Arc<CallableType>> {
        if let Some(slot) = function.lambda.signature
            && let Some(known) = function.unit.signature(slot)
        {
            self.remark(&known.remarks);
            return Ok(Arc::clone(&known.answer));
        }
        self.in_unit(&function.unit, |vm| vm.signature(&function.lambda))
    }

    /// The type of a lambda or function of the unit being evaluated.
    fn signature(&mut self, lambda: &Lambda) -> Flow<Arc<CallableType>> {
        let Some(slot) = lambda.signature else { return self.make_signature(lambda) };
        if let Some(known) = self.unit().signature(slot) {
            let answer = Arc::clone(&known.answer);
            if !known.remarks.is_empty() {
                self.remark(&known.remarks.clone());
            }
            return Ok(answer);
        }
        let (signature, remarks) = self.answer(|vm| vm.make_signature(lambda))?;
        self.unit().set_signature(slot, Arc::clone(&signature), remarks);
        Ok(signature)
    }

    fn make_signature(&mut self, lambda: &Lambda) -> Flow<Arc<CallableType>> {
        let mut types = Vec::with_capacity(lambda.params.len());
        let mut size = Range::exactly(0);
        let mut optional = false;
        for param in &lambda.params {
            let (ty, range) = self.parameter_type(param)?;
            if range.min() == 0 {
                optional = true;
            } else if optional {
                let wrong = diagnostic!(REQUIRED_PARAMETER_AFTER_OPTIONAL { name: param.name });
                return Err(self.fail(param.span, wrong));
            }
            size = size.plus(range);
            types.push(ty);
        }
        let returns = match &lambda.returns {
            None => None,
            Some(ty) => Some((*self.eval_type_expr(ty)?).clone()),
        };
        Ok(Arc::new(CallableType::new(types, Some(size), None, returns)))
    }

    /// The type of a parameter and how many arguments it takes. For `Array[T, 1, 3] *$rest` the array says how many there
    /// may be, and `T` what each of them is.
    fn parameter_type(&mut self, param: &Param) -> Flow<(Type, Range)> {
        let ty = match &param.ty {
            None => Type::Any,
            Some(ty) => (*self.eval_type_expr(ty)?).clone(),
        };
        Ok(match (param.captures_rest, &ty) {
            (true, Type::Array(array)) => (array.element.clone(), array.size.as_size()),
            (true, _) => (ty, Range::at_least(0)),
            (false, _) if param.default.is_some() => (ty, Range::new(0, 1)),
            (false, _) => (ty, Range::exactly(1)),
        })
    }

    /// The place of the call being made, for `next`, `break` and `return`.
    pub fn caller(&self) -> Option<Location> {
        Some(self.call_location())
    }
}

/// `next(value)` ends a lambda or function with that value.
pub(crate) fn next_is_value(result: Flow) -> Flow {
    match result {
        Err(raise) if matches!(raise.reason(), Raised::Next(..)) => match raise.into_reason() {
            Raised::Next(value, _) => Ok(value),
            other => Err(other.into()),
        },
        other => other,
    }
}

fn as_array(value: Value) -> Value {
    match value {
        Value::Array(_) => value,
        other => Value::Array(Array::from(vec![other])),
    }
}
