//! Collectors and their queries.

use super::codes::*;
use super::label::{Capitalized, with_article};
use super::{Checker, at};
use crate::ast::{self, BinaryOp, Expr};
use crate::diagnostic;
use crate::tree::Node;

impl<'t> Checker<'_, 't> {
    pub(super) fn collector(&mut self, node: Node<'t>) {
        let Some(collector) = ast::Collector::cast(node) else { return };
        let ty = collector.type_expr();
        if !matches!(ty, Expr::Type(_) | Expr::Error(_)) {
            self.unacceptable(ty, "type name", with_article(Expr::Collector(collector)));
        }
        if let Some(condition) = collector.query().and_then(ast::Query::condition) {
            self.query(condition);
        }
    }

    fn query(&mut self, condition: Expr<'t>) {
        let askable = match condition {
            Expr::Binary(binary) => match binary.operator() {
                BinaryOp::And | BinaryOp::Or => {
                    self.query(binary.left());
                    self.query(binary.right());
                    true
                }
                operator => matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual),
            },
            Expr::Paren(paren) => {
                self.query(paren.inner());
                true
            }
            Expr::Variable(_) | Expr::Name(_) | Expr::Number(_) | Expr::String(_) | Expr::Boolean(_) => true,
            _ => false,
        };
        if !askable {
            let construct = Capitalized(with_article(condition));
            self.report(diagnostic!(at(condition), ILLEGAL_QUERY_EXPRESSION { construct };
                hint: "a query compares with `==` and `!=`, joined by `and` and `or`"));
        }
    }
}
