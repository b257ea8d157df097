//! From prism's tree to a [`Program`].

mod assign;
mod call;
mod captured;
mod define;
mod expression;
mod flow;
mod literal;
mod params;
mod pattern;
mod tail;

use std::sync::Arc;

use ruby_prism as prism;
use rustc_hash::FxHashMap;

use crate::nesting::{TOO_DEEP, is_endless, with_stack_for};
use crate::program::{Body, BodyId, BodyKind, LineMark, Literal, Name, Node, Params, Program, VariableSlot};
use crate::text::Encoding;
use captured::{Facts, Key, PROGRAM};

/// The error for a text that is not a valid program, with its line.
#[derive(Clone, Debug)]
pub struct SyntaxProblem {
    /// The line, from 1.
    pub line: u32,
    /// The message.
    pub message: String,
    /// Whether it is only that the text ends too early.
    pub is_unfinished: bool,
}

/// The versions of Ruby whose programs are accepted. What 3.4 no longer allows, such as keywords in an index that is assigned to, is
/// still Ruby 3.1.
pub(crate) const VERSIONS: [prism::Version; 2] = [prism::Version::CRuby3_4, prism::Version::CRuby3_3];

/// Reads a program.
pub fn parse(source: &[u8], file: &str) -> Result<Arc<Program>, SyntaxProblem> {
    lower(source, file, 1, &[], false)
}

/// Reads a program that counts how often each of its statements runs.
pub fn parse_measured(source: &[u8], file: &str) -> Result<Arc<Program>, SyntaxProblem> {
    lower(source, file, 1, &[], true)
}

/// Reads a piece of text that is run where variables are around it: the names of each environment, the outermost first.
pub(crate) fn parse_inside(
    source: &[u8],
    file: &str,
    line: i32,
    scopes: &[Vec<String>],
) -> Result<Arc<Program>, SyntaxProblem> {
    lower(source, file, line, scopes, false)
}

fn lower(
    source: &[u8],
    file: &str,
    line: i32,
    scopes: &[Vec<String>],
    measure: bool,
) -> Result<Arc<Program>, SyntaxProblem> {
    let [newest, older] = VERSIONS;
    match lower_as(newest, source, file, line, scopes, measure) {
        Err(problem) if problem.message != TOO_DEEP => {
            lower_as(older, source, file, line, scopes, measure).map_err(|_| problem)
        }
        program => program,
    }
}

fn lower_as(
    version: prism::Version,
    source: &[u8],
    file: &str,
    line: i32,
    scopes: &[Vec<String>],
    measure: bool,
) -> Result<Arc<Program>, SyntaxProblem> {
    let mut options =
        prism::Options::default().filepath(file).line(line).version(version).main_script(scopes.is_empty());
    if !scopes.is_empty() {
        let scope = |names: &Vec<String>| {
            prism::Scope::default().locals(names.iter().map(|name| name.clone().into_bytes()).collect())
        };
        // The text itself is a scope of its own inside of them.
        options = options.scopes(scopes.iter().chain([&Vec::new()]).map(scope).collect());
    }
    let options = options.build();
    let refused = |message: &str| SyntaxProblem {
        line: line.max(1) as u32,
        message: message.into(),
        is_unfinished: false,
    };
    if is_endless(source) {
        return Err(refused(TOO_DEEP));
    }
    let parsed = with_stack_for(source.len(), || prism::parse_with_options(source, &options));
    if let Some(error) = parsed.errors().next() {
        let end = source.trim_ascii_end().len() as u32;
        return Err(SyntaxProblem {
            line: error.location().start_line().max(0) as u32,
            message: String::from_utf8_lossy(error.message()).into_owned(),
            is_unfinished: error.location().end() >= end
                && parsed.errors().any(|error| error.location().start() >= end),
        });
    }
    kukla_syntax::roomy(|| {
        let node = parsed.node();
        let (facts, nesting) = captured::find(&node).map_err(refused)?;
        let mut lowerer = Lowerer {
            file: file.into(),
            facts,
            names: Vec::new(),
            name_numbers: FxHashMap::default(),
            literals: Vec::new(),
            bodies: Vec::new(),
            scopes: Vec::new(),
            sites: 0,
            constants: 0,
            frozen_strings: parsed.frozen_string_literals(),
            depth: 0,
            asking: 0,
            encoding: literal::of_source(&parsed),
            marks: measure.then(Vec::new),
        };
        for names in scopes {
            let mut scope = Scope::new(BodyKind::Eval, None, true);
            for name in names {
                scope.variable(name.as_bytes(), true);
            }
            lowerer.scopes.push(scope);
        }
        let statements = node.as_program_node().map(|program| program.statements());
        let kind = if scopes.is_empty() { BodyKind::Program } else { BodyKind::Eval };
        let main = lowerer.scope(kind, None, "<main>", 1, (0, 0, PROGRAM), |lowerer| {
            let code = match &statements {
                Some(statements) => lowerer.statements(&statements.body()),
                None => Node::Nil,
            };
            (Params::default(), code)
        });
        debug_assert_eq!(main, 0);
        let data = parsed.data_loc().map(|location| {
            let text = location.as_slice();
            let start = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
            text[start..].into()
        });
        Ok(Arc::new(Program {
            file: lowerer.file,
            names: lowerer.names.into(),
            literals: lowerer.literals.into(),
            bodies: lowerer.bodies.into_iter().flatten().collect(),
            sites: lowerer.sites,
            constants: lowerer.constants,
            data,
            nesting,
            findings: Default::default(),
            marks: lowerer.marks.unwrap_or_default().into(),
        }))
    })
}

