use std::io::{Cursor, Read as _};

use plimsoll_text::Lang;

use super::{Paper, PaperLine, picture};
use crate::AcceptanceForm;
use crate::document::{NoticeLevel, ReportBlock, ReportGrid, Say};

fn paper() -> Paper {
    let table = |cells: &[&[&str]]| ReportGrid {
        heads: vec![("knob".to_owned(), false), ("effect".to_owned(), true)],
        rows: cells
            .iter()
            .map(|row| row.iter().map(|it| (*it).to_owned()).collect())
            .collect(),
        ..ReportGrid::default()
    };
    let line = PaperLine {
        name: "<best>".to_owned(),
        points: vec![(1.0, 10.0), (2.0, 14.0)],
        dots: false,
    };
    Paper {
        say: Say(Lang::En),
        title: "Study <a>".to_owned(),
        blocks: vec![
            ReportBlock::Notice(NoticeLevel::Good, "better\nby far".to_owned()),
            ReportBlock::Heading("Effects".to_owned()),
            ReportBlock::Table(table(&[&["=1+1", "+12.5 %"], &["b", "–"]])),
            ReportBlock::Text("what they are".to_owned()),
            // The same heading again, with characters that no sheet's name has.
            ReportBlock::Heading("Effects".to_owned()),
            ReportBlock::Table(table(&[])),
            ReportBlock::Heading("Way [1/2] to the best of all that was found".to_owned()),
            picture("way", "/s", "trial", std::slice::from_ref(&line)),
            ReportBlock::Verbatim("-a\n+b".to_owned()),
            ReportBlock::Heading("Drawn alone".to_owned()),
            picture("way", "/s", "trial", &[line]),
        ],
    }
}

fn written(form: AcceptanceForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    paper().write(form, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_page_has_all_pieces_and_no_markup_of_others() {
    let page = String::from_utf8(written(AcceptanceForm::Html)).unwrap();
    for part in [
        "Study &lt;a&gt;",
        "&lt;best&gt;",
        "+12.5 %",
        "<polyline",
        "-a\n+b",
        "Drawn alone",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<best>"));
    let empty = picture("way", "/s", "trial", &[]);
    assert!(matches!(empty, ReportBlock::Picture(svg) if svg.is_empty()));
}

#[test]
fn markdown_has_all_but_the_picture() {
    let text = String::from_utf8(written(AcceptanceForm::Markdown)).unwrap();
    assert!(text.starts_with("# Study &lt;a>"), "{text}");
    assert!(
        text.contains("## Effects") && text.contains("✅ **better**") && text.contains("-a\n+b")
    );
    assert!(
        !text.contains("<svg") && !text.contains("Drawn alone"),
        "{text}"
    );
}

#[test]
fn a_workbook_has_a_sheet_for_each_table_and_numbers_stay_numbers() {
    let mut book = zip::ZipArchive::new(Cursor::new(written(AcceptanceForm::Xlsx))).unwrap();
    let mut part = |name: &str| {
        let mut text = String::new();
        book.by_name(name)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text
    };
    let names = part("xl/workbook.xml");
    assert!(
        names.contains("1 Effects") && names.contains("2 Effects"),
        "{names}"
    );
    let sheet = part("xl/worksheets/sheet2.xml");
    assert!(
        sheet.contains("<v>0.125</v>") && !sheet.contains("<f>"),
        "{sheet}"
    );
    let texts = part("xl/sharedStrings.xml");
    for text in ["by far", "-a", "Way [1/2] to the best"] {
        assert!(texts.contains(text), "{text}: {texts}");
    }
    assert!(!texts.contains("Drawn alone"), "{texts}");
}
