//! `dup` and `clone`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Class, ClassId, ClassKind, Native, method};
use crate::core::exception::Details;
use crate::core::method::MethodObject;
use crate::error::Result;
use crate::proc::{ProcBody, ProcObject};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Head, Object, RangeObject, RegexpObject, StringObject, Value};

/// Methods of every object.
pub const METHODS: &[Native] =
    &[method("dup", 0, 0, |ruby, this, _| ruby.duplicate(this)), method("clone", 0, 1, clone)];

impl Ruby<'_> {
    /// `dup`
    pub fn duplicate(&mut self, this: &Value) -> Result {
        let Some(copy) = self.shallow(this)? else { return Ok(this.clone()) };
        self.send(&copy, sym::INITIALIZE_DUP, std::slice::from_ref(this))?;
        Ok(copy)
    }

    /// A copy with the same contents and instance variables, not frozen and without a singleton class; `None` for what has no copies.
    fn shallow(&mut self, this: &Value) -> Result<Option<Value>> {
        let class = self.real_class_of(this);
        let copy = match this {
            Value::Nil
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Symbol(_)
            | Value::Big(_) => {
                return Ok(None);
            }
            Value::Class(id) => return Ok(Some(Value::Class(self.copy_class(*id)))),
            Value::String(string) => Value::String(StringObject::new(class, string.text().clone())),
            Value::Array(array) => Value::Array(ArrayObject::new(class, array.to_vec())),
            Value::Hash(hash) => {
                let mut table = hash.table().clone();
                table.iterating = 0;
                Value::Hash(HashObject::new(class, table))
            }
            Value::Range(range) => Value::Range(Rc::new(RangeObject {
                head: Head::new(class),
                begin: range.begin.clone(),
                end: range.end.clone(),
                exclusive: range.exclusive,
            })),
            Value::Regexp(regexp) => Value::Regexp(Rc::new(RegexpObject {
                head: Head::new(class),
                pattern: regexp.pattern.clone(),
                encoding_bits: regexp.encoding_bits,
            })),
            Value::Proc(proc) => Value::Proc(copy_proc(proc, class)),
            Value::Object(object) => {
                if object.payload::<Details>().is_some() {
                    let copy = Object::new(class);
                    if let Some(details) = object.payload::<Details>() {
                        copy.set_payload(details.clone());
                    }
                    Value::Object(copy)
                } else if let Some(method) = object.payload::<MethodObject>() {
                    Value::Object(Object::with(class, method.clone()))
                } else if object.has_payload() {
                    // What native methods keep in it they copy themselves, in `initialize_copy`.
                    self.send(&Value::Class(class), sym::ALLOCATE, &[])?
                } else {
                    Value::Object(Object::new(class))
                }
            }
        };
        if let (Some(new), Some(old)) = (copy.head(), this.head()) {
            new.copy_variables(old);
        }
        if let Value::Object(object) = &copy
            && !object.head.variable_names().is_empty()
        {
            self.run.objects.note_object(object);
        }
        Ok(Some(copy))
    }

    fn copy_class(&mut self, id: ClassId) -> ClassId {
        let old = self.class(id);
        let mut new = Class::new(old.kind.clone(), old.superclass);
        new.includes = old.includes.clone();
        new.prepends = old.prepends.clone();
        new.native = old.native;
        new.methods = old.methods.clone();
        new.method_order = old.method_order.clone();
        new.constants = old.constants.clone();
        new.class_variables = old.class_variables.clone();
        new.head.copy_variables(&old.head);
        let new = self.add_class(new);
        // The methods of the copy are its own, as `super` must go on from it.
        let methods: Vec<_> =
            self.class(new).methods.iter().map(|(name, method)| (*name, method.clone())).collect();
        for (name, method) in methods {
            let own = crate::method::Method {
                name: method.name,
                owner: new,
                visibility: method.visibility,
                body: method.body.clone(),
            };
            self.class_mut(new).methods.insert(name, Rc::new(own));
        }
        let meta = self.make_singleton_of_class(new);
        let old_meta = self.class(id).head.class();
        if self.class(old_meta).is_singleton() {
            let (methods, order, includes, native) = {
                let old = self.class(old_meta);
                (old.methods.clone(), old.method_order.clone(), old.includes.clone(), old.native)
            };
            let class = self.class_mut(meta);
            class.methods = methods;
            class.method_order = order;
            class.includes = includes;
            class.native = native;
        }
        self.changed();
        new
    }

    /// Gives a copy the singleton methods of the original.
    fn copy_singleton(&mut self, this: &Value, copy: &Value) -> Result<()> {
        let (Some(old), Some(_)) = (this.head(), copy.head()) else { return Ok(()) };
        let old = old.class();
        if !matches!(&self.class(old).kind, ClassKind::Singleton(_)) {
            return Ok(());
        }
        let new = self.singleton_class(copy)?;
        let (methods, order, includes, prepends, constants) = {
            let old = self.class(old);
            let modules = (old.includes.clone(), old.prepends.clone());
            (old.methods.clone(), old.method_order.clone(), modules.0, modules.1, old.constants.clone())
        };
        let class = self.class_mut(new);
        class.constants = constants;
        class.method_order = order;
        class.includes = includes;
        class.prepends = prepends;
        for (name, method) in methods {
            let own = crate::method::Method {
                name: method.name,
                owner: new,
                visibility: method.visibility,
                body: method.body.clone(),
            };
            self.class_mut(new).methods.insert(name, Rc::new(own));
        }
        self.changed();
        Ok(())
    }
}