/// The variables of a body while it is lowered.
struct Scope {
    kind: BodyKind,
    body: Option<BodyId>,
    /// Without variables of its own: `for`.
    transparent: bool,
    /// Whether all variables are captured.
    all: bool,
    facts: Facts,
    variables: FxHashMap<Vec<u8>, VariableSlot>,
    locals: u32,
    env_names: Vec<Vec<u8>>,
    has_env: bool,
    /// How many loops are around the code at hand in this body.
    loops: u32,
    /// Whether an activation of the body must have a number.
    numbered: bool,
    /// The variables that hold the arguments of the method, for `super`.
    arguments: Vec<SuperArgument>,
    /// Whether the body is that of a `rescue` modifier or the like where a value in tail position is not the result.
    method: Vec<u8>,
}

/// How an argument of a method is handed on by `super` without arguments.
#[derive(Clone)]
enum SuperArgument {
    One(Vec<u8>),
    Rest(Vec<u8>),
    Keyword(Vec<u8>),
    KeywordRest(Vec<u8>),
}

impl Scope {
    fn new(kind: BodyKind, body: Option<BodyId>, all: bool) -> Scope {
        Scope {
            kind,
            body,
            transparent: false,
            all,
            facts: Facts::default(),
            variables: FxHashMap::default(),
            locals: 0,
            env_names: Vec::new(),
            has_env: all,
            loops: 0,
            numbered: false,
            arguments: Vec::new(),
            method: Vec::new(),
        }
    }

    /// The place of a variable of this scope, as seen from it.
    fn variable(&mut self, name: &[u8], captured: bool) -> VariableSlot {
        if let Some(place) = self.variables.get(name) {
            return *place;
        }
        let place = if captured || self.all || self.facts.captured.contains(name) {
            self.has_env = true;
            self.env_names.push(name.to_vec());
            VariableSlot::Env(0, (self.env_names.len() - 1) as u16)
        } else {
            self.locals += 1;
            VariableSlot::Local(self.locals - 1)
        };
        self.variables.insert(name.to_vec(), place);
        place
    }
}

struct Lowerer {
    file: Arc<str>,
    facts: FxHashMap<Key, Facts>,
    names: Vec<Box<str>>,
    name_numbers: FxHashMap<Box<str>, Name>,
    literals: Vec<Literal>,
    bodies: Vec<Option<Body>>,
    scopes: Vec<Scope>,
    sites: u32,
    constants: u32,
    frozen_strings: bool,
    depth: u32,
    /// How many levels of `defined?` are around the expression at hand.
    asking: u32,
    /// The encoding of the source.
    encoding: Encoding,
    /// The statements of a program that counts what runs.
    marks: Option<Vec<LineMark>>,
}

impl Lowerer {
    fn name(&mut self, name: &[u8]) -> Name {
        let name = String::from_utf8_lossy(name);
        if let Some(number) = self.name_numbers.get(&*name) {
            return *number;
        }
        let number = self.names.len() as Name;
        self.names.push(name.clone().into());
        self.name_numbers.insert(name.into(), number);
        number
    }

    fn id(&mut self, id: &prism::ConstantId<'_>) -> Name {
        self.name(id.as_slice())
    }

    fn site(&mut self) -> u32 {
        self.sites += 1;
        self.sites - 1
    }

    fn constant(&mut self) -> u32 {
        self.constants += 1;
        self.constants - 1
    }

