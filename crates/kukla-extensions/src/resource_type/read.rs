//! Follows the code that makes a type, as far as it is literal.

use std::rc::Rc;
use std::sync::Arc;

use kukla_ruby::outline::{
    Assign, Block, Call, Expr, Method, Node, Outline, Parameter, ParameterKind, Part, Target,
};
use kukla_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::value::StaticValue;
use super::{TypeLibrary, TypeModel};

/// Reads the type of this name from the outline of its file.
pub(super) fn read(name: &str, source: &Outline, library: &dyn TypeLibrary) -> Option<TypeModel> {
    let mut reader = Reader {
        type_name: name,
        library,
        loaded: FxHashSet::default(),
        modules: FxHashMap::default(),
        mixins: Vec::new(),
        model: None,
        budget: BUDGET,
        depth: 0,
    };
    reader.load(&format!("puppet/type/{name}.rb"), source);
    let mut model = reader.model.take()?;
    if let Some(def) = reader.own_method(Reader::TYPE, "title_patterns") {
        match reader.invoke(&def, Vec::new(), None, SelfObject::Type).patterns() {
            Some((patterns, understood)) => {
                model.patterns = Some(patterns);
                model.open |= !understood;
            }
            None => model.open = true,
        }
    }
    Some(model)
}

/// The object that `self` is.
#[derive(Clone, Debug)]
enum SelfObject {
    Module(String),
    Singleton(String),
    Type,
    /// A parameter of the type by name, or any property: nothing inside of a property matters here.
    Attribute(Option<String>),
}

struct Frame {
    locals: FxHashMap<String, Rc<StaticValue>>,
    this: SelfObject,
    file: Rc<str>,
    returned: Option<StaticValue>,
}

impl Frame {
    fn new(this: SelfObject, file: Rc<str>) -> Frame {
        Frame { locals: FxHashMap::default(), this, file, returned: None }
    }

    /// The frame of a body in the same file as this one.
    fn inside(&self, this: SelfObject) -> Frame {
        Frame::new(this, Rc::clone(&self.file))
    }
}

#[derive(Default)]
struct Module {
    methods: FxHashMap<String, Arc<Method>>,
    own: FxHashMap<String, Arc<Method>>,
    constants: FxHashMap<String, Rc<StaticValue>>,
}

struct Reader<'a> {
    type_name: &'a str,
    library: &'a dyn TypeLibrary,
    loaded: FxHashSet<String>,
    modules: FxHashMap<String, Module>,
    /// Modules whose methods the type has.
    mixins: Vec<String>,
    model: Option<TypeModel>,
    /// The remainder of [`BUDGET`].
    budget: usize,
    /// How many expressions are being followed inside of each other.
    depth: usize,
}

/// How many expressions are followed, and parts of values copied. A type that needs more than this is better run.
const BUDGET: usize = 500_000;

/// How deep expressions and values may be nested. Types that people write need a fraction of this.
const DEEPEST: usize = 200;

/// Calls in a type's body that add no attribute.
const IDLE: &[&str] = &[
    "desc",
    "doc",
    "feature",
    "features",
    "has_features",
    "has_feature",
    "validate",
    "autorequire",
    "autobefore",
    "autonotify",
    "autosubscribe",
    "apply_to",
    "apply_to_all",
    "apply_to_device",
    "apply_to_host",
    "attr_reader",
    "attr_writer",
    "attr_accessor",
    "private",
    "public",
    "protected",
    "private_class_method",
    "alias_method",
    "define_method",
    "raise",
    "fail",
    "warn",
    "warning",
    "puts",
    "debug",
    "info",
    "notice",
    "err",
    "freeze",
    "newmetaparam",
    "provide",
    "const_set",
    "private_constant",
    "deprecation_warning",
    "module_function",
    "self_refresh",
    "isomorphic",
    "autoload",
    "confine",
    "loop",
    "validproperties",
    "undef_method",
    "remove_method",
    "binding",
    "to_s",
    "name",
    "respond_to?",
    "is_a?",
    "method_defined?",
    "instance_method",
    "block_given?",
    "super",
    "instance_variable_set",
    "require",
    "require_relative",
];

