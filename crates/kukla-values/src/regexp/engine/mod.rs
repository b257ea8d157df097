//! The backtracking engine, for what no linear one can do: references, look-around, recursion.
//!
//! All state lives in vectors: neither a pattern nor a subject can overflow the stack. Work is counted, and a search stops at a
//! limit; where results depend on the position alone, failures are remembered, and a search takes linear time.

mod leap;
mod look;
mod refer;
mod runs;

use super::program::{Address, Count, Memory, NO_MEMORY, Op, Program, Test};
use super::text;
use super::tree::Boundary;
use super::unicode;
use super::work;

/// How many steps a search may take, whatever the subject; a step is an instruction, or as long as one takes.
const MAX_STEPS: u64 = 1_000_000;
/// How many more steps each byte of the subject allows: many at its beginning, where what takes quadratic time is soon over, fewer
/// in the rest of the first mebibyte, and few in what follows.
const STEPS_PER_FIRST_BYTE: u64 = 1_000;
const STEPS_PER_BYTE: u64 = 250;
const STEPS_PER_FURTHER_BYTE: u64 = 50;
const FIRST_BYTES: u64 = 16 << 10;
const MEBIBYTE: u64 = 1 << 20;
/// How many frames, groups, registers or characters are gone through in the time of a step, and how many bytes are compared.
const PER_STEP: usize = 8;
const COMPARED_PER_STEP: usize = 256;
/// How many points to return to may be kept.
const MAX_FRAMES: usize = 4_000_000;
/// How deep calls may nest.
const MAX_CALLS: usize = 100_000;
/// How many bits the table of failures may take.
const MAX_MEMORY: usize = 256 << 20;

const UNSET: usize = usize::MAX;

/// The reason why a search was stopped.
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

/// Changes of groups on the way, for back references with a level.
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

/// How many steps are charged at once.
const CHARGED_TOGETHER: u64 = 1 << 16;

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

/// How many steps the searches for one match in a subject, or for all of them, may take.
pub(super) fn most_steps(subject: &[u8]) -> u64 {
    let length = subject.len() as u64;
    MAX_STEPS
        + STEPS_PER_FIRST_BYTE * length.min(FIRST_BYTES)
        + STEPS_PER_BYTE * length.min(MEBIBYTE)
        + STEPS_PER_FURTHER_BYTE * length.saturating_sub(MEBIBYTE)
}

/// Searches for a match within a number of steps, from which it subtracts those it uses; `from` is where the search begins for `\G`.
pub(super) fn search(
    program: &Program,
    subject: &[u8],
    from: usize,
    direction: Direction,
    steps: &mut u64,
) -> Searched<Option<Spans>> {
    if from > subject.len() {
        return Ok(None);
    }
    let (found, taken) = match program.binary {
        true => Machine::<true>::new(program, subject, from, *steps).finish(direction),
        false => Machine::<false>::new(program, subject, from, *steps).finish(direction),
    };
    *steps = steps.saturating_sub(taken);
    found
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
    /// The number of steps after which it pays to remember failures; none if it never does, or has been done.
    pays_at: Option<u64>,
    /// The number of steps after which there is something to do: remember, charge, stop.
    checkpoint: u64,
    /// The steps that were charged.
    charged: u64,
}

