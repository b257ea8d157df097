//! A profile as one HTML page: a flame graph with zoom and search, and a table; without scripts only the table.

use kukla::eval::profile::{Profile, Spot};
use kukla::fleet::FleetProfile;
use serde_json::{Value as Json, json};

use super::{KINDS, table};
use crate::render::markup::{escape, fill, script_hash};

const PAGE: &str = include_str!("flame.html");
const STYLE: &str = include_str!("flame.css");
const SCRIPT: &str = include_str!("flame.js");

/// The page.
pub fn html(profiles: &FleetProfile) -> String {
    fill(PAGE, |name| match name {
        "script hash" => script_hash(SCRIPT),
        "title" => title(profiles),
        "style" => STYLE.to_owned(),
        "table" => escape(&table(&profiles.all)),
        "data" => data(profiles),
        _ => SCRIPT.to_owned(),
    })
}

fn title(profiles: &FleetProfile) -> String {
    match &profiles.nodes[..] {
        [(node, _)] => escape(&format!("Time of the catalog of {node}")),
        nodes => format!("Time of {} catalogs", nodes.len()),
    }
}

/// The data of the page, as JSON that cannot end its element.
fn data(profiles: &FleetProfile) -> String {
    let mut all: Vec<Json> = profiles.nodes.iter().map(|(node, one)| profile(node, one)).collect();
    if all.len() > 1 {
        all.insert(0, profile("all nodes", &profiles.all));
    }
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    json!({"kinds": kinds, "profiles": all}).to_string().replace('<', "\\u003c")
}

fn profile(name: &str, profile: &Profile) -> Json {
    let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let spot = |spot: &Spot| {
        let kind = KINDS.iter().position(|kind| *kind == spot.kind);
        let caller = spot.caller.map_or(-1, |caller| i64::try_from(caller).unwrap_or(-1));
        json!([kind, spot.name.as_str(), caller, spot.count, micros(spot.total)])
    };
    json!({
        "name": name,
        "total": micros(profile.total),
        "spots": profile.spots.iter().map(spot).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn no_name_can_leave_the_data() {
        let mut profile = profile();
        profile.spots[1].name = "</script><script>alert(1)</script>".into();
        let mut profiles = FleetProfile::of("web1", &profile);
        profiles.add("web2", &profile);
        let page = html(&profiles);
        assert!(!page.contains("<script>alert") && page.contains("\\u003c/script>"), "{page}");
        assert!(page.contains("Time of 2 catalogs") && page.contains("all nodes"), "{page}");
    }
}
