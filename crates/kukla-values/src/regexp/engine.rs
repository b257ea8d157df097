//! The backtracking engine, for what no linear one can do: references, look-around, recursion.
//!
//! All state lives in vectors: neither a pattern nor a subject can overflow the stack. Work is counted and given up when it gets
//! out of hand; where results depend on the position alone, failures are remembered, and a search takes linear time.

use super::fold;
use super::program::{Address, Anchor, First, Manner, Memory, NO_MEMORY, Op, Program, Run, Test};
use super::text;
use super::tree::{Backref, Place};
use super::unicode;

/// How many steps a search may take, beyond those in proportion to the subject.
const MAX_STEPS: u64 = 10_000_000;
/// How many more steps each byte of the subject allows.
const STEPS_PER_BYTE: u64 = 100;
/// How many points to return to may be kept.
const MAX_FRAMES: usize = 8_000_000;
/// How deep calls may nest.
const MAX_CALLS: usize = 100_000;
/// How many bits the table of failures may take.
const MAX_MEMORY: usize = 256 << 20;

const UNSET: usize = usize::MAX;

/// Why a search was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivenUp {
    Steps,
    Memory,
}

/// The places of a match and its groups.
pub type Spans = Vec<Option<(usize, usize)>>;
type Searched<T> = Result<T, GivenUp>;

/// A point to return to, or a change to undo on the way there.
#[derive(Clone, Copy, Debug)]
enum Frame {
    Branch {
        address: Address,
        at: usize,
    },
    /// A run that can still give back characters down to `low`.
    Run {
        address: Address,
        low: usize,
        at: usize,
    },
    /// A run that can still take more.
    LazyRun {
        address: Address,
        taken: usize,
        at: usize,
    },
    Open {
        group: usize,
        start: usize,
        end: usize,
    },
    Close {
        group: usize,
        start: usize,
        end: usize,
    },
    Register {
        register: usize,
        value: usize,
    },
    Keep(usize),
    Atomic,
    Ahead {
        at: usize,
        after: Address,
    },
    Not {
        address: Address,
        at: usize,
    },
    Absent,
    AbsentStart {
        start: usize,
        limit: usize,
    },
    Called,
    Returned {
        address: Address,
    },
    /// A point of choice in a look-ahead, to be remembered when it has failed or succeeded.
    Trail {
        row: usize,
        at: usize,
    },
    TrailRun {
        row: usize,
        low: usize,
        high: usize,
    },
}

/// What happened to groups on the way, for back references with a level.
#[derive(Clone, Copy, Debug)]
enum Event {
    Call,
    Return,
    Open(usize, usize),
    Close(usize, usize),
}

/// A call under way.
#[derive(Debug)]
struct Call {
    /// Where it returns to.
    back: Address,
    /// The loops of the caller.
    registers: Vec<usize>,
}

/// How a search proceeds from its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first match at or after it.
    Forward,
    /// A match at it.
    Here,
    /// The last match that begins at or before it.
    Backward,
}

/// Looks for a match; `from` is where the search begins for `\G`.
pub(super) fn search(
    program: &Program,
    subject: &[u8],
    from: usize,
    direction: Direction,
) -> Searched<Option<Spans>> {
    if from > subject.len() {
        return Ok(None);
    }
    if program.binary {
        Machine::<true>::new(program, subject, from).search(direction)
    } else {
        Machine::<false>::new(program, subject, from).search(direction)
    }
}

struct Machine<'p, 't, const BINARY: bool> {
    program: &'p Program,
    text: &'t [u8],
    /// Where the search began.
    from: usize,
    /// Where matching ends; an absent operator draws it in.
    limit: usize,
    /// The starts and ends of groups.
    slots: Vec<(usize, usize)>,
    registers: Vec<usize>,
    keep: usize,
    stack: Vec<Frame>,
    calls: Vec<Call>,
    /// Where the groups that are open began, if they can be entered inside themselves.
    opened: Vec<usize>,
    events: Vec<Event>,
    steps: u64,
    most_steps: u64,
    /// The failures known, by row and position; empty until it pays.
    memory: Vec<u64>,
    remember_after: u64,
}

