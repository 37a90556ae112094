#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::path::Path;

use plimsoll_plan::program::Template;

use plimsoll_access::Access;

use super::*;
use crate::functions::tests::TestUser;
use crate::variables::tests::program;

pub(crate) fn csv(columns: &[&str]) -> CsvData {
    CsvData {
        name: "users.csv".into(),
        path: plimsoll_plan::model::Text::of("users.csv"),
        columns: columns.iter().map(|&column| column.into()).collect(),
        has_header: columns.is_empty(),
        delimiter: b',',
        separator: None,
        encoding: "utf-8".into(),
        order: DataOrder::Sequential,
        at_end: AtEnd::Recycle,
        shared_by: SharedBy::All,
        group: None,
        quoted: true,
        verbatim: false,
        elements_behind: 0,
        at: Span { line: 3, column: 5 },
    }
}

fn read(bytes: &[u8], data: &CsvData) -> Result<DataTable, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("users.csv");
    std::fs::write(&path, bytes).unwrap();
    read::read(&path, data, false, &Access::of_user()).map_err(|unusable| {
        let message = unusable.into_message();
        for lang in [plimsoll_text::Lang::En, plimsoll_text::Lang::Zh] {
            assert_ne!(plimsoll_text::render(lang, &message), message.id);
        }
        plimsoll_text::render(plimsoll_text::Lang::En, &message)
    })
}

fn rows(table: &DataTable) -> Vec<Vec<&str>> {
    let row = |row| {
        (0..table.columns().len())
            .map(|column| table.get(row, column))
            .collect()
    };
    (0..table.rows()).map(row).collect()
}

#[test]
fn a_file_as_spreadsheets_write_it() {
    let file = "\u{feff}user, password,note\r\nanna,s3cret,\"likes \"\"a, b\"\"\r\nand c\"\r\n\r\n李雷,密码,\r\n";
    let table = read(file.as_bytes(), &csv(&[])).unwrap();
    assert_eq!(table.columns(), ["user", "password", "note"]);
    assert_eq!(
        rows(&table),
        [
            ["anna", "s3cret", "likes \"a, b\"\r\nand c"],
            ["李雷", "密码", ""]
        ]
    );
    assert_eq!(
        (table.get(2, 0), table.get(0, 99), table.get(usize::MAX, 2)),
        ("", "", "")
    );
}

