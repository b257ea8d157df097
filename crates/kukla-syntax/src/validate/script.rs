//! Scripts and plans, which Puppet runs under its `tasks` setting: catalog constructs are allowed only in `apply` blocks.

use super::codes::*;
use super::label::{Capitalized, with_article};
use super::{Checker, at};
use crate::ast::{self, Expr};
use crate::tree::Node;
use crate::{SyntaxKind as K, diagnostic};

impl<'t> Checker<'_, 't> {
    /// Reports a construct that has no place here; what is right about it otherwise no longer matters.
    pub(super) fn refused_in_script(&mut self, node: Node<'t>) -> bool {
        let Some(expr) = Expr::cast(node) else { return false };
        let compiling =
            self.open.windows(2).any(|pair| pair[0].kind() == K::Apply && pair[1].kind() == K::Block);
        let not_in_catalogs = match expr {
            Expr::Apply(_) => compiling,
            Expr::Collector(collector) => compiling && collector.query().is_some_and(ast::Query::is_exported),
            _ => false,
        };
        let not_in_scripts = match expr {
            Expr::ClassDefinition(_) | Expr::DefineDefinition(_) => true,
            Expr::Collector(_)
            | Expr::NodeDefinition(_)
            | Expr::Relationship(_)
            | Expr::Resource(_)
            | Expr::ResourceDefaults(_)
            | Expr::ResourceOverride(_) => !compiling,
            _ => false,
        };
        let construct = Capitalized(with_article(expr));
        if not_in_catalogs {
            self.report(diagnostic!(at(expr), EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING { construct }));
        } else if not_in_scripts {
            self.report(diagnostic!(at(expr), EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING { construct }));
        }
        not_in_catalogs || not_in_scripts
    }
}
