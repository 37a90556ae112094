//! Patterns against Java 17's own output, and the functions against JMeter 5.6.3's.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use jiff::civil::date;
use jiff::tz::TimeZone;

use super::locale::Locale;
use super::moment::DateMoment;
use super::pattern::DatePattern;
use super::write::write;
use super::zones::fixed;
use crate::context::testing::TestContext;
use crate::functions::testing::{fault, run};

/// A pattern and what Java 17 writes with it at [`moments`].
#[rustfmt::skip]
const WRITTEN: &[(&str, [&str; 4])] = &[
    ("G GGGG GGGGG", ["AD Anno Domini A", "AD Anno Domini A", "BC Before Christ B", "AD Anno Domini A"]),
    ("y yy yyy yyyy yyyyy", ["2024 24 2024 2024 02024", "2021 21 2021 2021 02021", "45 45 045 0045 00045", "2024 24 2024 2024 02024"]),
    ("u uu uuu uuuu", ["2024 24 2024 2024", "2021 21 2021 2021", "-44 44 -044 -0044", "2024 24 2024 2024"]),
    ("D DDD", ["60 060", "3 003", "75 075", "197 197"]),
    ("M MM MMM MMMM MMMMM", ["2 02 Feb February F", "1 01 Jan January J", "3 03 Mar March M", "7 07 Jul July J"]),
    ("L LL LLL LLLL", ["2 02 Feb February", "1 01 Jan January", "3 03 Mar March", "7 07 Jul July"]),
    ("d dd", ["29 29", "3 03", "15 15", "15 15"]),
    ("Q QQ QQQ QQQQ", ["1 01 Q1 1st quarter", "1 01 Q1 1st quarter", "1 01 Q1 1st quarter", "3 03 Q3 3rd quarter"]),
    ("q qq qqq qqqq", ["1 01 Q1 1st quarter", "1 01 Q1 1st quarter", "1 01 Q1 1st quarter", "3 03 Q3 3rd quarter"]),
    ("Y YY YYYY", ["2024 24 2024", "2021 21 2021", "-44 44 -0044", "2024 24 2024"]),
    ("w ww", ["9 09", "2 02", "11 11", "29 29"]),
    ("W", ["5", "2", "3", "3"]),
    ("E EE EEE EEEE EEEEE", ["Thu Thu Thu Thursday T", "Sun Sun Sun Sunday S", "Thu Thu Thu Thursday T", "Mon Mon Mon Monday M"]),
    ("e ee eee eeee", ["5 05 Thu Thursday", "1 01 Sun Sunday", "5 05 Thu Thursday", "2 02 Mon Monday"]),
    ("c ccc cccc", ["5 Thu Thursday", "1 Sun Sunday", "5 Thu Thursday", "2 Mon Monday"]),
    ("F", ["1", "3", "1", "1"]),
    ("a", ["PM", "AM", "PM", "AM"]),
    ("h hh", ["1 01", "12 12", "12 12", "1 01"]),
    ("K KK", ["1 01", "0 00", "0 00", "1 01"]),
    ("k kk", ["13 13", "24 24", "12 12", "1 01"]),
    ("H HH", ["13 13", "0 00", "12 12", "1 01"]),
    ("m mm", ["5 05", "0 00", "0 00", "2 02"]),
    ("s ss", ["9 09", "0 00", "1 01", "3 03"]),
    ("S SS SSS SSSSSS SSSSSSSSS", ["1 12 123 123456 123456789", "0 00 000 000000 000000000", "0 00 005 005000 005000000", "0 00 000 000000 000000000"]),
    ("A AAAA", ["47109123 47109123", "0 0000", "43201005 43201005", "3723000 3723000"]),
    ("n", ["123456789", "0", "5000000", "0"]),
    ("N", ["47109123456789", "0", "43201005000000", "3723000000000"]),
    ("VV", ["Europe/Berlin", "UTC", "-05:30", "Asia/Kolkata"]),
    ("z zzzz", ["CET Central European Standard Time", "UTC Coordinated Universal Time", "-05:30 -05:30", "IST India Standard Time"]),
    ("v vvvv", ["CET Central European Time", "UTC Coordinated Universal Time", "-05:30 -05:30", "IT India Time"]),
    ("O OOOO", ["GMT+1 GMT+01:00", "GMT GMT", "GMT-5:30 GMT-05:30", "GMT+5:30 GMT+05:30"]),
    ("X XX XXX XXXX XXXXX", ["+01 +0100 +01:00 +0100 +01:00", "Z Z Z Z Z", "-0530 -0530 -05:30 -0530 -05:30", "+0530 +0530 +05:30 +0530 +05:30"]),
    ("x xx xxx xxxx xxxxx", ["+01 +0100 +01:00 +0100 +01:00", "+00 +0000 +00:00 +0000 +00:00", "-0530 -0530 -05:30 -0530 -05:30", "+0530 +0530 +05:30 +0530 +05:30"]),
    ("Z ZZ ZZZ ZZZZ ZZZZZ", ["+0100 +0100 +0100 GMT+01:00 +01:00", "+0000 +0000 +0000 GMT Z", "-0530 -0530 -0530 GMT-05:30 -05:30", "+0530 +0530 +0530 GMT+05:30 +05:30"]),
    ("ppppH", ["  13", "   0", "  12", "   1"]),
    ("B BBBB", ["in the afternoon in the afternoon", "midnight midnight", "noon noon", "at night at night"]),
    ("g", ["60369", "59217", "-694938", "60506"]),
    ("'lit' '' ''''", ["lit ' '", "lit ' '", "lit ' '", "lit ' '"]),
    ("[HH:mm]", ["13:05", "00:00", "12:00", "01:02"]),
    ("DD", ["60", "03", "75", "197"]),
    ("YYY", ["2024", "2021", "-044", "2024"]),
    ("nn nnnnnnnnn", ["123456789 123456789", "00 000000000", "5000000 005000000", "00 000000000"]),
];

