//! The rules, one file for each family: explanations, checks and fixes.

use std::sync::OnceLock;

use crate::rule::Rule;

pub mod alignment;
pub mod arrow;
pub mod attribute;
pub mod bracket;
pub mod class;
pub mod classname;
pub mod comma;
pub mod comment;
pub mod conditional;
pub mod documentation;
pub mod fact;
pub mod indent;
pub mod line;
pub mod newline;
pub mod parameter;
pub mod reference;
pub mod relationship;
pub mod resource;
pub mod scope;
pub mod string;
pub mod title;
pub mod variable;

/// All rules, in the order in which puppet-lint runs and lists them; those of plugins follow.
pub fn all() -> &'static [&'static Rule] {
    static ALL: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    ALL.get_or_init(|| {
        let tables = [
            alignment::RULES,
            arrow::RULES,
            attribute::RULES,
            bracket::RULES,
            class::RULES,
            classname::RULES,
            comma::RULES,
            comment::RULES,
            conditional::RULES,
            documentation::RULES,
            fact::RULES,
            indent::RULES,
            line::RULES,
            newline::RULES,
            parameter::RULES,
            reference::RULES,
            relationship::RULES,
            resource::RULES,
            scope::RULES,
            string::RULES,
            title::RULES,
            variable::RULES,
        ];
        let mut rules: Vec<&'static Rule> = tables.into_iter().flatten().collect();
        let position =
            |rule: &&Rule| ORDER.iter().position(|name| *name == rule.name()).unwrap_or(ORDER.len());
        rules.sort_by_key(position);
        rules
    })
}

/// The rule of that name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().iter().find(|rule| rule.name() == name).copied()
}

/// The position of a rule in the order of all; 0 for other names.
pub fn position(name: &str) -> usize {
    all().iter().position(|rule| rule.name() == name).unwrap_or(0)
}

/// The names of all rules, in their order.
const ORDER: [&str; 92] = [
    "arrow_on_right_operand_line",
    "autoloader_layout",
    "class_inherits_from_params_class",
    "code_on_top_scope",
    "inherits_across_namespaces",
    "names_containing_dash",
    "names_containing_uppercase",
    "nested_classes_or_defines",
    "parameter_order",
    "right_to_left_relationship",
    "variable_scope",
    "slash_comments",
    "star_comments",
    "case_without_default",
    "selector_inside_resource",
    "documentation",
    "unquoted_node_name",
    "duplicate_params",
    "ensure_first_param",
    "ensure_not_symlink_target",
    "file_mode",
    "unquoted_file_mode",
    "unquoted_resource_title",
    "double_quoted_strings",
    "only_variable_string",
    "puppet_url_without_modules",
    "quoted_booleans",
    "single_quote_string_with_variables",
    "variables_not_enclosed",
    "variable_contains_dash",
    "variable_is_lowercase",
    "140chars",
    "2sp_soft_tabs",
    "80chars",
    "arrow_alignment",
    "hard_tabs",
    "space_before_arrow",
    "trailing_whitespace",
    "legacy_facts",
    "top_scope_facts",
    "relative_classname_inclusion",
    "relative_classname_reference",
    "anchor_resource",
    "appends",
    "check_unsafe_interpolations",
    "class_params_alignment",
    "class_equals_alignment",
    "class_params_newline",
    "empty_lines_around_body",
    "empty_string_assignment",
    "exec_idempotency",
    "file_ensure",
    "leading_zero",
    "lookup_in_parameter",
    "manifest_whitespace_arrows_single_space_after",
    "manifest_whitespace_inherits_name_single_space_before",
    "manifest_whitespace_class_name_single_space_before",
    "manifest_whitespace_class_name_single_space_after",
    "manifest_whitespace_closing_brace_before",
    "manifest_whitespace_closing_brace_after",
    "manifest_whitespace_closing_bracket_before",
    "manifest_whitespace_closing_bracket_after",
    "manifest_whitespace_two_empty_lines",
    "manifest_whitespace_newline_beginning_of_file",
    "manifest_whitespace_missing_newline_end_of_file",
    "manifest_whitespace_double_newline_end_of_file",
    "manifest_whitespace_opening_brace_before",
    "manifest_whitespace_opening_brace_after",
    "manifest_whitespace_opening_bracket_before",
    "manifest_whitespace_opening_bracket_after",
    "optional_default",
    "package_ensure",
    "parameter_documentation",
    "parameter_types",
    "params_empty_string_assignment",
    "params_not_optional_with_undef",
    "reference_on_declaration_outside_of_class",
    "reference_on_foreign_class",
    "resource_reference_chain_without_whitespace",
    "resource_reference_with_unquoted_title",
    "resource_reference_without_title_capital",
    "resource_reference_without_whitespace",
    "spaceship_operator_without_tag",
    "strict_indent",
    "topscope_variable",
    "trailing_comma",
    "undef_in_function",
    "unquoted_string_in_case",
    "unquoted_string_in_selector",
    "variable_contains_upcase",
    "version_comparison",
    "world_writable_files",
];
