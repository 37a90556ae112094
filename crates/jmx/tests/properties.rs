//! The page about JMeter's properties is the table that `plimsoll check` looks at.
//! `UPDATE_EXPECTED=1` writes it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use plimsoll_jmx::known::{KnownProperty, PropertyScope, PropertyStanding, all};

/// Why, in English and Chinese.
const WHY: &[(&str, &str, &str)] = &[
    (
        "client",
        "of Java's HTTP clients; requests are made by Plimsoll's own",
        "属于Java的HTTP客户端；请求由Plimsoll自己的客户端发出",
    ),
    (
        "evaluation",
        "functions and variables are always evaluated as JMeter does without it",
        "函数和变量总是按JMeter未设置它时的方式计算",
    ),
    ("gui", "of JMeter's windows", "属于JMeter的图形界面"),
    (
        "kerberos",
        "there is no Kerberos, SPNEGO or NTLM",
        "不支持Kerberos、SPNEGO和NTLM",
    ),
    (
        "listeners",
        "listeners write as their own settings say, and as JMeter does without it",
        "监听器按自己的设置以及JMeter未设置它时的方式写入",
    ),
    (
        "memory",
        "of JMeter's own caches, buffers and clocks; results do not depend on it",
        "属于JMeter自己的缓存、缓冲区和时钟；结果与它无关",
    ),
    ("named", "name the file with `-q`", "请用 `-q` 给出该文件"),
    (
        "network",
        "of Java's network; the companion alone has it",
        "属于Java的网络设置；只对伴随进程起作用",
    ),
    (
        "parsers",
        "pages and documents are read by Plimsoll's own parsers, as JMeter's usual ones read them",
        "页面和文档由Plimsoll自己的解析器读取，结果与JMeter的默认解析器相同",
    ),
    (
        "process",
        "of JMeter's own process: its log, ports and how it ends",
        "属于JMeter自己的进程：日志、端口和退出方式",
    ),
    (
        "proxy",
        "name the proxy in the HTTP request or its defaults",
        "请在HTTP请求或HTTP请求默认值中写代理服务器",
    ),
    ("recorder", "of the recorder", "属于录制器"),
    (
        "remote",
        "of JMeter's remote testing; [workers](fleet.md) take its place",
        "属于JMeter的远程测试；由[执行节点](fleet.zh-CN.md)代替",
    ),
    (
        "report",
        "of JMeter's HTML report; `--report` takes its place",
        "属于JMeter的HTML报告；由 `--report` 代替",
    ),
    (
        "tls",
        "TLS 1.2 and 1.3 with the ciphers of this program; sessions are a user's own",
        "使用本程序的TLS 1.2和1.3及其密码套件；会话属于各个用户",
    ),
    (
        "trust",
        "JMeter takes any certificate of a server, and so is it here",
        "JMeter接受服务器的任何证书，这里也一样",
    ),
    (
        "unused",
        "JMeter 5.6.3 itself does not look at it",
        "JMeter 5.6.3本身不使用它",
    ),
];

/// A section: which properties, its head and words in English and Chinese.
type Section = (PropertyStanding, [&'static str; 2], [&'static str; 2]);

const SECTIONS: &[Section] = &[
    (
        PropertyStanding::Told,
        ["Not obeyed, and told", "不起作用，会提示"],
        [
            "They would change a test. `check` and `run` say once which of them were set to something else than JMeter's own value.",
            "它们会改变测试。如果设置的值不同于JMeter的默认值，`check` 和 `run` 会提示一次。",
        ],
    ),
    (
        PropertyStanding::Obeyed,
        ["Obeyed", "起作用"],
        ["They do what they do in JMeter.", "作用与在JMeter中相同。"],
    ),
    (
        PropertyStanding::Companion,
        ["Obeyed in the JVM companion", "在JVM伴随进程中起作用"],
        [
            "They do what they do in JMeter, for the elements that run there.",
            "对在其中运行的元件，作用与在JMeter中相同。",
        ],
    ),
    (
        PropertyStanding::Nothing,
        ["Without effect on a test", "对测试没有影响"],
        [
            "They change nothing of the requests and results of a plan, so nothing is said of them.",
            "它们不改变测试计划的请求和结果，因此不提示。",
        ],
    ),
];

const HEADS: [&str; 2] = [
    "# JMeter's properties\n\n[中文](jmeter-properties.zh-CN.md)\n\n\
     What becomes of each property that JMeter 5.6.3 knows, in its files and in its code. Set them with\n\
     `-Jname=value` or `-q FILE`, Java's system properties (marked *system*) with `-D` or `-S`\n\
     ([JMeter plans](jmeter.md)). Names that are not here are a plan's own: `${__P(name)}` reads them.\n",
    "# JMeter 的属性\n\n[English](jmeter-properties.md)\n\n\
     JMeter 5.6.3 的配置文件和代码中每个属性在这里的情况。用 `-Jname=value` 或 `-q FILE` 设置，\n\
     Java系统属性（标为 *system*）用 `-D` 或 `-S` 设置（[JMeter测试计划](jmeter.zh-CN.md)）。\n\
     不在此列的名称属于测试计划自己，由 `${__P(name)}` 读取。\n",
];

fn why(known: &KnownProperty, language: usize) -> &'static str {
    if known.why.is_empty() {
        return "";
    }
    let found = WHY.iter().find(|(why, ..)| *why == known.why);
    let (_, en, zh) = found.unwrap_or_else(|| panic!("no words for {}", known.why));
    [*en, *zh][language]
}

fn row(known: &KnownProperty, language: usize) -> String {
    let system = match known.scope {
        PropertyScope::JMeter => "",
        PropertyScope::System => " *system*",
    };
    let default = known.default.replace('|', "\\|");
    let default = match default.is_empty() {
        true => "–".to_owned(),
        false => format!("`{default}`"),
    };
    let why = why(known, language);
    format!("| `{}`{system} | {default} | {why} |\n", known.name).replace("|  |", "| |")
}

fn page(language: usize) -> String {
    let mut page = HEADS[language].to_owned();
    let columns = [
        "| property | JMeter's value | why |\n|---|---|---|\n",
        "| 属性 | JMeter的默认值 | 原因 |\n|---|---|---|\n",
    ];
    for (standing, head, words) in SECTIONS {
        page += &format!("\n## {}\n\n{}\n\n", head[language], words[language]);
        page += columns[language];
        let of_section = all().iter().filter(|known| known.standing == *standing);
        page.extend(of_section.map(|known| row(known, language)));
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    for (language, path) in [
        "docs/jmeter-properties.md",
        "docs/jmeter-properties.zh-CN.md",
    ]
    .into_iter()
    .enumerate()
    {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let wanted = page(language);
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&file, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == wanted, "{path} is not up to date: make schema");
    }
}
