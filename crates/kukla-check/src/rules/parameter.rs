//! Parameters of classes and defined types.

use kukla::catalog::types::{METAPARAMETERS, is_metaparameter};
use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Location, Span, diagnostic};
use kukla::values::Type;

use crate::describe::describe;
use crate::overlap::{may_be, may_be_deferred};
use crate::repository::refusal::Refusal;
use crate::repository::{Definition, Kind, Parameter, Question, plain};
use crate::rule::rules;
use crate::rules::hashed::hashed_names;
use crate::suggest;
use crate::walk::{ScopeKind, Walk};

rules! {
    RULES;

    /// A class or defined type receives a parameter that it does not have.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': prot => 81 }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': port => 81 }
    /// ```
    UNKNOWN_PARAMETER = "unknown-parameter": Error Always, "The {definition} has no parameter `{name}`";

    /// A declaration of a class or defined type lacks a parameter that has no default. For classes, the rule applies only if no data binds it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer $port) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer $port) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': port => 80 }
    /// ```
    MISSING_PARAMETER = "missing-parameter": Error Always, "The {definition} requires {names}";

    /// A class or defined type receives a value that the type of its parameter never accepts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer[1, 65535] $port) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': port => '80' }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/vhost.pp
    /// define web::vhost(Integer[1, 65535] $port) { }
    /// ```
    ///
    /// ```puppet
    /// web::vhost { 'a': port => 80 }
    /// ```
    WRONG_PARAMETER_TYPE = "wrong-parameter-type": Error Always, "The {definition}: {mismatch}";

    /// The default of a parameter is never of the parameter's own type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web(Boolean $tls = 'yes') { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web(Boolean $tls = true) { }
    /// ```
    WRONG_DEFAULT = "wrong-default": Error Always, "The default of {mismatch}";
}

