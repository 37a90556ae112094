//! One request of a sampler and its answer (JMeter 5.6.3, `HTTPHC4Impl.sample`).

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::SampleResult;

use super::HttpSampler;
use super::body::{Entity, Shape};
use super::charset::Charset;
use super::connect::Route;
use super::failure::Problem;
use super::head::{Head, shown};
use super::result;
use super::settings::Eval;
use super::target::Target;
use crate::clock::Nanos;
use crate::driver::ConnectTimes;
use crate::engine::thread::{EndpointId, Thread};
use crate::http1::Limits;
use crate::jmeter::sampled::Sampled;
use crate::timer::Watch;
use crate::user::User;
use crate::user::answer::{Answer, Want};
use crate::user::exchange::{Broken, Deadline, InFlight, Order, exchange};
use crate::user::request::Cut;

/// A sampler at work for a user. Several requests may be under way at once; the user is
/// borrowed only between waits.
pub(super) struct Session<'u> {
    /// The user.
    pub user: RefCell<&'u mut User>,
    /// The user's thread.
    pub thread: Rc<Thread>,
    /// The sampler.
    pub sampler: &'u HttpSampler,
    /// Its label.
    pub label: &'u str,
}

/// A request to be made.
pub(super) struct Shot {
    /// Where to.
    pub target: Arc<Target>,
    /// Method.
    pub method: String,
    /// It follows a redirect.
    pub following: bool,
    /// How deep in frames and other embedded resources it is.
    pub depth: u32,
}

/// A request, ready to be sent.
struct Ready {
    endpoint: EndpointId,
    head_bytes: usize,
    expects: bool,
    keeps: bool,
    connect_timeout_ns: Option<Nanos>,
    read_timeout_ns: Option<Nanos>,
}

/// Whether a request of this method has a body, if an empty one; and whether JMeter takes
/// the method at all.
fn carries(method: &str) -> Result<Option<bool>, Problem> {
    Ok(match method {
        "POST" | "PUT" | "PATCH" | "DELETE" => Some(true),
        "GET" => None,
        "HEAD" | "TRACE" | "OPTIONS" => Some(false),
        _ => {
            let token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if method.is_empty() || !method.bytes().all(token) {
                let message = format!("Unexpected method: '{method}'");
                return Err(Problem::new("java.lang.IllegalArgumentException", message));
            }
            Some(true)
        }
    })
}

