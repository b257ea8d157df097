//! Text in aligned columns.

use std::ops::Range;

/// Rows of cells in aligned columns, two blanks apart. The last column is not padded.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
    /// The columns that are aligned to the right: numbers.
    numbers: Range<usize>,
    /// The width that a column has at most, however wide its cells are.
    limit: Option<usize>,
}

impl Table {
    /// The same table with some columns aligned to the right.
    #[must_use]
    pub fn with_numbers(mut self, columns: Range<usize>) -> Table {
        self.numbers = columns;
        self
    }

    /// The same table with a limit to the width of columns; wider cells push the rest of their row to the right.
    #[must_use]
    pub fn with_limit(mut self, width: usize) -> Table {
        self.limit = Some(width);
        self
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The rows, one per line.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or_default();
            self.limit.map_or(widest, |limit| widest.min(limit))
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let start = out.len();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column > 0 {
                    out += "  ";
                }
                if self.numbers.contains(&column) {
                    out += &format!("{cell:>width$}");
                } else if column + 1 == columns {
                    out += cell;
                } else {
                    out += &format!("{cell:width$}");
                }
            }
            if row.len() < columns || row.last().is_some_and(String::is_empty) {
                out.truncate(start + out[start..].trim_end().len());
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::default().with_numbers(1..2);
        table.row(["node", "resources", "outcome"]);
        table.row(["web1.example.com", "12", "compiled "]);
        table.row(["é", "7", ""]);
        assert_eq!(
            table.text(),
            "node              resources  outcome\nweb1.example.com         12  compiled \né                         7\n"
        );
    }

    #[test]
    fn a_wide_cell_is_not_cut() {
        let mut table = Table::default().with_limit(3);
        table.row(["a", "b"]);
        table.row(["wider", "b"]);
        assert_eq!(table.text(), "a    b\nwider  b\n");
        assert_eq!(Table::default().text(), "");
    }
}
