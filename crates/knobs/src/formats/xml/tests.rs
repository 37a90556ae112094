#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use crate::formats::{Address, EditFault, Format, get, remove, set};

const SERVER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!-- <Connector port=\"1\"/> 注释 -->
<Server port=\"8005\">
  <Service name='Catalina'>
    <Connector port=\"8080\" protocol=\"HTTP/1.1\"
               maxThreads='150' />
    <Connector port=\"8009\" protocol=\"AJP/1.3\"/>
    <Engine><Realm>a &amp; b</Realm><Empty/></Engine>
  </Service>
</Server>
";

fn changed(file: &str, path: &str, value: &str) -> String {
    let now = set(Format::Xml, file.as_bytes(), &Address::new(path), value).unwrap();
    String::from_utf8(now).unwrap()
}

#[test]
fn attributes_and_texts_are_found() {
    for (path, expected) in [
        ("Server@port", Some("8005")),
        (
            "/Server/Service/Connector[port=8080]@maxThreads",
            Some("150"),
        ),
        ("/Server/Service/Connector[port=8009]@maxThreads", None),
        (
            "Server/Service/Connector[port=8009]@protocol",
            Some("AJP/1.3"),
        ),
        ("Server/Service/Engine/Realm", Some("a & b")),
        ("Server/Service/Engine/Empty", Some("")),
        ("Server/Service/Connector@acceptCount", None),
        ("Server/Nothing@a", None),
    ] {
        let found = get(Format::Xml, SERVER.as_bytes(), &Address::new(path)).unwrap();
        assert_eq!(
            found.map(|found| found.value).as_deref(),
            expected,
            "{path}"
        );
    }
}

#[test]
fn one_value_changes() {
    for (path, value, before, after) in [
        (
            "Server/Service/Connector[port=8080]@maxThreads",
            "5",
            "'150'",
            "'5'",
        ),
        (
            "Server/Service/Connector[port=8080]@acceptCount",
            "9",
            "'150' />",
            "'150' acceptCount=\"9\" />",
        ),
        (
            "Server/Service/Connector[port=8009]@maxThreads",
            "<&\"'>",
            "AJP/1.3\"/>",
            "AJP/1.3\" maxThreads=\"&lt;&amp;&quot;&apos;&gt;\"/>",
        ),
        ("Server/Service/Engine/Realm", "x<y", "a &amp; b", "x&lt;y"),
        (
            "Server/Service/Engine/Empty",
            "1",
            "<Empty/>",
            "<Empty>1</Empty>",
        ),
        (
            "Server/Service/More",
            "1",
            "  </Service>",
            "    <More>1</More>\n  </Service>",
        ),
    ] {
        assert_eq!(
            changed(SERVER, path, value),
            SERVER.replacen(before, after, 1),
            "{path}"
        );
    }
}

#[test]
fn several_places_and_missing_ones_are_told() {
    let fault =
        |path: &str| set(Format::Xml, SERVER.as_bytes(), &Address::new(path), "1").unwrap_err();
    // Whether one of them has it or none.
    for attribute in ["acceptCount", "maxThreads", "port"] {
        let several = fault(&format!("Server/Service/Connector@{attribute}"));
        assert_eq!(
            (several.line, several.fault),
            (5, EditFault::Several(vec![5, 7])),
            "{attribute}"
        );
    }
    let appenders = "<c>\n<a n='1'><f>1</f></a>\n<a n='2'/></c>";
    let set_in = |path: &str| set(Format::Xml, appenders.as_bytes(), &Address::new(path), "2");
    assert_eq!(
        set_in("c/a/f").unwrap_err().fault,
        EditFault::Several(vec![2, 3])
    );
    assert_eq!(
        set_in("c/a[n=1]/f").unwrap(),
        appenders.replace("<f>1", "<f>2").into_bytes()
    );
    let missing = fault("Server/Other/Connector@acceptCount").fault;
    assert_eq!(
        missing,
        EditFault::NoParent("Server/Other/Connector".to_owned())
    );
    assert!(matches!(
        fault("Server/Service/Engine").fault,
        EditFault::NotSingle(_)
    ));
    for path in ["", "a[b]", "a//b", "@x", "a@", "a b", "a[b=c"] {
        assert!(
            matches!(fault(path).fault, EditFault::Address { .. }),
            "{path}"
        );
    }
    for file in ["<a><b></a>", "<a", "<a>", "<a b=\"1></a>"] {
        assert!(
            set(Format::Xml, file.as_bytes(), &Address::new("a@b"), "1").is_err(),
            "{file}"
        );
    }
    let deep = "<a>".repeat(100_000);
    assert!(get(Format::Xml, deep.as_bytes(), &Address::new("a@b")).is_err());
}

#[test]
fn an_attribute_goes_with_its_space() {
    let gone = remove(
        Format::Xml,
        SERVER.as_bytes(),
        &Address::new("Server/Service/Connector[port=8080]@maxThreads"),
    );
    let expected = SERVER.replace("\n               maxThreads='150'", "");
    assert_eq!(String::from_utf8(gone.unwrap()).unwrap(), expected);
}

proptest! {
    #[test]
    fn what_is_set_is_there(value in "[ -~中文]{0,16}", path in prop::sample::select(vec![
        "Server@port", "Server/Service/Connector[port=8080]@acceptCount", "Server/Service/Engine/Realm",
        "Server/Service/New",
    ])) {
        let address = Address::new(path);
        if let Ok(now) = set(Format::Xml, SERVER.as_bytes(), &address, &value) {
            prop_assert_eq!(get(Format::Xml, &now, &address).unwrap().unwrap().value, value.clone());
            prop_assert_eq!(set(Format::Xml, &now, &address, &value).unwrap(), now);
        }
    }

    #[test]
    fn any_text_is_taken(file in "[<>/a-c=\"' \n!\\-\\[\\]&;?中]{0,80}", path in "[a-c/@\\[\\]=]{0,8}") {
        let address = Address::new(path);
        let _ = get(Format::Xml, file.as_bytes(), &address);
        let _ = set(Format::Xml, file.as_bytes(), &address, "x");
        let _ = remove(Format::Xml, file.as_bytes(), &address);
    }
}
