//! Methods as objects.

use std::cell::Cell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::proc::{arity, arity_of, compose, parameters};
use crate::error::Result;
use crate::method::{Method, MethodBody, Visibility};
use crate::proc::{ProcBody, ProcObject};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{Head, Object, Value};

/// The class `Method`.
pub const METHOD: NativeClass =
    NativeClass { methods: &[COMMON, BOUND], ..NativeClass::class("Method", "Object") };

/// The class `UnboundMethod`.
pub const UNBOUND_METHOD: NativeClass =
    NativeClass { methods: &[COMMON, UNBOUND], ..NativeClass::class("UnboundMethod", "Object") };

/// A method with the object it belongs to, if it is bound to one.
#[derive(Clone)]
pub(in crate::core) struct MethodObject {
    receiver: Option<Value>,
    method: Rc<Method>,
    /// The name it was asked for.
    name: Symbol,
    /// The class it was looked for in.
    class: ClassId,
}

fn object(ruby: &mut Ruby<'_>, this: &Value) -> Result<MethodObject> {
    let found = match this {
        Value::Object(object) => object.payload::<MethodObject>().map(|method| method.clone()),
        _ => None,
    };
    found.ok_or_else(|| ruby.type_error("uninitialized method"))
}

/// The method of a `Method` or `UnboundMethod`.
pub(crate) fn body_of(value: &Value) -> Option<Rc<Method>> {
    match value {
        Value::Object(object) => object.payload::<MethodObject>().map(|object| object.method.clone()),
        _ => None,
    }
}

/// `obj.method(:name)`
pub(crate) fn make_method(ruby: &mut Ruby<'_>, this: &Value, name: Symbol, public: bool) -> Result {
    let class = ruby.class_of(this);
    let found =
        ruby.find_method(class, name).filter(|method| !public || method.visibility == Visibility::Public);
    let method = match found {
        Some(method) => method,
        None => {
            let given = [Value::Symbol(name), Value::Bool(!public)];
            if !ruby.send(this, sym::RESPOND_TO_MISSING, &given)?.is_true() {
                return Err(no_such(ruby, this, class, name));
            }
            // What `method_missing` answers is a method too.
            let receiver = this.clone();
            let block = ruby.block(-1, move |ruby, args| ruby.method_missing(&receiver, name, args));
            Rc::new(Method {
                name,
                owner: class,
                visibility: Visibility::Public,
                body: MethodBody::Proc(block),
            })
        }
    };
    let object = MethodObject { receiver: Some(this.clone()), method, name, class };
    Ok(Value::Object(Object::with(ClassId::METHOD, object)))
}

fn no_such(ruby: &mut Ruby<'_>, this: &Value, class: ClassId, name: Symbol) -> Box<crate::Unwind> {
    let shown = match this {
        Value::Class(_) => format!("class `{}'", ruby.class_name(class)),
        _ => format!("class `{}'", ruby.class_name_of(this)),
    };
    let message = format!("undefined method `{}' for {shown}", ruby.name(name));
    ruby.name_error(message, name, this.clone())
}

/// `obj.singleton_method(:name)`
pub(crate) fn singleton_method(ruby: &mut Ruby<'_>, this: &Value, name: Symbol) -> Result {
    let class = ruby.class_of(this);
    let found = if ruby.class(class).is_singleton() { ruby.own_method(class, name) } else { None };
    match found.filter(|method| !matches!(method.body, MethodBody::Undefined)) {
        Some(method) => {
            let object = MethodObject { receiver: Some(this.clone()), method, name, class };
            Ok(Value::Object(Object::with(ClassId::METHOD, object)))
        }
        None => {
            let shown = ruby.inspect(this)?.to_str_lossy().into_owned();
            let message = format!("undefined singleton method `{}' for {shown}", ruby.name(name));
            Err(ruby.name_error(message, name, this.clone()))
        }
    }
}

/// `Class.instance_method(:name)`
pub(crate) fn make_unbound(ruby: &mut Ruby<'_>, class: ClassId, name: Symbol, public: bool) -> Result {
    let found =
        ruby.find_method(class, name).filter(|method| !public || method.visibility == Visibility::Public);
    match found {
        Some(method) => {
            let object = MethodObject { receiver: None, method, name, class };
            Ok(Value::Object(Object::with(ClassId::UNBOUND_METHOD, object)))
        }
        None => Err(ruby.undefined_method(class, name)),
    }
}

