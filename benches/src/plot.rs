//! Plots as SVG: bars for ratios, lines for growth, both on logarithmic scales.

use std::fmt::Write as _;
use std::path::PathBuf;

/// The colours of the series, which people with colour blindness can distinguish.
const COLOURS: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];

/// A named series of points.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: &'static str,
    /// The points; for bars, the first coordinate is not looked at.
    pub points: Vec<(f64, f64)>,
}

/// Writes a plot where `KUKLA_PLOTS` says; without that variable nothing is written.
#[allow(clippy::disallowed_methods)]
pub fn write(name: &str, svg: &str) -> std::io::Result<()> {
    let Some(directory) = std::env::var_os("KUKLA_PLOTS").map(PathBuf::from) else { return Ok(()) };
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join(format!("{name}.svg")), svg)
}

/// Horizontal bars, a group for each label with a bar of each series.
pub fn bars(title: &str, unit: &str, labels: &[&str], series: &[Series]) -> String {
    let (left, right, top) = (170.0, 60.0, 60.0);
    let (width, bar) = (820.0, 11.0);
    let group = bar * series.len() as f64 + 8.0;
    let bottom = top + group * labels.len() as f64;
    let values = || series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let scale = Scale::around(values().chain([1.0]), left, width - right);
    let mut svg = head(width, bottom + 40.0, title, series);
    columns(&mut svg, &scale, (top, bottom), unit);
    for (n, label) in labels.iter().enumerate() {
        let y = top + group * n as f64;
        let _ = writeln!(
            svg,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#,
            left - 8.0,
            y + group / 2.0 + 1.0
        );
        for (which, series) in series.iter().enumerate() {
            let Some(&(_, value)) = series.points.get(n) else { continue };
            let (y, end) = (y + bar * which as f64, scale.place(value));
            let _ = writeln!(
                svg,
                r#"<rect x="{left:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{}"/><text x="{:.1}" y="{:.1}" class="value">{}</text>"#,
                (end - left).max(1.0),
                bar - 1.5,
                COLOURS[which % COLOURS.len()],
                end + 4.0,
                y + bar - 2.5,
                number(value)
            );
        }
    }
    svg + "</svg>\n"
}

/// Lines, each point marked, both axes logarithmic.
pub fn lines(title: &str, across: &str, up: &str, series: &[Series]) -> String {
    let (width, height) = (820.0, 420.0);
    let (left, right, top, bottom) = (80.0, width - 30.0, 60.0, height - 50.0);
    let points = || series.iter().flat_map(|series| series.points.iter());
    let x_scale = Scale::around(points().map(|point| point.0), left, right);
    let y_scale = Scale::around(points().map(|point| point.1), bottom, top);
    let mut svg = head(width, height, title, series);
    columns(&mut svg, &x_scale, (top, bottom), "");
    for tick in y_scale.ticks() {
        let y = y_scale.place(tick);
        let _ = writeln!(
            svg,
            r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 6.0,
            y + 4.0,
            number(tick)
        );
    }
    let _ = writeln!(
        svg,
        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{across}</text><text x="14" y="{:.1}" text-anchor="middle" transform="rotate(-90 14 {:.1})">{up}</text>"#,
        f64::midpoint(left, right),
        height - 12.0,
        f64::midpoint(top, bottom),
        f64::midpoint(top, bottom),
    );
    for (series, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let places: Vec<_> =
            series.points.iter().map(|&(x, y)| (x_scale.place(x), y_scale.place(y))).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(
            svg,
            r#"<path d="M{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            path.join("L")
        );
        for (x, y) in places {
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{colour}"/>"#);
        }
    }
    svg + "</svg>\n"
}

/// The lines of a scale that goes across, with their numbers below.
fn columns(svg: &mut String, scale: &Scale, (top, bottom): (f64, f64), unit: &str) {
    for tick in scale.ticks() {
        let x = scale.place(tick);
        let _ = writeln!(
            svg,
            r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{}{unit}</text>"#,
            bottom + 18.0,
            number(tick)
        );
    }
}

fn head(width: f64, height: f64, title: &str, series: &[Series]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<style>text{{fill:#333}}.value{{font-size:10px}}.grid{{stroke:#ccc;stroke-width:.5}}.title{{font-size:15px;font-weight:bold}}</style>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n<text class=\"title\" x=\"12\" y=\"22\">{title}</text>\n"
    );
    let mut x = 12.0;
    for (series, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let _ = writeln!(
            svg,
            r#"<rect x="{x:.0}" y="34" width="10" height="10" fill="{colour}"/><text x="{:.0}" y="43">{}</text>"#,
            x + 15.0,
            series.name
        );
        x += 40.0 + 6.6 * series.name.len() as f64;
    }
    svg
}

/// A logarithmic scale over whole powers of ten.
struct Scale {
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Scale {
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| (low.min(value), high.max(value)));
        let first = low.log10().floor() as i32;
        Scale { first, last: (high.log10().ceil() as i32).max(first + 1), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + (self.to - self.from) * share
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|power| 10f64.powi(power))
    }
}

fn number(value: f64) -> String {
    match value {
        _ if value >= 1000.0 => {
            let digits = format!("{value:.0}");
            let grouped: Vec<&str> = digits
                .as_bytes()
                .rchunks(3)
                .rev()
                .map(|part| std::str::from_utf8(part).unwrap_or_default())
                .collect();
            grouped.join(",")
        }
        _ if value >= 10.0 => format!("{value:.0}"),
        _ => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            ["0.01", "2.5", "12", "20,000"].map(String::from),
            [0.01, 2.5, 12.3, 20_000.0].map(number)
        );
    }

    #[test]
    fn a_power_of_ten_lies_on_its_tick() {
        let scale = Scale::around([2.0, 900.0].into_iter(), 0.0, 300.0);
        assert_eq!(
            [0.0, 100.0, 200.0, 300.0],
            [1.0, 10.0, 100.0, 1000.0].map(|value| scale.place(value).round())
        );
    }
}
