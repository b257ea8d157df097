//! Assignments.

use std::rc::Rc;

use super::Frame;
use crate::args::Args;
use crate::class::ClassId;
use crate::error::Result;
use crate::program::{
    Arguments, Call, CallAssign, Combine, ConstAssign, ConstParent, MultiTarget, Node, Target, VariableSlot,
};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Value};

/// The prepared part of a target: the receiver and arguments of the call that sets it.
enum Prepared {
    Nothing,
    Call(Value, Vec<Value>, bool),
    Module(ClassId),
    Multi(Vec<Prepared>),
}

/// Adds the value that is assigned to the arguments of `[]=`: before the keywords, if there are any.
fn push_value(args: &mut Vec<Value>, has_keywords: bool, value: Value) {
    let keywords = if has_keywords { args.pop() } else { None };
    args.push(value);
    args.extend(keywords);
}

impl Ruby<'_> {
    /// Assigns a value to a target.
    pub(super) fn assign(&mut self, f: &Frame<'_>, target: &Target, value: Value) -> Result<()> {
        let prepared = self.prepare(f, target)?;
        self.assign_prepared(f, target, prepared, value)
    }

    fn prepare(&mut self, f: &Frame<'_>, target: &Target) -> Result<Prepared> {
        Ok(match target {
            Target::Call(call) => {
                let receiver = match &call.receiver {
                    Some(receiver) => self.eval(f, receiver)?,
                    None => f.this.clone(),
                };
                let (args, has_keywords) = self.arguments(f, &call.args)?;
                Prepared::Call(receiver, args, has_keywords)
            }
            Target::Const(target) => Prepared::Module(self.constant_module(f, target)?),
            Target::Multi(multi) => Prepared::Multi(kukla_syntax::deep(|| self.prepare_all(f, multi))?),
            _ => Prepared::Nothing,
        })
    }

    fn prepare_all(&mut self, f: &Frame<'_>, multi: &MultiTarget) -> Result<Vec<Prepared>> {
        let all = multi.lefts.iter().chain(multi.rest.as_ref()).chain(&multi.rights);
        all.map(|target| self.prepare(f, target)).collect()
    }

    fn assign_prepared(
        &mut self,
        f: &Frame<'_>,
        target: &Target,
        prepared: Prepared,
        value: Value,
    ) -> Result<()> {
        match (target, prepared) {
            (Target::Variable(place), _) => self.store(f, *place, value),
            (Target::Ivar(name), _) => self.set_instance_variable(f.this, f.unit.symbol(*name), value)?,
            (Target::Gvar(name), _) => self.set_global(f.unit.symbol(*name), value)?,
            (Target::Cvar(name), _) => self.set_class_variable(f.unit.symbol(*name), value)?,
            (Target::Const(target), Prepared::Module(module)) => {
                self.define_constant(module, f.unit.symbol(target.name), value)?;
            }
            (Target::Call(call), Prepared::Call(Value::Nil, ..)) if call.safe => {}
            (Target::Call(call), Prepared::Call(receiver, mut args, has_keywords)) => {
                push_value(&mut args, has_keywords, value);
                let args = Args { list: &args, has_keywords, block: None };
                self.set_by_call(f, call, &receiver, &args)?;
            }
            (Target::Multi(multi), Prepared::Multi(prepared)) => {
                let items = self.destructured(&value)?;
                kukla_syntax::deep(|| self.spread_prepared(f, multi, prepared, &items))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn set_by_call(&mut self, f: &Frame<'_>, call: &Call, receiver: &Value, args: &Args<'_>) -> Result {
        self.run.line = call.line;
        self.call_at(f, call.site, receiver, f.unit.symbol(call.name), args, call.own)
    }

    /// The parts of a destructured value: an array's elements, or the value alone.
    pub(super) fn destructured(&mut self, value: &Value) -> Result<Rc<ArrayObject>> {
        match self.maybe_array(value)? {
            Some(array) => Ok(array),
            None => Ok(ArrayObject::new(ClassId::ARRAY, vec![value.clone()])),
        }
    }

    /// Assigns elements to several targets.
    pub(super) fn spread(
        &mut self,
        f: &Frame<'_>,
        multi: &MultiTarget,
        items: &Rc<ArrayObject>,
    ) -> Result<()> {
        let prepared = self.prepare_all(f, multi)?;
        self.spread_prepared(f, multi, prepared, items)
    }

    fn spread_prepared(
        &mut self,
        f: &Frame<'_>,
        multi: &MultiTarget,
        prepared: Vec<Prepared>,
        items: &Rc<ArrayObject>,
    ) -> Result<()> {
        let count = items.len();
        let mut prepared = prepared.into_iter();
        let mut next = || prepared.next().unwrap_or(Prepared::Nothing);
        let lefts = multi.lefts.len();
        for (at, target) in multi.lefts.iter().enumerate() {
            let value = items.get(at).unwrap_or_default();
            self.assign_prepared(f, target, next(), value)?;
        }
        let rest = count.saturating_sub(lefts + multi.rights.len());
        if let Some(target) = &multi.rest {
            self.charge(rest as u64 / 16)?;
            let middle: Vec<Value> = items.items().iter().skip(lefts).take(rest).cloned().collect();
            self.assign_prepared(f, target, next(), Value::array(middle))?;
        }
        for (at, target) in multi.rights.iter().enumerate() {
            let value = items.get(lefts + rest + at).unwrap_or_default();
            self.assign_prepared(f, target, next(), value)?;
        }
        Ok(())
    }

    pub(super) fn multi_assign(
        &mut self,
        f: &Frame<'_>,
        target: &MultiTarget,
        value: &Node,
        wanted: bool,
    ) -> Result {
        // `a, b = b, a`: no array is needed if nobody looks at it.
        if !wanted
            && let Node::Array(nodes) = value
            && let ([Target::Variable(first), Target::Variable(second)], None, []) =
                (&*target.lefts, &target.rest, &*target.rights)
            && let [a, b] = &**nodes
        {
            let (a, b) = (self.eval(f, a)?, self.eval(f, b)?);
            self.store(f, *first, a);
            self.store(f, *second, b);
            return Ok(Value::Nil);
        }
        if !wanted
            && let Node::Array(nodes) = value
            && target.rest.is_none()
            && target.rights.is_empty()
            && target
                .lefts
                .iter()
                .all(|left| matches!(left, Target::Variable(_) | Target::Ivar(_) | Target::Cvar(_)))
        {
            let mut values = Vec::with_capacity(nodes.len());
            for node in nodes {
                values.push(self.eval(f, node)?);
            }
            // The last comes first, which the order of new instance variables shows.
            for (at, left) in target.lefts.iter().enumerate().rev() {
                let value = values.get(at).cloned().unwrap_or_default();
                self.assign_prepared(f, left, Prepared::Nothing, value)?;
            }
            return Ok(Value::Nil);
        }
        let prepared = self.prepare_all(f, target)?;
        let value = self.eval(f, value)?;
        let items = self.destructured(&value)?;
        self.spread_prepared(f, target, prepared, &items)?;
        Ok(value)
    }

    /// `a.b += c`, `a[b] ||= c`
    pub(super) fn call_assign(&mut self, f: &Frame<'_>, node: &CallAssign) -> Result {
        let receiver = match &node.receiver {
            Some(receiver) => self.eval(f, receiver)?,
            None => f.this.clone(),
        };
        if node.safe && receiver.is_nil() {
            return Ok(Value::Nil);
        }
        let (read, write) = (f.unit.symbol(node.read), f.unit.symbol(node.write));
        if let Arguments::Plain(nodes) = &node.args
            && let [only] = &**nodes
        {
            let index = self.eval(f, only)?;
            self.run.line = node.line;
            if let (Value::Hash(hash), sym::INDEX, sym::INDEX_SET) = (&receiver, read, write)
                && let Some(value) = self.entry_assign(f, node, hash, &index)?
            {
                return Ok(value);
            }
            let old = match self.quick_index(read, &receiver, &index)? {
                Some(old) => old,
                None => {
                    let args = Args::new(std::slice::from_ref(&index));
                    self.call_at(f, node.read_site, &receiver, read, &args, node.own)?
                }
            };
            let value = match self.combined(f, &node.combine, old, &node.value)? {
                Ok(value) => value,
                Err(old) => return Ok(old),
            };
            self.run.line = node.line;
            let args = [index, value];
            self.call_at(f, node.write_site, &receiver, write, &Args::new(&args), node.own)?;
            let [_, value] = args;
            return Ok(value);
        }
        let (mut args, has_keywords) = match &node.args {
            Arguments::Plain(nodes) if nodes.is_empty() => (Vec::new(), false),
            args => self.arguments(f, args)?,
        };
        self.run.line = node.line;
        let given = Args { list: &args, has_keywords, block: None };
        let old = self.call_at(f, node.read_site, &receiver, read, &given, node.own)?;
        let value = match self.combined(f, &node.combine, old, &node.value)? {
            Ok(value) => value,
            Err(old) => return Ok(old),
        };
        push_value(&mut args, has_keywords, value.clone());
        self.run.line = node.line;
        let args = Args { list: &args, has_keywords, block: None };
        self.call_at(f, node.write_site, &receiver, write, &args, node.own)?;
        Ok(value)
    }

    /// `hash[key] += value` where the key is there already and nothing has to be called for it: it is looked for once.
    #[inline]
    fn entry_assign(
        &mut self,
        f: &Frame<'_>,
        node: &CallAssign,
        hash: &Rc<HashObject>,
        key: &Value,
    ) -> Result<Option<Value>> {
        if self.run.redefined || hash.head.class() != ClassId::HASH || hash.head.is_frozen() {
            return Ok(None);
        }
        let table = hash.table();
        let Some(Some(position)) = table.find_plain(key) else { return Ok(None) };
        let Some(old) = table.at(position).map(|entry| entry.value.clone()) else { return Ok(None) };
        drop(table);
        let value = match self.combined(f, &node.combine, old, &node.value)? {
            Ok(value) => value,
            Err(old) => return Ok(Some(old)),
        };
        // What was evaluated may have changed the hash, or frozen it.
        self.run.line = node.line;
        if !hash.head.is_frozen() && hash.table_mut().replace_plain(position, key, &value) {
            return Ok(Some(value));
        }
        let receiver = Value::Hash(hash.clone());
        let args = [key.clone(), value];
        let write = f.unit.symbol(node.write);
        self.call_at(f, node.write_site, &receiver, write, &Args::new(&args), node.own)?;
        let [_, value] = args;
        Ok(Some(value))
    }

    /// The new value, or the old one if it stays.
    fn combined(
        &mut self,
        f: &Frame<'_>,
        combine: &Combine,
        old: Value,
        value: &Node,
    ) -> Result<std::result::Result<Value, Value>> {
        Ok(match combine {
            Combine::Or if old.is_true() => Err(old),
            Combine::And if !old.is_true() => Err(old),
            Combine::Or | Combine::And => Ok(self.eval(f, value)?),
            Combine::With(name, site) => {
                let value = self.eval(f, value)?;
                let name = f.unit.symbol(*name);
                match self.quick_operator(name, &old, &value)? {
                    Some(value) => Ok(value),
                    None => Ok(self.call_at(f, *site, &old, name, &Args::new(&[value]), false)?),
                }
            }
        })
    }

    pub(super) fn constant_assign(&mut self, f: &Frame<'_>, node: &ConstAssign) -> Result {
        let target = &node.target;
        self.run.line = target.line;
        let name = f.unit.symbol(target.name);
        let (module, old) = match &target.parent {
            ConstParent::Lexical => {
                let module = self.constant_module(f, target)?;
                let old = match node.combine {
                    Combine::Or => self.find_lexical_constant(name)?,
                    _ => Some(self.lexical_constant(name)?),
                };
                (module, old)
            }
            _ => {
                let module = self.constant_module(f, target)?;
                let old = match node.combine {
                    Combine::Or => self.find_constant_in(module, name, false)?,
                    _ => Some(self.constant_in(module, name)?),
                };
                (module, old)
            }
        };
        match self.combined(f, &node.combine, old.unwrap_or_default(), &node.value)? {
            Ok(value) => {
                self.define_constant(module, name, value.clone())?;
                Ok(value)
            }
            Err(old) => Ok(old),
        }
    }

    pub(super) fn match_write(
        &mut self,
        f: &Frame<'_>,
        call: &Node,
        targets: &[(crate::program::Name, VariableSlot)],
    ) -> Result {
        let result = self.eval(f, call)?;
        let found = if result.is_nil() { Value::Nil } else { self.last_match() };
        for (name, place) in targets {
            let value = match &found {
                Value::Nil => Value::Nil,
                found => {
                    let key = Value::Symbol(f.unit.symbol(*name));
                    self.send(found, sym::INDEX, &[key])?
                }
            };
            self.store(f, *place, value);
        }
        Ok(result)
    }
}
