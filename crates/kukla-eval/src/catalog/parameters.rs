//! The parameters of classes and defines: from attributes, data and defaults to variables.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use kukla_catalog::types::METAPARAMETERS;
use kukla_hiera::ValueOrigin;
use kukla_syntax::{Location, NAMELESS, Source, bail, deep};
use kukla_values::types::object::Object;
use kukla_values::types::{ResourceType, StructField, Type, mismatch};
use kukla_values::{Hash, Name, Str, Value};

use super::attributes::{InvalidValue, invalid_value};
use super::builder::{Param as Attribute, ResourceId};
use super::kind::ResourceDefinition;
use super::metaparameters::is_metaparameter;
use crate::codes::{
    DEFERRED_RESULT_MISMATCH, ILLEGAL_REASSIGNMENT, ITERATOR_AS_ATTRIBUTE, UNKNOWN_CALLED_FUNCTION,
};
use crate::error::{Diagnostic, Flow, PARSE_ERROR, Raised};
use crate::lambda::refuse_reserved;
use crate::program::{Param, Params};
use crate::registry::Function;
use crate::scope::{Position, ScopeId};
use crate::standpoint::Visibility;
use crate::variable::Defaulting;
use crate::vm::Vm;

/// Whether there is anything in a value that must not be shown.
fn is_secret(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(values) => deep(|| values.iter().any(is_secret)),
        Value::Hash(entries) => {
            deep(|| entries.iter().any(|(key, value)| is_secret(key) || is_secret(value)))
        }
        _ => false,
    }
}

/// The variables that every class and define has, looked up once.
struct OwnVariables {
    module_name: Name,
    caller_module_name: Name,
    title: Name,
    name: Name,
}

static OWN: LazyLock<OwnVariables> = LazyLock::new(|| OwnVariables {
    module_name: Name::new("module_name"),
    caller_module_name: Name::new("caller_module_name"),
    title: Name::new("title"),
    name: Name::new("name"),
});

