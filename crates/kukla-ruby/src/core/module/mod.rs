//! Classes and modules.

mod constants;
mod define;
mod hierarchy;
pub(crate) mod methods;
mod visibility;

use crate::args::Args;
use crate::class::{ANY, Class, ClassId, ClassKind, Native, NativeClass, method, methods, private, quick};
use crate::core::binding;
use crate::error::{Result, Unwind};
use crate::method::Visibility;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Object, Value};

/// The class `Module`.
pub const MODULE: NativeClass = NativeClass {
    methods: &[
        METHODS,
        constants::METHODS,
        define::METHODS,
        hierarchy::METHODS,
        methods::METHODS,
        visibility::METHODS,
    ],
    singleton: &[SINGLETON],
    ..NativeClass::class("Module", "Object")
};

/// The class `Class`.
pub const CLASS: NativeClass = NativeClass {
    methods: &[CLASS_METHODS],
    singleton: &[CLASS_SINGLETON],
    ..NativeClass::class("Class", "Module")
};

const SINGLETON: &[Native] = &[
    method("new", 0, ANY, |ruby, this, args| {
        let class = this_class(this);
        let module = ruby.add_class(Class::new(ClassKind::Module, None));
        if class != ClassId::MODULE {
            ruby.class(module).head.set_class(class);
        }
        let module = Value::Class(module);
        ruby.call(&module, sym::INITIALIZE, args)?;
        Ok(module)
    }),
    method("nesting", 0, 0, |ruby, _, _| {
        let mut modules = Vec::new();
        let cref = ruby.cref();
        let mut at = Some(&cref);
        while let Some(here) = at {
            if here.outer.is_some() && here.lexical {
                modules.push(Value::Class(here.module));
            }
            at = here.outer.as_ref();
        }
        Ok(Value::array(modules))
    }),
];

const METHODS: &[Native] = methods![
    private("initialize", 0, 0, |ruby, this, args| {
        if let Some(block) = args.block {
            let class = this_class(this);
            ruby.call_block_as(block, this, Some(class), &Args::new(std::slice::from_ref(this)))?;
        }
        Ok(Value::Nil)
    }),
    quick("name", 0, 0, |ruby, this, _| {
        let name = ruby.class(this_class(this)).name.clone();
        Ok(name.map_or(Value::Nil, |name| frozen(&name)))
    }),
    method("set_temporary_name", 1, 1, |ruby, this, args| {
        let class = this_class(this);
        let known = ruby.class(class);
        if known.name.is_some() && !known.temporary_name {
            return Err(ruby.runtime_error("can't change permanent name"));
        }
        if args[0].is_nil() {
            ruby.class_mut(class).name = None;
            return Ok(this.clone());
        }
        let name = ruby.to_text(&args[0])?.to_str_lossy().into_owned();
        if name.is_empty() {
            return Err(ruby.argument_error("empty class/module name"));
        }
        let is_constant = |part: &str| {
            part.chars().next().is_some_and(char::is_uppercase)
                && part.chars().all(|c| c == '_' || c.is_alphanumeric())
        };
        if name.split("::").all(is_constant) {
            return Err(
                ruby.argument_error("the temporary name must not be a constant path to avoid confusion")
            );
        }
        let known = ruby.class_mut(class);
        known.name = Some(name.into());
        known.temporary_name = true;
        Ok(this.clone())
    }),
    quick("to_s", 0, 0, shown).alias("inspect"),
    quick("===", 1, 1, |ruby, this, args| Ok(Value::Bool(ruby.is_a(&args[0], this_class(this))))),
    quick("==", 1, 1, |_, this, args| Ok(Value::Bool(this.is_same(&args[0])))),
    quick("hash", 0, 0, |ruby, this, _| Ok(Value::Int((ruby.hash_code(this)? >> 2) as i64))),
    method("module_eval", 0, 3, class_eval).alias("class_eval"),
    method("module_exec", 0, ANY, class_exec).alias("class_exec"),
    method("freeze", 0, 0, |ruby, this, _| {
        ruby.class(this_class(this)).head.freeze();
        Ok(this.clone())
    }),
    private("refine", 1, 1, |ruby, _, _| Err(no_refinements(ruby))),
    private("using", 1, 1, |ruby, _, _| Err(no_refinements(ruby))),
];

/// Methods of `main`, which does to `Object` what classes do to themselves.
pub(crate) static MAIN: &[Native] = &[
    private("public", 0, ANY, |ruby, _, args| {
        visibility::change(ruby, ClassId::OBJECT, args, Visibility::Public)
    }),
    private("private", 0, ANY, |ruby, _, args| {
        visibility::change(ruby, ClassId::OBJECT, args, Visibility::Private)
    }),
    private("include", 1, ANY, |ruby, _, args| {
        let include = ruby.symbols.intern("include");
        ruby.call(&Value::Class(ClassId::OBJECT), include, args)
    }),
    private("define_method", 1, 2, |ruby, _, args| {
        let define = ruby.symbols.intern("define_method");
        ruby.call(&Value::Class(ClassId::OBJECT), define, args)
    }),
    private("using", 1, 1, |ruby, _, _| Err(no_refinements(ruby))),
];