impl Walk<'_> {
    /// Checks the parameters of a declaration. `is_partial`: further parameters may come from elsewhere.
    pub fn check_parameters(
        &mut self,
        definition: &Definition,
        body: ast::ResourceBody<'_>,
        given: &[(ast::Attribute<'_>, Type)],
        is_partial: bool,
    ) {
        self.check_attribute_types(definition, given);
        let Some(hashed) = hashed_names(given).filter(|_| !is_partial) else { return };
        let is_given = |name: &str| {
            hashed.iter().any(|known| known == name)
                || given.iter().any(|(attribute, _)| attribute.name() == name)
        };
        self.check_missing(definition, body.title().span(), is_given);
    }

    /// Reports the parameters that a declaration lacks.
    pub fn check_missing(&mut self, definition: &Definition, span: Span, is_given: impl Fn(&str) -> bool) {
        self.depend_on(Question::Defaulted(definition.name.clone()));
        if self.index.defaulted.contains(&definition.name) {
            return;
        }
        if definition.kind == Kind::Class {
            self.depend_on_data(definition);
        }
        let missing: Vec<&str> = definition
            .parameters
            .iter()
            .filter(|parameter| !parameter.has_default && !is_given(&parameter.name))
            .filter(|parameter| {
                definition.kind == Kind::Define || self.index.data.lacks(definition, &parameter.name)
            })
            .map(|parameter| parameter.name.as_str())
            .collect();
        self.report_missing(definition, span, &missing);
    }

    /// Records that the findings depend on the data for the required parameters of a class.
    fn depend_on_data(&mut self, class: &Definition) {
        for parameter in class.parameters.iter().filter(|parameter| !parameter.has_default) {
            self.depend_on(Question::Unbound(class.name.clone(), parameter.name.clone()));
        }
    }

    /// Checks a class that is declared by name alone: its parameters come from data.
    pub fn check_included_class(&mut self, name: &str, span: Span) {
        let Some(class) = self.class(&plain(name)) else { return };
        self.depend_on(Question::Declared(class.name.clone()));
        self.depend_on_data(&class);
        // A declaration with parameters may come first.
        if self.index.declared.contains(&class.name) {
            return;
        }
        let missing: Vec<&str> = class
            .parameters
            .iter()
            .filter(|parameter| !parameter.has_default && self.index.data.lacks(&class, &parameter.name))
            .map(|parameter| parameter.name.as_str())
            .collect();
        self.report_missing(&class, span, &missing);
    }

    fn report_missing(&mut self, definition: &Definition, span: Span, missing: &[&str]) {
        if missing.is_empty() {
            return;
        }
        let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let wrong = diagnostic!(span, MISSING_PARAMETER { definition: Self::title_of(definition), names });
        let declared = definition.parameter(missing[0]).map(|one| one.span).unwrap_or(definition.span);
        let place = Location { source: definition.source.clone(), span: declared };
        self.report(wrong.label(place, "it has no default"));
    }

    /// Checks the names and values of parameters.
    pub fn check_attribute_types(&mut self, definition: &Definition, given: &[(ast::Attribute<'_>, Type)]) {
        for (attribute, ty) in given {
            if attribute.operator() == AttributeOp::Splat {
                self.check_hashed_parameters(definition, attribute.value(), ty);
                continue;
            }
            // The value that is added to is elsewhere.
            let ty = if attribute.operator() == AttributeOp::Set { ty } else { &Type::Any };
            let name = (attribute.name(), attribute.name_token().span());
            self.check_parameter(definition, name, (ty, attribute.value().span()));
        }
    }

    /// Checks the name and the value of a parameter, each with its place.
    pub fn check_parameter(
        &mut self,
        definition: &Definition,
        (name, name_span): (&str, Span),
        (ty, span): (&Type, Span),
    ) {
        if is_metaparameter(name) || matches!(name, "name" | "title") {
            return;
        }
        let Some(parameter) = definition.parameter(name) else {
            return self.unknown_parameter(definition, name, name_span);
        };
        let expected = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
        let is_left_out =
            matches!(ty, Type::Undef) && (parameter.has_default || definition.kind == Kind::Class);
        if is_left_out || may_be_deferred(ty) {
            return;
        }
        match expected {
            Some(expected) if !may_be(&expected, ty) => {
                self.report_wrong_value(definition, parameter, &expected, ty, span);
            }
            _ => self.check_value_in_body(definition, parameter, ty, span),
        }
    }

    fn report_wrong_value(
        &mut self,
        definition: &Definition,
        parameter: &Parameter,
        expected: &Type,
        ty: &Type,
        span: Span,
    ) {
        let mismatch = describe(&format!("parameter '{}'", parameter.name), expected, ty);
        if mismatch.is_empty() {
            return;
        }
        let wrong =
            diagnostic!(span, WRONG_PARAMETER_TYPE { definition: Self::title_of(definition), mismatch });
        let place = Location { source: definition.source.clone(), span: parameter.span };
        self.report(wrong.label(place, "the parameter"));
    }

    /// Reports a value that the type of a parameter accepts, but for which the body fails.
    fn check_value_in_body(&mut self, definition: &Definition, parameter: &Parameter, ty: &Type, span: Span) {
        if let Some(Refusal { mismatch, place, .. }) = self.refusal(definition, parameter, ty) {
            let definition = Self::title_of(definition);
            let wrong = diagnostic!(span, WRONG_PARAMETER_TYPE { definition, mismatch });
            self.report(wrong.label(place, "the use that fails"));
        }
    }

    fn refusal(&mut self, definition: &Definition, parameter: &Parameter, ty: &Type) -> Option<Refusal> {
        let index = self.index;
        index.refusal(definition, parameter, ty, &mut |kind, name, found| {
            self.record_dependency(kind, name, found)
        })
    }

    fn unknown_parameter(&mut self, definition: &Definition, name: &str, span: Span) {
        let names = definition.parameters.iter().map(|parameter| parameter.name.as_str());
        let near = suggest::nearest(name, names.chain(METAPARAMETERS.iter().copied()));
        let mut wrong = diagnostic!(span, UNKNOWN_PARAMETER { definition: Self::title_of(definition), name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        let place = Location { source: definition.source.clone(), span: definition.span };
        let fix = near.and_then(|near| self.rename_fix(span, name, near));
        self.report_with(wrong.label(place, "defined here"), fix);
    }

    /// Checks the default of a parameter against the parameter's type.
    pub fn check_default(
        &mut self,
        parameter: ast::Parameter<'_>,
        declared: Option<&Type>,
        default: Expr<'_>,
        given: &Type,
    ) {
        let declared = match declared {
            _ if may_be_deferred(given) => return,
            Some(declared) if !parameter.captures_rest() && !may_be(declared, given) => declared,
            _ => return self.check_default_in_body(parameter, default, given),
        };
        let mismatch = describe(&format!("parameter '{}'", parameter.name()), declared, given);
        if mismatch.is_empty() {
            return;
        }
        let mut wrong = diagnostic!(default.span(), WRONG_DEFAULT { mismatch });
        // The parameter works as long as every declaration sets it.
        if matches!(given, Type::Undef) {
            wrong.severity = kukla::syntax::Severity::Warning;
            wrong = wrong.hint("make it `Optional[…]`, or remove the default if every declaration sets it");
        }
        self.report(wrong);
    }

    /// Reports a default that the type of a parameter accepts, but for which the body fails.
    fn check_default_in_body(&mut self, parameter: ast::Parameter<'_>, default: Expr<'_>, given: &Type) {
        let definition = match self.scopes.last().map(|scope| &scope.kind) {
            Some(ScopeKind::Class(name)) => self.index.classes.get(name),
            Some(ScopeKind::Define(name)) => self.index.defines.get(name),
            _ => None,
        };
        // The default `false` often means that a declaration must set another value.
        if matches!(given, Type::Boolean(Some(false))) {
            return;
        }
        // The index may contain another definition of the same name.
        let Some(definition) = definition.filter(|known| known.source.name() == self.source.name()).cloned()
        else {
            return;
        };
        let Some(known) = definition.parameter(parameter.name()) else { return };
        if let Some(Refusal { mismatch, place, .. }) = self.refusal(&definition, known, given) {
            let wrong = diagnostic!(default.span(), WRONG_DEFAULT { mismatch });
            self.report(wrong.label(place, "the use that fails"));
        }
    }
}
