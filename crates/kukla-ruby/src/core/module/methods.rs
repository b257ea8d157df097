//! The methods of a class or module: listing, finding and removing them.

use super::this_class;
use crate::args::Args;
use crate::class::{ANY, ClassId, ClassKind, Native, method};
use crate::core::method::make_unbound;
use crate::error::Result;
use crate::method::{MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// Which methods are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibilityFilter {
    Public,
    Protected,
    Private,
    PublicAndProtected,
}

impl VisibilityFilter {
    fn includes(self, visibility: Visibility) -> bool {
        match self {
            VisibilityFilter::Public => visibility == Visibility::Public,
            VisibilityFilter::Protected => visibility == Visibility::Protected,
            VisibilityFilter::Private => visibility == Visibility::Private,
            VisibilityFilter::PublicAndProtected => visibility != Visibility::Private,
        }
    }
}

/// Methods of modules.
pub const METHODS: &[Native] = &[
    method("instance_methods", 0, 1, |ruby, this, args| {
        listed(ruby, this, args, VisibilityFilter::PublicAndProtected)
    }),
    method("public_instance_methods", 0, 1, |ruby, this, args| {
        listed(ruby, this, args, VisibilityFilter::Public)
    }),
    method("protected_instance_methods", 0, 1, |ruby, this, args| {
        listed(ruby, this, args, VisibilityFilter::Protected)
    }),
    method("private_instance_methods", 0, 1, |ruby, this, args| {
        listed(ruby, this, args, VisibilityFilter::Private)
    }),
    method("undefined_instance_methods", 0, 0, |ruby, this, _| {
        let class = ruby.class(this_class(this));
        let names = class.method_order.iter().filter(|name| {
            class.methods.get(*name).is_some_and(|method| matches!(method.body, MethodBody::Undefined))
        });
        Ok(Value::array(names.map(|name| Value::Symbol(*name)).collect::<Vec<_>>()))
    }),
    method("method_defined?", 1, 2, |ruby, this, args| {
        defined(ruby, this, args, VisibilityFilter::PublicAndProtected)
    }),
    method("public_method_defined?", 1, 2, |ruby, this, args| {
        defined(ruby, this, args, VisibilityFilter::Public)
    }),
    method("protected_method_defined?", 1, 2, |ruby, this, args| {
        defined(ruby, this, args, VisibilityFilter::Protected)
    }),
    method("private_method_defined?", 1, 2, |ruby, this, args| {
        defined(ruby, this, args, VisibilityFilter::Private)
    }),
    method("instance_method", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        make_unbound(ruby, this_class(this), name, false)
    }),
    method("public_instance_method", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        make_unbound(ruby, this_class(this), name, true)
    }),
    method("remove_method", 0, ANY, |ruby, this, args| {
        let class = this_class(this);
        for name in args.list {
            let name = ruby.to_symbol(name)?;
            ruby.remove_method(class, name)?;
        }
        Ok(this.clone())
    }),
    method("undef_method", 0, ANY, |ruby, this, args| {
        let class = this_class(this);
        for name in args.list {
            let name = ruby.to_symbol(name)?;
            ruby.undefine_method(class, name)?;
        }
        Ok(this.clone())
    }),
];

fn listed(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, wanted: VisibilityFilter) -> Result {
    let all = args.get(0).is_none_or(Value::is_true);
    list_methods(ruby, this_class(this), all, wanted, false)
}

/// The names of methods of a class; all of them, or its own only.
pub(crate) fn list_methods(
    ruby: &mut Ruby<'_>,
    class: ClassId,
    all: bool,
    wanted: VisibilityFilter,
    of_object: bool,
) -> Result {
    let mut seen: indexmap::IndexMap<Symbol, Option<Visibility>, rustc_hash::FxBuildHasher> =
        indexmap::IndexMap::default();
    let ancestors = ruby.ancestors(class);
    // What is prepended is not its own.
    for module in ancestors.iter().skip_while(|module| !all && !of_object && **module != class) {
        let own = ruby.class(*module);
        for name in &own.method_order {
            if let Some(method) = own.methods.get(name) {
                let visibility =
                    if matches!(method.body, MethodBody::Undefined) { None } else { Some(method.visibility) };
                seen.entry(*name).or_insert(visibility);
            }
        }
        if let Some(native) = own.native {
            let mut names: Vec<Symbol> = native.keys().copied().collect();
            names.sort();
            for name in names {
                let private = !own.is_singleton() && native.get(&name).is_some_and(|native| native.private);
                let visibility = if private { Visibility::Private } else { Visibility::Public };
                seen.entry(name).or_insert(Some(visibility));
            }
        }
        // An object's own methods are those of its singleton class, with what extends it, and of its class.
        if !all && !(of_object && (own.is_singleton() || own.is_module())) {
            break;
        }
    }
    let names = seen.into_iter().filter_map(|(name, visibility)| {
        visibility.filter(|visibility| wanted.includes(*visibility)).map(|_| Value::Symbol(name))
    });
    Ok(Value::array(names.collect::<Vec<_>>()))
}

fn defined(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, wanted: VisibilityFilter) -> Result {
    let name = ruby.to_symbol(&args[0])?;
    let class = this_class(this);
    let found = if args.get(1).is_none_or(Value::is_true) {
        ruby.find_method(class, name)
    } else {
        ruby.own_method(class, name).filter(|method| !matches!(method.body, MethodBody::Undefined))
    };
    Ok(Value::Bool(found.is_some_and(|method| wanted.includes(method.visibility))))
}

impl Ruby<'_> {
    /// `remove_method`
    fn remove_method(&mut self, class: ClassId, name: Symbol) -> Result<()> {
        self.check_frozen(&Value::Class(class))?;
        let own = self.class_mut(class);
        if own.methods.remove(&name).is_none() {
            if self.own_method(class, name).is_some() {
                // A native method cannot be removed from its shared table; hiding it is the same to callers.
                self.put_method(class, name, Visibility::Public, MethodBody::Undefined);
                return Ok(());
            }
            let message = format!("method `{}' not defined in {}", self.name(name), self.class_name(class));
            return Err(self.name_error(message, name, Value::Class(class)));
        }
        own.method_order.retain(|other| *other != name);
        self.methods_changed();
        let (receiver, hook) = match &self.class(class).kind {
            ClassKind::Singleton(object) => (object.clone(), sym::SINGLETON_METHOD_REMOVED),
            _ => (Value::Class(class), sym::METHOD_REMOVED),
        };
        self.tell(&receiver, hook, &[Value::Symbol(name)])
    }
}
