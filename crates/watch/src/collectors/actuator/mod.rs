//! Spring Boot's actuator: metrics of the JVM, the web server, pools and clients; settings
//! in force; health; thread dumps.

mod facts;
pub(crate) mod meters;

use std::time::{Duration, Instant};

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use crate::capture::{Capture, Level};
use crate::captures::actuator_threads::ActuatorThreads;
use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::collectors::prometheus::{ACCEPT, Mapper, max_series, tell};
use crate::http::{EndpointAccess, OriginClient};
use crate::source::{Opened, Spec};

use meters::Meters;

/// Where Spring Boot has it unless told otherwise.
const PATH: &str = "/actuator";
/// Meters that come one by one are asked for this often.
const METERS_PERIOD: Duration = Duration::from_secs(10);

/// Opens an actuator by its base address.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let client = || EndpointAccess::of(spec, PATH).map(OriginClient::new);
    let address = client()?.authority();
    let entities = || Entities::of(spec, &address);
    let max_series = max_series(spec)?;
    let metrics = Actuator {
        client: client()?,
        mapper: Mapper::new(entities(), EntityKind::Application, max_series),
        form: ActuatorForm::Unknown,
        asked: None,
    };
    let facts = facts::ActuatorFacts::new(client()?, entities());
    let mut captures: Vec<Box<dyn Capture>> = Vec::new();
    if spec.level >= Level::Capture {
        let threads = ActuatorThreads::new(client()?, entities().get(EntityKind::Jvm));
        captures.push(Box::new(threads));
    }
    Ok(Opened {
        collectors: vec![Box::new(metrics), Box::new(facts)],
        captures,
    })
}

/// How an actuator gives its metrics.
enum ActuatorForm {
    Unknown,
    /// All at once.
    Prometheus,
    /// One by one.
    Meters(Meters),
}

struct Actuator {
    client: OriginClient,
    mapper: Mapper,
    form: ActuatorForm,
    asked: Option<Instant>,
}

impl Actuator {
    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        match &mut self.form {
            ActuatorForm::Unknown | ActuatorForm::Prometheus => self.scrape(look).await,
            ActuatorForm::Meters(meters) => {
                if self.asked.is_some_and(|at| at.elapsed() < METERS_PERIOD) {
                    return Ok(());
                }
                if !meters
                    .collect(&mut self.client, &mut self.mapper, look)
                    .await?
                {
                    self.form = ActuatorForm::Unknown;
                }
                self.asked = Some(Instant::now());
                Ok(())
            }
        }
    }

    async fn scrape(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let response = self.client.try_get("prometheus", ACCEPT).await?;
        if response.status == 404 {
            self.form = ActuatorForm::Meters(Meters::list(&mut self.client).await?);
            let entity = self.mapper.entities().get(EntityKind::Application);
            let message = Message::new("watch-actuator-one-by-one")
                .with("url", self.client.shown())
                .with("seconds", METERS_PERIOD.as_secs());
            look.missing(&entity, message);
            return Ok(());
        }
        let response = self.client.check("prometheus", response)?;
        tell(&response, self.client.shown(), &mut self.mapper, look)?;
        self.form = ActuatorForm::Prometheus;
        Ok(())
    }
}

impl Collector for Actuator {
    fn nearness(&self) -> Nearness {
        Nearness::Exporter
    }

    fn about(&self) -> String {
        format!("actuator {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}
