//! Variables: how they are found, and the errors when they are not.

use std::sync::Arc;

use kukla_syntax::{Span, Strict, diagnostic};
use kukla_values::{Hash, Name, Str, Value};

use crate::catalog::{lower_case, private};
use crate::codes::{
    EARLIER_PARAMETER_WITHOUT_VALUE, LATER_PARAMETER_IN_DEFAULT, PARAMETER_WITHOUT_VALUE, UNKNOWN_VARIABLE,
};
use crate::error::{Diagnostic, Flow, Raise};
use crate::program::{Variable, VariableTarget};
use crate::remark::Remarks;
use crate::scope::{Position, ScopeId, ScopeKind, VariableSearch};
use crate::vm::Vm;

/// Variables that exist everywhere, if only as `undef`.
const ALWAYS: [&str; 2] = ["module_name", "caller_module_name"];

/// The class whose variables are the settings.
pub(crate) const SETTINGS: &str = "settings";

/// The reason why a variable has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndefinedVariable {
    /// Nothing in its scope has that name.
    Unset,
    /// Its class does not exist.
    UnknownClass(String),
    /// Its class exists and has not been evaluated.
    UnevaluatedClass(Name),
    /// It is a parameter that is private to a module, or to the environment.
    Private {
        /// Its name.
        parameter: Name,
        /// The module; none for the environment.
        owner: Option<Name>,
    },
}

impl UndefinedVariable {
    /// The reason as text, unless the variable is just not set. Puppet prints those about classes in the same words.
    pub fn reason(&self) -> Option<String> {
        Some(match self {
            UndefinedVariable::Unset => return None,
            UndefinedVariable::UnknownClass(class) => format!("class {class} could not be found"),
            UndefinedVariable::UnevaluatedClass(class) => format!("class {class} has not been evaluated"),
            UndefinedVariable::Private { parameter, owner } => {
                format!("the parameter '{parameter}' is private to {}", private::described(*owner))
            }
        })
    }
}