impl<'p, 't, const BINARY: bool> Machine<'p, 't, BINARY> {
    fn new(program: &'p Program, text: &'t [u8], from: usize) -> Self {
        let length = text.len() as u64;
        let bits = program.rows.saturating_mul(text.len() + 1);
        let pays = program.rows > 0 && bits <= MAX_MEMORY;
        Machine {
            program,
            text,
            from,
            limit: text.len(),
            slots: vec![(UNSET, UNSET); program.groups + 1],
            registers: vec![UNSET; program.registers],
            keep: UNSET,
            stack: Vec::new(),
            calls: Vec::new(),
            opened: Vec::new(),
            events: Vec::new(),
            steps: 0,
            most_steps: MAX_STEPS + STEPS_PER_BYTE * length,
            memory: Vec::new(),
            remember_after: if pays { 256 + 2 * length } else { u64::MAX },
        }
    }

    fn search(&mut self, direction: Direction) -> Searched<Option<Spans>> {
        match direction {
            Direction::Here => Ok(self.attempt(self.from)?),
            Direction::Backward => self.backward(),
            Direction::Forward => {
                let mut at = Some(self.from);
                while let Some(start) = at.and_then(|at| self.candidate(at)) {
                    if let Some(found) = self.attempt(start)? {
                        return Ok(Some(found));
                    }
                    at = (start < self.text.len()).then(|| start + self.length(start));
                }
                Ok(None)
            }
        }
    }

    fn backward(&mut self) -> Searched<Option<Spans>> {
        let mut at = self.from;
        loop {
            if self.can_start(at)
                && let Some(found) = self.attempt(at)?
            {
                return Ok(Some(found));
            }
            match self.before(at) {
                Some(before) => at = before,
                None => return Ok(None),
            }
        }
    }

    fn can_start(&self, at: usize) -> bool {
        let byte = self.text.get(at);
        match &self.program.start.first {
            First::Anything => true,
            First::Literal(finder) => self.text[at..].starts_with(finder.needle()),
            First::Bytes(bytes) => byte.is_some_and(|byte| bytes.contains(byte)),
            First::Table(table) => byte.is_some_and(|byte| table[usize::from(*byte)]),
        }
    }

    /// The next position at which a match may begin.
    fn candidate(&self, at: usize) -> Option<usize> {
        let at = match self.program.start.anchor {
            Anchor::Text => (at == 0).then_some(0)?,
            Anchor::Search => (at == self.from).then_some(at)?,
            Anchor::Line if at > 0 && self.text[at - 1] != b'\n' => {
                at + memchr::memchr(b'\n', &self.text[at..])? + 1
            }
            Anchor::Line | Anchor::None => at,
        };
        let rest = &self.text[at..];
        let ahead = match &self.program.start.first {
            First::Anything => Some(0),
            First::Literal(finder) => finder.find(rest),
            First::Bytes(bytes) => match bytes[..] {
                [a] => memchr::memchr(a, rest),
                [a, b] => memchr::memchr2(a, b, rest),
                [a, b, c] => memchr::memchr3(a, b, c, rest),
                _ => Some(0),
            },
            First::Table(table) => rest.iter().position(|byte| table[usize::from(*byte)]),
        };
        let found = at + ahead?;
        if self.program.start.anchor == Anchor::Line && found > at {
            return self.candidate_line(found);
        }
        Some(found)
    }

    /// The start of a line at or after a position.
    fn candidate_line(&self, at: usize) -> Option<usize> {
        if self.text[at - 1] == b'\n' {
            return Some(at);
        }
        memchr::memchr(b'\n', &self.text[at..]).map(|ahead| at + ahead + 1)
    }

    #[inline]
    fn length(&self, at: usize) -> usize {
        if BINARY { 1 } else { text::char_at(self.text, at).1 }
    }

    #[inline]
    fn before(&self, at: usize) -> Option<usize> {
        if BINARY { at.checked_sub(1) } else { text::before(self.text, at) }
    }

    #[inline]
    fn char_at(&self, at: usize) -> (u32, usize) {
        if BINARY { (u32::from(self.text[at]), 1) } else { text::char_at(self.text, at) }
    }

    /// The position after a character that passes.
    #[inline]
    fn step(&self, test: &Test, at: usize) -> Option<usize> {
        if at >= self.limit {
            return None;
        }
        let byte = self.text[at];
        let next = match test {
            Test::Byte(wanted) => return (byte == *wanted).then_some(at + 1),
            Test::NotNewline if byte == b'\n' => return None,
            Test::NotNewline | Test::Any => at + self.length(at),
            Test::Class(class) => {
                let (code, length) = self.char_at(at);
                if !class.contains(code) {
                    return None;
                }
                at + length
            }
        };
        (next <= self.limit).then_some(next)
    }

