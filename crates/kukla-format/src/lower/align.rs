//! Columns: which rows share one, as the author had them.

/// A row with something that may be in a column: the `=` of a parameter, the `{` of an option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The spaces before it in the source.
    pub gap: u32,
    /// Its column in the source.
    pub column: u32,
    /// The width of what precedes it in the row, as it will be printed.
    pub width: u32,
}

/// The spaces before the column in each row: all in one column if most of them were, otherwise one space. A row that is too long for the
/// column sticks out.
pub(crate) fn gaps(rows: &[Row]) -> Vec<u32> {
    match common_column(rows) {
        Some(column) => rows.iter().map(|row| gap_to(column, row, rows)).collect(),
        None => vec![1; rows.len()],
    }
}

/// The column, in the source, that most of the rows with several spaces share, if more rows are in it than out of it.
pub(crate) fn common_column(rows: &[Row]) -> Option<u32> {
    let mut columns: Vec<u32> = rows.iter().filter(|row| row.gap > 1).map(|row| row.column).collect();
    let wide = columns.len();
    columns.sort_unstable();
    let mut best: Option<(usize, u32)> = None;
    for run in columns.chunk_by(|a, b| a == b) {
        if best.is_none_or(|(count, _)| run.len() > count) {
            best = Some((run.len(), run[0]));
        }
    }
    let (_, column) = best?;
    let misaligned = rows.iter().filter(|row| row.column != column && !sticks_out(row, column)).count();
    (misaligned <= wide).then_some(column)
}

/// Whether a row had one space although the column is before it.
fn sticks_out(row: &Row, column: u32) -> bool {
    row.gap <= 1 && row.column > column
}

fn gap_to(column: u32, row: &Row, rows: &[Row]) -> u32 {
    let within = rows.iter().filter(|row| !sticks_out(row, column));
    let widest = within.map(|row| row.width).max().unwrap_or(0);
    widest.saturating_sub(row.width) + 1
}