impl<'u> Session<'u> {
    /// Evaluates something for the user.
    pub fn eval<T>(&self, run: impl FnOnce(&mut Eval<'_>) -> T) -> T {
        let mut user = self.user.borrow_mut();
        user.evaluate(|cx| run(&mut Eval(Some(cx))))
    }

    /// A result that begins now.
    pub fn begin(&self, shot: &Shot) -> Sampled {
        let mut sampled = Sampled {
            result: SampleResult::new(self.label),
            ..Sampled::default()
        };
        let result = &mut sampled.result;
        result.http = true;
        shot.method.clone_into(&mut result.method);
        result.url = Some(shot.target.text.clone());
        sampled.times.start_ns = self.thread.clock.now_ns();
        sampled
    }

    /// Ends a result with a failure.
    pub fn fail(&self, mut sampled: Sampled, problem: &Problem) -> Sampled {
        if sampled.times.end_ns == 0 {
            sampled.times.end_ns = self.thread.clock.now_ns();
        }
        result::put_times(&mut sampled, self.thread.clock);
        problem.put(&mut sampled.result);
        sampled.times.error = Some(problem.kind);
        sampled
    }

    /// Makes a request, with all that follows from its answer. None: it was not made, since
    /// its answer is known.
    pub async fn shoot(&self, watch: &Watch, shot: Shot) -> Result<Option<Sampled>, Cut> {
        let mut sampled = self.begin(&shot);
        let (following, depth) = (shot.following, shot.depth);
        let mut shot = shot;
        let mut redirects = 0;
        let mut answer = loop {
            let mut bytes = self.thread.write_buffer.take();
            bytes.clear();
            let ready = match self.prepare(&shot, &mut bytes, &mut sampled.result) {
                Ok(ready) => ready,
                Err(problem) => {
                    self.thread.write_buffer.replace(bytes);
                    return Ok(Some(self.fail(sampled, &problem)));
                }
            };
            let sent = self.send(watch, &shot, &ready, &bytes, &mut sampled).await;
            self.thread.write_buffer.replace(bytes);
            let answer = match sent? {
                Ok(answer) => answer,
                Err(problem) => return Ok(Some(self.fail(sampled, &problem))),
            };
            match self.onward(&shot, &answer, redirects) {
                Ok(Some(next)) => shot = next,
                Ok(None) => break answer,
                Err(problem) => return Ok(Some(self.fail(sampled, &problem))),
            }
            redirects += 1;
        };
        if redirects > 0 {
            sampled.result.url = Some(shot.target.text.clone());
        }
        if let Err(problem) = self.take(&shot, &mut answer, &mut sampled) {
            return Ok(Some(self.fail(sampled, &problem)));
        }
        *answer = Answer::default();
        self.user.borrow_mut().spare = Some(answer);
        let url = &shot.target.url;
        if self.sampler.is_simple && !result::is_redirect(&sampled.result) {
            return Ok(Some(sampled));
        }
        let processing = self.process(watch, following, depth, url, sampled);
        Box::pin(processing).await.map(Some)
    }

    /// The next request of a chain of redirects that HttpClient follows itself
    /// (`LaxRedirectStrategy`).
    fn onward(
        &self,
        shot: &Shot,
        answer: &Answer,
        redirects: u32,
    ) -> Result<Option<Shot>, Problem> {
        let settings = &self.sampler.settings;
        let Some(to) = &answer.location else {
            return Ok(None);
        };
        let method = shot.method.as_str();
        let follows = match answer.status {
            301 | 302 | 307 | 308 => matches!(method, "GET" | "POST" | "HEAD" | "DELETE"),
            303 => true,
            _ => false,
        };
        if !follows || !self.eval(|by| settings.auto.truth(by))? {
            return Ok(None);
        }
        if redirects >= super::follow::MAX_REDIRECTS {
            return Err(Problem {
                class: "org.apache.http.client.ClientProtocolException".to_owned(),
                message: None,
                kind: plimsoll_stats::ErrorKind::RedirectLoop,
            });
        }
        let keeps_method = matches!(answer.status, 307 | 308) || method == "HEAD";
        Ok(Some(Shot {
            target: Arc::new(super::follow::location(&shot.target.url, to)?.into()),
            method: if keeps_method { method } else { "GET" }.to_owned(),
            following: !keeps_method,
            depth: shot.depth,
        }))
    }

    /// Writes the request.
    fn prepare(
        &self,
        shot: &Shot,
        bytes: &mut Vec<u8>,
        result: &mut SampleResult,
    ) -> Result<Ready, Problem> {
        let target = &*shot.target;
        if let Some(bad) = &target.bad {
            return Err(bad.clone());
        }
        if !matches!(target.url.scheme.as_str(), "http" | "https") {
            let class = "org.apache.http.conn.UnsupportedSchemeException";
            let message = format!("{} protocol is not supported", target.url.scheme);
            return Err(Problem::new(class, message));
        }
        let settings = &self.sampler.settings;
        let entity = self.entity(shot)?;
        let route = self.eval(|by| Route::of(settings, by))?;
        let cookies: Option<String> = None;
        let written = match self.sampler.headers.fixed() {
            Some(fixed) => Cow::Borrowed(fixed),
            None => Cow::Owned(self.eval(|by| {
                self.sampler
                    .headers
                    .write(by, &target.url, cookies.as_deref())
            })?),
        };
        let keep_alive = self.eval(|by| settings.keep_alive.truth(by))?;
        let absolute;
        let proxied = route.is_proxied() && target.url.scheme == "http";
        let request = if proxied {
            absolute = [
                target.url.scheme.as_bytes(),
                b"://",
                target.host.as_bytes(),
                &target.request,
            ]
            .concat();
            &absolute
        } else {
            &target.request
        };
        let head = Head {
            method: &shot.method,
            target: request,
            host: &target.host,
            keep_alive,
            headers: &written,
            more: &[],
            cookies: cookies.as_deref(),
            entity: entity.as_deref(),
            proxied,
            last: &[],
            no_agent: false,
        };
        head.write(bytes);
        let head_bytes = bytes.len();
        if self.sampler.needs.request {
            result.request_headers = shown(bytes);
            if let Some(entity) = &entity {
                let charset = self
                    .eval(|by| settings.charset(by))
                    .unwrap_or(Charset::Utf8);
                result.query = entity.show(charset);
            }
            result.cookies = match (&written.cookie, cookies) {
                (Some(own), _) => own.clone(),
                (None, Some(cookies)) => cookies,
                (None, None) => String::new(),
            };
        }
        let has_body = entity
            .as_ref()
            .is_some_and(|entity| !entity.bytes.is_empty());
        if let Some(entity) = &entity {
            bytes.extend_from_slice(&entity.bytes);
        }
        let timeout_ns = |ms: i64| {
            let ms = u64::try_from(ms).ok().filter(|ms| *ms > 0)?;
            Some(ms.saturating_mul(1_000_000))
        };
        let (connect_ms, read_ms) = self.eval(|by| {
            let connect = settings.connect_timeout.whole(by, 0)?;
            Ok::<_, Problem>((connect, settings.response_timeout.whole(by, 0)?))
        })?;
        Ok(Ready {
            endpoint: self.endpoint(&target.url, &route)?,
            head_bytes,
            expects: written.expects && has_body,
            keeps: keep_alive && !written.closes,
            connect_timeout_ns: timeout_ns(connect_ms),
            read_timeout_ns: timeout_ns(read_ms),
        })
    }

    /// The body of a request, if it has one.
    fn entity(&self, shot: &Shot) -> Result<Option<Cow<'u, Entity>>, Problem> {
        let settings = &self.sampler.settings;
        let carried = match carries(&shot.method)? {
            Some(carried) => carried,
            None if shot.following => false,
            None => self.eval(|by| {
                Ok::<_, Problem>(match settings.shape(by)? {
                    Shape::File | Shape::Raw => true,
                    Shape::Multipart => settings.is_raw(by)?,
                    Shape::Form => false,
                })
            })?,
        };
        if !carried {
            return Ok(None);
        }
        if let Some(fixed) = &self.sampler.entity {
            return Ok(Some(Cow::Borrowed(fixed)));
        }
        let mut user = self.user.borrow_mut();
        let boundary = super::body::boundary(|| user.random.bits());
        let folder = &self.thread.jmeter.plan_folder;
        let made = user.evaluate(|cx| {
            let by = &mut Eval(Some(cx));
            settings.entity(by, folder, &mut || boundary.clone())
        });
        made.map(|entity| Some(Cow::Owned(entity)))
    }

