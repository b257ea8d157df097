//! Loading programs: entry from outside, `require`, `load`, `autoload`, pieces of text.

use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Context, Cref, Env, Unit};
use crate::class::ClassId;
use crate::core::exception;
use crate::error::{Result, Unwind};
use crate::library;
use crate::lower::{self, SyntaxProblem};
use crate::method::{MethodBody, Visibility};
use crate::program::{Literal, Program};
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::text::Text;
use crate::value::{ArrayObject, Head, Object, RegexpObject, StringObject, Value};

/// The loaded files, and the promises of `autoload`.
#[derive(Default)]
pub(crate) struct Loaded {
    /// Files that are being run right now.
    running: FxHashSet<String>,
    libraries: FxHashSet<&'static str>,
    promised: FxHashMap<(ClassId, Symbol), Promise>,
    /// The libraries of the embedding program, by the name that `require` is given: the text, empty for one that is there already.
    provided: FxHashMap<&'static str, &'static str>,
    started: bool,
}

/// The source of a constant that is loaded when it is first named.
pub(crate) enum Promise {
    /// A file or library (`autoload`).
    File(String),
    /// The program that embeds the interpreter.
    Host(fn(&mut Ruby<'_>) -> Result<()>),
}

impl Ruby<'_> {
    /// Prepares what every program expects: `main`, the classes' constants, the standard globals.
    pub(crate) fn start(&mut self) -> Result<()> {
        if self.run.loaded.started {
            return Ok(());
        }
        self.run.loaded.started = true;
        self.run.main = Value::Object(Object::new(ClassId::OBJECT));
        let main = self.run.main.clone();
        let own = self.singleton_class(&main)?;
        for native in crate::core::module::MAIN {
            let name = self.symbols.intern(native.name);
            self.put_method(own, name, Visibility::Private, MethodBody::Native(native));
        }
        let binding = crate::core::binding::of_top(self);
        self.set_constant(ClassId::OBJECT, "TOPLEVEL_BINDING", binding);
        self.set_standard_globals();
        // Code of embedding programs finds these without requiring them.
        for library in library::sources::SOURCES {
            for name in library.constants {
                let name = self.symbols.intern(name);
                self.promise_constant(ClassId::OBJECT, name, library.name.to_owned());
            }
        }
        Ok(())
    }

    /// Runs a program as the script that was started.
    pub fn run_program(&mut self, program: &Arc<Program>) -> Result {
        if !self.is_bounded {
            return self.bounded(|ruby| ruby.run_program(program));
        }
        self.start()?;
        let unit = self.load(program)?;
        if let Some(data) = &program.data {
            self.set_data(data)?;
        }
        let (this, top) = (self.run.main.clone(), self.top());
        self.run_body(&unit, 0, this, top, None)
    }

    /// Runs a library.
    pub(crate) fn run_library(&mut self, program: &Arc<Program>) -> Result<()> {
        let unit = self.load(program)?;
        let (this, top) = (self.run.main.clone(), self.top());
        self.run_body(&unit, 0, this, top, None)?;
        Ok(())
    }

    /// Runs what `at_exit` and `END` asked for, the last one first.
    pub fn run_at_exit(&mut self) -> Result<()> {
        while let Some(block) = self.run.at_exit.pop() {
            if let Value::Proc(block) = block {
                self.yield_to(&block, &[])?;
            }
        }
        Ok(())
    }

    /// A program as this interpreter runs it.
    pub(crate) fn load(&mut self, program: &Arc<Program>) -> Result<Rc<Unit>> {
        self.start()?;
        let symbols = program.names.iter().map(|name| self.symbols.intern(name)).collect();
        let mut literals = Vec::with_capacity(program.literals.len());
        for literal in &program.literals {
            literals.push(self.literal(literal)?);
        }
        let unit = Unit::new(program, symbols, literals.into());
        self.run.objects.note_unit(&unit);
        Ok(unit)
    }

    fn literal(&mut self, literal: &Literal) -> Result {
        let frozen = |class| {
            let head = Head::new(class);
            head.freeze();
            head
        };
        Ok(match literal {
            Literal::Text(text) => {
                let string = StringObject::new(ClassId::STRING, Text::from(text.clone()));
                string.head.freeze();
                Value::String(string)
            }
            Literal::Bytes(bytes, encoding) => {
                let string = StringObject::new(ClassId::STRING, Text::new(bytes.to_vec(), *encoding));
                string.head.freeze();
                Value::String(string)
            }
            Literal::Big(number) => Value::integer(number.clone()),
            Literal::Regexp(pattern) => Value::Regexp(Rc::new(RegexpObject {
                head: frozen(ClassId::REGEXP),
                pattern: pattern.clone(),
                encoding_bits: 0,
            })),
            Literal::Range(begin, end, exclusive) => {
                self.range((*begin).into(), (*end).into(), *exclusive)?
            }
            Literal::Rational(numerator, denominator) => {
                let name = self.symbols.intern("Rational");
                let kernel = Value::Class(ClassId::KERNEL);
                self.send(
                    &kernel,
                    name,
                    &[Value::integer(numerator.clone()), Value::integer(denominator.clone())],
                )?
            }
        })
    }

    /// `SyntaxError`
    #[cold]
    pub(crate) fn syntax_error(&mut self, file: &str, problem: &SyntaxProblem) -> Box<Unwind> {
        let message = format!("{file}:{}: syntax error, {}", problem.line, problem.message);
        let error = exception::make(self, ClassId::SYNTAX_ERROR, Value::str(message));
        exception::set_detail(&error, |details| details.name = file.into());
        Box::new(Unwind::Raise(error))
    }

    /// Runs a piece of text with the variables of an environment around it; the names of each environment, the outermost first.
    #[expect(clippy::too_many_arguments, reason = "all that a piece of text depends on")]
    pub(crate) fn run_text(
        &mut self,
        source: &[u8],
        file: &str,
        line: i32,
        names: &[Vec<String>],
        env: Option<Rc<Env>>,
        this: Value,
        cref: Rc<Cref>,
        context: Option<Rc<Context>>,
        outer: super::EvalScope,
    ) -> Result<(Value, Rc<Unit>, Option<Rc<Env>>)> {
        self.charge(source.len() as u64)?;
        let mut scopes = names.to_vec();
        if scopes.is_empty() {
            scopes.push(Vec::new());
        }
        let env = env.unwrap_or_else(|| Env::new(0, None));
        let program = match lower::parse_inside(source, file, line, &scopes) {
            Ok(program) => program,
            Err(problem) => return Err(self.syntax_error(file, &problem)),
        };
        let unit = self.load(&program)?;
        let value = self.run_body(&unit, 0, this, cref, Some((env, context, outer)))?;
        let inner = self.run.last_env.take();
        Ok((value, unit, inner))
    }

    /// `load`: runs a file, whether or not it was run before.
    pub(crate) fn load_file(&mut self, path: &str) -> Result<Option<Value>> {
        let Ok(source) = self.host.world().read(Path::new(path)) else { return Ok(None) };
        let program = match self.host.program(Path::new(path), &source) {
            Ok(program) => program,
            Err(problem) => return Err(self.syntax_error(path, &problem)),
        };
        self.charge(source.len() as u64 / 16)?;
        let unit = self.load(&program)?;
        let (this, top) = (self.run.main.clone(), self.top());
        self.run_body(&unit, 0, this, top, None).map(Some)
    }

    /// `load` of a file by name: as it is, or in one of the directories of `$LOAD_PATH`.
    pub(crate) fn load_by_name(&mut self, name: &str) -> Result<bool> {
        let here = self.host.world().here();
        let mut places = vec![here.join(name)];
        if !Path::new(name).is_absolute() && !name.starts_with("./") && !name.starts_with("../") {
            places.splice(0..0, self.load_path()?.iter().map(|directory| here.join(directory).join(name)));
        }
        for place in places {
            let place = normal(&place);
            if self.host.world().exists(&place) && self.load_file(&place.to_string_lossy())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The list of all files that `require` has run, which programs may change.
    fn features(&mut self) -> Option<Rc<ArrayObject>> {
        let name = self.symbols.intern("$\"");
        match self.globals.get(&name) {
            Some(Value::Array(list)) => Some(list.clone()),
            _ => None,
        }
    }

    /// `require` of a library or file by name.
    pub(crate) fn require(&mut self, feature: &str) -> Result<bool> {
        let plain = feature.strip_suffix(".rb").unwrap_or(feature);
        if let Some((name, text)) = self.run.loaded.provided.get_key_value(plain) {
            return self.require_of_host(name, text);
        }
        if let Some(library) = library::find(plain) {
            if !self.run.loaded.libraries.insert(library.name) {
                return Ok(false);
            }
            return match library::read(library) {
                Ok(program) => self.run_library(&program).map(|()| true),
                Err(problem) => Err(self.syntax_error(library.name, &problem)),
            };
        }
        if library::is_built_in(plain) {
            return Ok(false);
        }
        let wanted = if feature.ends_with(".rb") { feature.to_owned() } else { format!("{feature}.rb") };
        if Path::new(feature).is_absolute() || feature.starts_with("./") || feature.starts_with("../") {
            let here = self.host.world().here();
            return match self.require_path(&normal(&here.join(&wanted)))? {
                Some(fresh) => Ok(fresh),
                None => Err(self.cannot_load(feature)),
            };
        }
        let here = self.host.world().here();
        for directory in self.load_path()? {
            let path = normal(&here.join(&directory).join(&wanted));
            if let Some(fresh) = self.require_path(&path)? {
                return Ok(fresh);
            }
        }
        if let Some((name, text)) = self.host.source_of(plain) {
            return self.require_of_host(name, text);
        }
        if library::sources::THERE.contains(&plain) {
            return Ok(false);
        }
        Err(self.cannot_load(feature))
    }

    fn require_of_host(&mut self, name: &'static str, text: &'static str) -> Result<bool> {
        if text.is_empty() || !self.run.loaded.libraries.insert(name) {
            return Ok(false);
        }
        match library::built_in(name, text) {
            Ok(program) => self.run_library(&program).map(|()| true),
            Err(problem) => Err(self.syntax_error(name, &problem)),
        }
    }

    fn load_path(&mut self) -> Result<Vec<String>> {
        let name = self.symbols.intern("$:");
        let mut path = Vec::new();
        if let Value::Array(items) = self.global(name)? {
            for item in items.to_vec() {
                path.push(self.display(&item)?.to_str_lossy().into_owned());
            }
        }
        Ok(path)
    }

    /// Runs a file unless it was run before; `None` if there is no such file.
    pub(crate) fn require_path(&mut self, path: &Path) -> Result<Option<bool>> {
        let shown = path.to_string_lossy().into_owned();
        let is_it =
            |feature: &Value| matches!(feature, Value::String(text) if **text.text() == *shown.as_bytes());
        let features = self.features();
        if features.as_ref().is_some_and(|list| list.items().iter().any(is_it))
            || self.run.loaded.running.contains(&shown)
        {
            return Ok(Some(false));
        }
        if !self.host.world().exists(path) {
            return Ok(None);
        }
        self.run.loaded.running.insert(shown.clone());
        let loaded = self.load_file(&shown);
        self.run.loaded.running.remove(&shown);
        if let (Ok(Some(_)), Some(list)) = (&loaded, features)
            && !list.head.is_frozen()
        {
            list.items_mut().push(Value::str(shown));
        }
        Ok(loaded?.map(|_| true))
    }

    /// `require_relative`, from the file that runs.
    pub(crate) fn require_relative(&mut self, feature: &str) -> Result<bool> {
        let file = self.current_file();
        let wanted = if feature.ends_with(".rb") { feature.to_owned() } else { format!("{feature}.rb") };
        let here = self.host.world().here();
        let directory = here.join(&*file);
        let directory = directory.parent().map_or_else(|| here.clone(), Path::to_path_buf);
        let path = normal(&directory.join(&wanted));
        match self.require_path(&path)? {
            Some(fresh) => Ok(fresh),
            None => {
                let shown = path.to_string_lossy().into_owned();
                Err(self.cannot_load(shown.strip_suffix(".rb").unwrap_or(&shown)))
            }
        }
    }

    /// The file of the running code.
    pub(crate) fn current_file(&self) -> Arc<str> {
        self.run.frames.last().map_or_else(|| "".into(), |at| at.unit().program.file.clone())
    }

    #[cold]
    pub(crate) fn cannot_load(&mut self, feature: &str) -> Box<Unwind> {
        // A file that may not be read looks as if it were not there.
        if feature.contains('/') {
            let world = self.host.world();
            let path = normal(&world.here().join(feature));
            let refusal = world.refusal(&path).or_else(|| world.refusal(&path.with_extension("rb")));
            if let Some(refusal) = refusal {
                return self.error(ClassId::SECURITY_ERROR, refusal.to_string());
            }
        }
        let error = crate::core::exception::make(
            self,
            ClassId::LOAD_ERROR,
            Value::str(format!("cannot load such file -- {feature}")),
        );
        let path = self.symbols.intern("@path");
        if let Some(head) = error.head() {
            head.set_variable(path, Value::str(feature));
        }
        Box::new(Unwind::Raise(error))
    }

    /// Makes a library of the embedding program known to `require`, before any file of that name. An empty text is for one that is there
    /// already.
    pub fn provide(&mut self, name: &'static str, text: &'static str) {
        self.run.loaded.provided.insert(name, text);
    }

    /// `autoload`
    pub fn promise_constant(&mut self, module: ClassId, name: Symbol, path: String) {
        self.run.loaded.promised.insert((module, name), Promise::File(path));
        self.generation += 1;
    }

    /// Constants at the top that the embedding program brings, all of them when one is first named.
    pub fn promise(&mut self, names: &[&str], bring: fn(&mut Ruby<'_>) -> Result<()>) {
        for name in names {
            let name = self.symbols.intern(name);
            self.run.loaded.promised.insert((ClassId::OBJECT, name), Promise::Host(bring));
        }
        self.generation += 1;
    }

    /// Whether a constant is promised.
    pub(crate) fn is_promised(&self, module: ClassId, name: Symbol) -> bool {
        self.run.loaded.promised.contains_key(&(module, name))
    }

    /// What `autoload?` answers.
    pub(crate) fn promised_file(&self, module: ClassId, name: Symbol) -> Option<String> {
        match self.run.loaded.promised.get(&(module, name))? {
            Promise::File(path) => Some(path.clone()),
            Promise::Host(_) => None,
        }
    }

    pub(super) fn autoloaded(&mut self, module: ClassId, name: Symbol) -> Result<Option<Value>> {
        if self.run.loaded.promised.is_empty() {
            return Ok(None);
        }
        match self.run.loaded.promised.remove(&(module, name)) {
            None => return Ok(None),
            Some(Promise::File(path)) => {
                self.require(&path)?;
            }
            Some(Promise::Host(bring)) => {
                self.run.loaded.promised.retain(|_, promise| !matches!(promise, Promise::Host(_)));
                bring(self)?;
            }
        }
        Ok(self.class(module).constants.get(&name).map(|constant| constant.value.clone()))
    }

    pub(super) fn forget_autoload(&mut self, module: ClassId, name: Symbol) {
        self.run.loaded.promised.remove(&(module, name));
    }

    fn set_data(&mut self, data: &[u8]) -> Result<()> {
        self.require("stringio").ok();
        let class = self.symbols.intern("StringIO");
        let name = self.symbols.intern("DATA");
        if let Some(io) = self.own_constant(ClassId::OBJECT, class)? {
            let text = Value::str(data.to_vec());
            let data = self.send(&io, crate::symbol::sym::NEW, &[text])?;
            self.define_constant(ClassId::OBJECT, name, data)?;
        }
        Ok(())
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
