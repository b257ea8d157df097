//! `--profile`: the time of a compilation, as a table, a page, an image, or in the formats of other viewers.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use kukla::eval::profile::{Profile, Spot, SpotKind};
use kukla::fleet::FleetProfile;
use kukla::syntax::Problem;
use serde_json::json;

use crate::output::{self, err};
use crate::render::markup::escape;

mod exchange;
mod page;

/// Prints a profile on standard error, or writes it to a file in the format of its extension.
pub fn show(profiles: &FleetProfile, path: &Path) -> Result<(), Problem> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = match name.rsplit_once('.').map(|(_, extension)| extension) {
        _ if path.as_os_str() == "-" => {
            err!("{}", table(&profiles.all));
            return Ok(());
        }
        Some("html") => page::html(profiles),
        Some("svg") => flame_graph(&profiles.all),
        Some("json") if name.ends_with(".speedscope.json") => exchange::speedscope(profiles),
        Some("json") => document(&profiles.all),
        Some("folded") => exchange::folded(profiles),
        _ => table(&profiles.all),
    };
    output::write_file(path, text.as_bytes())
}

/// The number of lines in a table.
const LINES: usize = 40;

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn table(profile: &Profile) -> String {
    let sums = profile.sums();
    let mut out = format!("{:>10}  {:>10}  {:>8}  what\n", "self ms", "total ms", "calls");
    for sum in sums.iter().take(LINES) {
        let _ = writeln!(
            out,
            "{:10.3}  {:10.3}  {:8}  {} {}",
            ms(sum.own),
            ms(sum.total),
            sum.count,
            sum.kind,
            sum.name
        );
    }
    if sums.len() > LINES {
        let _ = writeln!(out, "{:>34}and {} more", "", sums.len() - LINES);
    }
    let known: Duration = sums.iter().map(|sum| sum.own).sum();
    let rest = profile.total.saturating_sub(known);
    let _ = writeln!(out, "{:10.3}  {:10.3}            everything else", ms(rest), ms(rest));
    let _ = writeln!(out, "{:10.3}  {:10.3}            in all", ms(profile.total), ms(profile.total));
    for kind in KINDS {
        let own: Duration = sums.iter().filter(|sum| sum.kind == kind).map(|sum| sum.own).sum();
        let calls: u64 = sums.iter().filter(|sum| sum.kind == kind).map(|sum| sum.count).sum();
        if calls > 0 {
            let _ = writeln!(out, "{:10.3}              {calls:8}  all of kind {kind}", ms(own));
        }
    }
    out
}

const KINDS: [SpotKind; 7] = [
    SpotKind::File,
    SpotKind::Class,
    SpotKind::Define,
    SpotKind::Function,
    SpotKind::Ruby,
    SpotKind::Template,
    SpotKind::Lookup,
];

fn document(profile: &Profile) -> String {
    let own = profile.own_times();
    let spots: Vec<_> = profile
        .spots
        .iter()
        .zip(own)
        .map(|(Spot { kind, name, caller, count, total }, own)| {
            json!({"kind": kind.name(), "name": name.as_str(), "caller": caller, "calls": count, "self_ms": ms(own), "total_ms": ms(*total)})
        })
        .collect();
    let sums: Vec<_> = profile
        .sums()
        .into_iter()
        .map(|sum| {
            json!({"kind": sum.kind.name(), "name": sum.name.as_str(), "calls": sum.count, "self_ms": ms(sum.own), "total_ms": ms(sum.total)})
        })
        .collect();
    format!("{:#}\n", json!({"total_ms": ms(profile.total), "sums": sums, "spots": spots}))
}

const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;

/// The narrowest rectangle that is drawn.
const NARROWEST: f64 = 0.3;

