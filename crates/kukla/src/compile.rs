//! Compilation, evaluation and lookup for a node of a site, on any number of threads.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kukla_catalog::{Catalog, Resource};
use kukla_eval::catalog::{DrawnRelationship, OutputOptions, Provenance};
use kukla_eval::data::{LookupHit, LookupRequest, Session};
use kukla_eval::environment::Node;
use kukla_eval::error::{Diagnostic, Flow, Raise};
use kukla_eval::messages::Log;
use kukla_eval::profile::Profile;
use kukla_eval::settings::LogLevel;
use kukla_eval::unit::Unit;
use kukla_eval::vm::Vm;
use kukla_hiera::Explanation;
use kukla_syntax::roomy;
use kukla_values::{Budget, Str, Value};
use kukla_world::record::Record;

use crate::caught::caught;
use crate::certname;
use crate::site::Site;

/// The outcome of a compilation, with its log messages.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The result, or the error.
    pub result: Result<T, Box<Diagnostic>>,
    /// The messages, in order.
    pub logs: Vec<Log>,
    /// How data was looked up, one lookup after the other, if asked; of a compilation that failed, as far as it came.
    pub explanation: Option<String>,
    /// Its inputs, if the world [records](kukla_world::record::Recorded) them.
    pub record: Option<Box<Record>>,
}

impl<T> Outcome<T> {
    /// The outcome with another result in place of a good one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        let Outcome { result, logs, explanation, record } = self;
        Outcome { result: result.map(change), logs, explanation, record }
    }
}

/// A compilation that failed before it began has no log messages.
impl<T> From<Box<Diagnostic>> for Outcome<T> {
    fn from(failure: Box<Diagnostic>) -> Outcome<T> {
        Outcome { result: Err(failure), logs: Vec::new(), explanation: None, record: None }
    }
}

/// The results of a compilation besides the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// Whether uncollected virtual resources stay in the catalog.
    pub keep_virtual: bool,
    /// Whether to explain how data was looked up.
    pub explain: bool,
    /// Whether to record the origins of attribute values.
    pub provenance: bool,
    /// Whether to profile the time.
    pub profile: bool,
}

/// A catalog, and the other results that the options ask for.
#[derive(Debug)]
pub struct Compiled {
    /// The catalog.
    pub catalog: Catalog,
    /// The origins of attribute values, if asked for.
    pub provenance: Option<Vec<Provenance>>,
    /// The relationships that arrows drew, if the origins of values are asked for.
    pub relationships: Vec<DrawnRelationship>,
    /// Values that were decrypted and must not be shown.
    pub secrets: Vec<Str>,
    /// The profile, if asked for.
    pub profile: Option<Profile>,
}

/// The variables that data can interpolate in a lookup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookupContext {
    /// Facts, trusted data and those of the classifier: no code is evaluated, so none can fail.
    #[default]
    Facts,
    /// Also those that the site manifest and the classes it includes set.
    Manifest,
}

/// The answer to a lookup.
#[derive(Debug)]
pub struct Answer {
    /// The value and its origin, or the error.
    pub found: Result<LookupHit, Box<Diagnostic>>,
    /// The explanation, if asked for.
    pub explanation: Option<Explanation>,
}

impl Compiled {
    /// Whether the catalog has a secret in it: a sensitive value, or perhaps one that was decrypted.
    pub fn holds_secret(&self) -> bool {
        !self.secrets.is_empty() || self.catalog.resources.iter().any(Resource::holds_secret)
    }
}

impl Site {
    /// Compiles the catalog of a node.
    pub fn compile(&self, node: &Node) -> Outcome<Catalog> {
        self.compile_with(node, CompileOptions::default()).map(|compiled| compiled.catalog)
    }

    /// Compiles the catalog of a node, with the other results that the options ask for.
    pub fn compile_with(&self, node: &Node, options: CompileOptions) -> Outcome<Compiled> {
        self.compile_while(node, options, || true)
    }

