//! A table in memory.

/// The rows of a file: one text and where each field ends in it.
#[derive(Debug, Default)]
pub struct DataTable {
    columns: Vec<String>,
    text: String,
    ends: Vec<u32>,
    /// Rows that JMeter takes for the end of the file: blank lines. Rising.
    end_rows: Vec<usize>,
    /// Fields that are not there, by their place among all; rising.
    missing: Vec<u32>,
}

impl DataTable {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: Vec<String>) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// Its columns' names.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The places of the columns of a name.
    pub fn columns_of(&self, name: &str) -> impl Iterator<Item = usize> {
        let all = self.columns.iter().enumerate();
        all.filter(move |(_, column)| *column == name)
            .map(|(at, _)| at)
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.ends.len() / self.columns.len().max(1)
    }

    /// A field; empty where there is none.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> &str {
        let Some(index) = row
            .checked_mul(self.columns.len())
            .and_then(|i| i.checked_add(column))
        else {
            return "";
        };
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        self.text
            .get(start.copied().unwrap_or(0) as usize..end)
            .unwrap_or_default()
    }

    /// Adds the next field. False: the table is full (4 GiB of text).
    #[must_use]
    pub fn push(&mut self, field: &str) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + field.len()) else {
            return false;
        };
        self.text.push_str(field);
        self.ends.push(end);
        true
    }

    /// Adds a field that is not there. False: the table is full.
    #[must_use]
    pub fn push_missing(&mut self) -> bool {
        if let Ok(at) = u32::try_from(self.ends.len()) {
            self.missing.push(at);
        }
        self.push("")
    }

    /// Whether a field is not there.
    #[must_use]
    pub fn is_missing(&self, row: usize, column: usize) -> bool {
        let at = row
            .saturating_mul(self.columns.len())
            .saturating_add(column);
        u32::try_from(at).is_ok_and(|at| self.missing.binary_search(&at).is_ok())
    }

    /// Adds a row that stands for the end of the file.
    pub fn push_end(&mut self) {
        self.end_rows.push(self.rows());
        for _ in 0..self.columns.len() {
            // Nothing is added to the text, which therefore has room.
            let _ = self.push("");
        }
    }

    /// Whether a row stands for the end of the file.
    #[must_use]
    pub fn is_end(&self, row: usize) -> bool {
        self.end_rows.binary_search(&row).is_ok()
    }

    /// Gives back memory that is not needed.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
