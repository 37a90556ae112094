//! Users that do several things at once, with exact times.

use super::*;

/// Responds after a time that the path says, in milliseconds, and notes what was asked for.
fn by_path(noted: &Noted) -> World {
    let noted = noted.clone();
    respond(move |_, request| {
        let head = request.head.clone();
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let cookie = head
            .lines()
            .find(|line| line.to_ascii_lowercase().starts_with("cookie:"));
        noted.note(format!("{path} {}", cookie.unwrap_or_default().trim()));
        let from = path.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits: String = from.chars().take_while(char::is_ascii_digit).collect();
        let ms: u64 = digits.parse().unwrap_or(0);
        let headers = match path.contains("login") {
            true => "Set-Cookie: who=ann\r\n",
            false => "",
        };
        after(ms * MS, response(200, headers, path.as_bytes()))
    })
}

#[test]
fn branches_run_side_by_side_and_the_longest_counts() {
    let yaml = "users: 2\niterations: 3\nsteps:\n  \
        - {parallel: [{get: /a30}, {get: /b50}, {group: [{get: /c10}, {get: /d20}]}]}\n  - get: /e5\n";
    let (heard, _) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!(heard.samples.len(), 2 * 3 * 5);
    let starts = heard.starts();
    // Of each pass three begin at once; the next step begins when the longest has ended.
    let at_once = starts.iter().filter(|start| **start < 10 * MS).count();
    assert_eq!(at_once, 2 * 3);
    let last = starts.iter().max().copied().unwrap();
    let pass_ns = 55 * MS;
    assert!(
        last >= 3 * pass_ns - 5 * MS && last < 3 * pass_ns + MS,
        "{last}"
    );
    assert_eq!(
        (heard.lateness_max_ns, heard.lag_max_ns),
        (0, 0),
        "nobody was late for a branch"
    );
}

#[test]
fn at_most_so_many_run_at_a_time() {
    let noted = Noted::default();
    let yaml = "iterations: 1\nsteps:\n  \
        - {parallel: [{get: /a30}, {get: /b30}, {get: /c30}, {get: /d30}, {get: /e30}], at-most: 2}\n";
    let (heard, _) = simulate(yaml, by_path(&noted));
    let mut rounds: Vec<u64> = heard
        .starts()
        .iter()
        .map(|start| start / (30 * MS))
        .collect();
    rounds.sort_unstable();
    assert_eq!(rounds, [0, 0, 1, 1, 2]);
    assert_eq!(noted.all().len(), 5);
}

#[test]
fn what_one_branch_sets_another_has_from_then_on() {
    let noted = Noted::default();
    let yaml = "variables: {x: before, n: 0}\niterations: 2\nsteps:\n  - parallel:\n      \
        - group: [{get: /a10, save: {x: {regex: '(.+)'}}}, {set: {n: '${n}1'}}]\n      \
        - group: [{get: '/b30/${x}'}, {get: '/c5/${x}/${n}'}, {set: {y: z}}]\n  - get: '/d0/${x}/${n}/${y}'\n";
    let (_, _) = simulate(yaml, by_path(&noted));
    let paths: Vec<String> = noted.all().iter().map(|it| it.trim().to_owned()).collect();
    assert!(paths.contains(&"/b30/before".to_owned()), "{paths:?}");
    assert!(paths.contains(&"/c5//a10/01".to_owned()), "{paths:?}");
    assert!(paths.contains(&"/d0//a10/01/z".to_owned()), "{paths:?}");
    assert!(paths.contains(&"/d0//a10/011/z".to_owned()), "{paths:?}");
}

