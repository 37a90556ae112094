//! A real MariaDB with Debian's settings, loaded by statements: its settings are written into my.cnf, read back
//! from the running server, and brought back.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::world::{World, processes_with};

/// What Debian's 50-server.cnf says, with comments that look like settings; and a log that is soon made.
const DEBIAN: &str = "# These groups are read by MariaDB server.\n\n[server]\n\n[mysqld]\n\n#user = mysql
pid-file                = pid\n#basedir = /usr\nbind-address            = 127.0.0.1
#max_connections        = 100\nexpire_logs_days        = 10
character-set-server  = utf8mb4\ninnodb_log_file_size = 8M\n#innodb_buffer_pool_size = 8G\n\n[embedded]\n\n[mariadb-10.11]\n";

/// What each start makes sure of: a statement a line.
const DATA: &str = "create database if not exists shop;
create table if not exists shop.items (id int primary key auto_increment, name varchar(200)) engine=innodb;
create user if not exists 'shop'@'127.0.0.1' identified by 'shop';
grant all on shop.* to 'shop'@'127.0.0.1';
create user if not exists 'watch'@'127.0.0.1';
create user if not exists 'tuner'@'127.0.0.1' identified by 'geheim-7';
grant super on *.* to 'tuner'@'127.0.0.1';
";

/// Where a program of MariaDB's is; none on a machine without it, which CI must have.
fn program(name: &str) -> Option<String> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
    let mut paths = folders.iter().map(|folder| format!("{folder}/{name}"));
    let found = paths.find(|path| Path::new(path).exists());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI must have {name}");
        eprintln!("skipped: {name} is not installed (tools/setup.sh test)");
    }
    found
}

/// MariaDB works for root if it is told so.
fn as_user() -> &'static str {
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout.starts_with(b"0\n") {
        "--user=root"
    } else {
        "--skip-log-bin"
    }
}

/// The statements of a plan, each by 8 users after a pause.
fn plan(port: u16, statements: &[(&str, &str)]) -> String {
    let samplers: String = statements
        .iter()
        .map(|(kind, sql)| {
            format!(
                "<JDBCSampler guiclass='TestBeanGUI' testclass='JDBCSampler' testname='{kind}'>
<stringProp name='dataSource'>db</stringProp>
<stringProp name='queryType'>{kind} Statement</stringProp>
<stringProp name='query'>{sql}</stringProp>
<stringProp name='resultSetHandler'>Store as String</stringProp>
</JDBCSampler><hashTree/>"
            )
        })
        .collect();
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>
<jmeterTestPlan version='1.2' properties='5.0' jmeter='5.6.3'><hashTree>
<TestPlan guiclass='TestPlanGui' testclass='TestPlan' testname='statements'/><hashTree>
<ThreadGroup guiclass='ThreadGroupGui' testclass='ThreadGroup' testname='users'>
<stringProp name='ThreadGroup.num_threads'>8</stringProp>
<stringProp name='ThreadGroup.ramp_time'>0</stringProp>
<elementProp name='ThreadGroup.main_controller' elementType='LoopController' guiclass='LoopControlPanel' testclass='LoopController'>
<stringProp name='LoopController.loops'>-1</stringProp>
</elementProp></ThreadGroup><hashTree>
<JDBCDataSource guiclass='TestBeanGUI' testclass='JDBCDataSource' testname='db'>
<stringProp name='dataSource'>db</stringProp>
<stringProp name='poolMax'>8</stringProp>
<stringProp name='timeout'>10000</stringProp>
<boolProp name='autocommit'>true</boolProp>
<stringProp name='transactionIsolation'>DEFAULT</stringProp>
<stringProp name='dbUrl'>jdbc:mariadb://127.0.0.1:{port}/shop</stringProp>
<stringProp name='driver'>org.mariadb.jdbc.Driver</stringProp>
<stringProp name='username'>shop</stringProp>
<stringProp name='password'>shop</stringProp>
</JDBCDataSource><hashTree/>
<ConstantTimer guiclass='ConstantTimerGui' testclass='ConstantTimer' testname='pause'>
<stringProp name='ConstantTimer.delay'>20</stringProp></ConstantTimer><hashTree/>
{samplers}</hashTree></hashTree></hashTree></jmeterTestPlan>"
    )
}

