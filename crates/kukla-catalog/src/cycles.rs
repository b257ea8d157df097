//! Dependency cycles, which an agent would refuse to apply.
//!
//! A relationship with a class or define is one with everything inside it, so each container counts as two points: one
//! before all it contains and one after. Resources on a cycle are those that can reach themselves.

use crate::Catalog;
use crate::resource::each_related;

impl Catalog {
    /// The cycles, each as the references on it in order, the first one repeated at the end; no resource is on two of them.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let graph = Graph::of(self);
        if graph.is_acyclic() {
            return Vec::new();
        }
        let mut cycles: Vec<Vec<String>> = components(&graph)
            .into_iter()
            .filter_map(|component| circle(&graph, &component))
            .map(|points| self.references(&points))
            .collect();
        cycles.sort();
        cycles
    }

    fn references(&self, points: &[u32]) -> Vec<String> {
        let mut named: Vec<u32> = points.iter().map(|point| point / 2).collect();
        named.dedup();
        if named.len() > 1 && named.first() == named.last() {
            named.pop();
        }
        // A cycle has no beginning; start where the catalog does.
        if let Some(first) = (0..named.len()).min_by_key(|&at| named[at]) {
            named.rotate_left(first);
        }
        named.push(named[0]);
        named.iter().map(|&at| self.resources[at as usize].reference().to_string()).collect()
    }
}

/// The successors of each point. Point `2 * n` is the beginning of resource `n` and `2 * n + 1` its end; they are the same moment for a
/// resource that contains nothing.
struct Graph {
    /// Where the followers of each point begin, and those of the last end.
    starts: Vec<u32>,
    followers: Vec<u32>,
}

impl Graph {
    fn of(catalog: &Catalog) -> Graph {
        let mut steps: Vec<(u32, u32)> =
            Vec::with_capacity(catalog.resources.len() + 2 * catalog.edges.len());
        steps.extend((0..catalog.resources.len() as u32).map(|at| (at * 2, at * 2 + 1)));
        for edge in &catalog.edges {
            steps.push((edge.source * 2, edge.target * 2));
            steps.push((edge.target * 2 + 1, edge.source * 2 + 1));
        }
        for (resource, at) in catalog.resources.iter().zip(0..) {
            for (name, value) in &resource.parameters {
                let is_before_others = match name.as_str() {
                    "before" | "notify" => true,
                    "require" | "subscribe" => false,
                    _ => continue,
                };
                each_related(value, &mut |other| {
                    let Some(other) = catalog.position_as_written(other) else { return };
                    let (first, second) = if is_before_others { (at, other) } else { (other, at) };
                    steps.push((first * 2 + 1, second * 2));
                });
            }
        }
        Graph::new(catalog.resources.len() * 2, &steps)
    }