impl Vm<'_> {
    /// Sets the variables that the body of a class or define begins with. Its scope is the current one; `subject` is
    /// the name of the resource in messages.
    pub(super) fn bind_attributes(
        &mut self,
        id: ResourceId,
        scope: ScopeId,
        params: &Params,
        class: Option<Name>,
        subject: Str,
    ) -> Flow<()> {
        // What lies in no module has the empty name.
        let name = |module: Option<Name>| Some(module.map_or("", |name| name.as_str()).into());
        let (module, caller) = {
            let scope = self.scopes.get(scope);
            (name(scope.module), name(scope.caller_module))
        };
        let own = &*OWN;
        self.bind_variable(scope, own.module_name, module);
        self.bind_variable(scope, own.caller_module_name, caller);
        let mut given = ParameterValues::new(&self.catalog.get(id).params, params);
        if let Some(class) = class {
            self.parameters_from_data(id, params, &mut given, class)?;
        }
        let resource = self.catalog.get(id);
        let title = resource.given_title();
        let name = resource.value("name").cloned().unwrap_or_else(|| title.clone());
        let (title, name) = match class {
            Some(_) => (lower(title), lower(name)),
            None => (title, name),
        };
        self.bind_variable(scope, own.title, Some(title));
        self.bind_variable(scope, own.name, Some(name));
        self.parameters_from_defaults(id, scope, params, &mut given, &subject)?;
        self.check_parameters(id, params, &given, &subject)?;
        self.catalog.get_mut(id).checked = true;
        for (param, value) in params.iter().zip(&given.values) {
            if value.is_some() {
                refuse_reserved(param.name)?;
                if param.name == own.module_name || param.name == own.caller_module_name {
                    bail!(ILLEGAL_REASSIGNMENT { name: param.name });
                }
            }
        }
        let scope = &mut self.scopes.get_mut(scope).variables;
        let mut values = given.values;
        values.iter_mut().flatten().for_each(|value| *value = handed_over(std::mem::take(value)));
        scope.bind_parameters(params, values);
        // Metaparameters are variables too.
        for param in &self.catalog.get(id).params {
            if is_metaparameter(param.name) {
                scope.bind(param.name, handed_over(param.value.clone()));
            }
        }
        Ok(())
    }

    fn bind_variable(&mut self, scope: ScopeId, name: Name, value: Option<Value>) {
        if let Some(value) = value {
            self.scopes.get_mut(scope).variables.bind(name, value);
        }
    }

    /// Asks the data for the parameters of a class that were not given.
    fn parameters_from_data(
        &mut self,
        id: ResourceId,
        params: &Params,
        given: &mut ParameterValues,
        class: Name,
    ) -> Flow<()> {
        for (index, param) in params.iter().enumerate() {
            if !is_open(&given.values[index]) {
                continue;
            }
            // An undef in the data gives way to a default.
            if let Some(found) = self.lookup_class_parameter(class, param.name)?
                && (!found.value.is_undef() || param.default.is_none())
            {
                if param.private {
                    self.may_be_data(class, param.name, self.unit().module, &found.origins)?;
                }
                given.values[index] = Some(found.value.clone());
                self.set_parameter(id, param.name, index, given, found.value);
                self.record_data(id, param.name);
            }
        }
        Ok(())
    }

    fn set_parameter(
        &mut self,
        id: ResourceId,
        name: Name,
        index: usize,
        given: &mut ParameterValues,
        value: Value,
    ) {
        let resource = self.catalog.get(id);
        let (has, attribute) = (resource.params.len(), Attribute::unwritten(name, value, resource.origin));
        // Should anything else have given it attributes meanwhile, one of them may be this.
        let set = match has == given.attributes {
            true => self.catalog.set_at(id, given.places[index].map(|place| place as usize), attribute),
            false => self.catalog.set(id, attribute),
        };
        debug_assert!(set.is_ok(), "only tags can be refused, and tags are not parameters");
        given.attributes = self.catalog.get(id).params.len();
    }

    /// Gives parameters that have no value their defaults, which see those that have one.
    fn parameters_from_defaults(
        &mut self,
        id: ResourceId,
        scope: ScopeId,
        params: &Params,
        given: &mut ParameterValues,
        subject: &Str,
    ) -> Flow<()> {
        let lacks = |(param, value): (&Param, &Option<Value>)| param.default.is_some() && is_open(value);
        if !params.iter().zip(&given.values).any(lacks) {
            return Ok(());
        }
        let lacking: Vec<bool> = params.iter().zip(&given.values).map(lacks).collect();
        let unit = Arc::clone(self.unit());
        self.with_variables(&unit, Visibility::From(Position::named(scope)), |vm| {
            vm.parameter_defaults(params, &mut given.values, subject)
        })?;
        for (index, param) in params.iter().enumerate().filter(|(index, _)| lacking[*index]) {
            if let (Some(default), Some(value)) = (&param.default, &given.values[index]) {
                if matches!(invalid_value(value), Some(InvalidValue::Iterator)) {
                    bail!(ITERATOR_AS_ATTRIBUTE);
                }
                let value = value.clone();
                self.set_parameter(id, param.name, index, given, value);
                self.record_default(id, param.name, default);
            }
        }
        Ok(())
    }

    /// Evaluates the defaults of parameters that have no value, one after the other, among variables that are the parameters.
    fn parameter_defaults(
        &mut self,
        params: &Params,
        values: &mut [Option<Value>],
        subject: &Str,
    ) -> Flow<()> {
        let frame = self.position();
        self.scopes.expect(frame, params.len());
        for (param, value) in params.iter().zip(&*values) {
            if let Some(value) = value
                && !(value.is_undef() && param.default.is_some())
            {
                self.scopes.give(frame, param.name, value.clone());
            }
        }
        let waits = |(param, value): &(&Param, &Option<Value>)| match value {
            None => true,
            Some(value) => value.is_undef() && param.default.is_some(),
        };
        // Those that get their value soon stay in the list: a value is found first.
        let pending = params.iter().zip(&*values).filter(waits).map(|(param, _)| param.name).collect();
        self.scopes.set_pending(frame, pending, true);
        let names: Arc<[Name]> = params.iter().map(|param| param.name).collect();
        for index in 0..params.len() {
            let Some(default) = params[index].default.as_ref().filter(|_| is_open(&values[index])) else {
                continue;
            };
            let defaulting = Defaulting { callee: subject.clone(), names: Arc::clone(&names), at: index };
            let value = self.for_parameter(defaulting, |vm| vm.guarded(|vm| vm.eval(default)))?;
            self.scopes.give(frame, params[index].name, value.clone());
            values[index] = Some(value);
        }
        Ok(())
    }

    /// Checks that every parameter has a value of its type and that nothing else was given.
    fn check_parameters(
        &mut self,
        id: ResourceId,
        params: &Params,
        given: &ParameterValues,
        subject: &str,
    ) -> Flow<()> {
        let values = &given.values;
        let mut fits = true;
        for (param, value) in params.iter().zip(values) {
            let ty = self.type_of_parameter(param)?;
            fits &= match (&ty, value) {
                (ty, Some(Value::Object(deferred))) if is_deferred(deferred) => {
                    self.check_deferred(param.name, ty.as_deref(), deferred, subject)?;
                    true
                }
                (Some(ty), Some(value)) => ty.contains(value),
                (None, Some(_)) => true,
                (_, None) => param.default.is_some(),
            };
        }
        let metaparameters = self.catalog.get(id).params.iter().filter(|param| is_metaparameter(param.name));
        let deferred: Vec<_> = metaparameters
            .filter_map(|param| match &param.value {
                Value::Object(object) if is_deferred(object) => Some((param.name, Arc::clone(object))),
                _ => None,
            })
            .collect();
        for (name, object) in deferred {
            self.check_deferred(name, None, &object, subject)?;
        }
        let attributes = &self.catalog.get(id).params;
        let has_known_only = || match attributes.len() == given.attributes {
            true => given.is_known,
            false => attributes.iter().all(|param| is_known(param.name, params)),
        };
        if fits && has_known_only() {
            return Ok(());
        }
        let mut all = Hash::new();
        for (param, value) in params.iter().zip(values) {
            if let Some(value) = value {
                all.insert(param.name.as_str(), value.clone());
            }
        }
        for param in attributes {
            if !matches!(param.name.as_str(), "name" | "title") && !all.contains_key(param.name.as_str()) {
                all.insert(param.name.as_str(), param.value.clone());
            }
        }
        let any = std::iter::once("name").chain(METAPARAMETERS.iter().copied());
        let mut declared: Vec<StructField> = any.map(|name| StructField::optional(name, Type::Any)).collect();
        for (param, value) in params.iter().zip(values) {
            let ty = self.type_of_parameter(param)?;
            // A deferred value has been checked already.
            let is_deferred = matches!(value, Some(Value::Object(object)) if is_deferred(object));
            let ty = ty.filter(|_| !is_deferred);
            let ty = ty.map_or(Type::Any, |ty| (*ty).clone());
            declared.push(match param.default {
                Some(_) => StructField::optional(param.name.as_str(), ty),
                None => StructField::required(param.name.as_str(), ty),
            });
        }
        let Err(error) = mismatch::assert_parameters(subject, &declared, &all, false) else { return Ok(()) };
        let mut wrong = error.into_diagnostic().reported_as(NAMELESS);
        let fields = &declared[declared.len() - params.len()..];
        for (param, field) in params.iter().zip(fields) {
            let value = all.get(param.name.as_str());
            if value.is_some_and(|value| !field.value.contains(value) && !is_secret(value)) {
                wrong = self.with_data_origin(wrong, id, param.name);
            }
        }
        wrong = self.with_parameters(wrong, id, params, fields, &all);
        Err(wrong.into())
    }

    fn type_of_parameter(&mut self, param: &Param) -> Flow<Option<Arc<Type>>> {
        param.ty.as_ref().map(|ty| self.eval_type_expr(ty)).transpose()
    }

    /// Adds to an error of parameters where the wrong ones are written and where they are declared.
    #[cold]
    fn with_parameters(
        &mut self,
        mut wrong: Diagnostic,
        id: ResourceId,
        params: &Params,
        fields: &[StructField],
        all: &Hash,
    ) -> Diagnostic {
        let class = match &self.catalog.get(id).definition {
            ResourceDefinition::Class(class) => Some(class.name),
            _ => None,
        };
        let attributes = &self.catalog.get(id).params;
        let mut written = Vec::new();
        let mut related = Vec::new();
        let mut missing = Vec::new();
        for attribute in attributes.iter().filter(|attribute| !is_known(attribute.name, params)) {
            let place = attribute.location.as_ref().and_then(|place| name_in(place, &attribute.name));
            written.extend(place);
        }
        for (param, field) in params.iter().zip(fields) {
            let declaration = self.unit().location(param.span);
            match all.get(param.name.as_str()) {
                Some(value) if field.value.contains(value) => {}
                Some(value) => {
                    wrong.hints.extend(better_value(value, &field.value));
                    let attribute = attributes.iter().find(|attribute| attribute.name == param.name);
                    written.extend(attribute.and_then(|attribute| attribute.location.clone()));
                    related.push((declaration, "declared here"));
                }
                None if param.default.is_none() => {
                    related.push((declaration, "it has no default"));
                    missing.push(param.name);
                }
                None => {}
            }
        }
        let mut written = written.into_iter();
        if let Some(first) = written.next() {
            wrong = wrong.focus_on(first, "");
        }
        for (place, says) in written.map(|place| (place, "and this")).chain(related) {
            wrong = wrong.label(place, says);
        }
        for (class, name) in class.into_iter().flat_map(|class| missing.iter().map(move |name| (class, name)))
        {
            let key = format!("{class}::{name}");
            wrong = match self.nearest_data_key(&key) {
                Some(near) => {
                    wrong.hint(format!("the data has '{near}'; the key for this parameter is '{key}'"))
                }
                None => wrong.hint(format!("set it where the class is declared, or in the data: `{key}: …`")),
            };
        }
        wrong
    }

    /// Adds the line of the data to an error of a parameter whose value may be shown.
    #[cold]
    fn with_data_origin(&mut self, wrong: Diagnostic, id: ResourceId, name: Name) -> Diagnostic {
        let resource = self.catalog.get(id);
        let ResourceDefinition::Class(class) = &resource.definition else { return wrong };
        // What is written in the program has a place there.
        if resource.params.iter().any(|param| param.name == name && param.location.is_some()) {
            return wrong;
        }
        let class = class.name;
        let origins = self.origins_of_parameter(class, name);
        let Some(ValueOrigin { key, location: Some(file), line: Some(line), .. }) =
            origins.first().map(|origin| &**origin)
        else {
            return wrong;
        };
        let text =
            self.world().read(Path::new(file.as_str())).ok().and_then(|text| String::from_utf8(text).ok());
        let Some(text) = text else { return wrong };
        let source = Source::new(file.as_str(), text);
        let Some(span) = source.line_span(*line) else { return wrong };
        wrong.label(Location { source, span }, format!("'{key}' has this value in the data"))
    }

    /// Checks a parameter whose value is computed by the agent: by what the function says it returns, if it says so.
    fn check_deferred(
        &mut self,
        name: Name,
        ty: Option<&Type>,
        deferred: &Object,
        subject: &str,
    ) -> Flow<()> {
        let function = deferred.get("name").unwrap_or_default();
        let function = function.as_str().unwrap_or_default();
        if function.starts_with('$') {
            return Ok(());
        }
        let found = self.autoload_computed_function(function)?;
        let args: Vec<Value> = match deferred.get("arguments") {
            Some(Value::Array(args)) => args.into_iter().collect(),
            _ => Vec::new(),
        };
        let returns = match found {
            None => bail!(UNKNOWN_CALLED_FUNCTION { name: function }),
            Some(Function::Puppet(found)) => self.function_signature(&found)?.returns.clone(),
            Some(Function::Builtin(found)) => {
                let callables = found.callables();
                let fitting = callables.iter().find(|callable| callable.accepts_args(&args));
                fitting.and_then(|callable| callable.returns.clone())
            }
            Some(Function::Foreign(_)) => None,
        };
        match (returns, ty) {
            (Some(returns), Some(ty)) if !ty.generalized().covers(&returns.generalized()) => {
                let problem = mismatch::describe(&format!("parameter '{name}'"), ty, &returns);
                bail!(DEFERRED_RESULT_MISMATCH { subject, problem })
            }
            (Some(_), _) => Ok(()),
            (None, _) => {
                let message = format!(
                    "Deferred function {function} has no return_type, unable to guarantee value type during compilation.\n   (file & line not available)"
                );
                self.warn_once(&format!("{function}_deferred_warning"), message);
                Ok(())
            }
        }
    }

    /// Checks the attributes of a class or define that was never evaluated, or was changed since.
    pub(super) fn validate_parameters(&mut self, id: ResourceId, params: &Params) -> Flow<()> {
        let resource = self.catalog.get(id);
        if resource.checked {
            return Ok(());
        }
        let given = ParameterValues::new(&resource.params, params);
        let subject = Str::from(resource.reference());
        self.check_parameters(id, params, &given, &subject).map_err(|mut raise| {
            if let Raised::Error(failure) = raise.reason_mut() {
                failure.issue = PARSE_ERROR;
            }
            raise
        })
    }
}

