//! The types of expressions, as far as they are known without evaluation.

use kukla::syntax::ast::{self, Expr, RenderBody, Segment};
use kukla::syntax::deep;
use kukla::values::types::{Range, StructField};
use kukla::values::{Str, Type, Value, meter};

use super::{Scope, ScopeKind, Walk};
use crate::repository::{definition, literal};
use crate::walk::scope::VariableState;

impl Walk<'_> {
    /// Walks through an expression with all its parts, and returns its type; `Any` if that is unknown.
    pub fn infer(&mut self, expr: Expr<'_>) -> Type {
        meter::work(4);
        let ty = deep(|| self.infer_inner(expr));
        if let Some(types) = &mut self.types {
            types.push((expr.span(), ty.clone()));
        }
        ty
    }

    fn infer_inner(&mut self, expr: Expr<'_>) -> Type {
        match expr {
            Expr::Undef(_) => Type::Undef,
            Expr::Default(_) => Type::Default,
            Expr::Boolean(_) | Expr::Number(_) | Expr::Name(_) | Expr::String(_) | Expr::Regex(_) => {
                literal::value(expr).map_or(Type::Any, |value| Type::of(&value))
            }
            Expr::Interpolated(text) => {
                self.segments(text.segments());
                Type::STRING
            }
            Expr::Heredoc(heredoc) => {
                self.segments(heredoc.segments());
                heredoc.value().map_or(Type::STRING, |text| Type::Literal((&*text).into()))
            }
            Expr::Type(name) => {
                self.check_type_name(name.name(), name.span());
                Type::Type(self.index.types.read(name.name()).map(std::sync::Arc::new))
            }
            Expr::Variable(variable) => self.variable(variable),
            Expr::Reserved(_) | Expr::Error(_) | Expr::RenderText(_) => Type::Any,
            Expr::Array(array) => self.array(array),
            Expr::Hash(hash) => self.hash(hash),
            Expr::Assignment(assignment) => self.assignment(assignment),
            Expr::Relationship(relationship) => {
                let left = self.infer(relationship.left());
                self.infer(relationship.right());
                self.check_references(relationship.left());
                self.check_references(relationship.right());
                left
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Not(not) => {
                self.infer(not.inner());
                Type::BOOLEAN
            }
            Expr::Negate(negate) => self.negate(negate),
            Expr::Unfold(unfold) => {
                self.infer(unfold.inner());
                Type::Any
            }
            Expr::Paren(paren) => self.infer(paren.inner()),
            Expr::Selector(selector) => self.selector(selector),
            Expr::Access(access) => self.access(access, false),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::If(choice) => self.choice(choice),
            Expr::Unless(unless) => self.unless(unless),
            Expr::Case(case) => self.case(case),
            Expr::Resource(resource) => self.resource(resource),
            Expr::ResourceDefaults(defaults) => self.resource_defaults(defaults),
            Expr::ResourceOverride(change) => self.resource_override(change),
            Expr::UntitledResource(resource) => {
                resource.attributes().for_each(|attribute| {
                    self.infer(attribute.value());
                });
                Type::Any
            }
            Expr::Collector(collector) => self.collector(collector),
            Expr::ClassDefinition(_)
            | Expr::DefineDefinition(_)
            | Expr::NodeDefinition(_)
            | Expr::FunctionDefinition(_)
            | Expr::TypeAlias(_) => {
                self.definition(expr);
                Type::Any
            }
            // Plans are a different language.
            Expr::PlanDefinition(_) | Expr::Apply(_) | Expr::TypeDefinition(_) => Type::Any,
            Expr::Render(render) => {
                match render.body() {
                    RenderBody::Expr(expr) => self.infer(expr),
                    RenderBody::Block(block) => self.body(block.statements()),
                };
                Type::Any
            }
        }
    }

    fn segments<'t>(&mut self, segments: impl Iterator<Item = Segment<'t>>) {
        for segment in segments {
            if let Segment::Expr(expr) = segment {
                self.infer(expr);
            }
        }
    }

    fn variable(&mut self, variable: ast::Variable<'_>) -> Type {
        let name = variable.name();
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return Type::Any;
        }
        if let Some((class, name)) = name.rsplit_once("::") {
            return self.qualified(variable, class, name);
        }
        match self.local(name) {
            VariableState::Set(ty) => {
                if self.selection.target.is_some()
                    && !self.visible().contains(name)
                    && !self.index.variables.contains(name)
                {
                    self.check_legacy_variable(variable, name);
                }
                ty
            }
            VariableState::Unset => {
                self.unknown_variable(variable, name);
                Type::Any
            }
        }
    }

    fn qualified(&mut self, variable: ast::Variable<'_>, class: &str, name: &str) -> Type {
        let class = crate::repository::plain(class);
        if class.is_empty() {
            return self.top_variable(variable, name);
        }
        if class == "settings" {
            return Type::Any;
        }
        if self.class(&class).is_none() {
            self.variable_of_unknown_class(variable, &class);
            return Type::Any;
        }
        match self.of_class(&class, name) {
            VariableState::Set(ty) => ty,
            VariableState::Unset => {
                self.unknown_class_variable(variable, &class, name);
                Type::Any
            }
        }
    }

    fn array(&mut self, array: ast::Array<'_>) -> Type {
        let mut types = Vec::new();
        let mut is_known = true;
        for element in array.elements() {
            is_known &= !matches!(element, Expr::Unfold(_));
            types.push(self.infer(element));
        }
        if !is_known {
            return Type::any_array();
        }
        let count = types.len() as i64;
        if types.is_empty() {
            Type::array_sized(Type::Unit, Range::exactly(0))
        } else {
            Type::tuple(types, Some(Range::exactly(count)))
        }
    }

    fn hash(&mut self, hash: ast::Hash<'_>) -> Type {
        let mut fields: Option<Vec<StructField>> = Some(Vec::new());
        let mut count = 0;
        for entry in hash.entries() {
            count += 1;
            self.infer(entry.key());
            let value = self.infer(entry.value());
            match (literal::text(entry.key()), &mut fields) {
                (Some(key), Some(fields)) if !key.is_empty() => {
                    fields.push(StructField::required(key, value))
                }
                _ => fields = None,
            }
        }
        match fields {
            Some(fields) if !fields.is_empty() => Type::structure(fields),
            _ => Type::hash_sized(Type::Any, Type::Any, Range::exactly(count)),
        }
    }

    fn assignment(&mut self, assignment: ast::Assignment<'_>) -> Type {
        let ty = self.infer(assignment.right());
        match assignment.left() {
            Expr::Variable(variable) => self.assign(variable.name(), variable.span(), ty.clone()),
            other => self.assign_parts(other),
        }
        ty
    }

    fn assign_parts(&mut self, left: Expr<'_>) {
        match left {
            Expr::Variable(variable) => self.assign(variable.name(), variable.span(), Type::Any),
            Expr::Array(array) => array.elements().for_each(|element| self.assign_parts(element)),
            Expr::Hash(hash) => hash.entries().for_each(|entry| self.assign_parts(entry.key())),
            _ => {}
        }
    }

    /// `is_part_taken`: whether a part of the value is accessed in turn.
    fn access(&mut self, access: ast::Access<'_>, is_part_taken: bool) -> Type {
        if let Expr::Type(name) = access.left() {
            return self.reference(access, name);
        }
        let left = match access.left() {
            Expr::Access(inner) => deep(|| self.access(inner, true)),
            other => self.infer(other),
        };
        let keys: Vec<Expr<'_>> = access.keys().collect();
        for key in &keys {
            self.infer(*key);
        }
        self.check_fact(access, &keys, is_part_taken);
        self.check_access(access, &left);
        if let [key] = &keys[..] {
            self.check_index(&left, *key);
        }
        let [key] = &keys[..] else { return Type::Any };
        element(&left, literal::value(*key).as_ref())
    }

    /// `Type[…]`: a data type with parameters, or a reference to resources.
    fn reference(&mut self, access: ast::Access<'_>, name: ast::TypeReference<'_>) -> Type {
        let is_class = name.name().eq_ignore_ascii_case("class") || name.name() == "::Class";
        self.check_type_name(name.name(), name.span());
        for key in access.keys() {
            match literal::text(key) {
                Some(text) if is_class => {
                    self.check_class_name(&text, key.span());
                }
                _ => self.type_names(key),
            }
        }
        match self.index.types.read(access.syntax().text()) {
            Some(Type::Reference(_)) | None => Type::Type(None),
            Some(ty) => Type::type_of(ty),
        }
    }

    /// Looks up the names in the declared type of a parameter.
    pub fn type_names(&mut self, written: Expr<'_>) {
        match written {
            Expr::Type(name) => self.check_type_name(name.name(), name.span()),
            Expr::Access(access) => {
                self.infer(Expr::Access(access));
            }
            Expr::Hash(hash) => {
                for entry in hash.entries() {
                    self.type_names(entry.key());
                    self.type_names(entry.value());
                }
            }
            Expr::Array(array) => array.elements().for_each(|element| self.type_names(element)),
            other => {
                self.infer(other);
            }
        }
    }

    /// Walks through a lambda; `given` are the types of its parameters where they declare none.
    pub fn lambda(&mut self, lambda: ast::Lambda<'_>, given: &[Type]) -> Type {
        let assigned = lambda.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
        self.scoped(Scope::new(ScopeKind::Lambda, assigned), |walk| {
            walk.parameters(lambda.parameters());
            let names: Vec<(Str, bool)> =
                lambda.parameters().map(|one| (one.name().into(), one.type_expr().is_none())).collect();
            for ((name, is_free), ty) in names.into_iter().zip(given) {
                if is_free && let Some(scope) = walk.scopes.last_mut() {
                    scope.variables.insert(name, ty.clone());
                }
            }
            walk.body(lambda.statements())
        })
    }
}

/// The type of the value under a key.
fn element(left: &Type, key: Option<&Value>) -> Type {
    match (left.unaliased(), key) {
        (Type::Struct(fields), Some(Value::String(name))) => {
            match fields.iter().find(|field| field.name == *name) {
                Some(field) if field.optional => Type::optional(field.value.clone()),
                Some(field) => field.value.clone(),
                None => Type::Undef,
            }
        }
        (Type::Tuple(tuple), Some(Value::Integer(at)))
            if *at >= 0 && tuple.size.is_none_or(Range::is_finite) =>
        {
            usize::try_from(*at).ok().and_then(|at| tuple.types.get(at)).cloned().unwrap_or(Type::Any)
        }
        (Type::Array(array), Some(Value::Integer(_))) => match &array.element {
            Type::Any | Type::Unit => Type::Any,
            element => Type::optional(element.clone()),
        },
        (Type::Hash(hash), Some(_)) => match &hash.value {
            Type::Any | Type::Unit => Type::Any,
            value => Type::optional(value.clone()),
        },
        _ => Type::Any,
    }
}