#[test]
fn encodings_of_china_and_of_windows() {
    let text = "id,名字\n1,王芳\n";
    for (encoding, bytes) in [
        ("gbk", encoding_rs::GBK.encode(text).0.into_owned()),
        ("GB18030", encoding_rs::GB18030.encode(text).0.into_owned()),
        ("big5", encoding_rs::BIG5.encode(text).0.into_owned()),
        (
            "utf-16le",
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        (
            "utf-16be",
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ),
        // A byte order mark tells, whatever the plan says.
        (
            "utf-8",
            [0xFEFF]
                .into_iter()
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
        ("", text.as_bytes().to_vec()),
    ] {
        let data = CsvData {
            encoding: encoding.into(),
            ..csv(&[])
        };
        let table = read(&bytes, &data).unwrap();
        assert_eq!(
            (table.columns()[1].as_str(), table.get(0, 1)),
            ("名字", "王芳"),
            "{encoding}"
        );
    }
    let gbk = encoding_rs::GBK.encode(text).0;
    let error = read(&gbk, &csv(&[])).unwrap_err();
    assert!(
        error.contains("line 1") && error.contains("UTF-8") && error.contains("gb18030"),
        "{error}"
    );
    let error = read(
        b"a\n1\n",
        &CsvData {
            encoding: "klingon".into(),
            ..csv(&[])
        },
    )
    .unwrap_err();
    assert!(error.contains("klingon"));
}

#[test]
fn columns_named_by_the_plan() {
    let table = read(
        b"1;a;x\n2;b;y\n",
        &CsvData {
            delimiter: b';',
            ..csv(&["id", "name"])
        },
    )
    .unwrap();
    assert_eq!(rows(&table), [["1", "a", "x"], ["2", "b", "y"]]);
    let column = |name: &str| table.columns_of(name).next();
    assert_eq!((column("name"), column("x")), (Some(1), None));
    let data = CsvData {
        has_header: true,
        ..csv(&["id", "name"])
    };
    assert_eq!(rows(&read(b"A,B\n1,a\n", &data).unwrap()), [["1", "a"]]);
    let data = CsvData {
        quoted: false,
        ..csv(&["id"])
    };
    assert_eq!(rows(&read(b"\"1\n2\n", &data).unwrap()), [["\"1"], ["2"]]);
}

#[test]
fn a_wrong_file_is_explained() {
    let error = read(b"a,b\n1,2\n3\n", &csv(&[])).unwrap_err();
    assert!(
        error.contains("users.csv:3") && error.contains('1') && error.contains('2'),
        "{error}"
    );
    let error = read(b"1\n", &csv(&["a", "b"])).unwrap_err();
    assert!(error.contains("users.csv:1"), "{error}");
    for empty in ["", "\n\n", "a,b\n"] {
        assert!(
            read(empty.as_bytes(), &csv(&[]))
                .unwrap_err()
                .contains("users.csv"),
            "{empty:?}"
        );
    }
    let error = |path: &str| {
        let read = read::read(Path::new(path), &csv(&[]), false, &Access::of_user());
        read.unwrap_err().into_message().id
    };
    assert_eq!(error("/nowhere/users.csv"), "data-not-found");
    assert_eq!(error("/"), "data-unreadable");
}

struct Lab {
    program: Program,
    _folder: tempfile::TempDir,
}

/// Three rows, read by as many users as asked.
fn lab(change: impl FnOnce(&mut CsvData)) -> Lab {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "id,name\n1,a\n2,b\n3,c\n").unwrap();
    let mut data = csv(&[]);
    change(&mut data);
    let mut program = program(&["id", "name"]);
    program.folder = folder.path().to_owned();
    program.shared = vec![SharedDef::Rows {
        cursor: None,
        data,
        path: Template::text("users.csv"),
    }];
    Lab {
        program,
        _folder: folder,
    }
}

/// What so many users get, in turn, in so many rounds; `-` for a user that ends.
fn drawn(lab: &Lab, users: usize, rounds: usize) -> Vec<String> {
    let mut user = TestUser::new(&lab.program);
    let files = DataFiles::read(&lab.program, &mut user.ctx()).unwrap();
    let rows = files
        .bind(
            SharedId(0),
            &[("name".into(), Slot(1)), ("id".into(), Slot(0))],
        )
        .unwrap();
    assert_eq!(rows.count(), 3);
    let mut own = vec![0; users];
    let mut drawn = Vec::new();
    for _ in 0..rounds {
        for own in &mut own {
            let next = rows.next(&mut user.vars, &mut user.rng, &user.shared, own);
            drawn.push(match next {
                NextRow::StopUser => "-".to_owned(),
                NextRow::Set => {
                    let (id, name) = (
                        user.vars.get(Slot(0)).unwrap(),
                        user.vars.get(Slot(1)).unwrap(),
                    );
                    assert!(
                        ["1a", "2b", "3c", "<EOF><EOF>"].contains(&format!("{id}{name}").as_str())
                    );
                    id.to_string()
                }
            });
        }
    }
    drawn
}

#[test]
fn rows_come_in_the_order_asked_for() {
    assert_eq!(drawn(&lab(|_| ()), 2, 2), ["1", "2", "3", "1"]);
    let own = lab(|data| data.shared_by = SharedBy::User);
    assert_eq!(drawn(&own, 2, 2), ["1", "1", "2", "2"]);
    let unique = lab(|data| data.order = DataOrder::UniquePerUser);
    assert_eq!(
        drawn(&unique, 4, 2),
        ["1", "2", "3", "-", "1", "2", "3", "-"]
    );
    let random = lab(|data| data.order = DataOrder::Random);
    let mut seen = drawn(&random, 1, 100);
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["1", "2", "3"]);
}