impl<'p, 't, const BINARY: bool> Machine<'p, 't, BINARY> {
    fn new(program: &'p Program, text: &'t [u8], from: usize, most_steps: u64) -> Self {
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
            most_steps,
            memory: Vec::new(),
            pays_at: pays.then_some(256 + 2 * length),
            checkpoint: 0,
            charged: 0,
        }
    }

    /// Searches, and tells how many steps that took.
    fn finish(mut self, direction: Direction) -> (Searched<Option<Spans>>, u64) {
        let found = self.search(direction);
        work::backtracked(self.steps - self.charged);
        (found, self.steps)
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

    #[inline]
    fn charge(&mut self, steps: usize) -> Searched<()> {
        self.steps += steps as u64;
        if self.steps > self.checkpoint { self.look() } else { Ok(()) }
    }

    /// Gives up if there were too many steps, and begins to remember failures if it was not yet worth it.
    #[cold]
    fn look(&mut self) -> Searched<()> {
        if self.steps > self.most_steps {
            return Err(GivenUp::Steps);
        }
        work::backtracked(self.steps - self.charged);
        self.charged = self.steps;
        if self.pays_at.is_some_and(|at| self.steps > at) {
            self.pays_at = None;
            self.begin_to_remember();
        }
        let next = self.most_steps.min(self.steps + CHARGED_TOGETHER);
        self.checkpoint = self.pays_at.map_or(next, |at| next.min(at));
        Ok(())
    }

    fn begin_to_remember(&mut self) {
        let bits = self.program.rows * (self.text.len() + 1);
        self.memory = vec![0; bits / 64 + 1];
        self.steps += (bits / 64 / COMPARED_PER_STEP) as u64;
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
        self.charge(1 + self.slots.len() / PER_STEP)?;
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
            self.charge(1)?;
            let next = match &program.ops[address] {
                Op::Match => return Ok(Some(at)),
                Op::Bytes(bytes) => {
                    let end = at + bytes.len();
                    if end <= self.limit && self.text[at..end] == **bytes {
                        self.charge(bytes.len() / COMPARED_PER_STEP)?;
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
                Op::Folded(folded) => match self.folded(folded, at)? {
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
                    Outcome::Looked => self.looked()?.map(|(address, back)| {
                        at = back;
                        address
                    }),
                },
                Op::Split(first, second, memory) => match self.choose(*memory, at)? {
                    Outcome::At(_) => {
                        self.push(Frame::Branch { address: *second, at })?;
                        Some(*first)
                    }
                    Outcome::Fail => None,
                    Outcome::Looked => self.looked()?.map(|(address, back)| {
                        at = back;
                        address
                    }),
                },
                Op::Jump(target) => Some(*target),
                Op::Open { group, forgets } => {
                    let (start, end) = self.slots[*group];
                    if *forgets || program.recursive {
                        self.push(Frame::Open { group: *group, start, end })?;
                        self.event(Event::Open(*group, at));
                    }
                    self.slots[*group] = (at, if *forgets { UNSET } else { end });
                    if program.recursive {
                        self.opened.push(at);
                    }
                    Some(address + 1)
                }
                Op::Close { group, forgets } => {
                    let (start, end) = self.slots[*group];
                    if *forgets || program.recursive {
                        self.push(Frame::Close { group: *group, start, end })?;
                        self.event(Event::Close(*group, at));
                    }
                    // A group that was entered again inside itself began where this round of it did.
                    let start = if program.recursive { self.opened.pop().unwrap_or(start) } else { start };
                    self.slots[*group] = (start, at);
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
                        self.round_with_captures(*register, at)?
                            .map(|again| if again { address + 1 } else { *exit })
                    }
                }
                Op::CountStart(count) => {
                    self.set_register(count.register, 0)?;
                    Some(if count.min > 0 { count.body } else { self.choose_round(count, at)? })
                }
                Op::CountEnd(count) => {
                    let done = self.registers[count.register] + 1;
                    self.set_register(count.register, done)?;
                    Some(if done >= count.max {
                        count.exit
                    } else if done < count.min {
                        count.body
                    } else {
                        self.choose_round(count, at)?
                    })
                }
                Op::AtomicStart => {
                    self.push(Frame::Atomic)?;
                    Some(address + 1)
                }
                Op::AtomicEnd => {
                    self.settle(|frame| matches!(frame, Frame::Atomic))?;
                    Some(address + 1)
                }
                Op::AheadStart(after) => {
                    self.push(Frame::Ahead { at, after: *after })?;
                    Some(address + 1)
                }
                Op::AheadEnd => {
                    if let Some(Frame::Ahead { at: back, .. }) =
                        self.settle(|frame| matches!(frame, Frame::Ahead { .. }))?
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
                    self.drop_to_not()?;
                    None
                }
                Op::Back(count) => match self.back(at, *count)? {
                    Some(before) => {
                        at = before;
                        Some(address + 1)
                    }
                    None => None,
                },
                Op::NotBehindStart(count, after) => match self.back(at, *count)? {
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
                Op::AbsentLoop(after) => self.absent(address, *after, at)?,
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
                    self.charge(self.registers.len() / PER_STEP)?;
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
                        self.charge(registers.len() / PER_STEP)?;
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

    /// Removes the last frame and undoes its effects.
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

    /// The last frame of a kind.
    fn last_frame(&mut self, is: impl Fn(&Frame) -> bool) -> Searched<Option<usize>> {
        let found = self.stack.iter().rposition(is);
        self.charge((self.stack.len() - found.unwrap_or(0)) / PER_STEP)?;
        Ok(found)
    }

    /// The next instruction where a counted loop may go round again or end; the other way is tried if this one fails.
    #[inline]
    fn choose_round(&mut self, count: &Count, at: usize) -> Searched<Address> {
        let (next, other) = if count.greedy { (count.body, count.exit) } else { (count.exit, count.body) };
        self.push(Frame::Branch { address: other, at })?;
        Ok(next)
    }

    /// Whether a loop whose groups may have changed goes round again although it matched nothing; nothing if it fails.
    fn round_with_captures(&mut self, register: usize, at: usize) -> Searched<Option<bool>> {
        let is =
            |frame: &Frame| matches!(frame, Frame::Register { register: known, .. } if *known == register);
        let start = self.last_frame(is)?.unwrap_or(0);
        let mut moved = false;
        for frame in &self.stack[start..] {
            if let Frame::Open { start, end, .. } = *frame {
                if end == UNSET || start != end {
                    return Ok(Some(true));
                }
                moved |= end != at;
            }
        }
        Ok(if moved { None } else { Some(false) })
    }

    fn is_at(&self, place: Boundary, at: usize) -> bool {
        let end = self.limit;
        match place {
            Boundary::TextStart => at == 0,
            Boundary::TextEnd => at == end,
            Boundary::TextEndOrNewline => at == end || (at + 1 == end && self.text[at] == b'\n'),
            Boundary::LineStart => at == 0 || (at < end && self.text[at - 1] == b'\n'),
            Boundary::LineEnd => at >= end || self.text[at] == b'\n',
            Boundary::SearchStart => at == self.from,
            Boundary::Word { ascii, boundary } => {
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
}

/// The result of a part of the pattern.
enum Outcome {
    /// It goes on at a position.
    At(usize),
    Fail,
    /// The look-ahead around it is known to succeed.
    Looked,
}

#[cfg(test)]
mod tests;
