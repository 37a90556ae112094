#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;
use crate::extract::ResponseView;
use crate::extract::tests::{JSON, JSON_HEAD, view};
use crate::functions::tests::TestUser;
use crate::variables::tests::program;

/// A user with the variables `a`, `b` and `secret`, on a thread with one script.
fn user(source: &str, expression: bool) -> TestUser {
    user_with_limit(source, expression, DEFAULT_TIME_LIMIT)
}

fn user_with_limit(source: &str, expression: bool, limit: Duration) -> TestUser {
    let mut program = program(&["a", "b", "secret", "fixed"]);
    program.slots[3].constant = true;
    let mut user = TestUser::new(&program);
    program.scripts.push(def(source, expression));
    user.scripts = Scripts::bind_with_limit(&program, &Access::of_user(), limit).unwrap();
    user
}

fn def(source: &str, expression: bool) -> ScriptDef {
    ScriptDef {
        source: source.into(),
        expression,
        at: Span {
            line: 12,
            column: 3,
        },
    }
}

const SCRIPT: ScriptId = ScriptId(0);

fn text_of(user: &mut TestUser) -> Result<String, EvalError> {
    let scripts = std::mem::take(&mut user.scripts);
    let mut ctx = user.ctx();
    let text = scripts.text(SCRIPT, &mut ctx);
    user.scripts = scripts;
    text
}

fn text(source: &str) -> String {
    text_of(&mut user(source, true)).unwrap()
}

fn error(source: &str) -> String {
    text_of(&mut user(source, false)).unwrap_err().to_string()
}

fn with_response(source: &str, response: &ResponseView<'_>) -> String {
    let mut user = user(source, true);
    let scripts = std::mem::take(&mut user.scripts);
    let mut ctx = user.ctx();
    ctx.response = Some(response);
    scripts.text(SCRIPT, &mut ctx).unwrap()
}

fn set(user: &TestUser, name: &str) -> Option<String> {
    user.vars.get_by_name(name).map(|value| value.to_string())
}

