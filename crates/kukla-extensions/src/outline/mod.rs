//! Functions, facts and templates as the outlines of their files show them, without running anything.
//!
//! Resource types are read the same way, in [`crate::resource_type`].

mod fact;
mod function;
mod template;

pub use fact::{FactOutline, facts};
pub use function::{
    BlockOutline, FunctionApi, FunctionOutline, LegacyFile, ParameterCount, ParameterOutline,
    SignatureOutline, functions, legacy_file,
};
pub use template::{TemplateOutline, VariableUse};