    fn literal(&mut self, literal: Literal) -> u32 {
        self.literals.push(literal);
        self.literals.len() as u32 - 1
    }

    /// Lowers a body in a scope of its own.
    fn scope(
        &mut self,
        kind: BodyKind,
        name: Option<&[u8]>,
        label: &str,
        line: u32,
        key: Key,
        lower: impl FnOnce(&mut Lowerer) -> (Params, Node),
    ) -> BodyId {
        let id = self.bodies.len() as BodyId;
        self.bodies.push(None);
        let parent = match kind {
            BodyKind::Block | BodyKind::Lambda => self.scopes.last().and_then(|scope| scope.body),
            _ => None,
        };
        let facts = self.facts.remove(&key).unwrap_or_default();
        let mut scope = Scope::new(kind, Some(id), facts.all || kind == BodyKind::Eval);
        scope.transparent = key.2 == captured::TRANSPARENT;
        // A closure is lowered before all variables of the scope around it are seen, so it must be known beforehand whether that has any.
        scope.has_env |= !facts.captured.is_empty();
        scope.facts = facts;
        scope.method = name.map_or_else(Vec::new, <[u8]>::to_vec);
        self.scopes.push(scope);
        let (params, code) = lower(self);
        let label = self.name(label.as_bytes());
        if let Some(scope) = self.scopes.pop() {
            let env = if scope.has_env {
                Some(scope.env_names.iter().map(|name| self.name(name)).collect())
            } else {
                None
            };
            self.bodies[id as usize] = Some(Body {
                kind,
                name: label,
                params,
                locals: scope.locals,
                env,
                parent,
                code,
                line,
                numbered: scope.numbered,
            });
        }
        id
    }

    /// The slot of a variable that prism found a number of scopes up.
    fn place(&mut self, name: &[u8], mut depth: u32) -> VariableSlot {
        let mut steps = 0u16;
        for at in (0..self.scopes.len()).rev() {
            let scope = &mut self.scopes[at];
            if scope.transparent {
                steps += u16::from(scope.has_env);
                continue;
            }
            if depth > 0 {
                depth -= 1;
                steps += u16::from(scope.has_env);
                continue;
            }
            return match scope.variable(name, false) {
                VariableSlot::Env(_, slot) => VariableSlot::Env(steps, slot),
                place => place,
            };
        }
        VariableSlot::Nowhere
    }

    /// The place of a variable of the method around, as `super` and `...` need it.
    fn method_variable(&mut self, name: &[u8]) -> VariableSlot {
        let depth = self.scopes.iter().rev().take_while(|scope| {
            !matches!(scope.kind, BodyKind::Method | BodyKind::Program | BodyKind::Class | BodyKind::Eval)
        });
        let depth = depth.filter(|scope| !scope.transparent).count();
        self.place(name, depth as u32)
    }

    /// Blocks, `return` and the like: activations of the bodies around must be distinguished.
    fn needs_number(&mut self) {
        for scope in self.scopes.iter_mut().rev() {
            scope.numbered = true;
            if !matches!(scope.kind, BodyKind::Block | BodyKind::Lambda) {
                break;
            }
        }
    }

    fn scope_mut(&mut self) -> &mut Scope {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }
}

fn line_of(location: &prism::Location<'_>) -> u32 {
    location.start_line().max(0) as u32
}

fn read(place: VariableSlot) -> Node {
    match place {
        VariableSlot::Local(slot) => Node::Local(slot),
        VariableSlot::Env(depth, slot) => Node::Outer(depth, slot),
        VariableSlot::Nowhere => Node::Nil,
    }
}

fn write(place: VariableSlot, value: Node) -> Node {
    match place {
        VariableSlot::Local(slot) => Node::SetLocal(slot, Box::new(value)),
        VariableSlot::Env(depth, slot) => Node::SetOuter(depth, slot, Box::new(value)),
        VariableSlot::Nowhere => value,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_ends_too_early_is_told_from_what_is_wrong() {
        let unfinished =
            |text: &str| parse(text.as_bytes(), "t.rb").is_err_and(|problem| problem.is_unfinished);
        for text in
            ["1 +", "1 + # more\n", "def f", "def f\n  1\n", "[1,", "f(", "if x", "class A", "begin\n1\n"]
        {
            assert!(unfinished(text), "{text:?}");
        }
        for text in ["1", "1 )", "end", "def f) 1", "1 = 2", "[1} + 2"] {
            assert!(!unfinished(text), "{text:?}");
        }
    }
}
