//! Lookups of keys that no data binds.

use kukla::syntax::ast::Expr;
use kukla::syntax::diagnostic;

use crate::repository::{Question, literal};
use crate::rule::rules;
use crate::suggest;
use crate::walk::{Argument, Walk};

rules! {
    RULES;

    /// The code looks up a key without a default, and no data file binds it. The rule covers only repositories whose data is all in files that
    /// are here.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(lookup('web_prot'))
    /// ```
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web_port: 80
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(lookup('web_port'))
    /// ```
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// web_port: 80
    /// ```
    UNKNOWN_LOOKUP_KEY = "unknown-lookup-key": Error Always, "No data binds `{key}`, and the lookup has no default";
}

impl Walk<'_> {
    /// Checks the key of `lookup` or `hiera`.
    pub fn check_lookup(&mut self, function: &str, arguments: &[Argument<'_>], has_lambda: bool) {
        // Options may have a default; so may a value whose meaning depends on its type.
        let most = if function == "lookup" { 3 } else { 1 };
        let is_option = |argument: &Argument<'_>| {
            matches!(
                argument.expr.unwrap_parens(),
                Expr::String(_) | Expr::Type(_) | Expr::Access(_) | Expr::Undef(_)
            )
        };
        let Some((first, rest)) = arguments.split_first() else { return };
        if has_lambda || arguments.len() > most || !rest.iter().all(is_option) {
            return;
        }
        let Some(key) = literal::text(first.expr) else { return };
        self.depend_on(Question::Key(key.as_str().into()));
        let data = &self.index.data;
        if !self.complete || !data.is_whole_for(&key) || data.binds(&key) {
            return;
        }
        let near = suggest::nearest(&key, data.keys.iter().map(String::as_str));
        let mut wrong = diagnostic!(first.expr.span(), UNKNOWN_LOOKUP_KEY { key });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        self.report(wrong);
    }
}