fn no_refinements(ruby: &mut Ruby<'_>) -> Box<Unwind> {
    let message = "refinements are not supported: define the method in the class itself";
    ruby.error(ClassId::NOT_IMPLEMENTED_ERROR, message)
}

const CLASS_SINGLETON: &[Native] = &[method("new", 0, 1, |ruby, _, args| {
    let superclass = match args.get(0) {
        None => ClassId::OBJECT,
        Some(Value::Class(class)) if !ruby.class(*class).is_module() => {
            if ruby.class(*class).is_singleton() {
                return Err(ruby.type_error("can't make subclass of singleton class"));
            }
            if *class == ClassId::CLASS {
                return Err(ruby.type_error("can't make subclass of Class"));
            }
            *class
        }
        Some(other) => {
            let name = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("superclass must be a Class ({name} given)")));
        }
    };
    let class = ruby.new_class(superclass);
    ruby.inherited(superclass, class)?;
    let class = Value::Class(class);
    if let Some(block) = args.block {
        ruby.call_block_as(
            block,
            &class,
            Some(this_class(&class)),
            &Args::new(std::slice::from_ref(&class)),
        )?;
    }
    Ok(class)
})];

const CLASS_METHODS: &[Native] = &[
    method("allocate", 0, 0, allocate),
    method("new", 0, ANY, |ruby, this, args| {
        let meta = ruby.class_of(this);
        let object = match ruby.find_method(meta, sym::ALLOCATE) {
            Some(method) => ruby.call_method(this, &method, sym::ALLOCATE, &Args::default())?,
            None => allocate(ruby, this, &Args::default())?,
        };
        let class = ruby.class_of(&object);
        if let Some(method) = ruby.find_method(class, sym::INITIALIZE) {
            ruby.call_method(&object, &method, sym::INITIALIZE, args)?;
        }
        Ok(object)
    }),
    quick("superclass", 0, 0, |ruby, this, _| Ok(ruby.real_superclass(this_class(this)).into())),
    method("subclasses", 0, 0, |ruby, this, _| {
        let class = this_class(this);
        let below = (0..ruby.classes.len() as u32).rev().map(ClassId).filter(|id| {
            let other = ruby.class(*id);
            other.superclass == Some(class) && !other.is_singleton() && !other.is_module()
        });
        Ok(Value::array(below.map(Value::Class).collect::<Vec<_>>()))
    }),
    private("inherited", 1, 1, |_, _, _| Ok(Value::Nil)),
    method("attached_object", 0, 0, |ruby, this, _| match &ruby.class(this_class(this)).kind {
        ClassKind::Singleton(object) => Ok(object.clone()),
        _ => {
            let name = ruby.class_name(this_class(this));
            Err(ruby.type_error(format!("`{name}' is not a singleton class")))
        }
    }),
];

/// Classes whose instances are never made with `allocate`.
const UNALLOCATED: &[ClassId] = &[
    ClassId::INTEGER,
    ClassId::FLOAT,
    ClassId::SYMBOL,
    ClassId::NIL_CLASS,
    ClassId::TRUE_CLASS,
    ClassId::FALSE_CLASS,
    ClassId::METHOD,
    ClassId::UNBOUND_METHOD,
    ClassId::BINDING,
    ClassId::PROC,
];

fn allocate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = this_class(this);
    if ruby.class(class).is_singleton() {
        return Err(ruby.type_error("can't create instance of singleton class"));
    }
    let mut at = Some(class);
    while let Some(here) = at {
        if UNALLOCATED.contains(&here) {
            let name = ruby.class_name(class);
            return Err(ruby.type_error(format!("allocator undefined for {name}")));
        }
        at = ruby.class(here).superclass;
    }
    Ok(Value::Object(Object::new(class)))
}

/// The class or module that a method of `Module` was called on.
pub(crate) fn this_class(this: &Value) -> ClassId {
    match this {
        Value::Class(class) => *class,
        _ => ClassId::OBJECT,
    }
}

fn frozen(text: &str) -> Value {
    let text = Value::str(Text::from(text).narrowed());
    if let Some(head) = text.head() {
        head.freeze();
    }
    text
}

fn shown(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = this_class(this);
    if let ClassKind::Singleton(object) = &ruby.class(class).kind
        && !matches!(object, Value::Class(_))
    {
        let object = object.clone();
        let inner = ruby.plain_inspect(&object);
        return Ok(Value::str(format!("#<Class:{inner}>")));
    }
    Ok(Value::str(Text::from(ruby.class_name(class)).narrowed()))
}

fn class_eval(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = this_class(this);
    match args.block {
        Some(block) => {
            if !args.is_empty() {
                return Err(ruby.wrong_number_of_arguments(args.len(), 0));
            }
            ruby.call_block_as(block, this, Some(class), &Args::new(std::slice::from_ref(this)))
        }
        None => {
            if args.is_empty() {
                return Err(ruby.argument_error("wrong number of arguments (given 0, expected 1..3)"));
            }
            binding::evaluate_as(ruby, this, Some(class), &args[0], args.get(1), args.get(2))
        }
    }
}

fn class_exec(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let block = ruby.need_block(args)?;
    ruby.call_block_as(block, this, Some(this_class(this)), &Args { block: None, ..*args })
}
