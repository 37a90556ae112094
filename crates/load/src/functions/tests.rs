#![allow(clippy::unwrap_used, clippy::expect_used)]
use plimsoll_plan::functions::FUNCTIONS;
use plimsoll_plan::program::{Program, ScriptDef, SharedDef, SharedId, Slot};

use super::*;
use crate::random::Random;
use crate::script::Scripts;
use crate::shared::LocalShared;
use crate::variables::{Names, Variables, tests::program};

/// A user to evaluate things for; also for the tests of other modules.
pub(crate) struct TestUser {
    pub vars: Variables,
    pub rng: Random,
    pub shared: LocalShared,
    pub scripts: Scripts,
}

/// 2026-11-21T20:36:18.123456789Z
const NOW_NS: u64 = 1_795_293_378_123_456_789;

impl TestUser {
    pub fn new(program: &Program) -> Self {
        Self {
            vars: Variables::new(Names::of(program)),
            rng: Random::new(1, 2),
            shared: LocalShared::new(program, plimsoll_plan::share::Share::WHOLE),
            scripts: Scripts::bind(program, &plimsoll_access::Access::of_user()).unwrap(),
        }
    }

    pub fn ctx(&mut self) -> EvalContext<'_> {
        EvalContext {
            vars: &mut self.vars,
            rng: &mut self.rng,
            user: 6,
            iteration: 41,
            scenario: "buyers",
            shared: &self.shared,
            scripts: &self.scripts,
            response: None,
            unix_ns: &|| NOW_NS,
            extension: None,
        }
    }

    fn text(&mut self, template: &Template) -> Result<String, EvalError> {
        let mut out = String::new();
        eval(template, &mut self.ctx(), &mut out)?;
        Ok(out)
    }
}

pub(crate) fn call_of(function: &str, args: &[&str]) -> Template {
    let def = FUNCTIONS.iter().find(|def| def.name == function).unwrap();
    assert!((def.args.0..=def.args.1).contains(&args.len()));
    let args = args.iter().map(|arg| Template::text(*arg)).collect();
    let shared = (function == "counter").then_some(SharedId(0));
    Template {
        parts: vec![Part::Call(Box::new(Call {
            function: def.function,
            args,
            shared,
            site: plimsoll_plan::program::SiteId(0),
            raw: "".into(),
        }))],
    }
}

fn value(function: &str, args: &[&str]) -> String {
    TestUser::new(&Program::default())
        .text(&call_of(function, args))
        .unwrap()
}

fn error(function: &str, args: &[&str]) -> String {
    TestUser::new(&Program::default())
        .text(&call_of(function, args))
        .unwrap_err()
        .to_string()
}

#[test]
fn pieces_are_put_together() {
    let slot = |number, literal: &str| Part::Slot {
        slot: Slot(number),
        literal: literal.into(),
    };
    let strict = program(&["id", "token"]);
    let lenient = Program {
        undefined: plimsoll_plan::model::Undefined::KeepLiteral,
        ..strict.clone()
    };
    let mut user = TestUser::new(&lenient);
    let template = Template {
        parts: vec![
            Part::Text("/a/".into()),
            slot(0, "${id}"),
            Part::Text("?t=".into()),
            slot(1, "${token}"),
        ],
    };
    user.vars.set(Slot(0), "7 ö");
    assert_eq!(user.text(&template).unwrap(), "/a/7 ö?t=${token}");
    let mut bytes = b"GET ".to_vec();
    eval(&template, &mut user.ctx(), &mut bytes).unwrap();
    assert_eq!(bytes, "GET /a/7 ö?t=${token}".as_bytes());
    // In plans of ours what has no value is a failure that names it.
    let mut user_of_ours = TestUser::new(&strict);
    user_of_ours.vars.set(Slot(0), "7");
    let unset = user_of_ours.text(&template).unwrap_err().to_string();
    assert!(unset.starts_with("${token} has no value here"), "{unset}");
    // A template that is one variable shares its value.
    let alone = Template {
        parts: vec![slot(0, "")],
    };
    let shared = eval_value(&alone, &mut user.ctx()).unwrap();
    assert!(Rc::ptr_eq(&shared, user.vars.get(Slot(0)).unwrap()));
}

