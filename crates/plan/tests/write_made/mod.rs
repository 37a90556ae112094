//! Plans made from bytes: each byte is a choice.

mod steps;

use std::time::Duration;

use plimsoll_plan::model::*;

/// Choices, one after the other; when there are no more, always the first.
pub struct Choices<'b>(std::slice::Iter<'b, u8>);

impl Choices<'_> {
    pub fn below(&mut self, end: u8) -> u8 {
        self.0.next().copied().unwrap_or(0) % end
    }

    pub fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.yes().then(|| make(self))
    }

    pub fn some<T>(&mut self, most: u8, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[usize::from(self.below(u8::try_from(all.len()).unwrap()))].clone()
    }

    /// A text with what YAML stumbles over.
    pub fn text(&mut self) -> Text {
        Text::of(self.pick(&[
            "a",
            "",
            "1",
            "true",
            "null",
            "~",
            "a: b",
            "- x",
            "x #y",
            "'q'",
            "\"d\"",
            "\\n",
            "two\nlines",
            "two\n  lines\n\n",
            "end\n",
            " lead\nx",
            "tab\tx",
            "\r\n",
            "\u{1}\u{7f}",
            "错误",
            "\u{2028}",
            "{a}",
            "[b]",
            "*x",
            "&y",
            "!t",
            "%d",
            "@a",
            "`b`",
            "|",
            ">",
            "a\n \nb",
            "${x}",
            "${my var}/${__time(a\\,b)}",
            "\\${x}",
            "${",
            "${__Random(1,2,r)}",
            "🦀",
            "<<",
        ]))
    }

    pub fn name(&mut self) -> String {
        self.pick(&[
            "x",
            "y",
            "my var",
            "a.b-c",
            "",
            "true",
            "__jm__Loop__idx",
            "名",
        ])
        .to_owned()
    }

    pub fn time(&mut self) -> Duration {
        Duration::from_nanos(self.pick(&[
            0,
            1,
            1_000_000,
            1_500_000_000,
            60_000_000_000,
            7_000_000_001,
        ]))
    }
}

pub fn plan(bytes: &[u8]) -> Plan {
    let mut choices = Choices(bytes.iter());
    let c = &mut choices;
    let scenarios = |c: &mut Choices<'_>, most| c.some(most, scenario);
    let mut plan = Plan {
        name: c.text().raw,
        comment: c.text().raw,
        undefined: Undefined::KeepLiteral,
        variables: c.some(3, variable),
        scope: scope(c, false),
        setup: scenarios(c, 2),
        scenarios: scenarios(c, 3),
        teardown: scenarios(c, 1),
        order: c.pick(&[Order::Together, Order::InOrder]),
        hosts: c.some(2, |c| c.pick(&["h", "h:1", "[::1]:80"]).to_owned()),
        skip_teardown_when_stopped: c.yes(),
        functional: c.yes(),
        goals: Vec::new(),
        guards: Vec::new(),
        watch: c.some(2, |c| WatchSource {
            source: c.pick(&["auto", "host", "nginx"]).to_owned(),
            address: c.pick(&["http://h/status", "web1"]).to_owned(),
            options: c
                .maybe(|c| ("on".to_owned(), c.pick(&["a", "b: c"]).to_owned()))
                .into_iter()
                .collect(),
            at: Span::default(),
        }),
        hops: hops(c),
        outputs: c.some(2, |c| OutputTarget {
            output: c.pick(&["influxdb", "otlp", "prometheus"]).to_owned(),
            address: c.pick(&["http://h:1/write?db=a,b", "https://h"]).to_owned(),
            settings: c
                .maybe(|c| ("user".to_owned(), c.pick(&["a", "b: c"]).to_owned()))
                .into_iter()
                .collect(),
            tags: c
                .maybe(|c| {
                    (
                        c.pick(&["env", "a b"]).to_owned(),
                        c.pick(&["1", "x: y"]).to_owned(),
                    )
                })
                .into_iter()
                .collect(),
            at: Span::default(),
        }),
        seed: c.maybe(|c| u64::from(c.below(200))),
        warm_up: c.time(),
    };
    if c.yes() {
        let goal: plimsoll_stats::Goal = "cart:p95 < 1.5 s".parse().unwrap();
        plan.goals.push(GoalSpec {
            goal: goal.clone(),
            abort_after: c.maybe(Choices::time),
            at: Span::default(),
        });
        let metric = GuardMetric::SendLateness(c.time());
        for metric in [GuardMetric::Goal(goal), metric] {
            plan.guards.push(Guard {
                metric,
                for_at_least: c.time(),
                at: Span::default(),
            });
        }
    }
    if plan.scenarios.is_empty() {
        plan.scenarios.push(scenario(c));
    }
    plan
}

