//! Parameters of classes and defined types.

use kukla::catalog::types::{METAPARAMETERS, is_metaparameter};
use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Location, Span, diagnostic};
use kukla::values::Type;

use crate::describe::describe;
use crate::overlap::may_be;
use crate::repository::refusal::Refusal;
use crate::repository::{Definition, Kind, Parameter, plain};
use crate::rule::rules;
use crate::suggest;
use crate::walk::{ScopeKind, Walk};

rules! {
    RULES;

    /// A class or defined type is given a parameter that it does not have.
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

    /// A class or defined type is declared without a parameter that has no default. Of classes it is said only if no data binds it.
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
    MISSING_PARAMETER = "missing-parameter": Error Always, "The {definition} needs {names}";

    /// A class or defined type is given a value that its parameter can never take.
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

    /// The default of a parameter can never be of the parameter's own type.
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
    /// Checks what a class or a defined type is declared with. `is_partial`: more may come from elsewhere.
    pub fn check_parameters(
        &mut self,
        definition: &Definition,
        body: ast::ResourceBody<'_>,
        given: &[(ast::Attribute<'_>, Type)],
        is_partial: bool,
    ) {
        self.check_given(definition, given);
        if is_partial || Self::is_open(given) || self.index.defaulted.contains(&definition.name) {
            return;
        }
        let is_given = |name: &str| given.iter().any(|(attribute, _)| attribute.name() == name);
        let missing: Vec<&str> = definition
            .parameters
            .iter()
            .filter(|parameter| !parameter.has_default && !is_given(&parameter.name))
            .filter(|parameter| {
                definition.kind == Kind::Define || self.index.data.lacks(definition, &parameter.name)
            })
            .map(|parameter| parameter.name.as_str())
            .collect();
        self.missing(definition, body.title().span(), &missing);
    }

    /// Checks a class that is declared by name alone: its parameters come from data.
    pub fn check_included(&mut self, name: &str, span: Span) {
        let Some(class) = self.class(&plain(name)) else { return };
        // Where it is declared with parameters first, the name alone is enough.
        if self.index.declared.contains(&class.name) {
            return;
        }
        let missing: Vec<&str> = class
            .parameters
            .iter()
            .filter(|parameter| !parameter.has_default && self.index.data.lacks(&class, &parameter.name))
            .map(|parameter| parameter.name.as_str())
            .collect();
        self.missing(&class, span, &missing);
    }

    fn missing(&mut self, definition: &Definition, span: Span, missing: &[&str]) {
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
    pub fn check_given(&mut self, definition: &Definition, given: &[(ast::Attribute<'_>, Type)]) {
        for (attribute, ty) in given {
            let name = attribute.name();
            if attribute.operator() == AttributeOp::Splat
                || is_metaparameter(name)
                || matches!(name, "name" | "title")
            {
                continue;
            }
            match definition.parameter(name) {
                Some(parameter) => {
                    let expected = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
                    let is_left_out = matches!(ty, Type::Undef)
                        && (parameter.has_default || definition.kind == Kind::Class);
                    if is_left_out || attribute.operator() != AttributeOp::Set {
                        continue;
                    }
                    match expected {
                        Some(expected) if !may_be(&expected, ty) => {
                            self.wrong_value(definition, *attribute, &expected, ty, parameter.span);
                        }
                        _ => self.refused_value(definition, *attribute, parameter, ty),
                    }
                }
                None => self.unknown_parameter(definition, *attribute),
            }
        }
    }

    fn wrong_value(
        &mut self,
        definition: &Definition,
        attribute: ast::Attribute<'_>,
        expected: &Type,
        ty: &Type,
        declared: Span,
    ) {
        let mismatch = describe(&format!("parameter '{}'", attribute.name()), expected, ty);
        if mismatch.is_empty() {
            return;
        }
        let span = attribute.value().span();
        let wrong =
            diagnostic!(span, WRONG_PARAMETER_TYPE { definition: Self::title_of(definition), mismatch });
        let place = Location { source: definition.source.clone(), span: declared };
        self.report(wrong.label(place, "the parameter"));
    }

    /// Says so if a body fails for a value that its parameter's type would let pass.
    fn refused_value(
        &mut self,
        definition: &Definition,
        attribute: ast::Attribute<'_>,
        parameter: &Parameter,
        ty: &Type,
    ) {
        if let Some(Refusal { mismatch, place, .. }) = self.refusal(definition, parameter, ty) {
            let (span, definition) = (attribute.value().span(), Self::title_of(definition));
            let wrong = diagnostic!(span, WRONG_PARAMETER_TYPE { definition, mismatch });
            self.report(wrong.label(place, "where it fails"));
        }
    }

    fn refusal(&mut self, definition: &Definition, parameter: &Parameter, ty: &Type) -> Option<Refusal> {
        let index = self.index;
        index.refusal(definition, parameter, ty, &mut |kind, name, found| self.ask(kind, name, found))
    }

    fn unknown_parameter(&mut self, definition: &Definition, attribute: ast::Attribute<'_>) {
        let (name, span) = (attribute.name(), attribute.name_token().span());
        let names = definition.parameters.iter().map(|parameter| parameter.name.as_str());
        let near = suggest::nearest(name, names.chain(METAPARAMETERS.iter().copied()));
        let mut wrong = diagnostic!(span, UNKNOWN_PARAMETER { definition: Self::title_of(definition), name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        let place = Location { source: definition.source.clone(), span: definition.span };
        let fix = near.and_then(|near| self.renamed(span, name, near));
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
            Some(declared) if !parameter.captures_rest() && !may_be(declared, given) => declared,
            _ => return self.check_default_inside(parameter, default, given),
        };
        let mismatch = describe(&format!("parameter '{}'", parameter.name()), declared, given);
        if mismatch.is_empty() {
            return;
        }
        let mut wrong = diagnostic!(default.span(), WRONG_DEFAULT { mismatch });
        // Such a parameter works for as long as everyone gives it a value.
        if matches!(given, Type::Undef) {
            wrong.severity = kukla::syntax::Severity::Warning;
            wrong = wrong.hint("make it `Optional[…]`, or leave out the default if it is always given");
        }
        self.report(wrong);
    }

    /// Says so if the body fails for a default that the parameter's type would let pass.
    fn check_default_inside(&mut self, parameter: ast::Parameter<'_>, default: Expr<'_>, given: &Type) {
        let definition = match self.scopes.last().map(|scope| &scope.kind) {
            Some(ScopeKind::Class(name)) => self.index.classes.get(name),
            Some(ScopeKind::Define(name)) => self.index.defines.get(name),
            _ => None,
        };
        // Whoever writes `false` for what is no question wants to be given something else.
        if matches!(given, Type::Boolean(Some(false))) {
            return;
        }
        // Of two definitions of one name the other may be known.
        let Some(definition) = definition.filter(|known| known.source.name() == self.source.name()).cloned()
        else {
            return;
        };
        let Some(known) = definition.parameter(parameter.name()) else { return };
        if let Some(Refusal { mismatch, place, .. }) = self.refusal(&definition, known, given) {
            let wrong = diagnostic!(default.span(), WRONG_DEFAULT { mismatch });
            self.report(wrong.label(place, "where it fails"));
        }
    }
}
