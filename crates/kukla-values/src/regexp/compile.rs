//! From the tree to instructions of the backtracking engine.

use std::sync::Arc;

use super::check::Groups;
use super::parse::Refusal;
use super::program::{Address, Class, Count, Manner, Memory, NO_MEMORY, Op, Program, Run, Test};
use super::start;
use super::tree::{Look, Node, Pattern, Repeat};

/// How many instructions a repetition may be written out to; beyond it is counted.
const UNROLLED: usize = 64;
/// How many instructions a pattern may become.
const MAX_OPS: usize = 200_000;

/// Compiles a pattern for subjects of UTF-8 or of bytes.
pub(super) fn compile(pattern: &Pattern, binary: bool) -> Result<Program, Refusal> {
    let root = &pattern.root;
    let calls = root.any(&|node| matches!(node, Node::Call(_)));
    let depends = |node: &Node| matches!(node, Node::Call(_) | Node::Backref(_) | Node::Condition(_));
    let remembers = !root.any(&depends);
    let mut compiler = Compiler {
        binary,
        groups: Groups::of(root, pattern.groups),
        ops: Vec::new(),
        registers: 0,
        rows: 0,
        levels: false,
        remembers,
        context: if remembers { Context::Main } else { Context::Forgetful },
        called: vec![None; pattern.groups + 1],
        bodies: Vec::new(),
        referred: vec![false; pattern.groups + 1],
        forks: false,
    };
    mark_referred(root, &mut compiler.referred);
    if calls {
        mark_called(root, &mut compiler.called);
        collect_called(root, root, &mut compiler);
    }
    if compiler.called[0].is_some() {
        compiler.emit(Op::Call(0))?;
    } else {
        compiler.node(root)?;
    }
    compiler.emit(Op::Match)?;
    compiler.subroutines()?;
    compiler.follow();
    Ok(Program {
        ops: compiler.ops,
        groups: pattern.groups,
        registers: compiler.registers,
        rows: compiler.rows,
        recursive: calls,
        levels: compiler.levels,
        start: start::start(root, binary),
        binary,
    })
}

/// The bytes of a character.
pub(super) fn encode(code: u32, binary: bool, out: &mut Vec<u8>) {
    match char::from_u32(code) {
        _ if binary => out.push(code as u8),
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.push(0xff),
    }
}

/// The state that the result at a point of choice depends on.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    /// The position alone.
    Main,
    /// In a look-ahead or an atomic group: the position, but what is found out only counts up to its end. Success counts in a
    /// look-ahead that does not capture.
    Look { captures: bool },
    /// More than the position: counters, captures, calls.
    Forgetful,
}

struct Compiler<'p> {
    binary: bool,
    groups: Groups<'p>,
    ops: Vec<Op>,
    registers: usize,
    rows: usize,
    levels: bool,
    /// Whether results can depend on the position alone: not in patterns that refer to groups.
    remembers: bool,
    context: Context,
    /// By group: where its subroutine begins, if it is called.
    called: Vec<Option<Address>>,
    bodies: Vec<(usize, &'p Node)>,
    /// By group: whether a back reference mentions it.
    referred: Vec<bool>,
    /// Whether there is more than one way to where we are.
    forks: bool,
}

fn mark_referred(node: &Node, referred: &mut [bool]) {
    if let Node::Backref(backref) = node {
        backref.groups.iter().for_each(|group| referred[*group] = true);
    }
    node.children().into_iter().for_each(|child| mark_referred(child, referred));
}

fn mark_called(node: &Node, called: &mut [Option<Address>]) {
    if let Node::Call(group) = node {
        called[*group] = Some(0);
    }
    node.children().into_iter().for_each(|child| mark_called(child, called));
}

fn collect_called<'p>(root: &'p Node, node: &'p Node, compiler: &mut Compiler<'p>) {
    if std::ptr::eq(root, node) && compiler.called[0].is_some() {
        compiler.bodies.push((0, root));
    }
    if let Node::Group(group, inside) = node
        && compiler.called[*group].is_some()
    {
        compiler.bodies.push((*group, inside));
    }
    node.children().into_iter().for_each(|child| collect_called(root, child, compiler));
}

type Compiled = Result<(), Refusal>;