fn hops(c: &mut Choices<'_>) -> Vec<ChainHop> {
    let hop = |(name, address): (&str, &str)| ChainHop {
        name: name.to_owned(),
        address: address.to_owned(),
        at: Span::default(),
    };
    match c.yes() {
        true => [("a: b", "http://h:1"), ("2", "https://h/x?y=1")]
            .map(hop)
            .into(),
        false => Vec::new(),
    }
}

pub fn variable(c: &mut Choices<'_>) -> Variable {
    Variable {
        name: c.name(),
        value: c.text(),
        env: None,
        secret: c.below(4) == 1,
        once_per_run: c.yes(),
        at: Span::default(),
    }
}

fn scenario(c: &mut Choices<'_>) -> Scenario {
    let mut scenario = Scenario::new(c.pick(&["a", "Thread Group", "", "x: y"]), load(c));
    scenario.start_delay = c.time();
    scenario.end_after = c.maybe(Choices::time);
    scenario.grace = c.time();
    scenario.pace = c.maybe(pause);
    scenario.on_error = on_error(c);
    scenario.same_user_each_iteration = c.yes();
    scenario.body = Block {
        scope: scope(c, false),
        steps: steps::steps(c, 4),
    };
    scenario
}

fn load(c: &mut Choices<'_>) -> Load {
    if c.below(3) == 1 {
        let rate = |c: &mut Choices<'_>| {
            let rates = ["1/s", "100/s", "7/h", "3/7ns", "0.5/min"];
            plimsoll_plan::units::parse_rate(c.pick(&rates)).unwrap()
        };
        let stage = |c: &mut Choices<'_>| RateStage {
            from: rate(c),
            to: rate(c),
            lasts: Duration::from_millis(u64::from(c.below(9)) + 1),
            spacing: c.pick(&[None, Some(Spacing::Constant), Some(Spacing::Poisson)]),
        };
        return Load::Arrivals(ArrivalLoad {
            stages: vec![stage(c), stage(c)],
            spacing: c.pick(&[Spacing::Constant, Spacing::Poisson]),
            ready_users: u32::from(c.below(3)),
            max_in_flight: c.pick(&[10_000, 5]),
            arrivals_total: c.maybe(|c| u64::from(c.below(9)) + 1),
            exact_counts: c.yes(),
            seed: c.pick(&[None, Some(7), Some(-7)]),
            new_users: c.yes(),
        });
    }
    let ends_with_stages = c.yes();
    let stage = |c: &mut Choices<'_>| UserStage {
        users: u32::from(c.below(5)),
        ramp: c.time(),
        hold: c.time(),
    };
    let mut stages = c.some(2, stage);
    stages.push(UserStage {
        users: 3,
        ramp: c.time(),
        hold: Duration::from_secs(u64::from(ends_with_stages)),
    });
    Load::Users(UserLoad {
        stages,
        iterations_per_user: c.maybe(|c| u64::from(c.below(9)) + 1),
        iterations_total: c.maybe(|c| u64::from(c.below(9)) + 1),
        ends_with_stages,
        new_users: ends_with_stages && c.yes(),
    })
}

pub fn pause(c: &mut Choices<'_>) -> Pause {
    let (a, b) = (c.time(), c.time());
    let (a, b) = (a.min(b), a.max(b));
    let time = c.pick(&[
        PauseTime::Fixed(a),
        PauseTime::Uniform(a, b),
        PauseTime::Normal(a, b),
        PauseTime::Exponential(a),
        PauseTime::Poisson {
            lambda: a,
            offset: b,
        },
    ]);
    let template_ms = c.maybe(Choices::text);
    // A text wins over the time, which is then not kept.
    let time = if template_ms.is_some() {
        PauseTime::Fixed(Duration::ZERO)
    } else {
        time
    };
    Pause {
        time,
        template_ms,
        at: Span::default(),
    }
}

pub fn action(c: &mut Choices<'_>) -> Action {
    c.pick(&[
        Action::Continue,
        Action::Break,
        Action::NextIteration,
        Action::StopUser,
        Action::StopScenario,
        Action::StopRun,
        Action::StopRunNow,
    ])
}

pub fn on_error(c: &mut Choices<'_>) -> OnError {
    match c.yes() {
        true => OnError::Act(action(c)),
        false => OnError::GoOn,
    }
}

pub fn shared_by(c: &mut Choices<'_>) -> SharedBy {
    c.pick(&[SharedBy::User, SharedBy::Scenario, SharedBy::All])
}

pub fn element(c: &mut Choices<'_>) -> Element {
    Element {
        class: c
            .pick(&[
                "HTTPSamplerProxy",
                "ResultCollector",
                "a.b.C",
                "ResultAction",
            ])
            .to_owned(),
        name: c.text(),
        properties: properties(c, 2),
        at: Span::default(),
    }
}

