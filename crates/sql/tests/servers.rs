//! Against a real MariaDB and a real PostgreSQL, started on ports of their own and ended by
//! their process ids.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_access::Reach;
use plimsoll_sql::{Argument, DatabaseAddress, Source, SqlOrder, SqlSettings, Statement};

struct Server {
    process: Child,
    url: String,
    user: &'static str,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGINT is PostgreSQL's fast shutdown; MariaDB takes SIGTERM.
        let signal = if self.url.contains("postgresql") {
            "-INT"
        } else {
            "-TERM"
        };
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args([signal, &pid]).status();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn program(name: &str) -> String {
    let folders = [
        "/usr/sbin",
        "/usr/bin",
        "/usr/local/bin",
        "/usr/lib/postgresql/15/bin",
    ];
    let newer = (16..20).map(|n| format!("/usr/lib/postgresql/{n}/bin"));
    let found = folders.into_iter().map(str::to_owned).chain(newer);
    let found = found
        .map(|folder| format!("{folder}/{name}"))
        .find(|path| Path::new(path).exists());
    found.unwrap_or_else(|| panic!("{name} is not installed: run tools/setup.sh test"))
}

/// Whether the tests run as root, whom both databases refuse to work for.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0\n")
}

/// A program of a database, run by somebody who is not root.
fn server_program(name: &str, args: &[&str]) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]);
        command.arg(program(name));
        command
    } else {
        Command::new(program(name))
    };
    command.args(args).current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn own_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    if is_root() {
        let owned = Command::new("chown")
            .arg("nobody:nogroup")
            .arg(folder.path())
            .status();
        assert!(owned.unwrap().success());
    }
    folder
}