#[test]
fn first_values_come_in_order() {
    let mut program = program(&["host", "url", "later"]);
    program.slots[0].initial = Some(Template::text("a.example"));
    let host = Part::Slot {
        slot: Slot(0),
        literal: "${host}".into(),
    };
    program.slots[1].initial = Some(Template {
        parts: vec![Part::Text("http://".into()), host],
    });
    let (mut user, mut other) = (TestUser::new(&program), TestUser::new(&program));
    let once = OnceValues::compute(&program, &mut TestUser::new(&program).ctx()).unwrap();
    let initial = InitialValues::new(&program, &once);
    initial.set(&program, &mut user.ctx()).unwrap();
    initial.set(&program, &mut other.ctx()).unwrap();
    assert_eq!(
        user.vars.get_by_name("url").unwrap().as_ref(),
        "http://a.example"
    );
    assert_eq!(user.vars.get_by_name("later"), None);
    // Fixed values are there once for all users of a thread.
    assert!(Rc::ptr_eq(
        user.vars.get(Slot(0)).unwrap(),
        other.vars.get(Slot(0)).unwrap()
    ));
}

#[test]
fn values_of_the_run_are_the_same_for_all_users() {
    let mut program = program(&["run", "own"]);
    for slot in &mut program.slots {
        slot.initial = Some(call_of("uuid", &[]));
    }
    program.slots[0].once_per_run = true;
    let once = OnceValues::compute(&program, &mut TestUser::new(&program).ctx()).unwrap();
    let mut seen = std::collections::HashSet::new();
    for number in 0..10 {
        let mut user = TestUser::new(&program);
        user.rng = Random::new(9, number);
        // Each as if on a thread of its own.
        InitialValues::new(&program, &once)
            .set(&program, &mut user.ctx())
            .unwrap();
        seen.insert((
            user.vars.get(Slot(0)).cloned(),
            user.vars.get(Slot(1)).cloned(),
        ));
    }
    let of = |index: usize| {
        seen.iter()
            .map(|v| [&v.0, &v.1][index])
            .collect::<std::collections::HashSet<_>>()
    };
    assert_eq!((of(0).len(), of(1).len()), (1, 10));
}

#[test]
fn every_function_is_computed() {
    for def in FUNCTIONS {
        let args = ["1", "2"];
        let few = match def.name {
            "env" => &["PLIMSOLL_NOT_SET", "default"][..],
            _ => &args[..def.args.0],
        };
        let mut program = Program::default();
        program.shared.push(SharedDef::Counter {
            start: 1,
            step: 1,
            end: None,
        });
        let text = TestUser::new(&program)
            .text(&call_of(def.name, few))
            .unwrap();
        assert!(!text.is_empty(), "{}", def.name);
    }
}

#[test]
fn random_values_stay_in_their_bounds() {
    let mut user = TestUser::new(&Program::default());
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        seen.insert(user.text(&call_of("random", &["-1", " 2"])).unwrap());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["-1", "0", "1", "2"]);
    assert_eq!(value("random", &["5", "5"]), "5");
    assert!(["1", "2"].contains(&value("random", &["2", "1"]).as_str()));
    assert_eq!(value("random_text", &["0"]), "");
    let text = value("random_text", &["40"]);
    assert!(text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let text = value("random_text", &["40", "甲乙"]);
    assert!(text.chars().count() == 40 && text.chars().all(|c| "甲乙".contains(c)));
    assert!(["a", "b"].contains(&value("pick", &["a", "b"]).as_str()));
    assert!(error("random", &["a", "2"]).contains("random(min, max)"));
    assert!(error("random_text", &["-1"]).contains("-1"));
    assert!(error("random_text", &["99999999999"]).contains("99999999999"));
    error("random_text", &["1", ""]);
}