/// The values that a resource has for the parameters of its class or define.
struct ParameterValues {
    values: Vec<Option<Value>>,
    /// Where they stand among the attributes of the resource.
    places: Vec<Option<u32>>,
    /// How many attributes the resource has.
    attributes: usize,
    /// Whether there are none among them that the class or define does not have.
    is_known: bool,
}

impl ParameterValues {
    fn new(attributes: &[Attribute], params: &Params) -> ParameterValues {
        let mut values = Vec::new();
        values.resize_with(params.len(), || None);
        let places = vec![None; params.len()];
        let mut given = ParameterValues { values, places, attributes: attributes.len(), is_known: true };
        for (place, attribute) in attributes.iter().enumerate() {
            match params.place(attribute.name) {
                Some(index) => {
                    given.values[index] = Some(attribute.value.clone());
                    given.places[index] = Some(place as u32);
                }
                None => given.is_known &= is_known(attribute.name, params),
            }
        }
        given
    }
}

/// Whether a class or define with these parameters may be given an attribute.
fn is_known(name: Name, params: &Params) -> bool {
    is_metaparameter(name) || matches!(name.as_str(), "name" | "title") || params.place(name).is_some()
}

/// Whether a parameter with this value gets its default, if it has one.
fn is_open(value: &Option<Value>) -> bool {
    value.as_ref().is_none_or(Value::is_undef)
}

