//! Lookups of keys that no data binds.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::diagnostic;

use super::data::{WRONG_MERGE, wrong_merge};
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
        if function == "lookup" {
            self.check_merge(first.expr, rest);
        }
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

    /// Checks the literal merge strategy of a lookup, the third argument or an option.
    fn check_merge(&mut self, key: Expr<'_>, rest: &[Argument<'_>]) {
        let merge = match rest {
            [options] => {
                let Expr::Hash(options) = options.expr.unwrap_parens() else { return };
                let is_merge =
                    |entry: &ast::HashEntry<'_>| literal::text(entry.key()).as_deref() == Some("merge");
                options.entries().find(is_merge).map(|entry| entry.value())
            }
            [_, merge, ..] => Some(merge.expr),
            [] => None,
        };
        let Some(merge) = merge.filter(|merge| !matches!(merge.unwrap_parens(), Expr::Undef(_))) else {
            return;
        };
        let wrong = literal::value(merge).as_ref().and_then(wrong_merge);
        if let (Some((problem, hint)), Some(key)) = (wrong, literal::text(key)) {
            let mut wrong =
                diagnostic!(merge.span(), WRONG_MERGE { place: format!("Lookup of `{key}`"), problem });
            wrong.hints.extend(hint);
            self.report(wrong);
        }
    }
}