    /// The same, until `is_wanted` is false: then a deadline that the settings have counts as exceeded.
    pub fn compile_while(
        &self,
        node: &Node,
        options: CompileOptions,
        is_wanted: impl Fn() -> bool + 'static,
    ) -> Outcome<Compiled> {
        let world = Arc::clone(&self.environment.world);
        let clock = move || if is_wanted() { world.elapsed() } else { Duration::MAX };
        self.ahead_of(|| self.run_by(node, options.explain, clock, |vm| self.compiled(vm, options)))
    }

    /// The catalog, with the other results that the options ask for.
    pub(crate) fn compiled(&self, vm: &mut Vm<'_>, options: CompileOptions) -> Result<Compiled, Raise> {
        if options.provenance {
            vm.record_provenance();
        }
        if options.profile {
            vm.start_profile();
        }
        let catalog = self.catalog(vm, options.keep_virtual)?;
        let provenance = options.provenance.then(|| vm.provenance(&catalog));
        let secrets = vm.data().map(|session| session.secrets().cloned().collect());
        let secrets = secrets.unwrap_or_default();
        let relationships = vm.drawn_relationships();
        Ok(Compiled { catalog, provenance, relationships, secrets, profile: vm.take_profile() })
    }

    /// Runs the first compilation of a site with another thread that reads files ahead.
    fn ahead_of<T>(&self, compile: impl FnOnce() -> T) -> T {
        if self.is_used.swap(true, Ordering::Relaxed) {
            return compile();
        }
        let programs = self.manifests.iter().map(|unit| &unit.program);
        self.environment.reading_ahead(programs, compile)
    }

    /// Evaluates the site manifest for a node and returns the value of its last expression. Defines and collectors, which are lazy,
    /// are not evaluated; a prelude is compiled to completion first.
    pub fn eval(&self, node: &Node) -> Outcome<Value> {
        self.run(node, false, |vm| {
            let manifests = self.manifests_for(vm)?;
            match &self.prelude {
                Some(prelude) => {
                    let prelude = prelude.clone().map_err(|failure| Raise::from((*failure).clone()))?;
                    vm.remark(&prelude.remarks);
                    vm.compile(&[prelude])?;
                }
                None => vm.begin()?,
            }
            vm.evaluate_main(manifests)
        })
    }

    /// Looks data up in the context of a node.
    pub fn lookup(&self, node: &Node, request: &LookupRequest, context: LookupContext) -> Outcome<Answer> {
        self.look_up(node, context, false, |vm| Ok((vm.lookup_or_fail(request), None)))
    }

    /// The same, with an explanation of every place that was asked, whatever the answer.
    pub fn lookup_explained(
        &self,
        node: &Node,
        request: &LookupRequest,
        context: LookupContext,
    ) -> Outcome<Answer> {
        self.look_up(node, context, true, |vm| {
            vm.lookup_explained(request).map(|(hit, explanation)| (hit, Some(explanation)))
        })
    }