impl<'p> Compiler<'p> {
    fn emit(&mut self, op: Op) -> Result<Address, Refusal> {
        if self.ops.len() >= MAX_OPS {
            return Err("too big pattern".into());
        }
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn memory(&mut self) -> Memory {
        let row = self.rows;
        match self.context {
            Context::Main => {
                self.rows += 1;
                Memory { row, look: false, success: false }
            }
            Context::Look { captures } => {
                self.rows += 2;
                Memory { row, look: true, success: !captures }
            }
            Context::Forgetful => Memory { row: NO_MEMORY, look: false, success: false },
        }
    }

    fn within(&mut self, context: Context, emit: impl FnOnce(&mut Self) -> Compiled) -> Compiled {
        let outer = self.context;
        if self.remembers {
            self.context = context;
        }
        let done = emit(self);
        self.context = outer;
        done
    }

    /// The groups that are called, each once.
    fn subroutines(&mut self) -> Compiled {
        let bodies = std::mem::take(&mut self.bodies);
        for (group, node) in bodies {
            self.called[group] = Some(self.ops.len());
            if group > 0 {
                self.emit(Op::Open { group, forgets: true })?;
            }
            self.node(node)?;
            if group > 0 {
                self.emit(Op::Close { group, forgets: true })?;
            }
            self.emit(Op::Return)?;
        }
        for op in &mut self.ops {
            if let Op::Call(target) = op {
                *target = self.called.get(*target).copied().flatten().unwrap_or(0);
            }
        }
        Ok(())
    }

    /// Tells each run of one character which byte must follow it.
    fn follow(&mut self) {
        for index in 0..self.ops.len() {
            let next = match self.ops.get(index + 1) {
                Some(Op::Bytes(bytes)) => bytes.first().copied(),
                Some(Op::One(Test::Byte(byte))) => Some(*byte),
                _ => None,
            };
            if let Op::Run(run) = &mut self.ops[index] {
                run.next = next;
            }
        }
    }

    fn node(&mut self, node: &'p Node) -> Compiled {
        let outer = self.forks;
        self.forks |= match node {
            Node::Choice(_) | Node::Condition(_) => true,
            Node::Repeat(repeat) => repeat.max != Some(repeat.min),
            Node::Look(look) => look.negative,
            _ => false,
        };
        let done = self.inside(node);
        self.forks = outer;
        done
    }

    fn inside(&mut self, node: &'p Node) -> Compiled {
        match node {
            Node::Empty => {}
            Node::Text(text) => {
                let mut bytes = Vec::with_capacity(text.len());
                text.iter().for_each(|&code| encode(code, self.binary, &mut bytes));
                self.emit(Op::Bytes(bytes.into()))?;
            }
            Node::Folded(folded) => {
                let op = match self.test(node) {
                    Some(test) => Op::One(test),
                    None => Op::Folded(folded.clone()),
                };
                self.emit(op)?;
            }
            Node::Set(_) | Node::Any { .. } => {
                if let Some(test) = self.test(node) {
                    self.emit(Op::One(test))?;
                }
            }
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.node(node))?,
            Node::Choice(nodes) => self.choice(nodes)?,
            Node::Repeat(repeat) => self.repeat(repeat, false)?,
            Node::Group(group, _) if self.called[*group].is_some() => {
                self.emit(Op::Call(*group))?;
            }
            Node::Group(group, node) => {
                let forgets = self.forks || self.referred[*group];
                self.emit(Op::Open { group: *group, forgets })?;
                self.node(node)?;
                self.emit(Op::Close { group: *group, forgets })?;
            }
            Node::Atomic(node) => match &**node {
                Node::Repeat(repeat) if single(&repeat.node) && repeat.greedy => {
                    self.repeat(repeat, true)?;
                }
                node => {
                    // To fail inside is not to fail as a whole: another way through may be left.
                    self.emit(Op::AtomicStart)?;
                    self.within(Context::Look { captures: true }, |compiler| compiler.node(node))?;
                    self.emit(Op::AtomicEnd)?;
                }
            },
            Node::Look(look) => self.look(look)?,
            Node::Absent(node) => {
                self.emit(Op::AbsentStart)?;
                let at = self.emit(Op::Fail)?;
                // Inside, results depend on where the text is made to end.
                let remembers = std::mem::replace(&mut self.remembers, false);
                let outer = std::mem::replace(&mut self.context, Context::Forgetful);
                self.node(node)?;
                (self.remembers, self.context) = (remembers, outer);
                self.emit(Op::AbsentEnd)?;
                self.ops[at] = Op::AbsentLoop(self.ops.len());
            }
            Node::At(place) => {
                self.emit(Op::At(*place))?;
            }
            Node::Keep => {
                self.emit(Op::Keep)?;
            }
            Node::Backref(backref) => {
                self.levels |= backref.level.is_some();
                self.emit(Op::Backref(Box::new(backref.clone())))?;
            }
            Node::Call(group) => {
                self.emit(Op::Call(*group))?;
            }
            Node::Condition(condition) => {
                let unless = self.emit(Op::Fail)?;
                self.node(&condition.yes)?;
                let jump = self.emit(Op::Fail)?;
                self.ops[unless] = Op::Unless(condition.group, self.ops.len());
                self.node(&condition.no)?;
                self.ops[jump] = Op::Jump(self.ops.len());
            }
        }
        Ok(())
    }

