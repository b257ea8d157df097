//! Procs and lambdas.

use std::cell::Cell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::binding;
use crate::core::method::{arity_of_method, parameters_of_method};
use crate::core::module::this_class;
use crate::error::Result;
use crate::eval::Unit;
use crate::proc::{ProcBody, ProcObject};
use crate::program::Params;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, Head, Value};

/// The class `Proc`.
pub const PROC: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[&[method("new", 0, ANY, |ruby, this, args| {
        let Some(block) = args.block else {
            return Err(ruby.argument_error("tried to create Proc object without a block"));
        };
        let class = this_class(this);
        if class != ClassId::PROC {
            block.head.set_class(class);
        }
        let proc = Value::Proc(block.clone());
        ruby.call(&proc, sym::INITIALIZE, &Args { block: None, ..*args })?;
        Ok(proc)
    })]],
    ..NativeClass::class("Proc", "Object")
};

const METHODS: &[Native] = methods![
    quick("call", 0, ANY, call).alias("()").alias("yield").alias("===").alias("[]"),
    quick("to_proc", 0, 0, |_, this, _| Ok(this.clone())),
    quick("lambda?", 0, 0, |ruby, this, _| Ok(Value::Bool(this_proc(ruby, this)?.lambda.get()))),
    quick("arity", 0, 0, |ruby, this, _| {
        let proc = this_proc(ruby, this)?;
        Ok(Value::Int(arity(&proc)))
    }),
    method("parameters", 0, 1, |ruby, this, args| {
        let proc = this_proc(ruby, this)?;
        let (_, keywords) = args.split();
        let lambda = match keywords.and_then(|keywords| ruby.keyword(keywords, "lambda")) {
            Some(Value::Nil) | None => proc.lambda.get(),
            Some(lambda) => lambda.is_true(),
        };
        match &proc.body {
            ProcBody::Closure(closure) => {
                let unit = closure.unit.clone();
                parameters(ruby, &unit, &unit.body(closure.body).params, lambda)
            }
            ProcBody::Method(_, method) => {
                let method = method.clone();
                parameters_of_method(ruby, &method)
            }
            ProcBody::Symbol(_) => {
                let (req, rest) = (ruby.symbol(if lambda { "req" } else { "opt" }), ruby.symbol("rest"));
                Ok(Value::array(vec![Value::array(vec![req]), Value::array(vec![rest])]))
            }
            ProcBody::Native(..) => {
                let rest = ruby.symbol("rest");
                Ok(Value::array(vec![Value::array(vec![rest])]))
            }
        }
    }),
    method("curry", 0, 1, |ruby, this, args| {
        let proc = this_proc(ruby, this)?;
        let own = arity(&proc);
        let wanted = match args.get(0) {
            Some(number) => {
                let number = ruby.to_int(number)?;
                let fits = if own >= 0 { number == own } else { number >= -own - 1 };
                if proc.lambda.get() && !fits {
                    let expected = if own >= 0 { own.to_string() } else { format!("{}+", -own - 1) };
                    return Err(ruby.wrong_number_of_arguments(number.max(0) as usize, expected));
                }
                number
            }
            None if own >= 0 => own,
            None => -own - 1,
        };
        Ok(curry(ruby, this.clone(), wanted, ArrayObject::new(ClassId::ARRAY, Vec::new()), proc.lambda.get()))
    }),
    quick(">>", 1, 1, |ruby, this, args| compose(ruby, this, &args[0], true)),
    quick("<<", 1, 1, |ruby, this, args| compose(ruby, this, &args[0], false)),
    quick("binding", 0, 0, |ruby, this, _| {
        let proc = this_proc(ruby, this)?;
        match &proc.body {
            ProcBody::Closure(closure) => Ok(binding::of_closure(closure)),
            _ => Err(ruby.argument_error("Can't create Binding from C level Proc")),
        }
    }),
    method("source_location", 0, 0, |ruby, this, _| {
        let proc = this_proc(ruby, this)?;
        Ok(match &proc.body {
            ProcBody::Closure(closure) => {
                let line = closure.unit.body(closure.body).line;
                Value::array(vec![Value::str(&*closure.unit.program.file), Value::Int(i64::from(line))])
            }
            _ => Value::Nil,
        })
    }),
    method("ruby2_keywords", 0, 0, |_, this, _| Ok(this.clone())),
    quick("==", 1, 1, same).alias("eql?"),
    quick("hash", 0, 0, |ruby, this, _| {
        let proc = this_proc(ruby, this)?;
        Ok(match &proc.body {
            ProcBody::Closure(closure) => Value::Int((closure.tag as i64) << 3 | 5),
            _ => Value::Int(ruby.identity_code(this) as i64 >> 2),
        })
    }),
    method("to_s", 0, 0, inspect).alias("inspect"),
];

fn this_proc(ruby: &mut Ruby<'_>, this: &Value) -> Result<Rc<ProcObject>> {
    match this {
        Value::Proc(proc) => Ok(proc.clone()),
        _ => Err(ruby.type_error("uninitialized proc")),
    }
}

fn call(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match this {
        Value::Proc(proc) => ruby.call_block(proc, args),
        _ => Err(ruby.type_error("uninitialized proc")),
    }
}

