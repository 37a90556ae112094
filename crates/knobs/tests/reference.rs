//! docs/knobs.md lists all knobs; it is made from the registry. `UPDATE_EXPECTED=1` writes it.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use plimsoll_knobs::{FAMILIES, Knob, ReadWay};
use plimsoll_text::{Lang, Message, render};

const HEAD_EN: &str = "# Knobs

Made by `make schema` from `crates/knobs/src/families`; `plimsoll tune --knobs` prints the same list.

A knob is a setting by name. A study names it instead of a file and a key, and advice of the diagnosis carries
it. The range is where a search looks: the program may take more. What gives something up for speed is turned
only where a study names it. *Written* says the kind of place and the address in it; *read back* how a running
target shows the value, best first, and nothing of the target is executed for it. Where nothing shows it, a
trial says \"written, not confirmed\".

In addresses of nginx ` > ` stands between blocks, and `listen[backlog]` is one parameter of a directive; a block
may be named (`http > upstream app > keepalive`), a server also by what it listens to or is called
(`http > server 8080 > listen[backlog]`). An element of XML is chosen by an attribute:
`Server/Service/Connector[port=8080]@maxThreads`.
";

const HEAD_ZH: &str = "# 调优参数

本页由`make schema`根据`crates/knobs/src/families`生成；`plimsoll tune --knobs`输出同样的列表。

调优参数有自己的名称。调优方案写参数名即可，不必写文件和键；诊断建议也带有参数名。取值范围是搜索的范围，程序本身允许的
可能更宽。会牺牲某些保证的参数只有在调优方案中点名时才会改动。“写在哪里”是位置的种类和其中的地址；“如何回读”是从运行中的
被测系统查看该值的方式，优先的在前，不会在被测系统上执行任何命令。没有任何方式能看到时，试验结果写明“已写入，未能确认”。

nginx的地址用` > `分隔各级块，`listen[backlog]`表示指令的某个参数；可以指明是哪个块（`http > upstream app > keepalive`），
server还可以用监听端口或域名指明（`http > server 8080 > listen[backlog]`）。XML元素可以用属性来选择：
`Server/Service/Connector[port=8080]@maxThreads`。
";

fn reference(lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let mut page = match lang {
        Lang::En => HEAD_EN,
        Lang::Zh => HEAD_ZH,
    }
    .to_owned();
    let heads = [
        "knob", "what", "range", "default", "applies", "gives", "written", "read",
    ];
    for family in FAMILIES {
        page.push_str(&format!(
            "\n## {}\n\n",
            say(&format!("knobs-family-{}", family.id))
        ));
        let heads = heads.map(|head| say(&format!("knobs-head-{head}")));
        page.push_str(&format!(
            "| {} |\n|{}\n",
            heads.join(" | "),
            "---|".repeat(heads.len())
        ));
        for knob in family.knobs {
            let cells = row(knob, lang).map(|cell| cell.replace('|', "\\|"));
            page.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    page
}

fn row(knob: &Knob, lang: Lang) -> [String; 8] {
    let say = |id: &str| render(lang, &Message::new(id));
    let mut what = vec![say(&knob.message().id)];
    what.extend(
        knob.conditions
            .iter()
            .map(|condition| render(lang, &condition.message())),
    );
    let places = knob.places.iter().map(|place| {
        format!(
            "{}: `{}`{}",
            place.kind.name(),
            place.address,
            place.note(lang)
        )
    });
    let reads = knob.reads.iter().map(|way| of_way(*way, lang));
    let reads: Vec<String> = reads.collect();
    let reads = match reads.is_empty() {
        true => say("knobs-read-nothing"),
        false => reads.join("<br>"),
    };
    [
        format!("[`{}`]({})", knob.id, knob.source),
        what.join("<br>"),
        knob.allowed(),
        knob.defaults(lang),
        say(&format!("knobs-applies-{}", knob.applies.name())),
        knob.gives.map_or_else(String::new, |gives| {
            say(&format!("knobs-gives-{}", gives.name()))
        }),
        places.collect::<Vec<_>>().join("<br>"),
        reads,
    ]
}

fn of_way(way: ReadWay, lang: Lang) -> String {
    let (kind, name) = way.parts();
    let kind = render(lang, &Message::new(format!("knobs-read-{kind}")));
    match name {
        "" => kind,
        name => format!("{kind}: `{name}`"),
    }
}

#[test]
fn the_reference_is_up_to_date() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for (lang, name) in [
        (Lang::En, "docs/knobs.md"),
        (Lang::Zh, "docs/knobs.zh-CN.md"),
    ] {
        let path = root.join(name);
        let made = reference(lang);
        assert!(
            !made.contains("knobs-head") && !made.contains("knobs-read"),
            "a text is missing"
        );
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == made, "{name} is stale: make schema");
    }
}