#[test]
fn a_uuid_is_of_version_4_and_the_standard_variant() {
    let mut user = TestUser::new(&Program::default());
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        let uuid = user.text(&call_of("uuid", &[])).unwrap();
        let form = uuid
            .chars()
            .map(|c| if c == '-' { '-' } else { 'x' })
            .collect::<String>();
        assert_eq!(form, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        assert!(
            uuid.bytes()
                .all(|b| b == b'-' || b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        );
        assert_eq!(&uuid[14..15], "4");
        assert!(["8", "9", "a", "b"].contains(&&uuid[19..20]));
        assert!(seen.insert(uuid));
    }
}

#[test]
fn time_is_written_as_asked() {
    assert_eq!(value("now", &[]), "2026-11-21T20:36:18.123Z");
    assert_eq!(value("now", &["%Y/%m/%d %H:%M", "utc"]), "2026/11/21 20:36");
    assert!(value("now", &["", "local"]).starts_with("2026-11-2"));
    assert_eq!(value("timestamp", &[]), "1795293378123");
    assert_eq!(value("timestamp", &["s"]), "1795293378");
    assert_eq!(value("timestamp", &["us"]), "1795293378123456");
    assert_eq!(value("timestamp", &["ns"]), "1795293378123456789");
    error("timestamp", &["h"]);
    error("now", &["%Y", "mars"]);
    error("now", &["%!"]);
}

#[test]
fn texts_are_encoded() {
    assert_eq!(
        value("url_encode", &["a b&c=ö/~._-*"]),
        "a%20b%26c%3D%C3%B6%2F~._-%2A"
    );
    assert_eq!(value("base64", &["user:pässword"]), "dXNlcjpww6Rzc3dvcmQ=");
    assert_eq!(value("lower", &["ÄBC"]), "äbc");
    assert_eq!(value("upper", &["straße"]), "STRASSE");
    assert_eq!(value("json", &["a\"b\\\n中"]), "a\\\"b\\\\\\n中");
    assert_eq!(value("json", &[""]), "");
    // RFC 1321, A.5; FIPS 180-2, B.1
    assert_eq!(value("md5", &["abc"]), "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(
        value("sha256", &["abc"]),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn the_run_tells_who_and_where() {
    assert_eq!(value("user", &[]), "7");
    assert_eq!(value("iteration", &[]), "42");
    assert_eq!(value("scenario", &[]), "buyers");
    assert_eq!(value("env", &["CARGO_PKG_NAME"]), "plimsoll-load");
    assert_eq!(value("env", &["PLIMSOLL_NOT_SET", "else"]), "else");
    assert!(error("env", &["PLIMSOLL_NOT_SET"]).contains("PLIMSOLL_NOT_SET"));
    assert_eq!(value("env", &["A=B\0", "else"]), "else");
    let mut program = Program::default();
    program.shared.push(SharedDef::Counter {
        start: 10,
        step: 5,
        end: None,
    });
    let mut user = TestUser::new(&program);
    let counter = call_of("counter", &["orders"]);
    assert_eq!(user.text(&counter).unwrap(), "10");
    assert_eq!(user.text(&counter).unwrap(), "15");
}

#[test]
fn errors_show_no_secret() {
    let mut user = TestUser::new(&program(&["secret"]));
    user.vars.set(Slot(0), "hunter2");
    let secret = Template {
        parts: vec![Part::Slot {
            slot: Slot(0),
            literal: "".into(),
        }],
    };
    let call = Call {
        function: Function::Random,
        args: vec![secret, Template::text("1")],
        shared: None,
        site: plimsoll_plan::program::SiteId(0),
        raw: "".into(),
    };
    let error = user
        .text(&Template {
            parts: vec![Part::Call(Box::new(call))],
        })
        .unwrap_err();
    assert!(!error.to_string().contains("hunter2"));
}

#[test]
fn a_script_in_a_template() {
    let mut program = program(&["n"]);
    let script = ScriptDef {
        source: "Number(vars.n) + 1".into(),
        expression: true,
        at: Default::default(),
    };
    program.scripts.push(script);
    let mut user = TestUser::new(&program);
    user.vars.set(Slot(0), "41");
    let template = Template {
        parts: vec![Part::Text("n=".into()), Part::Script(ScriptId(0))],
    };
    assert_eq!(user.text(&template).unwrap(), "n=42");
}