    fn choice(&mut self, nodes: &'p [Node]) -> Compiled {
        let mut jumps = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.node(node)?;
                break;
            }
            let memory = self.memory();
            let split = self.emit(Op::Fail)?;
            self.node(node)?;
            jumps.push(self.emit(Op::Fail)?);
            self.ops[split] = Op::Split(split + 1, self.ops.len(), memory);
        }
        let end = self.ops.len();
        jumps.into_iter().for_each(|jump| self.ops[jump] = Op::Jump(end));
        Ok(())
    }

    fn look(&mut self, look: &'p Look) -> Compiled {
        let captures = look.node.any(&|node| matches!(node, Node::Group(..) | Node::Keep));
        let ahead = Context::Look { captures };
        match (look.behind, look.negative) {
            (None, false) => {
                let start = self.emit(Op::Fail)?;
                self.within(ahead, |compiler| compiler.node(&look.node))?;
                self.emit(Op::AheadEnd)?;
                self.ops[start] = Op::AheadStart(self.ops.len());
            }
            (None, true) => {
                let start = self.emit(Op::Fail)?;
                self.within(ahead, |compiler| compiler.node(&look.node))?;
                self.emit(Op::NotAheadEnd)?;
                self.ops[start] = Op::NotAheadStart(self.ops.len());
            }
            (Some(length), false) => {
                if length > 0 {
                    self.emit(Op::Back(length))?;
                }
                self.within(Context::Forgetful, |compiler| compiler.node(&look.node))?;
            }
            (Some(length), true) => {
                let start = self.emit(Op::Fail)?;
                self.within(Context::Forgetful, |compiler| compiler.node(&look.node))?;
                self.emit(Op::NotBehindEnd)?;
                self.ops[start] = Op::NotBehindStart(length, self.ops.len());
            }
        }
        Ok(())
    }

    /// The test of a part that is always one character.
    fn test(&self, node: &Node) -> Option<Test> {
        match node {
            Node::Text(text) => match text[..] {
                [code] if code < 0x80 || self.binary => Some(Test::Byte(code as u8)),
                [code] => Some(Test::Class(Arc::new(Class::new(&super::set::Set::one(code))))),
                _ => None,
            },
            Node::Folded(folded) => match &folded.places[..] {
                [place] if place.several.is_empty() => {
                    let set = super::set::Set::of(place.singles.iter().map(|&code| (code, code)));
                    Some(Test::Class(Arc::new(Class::new(&set))))
                }
                _ => None,
            },
            Node::Set(set) => Some(Test::Class(Arc::new(Class::new(set)))),
            Node::Any { newline: true } => Some(Test::Any),
            Node::Any { newline: false } => Some(Test::NotNewline),
            _ => None,
        }
    }

    fn repeat(&mut self, repeat: &'p Repeat, possessive: bool) -> Compiled {
        if repeat.max == Some(0) {
            return Ok(());
        }
        let min = repeat.min as usize;
        let max = repeat.max.map_or(usize::MAX, |max| max as usize);
        if let Some(test) = self.test(&repeat.node) {
            let manner = match (possessive, repeat.greedy) {
                (true, _) => Manner::Possessive,
                (_, true) => Manner::Greedy,
                (_, false) => Manner::Lazy,
            };
            let endless = max == usize::MAX && min <= 1;
            if endless && min == 1 {
                self.emit(Op::One(test.clone()))?;
            }
            let memory = if min == max {
                Memory { row: NO_MEMORY, look: false, success: false }
            } else {
                self.memory()
            };
            let min = if endless { 0 } else { min };
            self.emit(Op::Run(Box::new(Run { test, min, max, manner, next: None, memory })))?;
            return Ok(());
        }
        let size = size(&repeat.node);
        if max == usize::MAX && min == 1 && size > UNROLLED {
            return self.endless(repeat, true);
        }
        if max == usize::MAX && (min == 0 || size.saturating_mul(min) <= UNROLLED) {
            for _ in 0..min {
                self.node(&repeat.node)?;
            }
            return self.endless(repeat, false);
        }
        if max == 1 || (max != usize::MAX && repeat.greedy && (size + 1).saturating_mul(max) <= UNROLLED) {
            for _ in 0..min {
                self.node(&repeat.node)?;
            }
            let mut splits = Vec::new();
            for _ in min..max {
                let memory = self.memory();
                splits.push((self.emit(Op::Fail)?, memory));
                self.node(&repeat.node)?;
            }
            let end = self.ops.len();
            for (split, memory) in splits {
                self.ops[split] = match repeat.greedy {
                    true => Op::Split(split + 1, end, memory),
                    false => Op::Split(end, split + 1, memory),
                };
            }
            return Ok(());
        }
        self.counted(repeat, min, max)
    }

    /// Whether rounds of a loop may match nothing, and whether it captures.
    fn progress(&mut self, repeat: &Repeat) -> Option<(usize, bool)> {
        if self.groups.shortest(&repeat.node) > 0 {
            return None;
        }
        Some((self.register(), captures(&repeat.node)))
    }

    /// A loop without an end, whose first round may be obligatory.
    fn endless(&mut self, repeat: &'p Repeat, obligatory: bool) -> Compiled {
        let progress = self.progress(repeat);
        let depends = progress.is_some_and(|(_, captures)| captures);
        let memory = self.memory();
        if obligatory {
            let body = self.ops.len() + 2;
            self.emit(Op::Jump(body))?;
        }
        let entry = self.emit(Op::Fail)?;
        let body = self.ops.len();
        if let Some((register, _)) = progress {
            self.emit(Op::RoundStart(register))?;
        }
        let inside = if depends { Context::Forgetful } else { self.context };
        self.within(inside, |compiler| compiler.node(&repeat.node))?;
        let end = match progress {
            Some(_) => Some(self.emit(Op::Fail)?),
            None => None,
        };
        let again = self.emit(Op::Fail)?;
        let exit = self.ops.len();
        let memory = if depends { Memory { row: NO_MEMORY, ..memory } } else { memory };
        if repeat.greedy {
            self.ops[entry] = Op::Split(body, exit, memory);
            self.ops[again] = Op::Jump(entry);
        } else {
            self.ops[entry] = Op::Jump(again);
            self.ops[again] = Op::Split(exit, body, memory);
        }
        if let (Some(end), Some((register, captures))) = (end, progress) {
            self.ops[end] = Op::RoundEnd { register, captures, exit };
        }
        Ok(())
    }

    fn counted(&mut self, repeat: &'p Repeat, min: usize, max: usize) -> Compiled {
        let progress = self.progress(repeat);
        let register = self.register();
        let start = self.emit(Op::Fail)?;
        let body = self.ops.len();
        if let Some((register, _)) = progress {
            self.emit(Op::RoundStart(register))?;
        }
        self.within(Context::Forgetful, |compiler| compiler.node(&repeat.node))?;
        let end = match progress {
            Some(_) => Some(self.emit(Op::Fail)?),
            None => None,
        };
        let again = self.emit(Op::Fail)?;
        let exit = self.ops.len();
        let count = Count { register, min, max, greedy: repeat.greedy, body, exit };
        self.ops[start] = Op::CountStart(Box::new(count));
        self.ops[again] = Op::CountEnd(Box::new(count));
        if let (Some(end), Some((register, captures))) = (end, progress) {
            self.ops[end] = Op::RoundEnd { register, captures, exit };
        }
        Ok(())
    }
}

/// Whether a part captures other than by looking around.
fn captures(node: &Node) -> bool {
    match node {
        Node::Group(..) | Node::Call(_) => true,
        Node::Look(_) => false,
        Node::Repeat(repeat) if repeat.max == Some(0) => false,
        node => node.children().into_iter().any(captures),
    }
}

/// Whether a part is always one character.
fn single(node: &Node) -> bool {
    match node {
        Node::Text(text) => text.len() == 1,
        Node::Folded(folded) => matches!(&folded.places[..], [place] if place.several.is_empty()),
        Node::Set(_) | Node::Any { .. } => true,
        _ => false,
    }
}

/// About how many instructions a part becomes.
fn size(node: &Node) -> usize {
    match node {
        Node::Repeat(repeat) if repeat.max == Some(0) => 0,
        Node::Repeat(repeat) if !single(&repeat.node) => {
            let once = size(&repeat.node) + 4;
            let times = repeat.max.unwrap_or(repeat.min + 1).max(1) as usize;
            once.saturating_mul(times).min(UNROLLED.max(once))
        }
        _ => node.children().into_iter().map(size).fold(2, usize::saturating_add),
    }
}