const COMMON: &[Native] = methods![
    quick("name", 0, 0, |ruby, this, _| Ok(Value::Symbol(object(ruby, this)?.name))),
    method("original_name", 0, 0, |ruby, this, _| Ok(Value::Symbol(real(&object(ruby, this)?.method).name))),
    quick("owner", 0, 0, |ruby, this, _| Ok(Value::Class(object(ruby, this)?.method.owner))),
    quick("arity", 0, 0, |ruby, this, _| Ok(Value::Int(arity_of_method(&object(ruby, this)?.method)))),
    method("parameters", 0, 0, |ruby, this, _| {
        let method = object(ruby, this)?.method;
        parameters_of_method(ruby, &method)
    }),
    method("source_location", 0, 0, |ruby, this, _| {
        let method = object(ruby, this)?.method;
        Ok(match &real(&method).body {
            MethodBody::Code(code) => {
                let line = code.unit.body(code.body).line;
                Value::array(vec![Value::str(&*code.unit.program.file), Value::Int(i64::from(line))])
            }
            MethodBody::Proc(proc) => {
                let location = ruby.symbols.intern("source_location");
                return ruby.send(&Value::Proc(proc.clone()), location, &[]);
            }
            _ => Value::Nil,
        })
    }),
    method("super_method", 0, 0, |ruby, this, _| {
        let own = object(ruby, this)?;
        let next = ruby.find_method_after(own.class, own.method.name, Some(own.method.owner));
        Ok(match next {
            Some(method) => {
                let class = ruby.class_of(this);
                Value::Object(Object::with(class, MethodObject { method, ..own }))
            }
            None => Value::Nil,
        })
    }),
    method("inspect", 0, 0, inspect).alias("to_s"),
    quick("hash", 0, 0, |ruby, this, _| {
        let own = object(ruby, this)?;
        // An alias is the same method under another name.
        Ok(Value::Int(i64::from(own.method.owner.0)))
    }),
    quick("==", 1, 1, same).alias("eql?"),
];

const BOUND: &[Native] = methods![
    quick("call", 0, ANY, call).alias("()").alias("[]").alias("==="),
    quick("receiver", 0, 0, |ruby, this, _| Ok(object(ruby, this)?.receiver.unwrap_or_default())),
    quick("unbind", 0, 0, |ruby, this, _| {
        let own = object(ruby, this)?;
        Ok(Value::Object(Object::with(ClassId::UNBOUND_METHOD, MethodObject { receiver: None, ..own })))
    }),
    quick("to_proc", 0, 0, |ruby, this, _| {
        let own = object(ruby, this)?;
        let body = ProcBody::Method(own.receiver.unwrap_or_default(), own.method);
        Ok(Value::Proc(Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(true) })))
    }),
    method("curry", 0, 1, |ruby, this, args| {
        let to_proc = ruby.send(this, sym::TO_PROC, &[])?;
        let curry = ruby.symbols.intern("curry");
        ruby.send(&to_proc, curry, args.list)
    }),
    quick(">>", 1, 1, |ruby, this, args| compose(ruby, this, &args[0], true)),
    quick("<<", 1, 1, |ruby, this, args| compose(ruby, this, &args[0], false)),
];

const UNBOUND: &[Native] = &[
    method("bind", 1, 1, |ruby, this, args| {
        let own = bound(ruby, this, &args[0])?;
        Ok(Value::Object(Object::with(ClassId::METHOD, own)))
    }),
    method("bind_call", 1, ANY, |ruby, this, args| {
        let own = bound(ruby, this, &args[0])?;
        let rest = Args { list: &args.list[1..], ..*args };
        ruby.nested(|ruby| ruby.call_method(&args[0], &own.method, own.name, &rest))
    }),
];

fn bound(ruby: &mut Ruby<'_>, this: &Value, receiver: &Value) -> Result<MethodObject> {
    let own = object(ruby, this)?;
    let owner = own.method.owner;
    if !ruby.class(owner).is_module() && !ruby.is_a(receiver, owner) {
        let shown = ruby.class_name(owner);
        let message = if ruby.class(owner).is_singleton() {
            "singleton method called for a different object".to_owned()
        } else {
            format!("bind argument must be an instance of {shown}")
        };
        return Err(ruby.type_error(message));
    }
    let class = ruby.class_of(receiver);
    Ok(MethodObject { receiver: Some(receiver.clone()), class, ..own })
}

fn call(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let own = object(ruby, this)?;
    let receiver = own.receiver.unwrap_or_default();
    ruby.nested(|ruby| ruby.call_method(&receiver, &own.method, own.name, args))
}

fn same(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if !matches!(&args[0], Value::Object(other) if other.payload::<MethodObject>().is_some()) {
        return Ok(Value::Bool(false));
    }
    let (a, b) = (object(ruby, this)?, object(ruby, &args[0])?);
    let receivers = match (&a.receiver, &b.receiver) {
        (Some(a), Some(b)) => a.is_same(b),
        (None, None) => true,
        _ => false,
    };
    let bodies = match (&real(&a.method).body, &real(&b.method).body) {
        (MethodBody::Code(a), MethodBody::Code(b)) => Rc::ptr_eq(a, b),
        (MethodBody::Native(a), MethodBody::Native(b)) => a.body.is(&b.body),
        (MethodBody::Proc(a), MethodBody::Proc(b)) => Rc::ptr_eq(a, b),
        (MethodBody::Reader(a), MethodBody::Reader(b)) | (MethodBody::Writer(a), MethodBody::Writer(b)) => {
            a == b
        }
        _ => false,
    };
    Ok(Value::Bool(receivers && bodies && a.method.owner == b.method.owner))
}