    /// What is wanted of the answer.
    fn want(&self) -> Want {
        let needs = self.sampler.needs;
        Want {
            head: needs.response_headers,
            body: needs.body || self.sampler.reads_body,
            cookies: false,
            reason: true,
            content_type: true,
        }
    }

    /// Sends the request and reads the answer.
    async fn send(
        &self,
        watch: &Watch,
        shot: &Shot,
        ready: &Ready,
        bytes: &[u8],
        sampled: &mut Sampled,
    ) -> Result<Result<Box<Answer>, Problem>, Cut> {
        let thread = &self.thread;
        let cut_ns = self.user.borrow().scenario.cut_ns;
        let mut times = ConnectTimes::default();
        let kept = self.kept_connection(ready.endpoint);
        let connection = match kept {
            Some(connection) => Ok(connection),
            None => {
                let turn = self.user.borrow().number as usize;
                let connecting = self.connect(
                    watch,
                    ready.endpoint,
                    ready.connect_timeout_ns,
                    turn,
                    &mut times,
                );
                Box::pin(connecting).await
            }
        };
        sampled.times.dns_ns = times.dns_ns;
        sampled.times.connect_ns = times.connect_ns;
        sampled.times.tls_ns = times.tls_ns;
        let (mut connection, born_ns) = match connection {
            Ok(connection) => connection,
            Err(Broken::CutOff) => return Err(Cut),
            Err(Broken::Failed(failure)) => {
                return Ok(Err(Problem::of_failure(&failure, &shot.target.url)));
            }
        };
        let mut answer = self.user.borrow_mut().spare.take().unwrap_or_default();
        answer.start_ns = sampled.times.start_ns;
        let kind = self.user.borrow().request_kind();
        let label = thread.labels.made(self.label, kind);
        let mut in_flight = InFlight::new(thread, Some(label));
        let order = Order {
            bytes,
            wait_after: ready.expects.then_some(ready.head_bytes),
            method: crate::engine::prepared::reader_method(&shot.method),
            limits: Limits {
                head_bytes: 1 << 20,
                ..Limits::default()
            },
            want: self.want(),
            deadline: Deadline {
                timeout_ns: Nanos::MAX,
                cut_ns,
            },
            read_timeout_ns: ready.read_timeout_ns,
        };
        let result = exchange(
            thread,
            watch,
            &mut connection,
            order,
            &mut answer,
            &mut in_flight,
        )
        .await;
        if matches!(result, Err(Broken::CutOff)) {
            return Err(Cut);
        }
        in_flight.done();
        sampled.times.first_byte_ns = answer.first_byte_ns;
        sampled.times.end_ns = answer.end_ns;
        match result {
            Ok(()) => {
                if answer.keep_alive && ready.keeps {
                    self.keep_connection(ready.endpoint, connection, born_ns);
                }
                sampled.result.sent_bytes = bytes.len() as u64;
                Ok(Ok(answer))
            }
            Err(Broken::CutOff) => Err(Cut),
            Err(Broken::Failed(failure)) => {
                sampled.times.end_ns = thread.clock.now_ns();
                Ok(Err(Problem::of_failure(&failure, &shot.target.url)))
            }
        }
    }

