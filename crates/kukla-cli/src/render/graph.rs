//! The graph of a catalog as an image: columns of resources, with edges from left to right.
//!
//! The layout has the usual four steps: edges that would lead back are turned around, every resource is put into the column after those
//! that come before it, the columns are ordered so that few edges cross, and resources are moved towards their neighbours.

use std::collections::BTreeMap;
use std::fmt::Write;

use kukla::catalog::{CatalogGraph, GraphEdge, GraphEdgeKind};

use super::markup::escape;
use super::visible::visible;

const STYLE: &str = "svg{color-scheme:light dark;background:#fff;font:12px ui-monospace,monospace}\
.node{fill:#f6f8fa;stroke:#818b98}text{fill:#1f2328}path{fill:none;stroke:#59636e}\
.contains{stroke:#c8d1da}.notify{stroke-dasharray:5 3}.cycle{stroke:#cf222e;stroke-width:2}\
@media(prefers-color-scheme:dark){svg{background:#0d1117}.node{fill:#151b23;stroke:#656c76}text{fill:#e6edf3}\
path{stroke:#9198a1}.contains{stroke:#3d444d}.cycle{stroke:#f85149}}";

/// The height of a resource, and the space between two of them.
const HEIGHT: f64 = 22.0;
const GAP: f64 = 8.0;
/// The space between columns.
const COLUMN_GAP: f64 = 70.0;
/// The width of a character.
const CHARACTER: f64 = 7.3;
/// The number of characters of a name to draw.
const LONGEST: usize = 60;
/// The number of times that the order of the columns is improved.
const SWEEPS: usize = 6;
/// The most columns, over all edges, that edges lead through around the resources there; beyond, they are drawn straight.
const MOST_BENDS: usize = 50_000;

/// The image.
pub fn svg(graph: &CatalogGraph) -> String {
    let layout = Layout::new(graph);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">\n<style>{STYLE}</style>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:context-stroke;stroke:none\"/></marker></defs>\n",
        layout.width, layout.height
    );
    for (edge, points) in graph.edges.iter().zip(&layout.paths) {
        path(&mut out, edge, points);
    }
    for (name, place) in layout.names.iter().zip(&layout.places) {
        let text = html(&shortened(name));
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect class=\"node\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{HEIGHT}\" rx=\"4\"/><text x=\"{:.1}\" y=\"{:.1}\">{text}</text></g>",
            html(name),
            place.x,
            place.y,
            place.width,
            place.x + 8.0,
            place.y + 15.0
        );
    }
    out.push_str("</svg>\n");
    out
}

fn html(text: &str) -> String {
    escape(&visible(text))
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn path(out: &mut String, edge: &GraphEdge, points: &[(f64, f64)]) {
    let [first, rest @ ..] = points else { return };
    let kind = match edge.kind {
        GraphEdgeKind::Contains => "contains",
        GraphEdgeKind::Before => "before",
        GraphEdgeKind::Notify => "notify",
    };
    let class = if edge.is_in_cycle { format!("{kind} cycle") } else { kind.to_owned() };
    let mut data = format!("M{:.1} {:.1}", first.0, first.1);
    let mut from = first;
    for to in rest {
        let middle = (from.0 + to.0) / 2.0;
        let _ = write!(data, "C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}", from.1, to.1, to.0, to.1);
        from = to;
    }
    let arrow = if edge.kind == GraphEdgeKind::Contains { "" } else { " marker-end=\"url(#arrow)\"" };
    let verb = if edge.kind == GraphEdgeKind::Contains { "contains" } else { "->" };
    let title = html(&format!("{} {verb} {}", edge.from, edge.to));
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{data}\"{arrow}><title>{title}</title></path>");
}

/// The place of a resource.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
}

struct Layout {
    names: Vec<String>,
    places: Vec<Place>,
    /// The points of each edge, in the order of the graph.
    paths: Vec<Vec<(f64, f64)>>,
    width: f64,
    height: f64,
}

/// One entry of a column: a resource, or a point that an edge leads through.
struct Entry {
    /// The number of the resource, or none.
    node: Option<usize>,
    column: usize,
    before: Vec<usize>,
    after: Vec<usize>,
    y: f64,
}

