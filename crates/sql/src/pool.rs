//! A source: a thread with connections, and the orders it is given.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::mysql::MySql;
use crate::postgres::Postgres;
use crate::{DatabaseKind, Done, SqlError, SqlOrder, SqlResponse, SqlSettings, Statement};

/// Permits of a pool with a connection for each user: there is no limit.
const UNLIMITED: usize = Semaphore::MAX_PERMITS;

struct PoolJob {
    owner: u64,
    order: SqlOrder,
    /// The longest for all of it, also for the connection.
    within: Option<Duration>,
    tell: oneshot::Sender<Done>,
}

/// A data source. Clones are the same source; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Source {
    jobs: mpsc::UnboundedSender<PoolJob>,
    settings: Arc<SqlSettings>,
}

impl std::fmt::Debug for PoolJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a source; connections are made when they are needed.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn open(settings: SqlSettings) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (jobs, orders) = mpsc::unbounded_channel();
        let settings = Arc::new(settings);
        let own = Arc::clone(&settings);
        std::thread::Builder::new()
            .name("sql".to_owned())
            .spawn(move || {
                let tasks = tokio::task::LocalSet::new();
                tasks.block_on(&runtime, serve(own, orders));
            })?;
        Ok(Self { jobs, settings })
    }

    /// How it connects.
    #[must_use]
    pub fn settings(&self) -> &SqlSettings {
        &self.settings
    }

    /// Does one thing, and waits for it on this thread, which must not be one of an asynchronous runtime. The order's
    /// time counts for the connection, too: nobody else would end the wait.
    ///
    /// # Errors
    /// Why there is no response.
    pub fn run_blocking(&self, order: SqlOrder) -> Result<SqlResponse, SqlError> {
        let gone = || SqlError::connection("the data source has ended");
        let (tell, done) = oneshot::channel();
        let job = PoolJob {
            owner: 0,
            within: order.timeout,
            order,
            tell,
        };
        self.jobs.send(job).map_err(|_| gone())?;
        done.blocking_recv().map_err(|_| gone())?.response
    }

    /// Does what is ordered, for one user.
    pub async fn run(&self, owner: u64, order: SqlOrder) -> Done {
        let began = Instant::now();
        let (tell, done) = oneshot::channel();
        let gone = |began: Instant| Done {
            connect: began.elapsed(),
            latency: began.elapsed(),
            response: Err(SqlError::connection("the data source has ended")),
        };
        let job = PoolJob {
            owner,
            order,
            within: None,
            tell,
        };
        if self.jobs.send(job).is_err() {
            return gone(began);
        }
        match done.await {
            Ok(done) => done,
            Err(_) => gone(began),
        }
    }
}

/// Connections that wait for work: of one user, or of all (owner 0).
type Idle = HashMap<u64, Vec<DatabaseClient>>;

struct ConnectionPool {
    settings: Arc<SqlSettings>,
    permits: Semaphore,
    idle: RefCell<Idle>,
}

async fn serve(settings: Arc<SqlSettings>, mut orders: mpsc::UnboundedReceiver<PoolJob>) {
    let permits = match settings.pool_max {
        0 => UNLIMITED,
        most => most,
    };
    let pool = Rc::new(ConnectionPool {
        settings,
        permits: Semaphore::new(permits),
        idle: RefCell::default(),
    });
    while let Some(job) = orders.recv().await {
        let pool = Rc::clone(&pool);
        tokio::task::spawn_local(async move {
            let done = pool.work_within(job.owner, job.order, job.within).await;
            // A user that was cut off no longer listens.
            let _ = job.tell.send(done);
        });
    }
}

impl ConnectionPool {
    async fn work_within(&self, owner: u64, order: SqlOrder, within: Option<Duration>) -> Done {
        let began = Instant::now();
        let work = self.work(owner, order);
        let Some(within) = within else {
            return work.await;
        };
        match tokio::time::timeout(within, work).await {
            Ok(done) => done,
            Err(_) => Done {
                connect: began.elapsed(),
                latency: began.elapsed(),
                response: Err(SqlError::connection(format!(
                    "no response within {} s",
                    within.as_secs_f64()
                ))),
            },
        }
    }

