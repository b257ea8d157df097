//! Operators.

use kukla::syntax::ast::{self, BinaryOp};
use kukla::values::Type;

use super::Walk;
use crate::overlap::{kinds, kinds_of};

impl Walk<'_> {
    pub(super) fn binary(&mut self, binary: ast::Binary<'_>) -> Type {
        let left = self.infer(binary.left());
        let operator = binary.operator();
        let right = self.right_operand(binary);
        self.check_operands(binary, &left, &right);
        match operator {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                arithmetic(operator, &left, &right)
            }
            BinaryOp::ShiftLeft if kinds_of(&left) == kinds::ARRAY => Type::any_array(),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Type::Any,
            _ => Type::BOOLEAN,
        }
    }

    /// The type of the right operand. That of `and` is evaluated only if the left one holds, that of `or` only if it fails.
    fn right_operand(&mut self, binary: ast::Binary<'_>) -> Type {
        let holds = match binary.operator() {
            BinaryOp::And => true,
            BinaryOp::Or => false,
            _ => return self.infer(binary.right()),
        };
        let facts = self.types_from_test(binary.left(), holds);
        let (ty, _) = self.after_test(binary.left().span(), |walk| {
            walk.with_types(facts, |walk| walk.infer(binary.right()))
        });
        ty
    }

    pub(super) fn negate(&mut self, negate: ast::Negate<'_>) -> Type {
        let ty = self.infer(negate.inner());
        match crate::repository::literal::value(kukla::syntax::ast::Expr::Negate(negate)) {
            Some(value) => Type::of(&value),
            None if kinds_of(&ty) == kinds::INTEGER => Type::INTEGER,
            None => Type::Any,
        }
    }
}

fn arithmetic(operator: BinaryOp, left: &Type, right: &Type) -> Type {
    match (kinds_of(left), kinds_of(right)) {
        (kinds::INTEGER, kinds::INTEGER) => Type::INTEGER,
        (left, right) if left & !kinds::NUMBER == 0 && right & !kinds::NUMBER == 0 => Type::Numeric,
        (kinds::ARRAY, _) if matches!(operator, BinaryOp::Add | BinaryOp::Subtract) => Type::any_array(),
        (kinds::HASH, _) if matches!(operator, BinaryOp::Add | BinaryOp::Subtract) => Type::any_hash(),
        _ => Type::Any,
    }
}
