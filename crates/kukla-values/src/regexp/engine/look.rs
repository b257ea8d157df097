//! Ending what is matched for itself: atomic groups, look-around, the absent operator.

use super::super::program::Address;
use super::{Frame, Machine, PER_STEP, Searched, UNSET};

impl<const BINARY: bool> Machine<'_, '_, BINARY> {
    /// Keeps what was captured since the last frame of a kind, and drops that frame and all points of choice after it.
    pub(super) fn settle(&mut self, is: impl Fn(&Frame) -> bool) -> Searched<Option<Frame>> {
        let Some(marker) = self.last_frame(is)? else { return Ok(None) };
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
        Ok(Some(frame))
    }

    /// Remembers that a look-ahead has succeeded from each point of choice on the way.
    pub(super) fn remember_success(&mut self, marker: usize) {
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
    pub(super) fn looked(&mut self) -> Searched<Option<(Address, usize)>> {
        let is = |frame: &Frame| matches!(frame, Frame::Ahead { .. } | Frame::Not { .. });
        let Some(marker) = self.last_frame(is)? else { return Ok(None) };
        match self.stack[marker] {
            Frame::Ahead { at, after } => {
                self.settle(|frame| matches!(frame, Frame::Ahead { .. }))?;
                Ok(Some((after, at)))
            }
            _ => {
                self.drop_to_not()?;
                Ok(None)
            }
        }
    }

    /// Undoes all since the innermost negative look, which has failed.
    pub(super) fn drop_to_not(&mut self) -> Searched<()> {
        if !self.memory.is_empty()
            && let Some(marker) = self.last_frame(|frame| matches!(frame, Frame::Not { .. }))?
        {
            self.remember_success(marker);
        }
        while !matches!(self.undo(), None | Some(Frame::Not { .. })) {}
        Ok(())
    }

    pub(super) fn back(&mut self, at: usize, count: usize) -> Searched<Option<usize>> {
        self.charge(count / PER_STEP)?;
        Ok((0..count).try_fold(at, |at, _| self.before(at)))
    }

    /// One position of `(?~...)`: whether the text may end here, and then that it may go on.
    pub(super) fn absent(
        &mut self,
        address: Address,
        after: Address,
        at: usize,
    ) -> Searched<Option<Address>> {
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
}
