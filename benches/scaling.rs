//! `cargo bench -p kukla-benches --bench scaling`: one catalog of a hundred to a hundred thousand resources, Kukla and real
//! Puppet in turns.
//!
//! The variables are those of the scenarios. Puppet is not asked for more than `KUKLA_BENCH_MOST` resources (10,000), since it
//! takes minutes for them. Arguments are numbers of resources.

use kukla_benches::plot::{self, Series};
use kukla_benches::scenario::many_resources;
use kukla_benches::timing::{FEW, Rounds, Timing, kukla, milliseconds, puppet, ratio, time};

const SIZES: [usize; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
const SOME: Rounds = Rounds { cold: 3, warm: 5 };

#[allow(clippy::disallowed_methods)]
fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if wanted.is_empty() { SIZES.to_vec() } else { wanted };
    let most = std::env::var("KUKLA_BENCH_MOST").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let (kukla, puppet) = (kukla(), puppet());
    println!(
        "| resources | cold ms | warm ms | peak MB | Puppet cold ms | warm ms | peak MB | cold ratio | warm ratio |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut series = ["Kukla, first", "Kukla, next", "Puppet, first", "Puppet, next"]
        .map(|name| Series { name, points: Vec::new() });
    for count in sizes {
        let root = std::env::temp_dir().join(format!("kukla-bench-{}-{count}", std::process::id()));
        let params = many_resources(count).write(&root).expect("a place for the files");
        let ours = time(&kukla, &params, SOME).expect("Kukla compiles it");
        let theirs = puppet.as_ref().filter(|_| count <= most);
        let theirs = theirs.map(|command| time(command, &params, FEW).expect("Puppet compiles it"));
        let _ = std::fs::remove_dir_all(root);
        let figures = |timing: &Timing| {
            let memory = timing.memory.map_or_else(|| "-".into(), |mb| format!("{mb:.0}"));
            format!("{:.1} | {:.2} | {memory}", milliseconds(timing.cold), milliseconds(timing.renewed))
        };
        let rest = theirs.as_ref().map_or_else(
            || "| | | |".to_owned(),
            |theirs| {
                let ratios = (ratio(theirs.cold, ours.cold), ratio(theirs.renewed, ours.renewed));
                format!("{} | {:.0} | {:.0}", figures(theirs), ratios.0, ratios.1)
            },
        );
        println!("| {count} | {} | {rest} |", figures(&ours));
        let sides = [Some(&ours), theirs.as_ref()].into_iter().enumerate();
        for (at, side) in sides.filter_map(|(at, side)| Some((at * 2, side?))) {
            series[at].points.push((count as f64, milliseconds(side.cold)));
            series[at + 1].points.push((count as f64, milliseconds(side.renewed)));
        }
    }
    let drawn: Vec<Series> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    let svg = plot::lines("One catalog: time by its size", "resources", "milliseconds", &drawn);
    plot::write("resources", &svg).expect("a place for the plot");
}
