//! Interpolation: `%{variable}`, `%{lookup('key')}`, `%{hiera('key')}`, `%{alias('key')}`, `%{literal('text')}`,
//! `%{scope('variable')}`, `%{}`.

use kukla_syntax::diagnostic;
use kukla_values::{Array, Hash, Str, Value};

use crate::codes::{
    HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING, HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED,
    HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD, INTERPOLATION_SYNTAX,
};
use crate::error::{Error, ErrorKind, Result};
use crate::explain::{Action, Source};
use crate::invocation::Invocation;
use crate::key::Key;
use crate::reads::Reading;
use crate::template::{Part, Path, Template, Text, has_expression, interpolates};
use kukla_values::format;

impl Invocation<'_> {
    /// Replaces the interpolations everywhere in a value, keys included.
    pub fn interpolate(&mut self, value: &Value, methods: bool) -> Result<Value> {
        if interpolates(value) { self.render(&Template::new(value), methods) } else { Ok(value.clone()) }
    }

    /// The same for a value taken apart before.
    pub fn render(&mut self, template: &Template, methods: bool) -> Result<Value> {
        Ok(match template {
            Template::Plain(value) => value.clone(),
            Template::Text(text) => self.render_text(text, methods)?,
            Template::Array(templates) => {
                let mut out = Array::with_capacity(templates.len());
                for template in templates {
                    out.push(self.render(template, methods)?);
                }
                out.into()
            }
            Template::Hash(templates) => {
                let mut out = Hash::new();
                let entries = out.make_mut();
                entries.reserve(templates.len());
                for (key, value) in templates {
                    let key = self.render(key, methods)?;
                    let value = self.render(value, methods)?;
                    entries.insert(key, value);
                }
                out.into()
            }
        })
    }

    /// The same for a text that has to stay one.
    pub fn interpolate_path(&mut self, text: &str) -> Result<Str> {
        if !has_expression(text) {
            return Ok(text.into());
        }
        Ok(match self.render_text(&Text::new(text), false)? {
            Value::String(text) => text,
            other => format::to_s(&other),
        })
    }

    fn render_text(&mut self, text: &Text, methods: bool) -> Result<Value> {
        self.step(
            || Action::Interpolate(text.subject.clone()),
            |this| {
                if let [Part::Alias(key)] = &text.parts[..]
                    && methods
                {
                    return this.nested_lookup(key);
                }
                let mut out = String::with_capacity(text.subject.len());
                this.charge_text(text.subject.len())?;
                for part in &text.parts {
                    match part {
                        Part::Plain(text) => out.push_str(text),
                        Part::Empty => {}
                        part => match this.part(part, &text.subject, methods)? {
                            Value::String(text) => out.push_str(&text),
                            other => out.push_str(&format::to_s(&other)),
                        },
                    }
                    this.check_text(out.len())?;
                }
                this.charge_text(out.len())?;
                Ok(out.into())
            },
        )
    }

    /// Counts a text that was put together.
    fn charge_text(&self, bytes: usize) -> Result<()> {
        let charged = self.host.budget().map_or(Ok(()), |budget| budget.charge_text(bytes));
        charged.map_err(|wrong| Error::new(ErrorKind::Caller, wrong.into_diagnostic()))
    }

    fn check_text(&self, bytes: usize) -> Result<()> {
        let checked = self.host.budget().map_or(Ok(()), |budget| budget.check_text(bytes));
        checked.map_err(|wrong| Error::new(ErrorKind::Caller, wrong.into_diagnostic()))
    }

    /// The value of one interpolation, which may hold others.
    fn part(&mut self, part: &Part, subject: &str, methods: bool) -> Result<Value> {
        if !methods && part.is_method() {
            return Err(Error::data(diagnostic!(HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED)));
        }
        let (value, name) = match part {
            Part::Plain(text) => return Ok(text.clone().into()),
            Part::Empty => return Ok("".into()),
            Part::Variable { path, .. } => (self.scope_value(path, subject)?, path.name.clone()),
            Part::Lookup(key) => {
                (self.nested_lookup(key)?, key.as_ref().map(|key| key.text().clone()).unwrap_or_default())
            }
            Part::Literal(text) => (text.clone().into(), text.clone()),
            Part::Alias(_) => {
                return Err(Error::data(diagnostic!(HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING;
                    hint: "`lookup` gives a value as a part of a text: `%{{lookup('…')}}`")));
            }
            Part::Unknown(method) => {
                const METHODS: [&str; 5] = ["alias", "hiera", "literal", "lookup", "scope"];
                let mut wrong =
                    diagnostic!(HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD { name: method });
                let near = kukla_syntax::suggest::nearest(method, METHODS);
                wrong.hints.push(match near {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => format!("the methods are {}", METHODS.join(", ")),
                });
                return Err(Error::data(wrong));
            }
        };
        self.check(name, |this| this.interpolate(&value, methods))
    }

    /// Looks up another key; what is not found is the empty text.
    fn nested_lookup(&mut self, key: &Result<Key>) -> Result<Value> {
        let key = key.as_ref().map_err(Clone::clone)?;
        let top_key = std::mem::replace(&mut self.frame.top_key, key.text().clone());
        let module = std::mem::replace(&mut self.frame.module, key.module().cloned());
        let origins = std::mem::take(&mut self.frame.origins);
        let interpolated = std::mem::take(&mut self.frame.interpolated);
        // Data outside of the global layer sees variables as they are.
        let version_3 = self.frame.version_3;
        self.frame.version_3 &= self.frame.global_only;
        let value = match self.frame.overriding(key.text()) {
            Some(value) => Ok(Some(value.clone())),
            None => self.lookup_key(key, None),
        };
        self.frame.top_key = top_key;
        self.frame.module = module;
        let inner = std::mem::replace(&mut self.frame.origins, origins);
        self.frame.interpolated = interpolated;
        self.frame.interpolated.extend(inner);
        self.frame.version_3 = version_3;
        let found = value?.or_else(|| self.frame.defaulting(key.text()).cloned());
        Ok(found.unwrap_or_else(|| "".into()))
    }

    /// The value of a variable, or of something inside it; `undef` if there is none and that is allowed.
    pub fn scope_value(&mut self, path: &Path, subject: &str) -> Result<Value> {
        let Some((root, segments)) = &path.steps else {
            return Err(Error::data(diagnostic!(INTERPOLATION_SYNTAX { text: subject })));
        };
        let mut value =
            self.step(|| Action::Scope("Global Scope".into()), |this| this.root_value(root, segments))?;
        if !value.is_undef() {
            value = self.dig(&path.text, segments, value)?.unwrap_or_default();
        }
        let reading = Reading { root: root.clone(), segments: segments.clone(), value: value.clone() };
        match &mut self.resolving {
            Some(resolving) => resolving.reads.note(self.host, reading),
            None => self.frame.needs.own.note(self.host, reading),
        }
        Ok(value)
    }

    fn root_value(&mut self, root: &Str, segments: &[Value]) -> Result<Value> {
        if let Some(value) = self.frame.overriding(root).cloned() {
            self.tell(|explainer| explainer.found(root.clone(), &value, Source::Overrides, None));
            return Ok(value);
        }
        let default = self.frame.defaulting(root).cloned();
        match (self.variable(root, segments, default.is_some())?, default) {
            (Some(value), _) => {
                self.found(root, &value);
                Ok(value)
            }
            (None, Some(value)) => {
                self.tell(|explainer| explainer.found(root.clone(), &value, Source::Defaults, None));
                Ok(value)
            }
            (None, None) => Ok(Value::Undef),
        }
    }
}