    fn new(points: usize, steps: &[(u32, u32)]) -> Graph {
        let mut starts = vec![0; points + 1];
        for (from, _) in steps {
            starts[*from as usize + 1] += 1;
        }
        for at in 0..points {
            starts[at + 1] += starts[at];
        }
        let (mut free, mut followers) = (starts.clone(), vec![0; steps.len()]);
        for (from, to) in steps {
            let place = &mut free[*from as usize];
            followers[*place as usize] = *to;
            *place += 1;
        }
        Graph { starts, followers }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn after(&self, point: u32) -> &[u32] {
        let at = point as usize;
        &self.followers[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Whether all points can be ordered: nearly all catalogs can, and this test is faster than finding cycles.
    fn is_acyclic(&self) -> bool {
        let mut waits_for = vec![0_u32; self.len()];
        self.followers.iter().for_each(|point| waits_for[*point as usize] += 1);
        let mut ready: Vec<u32> =
            (0..self.len() as u32).filter(|point| waits_for[*point as usize] == 0).collect();
        let mut reached = 0;
        while let Some(point) = ready.pop() {
            reached += 1;
            for follower in self.after(point) {
                let waits = &mut waits_for[*follower as usize];
                *waits -= 1;
                if *waits == 0 {
                    ready.push(*follower);
                }
            }
        }
        reached == self.len()
    }
}

/// Groups of points that can all reach each other, by Tarjan's algorithm with a stack of its own: catalogs are deep.
fn components(graph: &Graph) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; graph.len()];
    let mut low = vec![0; graph.len()];
    let mut on_stack = vec![false; graph.len()];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for start in 0..graph.len() as u32 {
        if order[start as usize] != UNSEEN {
            continue;
        }
        let mut work = vec![(start, 0_usize)];
        while let Some((point, child)) = work.pop() {
            let at = point as usize;
            if child == 0 {
                order[at] = next;
                low[at] = next;
                next += 1;
                stack.push(point);
                on_stack[at] = true;
            }
            if let Some(&follower) = graph.after(point).get(child) {
                work.push((point, child + 1));
                let to = follower as usize;
                if order[to] == UNSEEN {
                    work.push((follower, 0));
                } else if on_stack[to] {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                let from = stack.iter().rposition(|&other| other == point).unwrap_or(0);
                let component: Vec<u32> = stack.drain(from..).collect();
                component.iter().for_each(|&member| on_stack[member as usize] = false);
                if component.len() > 1 {
                    found.push(component);
                }
            }
        }
    }
    found
}

/// A shortest way from a point of a group back to it, within the group.
fn circle(graph: &Graph, component: &[u32]) -> Option<Vec<u32>> {
    let start = *component.iter().min()?;
    let inside: std::collections::BTreeSet<u32> = component.iter().copied().collect();
    let mut came_from = std::collections::BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(point) = queue.pop_front() {
        for &follower in graph.after(point) {
            if follower == start {
                let mut way = vec![point];
                while let Some(&before) = came_from.get(way.last()?) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            if inside.contains(&follower) && !came_from.contains_key(&follower) {
                came_from.insert(follower, point);
                queue.push_back(follower);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::Catalog;

    fn catalog(resources: &str, edges: &str) -> Catalog {
        let text = format!(
            r#"{{"name":"n","version":1,"environment":"e","catalog_format":2,"classes":[],"tags":[],"resources":[{resources}],"edges":[{edges}]}}"#
        );
        Catalog::from_json(text.as_bytes()).unwrap()
    }

    fn notify(title: &str, parameters: &str) -> String {
        format!(
            r#"{{"type":"Notify","title":"{title}","tags":[],"exported":false,"parameters":{{{parameters}}}}}"#
        )
    }

    #[test]
    fn a_cycle_is_named_in_order() {
        let resources = [
            notify("a", r#""before":"Notify[b]""#),
            notify("b", r#""notify":["Notify[c]"]"#),
            notify("c", r#""before":"Notify[a]""#),
            notify("d", r#""require":"Notify[a]""#),
        ];
        let cycles = catalog(&resources.join(","), "").cycles();
        assert_eq!(cycles, [["Notify[a]", "Notify[b]", "Notify[c]", "Notify[a]"]]);
    }

    #[test]
    fn text_leads_to_a_resource_in_any_spelling() {
        let resources = [notify("a", r#""before":"notify[b]""#), notify("b", r#""before":["Notify[a]"]"#)];
        let cycles = catalog(&resources.join(","), "").cycles();
        assert_eq!(cycles, [["Notify[a]", "Notify[b]", "Notify[a]"]]);
    }

    #[test]
    fn containers_order_what_they_contain() {
        let class = r#"{"type":"Class","title":"K","tags":[],"exported":false,"parameters":{"require":"Notify[in]"}}"#;
        let resources = format!("{class},{}", notify("in", ""));
        let cycles = catalog(&resources, r#"{"source":"Class[K]","target":"Notify[in]"}"#).cycles();
        assert_eq!(cycles, [["Class[K]", "Notify[in]", "Class[K]"]]);
        let resources = format!("{},{}", class.replace("in", "out"), notify("out", ""));
        assert!(catalog(&resources, "").cycles().is_empty());
    }
}
