#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use plimsoll_text::{Lang, render};

use super::*;

/// A server with its folder; the port is the kernel's choice.
struct Started {
    folder: tempfile::TempDir,
    port: u16,
    server: TableServer,
}

fn start(more: &[(&str, &str)]) -> Started {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "a;1\r\nb;2\nc;3\n\nd;4").unwrap();
    std::fs::write(folder.path().join("latin.csv"), b"caf\xe9\n").unwrap();
    let port = free_port();
    let server = started(folder.path(), port, more).unwrap().unwrap();
    Started {
        folder,
        port,
        server,
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn started(
    folder: &Path,
    port: u16,
    more: &[(&str, &str)],
) -> Result<Option<TableServer>, Message> {
    let mut set: HashMap<String, String> = HashMap::new();
    set.insert("loadAndRunOnStartup".into(), "true".into());
    set.insert("port".into(), port.to_string());
    set.extend(
        more.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    let property = |name: &str| set.get(name.strip_prefix("jmeterPlugin.sts.")?).cloned();
    TableServer::start(&property, &Access::of_user(), (folder, folder))
}

impl Started {
    fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// What a command says, without the page around it.
    fn ask(&self, command: &str) -> String {
        let response = self.raw(&format!(
            "GET /sts/{command} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        ));
        assert!(
            response.starts_with("HTTP/1.1 200 OK \r\nContent-Type: text/html\r\nDate: "),
            "{response}"
        );
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(
            head.contains(&format!("Content-Length: {}", body.len())),
            "{response}"
        );
        let body = body.strip_prefix("<html><title>").unwrap();
        let (title, body) = body.split_once("</title>\n<body>").unwrap();
        let (body, _) = body.split_once("</body>").unwrap();
        format!("{title} {body}")
    }
}

#[test]
fn lines_are_read_in_each_way_and_kept_or_not() {
    let it = start(&[]);
    assert_eq!(
        it.ask("READ?FILENAME=users.csv"),
        "KO Error : users.csv not loaded yet !"
    );
    assert_eq!(it.ask("INITFILE?FILENAME=users.csv"), "OK 5");
    assert_eq!(it.ask("READ?FILENAME=users.csv"), "OK a;1");
    assert_eq!(
        it.ask("READ?FILENAME=users.csv&READ_MODE=LAST&KEEP=FALSE"),
        "OK a;1"
    );
    assert_eq!(
        it.ask("READ?FILENAME=users.csv&READ_MODE=LAST&KEEP=TRUE"),
        "OK d;4"
    );
    assert_eq!(it.ask("LENGTH?FILENAME=users.csv"), "OK 4");
    let many = "READMULTI?FILENAME=users.csv&NB_LINES=2&KEEP=FALSE";
    assert_eq!(it.ask(many), "OK \nb;2<br />\nc;3<br />\n");
    let random = "READ?FILENAME=users.csv&READ_MODE=RANDOM&KEEP=FALSE";
    let mut drawn = [it.ask(random), it.ask(random)];
    drawn.sort();
    assert_eq!(drawn, ["OK ", "OK d;4"]);
    assert_eq!(it.ask(random), "KO Error : No more line !");
    assert_eq!(
        it.ask("READ?FILENAME=users.csv&READ_MODE=MIDDLE"),
        "KO Error : No more line !"
    );
    assert_eq!(it.ask("ADD?FILENAME=users.csv&LINE=x"), "OK ");
    let wrong = it.ask("READ?FILENAME=users.csv&READ_MODE=MIDDLE");
    assert_eq!(
        wrong,
        "KO Error : READ_MODE value has to be FIRST, LAST or RANDOM !"
    );
}

#[test]
fn lines_are_added_found_saved_and_forgotten() {
    let it = start(&[("addTimestamp", "false")]);
    assert_eq!(it.ask("STATUS"), "KO Error : Database was empty !");
    assert_eq!(it.ask("ADD?FILENAME=new&LINE=red+1&ADD_MODE=LAST"), "OK ");
    let body = "FILENAME=new&LINE=blue%202&ADD_MODE=FIRST&UNIQUE=TRUE";
    let post = format!(
        "POST /sts/ADD HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert!(it.raw(&post).contains("<title>OK</title>"));
    assert!(it.raw(&post).contains("ENTRY already exists !"));
    assert_eq!(
        it.ask("FIND?FILENAME=new&LINE=red%7Cgreen&FIND_MODE=REGEX_FIND"),
        "OK red 1"
    );
    assert_eq!(
        it.ask("FIND?FILENAME=new&LINE=red&FIND_MODE=REGEX_MATCH"),
        "KO Error : Not find !"
    );
    // Java's `matches` takes the way that reaches the end.
    assert_eq!(
        it.ask("FIND?FILENAME=new&LINE=red%7Cred.1&FIND_MODE=REGEX_MATCH"),
        "OK red 1"
    );
    assert_eq!(
        it.ask("FIND?FILENAME=new&LINE=a)(b&FIND_MODE=REGEX_MATCH"),
        "KO Error : Regex compile error !"
    );
    assert_eq!(it.ask("FIND?FILENAME=new&LINE=ue"), "OK blue 2");
    assert_eq!(it.ask("SAVE?FILENAME=new"), "OK 2");
    assert_eq!(
        std::fs::read_to_string(it.folder.path().join("new")).unwrap(),
        "red 1\nblue 2\n"
    );
    assert_eq!(it.ask("SAVE?FILENAME=new&ADD_TIMESTAMP=true"), "OK 2");
    let names = std::fs::read_dir(it.folder.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let stamped: Vec<String> = names.filter(|name| name.ends_with("s.new")).collect();
    assert_eq!(
        stamped[0].len(),
        "20140520T16h33m27s.new".len(),
        "{stamped:?}"
    );
    assert_eq!(it.ask("STATUS"), "OK \nnew = 2<br />\n");
    assert_eq!(it.ask("RESET?FILENAME=new"), "OK ");
    assert_eq!(it.ask("LENGTH?FILENAME=new"), "OK 0");
    assert_eq!(it.ask("NOTHING"), "KO Error : unknown command !");
}

#[test]
fn files_outside_of_its_folder_are_out_of_reach() {
    let it = start(&[("charsetEncodingReadFile", "ISO-8859-1")]);
    for name in ["..%2Fx", "a%0A%2F..%2Fx", "..", "c%3Ax", "%5Cx"] {
        for command in ["INITFILE", "SAVE"] {
            let said = it.ask(&format!("{command}?FILENAME={name}"));
            assert_eq!(
                said, "KO Error : Illegal character found !",
                "{command} {name}"
            );
        }
    }
    let long = "n".repeat(129);
    assert_eq!(
        it.ask(&format!("INITFILE?FILENAME={long}")),
        "KO Error : Maximum size reached (128) !"
    );
    assert_eq!(
        it.ask("INITFILE?FILENAME=none.csv"),
        "KO Error : file not found !"
    );
    assert_eq!(
        it.ask("INITFILE"),
        "KO Error : FILENAME parameter was missing !"
    );
    assert_eq!(it.ask("INITFILE?FILENAME=latin.csv"), "OK 1");
    assert_eq!(it.ask("READ?FILENAME=latin.csv"), "OK café");
}

#[test]
fn files_are_read_before_the_first_request() {
    let it = start(&[("initFileAtStartup", "users.csv, none.csv,latin.csv")]);
    assert_eq!(
        it.ask("STATUS"),
        "OK \nusers.csv = 5<br />\nlatin.csv = 1<br />\n"
    );
    let it = start(&[
        ("initFileAtStartup", "u.+\\.csv"),
        ("initFileAtStartupRegex", "true"),
    ]);
    assert_eq!(it.ask("STATUS"), "OK \nusers.csv = 5<br />\n");
    assert!(
        it.ask("CONFIG")
            .contains("jmeterPlugin.sts.initFileAtStartupRegex=true<br />\n")
    );
}

#[test]
fn it_stands_while_the_run_does_and_only_if_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let none = |more: &[(&str, &str)]| started(folder.path(), free_port(), more).unwrap().is_none();
    assert!(
        none(&[("loadAndRunOnStartup", "false")])
            && none(&[("port", "0")])
            && none(&[("port", "x")])
    );
    let it = start(&[]);
    let taken = started(folder.path(), it.port, &[]).err().unwrap();
    let text = render(Lang::En, &taken);
    assert!(text.contains(&format!("127.0.0.1:{}", it.port)), "{text}");
    let port = it.port;
    drop(it.server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let it = start(&[]);
    assert_eq!(it.raw("GET /sts/STOP HTTP/1.1\r\n\r\n"), "");
    drop(it.server);
}
