//! Sets of characters, kept as sorted ranges of code points.

/// Characters by their code points; a complement also contains bytes that are not characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// Sorted, neither overlapping nor touching.
    ranges: Vec<(u32, u32)>,
}

impl Set {
    /// The characters in any of these inclusive ranges.
    pub fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Set {
        let mut set = Set { ranges: ranges.into_iter().collect() };
        set.normalize();
        set
    }

    /// One character.
    pub fn one(code: u32) -> Set {
        Set { ranges: vec![(code, code)] }
    }

    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The only member, if there is just one.
    pub fn only(&self) -> Option<u32> {
        match self.ranges[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    pub fn contains(&self, code: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= code);
        after > 0 && self.ranges[after - 1].1 >= code
    }

    pub fn add(&mut self, low: u32, high: u32) {
        self.ranges.push((low, high));
        self.normalize();
    }

    pub fn union(&mut self, other: &Set) {
        self.ranges.extend_from_slice(&other.ranges);
        self.normalize();
    }

    pub fn intersect(&self, other: &Set) -> Set {
        let (mut ours, mut theirs) = (0, 0);
        let mut ranges = Vec::new();
        while let (Some(a), Some(b)) = (self.ranges.get(ours), other.ranges.get(theirs)) {
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                ranges.push((low, high));
            }
            if a.1 < b.1 {
                ours += 1;
            } else {
                theirs += 1;
            }
        }
        Set { ranges }
    }

    pub fn complement(&self) -> Set {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if low > next {
                ranges.push((next, low - 1));
            }
            if high == u32::MAX {
                return Set { ranges };
            }
            next = high + 1;
        }
        ranges.push((next, u32::MAX));
        Set { ranges }
    }

    fn normalize(&mut self) {
        if self.ranges.is_sorted_by(|a, b| a.1 < u32::MAX && a.1 + 1 < b.0) {
            return;
        }
        self.ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.ranges.len());
        for &(low, high) in &self.ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        self.ranges = merged;
    }
}
