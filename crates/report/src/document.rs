//! A report as a list of blocks, so that text, Markdown and HTML say the same.

use plimsoll_text::{Align, Lang, Message, Table, render};

/// How urgent a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeLevel {
    /// All is well.
    Good,
    /// For information.
    Plain,
    /// Look at this before the numbers.
    Warn,
    /// The numbers are bad, or not to be trusted.
    Bad,
}

/// A table whose cells every format can reach.
#[derive(Debug, Clone, Default)]
pub struct ReportGrid {
    /// Names of columns; those marked `true` hold numbers.
    pub heads: Vec<(String, bool)>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Rows that sum up or stand out.
    pub strong: Vec<usize>,
    /// Those that sum up: they stay below the others, however these are sorted.
    pub totals: Vec<usize>,
}

impl ReportGrid {
    /// Columns by text id; those marked `true` hold numbers.
    #[must_use]
    pub fn new(say: Say, heads: &[(&str, bool)]) -> Self {
        let heads = heads.iter().map(|(id, right)| (say.text(id), *right));
        Self {
            heads: heads.collect(),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a row that stands out.
    pub fn strong_row(&mut self, cells: Vec<String>) {
        self.strong.push(self.rows.len());
        self.rows.push(cells);
    }

    pub(crate) fn total_row(&mut self, cells: Vec<String>) {
        self.totals.push(self.rows.len());
        self.strong_row(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As the table of the text crate; `cell` makes each cell fit for the medium.
    pub(crate) fn table(&self, cell: impl Fn(&str) -> String) -> Table {
        let align = |right: bool| if right { Align::Right } else { Align::Left };
        let heads = self
            .heads
            .iter()
            .map(|(head, right)| (head.clone(), align(*right)));
        let mut table = Table::new(heads.collect());
        for row in &self.rows {
            table.row(row.iter().map(|text| cell(text)).collect());
        }
        table
    }
}

/// A piece of a report.
#[derive(Debug, Clone)]
pub enum ReportBlock {
    /// The head of a section.
    Heading(String),
    /// To be told at once, line by line.
    Notice(NoticeLevel, String),
    /// A paragraph.
    Text(String),
    /// A table.
    Table(ReportGrid),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A drawing for media that have one: SVG made by us, with all foreign text escaped.
    Picture(String),
    /// Text to be shown as it is, such as a plan.
    Verbatim(String),
}

/// Says things in one language.
#[derive(Debug, Clone, Copy)]
pub struct Say(pub Lang);

impl Say {
    /// A text without arguments.
    #[must_use]
    pub fn text(self, id: &str) -> String {
        render(self.0, &Message::new(id))
    }

    /// A text with arguments.
    #[must_use]
    pub fn message(self, message: &Message) -> String {
        render(self.0, message)
    }

    /// A text that other crates may or may not have given; `None` if it is not there.
    pub(crate) fn if_known(self, message: &Message) -> Option<String> {
        let text = render(self.0, message);
        (text != message.id).then_some(text)
    }
}
