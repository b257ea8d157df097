//! Columns: rows that the author aligned stay aligned.
//!
//! Whether the `=` of parameters and assignments are in a column is the author's choice, list by list. A column stays where it is, so that a
//! change in one row does not touch the others; a row that is too long for it sticks out.

/// How often rows are looked at.
const MAX_ROUNDS: usize = 8;

/// A row with something that may be in a column: the `=` of a parameter, the `{` of an option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The instruction before it, which is to be the padding.
    pub place: usize,
    /// The spaces before it in the source.
    pub gap: u32,
    /// Its column in the source, counted from the beginning of the row.
    pub column: u32,
    /// The width of what precedes it in the row, as it will be printed.
    pub width: u32,
}

impl Row {
    /// Whether the row was too long for the column.
    fn sticks_out(&self, column: u32) -> bool {
        self.column + 1 > column + self.gap
    }
}

/// For each row of a run, whether it shares its column with the row above or below. Assignments then keep it: where the column of a
/// long run changes, the rows before and after the change stay as they are.
fn in_stretch(run: &[Row]) -> impl Iterator<Item = bool> {
    run.chunk_by(|above, below| above.column == below.column).flat_map(|rows| {
        let is_stretch = rows.len() > 1 && rows.iter().any(|row| row.gap > 1);
        std::iter::repeat_n(is_stretch, rows.len())
    })
}

/// The rows of a list, in runs that an empty line or a comment separates.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub rows: Vec<Row>,
    /// Where runs begin.
    runs: Vec<usize>,
    /// Whether a row with one space stays out of the column that others of its run are in.
    mixed: bool,
}

impl Rows {
    /// Rows of statements, which need not be alike.
    pub fn of_statements() -> Rows {
        Rows { mixed: true, ..Rows::default() }
    }

    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub fn begin_run(&mut self) {
        self.runs.push(self.rows.len());
    }

    /// The column in which all of several rows are.
    pub fn shared_column(&self) -> Option<u32> {
        let [first, rest @ ..] = &self.rows[..] else { return None };
        let is_shared = !rest.is_empty() && rest.iter().all(|row| row.column == first.column);
        is_shared.then_some(first.column)
    }

    /// The number of spaces before the column of each row, with its place.
    ///
    /// A row that moves can leave another alone in its column, so the rows are looked at again until none moves.
    pub fn gaps(mut self) -> Vec<(usize, u32)> {
        for _ in 0..MAX_ROUNDS {
            let gaps = self.gaps_once();
            let mut moved = false;
            for (row, gap) in self.rows.iter_mut().zip(gaps) {
                moved |= gap != row.gap;
                (row.gap, row.column) = (gap, row.width + gap);
            }
            if !moved {
                break;
            }
        }
        self.rows.into_iter().map(|row| (row.place, row.gap)).collect()
    }

    fn gaps_once(&self) -> Vec<u32> {
        let starts = std::iter::once(0).chain(self.runs.iter().copied());
        let ends = self.runs.iter().copied().chain([self.rows.len()]);
        let runs = starts.zip(ends).map(|(start, end)| &self.rows[start..end]);
        let gaps = runs.flat_map(|run| {
            let column = self.column(run).unwrap_or(0);
            run.iter().zip(in_stretch(run)).map(move |(row, in_stretch)| {
                let stays_out = self.mixed && row.gap == 1 && row.column != column;
                let column = if self.mixed && in_stretch { row.column } else { column };
                if stays_out && !in_stretch { 1 } else { column.saturating_sub(row.width).max(1) }
            })
        });
        gaps.collect()
    }

    /// The column of a run: that in which most of its rows with several spaces are, if two rows of the list at least are in it, and if
    /// more rows of the run are in it than out of it.
    fn column(&self, run: &[Row]) -> Option<u32> {
        let mut columns: Vec<u32> = run.iter().filter(|row| row.gap > 1).map(|row| row.column).collect();
        let wide = columns.len();
        columns.sort_unstable();
        let mut best: Option<(usize, u32)> = None;
        for same in columns.chunk_by(|a, b| a == b) {
            let is_shared = self.rows.iter().filter(|row| row.column == same[0]).nth(1).is_some();
            if is_shared && best.is_none_or(|(count, _)| same.len() > count) {
                best = Some((same.len(), same[0]));
            }
        }
        let (_, column) = best?;
        let misaligned = run.iter().filter(|row| row.column != column && !row.sticks_out(column)).count();
        (self.mixed || misaligned <= wide).then_some(column)
    }
}
