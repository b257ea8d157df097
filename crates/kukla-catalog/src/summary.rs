//! A summary of a catalog that fits a screen.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Catalog;

impl Catalog {
    /// The node, the classes and how many resources of each type there are, the most numerous first.
    pub fn to_summary(&self) -> String {
        let mut counts = BTreeMap::<&str, usize>::new();
        for resource in &self.resources {
            *counts.entry(&resource.type_name).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let (resources, edges) = (self.resources.len(), self.edges.len());
        let mut out =
            format!("{} in {}: {resources} resources, {edges} edges\n", self.name, self.environment);
        let _ = writeln!(out, "\nclasses: {}\n", self.classes.join(", "));
        for (type_name, count) in counts {
            let _ = writeln!(out, "{count:>7}  {type_name}");
        }
        out
    }
}
