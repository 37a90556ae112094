//! What templates, extractions, checks and scripts cost the load thread, in nanoseconds a piece:
//! `cargo run --release -p plimsoll-load --example costs`.

#![allow(clippy::unwrap_used)] // Everything here is written below.

use std::hint::black_box;
use std::time::Instant;

use plimsoll_load::kit::Random;
use plimsoll_load::kit::check::bind_check;
use plimsoll_load::kit::cookies::Cookies;
use plimsoll_load::kit::extract::{ResponseView, bind_extract};
use plimsoll_load::kit::functions::{EvalContext, eval};
use plimsoll_load::kit::script::Scripts;
use plimsoll_load::kit::shared::LocalShared;
use plimsoll_load::kit::variables::{Names, Variables};
use plimsoll_plan::functions::Function;
use plimsoll_plan::model::{Span, Which};
use plimsoll_plan::program::{
    Call, CheckOfProgram, CheckProgram, ExtractProgram, ExtractorProgram, Part, Program, ScriptDef,
    ScriptId, Slot, SlotDef, Template, TestProgram,
};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: now\r\n\r\n";
const SCRIPTS: [&str; 4] = [
    "1 + 1",
    "vars.id > 3",
    "vars.next = Number(vars.id) + 1",
    "response.json().items[1].sku",
];

fn main() {
    let slot = |name: &str| SlotDef {
        name: name.to_owned(),
        initial: None,
        ..SlotDef::default()
    };
    let script = |source: &&str| ScriptDef {
        source: (*source).to_owned(),
        expression: true,
        at: Span::default(),
    };
    let program = Program {
        slots: vec![slot("id"), slot("token")],
        scripts: SCRIPTS.iter().map(script).collect(),
        ..Program::default()
    };
    let mut vars = Variables::new(Names::of(&program));
    vars.set(Slot(0), "4711");
    vars.set(Slot(1), "eyJhbGciOiJIUzI1NiJ9");
    let body = json(3);
    let response = ResponseView::new(200, HEAD, body.as_bytes(), "http://127.0.0.1/", 1_000_000);
    let mut ctx = EvalContext {
        vars: &mut vars,
        rng: &mut Random::new(1, 1),
        user: 0,
        iteration: 0,
        scenario: "costs",
        shared: &LocalShared::new(&program, plimsoll_plan::share::Share::WHOLE),
        scripts: &Scripts::bind(&program, &plimsoll_access::Access::of_user()).unwrap(),
        response: Some(&response),
        unix_ns: &|| 0,
        extension: None,
    };
    templates(&mut ctx);
    for size in [3, 1_000] {
        responses(&mut ctx, &json(size));
    }
    let scripts = ctx.scripts;
    for (id, source) in (0..).map(ScriptId).zip(SCRIPTS) {
        time(&format!("script {source}"), || {
            _ = scripts.text(id, &mut ctx).unwrap()
        });
    }
    cookies();
}

fn templates(ctx: &mut EvalContext<'_>) {
    let text = |text: &str| Part::Text(text.into());
    let slot = |number| Part::Slot {
        slot: Slot(number),
        literal: "".into(),
    };
    let call = |function, args: &[&str]| {
        let args = args.iter().map(|arg| Template::text(*arg)).collect();
        Part::Call(Box::new(Call {
            function,
            args,
            shared: None,
            site: plimsoll_plan::program::SiteId(0),
            raw: "".into(),
        }))
    };
    let mut out = Vec::with_capacity(1024);
    for (name, parts) in [
        (
            "template /orders/${id}?t=${token}",
            vec![text("/orders/"), slot(0), text("?t="), slot(1)],
        ),
        (
            "template ${random(1, 1000)}",
            vec![call(Function::Random, &["1", "1000"])],
        ),
        ("template ${uuid()}", vec![call(Function::Uuid, &[])]),
    ] {
        let template = Template { parts };
        time(name, || {
            out.clear();
            eval(&template, ctx, &mut out).unwrap();
        });
    }
}

fn responses(ctx: &mut EvalContext<'_>, body: &str) {
    let found = [
        (
            "JSONPath $.items[1].sku",
            ExtractorProgram::JsonPath("$.items[1].sku".into()),
        ),
        (
            "JSONPath $..sku",
            ExtractorProgram::JsonPath("$..sku".into()),
        ),
        (
            "regex \"sku\":\"([^\"]+)\"",
            ExtractorProgram::Regex {
                pattern: "\"sku\":\"([^\"]+)\"".into(),
                group: 1,
                in_headers: false,
            },
        ),
        (
            "boundary",
            ExtractorProgram::Boundary(Template::text("\"sku\":\""), Template::text("\"")),
        ),
    ];
    for (name, how) in found {
        let program = ExtractProgram {
            how: how.clone(),
            which: Which::Nth(1),
            variable: Slot(0),
            name: "id".into(),
            default: None,
            at: Span::default(),
        };
        let extract = bind_extract(&program).unwrap();
        time(&format!("{name} of {} bytes", body.len()), || {
            let response = ResponseView::new(200, HEAD, body.as_bytes(), "http://127.0.0.1/", 0);
            extract.run(&response, ctx).unwrap();
        });
    }
    let of = CheckOfProgram::Status;
    let test = TestProgram::StatusIn(vec![(200, 299)]);
    let check = bind_check(&CheckProgram {
        of,
        test,
        at: Span::default(),
    })
    .unwrap();
    time("check of the status", || {
        let response = ResponseView::new(200, HEAD, body.as_bytes(), "http://127.0.0.1/", 0);
        check.run(&response, ctx).unwrap();
    });
}

fn cookies() {
    let mut cookies = Cookies::default();
    let url = url::Url::parse("http://127.0.0.1:8080/shop/cart?x=1").unwrap();
    cookies.store(
        [
            &b"JSESSIONID=0A1B2C3D4E; Path=/shop"[..],
            b"theme=dark; Max-Age=60",
        ],
        &url,
    );
    time("cookies of a request", || {
        _ = black_box(cookies.header_for(&url))
    });
    time("a cookie set again, and sent", || {
        cookies.store([&b"JSESSIONID=0A1B2C3D4E; Path=/shop"[..]], &url);
        _ = black_box(cookies.header_for(&url));
    });
}

fn json(items: usize) -> String {
    let item = |n: usize| format!(r#"{{"sku":"A-{n}","price":{n}.5,"tags":["tea","green"]}}"#);
    let items = (0..items).map(item).collect::<Vec<_>>();
    format!(
        r#"{{"token":"eyJhbGciOi","items":[{}],"total":13.5}}"#,
        items.join(",")
    )
}

/// Prints the best of some rounds: what is left is the work itself.
fn time(name: &str, mut work: impl FnMut()) {
    let mut best_ns = f64::INFINITY;
    for _ in 0..20 {
        let (start, mut times) = (Instant::now(), 0u32);
        while start.elapsed().as_millis() < 10 {
            for _ in 0..10 {
                work();
            }
            times += 10;
        }
        best_ns = best_ns.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(times));
    }
    println!("{best_ns:>12.0} ns  {name}");
}