    fn look_up(
        &self,
        node: &Node,
        context: LookupContext,
        explain: bool,
        ask: impl FnOnce(&mut Vm<'_>) -> Flow<(Flow<LookupHit>, Option<Explanation>)>,
    ) -> Outcome<Answer> {
        self.run(node, explain, |vm| {
            match context {
                LookupContext::Facts => vm.begin()?,
                LookupContext::Manifest => {
                    let manifests = self.manifests_for(vm)?;
                    vm.begin()?;
                    vm.evaluate_main(manifests)?;
                }
            }
            let (hit, explanation) = ask(vm)?;
            let mut found = hit.map_err(|raise| redacted(vm, raise));
            if let Err(failure) = &mut found {
                self.explain_missing(failure);
            }
            Ok(Answer { found, explanation })
        })
    }

    pub(crate) fn run<T>(
        &self,
        node: &Node,
        explain: bool,
        body: impl FnOnce(&mut Vm<'_>) -> Result<T, Raise>,
    ) -> Outcome<T> {
        let world = Arc::clone(&self.environment.world);
        self.run_by(node, explain, move || world.elapsed(), body)
    }

    fn run_by<T>(
        &self,
        node: &Node,
        explain: bool,
        clock: impl Fn() -> Duration + 'static,
        body: impl FnOnce(&mut Vm<'_>) -> Result<T, Raise>,
    ) -> Outcome<T> {
        if let Err(refused) = certname::check(&node.name) {
            return refused.into();
        }
        let mut outcome =
            roomy(|| caught(|| self.run_here(node, explain, clock, body)).unwrap_or_else(Outcome::from));
        if let Err(failure) = &mut outcome.result {
            self.explain_missing(failure);
        }
        outcome
    }

    fn run_here<T>(
        &self,
        node: &Node,
        explain: bool,
        clock: impl Fn() -> Duration + 'static,
        body: impl FnOnce(&mut Vm<'_>) -> Result<T, Raise>,
    ) -> Outcome<T> {
        let global = self.spec.hiera_config.as_deref();
        let session = Session::new(Arc::clone(&self.data), self.environment.data_settings(global));
        let session = if explain { session.explaining() } else { session };
        let node = self.placed(node);
        let budget = Budget::new(self.environment.settings.limits).by_clock(clock);
        let mut vm = Vm::with_budget(&self.environment, &node, budget);
        vm.set_data(session);
        if let Some(layout) = &self.layout {
            layout.errors.iter().for_each(|message| vm.complain(message));
            layout.warnings.iter().for_each(|message| vm.warn(message));
        }
        for path in &self.special {
            vm.warn(format!("Skipped {}: it is a pipe, a socket or a device", path.display()));
        }
        // Charges that could not fail where they were made fail at the end.
        let result =
            vm.metered(body).and_then(|result| vm.budget().look().map(|()| result).map_err(Raise::from));
        let logs = vm.take_logs();
        let result = result.map_err(|raise| redacted(&vm, raise));
        let explanation = vm.data().and_then(Session::explanations).map(str::to_owned);
        let record = vm.take_record().map(Box::new);
        Outcome { result, logs, explanation, record }
    }

    /// The node with the environment among its server facts.
    fn placed<'n>(&self, node: &'n Node) -> Cow<'n, Node> {
        let environment = Value::from(self.spec.environment.as_str());
        if node.server_facts.get("environment") == Some(&environment) {
            return Cow::Borrowed(node);
        }
        let mut node = node.clone();
        node.server_facts.insert("environment", environment);
        Cow::Owned(node)
    }

    /// The catalog, with the version from the environment's `config_version` if that may run.
    fn catalog(&self, vm: &mut Vm<'_>, keep_virtual: bool) -> Result<Catalog, Raise> {
        let manifests = self.manifests_for(vm)?;
        let mut catalog = vm.compile_as(manifests, OutputOptions { keep_virtual, is_last: true })?;
        match self.version() {
            Some(Ok(version)) => catalog.version = version.as_str().into(),
            Some(Err(why)) => vm.log(
                LogLevel::Info,
                format!("config_version was not run, the catalog version is the time: {why}"),
            ),
            None => {}
        }
        Ok(catalog)
    }

    /// The units of the site manifest, after their warnings are logged.
    fn manifests_for(&self, vm: &mut Vm<'_>) -> Result<&[Arc<Unit>], Raise> {
        self.manifests.iter().for_each(|unit| vm.remark(&unit.remarks));
        match &self.broken_manifest {
            None => Ok(&self.manifests),
            Some(failure) => {
                vm.log_warnings_of(failure);
                Err(Raise::from((**failure).clone()))
            }
        }
    }
}

/// An error without the secrets that it may mention.
fn redacted(vm: &Vm<'_>, raise: Raise) -> Box<Diagnostic> {
    let mut failure = raise.into_diagnostic();
    failure.edit_texts(&mut |text| vm.redact(text));
    failure
}
