//! The time of many compilations: of all nodes together, and of the slowest ones apart.

use kukla_eval::profile::Profile;

/// The number of nodes whose profiles are kept apart: those of a large fleet would not fit into memory.
const APART: usize = 50;

/// The profiles of a run.
#[derive(Clone, Debug, Default)]
pub struct FleetProfile {
    /// The sum over all nodes.
    pub all: Profile,
    /// The slowest nodes, by name, the slowest first.
    pub nodes: Vec<(String, Profile)>,
}

impl FleetProfile {
    /// The profile of one node.
    pub fn of(node: &str, profile: &Profile) -> FleetProfile {
        let mut all = FleetProfile::default();
        all.add(node, profile);
        all
    }

    /// Adds the profile of a node.
    pub fn add(&mut self, node: &str, profile: &Profile) {
        self.all.absorb(profile);
        let at = self.nodes.partition_point(|(_, other)| other.total >= profile.total);
        if at < APART {
            self.nodes.insert(at, (node.to_owned(), profile.clone()));
            self.nodes.truncate(APART);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_slowest_nodes_are_kept_apart() {
        let mut all = FleetProfile::default();
        for number in 1..=60 {
            let mut profile = Profile::default();
            profile.total = Duration::from_millis(number);
            all.add(&format!("n{number}"), &profile);
        }
        assert_eq!(all.all.total, Duration::from_millis(60 * 61 / 2));
        let names: Vec<&str> = all.nodes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names.len(), names[0], names[49]), (APART, "n60", "n11"));
    }
}
