//! Offsets in a text as lines.

/// The beginnings of the lines of a text.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// The line of an offset, counted from one.
    pub(super) fn line(&self, offset: u32) -> u32 {
        let offset = offset as usize;
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// The lines of a range on which there is more than blank space.
    pub(super) fn filled(&self, start: u32, end: u32) -> impl Iterator<Item = u32> {
        let (start, end) = (start as usize, (end as usize).min(self.text.len()));
        let text = self.text.get(start..end).unwrap_or_default();
        let first = self.line(start as u32);
        let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(move |(at, _)| first + at as u32).collect::<Vec<_>>().into_iter()
    }
}
