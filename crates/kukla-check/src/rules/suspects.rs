//! Resources that may come before themselves, by all code of a repository taken together. Evaluations leave out all others, which is what
//! makes them cheap: most repositories have no such resources.

use kukla::values::Str;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::repository::always::{Body, Declared, Reference, reference};

/// The resources that may be in a circle. All instances of a defined type count as one.
#[derive(Debug, Default)]
pub struct Suspects {
    resources: FxHashSet<Reference>,
    defines: FxHashSet<Str>,
}

/// The beginnings and ends of all resources, and which of them comes before which.
#[derive(Default)]
struct Graph {
    numbers: FxHashMap<Reference, usize>,
    edges: Vec<(usize, usize)>,
}

impl Suspects {
    /// The suspects among the resources of all bodies.
    pub fn of<'o>(bodies: &[&'o Body], defines: impl Iterator<Item = &'o str>) -> Suspects {
        let mut suspects =
            Suspects { resources: FxHashSet::default(), defines: defines.map(Str::from).collect() };
        let mut graph = Graph::default();
        for body in bodies {
            let owner = body.owner.reference();
            for declaration in body.declarations.iter().chain(body.branches.iter().flatten()) {
                suspects.connect(&mut graph, owner.as_ref(), &declaration.what);
            }
        }
        suspects.resources = graph.in_circles();
        suspects
    }

    fn connect(&self, graph: &mut Graph, owner: Option<&Reference>, declared: &Declared) {
        let class = |name: &Str| reference(&"class".into(), name);
        match (declared, owner) {
            (Declared::Ordered { before, after }, _) => graph.order(self.merged(before), self.merged(after)),
            (Declared::Required(name), Some(owner)) => graph.order(class(name), owner.clone()),
            (Declared::Contained(name), Some(owner)) => graph.contain(owner.clone(), class(name)),
            (Declared::Resource { kind, title, .. }, Some(owner)) => {
                graph.contain(owner.clone(), self.merged(&reference(kind, title)));
            }
            _ => {}
        }
    }

    fn merged(&self, resource: &Reference) -> Reference {
        match self.defines.contains(&resource.0) {
            true => (resource.0.clone(), Str::default()),
            false => resource.clone(),
        }
    }

    /// The resources that are suspects only here or only there. A defined type that is only here or there counts with all its instances.
    pub fn difference(&self, other: &Suspects) -> FxHashSet<Reference> {
        let defines = self.defines.symmetric_difference(&other.defines);
        let defines = defines.map(|name| (name.clone(), Str::default()));
        self.resources.symmetric_difference(&other.resources).cloned().chain(defines).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// Whether a resource may be in a circle.
    pub fn contains(&self, resource: &Reference) -> bool {
        !self.is_empty() && self.resources.contains(&self.merged(resource))
    }
}

impl Graph {
    fn number(&mut self, resource: Reference) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(resource).or_insert(next);
        if number == next {
            self.edges.push((2 * number, 2 * number + 1));
        }
        number
    }

    fn order(&mut self, before: Reference, after: Reference) {
        let (before, after) = (self.number(before), self.number(after));
        self.edges.push((2 * before + 1, 2 * after));
    }

    fn contain(&mut self, whole: Reference, part: Reference) {
        let (whole, part) = (self.number(whole), self.number(part));
        self.edges.extend([(2 * whole, 2 * part), (2 * part + 1, 2 * whole + 1)]);
    }

    /// The resources that are left when those without a predecessor, and those without a successor, are removed again and again.
    fn in_circles(self) -> FxHashSet<Reference> {
        let ends = 2 * self.numbers.len();
        let reversed: Vec<(usize, usize)> = self.edges.iter().map(|&(from, to)| (to, from)).collect();
        let (first, last) = (removable(ends, &self.edges), removable(ends, &reversed));
        let is_left = |end: usize| !first[end] && !last[end];
        let left = self.numbers.into_iter().filter(|&(_, at)| is_left(2 * at) || is_left(2 * at + 1));
        left.map(|(resource, _)| resource).collect()
    }
}

/// Which ends nothing in a circle leads to.
fn removable(ends: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut successors = vec![Vec::new(); ends];
    let mut predecessors = vec![0_usize; ends];
    for &(from, to) in edges {
        successors[from].push(to);
        predecessors[to] += 1;
    }
    let mut removed = vec![false; ends];
    let mut next: Vec<usize> = (0..ends).filter(|&end| predecessors[end] == 0).collect();
    while let Some(end) = next.pop() {
        removed[end] = true;
        for &to in &successors[end] {
            predecessors[to] -= 1;
            if predecessors[to] == 0 {
                next.push(to);
            }
        }
    }
    removed
}
