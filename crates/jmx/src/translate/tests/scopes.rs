use super::*;
use plimsoll_plan::model::{AtEnd, CsvData, SharedBy};

fn leaves(names: &str) -> String {
    let mut all = String::new();
    for (class, name) in [
        ("HeaderManager", "h"),
        ("UserParameters", "u"),
        ("ConstantTimer", "t"),
        ("RegexExtractor", "x"),
        ("ResponseAssertion", "a"),
        ("ResultCollector", "l"),
    ] {
        all += &el(class, &format!("{name}{names}"), &[], "");
    }
    all
}

#[test]
fn leaves_hold_where_they_stand() {
    let own = el("HTTPSamplerProxy", "s", &[], &leaves("2"));
    let one = leaves("1") + &own + &sampler("t");
    let list =
        |n| format!("[config h{n}, config l{n}, before u{n}, timer t{n}, after x{n}, check a{n}]");
    assert_eq!(outline(&one), format!("{} {{ {} s }} t", list(1), list(2)),);
}

#[test]
fn what_listens_to_passes_belongs_to_the_nearest_controller() {
    let data =
        el("CSVDataSet", "d", &[("filename", "a.csv")], "") + &el("CounterConfig", "c", &[], "");
    let each = [("UserParameters.per_iteration", "true")];
    let data = data + &el("UserParameters", "u", &each, "");
    let own = el("HTTPSamplerProxy", "s", &[], &data);
    let inner = el("GenericController", "g", &[], &own);
    assert_eq!(outline(&inner), "{ [data a.csv, pass c, pass u] s }");
    let random = el("RandomController", "r", &[], &own);
    assert_eq!(
        outline(&random),
        "{ [data a.csv, pass c, pass u] choose Random s={ s } }"
    );
}

#[test]
fn the_plan_itself_has_a_scope() {
    let inner = el("HeaderManager", "h", &[], "")
        + &el("CSVDataSet", "d", &[("filename", "a.csv")], "")
        + &group("");
    let plan = given(&inner).plan();
    assert_eq!(plan.scope.elements[0].name.raw, "h");
    assert_eq!(plan.scope.data[0].path.raw, "a.csv");
}

fn csv(written: &[(&str, &str)]) -> CsvData {
    let inner = el("CSVDataSet", "d", written, "") + &group("");
    let mut given = given(&inner);
    given.properties = "enc=ISO-8859-1";
    given.plan().scope.data.remove(0)
}

#[test]
fn csv_data_sets() {
    let usual = csv(&[("filename", " a.csv ")]);
    assert_eq!((usual.path.raw.as_str(), usual.delimiter), ("a.csv", b','));
    assert!(usual.columns.is_empty() && usual.has_header && !usual.quoted);
    assert_eq!(
        (usual.at_end, usual.shared_by),
        (AtEnd::Recycle, SharedBy::All)
    );
    assert_eq!(usual.encoding, "UTF-8");
    let all = csv(&[
        ("filename", "${f}"),
        ("variableNames", "a, b"),
        ("ignoreFirstLine", "true"),
        ("delimiter", "\\t"),
        ("quotedData", "true"),
        ("recycle", "false"),
        ("stopThread", "true"),
        ("shareMode", "shareMode.thread"),
        ("fileEncoding", "${__P(enc)}"),
    ]);
    assert_eq!(all.columns, ["a", "b"]);
    assert!(all.has_header && all.quoted);
    assert_eq!((all.delimiter, all.at_end), (b'\t', AtEnd::StopUser));
    assert_eq!(all.shared_by, SharedBy::User);
    assert_eq!(all.encoding, "ISO-8859-1");
    let named = csv(&[
        ("variableNames", "a"),
        ("recycle", "false"),
        ("shareMode", "mine"),
    ]);
    assert_eq!(
        (named.at_end, named.group.as_deref()),
        (AtEnd::Marker, Some("mine"))
    );
    assert!(!named.has_header);
    assert_eq!(
        csv(&[("shareMode", "Current thread group")]).shared_by,
        SharedBy::Scenario
    );
    let parted = |delimiter: &str, quoted: &str| {
        let data = csv(&[("delimiter", delimiter), ("quotedData", quoted)]);
        (data.delimiter, data.separator)
    };
    // Values: JMeter 5.6.3, the plan csv_delimiters.
    assert_eq!(parted("||", "true"), (b'|', None));
    assert_eq!(parted("||", "false"), (b',', Some("||".to_owned())));
    assert_eq!(parted("\\n", "false"), (b',', Some("\\n".to_owned())));
    assert_eq!(parted("，", "true"), (b',', Some("，".to_owned())));
    assert_eq!(parted("\\t", "false"), (b'\t', None));
    assert_eq!(parted("", "true"), (b',', None));
}