impl Vm<'_> {
    pub(crate) fn eval_variable(&mut self, variable: &Variable, span: Span) -> Flow {
        match variable.target {
            VariableTarget::Local(name) => match self.scopes.find(self.position(), name) {
                VariableSearch::Value(value) => {
                    let value = value.clone();
                    if self.scopes.has_private
                        && let Some(reason) = self.hidden_variable(self.position(), name)
                    {
                        return self.unknown_variable(variable.name, &reason, span);
                    }
                    Ok(value)
                }
                VariableSearch::Pending(name) => Err(self.unevaluated_parameter(name)),
                VariableSearch::Nothing => {
                    let inherited = || self.sees_settings(self.scope()).then(|| self.setting(name.as_str()));
                    match self.node_variable(name.as_str()).or_else(|| inherited().flatten()) {
                        Some(value) => Ok(value),
                        None => self.unknown_variable(variable.name, &UndefinedVariable::Unset, span),
                    }
                }
            },
            VariableTarget::Top(name) => match self.top_variable(name) {
                Some(value) => Ok(value),
                None => self.unknown_variable(variable.name, &UndefinedVariable::Unset, span),
            },
            VariableTarget::Class(class, name) => match self.class_variable(class, name) {
                Ok(value) => Ok(value),
                Err(reason) => self.unknown_variable(variable.name, &reason, span),
            },
        }
    }

    /// The value of a variable by its name as text, as seen from the current scope; `None` if there is none.
    pub fn variable(&self, name: &str) -> Flow<Option<Value>> {
        Ok(self.variable_at(self.position(), name))
    }

    /// The value of a variable by its name as text, as seen from `at`.
    pub fn variable_at(&self, at: Position, name: &str) -> Option<Value> {
        if let Ok(n) = name.parse::<usize>() {
            return Some(self.scopes.capture(at, n));
        }
        match name.rsplit_once("::") {
            None => match Name::existing(name).map(|name| self.scopes.find(at, name)) {
                Some(VariableSearch::Value(value)) => {
                    let is_hidden = self.scopes.has_private
                        && Name::existing(name).is_some_and(|name| self.hidden_variable(at, name).is_some());
                    (!is_hidden).then(|| value.clone())
                }
                _ => self.node_variable(name),
            },
            Some(("", leaf)) => match Name::existing(leaf) {
                Some(leaf) => self.top_variable(leaf),
                None => self.node_variable(leaf),
            },
            Some((class, leaf)) => {
                let class = lower_case(class.strip_prefix("::").unwrap_or(class));
                match Name::existing(leaf) {
                    Some(leaf) => self.class_variable(Name::existing(&class)?, leaf).ok(),
                    None => (class == "settings").then(|| self.setting(leaf)).flatten(),
                }
            }
        }
    }

    /// The value of a variable by its name as text, or the reason why it has none.
    pub fn variable_or_reason(&self, name: &str) -> Result<Value, UndefinedVariable> {
        match self.variable_at(self.position(), name) {
            Some(value) => Ok(value),
            None => match name.trim_start_matches("::").rsplit_once("::") {
                Some((class, leaf)) => self.computed_variable(class, leaf),
                None => Err(UndefinedVariable::Unset),
            },
        }
    }

    /// The variable of a class under the name that its manifest gives the class.
    fn computed_variable(&self, class: &str, leaf: &str) -> Result<Value, UndefinedVariable> {
        let Ok(Some(name)) = self.environment().manifest_name(&lower_case(class), &mut Remarks::default())
        else {
            return Err(UndefinedVariable::UnknownClass(class.to_owned()));
        };
        match Name::existing(leaf) {
            Some(leaf) => self.class_variable(name, leaf),
            None if self.scopes.class(name).is_some() => Err(UndefinedVariable::Unset),
            None => Err(self.missing_class(name)),
        }
    }

    /// The name to watch a variable by with [`Vm::variables_token`]; none for what a class has and what was matched last, which
    /// change with what is evaluated.
    pub fn watchable(&self, name: &str) -> Option<Name> {
        let plain = name.strip_prefix("::").unwrap_or(name);
        (!plain.contains("::") && plain.parse::<usize>().is_err()).then(|| Name::new(plain))
    }

    /// A number that is the same as long as these variables, whose marks are given too, have the same values; none if that
    /// would have to be found out by asking for them.
    pub fn variables_token(&self, marks: u64, names: &[Name]) -> Option<u64> {
        self.scopes.token(self.position(), marks, names)
    }

    /// The class whose code is being evaluated, through the defined types it declared; none at the top.
    pub fn calling_class(&self) -> Option<Name> {
        let mut scope = Some(self.scope());
        while let Some(id) = scope {
            let here = self.scopes.get(id);
            if let ScopeKind::Class(name) = here.kind {
                return Some(name);
            }
            scope = here.parent;
        }
        None
    }

    /// Whether a variable exists, even as `undef`.
    pub fn variable_exists(&self, name: &str) -> bool {
        self.variable_at(self.position(), name).is_some() || ALWAYS.contains(&name.trim_start_matches("::"))
    }

    fn top_variable(&self, name: Name) -> Option<Value> {
        match self.scopes.get(ScopeId::TOP).variables.get(name) {
            Some(value) => Some(value.clone()),
            None => self.node_variable(name.as_str()),
        }
    }

    /// A variable of a class, or the reason why it has no value.
    fn class_variable(&self, class: Name, name: Name) -> Result<Value, UndefinedVariable> {
        match self.scopes.class(class) {
            // While its parameters get their values a class has them in a frame.
            Some(scope) if self.defaulting().is_some() && self.scope() == scope => {
                match self.scopes.find(self.position(), name) {
                    VariableSearch::Value(value) => Ok(value.clone()),
                    _ => Err(UndefinedVariable::Unset),
                }
            }
            Some(scope) => {
                if self.scopes.has_private
                    && let Some(reason) = self.hidden_in(self.scopes.class_holding(scope, name), name)
                {
                    return Err(reason);
                }
                let setting = || self.sees_settings(scope).then(|| self.setting(name.as_str())).flatten();
                match self.scopes.find_in_class(scope, name) {
                    // Settings are set after the body of their class was evaluated.
                    Some(value) => Ok(match class.as_str() {
                        SETTINGS => setting().unwrap_or_else(|| value.clone()),
                        _ => value.clone(),
                    }),
                    None => setting().ok_or(UndefinedVariable::Unset),
                }
            }
            None if class.as_str() == SETTINGS => self.setting(name.as_str()).ok_or(UndefinedVariable::Unset),
            None => Err(self.missing_class(class)),
        }
    }

    /// Whether the variables of a class are the settings, too: those of the class `settings` and of what inherits it.
    #[cold]
    fn sees_settings(&self, mut scope: ScopeId) -> bool {
        loop {
            let here = self.scopes.get(scope);
            match (&here.kind, here.inherits) {
                (ScopeKind::Class(name), _) if name.as_str() == SETTINGS => return true,
                (_, Some(parent)) => scope = parent,
                _ => return false,
            }
        }
    }

    #[cold]
    fn missing_class(&self, class: Name) -> UndefinedVariable {
        match self.environment().class(class, &mut Remarks::default()) {
            Ok(Some(_)) => UndefinedVariable::UnevaluatedClass(class),
            _ => UndefinedVariable::UnknownClass(class.as_str().to_owned()),
        }
    }

    /// A setting; some are the environment's own.
    fn setting(&self, name: &str) -> Option<Value> {
        let environment = self.environment();
        match name {
            "environment" => Some(environment.name.as_str().into()),
            "modulepath" if !environment.modulepath().is_empty() => Some(self.modulepath().into()),
            "all_local" => {
                let mut all = environment.settings.all.clone();
                all.insert("environment", environment.name.as_str());
                if !environment.modulepath().is_empty() {
                    all.insert("modulepath", self.modulepath());
                }
                Some(Value::Hash(all))
            }
            _ => environment.settings.all.get(name).cloned(),
        }
    }

    fn modulepath(&self) -> String {
        let paths = self.environment().modulepath().iter().map(|path| path.to_string_lossy());
        paths.collect::<Vec<_>>().join(":")
    }

    /// Top-scope variables that come with the node: `$facts` and the like, each fact, what a classifier sets.
    pub(crate) fn node_variable(&self, name: &str) -> Option<Value> {
        let node = self.node();
        if let Some(tracker) = self.tracker() {
            tracker.fact(name);
        }
        let hash = |hash: &Hash| Some(Value::Hash(hash.clone()));
        match name {
            "facts" => return hash(&node.facts),
            "trusted" => return hash(&node.trusted),
            "server_facts" => return hash(&node.server_facts),
            // Whatever else says so, this is the environment being compiled.
            "environment" => return Some(self.environment().name.as_str().into()),
            _ => {}
        }
        let found = node.variables.get(name).or_else(|| node.facts.get(name));
        found.or_else(|| node.server_facts.get(name)).cloned()
    }

    /// The value of an unknown variable: `undef` where that is allowed.
    #[cold]
    fn unknown_variable(&mut self, name: Name, reason: &UndefinedVariable, span: Span) -> Flow {
        let plain = name.trim_start_matches("::");
        if ALWAYS.contains(&plain) {
            return Ok(Value::Undef);
        }
        let settings = &self.environment().settings;
        let wrong = diagnostic!(UNKNOWN_VARIABLE { name });
        let severity = if settings.strict_variables { Strict::Error } else { settings.strict };
        match severity {
            Strict::Error => {
                let wrong = match (reason.reason(), self.near_variable(name, plain)) {
                    (Some(reason), _) => wrong.hint(reason),
                    (None, Some(near)) => wrong.hint(format!("there is a variable ${near}")),
                    (None, None) => wrong,
                };
                Err(self.fail(span, wrong))
            }
            Strict::Warning => {
                self.warn_at(span, &wrong);
                Ok(Value::Undef)
            }
            Strict::Off => Ok(Value::Undef),
        }
    }

    /// A visible variable whose name is almost this one.
    fn near_variable(&self, written: Name, name: &str) -> Option<String> {
        if let Some((class, local)) = name.rsplit_once("::") {
            let scope = self.scopes.class(Name::existing(class)?)?;
            let known = self.scopes.visible(Position::named(scope));
            let near = crate::suggest::nearest(local, known.iter().map(|(name, _)| name.as_str()))?;
            let global = if written.as_str().starts_with("::") { "::" } else { "" };
            return Some(format!("{global}{class}::{near}"));
        }
        let visible = self.scopes.visible(self.position());
        let facts = self.node().facts.keys().filter_map(Value::as_str);
        let names = visible.iter().map(|(name, _)| name.as_str()).chain(facts);
        crate::suggest::nearest(name, names).map(str::to_owned)
    }

    /// The default of one parameter asks for another that comes later, or was not given.
    #[cold]
    fn unevaluated_parameter(&self, name: Name) -> Raise {
        let Some(pending) = self.defaulting() else {
            return diagnostic!(PARAMETER_WITHOUT_VALUE { name }).into();
        };
        let (callee, parameter) = (&pending.callee, pending.names[pending.at]);
        let wrong = match pending.names[..pending.at].contains(&name) {
            true => diagnostic!(EARLIER_PARAMETER_WITHOUT_VALUE { callee, name }),
            false => diagnostic!(LATER_PARAMETER_IN_DEFAULT { callee, parameter, name }),
        };
        wrong.into()
    }
}

/// Whether an error is the fault of the whole call, not of the expression that hit it.
pub(crate) fn is_unevaluated(wrong: &Diagnostic) -> bool {
    wrong.is(&EARLIER_PARAMETER_WITHOUT_VALUE) || wrong.is(&LATER_PARAMETER_IN_DEFAULT)
}

/// The parameter whose default is being evaluated, for messages.
#[derive(Clone, Debug)]
pub(crate) struct Defaulting {
    /// The function, lambda, class or define.
    pub callee: Str,
    /// All its parameters.
    pub names: Arc<[Name]>,
    /// Which of them it is.
    pub at: usize,
}
