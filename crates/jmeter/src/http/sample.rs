//! One request of a sampler and its response (JMeter 5.6.3, `HTTPHC4Impl.sample`).

use std::sync::Arc;

use plimsoll_elements::SampleResult;
use plimsoll_stats::LabelId;

use super::client::Client;
use super::failure::HttpProblem;
use super::result;
use super::session::{ReadyRequest, SamplerSession, Shot};
use crate::sampled::{FailedExchange, Sampled};
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::deadline::{Broken, Deadline};
use plimsoll_load::kit::driver::ConnectTimes;
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::http::ExchangeOrder;
use plimsoll_load::kit::http::HttpConnection;
use plimsoll_load::kit::http::is_idempotent;
use plimsoll_load::kit::http::{Failing, Response, Want};
use plimsoll_load::kit::http::{HeadForm, HttpRequest};
use plimsoll_load::kit::http::{Hop, LostRequest, Way, make_hop};
use plimsoll_load::kit::http1::ResponseLimits;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;

/// The way of a sampler's requests.
struct SamplerWay<'s, 'u> {
    session: &'s SamplerSession<'u>,
    watch: &'s Watch,
    method: &'s str,
    ready: &'s ReadyRequest,
}

impl Way for SamplerWay<'_, '_> {
    fn watch(&self) -> &Watch {
        self.watch
    }

    fn take(&mut self, _: u32) -> Option<Box<HttpConnection>> {
        let session = self.session;
        let keep_alive = session.options().keep_alive;
        let now_ns = session.thread.clock.now_ns();
        let mut user = session.user.borrow_mut();
        let kept = &mut user.jm().http.connections;
        kept.take(self.ready.endpoint, now_ns, keep_alive)
    }

    async fn connect(&mut self, times: &mut ConnectTimes) -> Result<Box<HttpConnection>, Broken> {
        self.session.connect(self.watch, self.ready, times).await
    }

    fn keep(&mut self, connection: Box<HttpConnection>, now_ns: Nanos) {
        if self.ready.keeps {
            let mut user = self.session.user.borrow_mut();
            let kept = &mut user.jm().http.connections;
            kept.keep(self.ready.endpoint, connection, now_ns);
        }
    }

    /// Java's own client makes it once more, HttpClient as its properties say (4.5.14,
    /// `StandardHttpRequestRetryHandler`).
    fn makes_again(&self, lost: LostRequest) -> bool {
        let options = self.session.options();
        match self.session.client {
            Client::Java => lost.tries == 0,
            Client::HttpClient => {
                let may_be_twice = is_idempotent(self.method) || options.retries_sent;
                lost.tries < options.retries && (may_be_twice || !lost.written)
            }
        }
    }
}