    /// Fills the result from the answer.
    fn take(&self, shot: &Shot, answer: &mut Answer, sampled: &mut Sampled) -> Result<(), Problem> {
        let has_entity = shot.method != "HEAD" && !matches!(answer.status, 204 | 205 | 304);
        result::put_times(sampled, self.thread.clock);
        if !has_entity {
            sampled.result.latency_ms = 0;
        }
        let md5 = self.eval(|by| self.sampler.settings.md5.truth(by))?;
        result::put_answer(
            answer,
            &mut sampled.result,
            self.sampler.needs.response_headers,
        )?;
        let redirects = result::is_redirect(&sampled.result);
        if let Some(location) = answer.location.take().filter(|_| redirects) {
            sampled.result.redirect_location = location;
        } else if redirects {
            let line = String::from_utf8_lossy(&shot.target.request).into_owned();
            let message = format!(
                "Missing location header in redirect for {} {line} HTTP/1.1",
                shot.method
            );
            return Err(Problem::new("java.lang.IllegalArgumentException", message));
        }
        let most = self.thread.http.options(&self.thread).max_body_bytes;
        if most > 0 {
            sampled.result.body.truncate(most);
        }
        if md5 {
            result::put_md5(&mut sampled.result);
        }
        Ok(())
    }
}
