//! One request of a sampler and its response (JMeter 5.6.3, `HTTPHC4Impl.sample`).

use std::sync::Arc;

use plimsoll_elements::SampleResult;
use plimsoll_stats::LabelId;

use super::client::Client;
use super::failure::Problem;
use super::result;
use super::session::{Ready, Session, Shot};
use crate::sampled::{FailedExchange, Sampled};
use plimsoll_load::clock::Nanos;
use plimsoll_load::driver::ConnectTimes;
use plimsoll_load::engine::prepared::{is_idempotent, reader_method};
use plimsoll_load::failure::Failure;
use plimsoll_load::http1::Limits;
use plimsoll_load::protocols::http::HttpConnection;
use plimsoll_load::timer::Watch;
use plimsoll_load::user::Cut;
use plimsoll_load::user::exchange::{Broken, Deadline, InFlight, Order, exchange};
use plimsoll_load::user::response::{Failing, Response, Want};

/// A request without a response.
struct Lost {
    problem: Problem,
    label: LabelId,
    /// The connection ended before any byte of a response.
    connection: bool,
    /// All of the request was written.
    written: bool,
}

impl Lost {
    fn never_sent(problem: Problem) -> Self {
        Self {
            problem,
            label: LabelId::default(),
            connection: false,
            written: false,
        }
    }
}

impl Session<'_> {
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
        let (mut redirects, mut tries) = (0, 0);
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
                Err(lost) if self.tries_again(&shot, &lost, tries) => {
                    tries += 1;
                    continue;
                }
                Err(lost) => return Ok(Some(self.fail(sampled, &lost.problem))),
            };
            if self.responds_to_challenge(&mut shot, &response) {
                continue;
            }
            match self.onward(&shot, &ready, &response, redirects) {
                Ok(Some(next)) => shot = next,
                Ok(None) => break (ready, response),
                Err(problem) => return Ok(Some(self.fail(sampled, &problem))),
            }
            (redirects, tries) = (redirects + 1, 0);
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
        ready: &Ready,
        mut response: Box<Response>,
        sampled: &mut Sampled,
    ) -> Result<(), Problem> {
        self.keep_cookies(&shot.target.url, &mut response);
        self.take(shot, &mut response, sampled)?;
        self.save(&shot.target.text, &shot.method, &ready.sent, &response);
        *response = Response::default();
        self.user.borrow_mut().spare = Some(response);
        Ok(())
    }

    /// Whether the client makes the request again after so many tries: Java's own does so once,
    /// HttpClient as its properties say (4.5.14, `StandardHttpRequestRetryHandler`).
    fn tries_again(&self, shot: &Shot, lost: &Lost, tries: u32) -> bool {
        let options = self.options();
        let again = lost.connection
            && match self.client {
                Client::Java => tries == 0,
                Client::HttpClient => {
                    let may_be_twice = is_idempotent(&shot.method) || options.retries_sent;
                    tries < options.retries && (may_be_twice || !lost.written)
                }
            };
        if again {
            self.thread.recorder.resent(lost.label);
        }
        again
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
        }
    }

    /// A connection that was kept, or a new one; and when it was made.
    async fn connected(
        &self,
        watch: &Watch,
        ready: &Ready,
        sampled: &mut Sampled,
    ) -> Result<(Box<HttpConnection>, Nanos), Broken> {
        let mut times = ConnectTimes::default();
        let connection = match self.keep_alive_connection(ready.endpoint) {
            Some(connection) => Ok(connection),
            None => {
                let connecting = self.connect(watch, ready, &mut times);
                Box::pin(connecting).await
            }
        };
        sampled.times.dns_ns = times.dns_ns;
        sampled.times.connect_ns = times.connect_ns;
        sampled.times.tls_ns = times.tls_ns;
        connection
    }

    /// What is sent, and how the response is read.
    fn order<'o>(&self, shot: &Shot, ready: &Ready, bytes: &'o [u8], label: LabelId) -> Order<'o> {
        let options = self.options();
        Order {
            bytes,
            wait_after: ready.expects.then_some(ready.head_bytes),
            method: reader_method(&shot.method),
            limits: Limits {
                head_bytes: 1 << 20,
                ..Limits::default()
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
        ready: &Ready,
        bytes: &[u8],
        sampled: &mut Sampled,
    ) -> Result<Result<Box<Response>, Lost>, Cut> {
        let thread = &self.thread;
        let (mut connection, born_ns) = match self.connected(watch, ready, sampled).await {
            Ok(connection) => connection,
            Err(Broken::CutOff) => return Err(Cut),
            Err(Broken::Failed(failure)) => {
                let problem = self.problem(&failure, shot);
                return Ok(Err(Lost::never_sent(problem)));
            }
        };
        let mut response = self.user.borrow_mut().spare.take().unwrap_or_default();
        response.start_ns = sampled.times.start_ns;
        let kind = self.user.borrow().request_kind();
        let label = thread.labels.made(self.label, kind);
        let mut in_flight = InFlight::new(thread, Some(label));
        let result = exchange(
            thread,
            watch,
            &mut connection,
            self.order(shot, ready, bytes, label),
            &mut response,
            &mut in_flight,
        );
        let failure = match result.await {
            Ok(()) => None,
            Err(Broken::Failed(failure)) => Some(failure),
            Err(Broken::CutOff) => return Err(Cut),
        };
        let written = in_flight.is_written();
        in_flight.done();
        put_exchange(sampled, bytes, &mut response);
        let Some(failure) = failure else {
            if response.keep_alive && ready.keeps {
                self.keep_connection(ready.endpoint, connection, born_ns);
            }
            // JMeter cannot see what Java sends.
            let seen = self.client == Client::HttpClient;
            sampled.result.sent_bytes = if seen { bytes.len() as u64 } else { 0 };
            return Ok(Ok(response));
        };
        sampled.times.end_ns = thread.clock.now_ns();
        Ok(Err(Lost {
            problem: self.problem(&failure, shot),
            label,
            connection: failure.is_lost_connection() && response.received_bytes == 0,
            written,
        }))
    }

    /// What became of a request, or that it was cut off.
    fn problem(&self, failure: &Failure, shot: &Shot) -> Problem {
        if self.limit_ns <= self.thread.clock.now_ns() {
            return Problem {
                kind: plimsoll_stats::ErrorKind::ReadTimeout,
                ..Problem::new("java.net.SocketException", "Socket closed")
            };
        }
        match self.client {
            Client::HttpClient => Problem::of_failure(failure, &shot.target.url),
            Client::Java => Problem::of_java(failure, &shot.target.url),
        }
    }

    /// Fills the result from the response.
    fn take(
        &self,
        shot: &Shot,
        response: &mut Response,
        sampled: &mut Sampled,
    ) -> Result<(), Problem> {
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
            return Err(Problem::new("java.lang.IllegalArgumentException", message));
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

/// Fills a result with the times of an exchange, and with the exchange itself where it failed.
fn put_exchange(sampled: &mut Sampled, request: &[u8], response: &mut Response) {
    sampled.failed = response.failed.take().map(|response| FailedExchange {
        request: request.to_vec(),
        response,
    });
    sampled.times.first_byte_ns = response.first_byte_ns;
    sampled.times.end_ns = response.end_ns;
    sampled.times.lag_ns = response.lag_ns;
}