    fn push(&mut self, frame: Frame) -> Searched<()> {
        if self.stack.len() >= MAX_FRAMES {
            return Err(GivenUp::Memory);
        }
        self.stack.push(frame);
        Ok(())
    }

    fn charge(&mut self, steps: usize) -> Searched<()> {
        self.steps += steps as u64;
        if self.steps > self.most_steps {
            return Err(GivenUp::Steps);
        }
        if self.steps > self.remember_after && self.memory.is_empty() {
            let bits = self.program.rows * (self.text.len() + 1);
            self.memory = vec![0; bits / 64 + 1];
        }
        Ok(())
    }

    #[inline]
    fn recalls(&self, row: usize, at: usize) -> bool {
        let bit = row * (self.text.len() + 1) + at;
        self.memory[bit / 64] >> (bit % 64) & 1 == 1
    }

    #[inline]
    fn remember(&mut self, row: usize, at: usize) {
        let bit = row * (self.text.len() + 1) + at;
        self.memory[bit / 64] |= 1 << (bit % 64);
    }

    /// Tries to match at a position.
    fn attempt(&mut self, at: usize) -> Searched<Option<Spans>> {
        self.slots.fill((UNSET, UNSET));
        self.stack.clear();
        self.calls.clear();
        self.opened.clear();
        self.events.clear();
        self.keep = UNSET;
        self.limit = self.text.len();
        self.charge(1)?;
        let Some(end) = self.run(at)? else { return Ok(None) };
        let begin = if self.keep == UNSET { at } else { self.keep };
        let groups = self
            .slots
            .iter()
            .skip(1)
            .map(|&(start, end)| (start != UNSET && end != UNSET).then_some((start.min(end), end)));
        Ok(Some(std::iter::once(Some((begin.min(end), end))).chain(groups).collect()))
    }