impl Layout {
    fn new(graph: &CatalogGraph) -> Layout {
        let mut numbers = BTreeMap::<&str, usize>::new();
        let mut names = Vec::new();
        let ends = graph.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
        for name in graph.nodes.iter().chain(ends) {
            numbers.entry(name).or_insert_with(|| {
                names.push(name.clone());
                names.len() - 1
            });
        }
        let edges: Vec<(usize, usize)> =
            graph.edges.iter().map(|edge| (numbers[edge.from.as_str()], numbers[edge.to.as_str()])).collect();
        let forward = forward_edges(names.len(), &edges);
        let columns = columns(names.len(), &forward);
        let mut entries: Vec<Entry> = columns
            .iter()
            .enumerate()
            .map(|(node, column)| Entry {
                node: Some(node),
                column: *column,
                before: Vec::new(),
                after: Vec::new(),
                y: 0.0,
            })
            .collect();
        let bends: usize =
            forward.iter().map(|(from, to)| columns[*to].saturating_sub(columns[*from] + 1)).sum();
        // The entries that each edge leads through, its ends included.
        let mut routes = Vec::with_capacity(forward.len());
        for (from, to) in &forward {
            let mut route = vec![*from];
            if bends <= MOST_BENDS {
                for column in columns[*from] + 1..columns[*to].max(columns[*from] + 1) {
                    entries.push(Entry { node: None, column, before: Vec::new(), after: Vec::new(), y: 0.0 });
                    route.push(entries.len() - 1);
                }
            }
            route.push(*to);
            if from != to {
                for pair in route.windows(2) {
                    entries[pair[0]].after.push(pair[1]);
                    entries[pair[1]].before.push(pair[0]);
                }
            }
            routes.push(route);
        }
        let order = ordered(&entries);
        place_vertically(&mut entries, &order);
        let widths: Vec<f64> =
            names.iter().map(|name| shortened(name).chars().count() as f64 * CHARACTER + 16.0).collect();
        let mut lefts = Vec::new();
        let mut x = GAP;
        for column in &order {
            lefts.push(x);
            let widest = column
                .iter()
                .filter_map(|entry| entries[*entry].node)
                .map(|node| widths[node])
                .fold(0.0, f64::max);
            x += widest + COLUMN_GAP;
        }
        let places: Vec<Place> = widths
            .iter()
            .enumerate()
            .map(|(node, width)| Place { x: lefts[columns[node]], y: entries[node].y, width: *width })
            .collect();
        let paths = edges.iter().zip(&forward).zip(&routes).map(|((edge, forward), route)| {
            let mut points = Vec::new();
            for (at, entry) in route.iter().enumerate() {
                let Entry { node, column, y, .. } = &entries[*entry];
                let middle = y + HEIGHT / 2.0;
                points.push(match node {
                    Some(node) if at == 0 => (places[*node].x + places[*node].width, middle),
                    Some(node) => (places[*node].x, middle),
                    None => (lefts[*column], middle),
                });
            }
            // An edge that was turned around is drawn as it is.
            if edge != forward {
                points.reverse();
            }
            points
        });
        let paths = paths.collect();
        let height = entries.iter().map(|entry| entry.y + HEIGHT + GAP).fold(HEIGHT + 2.0 * GAP, f64::max);
        let width = (x - COLUMN_GAP + GAP).max(2.0 * GAP);
        Layout { names, places, paths, width, height }
    }
}

/// The edges, with those turned around that lead back to a resource they were reached from.
fn forward_edges(nodes: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut after = vec![Vec::new(); nodes];
    for (number, (from, _)) in edges.iter().enumerate() {
        after[*from].push(number);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; nodes];
    let mut forward = edges.to_vec();
    for root in 0..nodes {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(number) = after[*node].get(*next) else {
                states[*node] = State::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let (from, to) = edges[*number];
            match states[to] {
                State::New => {
                    states[to] = State::Open;
                    stack.push((to, 0));
                }
                State::Open => forward[*number] = (to, from),
                State::Done => {}
            }
        }
    }
    forward
}

