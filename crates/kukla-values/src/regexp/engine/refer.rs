//! Comparing with what groups captured, and texts in any case.

use super::super::fold;
use super::super::tree::Backref;
use super::{COMPARED_PER_STEP, Event, Machine, PER_STEP, Searched, UNSET};

impl<const BINARY: bool> Machine<'_, '_, BINARY> {
    pub(super) fn folded(&mut self, folded: &fold::Folded, mut at: usize) -> Searched<Option<usize>> {
        self.charge(folded.places.len() / PER_STEP)?;
        let mut place = 0;
        while place < folded.places.len() {
            if at >= self.limit {
                return Ok(None);
            }
            let (code, length) = self.char_at(at);
            let here = &folded.places[place];
            let several = || here.several.iter().find(|(other, _)| *other == code);
            place += match here.singles.contains(&code) {
                true => 1,
                false => match several() {
                    Some((_, places)) => *places,
                    None => return Ok(None),
                },
            };
            at += length;
        }
        Ok((at <= self.limit).then_some(at))
    }

    pub(super) fn backref(&mut self, backref: &Backref, at: usize) -> Searched<Option<usize>> {
        if let Some(level) = backref.level {
            return self.backref_at_level(backref, level, at);
        }
        self.charge(backref.groups.len() / PER_STEP)?;
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
    pub(super) fn backref_at_level(
        &mut self,
        backref: &Backref,
        wanted: i64,
        at: usize,
    ) -> Searched<Option<usize>> {
        self.charge(self.events.len() / PER_STEP)?;
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
    pub(super) fn same(
        &mut self,
        start: usize,
        end: usize,
        ignore_case: bool,
        at: usize,
    ) -> Searched<Option<usize>> {
        // A group that is open again may begin after it ended last; that is nothing.
        let length = end.saturating_sub(start);
        if !ignore_case {
            self.charge(length / COMPARED_PER_STEP)?;
            let again = at + length;
            if again > self.limit || self.text[at..again] != self.text[start..start + length] {
                return Ok(None);
            }
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

    pub(super) fn fold(&self, at: usize, out: &mut Vec<u32>) -> usize {
        let (code, length) = self.char_at(at);
        if BINARY {
            out.push(u32::from((code as u8).to_ascii_lowercase()));
        } else {
            fold::fold(code, out);
        }
        length
    }
}