    /// Runs from a position until the pattern has matched, and says where.
    fn run(&mut self, start: usize) -> Searched<Option<usize>> {
        let program = self.program;
        let (mut address, mut at) = (0, start);
        loop {
            let next = match &program.ops[address] {
                Op::Match => return Ok(Some(at)),
                Op::Bytes(bytes) => {
                    let end = at + bytes.len();
                    if end <= self.limit && self.text[at..end] == **bytes {
                        at = end;
                        Some(address + 1)
                    } else {
                        None
                    }
                }
                Op::One(test) => match self.step(test, at) {
                    Some(next) => {
                        at = next;
                        Some(address + 1)
                    }
                    None => None,
                },
                Op::Folded(folded) => match self.folded(folded, at) {
                    Some(next) => {
                        at = next;
                        Some(address + 1)
                    }
                    None => None,
                },
                Op::Run(run) => match self.many(run, address, at)? {
                    Outcome::At(next) => {
                        at = next;
                        Some(address + 1)
                    }
                    Outcome::Fail => None,
                    Outcome::Looked => match self.looked() {
                        Some((address, back)) => {
                            at = back;
                            Some(address)
                        }
                        None => None,
                    },
                },
                Op::Split(first, second, memory) => {
                    self.charge(1)?;
                    match self.choose(*memory, at)? {
                        Outcome::At(_) => {
                            self.push(Frame::Branch { address: *second, at })?;
                            Some(*first)
                        }
                        Outcome::Fail => None,
                        Outcome::Looked => match self.looked() {
                            Some((address, back)) => {
                                at = back;
                                Some(address)
                            }
                            None => None,
                        },
                    }
                }
                Op::Jump(target) => Some(*target),
                Op::Open { group, forgets } => {
                    let (start, end) = self.slots[*group];
                    self.push(Frame::Open { group: *group, start, end })?;
                    self.slots[*group] = (at, if *forgets { UNSET } else { end });
                    if program.recursive {
                        self.opened.push(at);
                    }
                    self.event(Event::Open(*group, at));
                    Some(address + 1)
                }
                Op::Close(group) => {
                    let (start, end) = self.slots[*group];
                    self.push(Frame::Close { group: *group, start, end })?;
                    // A group that was entered again inside itself began where this round of it did.
                    let start = if program.recursive { self.opened.pop().unwrap_or(start) } else { start };
                    self.slots[*group] = (start, at);
                    self.event(Event::Close(*group, at));
                    Some(address + 1)
                }
                Op::RoundStart(register) => {
                    self.set_register(*register, at)?;
                    Some(address + 1)
                }
                Op::RoundEnd { register, captures, exit } => {
                    if self.registers[*register] != at {
                        Some(address + 1)
                    } else if !captures {
                        Some(*exit)
                    } else {
                        self.round_with_captures(*register, at)
                            .map(|again| if again { address + 1 } else { *exit })
                    }
                }
                Op::CountStart(count) => {
                    self.charge(1)?;
                    self.set_register(count.register, 0)?;
                    if count.min > 0 {
                        Some(count.body)
                    } else if count.greedy {
                        self.push(Frame::Branch { address: count.exit, at })?;
                        Some(count.body)
                    } else {
                        self.push(Frame::Branch { address: count.body, at })?;
                        Some(count.exit)
                    }
                }
                Op::CountEnd(count) => {
                    self.charge(1)?;
                    let done = self.registers[count.register] + 1;
                    self.set_register(count.register, done)?;
                    if done >= count.max {
                        Some(count.exit)
                    } else if done < count.min {
                        Some(count.body)
                    } else if count.greedy {
                        self.push(Frame::Branch { address: count.exit, at })?;
                        Some(count.body)
                    } else {
                        self.push(Frame::Branch { address: count.body, at })?;
                        Some(count.exit)
                    }
                }
                Op::AtomicStart => {
                    self.push(Frame::Atomic)?;
                    Some(address + 1)
                }
                Op::AtomicEnd => {
                    self.settle(|frame| matches!(frame, Frame::Atomic));
                    Some(address + 1)
                }
                Op::AheadStart(after) => {
                    self.push(Frame::Ahead { at, after: *after })?;
                    Some(address + 1)
                }
                Op::AheadEnd => {
                    if let Some(Frame::Ahead { at: back, .. }) =
                        self.settle(|frame| matches!(frame, Frame::Ahead { .. }))
                    {
                        at = back;
                    }
                    Some(address + 1)
                }
                Op::NotAheadStart(after) => {
                    self.push(Frame::Not { address: *after, at })?;
                    Some(address + 1)
                }
                Op::NotAheadEnd | Op::NotBehindEnd => {
                    self.drop_to_not();
                    None
                }
                Op::Back(count) => match self.back(at, *count) {
                    Some(before) => {
                        at = before;
                        Some(address + 1)
                    }
                    None => None,
                },
                Op::NotBehindStart(count, after) => match self.back(at, *count) {
                    Some(before) => {
                        self.push(Frame::Not { address: *after, at })?;
                        at = before;
                        Some(address + 1)
                    }
                    None => Some(*after),
                },
                Op::AbsentStart => {
                    self.push(Frame::AbsentStart { start: at, limit: self.limit })?;
                    Some(address + 1)
                }
                Op::AbsentLoop(after) => {
                    self.charge(1)?;
                    self.absent(address, *after, at)?
                }
                Op::AbsentEnd => {
                    // What was matched shall not be: the text ends one character before its end.
                    let before = self.before(at).unwrap_or(UNSET);
                    if before == UNSET || before < self.limit || self.limit == UNSET {
                        self.limit = before;
                    }
                    while !matches!(self.undo(), None | Some(Frame::Absent)) {}
                    None
                }
                Op::At(place) => self.is_at(*place, at).then_some(address + 1),
                Op::Keep => {
                    self.push(Frame::Keep(self.keep))?;
                    self.keep = at;
                    Some(address + 1)
                }
                Op::Backref(backref) => match self.backref(backref, at)? {
                    Some(next) => {
                        at = next;
                        Some(address + 1)
                    }
                    None => None,
                },
                Op::Call(target) => {
                    self.charge(1)?;
                    if self.calls.len() >= MAX_CALLS {
                        return Err(GivenUp::Memory);
                    }
                    self.calls.push(Call { back: address + 1, registers: self.registers.clone() });
                    self.event(Event::Call);
                    self.push(Frame::Called)?;
                    Some(*target)
                }
                Op::Return => match self.calls.pop() {
                    Some(Call { back, registers }) => {
                        for (register, value) in registers.into_iter().enumerate() {
                            if self.registers[register] != value {
                                self.set_register(register, value)?;
                            }
                        }
                        self.event(Event::Return);
                        self.push(Frame::Returned { address: back })?;
                        Some(back)
                    }
                    None => None,
                },
                Op::Unless(group, other) => {
                    let (start, end) = self.slots[*group];
                    Some(if start == UNSET || end == UNSET { *other } else { address + 1 })
                }
                Op::Fail => None,
            };
            match next {
                Some(next) => address = next,
                None => match self.fail()? {
                    Some(point) => (address, at) = point,
                    None => return Ok(None),
                },
            }
        }
    }