fn copy_proc(proc: &ProcObject, class: ClassId) -> Rc<ProcObject> {
    let body = match &proc.body {
        ProcBody::Closure(closure) => ProcBody::Closure(closure.copy()),
        ProcBody::Native(run, arity) => ProcBody::Native(run.clone(), *arity),
        ProcBody::Symbol(name) => ProcBody::Symbol(*name),
        ProcBody::Method(receiver, method) => ProcBody::Method(receiver.clone(), method.clone()),
    };
    Rc::new(ProcObject { head: Head::new(class), body, lambda: proc.lambda.clone() })
}

fn clone(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (list, keywords) = args.split();
    if !list.is_empty() {
        return Err(ruby.wrong_number_of_arguments(list.len(), 0));
    }
    let freeze = keywords.and_then(|keywords| ruby.keyword(keywords, "freeze")).unwrap_or_default();
    if !matches!(freeze, Value::Nil | Value::Bool(_)) {
        let shown = ruby.class_name_of(&freeze);
        return Err(ruby.argument_error(format!("unexpected value for freeze: {shown}")));
    }
    let Some(copy) = ruby.shallow(this)? else {
        if matches!(freeze, Value::Bool(false)) {
            let class = ruby.class_name_of(this);
            return Err(ruby.argument_error(format!("can't unfreeze {class}")));
        }
        return Ok(this.clone());
    };
    ruby.copy_singleton(this, &copy)?;
    let mut given = vec![this.clone()];
    if !freeze.is_nil() {
        let key = ruby.symbol("freeze");
        given.push(ruby.make_hash([(key, freeze.clone())])?);
        let args = Args { list: &given, has_keywords: true, block: None };
        ruby.call(&copy, sym::INITIALIZE_CLONE, &args)?;
    } else {
        ruby.send(&copy, sym::INITIALIZE_CLONE, &given)?;
    }
    let was_frozen = match this {
        Value::Class(class) => ruby.class(*class).head.is_frozen(),
        this => this.head().is_some_and(Head::is_frozen),
    };
    if matches!(freeze, Value::Bool(true)) || (freeze.is_nil() && was_frozen) {
        match &copy {
            Value::Class(class) => ruby.class(*class).head.freeze(),
            copy => {
                if let Some(head) = copy.head() {
                    head.freeze();
                }
            }
        }
    }
    Ok(copy)
}