/// The column of each node: after all that come before it.
fn columns(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut after = vec![Vec::new(); nodes];
    let mut waits = vec![0_usize; nodes];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        after[*from].push(*to);
        waits[*to] += 1;
    }
    let mut columns = vec![0; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|node| waits[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for next in &after[node] {
            columns[*next] = columns[*next].max(columns[node] + 1);
            waits[*next] -= 1;
            if waits[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    columns
}

/// The entries of each column, in an order with few crossings: each entry goes to the mean position of its neighbours.
fn ordered(entries: &[Entry]) -> Vec<Vec<usize>> {
    let count = entries.iter().map(|entry| entry.column + 1).max().unwrap_or(0);
    let mut order = vec![Vec::new(); count];
    for (number, entry) in entries.iter().enumerate() {
        order[entry.column].push(number);
    }
    let mut positions = vec![0.0; entries.len()];
    let note = |positions: &mut Vec<f64>, column: &[usize]| {
        column.iter().enumerate().for_each(|(at, entry)| positions[*entry] = at as f64);
    };
    order.iter().for_each(|column| note(&mut positions, column));
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        let columns: Vec<usize> = if is_down { (0..count).collect() } else { (0..count).rev().collect() };
        for at in columns {
            let wanted: BTreeMap<usize, f64> = order[at]
                .iter()
                .map(|entry| {
                    let near = if is_down { &entries[*entry].before } else { &entries[*entry].after };
                    (*entry, mean(near.iter().map(|other| positions[*other])).unwrap_or(positions[*entry]))
                })
                .collect();
            order[at].sort_by(|one, other| wanted[one].total_cmp(&wanted[other]).then(one.cmp(other)));
            note(&mut positions, &order[at]);
        }
    }
    order
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// Puts each entry as near to its neighbours as those above it allow.
fn place_vertically(entries: &mut [Entry], order: &[Vec<usize>]) {
    let step = |entry: &Entry| if entry.node.is_some() { HEIGHT + GAP } else { GAP };
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        let count = order.len();
        for at in 0..count {
            let column = &order[if is_down { at } else { count - 1 - at }];
            let mut free = GAP;
            for entry in column {
                let near = if is_down { &entries[*entry].before } else { &entries[*entry].after };
                let wanted = mean(near.iter().map(|other| entries[*other].y)).unwrap_or(entries[*entry].y);
                let y = wanted.max(free);
                free = y + step(&entries[*entry]);
                entries[*entry].y = y;
            }
        }
    }
    // The image begins at the top.
    let top = entries.iter().map(|entry| entry.y).fold(f64::INFINITY, f64::min);
    if top.is_finite() {
        entries.iter_mut().for_each(|entry| entry.y -= top - GAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> CatalogGraph {
        let edge = |(from, to): &(&str, &str)| GraphEdge {
            from: (*from).into(),
            to: (*to).into(),
            kind: GraphEdgeKind::Before,
            is_in_cycle: false,
        };
        CatalogGraph { nodes: Vec::new(), edges: edges.iter().map(edge).collect() }
    }

    #[test]
    fn edges_lead_to_the_right_and_nothing_overlaps() {
        let layout =
            Layout::new(&graph(&[("a", "b"), ("b", "c"), ("a", "c"), ("a", "d"), ("d", "c"), ("x", "x")]));
        let place = |name: &str| layout.places[layout.names.iter().position(|one| one == name).unwrap()];
        assert!(place("a").x < place("b").x && place("b").x < place("c").x);
        for (at, one) in layout.places.iter().enumerate() {
            for other in &layout.places[at + 1..] {
                assert!(one.x != other.x || (one.y - other.y).abs() >= HEIGHT, "{one:?} {other:?}");
            }
        }
        assert!(
            layout
                .places
                .iter()
                .all(|place| place.x + place.width <= layout.width && place.y + HEIGHT <= layout.height)
        );
    }

    #[test]
    fn cycles_and_hostile_names_are_drawn() {
        let image = svg(&graph(&[("a", "b<i>"), ("b<i>", "a"), ("a", "a")]));
        assert_eq!(image.matches("<path class").count(), 3);
        assert!(image.contains("b&lt;i&gt;") && !image.contains("<i>"), "{image}");
        assert!(svg(&CatalogGraph::default()).ends_with("</svg>\n"));
    }

    #[test]
    fn a_long_chain_with_an_edge_to_every_member_is_drawn() {
        let names: Vec<String> = (0..600).map(|number| format!("n{number}")).collect();
        let mut edges: Vec<(&str, &str)> =
            names.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
        edges.extend(names[1..].iter().map(|name| ("n0", name.as_str())));
        assert_eq!(svg(&graph(&edges)).matches("<path class").count(), edges.len());
    }
}
