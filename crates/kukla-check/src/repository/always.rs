//! The declarations that a body certainly makes: those that depend on no condition, and, for each block under a condition, those that
//! it makes if that block is evaluated.

use std::hash::{Hash, Hasher};

use kukla::syntax::ast::{self, ArrowOp, AttributeOp, Expr, Statements};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span};
use kukla::values::Str;
use rustc_hash::FxHasher;

use super::{literal, plain};

/// The type and title of a resource; the type of a class is `class`.
pub type Reference = (Str, Str);

/// The owner of a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A class.
    Class(Str),
    /// A defined type.
    Define(Str),
    /// A function.
    Function,
    /// A node definition.
    Node,
    /// The top of a manifest.
    Top,
}

impl Owner {
    /// The class that it is, or all instances of the defined type together.
    pub fn reference(&self) -> Option<Reference> {
        match self {
            Owner::Class(name) => Some(reference(&"class".into(), name)),
            Owner::Define(name) => Some((name.clone(), Str::default())),
            Owner::Function | Owner::Node | Owner::Top => None,
        }
    }
}

/// A body, and its declarations in order.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its owner.
    pub owner: Owner,
    /// The class that it inherits from.
    pub parent: Option<Str>,
    /// The text that contains it.
    pub source: Source,
    /// Its declarations.
    pub declarations: Vec<Declaration>,
    /// The declarations if a block under a condition is evaluated, those outside of the block included. One entry for each block.
    pub branches: Vec<Vec<Declaration>>,
    /// A number that changes with the declarations, wherever they are in the text.
    pub fingerprint: u64,
}

/// A declaration with a literal title.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The span of the title.
    pub span: Span,
    /// The declared class or resource.
    pub what: Declared,
}

/// A declared class or resource.
#[derive(Clone, Debug, Hash)]
pub enum Declared {
    /// `include`, `require` or `contain`: the class is declared unless it is already.
    Included(Str),
    /// `class { name: }`: the class must not be declared already.
    Class(Str),
    /// A resource.
    Resource {
        /// Its type.
        kind: Str,
        /// Its title.
        title: Str,
        /// The name that no other resource of its type may have: the title, or the value of an attribute. `None` if it is computed, or
        /// if resources of the type may share names.
        name: Option<Str>,
        /// Whether it is neither virtual nor exported, so that the body of a defined type is evaluated.
        is_real: bool,
    },
    /// One resource comes before another one.
    Ordered {
        /// The one that comes first.
        before: Reference,
        /// The one that comes later.
        after: Reference,
    },
    /// `contain`: the class is a part of the one around it.
    Contained(Str),
    /// `require`: the class comes before the one around it.
    Required(Str),
}

impl Declared {
    /// The resources and classes that it names.
    pub fn references(&self) -> Vec<Reference> {
        match self {
            Declared::Included(name)
            | Declared::Class(name)
            | Declared::Contained(name)
            | Declared::Required(name) => vec![reference(&"class".into(), name)],
            Declared::Resource { kind, title, .. } => vec![reference(kind, title)],
            Declared::Ordered { before, after } => vec![before.clone(), after.clone()],
        }
    }
}

/// A block under a condition: its own declarations, and where it is among those around it.
struct Branch {
    at: usize,
    declarations: Vec<Declaration>,
}

/// The declarations of statements, and those of the blocks in them.
#[derive(Default)]
struct Reader {
    declarations: Vec<Declaration>,
    branches: Vec<Branch>,
}

impl Body {
    /// The declarations of statements.
    pub fn new(owner: Owner, parent: Option<Str>, source: &Source, statements: Statements<'_>) -> Body {
        let mut reader = Reader::default();
        reader.read(statements);
        let Reader { declarations, branches } = reader;
        let inserted = |branch: Branch| {
            let (before, after) = declarations.split_at(branch.at);
            [before, &branch.declarations, after].concat()
        };
        let branches = branches.into_iter().map(inserted).collect();
        let mut body = Body { owner, parent, source: source.clone(), declarations, branches, fingerprint: 0 };
        body.fingerprint = body.digest();
        body
    }

    fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (&self.owner, &self.parent).hash(&mut hasher);
        for declarations in [&self.declarations].into_iter().chain(&self.branches) {
            declarations.len().hash(&mut hasher);
            declarations.iter().for_each(|declaration| declaration.what.hash(&mut hasher));
        }
        hasher.finish()
    }
}

