//! Replacements for functions and templates of modules that cannot run here (`--overrides DIR`): functions in Puppet (`functions/web/port.pp`),
//! tables of calls (`functions/web/port.json`), other templates (`templates/web/page.erb`).

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use kukla_formats::json;
use kukla_syntax::{Diagnostic, bail, diagnostic};
use kukla_values::{Value, richdata};
use serde_json::Value as Json;

use crate::codes::{BAD_OVERRIDE, NO_OVERRIDDEN_CALL};
use crate::environment::Environment;
use crate::error::Flow;
use crate::lambda::Block;
use crate::registry::ForeignFunction;
use crate::vm::Vm;

/// A function whose results are written down.
#[derive(Debug)]
struct Table {
    name: String,
    path: PathBuf,
    /// Each call: its arguments, unless the result is that of all others, and the result.
    rows: Vec<(Option<Json>, Value)>,
}

impl ForeignFunction for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, _: &mut Vm<'_>, args: Vec<Value>, _: Option<Block>) -> Flow {
        let given = richdata::to_json(&Value::from(args))?;
        let row = self.rows.iter().find(|(wanted, _)| wanted.as_ref().is_none_or(|wanted| *wanted == given));
        match row {
            Some((_, result)) => Ok(result.clone()),
            None => {
                let example = format!(r#"{{"arguments": {given}, "result": null}}"#);
                bail!(NO_OVERRIDDEN_CALL { name: self.name, file: self.path.display(), example })
            }
        }
    }
}

impl Environment {
    fn override_at(&self, below: &str, name: &str) -> Option<PathBuf> {
        // A name that code computes could lead out of the directory.
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = self.settings.overrides.as_ref()?.join(below).join(name);
        self.reading(|world| world.exists(&path)).then_some(path)
    }

    /// The file of a function in Puppet that replaces the one of that name.
    pub fn function_override(&self, name: &str) -> Option<PathBuf> {
        self.override_at("functions", &format!("{}.pp", name.replace("::", "/")))
    }

    /// The file of a table that replaces the function of that name.
    pub fn table_override(&self, name: &str) -> Option<PathBuf> {
        self.override_at("functions", &format!("{}.json", name.replace("::", "/")))
    }

    /// Whether the function of that name is replaced.
    pub fn is_overridden(&self, name: &str) -> bool {
        self.function_override(name).is_some() || self.table_override(name).is_some()
    }

    /// The file that replaces the template of that name, `module/name`.
    pub fn template_override(&self, name: &str) -> Option<PathBuf> {
        self.override_at("templates", name)
    }

    /// The table that replaces the function of that name.
    pub(crate) fn table(&self, name: &str) -> Result<Option<Arc<dyn ForeignFunction>>, Arc<Diagnostic>> {
        let Some(path) = self.table_override(name) else { return Ok(None) };
        let bad = |problem: &dyn std::fmt::Display| {
            Arc::new(diagnostic!(BAD_OVERRIDE { file: path.display(), problem: problem }))
        };
        let bytes = self.reading(|world| world.read(&path)).map_err(|why| bad(&why))?;
        let text = String::from_utf8_lossy(&bytes);
        let document = json::read(&text).map_err(|why| bad(&why))?;
        let shape = || bad(&r#"not a list of {"arguments": [...], "result": ...}"#);
        let Value::Array(written) = document.value else { return Err(shape()) };
        let mut rows = Vec::new();
        for row in written.iter() {
            let Value::Hash(row) = row else { return Err(shape()) };
            let arguments = match row.get("arguments") {
                None => None,
                Some(arguments @ Value::Array(_)) => {
                    Some(richdata::to_json(arguments).map_err(|why| bad(&why.message()))?)
                }
                Some(_) => return Err(shape()),
            };
            rows.push((arguments, row.get("result").ok_or_else(shape)?.clone()));
        }
        Ok(Some(Arc::new(Table { name: name.to_owned(), path, rows })))
    }
}
