//! The Access Log sampler at work: the next line of a log is asked for.

use plimsoll_access::Refused;
use plimsoll_elements::access_log::{LoggedRequest, Method};
use plimsoll_elements::fields::Field;
use plimsoll_elements::{Context as _, Fault, SampleResult};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::Template;
use plimsoll_stats::ErrorKind;

use super::access_log::{AccessLog, LogReading};
use super::failure::HttpProblem;
use super::failure::not_found;
use super::sampler::HttpSampler;
use super::settings::{Eval, HttpArgument, Setting};
use crate::element_user::ElementUser;
use crate::sampled::{SampleTimes, Sampled};
use plimsoll_load::kit::user::Cut;

impl AccessLog {
    /// The sampler of a line.
    fn of_line(&self, method: Method, asked: LoggedRequest) -> HttpSampler {
        let mut sampler = self.sampler.clone();
        let settings = &mut sampler.settings;
        settings.method = Setting::fixed(method.name());
        settings.path = Setting::fixed(&asked.path);
        let field = |text: &str| Field::from(Template::text(text));
        let arguments = asked.arguments.into_iter();
        settings
            .arguments
            .extend(arguments.map(|(name, value, between)| HttpArgument {
                name: field(&name),
                value: field(&value),
                metadata: field(between),
                encode: Field::default(),
                always: false,
                content_type: Field::default(),
            }));
        sampler
    }
}

/// Makes the sample of the next line. At the log's end it fails, and the user ends; where lines
/// are filtered, the user begins anew.
pub(crate) async fn sample(
    user: &mut ElementUser<'_>,
    log: &AccessLog,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    let file = user.work(
        |cx| log.file.text(cx).map(std::borrow::Cow::into_owned),
        |fault| *fault == Fault::Remote,
    );
    let file = file.await.unwrap_or_default();
    let access = user.thread.jmeter.access.clone();
    let next = user.evaluate(|cx| {
        let own = cx
            .own(log.site)
            .get_or_insert_with(|| Box::new(LogReading::default()));
        let reading = own.downcast_mut::<LogReading>().ok_or(None)?;
        match reading.next(&file, &access) {
            Ok(Some(asked)) => return Ok((reading.method, asked)),
            Ok(None) => {}
            Err(error) => return Err(Some(error)),
        }
        let had_line = std::mem::take(&mut reading.had_line);
        if !had_line || !log.filtered {
            cx.ask(Action::StopUser);
        }
        Err(None)
    });
    let refused = matches!(&next, Err(Some(error)) if Refused::of(error).is_some());
    let why = match next {
        Ok((method, asked)) => {
            let sampler = log.of_line(method, asked);
            let named = user.evaluate(|cx| name(&sampler, method, &mut Eval(Some(cx))));
            let sampled = super::sample(user, &sampler, label).await?;
            return Ok(sampled.map(|mut sampled| {
                if let Ok(name) = named {
                    sampled.result.label = name;
                }
                sampled
            }));
        }
        Err(_) if file.trim().is_empty() => {
            let class = "org.apache.jorphan.util.JMeterException";
            HttpProblem::new(class, "No Parser available")
        }
        Err(Some(error)) if refused => not_found(&file, &error),
        Err(Some(_)) => HttpProblem::new("java.lang.Error", "Problem parsing the log file"),
        Err(None) => HttpProblem::new("java.lang.Error", "No entries found"),
    };
    let mut sampled = failed(user, &why);
    if refused {
        // JMeter's have no name.
        label.clone_into(&mut sampled.result.label);
    }
    Ok(Some(sampled))
}

/// What JMeter calls the sample of a line: its address, and what is posted.
fn name(sampler: &HttpSampler, method: Method, by: &mut Eval<'_>) -> Result<String, HttpProblem> {
    let settings = &sampler.settings;
    let url = settings.url(by, method.name())?;
    Ok(match method.name() {
        "POST" => format!("{url}\nQuery Data: {}", settings.query(by)?),
        _ => url.to_string(),
    })
}

fn failed(user: &ElementUser<'_>, why: &HttpProblem) -> Sampled {
    let mut result = SampleResult {
        http: true,
        ..SampleResult::default()
    };
    result.samples = 1;
    why.put(&mut result);
    let now_ns = user.thread.clock.now_ns();
    let times = SampleTimes {
        start_ns: now_ns,
        end_ns: now_ns,
        error: Some(ErrorKind::Other),
        ..SampleTimes::default()
    };
    Sampled::new(result, times)
}
