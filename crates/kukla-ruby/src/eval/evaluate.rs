//! One expression after the other.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use super::{Frame, MatchSlot};
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::proc::ProcBody;
use crate::program::{Node, Pair, Target, VariableSlot};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::text::Text;
use crate::value::{ArrayObject, HashObject, StringObject, Value};

impl Ruby<'_> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, f: &Frame<'_>, node: &Node) -> Result {
        match node {
            Node::Nil => Ok(Value::Nil),
            Node::Mark(count) => {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(Value::Nil)
            }
            Node::True => Ok(Value::Bool(true)),
            Node::False => Ok(Value::Bool(false)),
            Node::This => Ok(f.this.clone()),
            Node::Int(number) => Ok(Value::Int(*number)),
            Node::Float(number) => Ok(Value::Float(*number)),
            Node::Symbol(name) => Ok(Value::Symbol(f.unit.symbol(*name))),
            Node::Local(slot) => Ok(self.run.stack[f.base + *slot as usize].clone()),
            Node::SetLocal(slot, value) => {
                let value = match self.peek_operation(f, value) {
                    Some(number) => Value::Int(number),
                    None => self.eval(f, value)?,
                };
                self.run.stack[f.base + *slot as usize] = value.clone();
                Ok(value)
            }
            Node::Outer(depth, slot) => Ok(f.env.map_or(Value::Nil, |env| env.get(*depth, *slot))),
            Node::SetOuter(depth, slot, value) => {
                let value = match self.peek_operation(f, value) {
                    Some(number) => Value::Int(number),
                    None => self.eval(f, value)?,
                };
                if let Some(env) = f.env {
                    env.set(*depth, *slot, value.clone());
                }
                Ok(value)
            }
            Node::Op(op) => self.operator_node(f, op),
            Node::Call(call) => self.call_node(f, call),
            Node::Seq(nodes) => {
                let Some((last, nodes)) = nodes.split_last() else { return Ok(Value::Nil) };
                for node in nodes {
                    self.run(f, node)?;
                }
                self.eval(f, last)
            }
            Node::If(parts) => {
                if self.test(f, &parts.0)? {
                    self.eval(f, &parts.1)
                } else {
                    self.eval(f, &parts.2)
                }
            }
            Node::And(parts) => {
                let left = self.eval(f, &parts.0)?;
                if left.is_true() { self.eval(f, &parts.1) } else { Ok(left) }
            }
            Node::Or(parts) => {
                let left = self.eval(f, &parts.0)?;
                if left.is_true() { Ok(left) } else { self.eval(f, &parts.1) }
            }
            Node::Not(_) => Ok(Value::Bool(self.test(f, node)?)),
            Node::Ivar(name, hint) => {
                let name = f.unit.symbol(*name);
                Ok(match f.this {
                    Value::Object(object) => {
                        let hint = &f.unit.sites[*hint as usize].class;
                        object.head.variable_near(name, hint).unwrap_or_default()
                    }
                    this => self.instance_variable(this, name),
                })
            }
            Node::SetIvar(name, hint, value) => {
                let value = self.eval(f, value)?;
                self.set_ivar(f, *name, *hint, value.clone())?;
                Ok(value)
            }
            Node::Text(literal) => Ok(self.text_literal(f, *literal)),
            Node::Literal(literal) => Ok(f.unit.literals[*literal as usize].clone()),
            Node::Interpolated(parts) => self.interpolated(f, parts),
            Node::Array(nodes) => {
                let mut items = Vec::with_capacity(nodes.len());
                for node in nodes {
                    items.push(self.eval(f, node)?);
                }
                Ok(Value::Array(ArrayObject::new(ClassId::ARRAY, items)))
            }
            Node::Hash(pairs) => self.hash_node(f, pairs),
            Node::Const(name, cache, line) => self.constant_node(f, *name, *cache, *line),
            Node::While(parts) => self.while_node(f, parts),
            Node::Yield(parts) => self.yield_node(f, &parts.0, parts.1),
            Node::CallAssign(parts) => self.call_assign(f, parts),
            Node::Case(case) => self.case_node(f, case),
            node => self.eval_more(f, node),
        }
    }

    /// Evaluates an expression whose value nobody looks at.
    pub(super) fn run(&mut self, f: &Frame<'_>, node: &Node) -> Result<()> {
        match node {
            Node::SetLocal(slot, value) => {
                if let Some(number) = self.peek_operation(f, value) {
                    match &mut self.run.stack[f.base + *slot as usize] {
                        Value::Int(old) => *old = number,
                        old => *old = Value::Int(number),
                    }
                    return Ok(());
                }
                let value = self.eval(f, value)?;
                self.run.stack[f.base + *slot as usize] = value;
                Ok(())
            }
            Node::SetOuter(depth, slot, value) => {
                let value = match self.peek_operation(f, value) {
                    Some(number) => Value::Int(number),
                    None => self.eval(f, value)?,
                };
                if let Some(env) = f.env {
                    env.set(*depth, *slot, value);
                }
                Ok(())
            }
            Node::SetIvar(name, hint, value) => {
                let value = self.eval(f, value)?;
                self.set_ivar(f, *name, *hint, value)
            }
            Node::If(parts) => {
                if self.test(f, &parts.0)? {
                    self.run(f, &parts.1)
                } else {
                    self.run(f, &parts.2)
                }
            }
            Node::Seq(nodes) => nodes.iter().try_for_each(|node| self.run(f, node)),
            Node::Nil => Ok(()),
            node => self.eval(f, node).map(drop),
        }
    }

    #[inline]
    fn set_ivar(&mut self, f: &Frame<'_>, name: crate::program::Name, hint: u32, value: Value) -> Result<()> {
        let name = f.unit.symbol(name);
        if let Value::Object(object) = f.this
            && !object.head.is_frozen()
        {
            let hint = &f.unit.sites[hint as usize].class;
            if object.head.set_variable_near(name, value, hint) {
                self.run.objects.note_object(object);
            }
            return Ok(());
        }
        self.set_instance_variable(f.this, name, value)
    }

    /// Expressions that are seldom or large.
    #[inline(never)]
    fn eval_more(&mut self, f: &Frame<'_>, node: &Node) -> Result {
        match node {
            Node::Deep(node) => {
                // This number of levels of an expression takes as much stack as some calls.
                self.enter()?;
                let value = kukla_syntax::deep(|| self.eval(f, node));
                self.depth -= 1;
                value
            }
            Node::Range(range) => {
                let begin = self.eval(f, &range.begin)?;
                let end = self.eval(f, &range.end)?;
                self.run.line = range.line;
                self.range(begin, end, range.exclusive)
            }
            Node::Imaginary(number) => {
                let number = self.eval(f, number)?;
                let this = Value::Class(ClassId::KERNEL);
                let name = self.symbols.intern("Complex");
                self.send(&this, name, &[Value::Int(0), number])
            }
            Node::InterpolatedSymbol(parts) => {
                let text = self.interpolate(f, parts)?;
                let name = text.to_str_lossy().into_owned();
                Ok(self.symbol(&name))
            }
            Node::Regexp(regexp) => self.regexp_node(f, regexp),
            Node::Command(parts, line) => {
                let text = self.interpolate(f, parts)?;
                self.run.line = *line;
                let text = Value::str(text);
                if let (Some(head), [Node::Literal(_) | Node::Text(_)]) = (text.head(), &**parts) {
                    head.freeze();
                }
                self.call_own(f, sym::BACKTICK, &[text])
            }
            Node::ArrayOf(args) => {
                let (items, _) = self.mixed(f, args)?;
                Ok(Value::array(items))
            }
            Node::Gvar(name) => self.global(f.unit.symbol(*name)),
            Node::SetGvar(name, value) => {
                let value = self.eval(f, value)?;
                self.set_global(f.unit.symbol(*name), value.clone())?;
                Ok(value)
            }
            Node::Group(number) => self.match_group(*number),
            Node::BackReference(which) => self.back_reference(*which),
            Node::Cvar(name, line) => {
                self.run.line = *line;
                self.class_variable(f.unit.symbol(*name))
            }
            Node::CvarOrNil(name) => Ok(self.find_class_variable(f.unit.symbol(*name)).unwrap_or_default()),
            Node::SetCvar(name, line, value) => {
                let value = self.eval(f, value)?;
                self.run.line = *line;
                self.set_class_variable(f.unit.symbol(*name), value.clone())?;
                Ok(value)
            }
            Node::ConstPath(parts) => self.constant_path(f, parts),
            Node::SetConst(parts) => {
                let module = self.constant_module(f, &parts.0)?;
                let value = self.eval(f, &parts.1)?;
                self.run.line = parts.0.line;
                self.define_constant(module, f.unit.symbol(parts.0.name), value.clone())?;
                Ok(value)
            }
            Node::ConstAssign(parts) => self.constant_assign(f, parts),
            Node::MultiAssign(parts) => self.multi_assign(f, &parts.0, &parts.1, parts.2),
            Node::Super(parts) => self.super_node(f, parts),
            Node::For(parts) => self.for_node(f, &parts.0, parts.1, parts.2),
            Node::ForTarget(parts) => {
                let given = self.run.stack[f.base + parts.1 as usize].clone();
                let several = matches!(parts.0, Target::Multi(_));
                let value = match &given {
                    Value::Array(items) if items.len() == 1 || !several => items.get(0).unwrap_or_default(),
                    _ => given,
                };
                self.assign(f, &parts.0, value)?;
                Ok(Value::Nil)
            }
            Node::CaseIn(parts) => self.case_in_node(f, parts),
            Node::Match(parts, required, line) => self.match_node(f, &parts.0, &parts.1, *required, *line),
            Node::MatchWrite(parts) => self.match_write(f, &parts.0, &parts.1),
            Node::FlipFlop(parts) => self.flip_flop(f, parts),
            Node::Begin(parts) => self.begin_node(f, parts),
            Node::Break(value, in_loop) => {
                let value = self.eval(f, value)?;
                self.break_with(value, *in_loop)
            }
            Node::Next(value) => {
                let value = self.eval(f, value)?;
                Err(Box::new(Unwind::Next(value)))
            }
            Node::Return(value) => {
                let value = self.eval(f, value)?;
                self.return_with(value)
            }
            Node::Redo => Err(Box::new(Unwind::Redo)),
            Node::Retry => Err(Box::new(Unwind::Retry)),
            Node::Lambda(body) => {
                let proc = self.closure(f, *body, true);
                if let ProcBody::Closure(closure) = &proc.body {
                    closure.active.set(false);
                }
                Ok(Value::Proc(proc))
            }
            Node::Def(name, body) => self.define_here(f, *name, *body),
            Node::DefOn(parts) => {
                let object = self.eval(f, &parts.0)?;
                self.define_on(f, &object, parts.1, parts.2)
            }
            Node::Class(parts) => self.class_node(f, parts),
            Node::SingletonClass(parts) => {
                let object = self.eval(f, &parts.0)?;
                let class = self.singleton_class(&object)?;
                self.run_class_body(f, class, parts.1)
            }
            Node::Alias(parts) => {
                let new = self.eval(f, &parts.0)?;
                let old = self.eval(f, &parts.1)?;
                let (new, old) = (self.to_symbol(&new)?, self.to_symbol(&old)?);
                let module = self.definee();
                self.alias_method(module, new, old)?;
                Ok(Value::Nil)
            }
            Node::AliasGlobal(new, old) => {
                let (new, old) = (f.unit.symbol(*new), f.unit.symbol(*old));
                self.alias_global(new, old);
                Ok(Value::Nil)
            }
            Node::Undef(names) => {
                let module = self.definee();
                for name in names {
                    let name = self.eval(f, name)?;
                    let name = self.to_symbol(&name)?;
                    self.undefine_method(module, name)?;
                }
                Ok(Value::Nil)
            }
            Node::Defined(what) => self.defined_node(f, what),
            Node::AtExit(body, once) => {
                let cache = &f.unit.constants[*once as usize];
                if cache.generation.get() == 0 {
                    cache.generation.set(1);
                    let block = self.closure(f, *body, false);
                    self.run.at_exit.push(Value::Proc(block));
                }
                Ok(Value::Nil)
            }
            _ => Ok(Value::Nil),
        }
    }

    /// Whether an expression is true; `!` costs nothing here.
    #[inline]
    pub(super) fn test(&mut self, f: &Frame<'_>, node: &Node) -> Result<bool> {
        match node {
            Node::Not(call) => {
                let Some(receiver) = &call.receiver else { return Ok(false) };
                let value = self.eval(f, receiver)?;
                if self.run.redefined || matches!(value, Value::Object(_)) {
                    self.run.line = call.line;
                    return Ok(self.call_method_named(f, &value, sym::NOT, call.site)?.is_true());
                }
                Ok(!value.is_true())
            }
            Node::Op(op) => self.test_operator(f, op),
            node => Ok(self.eval(f, node)?.is_true()),
        }
    }

    fn call_method_named(&mut self, f: &Frame<'_>, receiver: &Value, name: Symbol, site: u32) -> Result {
        let class = self.class_of(receiver);
        match self.method_at(&f.unit.sites[site as usize], class, name) {
            Some(method) => self.call_method(receiver, &method, name, &crate::Args::default()),
            None => self.method_missing(receiver, name, &crate::Args::default()),
        }
    }

    /// Calls a method of `self`.
    pub(super) fn call_own(&mut self, f: &Frame<'_>, name: Symbol, args: &[Value]) -> Result {
        self.send(f.this, name, args)
    }

    #[inline]
    fn text_literal(&mut self, f: &Frame<'_>, literal: u32) -> Value {
        match &f.unit.literals[literal as usize] {
            Value::String(text) => {
                let text: Text = text.text().clone();
                Value::String(StringObject::new(ClassId::STRING, text))
            }
            other => other.clone(),
        }
    }

    pub(super) fn hash_node(&mut self, f: &Frame<'_>, pairs: &[Pair]) -> Result {
        let hash = HashObject::new(ClassId::HASH, Table::new());
        self.fill_hash(f, &hash, pairs)?;
        Ok(Value::Hash(hash))
    }

    pub(super) fn fill_hash(&mut self, f: &Frame<'_>, hash: &Rc<HashObject>, pairs: &[Pair]) -> Result<()> {
        for pair in pairs {
            match pair {
                Pair::One(key, value) => {
                    let key = self.eval(f, key)?;
                    let value = self.eval(f, value)?;
                    self.hash_set(hash, key, value)?;
                }
                Pair::Splat(node) => {
                    let other = self.eval(f, node)?;
                    let other = self.to_hash(&other)?;
                    let positions = other.table().positions();
                    for position in 0..positions {
                        let entry =
                            other.table().at(position).map(|entry| (entry.key.clone(), entry.value.clone()));
                        if let Some((key, value)) = entry {
                            self.hash_set(hash, key, value)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, f: &Frame<'_>, place: VariableSlot, value: Value) {
        match place {
            VariableSlot::Local(slot) => self.run.stack[f.base + slot as usize] = value,
            VariableSlot::Env(depth, slot) => {
                if let Some(env) = f.env {
                    env.set(depth, slot, value);
                }
            }
            VariableSlot::Nowhere => {}
        }
    }

    pub(super) fn fetch(&self, f: &Frame<'_>, place: VariableSlot) -> Value {
        match place {
            VariableSlot::Local(slot) => self.run.stack[f.base + slot as usize].clone(),
            VariableSlot::Env(depth, slot) => f.env.map_or(Value::Nil, |env| env.get(depth, slot)),
            VariableSlot::Nowhere => Value::Nil,
        }
    }

    /// The value of an instance variable.
    pub fn instance_variable(&self, this: &Value, name: Symbol) -> Value {
        match this {
            Value::Class(class) => self.class(*class).head.variable(name),
            this => this.head().and_then(|head| head.variable(name)),
        }
        .unwrap_or_default()
    }

    /// Sets an instance variable.
    #[inline]
    pub fn set_instance_variable(&mut self, this: &Value, name: Symbol, value: Value) -> Result<()> {
        match this {
            Value::Object(object) if !object.head.is_frozen() => {
                if object.head.set_variable(name, value) {
                    self.run.objects.note_object(object);
                }
            }
            Value::Class(class) if !self.class(*class).head.is_frozen() => {
                self.class(*class).head.set_variable(name, value);
            }
            this => {
                self.check_frozen(this)?;
                if let Some(head) = this.head() {
                    head.set_variable(name, value);
                }
            }
        }
        Ok(())
    }

    /// Makes `$~` that of a closure's home, and gives back what it was if it was not that already.
    #[inline]
    pub(super) fn share_match(&mut self, context: &Rc<super::Context>) -> Option<MatchSlot> {
        match &self.run.last_match {
            MatchSlot::Shared(known) if Rc::ptr_eq(known, context) => None,
            _ => Some(std::mem::replace(&mut self.run.last_match, MatchSlot::Shared(context.clone()))),
        }
    }
}
