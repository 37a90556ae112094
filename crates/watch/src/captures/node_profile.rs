//! A CPU profile of a Node.js process by its own inspector (the Chrome DevTools Protocol, domain `Profiler`), where that
//! already listens: it knows the functions' names, which the kernel's samples do not.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WebSocketError, Message as WebSocketMessage};
use url::Url;

use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::http::{OriginClient, Stream, connect};
use crate::stacks::V8Profile;

/// Where the inspector lists what can be looked at.
const LIST: &str = "json/list";
/// Time between two samples, µs.
const INTERVAL_US: u32 = 5_000;
/// A response takes no longer: that to `Profiler.stop` holds the profile.
const RESPONSE_LIMIT: Duration = Duration::from_secs(8);
/// Longest message that is read.
const MAX_BYTES: usize = 16 << 20;
/// The whole capture.
const LIMIT: Duration = Duration::from_secs(20);

/// Takes profiles of a Node.js process's main thread.
pub(crate) struct NodeProfile {
    client: OriginClient,
    entity: Arc<Entity>,
}

/// An entry of the inspector's list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InspectorTarget {
    r#type: String,
    web_socket_debugger_url: String,
}

/// What the inspector sends.
#[derive(Debug, Deserialize)]
struct InspectorMessage {
    /// The request that it responds to; none of an event.
    id: Option<u32>,
    #[serde(default)]
    result: Value,
    error: Option<InspectorError>,
}

#[derive(Debug, Deserialize)]
struct InspectorError {
    message: String,
}

/// A session with an inspector. What it has begun ends with the connection.
struct InspectorSession {
    stream: WebSocketStream<Stream>,
    url: Url,
    asked: u32,
}

impl InspectorSession {
    /// Connects to an inspector at the path that it lists. Of that address nothing but the path counts: what is watched
    /// does not say to whom connections are made.
    async fn open(client: &mut OriginClient) -> Result<Self, Trouble> {
        let response = client.get(LIST, "application/json").await?;
        let mut url = client.join("");
        let targets: Vec<InspectorTarget> =
            serde_json::from_slice(&response.body).unwrap_or_default();
        let mut nodes = targets.iter().filter(|target| target.r#type == "node");
        let listed = nodes.find_map(|node| Url::parse(&node.web_socket_debugger_url).ok());
        let Some(listed) = listed else {
            return Err(Trouble::new(
                Message::new("watch-node-none").with("url", url.as_str()),
            ));
        };
        url.set_path(listed.path());
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().unwrap_or(80);
        let stream = connect(&host, port, client.tls()).await;
        let stream = stream.map_err(|error| lost(&url, error))?;
        let request = format!("ws{}", url.as_str().trim_start_matches("http"));
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_BYTES))
            .max_frame_size(Some(MAX_BYTES));
        let opening = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
        let (stream, _) = in_time(&url, opening).await?;
        Ok(Self {
            stream,
            url,
            asked: 0,
        })
    }

    /// Has the inspector do something; gives its result.
    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Trouble> {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "id": id, "method": method, "params": params }).to_string();
        let url = self.url.clone();
        let asking = async {
            self.stream.send(WebSocketMessage::text(request)).await?;
            loop {
                let next = self.stream.next().await;
                let message = next.unwrap_or(Err(WebSocketError::ConnectionClosed))?;
                let WebSocketMessage::Text(text) = message else {
                    continue;
                };
                // What is no message of the protocol is none that was waited for.
                let message = serde_json::from_str::<InspectorMessage>(&text).ok();
                if let Some(message) = message.filter(|message| message.id == Some(id)) {
                    return Ok::<_, WebSocketError>(message);
                }
            }
        };
        let response = in_time(&url, asking).await?;
        match response.error {
            Some(error) => Err(lost(&url, error.message)),
            None => Ok(response.result),
        }
    }
}

/// What comes in time, or why it does not.
async fn in_time<T>(
    url: &Url,
    coming: impl Future<Output = Result<T, WebSocketError>>,
) -> Result<T, Trouble> {
    match tokio::time::timeout(RESPONSE_LIMIT, coming).await {
        Ok(come) => come.map_err(|error| lost(url, error)),
        Err(late) => Err(lost(url, late)),
    }
}

fn lost(url: &Url, reason: impl ToString) -> Trouble {
    let told = Message::new("watch-node-lost").with("url", url.as_str());
    Trouble::new(told.with("reason", reason.to_string()))
}

impl NodeProfile {
    pub(crate) fn new(client: OriginClient, entity: Arc<Entity>) -> Self {
        Self { client, entity }
    }

    async fn profile(&mut self) -> Result<Vec<Artifact>, Trouble> {
        let mut session = InspectorSession::open(&mut self.client).await?;
        let nothing = || json!({});
        session.ask("Profiler.enable", nothing()).await?;
        let interval = json!({ "interval": INTERVAL_US });
        session
            .ask("Profiler.setSamplingInterval", interval)
            .await?;
        let from_unix_ns = now_unix_ns();
        session.ask("Profiler.start", nothing()).await?;
        tokio::time::sleep(PROFILE_LASTS).await;
        let mut stopped = session.ask("Profiler.stop", nothing()).await?;
        let profile = serde_json::from_value::<V8Profile>(stopped["profile"].take());
        let profile = profile.map_err(|error| lost(&session.url, error))?;
        let told = profile.told(from_unix_ns);
        let told = told.filter(|told| !told.stacks.is_empty());
        let text = told.and_then(|told| serde_json::to_string(&told).ok());
        let entity = &self.entity;
        let artifact =
            |text| Artifact::json(Arc::clone(entity), "node_profile", from_unix_ns, text);
        Ok(text.map(artifact).into_iter().collect())
    }
}

impl Capture for NodeProfile {
    fn kind(&self) -> &'static str {
        "node_profile"
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(moment, Moment::Steady | Moment::Worst | Moment::Request)
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.profile())
    }
}
