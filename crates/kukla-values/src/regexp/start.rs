//! The common beginning of all matches of a pattern, so that a search can skip ahead.

use super::program::{Anchor, First, Start};
use super::set::Set;
use super::tree::{Boundary, Node};

/// How far calls and nesting are followed.
const MAX_DEPTH: usize = 600;

/// Constraints on where a pattern can match.
pub(super) fn start(root: &Node, binary: bool) -> Start {
    Start { anchor: anchor(root), first: first(root, binary) }
}

fn anchor(node: &Node) -> Anchor {
    match node {
        Node::At(Boundary::TextStart) => Anchor::Text,
        Node::At(Boundary::LineStart) => Anchor::Line,
        Node::At(Boundary::SearchStart) => Anchor::Search,
        Node::Sequence(nodes) => nodes.first().map_or(Anchor::None, anchor),
        Node::Group(_, node) | Node::Atomic(node) => anchor(node),
        Node::Choice(nodes) => {
            let first = nodes.first().map_or(Anchor::None, anchor);
            if nodes.iter().all(|node| anchor(node) == first) { first } else { Anchor::None }
        }
        _ => Anchor::None,
    }
}

fn first(root: &Node, binary: bool) -> First {
    let mut prefix = Vec::new();
    literal(root, binary, &mut prefix);
    if prefix.len() > 1 {
        return First::Literal(Box::new(memchr::memmem::Finder::new(&prefix).into_owned()));
    }
    let mut table = Box::new([false; 256]);
    if !bytes(root, binary, &mut table, 0) {
        return First::Anything;
    }
    let members: Vec<u8> = (0..=255).filter(|byte| table[usize::from(*byte)]).collect();
    match members.len() {
        1..=3 => First::Bytes(members),
        256 => First::Anything,
        _ => First::Table(table),
    }
}

/// Collects the text a match begins with; false once that may vary.
fn literal(node: &Node, binary: bool, out: &mut Vec<u8>) -> bool {
    match node {
        Node::Text(text) => {
            text.iter().for_each(|&code| super::compile::encode(code, binary, out));
            true
        }
        Node::Sequence(nodes) => nodes.iter().all(|node| literal(node, binary, out)),
        Node::Group(_, node) | Node::Atomic(node) => literal(node, binary, out),
        Node::Repeat(repeat) if repeat.min > 0 => {
            literal(&repeat.node, binary, out);
            false
        }
        Node::Empty | Node::Look(_) | Node::At(_) | Node::Keep => true,
        _ => false,
    }
}

/// Adds the bytes a match can begin with; false if it can begin with any or match nothing.
fn bytes(node: &Node, binary: bool, table: &mut [bool; 256], depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match node {
        Node::Text(text) => {
            let mut spelt = Vec::new();
            text.first().into_iter().for_each(|&code| super::compile::encode(code, binary, &mut spelt));
            spelt.first().is_some_and(|byte| {
                table[usize::from(*byte)] = true;
                true
            })
        }
        Node::Folded(folded) => folded.places.first().is_some_and(|place| {
            let codes = place.singles.iter().copied().chain(place.several.iter().map(|(code, _)| *code));
            set(&Set::of(codes.map(|code| (code, code))), binary, table);
            true
        }),
        Node::Set(members) => {
            set(members, binary, table);
            true
        }
        Node::Any { newline } => {
            table
                .iter_mut()
                .enumerate()
                .for_each(|(byte, slot)| *slot |= *newline || byte != usize::from(b'\n'));
            true
        }
        Node::Sequence(nodes) => nodes.iter().any(|node| bytes(node, binary, table, depth + 1)),
        // All count, also after one that can match nothing.
        Node::Choice(nodes) => {
            nodes.iter().fold(true, |all, node| bytes(node, binary, table, depth + 1) & all)
        }
        Node::Repeat(repeat) if repeat.max == Some(0) => false,
        Node::Repeat(repeat) => bytes(&repeat.node, binary, table, depth + 1) && repeat.min > 0,
        Node::Group(_, node) | Node::Atomic(node) => bytes(node, binary, table, depth + 1),
        Node::Condition(condition) => {
            bytes(&condition.yes, binary, table, depth + 1) & bytes(&condition.no, binary, table, depth + 1)
        }
        // Where these can begin is not followed up; what they may match is anything.
        Node::Absent(_) | Node::Backref(_) | Node::Call(_) => {
            table.fill(true);
            false
        }
        Node::Empty | Node::Look(_) | Node::At(_) | Node::Keep => false,
    }
}

fn set(set: &Set, binary: bool, table: &mut [bool; 256]) {
    for &(low, high) in set.ranges() {
        if binary {
            (low..=high.min(0xff)).for_each(|code| table[code as usize] = true);
            continue;
        }
        (low..=high.min(0x7f)).for_each(|code| table[code as usize] = true);
        if high > 0x7f {
            let lead = |code: u32| {
                let mut spelt = Vec::new();
                super::compile::encode(code.clamp(0x80, 0x10_ffff), false, &mut spelt);
                spelt.first().copied().unwrap_or(0xff)
            };
            let last = if high > 0x10_ffff { 0xff } else { lead(high) };
            (lead(low)..=last).for_each(|byte| table[usize::from(byte)] = true);
            if high > 0x10_ffff {
                // Stray bytes.
                (0x80..=0xff).for_each(|byte| table[byte] = true);
            }
        }
    }
}
