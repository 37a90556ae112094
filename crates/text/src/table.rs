//! Tables of text that line up, also with wide (Chinese) characters.

use unicode_width::UnicodeWidthStr;

use crate::wrap::wrap;

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

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>) -> String {
        let aligns = self.heads.iter().map(|(_, align)| *align);
        aligned(cells, &self.widths(), aligns)
    }

    /// As plain text, two blanks between columns, a rule under the heads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = self.line(self.heads.iter().map(|(head, _)| head.as_str()));
        out.truncate(out.trim_end().len());
        out.push('\n');
        let rule: Vec<String> = self.widths().into_iter().map(|w| "─".repeat(w)).collect();
        out.push_str(&rule.join("  "));
        out.push('\n');
        for row in &self.rows {
            out.push_str(self.line(row.iter().map(String::as_str)).trim_end());
            out.push('\n');
        }
        out
    }

    /// As plain text of at most that many columns: text is folded, and where that is not enough,
    /// the table goes on below, with its first column again.
    #[must_use]
    pub fn to_text_within(&self, columns: usize) -> String {
        if needed(&self.widths()) <= columns {
            return self.to_text();
        }
        let parts = self.parts(columns);
        let texts: Vec<String> = parts
            .iter()
            .map(|part| self.folded(part, columns))
            .collect();
        texts.join("\n")
    }

    /// The least that each column takes: text and heads are folded, figures hardly ever.
    fn least(&self, columns: usize) -> Vec<usize> {
        let widths = self.widths().into_iter().zip(&self.heads).enumerate();
        let least = widths.map(|(at, (width, (head, align)))| match align {
            Align::Left => width.min(columns / 5),
            Align::Right => {
                let cells = self.rows.iter().map(|row| display_width(&row[at]));
                let head = whole(head);
                let words = head.split(' ').map(display_width);
                cells.chain(words).max().unwrap_or(0).min(columns / 3)
            }
        });
        least.map(|width| width.max(2)).collect()
    }

    /// Columns that stand side by side, by their numbers.
    fn parts(&self, columns: usize) -> Vec<Vec<usize>> {
        let least = self.least(columns);
        let mut parts = vec![vec![0]];
        for at in 1..self.heads.len() {
            let fits = |part: &Vec<usize>| {
                let widths = part.iter().chain([&at]).map(|at| least[*at]);
                needed(&widths.collect::<Vec<_>>()) <= columns
            };
            match parts.last_mut().filter(|part| fits(part)) {
                Some(part) => part.push(at),
                None => parts.push(vec![0, at]),
            }
        }
        parts
    }

    /// Some of the columns as text, with what is too wide on several lines.
    fn folded(&self, part: &[usize], columns: usize) -> String {
        let least = self.least(columns);
        let wanted = self.widths();
        let mut widths: Vec<usize> = part.iter().map(|at| least[*at]).collect();
        let mut spare = columns.saturating_sub(needed(&widths));
        // Whoever has least of what it wants gets the next column.
        while spare > 0 {
            let narrow = (0..part.len()).filter(|i| widths[*i] < wanted[part[*i]]);
            let Some(i) = narrow.min_by_key(|i| widths[*i]) else {
                break;
            };
            widths[i] += 1;
            spare -= 1;
        }
        let heads: Vec<String> = part.iter().map(|at| whole(&self.heads[*at].0)).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut out = self.fold(&heads, part, &widths);
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        out.push_str(&rule.join("  "));
        out.push('\n');
        for row in &self.rows {
            let cells: Vec<&str> = part.iter().map(|at| row[*at].as_str()).collect();
            out.push_str(&self.fold(&cells, part, &widths));
        }
        out
    }

    /// A row on as many lines as its cells need.
    fn fold(&self, cells: &[&str], part: &[usize], widths: &[usize]) -> String {
        let folded: Vec<Vec<String>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| wrap(cell, *width))
            .collect();
        let height = folded.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for number in 0..height {
            let lines = folded.iter().map(|lines| lines.get(number));
            let cells = lines.map(|line| line.map_or("", String::as_str));
            let aligns = part.iter().map(|at| self.heads[*at].1);
            let line = aligned(cells, widths, aligns);
            out.push_str(line.trim_end());
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

/// A heading whose signs are not parted from their words.
fn whole(head: &str) -> String {
    head.replace(" %", "\u{a0}%").replace("# ", "#\u{a0}")
}

/// Columns that a line of these takes.
fn needed(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

/// Cells with blanks around them.
fn aligned<'a>(
    cells: impl Iterator<Item = &'a str>,
    widths: &[usize],
    aligns: impl Iterator<Item = Align>,
) -> String {
    let mut line = String::new();
    for (at, ((cell, width), align)) in cells.zip(widths).zip(aligns).enumerate() {
        if at > 0 {
            line.push_str("  ");
        }
        let pad = " ".repeat(width.saturating_sub(display_width(cell)));
        match align {
            Align::Left => line.extend([cell, &pad]),
            Align::Right => line.extend([&pad, cell]),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_too_wide_goes_on_below_with_its_first_column() {
        let head = |name: &str, align| (name.to_owned(), align);
        let mut table = Table::new(vec![
            head("label", Align::Left),
            head("samples", Align::Right),
            head("largest", Align::Right),
            head("smallest", Align::Right),
        ]);
        let cells = ["log in", "100", "1,000,000", "2,000,000"];
        table.row(cells.map(str::to_owned).to_vec());
        assert_eq!(table.to_text_within(80), table.to_text());
        let narrow = table.to_text_within(30);
        assert!(
            narrow.lines().all(|line| display_width(line) <= 30),
            "{narrow}"
        );
        assert_eq!(narrow.matches("log in").count(), 2, "{narrow}");
    }

    proptest! {
        #[test]
        fn any_table_fits(
            heads in prop::collection::vec(("[a-z]{1,15}( [A-Z]{1,9})?|[一-龥]{1,9}", any::<bool>()), 1..16),
            rows in prop::collection::vec(prop::collection::vec("[0-9,.]{0,40}|[a-z /]{0,200}|[一-龥]{0,60}", 0..16), 0..6),
            columns in 30_usize..200,
        ) {
            let align = |right| if right { Align::Right } else { Align::Left };
            let heads = heads.into_iter().map(|(head, right)| (head, align(right)));
            let mut table = Table::new(heads.collect());
            rows.into_iter().for_each(|row| table.row(row));
            for line in table.to_text_within(columns).lines() {
                prop_assert!(display_width(line) <= columns, "{line}");
            }
        }
    }

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
