//! Texts of others, read again by a Markdown parser.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;
use crate::document::ReportGrid;

#[test]
fn labels_stay_text() {
    assert_eq!(
        escape("<script> [x](http://y) a*b `c` | _d_"),
        "&lt;script> \\[x\\](http://y) a\\*b \\`c\\` \\| \\_d\\_"
    );
    let plan = ReportBlock::Verbatim("a\n```\nb".to_owned());
    assert_eq!(to_markdown(&[plan]), "````\na\n```\nb\n````\n\n");
}

/// What may stand in plans, URLs and responses to be taken for something else.
const HOSTILE: [&str; 34] = [
    "a",
    "β",
    "中",
    " ",
    "  ",
    "    ",
    "\n",
    "\r",
    "\t",
    "\u{1b}[2J",
    "\u{202e}",
    "\\",
    "`",
    "```",
    "*",
    "**",
    "_",
    "[",
    "](http://x)",
    "![",
    "<b>",
    "<!--",
    "&amp;",
    "#",
    "## ",
    "- ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "---",
    "===",
    "|",
    "$x$",
];

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&HOSTILE[..]), 0..12);
    let pieces = pieces.prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieces, 1 => any::<String>()]
}

/// Words as a reader sees them.
fn words(text: &str) -> String {
    printable(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The texts of a document, block by block, and whether it has anything but the tags that are
/// written here.
fn read(markdown: &str) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut strange) = (Vec::new(), Vec::new());
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(
                Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::Item
                | Tag::TableCell
                | Tag::CodeBlock(_)
                | Tag::BlockQuote(_),
            ) => texts.push(String::new()),
            Event::Start(
                Tag::List(None) | Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::Strong,
            )
            | Event::End(_) => {}
            Event::Text(text) => match texts.last_mut() {
                Some(last) => last.push_str(&text),
                None => strange.push(text.into_string()),
            },
            other => strange.push(format!("{other:?}")),
        }
    }
    let texts = texts
        .iter()
        .map(|text| words(text))
        .filter(|text| !text.is_empty());
    (texts.collect(), strange)
}

proptest! {
    /// Whatever a text is, each block shows it word by word and nothing else.
    #[test]
    fn no_text_becomes_markup(text in hostile(), other in hostile()) {
        let cells = ReportGrid {
            heads: vec![(text.clone(), false), (other.clone(), true)],
            rows: vec![vec![other.clone(), text.clone()]],
            ..ReportGrid::default()
        };
        let blocks = [
            ReportBlock::Heading(text.clone()),
            ReportBlock::Text(text.clone()),
            ReportBlock::Notice(NoticeLevel::Plain, text.replace(['\n', '\r'], " ")),
            ReportBlock::Facts(vec![(text.replace(['\n', '\r'], " "), other.replace(['\n', '\r'], " "))]),
            ReportBlock::Table(cells),
        ];
        let fact = words(&format!("{}: {other}", text.trim()));
        let (a, b) = (words(&text), words(&other));
        let shown: Vec<Vec<String>> = blocks.iter().map(|block| {
            let markdown = to_markdown(std::slice::from_ref(block));
            let (texts, strange) = read(&markdown);
            assert!(strange.is_empty(), "{strange:?} in {markdown:?}");
            texts
        }).collect();
        let full = |texts: Vec<String>| texts.into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>();
        let alone = full(vec![a.clone()]);
        prop_assert_eq!(&shown[0], &alone);
        prop_assert_eq!(&shown[1], &alone);
        if !a.is_empty() {
            prop_assert_eq!(&shown[2], &alone);
        }
        prop_assert_eq!(&shown[3], &vec![fact]);
        prop_assert_eq!(&shown[4], &full(vec![a.clone(), b.clone(), b, a]));
    }

    /// What is shown as it is stays inside its fence.
    #[test]
    fn no_text_leaves_its_fence(text in hostile()) {
        let markdown = to_markdown(&[ReportBlock::Verbatim(text.clone()), ReportBlock::Text("end".into())]);
        let (texts, strange) = read(&markdown);
        prop_assert!(strange.is_empty(), "{:?}", strange);
        prop_assert_eq!(texts.last().map(String::as_str), Some("end"));
        prop_assert!(texts.len() <= 2, "{:?}", texts);
        let steers = markdown.contains('\u{1b}');
        prop_assert!(!steers);
    }
}