fn is_deferred(object: &Object) -> bool {
    object.ty.name.as_deref() == Some("Deferred")
}

fn lower(value: Value) -> Value {
    super::tags::text(&value).to_lowercase().into()
}

/// A value as the class or defined type sees it that it is handed to: references to resources, in whatever collections, are
/// shown in another way from there on.
pub(super) fn handed_over(value: Value) -> Value {
    match &value {
        Value::Type(_) | Value::Array(_) | Value::Hash(_) if refers(&value, &mut { 100_000 }) => {
            convert(&value)
        }
        _ => value,
    }
}

fn refers(value: &Value, budget: &mut usize) -> bool {
    *budget = budget.saturating_sub(1);
    match value {
        _ if *budget == 0 => false,
        Value::Type(ty) => matches!(&**ty, Type::Resource(Some(_)) | Type::Class(Some(_))),
        Value::Array(values) => values.iter().any(|value| refers(value, budget)),
        Value::Hash(hash) => hash.iter().any(|(key, value)| refers(key, budget) || refers(value, budget)),
        _ => false,
    }
}

fn convert(value: &Value) -> Value {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(resource)) => {
                let title = Some(resource.title.clone().unwrap_or_default());
                let name = resource.name.clone();
                Value::of_type(Type::Resource(Some(Arc::new(ResourceType {
                    name,
                    title,
                    handed_over: true,
                }))))
            }
            Type::Class(Some(name)) => {
                let title = Some(kukla_values::types::capitalize(name));
                let name = "Class".into();
                Value::of_type(Type::Resource(Some(Arc::new(ResourceType {
                    name,
                    title,
                    handed_over: true,
                }))))
            }
            _ => value.clone(),
        },
        Value::Array(values) => Value::Array(values.iter().map(convert).collect()),
        Value::Hash(hash) => {
            Value::Hash(hash.iter().map(|(key, value)| (convert(key), convert(value))).collect())
        }
        other => other.clone(),
    }
}

