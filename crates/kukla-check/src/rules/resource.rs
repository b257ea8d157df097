//! Types of resources and their attributes.

use kukla::catalog::types::NativeType;
use kukla::eval::codes::STAGE_OF_RESOURCE;
use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Location, Span, diagnostic};
use kukla::values::{Type, Value};

use crate::repository::{Resource, literal, plain};
use crate::rule::rules;
use crate::suggest;
use crate::walk::Walk;

rules! {
    RULES;

    /// The type of a resource, collector or resource default is neither built in nor defined by a module, in Puppet or in Ruby.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// pakage { 'ntp': ensure => installed }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp': ensure => installed }
    /// ```
    UNKNOWN_RESOURCE_TYPE = "unknown-resource-type": Error Always, "There is no resource type `{name}`";

    /// A resource has an attribute that its type does not have.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd': contents => 'hello' }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd': content => 'hello' }
    /// ```
    UNKNOWN_ATTRIBUTE = "unknown-attribute": Error Always, "`{resource}` has no attribute `{name}`";

    /// A tag consists of letters, digits and `_`, and after the first character also `:`, `.` and `-`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// package { 'ntp': tag => 'needs review' }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// package { 'ntp': tag => 'needs-review' }
    /// ```
    WRONG_TAG = "wrong-tag": Error Always, "Invalid tag `{tag}`";

    /// The same resource, or the same class with parameters, is declared twice by code that is always evaluated together: in one body, in
    /// classes that include each other, or by instances of a defined type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web {
    ///   package { 'nginx': }
    ///   package { 'nginx': ensure => installed }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web {
    ///   package { 'nginx': ensure => installed }
    /// }
    /// ```
    DUPLICATE_RESOURCE = "duplicate-resource": Error Always, "`{resource}` is already declared";

    /// An attribute is set twice for one resource.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd': ensure => file, mode => '0644', ensure => present }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd': ensure => file, mode => '0644' }
    /// ```
    DUPLICATE_ATTRIBUTE = "duplicate-attribute": Error Always, "The attribute `{name}` is already set";
}

impl Walk<'_> {
    /// Reports invalid tags.
    pub fn check_tags(&mut self, attribute: ast::Attribute<'_>) {
        if attribute.name() == "tag" {
            self.tags(attribute.value());
        }
    }

    fn tags(&mut self, value: Expr<'_>) {
        let tag = match value.unwrap_parens() {
            Expr::Array(array) => return array.elements().for_each(|element| self.tags(element)),
            other => match literal::value(other) {
                Some(Value::String(text)) => text,
                Some(Value::Integer(number)) => number.to_string().into(),
                _ => return,
            },
        };
        if kukla::catalog::tags::is_valid(&tag) {
            return;
        }
        self.report(diagnostic!(value.span(), WRONG_TAG { tag }));
    }

    /// Reports attributes that are set twice.
    pub fn check_repeated_attributes(&mut self, given: &[(ast::Attribute<'_>, Type)]) {
        for name in crate::rules::hashed::hashed_names(given).unwrap_or_default() {
            let Some((first, _)) = given.iter().find(|(one, _)| one.name() == &*name) else { continue };
            let span = given.iter().find(|(one, _)| one.operator() == AttributeOp::Splat);
            let span = span.map_or(first.span(), |(splat, _)| splat.value().span());
            let place = Location { source: self.source.clone(), span: first.name_token().span() };
            self.report(diagnostic!(span, DUPLICATE_ATTRIBUTE { name }).label(place, "first set here"));
        }
        let named = || given.iter().map(|(one, _)| *one).filter(|one| one.operator() != AttributeOp::Splat);
        for (at, again) in named().enumerate().skip(1) {
            let Some(first) = named().take(at).find(|first| first.name() == again.name()) else { continue };
            let wrong = diagnostic!(again.name_token().span(), DUPLICATE_ATTRIBUTE { name: again.name() });
            let place = Location { source: self.source.clone(), span: first.name_token().span() };
            self.report(wrong.label(place, "first set here"));
        }
    }

    /// Reports an unknown resource type.
    pub fn check_resource_name(&mut self, written: &str, span: Span) {
        let name = plain(written);
        let kind = self.resource_kind(&name);
        let certain = match kind {
            Resource::Missing => true,
            Resource::Elsewhere => false,
            Resource::Define(_) => return self.check_dependency(&name, span),
            Resource::Native(_) => return,
        };
        if matches!(&*name, "class" | "resource" | "node") {
            return;
        }
        let names = self.index.resource_names();
        let near = suggest::nearest(&name, names.iter().copied());
        // An unknown type may belong to a missing module, unless it is a typo of a known one.
        let is_typo = near.is_some_and(|near| suggest::is_typo(&name, near));
        if !certain && !is_typo {
            return;
        }
        let mut wrong = diagnostic!(span, UNKNOWN_RESOURCE_TYPE { name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        if near.is_none() && self.index.classes.contains_key(&name) {
            wrong = wrong.hint(format!("`{name}` is a class: `include {name}`, or `class {{ '{name}': }}`"));
        }
        let fix = near.filter(|_| written == &*name).and_then(|near| self.rename_fix(span, &name, near));
        self.report_with(wrong, fix);
    }

    /// Reports unknown attributes of a native type, and invalid values.
    pub fn check_attributes(&mut self, native: &NativeType, given: &[(ast::Attribute<'_>, Type)]) {
        for (attribute, ty) in given {
            if attribute.operator() == AttributeOp::Splat {
                self.check_hashed_attributes(native, attribute.value(), ty);
                continue;
            }
            let name = attribute.name();
            if name == "stage" {
                let resource = native.name;
                let wrong = diagnostic!(attribute.name_token().span(), STAGE_OF_RESOURCE { resource });
                self.report(wrong.hint("declare the resource in a class, and give the class a stage"));
                continue;
            }
            if native.accepts(name) {
                self.check_attribute_value(native, *attribute, ty);
                continue;
            }
            let span = attribute.name_token().span();
            let names = native.attributes().chain(kukla::catalog::types::METAPARAMETERS.iter().copied());
            let near = suggest::nearest(name, names);
            let mut wrong = diagnostic!(span, UNKNOWN_ATTRIBUTE { resource: native.name, name });
            wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
            let fix = near.and_then(|near| self.rename_fix(span, name, near));
            self.report_with(wrong, fix);
        }
    }
}
