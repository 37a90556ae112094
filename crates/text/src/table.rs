//! Tables of text that line up, also with wide (Chinese) characters.

use unicode_width::UnicodeWidthStr;

/// Columns that a text takes on a terminal.
#[must_use]
pub fn display_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with a heading row, rendered as plain text or Markdown.
#[derive(Debug, Clone)]
pub struct Table {
    heads: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new(heads: Vec<(String, Align)>) -> Self {
        Self {
            heads,
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty, cells beyond the columns are dropped.
    pub fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.heads.len(), String::new());
        self.rows.push(cells);
    }

    /// Rows so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.heads.len())
            .map(|i| {
                let cells = self.rows.iter().map(|row| display_width(&row[i]));
                cells
                    .chain([display_width(&self.heads[i].0)])
                    .max()
                    .unwrap_or(0)
            })
            .collect()
    }

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>, gap: &str) -> String {
        let mut line = String::new();
        for ((cell, width), (_, align)) in cells.zip(self.widths()).zip(&self.heads) {
            if !line.is_empty() {
                line.push_str(gap);
            }
            let pad = " ".repeat(width.saturating_sub(display_width(cell)));
            match align {
                Align::Left => line.extend([cell, &pad]),
                Align::Right => line.extend([&pad, cell]),
            }
        }
        line
    }

    /// As plain text, two blanks between columns, a rule under the heads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = self.line(self.heads.iter().map(|(head, _)| head.as_str()), "  ");
        out.truncate(out.trim_end().len());
        out.push('\n');
        let rule: Vec<String> = self.widths().into_iter().map(|w| "─".repeat(w)).collect();
        out.push_str(&rule.join("  "));
        out.push('\n');
        for row in &self.rows {
            out.push_str(self.line(row.iter().map(String::as_str), "  ").trim_end());
            out.push('\n');
        }
        out
    }

    /// As a Markdown table; pipes and line breaks in cells are escaped.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let escape = |cell: &str| cell.replace('|', "\\|").replace('\n', "<br>");
        let join = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = join(self.heads.iter().map(|(head, _)| escape(head)).collect());
        let rules = self.heads.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        out.push_str(&join(rules.collect()));
        for row in &self.rows {
            out.push_str(&join(row.iter().map(|cell| escape(cell)).collect()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_line_up() {
        let mut table = Table::new(vec![
            ("标签".into(), Align::Left),
            ("n".into(), Align::Right),
        ]);
        table.row(vec!["登录".into(), "1".into()]);
        table.row(vec!["abcdef".into(), "200".into()]);
        let text = table.to_text();
        let widths: Vec<usize> = text.lines().map(display_width).collect();
        assert_eq!(widths, [11, 11, 11, 11], "{text}");
    }

    #[test]
    fn markdown_escapes_pipes() {
        let mut table = Table::new(vec![("a|b".into(), Align::Left)]);
        table.row(vec!["c\nd".into()]);
        assert_eq!(table.to_markdown(), "| a\\|b |\n| --- |\n| c<br>d |\n");
    }
}
