//! Checks that need the whole pattern: names, calls, and the content of look-behinds.

use std::sync::Arc;

use super::parse::{Call, Parsed, shortened};
use super::tree::{Boundary, Look, Node, Pattern};
use crate::Str;

/// How far calls of calls are followed.
const MAX_DEPTH: usize = 1000;
/// How many parts are looked at to tell whether a recursion ends.
const MAX_VISITS: usize = 100_000;

/// Numbers the groups that capture, resolves calls and checks the whole.
pub(super) fn finish(
    mut root: Node,
    groups: Vec<Option<Str>>,
    calls: Vec<Call>,
    numbered: bool,
) -> Parsed<Pattern> {
    let mut names: Vec<(Str, Vec<usize>)> = Vec::new();
    let mut count = groups.len();
    if groups.iter().any(Option::is_some) {
        if numbered {
            return Err("numbered backref/call is not allowed. (use name)".into());
        }
        // Plain groups do not capture once any group has a name.
        count = 0;
        let mut numbers = vec![None];
        for name in groups {
            numbers.push(name.map(|name| {
                count += 1;
                match names.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, numbers)) => numbers.push(count),
                    None => names.push((name, vec![count])),
                }
                count
            }));
        }
        renumber(&mut root, &numbers);
    }
    let resolved = calls.iter().map(|call| resolve(call, count, &names)).collect::<Parsed<Vec<usize>>>()?;
    set_calls(&mut root, &resolved);
    if !resolved.is_empty() {
        ends(&root, count)?;
    }
    let lengths = Groups::of(&root, count);
    let mut checked = root.clone();
    settle(&mut checked, &lengths, !names.is_empty())?;
    if checked.any(&|node| matches!(node, Node::Condition(condition) if condition.branches > 2)) {
        return Err("invalid conditional pattern".into());
    }
    Ok(Pattern { root: checked, groups: count, expands: false, names })
}

fn renumber(node: &mut Node, numbers: &[Option<usize>]) {
    let number = |old: usize| numbers.get(old).copied().flatten();
    while let Node::Group(old, inside) = node {
        match number(*old) {
            Some(new) => {
                *old = new;
                break;
            }
            None => *node = std::mem::replace(inside, Node::Empty),
        }
    }
    match node {
        Node::Backref(backref) => {
            backref.groups.iter_mut().for_each(|group| *group = number(*group).unwrap_or(0))
        }
        Node::Condition(condition) => condition.group = number(condition.group).unwrap_or(0),
        _ => {}
    }
    node.children_mut().into_iter().for_each(|child| renumber(child, numbers));
}

fn resolve(call: &Call, groups: usize, names: &[(Str, Vec<usize>)]) -> Parsed<usize> {
    let name = shortened(&call.name);
    match call.number {
        Some(1..) if !names.is_empty() => Err("numbered backref/call is not allowed. (use name)".into()),
        Some(number) if number > groups => Err(format!("undefined group <{name}> reference").into()),
        Some(number) => Ok(number),
        None => {
            match names.iter().find(|(known, _)| *known == call.name).map(|(_, numbers)| numbers.as_slice()) {
                Some(&[number]) => Ok(number),
                Some(_) => Err(format!("multiplex definition name <{name}> call").into()),
                None => Err(format!("undefined name <{name}> reference").into()),
            }
        }
    }
}

fn set_calls(node: &mut Node, resolved: &[usize]) {
    if let Node::Call(call) = node {
        *call = resolved.get(*call).copied().unwrap_or(0);
    }
    node.children_mut().into_iter().for_each(|child| set_calls(child, resolved));
}

/// The insides of groups by number, and what is known of their lengths.
pub(super) struct Groups<'p> {
    nodes: Vec<Option<&'p Node>>,
    shortest: Vec<usize>,
}

impl<'p> Groups<'p> {
    pub fn of(root: &'p Node, count: usize) -> Groups<'p> {
        let mut nodes = vec![None; count + 1];
        nodes[0] = Some(root);
        collect(root, &mut nodes);
        let mut groups = Groups { nodes, shortest: vec![0; count + 1] };
        // A group that mentions groups after it is known better the second time.
        for _ in 0..2 {
            for group in (0..=count).rev() {
                if let Some(node) = groups.nodes[group] {
                    groups.shortest[group] = groups.shortest(node);
                }
            }
        }
        groups
    }

    fn get(&self, group: usize) -> Option<&'p Node> {
        self.nodes.get(group).copied().flatten()
    }

    /// Whether something calls a group, directly or not.
    fn reaches(&self, node: &Node, home: usize, seen: &mut [bool], depth: usize) -> bool {
        if let Node::Call(group) = node {
            if *group == home {
                return true;
            }
            if seen[*group] || depth > MAX_DEPTH {
                return false;
            }
            seen[*group] = true;
            return self.get(*group).is_some_and(|node| self.reaches(node, home, seen, depth + 1));
        }
        node.children().into_iter().any(|child| self.reaches(child, home, seen, depth + 1))
    }

