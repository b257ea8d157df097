//! The position Puppet reports for a construct, which is often not where it begins.

use crate::SyntaxKind::*;
use crate::tree::Node;

/// The offset that Puppet's parser records for this node.
pub(crate) fn puppet_offset(node: Node<'_>) -> u32 {
    let mut node = node;
    loop {
        match node.kind() {
            // The operator.
            Assignment | Relationship | Binary => return child_start(node, 1),
            // The arrow.
            HashEntry | SelectorEntry => return token_start(node, FatArrow),
            CaseOption => return token_start(node, Colon),
            // Whatever these are applied to.
            Access | Call | StatementCall | BareCall | Selector | Collector | Resource | ResourceDefaults
            | ResourceOverride | UntitledResource => match node.children().next() {
                Some(left) => node = left,
                None => return node.start(),
            },
            MethodCall => {
                return match node.child(Arguments) {
                    Some(arguments) => arguments.start(),
                    None => token_start(node, Dot),
                };
            }
            Parameter => return token_start(node, Variable),
            TypeAlias => match node.children().nth(1) {
                Some(name) => node = name,
                None => return node.start(),
            },
            // Puppet forgets to say where this is, so it is where the alias is.
            AliasedAccess => match node.tree().element_before(node, TypeAlias) {
                Some(alias) => node = alias,
                None => return node.start(),
            },
            ClassDefinition => return token_start(node, ClassKw),
            DefineDefinition => return token_start(node, DefineKw),
            EppRender => return render_offset(node),
            _ => return node.start(),
        }
    }
}

fn child_start(node: Node<'_>, n: usize) -> u32 {
    node.children().nth(n).unwrap_or(node).start()
}

fn token_start(node: Node<'_>, kind: crate::SyntaxKind) -> u32 {
    node.child(kind).unwrap_or(node).start()
}

/// `<%=` is reported at the beginning of the text before it.
fn render_offset(node: Node<'_>) -> u32 {
    match node.tree().token_before(node) {
        Some(token) if matches!(token.kind(), EppText | EppSilentText) => token.start(),
        _ => node.start(),
    }
}