fn same(_: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (Value::Proc(a), Value::Proc(b)) = (this, &args[0]) else { return Ok(Value::Bool(false)) };
    let same = Rc::ptr_eq(a, b)
        || match (&a.body, &b.body) {
            (ProcBody::Closure(x), ProcBody::Closure(y)) => {
                x.tag == y.tag && a.lambda.get() == b.lambda.get()
            }
            (ProcBody::Symbol(x), ProcBody::Symbol(y)) => x == y,
            _ => false,
        };
    Ok(Value::Bool(same))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let proc = this_proc(ruby, this)?;
    let plain = ruby.plain_inspect(this);
    let start = plain.strip_suffix('>').unwrap_or(&plain).to_owned();
    let place = match &proc.body {
        ProcBody::Closure(closure) => {
            format!(" {}:{}", closure.unit.program.file, closure.unit.body(closure.body).line)
        }
        ProcBody::Symbol(name) => format!("(&:{})", ruby.name(*name)),
        _ => String::new(),
    };
    let lambda = if proc.lambda.get() { " (lambda)" } else { "" };
    Ok(Value::str(format!("{start}{place}{lambda}>")))
}

/// The answer of `arity` for a proc.
pub fn arity(proc: &ProcObject) -> i64 {
    match &proc.body {
        ProcBody::Closure(closure) => {
            let params = &closure.unit.body(closure.body).params;
            arity_of(params, proc.lambda.get())
        }
        ProcBody::Native(_, arity) => i64::from(*arity),
        ProcBody::Symbol(_) => -2,
        ProcBody::Method(_, method) => arity_of_method(method),
    }
}

/// The answer of `arity` for parameters: those of a proc are all optional, unless it is a lambda.
pub(crate) fn arity_of(params: &Params, lambda: bool) -> i64 {
    let required = (params.required.len() + params.post.len()) as i64;
    let needs_keywords = params.keywords.iter().any(|keyword| keyword.default.is_none());
    if lambda {
        let open = params.rest.is_some() || !params.optional.is_empty();
        let more_keywords = !params.keywords.is_empty() || params.keyword_rest.is_some();
        return if open || (!needs_keywords && more_keywords) {
            -(required + i64::from(needs_keywords)) - 1
        } else {
            required + i64::from(needs_keywords)
        };
    }
    if params.rest.is_some() {
        return -(required + i64::from(needs_keywords)) - 1;
    }
    if !params.optional.is_empty() {
        return -(required + i64::from(needs_keywords)) - 1;
    }
    if needs_keywords { required.max(1) } else { required }
}

/// The answer of `parameters`.
pub(crate) fn parameters(ruby: &mut Ruby<'_>, unit: &Rc<Unit>, params: &Params, strict: bool) -> Result {
    let mut list = Vec::new();
    let mut add = |ruby: &mut Ruby<'_>, kind: &str, name: Option<u32>| {
        let kind = ruby.symbol(kind);
        let mut pair = vec![kind];
        if let Some(name) = name {
            pair.push(Value::Symbol(unit.symbol(name)));
        }
        list.push(Value::array(pair));
    };
    let required = if strict { "req" } else { "opt" };
    for param in &params.required {
        add(ruby, required, if params.it { None } else { param.name });
    }
    for (param, _) in &params.optional {
        add(ruby, "opt", param.name);
    }
    if let Some(rest) = &params.rest {
        add(ruby, "rest", rest.name);
    }
    for param in &params.post {
        add(ruby, required, param.name);
    }
    for keyword in params.keywords.iter().filter(|keyword| keyword.default.is_none()) {
        add(ruby, "keyreq", Some(keyword.name));
    }
    for keyword in params.keywords.iter().filter(|keyword| keyword.default.is_some()) {
        add(ruby, "key", Some(keyword.name));
    }
    if let Some(rest) = &params.keyword_rest {
        add(ruby, "keyrest", rest.name);
    }
    if params.no_keywords {
        add(ruby, "nokey", None);
    }
    if let Some(block) = &params.block {
        add(ruby, "block", block.name);
    }
    Ok(Value::array(list))
}

/// A proc that collects arguments until there are enough.
fn curry(ruby: &mut Ruby<'_>, target: Value, wanted: i64, given: Rc<ArrayObject>, lambda: bool) -> Value {
    let block = ruby.block(-1, move |ruby, args| {
        let mut all = given.to_vec();
        all.extend_from_slice(args.list);
        if all.len() as i64 >= wanted {
            return ruby.call(&target, sym::CALL, &Args { list: &all, ..*args });
        }
        Ok(curry(ruby, target.clone(), wanted, ArrayObject::new(ClassId::ARRAY, all), lambda))
    });
    block.lambda.set(lambda);
    Value::Proc(block)
}

/// `f >> g` and `f << g`
pub(crate) fn compose(ruby: &mut Ruby<'_>, this: &Value, other: &Value, own_first: bool) -> Result {
    if !matches!(other, Value::Proc(_)) && !ruby.responds_to(other, sym::CALL, false)? {
        return Err(ruby.type_error("callable object is expected"));
    }
    let (first, second) =
        if own_first { (this.clone(), other.clone()) } else { (other.clone(), this.clone()) };
    let lambda = match (this, other) {
        (Value::Proc(own), _) if own_first => own.lambda.get(),
        (_, Value::Proc(other)) => other.lambda.get(),
        _ => true,
    };
    let body = ProcBody::Native(
        Rc::new(move |ruby, args| {
            let value = ruby.call(&first, sym::CALL, args)?;
            ruby.send(&second, sym::CALL, &[value])
        }),
        -1,
    );
    Ok(Value::Proc(Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(lambda) })))
}