#[test]
fn of_columns_of_one_name_the_last_that_a_row_has_counts() {
    let lab = lab(|data| {
        data.columns = ["id", "name", "id"].map(str::to_owned).to_vec();
        data.has_header = false;
    });
    std::fs::write(lab.program.folder.join("users.csv"), "1,a,2\n3,b\n4\n,,\n").unwrap();
    let mut program = lab.program.clone();
    program.undefined = Undefined::KeepLiteral;
    let mut user = TestUser::new(&program);
    let files = DataFiles::read(&program, &mut user.ctx()).unwrap();
    let twice = ["id", "name", "id"];
    let slots = [Slot(0), Slot(1), Slot(0)];
    let names = twice.iter().map(|&name| name.to_owned());
    let columns: Vec<_> = names.zip(slots).collect();
    for columns in [&columns[..], &columns[..2]] {
        let rows = files.bind(SharedId(0), columns).unwrap();
        assert_eq!(rows.columns.len(), 3);
    }
    let rows = files.bind(SharedId(0), &columns).unwrap();
    let mut ids = Vec::new();
    for _ in 0..4 {
        rows.next(&mut user.vars, &mut user.rng, &user.shared, &mut 0);
        ids.push(user.vars.get(Slot(0)).unwrap().to_string());
    }
    assert_eq!(ids, ["2", "3", "4", ""]);
}

#[test]
fn after_the_last_row() {
    let stop = lab(|data| data.at_end = AtEnd::StopUser);
    assert_eq!(drawn(&stop, 1, 5), ["1", "2", "3", "-", "-"]);
    let marker = lab(|data| data.at_end = AtEnd::Marker);
    assert_eq!(drawn(&marker, 1, 4), ["1", "2", "3", "<EOF>"]);
}

#[test]
fn every_wrong_file_is_named_with_its_place() {
    let mut lab = lab(|_| ());
    let missing = SharedDef::Rows {
        cursor: None,
        data: csv(&[]),
        path: Template::text("nowhere.csv"),
    };
    lab.program.shared.extend([missing.clone(), missing]);
    let mut user = TestUser::new(&lab.program);
    let errors = DataFiles::read(&lab.program, &mut user.ctx()).unwrap_err();
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0].at, Span { line: 3, column: 5 });
    assert!(errors[0].to_string().contains("nowhere.csv"));
    lab.program.shared.truncate(1);
    let files = DataFiles::read(&lab.program, &mut user.ctx()).unwrap();
    let error = files
        .bind(SharedId(0), &[("nmae".into(), Slot(1))])
        .unwrap_err();
    assert!(error.to_string().contains("nmae") && error.to_string().contains("id, name"));
    assert!(files.bind(SharedId(9), &[]).is_err());
}

#[test]
fn a_text_may_be_between_columns() {
    let by = |separator: &str, quoted: bool| CsvData {
        separator: Some(separator.to_owned()),
        quoted,
        ..csv(&["a", "b"])
    };
    let file = "1}}2\r\n\"3}}4\"}}5\n6}7}}}8\n".as_bytes();
    let table = super::read::read;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("users.csv");
    std::fs::write(&path, file).unwrap();
    let rows_of = |data: &CsvData| -> Vec<Vec<String>> {
        let table = table(&path, data, true, &Access::of_user()).unwrap();
        let owned = |row: &Vec<&str>| row.iter().map(|&field| field.to_owned()).collect();
        rows(&table).iter().map(owned).collect()
    };
    assert_eq!(
        rows_of(&by("}}", false)),
        [["1", "2"], ["\"3", "4\""], ["6}7", "}8"]]
    );
    assert_eq!(
        rows_of(&by("}}", true)),
        [["1", "2"], ["3}}4", "5"], ["6}7", "}8"]]
    );
    // Names are apart at its first character.
    std::fs::write(&path, "a}}b\n1}}2}}3\n").unwrap();
    let named = CsvData {
        columns: Vec::new(),
        has_header: true,
        ..by("}}", false)
    };
    assert_eq!(
        column_names(&named, &path, &Access::of_user()).unwrap(),
        ["a", "", "b"]
    );
    assert_eq!(rows_of(&named), [["1", "2", "3"]]);
    std::fs::write(&path, "用户，密码\n一，\u{1}二\n").unwrap();
    let named = CsvData {
        columns: Vec::new(),
        has_header: true,
        ..by("，", true)
    };
    assert_eq!(rows_of(&named), [["一", "\u{1}二"]]);
    // The last text is a separator that is not in the file.
    std::fs::write(&path, "x\\ny\n").unwrap();
    assert_eq!(rows_of(&by("\n", false)).len(), 1);
}