impl Reader<'_> {
    /// Where the type's own methods and constants are kept; no Ruby name begins like this.
    const TYPE: &'static str = "(type)";

    fn load(&mut self, path: &str, source: &Outline) {
        if self.loaded.len() < 200 && self.loaded.insert(path.into()) {
            let this = SelfObject::Module(String::new());
            let mut frame = Frame::new(this, path.into());
            self.eval(source.body(), &mut frame);
        }
    }

    /// `require` in its many spellings; files outside of modules are ignored.
    fn require(&mut self, feature: &str, file: &str) {
        let feature = feature.strip_suffix(".rb").unwrap_or(feature);
        let trimmed = feature.trim_start_matches('/');
        let bare =
            trimmed.split('/').filter(|part| !matches!(*part, ".." | "." | "")).collect::<Vec<_>>().join("/");
        let mut beside: Vec<&str> = file.split('/').collect();
        beside.pop();
        for part in trimmed.split('/') {
            match part {
                ".." => drop(beside.pop()),
                "." | "" => {}
                part => beside.push(part),
            }
        }
        for candidate in [beside.join("/"), bare] {
            let path = format!("{candidate}.rb");
            if self.loaded.contains(&path) {
                return;
            }
            if let Some(source) = self.library.outline(&path) {
                return self.load(&path, &source);
            }
        }
    }

    fn eval(&mut self, node: &Node, frame: &mut Frame) -> StaticValue {
        if frame.returned.is_some() || !self.spend(1) {
            return StaticValue::Unknown;
        }
        if self.depth == DEEPEST {
            self.mark_open();
            return StaticValue::Unknown;
        }
        self.depth += 1;
        let value = self.eval_inside(node, frame);
        self.depth -= 1;
        value
    }

    /// Spends steps of the budget; `false` once it is used up.
    fn spend(&mut self, steps: usize) -> bool {
        self.budget = self.budget.saturating_sub(steps);
        if self.budget == 0 {
            self.mark_open();
        }
        self.budget > 0
    }

    /// A copy of a value that has a name, charged to the budget: code that doubles a value must come to an end.
    fn copy(&mut self, value: &StaticValue) -> StaticValue {
        match value.size(DEEPEST) {
            Some(size) if self.spend(size) => value.clone(),
            _ => {
                self.mark_open();
                StaticValue::Unknown
            }
        }
    }

    fn eval_inside(&mut self, node: &Node, frame: &mut Frame) -> StaticValue {
        match &node.expr {
            Expr::Nil => StaticValue::Nil,
            Expr::Boolean(b) => StaticValue::Boolean(*b),
            Expr::Integer(n) => StaticValue::Integer(*n),
            Expr::SourceFile => StaticValue::Text(frame.file.to_string()),
            Expr::Text(parts) => self.join(parts, frame).map_or(StaticValue::Unknown, StaticValue::Text),
            Expr::Symbol(parts) => self.join(parts, frame).map_or(StaticValue::Unknown, StaticValue::Symbol),
            Expr::Regexp(parts, flags) => {
                self.join(parts, frame).map_or(StaticValue::Unknown, |text| StaticValue::Regexp(text, flags))
            }
            Expr::Array(elements) => StaticValue::Array(self.list(elements, frame)),
            Expr::Hash(pairs) => StaticValue::Hash(
                pairs.iter().map(|(key, value)| (self.eval(key, frame), self.eval(value, frame))).collect(),
            ),
            Expr::Splat(inner) => self.eval(inner, frame),
            Expr::SelfReference => match &frame.this {
                SelfObject::Type => StaticValue::Type,
                SelfObject::Module(name) | SelfObject::Singleton(name) => StaticValue::Module(name.clone()),
                SelfObject::Attribute(_) => StaticValue::Unknown,
            },
            Expr::Constant(name) => self.constant(name, frame),
            Expr::Local(name) => {
                let value = frame.locals.get(name).map(Rc::clone);
                value.map_or(StaticValue::Unknown, |value| self.copy(&value))
            }
            Expr::InstanceVariable(_)
            | Expr::Alias(..)
            | Expr::Case(..)
            | Expr::Defined(_)
            | Expr::Other(_) => StaticValue::Unknown,
            Expr::Begin(body, _) => self.eval(body, frame),
            Expr::Assign(assign) => self.assign(assign, frame),
            Expr::Call(call) => self.call(call, frame),
            Expr::Method(def) => {
                let (home, own) = match &frame.this {
                    SelfObject::Type => (Self::TYPE, def.on_self),
                    SelfObject::Singleton(name) => (name.as_str(), true),
                    SelfObject::Module(name) => (name.as_str(), def.on_self),
                    SelfObject::Attribute(_) => return StaticValue::Nil,
                };
                let module = self.modules.entry(home.into()).or_default();
                let methods = if own { &mut module.own } else { &mut module.methods };
                methods.insert(def.name.clone(), Arc::clone(def));
                StaticValue::Symbol(def.name.clone())
            }
            Expr::Namespace(namespace) => {
                let name = match (namespace.name.strip_prefix("::"), &frame.this) {
                    (Some(top), _) => top.to_owned(),
                    (None, SelfObject::Module(outer)) if !outer.is_empty() => {
                        format!("{outer}::{}", namespace.name)
                    }
                    _ => namespace.name.clone(),
                };
                self.modules.entry(name.clone()).or_default();
                self.eval(&namespace.body, &mut frame.inside(SelfObject::Module(name)))
            }
            Expr::Singleton(body) => {
                let home = match &frame.this {
                    SelfObject::Module(name) => name.clone(),
                    SelfObject::Type => Self::TYPE.into(),
                    _ => return StaticValue::Unknown,
                };
                self.eval(body, &mut frame.inside(SelfObject::Singleton(home)))
            }
            Expr::If(test, then, otherwise) => match self.eval(test, frame).truth() {
                Some(true) => self.eval(then, frame),
                Some(false) => self.eval(otherwise, frame),
                // Not known: the definitions of either branch may exist.
                None => {
                    self.eval(then, frame);
                    frame.returned = None;
                    self.eval(otherwise, frame);
                    StaticValue::Unknown
                }
            },
            Expr::And(left, right) => match self.eval(left, frame) {
                left if left.truth() == Some(false) => left,
                _ => self.eval(right, frame),
            },
            Expr::Or(left, right) => match self.eval(left, frame) {
                left if left.truth() == Some(true) => left,
                _ => self.eval(right, frame),
            },
            Expr::Return(value) => {
                let value = self.eval(value, frame);
                frame.returned = Some(self.copy(&value));
                value
            }
            Expr::Sequence(all) => {
                let mut last = StaticValue::Nil;
                for each in all {
                    last = self.eval(each, frame);
                }
                last
            }
        }
    }

    /// Marks the type as open, whether it has been seen yet or not: its code has to be run.
    fn mark_open(&mut self) {
        self.model.get_or_insert_default().open = true;
    }

    fn list(&mut self, all: &[Node], frame: &mut Frame) -> Vec<StaticValue> {
        let mut values = Vec::with_capacity(all.len());
        for each in all {
            match (&each.expr, self.eval(each, frame)) {
                (Expr::Splat(_), StaticValue::Array(elements)) => values.extend(elements),
                (_, value) => values.push(value),
            }
        }
        values
    }

    fn join(&mut self, parts: &[Part], frame: &mut Frame) -> Option<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Code(code) => text.push_str(&self.eval(code, frame).text()?),
            }
        }
        self.spend(StaticValue::size_of_text(&text)).then_some(text)
    }

    fn constant(&mut self, name: &str, frame: &Frame) -> StaticValue {
        let (name, is_top) = match name.strip_prefix("::") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let mut scope = match &frame.this {
            _ if is_top => String::new(),
            SelfObject::Module(name) | SelfObject::Singleton(name) => name.clone(),
            _ => Self::TYPE.into(),
        };
        let (outer, last) = name.rsplit_once("::").unwrap_or(("", name));
        loop {
            let home = match (scope.is_empty(), outer.is_empty()) {
                (true, _) => outer.to_string(),
                (false, true) => scope.clone(),
                (false, false) => format!("{scope}::{outer}"),
            };
            if let Some(value) = self.modules.get(&home).and_then(|module| module.constants.get(last)) {
                let value = Rc::clone(value);
                return self.copy(&value);
            }
            let full = if scope.is_empty() { name.to_string() } else { format!("{scope}::{name}") };
            if self.modules.contains_key(&full) {
                return StaticValue::Module(full);
            }
            if scope.is_empty() {
                return StaticValue::Module(name.into());
            }
            scope = scope.rsplit_once("::").map(|(outer, _)| outer.to_string()).unwrap_or_default();
        }
    }

    fn assign(&mut self, assign: &Assign, frame: &mut Frame) -> StaticValue {
        let value = match &assign.value {
            Some(value) => self.eval(value, frame),
            None => StaticValue::Unknown,
        };
        let value = match &assign.operator {
            None => value,
            Some(operator) => {
                let current = match &assign.target {
                    Target::Local(name) => frame.locals.get(name).map(Rc::clone),
                    _ => None,
                };
                let current = current.map(|current| self.copy(&current));
                combine(current, operator, value)
            }
        };
        let copy = self.copy(&value);
        match &assign.target {
            Target::Local(name) => drop(frame.locals.insert(name.clone(), Rc::new(copy))),
            Target::InstanceVariable(name) => {
                if let (SelfObject::Type, "@isomorphic", Some(model)) =
                    (&frame.this, name.as_str(), &mut self.model)
                {
                    model.shared = value.truth() == Some(false);
                }
            }
            Target::Constant(name) => {
                let home = match &frame.this {
                    SelfObject::Module(home) | SelfObject::Singleton(home) => home.as_str(),
                    _ => Self::TYPE,
                };
                let (home, name) = match (name.strip_prefix("::").unwrap_or(name).rsplit_once("::"), home) {
                    (Some((outer, name)), _) => (outer.to_owned(), name),
                    (None, home) => (home.to_owned(), name.as_str()),
                };
                self.modules.entry(home).or_default().constants.insert(name.into(), Rc::new(copy));
            }
        }
        value
    }

    fn own_method(&self, module: &str, name: &str) -> Option<Arc<Method>> {
        self.modules.get(module)?.own.get(name).cloned()
    }

    fn invoke(
        &mut self,
        def: &Method,
        args: Vec<StaticValue>,
        block: Option<Arc<Block>>,
        this: SelfObject,
    ) -> StaticValue {
        let mut frame = Frame::new(this, "".into());
        self.bind(&def.code.parameters, args, &mut frame);
        let parameter = def.code.parameters.iter().find(|one| one.kind == ParameterKind::Block);
        if let (Some(parameter), Some(block)) = (parameter, block) {
            frame.locals.insert(parameter.name.clone(), Rc::new(StaticValue::Block(block)));
        }
        let value = self.eval(&def.code.body, &mut frame);
        frame.returned.unwrap_or(value)
    }

    fn bind(&mut self, parameters: &[Parameter], args: Vec<StaticValue>, frame: &mut Frame) {
        let mut args = args.into_iter();
        for Parameter { name, kind, default } in parameters {
            let value = match kind {
                ParameterKind::Required | ParameterKind::Optional => match (args.next(), default) {
                    (Some(value), _) => value,
                    (None, Some(default)) => self.eval(default, frame),
                    (None, None) => StaticValue::Nil,
                },
                ParameterKind::Rest => StaticValue::Array(args.by_ref().collect()),
                ParameterKind::Keyword | ParameterKind::KeywordRest | ParameterKind::Block => continue,
            };
            frame.locals.insert(name.clone(), Rc::new(value));
        }
    }

    /// Runs a block on some arguments; a pair is spread over several parameters.
    fn yield_to(&mut self, block: &Arc<Block>, mut args: Vec<StaticValue>, frame: &mut Frame) -> StaticValue {
        if positional(block) > 1
            && let [StaticValue::Array(elements)] = &mut args[..]
        {
            args = std::mem::take(elements);
        }
        self.bind(&block.parameters, args, frame);
        self.eval(&block.body, frame)
    }

    /// Runs a block in which `self` is the type.
    fn yield_in_type(&mut self, block: &Arc<Block>, frame: &Frame) {
        if self.spend(frame.locals.len()) {
            let mut inner = Frame { locals: frame.locals.clone(), ..frame.inside(SelfObject::Type) };
            self.yield_to(block, vec![StaticValue::Type], &mut inner);
        }
    }

    fn call(&mut self, call: &Call, frame: &mut Frame) -> StaticValue {
        if let SelfObject::Attribute(parameter) = &frame.this {
            if let ("isnamevar", None, Some(name), Some(model)) =
                (&*call.name, &call.receiver, parameter, &mut self.model)
            {
                model.parameter(name, true);
            }
            return StaticValue::Unknown;
        }
        let receiver = call.receiver.as_ref().map(|receiver| self.eval(receiver, frame));
        let args = self.list(&call.args, frame);
        let block = match (&call.block, &call.block_argument) {
            (Some(block), _) => Some(Arc::clone(block)),
            (None, Some(passed)) => match self.eval(passed, frame) {
                StaticValue::Block(block) => Some(block),
                _ => None,
            },
            _ => None,
        };
        match (receiver, call.name.as_str()) {
            (None, "require" | "require_relative" | "load") => {
                if let Some(StaticValue::Text(path)) = args.first() {
                    let (path, file) = (path.clone(), Rc::clone(&frame.file));
                    self.require(&path, &file);
                }
                StaticValue::Nil
            }
            (None, "lambda" | "proc") => block.map_or(StaticValue::Unknown, StaticValue::Block),
            (Some(StaticValue::Module(name)), "new") if name == "Proc" => {
                block.map_or(StaticValue::Unknown, StaticValue::Block)
            }
            // A text to be translated.
            (None, "_") => args.into_iter().next().unwrap_or(StaticValue::Nil),
            (_, "newtype") => self.newtype(&args, block, frame),
            (Some(StaticValue::Module(name)), "register_type") if name.ends_with("ResourceApi") => {
                self.register(args.first());
                StaticValue::Nil
            }
            (Some(StaticValue::Module(name)), "type") if name.ends_with("Type") => {
                match args.first().and_then(StaticValue::text) {
                    Some(name) if name == self.type_name && self.model.is_some() => StaticValue::Type,
                    _ => StaticValue::Unknown,
                }
            }
            (Some(StaticValue::Type), _) => self.on_type(&call.name, args, block, frame),
            (None, _) => match &frame.this {
                SelfObject::Type => self.on_type(&call.name, args, block, frame),
                SelfObject::Module(home) | SelfObject::Singleton(home) => {
                    let home = home.clone();
                    self.on_module(&home, &call.name, args, block)
                }
                SelfObject::Attribute(_) => StaticValue::Unknown,
            },
            (Some(StaticValue::Module(name)), _) => self.on_module(&name, &call.name, args, block),
            (Some(value), name) => self.on_value(value, name, args, block, frame),
        }
    }

    fn newtype(&mut self, args: &[StaticValue], block: Option<Arc<Block>>, frame: &Frame) -> StaticValue {
        if args
            .first()
            .and_then(StaticValue::text)
            .is_none_or(|name| !name.eq_ignore_ascii_case(self.type_name))
        {
            return StaticValue::Unknown;
        }
        self.model.get_or_insert_default();
        if let Some(block) = block {
            self.yield_in_type(&block, frame);
        }
        StaticValue::Type
    }

    /// A call on the type being made.
    fn on_type(
        &mut self,
        name: &str,
        mut args: Vec<StaticValue>,
        block: Option<Arc<Block>>,
        frame: &mut Frame,
    ) -> StaticValue {
        match name {
            "newparam" | "newproperty" => {
                self.attribute(name == "newparam", &args, block, frame);
                StaticValue::Unknown
            }
            "ensurable" => {
                self.model.get_or_insert_default().property("ensure");
                StaticValue::Nil
            }
            "include" | "extend" => {
                for module in args {
                    let StaticValue::Module(module) = module else { continue };
                    let hook = if name == "include" { "included" } else { "extended" };
                    if name == "extend" {
                        self.mixins.push(module.clone());
                    }
                    if let Some(def) = self.own_method(&module, hook) {
                        self.invoke(&def, vec![StaticValue::Type], None, SelfObject::Module(module));
                    }
                }
                StaticValue::Type
            }
            "send" | "public_send" | "__send__" if !args.is_empty() => match args.remove(0).text() {
                Some(name) => self.on_type(&name, args, block, frame),
                None => {
                    self.mark_open();
                    StaticValue::Unknown
                }
            },
            "define_singleton_method" => {
                match (args.first().and_then(StaticValue::text), block) {
                    (Some(name), Some(body)) => {
                        let own = &mut self.modules.entry(Self::TYPE.into()).or_default().own;
                        let name_span = Span::default();
                        let method = Method { name: name.clone(), name_span, on_self: true, code: body };
                        own.insert(name, Arc::new(method));
                    }
                    _ => self.mark_open(),
                }
                StaticValue::Nil
            }
            "class_eval" | "class_exec" | "module_eval" | "instance_eval" | "instance_exec" | "tap" => {
                if block.is_none() {
                    self.mark_open();
                }
                if let Some(block) = block {
                    self.yield_in_type(&block, frame);
                }
                StaticValue::Type
            }
            _ => {
                let mixin = |module: &String| self.modules.get(module)?.methods.get(name).cloned();
                let def =
                    self.own_method(Self::TYPE, name).or_else(|| self.mixins.iter().rev().find_map(mixin));
                match def {
                    Some(def) => self.invoke(&def, args, block, SelfObject::Type),
                    None => {
                        if !IDLE.contains(&name) {
                            self.mark_open();
                        }
                        StaticValue::Unknown
                    }
                }
            }
        }
    }

    fn attribute(
        &mut self,
        is_parameter: bool,
        args: &[StaticValue],
        block: Option<Arc<Block>>,
        frame: &Frame,
    ) {
        let Some(name) = args.first().and_then(StaticValue::text) else { return self.mark_open() };
        let option = |pairs: &Vec<(StaticValue, StaticValue)>, key: &str| {
            let found = pairs.iter().find(|(name, _)| name.text().as_deref() == Some(key));
            found.is_some_and(|(_, value)| value.truth() == Some(true))
        };
        let is_namevar =
            args.iter().any(|arg| matches!(arg, StaticValue::Hash(pairs) if option(pairs, "namevar")));
        let model = self.model.get_or_insert_default();
        match is_parameter {
            true => model.parameter(&name, is_namevar),
            false => model.property(&name),
        }
        if let Some(block) = block {
            let this = SelfObject::Attribute(is_parameter.then_some(name));
            let file = Rc::clone(&frame.file);
            let mut inner = Frame { locals: FxHashMap::default(), this, file, returned: None };
            self.eval(&block.body, &mut inner);
        }
    }

    /// A type of the Resource API, which is one hash.
    fn register(&mut self, definition: Option<&StaticValue>) {
        let Some(StaticValue::Hash(definition)) = definition else { return };
        let get = |pairs: &[(StaticValue, StaticValue)], key: &str| {
            pairs.iter().find(|(name, _)| name.text().as_deref() == Some(key)).map(|(_, value)| value.clone())
        };
        if get(definition, "name").and_then(|name| name.text()).as_deref() != Some(self.type_name) {
            return;
        }
        let open = self.model.as_ref().is_some_and(|model| model.open);
        let mut model = TypeModel { by_api: true, open, ..TypeModel::default() };
        match get(definition, "attributes") {
            Some(StaticValue::Hash(attributes)) => {
                for (name, details) in &attributes {
                    let Some(name) = name.text() else {
                        model.open = true;
                        continue;
                    };
                    let behaviour = match details {
                        StaticValue::Hash(details) => {
                            get(details, "behaviour").or_else(|| get(details, "behavior"))
                        }
                        _ => None,
                    };
                    match behaviour.and_then(|behaviour| behaviour.text()).as_deref() {
                        Some("namevar") => model.parameter(&name, true),
                        Some("parameter" | "read_only") => model.parameter(&name, false),
                        _ => model.property(&name),
                    }
                }
            }
            _ => model.open = true,
        }
        model.patterns = match get(definition, "title_patterns") {
            Some(StaticValue::Array(patterns)) => {
                let pattern = |known: &StaticValue| match known {
                    StaticValue::Hash(pairs) => match get(pairs, "pattern") {
                        Some(regexp @ StaticValue::Regexp(..)) => {
                            let names = group_names(&regexp.regexp()?);
                            Some((
                                regexp.regexp()?,
                                names.into_iter().map(|name| (name, Vec::new())).collect(),
                            ))
                        }
                        _ => None,
                    },
                    _ => None,
                };
                patterns.iter().map(pattern).collect()
            }
            // With several name variables and no pattern the first one gets the title.
            _ => {
                let namevars: Vec<_> =
                    model.parameters.iter().filter(|(_, is)| **is).map(|(name, _)| name.clone()).collect();
                (namevars.len() > 1)
                    .then(|| vec![("(?m-ix:(.*))".into(), vec![(namevars[0].clone(), Vec::new())])])
            }
        };
        self.model = Some(model);
    }

    fn on_module(
        &mut self,
        module: &str,
        name: &str,
        args: Vec<StaticValue>,
        block: Option<Arc<Block>>,
    ) -> StaticValue {
        let found = self
            .modules
            .get(module)
            .and_then(|module| module.own.get(name).or_else(|| module.methods.get(name)).cloned());
        if let Some(def) = found {
            return self.invoke(&def, args, block, SelfObject::Module(module.into()));
        }
        let text = |at: usize| args.get(at).and_then(StaticValue::text);
        match (module, name) {
            ("Regexp", "new") => match args.first() {
                Some(StaticValue::Text(source)) => StaticValue::Regexp(source.clone(), ""),
                Some(regexp @ StaticValue::Regexp(..)) => regexp.clone(),
                _ => StaticValue::Unknown,
            },
            // Paths only serve to find required files, so their directories need not be real ones.
            ("File", "expand_path") => match (text(0), text(1)) {
                (Some(path), Some(base)) => StaticValue::Text(resolve(&base, &path)),
                (Some(path), None) => StaticValue::Text(path),
                _ => StaticValue::Unknown,
            },
            ("File", "dirname") => {
                text(0).map_or(StaticValue::Unknown, |path| StaticValue::Text(resolve(&path, "..")))
            }
            ("File", "join") => {
                let parts: Option<Vec<_>> = args.iter().map(StaticValue::text).collect();
                parts.map_or(StaticValue::Unknown, |parts| StaticValue::Text(resolve("", &parts.join("/"))))
            }
            _ => StaticValue::Unknown,
        }
    }

    fn on_value(
        &mut self,
        value: StaticValue,
        name: &str,
        args: Vec<StaticValue>,
        block: Option<Arc<Block>>,
        frame: &mut Frame,
    ) -> StaticValue {
        match (value, name, block) {
            (
                StaticValue::Unknown,
                "each" | "each_pair" | "each_key" | "map" | "each_with_index" | "times",
                Some(block),
            ) => {
                // A loop over an unknown list: its body may still name attributes literally.
                self.yield_to(&block, vec![StaticValue::Unknown; positional(&block)], frame);
                StaticValue::Unknown
            }
            (
                StaticValue::Array(elements),
                "each" | "map" | "collect" | "each_with_index" | "flat_map",
                Some(block),
            ) => {
                let mut results = Vec::new();
                for (i, element) in elements.into_iter().enumerate() {
                    let args = if name == "each_with_index" {
                        vec![element, StaticValue::Integer(i as i64)]
                    } else {
                        vec![element]
                    };
                    results.push(self.yield_to(&block, args, frame));
                }
                StaticValue::Array(results)
            }
            (StaticValue::Hash(pairs), "each" | "each_pair" | "map" | "collect", Some(block)) => {
                let each = pairs.into_iter().map(|(key, value)| {
                    self.yield_to(&block, vec![StaticValue::Array(vec![key, value])], frame)
                });
                StaticValue::Array(each.collect())
            }
            (StaticValue::Hash(pairs), "each_key", Some(block)) => {
                pairs.into_iter().for_each(|(key, _)| drop(self.yield_to(&block, vec![key], frame)));
                StaticValue::Nil
            }
            (StaticValue::Integer(n), "times", Some(block)) => {
                for i in 0..n.min(1000) {
                    self.yield_to(&block, vec![StaticValue::Integer(i)], frame);
                }
                StaticValue::Integer(n)
            }
            (StaticValue::Block(block), "call" | "()", _) => self.yield_to(&block, args, frame),
            (value, "tap", Some(block)) => {
                let argument = self.copy(&value);
                self.yield_to(&block, vec![argument], frame);
                value
            }
            (value, _, _) => value.method(name, &args),
        }
    }
}

/// How many positional parameters a block names.
fn positional(block: &Block) -> usize {
    let is_positional =
        |one: &&Parameter| matches!(one.kind, ParameterKind::Required | ParameterKind::Optional);
    block.parameters.iter().filter(is_positional).count()
}

/// The value that `variable operator= value` gives to a variable.
fn combine(current: Option<StaticValue>, operator: &str, value: StaticValue) -> StaticValue {
    let current = current.unwrap_or(StaticValue::Unknown);
    match (operator, current.truth()) {
        ("||", Some(true)) | ("&&", Some(false)) => current,
        ("||", Some(false)) | ("&&", Some(true)) => value,
        ("||" | "&&", None) => StaticValue::Unknown,
        _ => current.method(operator, &[value]),
    }
}

/// A path seen from another, with `..` resolved.
fn resolve(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    // Found from the top of `lib`, wherever that is.
    format!("/{}", parts.join("/"))
}

fn group_names(regexp: &str) -> Vec<String> {
    let named = regexp.match_indices("(?<").filter_map(|(at, _)| {
        let (name, _) = regexp[at + 3..].split_once('>')?;
        name.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| name.to_string())
    });
    named.collect()
}