#[test]
fn branches_have_one_jar_of_cookies_and_connections_of_their_own() {
    let noted = Noted::default();
    let yaml = "iterations: 2\nsteps:\n  - parallel:\n      - get: /login10\n      \
        - group: [{get: /b5}, {get: /c20}, {get: /d5}]\n  - get: /e1\n";
    let (_, _) = simulate(yaml, by_path(&noted));
    let all = noted.all();
    let cookie_of = |path: &str| {
        let found: Vec<bool> = all
            .iter()
            .filter(|it| it.starts_with(path))
            .map(|it| it.contains("who=ann"))
            .collect();
        found
    };
    assert_eq!(cookie_of("/b5"), [false, true], "{all:?}");
    assert_eq!(cookie_of("/d5"), [true, true]);
    assert_eq!(cookie_of("/e1"), [true, true]);
}

#[test]
fn a_transaction_around_branches_has_all_their_requests_and_lasts_as_long_as_they_do() {
    let yaml = "iterations: 1\nsteps:\n  - transaction: t\n    steps:\n      - parallel: [{get: /a30}, {get: /b50}, \
        {group: [{get: /c10}, {think: 20ms}, {get: /d10}]}]\n";
    let (heard, _) = simulate(yaml, by_path(&Noted::default()));
    let kind = plimsoll_stats::LabelKind::Transaction;
    let told = heard
        .samples
        .iter()
        .find(|sample| sample.kind == kind)
        .unwrap();
    let requests = heard.samples.iter().filter(|sample| sample.kind != kind);
    let received: u64 = requests.map(|sample| sample.received_bytes).sum();
    assert_eq!(told.received_bytes, received);
    // Without the pauses of the branch that waited longest.
    assert!(
        told.service_ns >= 30 * MS && told.service_ns < 31 * MS,
        "{}",
        told.service_ns
    );
}

#[test]
fn a_change_of_flow_in_a_branch_holds_for_its_user_when_all_have_ended() {
    let noted = Noted::default();
    let yaml = "iterations: 3\nsteps:\n  - parallel:\n      - group: [{get: /a5}, {action: next-iteration}, {get: /no1}]\n      \
        - get: /b20\n  - get: /no2\n";
    let (heard, _) = simulate(yaml, by_path(&noted));
    assert_eq!(heard.samples.len(), 6);
    assert!(noted.all().iter().all(|path| !path.starts_with("/no")));
    let yaml = "duration: 1h\nsteps:\n  - parallel:\n      - group: [{get: /a5}, {action: stop-run}]\n      - get: /b20\n  - get: /c1\n";
    let (heard, ended) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!((heard.samples.len(), ended.stopped), (2, true));
    let yaml = "iterations: 1\nsteps:\n  - repeat: 2\n    steps:\n      - parallel: [{group: [{get: /a5}, {action: leave-loop}, {get: /no}]}, {get: /b1}]\n      - get: /c1\n";
    let (heard, _) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!(heard.samples.len(), 2 * 3);
}

#[test]
fn the_end_of_the_run_ends_all_branches() {
    let yaml = "users: 3\nduration: 1s\ngrace: 100ms\nsteps: [{parallel: [{get: /a700}, {get: /b10}, {think: 1h}]}]\n";
    let (heard, ended) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!(heard.samples.len(), 6);
    assert_eq!((ended.load_end_ns, ended.stopped), (S, false));
    let yaml = "users: 3\nduration: 1s\ngrace: 100ms\nsteps: [{parallel: [{get: /a2000}, {get: /b2000}]}]\n";
    let (heard, _) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!((heard.samples.len(), heard.cut_off), (0, 6));
}

#[test]
fn branches_within_branches_and_none_at_all() {
    let yaml = "iterations: 2\nsteps:\n  - parallel: []\n  - parallel: [{parallel: [{get: /a10}, {get: /b10}]}, {parallel: [{get: /c10}]}]\n";
    let (heard, _) = simulate(yaml, by_path(&Noted::default()));
    assert_eq!(heard.samples.len(), 6);
    assert!(
        heard
            .starts()
            .iter()
            .filter(|start| **start < 5 * MS)
            .count()
            == 3
    );
}