/// Patterns that Java 17 refuses.
const REFUSED: &[&str] = &[
    "FF", "EEEEEE", "cc", "yyyy{", "#", "T", "WW", "aa", "hhh", "ddd", "'open", "]", "p",
];

fn moments() -> [DateMoment; 4] {
    let at =
        |day: jiff::civil::DateTime, zone: TimeZone| DateMoment::of(&day.to_zoned(zone).unwrap());
    let zone = |name: &str| TimeZone::get(name).unwrap();
    [
        at(
            date(2024, 2, 29).at(13, 5, 9, 123_456_789),
            zone("Europe/Berlin"),
        ),
        at(date(2021, 1, 3).at(0, 0, 0, 0), TimeZone::UTC),
        at(
            date(-44, 3, 15).at(12, 0, 1, 5_000_000),
            TimeZone::fixed(fixed("-05:30").unwrap()),
        ),
        at(date(2024, 7, 15).at(1, 2, 3, 0), zone("Asia/Kolkata")),
    ]
}

#[test]
fn patterns_write_what_java_writes() {
    let moments = moments();
    for (pattern, expected) in WRITTEN {
        let read = DatePattern::new(pattern).unwrap();
        for (moment, expected) in moments.iter().zip(expected) {
            let text = write(&read, moment, Locale::english());
            assert_eq!(text.as_deref(), Ok(*expected), "{pattern}");
        }
    }
}

#[test]
fn patterns_that_java_refuses_are_refused() {
    for pattern in REFUSED {
        assert!(DatePattern::new(pattern).is_err(), "{pattern}");
    }
}

/// Arguments of `__dateTimeConvert` and what JMeter 5.6.3 gives.
#[rustfmt::skip]
const CONVERTED: &[(&[&str], &str)] = &[
    (&["01212018", "MMddyyyy", "dd/MM/yyyy"], "21/01/2018"),
    (&["01212018", "MMddyyyy", "dd/MM/yyyy HH:mm"], ""),
    (&["2018-01-21 13:00 +0500", "yyyy-MM-dd HH:mm Z", "dd/MM/yyyy HH:mm Z"], "21/01/2018 13:00 +0500"),
    (&["13:05", "HH:mm", "hh:mm a"], "01:05 PM"),
    (&["13:05", "HH:mm", "hh:mm a Z"], ""),
    (&["2018 Jan", "yyyy MMM", "MM/uuuu"], "01/2018"),
    (&["2018 Jan", "yyyy MMM", "MM/yyyy"], ""),
    (&["01:05 PM", "hh:mm a", "HH:mm"], "13:05"),
    (&["01:05 pm", "hh:mm a", "HH:mm"], ""),
    (&["2024-060", "yyyy-DDD", "dd/MM/yyyy"], "29/02/2024"),
    (&["5 1 24", "d M yy", "dd/MM/yyyy"], "05/01/2024"),
    (&["2018-01-21T10:00:00Z", "yyyy-MM-dd'T'HH:mm:ssX", "HH:mm"], "10:00"),
    (&["2018-01-21T10:00:00.123Z", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "HH:mm:ss.SSS"], "10:00:00.123"),
    (&["20180121100000123", "yyyyMMddHHmmssSSS", "HH:mm:ss.SSS"], "10:00:00.123"),
    (&["2018-01-21[ 10]", "yyyy-MM-dd'[ 'HH']'", "HH"], "10"),
    (&["2018-01-21", "yyyy-MM-dd[ HH]", "dd"], "21"),
    (&["2018-01-21 10:00 GMT+2", "yyyy-MM-dd HH:mm O", "HH:mm O"], "10:00 GMT+2"),
    (&["2018-13-21", "yyyy-MM-dd", "dd"], ""),
    (&["2018-04-31", "yyyy-MM-dd", "dd"], "30"),
    (&["10:61", "HH:mm", "mm"], ""),
    (&["2018-W03-7", "YYYY-'W'ww-e", "yyyy-MM-dd"], "2018-01-20"),
    (&["20180121x", "yyyyMMdd", "yyyy-MM-dd"], ""),
    (&["12018-01-21", "yyyy-MM-dd", "yyyy-MM-dd"], ""),
    (&["44 BC 03", "yy G MM", "yyyy G"], ""),
    (&["0044 BC 03 15", "yyyy G MM dd", "uuuu G"], "-0043 BC"),
    (&["3 05", "H mm", "HHmm"], "0305"),
    (&["24:30", "kk:mm", "HHmm"], "0030"),
];

