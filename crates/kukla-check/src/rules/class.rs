//! Names of classes.

use kukla::syntax::{Span, diagnostic};

use crate::finding::Fix;
use crate::repository::plain;
use crate::rule::rules;
use crate::suggest;
use crate::walk::Walk;

rules! {
    RULES;

    /// The code includes, declares, inherits from or refers to a class that no file defines. Kukla looks for the class in the module that its
    /// name begins with. If that module is not in the repository, nothing is reported.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    ///
    /// ```puppet
    /// include ntp::server
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    ///
    /// ```puppet
    /// include ntp
    /// if defined(Class['ntp::server']) { notice('it is there') }
    /// ```
    UNKNOWN_CLASS = "unknown-class": Error Always, "There is no class `{name}`";
}

impl Walk<'_> {
    /// Reports an unknown class. Returns whether the class exists.
    pub fn check_class_name(&mut self, name: &str, span: Span) -> bool {
        let wanted = plain(name);
        if self.class(&wanted).is_some() {
            self.check_dependency(&wanted, span);
            return true;
        }
        // A string in the syntax of another program is not a class name.
        let is_name = wanted.split("::").all(|part| {
            part.starts_with(|first: char| first.is_ascii_lowercase())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if !is_name || wanted == "main" || wanted == "settings" {
            return false;
        }
        let module = wanted.split("::").next().unwrap_or(&wanted);
        let is_nowhere = self.index.is_nowhere(&wanted, self.complete);
        if !is_nowhere && !self.index.survey.is_unknown_module(module) {
            return false;
        }
        let near = suggest::nearest(&wanted, self.index.classes.keys().map(|name| name.as_str()));
        // Modules whose names differ in one letter are common, but nothing depends on this one.
        if !is_nowhere && !near.is_some_and(|near| suggest::is_typo(&wanted, near)) {
            return false;
        }
        let mut wrong = diagnostic!(span, UNKNOWN_CLASS { name: wanted });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        if near.is_none() && self.index.defines.contains_key(&wanted) {
            wrong = wrong.hint(format!("`{wanted}` is a defined type: declare it with a title"));
        }
        let fix = near.and_then(|near| self.rename_fix(span, &wanted, near));
        self.report_with(wrong, fix);
        false
    }

    /// A fix that replaces a name by a similar one, if the text contains the name.
    pub fn rename_fix(&self, span: Span, wanted: &str, near: &str) -> Option<Fix> {
        let written = self.source.text().get(span.range())?;
        let at = written.to_lowercase().find(wanted)?;
        let start = span.start + u32::try_from(at).ok()?;
        let span = Span::new(start, start + u32::try_from(wanted.len()).ok()?);
        Some(Fix { span, text: near.to_owned(), is_safe: false })
    }
}