    fn event(&mut self, event: Event) {
        if self.program.levels {
            self.events.push(event);
        }
    }

    fn set_register(&mut self, register: usize, value: usize) -> Searched<()> {
        self.push(Frame::Register { register, value: self.registers[register] })?;
        self.registers[register] = value;
        Ok(())
    }

    /// Takes the last frame, and undoes what it stands for.
    #[inline]
    fn undo(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        match frame {
            Frame::Open { group, start, end } => {
                self.slots[group] = (start, end);
                self.opened.pop();
                self.forget_event();
            }
            Frame::Close { group, start, end } => {
                if self.program.recursive {
                    self.opened.push(self.slots[group].0);
                }
                self.slots[group] = (start, end);
                self.forget_event();
            }
            Frame::Register { register, value } => self.registers[register] = value,
            Frame::Keep(keep) => self.keep = keep,
            Frame::Called => {
                self.calls.pop();
                self.forget_event();
            }
            Frame::Returned { address } => {
                self.calls.push(Call { back: address, registers: self.registers.clone() });
                self.forget_event();
            }
            _ => {}
        }
        Some(frame)
    }

    fn forget_event(&mut self) {
        if self.program.levels {
            self.events.pop();
        }
    }

    /// Returns to the last point of choice.
    fn fail(&mut self) -> Searched<Option<(Address, usize)>> {
        self.charge(1)?;
        while let Some(frame) = self.undo() {
            match frame {
                Frame::Branch { address, at } | Frame::Not { address, at } => return Ok(Some((address, at))),
                Frame::Run { address, low, at } => {
                    if let Some(at) = self.give_back(address, low, at)? {
                        return Ok(Some((address + 1, at)));
                    }
                }
                Frame::LazyRun { address, taken, at } => {
                    if let Some(at) = self.take_more(address, taken, at)? {
                        return Ok(Some((address + 1, at)));
                    }
                }
                Frame::Trail { row, at } if !self.memory.is_empty() => self.remember(row, at),
                Frame::TrailRun { row, low, high } if !self.memory.is_empty() => {
                    (low..=high).for_each(|at| self.remember(row, at));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether a choice is worth trying at a position.
    fn choose(&mut self, memory: Memory, at: usize) -> Searched<Outcome> {
        if memory.row == NO_MEMORY || self.memory.is_empty() {
            return Ok(Outcome::At(at));
        }
        if self.recalls(memory.row, at) {
            return Ok(Outcome::Fail);
        }
        if !memory.look {
            self.remember(memory.row, at);
        } else if memory.success && self.recalls(memory.row + 1, at) {
            return Ok(Outcome::Looked);
        } else {
            self.push(Frame::Trail { row: memory.row, at })?;
        }
        Ok(Outcome::At(at))
    }

    /// Matches a run of one character.
    fn many(&mut self, run: &Run, address: Address, at: usize) -> Searched<Outcome> {
        let memory = run.memory;
        let remembers = memory.row != NO_MEMORY && !self.memory.is_empty();
        if remembers {
            if self.recalls(memory.row, at) {
                return Ok(Outcome::Fail);
            }
            if memory.look && memory.success && self.recalls(memory.row + 1, at) {
                return Ok(Outcome::Looked);
            }
        }
        let mut low = at;
        for _ in 0..run.min {
            let Some(next) = self.step(&run.test, low) else { return Ok(Outcome::Fail) };
            low = next;
        }
        if run.manner == Manner::Lazy {
            if remembers {
                self.note(memory, at)?;
            }
            return Ok(match self.lazily(run, address, run.min, low)? {
                Some(at) => Outcome::At(at),
                None => Outcome::Fail,
            });
        }
        let high = match remembers {
            true => self.furthest_unknown(run, low),
            false => self.furthest(run, low),
        };
        self.charge((high - low) / if matches!(run.test, Test::Any | Test::NotNewline) { 256 } else { 16 })?;
        if remembers && memory.look {
            self.push(Frame::TrailRun { row: memory.row, low, high })?;
        } else if remembers {
            (low..=high).for_each(|at| self.remember(memory.row, at));
        }
        if run.manner == Manner::Possessive {
            // To end where it is known to fail is to fail.
            let known = self.step(&run.test, high).is_some();
            return Ok(if remembers && known { Outcome::Fail } else { Outcome::At(high) });
        }
        let Some(high) = self.followed(run.next, low, high) else { return Ok(Outcome::Fail) };
        if high > low {
            self.push(Frame::Run { address, low, at: high })?;
        }
        Ok(Outcome::At(high))
    }

    /// Notes that a point of choice has been visited.
    fn note(&mut self, memory: Memory, at: usize) -> Searched<()> {
        if memory.look {
            self.push(Frame::Trail { row: memory.row, at })
        } else {
            self.remember(memory.row, at);
            Ok(())
        }
    }

    /// How far an endless run of one character reaches before it comes to where it is known to fail.
    fn furthest_unknown(&self, run: &Run, low: usize) -> usize {
        let mut high = low;
        while let Some(next) = self.step(&run.test, high)
            && !self.recalls(run.memory.row, next)
        {
            high = next;
        }
        high
    }

    /// How far a run of one character reaches.
    fn furthest(&self, run: &Run, low: usize) -> usize {
        let most = run.max.saturating_sub(run.min);
        if most == usize::MAX - run.min && self.limit != UNSET && low <= self.limit {
            match &run.test {
                Test::Any => return self.limit,
                Test::NotNewline => {
                    return memchr::memchr(b'\n', &self.text[low..self.limit])
                        .map_or(self.limit, |ahead| low + ahead);
                }
                _ => {}
            }
        }
        let mut high = low;
        for _ in 0..most {
            match self.step(&run.test, high) {
                Some(next) => high = next,
                None => break,
            }
        }
        high
    }

    /// The last position from `low` to `high` that the right byte follows.
    fn followed(&self, next: Option<u8>, low: usize, high: usize) -> Option<usize> {
        let Some(byte) = next else { return Some(high) };
        if self.text.get(high) == Some(&byte) {
            return Some(high);
        }
        let mut end = high;
        loop {
            let found = low + memchr::memrchr(byte, &self.text[low..end])?;
            if BINARY || text::is_boundary(self.text, found) {
                return Some(found);
            }
            end = found;
        }
    }

    fn give_back(&mut self, address: Address, low: usize, at: usize) -> Searched<Option<usize>> {
        let Op::Run(run) = &self.program.ops[address] else { return Ok(None) };
        let Some(shorter) = self.before(at).filter(|shorter| *shorter >= low) else { return Ok(None) };
        let Some(found) = self.followed(run.next, low, shorter) else { return Ok(None) };
        if found > low {
            self.push(Frame::Run { address, low, at: found })?;
        }
        Ok(Some(found))
    }

    /// Leaves a lazy run at the first position that may do.
    fn lazily(
        &mut self,
        run: &Run,
        address: Address,
        mut taken: usize,
        mut at: usize,
    ) -> Searched<Option<usize>> {
        let from = at;
        if let Some(byte) = run.next {
            if run.max == usize::MAX && matches!(run.test, Test::NotNewline) && at <= self.limit {
                // The first of the two decides.
                match memchr::memchr2(byte, b'\n', &self.text[at..self.limit]) {
                    Some(ahead) if self.text[at + ahead] == byte => at += ahead,
                    _ => return Ok(None),
                }
            }
            while self.text.get(at) != Some(&byte) {
                if taken >= run.max {
                    return Ok(None);
                }
                let Some(next) = self.step(&run.test, at) else { return Ok(None) };
                at = next;
                taken += 1;
            }
        }
        self.charge((at - from) / 64)?;
        if taken < run.max {
            self.push(Frame::LazyRun { address, taken, at })?;
        }
        Ok(Some(at))
    }

    fn take_more(&mut self, address: Address, taken: usize, at: usize) -> Searched<Option<usize>> {
        let Op::Run(run) = &self.program.ops[address] else { return Ok(None) };
        let Some(next) = self.step(&run.test, at) else { return Ok(None) };
        let memory = run.memory;
        if memory.row != NO_MEMORY && !self.memory.is_empty() {
            if self.recalls(memory.row, next) {
                return Ok(None);
            }
            self.note(memory, next)?;
        }
        self.lazily(run, address, taken + 1, next)
    }

    /// Keeps what was captured since the last frame of a kind, and drops that frame and all points of choice after it.
    fn settle(&mut self, is: impl Fn(&Frame) -> bool) -> Option<Frame> {
        let marker = self.stack.iter().rposition(is)?;
        let frame = self.stack[marker];
        let looks = matches!(frame, Frame::Ahead { .. });
        if looks && !self.memory.is_empty() {
            self.remember_success(marker);
        }
        let mut kept = marker;
        for index in marker + 1..self.stack.len() {
            let frame = self.stack[index];
            let change = matches!(
                frame,
                Frame::Open { .. }
                    | Frame::Close { .. }
                    | Frame::Register { .. }
                    | Frame::Keep(_)
                    | Frame::Called
                    | Frame::Returned { .. }
            );
            if change {
                self.stack[kept] = frame;
                kept += 1;
            }
        }
        self.stack.truncate(kept);
        Some(frame)
    }

    /// Remembers that a look-ahead has succeeded from each point of choice on the way.
    fn remember_success(&mut self, marker: usize) {
        let mut left = None;
        for index in (marker + 1..self.stack.len()).rev() {
            match self.stack[index] {
                Frame::Run { at, .. } => left = Some(at),
                Frame::Trail { row, at } => self.remember(row + 1, at),
                Frame::TrailRun { row, low, .. } => {
                    let high = left.take().unwrap_or(low);
                    (low..=high).for_each(|at| self.remember(row + 1, at));
                }
                _ => {}
            }
        }
    }

    /// Ends the innermost look-ahead, of which it is known that it succeeds; gives the point to go on at if it was positive.
    fn looked(&mut self) -> Option<(Address, usize)> {
        let is = |frame: &Frame| matches!(frame, Frame::Ahead { .. } | Frame::Not { .. });
        let marker = self.stack.iter().rposition(is)?;
        match self.stack[marker] {
            Frame::Ahead { at, after } => {
                self.settle(|frame| matches!(frame, Frame::Ahead { .. }));
                Some((after, at))
            }
            _ => {
                self.drop_to_not();
                None
            }
        }
    }

    /// Undoes all since the innermost negative look, which has failed.
    fn drop_to_not(&mut self) {
        if !self.memory.is_empty()
            && let Some(marker) = self.stack.iter().rposition(|frame| matches!(frame, Frame::Not { .. }))
        {
            self.remember_success(marker);
        }
        while !matches!(self.undo(), None | Some(Frame::Not { .. })) {}
    }

    fn back(&self, at: usize, count: usize) -> Option<usize> {
        (0..count).try_fold(at, |at, _| self.before(at))
    }

    /// Whether a loop whose groups may have changed goes round again although it matched nothing; nothing if it fails.
    fn round_with_captures(&self, register: usize, at: usize) -> Option<bool> {
        let is =
            |frame: &Frame| matches!(frame, Frame::Register { register: known, .. } if *known == register);
        let start = self.stack.iter().rposition(is).unwrap_or(0);
        let mut moved = false;
        for frame in &self.stack[start..] {
            if let Frame::Open { start, end, .. } = *frame {
                if end == UNSET || start != end {
                    return Some(true);
                }
                moved |= end != at;
            }
        }
        if moved { None } else { Some(false) }
    }

    /// One position of `(?~...)`: whether the text may end here, and then that it may go on.
    fn absent(&mut self, address: Address, after: Address, at: usize) -> Searched<Option<Address>> {
        let reached = self.limit;
        let Some(Frame::AbsentStart { start, limit }) = self.stack.pop() else { return Ok(None) };
        self.limit = limit;
        let beyond = reached == UNSET;
        if (beyond || start > reached) && at > start {
            // What shall be absent matches nothing at the start: so nothing will do.
            while !matches!(self.undo(), None | Some(Frame::Branch { .. })) {}
            return Ok(None);
        }
        if (beyond || at >= reached) && at > start {
            return Ok((!beyond && at == reached).then_some(after));
        }
        self.push(Frame::Branch { address: after, at })?;
        self.push(Frame::AbsentStart { start, limit })?;
        let next = if at < self.text.len() { at + self.length(at) } else { at + 1 };
        self.push(Frame::Branch { address, at: next })?;
        self.push(Frame::Absent)?;
        self.limit = reached;
        Ok(Some(address + 1))
    }

    fn is_at(&self, place: Place, at: usize) -> bool {
        let end = self.limit;
        match place {
            Place::TextStart => at == 0,
            Place::TextEnd => at == end,
            Place::TextEndOrNewline => at == end || (at + 1 == end && self.text[at] == b'\n'),
            Place::LineStart => at == 0 || (at < end && self.text[at - 1] == b'\n'),
            Place::LineEnd => at >= end || self.text[at] == b'\n',
            Place::SearchStart => at == self.from,
            Place::Word { ascii, boundary } => {
                let word = |at: usize| {
                    let code = self.char_at(at).0;
                    (code < 0x80 || !ascii) && unicode::is_word(code)
                };
                let before = self.before(at).is_some_and(word);
                let after = at < end && word(at);
                (before != after) == boundary
            }
        }
    }

    fn folded(&self, folded: &fold::Folded, mut at: usize) -> Option<usize> {
        let mut place = 0;
        while place < folded.places.len() {
            if at >= self.limit {
                return None;
            }
            let (code, length) = self.char_at(at);
            let here = &folded.places[place];
            place += if here.singles.contains(&code) {
                1
            } else {
                here.several.iter().find(|(other, _)| *other == code)?.1
            };
            at += length;
        }
        (at <= self.limit).then_some(at)
    }

    fn backref(&mut self, backref: &Backref, at: usize) -> Searched<Option<usize>> {
        if let Some(level) = backref.level {
            return self.backref_at_level(backref, level, at);
        }
        for &group in &backref.groups {
            let (start, end) = self.slots[group];
            if start == UNSET || end == UNSET {
                continue;
            }
            if let Some(next) = self.same(start, end, backref.ignore_case, at)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Looks back for what a group captured at a depth of recursion relative to the current one.
    fn backref_at_level(&mut self, backref: &Backref, wanted: i64, at: usize) -> Searched<Option<usize>> {
        let mut level = 0;
        let mut end = None;
        for index in (0..self.events.len()).rev() {
            match self.events[index] {
                Event::Call => level -= 1,
                Event::Return => level += 1,
                Event::Open(group, start) if level == wanted && backref.groups.contains(&group) => {
                    if let Some(end) = end {
                        return self.same(start, end, backref.ignore_case, at);
                    }
                }
                Event::Close(group, position) if level == wanted && backref.groups.contains(&group) => {
                    end = Some(position);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether a part of the text comes again, and then where that ends.
    fn same(&mut self, start: usize, end: usize, ignore_case: bool, at: usize) -> Searched<Option<usize>> {
        // A group that is open again may begin after it ended last; that is nothing.
        let length = end.saturating_sub(start);
        if !ignore_case {
            let again = at + length;
            if again > self.limit || self.text[at..again] != self.text[start..start + length] {
                return Ok(None);
            }
            self.charge(length / 256)?;
            return Ok(Some(again));
        }
        self.charge(length / 4)?;
        // The text is compared over as many bytes as the group took.
        if at + length > self.limit {
            return Ok(None);
        }
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let (mut from, mut to) = (start, at);
        let stop = at + length;
        while from < end || !ours.is_empty() || !theirs.is_empty() {
            if ours.is_empty() {
                if from >= end {
                    return Ok(None);
                }
                from += self.fold(from, &mut ours);
            }
            if theirs.is_empty() {
                if to >= stop {
                    return Ok(None);
                }
                to += self.fold(to, &mut theirs);
            }
            let common = ours.len().min(theirs.len());
            if ours[..common] != theirs[..common] {
                return Ok(None);
            }
            ours.drain(..common);
            theirs.drain(..common);
        }
        Ok(Some(to))
    }

    fn fold(&self, at: usize, out: &mut Vec<u32>) -> usize {
        let (code, length) = self.char_at(at);
        if BINARY {
            out.push(u32::from((code as u8).to_ascii_lowercase()));
        } else {
            fold::fold(code, out);
        }
        length
    }
}

/// What came of a part of the pattern.
enum Outcome {
    /// It goes on at a position.
    At(usize),
    Fail,
    /// The look-ahead around it is known to succeed.
    Looked,
}
