//! Settings of rules.

/// Settings of single rules.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `autoloader_layout` compares paths from the root of the module, not from the directory of modules.
    pub relative: bool,
    /// `top_scope_facts` allows these variables at top scope.
    pub top_scope_variables: Vec<String>,
    /// The blanks of one level of indentation, for `strict_indent`.
    pub indent: usize,
    /// The styles that `parameter_documentation` accepts: `doc`, `kafo`, `strings`.
    pub documentation_styles: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            relative: false,
            top_scope_variables: Vec::new(),
            indent: 2,
            documentation_styles: ["doc", "kafo", "strings"].map(str::to_owned).to_vec(),
        }
    }
}