/// Where the name of an attribute is written, given the place of the whole attribute.
pub(super) fn name_in(attribute: &Location, name: &str) -> Option<Location> {
    let span = attribute.span;
    let text = attribute.source.text().get(span.range())?;
    let at = span.start + text.find(name)? as u32;
    let span = kukla_syntax::Span::new(at, at + name.len() as u32);
    Some(Location { source: attribute.source.clone(), span })
}

/// How a value would have to be written to fit, if it almost does. Secrets are not repeated.
fn better_value(value: &Value, ty: &Type) -> Option<String> {
    match value {
        Value::Sensitive(inner) => ty.contains(inner).then(|| {
            "the parameter does not take secrets: give it `….unwrap`, or let it take `Sensitive`".to_owned()
        }),
        _ if ty.contains(&Value::Sensitive(Arc::new(value.clone()))) => {
            Some("the parameter takes secrets only: wrap the value in `Sensitive(…)`".to_owned())
        }
        Value::String(text) => {
            let number = kukla_values::format::parse_number(text).ok().flatten();
            let boolean = match text.as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            };
            let unquoted =
                number.into_iter().chain(boolean.map(Value::Boolean)).find(|value| ty.contains(value));
            match (unquoted, &*text.to_lowercase()) {
                (Some(better), _) => {
                    Some(format!("write it without quotes: `{}`", kukla_values::format::to_s(&better)))
                }
                (None, lower) if lower != text.as_str() && ty.contains(&lower.into()) => {
                    Some(format!("write it in lower case: `'{lower}'`"))
                }
                _ => in_a_list(value, ty),
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {
            let text = kukla_values::format::to_s(value);
            match ty.contains(&Value::String(text.clone())) {
                true => Some(format!("write it in quotes: `'{text}'`")),
                false => in_a_list(value, ty),
            }
        }
        _ => in_a_list(value, ty),
    }
}

fn in_a_list(value: &Value, ty: &Type) -> Option<String> {
    let list = Value::Array(std::iter::once(value.clone()).collect());
    ty.contains(&list).then(|| "the parameter takes a list: write `[…]` around the value".to_owned())
}