/// A folder with a data set, my.cnf and a study of the server.
fn database() -> Option<World> {
    let server = program("mariadbd")?;
    let install = program("mariadb-install-db")?;
    let client = program("mariadb")?;
    let world = World::new();
    let port = world.port;
    let data = world.path("data");
    // A server that starts removes the temporary tables of others in the same folder.
    let tmp = world.path("tmp");
    fs::create_dir(&tmp).unwrap();
    let made = Command::new(install)
        .args(["--no-defaults", "--skip-test-db", as_user()])
        .arg("--auth-root-authentication-method=normal")
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--tmpdir={}", tmp.display()))
        .stdout(Stdio::null())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    fs::write(world.path("conf/my.cnf"), DEBIAN).unwrap();
    fs::write(world.path("init.sql"), DATA).unwrap();
    let folder = world.dir.path().display();
    let user = as_user();
    world.study_of(
        &format!(
            "  db:
    start: {server} --defaults-file={folder}/conf/my.cnf --datadir={folder}/data --tmpdir={folder}/tmp --socket={folder}/s --port={port} --init-file={folder}/init.sql --loose-skip-name-resolve {user}
    ready: {client} --no-defaults -h127.0.0.1 -P{port} -ushop -pshop shop -e 'select 1 from items limit 1'
    watch: ['mysql=mysql://127.0.0.1:{port},user=watch']
"
        ),
        "search: one-at-a-time
knobs:
  mysql.buffer-pool-size: { file: conf/my.cnf, values: [256m] }
  mysql.flush-log-at-trx-commit: { file: conf/my.cnf, values: ['2'] }
allow: [mysql.flush-log-at-trx-commit]
trials: 14
seed: 1
",
    );
    Some(world)
}

/// What the running server showed of a knob, in all trials that changed it.
fn seen<'r>(result: &'r Value, knob: &'r str) -> Vec<&'r str> {
    let trials = result["trials"].as_array().unwrap().iter();
    let changed = trials.filter(|trial| trial["values"].get(knob).is_some());
    changed
        .map(|trial| {
            let read = trial["result"]["read_back"].as_array();
            let own = read.into_iter().flatten().find(|it| it["knob"] == knob);
            own.unwrap_or_else(|| panic!("{trial}"))["has"]
                .as_str()
                .unwrap()
        })
        .collect()
}

/// Has the study load the server with statements.
fn load_with(world: &World, statements: &[(&str, &str)]) {
    fs::write(world.path("plan.jmx"), plan(world.port, statements)).unwrap();
    world.edit_study(
        &format!("plan: http://127.0.0.1:{}/work", world.port),
        "plan: plan.jmx",
    );
    world.edit_study("users: 8\n", "");
}

fn is_tuned(statements: &[(&str, &str)]) {
    let Some(world) = database() else { return };
    load_with(&world, statements);
    let before = fs::read(world.path("conf/my.cnf")).unwrap();
    let (told, result) = world.tuned(&[]);
    assert_eq!(result["end"], "done", "{}", told.err);
    // Both are set in the file, and what the server has is what was wanted.
    let pools = seen(&result, "mysql.buffer-pool-size");
    assert!(
        !pools.is_empty() && pools.iter().all(|has| *has == "268435456"),
        "{pools:?}"
    );
    let flushes = seen(&result, "mysql.flush-log-at-trx-commit");
    assert!(
        !flushes.is_empty() && flushes.iter().all(|has| *has == "2"),
        "{flushes:?}"
    );
    // Debian's file says neither: the server itself shows what they were.
    let found = |name: &str| {
        let knobs = result["knobs"].as_array().unwrap();
        knobs.iter().find(|it| it["name"] == name).unwrap()["found"].clone()
    };
    assert_eq!(found("mysql.buffer-pool-size"), "134217728");
    assert_eq!(found("mysql.flush-log-at-trx-commit"), "1");
    // Whoever keeps it is told what he gives up.
    let keeps = &result["kept"]["mysql.flush-log-at-trx-commit"];
    assert_eq!(
        keeps.is_null(),
        !told.out.contains("gives up durability for this"),
        "{}",
        told.out
    );
    assert_eq!(fs::read(world.path("conf/my.cnf")).unwrap(), before);
    let entries = fs::read_dir(world.path("conf")).unwrap();
    assert_eq!(entries.count(), 2, "something lies beside the settings");
    let data = format!("--datadir={}", world.path("data").display());
    assert_eq!(
        processes_with(&[&data]),
        Vec::<i32>::new(),
        "a server is left"
    );
}

const SELECT: (&str, &str) = (
    "Select",
    "select name from items where id = ${__Random(1,1000)}",
);
const INSERT: (&str, &str) = (
    "Update",
    "insert into items (name) values (repeat('x', 100))",
);

