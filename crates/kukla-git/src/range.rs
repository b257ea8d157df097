//! The two ends of a comparison, as git's users write them.

/// Two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Before the change.
    pub from: RangeEnd,
    /// After the change.
    pub to: RangeEnd,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// A revision, as git names it.
    Revision(String),
    /// Where the histories of two revisions part.
    MergeBase(String, String),
    /// The files as they are.
    WorkingTree,
}

impl RangeEnd {
    fn revision(name: &str) -> RangeEnd {
        RangeEnd::Revision(or_head(name))
    }
}

fn or_head(name: &str) -> String {
    if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() }
}

impl Range {
    /// `A..B`, `A...B` (what `B` has done since it left `A`) and `A`, which is compared with the files as they are; a name that is
    /// left out is `HEAD`.
    pub fn parse(text: &str) -> Range {
        if let Some((from, to)) = text.split_once("...") {
            let to = or_head(to);
            return Range {
                from: RangeEnd::MergeBase(or_head(from), to.clone()),
                to: RangeEnd::Revision(to),
            };
        }
        match text.split_once("..") {
            Some((from, to)) => Range { from: RangeEnd::revision(from), to: RangeEnd::revision(to) },
            None => Range { from: RangeEnd::revision(text), to: RangeEnd::WorkingTree },
        }
    }

    /// Two revisions.
    pub fn between(from: &str, to: &str) -> Range {
        Range { from: RangeEnd::revision(from), to: RangeEnd::revision(to) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let revision = |name: &str| RangeEnd::Revision(name.to_owned());
        assert_eq!(Range::parse(""), Range { from: revision("HEAD"), to: RangeEnd::WorkingTree });
        assert_eq!(Range::parse("v1"), Range { from: revision("v1"), to: RangeEnd::WorkingTree });
        assert_eq!(Range::parse("v1.."), Range::between("v1", "HEAD"));
        assert_eq!(Range::parse("..v2"), Range::between("HEAD", "v2"));
        assert_eq!(Range::parse("a..b"), Range::between("a", "b"));
        let base = RangeEnd::MergeBase("main".into(), "HEAD".into());
        assert_eq!(Range::parse("main..."), Range { from: base, to: revision("HEAD") });
    }
}
