//! The rules, one file for each family, with their texts and checks.

use crate::rule::Rule;

pub mod class;
pub mod constant;
pub mod data;
pub mod datatype;
pub mod definition;
pub mod dependency;
pub mod documentation;
pub mod duplicate;
pub mod erb;
pub mod evaluations;
pub mod file;
pub mod flow;
pub mod function;
pub mod hashed;
pub mod hiera;
pub mod lookup;
pub mod module;
pub mod operand;
pub mod order;
pub mod parameter;
pub mod refused;
pub mod relation;
pub mod replaced;
pub mod resource;
pub mod ruby;
pub mod shadow;
pub mod suspects;
pub mod unused;
pub mod unused_file;
pub mod upgrade;
pub mod variable;

/// All rules, family by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        class::RULES,
        data::RULES,
        datatype::RULES,
        definition::RULES,
        dependency::RULES,
        documentation::RULES,
        erb::RULES,
        file::RULES,
        flow::RULES,
        function::RULES,
        hiera::RULES,
        lookup::RULES,
        module::RULES,
        operand::RULES,
        parameter::RULES,
        refused::RULES,
        relation::RULES,
        resource::RULES,
        ruby::RULES,
        shadow::RULES,
        unused::RULES,
        unused_file::RULES,
        upgrade::RULES,
        variable::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The rule of that name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.name() == name)
}