impl Reader {
    fn read(&mut self, statements: Statements<'_>) {
        for statement in statements {
            self.add(statement);
            // After a condition that returns, nothing is certain.
            if may_return(statement.syntax()) {
                break;
            }
        }
    }

    /// Reads a block under a condition.
    fn branch(&mut self, statements: Statements<'_>) {
        let mut inner = Reader::default();
        kukla::syntax::deep(|| inner.read(statements));
        let at = self.declarations.len();
        if !inner.declarations.is_empty() {
            self.branches.push(Branch { at, declarations: inner.declarations.clone() });
        }
        for branch in inner.branches {
            let (before, after) = inner.declarations.split_at(branch.at);
            self.branches.push(Branch { at, declarations: [before, &branch.declarations, after].concat() });
        }
    }

    fn block(&mut self, test: Expr<'_>, block: Option<ast::Block<'_>>) {
        // A test of what is declared already prevents duplicates.
        if !asks_for_resources(test.syntax())
            && let Some(block) = block
        {
            self.branch(block.statements());
        }
    }

    fn add(&mut self, expr: Expr<'_>) {
        match expr {
            Expr::Paren(paren) => kukla::syntax::deep(|| self.add(paren.inner())),
            Expr::Relationship(relationship) => kukla::syntax::deep(|| {
                self.add(relationship.left());
                self.add(relationship.right());
                self.add_arrow(relationship);
            }),
            Expr::Resource(resource) => self.add_resource(resource),
            Expr::If(choice) => {
                let asks = choice.branches().any(|branch| asks_for_resources(branch.test().syntax()));
                choice.branches().for_each(|branch| self.block(branch.test(), branch.block()));
                if let Some(block) = choice.else_block().filter(|_| !asks) {
                    self.branch(block.statements());
                }
            }
            Expr::Unless(unless) => {
                self.block(unless.test(), unless.block());
                self.block(unless.test(), unless.else_block());
            }
            Expr::Case(case) => {
                case.options().for_each(|option| self.block(case.test(), option.block()));
            }
            Expr::MethodCall(call) => {
                if let Some(lambda) = call.lambda() {
                    self.branch(lambda.statements());
                }
            }
            Expr::Call(call) => {
                if let Some(lambda) = call.lambda() {
                    self.branch(lambda.statements());
                }
                let Expr::Name(name) = call.function() else { return };
                let more = match name.name() {
                    "include" => None,
                    "contain" => Some(Declared::Contained as fn(Str) -> Declared),
                    "require" => Some(Declared::Required as fn(Str) -> Declared),
                    _ => return,
                };
                call.arguments().for_each(|argument| self.add_included(argument, more));
            }
            _ => {}
        }
    }

    /// Adds the classes that a function includes, and what it does with them more.
    fn add_included(&mut self, argument: Expr<'_>, more: Option<fn(Str) -> Declared>) {
        match argument.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|element| self.add_included(element, more)),
            other => {
                let Some(name) = literal::text(other) else { return };
                let whats = [Some(Declared::Included(plain(&name))), more.map(|more| more(plain(&name)))];
                let added = whats.into_iter().flatten().map(|what| Declaration { span: other.span(), what });
                self.declarations.extend(added);
            }
        }
    }

    /// Adds the order of the operands of an arrow; the value of an arrow is its right operand.
    fn add_arrow(&mut self, arrow: ast::Relationship<'_>) {
        let left = match arrow.left() {
            Expr::Relationship(inner) => inner.right(),
            left => left,
        };
        let (left, right) = (operands(left), operands(arrow.right()));
        let is_reversed = matches!(arrow.operator(), ArrowOp::After | ArrowOp::Subscribe);
        let (before, after) = if is_reversed { (right, left) } else { (left, right) };
        self.add_order(arrow.right().span(), &before, &after);
    }

    fn add_order(&mut self, span: Span, before: &[Reference], after: &[Reference]) {
        for before in before {
            for after in after {
                let what = Declared::Ordered { before: before.clone(), after: after.clone() };
                self.declarations.push(Declaration { span, what });
            }
        }
    }

    fn add_resource(&mut self, resource: ast::Resource<'_>) {
        let kind = match resource.type_expr() {
            None => None,
            Some(Expr::Name(name)) => Some(plain(name.name())),
            Some(_) => return,
        };
        let is_real = resource.form() == ast::ResourceForm::Regular;
        for body in resource.bodies() {
            let titles: Vec<Expr<'_>> = match body.title().unwrap_parens() {
                Expr::Array(array) => array.elements().collect(),
                other => vec![other],
            };
            for title in titles {
                let Some(text) = literal::text(title) else { continue };
                let what = match &kind {
                    None => Declared::Class(plain(&text)),
                    Some(kind) => {
                        let name = name_of(kind, &text, body);
                        Declared::Resource { kind: kind.clone(), title: text.as_str().into(), name, is_real }
                    }
                };
                self.declarations.push(Declaration { span: title.span(), what });
            }
            if is_real {
                self.add_relationships(body, &titles_of(resource, body));
            }
        }
    }

    /// Adds the order that attributes such as `require` give to resources.
    fn add_relationships(&mut self, body: ast::ResourceBody<'_>, own: &[Reference]) {
        for attribute in body.attributes().filter(|one| one.operator() == AttributeOp::Set) {
            let (span, others) = (attribute.value().span(), operands(attribute.value()));
            match attribute.name() {
                "require" | "subscribe" => self.add_order(span, &others, own),
                "before" | "notify" => self.add_order(span, own, &others),
                _ => {}
            }
        }
    }
}

