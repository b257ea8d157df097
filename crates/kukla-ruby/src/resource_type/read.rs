//! Follows the code that makes a type, as far as it is literal.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::known::Known;
use super::tree::{self, Block, Call, Def, Expr, Params, Part, Target};
use super::{Library, Outline};

/// Reads the type of this name out of a source text.
pub(super) fn read(name: &str, source: &str, library: &dyn Library) -> Option<Outline> {
    let mut reader = Reader {
        wanted: name,
        library,
        loaded: FxHashSet::default(),
        modules: FxHashMap::default(),
        mixins: Vec::new(),
        outline: None,
        patience: PATIENCE,
        depth: 0,
    };
    reader.load(&format!("puppet/type/{name}.rb"), source);
    let mut outline = reader.outline.take()?;
    if let Some(def) = reader.own_method(Reader::TYPE, "title_patterns") {
        match reader.invoke(&def, Vec::new(), None, This::Type).patterns() {
            Some((patterns, understood)) => {
                outline.patterns = Some(patterns);
                outline.open |= !understood;
            }
            None => outline.open = true,
        }
    }
    Some(outline)
}

/// What `self` is.
#[derive(Clone, Debug)]
enum This {
    Module(String),
    Singleton(String),
    Type,
    /// A parameter of the type, by name; properties have nothing more to say.
    Attribute(Option<String>),
}

struct Frame {
    locals: FxHashMap<String, Rc<Known>>,
    this: This,
    file: Rc<str>,
    returned: Option<Known>,
}

impl Frame {
    fn new(this: This, file: Rc<str>) -> Frame {
        Frame { locals: FxHashMap::default(), this, file, returned: None }
    }

    /// The frame of a body that stands in this one's file.
    fn inside(&self, this: This) -> Frame {
        Frame::new(this, Rc::clone(&self.file))
    }
}

#[derive(Default)]
struct Module {
    methods: FxHashMap<String, Rc<Def>>,
    own: FxHashMap<String, Rc<Def>>,
    constants: FxHashMap<String, Rc<Known>>,
}

struct Reader<'a> {
    wanted: &'a str,
    library: &'a dyn Library,
    loaded: FxHashSet<String>,
    modules: FxHashMap<String, Module>,
    /// Modules whose methods the type has.
    mixins: Vec<String>,
    outline: Option<Outline>,
    /// What is left of [`PATIENCE`].
    patience: usize,
    /// How many expressions are being followed inside of each other.
    depth: usize,
}

