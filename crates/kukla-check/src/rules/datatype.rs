//! Names of data types.

use kukla::syntax::{Span, diagnostic};
use kukla::values::Type;
use kukla::values::types::capitalize;

use crate::repository::{Resource, plain};
use crate::rule::rules;
use crate::suggest;
use crate::walk::Walk;

rules! {
    RULES;

    /// A type is neither built in, nor an alias of a module, nor a resource type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web(Sting $root = '/srv') { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web(String $root = '/srv') { }
    /// ```
    UNKNOWN_TYPE = "unknown-type": Error Always, "There is no type `{name}`";
}

impl Walk<'_> {
    /// Reports an unknown type.
    pub fn check_type_name(&mut self, written: &str, span: Span) {
        let bare = written.strip_prefix("::").unwrap_or(written);
        if Type::builtin(bare).is_some() {
            return;
        }
        let name = plain(written);
        if self.index.types.has_alias(&name) || self.index.has_ruby_data_type(&name) {
            return;
        }
        let certain = match self.resource_kind(&name) {
            Resource::Missing => true,
            Resource::Elsewhere => false,
            _ => return,
        };
        let resources: Vec<String> =
            self.index.resource_names().iter().map(|name| capitalize(name).to_string()).collect();
        let mut names: Vec<&str> = BUILTIN.to_vec();
        names.extend(self.index.types.names());
        names.extend(resources.iter().map(String::as_str));
        let near = suggest::nearest(bare, names).map(str::to_owned);
        if !certain && !near.as_ref().is_some_and(|near| suggest::is_typo(bare, near)) {
            return;
        }
        let mut wrong = diagnostic!(span, UNKNOWN_TYPE { name: bare });
        wrong.hints.extend(near.as_ref().map(|near| format!("did you mean `{near}`?")));
        let fix = near.and_then(|near| self.exact_rename_fix(span, bare, &near));
        self.report_with(wrong, fix);
    }

    fn exact_rename_fix(&self, span: Span, wanted: &str, near: &str) -> Option<crate::finding::Fix> {
        let written = self.source.text().get(span.range())?;
        let at = span.start + u32::try_from(written.find(wanted)?).ok()?;
        let span = Span::new(at, at + u32::try_from(wanted.len()).ok()?);
        Some(crate::finding::Fix { span, text: near.to_owned(), is_safe: false })
    }
}

/// The built-in types that are common in code.
const BUILTIN: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Deferred",
    "Enum",
    "Error",
    "Float",
    "Hash",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Object",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "TypeSet",
    "Undef",
    "URI",
    "Variant",
];