/// A flame graph: each rectangle is as wide as the time of its call, above that of its caller.
fn flame_graph(profile: &Profile) -> String {
    let all: Duration =
        profile.spots.iter().filter(|spot| spot.caller.is_none()).map(|spot| spot.total).sum();
    let whole = profile.total.max(all);
    let scale = WIDTH / whole.as_secs_f64().max(1e-9);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); profile.spots.len()];
    let mut roots = Vec::new();
    for (at, spot) in profile.spots.iter().enumerate() {
        match spot.caller {
            Some(caller) => children[caller].push(at),
            None => roots.push(at),
        }
    }
    let mut boxes = String::new();
    let mut deepest = 0;
    let mut open: Vec<(Vec<usize>, f64, usize)> = vec![(roots, 0.0, 1)];
    while let Some((siblings, mut x, depth)) = open.pop() {
        for at in siblings {
            let spot = &profile.spots[at];
            let width = spot.total.as_secs_f64() * scale;
            if width < NARROWEST {
                continue;
            }
            deepest = deepest.max(depth);
            boxed(&mut boxes, spot, x, depth, width);
            open.push((std::mem::take(&mut children[at]), x, depth + 1));
            x += width;
        }
    }
    let height = (deepest + 1) as f64 * ROW;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{WIDTH}\" height=\"{ROW}\" fill=\"#ddd\"/><text x=\"4\" y=\"13\">catalog: {:.3} ms</text>\n{boxes}</svg>\n",
        ms(profile.total)
    )
}

fn boxed(out: &mut String, spot: &Spot, x: f64, depth: usize, width: f64) {
    let colour = match spot.kind {
        SpotKind::File => "#c9c2b0",
        SpotKind::Class => "#e8a33d",
        SpotKind::Define => "#f0c987",
        SpotKind::Function => "#8fb8de",
        SpotKind::Ruby => "#d9534f",
        SpotKind::Template => "#9bc59d",
        SpotKind::Lookup => "#b79ad3",
    };
    let y = depth as f64 * ROW;
    let name = escape(&format!("{} ({})", spot.name, spot.kind));
    let _ = write!(
        out,
        "<g><title>{name}: {:.3} ms, {} calls</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{:.0}\" fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"0.4\"/>",
        ms(spot.total),
        spot.count,
        ROW - 1.0
    );
    // As much of the name as there is room for; the colour has the kind.
    let room = (width / 6.5) as usize;
    if room >= 4 {
        let plain = format!("{} ({})", spot.name, spot.kind);
        let shown: String = plain.chars().take(room).collect();
        let _ = write!(out, "<text x=\"{:.2}\" y=\"{}\">{}</text>", x + 3.0, y + 13.0, escape(&shown));
    }
    out.push_str("</g>\n");
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) fn profile() -> Profile {
        let spot = |kind, name: &str, caller, total| Spot {
            kind,
            name: name.into(),
            caller,
            count: 2,
            total: Duration::from_millis(total),
        };
        let mut profile = Profile::default();
        profile.total = Duration::from_millis(10);
        profile.spots = vec![
            spot(SpotKind::Class, "app", None, 8),
            spot(SpotKind::Template, "app/<a>.epp", Some(0), 5),
            spot(SpotKind::Lookup, "app::size", Some(0), 1),
        ];
        profile
    }

    #[test]
    fn the_table_adds_up() {
        let table = table(&profile());
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["5.000", "5.000", "2", "template", "app/<a>.epp"]);
        assert_eq!(lines[2], ["2.000", "8.000", "2", "class", "app"]);
        assert_eq!(lines[4], ["2.000", "2.000", "everything", "else"]);
        assert_eq!(lines[5], ["10.000", "10.000", "in", "all"]);
    }

    #[test]
    fn pictures_and_documents_are_well_formed() {
        let svg = flame_graph(&profile());
        assert_eq!(svg.matches("<g>").count(), 3);
        assert!(svg.contains("app/&lt;a&gt;.epp (template): 5.000 ms") && !svg.contains("<a>"), "{svg}");
        let json: serde_json::Value = serde_json::from_str(&document(&profile())).unwrap();
        assert_eq!(json["spots"][1]["caller"], 0);
        assert_eq!(json["sums"][0]["name"], "app/<a>.epp");
    }
}
