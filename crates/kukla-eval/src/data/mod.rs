//! Data lookup: what functions and the parameters of classes ask of the compilation's data session.
//!
//! The compilation owns a [`Session`]. A lookup takes it out of the compilation, so that it can ask the compilation for variables
//! and functions through a [`Host`](kukla_hiera::Host); code that runs on behalf of a lookup finds it there again.

mod context;
mod host;

use std::path::Path;
use std::sync::Arc;

use kukla_hiera::{Error, ErrorKind, Explanation, Settings, ValueOrigin};
pub use kukla_hiera::{LookupHit, LookupRequest, Session};
use kukla_syntax::{NAMELESS, diagnostic};
use kukla_values::{Name, Str, Value};

use self::host::VmHost;
use crate::codes::NO_DATA;
use crate::environment::Environment;
use crate::error::{Diagnostic, Flow, Raise};
use crate::profile::SpotKind;
use crate::vm::Vm;

impl Environment {
    /// The settings of data sessions in this environment; `global_config` is the path of the global `hiera.yaml`.
    pub fn data_settings(&self, global_config: Option<&Path>) -> Settings {
        let setting = |name: &str| {
            let value = self.settings.all.get(name)?.as_str()?;
            let unquoted = ['\'', '"'].into_iter().find_map(|q| value.strip_prefix(q)?.strip_suffix(q));
            Some(unquoted.unwrap_or(value).to_owned()).filter(|value| !value.is_empty())
        };
        Settings {
            global_config: global_config.map(|path| path.display().to_string()),
            environment: self.name.as_str().to_owned(),
            environment_root: self.root.as_ref().map(|root| root.display().to_string()),
            environment_provider: setting("environment_data_provider"),
            codedir: setting("codedir").unwrap_or_default(),
            strict: self.settings.strict,
        }
    }
}

impl<'e> Vm<'e> {
    /// Gives the compilation its data session.
    pub fn set_data(&mut self, session: Session) {
        self.compilation.replace_data(Some(Box::new(session)));
    }

    /// The data session, if the compilation has one and no lookup uses it.
    pub fn data(&self) -> Option<&Session> {
        self.compilation.data()
    }

    /// Runs `ask` with the data session; a compilation without data is an error.
    fn with_data<T>(&mut self, ask: impl FnOnce(&mut Session, &mut Self) -> T) -> Flow<T> {
        let Some(mut session) = self.compilation.replace_data(None) else {
            return Err(diagnostic!(NO_DATA).into());
        };
        let answer = ask(&mut session, self);
        self.compilation.replace_data(Some(session));
        Ok(answer)
    }

    /// Evaluates code on behalf of a lookup, whose session that code may use.
    fn lending_data<T>(&mut self, session: &mut Session, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.compilation.replace_data(Some(Box::new(std::mem::take(session))));
        let result = evaluate(self);
        if let Some(lent) = self.compilation.replace_data(outer) {
            *session = *lent;
        }
        result
    }

    /// Answers a request of code: `None` if nothing is found and there is no default.
    pub fn lookup(&mut self, request: &LookupRequest) -> Flow<Option<Value>> {
        let title = || format!("Lookup of '{}'", request.keys.join("', '"));
        let hit = self.with_data(|session, vm| {
            vm.profiled(
                SpotKind::Lookup,
                || request.keys.join(", ").into(),
                |vm| session.logged(title, |session| session.try_lookup(&mut VmHost { vm }, request)),
            )
        })?;
        let hit = hit.map_err(raise_in_code)?;
        self.record_hit(hit.as_ref())?;
        Ok(hit.map(|hit| hit.value))
    }

    /// The value that data has for a parameter of a class, if the compilation has data.
    pub(crate) fn lookup_class_parameter(&mut self, class: Name, parameter: Name) -> Flow<Option<LookupHit>> {
        if self.data().is_none() {
            return Ok(None);
        }
        let key = [class.as_str(), "::", parameter.as_str()].concat();
        let title = || format!("Automatic Parameter Lookup of '{key}'");
        let hit = self.with_data(|session, vm| {
            vm.profiled(
                SpotKind::Lookup,
                || key.as_str().into(),
                |vm| session.logged(title, |session| session.class_parameter(&mut VmHost { vm }, &key)),
            )
        })?;
        let hit = hit.map_err(raise_in_code)?;
        self.record_hit(hit.as_ref())?;
        Ok(hit)
    }

    /// Charges for a value that was found and records where it came from. Aliases let a few lines of data expand to more than
    /// fits into memory.
    fn record_hit(&mut self, hit: Option<&LookupHit>) -> Flow<()> {
        let Some(hit) = hit else { return Ok(()) };
        self.charge(1)?;
        self.budget().check_value(&hit.value)?;
        self.note_lookup(&hit.origins);
        Ok(())
    }

    /// Where the data has its value for a parameter of a class, the highest level first.
    #[cold]
    pub(crate) fn origins_of_parameter(&mut self, class: Name, parameter: Name) -> Vec<Arc<ValueOrigin>> {
        let key = format!("{class}::{parameter}");
        let hit = self.with_data(|session, vm| session.class_parameter(&mut VmHost { vm }, &key));
        hit.ok().and_then(Result::ok).flatten().map(|hit| hit.origins).unwrap_or_default()
    }

    /// The key nearest to one that has no value, of those that have one.
    #[cold]
    pub fn nearest_data_key(&mut self, key: &str) -> Option<Str> {
        self.with_data(|session, vm| session.near_key(&mut VmHost { vm }, key)).ok().flatten()
    }

    /// Answers a request that comes from outside of the code; finding nothing is an error.
    pub fn lookup_or_fail(&mut self, request: &LookupRequest) -> Flow<LookupHit> {
        self.with_data(|session, vm| session.lookup(&mut VmHost { vm }, request))?.map_err(raise)
    }

    /// The same, with an explanation of the search, whatever its result.
    pub fn lookup_explained(&mut self, request: &LookupRequest) -> Flow<(Flow<LookupHit>, Explanation)> {
        let (hit, explanation) =
            self.with_data(|session, vm| session.explain(&mut VmHost { vm }, request))?;
        Ok((hit.map_err(raise), explanation))
    }

    /// A `Puppet::LookupContext` outside of any lookup, as a program can create one; `None` if the compilation has no data.
    pub(crate) fn lookup_context(&self, module: Option<&str>) -> Option<Value> {
        let session = self.data()?;
        Some(context::value(session.context(module.map(Into::into))))
    }
}

/// A lookup that failed while code was evaluated, as an error of the data or of the call.
fn raise_in_code(error: Error) -> Raise {
    let is_data = error.kind() == ErrorKind::Data;
    let wrong = diagnosed(error);
    if is_data { wrong.into() } else { wrong.reported_as(NAMELESS).into() }
}

/// A failed lookup as an error of the evaluator.
fn raise(error: Error) -> Raise {
    diagnosed(error).into()
}

fn diagnosed(error: Error) -> Diagnostic {
    // Puppet has no issue name for errors of the global layer.
    let nameless = error.kind() == ErrorKind::Plain && error.is_nameless();
    let wrong = *error.into_diagnostic();
    if nameless { wrong.reported_as("ERROR") } else { wrong }
}
