//! Repetitions: `*`, `+?`, `{2,3}`.

use super::super::tree::{Node, Repeat};
use super::{Item, MAX_DEPTH, MAX_REPEAT, Parsed, Parser};

impl Parser<'_> {
    /// The repetitions after an item. Only the last character of a text is repeated.
    pub(super) fn repetitions(
        &mut self,
        mut item: Item,
        mut depth: usize,
        nodes: &mut Vec<Node>,
    ) -> Parsed<()> {
        loop {
            self.skip_ignored()?;
            let Some((min, max, greedy, possessive)) = self.repetition()? else { break };
            depth += 1;
            if depth > MAX_DEPTH {
                return Err("parse depth limit over".into());
            }
            if (min, max) == (1, Some(1)) {
                continue;
            }
            let node = match item {
                Item::Run(mut text) => {
                    let last = text.split_off(text.len().saturating_sub(1));
                    if !text.is_empty() {
                        nodes.push(self.literal(text));
                    }
                    self.literal(last)
                }
                Item::Node(node) => node,
            };
            let node = repeated(Repeat { node, min, max, greedy });
            item = Item::Node(if possessive { Node::Atomic(Box::new(node)) } else { node });
        }
        nodes.push(match item {
            Item::Run(text) => self.literal(text),
            Item::Node(node) => node,
        });
        Ok(())
    }

    /// How often, whether as often as possible, and whether that is final.
    #[allow(clippy::type_complexity)]
    pub(super) fn repetition(&mut self) -> Parsed<Option<(u32, Option<u32>, bool, bool)>> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                return Ok(match self.interval()? {
                    // Ruby reads `{n}?` as an optional `{n}`, and never a `+` after an interval as possessive.
                    Some((min, max, true)) => Some((min, max, true, false)),
                    Some((min, max, false)) => Some((min, max, !self.eat('?'), false)),
                    None => None,
                });
            }
            _ => return Ok(None),
        };
        self.at += 1;
        if self.eat('?') {
            return Ok(Some((min, max, false, false)));
        }
        Ok(Some((min, max, true, self.eat('+'))))
    }

    /// Reads `{n}`, `{n,}`, `{,m}` or `{n,m}`, and whether it was the first of these; anything else is plain text.
    #[allow(clippy::type_complexity)]
    pub(super) fn interval(&mut self) -> Parsed<Option<(u32, Option<u32>, bool)>> {
        let mut ahead = 1;
        let low = self.count(&mut ahead)?;
        let comma = self.peek_at(ahead) == Some(',');
        let high = if comma {
            ahead += 1;
            self.count(&mut ahead)?
        } else {
            low
        };
        if self.peek_at(ahead) != Some('}') || (low.is_none() && high.is_none()) {
            return Ok(None);
        }
        let min = low.unwrap_or(0);
        if high.is_some_and(|max| max < min) {
            return Err("upper is smaller than lower in repeat range".into());
        }
        self.at += ahead + 1;
        Ok(Some((min, high, !comma)))
    }

    pub(super) fn count(&self, ahead: &mut usize) -> Parsed<Option<u32>> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek_at(*ahead).and_then(|c| c.to_digit(10)) {
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            *ahead += 1;
        }
        match value {
            Some(value) if value > MAX_REPEAT => Err("too big number for repeat range".into()),
            value => Ok(value),
        }
    }
}

/// A repetition; directly of another one it becomes what Ruby makes of the two.
fn repeated(outer: Repeat) -> Node {
    let Node::Repeat(inner) = outer.node else { return Node::Repeat(Box::new(outer)) };
    let inner = *inner;
    let (mut outer, kinds) =
        (Repeat { node: Node::Empty, ..outer }, (kind(inner.min, inner.max), kind(outer.min, outer.max)));
    let make = |node, min, max, greedy| Node::Repeat(Box::new(Repeat { node, min, max, greedy }));
    let (Some(of_inner), of_outer) = kinds else {
        return make(Node::Repeat(Box::new(inner)), outer.min, outer.max, outer.greedy);
    };
    let Some(of_outer) = of_outer else {
        // More rounds of something endless find nothing new.
        let endless = inner.greedy && matches!(of_inner, '*' | '+');
        if endless
            && outer.greedy
            && let Some(max) = outer.max
            && max > 1
        {
            outer.max = Some(outer.min.max(1));
        }
        return make(Node::Repeat(Box::new(inner)), outer.min, outer.max, outer.greedy);
    };
    let star = |node, greedy| make(node, 0, None, greedy);
    match (of_inner, inner.greedy, of_outer, outer.greedy) {
        ('?', true, '?', true) | ('*', true, _, true) | ('*', true, '+', false) | ('+', true, '+', _) => {
            Node::Repeat(Box::new(inner))
        }
        ('?', false, '?', _) | ('*', false, _, _) | ('+', false, '+', false) => Node::Repeat(Box::new(inner)),
        ('?', true, '*' | '+', true) | ('+', true, '?' | '*', true) => star(inner.node, true),
        ('?', true, '?', false) => make(inner.node, 0, Some(1), false),
        ('?', true, '*', false) | ('?', false, _, _) | ('+', false, '?' | '*', false) => {
            star(inner.node, false)
        }
        ('*', true, _, false) | ('+', true, '*', false) => {
            let inner = Repeat { min: 1, max: None, ..inner };
            make(Node::Repeat(Box::new(inner)), 0, Some(1), false)
        }
        _ => make(Node::Repeat(Box::new(inner)), outer.min, outer.max, outer.greedy),
    }
}

/// The sign of a repetition that has one.
fn kind(min: u32, max: Option<u32>) -> Option<char> {
    match (min, max) {
        (0, Some(1)) => Some('?'),
        (0, None) => Some('*'),
        (1, None) => Some('+'),
        _ => None,
    }
}