#[test]
fn dates_are_converted() {
    let mut cx = TestContext::with(&[]);
    for (args, expected) in CONVERTED {
        assert_eq!(
            run("__dateTimeConvert", args, &mut cx),
            *expected,
            "{args:?}"
        );
    }
    // Milliseconds since 1970 and zones by name: the time at this host, whichever it is.
    let here = |ms| super::local(ms).unwrap();
    let expected = here(1_526_574_881_000)
        .strftime("%d/%m/%Y %H:%M")
        .to_string();
    let convert = |args: &[&str], cx: &mut TestContext| run("__dateTimeConvert", args, cx);
    let format = "dd/MM/yyyy HH:mm";
    assert_eq!(
        convert(&["1526574881000", "", format, "v"], &mut cx),
        expected
    );
    assert_eq!(*cx.vars["v"], *expected);
    let expected = here(1_516_464_000_000)
        .strftime("%d/%m/%Y %H:%M")
        .to_string();
    let tokyo = ["2018-01-21 01:00 Asia/Tokyo", "yyyy-MM-dd HH:mm VV", format];
    assert_eq!(convert(&tokyo, &mut cx), expected);
    let eastern = ["2018-01-20 11:00 EST", "yyyy-MM-dd HH:mm z", format];
    assert_eq!(convert(&eastern, &mut cx), expected);
    for wrong in [["", "", "dd"], ["5", "", "bad"], ["5", "bad", "dd"]] {
        assert_eq!(convert(&wrong, &mut cx), "");
    }
}

/// Arguments of `__timeShift` and what JMeter 5.6.3 gives.
#[rustfmt::skip]
const SHIFTED: &[(&[&str], &str)] = &[
    (&["yyyy-MM-dd HH:mm:ss.SSS", "2024-01-02 03:04:05.000", "P1D", ""], "2024-01-03 03:04:05.000"),
    (&["yyyy-MM-dd'T'HH:mm:ssX", "2024-01-02T03:04:05+02", "PT1H", ""], "2024-01-02T04:04:05+02"),
    (&["HH:mm", "03:04", "PT1H", ""], "04:04"),
    (&["EEE dd MMM yyyy", "Tue 02 Jan 2024", "P1D", ""], "Wed 03 Jan 2024"),
    (&["dd/MM/yyyy", "31/02/2018", "P0D", ""], "28/02/2018"),
    (&["dd MMMM yyyy", "01 janvier 2018", "P2D", "fr_FR", "v"], "03 janvier 2018"),
    (&["dd MMMM yyyy", "01 janvier 2018", "P2D", "fr", "v"], "03 janvier 2018"),
    (&["", "1000", "PT-1.5S", ""], "-500"),
    (&["yyyy-MM-dd", "2024-01-02", "bogus", ""], "2024-01-02"),
    (&["dd/MM/yyyy HH", "01/02/2024 24", "", ""], "02/02/2024 00"),
    (&["yyMMdd", "240102", "P1D", ""], "240103"),
    (&["yyyyMMddHHmmss", "20240102030405", "-P1D", ""], "20240101030405"),
    (&["dd/MM/yyyy", "02/01/2024", "P1D", "zz_QQ", "v"], "03/01/2024"),
    (&["dd/MM/yyyy", "02/01/2024", "P1D", "zh_CN", "v"], "03/01/2024"),
    (&["dd MMM yyyy", "02 Jan. 2024", "P1D", "de", "v"], "03 Jan. 2024"),
    (&["yyyy-MM-dd", "2024-02-30", "P1D", "", "v"], "2024-03-01"),
];