#[test]
fn a_database_that_is_mostly_read_is_tuned_and_brought_back() {
    is_tuned(&[SELECT, SELECT, SELECT, INSERT]);
}

#[test]
fn a_database_that_is_mostly_written_is_tuned_and_brought_back() {
    is_tuned(&[INSERT, INSERT, INSERT, SELECT]);
}

#[test]
fn durability_is_not_traded_unless_the_study_allows_it() {
    let Some(world) = database() else { return };
    world.edit_study("allow: [mysql.flush-log-at-trx-commit]\n", "");
    let before = fs::read(world.path("conf/my.cnf")).unwrap();
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in [
        "“mysql.flush-log-at-trx-commit” gives something up for speed: durability",
        "allow: [mysql.flush-log-at-trx-commit]",
    ] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert_eq!(fs::read(world.path("conf/my.cnf")).unwrap(), before);
}

/// A study whose knob is a statement.
fn by_statement(statement: &str, found: &str, question: &str) -> Option<World> {
    let world = database()?;
    fs::write(world.path("pw"), "geheim-7\n").unwrap();
    load_with(&world, &[SELECT, INSERT]);
    let watch = format!(
        "    watch: ['mysql=mysql://127.0.0.1:{},user=watch']\n",
        world.port
    );
    let database = format!(
        "    database: mysql://127.0.0.1:{},user=tuner,password-file=pw\n",
        world.port
    );
    world.edit_study(&watch, &database);
    world.edit_study(
        "  mysql.buffer-pool-size: { file: conf/my.cnf, values: [256m] }
  mysql.flush-log-at-trx-commit: { file: conf/my.cnf, values: ['2'] }
allow: [mysql.flush-log-at-trx-commit]
",
        &format!(
            "  own: {{ sql: '{statement}', values: ['400'], default: '{found}', read-back: {{ sql: '{question}' }} }}\n"
        ),
    );
    Some(world)
}

#[test]
fn a_statement_sets_a_knob_and_a_query_reads_it_back() {
    let set = "set global innodb_io_capacity = {}";
    let Some(world) = by_statement(set, "200", "select @@innodb_io_capacity") else {
        return;
    };
    let planned = world.call(&["tune", "study.yaml", "--dry-run"]);
    planned.assert_code(0);
    let line = "+set global innodb_io_capacity = 400";
    assert!(planned.out.contains(line), "{}", planned.out);
    let (told, result) = world.tuned(&[]);
    assert_eq!(result["end"], "done", "{}", told.err);
    let shown = seen(&result, "own");
    assert!(
        !shown.is_empty() && shown.iter().all(|has| *has == "400"),
        "{shown:?}"
    );
    for text in [&told.out, &told.err, &result.to_string()] {
        assert!(!text.contains("geheim"), "{text}");
    }
}

#[test]
fn a_value_that_a_query_does_not_show_makes_the_trial_void() {
    // It sets another variable than it asks for.
    let set = "set global innodb_io_capacity_max = {}";
    let Some(world) = by_statement(set, "200", "select @@innodb_io_capacity") else {
        return;
    };
    let (told, result) = world.tuned_with(5, &[]);
    assert_eq!(result["end"], "none_measured", "{}", told.err);
    let trials = result["trials"].as_array().unwrap().iter();
    let changed: Vec<&Value> = trials
        .filter(|it| it["values"].get("own").is_some())
        .collect();
    assert!(!changed.is_empty(), "{result}");
    for trial in changed {
        let instead = &trial["result"]["instead"][0];
        assert_eq!(
            (&instead["wanted"], &instead["has"]),
            (&"400".into(), &"200".into()),
            "{trial}"
        );
    }
}

#[test]
fn durability_is_not_traded_by_a_statement_either() {
    let set = "set global innodb_flush_log_at_trx_commit = {}";
    let Some(world) = by_statement(set, "1", "select @@innodb_flush_log_at_trx_commit") else {
        return;
    };
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    let part = "“own” gives something up for speed: durability";
    assert!(told.err.contains(part), "{}", told.err);
    // And without a database nobody can be asked.
    let (before, _) = set.split_once(" = ").unwrap();
    world.edit_study(before, "set global innodb_io_capacity");
    let port = world.port;
    world.edit_study(
        &format!("    database: mysql://127.0.0.1:{port},user=tuner,password-file=pw\n"),
        "",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    let part = "the component “db” has no “database”";
    assert!(told.err.contains(part), "{}", told.err);
}
