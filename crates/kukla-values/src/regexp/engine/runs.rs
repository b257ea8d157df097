//! Runs of one character: `.*`, `[a-z]+?`, `\d++`.

use super::super::program::{Address, Manner, Memory, NO_MEMORY, Op, Run, Test};
use super::super::text;
use super::{COMPARED_PER_STEP, Frame, Machine, Outcome, PER_STEP, Searched, UNSET};

impl<const BINARY: bool> Machine<'_, '_, BINARY> {
    /// Matches a run of one character.
    pub(super) fn many(&mut self, run: &Run, address: Address, at: usize) -> Searched<Outcome> {
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
        for taken in 0..run.min {
            let Some(next) = self.step(&run.test, low) else {
                self.charge(taken / PER_STEP)?;
                return Ok(Outcome::Fail);
            };
            low = next;
        }
        self.charge(run.min / PER_STEP)?;
        let remembers_all = remembers && run.is_endless();
        if remembers && (run.manner == Manner::Lazy || !remembers_all) {
            self.note(memory, at)?;
        }
        if run.manner == Manner::Lazy {
            return Ok(match self.lazily(run, address, run.min, low)? {
                Some(at) => Outcome::At(at),
                None => Outcome::Fail,
            });
        }
        let high = match remembers_all {
            true => self.furthest_unknown(run, low),
            false => self.furthest(run, low),
        };
        self.charge(
            (high - low)
                / if matches!(run.test, Test::Any | Test::NotNewline) { COMPARED_PER_STEP } else { PER_STEP },
        )?;
        if remembers_all && memory.look {
            self.push(Frame::TrailRun { row: memory.row, low, high })?;
        } else if remembers_all {
            (low..=high).for_each(|at| self.remember(memory.row, at));
        }
        if run.manner == Manner::Possessive {
            // To end where it is known to fail is to fail.
            let known = self.step(&run.test, high).is_some();
            return Ok(if remembers_all && known { Outcome::Fail } else { Outcome::At(high) });
        }
        let Some(high) = self.followed(run.next, low, high) else { return Ok(Outcome::Fail) };
        if high > low {
            self.push(Frame::Run { address, low, at: high })?;
        }
        Ok(Outcome::At(high))
    }

    /// Notes that a point of choice has been visited.
    pub(super) fn note(&mut self, memory: Memory, at: usize) -> Searched<()> {
        if memory.look {
            self.push(Frame::Trail { row: memory.row, at })
        } else {
            self.remember(memory.row, at);
            Ok(())
        }
    }

    /// How far an endless run of one character reaches before it comes to where it is known to fail.
    pub(super) fn furthest_unknown(&self, run: &Run, low: usize) -> usize {
        let mut high = low;
        while let Some(next) = self.step(&run.test, high)
            && !self.recalls(run.memory.row, next)
        {
            high = next;
        }
        high
    }

    /// How far a run of one character reaches.
    pub(super) fn furthest(&self, run: &Run, low: usize) -> usize {
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
    pub(super) fn followed(&self, next: Option<u8>, low: usize, high: usize) -> Option<usize> {
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

    pub(super) fn give_back(&mut self, address: Address, low: usize, at: usize) -> Searched<Option<usize>> {
        let Op::Run(run) = &self.program.ops[address] else { return Ok(None) };
        let Some(shorter) = self.before(at).filter(|shorter| *shorter >= low) else { return Ok(None) };
        let Some(found) = self.followed(run.next, low, shorter) else { return Ok(None) };
        if found > low {
            self.push(Frame::Run { address, low, at: found })?;
        }
        Ok(Some(found))
    }

    /// Leaves a lazy run at the first position that may do.
    pub(super) fn lazily(
        &mut self,
        run: &Run,
        address: Address,
        mut taken: usize,
        mut at: usize,
    ) -> Searched<Option<usize>> {
        if let Some(byte) = run.next {
            if run.max == usize::MAX && matches!(run.test, Test::NotNewline) && at <= self.limit {
                // The first of the two decides.
                let ahead = memchr::memchr2(byte, b'\n', &self.text[at..self.limit]);
                self.charge(ahead.unwrap_or(self.limit - at) / COMPARED_PER_STEP)?;
                match ahead {
                    Some(ahead) if self.text[at + ahead] == byte => at += ahead,
                    _ => return Ok(None),
                }
            }
            let from = at;
            while self.text.get(at) != Some(&byte) {
                let next = if taken < run.max { self.step(&run.test, at) } else { None };
                let Some(next) = next else {
                    self.charge((at - from) / PER_STEP)?;
                    return Ok(None);
                };
                at = next;
                taken += 1;
            }
            self.charge((at - from) / PER_STEP)?;
        }
        if taken < run.max {
            self.push(Frame::LazyRun { address, taken, at })?;
        }
        Ok(Some(at))
    }

    pub(super) fn take_more(&mut self, address: Address, taken: usize, at: usize) -> Searched<Option<usize>> {
        let Op::Run(run) = &self.program.ops[address] else { return Ok(None) };
        let Some(next) = self.step(&run.test, at) else { return Ok(None) };
        let memory = run.memory;
        if memory.row != NO_MEMORY && !self.memory.is_empty() && run.is_endless() {
            if self.recalls(memory.row, next) {
                return Ok(None);
            }
            self.note(memory, next)?;
        }
        self.lazily(run, address, taken + 1, next)
    }
}