    async fn work(&self, owner: u64, order: SqlOrder) -> Done {
        let began = Instant::now();
        let owner = if self.settings.pool_max == 0 {
            owner
        } else {
            0
        };
        let waited = self.permits.acquire();
        let max_wait = self.settings.max_wait;
        let permit = if max_wait.is_zero() {
            waited.await.map_err(|_| SqlError::pool_exhausted())
        } else {
            match tokio::time::timeout(max_wait, waited).await {
                Ok(Ok(permit)) => Ok(permit),
                _ => Err(SqlError::pool_exhausted()),
            }
        };
        let client = match permit {
            // The permit is held until this function ends.
            Ok(_) => self.client(owner).await,
            Err(error) => Err(error),
        };
        let connect = began.elapsed();
        let response = match client {
            Ok(client) => self.order(owner, client, order).await,
            Err(error) => Err(error),
        };
        Done {
            connect,
            latency: began.elapsed(),
            response,
        }
    }

    async fn client(&self, owner: u64) -> Result<DatabaseClient, SqlError> {
        let idle = self.idle.borrow_mut().get_mut(&owner).and_then(Vec::pop);
        let mut client = match idle {
            Some(client) => client,
            None => DatabaseClient::connect(&self.settings).await?,
        };
        // A pool hands out connections in the mode that the plan names for it.
        client.autocommit(self.settings.autocommit).await?;
        Ok(client)
    }

    async fn order(
        &self,
        owner: u64,
        mut client: DatabaseClient,
        order: SqlOrder,
    ) -> Result<SqlResponse, SqlError> {
        let work = client.statement(&order.statement, order.max_rows);
        let response = match order.timeout {
            None => work.await,
            Some(most) => match tokio::time::timeout(most, work).await {
                Ok(response) => response,
                Err(_) => Err(SqlError::timeout()),
            },
        };
        if response
            .as_ref()
            .err()
            .is_none_or(|error| !error.is_fatal())
        {
            self.idle
                .borrow_mut()
                .entry(owner)
                .or_default()
                .push(client);
        }
        response
    }
}

/// A connection.
enum DatabaseClient {
    MySql(Box<MySql>),
    Postgres(Box<Postgres>),
}

impl DatabaseClient {
    async fn connect(settings: &SqlSettings) -> Result<Self, SqlError> {
        let mut client = match settings.address.kind {
            DatabaseKind::MySql => Self::MySql(Box::new(MySql::connect(settings).await?)),
            DatabaseKind::Postgres => Self::Postgres(Box::new(Postgres::connect(settings).await?)),
        };
        if let Some(isolation) = &settings.isolation {
            let sql = match settings.address.kind {
                DatabaseKind::MySql => {
                    format!("SET SESSION TRANSACTION ISOLATION LEVEL {isolation}")
                }
                DatabaseKind::Postgres => {
                    format!(
                        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {isolation}"
                    )
                }
            };
            client.statement(&Statement::Update(sql), None).await?;
        }
        for sql in &settings.init {
            client
                .statement(&Statement::Update(sql.clone()), None)
                .await?;
        }
        Ok(client)
    }

    async fn autocommit(&mut self, on: bool) -> Result<(), SqlError> {
        match self {
            Self::MySql(client) => client.autocommit(on).await,
            Self::Postgres(client) => client.autocommit(on).await,
        }
    }

    async fn statement(
        &mut self,
        statement: &Statement,
        max_rows: Option<usize>,
    ) -> Result<SqlResponse, SqlError> {
        match self {
            Self::MySql(client) => client.statement(statement, max_rows).await,
            Self::Postgres(client) => client.statement(statement, max_rows).await,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::TcpListener;
    use std::sync::mpsc;

    use super::*;
    use crate::DatabaseAddress;

    #[test]
    fn a_server_that_never_greets_holds_nobody_up() {
        for kind in ["mysql", "postgresql"] {
            // The system accepts for it.
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = format!("jdbc:{kind}://{}/shop", listener.local_addr().unwrap());
            let source = Source::open(SqlSettings {
                address: DatabaseAddress::parse(&address).unwrap(),
                reach: None,
                user: "me".to_owned(),
                password: String::new(),
                pool_max: 1,
                max_wait: Duration::ZERO,
                autocommit: true,
                isolation: None,
                init: Vec::new(),
                numbered_errors: false,
            });
            let source = source.unwrap();
            let order = SqlOrder {
                statement: Statement::Select("SELECT 1".to_owned()),
                timeout: Some(Duration::from_millis(50)),
                max_rows: None,
            };
            let (tell, told) = mpsc::channel();
            std::thread::spawn(move || tell.send(source.run_blocking(order)));
            // Far longer than it takes on a busy machine.
            let said = told.recv_timeout(Duration::from_secs(60)).unwrap();
            let error = said.unwrap_err();
            assert!(
                error.is_fatal() && error.message.contains("0.05 s"),
                "{error}"
            );
        }
    }
}