/// How many expressions are followed, and parts of values copied. Whoever makes more of a type than this is better run.
const PATIENCE: usize = 500_000;

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

    fn load(&mut self, path: &str, source: &str) {
        if self.loaded.len() < 200 && self.loaded.insert(path.into()) {
            let tree = tree::parse(source);
            let this = This::Module(String::new());
            let mut frame = Frame::new(this, path.into());
            self.eval(&tree, &mut frame);
        }
    }

    /// `require` in its many spellings; what is no module's file is none of our business.
    fn require(&mut self, wanted: &str, file: &str) {
        let wanted = wanted.strip_suffix(".rb").unwrap_or(wanted);
        let trimmed = wanted.trim_start_matches('/');
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
            if let Some(source) = self.library.ruby(&path) {
                return self.load(&path, &source);
            }
        }
    }

    fn eval(&mut self, expr: &Expr, frame: &mut Frame) -> Known {
        if frame.returned.is_some() || !self.has_patience(1) {
            return Known::Unknown;
        }
        if self.depth == DEEPEST {
            self.give_up();
            return Known::Unknown;
        }
        self.depth += 1;
        let value = self.eval_inside(expr, frame);
        self.depth -= 1;
        value
    }

    /// Whether so many more steps may be gone.
    fn has_patience(&mut self, steps: usize) -> bool {
        self.patience = self.patience.saturating_sub(steps);
        if self.patience == 0 {
            self.give_up();
        }
        self.patience > 0
    }

    /// A copy of a value that has a name: without patience it would be doubled for ever.
    fn copy(&mut self, value: &Known) -> Known {
        match value.size(DEEPEST) {
            Some(size) if self.has_patience(size) => value.clone(),
            _ => {
                self.give_up();
                Known::Unknown
            }
        }
    }

    fn eval_inside(&mut self, expr: &Expr, frame: &mut Frame) -> Known {
        match expr {
            Expr::Nil => Known::Nil,
            Expr::Boolean(b) => Known::Boolean(*b),
            Expr::Integer(n) => Known::Integer(*n),
            Expr::ThisFile => Known::Text(frame.file.to_string()),
            Expr::Text(parts) => self.join(parts, frame).map_or(Known::Unknown, Known::Text),
            Expr::Symbol(parts) => self.join(parts, frame).map_or(Known::Unknown, Known::Symbol),
            Expr::Regexp(parts, flags) => {
                self.join(parts, frame).map_or(Known::Unknown, |text| Known::Regexp(text, flags))
            }
            Expr::Array(elements) => Known::Array(self.list(elements, frame)),
            Expr::Hash(pairs) => Known::Hash(
                pairs.iter().map(|(key, value)| (self.eval(key, frame), self.eval(value, frame))).collect(),
            ),
            Expr::Splat(inner) => self.eval(inner, frame),
            Expr::Itself => match &frame.this {
                This::Type => Known::Type,
                This::Module(name) | This::Singleton(name) => Known::Module(name.clone()),
                This::Attribute(_) => Known::Unknown,
            },
            Expr::Constant(name) => self.constant(name, frame),
            Expr::Local(name) => {
                let value = frame.locals.get(name).map(Rc::clone);
                value.map_or(Known::Unknown, |value| self.copy(&value))
            }
            Expr::Other => Known::Unknown,
            Expr::Assign(target, value) => self.assign(target, value, frame),
            Expr::Call(call) => self.call(call, frame),
            Expr::Def(def) => {
                let (home, own) = match &frame.this {
                    This::Type => (Self::TYPE, def.on_itself),
                    This::Singleton(name) => (name.as_str(), true),
                    This::Module(name) => (name.as_str(), def.on_itself),
                    This::Attribute(_) => return Known::Nil,
                };
                let module = self.modules.entry(home.into()).or_default();
                let methods = if own { &mut module.own } else { &mut module.methods };
                methods.insert(def.name.clone(), Rc::clone(def));
                Known::Symbol(def.name.clone())
            }
            Expr::Module(name, body) => {
                let name = match &frame.this {
                    This::Module(outer) if !outer.is_empty() => format!("{outer}::{name}"),
                    _ => name.clone(),
                };
                self.modules.entry(name.clone()).or_default();
                self.eval(body, &mut frame.inside(This::Module(name)))
            }
            Expr::Singleton(body) => {
                let home = match &frame.this {
                    This::Module(name) => name.clone(),
                    This::Type => Self::TYPE.into(),
                    _ => return Known::Unknown,
                };
                self.eval(body, &mut frame.inside(This::Singleton(home)))
            }
            Expr::If(test, then, otherwise) => match self.eval(test, frame).truth() {
                Some(true) => self.eval(then, frame),
                Some(false) => self.eval(otherwise, frame),
                // Not known: whatever either branch defines may exist.
                None => {
                    self.eval(then, frame);
                    frame.returned = None;
                    self.eval(otherwise, frame);
                    Known::Unknown
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
                let mut last = Known::Nil;
                for each in all {
                    last = self.eval(each, frame);
                }
                last
            }
        }
    }

    /// Leaves it to whoever runs the code, whether a type has been seen yet or not.
    fn give_up(&mut self) {
        self.outline.get_or_insert_default().open = true;
    }

    fn list(&mut self, all: &[Expr], frame: &mut Frame) -> Vec<Known> {
        let mut known = Vec::with_capacity(all.len());
        for each in all {
            match (each, self.eval(each, frame)) {
                (Expr::Splat(_), Known::Array(elements)) => known.extend(elements),
                (_, value) => known.push(value),
            }
        }
        known
    }

    fn join(&mut self, parts: &[Part], frame: &mut Frame) -> Option<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Code(code) => text.push_str(&self.eval(code, frame).text()?),
            }
        }
        self.has_patience(Known::size_of_text(&text)).then_some(text)
    }

    fn constant(&mut self, name: &str, frame: &Frame) -> Known {
        let mut scope = match &frame.this {
            This::Module(name) | This::Singleton(name) => name.clone(),
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
                return Known::Module(full);
            }
            if scope.is_empty() {
                return Known::Module(name.into());
            }
            scope = scope.rsplit_once("::").map(|(outer, _)| outer.to_string()).unwrap_or_default();
        }
    }

    fn assign(&mut self, target: &Target, value: &Expr, frame: &mut Frame) -> Known {
        let value = self.eval(value, frame);
        let kept = self.copy(&value);
        match target {
            Target::Local(name) => drop(frame.locals.insert(name.clone(), Rc::new(kept))),
            Target::Ivar(name) => {
                if let (This::Type, "@isomorphic", Some(outline)) =
                    (&frame.this, name.as_str(), &mut self.outline)
                {
                    outline.shared = value.truth() == Some(false);
                }
            }
            Target::Constant(name) => {
                let home = match &frame.this {
                    This::Module(home) | This::Singleton(home) => home.clone(),
                    _ => Self::TYPE.into(),
                };
                self.modules.entry(home).or_default().constants.insert(name.clone(), Rc::new(kept));
            }
        }
        value
    }

    fn own_method(&self, module: &str, name: &str) -> Option<Rc<Def>> {
        self.modules.get(module)?.own.get(name).cloned()
    }

    fn invoke(&mut self, def: &Def, args: Vec<Known>, block: Option<Rc<Block>>, this: This) -> Known {
        let mut frame = Frame::new(this, "".into());
        self.bind(&def.code.params, args, &mut frame);
        if let (Some(name), Some(block)) = (&def.code.params.block, block) {
            frame.locals.insert(name.clone(), Rc::new(Known::Block(block)));
        }
        let value = self.eval(&def.code.body, &mut frame);
        frame.returned.unwrap_or(value)
    }

    fn bind(&mut self, params: &Params, args: Vec<Known>, frame: &mut Frame) {
        let mut args = args.into_iter();
        for (name, default) in &params.names {
            let value = match (args.next(), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default, frame),
                (None, None) => Known::Nil,
            };
            frame.locals.insert(name.clone(), Rc::new(value));
        }
        if let Some(rest) = &params.rest {
            frame.locals.insert(rest.clone(), Rc::new(Known::Array(args.collect())));
        }
    }

    /// Runs a block on some arguments; a pair is spread over several parameters.
    fn yield_to(&mut self, block: &Rc<Block>, mut args: Vec<Known>, frame: &mut Frame) -> Known {
        if block.params.names.len() > 1
            && let [Known::Array(elements)] = &mut args[..]
        {
            args = std::mem::take(elements);
        }
        self.bind(&block.params, args, frame);
        self.eval(&block.body, frame)
    }

    /// Runs a block in which `self` is the type.
    fn yield_in_type(&mut self, block: &Rc<Block>, frame: &Frame) {
        if self.has_patience(frame.locals.len()) {
            let mut inner = Frame { locals: frame.locals.clone(), ..frame.inside(This::Type) };
            self.yield_to(block, vec![Known::Type], &mut inner);
        }
    }

    fn call(&mut self, call: &Call, frame: &mut Frame) -> Known {
        if let This::Attribute(parameter) = &frame.this {
            if let ("isnamevar", None, Some(name), Some(outline)) =
                (&*call.name, &call.receiver, parameter, &mut self.outline)
            {
                outline.parameter(name, true);
            }
            return Known::Unknown;
        }
        let receiver = call.receiver.as_ref().map(|receiver| self.eval(receiver, frame));
        let args = self.list(&call.args, frame);
        let block = match (&call.block, &call.passed) {
            (Some(block), _) => Some(Rc::clone(block)),
            (None, Some(passed)) => match self.eval(passed, frame) {
                Known::Block(block) => Some(block),
                _ => None,
            },
            _ => None,
        };
        match (receiver, call.name.as_str()) {
            (None, "require" | "require_relative" | "load") => {
                if let Some(Known::Text(path)) = args.first() {
                    let (path, file) = (path.clone(), Rc::clone(&frame.file));
                    self.require(&path, &file);
                }
                Known::Nil
            }
            (None, "lambda" | "proc") => block.map_or(Known::Unknown, Known::Block),
            (Some(Known::Module(name)), "new") if name == "Proc" => {
                block.map_or(Known::Unknown, Known::Block)
            }
            // A text to be translated.
            (None, "_") => args.into_iter().next().unwrap_or(Known::Nil),
            (_, "newtype") => self.newtype(&args, block, frame),
            (Some(Known::Module(name)), "register_type") if name.ends_with("ResourceApi") => {
                self.register(args.first());
                Known::Nil
            }
            (Some(Known::Module(name)), "type") if name.ends_with("Type") => {
                match args.first().and_then(Known::text) {
                    Some(name) if name == self.wanted && self.outline.is_some() => Known::Type,
                    _ => Known::Unknown,
                }
            }
            (Some(Known::Type), _) => self.on_type(&call.name, args, block, frame),
            (None, _) => match &frame.this {
                This::Type => self.on_type(&call.name, args, block, frame),
                This::Module(home) | This::Singleton(home) => {
                    let home = home.clone();
                    self.on_module(&home, &call.name, args, block)
                }
                This::Attribute(_) => Known::Unknown,
            },
            (Some(Known::Module(name)), _) => self.on_module(&name, &call.name, args, block),
            (Some(value), name) => self.on_value(value, name, args, block, frame),
        }
    }

    fn newtype(&mut self, args: &[Known], block: Option<Rc<Block>>, frame: &Frame) -> Known {
        if args.first().and_then(Known::text).is_none_or(|name| !name.eq_ignore_ascii_case(self.wanted)) {
            return Known::Unknown;
        }
        self.outline.get_or_insert_default();
        if let Some(block) = block {
            self.yield_in_type(&block, frame);
        }
        Known::Type
    }

    /// A call on the type being made.
    fn on_type(
        &mut self,
        name: &str,
        mut args: Vec<Known>,
        block: Option<Rc<Block>>,
        frame: &mut Frame,
    ) -> Known {
        match name {
            "newparam" | "newproperty" => {
                self.attribute(name == "newparam", &args, block, frame);
                Known::Unknown
            }
            "ensurable" => {
                self.outline.get_or_insert_default().property("ensure");
                Known::Nil
            }
            "include" | "extend" => {
                for module in args {
                    let Known::Module(module) = module else { continue };
                    let hook = if name == "include" { "included" } else { "extended" };
                    if name == "extend" {
                        self.mixins.push(module.clone());
                    }
                    if let Some(def) = self.own_method(&module, hook) {
                        self.invoke(&def, vec![Known::Type], None, This::Module(module));
                    }
                }
                Known::Type
            }
            "send" | "public_send" | "__send__" if !args.is_empty() => match args.remove(0).text() {
                Some(name) => self.on_type(&name, args, block, frame),
                None => {
                    self.give_up();
                    Known::Unknown
                }
            },
            "define_singleton_method" => {
                match (args.first().and_then(Known::text), block) {
                    (Some(name), Some(body)) => {
                        let own = &mut self.modules.entry(Self::TYPE.into()).or_default().own;
                        own.insert(name.clone(), Rc::new(Def { name, on_itself: true, code: body }));
                    }
                    _ => self.give_up(),
                }
                Known::Nil
            }
            "class_eval" | "class_exec" | "module_eval" | "instance_eval" | "instance_exec" | "tap" => {
                if block.is_none() {
                    self.give_up();
                }
                if let Some(block) = block {
                    self.yield_in_type(&block, frame);
                }
                Known::Type
            }
            _ => {
                let mixin = |module: &String| self.modules.get(module)?.methods.get(name).cloned();
                let def =
                    self.own_method(Self::TYPE, name).or_else(|| self.mixins.iter().rev().find_map(mixin));
                match def {
                    Some(def) => self.invoke(&def, args, block, This::Type),
                    None => {
                        if !IDLE.contains(&name) {
                            self.give_up();
                        }
                        Known::Unknown
                    }
                }
            }
        }
    }

    fn attribute(&mut self, is_parameter: bool, args: &[Known], block: Option<Rc<Block>>, frame: &Frame) {
        let Some(name) = args.first().and_then(Known::text) else { return self.give_up() };
        let option = |pairs: &Vec<(Known, Known)>, key: &str| {
            let found = pairs.iter().find(|(name, _)| name.text().as_deref() == Some(key));
            found.is_some_and(|(_, value)| value.truth() == Some(true))
        };
        let is_namevar = args.iter().any(|arg| matches!(arg, Known::Hash(pairs) if option(pairs, "namevar")));
        let outline = self.outline.get_or_insert_default();
        match is_parameter {
            true => outline.parameter(&name, is_namevar),
            false => outline.property(&name),
        }
        if let Some(block) = block {
            let this = This::Attribute(is_parameter.then_some(name));
            let file = Rc::clone(&frame.file);
            let mut inner = Frame { locals: FxHashMap::default(), this, file, returned: None };
            self.eval(&block.body, &mut inner);
        }
    }

    /// A type of the Resource API: one hash says it all.
    fn register(&mut self, definition: Option<&Known>) {
        let Some(Known::Hash(definition)) = definition else { return };
        let get = |pairs: &[(Known, Known)], key: &str| {
            pairs.iter().find(|(name, _)| name.text().as_deref() == Some(key)).map(|(_, value)| value.clone())
        };
        if get(definition, "name").and_then(|name| name.text()).as_deref() != Some(self.wanted) {
            return;
        }
        let open = self.outline.as_ref().is_some_and(|outline| outline.open);
        let mut outline = Outline { by_api: true, open, ..Outline::default() };
        match get(definition, "attributes") {
            Some(Known::Hash(attributes)) => {
                for (name, details) in &attributes {
                    let Some(name) = name.text() else {
                        outline.open = true;
                        continue;
                    };
                    let behaviour = match details {
                        Known::Hash(details) => {
                            get(details, "behaviour").or_else(|| get(details, "behavior"))
                        }
                        _ => None,
                    };
                    match behaviour.and_then(|behaviour| behaviour.text()).as_deref() {
                        Some("namevar") => outline.parameter(&name, true),
                        Some("parameter" | "read_only") => outline.parameter(&name, false),
                        _ => outline.property(&name),
                    }
                }
            }
            _ => outline.open = true,
        }
        outline.patterns = match get(definition, "title_patterns") {
            Some(Known::Array(patterns)) => {
                let pattern = |known: &Known| match known {
                    Known::Hash(pairs) => match get(pairs, "pattern") {
                        Some(regexp @ Known::Regexp(..)) => {
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
                    outline.parameters.iter().filter(|(_, is)| **is).map(|(name, _)| name.clone()).collect();
                (namevars.len() > 1)
                    .then(|| vec![("(?m-ix:(.*))".into(), vec![(namevars[0].clone(), Vec::new())])])
            }
        };
        self.outline = Some(outline);
    }

    fn on_module(&mut self, module: &str, name: &str, args: Vec<Known>, block: Option<Rc<Block>>) -> Known {
        let found = self
            .modules
            .get(module)
            .and_then(|known| known.own.get(name).or_else(|| known.methods.get(name)).cloned());
        if let Some(def) = found {
            return self.invoke(&def, args, block, This::Module(module.into()));
        }
        let text = |at: usize| args.get(at).and_then(Known::text);
        match (module, name) {
            ("Regexp", "new") => match args.first() {
                Some(Known::Text(source)) => Known::Regexp(source.clone(), ""),
                Some(regexp @ Known::Regexp(..)) => regexp.clone(),
                _ => Known::Unknown,
            },
            // Paths only serve to find required files, so their directories need not be real ones.
            ("File", "expand_path") => match (text(0), text(1)) {
                (Some(path), Some(base)) => Known::Text(resolve(&base, &path)),
                (Some(path), None) => Known::Text(path),
                _ => Known::Unknown,
            },
            ("File", "dirname") => text(0).map_or(Known::Unknown, |path| Known::Text(resolve(&path, ".."))),
            ("File", "join") => {
                let parts: Option<Vec<_>> = args.iter().map(Known::text).collect();
                parts.map_or(Known::Unknown, |parts| Known::Text(resolve("", &parts.join("/"))))
            }
            _ => Known::Unknown,
        }
    }

    fn on_value(
        &mut self,
        value: Known,
        name: &str,
        args: Vec<Known>,
        block: Option<Rc<Block>>,
        frame: &mut Frame,
    ) -> Known {
        match (value, name, block) {
            (
                Known::Unknown,
                "each" | "each_pair" | "each_key" | "map" | "each_with_index" | "times",
                Some(block),
            ) => {
                // A loop over what is not known: its body may still name attributes literally.
                self.yield_to(&block, vec![Known::Unknown; block.params.names.len()], frame);
                Known::Unknown
            }
            (
                Known::Array(elements),
                "each" | "map" | "collect" | "each_with_index" | "flat_map",
                Some(block),
            ) => {
                let mut results = Vec::new();
                for (i, element) in elements.into_iter().enumerate() {
                    let args = if name == "each_with_index" {
                        vec![element, Known::Integer(i as i64)]
                    } else {
                        vec![element]
                    };
                    results.push(self.yield_to(&block, args, frame));
                }
                Known::Array(results)
            }
            (Known::Hash(pairs), "each" | "each_pair" | "map" | "collect", Some(block)) => {
                let each = pairs
                    .into_iter()
                    .map(|(key, value)| self.yield_to(&block, vec![Known::Array(vec![key, value])], frame));
                Known::Array(each.collect())
            }
            (Known::Hash(pairs), "each_key", Some(block)) => {
                pairs.into_iter().for_each(|(key, _)| drop(self.yield_to(&block, vec![key], frame)));
                Known::Nil
            }
            (Known::Integer(n), "times", Some(block)) => {
                for i in 0..n.min(1000) {
                    self.yield_to(&block, vec![Known::Integer(i)], frame);
                }
                Known::Integer(n)
            }
            (Known::Block(block), "call" | "()", _) => self.yield_to(&block, args, frame),
            (value, "tap", Some(block)) => {
                let given = self.copy(&value);
                self.yield_to(&block, vec![given], frame);
                value
            }
            (value, _, _) => value.method(name, &args),
        }
    }
}

/// A path seen from another, with `..` worked off.
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