/// The method behind an alias.
pub(crate) fn real(method: &Rc<Method>) -> &Rc<Method> {
    match &method.body {
        MethodBody::Alias(target) => real(target),
        _ => method,
    }
}

/// The answer of `arity` for a method.
pub(crate) fn arity_of_method(method: &Rc<Method>) -> i64 {
    match &method.body {
        MethodBody::Native(native) if native.least == native.most => i64::from(native.least),
        MethodBody::Native(_) => -1,
        MethodBody::Code(code) => arity_of(&code.unit.body(code.body).params, true),
        MethodBody::Reader(_) | MethodBody::Undefined => 0,
        MethodBody::Writer(_) => 1,
        MethodBody::Proc(proc) => match &proc.body {
            ProcBody::Closure(closure) => arity_of(&closure.unit.body(closure.body).params, true),
            _ => arity(proc),
        },
        MethodBody::Alias(target) => arity_of_method(target),
    }
}

/// The answer of `parameters` for a method.
pub(crate) fn parameters_of_method(ruby: &mut Ruby<'_>, method: &Rc<Method>) -> Result {
    match &method.body {
        MethodBody::Code(code) => {
            let unit = code.unit.clone();
            parameters(ruby, &unit, &unit.body(code.body).params, true)
        }
        MethodBody::Proc(proc) => match &proc.body {
            ProcBody::Closure(closure) => {
                let unit = closure.unit.clone();
                parameters(ruby, &unit, &unit.body(closure.body).params, true)
            }
            _ => {
                let rest = ruby.symbol("rest");
                Ok(Value::array(vec![Value::array(vec![rest])]))
            }
        },
        MethodBody::Alias(target) => {
            let target = target.clone();
            parameters_of_method(ruby, &target)
        }
        body => {
            let (least, rest) = match body {
                MethodBody::Native(native) if native.least == native.most => (native.least, false),
                MethodBody::Native(_) => (0, true),
                MethodBody::Writer(_) => (1, false),
                _ => (0, false),
            };
            let mut list = Vec::new();
            for _ in 0..least {
                list.push(Value::array(vec![ruby.symbol("req")]));
            }
            if rest {
                list.push(Value::array(vec![ruby.symbol("rest")]));
            }
            Ok(Value::array(list))
        }
    }
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let own = object(ruby, this)?;
    let kind = ruby.class_name_of(this);
    let owner = own.method.owner;
    let shown = match (&own.receiver, &ruby.class(owner).kind) {
        (Some(receiver), crate::class::ClassKind::Singleton(_)) => {
            let receiver = receiver.clone();
            format!("{}.", ruby.inspect(&receiver)?.to_str_lossy())
        }
        (Some(receiver), _) => {
            let class = ruby.class_name_of(receiver);
            let owner = ruby.class_name(owner);
            if class == owner { format!("{class}#") } else { format!("{class}({owner})#") }
        }
        (None, _) => format!("{}#", ruby.class_name(owner)),
    };
    let real_name = real(&own.method).name;
    let name = if real_name == own.name {
        ruby.name(own.name).to_owned()
    } else {
        format!("{}({})", ruby.name(own.name), ruby.name(real_name))
    };
    let params = signature(ruby, &own.method)?;
    let location = ruby.symbols.intern("source_location");
    let place = match ruby.send(this, location, &[])? {
        Value::Array(parts) => {
            let parts = parts.to_vec();
            let mut shown = Vec::new();
            for part in &parts {
                shown.push(ruby.display(part)?.to_str_lossy().into_owned());
            }
            format!(" {}", shown.join(":"))
        }
        _ => String::new(),
    };
    Ok(Value::str(format!("#<{kind}: {shown}{name}({params}){place}>")))
}

/// The parameters as `inspect` shows them: `a, b=..., *c, d:, e: ..., **f, &g`.
fn signature(ruby: &mut Ruby<'_>, method: &Rc<Method>) -> Result<String> {
    let Value::Array(list) = parameters_of_method(ruby, method)? else { return Ok(String::new()) };
    let mut out = Vec::new();
    for pair in list.to_vec() {
        let Value::Array(pair) = pair else { continue };
        let word = |at: usize| match pair.get(at) {
            Some(Value::Symbol(name)) => Some(name),
            _ => None,
        };
        let kind = word(0).map_or(String::new(), |name| ruby.name(name).to_owned());
        let name = word(1).map(|name| ruby.name(name).to_owned());
        let plain = name.clone().unwrap_or_else(|| "_".to_owned());
        out.push(match kind.as_str() {
            "opt" => format!("{plain}=..."),
            "rest" => format!("*{}", name.filter(|name| name != "*").unwrap_or_default()),
            "keyreq" => format!("{plain}:"),
            "key" => format!("{plain}: ..."),
            "keyrest" => format!("**{}", name.filter(|name| name != "**").unwrap_or_default()),
            "nokey" => "**nil".to_owned(),
            "block" => format!("&{}", name.filter(|name| name != "&").unwrap_or_default()),
            _ => plain,
        });
    }
    Ok(out.join(", "))
}