    /// Whether a group that does not exist is mentioned where the length is asked for.
    fn mentions_undefined(&self, node: &Node) -> bool {
        match node {
            Node::Backref(backref) => backref.groups.iter().any(|group| *group >= self.nodes.len()),
            Node::Repeat(repeat) if repeat.min == 0 => false,
            Node::Look(_) | Node::Absent(_) => false,
            node => node.children().into_iter().any(|child| self.mentions_undefined(child)),
        }
    }

    /// The fewest characters something can match.
    pub fn shortest(&self, node: &Node) -> usize {
        match node {
            Node::Text(text) => text.len(),
            // A single character may stand for up to three.
            Node::Folded(folded) => folded.places.len().div_ceil(3),
            Node::Set(_) | Node::Any { .. } => 1,
            Node::Sequence(nodes) => {
                nodes.iter().fold(0, |sum: usize, node| sum.saturating_add(self.shortest(node)))
            }
            Node::Choice(nodes) => nodes.iter().map(|node| self.shortest(node)).min().unwrap_or(0),
            Node::Repeat(repeat) => self.shortest(&repeat.node).saturating_mul(repeat.min as usize),
            Node::Group(_, node) | Node::Atomic(node) => self.shortest(node),
            Node::Condition(condition) => self.shortest(&condition.yes).min(self.shortest(&condition.no)),
            Node::Backref(backref) if backref.early => 0,
            Node::Backref(backref) => {
                let known = |group: &usize| self.shortest.get(*group).copied().unwrap_or(0);
                backref.groups.iter().map(known).min().unwrap_or(0)
            }
            Node::Call(group) => self.shortest.get(*group).copied().unwrap_or(0),
            Node::Empty | Node::Look(_) | Node::Absent(_) | Node::At(_) | Node::Keep => 0,
        }
    }
}

fn collect<'p>(node: &'p Node, nodes: &mut [Option<&'p Node>]) {
    if let Node::Group(number, inside) = node
        && let Some(slot) = nodes.get_mut(*number)
    {
        *slot = Some(inside);
    }
    node.children().into_iter().for_each(|child| collect(child, nodes));
}

/// How certainly a group comes back to itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Recursion {
    None,
    /// On every way through.
    Certain,
    /// Before any text is matched.
    Endless,
}

/// Refuses recursions that cannot end.
fn ends(root: &Node, count: usize) -> Parsed<()> {
    let groups = Groups::of(root, count);
    let mut search = Search { groups: &groups, home: 0, entered: vec![false; count + 1], visits: 0 };
    for group in 0..=count {
        search.home = group;
        if let Some(node) = groups.get(group)
            && groups.reaches(node, group, &mut vec![false; count + 1], 0)
            && search.recursion(node, true, 0)? != Recursion::None
        {
            return Err("never ending recursion".into());
        }
    }
    Ok(())
}

struct Search<'p> {
    groups: &'p Groups<'p>,
    home: usize,
    entered: Vec<bool>,
    visits: usize,
}

impl Search<'_> {
    fn recursion(&mut self, node: &Node, head: bool, depth: usize) -> Parsed<Recursion> {
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            return Err("parse depth limit over".into());
        }
        let certain = |certain| if certain { Recursion::Certain } else { Recursion::None };
        match node {
            Node::Sequence(nodes) => {
                let mut head = head;
                let mut found = Recursion::None;
                for node in nodes {
                    let inside = self.recursion(node, head, depth + 1)?;
                    if inside == Recursion::Endless {
                        return Ok(inside);
                    }
                    found = found.max(inside);
                    if head && self.groups.mentions_undefined(node) {
                        return Err("invalid backref number/name".into());
                    }
                    head = head && self.groups.shortest(node) == 0;
                }
                Ok(found)
            }
            Node::Choice(_) | Node::Condition(_) => {
                let mut all = true;
                for node in node.children() {
                    let inside = self.recursion(node, head, depth + 1)?;
                    if inside == Recursion::Endless {
                        return Ok(inside);
                    }
                    all &= inside == Recursion::Certain;
                }
                Ok(certain(all))
            }
            Node::Repeat(repeat) => {
                let inside = self.recursion(&repeat.node, head, depth + 1)?;
                Ok(if inside == Recursion::Certain && repeat.min == 0 { Recursion::None } else { inside })
            }
            Node::Look(look) => self.recursion(&look.node, head, depth + 1),
            Node::Atomic(node) | Node::Absent(node) => self.recursion(node, head, depth + 1),
            Node::Group(group, _) | Node::Call(group) => {
                let group = *group;
                if self.entered[group] {
                    return Ok(Recursion::None);
                }
                if group == self.home {
                    return Ok(if head { Recursion::Endless } else { Recursion::Certain });
                }
                let Some(node) = self.groups.get(group) else { return Ok(Recursion::None) };
                self.entered[group] = true;
                let inside = self.recursion(node, head, depth + 1);
                self.entered[group] = false;
                inside
            }
            _ => Ok(Recursion::None),
        }
    }
}