#[test]
fn the_names_of_columns_are_those_of_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("users.csv");
    std::fs::write(&path, b"\xef\xbb\xbfuser; \"pass\"\nbroken \xff;x\n").unwrap();
    let data = CsvData {
        delimiter: b';',
        ..csv(&[])
    };
    assert_eq!(
        column_names(&data, &path, &Access::of_user()).unwrap(),
        ["user", "\"pass\""]
    );
    std::fs::write(&path, "用户,密码\n1,2\n".as_bytes()).unwrap();
    assert_eq!(
        column_names(&csv(&[]), &path, &Access::of_user()).unwrap(),
        ["用户", "密码"]
    );
    assert_eq!(
        column_names(
            &csv(&[]),
            &folder.path().join("none.csv"),
            &Access::of_user()
        ),
        None
    );
}

#[test]
fn rows_of_imported_plans_may_have_any_width_and_blank_lines_are_ends_without_quotes() {
    let mut data = csv(&["p", "q", "r"]);
    data.has_header = false;
    for (newline, quoted) in [("\n", true), ("\r\n", true), ("\n", false), ("\r\n", false)] {
        data.quoted = quoted;
        let text = "a,b\nc,d,e,f\n\ng\n".replace('\n', newline);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, text).unwrap();
        let table = read::read(&path, &data, true, &Access::of_user()).unwrap();
        assert_eq!(table.rows(), 4, "{newline:?}");
        assert_eq!((table.get(0, 1), table.is_missing(0, 2)), ("b", true));
        assert_eq!((table.get(1, 2), table.is_missing(1, 2)), ("e", false));
        assert_eq!((table.is_end(2), table.is_end(3)), (!quoted, false));
        assert_eq!((table.get(2, 0), table.is_missing(2, 1)), ("", quoted));
        assert_eq!((table.get(3, 0), table.is_missing(3, 1)), ("g", true));
    }
}

#[test]
fn an_imported_plan_goes_on_without_rows_and_a_blank_first_line_is_the_head() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let read = |data: &CsvData, text: &str| {
        std::fs::write(&path, text).unwrap();
        read::read(&path, data, true, &Access::of_user())
    };
    for (columns, text) in [(&["p"][..], ""), (&["p"], "p\n"), (&[], "p,q\n")] {
        let mut data = csv(columns);
        data.has_header = true;
        let table = read(&data, text).unwrap();
        assert!(table.is_end(0), "{text:?}");
    }
    assert!(read(&csv(&[]), "").is_err());
    let mut data = csv(&["p"]);
    data.has_header = true;
    let table = read(&data, "\np\n\n").unwrap();
    assert_eq!(
        (table.rows(), table.get(0, 0), table.get(1, 0)),
        (2, "p", "")
    );
}

#[test]
fn a_byte_order_mark_and_blanks_stay_where_a_plan_wants_the_file_verbatim() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, "\u{feff}p, q\n1,2\n").unwrap();
    let mut data = csv(&[]);
    for (verbatim, names) in [(false, ["p", "q"]), (true, ["\u{feff}p", " q"])] {
        data.verbatim = verbatim;
        let table = read::read(&path, &data, true, &Access::of_user()).unwrap();
        assert_eq!(table.columns(), names);
        let known = column_names(&data, &path, &Access::of_user()).unwrap();
        assert_eq!(known, names);
    }
}