impl SamplerSession<'_> {
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
    pub fn fail(&self, mut sampled: Sampled, problem: &HttpProblem) -> Sampled {
        if sampled.times.end_ns == 0 {
            sampled.times.end_ns = self.thread.clock.now_ns();
        }
        result::put_times(&mut sampled, self.thread.clock);
        sampled.result.sent_bytes = 0;
        problem.put(&mut sampled.result);
        if problem.bare {
            sampled.result.label.clear();
            sampled.result.method.clear();
            sampled.result.url = None;
            sampled.result.request_headers.clear();
            sampled.result.response_headers.clear();
        }
        sampled.times.error = Some(problem.kind);
        sampled
    }

    /// Makes a request, with all that follows from its response. None: it was not made, since
    /// its response is known.
    pub async fn shoot(&self, watch: &Watch, shot: Shot) -> Result<Option<Sampled>, Cut> {
        let (following, depth) = (shot.following, shot.depth);
        if self.sampler.may_read_files && self.reads_files() {
            let read = self.read(&shot);
            let processing = self.process(watch, following, depth, &shot.target.url, read);
            return Box::pin(processing).await.map(Some);
        }
        let mut shot = shot;
        let origin = self.origin.get_or_init(|| Arc::clone(&shot.target));
        shot.foreign = !shot.target.url.has_origin_of(&origin.url);
        self.thread.let_others_receive().await;
        let mut sampled = self.begin(&shot);
        let mut redirects = 0;
        let (ready, response) = loop {
            let mut bytes = self.thread.write_buffer.take();
            bytes.clear();
            let ready = match self.prepare(&shot, &mut bytes, &mut sampled.result) {
                Ok(ready) => ready,
                Err(problem) => {
                    self.thread.write_buffer.replace(bytes);
                    return Ok(Some(self.fail(sampled, &problem)));
                }
            };
            if ready.known {
                self.thread.write_buffer.replace(bytes);
                return Ok(self.without_request(sampled));
            }
            let sent = self.send(watch, &shot, &ready, &bytes, &mut sampled).await;
            self.thread.write_buffer.replace(bytes);
            let response = match sent? {
                Ok(response) => response,
                Err(problem) => return Ok(Some(self.fail(sampled, &problem))),
            };
            if self.responds_to_challenge(&mut shot, &response) {
                continue;
            }
            match self.onward(&shot, &ready, &response, redirects) {
                Ok(Some(next)) => shot = next,
                Ok(None) => break (ready, response),
                Err(problem) => return Ok(Some(self.fail(sampled, &problem))),
            }
            redirects += 1;
        };
        if redirects > 0 {
            sampled.result.url = Some(shot.target.text.clone());
        }
        if let Err(problem) = self.receive(&shot, &ready, response, &mut sampled) {
            return Ok(Some(self.fail(sampled, &problem)));
        }
        let url = &shot.target.url;
        if self.sampler.is_simple && !result::is_redirect(&sampled.result) {
            return Ok(Some(sampled));
        }
        let processing = self.process(watch, following, depth, url, sampled);
        Box::pin(processing).await.map(Some)
    }

    /// Keeps what the response to the last request of a chain brought.
    fn receive(
        &self,
        shot: &Shot,
        ready: &ReadyRequest,
        mut response: Box<Response>,
        sampled: &mut Sampled,
    ) -> Result<(), HttpProblem> {
        self.keep_cookies(&shot.target.url, &mut response);
        self.take(shot, &mut response, sampled)?;
        self.save(&shot.target.text, &shot.method, &ready.sent, &response);
        *response = Response::default();
        self.user.borrow_mut().spare = Some(response);
        Ok(())
    }

    /// A request that was not made, since its response is known.
    fn without_request(&self, mut sampled: Sampled) -> Option<Sampled> {
        if !self.known(&mut sampled.result) {
            return None;
        }
        sampled.times.end_ns = self.thread.clock.now_ns();
        result::put_times(&mut sampled, self.thread.clock);
        Some(sampled)
    }

    /// What is wanted of the response.
    fn want(&self) -> Want {
        let (needs, managers) = (self.sampler.needs, &self.sampler.managers);
        Want {
            head: needs.response_headers || managers.cache.is_some(),
            // What is received over Java's own client is told from the body itself.
            body: needs.body || self.sampler.reads_body || self.client == Client::Java,
            cookies: managers.cookies.is_some(),
            reason: true,
            content_type: true,
            location_bytes: true,
        }
    }

    /// What is sent, and how the response is read.
    fn order<'o>(
        &self,
        shot: &'o Shot,
        ready: &ReadyRequest,
        bytes: &'o [u8],
        label: LabelId,
    ) -> ExchangeOrder<'o> {
        let options = self.options();
        ExchangeOrder {
            request: HttpRequest {
                method: &shot.method,
                head: HeadForm::Written(bytes),
                body: &bytes[ready.head_bytes..],
                waits: ready.expects,
            },
            limits: ResponseLimits {
                head_bytes: 1 << 20,
                ..ResponseLimits::default()
            },
            want: self.want(),
            failing: Some(Failing {
                label,
                fails: &|status| !(200..400).contains(&status),
            }),
            deadline: Deadline {
                timeout_ns: self.limit_ns,
                cut_ns: self.user.borrow().scenario.cut_ns.get(),
            },
            read_timeout_ns: ready.read_timeout_ns,
            bytes_per_s: options.bytes_per_s(&shot.target.url.scheme, self.client),
        }
    }

    /// Sends the request and reads the response.
    async fn send(
        &self,
        watch: &Watch,
        shot: &Shot,
        ready: &ReadyRequest,
        bytes: &[u8],
        sampled: &mut Sampled,
    ) -> Result<Result<Box<Response>, HttpProblem>, Cut> {
        let thread = &self.thread;
        let response = self.user.borrow_mut().spare.take().unwrap_or_default();
        let kind = self.user.borrow().request_kind();
        let label = thread.labels.made(self.label, kind);
        let order = self.order(shot, ready, bytes, label);
        let mut way = SamplerWay {
            session: self,
            watch,
            method: &shot.method,
            ready,
        };
        let (start_ns, nothing) = (sampled.times.start_ns, &mut Vec::new());
        let mut hop = make_hop(thread, &mut way, &order, start_ns, response, nothing).await?;
        put_exchange(sampled, bytes, &mut hop);
        if let Some(failure) = hop.failure {
            return Ok(Err(self.problem(&failure, shot)));
        }
        // JMeter cannot see what Java sends.
        let seen = self.client == Client::HttpClient;
        sampled.result.sent_bytes = if seen { hop.sent_bytes } else { 0 };
        Ok(Ok(hop.response))
    }

    /// What became of a request, or that it was cut off.
    fn problem(&self, failure: &Failure, shot: &Shot) -> HttpProblem {
        if self.limit_ns <= self.thread.clock.now_ns() {
            return HttpProblem {
                kind: plimsoll_stats::ErrorKind::ReadTimeout,
                ..HttpProblem::new("java.net.SocketException", "Socket closed")
            };
        }
        match self.client {
            Client::HttpClient => HttpProblem::of_failure(failure, &shot.target.url),
            Client::Java => HttpProblem::of_java(failure, &shot.target.url),
        }
    }

    /// Fills the result from the response.
    fn take(
        &self,
        shot: &Shot,
        response: &mut Response,
        sampled: &mut Sampled,
    ) -> Result<(), HttpProblem> {
        let has_entity = shot.method != "HEAD" && !matches!(response.status, 204 | 205 | 304);
        result::put_times(sampled, self.thread.clock);
        if !has_entity {
            sampled.result.latency_ms = 0;
        }
        let md5 = self.eval(|by| self.sampler.settings.md5.truth(by))?
            || shot.beside_others && self.options().md5_of_resources;
        result::put_response(
            response,
            &mut sampled.result,
            self.sampler.needs.response_headers,
            self.client,
        )?;
        let redirects = result::is_redirect(&sampled.result);
        if let Some(location) = response.location.take().filter(|_| redirects) {
            sampled.result.redirect_location = location;
        } else if redirects && self.client == Client::Java {
            self.leads_somewhere(shot, sampled)?;
        } else if redirects {
            let message = format!(
                "Missing location header in redirect for {} {} HTTP/1.1",
                shot.method, shot.target.text
            );
            return Err(HttpProblem::new(
                "java.lang.IllegalArgumentException",
                message,
            ));
        }
        let most = self.options().max_body_bytes;
        if most > 0 {
            sampled.result.body.truncate(most);
        }
        if md5 {
            result::put_md5(&mut sampled.result);
        }
        Ok(())
    }
}

/// Fills a result with the times of a hop, and with what went over the wire where it failed.
fn put_exchange(sampled: &mut Sampled, request: &[u8], hop: &mut Hop) {
    let response = &mut hop.response;
    sampled.failed = response.failed.take().map(|response| FailedExchange {
        request: request.to_vec(),
        response,
    });
    let times = &mut sampled.times;
    times.dns_ns = hop.times.dns_ns;
    times.connect_ns = hop.times.connect_ns;
    times.tls_ns = hop.times.tls_ns;
    times.first_byte_ns = response.first_byte_ns;
    times.end_ns = response.end_ns;
    times.lag_ns = response.lag_ns;
}
