//! Resources that come before themselves, by code that is certainly evaluated for the same node.

use std::fmt;

use kukla::syntax::{Location, Source, Span, diagnostic};
use rustc_hash::FxHashMap;

use super::relation::DEPENDENCY_CYCLE;
use crate::finding::Finding;
use crate::repository::always::Reference;

/// The place of a declaration.
pub type CodePlace<'o> = (&'o Source, Span);

/// The order of the resources of an evaluation.
#[derive(Default)]
pub struct Order<'o> {
    /// The resources, and the class or instance of a defined type that each is a part of.
    resources: FxHashMap<Reference, Option<Reference>>,
    /// The statements of code about two of them.
    steps: Vec<Step<'o>>,
}

/// A statement of code about two resources.
#[derive(Clone, Debug)]
struct Step<'o> {
    how: How,
    first: Reference,
    second: Reference,
    place: CodePlace<'o>,
}

/// The way in which one resource precedes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It comes before the other one.
    Before,
    /// The other one is a class that `require`s it.
    Required,
    /// The other one is a class that it contains.
    Around,
}

/// The steps of a circle.
#[derive(Debug)]
pub struct Cycle<'o> {
    steps: Vec<Step<'o>>,
}

/// The beginning or the end of a resource: everything in a class lies between the two.
type End = usize;

impl<'o> Order<'o> {
    /// Adds a resource, as a part of another one.
    pub fn add(&mut self, resource: Reference, container: Option<&Reference>) {
        self.resources.entry(resource).or_insert_with(|| container.cloned());
    }

    /// Puts one resource before another, or around it.
    pub fn put(&mut self, how: How, first: Reference, second: Reference, place: CodePlace<'o>) {
        self.steps.push(Step { how, first, second, place });
    }

    /// A cycle, if there is one. References to resources that are not among those added do not count.
    pub fn cycle(&self) -> Option<Cycle<'o>> {
        if self.steps.is_empty() {
            return None;
        }
        let numbers: FxHashMap<&Reference, usize> =
            self.resources.keys().enumerate().map(|(at, resource)| (resource, at)).collect();
        let number = |resource: &Reference| numbers.get(resource).copied();
        let mut edges: Vec<Vec<(End, Option<usize>)>> = vec![Vec::new(); 2 * numbers.len()];
        for at in 0..numbers.len() {
            edges[2 * at].push((2 * at + 1, None));
        }
        for (part, whole) in &self.resources {
            let (Some(whole), Some(part)) = (whole.as_ref().and_then(number), number(part)) else { continue };
            edges[2 * whole].push((2 * part, None));
            edges[2 * part + 1].push((2 * whole + 1, None));
        }
        for (at, Step { how, first, second, .. }) in self.steps.iter().enumerate() {
            let (Some(first), Some(second)) = (number(first), number(second)) else { continue };
            match how {
                How::Before | How::Required => edges[2 * first + 1].push((2 * second, Some(at))),
                How::Around => {
                    edges[2 * first].push((2 * second, Some(at)));
                    edges[2 * second + 1].push((2 * first + 1, Some(at)));
                }
            }
        }
        // In the order of the code, so that the same cycle is found each time.
        let starts =
            self.steps.iter().filter_map(|step| number(&step.first)).flat_map(|at| [2 * at, 2 * at + 1]);
        let found = circle(&edges, starts)?;
        Some(Cycle { steps: found.into_iter().map(|at| self.steps[at].clone()).collect() })
    }
}

/// The steps of a circle, if there is one.
fn circle(edges: &[Vec<(End, Option<usize>)>], starts: impl Iterator<Item = End>) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Never,
        OnPath,
        Done,
    }
    let mut visits = vec![Visit::Never; edges.len()];
    for start in starts {
        if visits[start] != Visit::Never {
            continue;
        }
        // The path, each end with the step that led to it and the next edge to follow.
        let mut path: Vec<(End, Option<usize>, usize)> = vec![(start, None, 0)];
        visits[start] = Visit::OnPath;
        while let Some((end, _, next)) = path.last_mut() {
            let Some(&(to, pair)) = edges[*end].get(*next) else {
                visits[*end] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match visits[to] {
                Visit::Done => {}
                Visit::Never => {
                    visits[to] = Visit::OnPath;
                    path.push((to, pair, 0));
                }
                Visit::OnPath => {
                    let from = path.iter().position(|(end, ..)| *end == to).unwrap_or_default();
                    let pairs = path[from + 1..].iter().map(|(_, pair, _)| *pair).chain([pair]);
                    return Some(pairs.flatten().collect());
                }
            }
        }
    }
    None
}

impl Cycle<'_> {
    /// The places of its steps, which differ for each cycle.
    pub fn key(&self) -> Vec<(Option<String>, Span)> {
        let place = |step: &Step<'_>| (step.place.0.name().map(str::to_owned), step.place.1);
        let mut key: Vec<_> = self.steps.iter().map(place).collect();
        key.sort();
        key
    }

    /// Whether all of it are classes that `require` each other, which has a rule of its own.
    pub fn is_of_classes(&self) -> bool {
        self.steps.iter().all(|step| step.how == How::Required)
    }

    /// The texts of the steps.
    pub fn sources(&self) -> Vec<Source> {
        self.steps.iter().map(|step| step.place.0.clone()).collect()
    }

    /// The finding, at the last of its places.
    pub fn finding(&self) -> Option<Finding> {
        let (source, span) =
            self.steps.iter().map(|step| step.place).max_by_key(|place| (place.0.name(), place.1))?;
        let circle = self.steps.iter().map(Step::to_string).collect::<Vec<_>>().join(", ");
        let mut wrong = diagnostic!(span, DEPENDENCY_CYCLE { circle }).in_source(source);
        for step in
            self.steps.iter().filter(|step| (step.place.0.name(), step.place.1) != (source.name(), span))
        {
            let location = Location { source: step.place.0.clone(), span: step.place.1 };
            wrong = wrong.label(location, step.to_string());
        }
        Some(wrong.into())
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.how == How::Around { "around" } else { "before" };
        write!(f, "{} {how} {}", shown(&self.first), shown(&self.second))
    }
}

/// `Package['ntp']`.
fn shown((kind, title): &Reference) -> String {
    let kind: Vec<String> = kind.split("::").map(capitalized).collect();
    format!("{}['{title}']", kind.join("::"))
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
