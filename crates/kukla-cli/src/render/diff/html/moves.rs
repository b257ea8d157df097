//! Moves between classes as a graph: the containers before on the left, those after on the right.

use std::collections::BTreeMap;
use std::fmt::Write;

use kukla::diff::FleetDifference;

use super::html;
use crate::render::diff::words;
use crate::render::difference::container;

/// The number of moves to draw.
const DRAWN: usize = 40;
/// The number of resources of a move to list.
const NAMED: usize = 20;
/// The number of characters of a name to draw.
const LONGEST: usize = 40;
const WIDTH: usize = 960;
const ROW: usize = 26;
/// The end of the left names and the start of the right ones.
const LEFT: usize = 340;
const RIGHT: usize = WIDTH - LEFT;

/// Draws the moves, those of most resources first; nothing if there are none.
pub fn graph(out: &mut String, report: &FleetDifference) {
    let mut moves = BTreeMap::<(String, String), Vec<String>>::new();
    for change in report.groups.iter().flat_map(|group| &group.changes.resources) {
        if let Some((from, to)) = &change.moved {
            let ends = (container(from.as_ref()), container(to.as_ref()));
            moves.entry(ends).or_default().push(change.name.to_string());
        }
    }
    if moves.is_empty() {
        return;
    }
    let mut moves: Vec<_> = moves.into_iter().collect();
    moves.sort_by_key(|(_, resources)| std::cmp::Reverse(resources.len()));
    let left_out = moves.split_off(DRAWN.min(moves.len()));
    *out += "<h2>Moved between classes</h2>\n";
    draw(out, &moves);
    if !left_out.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{} more are not drawn.</p>", left_out.len());
    }
}

fn draw(out: &mut String, moves: &[((String, String), Vec<String>)]) {
    let left = heights(moves.iter().map(|((from, _), _)| from));
    let right = heights(moves.iter().map(|((_, to), _)| to));
    let height = (left.len().max(right.len()) + 1) * ROW;
    let _ = writeln!(
        out,
        "<svg class=\"moves\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"Moved between classes\">"
    );
    for ((from, to), resources) in moves {
        let (y1, y2) = (left[from.as_str()], right[to.as_str()]);
        let (x1, x2, middle) = (LEFT + 10, RIGHT - 10, WIDTH / 2);
        let width = 2 + resources.len().ilog2();
        let mut named: Vec<&str> = resources.iter().take(NAMED).map(String::as_str).collect();
        let more = format!("and {} more", resources.len().saturating_sub(NAMED));
        if resources.len() > NAMED {
            named.push(&more);
        }
        let count = words::count(resources.len(), "resource", "resources");
        let title = format!("{} from {} to {}: {}", count, html(from), html(to), html(&named.join(", ")));
        let _ = writeln!(
            out,
            "<path d=\"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}\" stroke-width=\"{width}\"><title>{title}</title></path>"
        );
    }
    for (names, x, anchor) in [(&left, LEFT, "end"), (&right, RIGHT, "start")] {
        for (name, y) in names {
            let y = y + 4;
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}<title>{}</title></text>",
                html(&short(name)),
                html(name)
            );
        }
    }
    *out += "</svg>\n";
}

/// Names from top to bottom, with the height of each.
fn heights<'n>(names: impl Iterator<Item = &'n String>) -> BTreeMap<&'n str, usize> {
    let mut heights: BTreeMap<&str, usize> = names.map(|name| (name.as_str(), 0)).collect();
    heights.values_mut().enumerate().for_each(|(n, y)| *y = (n + 1) * ROW);
    heights
}

fn short(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
