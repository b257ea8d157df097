//! Profiles in the formats of other viewers: speedscope and folded stacks.

use std::fmt::Write;
use std::time::Duration;

use indexmap::IndexSet;
use kukla::eval::profile::{Profile, Spot};
use kukla::fleet::FleetProfile;
use serde_json::json;

/// The stack of spots that ends with one of them.
fn stack<'p>(profile: &'p Profile, spot: &'p Spot) -> Vec<&'p Spot> {
    let mut stack: Vec<&Spot> =
        std::iter::successors(Some(spot), |spot| profile.spots.get(spot.caller?)).collect();
    stack.reverse();
    stack
}

fn label(spot: &Spot) -> String {
    format!("{} ({})", spot.name, spot.kind)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The time that no spot accounts for.
fn rest(profile: &Profile) -> Duration {
    let outermost = profile.spots.iter().filter(|spot| spot.caller.is_none()).map(|spot| spot.total);
    profile.total.saturating_sub(outermost.sum())
}

/// A profile for speedscope.app, one for each node.
pub fn speedscope(profiles: &FleetProfile) -> String {
    let mut frames = IndexSet::<String>::new();
    let mut frame = |name: String| frames.insert_full(name).0;
    let mut all = Vec::new();
    for (node, profile) in &profiles.nodes {
        let (mut samples, mut weights) = (Vec::new(), Vec::new());
        for (spot, own) in profile.spots.iter().zip(profile.own_times()) {
            if !own.is_zero() {
                samples.push(
                    stack(profile, spot).into_iter().map(|spot| frame(label(spot))).collect::<Vec<_>>(),
                );
                weights.push(micros(own));
            }
        }
        samples.push(vec![frame("everything else".to_owned())]);
        weights.push(micros(rest(profile)));
        all.push(json!({
            "type": "sampled",
            "name": node,
            "unit": "microseconds",
            "startValue": 0,
            "endValue": weights.iter().sum::<u64>(),
            "samples": samples,
            "weights": weights,
        }));
    }
    let frames: Vec<_> = frames.iter().map(|name| json!({"name": name})).collect();
    let document = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": "kukla compile",
        "exporter": concat!("kukla ", env!("CARGO_PKG_VERSION")),
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": all,
    });
    format!("{document}\n")
}

/// Folded stacks: a line for each stack, with its own time in microseconds. The node is the outermost frame.
pub fn folded(profiles: &FleetProfile) -> String {
    // A semicolon separates frames, a line break stacks.
    let clean = |text: &str| text.replace(';', ",").replace(['\n', '\r'], " ");
    let mut out = String::new();
    for (node, profile) in &profiles.nodes {
        for (spot, own) in profile.spots.iter().zip(profile.own_times()) {
            if micros(own) > 0 {
                let frames: Vec<String> =
                    stack(profile, spot).into_iter().map(|spot| clean(&label(spot))).collect();
                let _ = writeln!(out, "{};{} {}", clean(node), frames.join(";"), micros(own));
            }
        }
        let _ = writeln!(out, "{} {}", clean(node), micros(rest(profile)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn stacks_add_up_to_the_total() {
        let profiles = FleetProfile::of("web1", &profile());
        let folded = folded(&profiles);
        assert!(folded.contains("web1;app (class);app/<a>.epp (template) 5000\n"), "{folded}");
        let sum: u64 =
            folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
        assert_eq!(sum, 10_000);
        let document: serde_json::Value = serde_json::from_str(&speedscope(&profiles)).unwrap();
        let own = &document["profiles"][0];
        assert_eq!((own["endValue"].as_u64(), own["name"].as_str()), (Some(10_000), Some("web1")));
        assert_eq!(own["samples"].as_array().unwrap().len(), own["weights"].as_array().unwrap().len());
        let frames = document["shared"]["frames"].as_array().unwrap().len() as u64;
        let used = own["samples"].as_array().unwrap().iter().flat_map(|sample| sample.as_array().unwrap());
        assert!(used.map(|frame| frame.as_u64().unwrap()).all(|frame| frame < frames));
    }
}