fn mariadb() -> Server {
    let folder = own_folder();
    let data = folder.path().join("data").display().to_string();
    // A server that starts removes the temporary tables of all others in the same folder.
    let tmpdir = format!("--tmpdir={}", folder.path().display());
    let made = server_program(
        "mariadb-install-db",
        &[
            "--no-defaults",
            &format!("--datadir={data}"),
            &tmpdir,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
    );
    assert!({ made }.status().unwrap().success());
    let port = free_port();
    let socket = folder.path().join("s").display().to_string();
    let process = server_program(
        "mariadbd",
        &[
            "--no-defaults",
            &format!("--datadir={data}"),
            &tmpdir,
            &format!("--socket={socket}"),
            &format!("--port={port}"),
            "--bind-address=127.0.0.1",
            "--innodb-buffer-pool-size=32M",
        ],
    )
    .spawn()
    .unwrap();
    let url = format!("jdbc:mariadb://127.0.0.1:{port}/");
    Server {
        process,
        url,
        user: "root",
        _folder: folder,
    }
}

fn postgres() -> Server {
    let folder = own_folder();
    let data = folder.path().join("data").display().to_string();
    let made = server_program("initdb", &["-D", &data, "-U", "app", "--auth=trust"]);
    assert!({ made }.status().unwrap().success());
    let port = free_port();
    let process = server_program(
        "postgres",
        &[
            "-D",
            &data,
            "-p",
            &port.to_string(),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            &format!("unix_socket_directories={}", folder.path().display()),
        ],
    )
    .spawn()
    .unwrap();
    let url = format!("jdbc:postgresql://127.0.0.1:{port}/postgres");
    Server {
        process,
        url,
        user: "app",
        _folder: folder,
    }
}

fn source(server: &Server, pool_max: usize) -> Source {
    Source::open(SqlSettings {
        address: DatabaseAddress::parse(&server.url).unwrap(),
        reach: None,
        user: server.user.to_owned(),
        password: String::new(),
        pool_max,
        max_wait: Duration::from_secs(10),
        autocommit: true,
        isolation: Some("READ COMMITTED".to_owned()),
        init: vec!["select 1".to_owned()],
        numbered_errors: false,
    })
    .unwrap()
}

fn order(statement: Statement) -> SqlOrder {
    SqlOrder {
        statement,
        timeout: None,
        max_rows: None,
    }
}

fn update(sql: &str) -> SqlOrder {
    order(Statement::Update(sql.to_owned()))
}

fn select(sql: &str) -> SqlOrder {
    order(Statement::Select(sql.to_owned()))
}

async fn wait_until_up(source: &Source) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while let Err(error) = source.run(1, select("select 1")).await.response {
        assert!(Instant::now() < deadline, "not up: {error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn rows(source: &Source, order: SqlOrder) -> Vec<Vec<Option<String>>> {
    source.run(1, order).await.response.unwrap().rows
}

fn texts(row: &[Option<String>]) -> Vec<&str> {
    row.iter()
        .map(|value| value.as_deref().unwrap_or("NULL"))
        .collect()
}

/// What holds for both databases.
async fn common(source: &Source) {
    wait_until_up(source).await;
    let run = |order| source.run(1, order);
    run(update(
        "create table goods (id int primary key, name varchar(20), price decimal(8,2))",
    ))
    .await
    .response
    .unwrap();
    let insert = Statement::PreparedUpdate(
        "insert into goods values (?, ?, ?)".to_owned(),
        vec![
            Argument::Whole(1),
            Argument::Text("茶 ?".to_owned()),
            Argument::Text("12.50".to_owned()),
        ],
    );
    let done = run(order(insert)).await;
    assert_eq!(done.response.unwrap().updates, 1);
    assert!(done.connect <= done.latency);
    run(update("insert into goods values (2, null, 3)"))
        .await
        .response
        .unwrap();
    let all = run(select("select id, name, price from goods order by id"))
        .await
        .response
        .unwrap();
    assert_eq!(all.columns, ["id", "name", "price"]);
    assert_eq!(texts(&all.rows[0]), ["1", "茶 ?", "12.50"]);
    assert_eq!(texts(&all.rows[1]), ["2", "NULL", "3.00"]);
    let one = Statement::PreparedSelect(
        "select name from goods where id = ?".to_owned(),
        vec![Argument::Whole(1)],
    );
    assert_eq!(texts(&rows(source, order(one)).await[0]), ["茶 ?"]);
    let few = SqlOrder {
        max_rows: Some(1),
        ..select("select id from goods")
    };
    assert_eq!(rows(source, few).await.len(), 1);
    assert_eq!(
        run(update("update goods set price = 4"))
            .await
            .response
            .unwrap()
            .updates,
        2
    );

    let twice = run(update("insert into goods values (1, 'x', 0)"))
        .await
        .response
        .unwrap_err();
    assert!(twice.state.starts_with("23"), "{twice:?}");
    let missing = run(select("select * from nowhere"))
        .await
        .response
        .unwrap_err();
    assert!(missing.state.starts_with("42"), "{missing:?}");
    // A statement that failed does not cost the connection.
    assert_eq!(
        rows(source, select("select 7")).await[0][0].as_deref(),
        Some("7")
    );
}

/// A name that leads to this host is connected to where a list has that address, by no other one.
async fn who_may_be_reached(server: &Server, source: &Source) {
    let mut settings = source.settings().clone();
    settings.address.host = "localhost".to_owned();
    let within = |list: &str| {
        let reach = Some(Reach::parse([list]).unwrap());
        Source::open(SqlSettings {
            reach,
            ..settings.clone()
        })
        .unwrap()
    };
    let refused = within("*.shop.test");
    let done = refused.run(1, select("select 1")).await;
    let error = done.response.unwrap_err();
    assert!(error.message.contains("localhost leads to "), "{error}");
    assert!(error.state.starts_with("08"), "{error:?}");
    for list in ["127.0.0.0/8", "localhost"] {
        let found = rows(&within(list), select("select 7")).await;
        assert_eq!(texts(&found[0]), ["7"], "{} by {list}", server.url);
    }
}

/// What the server says of a table that is not there.
async fn shop_refusal(settings: SqlSettings) -> plimsoll_sql::SqlError {
    let shop = Source::open(settings).unwrap();
    let done = shop.run(1, select("select * from nowhere")).await;
    done.response.unwrap_err()
}

#[tokio::test]
async fn mariadb_gives_what_its_java_driver_gives() {
    let server = mariadb();
    let source = source(&server, 2);
    wait_until_up(&source).await;
    who_may_be_reached(&server, &source).await;
    source
        .run(1, update("create database shop character set utf8mb4"))
        .await
        .response
        .unwrap();
    source
        .run(1, update("set global wait_timeout=600"))
        .await
        .response
        .unwrap();
    let mut settings = source.settings().clone();
    settings.address.database = "shop".to_owned();
    let plain = shop_refusal(settings.clone()).await;
    assert_eq!(plain.message, "Table 'shop.nowhere' doesn't exist");
    settings.numbered_errors = true;
    let numbered = shop_refusal(settings.clone()).await;
    let number = numbered.message.strip_prefix("(conn=").unwrap();
    let (number, message) = number.split_once(") ").unwrap();
    assert!(number.parse::<u64>().is_ok());
    assert_eq!(message, plain.message);
    let shop = Source::open(settings).unwrap();
    common(&shop).await;
    let values = "select cast('2024-03-01 10:00:00.120000' as datetime(6)), date '2024-03-01', \
                  1e0, cast(1 as unsigned), 1e10, time '10:00:01', cast(null as char)";
    let expected = [
        "2024-03-01 10:00:00.12",
        "2024-03-01",
        "1.0",
        "1",
        "1.0E10",
        "10:00:01",
        "NULL",
    ];
    assert_eq!(texts(&rows(&shop, select(values)).await[0]), expected);
    let prepared = order(Statement::PreparedSelect(values.to_owned(), Vec::new()));
    assert_eq!(texts(&rows(&shop, prepared).await[0]), expected);
    shop.run(
        1,
        update("create table flags (a tinyint(1), b bit(1), c tinyint(4))"),
    )
    .await
    .response
    .unwrap();
    shop.run(1, update("insert into flags values (1, b'0', 5)"))
        .await
        .response
        .unwrap();
    assert_eq!(
        texts(&rows(&shop, select("select * from flags")).await[0]),
        ["true", "false", "5"]
    );
    let slow = SqlOrder {
        timeout: Some(Duration::from_millis(100)),
        ..select("select sleep(30)")
    };
    let late = shop.run(1, slow).await.response.unwrap_err();
    assert_eq!(late.class, "java.sql.SQLTimeoutException");
}

#[tokio::test]
async fn postgresql_gives_what_its_java_driver_gives() {
    let server = postgres();
    let source = source(&server, 2);
    common(&source).await;
    who_may_be_reached(&server, &source).await;
    let values = "select timestamp '2024-03-01 10:00:00.12', date '2024-03-01', 1::float8, true, \
                  -0.05::numeric, '10:00:01'::time, null::text, \
                  '{\"a\": 1}'::jsonb, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, 3::int8";
    let expected = [
        "2024-03-01 10:00:00.12",
        "2024-03-01",
        "1.0",
        "true",
        "-0.05",
        "10:00:01",
        "NULL",
        "{\"a\": 1}",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "3",
    ];
    assert_eq!(texts(&rows(&source, select(values)).await[0]), expected);
}

#[tokio::test]
async fn a_pool_has_just_so_many_connections() {
    let server = postgres();
    let two = source(&server, 2);
    wait_until_up(&two).await;
    let counts = (0..6).map(|user| two.run(user, select("select pg_backend_pid(), pg_sleep(0.1)")));
    let mut backends: Vec<String> = Vec::new();
    for done in futures_util::future::join_all(counts).await {
        backends.push(done.response.unwrap().rows[0][0].clone().unwrap());
    }
    backends.sort();
    backends.dedup();
    assert_eq!(backends.len(), 2);

    let own = source(&server, 0);
    let first = rows(&own, select("select pg_backend_pid()")).await;
    let again = rows(&own, select("select pg_backend_pid()")).await;
    let other = own
        .run(2, select("select pg_backend_pid()"))
        .await
        .response
        .unwrap()
        .rows;
    assert!(first == again && first != other, "each user has its own");
}

#[tokio::test]
async fn transactions_end_as_they_are_told() {
    let server = postgres();
    let mut settings = source(&server, 1).settings().clone();
    settings.autocommit = false;
    let manual = Source::open(settings).unwrap();
    let watching = source(&server, 1);
    wait_until_up(&watching).await;
    watching
        .run(1, update("create table t (n int)"))
        .await
        .response
        .unwrap();
    let count = async || rows(&watching, select("select count(*) from t")).await[0][0].clone();
    manual
        .run(1, update("insert into t values (1)"))
        .await
        .response
        .unwrap();
    assert_eq!(count().await.as_deref(), Some("0"));
    manual
        .run(1, order(Statement::Rollback))
        .await
        .response
        .unwrap();
    manual
        .run(1, update("insert into t values (2)"))
        .await
        .response
        .unwrap();
    manual
        .run(1, order(Statement::Commit))
        .await
        .response
        .unwrap();
    assert_eq!(count().await.as_deref(), Some("1"));
}

#[tokio::test]
async fn nobody_there_is_a_failure_of_the_connection() {
    for kind in ["mariadb", "postgresql"] {
        let url = format!("jdbc:{kind}://127.0.0.1:{}/x", free_port());
        let settings = SqlSettings {
            address: DatabaseAddress::parse(&url).unwrap(),
            reach: None,
            user: "u".to_owned(),
            password: "secret".to_owned(),
            pool_max: 1,
            max_wait: Duration::from_secs(1),
            autocommit: true,
            isolation: None,
            init: Vec::new(),
            numbered_errors: false,
        };
        let done = Source::open(settings)
            .unwrap()
            .run(1, select("select 1"))
            .await;
        let error = done.response.unwrap_err();
        assert!(error.state.starts_with("08"), "{error:?}");
        assert!(!error.to_string().contains("secret"));
    }
}
