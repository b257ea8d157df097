//! Objects: their attributes as methods, making them, and the two kinds everyone knows: errors and deferred calls.

use std::cell::RefCell;
use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};
use kukla_values::convert::{self, ConversionContext};
use kukla_values::iterator::Lister;
use kukla_values::time::Timestamp;
use kukla_values::types::names;
use kukla_values::types::object::{Member, Object, ObjectType};
use kukla_values::{Array, Hash, Type, Value, richdata};

use crate::codes::METHOD_NOT_IMPLEMENTED;
use crate::error::{Flow, Frame, Raise, Raised};
use crate::vm::Vm;
use kukla_values::codes::INVALID_TYPE_SPECIFICATION;

/// A compilation as the context in which values are created.
struct Around<'v, 'e>(RefCell<&'v mut Vm<'e>>);

impl ConversionContext for Around<'_, '_> {
    fn now(&self) -> Timestamp {
        self.0.borrow().world().now()
    }

    fn read_type(&self, text: &str) -> kukla_values::Result<Type> {
        let parsed = self.0.borrow_mut().parse_type(text);
        parsed.map_err(|raise| match raise.into_reason() {
            // Where in the text it is does not help those who see neither the text nor the call that reads it.
            Raised::Error(mut failure) => {
                failure.position = None;
                failure.frame = Frame::Bare;
                failure.into()
            }
            _ => diagnostic!(INVALID_TYPE_SPECIFICATION { text }).into(),
        })
    }

    fn lister(&self) -> Lister {
        Lister::up_to(self.0.borrow().budget().limits().elements)
    }
}

impl Vm<'_> {
    /// `Type.new(args)`.
    pub fn instantiate(&mut self, ty: &Type, args: Vec<Value>) -> Flow {
        if let (Type::Object(object), [module @ (Value::Undef | Value::String(_))]) = (ty, &args[..])
            && Arc::ptr_eq(object, ObjectType::lookup_context())
            && let Some(context) = self.lookup_context(module.as_str())
        {
            return Ok(context);
        }
        convert::new_instance(ty, &args, &Around(RefCell::new(self))).map_err(Raise::from)
    }

    /// The value of an attribute in a catalog, where rich data is hashes. If it cannot be read, all of it is secret.
    pub(crate) fn read_rich_data(&mut self, value: &Value) -> Value {
        let mut text = String::new();
        kukla_catalog::json::value(&mut text, value);
        let json = serde_json::from_str(&text).ok();
        let read = json.and_then(|json| richdata::from_json(&json, &Around(RefCell::new(self))).ok());
        read.unwrap_or_else(|| Value::Sensitive(Arc::new(value.clone())))
    }

    /// The value of an attribute that a method call on an object or URI names; `None` if it has no such attribute.
    pub(crate) fn member(&self, receiver: &Value, name: &str) -> Flow<Option<Value>> {
        match receiver {
            Value::Object(object) => object_member(object, name),
            Value::Uri(uri) => match name {
                "scheme" | "userinfo" | "host" | "port" | "path" | "query" | "fragment" | "opaque" => {
                    Ok(Some(uri.part(name)))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// An `Error` value.
    pub fn error_value(&mut self, message: &str, kind: &str, issue: &str, details: Hash) -> Flow {
        // The details may hold types, which a manifest could not put there.
        let attributes: [(&str, Value); 4] = [
            ("msg", message.into()),
            ("kind", kind.into()),
            ("details", details.into()),
            ("issue_code", issue.into()),
        ];
        Ok(Value::Object(Arc::new(Object::from_hash(&names::error(), &attributes.into_iter().collect()))))
    }

    /// Resolves deferred calls and variables, also inside collections; other values stay as they are.
    pub fn resolve_deferred(&mut self, value: Value) -> Flow {
        match value {
            Value::Object(object) if object.ty.name.as_deref() == Some("Deferred") => {
                let name = object.get("name").unwrap_or_default();
                let name = name.as_str().unwrap_or_default();
                let args = match object.get("arguments") {
                    Some(Value::Array(args)) => self.resolve_all(&args)?,
                    _ => Array::new(),
                };
                match name.strip_prefix('$') {
                    None => self.call(name, args.into_iter().collect(), None),
                    Some(variable) => {
                        let value = self.variable_at(self.position(), variable).unwrap_or_default();
                        match args.is_empty() {
                            true => Ok(value),
                            false => self.call("dig", std::iter::once(value).chain(args).collect(), None),
                        }
                    }
                }
            }
            Value::Array(values) => Ok(Value::Array(self.resolve_all(&values)?)),
            Value::Hash(hash) => {
                let mut resolved = Hash::new();
                for (key, value) in &hash {
                    let value = self.resolve_deferred(value.clone())?;
                    resolved.insert(key.clone(), value);
                }
                Ok(Value::Hash(resolved))
            }
            Value::Sensitive(inner) => {
                let inner = self.resolve_deferred((*inner).clone())?;
                Ok(Value::Sensitive(Arc::new(inner)))
            }
            other => Ok(other),
        }
    }

    fn resolve_all(&mut self, values: &Array) -> Flow<Array> {
        let mut resolved = Array::with_capacity(values.len());
        for value in values {
            resolved.push(self.resolve_deferred(value.clone())?);
        }
        Ok(resolved)
    }
}

fn object_member(object: &Object, name: &str) -> Flow<Option<Value>> {
    if let Some(value) = object.get(name) {
        return Ok(Some(value));
    }
    // The one method an object has that is not an attribute.
    if name == "message" && object.ty.name.as_deref() == Some("Error") {
        return Ok(object.get("msg"));
    }
    let label = match object.ty.member(name) {
        Some(Member::Attribute(attribute)) => format!("derived {}", attribute.label),
        Some(Member::Function(function)) => function.label.to_string(),
        None => return Ok(None),
    };
    bail!(METHOD_NOT_IMPLEMENTED { label })
}
