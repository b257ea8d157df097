//! Instance variables by name.

use crate::class::{Native, method, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::{Head, Value};

/// Methods of every object.
pub const METHODS: &[Native] = &[
    quick("instance_variable_get", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        Ok(ruby.instance_variable(this, name))
    }),
    quick("instance_variable_set", 2, 2, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        ruby.set_instance_variable(this, name, args[1].clone())?;
        Ok(args[1].clone())
    }),
    quick("instance_variable_defined?", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        Ok(Value::Bool(names(ruby, this).contains(&name)))
    }),
    method("instance_variables", 0, 0, |ruby, this, _| {
        let names = names(ruby, this);
        Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
    method("remove_instance_variable", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        ruby.check_frozen(this)?;
        let removed = match this {
            Value::Class(class) => ruby.class(*class).head.remove_variable(name),
            this => this.head().and_then(|head| head.remove_variable(name)),
        };
        match removed {
            Some(value) => Ok(value),
            None => {
                let shown = ruby.describe(this)?;
                let shown = shown
                    .rsplit_once(':')
                    .filter(|_| !shown.starts_with('#'))
                    .map_or(shown.clone(), |(a, _)| a.to_owned());
                let message = format!("instance variable {} not defined for {shown}", ruby.name(name));
                Err(ruby.name_error(message, name, this.clone()))
            }
        }
    }),
];

/// The names that programs can name: what native methods keep has names without `@`.
fn names(ruby: &Ruby<'_>, this: &Value) -> Vec<Symbol> {
    let mut names = match this {
        Value::Class(class) => ruby.class(*class).head.variable_names(),
        this => this.head().map_or_else(Vec::new, Head::variable_names),
    };
    names.retain(|name| ruby.name(*name).starts_with('@'));
    names
}

fn variable_name(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<Symbol> {
    let name = ruby.to_symbol(value)?;
    let spelled = ruby.name(name);
    let rest = spelled.strip_prefix('@').unwrap_or("");
    let good = rest.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic() || !c.is_ascii())
        && rest.chars().all(|c| c == '_' || c.is_alphanumeric() || !c.is_ascii());
    if good {
        return Ok(name);
    }
    let message = format!("'{spelled}' is not allowed as an instance variable name");
    Err(ruby.name_error(message, name, this.clone()))
}