#[test]
fn values_become_text() {
    assert_eq!(text("1 + 1"), "2");
    assert_eq!(text("0.1 + 0.2"), "0.30000000000000004");
    assert_eq!(text("'中' + \"x\" // remark"), "中x");
    assert_eq!(text("null"), "");
    assert_eq!(text("undefined"), "");
    assert_eq!(text("[1, {a: 'b'}]"), r#"[1,{"a":"b"}]"#);
    assert_eq!(text("{a: 1}"), r#"{"a":1}"#);
    assert_eq!(
        text("user + '/' + iteration + '/' + scenario"),
        "7/42/buyers"
    );
    assert_eq!(text("typeof response"), "undefined");
    assert_eq!(text("`${(() => true)()}`"), "true");
}

#[test]
fn variables_are_the_users() {
    let mut user = user(
        "vars.b = Number(vars.a) * 2; vars.made_up = true; vars['x y'] = 'z'; delete vars.a;\n\
         log(Object.keys(vars).sort(), 'b' in vars, 'a' in vars, vars.nothing === undefined)",
        false,
    );
    user.vars.set_by_name("a", "21");
    text_of(&mut user).unwrap();
    assert_eq!(set(&user, "b").as_deref(), Some("42"));
    assert_eq!(set(&user, "made_up").as_deref(), Some("true"));
    assert_eq!(set(&user, "x y").as_deref(), Some("z"));
    assert_eq!(set(&user, "a"), None);
    let log = user.scripts.take_log();
    assert_eq!(log.lines, [r#"["b","made_up","x y"] true false true"#]);
    assert_eq!(user.scripts.take_log(), Log::default());
    assert!(error("vars.a = {}").contains("JSON.stringify"));
    assert!(error("vars.fixed = 1").contains("fixed for the run"));
    assert!(error("Object.defineProperty(vars, 'a', {value: 1})").contains("vars.name"));
}

#[test]
fn responses_are_seen() {
    let response = view(JSON_HEAD, JSON);
    let of = |source| with_response(source, &response);
    assert_eq!(of("response.status"), "200");
    assert_eq!(of("response.url"), "http://shop.example/login?x=1");
    assert_eq!(
        of("response.json().items.map(item => item.sku).join()"),
        "A-1,B-2"
    );
    assert_eq!(of("response.body.length > 100"), "true");
    assert_eq!(of("response.headers['content-type']"), "application/json");
    assert_eq!(of("response.headers['set-cookie']").split(", ").count(), 2);
    assert_eq!(
        of("response.header('DATE') + response.header('none')"),
        "Sat, 21 Nov 2026 20:36:18 GMTundefined"
    );
}

#[test]
fn errors_tell_where_and_what() {
    let error_of = error("let x = 1;\nlet y = x.nothing;\ny.more();");
    assert_eq!(
        error_of,
        "the script at line 12 of the plan failed in its line 3: TypeError: cannot read property 'more' of undefined"
    );
    assert!(error("throw new RangeError('too far')").contains("line 1: RangeError: too far"));
    assert!(error("throw 'words'").contains("words"));
    assert!(error("throw {}").contains("object"));
    assert!(error("throw {toString() { throw 1 }}").contains("(no text)"));
    assert!(
        error("function f() { f() }\nf()").contains("stack"),
        "too deep"
    );
    let mut program = Program::default();
    program.scripts.push(def("let a = 1;\nlet b = (;", false));
    let wrong = Scripts::bind(&program, &Access::of_user()).err().unwrap();
    assert_eq!(
        wrong.at,
        Span {
            line: 12,
            column: 3
        }
    );
    assert!(
        wrong.to_string().contains("SyntaxError") && wrong.to_string().contains("its line 2"),
        "{wrong}"
    );
}

#[test]
fn fail_fails_the_sample_with_its_reason() {
    let mut user = user("if (true) fail('sold out of ' + vars.secret)", false);
    user.vars.set_by_name("secret", "hunter2");
    let error = text_of(&mut user).unwrap_err();
    assert_eq!(error.kind, ErrorKind::CheckFailed);
    assert_eq!(
        error.to_string(),
        "the script at line 12 of the plan says: sold out of ***"
    );
    // Neither the failure nor the user stays behind.
    assert_eq!(set(&user, "secret").as_deref(), Some("hunter2"));
    let mut user = self::user("throw new Error(vars.secret)", false);
    user.vars.set_by_name("secret", "hunter2");
    assert!(
        !text_of(&mut user)
            .unwrap_err()
            .to_string()
            .contains("hunter2")
    );
}

#[test]
fn endless_scripts_are_stopped_and_the_next_one_runs() {
    let limit = Duration::from_millis(50);
    let scripts = [
        "let n = 0;\nwhile (true) n++;",
        "try { for (;;) {} } finally { for (;;) {} }",
        "try { for (;;) {} } catch (_) { vars.caught = 1 }",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "(function f() { Promise.resolve().then(f) })()",
        "response?.x; vars.ran = 1",
    ]
    .map(|source| def(source, false))
    .to_vec();
    let program = Program {
        scripts,
        ..Program::default()
    };
    let mut user = TestUser::new(&program);
    let scripts = Scripts::bind_with_limit(&program, &Access::of_user(), limit).unwrap();
    for number in 0..4 {
        let error = scripts.run(ScriptId(number), &mut user.ctx()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::ScriptFailed);
        assert!(
            error.to_string().contains("longer than allowed"),
            "{number}: {error}"
        );
    }
    assert_eq!(set(&user, "caught"), None);
    // Jobs without end are left when the time is over.
    scripts.run(ScriptId(4), &mut user.ctx()).unwrap();
    scripts.run(ScriptId(5), &mut user.ctx()).unwrap();
    assert_eq!(set(&user, "ran").as_deref(), Some("1"));
}

#[test]
fn memory_is_limited() {
    let mut user = user_with_limit(
        "let a = ['x'];\nfor (;;) a.push(a.join() + a.length);",
        false,
        Duration::from_secs(60),
    );
    let error = text_of(&mut user).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
    let mut user = user_with_limit("'x'.repeat(1 << 29) + 'y'", true, Duration::from_secs(60));
    assert!(text_of(&mut user).is_err());
}

#[test]
fn nothing_is_left_behind_for_other_users() {
    let leaks = [
        "leak = 1",
        "globalThis.leak = 1",
        "this.leak = 1",
        "var g = Function('return this')(); g.leak = 1; if (g.leak === undefined) throw 1",
        "Array.prototype.leak = 1",
        "Object.prototype.leak = 1",
        "vars.__proto__.leak = 1",
        "(function*(){}).constructor.prototype.leak = 1",
        "[][Symbol.iterator]().__proto__.leak = 1",
        "Math.leak = 1",
        "Math.random = () => 4",
        "JSON.parse = () => 4",
        "log.leak = 1",
        "console.leak = 1",
        "vars = {}",
        "delete globalThis.JSON",
        "Promise.prototype.then.leak = 1",
        "Object.setPrototypeOf(globalThis, {leak: 1})",
        "globalThis.__proto__.leak = 1",
        "new Error().__proto__.leak = 1",
        "(async () => {}).constructor.leak = 1",
        "new Proxy({}, {}).__proto__.leak = 1",
        "Object.getPrototypeOf(Int8Array).leak = 1",
        "(function f() { f.leak = 1; arguments.callee.leak = 1 })()",
    ];
    let scripts = leaks.map(|source| def(source, false)).to_vec();
    let mut program = Program {
        scripts,
        ..Program::default()
    };
    let probe = "[typeof leak, [].leak, ({}).leak, Math.leak, typeof JSON, (() => 1).leak, \
        vars.leak, log.leak, console.leak, JSON.parse('5'), Object.keys(globalThis).includes('leak'), \
        [][Symbol.iterator]().leak, Math.random() < 1, Promise.prototype.then.leak, new Error().leak]";
    program.scripts.push(def(probe, true));
    let mut user = TestUser::new(&program);
    let scripts = Scripts::bind(&program, &Access::of_user()).unwrap();
    let probe = ScriptId(u32::try_from(leaks.len()).unwrap());
    let clean =
        r#"["undefined",null,null,null,"object",null,null,null,null,5,false,null,true,null,null]"#;
    assert_eq!(scripts.text(probe, &mut user.ctx()).unwrap(), clean);
    for (number, leak) in (0..).zip(leaks) {
        assert!(
            scripts.run(ScriptId(number), &mut user.ctx()).is_err(),
            "{leak}"
        );
        assert_eq!(
            scripts.text(probe, &mut user.ctx()).unwrap(),
            clean,
            "{leak}"
        );
    }
}

#[test]
fn two_users_take_turns_on_one_thread() {
    let mut program = program(&["n"]);
    program.scripts.push(def(
        "vars.n = Number(vars.n ?? 0) + 1; vars['own' + user] = random()",
        false,
    ));
    let scripts = Scripts::bind(&program, &Access::of_user()).unwrap();
    let (mut a, mut b) = (TestUser::new(&program), TestUser::new(&program));
    for _ in 0..3 {
        scripts.run(SCRIPT, &mut a.ctx()).unwrap();
    }
    scripts.run(SCRIPT, &mut b.ctx()).unwrap();
    assert_eq!(
        (set(&a, "n"), set(&b, "n")),
        (Some("3".into()), Some("1".into()))
    );
    // The randomness is the user's: the same seed and number of draws, the same value.
    let mut c = TestUser::new(&program);
    for _ in 0..3 {
        scripts.run(SCRIPT, &mut c.ctx()).unwrap();
    }
    assert_eq!(set(&a, "own7"), set(&c, "own7"));
    assert_ne!(set(&a, "own7"), set(&b, "own7"));
}

#[test]
fn random_numbers_and_logs() {
    for _ in 0..20 {
        assert!(["3", "4"].contains(&text("random(4, 3)").as_str()));
    }
    assert_eq!(
        text("random() >= 0 && random() < 1 && Math.random() < 1"),
        "true"
    );
    let mut user = user(
        "for (let i = 0; i < 1002; i++) log(i, {a: [i]}, null, '甲'.repeat(i < 9 ? 5000 : 5))",
        false,
    );
    text_of(&mut user).unwrap();
    let log = user.scripts.take_log();
    assert_eq!((log.lines.len(), log.lost), (LOG_LINES, 2));
    assert!(log.lines[1].starts_with(r#"1 {"a":[1]} null 甲"#) && log.lines[1].len() <= 4096);
}

#[test]
fn a_plan_without_scripts_has_no_engine() {
    let scripts = Scripts::bind(&Program::default(), &Access::of_user()).unwrap();
    assert!(scripts.engine.is_none());
    assert!(
        scripts
            .run(SCRIPT, &mut TestUser::new(&Program::default()).ctx())
            .is_err()
    );
    assert_eq!(scripts.take_log(), Log::default());
}