/// Checks mentions of groups and measures look-behinds.
fn settle(node: &mut Node, groups: &Groups<'_>, named: bool) -> Parsed<()> {
    let count = groups.nodes.len() - 1;
    match node {
        Node::Condition(condition) if condition.numbered && named => {
            return Err("numbered backref/call is not allowed. (use name)".into());
        }
        Node::Backref(backref) if backref.groups.iter().any(|group| *group > count) => {
            return Err("invalid backref number/name".into());
        }
        Node::Condition(condition) if condition.group > count => {
            return Err("invalid backref number/name".into());
        }
        Node::Repeat(repeat) if repeat.max != Some(0) && groups.mentions_undefined(&repeat.node) => {
            return Err("invalid backref number/name".into());
        }
        Node::Look(look) if look.behind.is_some() => {
            if !allowed_behind(&look.node, look.negative) {
                return Err("invalid pattern in look-behind".into());
            }
            let mut lengths = Lengths { groups, known: vec![None; count + 1] };
            match &mut look.node {
                Node::Choice(choices) => {
                    let measured: Option<Vec<usize>> =
                        choices.iter().map(|choice| lengths.of(choice, 0)).collect();
                    let Some(measured) = measured else {
                        return Err("invalid pattern in look-behind".into());
                    };
                    if measured.windows(2).all(|pair| pair[0] == pair[1]) {
                        look.behind = measured.first().copied();
                    } else {
                        // Alternatives of different lengths look behind each for itself.
                        let negative = look.negative;
                        let each = |(node, length)| {
                            Node::Look(Box::new(Look { node, negative, behind: Some(length) }))
                        };
                        let mut looks: Vec<Node> =
                            std::mem::take(choices).into_iter().zip(measured).map(each).collect();
                        for look in &mut looks {
                            look.children_mut()
                                .into_iter()
                                .try_for_each(|child| settle(child, groups, named))?;
                        }
                        *node = if negative { Node::Sequence(looks) } else { Node::Choice(looks) };
                        return Ok(());
                    }
                }
                inside => match lengths.of(inside, 0) {
                    Some(length) => look.behind = Some(length),
                    None => return Err("invalid pattern in look-behind".into()),
                },
            }
        }
        _ => {}
    }
    node.children_mut().into_iter().try_for_each(|child| settle(child, groups, named))?;
    write_out(node);
    Ok(())
}

/// Writes out the obligatory rounds of a text in any case, so that a character can equal several of them.
fn write_out(node: &mut Node) {
    const LONGEST: usize = 100;
    let Node::Repeat(repeat) = node else { return };
    let Node::Folded(folded) = &repeat.node else { return };
    let times = (repeat.min as usize).min((LONGEST / folded.bytes().max(1)).max(1));
    if times < 2 {
        return;
    }
    let text = Node::Folded(Arc::new(folded.times(times)));
    if repeat.max == Some(times as u32) {
        *node = text;
        return;
    }
    repeat.min -= times as u32;
    repeat.max = repeat.max.map(|max| max - times as u32);
    let rest = std::mem::replace(node, Node::Empty);
    *node = Node::Sequence(vec![text, rest]);
}

fn allowed_behind(node: &Node, negative: bool) -> bool {
    let allowed = match node {
        Node::Group(..) => !negative,
        Node::Atomic(_) | Node::Absent(_) | Node::Condition(_) | Node::Backref(_) => false,
        Node::Look(look) => look.behind.is_some(),
        Node::At(place) => !matches!(place, Boundary::TextEnd | Boundary::TextEndOrNewline),
        _ => true,
    };
    allowed && node.children().into_iter().all(|child| allowed_behind(child, negative))
}

/// Measures what always has the same length.
struct Lengths<'p> {
    groups: &'p Groups<'p>,
    /// The lengths of groups; while one is measured, it has none.
    known: Vec<Option<Option<usize>>>,
}

impl Lengths<'_> {
    fn of(&mut self, node: &Node, depth: usize) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        match node {
            Node::Text(text) => Some(text.len()),
            Node::Folded(folded) => Some(folded.written),
            Node::Set(_) | Node::Any { .. } => Some(1),
            Node::Sequence(nodes) => {
                nodes.iter().try_fold(0usize, |sum, node| sum.checked_add(self.of(node, depth + 1)?))
            }
            Node::Choice(nodes) => {
                let first = self.of(nodes.first()?, depth + 1)?;
                nodes[1..].iter().all(|node| self.of(node, depth + 1) == Some(first)).then_some(first)
            }
            Node::Repeat(repeat) if repeat.max == Some(repeat.min) => {
                self.of(&repeat.node, depth + 1)?.checked_mul(repeat.min as usize)
            }
            Node::Group(_, node) | Node::Atomic(node) => self.of(node, depth + 1),
            Node::Condition(condition) => {
                let yes = self.of(&condition.yes, depth + 1)?;
                (self.of(&condition.no, depth + 1)? == yes).then_some(yes)
            }
            Node::Call(group) => {
                if let Some(known) = self.known[*group] {
                    return known;
                }
                self.known[*group] = Some(None);
                let length = self.of(self.groups.get(*group)?, depth + 1);
                self.known[*group] = Some(length);
                length
            }
            Node::Empty | Node::Look(_) | Node::Absent(_) | Node::At(_) | Node::Keep => Some(0),
            _ => None,
        }
    }
}
