//! A run's objects in a bucket of JetStream's object store, which keeps their SHA-256.

use std::io;
use std::time::Duration;

use async_nats::jetstream::object_store::{GetErrorKind, ObjectStore};
use bytes::{Bytes, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::connection::{NatsConnection, NatsTrouble};
use super::names::NatsNames;
use crate::link::{LinkError, Objects, Response, subject};

/// How long the next piece of an object may take.
const PIECE: Duration = Duration::from_secs(10);

/// Objects are read into memory: not more than this.
const LARGEST_BYTES: usize = 4 << 30;

pub(super) struct NatsObjects {
    pub connection: NatsConnection,
    pub names: NatsNames,
}

impl NatsObjects {
    /// Fails at once if the store is not there or not allowed.
    async fn look(&self) -> Result<(), LinkError> {
        let info = format!("STREAM.INFO.{}", self.names.store());
        self.connection.plain_api(&self.names.run, &info).await
    }

    async fn bucket(&self) -> Result<ObjectStore, NatsTrouble> {
        let found = self
            .connection
            .jetstream
            .get_object_store(&self.names.bucket)
            .await;
        found.map_err(|error| passing(&error))
    }

    async fn put_once(&self, name: &str, bytes: Bytes) -> Result<(), NatsTrouble> {
        let bucket = self.bucket().await?;
        let stored = bucket.put(name, &mut bytes.as_ref()).await;
        let subjects = format!("$O.{}.", self.names.bucket);
        stored.map(|_| ()).map_err(|error| {
            match self.connection.refused(&self.names.run, &subjects) {
                Some(refused) => NatsTrouble::Lasting(refused),
                None => passing(&error),
            }
        })
    }

    async fn get_once(&self, name: &str) -> Result<Bytes, NatsTrouble> {
        let bucket = self.bucket().await?;
        let mut object = bucket.get(name).await.map_err(|error| match error.kind() {
            GetErrorKind::NotFound => NatsTrouble::Gone,
            _ => passing(&error),
        })?;
        let size = object.info().size;
        if size > LARGEST_BYTES {
            return Err(NatsTrouble::Lasting(LinkError::Refused {
                what: name.to_owned(),
                reason: format!("{size} bytes are more than {LARGEST_BYTES}"),
            }));
        }
        let mut bytes = BytesMut::with_capacity(size);
        loop {
            let read = timeout(PIECE, object.read_buf(&mut bytes)).await;
            match read {
                Ok(Ok(0)) => break,
                Ok(Ok(_)) if bytes.len() <= size => {}
                Ok(Ok(_)) => return Err(damaged(name)),
                Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(damaged(name));
                }
                Ok(Err(error)) => return Err(passing(&error)),
                Err(_) => return Err(NatsTrouble::Passing("the object does not come".to_owned())),
            }
        }
        if bytes.len() == size {
            Ok(bytes.freeze())
        } else {
            Err(damaged(name))
        }
    }
}

fn damaged(name: &str) -> NatsTrouble {
    NatsTrouble::Lasting(LinkError::Failed {
        what: name.to_owned(),
        reason: "it is damaged: its checksum does not fit".to_owned(),
    })
}

fn passing(error: &dyn std::error::Error) -> NatsTrouble {
    NatsTrouble::Passing(match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

impl Objects for NatsObjects {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(name)?;
            self.look().await?;
            self.connection
                .persist(name, || self.put_once(name, bytes.clone()))
                .await
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> Response<'a, Bytes> {
        Box::pin(async move {
            subject::check_token(name)?;
            self.look().await?;
            self.connection.persist(name, || self.get_once(name)).await
        })
    }
}