fn properties(c: &mut Choices<'_>, depth: u8) -> Vec<(String, ElementValue)> {
    let mut all: Vec<(String, ElementValue)> = Vec::new();
    for _ in 0..c.below(4) {
        let name = c.pick(&[
            "HTTPSampler.path",
            "OnError.action",
            "a b",
            "",
            "1",
            "x: y",
            "null",
        ]);
        if !all.iter().any(|(known, _)| known == name) {
            all.push((name.to_owned(), value(c, depth)));
        }
    }
    all
}

fn value(c: &mut Choices<'_>, depth: u8) -> ElementValue {
    match c.below(4) {
        1 if depth > 0 => ElementValue::List(c.some(3, |c| value(c, depth - 1))),
        2 if depth > 0 => ElementValue::Element(Box::new(Element {
            class: "Arguments".to_owned(),
            name: c.text(),
            properties: properties(c, depth - 1),
            at: Span::default(),
        })),
        _ => ElementValue::Text(c.text()),
    }
}

pub fn processors(c: &mut Choices<'_>, after: bool) -> Vec<Processor> {
    c.some(2, |c| match c.below(4) {
        1 if !after => Processor::Set(variable(c)),
        2 if !after => Processor::Script(script(c)),
        3 if after => Processor::OnError(on_error(c)),
        _ => Processor::Element(element(c)),
    })
}

pub fn script(c: &mut Choices<'_>) -> Script {
    let source = c.pick(&["1", "a\nb", "vars.x = '${y}'\n"]).to_owned();
    Script {
        language: Language::JavaScript,
        source,
        at: Span::default(),
    }
}

pub fn checks(c: &mut Choices<'_>) -> Vec<Check> {
    c.some(2, |c| Check {
        of: CheckOf::Element(element(c)),
        test: Test::Truthy,
        at: Span::default(),
    })
}

/// A scope; rules for failures only where YAML has them.
pub fn scope(c: &mut Choices<'_>, in_block: bool) -> Scope {
    if c.yes() {
        return Scope::default();
    }
    let mut scope = Scope {
        headers: c.some(2, |c| {
            Headers(vec![(Text::of(c.pick(&["A", "B"])), c.text())])
        }),
        data: c.some(1, csv),
        before: processors(c, false),
        after: processors(c, true),
        checks: checks(c),
        elements: c.some(2, element),
        on_pass: c.some(2, element),
        ..Scope::default()
    };
    scope.pauses = c.some(2, |c| match c.below(4) {
        1 => ScopePause::Element(element(c)),
        2 => ScopePause::Throughput {
            per_minute: c.text(),
            shared_by: shared_by(c),
        },
        3 => ScopePause::Rendezvous(meeting(c)),
        _ => ScopePause::Think(pause(c)),
    });
    scope.counters = c.maybe(counter).into_iter().collect();
    if in_block {
        scope.variables = c.maybe(variable).into_iter().collect();
        scope.on_error = c.maybe(on_error);
    }
    scope
}

pub fn meeting(c: &mut Choices<'_>) -> Rendezvous {
    Rendezvous {
        name: c.text().raw,
        users: 0,
        timeout: Some(c.time()),
        at: Span::default(),
    }
}

fn csv(c: &mut Choices<'_>) -> CsvData {
    let columns = c.some(2, Choices::name);
    CsvData {
        name: c.text().raw,
        path: c.text(),
        has_header: columns.is_empty() || c.yes(),
        columns,
        delimiter: c.pick(b",;\t|"),
        separator: None,
        encoding: c.pick(&["utf-8", "ISO-8859-1"]).to_owned(),
        order: c.pick(&[
            DataOrder::Sequential,
            DataOrder::Random,
            DataOrder::Shuffled,
            DataOrder::UniquePerUser,
        ]),
        at_end: c.pick(&[AtEnd::Recycle, AtEnd::StopUser, AtEnd::Marker]),
        shared_by: shared_by(c),
        group: c.maybe(|c| c.text().raw),
        quoted: c.yes(),
        verbatim: false,
        elements_behind: u64::from(c.below(3)),
        at: Span::default(),
    }
}

fn counter(c: &mut Choices<'_>) -> Counter {
    Counter {
        variable: c.name(),
        start: i64::from(c.below(5)) - 2,
        step: i64::from(c.below(3)) + 1,
        end: c.maybe(|c| i64::from(c.below(9))),
        digits: c.below(4),
        reset_each_iteration: c.yes(),
        format: c.maybe(|_| "000".to_owned()),
        shared_by: shared_by(c),
        at: Span::default(),
    }
}
