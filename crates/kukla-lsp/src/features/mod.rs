//! The features, one file each. A feature gets the session and the parameters of its request, and returns the result.

pub mod call_hierarchy;
pub mod code_actions;
pub mod code_lens;
pub mod commands;
pub mod completion;
pub mod definition;
pub mod diagnostics;
pub mod document_links;
pub mod documentation;
pub mod folding;
pub mod formatting;
pub mod highlight;
pub mod hover;
pub mod inlay_hints;
pub mod linked_editing;
pub mod node;
pub mod references;
pub mod rename;
pub mod selection_range;
pub mod semantic_tokens;
pub mod signature_help;
pub mod symbols;
pub mod type_hierarchy;