/// The name of a resource with a title, if it is literal and no other resource may have it.
fn name_of(kind: &Str, title: &str, body: ast::ResourceBody<'_>) -> Option<Str> {
    const UNIQUE: [&str; 8] = ["cron", "file", "group", "host", "mount", "package", "service", "user"];
    // Packages of different providers may share a name, and so may any resources with attributes that are not known.
    let is_open = |one: ast::Attribute<'_>| one.operator() == AttributeOp::Splat || one.name() == "provider";
    if !UNIQUE.contains(&kind.as_str()) || body.attributes().any(is_open) {
        return None;
    }
    let is_name = |name: &str| name == "name" || kind.as_str() == "file" && name == "path";
    let name = match body.attributes().find(|one| is_name(one.name())) {
        Some(attribute) => literal::text(attribute.value())?,
        None => title.to_owned(),
    };
    Some(reference(kind, &name).1)
}

/// The resources that an operand of an arrow, or the value of `require`, names literally.
fn operands(expr: Expr<'_>) -> Vec<Reference> {
    match expr.unwrap_parens() {
        Expr::Array(array) => {
            array.elements().flat_map(|element| kukla::syntax::deep(|| operands(element))).collect()
        }
        Expr::Resource(resource) if resource.form() == ast::ResourceForm::Regular => {
            resource.bodies().flat_map(|body| titles_of(resource, body)).collect()
        }
        Expr::Access(access) => {
            let Expr::Type(name) = access.left() else { return Vec::new() };
            let kind = plain(name.name());
            access.keys().filter_map(literal::text).map(|title| reference(&kind, &title)).collect()
        }
        _ => Vec::new(),
    }
}

/// The resources that a body declares under literal titles.
fn titles_of(resource: ast::Resource<'_>, body: ast::ResourceBody<'_>) -> Vec<Reference> {
    let kind = match resource.type_expr() {
        None => Str::from("class"),
        Some(Expr::Name(name)) => plain(name.name()),
        Some(_) => return Vec::new(),
    };
    let titles = match body.title().unwrap_parens() {
        Expr::Array(array) => array.elements().collect(),
        other => vec![other],
    };
    titles.into_iter().filter_map(literal::text).map(|title| reference(&kind, &title)).collect()
}

/// The reference to a resource. Titles of classes have no case, and a slash at the end of the title of a file does not matter.
pub fn reference(kind: &Str, title: &str) -> Reference {
    let title = match kind.as_str() {
        "class" => plain(title),
        "file" if title.len() > 1 => title.trim_end_matches('/').into(),
        _ => title.into(),
    };
    (kind.clone(), title)
}

/// Whether a test asks which resources, classes or variables there are.
fn asks_for_resources(test: Node<'_>) -> bool {
    const ASKING: [&str; 4] = ["defined", "defined_with_params", "tagged", "getparam"];
    let is_asking =
        |node: Node<'_>| matches!(Expr::cast(node), Some(Expr::Name(name)) if ASKING.contains(&name.name()));
    test.descendants().any(is_asking)
}

/// Whether some part of a statement calls `return`.
fn may_return(statement: Node<'_>) -> bool {
    let is_return = |expr: Expr<'_>| matches!(expr, Expr::Name(name) if name.name() == "return");
    let is_call =
        |node: Node<'_>| matches!(Expr::cast(node), Some(Expr::Call(call)) if is_return(call.function()));
    statement.descendants().any(is_call)
}