/// A time that cannot be read is now.
#[rustfmt::skip]
const NOW: &[&[&str]] = &[
    &["yyyy-MM-dd HH:mm:ss.SSS", "2024-01-02 03:04:05.678", "", ""],
    &["hh:mm a", "03:04 AM", "", ""],
    &["yyyy D", "2024 100", "", ""],
    &["EEE dd MMM yyyy", "Wed 02 Jan 2024", "", ""],
    &["dd/MM/uuuu", "31/01/2018", "", ""],
    &["dd/MM/yyyy", "2/1/2024", "", ""],
];

#[test]
fn times_are_shifted() {
    let mut cx = TestContext::with(&[]);
    cx.unix_ms = 1_700_000_000_123;
    for (args, expected) in SHIFTED {
        assert_eq!(run("__timeShift", args, &mut cx), *expected, "{args:?}");
    }
    assert!(cx.vars.contains_key("v"));
    for args in NOW {
        let logged = cx.logged.len();
        let now = [args[0], "", "", ""];
        let now = run("__timeShift", &now, &mut cx);
        assert_eq!(run("__timeShift", args, &mut cx), now, "{args:?}");
        assert_eq!(cx.logged.len(), logged + 1);
    }
    assert_eq!(
        run("__timeShift", &["", "x", "PT1S", ""], &mut cx),
        "1700000001123"
    );
    assert_eq!(run("__timeShift", &["badpattern", "", "", ""], &mut cx), "");
    let zoned = ["yyyy-MM VV", "2020-07 Europe/Berlin", "P14D", ""];
    assert_eq!(run("__timeShift", &zoned, &mut cx), "2020-07 Europe/Berlin");
    let odd = ["dd/MM/yyyy", "02/01/2024", "P1D", "english", "v"];
    assert!(fault("__timeShift", &odd, &mut cx).contains("Invalid locale format"));
    let far = ["dd/MM/yyyy", "02/01/2024", "P9000000000D", ""];
    assert!(fault("__timeShift", &far, &mut cx).contains("too large"));
}

#[test]
fn the_time_is_now() {
    let mut cx = TestContext::with(&[]);
    cx.unix_ms = 1_700_000_000_123;
    assert_eq!(run("__time", &[], &mut cx), "1700000000123");
    assert_eq!(run("__time", &["", "v"], &mut cx), "1700000000123");
    assert_eq!(&*cx.vars["v"], "1700000000123");
    assert_eq!(run("__time", &["/1000", " w "], &mut cx), "1700000000");
    assert_eq!(&*cx.vars["w"], "1700000000");
    let here = super::now(&cx);
    let day = here.strftime("%Y%m%d").to_string();
    assert_eq!(run("__time", &["YMD"], &mut cx), day);
    assert_eq!(run("__time", &["yyyyMMdd"], &mut cx), day);
    let all = here.strftime("%Y%m%d-%H%M%S").to_string();
    assert_eq!(run("__time", &["YMDHMS"], &mut cx), all);
    assert_eq!(run("__time", &["SSS"], &mut cx), "123");
    cx.properties.set("time.USER1", "'own'");
    assert_eq!(run("__time", &["USER1"], &mut cx), "own");
    let why = fault("__time", &["bogus"], &mut cx);
    assert!(why.contains("Unable to parse date format bogus"), "{why}");
}

#[test]
fn random_dates_are_within_their_ends() {
    let mut cx = TestContext::with(&[]);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        seen.insert(run(
            "__RandomDate",
            &["", "2018-02-27", "2018-03-02", "", "v"],
            &mut cx,
        ));
    }
    assert_eq!(
        seen.into_iter().collect::<Vec<_>>(),
        ["2018-02-27", "2018-02-28", "2018-03-01"]
    );
    assert!(cx.vars.contains_key("v"));
    let french = [
        "dd MMMM yyyy",
        "01 janvier 2018",
        "02 janvier 2018",
        "fr",
        "",
    ];
    assert_eq!(run("__RandomDate", &french, &mut cx), "01 janvier 2018");
    assert_eq!(
        run("__RandomDate", &["MM/yyyy", "01/2018", "02/2018"], &mut cx),
        "01/2018"
    );
    let backwards = ["yyyy-MM-dd", "2018-01-02", "2018-01-01"];
    assert_eq!(run("__RandomDate", &backwards, &mut cx), "");
    let none = ["yyyy-MM-dd", "2018-01-01", "2018-01-01"];
    assert!(fault("__RandomDate", &none, &mut cx).contains("bound"));
    let hours = ["yyyy-MM-dd HH", "2018-01-01 00", "2018-01-02 00"];
    assert!(fault("__RandomDate", &hours, &mut cx).contains("Unsupported field: Hour"));
    assert_eq!(
        run("__RandomDate", &["yyyy-MM-dd", "x", "1970-01-02"], &mut cx),
        "1970-01-01"
    );
}
