//! What `--allow` gives to plans that somebody sent, and what it never does.

use serde_json::{Value, json};

use crate::common::{Server, folder};
use crate::shared::{log_in, with_users_in};

#[test]
fn files_of_the_user_are_not_those_of_the_workbench() {
    let (dir, target) = (folder(), Server::start());
    let host = target.url("").trim_start_matches("http://").to_owned();
    let served = with_users_in(&dir, &["--allow", "files", "--allow-host", &host]);
    let runner = log_in(&served, "run");
    let elsewhere = folder();
    let beside = elsewhere.path().join("beside.csv");
    std::fs::write(&beside, "word\nfrom-beside\n").unwrap();
    let own = |name: &str| dir.path().join(".workbench").join(name);
    let path = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let asked = |file: &str| {
        let plan = format!(
            "target: {}\nusers: 1\niterations: 1\ndata:\n  - csv: {file:?}\nsteps:\n  - get: /hello?w=${{word}}\n",
            target.url("")
        );
        let order = json!({"plan": plan, "files": []}).to_string();
        runner.call("POST", "/runs", &order)
    };
    for file in [
        path(own("people.json")),
        path(own("plans").join("../people.json")),
        "../../people.json".to_owned(),
        "/proc/self/environ".to_owned(),
    ] {
        let refused = asked(&file);
        assert_eq!(refused.status, 422, "{file}: {refused:?}");
        // It is not there for plans, or said to be none of theirs.
        let reasons = ["does not exist", "is the program's own"];
        let mut reasons = reasons.iter();
        assert!(
            reasons.any(|reason| refused.body.contains(reason)),
            "{file}: {refused:?}"
        );
    }
    let made = asked(&path(beside));
    assert_eq!(made.status, 201, "{made:?}");
    let is_over = || {
        let listed = runner.call("GET", "/runs", "").json();
        let states: Vec<Value> = listed["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["state"].clone())
            .collect();
        states.len() == 1 && states[0] == "finished"
    };
    while !is_over() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(format!("{:?}", target.requests()).contains("w=from-beside"));
}

#[test]
fn messages_name_no_folder_of_the_server() {
    let (dir, target) = (folder(), Server::start());
    let host = target.url("").trim_start_matches("http://").to_owned();
    let served = with_users_in(&dir, &["--allow-host", &host]);
    let runner = log_in(&served, "run");
    let jmx = r#"<jmeterTestPlan version="1.2"><hashTree><TestPlan testname="t"/><hashTree>
<IncludeController guiclass="IncludeControllerGui" testclass="IncludeController" testname="i">
<stringProp name="IncludeController.includepath">no-such.jmx</stringProp></IncludeController><hashTree/>
</hashTree></hashTree></jmeterTestPlan>"#;
    let yaml = format!(
        "target: {}\nusers: 1\niterations: 1\nsteps:\n  - post: /\n    file: no-such.txt\n",
        target.url("")
    );
    for plan in [jmx, &yaml] {
        let refused = runner.call(
            "POST",
            "/runs",
            &json!({"plan": plan, "files": []}).to_string(),
        );
        assert_eq!(refused.status, 422, "{refused:?}");
        assert!(refused.body.contains("no-such"), "{refused:?}");
        for hidden in [".workbench", dir.path().to_str().unwrap()] {
            assert!(!refused.body.contains(hidden), "{refused:?}");
        }
    }
}
